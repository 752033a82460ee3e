//! A program of the test's own in place of the one that opens links.

use std::fs::{File, Permissions};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::soon;

/// A program that tells how it was started.
pub(crate) struct Opener {
    pub(crate) program: PathBuf,
    pipe: PathBuf,
}

impl Opener {
    /// Makes one, under the usual name, that ends with `exit`.
    pub(crate) fn new(directory: &Path, exit: u8) -> Self {
        let (program, pipe) = (directory.join("xdg-open"), directory.join("opened"));
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is installed").success());
        let told = r#"printf '%s' "$# $1 $WAYLAND_DISPLAY$XDG_ACTIVATION_TOKEN""#;
        let script = format!("#!/bin/sh\n{told} >'{}'\nexit {exit}\n", pipe.display());
        std::fs::write(&program, script).expect("a file of the test's own");
        std::fs::set_permissions(&program, Permissions::from_mode(0o700)).expect("it is ours");
        Self { program, pipe }
    }

    /// Waits until it is started, and returns the count of its arguments, the first, and the screen and the token that it was
    /// told of.
    pub(crate) async fn opened(self) -> String {
        let read = tokio::task::spawn_blocking(move || {
            let mut told = String::new();
            File::open(self.pipe).and_then(|mut pipe| pipe.read_to_string(&mut told)).map(|_| told)
        });
        soon("the opener", read).await.expect("it does not panic").expect("a pipe can be read")
    }
}
