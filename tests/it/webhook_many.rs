//! Many webhooks at once: all arrive, none again once it was taken, and a target that hangs changes nothing for others.
//!
//! `KEIKO_WEBHOOKS=1000 cargo test --test it webhook_many -- --nocapture` prints the figures of a thousand.

#![expect(clippy::print_stdout, reason = "figures are for whoever asked for them")]

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};

use keiko::clock::Clock as _;
use keiko::clock::system::SystemClock;
use keiko::domain::time::{Span, Timestamp};
use serde_json::{Value, json};

use crate::support::PATIENCE;
use crate::support::daemon::{Connection, Daemon, Home};
use crate::support::http_server::{HttpServer, Reply, Request};
use crate::support::random::Random;
use crate::webhook::many;

/// Which failures are drawn.
const SEED: u64 = 7;

fn config(home: &Home, targets: &[(String, String)]) {
    let one = |(name, url): &(String, String)| format!("[webhooks.{name}]\nurl = '{url}'\ntimeout_s = 2\n");
    fs::write(home.path("config.toml"), targets.iter().map(one).collect::<Vec<_>>().concat()).unwrap();
}

/// Starts a daemon on the programmable clock, which moves through every back-off at once.
fn start(home: &Home) -> Daemon {
    let mut command = home.daemon();
    command.env("KEIKO_CONFIG", home.path("config.toml"));
    Daemon::start(command)
}

/// Starts a daemon on the clock of the system.
fn start_in_real_time(home: &Home) -> Daemon {
    let mut command = home.command(env!("CARGO_BIN_EXE_keikod"));
    command.env("KEIKO_CONFIG", home.path("config.toml"));
    Daemon::start(command)
}

/// Returns whether a request is one of `percent` of a hundred, whatever the order in which they come.
fn is_drawn(request: &Request, percent: u64) -> bool {
    let mut hasher = DefaultHasher::new();
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    (body["task"]["number"].as_u64(), request.header("keiko-attempt")).hash(&mut hasher);
    Random(SEED ^ hasher.finish()).chance(percent)
}

/// What became of `many()` tasks whose program fails `percent` of its requests: how often each delivery was taken, and
/// the outcomes of the tasks, by number.
async fn play(percent: u64, more: Value) -> (BTreeMap<String, u32>, BTreeMap<u64, Value>) {
    let server =
        HttpServer::start(move |request, _| Reply::status(if is_drawn(request, percent) { 500 } else { 200 }, ""))
            .await;
    let home = Home::new();
    config(&home, &[("ops".to_owned(), server.url("/"))]);
    let _daemon = start(&home);
    let mut connection = home.connect();
    for number in 0..many() {
        let mut params = json!({"title": format!("tea {number}"), "at": "in 10 seconds", "channels": ["webhook:ops"]});
        for (key, value) in more.as_object().unwrap() {
            params[key] = value.clone();
        }
        connection.call("task.add", params);
    }
    let began = SystemClock::new().now();
    connection.call("clock.advance", json!({"to": "2026-05-14T14:00:00-04:00"}));
    let took = SystemClock::new().now().since(began);
    let requests = server.requests();
    println!("{} webhooks, {percent} % of requests fail, {more}: {} requests, {took}", many(), requests.len());
    let mut taken: BTreeMap<String, u32> = BTreeMap::new();
    for request in &requests {
        let taken = taken.entry(request.header("webhook-id").to_owned()).or_default();
        assert_eq!(*taken, 0, "it was taken before");
        *taken += u32::from(!is_drawn(request, percent));
    }
    let told = |number: u64| (number, connection_task(&home, number));
    (taken, (1..=many()).map(told).collect())
}

fn connection_task(home: &Home, number: u64) -> Value {
    home.connect().call("task.history", json!({"task": number}))
}

