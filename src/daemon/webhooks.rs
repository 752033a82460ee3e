//! Which program to be told gets which values of the configuration, its files and the environment?
//!
//! Never shows a value: what is wrong is told with the place in the configuration where it comes from.

use std::path::Path;
use std::sync::Arc;

use crate::clock::Clock;
use crate::config::Config;
use crate::config::bounded;
use crate::config::file::{ConfigError, WebhookFault};
use crate::config::webhook::{self as configured, Source, Webhook};
use crate::domain::secret::Secret;
use crate::notify::keys;
use crate::notify::webhook::{
    CONNECT_TIMEOUT, Fault, Given, Key, Now, Preset, Redirects, Scalar, Settings, Success, TIMEOUT, WebhookChannel,
};

/// The largest file that is read for a setting, in bytes: a system's whole bundle of certificates fits.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Makes the channel of all configured programs ready.
///
/// # Errors
/// Everything that is wrong with their settings, with the places in the file.
pub(super) fn channel(path: &Path, config: &Config, clock: Arc<dyn Clock>) -> Result<WebhookChannel, ConfigError> {
    let now: Now = Arc::new(move || clock.now());
    with_settings(path, config, |targets| WebhookChannel::new(targets, now))
}

/// Lets a channel go by another configuration.
///
/// # Errors
/// As for [`channel`]; the channel is then as it was.
pub(super) fn configure(path: &Path, config: &Config, channel: &WebhookChannel) -> Result<(), ConfigError> {
    with_settings(path, config, |targets| channel.configure(targets))
}

fn with_settings<T>(
    path: &Path,
    config: &Config,
    make: impl FnOnce(Vec<Settings>) -> Result<T, Vec<Fault>>,
) -> Result<T, ConfigError> {
    let mut targets = Vec::new();
    let mut faults = Vec::new();
    for webhook in &config.webhooks {
        match settings(path, webhook) {
            Ok(settings) => targets.push(settings),
            Err((key, reason)) => faults.push(Fault { name: webhook.name.clone(), key, reason }),
        }
    }
    if !faults.is_empty() {
        // What else is wrong is told with it; nothing is made of it.
        faults.extend(WebhookChannel::check(targets));
        return Err(placed(path, &config.webhooks, &faults));
    }
    make(targets).map_err(|faults| placed(path, &config.webhooks, &faults))
}

/// Returns the faults with the places of what is at fault.
fn placed(path: &Path, webhooks: &[Webhook], faults: &[Fault]) -> ConfigError {
    let of = |fault: &Fault| {
        let key = fault.key.to_string();
        let webhook = webhooks.iter().find(|webhook| webhook.name == fault.name);
        let webhook = webhook.expect("a fault is one of a configured webhook");
        let reason = fault.reason.clone();
        WebhookFault { at: webhook.position(&key), key: format!("webhooks.{}.{key}", fault.name), reason }
    };
    let mut faults: Vec<WebhookFault> = faults.iter().map(of).collect();
    faults.sort_by_key(|fault| fault.at);
    ConfigError::Webhooks { path: path.to_owned(), faults }
}

fn settings(path: &Path, webhook: &Webhook) -> Result<Settings, (Key, String)> {
    let url = match read(path, webhook.url.as_ref()).map_err(|why| (Key::Url, why))? {
        Given::Later(key) => Given::Later(key),
        Given::Now(url) => {
            let [url] = <[Secret; 1]>::try_from(url).map_err(|all| {
                // A URL has no space in it, so several words are several of them.
                (Key::Url, format!("expected one URL, found {}", all.len()))
            })?;
            Given::Now(url)
        }
    };
    let ca = webhook.ca_file.as_ref().map(|file| contents(path, file)).transpose().map_err(|why| (Key::Ca, why))?;
    Ok(Settings {
        name: webhook.name.clone(),
        url,
        preset: match webhook.preset {
            configured::Preset::Generic => Preset::Generic,
            configured::Preset::Slack => Preset::Slack,
            configured::Preset::Discord => Preset::Discord,
            configured::Preset::Dingtalk => Preset::Dingtalk,
        },
        secrets: read(path, webhook.secrets.as_ref()).map_err(|why| (Key::Secret, why))?,
        headers: webhook.headers.clone(),
        body: webhook.body.clone(),
        ca,
        redirects: if webhook.allow_redirects { Redirects::Followed } else { Redirects::Refused },
        timeout: webhook.timeout.unwrap_or(TIMEOUT),
        connect_timeout: webhook.connect_timeout.unwrap_or(CONNECT_TIMEOUT),
        success: webhook.success.as_ref().map(|success| Success {
            pointer: success.pointer.clone(),
            equals: match &success.equals {
                configured::Scalar::Number(number) => Scalar::Number(*number),
                configured::Scalar::Text(text) => Scalar::Text(text.clone()),
                configured::Scalar::Bool(truth) => Scalar::Bool(*truth),
            },
        }),
    })
}

