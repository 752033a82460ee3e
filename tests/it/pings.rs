//! Outside dead-man's switches: told of the start and the end of commands, in order, tried again, and never by name in a log.

use std::sync::Arc;

use keiko::clock::Clock;
use keiko::clock::sim::SimClock;
use keiko::domain::command::{Command, Expected, GRACE_DEFAULT};
use keiko::domain::event::Actor;
use keiko::domain::quiet::QuietHours;
use keiko::domain::routing::Routing;
use keiko::domain::run::{Limits, Line, Output, Overlap, Program, RunEnd, RunId, RunReport};
use keiko::domain::schedule::{Rule, Schedule};
use keiko::domain::secret::Secret;
use keiko::domain::task::{Details, Policy, TaskId};
use keiko::domain::time::{Span, Timestamp};
use keiko::domain::waiting::SetWaits;
use keiko::engine::handle::Handle;
use keiko::engine::ids::Ids;
use keiko::engine::input::{AddRequest, Call};
use keiko::engine::runs::AT_ONCE_DEFAULT;
use keiko::engine::{EngineParts, Running, start};
use keiko::hooks::Hooks;
use keiko::hooks::pings::PingCounts;
use keiko::runner::Runner;
use keiko::runner::recording::{RecordingRunner, Told};
use keiko::store::Store;
use keiko::store::memory::MemoryStore;
use serde_json::json;
use tempfile::TempDir;
use uuid::Uuid;

use crate::support::daemon::Home;
use crate::support::http_server::{HttpServer, Reply, Request};
use crate::support::soon;

/// The key in the address.
const KEY: &str = "073305d2-hunter2-3583";

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_800_000_000_000 + seconds * 1000).unwrap()
}

/// An engine whose commands do what the test says, with what tells of them.
struct Bench {
    directory: TempDir,
    clock: Arc<SimClock>,
    store: Arc<MemoryStore>,
    runner: Arc<RecordingRunner>,
    handle: Handle,
    running: Running,
    hooks: Arc<Hooks>,
}

impl Bench {
    async fn new() -> Self {
        let clock = Arc::new(SimClock::starting_at(at(0), chrono_tz::UTC));
        let store = Arc::new(MemoryStore::new(Uuid::from_u128(1)));
        Self::with(tempfile::tempdir().unwrap(), clock, store).await
    }

    async fn with(directory: TempDir, clock: Arc<SimClock>, store: Arc<MemoryStore>) -> Self {
        let runner = Arc::new(RecordingRunner::default());
        let parts = EngineParts {
            store: Arc::clone(&store) as Arc<dyn Store>,
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            channels: Vec::new(),
            ids: Ids::from_system(),
            grace: GRACE_DEFAULT,
            quiet_hours: QuietHours::default(),
            daily: None,
            routing: Routing::NONE,
            runner: Arc::clone(&runner) as Arc<dyn Runner>,
            commands_at_once: AT_ONCE_DEFAULT,
        };
        let (handle, running) = start(parts).await.unwrap();
        let file = directory.path().join("hooks.json");
        let hooks = Hooks::start(handle.clone(), Arc::clone(&clock) as Arc<dyn Clock>, file, Vec::new()).await;
        Self { directory, clock, store, runner, handle, running, hooks }
    }

    /// Ends it, orderly where `is_stop`, and starts another over the same store and file.
    async fn again(self) -> Self {
        self.running.stop(std::time::Duration::ZERO).await;
        self.hooks.stop(std::time::Duration::from_millis(50)).await;
        Self::with(self.directory, self.clock, self.store).await
    }