fn status(history: &Value, target: &str) -> String {
    let deliveries = history["deliveries"].as_array().unwrap();
    let delivery = deliveries.iter().find(|delivery| delivery["target"] == target).unwrap();
    delivery["status"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_beside_a_person_gets_everything_however_often_it_fails() {
    let (taken, tasks) = play(20, json!({"channels": ["desktop", "webhook:ops"]})).await;
    assert_eq!(taken.len() as u64, many());
    assert!(taken.values().all(|taken| *taken == 1));
    assert!(tasks.values().all(|task| status(task, "webhook:ops") == "delivered"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_with_patience_gets_everything() {
    let (taken, tasks) = play(20, json!({"max_retries": 10})).await;
    assert_eq!(taken.len() as u64, many());
    assert!(taken.values().all(|taken| *taken == 1));
    assert!(tasks.values().all(|task| task["task"]["outcome"] == "done"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_program_never_took_is_told_as_such_and_nothing_else_is_lost() {
    let (taken, tasks) = play(50, json!({})).await;
    let lost = taken.values().filter(|taken| **taken == 0).count();
    let told = tasks.values().filter(|task| task["task"]["outcome"] == "retries_exhausted").count();
    assert!(lost > 0, "half of them fail: of {} some fail four times", many());
    assert_eq!((taken.len() as u64, told), (many(), lost));
    for task in tasks.values() {
        let is_lost = task["task"]["outcome"] == "retries_exhausted";
        assert_eq!(status(task, "webhook:ops"), if is_lost { "failed" } else { "delivered" });
        assert_eq!(task["task"]["attempts"].as_u64().filter(|_| is_lost).unwrap_or(4), 4);
        let states = task["events"].as_array().unwrap().iter().any(|event| event["to"] == "FAILED");
        assert_eq!(states, is_lost);
    }
}

/// When each webhook arrived, past its time.
type Late = Arc<Mutex<Vec<Span>>>;

async fn timed_server() -> (HttpServer, Late) {
    let late = Late::default();
    let noted = Arc::clone(&late);
    let server = HttpServer::start(move |request, _| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let nominal = body["firing"]["nominal"].as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>().unwrap();
        noted.lock().unwrap().push(SystemClock::new().now().since(Timestamp::from_utc(nominal).unwrap()));
        Reply::status(200, "")
    })
    .await;
    (server, late)
}

/// Fires `many()` webhooks to `targets` targets in the same second, beside as many to one that hangs; returns when each came.
async fn fire(targets: usize, beside_hanging: bool) -> Vec<Span> {
    let (server, late) = timed_server().await;
    let hanging = HttpServer::start(|_, _| Reply::Hang(String::new())).await;
    let home = Home::new();
    let name = |number: usize| format!("ops{number}");
    let mut named: Vec<(String, String)> = (0..targets).map(|number| (name(number), server.url("/"))).collect();
    named.push(("hanging".to_owned(), hanging.url("/")));
    config(&home, &named);
    let _daemon = start_in_real_time(&home);
    let mut connection = home.connect();
    let ahead = Span::from_millis(2000 + i64::try_from(many()).unwrap() * if beside_hanging { 50 } else { 25 });
    let at = SystemClock::new().now().saturating_add(ahead).to_utc().to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    for number in 0..usize::try_from(many()).unwrap() {
        let mut add = |channel: String| {
            connection.call("task.add", json!({"title": "tea", "at": at, "channels": [format!("webhook:{channel}")]}));
        };
        add(name(number % targets));
        if beside_hanging {
            add("hanging".to_owned());
        }
    }
    server.received_within(usize::try_from(many()).unwrap(), ahead.to_duration() + PATIENCE).await;
    let mut late = late.lock().unwrap().clone();
    late.sort_unstable();
    assert!(late[0] >= Span::ZERO, "none comes early");
    late
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_target_that_hangs_changes_nothing_for_the_others() {
    let mut medians = Vec::new();
    for beside_hanging in [false, true] {
        let late = fire(4, beside_hanging).await;
        let at = |percent: usize| late[(late.len() - 1) * percent / 100];
        println!(
            "{} webhooks to 4 targets, hanging one beside: {beside_hanging}: p50 {}, p99 {}, all {}",
            many(),
            at(50),
            at(99),
            at(100)
        );
        medians.push((at(50), at(100)));
    }
    // What hangs takes its two seconds of every attempt; that would show.
    let (alone, beside) = (medians[0].1, medians[1].1);
    assert!(beside.as_millis() < 2 * alone.as_millis() + 1000, "{alone} alone, {beside} beside");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn webhooks_of_one_second_are_all_sent_within_it() {
    for targets in [1, 8, 32] {
        let late = fire(targets, false).await;
        println!("{} webhooks to {targets} targets: all within {}", many(), late[late.len() - 1]);
        assert!(late[late.len() - 1] < Span::from_millis(5000 + 10 * i64::try_from(many()).unwrap()));
    }
}

fn resident_kib(daemon: &Daemon) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Asks again and again until told to stop; returns how long the slowest answer took, and how many there were.
fn ask_meanwhile(
    mut connection: Connection,
    stop: Arc<std::sync::atomic::AtomicBool>,
) -> std::thread::JoinHandle<(Vec<Span>, Connection)> {
    std::thread::spawn(move || {
        let clock = SystemClock::new();
        let mut took = Vec::new();
        while !stop.load(std::sync::atomic::Ordering::SeqCst) {
            let began = clock.now();
            connection.call("task.update", json!({"task": 1, "notes": began.to_string()}));
            took.push(clock.now().since(began));
        }
        took.sort_unstable();
        (took, connection)
    })
}

/// Fifty times as many as the rest of these tests send: 5,000.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[cfg(target_os = "linux")]
async fn what_is_held_in_thousands_takes_little_memory_and_holds_up_no_call() {
    let server = HttpServer::start(|_, _| Reply::status(200, "")).await;
    let home = Home::new();
    config(&home, &[("ops".to_owned(), server.url("/"))]);
    let daemon = start(&home);
    let mut connection = home.connect();
    let count = many() * 5;
    for number in 0..count {
        let target = if number == 0 { "terminal" } else { "webhook:ops" };
        connection
            .call("task.add", json!({"title": format!("tea {number}"), "at": "in 10 minutes", "channels": [target]}));
    }
    let before = resident_kib(&daemon);
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let asking = ask_meanwhile(home.connect(), Arc::clone(&stop));
    let (pause, resume) = (json!({"target": "webhook:ops"}), json!({"target": "webhook:ops"}));
    connection.call("channel.pause", pause);
    connection.call("clock.advance", json!({"to": "2026-05-13T12:20:00-04:00"}));
    let list = connection.call("channel.list", json!({}));
    let ops = list["targets"].as_array().unwrap().iter().find(|each| each["target"] == "webhook:ops").unwrap();
    assert_eq!(ops["held"], count - 1, "{ops}");
    let page = connection.call("delivery.list", json!({"target": "webhook:ops", "status": "held"}));
    assert_eq!(page["deliveries"].as_array().unwrap().len() as u64, (count - 1).min(1000));
    connection.call("channel.resume", resume);
    // One a second goes out.
    connection.call("clock.advance", json!({"to": "2026-05-13T12:21:00-04:00"}));
    stop.store(true, std::sync::atomic::Ordering::SeqCst);
    let (took, _) = asking.join().unwrap();
    let after = resident_kib(&daemon);
    let p99 = took[(took.len() - 1) * 99 / 100];
    println!(
        "{count} held: {before} KiB before, {after} KiB after; {} updates meanwhile, p99 {p99}, slowest {}",
        took.len(),
        took[took.len() - 1]
    );
    let sent = server.requests().len();
    assert!((59..=62).contains(&sent), "one a second: {sent}");
    assert!(after < before + 4 * count + 20_000, "{before} KiB before, {after} KiB after");
    assert!(p99 < Span::from_secs(3), "{p99}");
}
