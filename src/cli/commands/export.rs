//! `keiko export`: writes everything, or some tasks, for another Keiko or for another program.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::cli::commands::filter::{Filter, Tags};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::exchange::{Format, ical, taskwarrior};
use crate::cli::render::text::Text;
use crate::domain::time::Timestamp;
use crate::protocol::methods;
use crate::protocol::objects::{Task, Time};

/// Writes everything into a file, or some tasks for another program
///
/// As lines of JSON it is all that Keiko knows: tasks, history, deliveries, runs and what they said, operations and settings such as
/// away; keiko import makes an empty Keiko the same. It may hold what is secret in your tasks, so that only you can read the file.
/// With a filter it is the open tasks that the filter means, with all of their history; --all takes those that have ended too.
///
/// For iCalendar and Taskwarrior it is the open tasks, as far as those programs know such: what they do not is said.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  keiko export everything.jsonl\n  keiko export calendar.ics --tag home\n  \
    keiko export --format taskwarrior | task import\n  keiko export | ssh other keiko import -")]
pub(crate) struct Export {
    /// A file that is not there yet, or - for standard output, as without it
    #[arg(value_name = "FILE")]
    file: Option<String>,
    /// In which form; without it the file's name says so, else jsonl
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
    /// Also tasks that have ended, where only some are written
    #[arg(long, short)]
    all: bool,
    /// Take the place of a file that is there; a link stays one, and a pipe or a device is written to
    #[arg(long)]
    force: bool,
    /// What is true of them.
    #[command(flatten)]
    filter: Filter,
    /// Their tags.
    #[command(flatten)]
    tags: Tags,
}

impl Export {
    /// Writes it.
    pub(crate) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let file = self.file.as_deref().filter(|file| *file != "-");
        if let Some(tag) = file.and_then(|file| file.strip_prefix('+')) {
            return Err(CliError::usage(
                format!(
                    "cannot export to +{tag}: a word that begins with + is a tag, and here stands the name of a file"
                ),
                format!("--tag {tag} exports what has it; ./+{tag} is a file of that name"),
            ));
        }
        let format = self.format.or_else(|| Format::of_name(file?)).unwrap_or(Format::Jsonl);
        let is_filtered = !(self.filter.is_empty() && self.tags.tag.is_empty());
        if let Some(file) = file.filter(|file| Path::new(file).is_dir()) {
            let message = format!("cannot export to {file}: it is a directory");
            return Err(CliError::usage(
                message,
                format!("{}/keiko.jsonl is a file in it", file.trim_end_matches('/')),
            ));
        }
        if let Some(file) = file.filter(|file| !self.force && fs::symlink_metadata(file).is_ok()) {
            return Err(CliError::usage(
                format!("cannot export to {file}: there is a file of that name"),
                "--force takes its place",
            ));
        }
        let tasks = if is_filtered || format != Format::Jsonl {
            let question = methods::List { all: self.all, ..self.filter.question(&self.tags.tag, context) };
            Some(context.list(question)?)
        } else {
            None
        };
        let mut sink = Sink::open(file, self.force)?;
        let count = match (format, tasks) {
            (Format::Jsonl, None) => lines(context, &mut sink, None)?,
            (Format::Jsonl, Some(list)) => lines(context, &mut sink, Some(&list.tasks))?,
            (Format::Ics | Format::Taskwarrior, list) => {
                let (tasks, now) = list.map_or_else(|| (Vec::new(), None), |list| (list.tasks, Some(list.now)));
                let (text, remarks) = if format == Format::Taskwarrior {
                    taskwarrior::written(&tasks)
                } else {
                    let now = now.map_or(Timestamp::MIN, Time::instant);
                    let written = ical::write::calendar(&tasks, now);
                    (written.text, written.remarks)
                };
                sink.write(context, text.as_bytes())?;
                for remark in remarks {
                    context.ui.warning(&remark);
                }
                tasks.len() as u64
            }
        };
        sink.finish(self.force)?;
        if let Some(file) = file {
            let answer = serde_json::json!({
                "schema_version": crate::protocol::SCHEMA_VERSION, "path": file, "tasks": count,
            });
            context.confirm(&answer, &[], |_| {
                vec![Text::plain(&format!("exported {count} task{} to {file}", if count == 1 { "" } else { "s" }))]
            });
        }
        Ok(Exit::Done)
    }
}

