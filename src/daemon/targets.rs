//! Which chat, topic, mail address or program gets which values of its table in the configuration?
//!
//! Never opens what a table names: a secret is read when it is first needed. Never shows a value.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::config::file::{ConfigError, Position, WebhookFault};
use crate::config::target::{ConfiguredTarget, Value};
use crate::config::{Config, bounded, webhook as configured};
use crate::domain::delivery::ChannelKind;
use crate::notify::exec::{self, ExecChannel};
use crate::notify::fault::Fault;
use crate::notify::keys::{Key, Source};
use crate::notify::mail::{self, MailChannel, Security};
use crate::notify::network::Network;
use crate::notify::ntfy::{self, NtfyChannel};
use crate::notify::robots::{self, RobotChannel};
use crate::notify::telegram::{self, Moved, TelegramChannel};
use crate::notify::{Channel, Now};

/// How long an attempt may take in all, where nothing else is configured.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The largest file of certificates that is read, in bytes: a system's whole bundle fits.
const CA_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The channels whose targets are tables of the configuration, and can be replaced while the daemon runs.
pub(super) struct Chats {
    telegram: Arc<TelegramChannel>,
    ntfy: Arc<NtfyChannel>,
    feishu: Arc<RobotChannel>,
    wecom: Arc<RobotChannel>,
    mail: Arc<MailChannel>,
    exec: Arc<ExecChannel>,
    moved: Moved,
}

impl Chats {
    /// Returns the channels, without targets. Each hears a network of its own: what one hears of it, no other does. Where a
    /// chat of Telegram went is kept in a file.
    pub(super) fn new(clock: &Arc<dyn Clock>, network: impl Fn() -> Arc<dyn Network>, moved: PathBuf) -> Self {
        let clock = Arc::clone(clock);
        let now: Now = Arc::new(move || clock.now());
        Self {
            telegram: Arc::new(TelegramChannel::new(Arc::clone(&now)).heeding(network())),
            ntfy: Arc::new(NtfyChannel::new(Arc::clone(&now)).heeding(network())),
            feishu: Arc::new(RobotChannel::feishu(Arc::clone(&now)).heeding(network())),
            wecom: Arc::new(RobotChannel::wecom(now).heeding(network())),
            mail: Arc::new(MailChannel::new().heeding(network())),
            exec: Arc::new(ExecChannel::new().heeding(network())),
            moved: Moved::at(moved),
        }
    }

    /// Returns channels that nobody uses, to look whether they could go by a configuration: they hear no network, and wait for
    /// nothing.
    pub(super) fn deaf(clock: &Arc<dyn Clock>) -> Self {
        let clock = Arc::clone(clock);
        let now: Now = Arc::new(move || clock.now());
        Self {
            telegram: Arc::new(TelegramChannel::new(Arc::clone(&now))),
            ntfy: Arc::new(NtfyChannel::new(Arc::clone(&now))),
            feishu: Arc::new(RobotChannel::feishu(Arc::clone(&now))),
            wecom: Arc::new(RobotChannel::wecom(now)),
            mail: Arc::new(MailChannel::new()),
            exec: Arc::new(ExecChannel::new()),
            moved: Moved::default(),
        }
    }

    /// Puts the targets of a configuration in the place of all that were.
    ///
    /// # Errors
    /// Everything that is wrong with their settings, with the places in the file; then the targets of that kind stay as
    /// they were.
    pub(super) fn configure(&self, path: &Path, config: &Config) -> Result<(), ConfigError> {
        let tables = |kind: ChannelKind| {
            let of_kind = config.targets.iter().filter(move |table| table.target.kind == kind);
            of_kind.map(|table| Table::new(path, table))
        };
        let mut faults = Vec::new();
        let telegram =
            settings(tables(ChannelKind::Telegram), |table| table.telegram(config, &self.moved), &mut faults);
        let ntfy = settings(tables(ChannelKind::Ntfy), |table| table.ntfy(config), &mut faults);
        let feishu = settings(tables(ChannelKind::Feishu), Table::robot, &mut faults);
        let wecom = settings(tables(ChannelKind::Wecom), Table::robot, &mut faults);
        let mail = settings(tables(ChannelKind::Mail), Table::mail, &mut faults);
        let exec = settings(tables(ChannelKind::Exec), Table::exec, &mut faults);
        if faults.is_empty() {
            let refused = [
                self.telegram.configure(telegram).err(),
                self.ntfy.configure(ntfy).err(),
                self.feishu.configure(feishu).err(),
                self.wecom.configure(wecom).err(),
                self.mail.configure(mail).err(),
            ];
            self.exec.configure(exec);
            faults.extend(refused.into_iter().flatten().flatten());
        }
        if faults.is_empty() { Ok(()) } else { Err(placed(path, config, faults)) }
    }

