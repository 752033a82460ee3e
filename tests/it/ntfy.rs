//! The ntfy channel against a server of the tests' own: what arrives on the topic, and what its buttons do.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use keiko::clock::Clock as _;
use keiko::clock::sim::SimClock;
use keiko::clock::system::SystemClock;
use keiko::domain::delivery::{Delivery, Report, Target};
use keiko::domain::effect::{Standing, Told, Withdrawal};
use keiko::domain::message::Reason;
use keiko::domain::schedule::{Interval, Rule};
use keiko::domain::secret::Secret;
use keiko::domain::state::State;
use keiko::domain::task::Priority;
use keiko::domain::time::Span;
use keiko::notify::Channel as _;
use keiko::notify::keys::{Key, Source};
use keiko::notify::ntfy::{NtfyChannel, Settings};
use serde_json::{Value, json};

use crate::support::daemon::{Daemon, Home};
use crate::support::desk::{Desk, after, once};
use crate::support::fake_ntfy::{ANSWERS, FakeNtfy, TOKEN, TOPIC};
use crate::support::http_server::{HttpServer, Reply};
use crate::support::sample;

fn key(text: &str) -> Key {
    Key::new(Source::Given(Secret::new(text.to_owned())))
}

fn settings(ntfy: &FakeNtfy) -> Settings {
    Settings {
        name: "me".to_owned(),
        url: key(&ntfy.url(TOPIC)),
        token: None,
        answers_url: Some(key(&ntfy.url(ANSWERS))),
        snoozes: vec![Span::from_minutes(10), Span::from_minutes(60)],
        ca: None,
        timeout: Duration::from_secs(10),
    }
}

fn channel(settings: Settings) -> NtfyChannel {
    let clock = SystemClock::new();
    let channel = NtfyChannel::new(Arc::new(move || clock.now()));
    channel.configure(vec![settings]).unwrap();
    channel
}

/// Returns what makes the channel of a desk.
fn of(settings: Vec<Settings>) -> impl FnOnce(Arc<SimClock>) -> NtfyChannel {
    move |clock| {
        let channel = NtfyChannel::new(Arc::new(move || clock.now()));
        channel.configure(settings).unwrap();
        channel
    }
}

fn delivery(title: &str, body: &str) -> Delivery {
    sample::delivery(Target::parse("ntfy:me").unwrap(), 7, title, body)
}

/// Returns the error of an attempt that may be repeated, and how long to wait.
#[track_caller]
fn failure(report: Report) -> (String, Option<Span>) {
    match report {
        Report::Failed { error, is_final: false, retry_after } => (error, retry_after),
        other => panic!("expected a failure that may pass, found {other:?}"),
    }
}

fn delivered(parts: usize) -> Report {
    Report::Delivered { receipt: Some(parts.to_string()) }
}

fn seconds(minutes: i64) -> i64 {
    after(minutes).as_millis() / 1000
}

