//! How fast, how late, how idle? The figures of the release build, as ratios to what the machine allows in the same run.
//!
//! `KEIKO_LOAD=all cargo test --release --test it load -- --nocapture` prints them, or one part of them: `rates`,
//! `conflicts`, `many`, `due`, `terminal`. Disks and neighbours differ, so only
//! what must hold anywhere is asserted: all fire, none early, none twice.

#![cfg(all(feature = "desktop", feature = "webhook", target_os = "linux"))]

use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use keiko::client::{Client, ClientError};
use keiko::clock::Clock as _;
use keiko::clock::system::SystemClock;
use keiko::domain::digest::SINGLES_MAX;
use keiko::domain::time::{Span, Timestamp};
use keiko::protocol::methods::{Add, EventList, Get, List, Status};
use rusqlite::{Connection, params};

use crate::support::daemon::{Daemon, Home};
use crate::support::fake_server::{FakeServer, Manner};
use crate::support::http_server::{HttpServer, Reply};
use crate::support::measure::{cpu_ticks, field, instant, micros, quantile, status_field, tell, to_f64, wait};
use crate::support::private_bus::PrivateBus;
use crate::support::pty::Pty;
use crate::wire_connections;

/// How many tasks are pending or open where a figure says so.
const MANY: usize = 10_000;

/// How many come up in the same second.
const AT_ONCE: usize = 5_000;

/// How many programs they tell.
const HOOKS: usize = 50;

/// For how long a rate is measured, and how often.
const RATE_FOR: Duration = Duration::from_secs(2);
const ROUNDS: usize = 3;

#[test]
fn figures() {
    let Ok(wanted) = std::env::var("KEIKO_LOAD") else {
        eprintln!("left out: takes some minutes and a quiet machine, KEIKO_LOAD=all runs it with --release");
        return;
    };
    let parts: [(&str, fn()); 5] = [
        ("rates", rates),
        ("conflicts", conflicts),
        ("many", many_open),
        ("due", due_at_once),
        ("terminal", due_on_a_terminal),
    ];
    for (_, part) in parts.into_iter().filter(|(name, _)| wanted == "all" || wanted == *name) {
        part();
    }
}

/// Durable additions, against pairs of rows committed to SQLite by hand.
fn rates() {
    let home = Home::new();
    let daemon = start(&home, None);
    let (mut floors, mut ones, mut fifties) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        floors.push(pair_commits_per_second(&home.path(&format!("floor-{}.db", floors.len()))));
        ones.push(adds_per_second(&home.socket(), 1));
        fifties.push(adds_per_second(&home.socket(), 50));
    }
    let (floor, one, fifty) = (median(floors), median(ones), median(fifties));
    tell("SQLite: a task and an audit row a commit, per second", floor, "");
    tell("durable adds per second, 1 client", one, &format!("{:.2} of SQLite, goal 0.85", one / floor));
    tell("durable adds per second, 50 clients", fifty, &format!("{:.2} of SQLite, goal 5", fifty / floor));
    drop(daemon);
}

/// Five hundred clients that saw the same version; the first round warms everything up.
fn conflicts() {
    let home = Home::new();
    let _daemon = start(&home, None);
    wire_connections::conflicts::run(&home);
    for _ in 0..ROUNDS {
        wire_connections::conflicts::tell_all(&mut wire_connections::conflicts::run(&home));
    }
}

