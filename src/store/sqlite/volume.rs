//! How much room does the disk have under a file, and how is some of it really taken?
//!
//! Where the system cannot tell, the disk counts as endless: the write itself then says that it is full.

use std::fs::File;
use std::io;
use std::path::Path;

#[cfg(unix)]
fn statistics(path: &Path) -> Option<rustix::fs::StatVfs> {
    // The file may not be there yet.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Some file systems know no size and say none.
    rustix::fs::statvfs(folder).ok().filter(|found| found.f_blocks > 0)
}

/// Returns the bytes that the user may still write beside `path`.
#[cfg(unix)]
pub(crate) fn free(path: &Path) -> u64 {
    statistics(path).map_or(u64::MAX, |found| found.f_bavail.saturating_mul(found.f_frsize))
}

/// Returns the bytes of the whole disk on which `path` lies.
#[cfg(unix)]
pub(crate) fn total(path: &Path) -> u64 {
    statistics(path).map_or(u64::MAX, |found| found.f_blocks.saturating_mul(found.f_frsize))
}

/// Returns the bytes that a file really takes on the disk.
#[cfg(unix)]
pub(crate) fn taken(path: &Path) -> io::Result<u64> {
    Ok(std::os::unix::fs::MetadataExt::blocks(&path.metadata()?).saturating_mul(512))
}

/// The system cannot tell.
#[cfg(not(unix))]
pub(crate) const fn free(_path: &Path) -> u64 {
    u64::MAX
}

/// The system cannot tell.
#[cfg(not(unix))]
pub(crate) const fn total(_path: &Path) -> u64 {
    u64::MAX
}

/// Returns the length of a file, which is what it takes as far as can be told.
#[cfg(not(unix))]
pub(crate) fn taken(path: &Path) -> io::Result<u64> {
    Ok(path.metadata()?.len())
}

/// Gives an empty file so many bytes of the disk.
pub(crate) fn allocate(file: &File, bytes: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    match fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
        outcome => return outcome,
    }
    write_out(file, bytes)
}

/// Takes room for what will be appended to a file, without making it longer.
pub(crate) fn allocate_behind(file: &File, bytes: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    return fallocate(file, rustix::fs::FallocateFlags::KEEP_SIZE, file.metadata()?.len(), bytes);
    #[cfg(not(target_os = "linux"))]
    return Err(io::Error::from(io::ErrorKind::Unsupported));
}

#[cfg(target_os = "linux")]
fn fallocate(file: &File, flags: rustix::fs::FallocateFlags, from: u64, bytes: u64) -> io::Result<()> {
    Ok(rustix::io::retry_on_intr(|| rustix::fs::fallocate(file, flags, from, bytes))?)
}

/// Writes the bytes themselves, where the system cannot give room without.
fn write_out(mut file: &File, bytes: u64) -> io::Result<()> {
    let block = vec![0x6b; 64 * 1024];
    let mut left = bytes;
    while left > 0 {
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(block.len());
        io::Write::write_all(&mut file, &block[..length])?;
        left -= length as u64;
    }
    file.sync_all()
}
