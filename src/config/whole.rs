//! How is the text of the configuration read as a whole?
//!
//! Never knows what stands in it.

use std::fs;
use std::io;
use std::path::Path;

use crate::config::bounded::{self, Unread};
use crate::config::file::ConfigError;

/// The longest file that is read, in bytes: thousands of webhooks, and far below what could hurt.
pub const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// What is empty on purpose, as a link to it says.
const NOTHING: &str = "/dev/null";

/// Returns the text of the file, `None` where there is none. Never waits for a writer, nor reads without end.
///
/// # Errors
/// It is no plain file, is too long, is no text, or cannot be read.
pub fn read(path: &Path) -> Result<Option<String>, ConfigError> {
    let bytes = match bounded::read(path, FILE_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(Unread::Unreadable { source }) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(Unread::Unreadable { source }) => return Err(ConfigError::Unreadable { path: path.to_owned(), source }),
        Err(Unread::NoFile { .. }) if fs::canonicalize(path).is_ok_and(|real| real == Path::new(NOTHING)) => {
            return Ok(Some(String::new()));
        }
        Err(Unread::NoFile { found }) => return Err(ConfigError::NoFile { path: path.to_owned(), found }),
        Err(Unread::TooLong { .. }) => return Err(ConfigError::TooLong { path: path.to_owned() }),
    };
    let text = String::from_utf8(bytes).map_err(|error| ConfigError::Unreadable {
        path: path.to_owned(),
        source: io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()),
    })?;
    Ok(Some(text))
}
