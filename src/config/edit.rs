//! How does a target get into the configuration file, and out of it again? Comments and order stay as they are.
//!
//! The only file that writes the configuration. Never writes one that could not be read, never half of one, and never puts a
//! secret anywhere but where it is told to.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value};

use crate::config::Config;
use crate::config::file::ConfigError;
use crate::config::private_dir::{self, PrivateDirError};
use crate::config::whole;
use crate::domain::delivery::{ChannelKind, Target};
use crate::domain::secret::Secret;
use crate::files;

mod lines;
mod setting;

/// The folder beside the configuration in which secrets are kept, each in a file of its own.
pub const SECRETS: &str = "secrets";

/// How long somebody else may take to change the file: a daemon that hangs is given up before that.
const TURN_WAIT: Duration = Duration::from_mins(2);

/// The lists at the top that name targets.
const LISTS: [&str; 3] = ["channels", "fallback", "always"];

/// What is put behind a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// A text.
    Text(String),
    /// Several.
    Words(Vec<String>),
    /// True or false.
    Truth(bool),
    /// A whole number.
    Number(u32),
    /// A text that is not shown.
    Secret(Secret),
}

/// Why the file cannot be changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// It is wrong as it is, or would be.
    #[error(transparent)]
    Config {
        /// What is wrong, with its place.
        #[from]
        source: ConfigError,
    },
    /// What was given for a target cannot be used.
    #[error("cannot add {target}: {}", told(values))]
    Unusable {
        /// The target.
        target: Target,
        /// Each key, with what would have been accepted; at least one.
        values: Vec<(String, &'static str)>,
    },
    /// It holds what the reader takes and the writer does not.
    #[error("cannot change the configuration {}: {reason}", path.display())]
    Unclear {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// It has that target already.
    #[error("cannot add {target}: {} has it already", path.display())]
    Taken {
        /// The target.
        target: Target,
        /// The file.
        path: PathBuf,
    },
    /// It does not have that target.
    #[error("cannot remove {target}: {} has no such target", path.display())]
    Missing {
        /// The target.
        target: Target,
        /// The file.
        path: PathBuf,
    },
    /// A key does not take what is to stand there.
    #[error("cannot set {key} to {value}: expected {expected}")]
    NotTaken {
        /// The key in full.
        key: String,
        /// What was to stand there, where that may be shown.
        value: String,
        /// What would have been accepted.
        expected: &'static str,
    },
    /// A key is to be set in a table that nobody made.
    #[error("cannot set {key}: {} has no table {table}", path.display())]
    NoTable {
        /// The key in full.
        key: String,
        /// The table.
        table: String,
        /// The file.
        path: PathBuf,
    },
    /// A key is to say nothing, and says nothing.
    #[error("cannot unset {key}: {} does not set it", path.display())]
    NotSet {
        /// The key in full.
        key: String,
        /// The file.
        path: PathBuf,
    },
    /// The daemon would refuse it.
    #[error("cannot use the configuration: {reason}")]
    Refused {
        /// Why, with the places.
        reason: String,
    },
    /// Somebody else changed it meanwhile.
    #[error("cannot write {}: it was changed meanwhile", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Somebody else changes it, and does not come to an end.
    #[error("cannot write {}: another keiko has been changing it for {} s", path.display(), TURN_WAIT.as_secs())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The folder for secrets cannot be used.
    #[error(transparent)]
    Secrets {
        /// Why.
        #[from]
        source: PrivateDirError,
    },
}

/// The configuration file as it was found.
#[derive(Debug)]
pub struct ConfigFile {
    path: PathBuf,
    /// What it said; `None` where there was none.
    text: Option<String>,
    document: DocumentMut,
    config: Config,
}

/// The right to change a configuration file: whoever wants it next waits until it is dropped.
///
/// It is the system's lock of the folder that the file is in, which leaves nothing behind, however a process ends. Only those
/// who take it heed it: what an editor changes is found by [`ConfigFile::write`].
#[derive(Debug)]
pub struct Turn {
    /// Never read: it is the open folder that holds the lock.
    _folder: Option<fs::File>,
}

impl Turn {
    /// Takes it for the file at `path`, after whoever has it. They ask nobody but the daemon meanwhile, so that is soon.
    ///
    /// # Errors
    /// The folder cannot be made or opened, or somebody keeps it.
    pub fn take(path: &Path) -> Result<Self, EditError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let unwritable = |source| EditError::Unwritable { path: path.to_owned(), source };
        fs::create_dir_all(folder).map_err(unwritable)?;
        let folder = fs::File::open(folder).map_err(unwritable)?;
        let (locked, waiting) = mpsc::channel();
        // A thread, since the system's lock knows no time limit. One that comes too late is let go at once.
        std::thread::spawn(move || locked.send(folder.lock().map(|()| folder)));
        match waiting.recv_timeout(TURN_WAIT).map_err(|_| EditError::Busy { path: path.to_owned() })? {
            Ok(folder) => Ok(Self { _folder: Some(folder) }),
            // Some systems and some file systems lock no folder: then it is as if nobody else were there.
            Err(error) if cfg!(not(unix)) || error.kind() == io::ErrorKind::Unsupported => Ok(Self { _folder: None }),
            Err(source) => Err(unwritable(source)),
        }
    }
}

