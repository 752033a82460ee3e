//! How does a person edit a text? In the editor of their choice, on a file that nobody else can read and that is gone
//! afterwards, unless it is to be kept.
//!
//! Never decides what becomes of the text.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use crate::cli::ui::lent::Lent;
use crate::config::bounded::{self, Unread};
use crate::config::whole::FILE_BYTES_MAX;
use crate::files;

/// What is asked for an editor, in this order.
const VARIABLES: [&str; 2] = ["VISUAL", "EDITOR"];

/// The editor of whoever names none: every system has it.
const FALLBACK: &str = if cfg!(windows) { "notepad" } else { "vi" };

/// Why a text could not be edited.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EditorError {
    /// The file cannot be written or read.
    #[error("cannot use the file {} to edit in: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// What was left is no text.
    #[error("cannot read the file {}: it is not UTF-8", path.display())]
    NoText {
        /// The file, which stays.
        path: PathBuf,
    },
    /// The variable cannot be read.
    #[error("cannot read {name}={line:?}: a quote is not closed")]
    Unquoted {
        /// The variable.
        name: &'static str,
        /// What it holds.
        line: String,
    },
    /// The editor cannot be run.
    #[error("cannot run the editor {program:?}: {source}")]
    Run {
        /// Its program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// The editor failed, which may mean that the person thought better of it.
    #[error("the editor {program:?} ended with {status}")]
    Failed {
        /// Its program.
        program: String,
        /// How it ended.
        status: ExitStatus,
    },
}

/// A file to edit in; removed with this value, unless it is kept.
pub(crate) struct Draft {
    path: PathBuf,
    is_kept: bool,
    /// Whether somebody saved something else in it than it was given.
    is_written: bool,
}

impl Draft {
    /// Makes an empty file; `name` says what it is of.
    ///
    /// # Errors
    /// It cannot be made.
    pub(crate) fn begin(name: &str) -> Result<Self, EditorError> {
        let path = std::env::temp_dir().join(format!("keiko-{name}-{}.toml", uuid::Uuid::new_v4().simple()));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&path).map_err(|source| EditorError::File { path: path.clone(), source })?;
        Ok(Self { path, is_kept: false, is_written: false })
    }

    /// Returns where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Lets the file stay.
    pub(crate) const fn keep(&mut self) {
        self.is_kept = true;
    }

    /// Returns whether there is something in it that a person wrote, now or before.
    pub(crate) const fn is_written(&self) -> bool {
        self.is_written
    }

    /// Lets a person edit a text, and returns what they left.
    ///
    /// # Errors
    /// There is no editor, or it failed; the file cannot be used, or holds no text any more.
    pub(crate) fn edit(&mut self, text: &str) -> Result<String, EditorError> {
        let file = |source| EditorError::File { path: self.path.clone(), source };
        // What was written before is there until this is. Who may read what an editor put in its place is its own affair.
        files::replace(&self.path, text.as_bytes()).map_err(file)?;
        let ran = run(&self.path);
        // Whatever became of the editor: it may have saved before. Never waits for what is no file.
        let left = bounded::read(&self.path, FILE_BYTES_MAX);
        self.is_written |= match &left {
            Ok(left) => left != text.as_bytes(),
            Err(Unread::TooLong { .. }) => true,
            Err(Unread::NoFile { .. }) => false,
            Err(Unread::Unreadable { source }) => source.kind() != io::ErrorKind::NotFound,
        };
        ran?;
        let left = left.map_err(|unread| {
            file(match unread {
                Unread::Unreadable { source } => source,
                unread @ (Unread::NoFile { .. } | Unread::TooLong { .. }) => io::Error::other(unread),
            })
        })?;
        String::from_utf8(left).map_err(|_| {
            self.is_kept = true;
            EditorError::NoText { path: self.path.clone() }
        })
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_kept {
            // One that is gone already is as good.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Runs the editor on a file and waits until it ended.
fn run(path: &Path) -> Result<(), EditorError> {
    let words = editor()?;
    let program = words[0].clone();
    let lent = Lent::begin();
    let ended = Command::new(&program).args(&words[1..]).arg(path).status();
    drop(lent);
    match ended {
        Err(source) => Err(EditorError::Run { program, source }),
        Ok(status) if !status.success() => Err(EditorError::Failed { program, status }),
        Ok(_) => Ok(()),
    }
}

/// Returns the editor and its arguments; one word at least.
fn editor() -> Result<Vec<String>, EditorError> {
    for name in VARIABLES {
        let line = std::env::var(name).unwrap_or_default();
        if line.trim().is_empty() {
            continue;
        }
        return match shlex::split(&line) {
            Some(words) if !words.is_empty() => Ok(words),
            Some(_) | None => Err(EditorError::Unquoted { name, line }),
        };
    }
    Ok(vec![FALLBACK.to_owned()])
}
