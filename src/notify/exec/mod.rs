//! The channel `exec`: how does a firing reach a program of the person's own, and what did that say of it?
//!
//! One JSON object goes to its standard input, one comes from its standard output. It is run as a list of arguments, never
//! through a shell, and never tried again by itself; an attempt ends within its time whatever the program does, and with
//! it all that runs in the program's process group. No error shows its arguments, which may hold a key.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::domain::delivery::{ChannelKind, Delivery, Report};
use crate::domain::effect::Withdrawal;
use crate::notify::exec::answer::judge;
use crate::notify::named::Named;
use crate::notify::network::Network;
use crate::notify::payload::payload;
use crate::notify::{Channel, Presence};
use crate::process::{Heard, Program, run};

mod answer;

/// How much a program may say on standard output.
const OUTPUT_BYTES_MAX: usize = 64 * 1024;

/// How many programs run at once.
const WORKERS: usize = 8;

/// One program as it is configured.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Its name, as in `exec:NAME`.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Where it runs; where the daemon does if that is empty.
    pub directory: PathBuf,
    /// How long it may run.
    pub timeout: Duration,
}

/// Programs of the person's own.
pub struct ExecChannel {
    programs: Named<Settings>,
}

impl ExecChannel {
    /// Returns the channel, with no program yet.
    #[must_use]
    pub fn new() -> Self {
        Self { programs: Named::none(ChannelKind::Exec) }
    }

    /// Puts these programs in the place of all, and lets what waits for one be tried. Nothing is run.
    pub fn configure(&self, programs: Vec<Settings>) {
        self.programs.replace(programs.into_iter().map(|settings| (settings.name.clone(), settings)));
    }

    /// Returns the channel that looks again whenever `network` comes back: most programs pass it on by that.
    ///
    /// # Panics
    /// Outside of a runtime.
    #[must_use]
    pub fn heeding(self, network: Arc<dyn Network>) -> Self {
        Self { programs: self.programs.heeding(network) }
    }

    async fn hand(&self, delivery: &Delivery) -> Report {
        let target = &delivery.id.target;
        let settings = match self.programs.find(&target.address) {
            Ok(settings) => settings,
            Err(away) => return away,
        };
        let attempt = u64::from(delivery.attempts) + 1;
        let mut told = payload(delivery);
        told["attempt"] = json!(attempt);
        told["target"] = json!(target.to_string());
        let program = Program {
            command: &settings.command,
            directory: &settings.directory,
            variables: variables(&told, attempt),
            input: format!("{told}\n"),
            timeout: settings.timeout,
            heard: Heard::UpTo(OUTPUT_BYTES_MAX),
        };
        let name = target.to_string();
        match run(program).await {
            Ok(ended) => judge(&name, &ended),
            Err(error) => {
                Report::Failed { error: format!("cannot run {name}: {error}"), is_final: false, retry_after: None }
            }
        }
    }
}

impl Default for ExecChannel {
    fn default() -> Self {
        Self::new()
    }
}

/// What a program may want to know before it reads its input: nothing that a person wrote.
fn variables(told: &Value, attempt: u64) -> Vec<(&'static str, String)> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    vec![
        ("KEIKO_DELIVERY_ID", text(&told["delivery_id"])),
        ("KEIKO_TASK", text(&told["task"]["number"])),
        ("KEIKO_REASON", text(&told["reason"])),
        ("KEIKO_ATTEMPT", attempt.to_string()),
    ]
}

/// Nothing of the programs: their arguments may hold keys.
impl fmt::Debug for ExecChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecChannel").finish_non_exhaustive()
    }
}

impl Channel for ExecChannel {
    fn kind(&self) -> ChannelKind {
        ChannelKind::Exec
    }

    fn workers(&self) -> usize {
        WORKERS
    }

    fn deliver<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, Report> {
        self.hand(delivery).boxed()
    }

    /// What a program was told stays told.
    fn withdraw<'a>(&'a self, _withdrawal: &'a Withdrawal) -> BoxFuture<'a, ()> {
        std::future::ready(()).boxed()
    }

    fn presence(&self) -> watch::Receiver<Presence> {
        self.programs.presence()
    }
}
