//! Is a directory ours alone, so that nobody else can put a socket of their own there?
//!
//! Never trusts a name: a directory that somebody else made, or a link that they can turn, is refused.

use std::io;
use std::path::PathBuf;

use crate::domain::run::quoted;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(super) use unix::{check, create, is_runtime_dir, user};

#[cfg(not(unix))]
mod portable;
#[cfg(not(unix))]
pub(super) use portable::{check, create, is_runtime_dir, user};

/// What to do where a folder for the tasks cannot be.
pub(super) const ELSEWHERE: &str = "KEIKO_DATA_DIR names another folder for the tasks";

/// Why a directory is not ours alone.
#[derive(Debug, thiserror::Error)]
pub enum PrivateDirError {
    /// It cannot be made or looked at.
    #[error("cannot use the directory {}: {source}", path.display())]
    Unusable {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Something else has its name.
    #[error("cannot use the directory {}: it is a link or no directory", path.display())]
    NoDirectory {
        /// The directory.
        path: PathBuf,
    },
    /// Somebody else made it.
    #[error("cannot use the directory {}: expected it to belong to user {expected}, found user {found}", path.display())]
    Foreign {
        /// The directory.
        path: PathBuf,
        /// We.
        expected: u32,
        /// Its owner.
        found: u32,
    },
    /// Others may write to it.
    #[error("cannot use the directory {}: others may write to it (mode {mode:o})", path.display())]
    Open {
        /// The directory.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
}

impl PrivateDirError {
    /// Returns what mends it, where that is known.
    pub(super) fn hint(&self) -> Option<String> {
        match self {
            Self::Open { path, .. } => Some(format!("chmod 700 {}", quoted(&[path.display().to_string()]))),
            Self::Unusable { .. } => Some(ELSEWHERE.to_owned()),
            Self::NoDirectory { .. } | Self::Foreign { .. } => None,
        }
    }
}
