//! Servers that mean harm or are broken, and what of them reaches the person: nothing hangs, grows, or is lost.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use keiko::clock::Clock as _;
use keiko::clock::system::SystemClock;
use keiko::domain::delivery::{Report, Target};
use keiko::domain::secret::Secret;
use keiko::domain::time::Span;
use keiko::notify::Channel as _;
use keiko::notify::webhook::{Redirects, Scalar, Settings, Success, WebhookChannel};
use serde_json::{Value, json};

use crate::support::daemon::{Connection, Daemon, Home};
use crate::support::http_server::{HttpServer, Reply, Request};
use crate::support::{sample, soon};

/// What a test waits for instead of ten seconds.
const SHORT: Duration = Duration::from_millis(300);

fn settings(url: &str) -> Settings {
    let settings = Settings::new("ops".to_owned(), Secret::new(url.to_owned()));
    Settings { timeout: SHORT, connect_timeout: SHORT, ..settings }
}

async fn deliver(settings: Settings) -> Report {
    let clock = SystemClock::new();
    let channel = WebhookChannel::new(vec![settings], Arc::new(move || clock.now())).unwrap();
    let delivery = sample::delivery(Target::parse("webhook:ops").unwrap(), 7, "tea", "");
    soon("a report", channel.deliver(&delivery)).await
}

/// Returns the error of an attempt that may be repeated, bounded as all that is stored.
#[track_caller]
fn failure(report: Report) -> String {
    match report {
        Report::Failed { error, is_final: false, .. } if error.len() < 1000 => error,
        other => panic!("expected a failure that may pass, found {other:?}"),
    }
}

fn ok() -> Success {
    Success { pointer: "/ok".to_owned(), equals: Scalar::Bool(true) }
}

#[tokio::test]
async fn an_answer_that_never_comes_to_its_end_is_given_up() {
    let head = |more: &str| format!("HTTP/1.1 503 X\r\n{more}");
    let floods = [
        ("headers", Reply::Repeat(head(""), format!("x-flood: {}\r\n", "x".repeat(1000)))),
        ("one header", Reply::Repeat(head("x-flood: "), "x".repeat(4096))),
        ("the status", Reply::Repeat("HTTP/1.1 503 ".to_owned(), "x".repeat(4096))),
        ("interim answers", Reply::Repeat(String::new(), "HTTP/1.1 103 X\r\nlink: x\r\n\r\n".to_owned())),
        ("a body", Reply::Endless(503)),
        ("chunks", Reply::Repeat(head("transfer-encoding: chunked\r\n\r\n"), "1\r\nx\r\n".to_owned())),
        ("drops", Reply::Drip(head("content-length: 100000\r\n\r\n"), Duration::from_millis(5))),
        ("drops of headers", Reply::Drip(head("x-slow: "), Duration::from_millis(5))),
    ];
    for (what, reply) in floods {
        let server = HttpServer::start(move |_, _| reply.clone()).await;
        let began = SystemClock::new().now();
        let error = failure(deliver(settings(&server.url("/"))).await);
        let took = SystemClock::new().now().since(began);
        assert!(took < Span::from_secs(5), "{what} held it up for {took}: {error}");
        assert_eq!(server.requests().len(), 1, "one attempt is one request, after {what}");
    }
}

#[tokio::test]
async fn an_answer_that_lies_of_its_body_is_what_its_status_says() {
    let lies = [
        ("too long a length", Reply::Raw("HTTP/1.1 200 X\r\ncontent-length: 999999999999\r\n\r\n{\"ok\":".to_owned())),
        ("too short a length", Reply::Raw("HTTP/1.1 200 X\r\ncontent-length: 3\r\n\r\n{\"ok\":true}".to_owned())),
        ("no gzip", Reply::Answer(200, "content-encoding: gzip\r\n".to_owned(), "\u{1f}\u{8b}".repeat(40_000))),
        ("a reset", Reply::Reset("HTTP/1.1 200 X\r\ncontent-length: 99\r\n\r\n{\"ok\":".to_owned())),
        ("broken chunks", Reply::Raw("HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}".to_owned())),
    ];
    for (what, reply) in lies {
        let server = HttpServer::start(move |_, _| reply.clone()).await;
        assert_eq!(deliver(settings(&server.url("/"))).await, Report::DELIVERED, "{what}: 200 is a success");
        let error = failure(deliver(Settings { success: Some(ok()), ..settings(&server.url("/")) }).await);
        assert!(error.contains("answered 200 with no JSON"), "{what}: {error}");
    }
    let two = "HTTP/1.1 200 X\r\ncontent-length: 3\r\ncontent-length: 5\r\n\r\nabcde";
    for nonsense in [two, "HTTP/1.1 200 X\r\ncontent-length: -1\r\n\r\n", "HTTP/1.1 200 X\r\nno colon\r\n\r\n"] {
        let server = HttpServer::start(move |_, _| Reply::Raw(nonsense.to_owned())).await;
        failure(deliver(settings(&server.url("/"))).await);
    }
    let reset = HttpServer::start(|_, _| Reply::Reset(String::new())).await;
    failure(deliver(settings(&reset.url("/"))).await);
}

