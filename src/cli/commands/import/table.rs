//! What does a crontab say? Its lines as crontab(5) reads them: schedules, variables, `%`, comments.
//!
//! Reads text only, and decides nothing about what becomes of it.

use std::collections::BTreeMap;

/// Where cron looks for programs, unless the table says otherwise.
const PATH_DEFAULT: &str = "/usr/bin:/bin";

/// What cron runs lines with, unless the table says otherwise.
pub(super) const SHELL_DEFAULT: &str = "/bin/sh";

/// The longest comment that makes a title, in characters; a longer one is a note.
const TITLE_CHARS_MAX: usize = 72;

/// The names in place of five fields.
const NAMED: [(&str, &str); 7] = [
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
    ("@monthly", "0 0 1 * *"),
    ("@weekly", "0 0 * * 0"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@hourly", "0 * * * *"),
];

/// Whose table it is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Owner<'a> {
    /// One person's: behind the schedule stands the command.
    Person,
    /// The system's: behind the schedule stands for whom it is run, and this is the person.
    System(&'a str),
}

/// What a table has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Table {
    /// What can be taken over.
    pub(super) jobs: Vec<Job>,
    /// What cannot, with the numbers of the lines.
    pub(super) faults: Vec<(usize, Fault)>,
}

/// A line that is run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Job {
    /// The number of the line, from 1.
    pub(super) line: usize,
    /// The five fields.
    pub(super) schedule: String,
    /// The zone that they are read in, where the table names one.
    pub(super) zone: Option<String>,
    /// What the shell is given.
    pub(super) command: String,
    /// What the command reads.
    pub(super) input: Option<String>,
    /// The variables that hold for it.
    pub(super) environment: BTreeMap<String, String>,
    /// What a single comment above it says.
    pub(super) title: Option<String>,
    /// What several comments above it say.
    pub(super) note: Option<String>,
    /// How many lines above it are the same.
    pub(super) copy: usize,
    /// The line, for telling whether it was taken over before.
    pub(super) text: String,
}

/// Why a line cannot be taken over.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum Fault {
    /// It is run when the machine starts.
    #[error("@reboot cannot be kept: Keiko knows times, not starts of the machine; a systemd user unit does that")]
    Reboot,
    /// The name is none of cron's.
    #[error("cannot read {name:?}: expected @hourly, @daily, @weekly, @monthly, @yearly or five fields")]
    Name {
        /// The name.
        name: String,
    },
    /// The schedule or the command is missing.
    #[error("cannot read {text:?}: expected five fields of a schedule{}, and a command", if *.is_system { ", a user" } else { "" })]
    Short {
        /// The line.
        text: String,
        /// Whether a user is to stand before the command.
        is_system: bool,
    },
    /// It holds bytes of another encoding.
    #[error("cannot read {text:?}: it holds bytes that are no UTF-8; iconv writes the file anew")]
    Bytes {
        /// The line.
        text: String,
    },
    /// It is run for somebody else.
    #[error("it is run as {user}: only lines of {person} can be taken over, since Keiko runs commands as you")]
    Other {
        /// Who.
        user: String,
        /// Who is asking.
        person: String,
    },
}

impl Job {
    /// Returns the shell that it is given to.
    pub(super) fn shell(&self) -> &str {
        self.environment.get("SHELL").map_or(SHELL_DEFAULT, String::as_str)
    }

    /// Returns whether one of the days has steps from `*`: many crons want both days to fit then, and Keiko either.
    pub(super) fn has_stepped_day(&self) -> bool {
        let [day, weekday] = self.days();
        let is_stepped = |field: &str| field.starts_with("*/");
        is_stepped(day) && weekday != "*" || is_stepped(weekday) && day != "*"
    }

    fn days(&self) -> [&str; 2] {
        let mut fields = self.schedule.split(' ');
        [fields.nth(2).unwrap_or("*"), fields.nth(1).unwrap_or("*")]
    }
}

/// Reads a table; `home` is the person's.
pub(super) fn read(text: &str, owner: Owner<'_>, home: &str) -> Table {
    let mut table = Table::default();
    let defaults = [("HOME", home), ("PATH", PATH_DEFAULT), ("SHELL", SHELL_DEFAULT)];
    let mut environment: BTreeMap<String, String> =
        defaults.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let mut comments: Vec<&str> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(comment) = line.strip_prefix('#') {
            comments.push(comment.trim());
            continue;
        }
        let above = std::mem::take(&mut comments);
        if line.is_empty() {
            continue;
        }
        if line.contains(char::REPLACEMENT_CHARACTER) {
            table.faults.push((index + 1, Fault::Bytes { text: line.to_owned() }));
            continue;
        }
        if let Some((name, value)) = assignment(line) {
            environment.insert(name, value);
            continue;
        }
        match job(line, owner) {
            Ok(read) => {
                let (title, note) = told(&above);
                let copy = table.jobs.iter().filter(|job| job.text == line).count();
                let zone = environment.get("CRON_TZ").filter(|zone| !zone.is_empty()).cloned();
                let (environment, text) = (environment.clone(), line.to_owned());
                table.jobs.push(Job { line: index + 1, zone, environment, title, note, copy, text, ..read });
            }
            Err(fault) => table.faults.push((index + 1, fault)),
        }
    }
    table
}

