//! Who can be reached, and what went wrong lately on the way?

use crate::cli::commands::doctor::Known;
use crate::cli::commands::doctor::finding::Finding;
use crate::protocol::examination::{DesktopFound, Examination};
use crate::protocol::methods::{ChannelListResult, StatusResult};
use crate::protocol::objects::{OccurrenceName, Task};

/// The channels that are this machine's own.
const OWN: [&str; 2] = ["desktop", "terminal"];

/// The channels that reach programs, not the person.
const PROGRAMS: [&str; 2] = ["webhook", "exec"];

/// What a server says that it can do where popups have buttons.
const BUTTONS: &str = "actions";

/// Looks whether popups can be shown: by the daemon, and from where the question was asked.
pub(super) fn desktop(known: &Known, examination: Option<&Examination>, found: &mut Vec<Finding>) {
    let area = "notifications";
    let here = examination.map(|examination| &examination.desktop);
    let away = match known {
        Known::Answers { status, .. } => {
            status.channels.iter().find(|channel| channel.kind == OWN[0] && !channel.present)
        }
        Known::Absent | Known::Unasked { .. } => None,
    };
    let is_elsewhere = has_other_way(known);
    let weigh = |text: &str, mend: String| {
        let text = if is_elsewhere { format!("{text}; reminders go elsewhere meanwhile") } else { text.to_owned() };
        if is_elsewhere { Finding::note(area, &text, Some(mend)) } else { Finding::wrong(area, &text, Some(mend)) }
    };
    match (here, away) {
        (Some(DesktopFound::Server { name, .. }), Some(channel)) => {
            let reason = channel.reason.as_deref().unwrap_or("it does not see it");
            let text = format!("{name} is there, and keikod cannot use it: {reason}");
            // It goes by the variables that it was started with.
            let mend = "systemctl --user import-environment DBUS_SESSION_BUS_ADDRESS, where it is a service; then keiko daemon restart";
            found.push(weigh(&text, mend.to_owned()));
        }
        (Some(DesktopFound::Server { name, capabilities }), None) => {
            found.push(Finding::fine(area, &format!("{name}: {}", capabilities.join(", "))));
            if !capabilities.iter().any(|capability| capability == BUTTONS) {
                let text = "it shows no buttons: answer with keiko done and keiko snooze";
                found.push(Finding::note(
                    area,
                    text,
                    Some("apt-get install dunst, or another server with actions".to_owned()),
                ));
            }
        }
        (Some(DesktopFound::NoServer { reason }), _) => {
            let mend = "log in to your desktop, or install a server: apt-get install dunst";
            found.push(weigh(&format!("no popups: {reason}"), mend.to_owned()));
        }
        (Some(DesktopFound::NoBus { reason }), _) => {
            let mend = "log in to your desktop, or: apt-get install dbus-user-session";
            found.push(weigh(&format!("no popups: {reason}"), mend.to_owned()));
        }
        (Some(DesktopFound::NotBuilt), _) => {
            let mend = "install keiko with the feature desktop";
            found.push(weigh("keikod was built without desktop support", mend.to_owned()));
        }
        (None, Some(channel)) => {
            let reason = channel.reason.as_deref().unwrap_or("no notification server");
            found.push(weigh(&format!("no popups: {reason}"), "keiko channel list".to_owned()));
        }
        (None, None) => {}
    }
}

/// Returns whether the person is reached otherwise than by popups, as far as that is known.
fn has_other_way(known: &Known) -> bool {
    match known {
        Known::Answers { status, channels, .. } => !reached(status, channels).iter().all(|target| target == OWN[0]),
        Known::Absent | Known::Unasked { .. } => false,
    }
}

/// Returns by what the person is reached now.
fn reached(status: &StatusResult, channels: &ChannelListResult) -> Vec<String> {
    let own = status.channels.iter().filter(|channel| channel.present && OWN.contains(&channel.kind.as_str()));
    let is_person = |target: &str| {
        let kind = target.split(':').next().unwrap_or_default();
        !OWN.contains(&kind) && !PROGRAMS.contains(&kind)
    };
    let others = channels.targets.iter().filter(|target| target.configured && is_person(&target.target));
    let others = others.filter(|target| target.breaker == "closed" && target.last_error.is_none());
    own.map(|channel| channel.kind.clone()).chain(others.map(|target| target.target.clone())).collect()
}