/// What is left when a target is taken out.
#[derive(Debug)]
pub struct Removal {
    /// The new text.
    pub text: String,
    /// The files in the folder for secrets that only that target named.
    pub secrets: Vec<PathBuf>,
}

impl ConfigFile {
    /// Reads the file; there need not be one.
    ///
    /// # Errors
    /// It cannot be read, or is wrong.
    pub fn read(path: &Path) -> Result<Self, EditError> {
        let (config, _) = Config::parse(path, whole::read(path)?.as_deref().unwrap_or_default())?;
        Ok(Self { config, ..Self::read_to_mend(path)? })
    }

    /// Reads the file, which may say what cannot be used; [`ConfigFile::config`] is then that of a file that says nothing.
    ///
    /// # Errors
    /// It cannot be read, or is no TOML.
    pub fn read_to_mend(path: &Path) -> Result<Self, EditError> {
        let text = whole::read(path)?;
        let plain = text.as_deref().unwrap_or_default();
        let parsed = Config::parse(path, plain);
        let document = match plain.strip_prefix('\u{feff}').unwrap_or(plain).parse::<DocumentMut>() {
            Ok(document) => document,
            Err(error) => {
                // That says where.
                if let Err(source @ ConfigError::Syntax { .. }) = parsed {
                    return Err(source.into());
                }
                let reason = error.message().trim().replace('\n', ", ");
                return Err(EditError::Unclear { path: path.to_owned(), reason });
            }
        };
        let config = parsed.map_or_else(|_| Config::default(), |(config, _)| config);
        Ok(Self { path: path.to_owned(), text, document, config })
    }

