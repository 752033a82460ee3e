//! A pause of many tasks at once, which stands until it is ended: what is armed meanwhile goes to sleep too (SPEC 4).

use std::fmt;

use uuid::Uuid;

use crate::domain::command::StandingPause;
use crate::domain::time::Timestamp;

/// Which tasks are meant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Scope {
    /// All of them.
    All,
    /// Those with a tag, which is written without its `+`.
    Tag(String),
}

impl Scope {
    /// Returns whether a task of these tags is meant.
    #[must_use]
    pub fn covers(&self, tags: &[String]) -> bool {
        match self {
            Self::All => true,
            Self::Tag(tag) => tags.contains(tag),
        }
    }
}

/// `all tasks`, or `+home`.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all tasks"),
            Self::Tag(tag) => write!(f, "+{tag}"),
        }
    }
}

/// A pause of many tasks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ManyPause {
    /// The request that began it: each task that it put to sleep bears this id.
    pub id: Uuid,
    /// Which tasks.
    pub scope: Scope,
    /// Since when.
    pub since: Timestamp,
    /// When it ends by itself.
    pub until: Option<Timestamp>,
}

impl ManyPause {
    /// Returns whether it has ended by itself.
    #[must_use]
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= now)
    }

    /// Returns it as it holds for one of its tasks.
    #[must_use]
    pub const fn standing(&self) -> StandingPause {
        StandingPause { id: self.id, until: self.until }
    }
}

/// Returns the pause that holds for a task of these tags, the oldest of several.
#[must_use]
pub fn standing(pauses: &[ManyPause], tags: &[String], now: Timestamp) -> Option<StandingPause> {
    let holds = |pause: &&ManyPause| !pause.is_over(now) && pause.scope.covers(tags);
    pauses.iter().find(holds).map(ManyPause::standing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis).expect("small")
    }

    fn pause(id: u128, scope: Scope, until: Option<i64>) -> ManyPause {
        ManyPause { id: Uuid::from_u128(id), scope, since: at(0), until: until.map(at) }
    }

    #[test]
    fn the_oldest_that_covers_a_task_and_is_not_over_holds() {
        let home = || Scope::Tag("home".into());
        let pauses = [pause(1, home(), Some(10)), pause(2, Scope::All, None), pause(3, home(), None)];
        let holds = |tags: &[&str], now| {
            let tags: Vec<String> = tags.iter().map(ToString::to_string).collect();
            standing(&pauses, &tags, at(now)).map(|pause| pause.id.as_u128())
        };
        assert_eq!(holds(&["home"], 9), Some(1));
        assert_eq!(holds(&["home"], 10), Some(2), "the first is over");
        assert_eq!(holds(&[], 0), Some(2));
        assert_eq!(standing(&pauses[..1], &[], at(0)), None);
    }
}
