//! What does a daemon do about a database that it cannot read? It sets it aside, says so as loudly as it can, and does not
//! go on by itself: an empty list in place of the person's tasks would lose every reminder in silence.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use uuid::Uuid;

use crate::clock::Clock;
use crate::config::Config;
use crate::config::paths::Paths;
use crate::domain::delivery::{Delivery, Target};
use crate::domain::task::Priority;
use crate::domain::time::Timestamp;
use crate::notify::{Channel, Presence, first_look};
use crate::store::sqlite::damage::{missing_since_damage, newest_backup, set_aside};

/// How long a channel may take to say it: as long as an attempt may take.
const TELL_WAIT: Duration = Duration::from_secs(5);

/// A database that is set aside, and what to go on with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SetAside {
    database: PathBuf,
    aside: PathBuf,
    backup: Option<PathBuf>,
}

impl SetAside {
    /// Sets the database aside.
    ///
    /// # Errors
    /// It cannot be renamed, and stays where it is.
    pub(super) fn now(paths: &Paths, now: Timestamp) -> std::io::Result<Self> {
        let database = paths.database();
        let aside = set_aside(&database, &now.to_utc().format("%Y-%m-%dT%H-%M-%SZ").to_string())?;
        Ok(Self { aside, backup: newest_backup(&paths.backup_dir()), database })
    }

    /// Returns the database that was set aside before, while nothing has taken its place.
    pub(super) fn before(paths: &Paths) -> Option<Self> {
        let database = paths.database();
        let aside = missing_since_damage(&database)?;
        Some(Self { aside, backup: newest_backup(&paths.backup_dir()), database })
    }

    /// Returns what happened, for the error.
    pub(super) fn told(&self) -> String {
        format!(
            "cannot go on with {}: it was damaged and is set aside as {}; nothing rings until you choose what to go on with",
            self.database.display(),
            self.aside.display()
        )
    }

    /// Returns the commands to go on with.
    pub(super) fn hint(&self) -> String {
        let anew = "keiko daemon start --empty begins with no tasks";
        match &self.backup {
            Some(backup) => format!(
                "cp {} {} && keiko daemon start goes on with the newest backup; {anew}",
                quoted(backup),
                quoted(&self.database)
            ),
            None => format!("there is no backup; {anew}"),
        }
    }

    /// Tells the person by every channel that can reach them.
    pub(super) async fn tell(
        &self,
        channels: &[Arc<dyn Channel>],
        config: &Config,
        clock: &dyn Clock,
        look_wait: Duration,
    ) {
        join_all(channels.iter().map(|channel| first_look(&**channel, look_wait))).await;
        let is_wanted = |channel: &&Arc<dyn Channel>| {
            let kind = channel.kind();
            let is_chosen =
                config.routing.channels.is_empty() || config.routing.channels.iter().any(|target| target.kind == kind);
            kind.is_person() && is_chosen && *channel.presence().borrow() == Presence::Present
        };
        let told = channels.iter().filter(is_wanted).map(|channel| async {
            let target = Target { kind: channel.kind(), address: String::new() };
            let mut delivery = Delivery::trial(target, Uuid::nil(), clock.now());
            "Keiko has stopped: its database is damaged".clone_into(&mut delivery.message.title);
            delivery.message.body = format!("No reminder rings until you choose what to go on with.\n{}", self.hint());
            delivery.message.priority = Priority::High;
            // Who cannot be told here reads it with the next command.
            let _ = tokio::time::timeout(TELL_WAIT, channel.deliver(&delivery)).await;
        });
        join_all(told).await;
    }
}

/// Returns a path as one word of a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    if is_plain { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_to_go_on_with_can_be_typed_as_they_are() {
        let set_aside = SetAside {
            database: "/home/a b/keiko.db".into(),
            aside: "/home/a b/keiko.db.corrupt-2026-05-13T16-00-00Z".into(),
            backup: Some("/home/a b/backups/it's.db".into()),
        };
        insta::assert_snapshot!(set_aside.hint(), @r"cp '/home/a b/backups/it'\''s.db' '/home/a b/keiko.db' && keiko daemon start goes on with the newest backup; keiko daemon start --empty begins with no tasks");
        let without = SetAside { backup: None, ..set_aside };
        insta::assert_snapshot!(without.hint(), @"there is no backup; keiko daemon start --empty begins with no tasks");
    }
}
