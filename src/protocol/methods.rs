//! What can be asked, with which parameters, and what is answered? One struct for each method's parameters and result.
//!
//! Parameters are given by name; by position they stand in the order of the fields. An unknown parameter is refused, since
//! a misspelt one would be lost in silence; an unknown field of a result is not, since a later version may add some.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use crate::protocol::objects::{
    Away, ChannelStatus, CommandFailed, ConfigStatus, Counts, Delivery, Json, Next, Reading, Run, RunCounts, Skipped,
    StorageTrouble, Task, Time,
};
#[cfg(test)]
use crate::protocol::openrpc::tests::fields;

pub use crate::protocol::methods::add::Add;
pub use crate::protocol::methods::agenda::{AGENDA_DEFAULT, AGENDA_MAX, AGENDA_NOTES_MAX, AgendaGet, AgendaResult};
pub use crate::protocol::methods::away::{AwayGet, AwayResult, AwaySet};
pub use crate::protocol::methods::choices::{CHOICES_DEFAULT, CHOICES_MAX, Choices, ChoicesResult, Tags, TagsResult};
pub use crate::protocol::methods::command::{Command, Limits, OutputGet, OutputResult, RunNow, RunNowResult, Size};
pub use crate::protocol::methods::following::{
    EVENT_NOTIFICATION, EVENTS_DEFAULT, EVENTS_MAX, EventList, EventListResult, EventPushed, EventSubscribe,
    EventSubscribeResult, EventUnsubscribe, EventUnsubscribeResult, HISTORY_DELIVERIES_MAX, History, HistoryResult,
    PAGE_BYTES_MAX,
};
pub use crate::protocol::methods::glance::{Glance, GlanceResult};
pub use crate::protocol::methods::hooks::{
    HookAdd, HookAddResult, HookList, HookListResult, HookRemove, HookRemoveResult, HookStatus, PingStatus,
};
pub use crate::protocol::methods::ops::{
    OPS_DEFAULT, OPS_MAX, OpBegin, OpBeginResult, OpGet, OpGetResult, OpList, OpListResult, Undo, UndoResult,
};
pub use crate::protocol::methods::outgoing::{
    ChannelList, ChannelListResult, ChannelPause, ChannelResult, ChannelResume, ChannelTest, ChannelTestResult,
    DELIVERIES_MAX, DeliveryList, DeliveryListResult,
};
pub use crate::protocol::methods::rows::{Rows, RowsResult};
pub use crate::protocol::methods::storage::{
    Backup, BackupResult, Export, ExportResult, Import, ImportResult, RestoreResult, Untaken,
};
pub use crate::protocol::methods::story::{WHY_DEFAULT, WHY_MAX, Why, WhyResult};
pub use crate::protocol::methods::update::Update;
pub use crate::protocol::methods::verbs::{
    Ack, Cancel, Delete, Done, Pause, PauseResult, Resume, Retry, SeriesScope, Skip, Snooze, Unblock,
};
pub use crate::protocol::methods::wait::{Wait, WaitFor, WaitOutcome, WaitResult};

mod add;
mod agenda;
mod away;
mod choices;
mod command;
mod following;
mod glance;
mod hooks;
mod ops;
mod outgoing;
mod rows;
mod storage;
mod story;
mod update;
mod verbs;
mod wait;

/// The methods, declared with their words, parameters and results: one table for the server and the client.
macro_rules! methods {
    ($($variant:ident $word:literal $params:ident -> $result:ident;)*) => {
        /// A method.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Method {
            $(#[doc = concat!("`", $word, "`, see [`", stringify!($params), "`].")] $variant,)*
        }

        impl Method {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns its name on the wire, `noun.verb`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }

        /// Returns each method with the names of its parameters and of its result's fields, in order.
        #[cfg(test)]
        pub(crate) fn shapes() -> Vec<(Method, &'static [&'static str], &'static [&'static str])> {
            vec![$((Method::$variant, fields::<$params>(), fields::<$result>()),)*]
        }

        $(impl Ask for $params {
            type Answer = $result;

            const METHOD: Method = Method::$variant;
        })*
    };
}

