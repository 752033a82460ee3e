//! Faults that other programs had with popups and their buttons; each test is named after the fault that it looks for.
//!
//! Here it is the real daemon in a process of its own; what the channel does on a bus by itself stands in `desktop` and
//! `pressing`.

#![cfg(feature = "desktop")]

use std::time::Duration;

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use zbus::{MessageStream, Variant};

use crate::support::daemon::{Connection, Daemon, Home, NOON};
use crate::support::fake_server::{FakeServer, Manner, Notify};
use crate::support::opener::Opener;
use crate::support::popup_desk::{DISMISSED, EXPIRED};
use crate::support::private_bus::PrivateBus;
use crate::support::{PATIENCE, measure};

/// Starts a daemon on a clock that is moved by hand, on a bus.
fn start(home: &Home, bus: &PrivateBus, now: &str) -> Daemon {
    let mut command = home.command(env!("CARGO_BIN_EXE_keikod"));
    command.args(["--clock", now]).env("DBUS_SESSION_BUS_ADDRESS", bus.address());
    Daemon::start(command)
}

fn stop(daemon: Daemon, connection: &mut Connection) {
    connection.call("daemon.stop", json!({}));
    assert!(daemon.ended().success());
}

/// Adds a task and returns its number.
fn add(connection: &mut Connection, title: &str, at: &str) -> u64 {
    let added = connection.call("task.add", json!({ "title": title, "at": at, "channels": ["desktop"] }));
    added["task"]["number"].as_u64().expect("a number")
}

fn advance(connection: &mut Connection, to: &str) {
    connection.call("clock.advance", json!({ "to": format!("2026-05-13T{to}-04:00") }));
}

fn task(connection: &mut Connection, number: u64) -> Value {
    connection.call("task.get", json!({ "task": number.to_string() }))["task"].clone()
}

fn desktop(connection: &mut Connection) -> Value {
    connection.call("daemon.status", json!({}))["channels"][0].clone()
}

/// Asks until the answer is as it is wanted.
fn until(connection: &mut Connection, ask: impl Fn(&mut Connection) -> Value, wanted: impl Fn(&Value) -> bool) {
    let limit = measure::instant() + PATIENCE;
    loop {
        let answer = ask(connection);
        if wanted(&answer) {
            return;
        }
        assert!(measure::instant() < limit, "it stays {answer}");
        std::thread::yield_now();
    }
}

fn wait_for_desktop(connection: &mut Connection, is_present: bool) {
    until(connection, desktop, |desktop| desktop["present"] == is_present);
}