/// Returns the variable that a line sets, `None` where it is no such line.
fn assignment(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once('=')?;
    let name = unquoted(name.trim());
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| (name.to_owned(), unquoted(value.trim()).to_owned()))
}

fn unquoted(text: &str) -> &str {
    let within = |quote: char| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    within('"').or_else(|| within('\'')).unwrap_or(text)
}

/// Reads a line that is run; what stands around it is added later.
fn job(line: &str, owner: Owner<'_>) -> Result<Job, Fault> {
    let is_system = matches!(owner, Owner::System(_));
    let short = || Fault::Short { text: line.to_owned(), is_system };
    let (schedule, rest) = if line.starts_with('@') {
        let (name, rest) = word(line).unwrap_or((line, ""));
        if name == "@reboot" {
            return Err(Fault::Reboot);
        }
        let known = NAMED.iter().find(|(known, _)| *known == name.to_ascii_lowercase());
        let (_, schedule) = known.ok_or_else(|| Fault::Name { name: name.to_owned() })?;
        ((*schedule).to_owned(), rest)
    } else {
        // Some crons leave what begins with - out of their log.
        let mut rest = line.strip_prefix('-').unwrap_or(line);
        let mut fields = Vec::with_capacity(5);
        for _ in 0..5 {
            let (field, behind) = word(rest).ok_or_else(short)?;
            fields.push(field);
            rest = behind;
        }
        (fields.join(" "), rest)
    };
    let rest = match owner {
        Owner::Person => rest,
        Owner::System(person) => {
            let (user, rest) = word(rest).ok_or_else(short)?;
            if user != person {
                return Err(Fault::Other { user: user.to_owned(), person: person.to_owned() });
            }
            rest
        }
    };
    let (command, input) = parted(rest.trim());
    if command.trim().is_empty() {
        return Err(short());
    }
    Ok(Job {
        line: 0,
        schedule,
        zone: None,
        command: command.trim().to_owned(),
        input,
        environment: BTreeMap::new(),
        title: None,
        note: None,
        copy: 0,
        text: String::new(),
    })
}

/// Returns the first word and what stands behind it; `None` where nothing does.
fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let (word, rest) = text.split_once(char::is_whitespace)?;
    Some((word, rest.trim_start()))
}

/// Parts a command from what it reads: behind the first `%` stand the lines of its input, each ended by a `%`; `\%` is a mere
/// percent sign.
fn parted(text: &str) -> (String, Option<String>) {
    let mut command = String::new();
    let mut input: Option<String> = None;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, &mut input) {
            ('\\', into) if letters.peek() == Some(&'%') => {
                letters.next();
                into.as_mut().unwrap_or(&mut command).push('%');
            }
            ('%', None) => input = Some(String::new()),
            ('%', Some(input)) => input.push('\n'),
            (letter, Some(input)) => input.push(letter),
            (letter, None) => command.push(letter),
        }
    }
    (command, input)
}

