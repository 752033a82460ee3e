//! How does a file get another content at once or not at all?
//!
//! Never knows what stands in it, nor decides whose it is.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// Gives the file `path` another content. Who may read it stays as it is; a new one is the person's alone. A link stays one:
/// what it leads to gets the content.
///
/// The content is on the disk before the file has it, so that a crash leaves the one or the other.
///
/// # Errors
/// It is no plain file, or cannot be written; what was there before still is.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let is_plain = fs::metadata(path).map_or(true, |found| found.is_file());
    if !is_plain {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a plain file"));
    }
    let real = if path.is_symlink() { fs::canonicalize(path)? } else { path.to_owned() };
    let path = real.as_path();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_link_stays_and_what_is_no_plain_file_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let (link, real) = (root.path().join("link"), root.path().join("real"));
        fs::write(&real, "before").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        replace(&link, b"after").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "after");
        replace(root.path(), b"after").unwrap_err();
        fs::remove_file(&real).unwrap();
        replace(&link, b"again").unwrap_err();
        assert!(link.is_symlink());
    }
}
