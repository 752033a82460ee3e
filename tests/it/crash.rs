//! `kill -9` at any moment: nothing that was acknowledged is lost, nothing fires twice, and a popup is repeated only
//! where a delivery was under way (I3, I4).
//!
//! `KEIKO_KILL_ROUNDS=200` runs the whole campaign, `KEIKO_KILL_SEED` another one, and `KEIKO_STRACE=1` kills the daemon
//! before each of its writes in turn.

#![cfg(feature = "desktop")]
#![expect(clippy::print_stderr, reason = "figures are for whoever asked for them")]

use std::collections::{HashMap, HashSet};
use std::future::pending;
use std::io::{BufRead as _, BufReader};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use keiko::client::{Client, ClientError};
use keiko::domain::delivery::{Delivery, DeliveryId, DeliveryStatus};
use keiko::domain::occurrence::FireId;
use keiko::engine::dispatch::PER_TARGET_MAX;
use keiko::protocol::methods::WriteResult;
use keiko::protocol::objects::Counts;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

use crate::support::daemon::{Connection, Daemon, Home};
use crate::support::fake_server::{FakeServer, Manner, Notify};
use crate::support::ledger::{Copy, Ledger};
use crate::support::private_bus::PrivateBus;
use crate::support::random::Random;
use crate::support::users::{Acknowledged, Common, User};
use crate::support::{Killed, soon};

/// How many rounds the suite plays.
const ROUNDS: u64 = 8;

/// How many people ask at once, and how much each asks in a round.
const USERS: u64 = 4;
const CALLS: usize = 40;

/// The longest that a round lasts; by then all that was added has come up.
const ROUND_MAX: Duration = Duration::from_secs(4);

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_any_moment_it_loses_and_repeats_nothing() {
    let seed = number("KEIKO_KILL_SEED").unwrap_or(1);
    let rounds = number("KEIKO_KILL_ROUNDS").unwrap_or(ROUNDS);
    eprintln!("{rounds} rounds of seed {seed}; KEIKO_KILL_SEED and KEIKO_KILL_ROUNDS choose others");
    let mut campaign = Campaign::start(seed).await;
    for _ in 0..rounds {
        campaign.round().await;
    }
    campaign.end().await;
}

/// Where the daemon changes a file. strace counts each call for itself, and anew in each thread.
const WRITES: [&str; 6] = ["pwrite64", "fsync", "fdatasync", "ftruncate", "unlink", "rename"];

#[tokio::test(flavor = "multi_thread")]
async fn killed_before_each_of_its_writes_it_loses_and_repeats_nothing() {
    if number("KEIKO_STRACE").is_none() {
        eprintln!("left out: needs strace and some minutes, KEIKO_STRACE=1 runs it");
        return;
    }
    let bus = PrivateBus::start();
    let server = FakeServer::start(&bus, Manner::Markup).await;
    for (is_new, call) in [false, true].into_iter().flat_map(|is_new| WRITES.map(|call| (is_new, call))) {
        let (mut points, mut repeated, mut acknowledged) = (0, 0, 0);
        loop {
            let home = Home::new();
            let with_bus = |mut command: Command| {
                command.env("DBUS_SESSION_BUS_ADDRESS", bus.address()).env("KEIKO_LOG", "warn");
                command
            };
            let keikod = || with_bus(home.command(env!("CARGO_BIN_EXE_keikod")));
            if !is_new {
                leave_overdue_tasks(keikod(), &home).await;
            }
            let popups_before = server.notified().len();
            let killed = killed_before(call, points + 1, with_bus(home.command("strace")), &home).await;
            let mut ledger = Ledger::default();
            if home.path("data/keiko.db").exists() {
                ledger.read(&Copy::of(&home.path("data")));
            }
            ledger.check_acknowledged(&killed.acknowledged);
            let copy = finish(keikod(), &home).await;
            ledger.read(&copy);
            ledger.compare_all(&copy);
            let counted = count_popups(&server.notified()[popups_before..], &copy, &ledger);
            assert!(counted.repeated <= PER_TARGET_MAX, "{counted:?}");
            repeated += counted.repeated;
            acknowledged += killed.acknowledged.len();
            if !killed.is_killed {
                break;
            }
            points += 1;
        }
        eprintln!("{call}, new database {is_new}: {points} points, acknowledged {acknowledged}, repeated {repeated}");
    }
}

