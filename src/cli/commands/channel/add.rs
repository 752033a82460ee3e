//! `keiko channel add`: puts a target into the configuration, step by step where a person is there to be asked.

use std::io;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::cli::commands::channel::about::{introduction, is_asked, question};
use crate::cli::commands::channel::settle::{Settled, settle};
use crate::cli::commands::channel::values::{Taken, Values, options};
use crate::cli::context::Context;
use crate::cli::error::{CliError, Exit};
use crate::cli::render::channel::trial;
use crate::cli::render::text::{GOOD, Text};
use crate::cli::ui::Form;
use crate::config::edit::{ConfigFile, Entry, Turn};
use crate::config::paths::Paths;
use crate::config::target::{Key, SETTABLE, Shape, is_name, keys};
use crate::domain::delivery::{ChannelKind, Target};
use crate::domain::secret::Secret;
use crate::protocol::SCHEMA_VERSION;
use crate::protocol::methods::{ChannelTest, ChannelTestResult};

/// What is to be added.
#[derive(Clone, Debug, Args)]
pub(super) struct Add {
    /// What kind: webhook, telegram, feishu, wecom, ntfy, mail or exec
    #[arg(value_name = "KIND")]
    kind: String,
    /// What you call it, such as phone
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Send no message to try it
    #[arg(long)]
    no_test: bool,
    /// What the kind needs.
    #[command(flatten)]
    values: Values,
}

/// What goes into the configuration, or into a file of its own, in the order of the kind's keys.
type Collected = Vec<(&'static str, Taken)>;

impl Add {
    pub(super) fn run(self, context: &mut Context<'_>) -> Result<Exit, CliError> {
        let kind = settable(&self.kind)?;
        let can_ask = context.ui.can_ask() && context.ui.form() == Form::Human;
        let foreign = self.values.foreign_to(kind);
        if !foreign.is_empty() {
            let known: Vec<String> = keys(kind).iter().map(options).collect();
            let message = format!("cannot add {} {kind} with {}", article(kind), foreign.join(", "));
            return Err(CliError::usage(message, format!("{kind} takes {}", known.join("; "))));
        }
        let name = match self.name {
            Some(name) => name,
            None if can_ask => ask(context, &format!("What do you call this {kind}, such as phone? "))?,
            None => {
                return Err(CliError::usage(
                    format!("cannot add {} {kind}: it has no name", article(kind)),
                    format!("keiko channel add {kind} phone"),
                ));
            }
        };
        if !is_name(&name) {
            let message =
                format!("cannot call {} {kind} {name:?}: expected letters, digits, - and _, at most 64", article(kind));
            return Err(CliError::usage(message, "such as phone"));
        }
        let target = Target { kind, address: name };
        let file = ConfigFile::read(Paths::of_process()?.config_file())?;
        if file.config().named_targets().contains(&target) {
            let message = format!("cannot add {target}: it is configured already");
            return Err(CliError::usage(message, format!("keiko channel remove {target} removes it")));
        }
        let collected = collect(context, &target, &self.values, can_ask)?;
        let is_kept = is_kept(context, &file, &target, &collected, can_ask)?;
        // From here on nobody is asked anything, and nobody else changes it. Somebody may have, while this one was asked.
        let _turn = Turn::take(Paths::of_process()?.config_file())?;
        let file = ConfigFile::read(Paths::of_process()?.config_file())?;
        let (settled, kept) = write(context, &file, &target, &collected, is_kept)?;
        let test = tried(context, &target, self.no_test, can_ask)?;
        tell(context, &target, &settled, &kept, test.as_ref());
        Ok(if test.is_none_or(|test| test.delivered) { Exit::Done } else { Exit::Failure })
    }
}

fn settable(text: &str) -> Result<ChannelKind, CliError> {
    let kind = ChannelKind::from_word(text);
    if let Some(kind) = kind.filter(|kind| SETTABLE.contains(kind)) {
        return Ok(kind);
    }
    let kinds: Vec<&str> = SETTABLE.iter().map(|kind| kind.as_str()).collect();
    let hint = format!("kinds are {}", kinds.join(", "));
    let why = if kind.is_some() { "it is there without being added" } else { "there is no such kind" };
    Err(CliError::usage(format!("cannot add a channel of kind {text:?}: {why}"), hint))
}

const fn article(kind: ChannelKind) -> &'static str {
    match kind {
        ChannelKind::Ntfy | ChannelKind::Exec => "an",
        ChannelKind::Desktop
        | ChannelKind::Terminal
        | ChannelKind::Webhook
        | ChannelKind::Telegram
        | ChannelKind::Feishu
        | ChannelKind::Wecom
        | ChannelKind::Mail => "a",
    }
}

