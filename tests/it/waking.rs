//! What a person finds after the machine was off or asleep, or at a new screen: little to close, and nothing left out.

#![cfg(feature = "desktop")]

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::daemon::{Connection, Daemon, Home, NOON};
use crate::support::fake_server::{FakeServer, Manner, Notify};
use crate::support::measure;
use crate::support::private_bus::PrivateBus;

/// A machine with a screen, whose daemon can be off for a while.
struct Machine {
    home: Home,
    bus: PrivateBus,
    daemon: Option<Daemon>,
}

impl Machine {
    /// Starts it at noon, without a server.
    fn new() -> Self {
        let mut machine = Self { home: Home::new(), bus: PrivateBus::start(), daemon: None };
        machine.on(NOON);
        machine
    }

    /// Starts the daemon at a time, and waits until all that was overdue is told.
    fn on(&mut self, now: &str) -> Connection {
        let mut command = self.home.command(env!("CARGO_BIN_EXE_keikod"));
        command.args(["--clock", now]).env("DBUS_SESSION_BUS_ADDRESS", self.bus.address());
        self.daemon = Some(Daemon::start(command));
        self.advance(now)
    }

    fn connect(&self) -> Connection {
        self.home.connect()
    }

    /// Moves the clock on; all is told that came due on the way.
    fn advance(&self, to: &str) -> Connection {
        let mut connection = self.connect();
        connection.call("clock.advance", json!({ "to": to }));
        connection
    }

    fn off(&mut self) {
        self.connect().call("daemon.stop", json!({}));
        assert!(self.daemon.take().expect("it runs").ended().success());
    }

    async fn server(&self) -> FakeServer {
        FakeServer::start(&self.bus, Manner::Plain).await
    }
}

fn add(connection: &mut Connection, task: Value) -> u64 {
    connection.call("task.add", task)["task"]["number"].as_u64().expect("a number")
}

fn summaries(popups: &[Notify]) -> Vec<&str> {
    popups.iter().map(|popup| popup.summary.as_str()).collect()
}

/// Two popups may be under way at a time, so their order is not that of what they tell.
fn sorted(mut popups: Vec<Notify>) -> Vec<Notify> {
    popups.sort_by(|one, other| one.summary.cmp(&other.summary));
    popups
}

fn operations(connection: &mut Connection, number: u64) -> Vec<String> {
    let history = connection.call("task.history", json!({ "task": number }));
    let events = history["events"].as_array().expect("a list");
    events.iter().map(|event| event["operation"].as_str().expect("text").to_owned()).collect()
}

/// Waits until the daemon knows of the server, or that there is none.
fn wait_for_desktop(connection: &mut Connection, is_present: bool) {
    let limit = measure::instant() + Duration::from_secs(30);
    while connection.call("daemon.status", json!({}))["channels"][0]["present"] != is_present {
        assert!(measure::instant() < limit, "the daemon does not notice");
        std::thread::yield_now();
    }
}

// B39: an every-minute reminder and 300 one-shots, and the daemon was down for three days.
#[tokio::test(flavor = "multi_thread")]
async fn after_three_days_off_there_are_three_popups_and_a_digest_soon() {
    let mut machine = Machine::new();
    let server = machine.server().await;
    let mut connection = machine.connect();
    let ticks = add(&mut connection, json!({ "title": "breathe", "every": "minute" }));
    for number in 0..300 {
        let priority = if number == 7 { "high" } else { "normal" };
        add(&mut connection, json!({ "title": format!("task {number}"), "at": "tomorrow 3pm", "priority": priority }));
    }
    machine.off();
    let since = measure::instant();
    let mut connection = machine.on("2026-05-16T12:00:45-04:00");
    let took = since.elapsed();
    measure::tell("start with 301 overdue, until all is told (debug build)", took.as_secs_f64(), "s");
    assert!(took < Duration::from_secs(2), "{took:?}");

    let popups = sorted(server.notified());
    // The important one, what was due last, and of the rest the lowest number.
    assert_eq!(
        summaries(&popups),
        ["298 more came due while the machine was off or asleep", "breathe", "task 0", "task 7"]
    );
    let (digest, latest) = (&popups[0], &popups[1]);
    assert_eq!(latest.body, "due 12:00, late 45s\n4,319 before it missed\nkeiko done 1");
    assert_eq!(digest.body.lines().count(), 22, "twenty lines, how many more, and what to type: {}", digest.body);
    assert!(digest.body.ends_with("\nand 278 more\nkeiko list"), "{}", digest.body);

    let status = connection.call("daemon.status", json!({}));
    assert_eq!((&status["counts"]["outbox"], &status["counts"]["running"]), (&json!(0), &json!(301)), "{status}");
    assert_eq!(status["skipped_total"], 1, "{status}");
    let skipped = &status["skipped"][0];
    assert_eq!((&skipped["number"], &skipped["instances"]), (&json!(ticks), &json!(4319)), "{status}");
    // What the digest told is delivered, and says by what.
    let told = connection.call("delivery.list", json!({ "task": "299" }));
    let told = &told["deliveries"][0];
    assert_eq!((&told["status"], told["digest"].is_string()), (&json!("delivered"), true), "{told}");
    machine.off();
}