methods! {
    DaemonHello "daemon.hello" Hello -> HelloResult;
    DaemonStatus "daemon.status" Status -> StatusResult;
    DaemonStop "daemon.stop" Stop -> StopResult;
    DaemonReload "daemon.reload" Reload -> ReloadResult;
    TaskAdd "task.add" Add -> WriteResult;
    TaskGet "task.get" Get -> TaskResult;
    TaskList "task.list" List -> ListResult;
    TaskRows "task.rows" Rows -> RowsResult;
    TaskGlance "task.glance" Glance -> GlanceResult;
    TaskUpdate "task.update" Update -> WriteResult;
    TaskDone "task.done" Done -> WriteResult;
    TaskAck "task.ack" Ack -> WriteResult;
    TaskSnooze "task.snooze" Snooze -> WriteResult;
    TaskPause "task.pause" Pause -> PauseResult;
    TaskResume "task.resume" Resume -> PauseResult;
    TaskSkip "task.skip" Skip -> WriteResult;
    TaskCancel "task.cancel" Cancel -> WriteResult;
    TaskDelete "task.delete" Delete -> WriteResult;
    TaskRetry "task.retry" Retry -> WriteResult;
    TaskRun "task.run" RunNow -> RunNowResult;
    TaskOutput "task.output" OutputGet -> OutputResult;
    TaskUnblock "task.unblock" Unblock -> WriteResult;
    TaskWait "task.wait" Wait -> WaitResult;
    TaskChoices "task.choices" Choices -> ChoicesResult;
    TaskTags "task.tags" Tags -> TagsResult;
    TaskHistory "task.history" History -> HistoryResult;
    TaskWhy "task.why" Why -> WhyResult;
    OpBegin "op.begin" OpBegin -> OpBeginResult;
    OpList "op.list" OpList -> OpListResult;
    OpGet "op.get" OpGet -> OpGetResult;
    OpUndo "op.undo" Undo -> UndoResult;
    AgendaGet "agenda.get" AgendaGet -> AgendaResult;
    AwaySet "away.set" AwaySet -> AwayResult;
    AwayGet "away.get" AwayGet -> AwayResult;
    EventList "event.list" EventList -> EventListResult;
    EventSubscribe "event.subscribe" EventSubscribe -> EventSubscribeResult;
    EventUnsubscribe "event.unsubscribe" EventUnsubscribe -> EventUnsubscribeResult;
    DeliveryList "delivery.list" DeliveryList -> DeliveryListResult;
    ChannelList "channel.list" ChannelList -> ChannelListResult;
    ChannelPause "channel.pause" ChannelPause -> ChannelResult;
    ChannelResume "channel.resume" ChannelResume -> ChannelResult;
    ChannelTest "channel.test" ChannelTest -> ChannelTestResult;
    HookList "hook.list" HookList -> HookListResult;
    HookAdd "hook.add" HookAdd -> HookAddResult;
    HookRemove "hook.remove" HookRemove -> HookRemoveResult;
    StoreBackup "store.backup" Backup -> BackupResult;
    StoreExport "store.export" Export -> ExportResult;
    StoreImport "store.import" Import -> ImportResult;
    TimeParse "time.parse" Parse -> Reading;
    ClockAdvance "clock.advance" Advance -> AdvanceResult;
    RpcDiscover "rpc.discover" Discover -> Json;
}

/// The parameters of a method, with the result that answers them.
pub trait Ask: Serialize + DeserializeOwned {
    /// What is answered.
    type Answer: Serialize + DeserializeOwned;

    /// The method.
    const METHOD: Method;
}

impl Method {
    /// Returns the method of a name, `None` where there is none.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|method| method.as_str() == word)
    }
}

/// How somebody names a task: its number, the beginning of its id, or words of its title. JSON string or number.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct TaskRef(pub String);

impl<'de> Deserialize<'de> for TaskRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a task's number, id or title, as a string or a whole number")]
        enum Either {
            Number(u64),
            Text(String),
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::Number(number) => Self(number.to_string()),
            Either::Text(text) => Self(text),
        })
    }
}

impl From<&str> for TaskRef {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<u64> for TaskRef {
    fn from(number: u64) -> Self {
        Self(number.to_string())
    }
}

/// Asks who is there.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// The version of the caller's program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_version: Option<String>,
    /// The protocol that the caller speaks; one that the daemon does not is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<u32>,
}

/// Asks how the daemon is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Status {}

/// Asks the daemon to stop in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stop {}