/// An idle daemon, questions and whole commands beside ten thousand open tasks.
fn many_open() {
    let home = Home::new();
    let daemon = start(&home, None);
    add_many(&home.socket(), MANY, "tomorrow 9am", on_desktop);
    let mut client = Client::connect(&home.socket()).expect("it listens");
    let mut gets: Vec<f64> = (0..20_000).map(|_| micros(|| get(&mut client, 5_000))).collect();
    tell("task.get p50, µs", quantile(&mut gets, 0.5), "goal 100");
    tell("task.get p99, µs", quantile(&mut gets, 0.99), "goal 1000");
    let none = median_ms(|| run(&mut Command::new("/bin/true")));
    tell("spawn and end of /bin/true, ms", none, "");
    for (args, goal) in [
        (&["show", "5000"][..], "goal 2 of a spawn"),
        (&["add", "call mum tomorrow 9am"][..], ""),
        (&["list"][..], "goal 9.5 ms (0.10 of atq)"),
        (&["list", "--json"][..], ""),
    ] {
        let took = median_ms(|| run(home.command(env!("CARGO_BIN_EXE_keiko")).args(args)));
        tell(
            &format!("keiko {} with {MANY} open, ms", args[0..1].join(" ")),
            took,
            &format!("{:.1} spawns; {goal}", took / none),
        );
    }
    let lists = median_ms(|| {
        let none = keiko::protocol::envelope::read_json("{}").expect("JSON");
        client.call_by_name("task.list", &none).expect("a list");
    });
    tell("task.list by RPC, ms", lists, "");
    let cpu = cpu_ticks(daemon.pid());
    for _ in 0..10 {
        client.call(&List::default()).expect("a list");
    }
    tell("task.list, CPU of the daemon, ms", to_f64(cpu_ticks(daemon.pid()) - cpu), "10 ms a tick, of ten lists");
    drop(client);
    // Threads that answered questions end when they have had nothing to do for ten seconds.
    wait(Duration::from_secs(12));
    let before = voluntary_switches(daemon.pid());
    wait(Duration::from_mins(1));
    let switches = voluntary_switches(daemon.pid()) - before;
    tell("voluntary context switches of all threads in 60 idle s", to_f64(switches), "goal 0");
    tell("resident memory, MB", to_f64(status_field(daemon.pid(), "VmRSS:")) / 1024.0, "goal 32 at 100,000");
}

/// Five thousand tasks due in one second, told by a real bus and a server that answers at once, and to programs.
fn due_at_once() {
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    let bus = PrivateBus::start();
    let server = runtime.block_on(FakeServer::start(&bus, Manner::Plain));
    let hooks = runtime.block_on(HttpServer::start(|_, _| Reply::status(200, "ok")));
    let home = Home::new();
    let _daemon = start(&home, Some(&bus));
    // Two at a time go to each, so that a slow one is not hurried.
    let told =
        |task: usize| vec!["desktop".to_owned(), format!("webhook:{}", hooks.url(&format!("/{}", task % HOOKS)))];
    measure_due(&home.socket(), "popups, digest and webhooks", told);
    assert_eq!(hooks.requests().len(), AT_ONCE, "each program once");
    assert_eq!(server.notified().len(), SINGLES_MAX + 1, "a few singly, the rest in one digest");
}

/// Five thousand tasks due in one second, told on a terminal. It takes messages, so that the other terminals of whoever runs
/// this, which take none, are left alone.
fn due_on_a_terminal() {
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    let (mut pty, _) = runtime.block_on(Pty::session("g+w"));
    let home = Home::new();
    let _daemon = start(&home, None);
    measure_due(&home.socket(), "lines and digest", |_| vec!["terminal".to_owned()]);
    let shown = runtime.block_on(pty.wait_for("more came due"));
    assert_eq!(shown.matches('\u{7}').count(), SINGLES_MAX + 1, "a few singly, the rest in one digest: {shown:?}");
}