#[tokio::test]
async fn redirects_that_go_round_end() {
    let server =
        HttpServer::start(|_, before| Reply::Answer(307, format!("location: /{before}\r\n"), String::new())).await;
    let report = deliver(Settings { redirects: Redirects::Followed, ..settings(&server.url("/")) }).await;
    assert!(matches!(report, Report::Failed { is_final: true, .. }), "{report:?}");
    assert_eq!(server.requests().len(), 6, "five are followed");
    for bad in ["", "http://", "file:///etc/passwd", "gopher://x", "//[::1", "javascript:alert(1)"] {
        let location = format!("location: {bad}\r\n");
        let server = HttpServer::start(move |_, before| match before {
            0 => Reply::Answer(308, location.clone(), String::new()),
            _ => Reply::status(404, ""),
        })
        .await;
        let report = deliver(Settings { redirects: Redirects::Followed, ..settings(&server.url("/")) }).await;
        assert!(matches!(report, Report::Failed { .. }), "{bad:?}: {report:?}");
    }
}

#[tokio::test]
async fn a_name_that_is_nobodys_and_a_certificate_that_has_ended_may_be_mended() {
    failure(deliver(settings("http://nobody.invalid/")).await);
    let (server, ca) = HttpServer::start_expired(|_, _| Reply::status(200, "")).await;
    let url = format!("https://localhost:{}/", server.port());
    let error = failure(deliver(Settings { ca: Some(ca.into_bytes()), ..settings(&url) }).await);
    assert!(error.contains("expired"), "{error}");
    assert_eq!(server.requests().len(), 0);
}

fn start(home: &Home, config: &str) -> Daemon {
    fs::write(home.path("config.toml"), config).unwrap();
    let mut command = home.daemon();
    command.env("KEIKO_CONFIG", home.path("config.toml"));
    Daemon::start(command)
}

fn advance(connection: &mut Connection, clock: &str) {
    connection.call("clock.advance", json!({"to": format!("2026-05-13T{clock}-04:00")}));
}

fn add(connection: &mut Connection, more: &Value) {
    let mut params = json!({"title": "tea", "at": "in 10 seconds", "channels": ["webhook:ops"]});
    for (key, value) in more.as_object().unwrap() {
        params[key] = value.clone();
    }
    connection.call("task.add", params);
}