    /// Adds a task that runs something at once.
    async fn add(&self, url: &str, retries: u32) -> TaskId {
        let url = Secret::new(url.to_owned());
        self.hooks.expect_ping(&url).await.unwrap();
        let program = Program {
            line: Line::Arguments(vec!["true".to_owned()]),
            directory: String::new(),
            environment: std::collections::BTreeMap::new(),
            timeout: None,
            overlap: Overlap::Skip,
            nice: 0,
            limits: Limits::default(),
            ping: Some(url),
        };
        let details = Details {
            title: "back up".to_owned(),
            command: Some(Box::new(program)),
            max_retries: Some(retries),
            ..Details::default()
        };
        let due = self.clock.now().saturating_add(Span::from_secs(1));
        let request = AddRequest {
            details,
            schedule: Schedule { text: String::new(), rule: Rule::Countdown(due), zone: None },
            alerts: None,
            deadline: None,
            policy: Policy::default(),
            waits: SetWaits::default(),
            key: None,
        };
        let added = self.handle.add(request).await.unwrap();
        self.clock.advance_to(due).unwrap();
        added.snapshot.task.id
    }

    /// Waits for the order of the next run.
    async fn ordered(&self) -> RunId {
        let ordered = async {
            loop {
                for told in self.runner.take_told() {
                    if let Told::Start(order) = told {
                        return order.id;
                    }
                }
                tokio::task::yield_now().await;
            }
        };
        soon("an order", ordered).await
    }

    fn end(&self, run: RunId, end: RunEnd, said: &str) {
        let output = Output { tail: said.as_bytes().to_vec(), dropped: 0 };
        self.runner.tell(run, RunReport::Ended { end, output });
    }

    async fn counted(&self, is_it: impl Fn(&PingCounts) -> bool) -> PingCounts {
        let counted = async {
            while !is_it(&self.hooks.pings()) {
                tokio::task::yield_now().await;
            }
        };
        soon("a count", counted).await;
        self.hooks.pings()
    }
}

async fn server(script: impl Fn(usize) -> Reply + Send + Sync + 'static) -> (HttpServer, String) {
    let server = HttpServer::start(move |_, before| script(before)).await;
    let url = server.url(&format!("/{KEY}"));
    (server, url)
}

fn said(request: &Request) -> (String, String) {
    let path = request.line.split(' ').nth(1).unwrap().replace(KEY, "KEY");
    (path, String::from_utf8(request.body.clone()).unwrap())
}

#[tokio::test]
async fn a_switch_is_told_of_start_and_success_with_one_name_of_the_run() {
    let bench = Bench::new().await;
    let (server, url) = server(|_| Reply::status(200, "OK")).await;
    bench.add(&url, 0).await;
    let run = bench.ordered().await;
    bench.runner.tell_started(run, 7);
    server.received(1).await;
    bench.end(run, RunEnd::Exit(0), "42 files\n");
    let requests = server.received(2).await;
    let told: Vec<_> = requests.iter().map(said).collect();
    let expected = [
        (format!("/KEY/start?rid={run}"), String::new()),
        (format!("/KEY?rid={run}"), "exit status 0\n42 files\n".to_owned()),
    ];
    assert_eq!(told, expected);
    assert!(requests.iter().all(|request| request.line.starts_with("POST ")));
    let counts = bench.counted(|counts| counts.taken == 2).await;
    assert_eq!(counts, PingCounts { taken: 2, ..PingCounts::default() });
}