    /// Returns the channels.
    pub(super) fn channels(&self) -> Vec<Arc<dyn Channel>> {
        vec![
            Arc::clone(&self.telegram) as _,
            Arc::clone(&self.ntfy) as _,
            Arc::clone(&self.feishu) as _,
            Arc::clone(&self.wecom) as _,
            Arc::clone(&self.mail) as _,
            Arc::clone(&self.exec) as _,
        ]
    }
}

/// Reads tables one after the other, and notes what is wrong with them.
fn settings<'a, T>(
    tables: impl Iterator<Item = Table<'a>>,
    read: impl Fn(&Table<'a>) -> Result<T, (&'static str, String)>,
    faults: &mut Vec<Fault>,
) -> Vec<T> {
    let mut settings = Vec::new();
    for table in tables {
        match read(&table) {
            Ok(read) => settings.push(read),
            Err((key, reason)) => faults.push(Fault { target: table.table.target.clone(), key, reason }),
        }
    }
    settings
}

/// Returns faults with the places of what is at fault.
fn placed(path: &Path, config: &Config, faults: Vec<Fault>) -> ConfigError {
    let at = |fault: &Fault| {
        let table = config.targets.iter().find(|table| table.target == fault.target);
        let table = table.expect("a fault is one of a configured target");
        Table::new(path, table).position(fault.key)
    };
    let of = |fault: Fault| {
        let key = format!("{}.{}.{}", fault.target.kind, fault.target.address, fault.key);
        WebhookFault { at: at(&fault), key, reason: fault.reason }
    };
    let mut faults: Vec<WebhookFault> = faults.into_iter().map(of).collect();
    faults.sort_by_key(|fault| fault.at);
    ConfigError::Webhooks { path: path.to_owned(), faults }
}

/// The table of one target, read key by key.
pub(super) struct Table<'a> {
    /// The configuration, from whose directory relative paths are meant.
    path: &'a Path,
    table: &'a ConfiguredTarget,
}

impl<'a> Table<'a> {
    pub(super) const fn new(path: &'a Path, table: &'a ConfiguredTarget) -> Self {
        Self { path, table }
    }

    /// Returns the name of the target.
    pub(super) fn name(&self) -> String {
        self.table.target.address.clone()
    }

    /// Returns where a key has its value, or the table where it has none.
    pub(super) fn position(&self, key: &str) -> Position {
        self.table.values.get(key).map_or(self.table.at, |(at, _)| *at)
    }

    pub(super) fn text(&self, key: &str) -> Option<String> {
        match self.value(key)? {
            Value::Text(text) => Some(text.clone()),
            Value::Words(_) | Value::Truth(_) | Value::Number(_) | Value::Path(_) | Value::Secret(_) => None,
        }
    }

    pub(super) fn words(&self, key: &str) -> Option<Vec<String>> {
        match self.value(key)? {
            Value::Words(words) => Some(words.clone()),
            Value::Text(_) | Value::Truth(_) | Value::Number(_) | Value::Path(_) | Value::Secret(_) => None,
        }
    }

    pub(super) fn truth(&self, key: &str) -> Option<bool> {
        match self.value(key)? {
            Value::Truth(truth) => Some(*truth),
            Value::Text(_) | Value::Words(_) | Value::Number(_) | Value::Path(_) | Value::Secret(_) => None,
        }
    }

    pub(super) fn number(&self, key: &str) -> Option<u32> {
        match self.value(key)? {
            Value::Number(number) => Some(*number),
            Value::Text(_) | Value::Words(_) | Value::Truth(_) | Value::Path(_) | Value::Secret(_) => None,
        }
    }

    pub(super) fn path(&self, key: &str) -> Option<PathBuf> {
        match self.value(key)? {
            Value::Path(path) => Some(self.beside(path)),
            Value::Text(_) | Value::Words(_) | Value::Truth(_) | Value::Number(_) | Value::Secret(_) => None,
        }
    }