/// Collects what the kind needs: from the options, else by asking.
fn collect(context: &mut Context<'_>, target: &Target, values: &Values, can_ask: bool) -> Result<Collected, CliError> {
    let mut collected = Collected::new();
    let mut missing = Vec::new();
    let mut is_explained = false;
    for key in keys(target.kind) {
        match values.take(key)? {
            Some(taken) => {
                if values.shows(key) {
                    let name = key.name.replace('_', "-");
                    let warning =
                        format!("the shell keeps what follows --{name}; --{name}-file - reads it from standard input");
                    context.ui.warning(&warning);
                }
                collected.push((key.name, taken));
            }
            None if can_ask && (key.is_required || is_asked(target.kind, key.name)) => {
                if !std::mem::replace(&mut is_explained, true) {
                    let lines: Vec<Text> = introduction(target.kind).iter().map(|line| Text::plain(line)).collect();
                    context.ui.explain(&lines);
                }
                let lines: Vec<Text> = question(target.kind, key.name).iter().map(|line| Text::plain(line)).collect();
                context.ui.explain(&lines);
                collected.extend(ask_for(context, key)?.map(|taken| (key.name, taken)));
            }
            None if key.is_required => missing.push(options(key)),
            None => {}
        }
    }
    if missing.is_empty() {
        return Ok(collected);
    }
    let message = format!("cannot add {target}: missing {}", missing.join("; "));
    Err(CliError::usage(message, "on a terminal keiko channel add asks for each"))
}

/// Asks for a key until there is an answer, or once where it can be left out.
fn ask_for(context: &mut Context<'_>, key: &Key) -> Result<Option<Taken>, CliError> {
    let optional = if key.is_required { "" } else { ", empty for none" };
    loop {
        let taken = if matches!(key.shape, Shape::Secret) {
            let typed = hidden(context, &format!("{} (not shown{optional}): ", key.name))?;
            Ok((!typed.is_empty()).then(|| Taken::Secret(Secret::new(typed))))
        } else {
            let typed = ask(context, &format!("{}{optional}: ", key.name))?;
            if typed.is_empty() { Ok(None) } else { Values::of_one(key, typed).take(key) }
        };
        match taken {
            Ok(None) if key.is_required => {}
            Ok(taken) => return Ok(taken),
            Err(error) => context.ui.error(&error.to_string(), error.hint().as_deref()),
        }
    }
}

/// Returns whether what is secret is kept in files of its own, by the person's word.
fn is_kept(
    context: &mut Context<'_>,
    file: &ConfigFile,
    target: &Target,
    collected: &Collected,
    can_ask: bool,
) -> Result<bool, CliError> {
    // Before anything is asked: what else is wrong is told first.
    file.with(target, &whole(collected))?;
    let has_secrets = collected.iter().any(|(_, taken)| matches!(taken, Taken::Secret(_)));
    Ok(has_secrets && (!can_ask || wants_files(context, file)?))
}

/// Returns what would stand in the configuration if all of it stood there.
fn whole(collected: &Collected) -> Vec<(String, Entry)> {
    collected.iter().map(|(key, taken)| inline(key, taken)).collect()
}