    /// Reads the file, whatever it says, for whoever writes all of it anew.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read_as_text(path: &Path) -> Result<Self, EditError> {
        let text = whole::read(path)?;
        Ok(Self { path: path.to_owned(), text, document: DocumentMut::new(), config: Config::default() })
    }

    /// Returns its text as it was found; `None` where there was no file.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Returns what it says.
    #[must_use]
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the text with a target added to it.
    ///
    /// # Errors
    /// It is there already, or its values cannot be used.
    pub fn with(&self, target: &Target, entries: &[(String, Entry)]) -> Result<String, EditError> {
        if self.config.named_targets().contains(target) {
            return Err(EditError::Taken { target: target.clone(), path: self.path.clone() });
        }
        let mut table = Table::new();
        for (key, entry) in entries {
            table.insert(key, Item::Value(value(entry)));
        }
        let mut document = self.document.clone();
        let tables = document.entry(section(target.kind)).or_insert_with(|| {
            let mut tables = Table::new();
            // Only the tables in it are written.
            tables.set_implicit(true);
            Item::Table(tables)
        });
        match tables {
            Item::Table(tables) => {
                tables.insert(&target.address, Item::Table(table));
            }
            Item::Value(Value::InlineTable(tables)) => {
                tables.insert(&target.address, Value::InlineTable(inline(table)));
            }
            Item::None | Item::Value(_) | Item::ArrayOfTables(_) => {
                let reason = format!("{} is no table", section(target.kind));
                return Err(EditError::Unclear { path: self.path.clone(), reason });
            }
        }
        self.checked(self.as_it_was(&document)).map_err(|error| match error {
            // It stands in no file yet, so it has no place.
            EditError::Config { source: ConfigError::BadValues { values, .. } } => EditError::Unusable {
                target: target.clone(),
                values: values.into_iter().map(|bad| (bad.key, bad.expected)).collect(),
            },
            error => error,
        })
    }

    /// Returns where the configuration names a target: the keys in full.
    #[must_use]
    pub fn mentions(&self, target: &Target) -> Vec<String> {
        let routing = &self.config.routing;
        let at_top = [("channels", &routing.channels), ("fallback", &routing.fallback), ("always", &routing.always)];
        let at_top = at_top.into_iter().filter(|(_, list)| list.contains(target)).map(|(key, _)| key.to_owned());
        let rules = routing.rules.iter().enumerate().filter(|(_, rule)| rule.channels.contains(target));
        at_top.chain(rules.map(|(index, _)| format!("rules[{index}]"))).collect()
    }

    /// Returns the text without a target, and without what names it: a rule that would be left with no channel goes too.
    ///
    /// # Errors
    /// It is not there, or the file cannot be understood.
    pub fn without(&self, target: &Target) -> Result<Removal, EditError> {
        let missing = || EditError::Missing { target: target.clone(), path: self.path.clone() };
        let mut document = self.document.clone();
        let tables = document.get_mut(section(target.kind)).and_then(Item::as_table_like_mut).ok_or_else(missing)?;
        let removed = tables.remove(&target.address).ok_or_else(missing)?;
        if tables.is_empty() {
            document.remove(section(target.kind));
        }
        for list in LISTS {
            if let Some(array) = document.get_mut(list).and_then(Item::as_array_mut) {
                forget(array, target);
            }
        }
        forget_in_rules(&mut document, target);
        let text = self.checked(self.as_it_was(&document))?;
        Ok(Removal { text, secrets: self.own_secrets(target, &removed) })
    }

    /// Returns the files of a table that `channel add` made: those in the folder for secrets that bear the target's name.
    fn own_secrets(&self, target: &Target, table: &Item) -> Vec<PathBuf> {
        let folder = self.secrets();
        let values = table.as_table_like().into_iter().flat_map(|table| table.iter());
        let files = values.filter(|(key, _)| key.ends_with("_file")).filter_map(|(_, value)| value.as_str());
        let paths = files.map(|file| self.beside().join(file));
        let is_own = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            path.parent() == Some(folder.as_path()) && name.starts_with(&format!("{}.", secret_name(target)))
        };
        paths.filter(is_own).collect()
    }

    /// Writes another text in its place, at once or not at all, unless somebody else has changed it since it was read.
    ///
    /// A link is followed, and who may read the file stays as it is.
    ///
    /// # Errors
    /// It was changed meanwhile, or cannot be written.
    pub fn write(&self, text: &str) -> Result<(), EditError> {
        if whole::read(&self.path)? != self.text {
            return Err(EditError::Changed { path: self.path.clone() });
        }
        self.replace(text)
    }

    /// Puts back what it said when it was read.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn restore(&self) -> Result<(), EditError> {
        match &self.text {
            Some(text) => self.replace(text),
            None => {
                fs::remove_file(&self.path).map_err(|source| EditError::Unwritable { path: self.path.clone(), source })
            }
        }
    }

    fn replace(&self, text: &str) -> Result<(), EditError> {
        let unwritable = |source| EditError::Unwritable { path: self.path.clone(), source };
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(unwritable)?;
        }
        let real = match fs::canonicalize(&self.path) {
            Ok(real) => real,
            // What stood there may come back, and would then be read no more.
            Err(_) if self.path.is_symlink() => {
                let reason = "it is a link to a file that is not there".to_owned();
                return Err(EditError::Unclear { path: self.path.clone(), reason });
            }
            Err(_) => self.path.clone(),
        };
        files::replace(&real, text.as_bytes()).map_err(unwritable)
    }

    /// Lets nobody but the person read it, before a secret stands there. Returns whether somebody else could.
    ///
    /// # Errors
    /// Who may read it cannot be changed.
    #[cfg(unix)]
    pub fn make_private(&self) -> Result<bool, EditError> {
        use std::os::unix::fs::PermissionsExt as _;
        let Ok(found) = fs::metadata(&self.path) else { return Ok(false) };
        // A device is not the person's to close.
        if !found.is_file() {
            return Ok(false);
        }
        let mode = found.permissions().mode();
        // Nothing for the group, nothing for others.
        if mode % 0o100 == 0 {
            return Ok(false);
        }
        let private = fs::Permissions::from_mode(mode & 0o700);
        fs::set_permissions(&self.path, private)
            .map_err(|source| EditError::Unwritable { path: self.path.clone(), source })?;
        Ok(true)
    }

    /// As on Unix, where the system has no such rights: nobody could.
    ///
    /// # Errors
    /// None.
    #[cfg(not(unix))]
    pub fn make_private(&self) -> Result<bool, EditError> {
        Ok(false)
    }

    /// Returns the folder in which secrets are kept.
    #[must_use]
    pub fn secrets(&self) -> PathBuf {
        self.beside().join(SECRETS)
    }

    /// Keeps a secret in a file that nobody else can read; returns its path as the configuration is to name it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep(&self, target: &Target, key: &str, secret: &Secret) -> Result<(String, PathBuf), EditError> {
        let folder = self.secrets();
        let unwritable = |path: &Path, source| EditError::Unwritable { path: path.to_owned(), source };
        fs::create_dir_all(self.beside()).map_err(|source| unwritable(&self.beside(), source))?;
        private_dir::create(&folder, private_dir::user())?;
        let name = format!("{}.{key}", secret_name(target));
        let path = folder.join(&name);
        // One that is left there from before is nobody's: the configuration does not have the target.
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => return Err(unwritable(&path, source)),
            Ok(()) | Err(_) => {}
        }
        let text = format!("{}\n", secret.reveal());
        files::replace(&path, text.as_bytes()).map_err(|source| unwritable(&path, source))?;
        Ok((format!("{SECRETS}/{name}"), path))
    }

    /// Returns the folder from which relative paths are meant.
    fn beside(&self) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).to_owned()
    }

    /// Returns a changed document with the line ends and the mark that the file had.
    fn as_it_was(&self, document: &DocumentMut) -> String {
        lines::as_it_was(self.text.as_deref().unwrap_or_default(), document.to_string())
    }

    /// Returns a text that can be read and means something.
    fn checked(&self, text: String) -> Result<String, EditError> {
        Config::parse(&self.path, &text)?;
        Ok(text)
    }
}