#[tokio::test]
async fn only_the_last_failure_of_those_that_are_tried_again_is_one() {
    let bench = Bench::new().await;
    let (server, url) = server(|_| Reply::status(200, "OK")).await;
    bench.add(&url, 1).await;
    let first = bench.ordered().await;
    bench.runner.tell_started(first, 7);
    server.received(1).await;
    bench.end(first, RunEnd::Exit(3), "no room\n");
    // The back-off of the command.
    let task_waits = async {
        while bench.handle.status().await.unwrap().counts.pending == 0 {
            tokio::task::yield_now().await;
        }
    };
    soon("a retry", task_waits).await;
    bench.clock.advance_to(at(60)).unwrap();
    let second = bench.ordered().await;
    bench.runner.tell_started(second, 8);
    bench.end(second, RunEnd::TimedOut, "");
    let told: Vec<_> = server.received(3).await.iter().map(said).collect();
    let expected = [
        (format!("/KEY/start?rid={first}"), String::new()),
        (format!("/KEY/start?rid={second}"), String::new()),
        (format!("/KEY/fail?rid={second}"), "it ran longer than it may\n".to_owned()),
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_failure_of_the_switch_is_tried_again_in_order_and_given_up_with_words_that_hide_its_key() {
    let bench = Bench::new().await;
    let answers = |before| match before {
        // The start, once.
        0 => Reply::status(200, "OK"),
        // The success: it fails, hangs up, then is taken.
        1 => Reply::status(503, "busy"),
        2 => Reply::Reset(String::new()),
        3 => Reply::status(200, "OK"),
        // What is refused is not tried again; it says back what it was asked.
        _ => Reply::status(404, &format!("Cannot POST /{KEY}/start")),
    };
    let (server, url) = server(answers).await;
    bench.add(&url, 0).await;
    let run = bench.ordered().await;
    bench.runner.tell_started(run, 7);
    server.received(1).await;
    bench.end(run, RunEnd::Exit(0), "");
    server.received(2).await;
    let asked_at = bench.clock.now();
    let moved = async {
        while server.requests().len() < 4 {
            // A tenth of a second at a time, so that each answer comes at about its own.
            bench.clock.advance_to(bench.clock.now().saturating_add(Span::from_millis(100))).unwrap();
            tokio::task::yield_now().await;
        }
    };
    soon("two more attempts", moved).await;
    assert!(bench.clock.now().since(asked_at) >= Span::from_secs(4 + 20), "it waits between them");
    let told: Vec<_> = server.requests().iter().map(|request| said(request).0).collect();
    let end = format!("/KEY?rid={run}");
    assert_eq!(told, [format!("/KEY/start?rid={run}"), end.clone(), end.clone(), end]);
    bench.counted(|counts| counts.taken == 2).await;
    bench.add(&url, 0).await;
    let run = bench.ordered().await;
    bench.runner.tell_started(run, 8);
    let counts = bench.counted(|counts| counts.failures == 1).await;
    let error = counts.last_error.unwrap();
    assert!(error.contains("answered 404") && !error.contains("hunter2"), "{error}");
    let events = bench.handle.events_since(0, 100).await.unwrap();
    assert!(!format!("{events:?}").contains("hunter2"));
}

#[tokio::test]
async fn a_switch_that_hangs_holds_up_no_other_and_what_it_was_not_told_it_is_told_after_a_start() {
    let bench = Bench::new().await;
    let (hanging, hanging_url) = server(|before| match before {
        0 => Reply::Hang(String::new()),
        _ => Reply::status(200, "OK"),
    })
    .await;
    let (other, other_url) = server(|_| Reply::status(200, "OK")).await;
    bench.add(&hanging_url, 0).await;
    let run = bench.ordered().await;
    bench.runner.tell_started(run, 7);
    hanging.received(1).await;
    bench.end(run, RunEnd::Exit(0), "");
    bench.add(&other_url, 0).await;
    let second = bench.ordered().await;
    bench.runner.tell_started(second, 8);
    bench.end(second, RunEnd::Signal(9), "");
    let told: Vec<_> = other.received(2).await.iter().map(said).collect();
    assert_eq!(told[1], (format!("/KEY/fail?rid={second}"), "ended by signal 9\n".to_owned()));
    bench.counted(|counts| counts.taken == 2).await;
    let bench = bench.again().await;
    let told: Vec<_> = hanging.received(3).await.iter().map(|request| said(request).0).collect();
    assert_eq!(told[1..], [format!("/KEY/start?rid={run}"), format!("/KEY?rid={run}")]);
    bench.counted(|counts| counts.waiting == 0).await;
}

#[tokio::test]
async fn a_run_that_was_asked_for_has_no_name_and_one_that_was_stopped_has_failed() {
    let bench = Bench::new().await;
    let (server, url) = server(|_| Reply::status(200, "OK")).await;
    let task = bench.add(&url, 0).await;
    let run = bench.ordered().await;
    bench.runner.tell_started(run, 7);
    server.received(1).await;
    let call = |command| Call { task, command, expected: Expected::default(), actor: Actor::Person, key: None };
    bench.handle.call(call(Command::Cancel)).await.unwrap();
    bench.end(run, RunEnd::Signal(15), "");
    let told: Vec<_> = server.received(2).await.iter().map(said).collect();
    assert_eq!(told[1], (format!("/KEY/fail?rid={run}"), "stopped, since its task had ended\n".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_of_the_daemon_pings_and_nothing_that_is_said_shows_the_key() {
    let (server, url) = server(|_| Reply::status(200, "OK")).await;
    let home = Home::new();
    let _daemon = home.start();
    let mut connection = home.connect();
    let command = json!({"shell": "echo 42 files; exit 3"});
    let at = "2026-05-13T12:01:00-04:00";
    let params = json!({"title": "back up", "at": at, "command": command, "ping": url});
    let added = connection.call("task.add", params);
    connection.call("clock.advance", json!({"to": at}));
    let told: Vec<_> = server.received(2).await.iter().map(said).collect();
    assert!(told[0].0.starts_with("/KEY/start?rid="), "{told:?}");
    assert_eq!(
        (told[1].0.replace("/fail", "/start"), told[1].1.as_str()),
        (told[0].0.clone(), "exit status 3\n42 files\n")
    );
    let number = &added["task"]["number"];
    let answers = [
        added.clone(),
        connection.call("task.get", json!({"task": number})),
        connection.call("task.history", json!({"task": number, "full": true})),
        connection.call("event.list", json!({})),
        connection.call("daemon.status", json!({})),
        connection.call("hook.list", json!({})),
    ];
    assert!(!json!(answers).to_string().contains("hunter2"));
    let shown = connection.call("task.get", json!({"task": number}))["task"]["command"]["ping"].clone();
    let host = url.strip_suffix(&format!("/{KEY}")).unwrap();
    assert_eq!(shown, json!(format!("{host}/…")));
    // It is given another, and then none.
    let command = json!({"shell": "echo 42 files; exit 3"});
    let added = connection.call("task.add", json!({"title": "later", "command": command, "ping": url}));
    let number = &added["task"]["number"];
    let (other, other_url) = self::server(|_| Reply::status(200, "OK")).await;
    let edited = connection.call("task.update", json!({"task": number, "ping": other_url}));
    assert!(!edited.to_string().contains("hunter2"), "{edited}");
    connection.call("task.run", json!({"task": number}));
    let told: Vec<_> = other.received(2).await.iter().map(said).collect();
    assert_eq!(told[1], ("/KEY/fail".to_owned(), "exit status 3\n".to_owned()));
    connection.call("task.update", json!({"task": number, "ping": null}));
    let shown = connection.call("task.get", json!({"task": number}));
    assert_eq!(
        (&shown["task"]["command"]["ping"], &shown["task"]["command"]["shell"]),
        (&json!(null), &json!("echo 42 files; exit 3"))
    );
    let error = connection.refused("task.update", json!({"task": number, "ping": "hunter2"}));
    assert!(!error.to_string().contains("hunter2") && error["data"]["kind"] == "params", "{error}");
    connection.call("task.add", json!({"title": "tea"}));
    let error = connection.refused("task.update", json!({"task": "tea", "ping": other_url}));
    assert!(error["message"].as_str().unwrap().contains("without a command"), "{error}");
    let error = connection.refused("task.add", json!({"title": "tea", "ping": url}));
    assert!(error["message"].as_str().unwrap().contains("without a command"), "{error}");
    let params = json!({"title": "tea", "command": {"shell": "true"}, "ping": "hunter2"});
    let error = connection.refused("task.add", params);
    assert!(!error.to_string().contains("hunter2") && error["data"]["kind"] == "params", "{error}");
}