/// Returns what comments above a line make: a title where one short line is left, else a note.
fn told(above: &[&str]) -> (Option<String>, Option<String>) {
    // What editors put at the top, and lines that were taken out of use, say nothing of the line below.
    let behind_heading = above.iter().rposition(|line| line.contains("dom") && line.contains("dow"));
    let above = &above[behind_heading.map_or(0, |heading| heading + 1)..];
    let is_kept = |line: &&&str| !line.is_empty() && job(line, Owner::Person).is_err() && assignment(line).is_none();
    let kept: Vec<&str> = above.iter().filter(is_kept).copied().collect();
    match kept.as_slice() {
        [] => (None, None),
        [only] if only.chars().count() <= TITLE_CHARS_MAX => (Some((*only).to_owned()), None),
        several => (None, Some(several.join("\n"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs(text: &str) -> Vec<Job> {
        let table = read(text, Owner::Person, "/home/me");
        assert_eq!(table.faults, []);
        table.jobs
    }

    #[track_caller]
    fn check(line: &str, schedule: &str, command: &str, input: Option<&str>) {
        let jobs = jobs(line);
        let found: Vec<_> =
            jobs.iter().map(|job| (job.schedule.as_str(), job.command.as_str(), job.input.as_deref())).collect();
        assert_eq!(found, [(schedule, command, input)]);
    }

    #[test]
    fn a_line_is_five_fields_and_a_command() {
        check("0 3 * * *  tar czf a.tgz .", "0 3 * * *", "tar czf a.tgz .", None);
        check("\t*/5\t*\t*\t*\tmon-fri\tcheck  --twice", "*/5 * * * mon-fri", "check  --twice", None);
        check("-0 3 * * * quiet", "0 3 * * *", "quiet", None);
        check("0 3 * * * A=b printenv A", "0 3 * * *", "A=b printenv A", None);
    }

    #[test]
    fn names_stand_for_schedules() {
        check("@daily run", "0 0 * * *", "run", None);
        check("@Weekly run it", "0 0 * * 0", "run it", None);
        check("@hourly run", "0 * * * *", "run", None);
        check("@annually run", "0 0 1 1 *", "run", None);
        check("@monthly run", "0 0 1 * *", "run", None);
    }

    #[test]
    fn behind_a_percent_sign_stands_what_is_read() {
        check("0 3 * * * mail -s hi joe%Hello,%%Joe%", "0 3 * * *", "mail -s hi joe", Some("Hello,\n\nJoe\n"));
        check(r"0 3 * * * date +\%F > x", "0 3 * * *", "date +%F > x", None);
        check(r"0 3 * * * cat%5\% off", "0 3 * * *", "cat", Some("5% off"));
        check("0 3 * * * cat %", "0 3 * * *", "cat", Some(""));
    }

    #[test]
    fn variables_hold_from_their_line_on() {
        let jobs = jobs(
            "0 1 * * * a\nPATH=/opt/bin:/bin\nMAILTO = \"me@example.org\"\nCRON_TZ='Asia/Tokyo'\n0 2 * * * b\nSHELL=/bin/bash\n0 3 * * * c",
        );
        let of = |index: usize, name: &str| jobs[index].environment.get(name).map(String::as_str);
        assert_eq!((of(0, "PATH"), of(0, "HOME"), of(0, "MAILTO")), (Some("/usr/bin:/bin"), Some("/home/me"), None));
        assert_eq!((of(1, "PATH"), of(1, "MAILTO")), (Some("/opt/bin:/bin"), Some("me@example.org")));
        assert_eq!((jobs[0].zone.as_deref(), jobs[1].zone.as_deref()), (None, Some("Asia/Tokyo")));
        assert_eq!((jobs[1].shell(), jobs[2].shell()), ("/bin/sh", "/bin/bash"));
    }

    #[test]
    fn what_cannot_be_taken_over_is_named_with_its_line_and_stops_nothing() {
        let table = read("@reboot start\n0 3 * *\n@noon x\n0 3 * * * fine\n0 3 * * *", Owner::Person, "/");
        assert_eq!(table.jobs.len(), 1);
        let told: Vec<String> = table.faults.iter().map(|(line, fault)| format!("{line}: {fault}")).collect();
        assert_eq!(
            told,
            [
                "1: @reboot cannot be kept: Keiko knows times, not starts of the machine; a systemd user unit does that",
                "2: cannot read \"0 3 * *\": expected five fields of a schedule, and a command",
                "3: cannot read \"@noon\": expected @hourly, @daily, @weekly, @monthly, @yearly or five fields",
                "5: cannot read \"0 3 * * *\": expected five fields of a schedule, and a command",
            ]
        );
    }

    #[test]
    fn of_the_systems_table_only_the_persons_own_lines_are_taken() {
        let table = read("17 * * * * root run-parts\n0 3 * * * me backup now\n0 3 * * * me", Owner::System("me"), "/");
        assert_eq!(table.jobs.iter().map(|job| job.command.as_str()).collect::<Vec<_>>(), ["backup now"]);
        let told: Vec<String> = table.faults.iter().map(|(line, fault)| format!("{line}: {fault}")).collect();
        assert_eq!(
            told,
            [
                "1: it is run as root: only lines of me can be taken over, since Keiko runs commands as you",
                "3: cannot read \"0 3 * * * me\": expected five fields of a schedule, a user, and a command",
            ]
        );
    }

    #[test]
    fn one_comment_is_a_title_and_several_are_a_note() {
        let jobs = jobs(
            "# Edit this file to introduce tasks to be run by cron.\n#\n# m h  dom mon dow   command\n# nightly backup\n\
             0 3 * * * a\n\n# far above\n\n0 4 * * * b\n# two\n# lines\n0 5 * * * c\n#0 6 * * * old\n0 6 * * * d",
        );
        let told: Vec<_> = jobs.iter().map(|job| (job.title.as_deref(), job.note.as_deref())).collect();
        assert_eq!(told, [(Some("nightly backup"), None), (None, None), (None, Some("two\nlines")), (None, None)]);
    }

    #[test]
    fn a_day_with_steps_beside_another_is_known() {
        assert!(jobs("0 3 */2 * fri x")[0].has_stepped_day());
        assert!(!jobs("0 3 */2 * * x")[0].has_stepped_day());
        assert!(!jobs("0 3 13 * fri x")[0].has_stepped_day());
    }
}
