//! What are the last lines of a log, and the next ones? Also across the start of a daemon that puts a long log aside.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// How much is read at once.
const BLOCK_BYTES: u64 = 64 * 1024;

/// How much of the end of a log is read for the last lines (I9).
const END_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// A log that is read from its end on.
pub(crate) struct Tail {
    path: PathBuf,
    file: File,
    /// Where the next line begins.
    at: u64,
    changes: Changes,
}

impl Tail {
    /// Opens a log; `None` where there is none.
    ///
    /// # Errors
    /// It cannot be opened.
    pub(crate) fn open(path: &Path) -> io::Result<Option<Self>> {
        // Watched before it is read, so that nothing falls between.
        let changes = Changes::over(path);
        match File::open(path) {
            Ok(file) => Ok(Some(Self { path: path.to_owned(), file, at: 0, changes })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the last lines, and goes on behind them.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn last(&mut self, count: usize) -> io::Result<Vec<String>> {
        let end = self.file.metadata()?.len();
        let mut start = end;
        let mut bytes = Vec::new();
        // One part more than lines and their ends, since the first line may be cut.
        while start > 0 && end - start < END_BYTES_MAX && bytes.split(|byte| *byte == b'\n').count() <= count + 1 {
            let block = start.min(BLOCK_BYTES);
            start -= block;
            let mut before = vec![0; usize::try_from(block).expect("a block is small")];
            self.file.seek(SeekFrom::Start(start))?;
            self.file.read_exact(&mut before)?;
            before.append(&mut bytes);
            bytes = before;
        }
        self.at = end;
        let mut lines = lines(&bytes);
        if start > 0 && !lines.is_empty() {
            // Its beginning was not read.
            lines.remove(0);
        }
        Ok(lines.split_off(lines.len().saturating_sub(count)))
    }

    /// Waits for a change, and returns the lines that have come; there may be none.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn next(&mut self) -> io::Result<Vec<String>> {
        self.changes.wait();
        let mut lines = self.read_on()?;
        // Another one has its name: the rest of the former is read by now.
        if let Ok(file) = File::open(&self.path)
            && !is_same(&file, &self.file)
        {
            (self.file, self.at) = (file, 0);
            lines.append(&mut self.read_on()?);
        }
        Ok(lines)
    }

    fn read_on(&mut self) -> io::Result<Vec<String>> {
        if self.file.metadata()?.len() < self.at {
            self.at = 0;
        }
        self.file.seek(SeekFrom::Start(self.at))?;
        let mut bytes = Vec::new();
        (&self.file).take(END_BYTES_MAX).read_to_end(&mut bytes)?;
        // Half a line is left for the next time.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        self.at += whole as u64;
        Ok(lines(&bytes[..whole]))
    }
}

fn lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
}

#[cfg(unix)]
fn is_same(one: &File, other: &File) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let identity = |file: &File| file.metadata().map(|found| (found.dev(), found.ino()));
    matches!((identity(one), identity(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(not(unix))]
const fn is_same(_one: &File, _other: &File) -> bool {
    true
}

/// What tells of changes in the folder of a log.
#[cfg(target_os = "linux")]
struct Changes {
    descriptor: Option<std::os::fd::OwnedFd>,
}

#[cfg(target_os = "linux")]
impl Changes {
    fn over(path: &Path) -> Self {
        use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};

        let descriptor = init(CreateFlags::CLOEXEC).ok().filter(|descriptor| {
            let folder = path.parent().unwrap_or(Path::new("/"));
            add_watch(descriptor, folder, WatchFlags::MODIFY | WatchFlags::CREATE | WatchFlags::MOVED_TO).is_ok()
        });
        Self { descriptor }
    }

    /// Waits for one; a change of another file is one too.
    fn wait(&self) {
        let Some(descriptor) = &self.descriptor else { return rest() };
        let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
        let mut reader = rustix::fs::inotify::Reader::new(descriptor, &mut buffer);
        if reader.next().is_err() {
            rest();
        }
    }
}

#[cfg(not(target_os = "linux"))]
struct Changes;

#[cfg(not(target_os = "linux"))]
impl Changes {
    const fn over(_path: &Path) -> Self {
        Self
    }

    #[expect(clippy::unused_self, reason = "on Linux there is something to watch")]
    fn wait(&self) {
        rest();
    }
}

/// Lets some time pass where nothing tells of a change.
fn rest() {
    let (_never, told) = std::sync::mpsc::channel::<()>();
    let _ = told.recv_timeout(std::time::Duration::from_millis(500));
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write as _;

    use super::*;

    #[test]
    fn the_last_lines_are_told_however_long_the_log_is() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("log");
        assert!(Tail::open(&path).unwrap().is_none());
        fs::write(&path, "").unwrap();
        assert_eq!(Tail::open(&path).unwrap().unwrap().last(5).unwrap(), [""; 0]);
        let text = (0..20_000).map(|number| format!("line {number}")).collect::<Vec<_>>().join("\n") + "\n";
        fs::write(&path, &text).unwrap();
        let last = |count| Tail::open(&path).unwrap().unwrap().last(count).unwrap();
        assert_eq!(last(2), ["line 19998", "line 19999"]);
        assert_eq!(last(15_000).first().map(String::as_str), Some("line 5000"));
        assert_eq!(last(30_000).len(), 20_000);
    }

    #[test]
    fn what_is_said_later_is_told_also_where_the_log_was_put_aside() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("log");
        fs::write(&path, "one\ntwo\n").unwrap();
        let mut tail = Tail::open(&path).unwrap().unwrap();
        assert_eq!(tail.last(1).unwrap(), ["two"]);
        let append = |text: &str| {
            let mut file = OpenOptions::new().create(true).append(true).open(&path).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        };
        append("three\nfo");
        assert_eq!(tail.next().unwrap(), ["three"]);
        append("ur\n");
        fs::rename(&path, root.path().join("log.old")).unwrap();
        append("five\n");
        let mut told = Vec::new();
        while told.len() < 2 {
            told.append(&mut tail.next().unwrap());
        }
        assert_eq!(told, ["four", "five"]);
    }
}