// B11: a weekly 03:00 job on a machine that sleeps at night.
#[tokio::test(flavor = "multi_thread")]
async fn a_weekly_job_of_the_night_is_told_late_and_one_that_is_skipped_in_a_summary() {
    let mut machine = Machine::new();
    let server = machine.server().await;
    let mut connection = machine.connect();
    let weekly = |title: &str, missed: &str| json!({ "title": title, "every": "monday at 3am", "missed": missed });
    let late = add(&mut connection, weekly("water the plants", "once"));
    let skipped = add(&mut connection, weekly("back up", "skip"));
    for (week, now) in (1..).zip(["2026-05-18", "2026-05-25", "2026-06-01"]) {
        machine.off();
        let mut connection = machine.on(&format!("{now}T08:00:00-04:00"));
        let popups = sorted(server.notified().split_off(2 * week - 2));
        let [summary, alone] = &popups[..] else { panic!("{:?}", summaries(&popups)) };
        assert_eq!(
            (alone.summary.as_str(), alone.body.lines().next()),
            ("water the plants", Some("due 03:00, late 5h"))
        );
        assert_eq!(summary.summary, "1 reminder was skipped while the machine was off or asleep");
        assert_eq!(summary.body, "2 back up: skipped, 03:00: missed, and it is not made up for\nkeiko list");
        let status = connection.call("daemon.status", json!({}));
        let told = &status["skipped"][0];
        assert_eq!((&told["number"], &told["reason"]), (&json!(skipped), &json!("missed, and it is not made up for")));
        assert!(operations(&mut connection, skipped).contains(&"passed_over".to_owned()));
        assert!(operations(&mut connection, late).contains(&"fired".to_owned()));
        assert_eq!(status["counts"]["outbox"], 0, "{status}");
    }
    machine.off();
}