/// Asks the daemon to read its configuration anew.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reload {
    /// A text of which is said what would come of it if it stood in the file; nothing is read or changed then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
}

/// Asks for a task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Get {
    /// Which.
    pub task: TaskRef,
}

/// Asks for tasks: those that fit all that is said of them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Whether those that have ended are wanted too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub all: bool,
    /// The most that are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Where to go on: `next` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// Whether only those that have ended are wanted.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ended: bool,
    /// One of these stages, as `stage` of a task says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<Vec<String>>,
    /// All of these tags, with or without the leading `+`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// Words that stand in the title or the notes, all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Due within these days: `today`, `this week`, `2026-06-01..2026-06-30`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    /// Due before this day or time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_before: Option<String>,
    /// Due behind this day, or at this time or later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_after: Option<String>,
    /// Whether it comes up more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<bool>,
    /// Whether only those are wanted with which something is wrong.
    #[serde(default, skip_serializing_if = "is_false")]
    pub attention: bool,
    /// The zone in which the words are read; the daemon's unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}

/// Asks what a sentence means.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parse {
    /// The sentence.
    pub text: String,
    /// What "now" is, RFC 3339; absent: now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<Time>,
    /// The zone; absent: the daemon's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// `us` or `uk`: the order of day and month.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
}

/// Moves the programmable clock.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Advance {
    /// Where to.
    pub to: Time,
    /// `pass` (through every instant on the way, the default), `sleep` (at once, as a machine that slept wakes) or `set` (at
    /// once, also back, as somebody sets the clock).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how: Option<String>,
    /// The zone that the device is in since, by its IANA name; only with `set`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}

/// Asks what can be asked: the answer is an `OpenRPC` document.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Discover {}

/// Who is there.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HelloResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The version of the daemon's program.
    pub version: String,
    /// See [`crate::protocol::PROTOCOL_VERSION`].
    pub protocol: u32,
    /// The version of the database's schema.
    pub schema: u32,
    /// The daemon's process.
    pub pid: u32,
    /// The daemon's time.
    pub now: Time,
    /// The daemon's zone.
    pub zone: String,
    /// Whether `clock.advance` moves its clock.
    pub programmable_clock: bool,
}

/// How the daemon is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StatusResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The version of the daemon's program.
    pub version: String,
    /// See [`crate::protocol::PROTOCOL_VERSION`].
    pub protocol: u32,
    /// The version of the database's schema.
    pub schema: u32,
    /// The daemon's process.
    pub pid: u32,
    /// For how long it has run.
    pub uptime_s: u64,
    /// The daemon's time.
    pub now: Time,
    /// The daemon's zone.
    pub zone: String,
    /// Where the database is.
    pub data_dir: String,
    /// Where it listens.
    pub socket: String,
    /// How many tasks there are.
    pub counts: Counts,
    /// What it does next.
    pub next: Option<Next>,
    /// Whether each channel can reach somebody.
    pub channels: Vec<ChannelStatus>,
    /// How many deliveries failed for good within the last seven days.
    #[serde(default)]
    pub failed_total: u64,
    /// The latest of them, latest first.
    #[serde(default)]
    pub failed: Vec<Delivery>,
    /// How many times commands failed for good within the last seven days.
    #[serde(default)]
    pub commands_failed_total: u64,
    /// The latest of them, latest first.
    #[serde(default)]
    pub commands_failed: Vec<CommandFailed>,
    /// How often something was missed and not made up for within the last seven days.
    #[serde(default)]
    pub skipped_total: u64,
    /// The latest of that, latest first.
    #[serde(default)]
    pub skipped: Vec<Skipped>,
    /// What keeps commands from being run and told of, null where nothing does.
    #[serde(default)]
    pub runner: Option<String>,
    /// What is wrong with the store, null where it takes what is written.
    #[serde(default)]
    pub storage: Option<StorageTrouble>,
    /// The time for which the person is or will be away, null where there is none.
    #[serde(default)]
    pub away: Option<Away>,
    /// Until when what comes by itself is held now, null where nothing is.
    #[serde(default)]
    pub quiet_until: Option<Time>,
    /// The programs that are run when something happens, and how it goes with them.
    #[serde(default)]
    pub hooks: Vec<HookStatus>,
    /// How it goes with the pings of commands.
    #[serde(default)]
    pub pings: PingStatus,
    /// How many commands run, and wait for a free place.
    #[serde(default)]
    pub runs: RunCounts,
    /// How it stands with the configuration.
    #[serde(default)]
    pub config: ConfigStatus,
}

