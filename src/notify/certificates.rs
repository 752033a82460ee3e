//! Which certificates are trusted beside the system's? Those of a file, read when a connection is first made.
//!
//! Never waits for what is no plain file, and never reads more than a bundle holds.

use std::path::Path;

use tokio::io::AsyncReadExt as _;

/// The largest file, in bytes: a system's whole bundle fits.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Returns what a file of certificates holds (PEM).
///
/// # Errors
/// Why it cannot be read, with its path.
pub(in crate::notify) async fn read(path: &Path) -> Result<Vec<u8>, String> {
    let failed = |why: String| format!("cannot read the certificates in {}: {why}", path.display());
    let known = tokio::fs::metadata(path).await.map_err(|error| failed(error.to_string()))?;
    if !known.is_file() || known.len() > BYTES_MAX {
        return Err(failed(format!("expected a plain file of at most {BYTES_MAX} bytes")));
    }
    let file = tokio::fs::File::open(path).await.map_err(|error| failed(error.to_string()))?;
    let mut bytes = Vec::new();
    file.take(BYTES_MAX).read_to_end(&mut bytes).await.map_err(|error| failed(error.to_string()))?;
    Ok(bytes)
}