/// Writes lines of JSON, of these tasks or of everything; returns how many tasks are among them.
fn lines(context: &mut Context<'_>, sink: &mut Sink, tasks: Option<&[Task]>) -> Result<u64, CliError> {
    let mut choice = tasks.map(Choice::of);
    let (mut question, mut count, mut written) = (methods::Export::default(), 0, 0_u64);
    let mut progress = None;
    loop {
        let page = context.ask_patiently(&question)?;
        let progress = progress.get_or_insert_with(|| context.ui.bar(page.total, "exporting"));
        let mut text = String::new();
        for line in &page.lines {
            let line = line.get();
            if choice.as_mut().is_some_and(|choice| !choice.takes(line)) {
                continue;
            }
            written += 1;
            count += u64::from(line.starts_with("{\"tasks\""));
            text.push_str(line);
            text.push('\n');
        }
        progress.advance(page.lines.len() as u64);
        if choice.is_some() && page.next.is_none() {
            let _ = writeln!(text, "{{\"end\":{{\"lines\":{}}}}}", written + 1);
        }
        sink.write(context, text.as_bytes())?;
        match page.next {
            Some(next) if !context.ui.is_closed() => question.cursor = Some(next),
            Some(_) | None => break,
        }
    }
    if let Some(choice) = choice {
        choice.left_out.tell(context);
    }
    Ok(count)
}

/// The tasks that wait for others which are not written, each with such a one, by number.
#[derive(Default)]
struct LeftOut {
    pairs: Vec<(u64, u64)>,
    total: usize,
}

impl LeftOut {
    /// How many are named.
    const NAMED_MAX: usize = 20;

    /// Notes for whom a task waits, as its line says it.
    fn note(&mut self, row: &HashMap<&str, &RawValue>, written: &HashSet<String>) {
        let value = |name: &str| row.get(name).and_then(|value| serde_json::from_str::<Value>(value.get()).ok());
        let has_ended = value("present_state").is_some_and(|state| state == "COMPLETED" || state == "CANCELLED");
        let (Some(waits), Some(number), false) =
            (value("waits"), value("number").and_then(|it| it.as_u64()), has_ended)
        else {
            return;
        };
        for parent in waits["parents"].as_array().into_iter().flatten() {
            let is_written = parent["task"].as_str().is_some_and(|task| written.contains(task));
            // What became of the others, it knows.
            let is_awaited = parent["wait"].is_null() && parent["ahead"].is_null();
            if let (Some(parent), true, false) = (parent["number"].as_u64(), is_awaited, is_written) {
                self.total += 1;
                if self.pairs.len() < Self::NAMED_MAX {
                    self.pairs.push((number, parent));
                }
            }
        }
    }

    fn tell(self, context: &mut Context<'_>) {
        for (number, parent) in &self.pairs {
            context.ui.warning(&format!(
                "{number} waits for {parent}, which is not written: where {parent} is not there, {number} takes it as deleted"
            ));
        }
        let more = self.total - self.pairs.len();
        if more > 0 {
            context.ui.warning(&format!("so it is with {more} more"));
        }
    }
}

/// Which lines belong to some of the tasks.
struct Choice {
    tasks: HashSet<String>,
    runs: HashSet<String>,
    left_out: LeftOut,
}

impl Choice {
    fn of(tasks: &[Task]) -> Self {
        let tasks = tasks.iter().map(|task| task.id.clone()).collect();
        Self { tasks, runs: HashSet::new(), left_out: LeftOut::default() }
    }

    /// Returns whether a line is wanted; that of the end is written anew.
    fn takes(&mut self, line: &str) -> bool {
        let Ok(parts) = serde_json::from_str::<HashMap<&str, &RawValue>>(line) else { return false };
        let Some((word, row)) = parts.into_iter().next() else { return false };
        if matches!(word, "keiko_export" | "devices") {
            return true;
        }
        let row: HashMap<&str, &RawValue> = serde_json::from_str(row.get()).unwrap_or_default();
        let field = |name: &str| row.get(name).map(|value| value.get().trim_matches('"').to_owned());
        let is_of = |name: &str| field(name).is_some_and(|task| self.tasks.contains(&task));
        match word {
            "tasks" => {
                let is_wanted = is_of("id");
                if is_wanted {
                    self.left_out.note(&row, &self.tasks);
                }
                is_wanted
            }
            "occurrences" | "waits" | "events" | "deliveries" | "requests" => is_of("task"),
            "runs" => {
                let is_wanted = is_of("task");
                self.runs.extend(field("id").filter(|_| is_wanted));
                is_wanted
            }
            "run_outputs" => field("run").is_some_and(|run| self.runs.contains(&run)),
            // What concerns the whole: settings, operations, and what happened to the device.
            _ => false,
        }
    }
}

