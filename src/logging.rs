//! Where do the daemon's log lines go, and in which form?
//!
//! The only module that knows the subscriber; everybody else says what happened through `tracing`. Never writes colours
//! where no person looks, and never lets the lines of other crates through unasked, since those may carry what people wrote.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tracing::Subscriber;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::writer::BoxMakeWriter;

/// A log file that is longer when the daemon starts is put aside; one such file is kept.
const FILE_BYTES_MAX: u64 = 8 << 20;

/// What systemd sets for whatever it connects with the journal.
const STREAM_VARIABLE: &str = "JOURNAL_STREAM";

/// What stands before each of our fields in the journal, as in `KEIKO_OP_ID`.
#[cfg(target_os = "linux")]
const FIELD_PREFIX: &str = "KEIKO";

/// The levels, each lets through those before it.
const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

/// Where the lines go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// To the terminal or the service manager that started the daemon.
    Stderr,
    /// To systemd's journal, with every field as a field of its own; to standard error where there is none.
    Journal,
    /// To the end of a file, whose directory is there.
    File(PathBuf),
}

/// The form of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// How to log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Where to.
    pub output: Output,
    /// In which form.
    pub format: Format,
    /// How much: a level such as `debug`, or directives such as `info,keiko::store=trace`.
    pub filter: String,
}

/// Why logging could not begin.
#[derive(Debug, thiserror::Error)]
pub enum LoggingError {
    /// A single word is no level.
    #[error("cannot log {filter:?}: expected error, warn, info, debug, trace, off or directives")]
    Level {
        /// What was asked for.
        filter: String,
    },
    /// Directives that cannot be read.
    #[error("cannot log {filter:?}: {source}")]
    Filter {
        /// What was asked for.
        filter: String,
        /// Why.
        source: tracing_subscriber::filter::ParseError,
    },
    /// The file cannot be written.
    #[error("cannot write the log {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Somebody began before.
    #[error("cannot begin to log: it was begun before")]
    BegunBefore,
}

/// Keeps the lines going; those that wait are written when it is dropped.
#[derive(Debug)]
#[must_use = "without it nothing is written"]
pub struct Log {
    _writer: Option<WorkerGuard>,
}

/// Begins to log, for the whole process. Once.
///
/// # Errors
/// The filter means nothing, the file cannot be written, or it was begun before.
pub fn init(options: &Options) -> Result<Log, LoggingError> {
    let (subscriber, writer) = subscriber(options)?;
    tracing::subscriber::set_global_default(subscriber).map_err(|_| LoggingError::BegunBefore)?;
    Ok(Log { _writer: writer })
}

/// Returns whether standard error is the journal's, by `JOURNAL_STREAM` as systemd sets it for what it starts.
#[must_use]
pub fn is_journal() -> bool {
    std::env::var_os(STREAM_VARIABLE).is_some_and(|stream| is_stream(&stream, stderr_identity().ok()))
}

/// Returns whether `stream`, a device and an inode in decimal with a colon between (systemd.exec(5)), is what was found.
///
/// The variable alone says nothing: what a service starts inherits it, and writes elsewhere.
fn is_stream(stream: &OsStr, found: Option<(u64, u64)>) -> bool {
    let parts = stream.to_str().and_then(|stream| stream.split_once(':'));
    let named = parts.and_then(|(device, inode)| Some((device.parse().ok()?, inode.parse().ok()?)));
    named.is_some() && named == found
}