/// Writes secrets and the target, and lets the daemon go by them; where it refuses, all is as it was.
fn write(
    context: &mut Context<'_>,
    file: &ConfigFile,
    target: &Target,
    collected: &Collected,
    is_kept: bool,
) -> Result<(Settled, Vec<PathBuf>), CliError> {
    // Before anything is written: a secret of the same name is another's where the target is there already.
    file.with(target, &whole(collected))?;
    let has_secrets = collected.iter().any(|(_, taken)| matches!(taken, Taken::Secret(_)));
    if has_secrets && !is_kept && file.make_private()? {
        context.ui.warning("others could read the configuration: from now on you alone can");
    }
    let mut kept = Vec::new();
    let mut entries = Vec::new();
    for (key, taken) in collected {
        entries.push(match taken {
            Taken::Secret(secret) if is_kept => {
                let (name, path) = file.keep(target, key, secret)?;
                kept.push(path);
                (format!("{key}_file"), Entry::Text(name))
            }
            Taken::Secret(_) | Taken::Plain(..) => inline(key, taken),
        });
    }
    let settled = file.with(target, &entries).map_err(CliError::from).and_then(|text| settle(context, file, &text));
    if settled.is_err() {
        for path in &kept {
            // Nothing names it any more; that the rest failed is what is told.
            let _ = std::fs::remove_file(path);
        }
    }
    Ok((settled?, kept))
}

/// Returns what stands in the configuration where all of it stands there.
fn inline(key: &str, taken: &Taken) -> (String, Entry) {
    match taken {
        Taken::Plain(name, entry) => (name.clone(), entry.clone()),
        Taken::Secret(secret) => (key.to_owned(), Entry::Secret(secret.clone())),
    }
}

fn wants_files(context: &mut Context<'_>, file: &ConfigFile) -> Result<bool, CliError> {
    let question = format!(
        "Keep what is secret in {}, where only you can read it? No puts it into the configuration itself. [Y/n] ",
        file.secrets().display()
    );
    Ok(!is_no(&ask(context, &question)?))
}

/// Sends a message to try the target, unless the person does not want that.
fn tried(
    context: &mut Context<'_>,
    target: &Target,
    no_test: bool,
    can_ask: bool,
) -> Result<Option<ChannelTestResult>, CliError> {
    if no_test || (can_ask && is_no(&ask(context, "Send a message to try it? [Y/n] ")?)) {
        return Ok(None);
    }
    context.ask_patiently(&ChannelTest { target: target.to_string() }).map(Some)
}

fn tell(
    context: &mut Context<'_>,
    target: &Target,
    settled: &Settled,
    kept: &[PathBuf],
    test: Option<&ChannelTestResult>,
) {
    let answer = json!({
        "schema_version": SCHEMA_VERSION,
        "target": target.to_string(),
        "config": settled.path.display().to_string(),
        "secrets": kept.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        "test": test,
    });
    context.confirm(&answer, &settled.warnings, |_| {
        let mut line = Text::styled(GOOD, "added");
        line.push(&format!("  {target}  to {}", settled.path.display()));
        let mut lines = vec![line];
        lines.extend(kept.iter().map(|path| Text::plain(&format!("kept   {}, for you alone", path.display()))));
        lines.extend(test.map(trial));
        lines
    });
    context.ui.hint(&format!("keiko add … --via {target} speaks there"));
}

/// Asks for a line; whoever ends the input wants no more.
fn ask(context: &mut Context<'_>, question: &str) -> Result<String, CliError> {
    answered(context.ui.ask(question))
}

fn hidden(context: &mut Context<'_>, question: &str) -> Result<String, CliError> {
    answered(context.ui.ask_hidden(question))
}

fn answered(answer: io::Result<Option<String>>) -> Result<String, CliError> {
    match answer {
        Ok(Some(line)) => Ok(line.trim().to_owned()),
        Ok(None) => Err(CliError::GivenUp),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(CliError::GivenUp),
        Err(source) => Err(CliError::Input { source }),
    }
}

fn is_no(answer: &str) -> bool {
    matches!(answer.to_lowercase().as_str(), "n" | "no")
}
