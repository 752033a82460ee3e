//! How is a link of a task opened? By the program with which the person's desktop opens things, and by no shell.
//!
//! It never waits for that program, and never starts it for a link that could do more than show something.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use tokio::process::Command;
use tokio::sync::Semaphore;

/// The links that are opened: what a browser, a mail program or a viewer shows. Others may run something.
const SCHEMES: [&str; 4] = ["http", "https", "mailto", "file"];

/// How many may be open at once (I9). Some openers live as long as what they opened, so this is more than a person has.
const OPEN_MAX: usize = 64;

/// Opens links.
#[derive(Debug)]
pub(super) struct Opener {
    program: PathBuf,
    room: Arc<Semaphore>,
}

/// Returns whether a link is one that is opened.
pub(super) fn is_opened(link: &str) -> bool {
    let Some((scheme, rest)) = link.split_once(':') else { return false };
    let is_known = SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known));
    is_known && !rest.is_empty() && !link.contains(|c: char| c.is_control() || c.is_whitespace())
}

impl Opener {
    /// Returns one that starts `program` with the link as its only argument.
    pub(super) fn new(program: PathBuf) -> Self {
        Self { program, room: Arc::new(Semaphore::new(OPEN_MAX)) }
    }

    /// Opens a link, and looks after the program until it ends. Never waits; what fails is logged.
    pub(super) fn open(&self, link: &str) {
        // Invariant: whatever is offered was looked at, but it is this that starts a program.
        if !is_opened(link) {
            tracing::warn!("did not open a link of a kind that is not opened");
            return;
        }
        let Ok(permit) = Arc::clone(&self.room).try_acquire_owned() else {
            tracing::warn!("did not open a link: {OPEN_MAX} are open already");
            return;
        };
        let mut command = Command::new(&self.program);
        // In a group of its own: what ends the daemon in its terminal is not to end a browser.
        command.arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        if let Some(home) = std::env::home_dir().filter(|home| home.is_dir()) {
            command.current_dir(home);
        }
        match command.spawn() {
            Ok(mut child) => {
                let program = self.program.clone();
                tokio::spawn(async move {
                    match child.wait().await {
                        Ok(status) if status.success() => {}
                        Ok(status) => {
                            tracing::warn!(program = %program.display(), %status, "a link was not opened");
                        }
                        Err(error) => {
                            tracing::warn!(program = %program.display(), %error, "cannot tell whether a link was opened");
                        }
                    }
                    drop(permit);
                });
            }
            Err(error) => tracing::warn!(program = %self.program.display(), %error, "cannot open a link"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_that_show_something_are_opened() {
        for link in ["https://example.org/?a=b&c", "HTTP://x", "mailto:a@example.org", "file:///home/me/a%20b.pdf"] {
            assert!(is_opened(link), "{link}");
        }
        for link in [
            "",
            "example.org",
            "https:",
            "javascript:alert(1)",
            "data:text/html,x",
            "--help",
            "-x:https://x",
            "ssh://host",
            "vscode://x",
            "https://a b",
            "https://x\n--y",
            "/etc/passwd",
        ] {
            assert!(!is_opened(link), "{link}");
        }
    }
}