fn measure_due(socket: &Path, all: &str, told: impl Fn(usize) -> Vec<String> + Sync) {
    let clock = SystemClock::new();
    let due = Timestamp::from_millis((clock.now().as_millis() / 1000 + 15) * 1000).expect("in range");
    add_many(socket, AT_ONCE, &due.to_string(), told);
    assert!(clock.now() < due, "too slow to add them all before they are due");
    let mut client = Client::connect(socket).expect("it listens");
    let base = last_seq(&mut client);
    wait(due.since(clock.now()).to_duration().saturating_sub(Duration::from_millis(50)));

    let is_over = AtomicBool::new(false);
    let (visible, mut gets, mut statuses) = std::thread::scope(|scope| {
        let asked = scope.spawn(|| get_until(&is_over, socket));
        let looked = scope.spawn(|| look_until(&is_over, socket));
        let visible: Vec<f64> = [0, AT_ONCE / 2, AT_ONCE * 99 / 100, AT_ONCE - 1]
            .map(|before| visible_after(&mut client, base + before as u64, due, &clock))
            .to_vec();
        is_over.store(true, Ordering::Relaxed);
        (visible, asked.join().expect("no panic"), looked.join().expect("no panic"))
    });
    for (what, ms) in ["first", "half", "99 %", "last"].iter().zip(visible) {
        tell(&format!("{AT_ONCE} due at once: {what} durable and visible, ms after due"), ms, "goal 400 for the last");
    }
    tell("task.get meanwhile p50, ms", quantile(&mut gets, 0.5) / 1000.0, "");
    tell("task.get meanwhile p99, ms", quantile(&mut gets, 0.99) / 1000.0, &format!("goal 20; of {}", gets.len()));
    tell("daemon.status meanwhile p50, ms", quantile(&mut statuses, 0.5) / 1000.0, "");
    let of = format!("goal 20; of {}", statuses.len());
    tell("daemon.status meanwhile p99, ms", quantile(&mut statuses, 0.99) / 1000.0, &of);
    while client.call(&Status {}).expect("an answer").counts.outbox > 0 {}
    let answered = to_ms(clock.now().since(due));
    tell(&format!("{all} all answered, ms after due"), answered, "goal 600 for webhooks");
    let mut late = lateness(&mut client, base, due);
    tell("committed as of p50, ms after due", quantile(&mut late, 0.5), "");
    tell("committed as of p99, ms after due", quantile(&mut late, 0.99), "");
    tell("committed as of max, ms after due", quantile(&mut late, 1.0), "");
}

fn start(home: &Home, bus: Option<&PrivateBus>) -> Daemon {
    let mut command = home.command(env!("CARGO_BIN_EXE_keikod"));
    command.stderr(Stdio::null());
    if let Some(bus) = bus {
        command.env("DBUS_SESSION_BUS_ADDRESS", bus.address());
    }
    Daemon::start(command)
}

fn add(client: &mut Client, title: String, at: &str, channels: Vec<String>) {
    let channels = Some(channels);
    let add = Add { title: Some(title), at: Some(at.to_owned()), channels, ..Add::default() };
    client.call(&add).expect("an addition");
}

fn on_desktop(_task: usize) -> Vec<String> {
    vec!["desktop".to_owned()]
}

fn add_many(socket: &Path, count: usize, at: &str, told: impl Fn(usize) -> Vec<String> + Sync) {
    const CLIENTS: usize = 50;
    std::thread::scope(|scope| {
        for name in 0..CLIENTS {
            let told = &told;
            scope.spawn(move || {
                let mut client = Client::connect(socket).expect("it listens");
                (0..count / CLIENTS).for_each(|task| {
                    add(&mut client, format!("task {name} {task}"), at, told(name * count / CLIENTS + task));
                });
            });
        }
    });
}

fn adds_per_second(socket: &Path, clients: usize) -> f64 {
    let begun = instant();
    let added: u64 = std::thread::scope(|scope| {
        let adding = || {
            let mut client = Client::connect(socket).expect("it listens");
            let mut added = 0;
            while begun.elapsed() < RATE_FOR {
                add(&mut client, "water the plants".to_owned(), "tomorrow 9am", on_desktop(0));
                added += 1;
            }
            added
        };
        let at_work: Vec<_> = (0..clients).map(|_| scope.spawn(adding)).collect();
        at_work.into_iter().map(|client| client.join().expect("no panic")).sum()
    });
    to_f64(added) / begun.elapsed().as_secs_f64()
}