/// Leaves a closed database with tasks that have come up meanwhile.
async fn leave_overdue_tasks(command: Command, home: &Home) {
    let daemon = Daemon::start(command);
    let mut connection = home.connect();
    for task in 1..=6 {
        connection.call("task.add", json!({"title": format!("overdue {task}"), "at": "in 1 second"}));
    }
    connection.call("daemon.stop", json!({}));
    assert!(daemon.ended().success());
    // In real time, since a daemon on a programmable clock would have to be told.
    let _ = tokio::time::timeout(Duration::from_secs(1), pending::<()>()).await;
}

struct UnderStrace {
    acknowledged: Vec<Acknowledged>,
    is_killed: bool,
}

/// Runs a short session with a daemon that is killed when one of its threads comes to its `nth` such call.
async fn killed_before(call: &str, nth: usize, mut strace: Command, home: &Home) -> UnderStrace {
    strace.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}")]);
    strace.args(["-e", &format!("inject={call}:signal=KILL:when={nth}"), env!("CARGO_BIN_EXE_keikod")]);
    let mut strace = Killed(strace.spawn().expect("strace is installed"));
    let mut output = BufReader::new(strace.0.stdout.take().expect("it was asked for"));
    let socket_of = home.path("data/keikod.socket");
    let session = spawn_blocking(move || {
        let mut line = String::new();
        output.read_line(&mut line).expect("a pipe can be read");
        let socket = std::fs::read_to_string(socket_of).ok().filter(|_| line == "ready\n");
        socket.map(|socket| scripted(socket.as_ref())).unwrap_or_default()
    });
    let acknowledged = soon("the session", session).await.expect("no panic");
    let status = soon("the end", spawn_blocking(move || strace.0.wait())).await.expect("no panic").expect("our child");
    UnderStrace { acknowledged, is_killed: !status.success() }
}

/// A bit of everything, then an orderly stop.
fn scripted(socket: &std::path::Path) -> Vec<Acknowledged> {
    let mut acknowledged = Vec::new();
    let Ok(mut client) = Client::connect(socket) else { return acknowledged };
    let steps = [
        ("task.add", json!({"title": "soon", "at": "in 1 second"})),
        ("task.add", json!({"title": "later", "at": "tomorrow 9am", "key": "once"})),
        ("task.add", json!({"title": "often", "every": "day at 9am"})),
        ("task.snooze", json!({"task": "soon", "for": "10m"})),
        ("task.update", json!({"task": "later", "notes": "bring milk"})),
        ("task.pause", json!({"task": "later"})),
        ("task.resume", json!({"task": "later"})),
        ("task.skip", json!({"task": "often"})),
        ("task.done", json!({"task": "soon", "early": true})),
        ("task.cancel", json!({"task": "often"})),
        ("daemon.stop", json!({})),
    ];
    for (method, params) in steps {
        let params = keiko::protocol::envelope::write_result(&params);
        let answer = match client.call_by_name(method, &params) {
            Ok(answer) => answer,
            Err(ClientError::Closed { .. } | ClientError::Broken { .. }) => break,
            Err(error) => panic!("{method} {params}: {error}"),
        };
        acknowledged.extend(serde_json::from_str::<WriteResult>(answer.get()).ok().map(Acknowledged::from));
    }
    acknowledged
}

/// When a daemon is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// When so many calls were answered.
    Replies(usize),
    /// When the notification server was asked for so many popups; it may not have answered the last.
    Popups(usize),
    /// When the notification server has left so many calls unanswered.
    Unanswered(usize),
    /// So long after the process was begun; it may not be ready.
    After(Duration),
}

impl Moment {
    fn any(random: &mut Random) -> Self {
        let mut below = |limit: u64| usize::try_from(random.below(limit)).expect("small");
        match below(4) {
            0 => Self::Replies(1 + below(120)),
            1 => Self::Popups(1 + below(20)),
            2 => Self::Unanswered(1 + below(PER_TARGET_MAX as u64)),
            _ => Self::After(Duration::from_millis(below(700) as u64)),
        }
    }
}

struct Campaign {
    random: Random,
    home: Home,
    bus: PrivateBus,
    server: FakeServer,
    users: Vec<User>,
    common: Arc<Common>,
    ledger: Ledger,
    figures: Figures,
    /// Of each delivery, at how many kills it was queued.
    queued_at_kills: HashMap<DeliveryId, usize>,
}

