//! What the daemon knows of what can be typed: tasks, changes, tags and targets. Nothing, where none answers.
//!
//! Starts none, and says nothing of what goes wrong: a shell is in the middle of a line.

use crate::cli::complete::values::Candidate;
use crate::cli::render::op::ID_SHOWN;
use crate::cli::render::text;
use crate::cli::render::time::Viewpoint;
use crate::cli::zone;
use crate::client::Client;
use crate::config::paths::Paths;
use crate::protocol::methods::{ChannelList, Choices, OpList, Tags};

/// How many changes are offered to be taken back.
const OPS: usize = 20;

fn daemon() -> Option<Client> {
    Client::connect(&Paths::of_process().ok()?.find_socket().ok()?).ok()
}

/// Returns the tasks of which a verb may be said, whose number begins with `typed`.
pub(super) fn tasks(verb: &str, typed: &str) -> Vec<Candidate> {
    if !typed.chars().all(|c| c.is_ascii_digit()) {
        return Vec::new();
    }
    let question =
        Choices { verb: verb.to_owned(), number: (!typed.is_empty()).then(|| typed.to_owned()), limit: None };
    let answer = daemon().and_then(|mut daemon| daemon.call(&question).ok());
    let choices = answer.map(|answer| answer.choices).unwrap_or_default();
    choices.into_iter().map(|each| Candidate::new(each.number.to_string(), &each.title)).collect()
}

/// Returns the latest changes that can be taken back.
pub(super) fn ops() -> Vec<Candidate> {
    let question = OpList { before: None, limit: Some(OPS) };
    let Some(answer) = daemon().and_then(|mut daemon| daemon.call(&question).ok()) else { return Vec::new() };
    let view = Viewpoint { now: answer.now.instant(), zone: zone::silently() };
    let standing = answer.ops.into_iter().filter(|each| each.undone_by.is_none());
    standing
        .map(|each| {
            let name = each.op_id.chars().take(ID_SHOWN).collect();
            Candidate::new(name, &format!("{}  {}", view.row(each.at.instant()), each.text))
        })
        .collect()
}

/// Returns the tags of the open tasks.
pub(super) fn tags() -> Vec<String> {
    let answer = daemon().and_then(|mut daemon| daemon.call(&Tags {}).ok());
    let mut tags = answer.map(|answer| answer.tags).unwrap_or_default();
    // What a shell or a terminal would obey is not typed for anybody.
    tags.retain(|tag| !tag.is_empty() && text::clean(tag) == *tag && !tag.contains([' ', ',']));
    tags
}

/// Returns the targets that there are.
pub(super) fn targets() -> Vec<Candidate> {
    let answer = daemon().and_then(|mut daemon| daemon.call(&ChannelList {}).ok());
    let targets = answer.map(|answer| answer.targets).unwrap_or_default();
    let named = targets.into_iter().filter(|each| each.configured && !each.target.contains("://"));
    named.map(|each| Candidate::new(each.target, if each.breaker == "closed" { "" } else { &each.breaker })).collect()
}