/// What the disk and SQLite allow: two small rows in a durable commit of their own.
fn pair_commits_per_second(path: &Path) -> f64 {
    let mut connection = Connection::open(path).expect("a database");
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
         CREATE TABLE task (id INTEGER PRIMARY KEY, body TEXT); CREATE TABLE audit (id INTEGER PRIMARY KEY, body TEXT);",
    )
    .expect("a schema");
    let (begun, mut pairs) = (instant(), 0);
    while begun.elapsed() < RATE_FOR {
        let transaction = connection.transaction().expect("a transaction");
        for table in ["task", "audit"] {
            let sql = format!("INSERT INTO {table} (body) VALUES (?1)");
            let mut insert = transaction.prepare_cached(&sql).expect("a statement");
            insert.execute(params!["x".repeat(300)]).expect("a row");
        }
        transaction.commit().expect("a commit");
        pairs += 1;
    }
    f64::from(pairs) / begun.elapsed().as_secs_f64()
}

fn get(client: &mut Client, number: u64) {
    client.call(&Get { task: number.into() }).expect("the task");
}

fn get_until(is_over: &AtomicBool, socket: &Path) -> Vec<f64> {
    let mut client = Client::connect(socket).expect("it listens");
    let mut took = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        took.push(micros(|| get(&mut client, 1 + took.len() as u64 % AT_ONCE as u64)));
    }
    took
}

/// As one who watches does: it is asked again shortly after it has answered.
fn look_until(is_over: &AtomicBool, socket: &Path) -> Vec<f64> {
    let mut client = Client::connect(socket).expect("it listens");
    let mut took = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        took.push(micros(|| drop(client.call(&Status {}).expect("an answer"))));
        wait(Duration::from_millis(5));
    }
    took
}

fn last_seq(client: &mut Client) -> u64 {
    let mut since = 0;
    loop {
        let cursor = client.call(&EventList { since, limit: Some(10_000) }).expect("events").cursor;
        if cursor == since {
            return since;
        }
        since = cursor;
    }
}

/// Asks until an event behind `seq` is there; returns when, in ms after `due`.
fn visible_after(client: &mut Client, seq: u64, due: Timestamp, clock: &SystemClock) -> f64 {
    loop {
        match client.call(&EventList { since: seq, limit: Some(1) }) {
            Ok(list) if !list.events.is_empty() => break,
            // Until the event before it is there, nobody can go on from that.
            Ok(_) | Err(ClientError::Refused { .. }) => {}
            Err(error) => panic!("events: {error}"),
        }
    }
    to_ms(clock.now().since(due))
}

/// How late each task fired, by its own event; all fired once and none early.
fn lateness(client: &mut Client, base: u64, due: Timestamp) -> Vec<f64> {
    let mut fired = Vec::new();
    let mut since = base;
    loop {
        // A page has a limit in bytes as well.
        let page = client.call(&EventList { since, limit: Some(10_000) }).expect("events");
        if page.cursor == since {
            break;
        }
        since = page.cursor;
        fired.extend(page.events.into_iter().filter(|event| event.operation == "fired"));
    }
    let tasks: HashSet<u64> = fired.iter().filter_map(|event| event.task).collect();
    assert_eq!((fired.len(), tasks.len()), (AT_ONCE, AT_ONCE), "each fired once");
    fired.iter().map(|event| to_ms(event.at.instant().since(due))).collect()
}

fn run(command: &mut Command) {
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn median_ms(mut what: impl FnMut()) -> f64 {
    median((0..10).map(|_| micros(&mut what) / 1000.0).collect())
}

fn median(mut figures: Vec<f64>) -> f64 {
    quantile(&mut figures, 0.5)
}

fn voluntary_switches(pid: u32) -> u64 {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).expect("a process");
    let of = |task: std::fs::DirEntry| field(&task.path().join("status"), "voluntary_ctxt_switches:");
    tasks.map(|task| of(task.expect("a thread"))).sum()
}

fn to_ms(span: Span) -> f64 {
    to_f64(span.as_millis().try_into().expect("none fires early"))
}