/// Returns the secrets of a source; none where there is no source. A program is run when they are first needed: it may wait
/// for the person, and the start does not wait for that.
fn read(path: &Path, source: Option<&Source>) -> Result<Given<Vec<Secret>>, String> {
    let text = match source {
        None => return Ok(Given::Now(Vec::new())),
        Some(Source::Given(secrets)) => return Ok(Given::Now(secrets.clone())),
        Some(Source::File(file)) => {
            String::from_utf8(contents(path, file)?).map_err(|_| format!("{} is no text", file.display()))?
        }
        Some(Source::Variable(name)) => {
            std::env::var(name).map_err(|_| format!("the daemon's environment has no variable {name}"))?
        }
        Some(Source::Command(words)) => {
            return Ok(Given::Later(Arc::new(keys::Key::new(keys::Source::Program(words.clone())))));
        }
    };
    let secrets: Vec<Secret> = text.split_whitespace().map(|word| Secret::new(word.to_owned())).collect();
    if secrets.is_empty() { Err("nothing stands there".to_owned()) } else { Ok(Given::Now(secrets)) }
}

/// Returns what a file holds; a relative path is meant from the directory of the configuration.
fn contents(path: &Path, file: &Path) -> Result<Vec<u8>, String> {
    let file = path.parent().unwrap_or(Path::new("")).join(file);
    bounded::read(&file, FILE_BYTES_MAX).map_err(|error| format!("cannot read {}: {error}", file.display()))
}

#[cfg(test)]
#[cfg(feature = "webhook")]
mod tests {
    use std::fs;

    use super::*;

    use crate::clock::sim::SimClock;
    use crate::domain::time::Timestamp;

    #[track_caller]
    fn check(files: &[(&str, &str)], text: &str, expected: &str) {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(directory.path().join(name), text).unwrap();
        }
        let path = directory.path().join("config.toml");
        let (config, _) = Config::parse(&path, text).unwrap();
        let clock = Arc::new(SimClock::starting_at(Timestamp::MIN, chrono_tz::UTC));
        let told =
            channel(&path, &config, clock).map_or_else(|error| error.to_string(), |channel| format!("{channel:?}"));
        assert_eq!(told.replace(&format!("{}/", directory.path().display()), ""), expected);
    }

    #[test]
    fn secrets_may_be_in_files() {
        let secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
        check(
            &[("url", "https://x/KEY\n"), ("keys", &format!("{secret}\n{secret}\n"))],
            "[webhooks.ops]\nurl_file = 'url'\nsecret_file = 'keys'\n[webhooks.chat]\nurl = 'http://y'",
            "WebhookChannel { named: [\"chat\", \"ops\"], .. }",
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        check(
            &[("two", "https://x https://y"), ("ca.pem", "no certificate")],
            "[webhooks.a]\nurl_file = 'gone'\n[webhooks.b]\nurl_file = 'two'\n[webhooks.c]\nurl_env = 'KEIKO_TEST_UNSET'\n\
             [webhooks.d]\nurl = 'http://x'\nsecret = 'hunter2'\n[webhooks.e]\nurl = 'http://x'\nbody = '{{ titel }}'\n\
             [webhooks.f]\nurl = 'http://x'\nca_file = 'ca.pem'\n[webhooks.g]\nurl = 'http://x'\n\
             headers.X-Key = '{{ key'\n",
            "config.toml:2:12: cannot use webhooks.a.url: cannot read gone: No such file or directory (os error 2)\n\
             config.toml:4:12: cannot use webhooks.b.url: expected one URL, found 2\n\
             config.toml:6:11: cannot use webhooks.c.url: the daemon's environment has no variable KEIKO_TEST_UNSET\n\
             config.toml:9:10: cannot use webhooks.d.secret: expected a secret that begins with whsec_\n\
             config.toml:12:8: cannot use webhooks.e.body: undefined value, in its line 1\n\
             config.toml:15:11: cannot use webhooks.f.ca_file: expected certificates in PEM\n\
             config.toml:18:17: cannot use webhooks.g.headers.X-Key: syntax error: unexpected end of input, expected \
             end of variable block, in its line 1",
        );
    }

    // It would wait for a writer, or read until nothing is left; each is named before anything is opened.
    #[test]
    fn what_is_no_plain_file_is_refused_and_not_waited_for() {
        check(
            &[],
            "[webhooks.a]\nurl_file = '/dev/zero'\n[webhooks.b]\nurl = 'http://x'\nsecret_file = '.'\n",
            "config.toml:2:12: cannot use webhooks.a.url: cannot read /dev/zero: it is a pipe, a socket or a device, \
             expected a file\n\
             config.toml:5:15: cannot use webhooks.b.secret: cannot read .: it is a directory, expected a file",
        );
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let told = contents(Path::new("config.toml"), &pipe).unwrap_err();
        assert!(told.ends_with("it is a pipe, a socket or a device, expected a file"), "{told}");
    }
}