/// Returns the table that holds those of a kind.
#[must_use]
pub const fn section(kind: ChannelKind) -> &'static str {
    match kind {
        ChannelKind::Webhook => "webhooks",
        ChannelKind::Desktop
        | ChannelKind::Terminal
        | ChannelKind::Telegram
        | ChannelKind::Feishu
        | ChannelKind::Wecom
        | ChannelKind::Ntfy
        | ChannelKind::Mail
        | ChannelKind::Exec => kind.as_str(),
    }
}

fn told(values: &[(String, &'static str)]) -> String {
    let each = |(key, expected): &(String, &str)| format!("{key}: expected {expected}");
    values.iter().map(each).collect::<Vec<_>>().join("; ")
}

fn secret_name(target: &Target) -> String {
    format!("{}-{}", target.kind, target.address)
}

fn value(entry: &Entry) -> Value {
    match entry {
        Entry::Text(text) => text.as_str().into(),
        Entry::Secret(secret) => secret.reveal().into(),
        Entry::Words(words) => Value::Array(words.iter().map(String::as_str).collect()),
        Entry::Truth(truth) => (*truth).into(),
        Entry::Number(number) => i64::from(*number).into(),
    }
}

fn inline(table: Table) -> InlineTable {
    table.into_inline_table()
}

fn forget(array: &mut Array, target: &Target) {
    array.retain(|value| value.as_str().and_then(Target::parse).as_ref() != Some(target));
}

fn forget_in_rules(document: &mut DocumentMut, target: &Target) {
    // A list that had nothing to begin with is none of ours.
    let is_left = |channels: Option<&mut Array>| {
        channels.is_none_or(|channels| {
            forget(channels, target);
            !channels.is_empty()
        })
    };
    match document.get_mut("rules") {
        Some(Item::ArrayOfTables(rules)) => {
            let gone: Vec<usize> = rules
                .iter_mut()
                .enumerate()
                .filter_map(|(index, rule)| {
                    let channels = rule.get_mut("channels").and_then(Item::as_array_mut);
                    (!is_left(channels)).then_some(index)
                })
                .collect();
            for index in gone.into_iter().rev() {
                rules.remove(index);
            }
        }
        Some(Item::Value(Value::Array(rules))) => {
            let mut gone = Vec::new();
            for (index, rule) in rules.iter_mut().enumerate() {
                let table = rule.as_inline_table_mut();
                let channels = table.and_then(|rule| rule.get_mut("channels")).and_then(Value::as_array_mut);
                if !is_left(channels) {
                    gone.push(index);
                }
            }
            for index in gone.into_iter().rev() {
                rules.remove(index);
            }
        }
        Some(Item::None | Item::Value(_) | Item::Table(_)) | None => {}
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const BEFORE: &str = "# mine\nsnooze_default = \"5m\"  # short\n\n[ntfy.old]  # keep\nurl_file = 'topic'\n\n[log]\nlevel = \"debug\"\n";

    fn target(text: &str) -> Target {
        Target::parse(text).expect("a target of the test's own")
    }

    fn entries() -> Vec<(String, Entry)> {
        vec![
            ("token_file".to_owned(), Entry::Text("secrets/telegram-phone.token".to_owned())),
            ("chat".to_owned(), Entry::Text("123".to_owned())),
        ]
    }

    fn file(text: &str) -> (tempfile::TempDir, ConfigFile) {
        let directory = tempfile::tempdir().expect("a directory of the test's own");
        let path = directory.path().join("config.toml");
        fs::write(&path, text).expect("it is ours");
        let file = ConfigFile::read(&path).expect("a good file");
        (directory, file)
    }

    #[test]
    fn a_target_is_added_and_all_else_stays_as_it_was() {
        let (_directory, file) = file(BEFORE);
        let added = file.with(&target("telegram:phone"), &entries()).unwrap();
        let expected =
            format!("{BEFORE}\n[telegram.phone]\ntoken_file = \"secrets/telegram-phone.token\"\nchat = \"123\"\n");
        assert_eq!(added, expected);
        file.write(&added).unwrap();
        let again = ConfigFile::read(&file.path).unwrap();
        assert_eq!(again.without(&target("telegram:phone")).unwrap().text, BEFORE);
    }

    #[test]
    fn those_who_add_at_the_same_time_take_turns_and_none_is_lost() {
        let (_directory, file) = file(BEFORE);
        std::thread::scope(|scope| {
            for name in 0..8 {
                let path = file.path.clone();
                scope.spawn(move || {
                    let _turn = Turn::take(&path).unwrap();
                    let file = ConfigFile::read(&path).unwrap();
                    let added = file.with(&target(&format!("telegram:phone{name}")), &entries()).unwrap();
                    file.write(&added).unwrap();
                });
            }
        });
        assert_eq!(ConfigFile::read(&file.path).unwrap().config().named_targets().len(), 1 + 8);
    }

    #[test]
    fn one_beside_others_of_its_kind_comes_behind_them() {
        let (_directory, file) = file(BEFORE);
        let entries = [("url_command".to_owned(), Entry::Words(vec!["pass".into(), "ntfy".into()]))];
        let added = file.with(&target("ntfy:phone"), &entries).unwrap();
        assert!(
            added.contains(
                "[ntfy.old]  # keep\nurl_file = 'topic'\n\n[ntfy.phone]\nurl_command = [\"pass\", \"ntfy\"]\n"
            ),
            "{added}"
        );
        assert!(added.ends_with("[log]\nlevel = \"debug\"\n"), "{added}");
    }

    #[test]
    fn what_is_there_already_or_cannot_be_used_is_refused() {
        let (_directory, file) = file(BEFORE);
        let refused = file.with(&target("ntfy:old"), &[]).unwrap_err().to_string();
        assert!(refused.starts_with("cannot add ntfy:old: ") && refused.ends_with("has it already"), "{refused}");
        let refused = file.with(&target("mail:me"), &entries()).unwrap_err().to_string();
        assert!(refused.starts_with("cannot add mail:me: mail.me.host: expected it to be there"), "{refused}");
        let refused = file.without(&target("mail:me")).unwrap_err().to_string();
        assert!(refused.starts_with("cannot remove mail:me: "), "{refused}");
    }

    #[test]
    fn what_is_no_toml_is_refused_with_its_place() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        fs::write(&path, "grace_s = 30\n[log\n").unwrap();
        let error = ConfigFile::read_to_mend(&path).unwrap_err();
        assert!(matches!(error, EditError::Config { source: ConfigError::Syntax { .. } }), "{error:?}");
        assert!(error.to_string().contains(&format!("{}:2:", path.display())), "{error}");
    }

    #[test]
    fn with_a_target_goes_what_names_it() {
        let text = "channels = [\"ntfy:a\", \"desktop\"]\nfallback = ['ntfy:a']\n\n[ntfy.a]\nurl_file = \"secrets/ntfy-a.url\"\n\n\
                    [[rules]]\ntags = [\"med\"]\nchannels = [\"ntfy:a\"]\n\n[[rules]]\npriority = \"high\"\nchannels = [\"ntfy:a\", \"desktop\"]\n";
        let (directory, file) = file(text);
        assert_eq!(file.mentions(&target("ntfy:a")), ["channels", "fallback", "rules[0]", "rules[1]"]);
        let removal = file.without(&target("ntfy:a")).unwrap();
        let expected =
            "channels = [ \"desktop\"]\nfallback = []\n\n[[rules]]\npriority = \"high\"\nchannels = [ \"desktop\"]\n";
        assert_eq!(removal.text, expected);
        assert_eq!(removal.secrets, [directory.path().join("secrets/ntfy-a.url")]);
    }

    #[test]
    fn who_may_read_it_stays_a_link_is_followed_and_another_s_change_is_not_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let (real, path) = (directory.path().join("dotfiles.toml"), directory.path().join("config.toml"));
        fs::write(&real, BEFORE).unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&real, &path).unwrap();
        let file = ConfigFile::read(&path).unwrap();
        file.write("# other\n").unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "# other\n");
        assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert!(path.symlink_metadata().unwrap().is_symlink());
        assert!(matches!(file.write("# third\n"), Err(EditError::Changed { .. })));
        file.restore().unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), BEFORE);
        let left: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "{left:?}");
    }

    #[test]
    fn a_secret_is_kept_where_nobody_else_can_read_it() {
        let (directory, file) = file("");
        let (name, path) = file.keep(&target("telegram:phone"), "token", &Secret::new("hunter2".to_owned())).unwrap();
        assert_eq!(name, "secrets/telegram-phone.token");
        assert_eq!(fs::read_to_string(&path).unwrap(), "hunter2\n");
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&directory.path().join("secrets"))), (0o600, 0o700));
    }
}