#[tokio::test]
async fn a_notification_carries_every_script_and_buttons() {
    let ntfy = FakeNtfy::start().await;
    let mut delivery = delivery("a < b & c 交房租 👨‍👩‍👧", "due 12:00\n\"quoted\" \\ {{x}}");
    delivery.message.link = Some("https://example.org/?a=1&b=2".to_owned());
    delivery.message.priority = Priority::High;
    delivery.occasion.tags = vec!["home".to_owned(), "家".to_owned()];
    assert_eq!(channel(settings(&ntfy)).deliver(&delivery).await, delivered(1));
    let shown = ntfy.shown().remove(0);
    assert_eq!(shown["title"], "a < b & c 交房租 👨‍👩‍👧");
    let text = "due 12:00\n\"quoted\" \\ {{x}}\nhttps://example.org/?a=1&b=2\nkeiko done 7";
    assert_eq!(shown["message"], text);
    assert_eq!((&shown["priority"], &shown["tags"]), (&json!(5), &json!(["home", "家"])));
    assert_eq!(shown["sequence_id"], delivery.id.fire_id.to_string());
    assert_eq!(shown["click"], "https://example.org/?a=1&b=2");
    let labels: Vec<&str> =
        shown["actions"].as_array().unwrap().iter().map(|action| action["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["Done", "Snooze 10m", "Open"]);
    assert_eq!(shown["actions"][0]["clear"], true);
    let request = &ntfy.asked("POST / ")[0];
    assert_eq!(request.header("authorization"), "");
}

#[tokio::test]
async fn without_a_topic_for_answers_and_below_what_is_no_ring_there_are_no_buttons() {
    let ntfy = FakeNtfy::start().await;
    let silent = channel(Settings { answers_url: None, ..settings(&ntfy) });
    let _responses = silent.responses();
    assert_eq!(silent.deliver(&delivery("tea", "")).await, delivered(1));
    let channel = channel(settings(&ntfy));
    for (number, reason) in (10..).zip([Reason::TargetFails, Reason::Digest, Reason::Trial]) {
        let mut notice = sample::delivery(Target::parse("ntfy:me").unwrap(), number, "notice", "");
        notice.occasion.reason = reason;
        notice.message.priority = Priority::Low;
        assert_eq!(channel.deliver(&notice).await, delivered(1));
    }
    let shown = ntfy.shown();
    assert_eq!(shown.len(), 4);
    assert!(shown.iter().all(|message| message["actions"].is_null()));
    assert_eq!((&shown[0]["priority"], &shown[1]["priority"]), (&json!(3), &json!(2)));
    assert_eq!(ntfy.asked("GET").len(), 0);
}

#[tokio::test]
async fn what_is_sent_again_replaces_itself_and_what_is_answered_is_cleared() {
    let ntfy = FakeNtfy::start().await;
    let channel = channel(settings(&ntfy));
    let long = delivery("long", &format!("{}\n{}", "租".repeat(2000), "😀".repeat(1250)));
    for _ in 0..2 {
        assert_eq!(channel.deliver(&long).await, delivered(3));
    }
    let titles: Vec<Value> = ntfy.shown().iter().map(|message| message["title"].clone()).collect();
    assert_eq!(titles, ["long (1/3)", "long (2/3)", "long (3/3)"]);
    let said: String = ntfy.shown().iter().map(|message| message["message"].as_str().unwrap().to_owned()).collect();
    assert_eq!((said.matches('租').count(), said.matches('😀').count()), (2000, 1250));
    let told = vec![Told { id: long.id.clone(), receipt: Some("3".to_owned()) }];
    let now = |standing| Withdrawal { task: long.task, occurrence: long.occurrence, standing, told: told.clone() };
    channel.withdraw(&now(Standing::Due)).await;
    assert_eq!(ntfy.shown().len(), 3);
    channel.withdraw(&now(Standing::Seen)).await;
    assert_eq!(ntfy.shown().len(), 0);
    // An older server does not know of clearing.
    ntfy.instead(Reply::status(404, r#"{"code":40401,"http":404,"error":"page not found"}"#));
    channel.withdraw(&now(Standing::Seen)).await;
    channel.configure(Vec::new()).unwrap();
    channel.withdraw(&now(Standing::Seen)).await;
    let away = Report::Away { reason: "no topic ntfy:me is configured".to_owned() };
    assert_eq!(channel.deliver(&long).await, away);
}

#[tokio::test]
async fn a_retry_goes_on_with_the_part_that_failed() {
    let ntfy = FakeNtfy::start().await;
    let channel = channel(settings(&ntfy));
    let long = delivery("long", &"租".repeat(2000));
    ntfy.instead(Reply::status(200, r#"{"event":"message"}"#));
    let why = r#"{"code":42901,"http":429,"error":"limit reached: too many requests"}"#;
    ntfy.instead(Reply::Answer(429, "retry-after: 9\r\n".to_owned(), why.to_owned()));
    let (error, retry_after) = failure(channel.deliver(&long).await);
    assert_eq!(error, format!("{} answered 429: {why}; 1 of 2 parts were sent before", ntfy.host()));
    assert_eq!(retry_after, Some(Span::from_secs(9)));
    assert_eq!(channel.deliver(&long).await, delivered(2));
    let titles: Vec<Value> = ntfy.shown().iter().map(|message| message["title"].clone()).collect();
    assert_eq!(titles, ["long (2/2)"], "the first was taken before");
}

#[tokio::test]
async fn a_token_goes_to_its_own_server_and_is_read_anew_once_it_is_refused() {
    let ntfy = FakeNtfy::start().await;
    ntfy.lock();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("token");
    fs::write(&file, "tk_old").unwrap();
    let token = Some(Key::new(Source::File(file.clone())));
    let channel = channel(Settings { token, ..settings(&ntfy) });
    let (error, _) = failure(channel.deliver(&delivery("tea", "")).await);
    let expected = r#"answered 401: {"code":40101,"error":"unauthorized","http":401}"#;
    assert_eq!(error, format!("{} {expected}", ntfy.host()));
    fs::write(&file, TOKEN).unwrap();
    assert_eq!(channel.deliver(&delivery("tea", "")).await, delivered(1));
    let (error, _) = failure(self::channel(settings(&ntfy)).deliver(&delivery("tea", "")).await);
    assert!(error.contains("answered 403"), "{error}");
    let other = FakeNtfy::start().await;
    let elsewhere =
        Settings { token: Some(key(TOKEN)), answers_url: Some(key(&other.url(ANSWERS))), ..settings(&ntfy) };
    let channel = self::channel(elsewhere);
    let _responses = channel.responses();
    let asked = other.was_asked("GET", 1).await;
    assert_eq!(asked[0].header("authorization"), "");
}

#[tokio::test]
async fn no_error_shows_an_address_or_a_token_and_none_is_final() {
    let ntfy = FakeNtfy::start().await;
    let echo = format!("no {TOPIC} for {TOKEN} at /{TOPIC} of {}", ntfy.url(ANSWERS));
    for status in [400, 404, 413, 500] {
        ntfy.instead(Reply::status(status, &echo));
        let with_token = Settings { token: Some(key(TOKEN)), ..settings(&ntfy) };
        let (error, _) = failure(channel(with_token).deliver(&delivery("tea", "")).await);
        assert!(error.starts_with(&format!("{} answered {status}: no ", ntfy.host())), "{error}");
        assert!(![TOPIC, TOKEN, ANSWERS].iter().any(|secret| error.contains(secret)), "{error}");
    }
    ntfy.instead(Reply::status(200, "<html>sign in to this hotel</html>"));
    let (error, _) = failure(channel(settings(&ntfy)).deliver(&delivery("tea", "")).await);
    assert!(error.contains("answered 200 with no JSON"), "{error}");
    for (url, why) in [
        ("hunter2", "cannot use url of ntfy:me: expected a URL: relative URL without a base"),
        (
            "https://x/a.b.hunter2",
            "cannot use url of ntfy:me: expected the address of a topic, such as https://ntfy.sh/TOPIC",
        ),
    ] {
        let (error, _) =
            failure(channel(Settings { url: key(url), ..settings(&ntfy) }).deliver(&delivery("tea", "")).await);
        assert_eq!(error, why);
    }
    let silent = HttpServer::start(|_, _| Reply::Hang(String::new())).await;
    let url = key(&silent.url(&format!("/{TOPIC}")));
    let hurried = Settings { timeout: Duration::from_millis(300), url, ..settings(&ntfy) };
    let (error, _) = failure(channel(hurried).deliver(&delivery("tea", "")).await);
    assert_eq!(error, format!("cannot reach {}: no whole answer within 300ms", silent.url("")));
}

#[tokio::test]
async fn a_button_completes_a_task_and_its_notification_goes() {
    let ntfy = FakeNtfy::start().await;
    let desk = Desk::new(of(vec![settings(&ntfy)])).await;
    let rent = desk.add("rent", "ntfy:me", once(1)).await;
    desk.to(1).await;
    let done = ntfy.body("Done");
    ntfy.press("Done", seconds(1));
    desk.until(rent, "done", |state| matches!(state, State::Completed(_))).await;
    assert!(desk.is_done(rent));
    ntfy.shows(0).await;
    // Pressed again, and by somebody who writes nonsense: what comes behind is heard.
    ntfy.post(&done, seconds(1));
    ntfy.post("hunter2", seconds(1));
    let tea = desk.add("tea", "ntfy:me", once(2)).await;
    desk.to(2).await;
    ntfy.press("Done", seconds(2));
    desk.until(tea, "done", |state| matches!(state, State::Completed(_))).await;
    assert_eq!(ntfy.asked("GET").len(), 1, "one stream");
    assert!(ntfy.asked("GET")[0].line.ends_with("/json?since=12h HTTP/1.1"));
}

#[tokio::test]
async fn a_snooze_counts_from_the_press_and_one_that_is_over_is_none() {
    let ntfy = FakeNtfy::start().await;
    let desk = Desk::new(of(vec![settings(&ntfy)])).await;
    let rent = desk.add("rent", "ntfy:me", once(1)).await;
    desk.to(20).await;
    ntfy.press("Snooze 10m", seconds(1));
    ntfy.press("Snooze 10m", seconds(15));
    desk.until(rent, "the snooze", |state| matches!(state, State::Pending(_))).await;
    desk.to(24).await;
    assert!(matches!(desk.task(rent).occurrence.state, State::Pending(_)));
    desk.to(25).await;
    assert!(matches!(desk.task(rent).occurrence.state, State::Running(_)));
}

#[tokio::test]
async fn a_press_while_nobody_read_is_heard_later_and_once() {
    let ntfy = FakeNtfy::start().await;
    let desk = Desk::new(of(vec![settings(&ntfy)])).await;
    let every = Span::from_minutes(60);
    let rule = Rule::Interval(Interval { every, from: after(60), count: None, until: None });
    let water = desk.add("water", "ntfy:me", rule).await;
    desk.to(60).await;
    let first = ntfy.body("Done");
    let desk = desk.restarted(of(Vec::new())).await;
    ntfy.press("Done", seconds(60));
    let desk = desk.restarted(of(vec![settings(&ntfy)])).await;
    desk.until(water, "done", |state| matches!(state, State::Pending(_))).await;
    ntfy.shows(0).await;
    desk.to(120).await;
    // The button of the first does nothing to the second; nor does what is told again to another reader.
    ntfy.post(&first, seconds(120));
    let desk = desk.restarted(of(vec![settings(&ntfy)])).await;
    let rent = desk.add("rent", "ntfy:me", once(121)).await;
    desk.to(121).await;
    ntfy.press("Done", seconds(121));
    desk.until(rent, "done", |state| matches!(state, State::Completed(_))).await;
    assert!(matches!(desk.task(water).occurrence.state, State::Running(_)), "the second is still due");
}

#[tokio::test]
async fn a_stream_that_ends_is_opened_anew_behind_what_was_heard() {
    let ntfy = FakeNtfy::start().await;
    ntfy.instead(Reply::Raw("HTTP/1.1 200 X\r\n\r\n{\"id\":\"abc\",\"time\":1,\"event\":\"message\"}\n".to_owned()));
    let channel = channel(settings(&ntfy));
    let mut heard = channel.responses().unwrap();
    let again = ntfy.was_asked("GET", 2).await;
    assert!(again[1].line.ends_with("/json?since=abc HTTP/1.1"), "{}", again[1].line);
    assert!(heard.try_recv().is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_is_done_by_a_button_of_a_real_daemon_and_its_log_holds_no_key() {
    let ntfy = FakeNtfy::start().await;
    ntfy.lock();
    let home = Home::new();
    let config = format!(
        "[ntfy.me]\nurl = '{}'\ntoken_env = 'NTFY_TOKEN'\nanswers_url_command = ['cat', '{}']\n",
        ntfy.url(TOPIC),
        home.path("answers").display()
    );
    fs::write(home.path("config.toml"), config).unwrap();
    fs::write(home.path("answers"), ntfy.url(ANSWERS)).unwrap();
    let mut command = home.daemon();
    command.env("KEIKO_CONFIG", home.path("config.toml")).env("NTFY_TOKEN", TOKEN).env("KEIKO_LOG", "trace");
    let _daemon = Daemon::start(command);
    let keiko = |words: &[&str]| {
        let output = home.command(env!("CARGO_BIN_EXE_keiko")).args(words).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    keiko(&["add", "pay rent", "in 10 seconds", "--via", "ntfy:me"]);
    home.connect().call("clock.advance", json!({"to": "2026-05-13T12:00:20-04:00"}));
    ntfy.shows(1).await;
    // 2026-05-13T16:00:20Z
    ntfy.press("Done", 1_778_688_020);
    ntfy.shows(0).await;
    let shown: Value = serde_json::from_str(&keiko(&["show", "1", "--json"])).unwrap();
    assert_eq!(shown["task"]["state"], "COMPLETED", "{shown}");
    let log = fs::read_to_string(home.path("data/keikod.log")).unwrap();
    let history = keiko(&["history", "1", "--json"]);
    for secret in [TOPIC, ANSWERS, TOKEN] {
        assert!(!log.contains(secret) && !history.contains(secret), "{log}");
    }
}