#[cfg(unix)]
fn stderr_identity() -> io::Result<(u64, u64)> {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::MetadataExt as _;

    let found = File::from(io::stderr().as_fd().try_clone_to_owned()?).metadata()?;
    Ok((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn stderr_identity() -> io::Result<(u64, u64)> {
    Err(io::ErrorKind::Unsupported.into())
}

/// What takes the lines, and what keeps its writer going.
type Taker = (Box<dyn Subscriber + Send + Sync>, Option<WorkerGuard>);

fn subscriber(options: &Options) -> Result<Taker, LoggingError> {
    if options.output == Output::Journal
        && let Some(journal) = journal(filter(&options.filter)?)
    {
        return Ok((journal, None));
    }
    let (writer, has_colour, guard) = match &options.output {
        // Whoever started the daemon may not read what it says: a full pipe must not hold up what is due, so the lines
        // have a thread of their own, and are dropped where they cannot go.
        Output::Stderr | Output::Journal => {
            let (lines, guard) = tracing_appender::non_blocking(io::stderr());
            (BoxMakeWriter::new(lines), is_colour_wanted(), Some(guard))
        }
        Output::File(path) => {
            let file = open(path).map_err(|source| LoggingError::File { path: path.clone(), source })?;
            (BoxMakeWriter::new(Mutex::new(file)), false, None)
        }
    };
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter(&options.filter)?)
        .with_writer(writer)
        .with_ansi(has_colour && options.format == Format::Text);
    let subscriber: Box<dyn Subscriber + Send + Sync> = match options.format {
        Format::Text => Box::new(builder.finish()),
        Format::Json => Box::new(builder.json().flatten_event(true).finish()),
    };
    Ok((subscriber, guard))
}

/// Returns what writes to the journal; `None` where it does not answer.
#[cfg(target_os = "linux")]
fn journal(filter: EnvFilter) -> Option<Box<dyn Subscriber + Send + Sync>> {
    use tracing_subscriber::layer::SubscriberExt as _;

    let journal = tracing_journald::layer().ok()?.with_field_prefix(Some(FIELD_PREFIX.to_owned()));
    Some(Box::new(tracing_subscriber::registry().with(filter).with(journal)))
}

#[cfg(not(target_os = "linux"))]
fn journal(_filter: EnvFilter) -> Option<Box<dyn Subscriber + Send + Sync>> {
    None
}

/// Returns what is let through: a bare level is ours alone, from other crates come warnings.
///
/// The crates below print whole messages at their lower levels: titles, notes, one day tokens. Directives that name a
/// crate are the person's own choice.
fn filter(text: &str) -> Result<EnvFilter, LoggingError> {
    let text = text.trim();
    let is_level = LEVELS.iter().any(|level| text.eq_ignore_ascii_case(level));
    // As a directive it would be the name of a crate, and everything else off.
    if !is_level && text != "off" && text.chars().all(char::is_alphanumeric) {
        return Err(LoggingError::Level { filter: text.to_owned() });
    }
    let others = if text.eq_ignore_ascii_case("error") { "error" } else { "warn" };
    let directives = if is_level { format!("{others},keiko={text}") } else { text.to_owned() };
    // Read strictly: the lenient way prints on stderr and goes on with nothing.
    EnvFilter::builder().parse(directives).map_err(|source| LoggingError::Filter { filter: text.to_owned(), source })
}

fn is_colour_wanted() -> bool {
    let is_set = |variable| std::env::var_os(variable).is_some_and(|value| !value.is_empty());
    io::stderr().is_terminal() && !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Opens a log for this user alone, since its lines hold titles.
fn open(path: &Path) -> io::Result<File> {
    if fs::metadata(path).is_ok_and(|found| found.len() > FILE_BYTES_MAX) {
        fs::rename(path, path.with_extension("log.old"))?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(format: Format, filter: &str, act: impl FnOnce()) -> String {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("keikod.log");
        let options = Options { output: Output::File(path.clone()), format, filter: filter.to_owned() };
        tracing::subscriber::with_default(subscriber(&options).unwrap().0, act);
        fs::read_to_string(path).unwrap()
    }

    #[test]
    fn a_level_lets_through_what_is_ours_and_only_warnings_of_others() {
        let lines = logged(Format::Text, "debug", || {
            tracing::debug!("ours");
            tracing::trace!("too fine");
            tracing::info!(target: "zbus", "body of a popup");
            tracing::warn!(target: "zbus", "lost the bus");
        });
        assert!(lines.contains("ours") && lines.contains("lost the bus"), "{lines}");
        assert!(!lines.contains("too fine") && !lines.contains("popup"), "{lines}");
    }

    #[test]
    fn directives_are_taken_as_they_are() {
        let lines = logged(Format::Text, "off,zbus=info", || {
            tracing::error!("ours");
            tracing::info!(target: "zbus", "asked for");
        });
        assert!(lines.contains("asked for") && !lines.contains("ours"), "{lines}");
    }

    #[test]
    fn a_filter_that_means_nothing_is_refused() {
        for text in ["", "loud", "keiko", "3x"] {
            assert!(matches!(filter(text), Err(LoggingError::Level { .. })), "of {text:?}");
        }
        for text in ["keiko=loud", "keiko=info=x"] {
            assert!(matches!(filter(text), Err(LoggingError::Filter { .. })), "of {text:?}");
        }
    }

    #[test]
    fn no_control_character_of_a_title_reaches_a_file() {
        let title = "a\u{1b}[31mb\nc";
        for format in [Format::Text, Format::Json] {
            let lines = logged(format, "info", || tracing::info!(title, "added"));
            assert!(!lines.contains('\u{1b}'), "{lines:?}");
            assert_eq!(lines.lines().count(), 1, "{lines:?}");
        }
    }

    #[test]
    fn json_is_one_object_a_line() {
        let lines = logged(Format::Json, "info", || {
            tracing::info!(task = 3, "fired");
            tracing::info!("fired");
        });
        assert_eq!(lines.lines().count(), 2);
        assert!(lines.lines().all(|line| line.starts_with('{') && line.ends_with('}')), "{lines}");
        assert!(lines.contains("\"task\":3"), "{lines}");
    }

    #[test]
    fn the_journal_is_known_by_the_stream_and_not_by_the_variable_alone() {
        for (stream, expected) in [
            ("8:1234", true),
            ("8:1235", false),
            ("9:1234", false),
            ("81234", false),
            ("8:", false),
            ("", false),
            ("8:1234:", false),
            ("08:1234", true),
        ] {
            assert_eq!(is_stream(OsStr::new(stream), Some((8, 1234))), expected, "of {stream:?}");
        }
        assert!(!is_stream(OsStr::new("8:1234"), None), "standard error is closed");
        assert!(!is_stream(OsStr::new("loud"), None));
    }

    #[test]
    fn a_file_that_cannot_be_written_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("absent/keikod.log");
        let options = Options { output: Output::File(path), format: Format::Text, filter: "info".to_owned() };
        assert!(matches!(subscriber(&options), Err(LoggingError::File { .. })));
    }

    #[test]
    fn a_long_file_is_put_aside() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("keikod.log");
        File::create(&path).unwrap().set_len(FILE_BYTES_MAX + 1).unwrap();
        open(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), 0);
        assert_eq!(fs::metadata(directory.path().join("keikod.log.old")).unwrap().len(), FILE_BYTES_MAX + 1);
    }

    #[cfg(unix)]
    #[test]
    fn the_file_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;

        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("keikod.log");
        open(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
