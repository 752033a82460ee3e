//! People who ask a daemon for this and that, and remember what it acknowledged.

use std::path::Path;
use std::sync::Mutex;

use keiko::client::{Client, ClientError};
use keiko::protocol::error_code::ErrorKind;
use keiko::protocol::methods::{
    Ack, Add, Ask, Cancel, Done, Pause, PauseResult, Resume, Skip, Snooze, Update, WriteResult,
};
use tokio::sync::watch;
use uuid::Uuid;

use crate::support::random::Random;

/// How many tasks may be open: past this the oldest is cancelled, so that a long campaign does not slow down.
const OPEN_MAX: usize = 80;

/// A write that changed something and was answered.
#[derive(Clone, Debug)]
pub(crate) struct Acknowledged {
    pub(crate) op_id: Uuid,
    pub(crate) task: Uuid,
    pub(crate) version: u64,
    pub(crate) state: String,
}

impl From<WriteResult> for Acknowledged {
    fn from(written: WriteResult) -> Self {
        Self {
            op_id: written.op_id.parse().expect("a UUID"),
            task: written.task.id.parse().expect("a UUID"),
            version: written.task.version,
            state: written.task.state,
        }
    }
}

/// What all users know.
pub(crate) struct Common {
    /// The numbers of the tasks that may be open, oldest first.
    pub(crate) open: Mutex<Vec<u64>>,
    /// How many answers there were, refusals too.
    pub(crate) replies: watch::Sender<usize>,
}

/// Somebody with a connection of their own.
pub(crate) struct User {
    name: String,
    random: Random,
    asked: u64,
    /// An addition that was not answered: sent again with the same key, it must be done once.
    unanswered: Option<Add>,
    /// A task that is to be snoozed next, since it has a title of its own now.
    renamed: Option<u64>,
}

/// Why nobody answers.
struct Gone;

impl User {
    /// Makes somebody whose wishes follow from the seed.
    pub(crate) fn new(name: String, seed: u64) -> Self {
        Self { name, random: Random(seed), asked: 0, unanswered: None, renamed: None }
    }

    /// Asks `count` times, or until the daemon is gone; returns what was acknowledged.
    pub(crate) fn work(&mut self, socket: &Path, count: usize, common: &Common) -> Vec<Acknowledged> {
        let mut acknowledged = Vec::new();
        let Ok(mut client) = Client::connect(socket) else { return acknowledged };
        for _ in 0..count {
            let Ok(answer) = self.ask(&mut client, common) else { break };
            common.replies.send_modify(|replies| *replies += 1);
            let Some(written) = answer.filter(|written| written.changed) else { continue };
            acknowledged.push(written.into());
        }
        acknowledged
    }