/// The configuration was read anew, and holds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ReloadResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// The file.
    pub config: String,
    /// The targets that are configured now.
    pub targets: Vec<String>,
    /// The keys whose values differ from those that the daemon started with, and hold from its next start on only.
    pub at_next_start: Vec<String>,
    /// What is odd in the file, and does no harm.
    pub warnings: Vec<String>,
}

/// The daemon stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StopResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// True.
    pub stopping: bool,
}

/// What a change did.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WriteResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// When it was done.
    pub now: Time,
    /// Names the request, in events too.
    pub op_id: String,
    /// Whether anything changed.
    pub changed: bool,
    /// The task now.
    pub task: Task,
    /// How many instances of a series were passed over.
    pub passed_over: u64,
    /// What the person should know besides.
    pub warnings: Vec<String>,
    /// Tasks that waited for it and were set free, are blocked now or ended with it: the first twenty.
    #[serde(default)]
    pub dependents: Vec<Task>,
    /// How many they are.
    #[serde(default)]
    pub dependents_total: u64,
    /// Whether this is only what would be.
    #[serde(default)]
    pub preview: bool,
    /// The task that goes on with the series, where it was changed from a time on.
    #[serde(default)]
    pub follower: Option<Box<Task>>,
    /// The runs of its command that were not over when it was done: they go on, or are asked to end.
    #[serde(default)]
    pub runs: Vec<Run>,
}

/// A task.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TaskResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// The task.
    pub task: Task,
    /// Where it speaks as things are configured now: its own channels, else those of the first rule that fits, else the
    /// default; empty: the desktop, and the terminal while that is away.
    #[serde(default)]
    pub via: Vec<String>,
    /// Its latest runs, the latest first, [`RUNS_TOLD_MAX`] at most.
    #[serde(default)]
    pub runs: Vec<Run>,
    /// What the person should know besides.
    pub warnings: Vec<String>,
}

/// How many runs a task is told with: `task.output` has the others that are kept.
pub const RUNS_TOLD_MAX: usize = 5;

/// Tasks, ordered by number.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ListResult<T = Task> {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
    /// The tasks.
    pub tasks: Vec<T>,
    /// What the person should know besides.
    pub warnings: Vec<String>,
    /// Where the next page begins, null on the last one; see [`PAGE_BYTES_MAX`].
    #[serde(default)]
    pub next: Option<u64>,
}

/// What the programmable clock shows.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct AdvanceResult {
    /// See [`crate::protocol::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The daemon's time.
    pub now: Time,
}

/// Serde asks by reference whether a flag is left out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

/// Reads a value that is present, so that null differs from absent.
fn some<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_found_again_by_its_word() {
        for method in Method::ALL {
            assert_eq!(Method::from_word(method.as_str()), Some(*method));
        }
        assert_eq!(Method::from_word("task.explode"), None);
    }

    #[test]
    fn a_task_is_named_by_a_string_or_a_number() {
        let read = |text: &str| serde_json::from_str::<Get>(text).map(|get| get.task.0);
        assert_eq!(read(r#"{"task":7}"#).expect("a number"), "7");
        assert_eq!(read(r#"{"task":"pay rent"}"#).expect("words"), "pay rent");
        assert!(read(r#"{"task":7.5}"#).is_err());
        assert!(read("{}").is_err());
    }

    #[test]
    fn null_removes_a_link_and_absence_keeps_it() {
        let read = |text: &str| serde_json::from_str::<Update>(text).expect("an update").link;
        assert_eq!(read(r#"{"task":1}"#), None);
        assert_eq!(read(r#"{"task":1,"link":null}"#), Some(None));
        assert_eq!(read(r#"{"task":1,"link":"x"}"#), Some(Some("x".into())));
    }

    #[test]
    fn what_is_absent_is_not_sent() {
        let text = serde_json::to_string(&Add { title: Some("tea".into()), ..Add::default() }).expect("serializable");
        assert_eq!(text, r#"{"title":"tea"}"#);
    }
}