/// FAULTS B57, and the body is frozen at the first attempt: what the configuration says later changes nothing of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_attempt_says_the_same_past_crashes_and_new_templates() {
    let server = HttpServer::start(|_, before| match before {
        0 => Reply::Hang(String::new()),
        1 => Reply::status(500, "no"),
        2 => Reply::Answer(503, "retry-after: 60\r\n".to_owned(), String::new()),
        _ => Reply::status(200, ""),
    })
    .await;
    let home = Home::new();
    let config = |body: &str, title: &str, key: &str| {
        format!(
            "[webhooks.ops]\nurl = '{}'\nbody = '{body}'\ntimeout_s = 1\n\
             headers.X-Title = '{title}'\nheaders.X-Key = '{key}'\n",
            server.url("/")
        )
    };
    let daemon =
        start(&home, &config(r#"{"a": {{ task.title }}, "late": {{ firing.late }}}"#, "{{ task.number }}", "one"));
    let mut connection = home.connect();
    add(&mut connection, &json!({"title": "交房租"}));
    // Killed while the first attempt hangs: it was committed before it was sent.
    connection
        .send("{\"jsonrpc\":\"2.0\",\"method\":\"clock.advance\",\"params\":{\"to\":\"2026-05-13T12:00:10-04:00\"}}\n");
    server.received(1).await;
    daemon.kill();
    for (round, clock) in [(1, "12:00:01"), (2, "12:00:30"), (3, "12:03:00")] {
        let daemon =
            start(&home, &config(&format!(r#"{{"b{round}": 1}}"#), &format!("new {round}"), &format!("key {round}")));
        let mut connection = home.connect();
        connection.call("task.update", json!({"task": 1, "title": format!("other {round}")}));
        advance(&mut connection, clock);
        server.received(round + 1).await;
        daemon.kill();
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 4);
    for request in &requests {
        assert_eq!(String::from_utf8_lossy(&request.body), r#"{"a": "交房租", "late": false}"#);
        assert_eq!(request.header("webhook-id"), requests[0].header("webhook-id"));
        assert_eq!((request.header("x-title"), request.header("content-type")), ("1", "application/json"));
    }
    let keys: Vec<&str> = requests.iter().map(|request| request.header("x-key")).collect();
    assert_eq!(keys, ["one", "key 1", "key 2", "key 3"], "a key is that of now");
    // The killed one was never heard of, so it counts for none.
    let attempts: Vec<&str> = requests.iter().map(|request| request.header("keiko-attempt")).collect();
    assert_eq!(attempts, ["1", "1", "2", "3"]);
    let _daemon = start(&home, &config("{}", "", ""));
    let history = home.connect().call("task.history", json!({"task": 1}));
    assert_eq!(history["deliveries"][0]["status"], "delivered", "{history}");
}

/// FAULTS B57: it opens, looks now and then, closes, and a restart changes nothing of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_breaker_of_a_target_outlives_the_daemon() {
    let status = Arc::new(AtomicU16::new(500));
    let answering = Arc::clone(&status);
    let server = HttpServer::start(move |_, _| Reply::status(answering.load(Ordering::SeqCst), "")).await;
    let home = Home::new();
    let config = format!("[webhooks.ops]\nurl = '{}'\n", server.url("/"));
    let of_ops = |connection: &mut Connection| {
        let list = connection.call("channel.list", json!({}));
        list["targets"].as_array().unwrap().iter().find(|each| each["target"] == "webhook:ops").unwrap().clone()
    };
    let daemon = start(&home, &config);
    let mut connection = home.connect();
    for _ in 0..15 {
        add(&mut connection, &json!({}));
    }
    advance(&mut connection, "12:00:10");
    let before = of_ops(&mut connection);
    let sent = server.requests().len();
    assert!((11..=12).contains(&sent), "{sent}");
    assert_eq!((&before["breaker"], &before["held"]), (&json!("open"), &json!(15)), "{before}");
    assert_eq!(before["last_error"], format!("{} answered 500", server.url("")));
    daemon.kill();
    let daemon = start(&home, &config);
    let mut connection = home.connect();
    assert_eq!(of_ops(&mut connection), before);
    advance(&mut connection, "12:00:39");
    assert_eq!(server.requests().len(), sent, "nothing is sent before the probe's time");
    advance(&mut connection, "12:00:41");
    assert_eq!(server.requests().len(), sent + 1, "one probe");
    let history = connection.call("delivery.list", json!({"target": "webhook:ops", "limit": 1}));
    assert!(history["deliveries"][0]["attempts"].as_u64().unwrap() <= 1, "a probe spends no attempt: {history}");
    status.store(200, Ordering::SeqCst);
    daemon.kill();
    let _daemon = start(&home, &config);
    let mut connection = home.connect();
    advance(&mut connection, "12:05:00");
    let after = of_ops(&mut connection);
    assert_eq!((&after["breaker"], &after["failures"], &after["held"]), (&json!("closed"), &json!(0), &json!(0)));
    assert_eq!(after["last_error"], Value::Null);
    let failed = connection.call("delivery.list", json!({"status": "failed"}));
    assert_eq!(failed["deliveries"], json!([]));
    let notices = connection.call("delivery.list", json!({"target": "desktop"}));
    assert_eq!(notices["deliveries"].as_array().map(Vec::len), Some(1), "the person is told once: {notices}");
}

/// FAULTS B29: the error code is in what `keiko history` shows.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failure_inside_of_a_success_is_in_the_history() {
    let server = HttpServer::start(|_, _| Reply::status(200, r#"{"errcode":45002,"errmsg":"超长"}"#)).await;
    let home = Home::new();
    let config = format!("[webhooks.ops]\nurl = '{}'\npreset = 'dingtalk'\n", server.url("/"));
    let _daemon = start(&home, &config);
    let mut connection = home.connect();
    add(&mut connection, &json!({"max_retries": 1}));
    advance(&mut connection, "12:05:00");
    assert_eq!(server.requests().len(), 2, "one attempt and one retry");
    let shown = home.command(env!("CARGO_BIN_EXE_keiko")).args(["history", "1"]).output().unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("45002") && shown.contains("retries_exhausted"), "{shown}");
    let task = connection.call("task.get", json!({"task": 1}))["task"].take();
    assert_eq!(
        (&task["outcome"], &task["max_retries"], &task["attempts"]),
        (&json!("retries_exhausted"), &json!(1), &json!(2))
    );
}

/// A reminder goes on until somebody has it, or its time is over; `keiko retry` sends it all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reminder_is_sent_until_it_is_too_late() {
    let is_up = Arc::new(AtomicU16::new(500));
    let answering = Arc::clone(&is_up);
    let fails = move |_: &Request, _: usize| Reply::status(answering.load(Ordering::SeqCst), "");
    let server = HttpServer::start(fails).await;
    let home = Home::new();
    let _daemon = start(&home, &format!("[webhooks.ops]\nurl = '{}'\n", server.url("/")));
    let mut connection = home.connect();
    add(&mut connection, &json!({"channels": ["desktop", "webhook:ops"], "max_late": "10m"}));
    advance(&mut connection, "12:20:00");
    let of_ops = |connection: &mut Connection| {
        connection.call("delivery.list", json!({"task": 1, "target": "webhook:ops"}))["deliveries"][0].clone()
    };
    let given_up = of_ops(&mut connection);
    // At 0, 5, 30 and 155 s or so, and at the very end, not behind it.
    assert_eq!((&given_up["status"], &given_up["attempts"]), (&json!("failed"), &json!(5)), "{given_up}");
    assert_eq!(given_up["at"], "2026-05-13T12:10:10-04:00");
    let task = connection.call("task.get", json!({"task": 1}))["task"].take();
    assert_eq!((&task["stage"], &task["max_late_s"]), (&json!("due"), &json!(600)), "the person has not answered");
    is_up.store(200, Ordering::SeqCst);
    let retried = home.command(env!("CARGO_BIN_EXE_keiko")).args(["retry", "1"]).output().unwrap();
    assert!(String::from_utf8_lossy(&retried.stdout).starts_with("sent again 1"), "{retried:?}");
    server.received(6).await;
    advance(&mut connection, "12:20:01");
    assert_eq!(of_ops(&mut connection)["status"], "delivered");
    let requests = server.requests();
    assert!(requests.iter().all(|request| request.header("webhook-id") == requests[0].header("webhook-id")));
    assert!(requests.iter().all(|request| request.body == requests[0].body));
}

/// What was held for too long is not sent, and its task says so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_held_too_long_is_skipped_when_it_is_released() {
    let server = HttpServer::start(|_, _| Reply::status(200, "")).await;
    let home = Home::new();
    let _daemon = start(&home, &format!("[webhooks.ops]\nurl = '{}'\n", server.url("/")));
    let mut connection = home.connect();
    let run = |arguments: &[&str]| {
        let output = home.command(env!("CARGO_BIN_EXE_keiko")).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert_eq!(run(&["channel", "pause", "webhook:ops"]).split_whitespace().next(), Some("paused"));
    run(&["add", "stale", "in", "10", "seconds", "--via", "webhook:ops", "--max-late", "5m"]);
    run(&["add", "fresh", "in", "10", "seconds", "--via", "webhook:ops", "--retries", "7"]);
    advance(&mut connection, "12:30:00");
    assert!(run(&["channel", "list"]).contains("2 held"), "{}", run(&["channel", "list"]));
    run(&["channel", "resume", "webhook:ops"]);
    advance(&mut connection, "12:31:00");
    let bodies: Vec<Value> =
        server.requests().iter().map(|request| serde_json::from_slice(&request.body).unwrap()).collect();
    let titles: Vec<&Value> = bodies.iter().map(|body| &body["task"]["title"]).collect();
    assert_eq!(titles, ["fresh"]);
    let history = connection.call("task.history", json!({"task": 1}));
    let operations: Vec<&Value> =
        history["events"].as_array().unwrap().iter().map(|event| &event["operation"]).collect();
    assert!(operations.contains(&&json!("expired")), "{history}");
    assert_eq!(history["task"]["outcome"], "retries_exhausted");
    assert!(run(&["history", "1"]).contains("too late to be sent"), "{}", run(&["history", "1"]));
    let listed = run(&["channel", "list", "webhook:ops"]);
    assert!(listed.contains("ready") && !listed.contains("held"), "{listed}");
    assert!(run(&["channel", "test", "webhook:ops"]).starts_with("reached"));
}