    /// Asks one thing; `None` where it was refused.
    fn ask(&mut self, client: &mut Client, common: &Common) -> Result<Option<WriteResult>, Gone> {
        if let Some(add) = self.unanswered.take() {
            return self.add(client, common, add);
        }
        if let Some(number) = self.renamed.take() {
            let (task, length) = (Some(number.into()), Some("1s".to_owned()));
            return call(client, &Snooze { task, r#for: length, early: true, ..Snooze::default() });
        }
        self.asked += 1;
        let oldest = {
            let mut open = common.open.lock().unwrap();
            (open.len() > OPEN_MAX).then(|| open.remove(0))
        };
        if let Some(task) = oldest {
            return call(
                client,
                &Cancel { task: task.into(), all: false, occurrence: None, key: None, scope: None, preview: false },
            );
        }
        let known = {
            let open = common.open.lock().unwrap();
            let count = u64::try_from(open.len()).expect("few");
            (count > 0).then(|| open[usize::try_from(self.random.below(count)).expect("few")])
        };
        match known {
            Some(task) if self.random.chance(60) => self.change(client, task),
            Some(_) | None => {
                let add = self.new_task();
                self.add(client, common, add)
            }
        }
    }

    fn new_task(&mut self) -> Add {
        let title = format!("{} {}", self.name, self.asked);
        let (at, every) = match self.random.below(20) {
            0 => (None, Some("5 seconds")),
            1 => (None, Some("day at 9am")),
            2 => (Some("tomorrow 9am"), None),
            3 => (None, None),
            4..=9 => (Some("in 2 seconds"), None),
            _ => (Some("in 1 second"), None),
        };
        Add {
            key: self.random.chance(50).then(|| title.clone()),
            title: Some(title),
            at: at.map(str::to_owned),
            every: every.map(str::to_owned),
            channels: Some(vec!["desktop".to_owned()]),
            ..Add::default()
        }
    }

    fn add(&mut self, client: &mut Client, common: &Common, add: Add) -> Result<Option<WriteResult>, Gone> {
        let answer = call(client, &add);
        match &answer {
            Ok(Some(written)) => common.open.lock().unwrap().push(written.task.number),
            Ok(None) => {}
            Err(Gone) => self.unanswered = Some(add).filter(|add| add.key.is_some()),
        }
        answer
    }

    fn change(&mut self, client: &mut Client, number: u64) -> Result<Option<WriteResult>, Gone> {
        let task = number.into();
        let named = Some(number.into());
        let early = self.random.chance(50);
        match self.random.below(10) {
            0 => call(client, &Done { task: named, early, ..Done::default() }),
            1 => call(client, &Ack { task: named, early, ..Ack::default() }),
            // A new title before each snooze, so that a popup tells which firing it is of.
            2 | 3 => {
                let title = Some(format!("{} {} again", self.name, self.asked));
                let edited = call(client, &Update { title, ..update(number) })?;
                self.renamed = edited.is_some().then_some(number);
                Ok(edited)
            }
            4 => call(
                client,
                &Pause {
                    task: Some(task),
                    all: false,
                    tag: None,
                    r#for: early.then(|| "1s".to_owned()),
                    until: None,
                    zone: None,
                    occurrence: None,
                    key: None,
                    scope: None,
                    preview: false,
                },
            ),
            5 => call(
                client,
                &Resume { task: Some(task), all: false, tag: None, shift: early, occurrence: None, key: None },
            ),
            6 => call(client, &Skip { task, occurrence: None, key: None }),
            7 => call(client, &Cancel { task, all: false, occurrence: None, key: None, scope: None, preview: false }),
            8 => call(client, &Update { at: Some("in 1 second".to_owned()), ..update(number) }),
            _ => call(client, &Update { notes: Some(self.asked.to_string()), ..update(number) }),
        }
    }
}

fn update(number: u64) -> Update {
    Update {
        key: None,
        scope: None,
        preview: false,
        max_retries: None,
        max_late: None,
        missed: None,
        nag: None,
        nag_max: None,
        auto_done: None,
        deadline: None,
        deadline_alerts: None,
        after_done: false,
        task: number.into(),
        version: None,
        title: None,
        notes: None,
        link: None,
        priority: None,
        tags: None,
        metadata: None,
        channels: None,
        ping: None,
        command: None,
        text: None,
        at: None,
        every: None,
        cron: None,
        rrule: None,
        from: None,
        until: None,
        zone: None,
        fixed_zone: false,
        alerts: None,
        waits_for: None,
        delay: None,
        on_parent_fail: None,
    }
}

/// What was done to one task.
struct Written(WriteResult);

impl From<WriteResult> for Written {
    fn from(written: WriteResult) -> Self {
        Self(written)
    }
}

impl From<PauseResult> for Written {
    fn from(answer: PauseResult) -> Self {
        Self(answer.into_one().expect("one task was meant"))
    }
}

fn call<P: Ask<Answer: Into<Written>>>(client: &mut Client, params: &P) -> Result<Option<WriteResult>, Gone> {
    match client.call(params) {
        Ok(written) => Ok(Some(written.into().0)),
        Err(ClientError::Refused { error }) => {
            let is_expected = matches!(error.kind(), ErrorKind::Refused | ErrorKind::Gone | ErrorKind::Conflict);
            assert!(is_expected, "{}: {error:?}", P::METHOD.as_str());
            Ok(None)
        }
        Err(ClientError::Closed { .. } | ClientError::Broken { .. } | ClientError::NotTaken { .. }) => Err(Gone),
        Err(error) => panic!("{}: {error}", P::METHOD.as_str()),
    }
}