fn titles(popups: &[Notify]) -> Vec<&str> {
    popups.iter().map(|popup| popup.summary.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn b3_a_user_service_that_started_before_the_desktop_shows_what_fired_meanwhile_once() {
    let home = Home::new();
    // As systemd starts it at boot: no address of a bus, and none in the runtime directory yet.
    let daemon = home.start();
    let mut connection = home.connect();
    let stretch = add(&mut connection, "stretch", "today 12:01");
    advance(&mut connection, "12:01:00");
    let kept = task(&mut connection, stretch);
    assert_eq!((&kept["stage"], &kept["attempts"]), (&json!("due"), &json!(0)), "{kept}");
    let reason = desktop(&mut connection)["reason"].as_str().expect("a reason").to_owned();
    assert!(reason.contains("no session bus") && kept["last_error"] == reason.as_str(), "{reason}: {kept}");

    let bus = PrivateBus::start_in(&home.path("run"));
    until(&mut connection, desktop, |desktop| {
        desktop["reason"].as_str().is_some_and(|reason| reason.contains("no notification server"))
    });
    advance(&mut connection, "12:01:30");
    assert_eq!(task(&mut connection, stretch)["state"], "RUNNING");
    let server = FakeServer::start(&bus, Manner::Buttons).await;
    server.wait_until_shown(1).await;
    advance(&mut connection, "13:00:00");
    assert_eq!(titles(&server.notified()), ["stretch"]);
    assert_eq!(server.notified()[0].buttons.len(), 3, "done, and the snoozes that are offered where nobody says");
    stop(daemon, &mut connection);
}

/// Answers on a bus as the person's service manager does, that the desktop has told of its screen.
async fn service_manager(bus: &PrivateBus, environment: Vec<&'static str>) -> JoinHandle<()> {
    let connection = bus.connect().await;
    let mut calls = MessageStream::from(&connection);
    connection.request_name("org.freedesktop.systemd1").await.expect("nobody else owns the name");
    tokio::spawn(async move {
        while let Some(Ok(call)) = calls.next().await {
            if call.header().member().is_some_and(|member| member.as_str() == "Get") {
                let answer = Variant::from(environment.clone());
                connection.reply(&call.header(), &answer).await.expect("the bus lives");
            }
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn b3_a_user_service_that_started_before_the_desktop_opens_links_on_its_screen() {
    let home = Home::new();
    let opener = Opener::new(&home.path("run"), 0);
    let mut command = home.daemon();
    let path = std::env::var("PATH").expect("tests have one");
    command.env("PATH", format!("{}:{path}", home.path("run").display()));
    let daemon = Daemon::start(command);
    let bus = PrivateBus::start_in(&home.path("run"));
    let manager = service_manager(&bus, vec!["LANG=C", "WAYLAND_DISPLAY=wayland-7"]).await;
    let server = FakeServer::start(&bus, Manner::Buttons).await;
    let mut connection = home.connect();
    wait_for_desktop(&mut connection, true);
    let link = "https://example.org/";
    connection.call("task.add", json!({ "title": "read", "at": "today 12:01", "link": link }));
    advance(&mut connection, "12:01:00");
    server.pressed(server.id_of("read"), "open").await;
    assert_eq!(opener.opened().await, format!("1 {link} wayland-7"));
    server.wait_until_shown(0).await;
    stop(daemon, &mut connection);
    manager.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn b16_a_button_works_long_after_its_popup_expired_and_does_no_harm_after_a_restart() {
    let (home, bus) = (Home::new(), PrivateBus::start());
    let server = FakeServer::start(&bus, Manner::Buttons).await;
    let daemon = start(&home, &bus, NOON);
    let mut connection = home.connect();
    wait_for_desktop(&mut connection, true);
    let numbers = ["first", "second"].map(|title| add(&mut connection, title, "today 12:01"));
    advance(&mut connection, "12:01:00");
    let (first, second) = (server.id_of("first"), server.id_of("second"));
    server.went(first, EXPIRED).await;
    server.went(second, EXPIRED).await;
    advance(&mut connection, "12:11:00");
    for number in numbers {
        assert_eq!(task(&mut connection, number)["stage"], "due", "that it expired says nothing");
    }
    server.pressed(first, "done").await;
    until(&mut connection, |connection| task(connection, numbers[0]), |task| task["stage"] == "done");

    stop(daemon, &mut connection);
    let daemon = start(&home, &bus, "2026-05-13T12:12:00-04:00");
    let mut connection = home.connect();
    wait_for_desktop(&mut connection, true);
    // What comes behind it shows that it was heard.
    let third = add(&mut connection, "third", "today 12:13");
    advance(&mut connection, "12:13:00");
    server.pressed(second, "done").await;
    server.went(second, DISMISSED).await;
    server.pressed(server.id_of("third"), "done").await;
    until(&mut connection, |connection| task(connection, third), |task| task["stage"] == "done");
    assert_eq!(task(&mut connection, numbers[1])["stage"], "due");
    connection.call("task.done", json!({ "task": numbers[1].to_string() }));
    assert_eq!(task(&mut connection, numbers[1])["stage"], "done");
    stop(daemon, &mut connection);
}

#[cfg(feature = "webhook")]
#[tokio::test(flavor = "multi_thread")]
async fn b23_a_server_that_never_answers_holds_up_no_webhook_and_no_call() {
    use crate::support::http_server::{HttpServer, Reply};

    const WEBHOOK_MAX: Duration = Duration::from_secs(1);
    const CALL_MAX: Duration = Duration::from_millis(100);
    let (home, bus) = (Home::new(), PrivateBus::start());
    let server = FakeServer::start(&bus, Manner::Silent).await;
    let hooks = HttpServer::start(|_, _| Reply::status(200, "ok")).await;
    let daemon = start(&home, &bus, NOON);
    let mut connection = home.connect();
    wait_for_desktop(&mut connection, true);
    for number in 1..=20 {
        add(&mut connection, &format!("task {number}"), "today 12:01");
    }
    let hook = format!("webhook:{}", hooks.url("/"));
    connection.call("task.add", json!({ "title": "hook", "at": "today 12:01", "channels": [hook] }));

    // The clock stands still until the server has let all calls time out, so another asks meanwhile.
    let mut mover = home.connect();
    let moving = tokio::task::spawn_blocking(move || advance(&mut mover, "12:01:00"));
    let since = measure::instant();
    hooks.received_within(1, PATIENCE).await;
    let took = since.elapsed();
    measure::tell("webhook beside twenty popups of a silent server (debug build)", took.as_secs_f64(), "s");
    assert!(took < WEBHOOK_MAX, "{took:?}");
    server.wait_until_owing(4).await;
    let mut took: Vec<f64> =
        (0..200).map(|_| measure::micros(|| drop(connection.call("daemon.status", json!({}))))).collect();
    let p99 = measure::quantile(&mut took, 0.99) / 1000.0;
    measure::tell("call beside twenty popups of a silent server, p99 (debug build)", p99, "ms");
    assert!(p99 < CALL_MAX.as_secs_f64() * 1000.0, "{p99} ms");
    // All are shown once the server goes on.
    server.go_on().await;
    moving.await.expect("it is moved");
    advance(&mut connection, "12:31:00");
    assert_eq!(server.shown().len(), 20);
    stop(daemon, &mut connection);
}

#[tokio::test(flavor = "multi_thread")]
async fn b40_each_firing_is_shown_by_the_server_of_its_time_in_that_servers_way() {
    let (home, bus) = (Home::new(), PrivateBus::start());
    let daemon = start(&home, &bus, NOON);
    let mut connection = home.connect();
    for minute in 1..=3 {
        add(&mut connection, &format!("task {minute} <&>"), &format!("today 12:0{minute}"));
    }
    wait_for_desktop(&mut connection, false);
    let ways = [
        (1, Manner::Plain, "keiko done 1", 0),
        (2, Manner::Buttons, "keiko done 2", 3),
        (3, Manner::Markup, "keiko done 3", 0),
    ];
    for (minute, manner, how, buttons) in ways {
        let server = FakeServer::start(&bus, manner).await;
        wait_for_desktop(&mut connection, true);
        advance(&mut connection, &format!("12:0{minute}:00"));
        server.wait_until_notified(1).await;
        let all = server.notified();
        let popup = all.iter().find(|popup| popup.summary == format!("task {minute} <&>")).expect("it is shown");
        assert!(popup.body.ends_with(how), "{popup:?}");
        assert_eq!(popup.buttons.len(), buttons);
        connection.call("task.done", json!({ "task": minute.to_string() }));
        server.wait_until_shown(0).await;
        server.quit().await;
        wait_for_desktop(&mut connection, false);
    }
    stop(daemon, &mut connection);
}

#[tokio::test(flavor = "multi_thread")]
async fn b43_two_hundred_popups_of_which_nothing_is_heard_again_cost_nothing_that_stays() {
    const COUNT: usize = 200;
    let (home, bus) = (Home::new(), PrivateBus::start());
    let server = FakeServer::start(&bus, Manner::Buttons).await;
    let daemon = start(&home, &bus, NOON);
    let mut connection = home.connect();
    wait_for_desktop(&mut connection, true);
    add(&mut connection, "first", "today 12:01");
    advance(&mut connection, "12:01:00");
    // One after another: very many that come due at once are told together.
    let due: Vec<u64> = (60..60 + COUNT)
        .map(|seconds| add(&mut connection, &format!("task {seconds}"), &format!("in {seconds} seconds")))
        .collect();
    let proc = format!("/proc/{}", daemon.pid());
    let count = |what: &str| std::fs::read_dir(format!("{proc}/{what}")).expect("it runs").count();
    let memory = || measure::status_field(daemon.pid(), "VmRSS:") / 1024;
    // Threads may be fewer while nothing blocks.
    let (descriptors, threads, connections, before) = (count("fd"), count("task"), bus.connections().await, memory());
    advance(&mut connection, "12:10:00");
    assert_eq!(server.shown().len(), COUNT + 1);
    assert_eq!((count("fd"), bus.connections().await), (descriptors, connections));
    assert!(count("task") <= threads + 1, "{} threads, before {threads}", count("task"));
    assert!(memory() < before + 16, "{} MiB, before {before}", memory());
    // Nobody waits for the buttons: what is due stays so, and is done from elsewhere.
    assert_eq!(task(&mut connection, due[COUNT - 1])["state"], "RUNNING");
    for number in due {
        connection.call("task.done", json!({ "task": number.to_string() }));
    }
    server.wait_until_shown(1).await;
    assert_eq!(count("fd"), descriptors);
    stop(daemon, &mut connection);
}
