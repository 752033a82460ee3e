//! How is the text of the configuration read as a whole, and how does a file get another content at once or not at all?
//!
//! Never knows what stands in it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
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

/// Gives the file `path`, no link, another content. Who may read it stays as it is; a new one is the person's alone.
///
/// The content is on the disk before the file has it, so that a crash leaves the one or the other.
pub(super) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let is_plain = fs::metadata(path).map_or(true, |found| found.is_file());
    if !is_plain {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a plain file"));
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.{}.new", std::process::id()));
    let written = write_new(&beside, content).and_then(|()| {
        if let Ok(found) = fs::metadata(path) {
            fs::set_permissions(&beside, found.permissions())?;
        }
        fs::rename(&beside, path)
    });
    if written.is_err() {
        // What is left of it is of no use to anybody; that it could not be written is told.
        let _ = fs::remove_file(&beside);
    }
    written?;
    // The name is on the disk as well.
    File::open(folder).and_then(|folder| folder.sync_all())
}

fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    // One of an earlier process of this number that was cut short.
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    private(&mut options);
    let mut file = options.open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(0o600);
}

#[cfg(not(unix))]
fn private(_options: &mut OpenOptions) {}