    /// Returns a secret, to be read when it is first needed.
    pub(super) fn secret(&self, key: &str) -> Option<Key> {
        let source = match self.value(key)? {
            Value::Secret(source) => source,
            Value::Text(_) | Value::Words(_) | Value::Truth(_) | Value::Number(_) | Value::Path(_) => return None,
        };
        Some(Key::new(match source {
            configured::Source::Given(secrets) => Source::Given(secrets.first()?.clone()),
            configured::Source::File(path) => Source::File(self.beside(path)),
            configured::Source::Variable(name) => Source::Variable(name.clone()),
            configured::Source::Command(words) => Source::Program(words.clone()),
        }))
    }

    pub(super) fn timeout(&self) -> Duration {
        self.number("timeout_s").map_or(TIMEOUT, |seconds| Duration::from_secs(seconds.into()))
    }

    /// Returns the certificates to trust beside the system's.
    fn ca(&self) -> Result<Option<Vec<u8>>, (&'static str, String)> {
        let read = |path: PathBuf| {
            bounded::read(&path, CA_BYTES_MAX)
                .map_err(|error| ("ca_file", format!("cannot read {}: {error}", path.display())))
        };
        self.path("ca_file").map(read).transpose()
    }

    fn required_secret(&self, key: &'static str) -> Result<Key, (&'static str, String)> {
        self.secret(key).ok_or_else(|| (key, "expected it to be there".to_owned()))
    }

    fn telegram(&self, config: &Config, moved: &Moved) -> Result<telegram::Settings, (&'static str, String)> {
        Ok(telegram::Settings {
            name: self.name(),
            token: self.required_secret("token")?,
            chat: self.text("chat").ok_or_else(|| ("chat", "expected it to be there".to_owned()))?,
            moved: moved.clone(),
            buttons: self.truth("buttons").unwrap_or(true),
            snoozes: config.snooze_choices.clone(),
            api_url: self.text("api_url").unwrap_or_else(|| telegram::API_URL.to_owned()),
            ca: self.ca()?,
            timeout: self.timeout(),
        })
    }

    fn ntfy(&self, config: &Config) -> Result<ntfy::Settings, (&'static str, String)> {
        Ok(ntfy::Settings {
            name: self.name(),
            url: self.required_secret("url")?,
            token: self.secret("token"),
            answers_url: self.secret("answers_url"),
            snoozes: config.snooze_choices.clone(),
            ca: self.ca()?,
            timeout: self.timeout(),
        })
    }

    fn robot(&self) -> Result<robots::Settings, (&'static str, String)> {
        Ok(robots::Settings {
            name: self.name(),
            url: self.required_secret("url")?,
            secret: self.secret("secret"),
            ca: self.ca()?,
            timeout: self.timeout(),
        })
    }

    fn mail(&self) -> Result<mail::Settings, (&'static str, String)> {
        Ok(mail::Settings {
            name: self.name(),
            host: self.required_text("host")?,
            port: self.number("port").and_then(|port| u16::try_from(port).ok()),
            security: match self.text("security").as_deref() {
                Some("starttls") => Security::StartTls,
                Some("none") => Security::None,
                Some(_) | None => Security::Tls,
            },
            user: self.text("user"),
            password: self.secret("password"),
            from: self.required_text("from")?,
            to: self.words("to").ok_or_else(|| ("to", "expected it to be there".to_owned()))?,
            ca: self.ca()?,
            timeout: self.timeout(),
        })
    }

    /// A program of one's own runs where the configuration lies, from where a relative path to it is meant.
    fn exec(&self) -> Result<exec::Settings, (&'static str, String)> {
        let mut command = self.words("command").unwrap_or_default();
        let program = command.first_mut().ok_or_else(|| ("command", "expected it to be there".to_owned()))?;
        if Path::new(program).is_relative() && Path::new(program).components().count() > 1 {
            *program = self.beside(Path::new(program)).to_string_lossy().into_owned();
        }
        let directory = self.beside(Path::new(""));
        Ok(exec::Settings { name: self.name(), command, directory, timeout: self.timeout() })
    }

    fn required_text(&self, key: &'static str) -> Result<String, (&'static str, String)> {
        self.text(key).ok_or_else(|| (key, "expected it to be there".to_owned()))
    }

    fn value(&self, key: &str) -> Option<&Value> {
        self.table.values.get(key).map(|(_, value)| value)
    }

    fn beside(&self, path: &Path) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }
}