/// Looks how the targets are.
pub(super) fn targets(known: &Known, found: &mut Vec<Finding>) {
    let area = "targets";
    let Known::Answers { status, channels, .. } = known else { return };
    found.push(match &reached(status, channels)[..] {
        [] => Finding::wrong(
            area,
            "nobody can be reached: what is due waits",
            Some("keiko channel add telegram phone".to_owned()),
        ),
        reached => Finding::fine(area, &format!("you are reached by {}", reached.join(", "))),
    });
    for target in &channels.targets {
        let name = &target.target;
        let waits = match target.held + target.retrying + target.waiting {
            0 => String::new(),
            1 => ", 1 message waits".to_owned(),
            many => format!(", {many} messages wait"),
        };
        if target.breaker == "paused" {
            let text = format!("{name} is paused{waits}");
            found.push(Finding::note(area, &text, Some(format!("keiko channel resume {name}"))));
        } else if let Some(error) = &target.last_error {
            let text = format!("{name} failed {} times in a row{waits}: {error}", target.failures.max(1));
            let finding = if target.configured { Finding::wrong } else { Finding::note };
            found.push(finding(area, &text, Some(format!("keiko channel test {name}"))));
        }
    }
}

/// Returns whether what could not be sent of an occurrence can be tried anew: while it is due, or where it ended for that.
fn can_be_sent_again(task: &Task, of: &OccurrenceName) -> bool {
    let is_over = task.state != "RUNNING" && task.outcome.as_deref() != Some("retries_exhausted");
    !is_over && task.occurrence.key == of.key && task.occurrence.generation == of.generation
}

/// Looks what failed lately, and what is left of it.
pub(super) fn failures(known: &Known, found: &mut Vec<Finding>) {
    let area = "failures";
    let Known::Answers { status, unsent, .. } = known else { return };
    let before = found.len();
    if let Some(delivery) = status.failed.first() {
        let why = delivery.last_error.as_deref().unwrap_or("no attempt succeeded");
        let text = format!(
            "{} not sent within seven days; the last is of task {} to {}: {why}",
            messages(status.failed_total),
            delivery.task,
            delivery.target
        );
        let can_be_sent = unsent.as_deref().is_some_and(|task| can_be_sent_again(task, &delivery.occurrence));
        // What is over can only be looked at.
        let verb = if can_be_sent { "retry" } else { "why" };
        found.push(Finding::note(area, &text, Some(format!("keiko {verb} {}", delivery.task))));
    }
    if let Some(command) = status.commands_failed.first() {
        let why = command.error.as_deref().unwrap_or("no attempt succeeded");
        let text = format!(
            "{} within seven days; the last is of task {}, {}: {why}",
            commands(status.commands_failed_total),
            command.number,
            command.title
        );
        let mend = format!("keiko show {} --output, then keiko retry {}", command.number, command.number);
        found.push(Finding::note(area, &text, Some(mend)));
    }
    for hook in &status.hooks {
        if let Some(error) = hook.last_error.as_deref().filter(|_| hook.failures_in_a_row > 0) {
            let text = format!(
                "hook {} failed {} times in a row, {} events wait: {error}",
                hook.name, hook.failures_in_a_row, hook.waiting
            );
            found.push(Finding::wrong(area, &text, Some(format!("mend {}, then keiko daemon reload", hook.program))));
        }
        if hook.dropped > 0 {
            let text = format!("hook {} was not told of {} events: there was no room", hook.name, hook.dropped);
            found.push(Finding::note(area, &text, Some("keiko status".to_owned())));
        }
    }
    if let Some(error) = &status.pings.last_error {
        let text = format!("{} pings were given up: {error}", status.pings.failures);
        found.push(Finding::note(area, &text, Some("keiko status".to_owned())));
    }
    if found.len() == before {
        found.push(Finding::fine(area, "none within seven days"));
    }
}

fn commands(count: u64) -> String {
    if count == 1 { "1 command failed".to_owned() } else { format!("{count} commands failed") }
}

fn messages(count: u64) -> String {
    if count == 1 { "1 message was".to_owned() } else { format!("{count} messages were") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::render::fixture::task;

    #[test]
    fn only_what_is_due_or_ended_for_want_of_a_taker_is_proposed_to_be_tried_anew() {
        let check = |state: &str, outcome: Option<&str>, is_proposed: bool| {
            let task = task(&json!({ "state": state, "outcome": outcome }));
            let of = OccurrenceName { key: task.occurrence.key.clone(), generation: task.occurrence.generation };
            assert_eq!(can_be_sent_again(&task, &of), is_proposed, "{state} {outcome:?}");
            let before = OccurrenceName { generation: of.generation + 1, ..of };
            assert!(!can_be_sent_again(&task, &before), "another time of it is due");
        };
        check("RUNNING", None, true);
        check("CANCELLED", Some("retries_exhausted"), true);
        check("CANCELLED", Some("skipped"), false);
        check("COMPLETED", Some("done"), false);
        check("PENDING", None, false);
    }
}