#[derive(Default, Debug)]
struct Figures {
    acknowledged: usize,
    replies: usize,
    kills: usize,
    kills_before_ready: usize,
    /// Deliveries that were queued when the daemon was killed, summed over the kills.
    queued: usize,
    /// Of those, how many a worker can have had.
    under_way_max: usize,
}

impl Campaign {
    async fn start(seed: u64) -> Self {
        let bus = PrivateBus::start();
        let server = FakeServer::start(&bus, Manner::Markup).await;
        let mut random = Random(seed);
        let users = (0..USERS).map(|user| User::new(format!("user {user}"), random.next())).collect();
        Self {
            random,
            home: Home::new(),
            bus,
            server,
            users,
            common: Arc::new(Common { open: Mutex::default(), replies: watch::Sender::new(0) }),
            ledger: Ledger::default(),
            figures: Figures::default(),
            queued_at_kills: HashMap::new(),
        }
    }

    fn command(&self) -> Command {
        let mut command = self.home.command(env!("CARGO_BIN_EXE_keikod"));
        command.env("DBUS_SESSION_BUS_ADDRESS", self.bus.address()).env("KEIKO_LOG", "warn");
        command
    }

    /// One life of the daemon, from its start to a kill, and what it left.
    async fn round(&mut self) {
        let moment = Moment::any(&mut self.random);
        if matches!(moment, Moment::Unanswered(_)) {
            self.server.hold();
        }
        let mut killed = Killed(self.command().spawn().expect("keikod was built beside the tests"));
        let pid = Pid::from_child(&killed.0);
        let mut output = BufReader::new(killed.0.stdout.take().expect("it was asked for"));
        let mut users = std::mem::take(&mut self.users);
        let (common, socket_of) = (Arc::clone(&self.common), self.home.path("data/keikod.socket"));
        let life = spawn_blocking(move || {
            let mut line = String::new();
            output.read_line(&mut line).expect("a pipe can be read");
            assert!(line.is_empty() || line == "ready\n", "{line}");
            let is_ready = !line.is_empty();
            let acknowledged = if is_ready { work(&mut users, &socket_of, &common) } else { Vec::new() };
            (users, acknowledged, is_ready)
        });
        // A round in which the moment does not come ends all the same.
        let _ = tokio::time::timeout(ROUND_MAX, self.come(moment)).await;
        kill_process(pid, Signal::KILL).expect("it is our child, and not waited for");
        killed.0.wait().expect("it is our child");
        let (users, acknowledged, is_ready) = soon("the users", life).await.expect("no user panics");
        self.users = users;
        self.server.go_on().await;
        self.figures.kills += 1;
        self.figures.kills_before_ready += usize::from(!is_ready);
        self.look(&acknowledged);
    }

    async fn come(&self, moment: Moment) {
        match moment {
            Moment::Replies(count) => {
                let mut replies = self.common.replies.subscribe();
                let enough = *replies.borrow() + count;
                replies.wait_for(|replies| *replies >= enough).await.expect("the campaign lives");
            }
            Moment::Popups(count) => self.server.wait_until_notified(self.server.notified().len() + count).await,
            Moment::Unanswered(count) => self.server.wait_until_owing(count).await,
            Moment::After(duration) => {
                let _ = tokio::time::timeout(duration, pending::<()>()).await;
            }
        }
    }

    /// Looks at what a killed daemon left.
    fn look(&mut self, acknowledged: &[Acknowledged]) {
        let data = self.home.path("data");
        if !data.join("keiko.db").exists() {
            assert!(acknowledged.is_empty(), "an answer without a database");
            return;
        }
        let copy = Copy::of(&data);
        self.ledger.read(&copy);
        self.ledger.check_acknowledged(acknowledged);
        self.figures.acknowledged += acknowledged.len();
        let queued = copy.queued();
        self.figures.queued += queued.len();
        self.figures.under_way_max += queued.len().min(PER_TARGET_MAX);
        for delivery in queued {
            *self.queued_at_kills.entry(delivery.id).or_default() += 1;
        }
    }

    /// Lets a last daemon finish, and counts the popups at the server.
    async fn end(mut self) {
        let copy = finish(self.command(), &self.home).await;
        self.ledger.read(&copy);
        self.ledger.compare_all(&copy);
        self.figures.replies = *self.common.replies.borrow();
        for (id, kills) in &self.queued_at_kills {
            assert!(self.ledger.resent(id) <= *kills, "{id} is said to be sent again without a kill");
        }
        let popups = self.server.notified();
        let counted = count_popups(&popups, &copy, &self.ledger);
        assert!(counted.repeated <= self.figures.under_way_max, "{counted:?}, {:?}", self.figures);
        let Counted { deliveries, told_apart, repeated } = counted;
        eprintln!(
            "{:?}; deliveries {deliveries}, told apart {told_apart}, popups {}, repeated {repeated}, flagged as resent {}, firings {}, events {}",
            self.figures,
            popups.len(),
            self.ledger.resent_in_all(),
            self.ledger.firings(),
            self.ledger.events(),
        );
    }
}