// B40: the server is looked for as long as the daemon lives.
#[tokio::test(flavor = "multi_thread")]
async fn each_firing_is_shown_by_the_server_of_its_time() {
    let mut machine = Machine::new();
    let mut connection = machine.connect();
    for minute in 1..=3 {
        add(&mut connection, json!({ "title": format!("task {minute}"), "at": format!("today 12:0{minute}") }));
    }
    wait_for_desktop(&mut connection, false);
    machine.advance("2026-05-13T12:01:00-04:00");
    let server = machine.server().await;
    server.wait_until_notified(1).await;
    assert_eq!(summaries(&server.notified()), ["task 1"]);
    server.quit().await;
    wait_for_desktop(&mut connection, false);
    machine.advance("2026-05-13T12:02:00-04:00");
    let server = machine.server().await;
    // The new one, and the old one again, since this server has never shown it.
    server.wait_until_notified(2).await;
    assert_eq!(summaries(&sorted(server.notified())), ["task 1", "task 2"]);
    wait_for_desktop(&mut connection, true);
    machine.advance("2026-05-13T12:03:00-04:00");
    server.wait_until_notified(3).await;
    machine.off();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_due_is_shown_again_by_another_server_and_not_by_the_same() {
    let mut machine = Machine::new();
    let server = machine.server().await;
    let mut connection = machine.connect();
    wait_for_desktop(&mut connection, true);
    for title in ["one", "two", "seen", "done"] {
        add(&mut connection, json!({ "title": title, "at": "today 1pm" }));
    }
    machine.advance("2026-05-13T13:00:00-04:00");
    assert_eq!(server.notified().len(), 4);
    connection.call("task.ack", json!({ "task": "seen" }));
    connection.call("task.done", json!({ "task": "done" }));
    let before = operations(&mut connection, 1);
    let sent = connection.call("delivery.list", json!({ "task": "one" }))["deliveries"].clone();

    machine.off();
    machine.on("2026-05-13T14:00:00-04:00");
    assert_eq!(server.notified().len(), 4, "the same server shows it still");

    server.quit().await;
    let server = machine.server().await;
    server.wait_until_notified(2).await;
    let mut connection = machine.advance("2026-05-13T14:00:00-04:00");
    let popups = sorted(server.notified());
    let told: Vec<_> = popups.iter().map(|popup| (popup.summary.as_str(), popup.is_quiet, popup.urgency)).collect();
    assert_eq!(told, [("one", true, 1), ("two", true, 1)]);
    assert_eq!(popups[0].body.lines().next(), Some("due 13:00, late 1h"));
    assert_eq!(operations(&mut connection, 1), before, "it is no firing, and nothing happened to the task");
    let again = connection.call("delivery.list", json!({ "task": "one" }))["deliveries"].clone();
    assert_eq!(again, sent, "it is no attempt");
    // It is one popup a task: done takes the new one away.
    connection.call("task.done", json!({ "task": "one" }));
    server.wait_until_shown(1).await;
    machine.off();
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_reboot_more_than_three_are_shown_again_as_one_digest() {
    let mut machine = Machine::new();
    let server = machine.server().await;
    let mut connection = machine.connect();
    wait_for_desktop(&mut connection, true);
    for number in 1..=5 {
        add(&mut connection, json!({ "title": format!("task {number}"), "at": "today 1pm" }));
    }
    machine.advance("2026-05-13T13:00:00-04:00");
    assert_eq!(server.notified().len(), 5);
    machine.off();
    server.quit().await;

    machine.bus = PrivateBus::start();
    let server = machine.server().await;
    machine.on("2026-05-14T09:00:00-04:00");
    let popups = server.notified();
    let [digest] = &popups[..] else { panic!("{:?}", summaries(&popups)) };
    assert_eq!((digest.summary.as_str(), digest.is_quiet), ("5 are due and not seen yet", true));
    assert_eq!(digest.body.lines().next(), Some("1 task 1, due Wed 13 May 2026 13:00"));
    machine.off();
    machine.on("2026-05-14T09:01:00-04:00");
    assert_eq!(server.notified().len(), 1, "once a screen");
    machine.off();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_a_screen_is_one_digest_that_forgets_what_is_done_meanwhile() {
    let mut machine = Machine::new();
    let mut connection = machine.connect();
    for number in 1..=6 {
        add(&mut connection, json!({ "title": format!("task {number}"), "at": "today 1pm", "channels": ["desktop"] }));
    }
    machine.off();
    let mut connection = machine.on("2026-05-13T15:00:00-04:00");
    // Three and a digest wait, with the three that it tells of.
    assert_eq!(connection.call("daemon.status", json!({}))["counts"]["outbox"], 7);
    connection.call("task.done", json!({ "task": "5" }));
    let server = machine.server().await;
    server.wait_until_notified(4).await;
    let mut connection = machine.advance("2026-05-13T15:00:00-04:00");
    let popups = server.notified();
    let digest = popups.iter().find(|popup| popup.summary.contains("more came due")).expect("a digest");
    assert_eq!(digest.summary, "2 more came due while the machine was off or asleep");
    assert_eq!(digest.body, "4 task 4, due 13:00\n6 task 6, due 13:00\nkeiko list");
    assert_eq!(connection.call("daemon.status", json!({}))["counts"]["outbox"], 0);
    machine.off();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_digest_goes_from_the_screen_once_nothing_that_it_tells_waits_for_the_person() {
    let mut machine = Machine::new();
    let server = machine.server().await;
    let mut connection = machine.connect();
    wait_for_desktop(&mut connection, true);
    for number in 1..=7 {
        add(&mut connection, json!({ "title": format!("task {number}"), "at": "today 1pm", "channels": ["desktop"] }));
    }
    machine.off();
    let mut connection = machine.on("2026-05-13T15:00:00-04:00");
    let stands = || server.shown().values().any(|popup| popup.summary.contains("4 more came due"));
    // Three are told singly, and of the other four each is answered in a way of its own.
    for (method, number) in [("task.done", "4"), ("task.ack", "5"), ("task.cancel", "6"), ("task.done", "1")] {
        connection.call(method, json!({ "task": number }));
    }
    machine.advance("2026-05-13T15:01:00-04:00");
    assert!(stands(), "one of it is due: {:?}", server.shown());
    connection.call("task.snooze", json!({ "task": "7", "until": "10m" }));
    server.wait_until_shown(2).await;
    assert!(!stands(), "{:?}", server.shown());
    machine.off();

    // So does the one that a new screen shows.
    server.quit().await;
    machine.bus = PrivateBus::start();
    let server = machine.server().await;
    let mut connection = machine.on("2026-05-13T15:02:00-04:00");
    for number in 8..=9 {
        add(
            &mut connection,
            json!({ "title": format!("task {number}"), "at": "today 15:03", "channels": ["desktop"] }),
        );
    }
    machine.advance("2026-05-13T15:03:00-04:00");
    server.quit().await;
    wait_for_desktop(&mut connection, false);
    let server = machine.server().await;
    server.wait_until_notified(1).await;
    assert_eq!(summaries(&server.notified()), ["4 are due and not seen yet"]);
    for number in ["2", "3", "8", "9"] {
        assert_eq!(server.shown().len(), 1);
        connection.call("task.done", json!({ "task": number }));
    }
    server.wait_until_shown(0).await;
    machine.off();
}

#[cfg(feature = "webhook")]
#[tokio::test(flavor = "multi_thread")]
async fn an_old_backup_put_back_fires_no_popup_for_each_and_tells_programs_the_same_ids() {
    use crate::support::http_server::{HttpServer, Reply};

    const COUNT: usize = 200;
    const HOOKED: usize = 10;
    let hooks = HttpServer::start(|_, _| Reply::status(200, "ok")).await;
    let mut machine = Machine::new();
    let server = machine.server().await;
    let mut connection = machine.connect();
    wait_for_desktop(&mut connection, true);
    for number in 1..=COUNT {
        let hook = format!("webhook:{}", hooks.url("/"));
        let channels = if number <= HOOKED { vec!["desktop".to_owned(), hook] } else { vec!["desktop".to_owned()] };
        add(&mut connection, json!({ "title": format!("task {number}"), "at": "today 1pm", "channels": channels }));
    }
    machine.off();
    let (database, backup) = (machine.home.path("data/keiko.db"), machine.home.path("old.db"));
    std::fs::copy(&database, &backup).expect("the daemon is off");
    let mut connection = machine.on("2026-05-13T13:00:00-04:00");
    let popups = sorted(server.notified());
    assert_eq!((popups.len(), hooks.requests().len()), (4, HOOKED), "on time, {:?}", summaries(&popups));
    assert_eq!(popups[0].summary, "197 more came due at the same time");
    for number in 1..=COUNT {
        connection.call("task.done", json!({ "task": number }));
    }
    machine.off();

    std::fs::copy(&backup, &database).expect("the daemon is off");
    let mut connection = machine.on("2026-05-13T18:00:00-04:00");
    let popups = sorted(server.notified().split_off(4));
    assert_eq!(popups.len(), 4, "{:?}", summaries(&popups));
    assert_eq!(popups[0].summary, "197 more came due while the machine was off or asleep");
    let ids: Vec<String> = hooks.requests().iter().map(|request| request.header("webhook-id").to_owned()).collect();
    let (mut first, mut again) = (ids[..HOOKED].to_vec(), ids[HOOKED..].to_vec());
    first.sort_unstable();
    again.sort_unstable();
    assert_eq!(first, again, "a receiver can tell that it has them");
    assert_eq!(connection.call("daemon.status", json!({}))["counts"]["outbox"], 0);
    machine.off();
}
