//! How does a channel get at a secret? From the configuration, a file, the environment or what a program prints, when it is
//! first needed.
//!
//! Never shows one, and never keeps one that its service refused: what replaced it is then read.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::domain::secret::Secret;
use crate::process::MANAGER_VARIABLES;

/// The longest secret, in bytes: a key in PEM fits.
const BYTES_MAX: u64 = 64 * 1024;

/// How long a program may take to print one: it may ask the person for the password of its store.
const PROGRAM_WITHIN: Duration = Duration::from_mins(1);

/// Where a secret is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// Here.
    Given(Secret),
    /// The text of a file, without white space around it.
    File(PathBuf),
    /// A variable of this program's environment.
    Variable(String),
    /// The first line of what a program prints: the program and its arguments, at least the one.
    Program(Vec<String>),
}

/// A secret that is read when it is first needed.
#[derive(Debug)]
pub struct Key {
    source: Source,
    known: Mutex<Option<Secret>>,
}

impl Key {
    /// Returns the secret that is there; nothing is read yet.
    #[must_use]
    pub fn new(source: Source) -> Self {
        Self { source, known: Mutex::new(None) }
    }

    /// Returns the secret. Whoever comes while it is read waits for the one reading.
    ///
    /// # Errors
    /// Why it cannot be read, without any part of it.
    pub async fn reveal(&self) -> Result<Secret, String> {
        let mut known = self.known.lock().await;
        if let Some(secret) = &*known {
            return Ok(secret.clone());
        }
        let text = read(&self.source).await?;
        let secret = text.trim();
        if secret.is_empty() {
            return Err(format!("{}: nothing stands there", told(&self.source)));
        }
        Ok(known.insert(Secret::new(secret.to_owned())).clone())
    }

    /// Forgets what was read: its service does not take it.
    pub async fn forget(&self) {
        *self.known.lock().await = None;
    }
}

async fn read(source: &Source) -> Result<String, String> {
    let failed = |why: String| format!("{}: {why}", told(source));
    let bytes = match source {
        Source::Given(secret) => return Ok(secret.reveal().to_owned()),
        Source::Variable(name) => return std::env::var(name).map_err(|error| failed(error.to_string())),
        Source::File(path) => {
            // What is no plain file may never end, or wait for a writer.
            let known = tokio::fs::metadata(path).await.map_err(|error| failed(error.to_string()))?;
            if !known.is_file() {
                return Err(failed("expected a plain file".to_owned()));
            }
            let file = tokio::fs::File::open(path).await.map_err(|error| failed(error.to_string()))?;
            bounded(file).await.map_err(failed)?
        }
        Source::Program(words) => printed(words).await.map_err(failed)?,
    };
    let text = String::from_utf8(bytes).map_err(|_| failed("expected text".to_owned()))?;
    // A store of passwords keeps further notes behind the first line.
    let is_printed = matches!(source, Source::Program(_));
    Ok(if is_printed { text.lines().next().unwrap_or_default().to_owned() } else { text })
}

/// Runs a program to its end and returns what it printed.
async fn printed(words: &[String]) -> Result<Vec<u8>, String> {
    let [program, arguments @ ..] = words else { return Err("expected a program".to_owned()) };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    for variable in MANAGER_VARIABLES {
        command.env_remove(variable);
    }
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let output = child.stdout.take().expect("it was asked for");
    let run = async {
        let bytes = bounded(output).await?;
        let status = child.wait().await.map_err(|error| error.to_string())?;
        // What it says on standard error may be part of the secret, so it is not cited.
        if status.success() { Ok(bytes) } else { Err(format!("it ended with {status}")) }
    };
    timeout(PROGRAM_WITHIN, run).await.unwrap_or_else(|_| Err(format!("it did not end within {PROGRAM_WITHIN:?}")))
}

async fn bounded(from: impl AsyncRead + Unpin) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    from.take(BYTES_MAX + 1).read_to_end(&mut bytes).await.map_err(|error| error.to_string())?;
    let is_whole = u64::try_from(bytes.len()).is_ok_and(|count| count <= BYTES_MAX);
    if is_whole { Ok(bytes) } else { Err(format!("it is longer than {BYTES_MAX} bytes")) }
}

fn told(source: &Source) -> String {
    match source {
        Source::Given(_) => "cannot use the secret of the configuration".to_owned(),
        Source::File(path) => format!("cannot read the secret in {}", path.display()),
        Source::Variable(name) => format!("cannot read the secret in the daemon's variable {name}"),
        // Its arguments may hold something that is not to be shown.
        Source::Program(words) => {
            format!("cannot read the secret that {} prints", words.first().map_or("", |word| word))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn check(source: Source, expected: Result<&str, &str>) {
        let told = Key::new(source).reveal().await;
        assert_eq!(told.as_ref().map(Secret::reveal).map_err(String::as_str), expected);
    }

    fn program(script: &str) -> Source {
        Source::Program(["sh", "-c", script].map(str::to_owned).to_vec())
    }

    #[tokio::test]
    async fn a_secret_is_the_first_line_of_what_a_program_prints() {
        check(program("printf 'hunter2 \\nnotes\\n'"), Ok("hunter2")).await;
        check(
            program("printf hunter2; exit 3"),
            Err("cannot read the secret that sh prints: it ended with exit status: 3"),
        )
        .await;
        check(program("true"), Err("cannot read the secret that sh prints: nothing stands there")).await;
        check(
            program("head -c 70000 /dev/zero"),
            Err("cannot read the secret that sh prints: it is longer than 65536 bytes"),
        )
        .await;
        check(
            Source::Program(vec!["no-such-program-of-anybody".to_owned()]),
            Err(
                "cannot read the secret that no-such-program-of-anybody prints: No such file or directory (os error 2)",
            ),
        )
        .await;
    }

    #[tokio::test]
    async fn a_secret_in_a_file_is_read_when_it_is_needed_and_anew_once_it_was_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        let key = Key::new(Source::File(path.clone()));
        assert!(key.reveal().await.is_err());
        for text in ["one\n", "two"] {
            std::fs::write(&path, text).unwrap();
            key.forget().await;
            assert_eq!(key.reveal().await.unwrap().reveal(), text.trim());
        }
        std::fs::write(&path, "three").unwrap();
        assert_eq!(key.reveal().await.unwrap().reveal(), "two");
        check(Source::File("/dev/zero".into()), Err("cannot read the secret in /dev/zero: expected a plain file"))
            .await;
    }
}