/// Lets a last daemon deliver all that is due and stop, and returns what it left.
async fn finish(command: Command, home: &Home) -> Copy {
    let daemon = Daemon::start(command);
    let mut connection = home.connect();
    let quiet = spawn_blocking(move || {
        while status(&mut connection).outbox > 0 {}
        connection.call("daemon.stop", json!({}));
    });
    soon("an empty outbox", quiet).await.expect("no panic");
    assert!(daemon.ended().success());
    Copy::of(&home.path("data"))
}

#[derive(Debug)]
struct Counted {
    deliveries: usize,
    /// Of those, how many no other shares task and title with, so that each popup is known to be theirs.
    told_apart: usize,
    repeated: usize,
}

/// At least once, and again only where the history says so.
fn count_popups(popups: &[Notify], copy: &Copy, ledger: &Ledger) -> Counted {
    let mut shown: HashMap<(u64, &str), usize> = HashMap::new();
    for popup in popups {
        *shown.entry((task_of(&popup.body), &popup.summary)).or_default() += 1;
    }
    let deliveries = copy.deliveries();
    // A digest is no task's: no history says that it may be a repeat, but each was shown.
    let is_told = |one: &&Delivery| matches!(one.status, DeliveryStatus::Delivered(_));
    let digests: HashSet<FireId> = deliveries.iter().filter(is_told).filter_map(|one| one.digest).collect();
    let shown_digests: usize = shown.iter().filter(|((number, _), _)| *number == DIGEST).map(|(_, count)| count).sum();
    assert!(shown_digests >= digests.len(), "{shown_digests} digests shown of {}", digests.len());
    shown.retain(|(number, _), _| *number != DIGEST);
    let mut firings: HashMap<(u64, &str), Vec<&Delivery>> = HashMap::new();
    for delivery in &deliveries {
        firings.entry((delivery.message.number.0, &delivery.message.title)).or_default().push(delivery);
    }
    let mut counted = Counted { deliveries: deliveries.len(), told_apart: 0, repeated: 0 };
    for (key, firings) in &firings {
        let shown = shown.remove(key).unwrap_or_default();
        // What a digest tells is shown by that.
        let is_single = |one: &&&Delivery| matches!(one.status, DeliveryStatus::Delivered(_)) && one.digest.is_none();
        let arrived = firings.iter().filter(is_single).count();
        let resent: usize = firings.iter().map(|one| ledger.resent(&one.id)).sum();
        assert!(shown >= arrived, "{key:?}: {arrived} were delivered and {shown} shown");
        assert!(shown <= firings.len() + resent, "{key:?}: {shown} shown, the history tells of {firings:?}");
        counted.told_apart += usize::from(firings.len() == 1);
        counted.repeated += shown.saturating_sub(firings.len());
    }
    assert!(shown.is_empty(), "popups of nothing: {shown:?}");
    counted
}

fn work(users: &mut [User], socket_of: &std::path::Path, common: &Common) -> Vec<Acknowledged> {
    let socket = std::fs::read_to_string(socket_of).expect("the daemon announced its socket");
    std::thread::scope(|scope| {
        let at_work: Vec<_> =
            users.iter_mut().map(|user| scope.spawn(|| user.work(socket.as_ref(), CALLS, common))).collect();
        at_work.into_iter().flat_map(|user| user.join().expect("no user panics")).collect()
    })
}

fn status(connection: &mut Connection) -> Counts {
    serde_json::from_value(connection.call("daemon.status", json!({}))["counts"].take()).expect("counts")
}

/// What stands for the number in what tells of several tasks.
const DIGEST: u64 = 0;

/// The last line of a popup is the command that says done; that of a digest shows all.
fn task_of(body: &str) -> u64 {
    if body.ends_with("keiko list") {
        return DIGEST;
    }
    let number = body.rsplit(' ').next().expect("a split gives one part");
    number.parse().unwrap_or_else(|_| panic!("a popup without its task: {body:?}"))
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable}={text:?} is no number")))
}