/// Where it goes.
enum Sink {
    /// Standard output.
    Out,
    /// A file that has its name only once it is whole.
    File { file: BufWriter<File>, draft: PathBuf, path: PathBuf },
    /// A pipe or a device that is there: it stays what it is, and what is written goes through it.
    Through { file: BufWriter<File>, path: PathBuf },
}

impl Sink {
    fn open(file: Option<&str>, force: bool) -> Result<Self, CliError> {
        let Some(path) = file.map(PathBuf::from) else { return Ok(Self::Out) };
        let unwritable = |source| CliError::file("write", &path, source);
        if force && fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
            let file = File::options().write(true).open(&path).map_err(unwritable)?;
            return Ok(Self::Through { file: BufWriter::new(file), path });
        }
        // A link stays one: what it leads to gets the content.
        let path = if force && path.is_symlink() { fs::canonicalize(&path).map_err(unwritable)? } else { path };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let draft = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
        let _ = fs::remove_file(&draft);
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&draft).map_err(|source| match path.parent().filter(|folder| !folder.exists()) {
            Some(folder) => CliError::usage(
                format!("cannot export to {}: its folder is not there", path.display()),
                format!("mkdir -p {} makes it", folder.display()),
            ),
            None => CliError::file("write", &path, source),
        })?;
        Ok(Self::File { file: BufWriter::new(file), draft, path })
    }

    fn write(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Result<(), CliError> {
        match self {
            Self::Out => context.ui.bytes(bytes),
            Self::File { file, path, .. } | Self::Through { file, path } => {
                file.write_all(bytes).map_err(|source| CliError::file("write", path, source))?;
            }
        }
        Ok(())
    }

    fn finish(mut self, force: bool) -> Result<(), CliError> {
        let (named, path) = match &mut self {
            Self::Out => return Ok(()),
            Self::File { file, draft, path } => {
                let whole = file.flush().and_then(|()| file.get_ref().sync_all());
                (whole.and_then(|()| put_in_place(draft, path, force)), path)
            }
            Self::Through { file, path } => (file.flush(), path),
        };
        named.map_err(|source| CliError::file("write", path, source))
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        if let Self::File { draft, .. } = self {
            // Nothing is there where it has its name.
            let _ = fs::remove_file(draft);
        }
    }
}

fn put_in_place(draft: &Path, path: &Path, force: bool) -> io::Result<()> {
    if !force && path.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(draft, path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileTypeExt as _;

    use super::*;

    /// Exports a line by force, and returns why not.
    fn export(path: &Path) -> Result<(), String> {
        let mut sink = Sink::open(path.to_str(), true).map_err(|error| error.to_string())?;
        match &mut sink {
            Sink::Out => unreachable!("a file is named"),
            Sink::File { file, .. } | Sink::Through { file, .. } => file.write_all(b"all\n").unwrap(),
        }
        sink.finish(true).map_err(|error| error.to_string())
    }

    #[test]
    fn force_leaves_a_pipe_a_pipe_and_a_link_a_link() {
        let root = tempfile::tempdir().unwrap();
        let (pipe, link, real) = (root.path().join("pipe"), root.path().join("link"), root.path().join("real"));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).unwrap()
        });
        export(&pipe).unwrap();
        assert_eq!(reader.join().unwrap(), "all\n");
        assert!(pipe.symlink_metadata().unwrap().file_type().is_fifo());

        fs::write(&real, "before").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        export(&link).unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "all\n");
        assert!(link.is_symlink());

        fs::remove_file(&real).unwrap();
        assert!(export(&link).unwrap_err().starts_with("cannot write "));
        assert!(link.is_symlink());
    }

    #[test]
    fn a_file_of_the_person_s_beside_it_stays() {
        let root = tempfile::tempdir().unwrap();
        let (path, beside) = (root.path().join("all.jsonl"), root.path().join("all.jsonl.part"));
        fs::write(&beside, "theirs").unwrap();
        export(&path).unwrap();
        assert_eq!(fs::read_to_string(&beside).unwrap(), "theirs");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 2);
    }
}
