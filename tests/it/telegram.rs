//! The Telegram channel against a Bot API of the tests' own: what arrives in the chat, and what its buttons do.

use std::fs;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use keiko::clock::Clock as _;
use keiko::clock::sim::SimClock;
use keiko::clock::system::SystemClock;
use keiko::domain::delivery::{Delivery, Report, Target};
use keiko::domain::effect::{Standing, Told, Withdrawal};
use keiko::domain::message::Reason;
use keiko::domain::occurrence::Outcome;
use keiko::domain::schedule::{Interval, Rule};
use keiko::domain::secret::Secret;
use keiko::domain::state::State;
use keiko::domain::task::Priority;
use keiko::domain::time::Span;
use keiko::notify::Channel as _;
use keiko::notify::keys::{Key, Source};
use keiko::notify::telegram::{Moved, Settings, TelegramChannel};
use serde_json::{Value, json};

use crate::support::daemon::{Daemon, Home, refusal as refused_start};
use crate::support::desk::{Desk, after, once};
use crate::support::fake_telegram::{CHAT, FakeTelegram, TOKEN, refusal};
use crate::support::http_server::{HttpServer, Reply};
use crate::support::sample;

fn settings(url: &str) -> Settings {
    Settings {
        name: "me".to_owned(),
        token: Key::new(Source::Given(Secret::new(TOKEN.to_owned()))),
        chat: CHAT.to_string(),
        moved: Moved::default(),
        buttons: true,
        snoozes: vec![Span::from_minutes(10), Span::from_minutes(60)],
        api_url: url.to_owned(),
        ca: None,
        timeout: Duration::from_secs(10),
    }
}

fn channel(settings: Settings) -> TelegramChannel {
    let clock = SystemClock::new();
    let channel = TelegramChannel::new(Arc::new(move || clock.now()));
    channel.configure(vec![settings]).unwrap();
    channel
}

fn target() -> Target {
    Target::parse("telegram:me").unwrap()
}

fn delivery(title: &str, body: &str) -> Delivery {
    sample::delivery(target(), 7, title, body)
}

/// Returns the error of an attempt that may be repeated, and how long to wait.
#[track_caller]
fn failure(report: Report) -> (String, Option<Span>) {
    match report {
        Report::Failed { error, is_final: false, retry_after } => (error, retry_after),
        other => panic!("expected a failure that may pass, found {other:?}"),
    }
}

#[track_caller]
fn receipt(report: Report) -> String {
    match report {
        Report::Delivered { receipt: Some(receipt) } => receipt,
        other => panic!("expected a receipt, found {other:?}"),
    }
}

#[tokio::test]
async fn a_message_is_plain_text_with_buttons_below() {
    let telegram = FakeTelegram::start().await;
    let mut delivery = delivery("a < b & c *d* _e_ [f](g) 交房租 👨‍👩‍👧", "due 12:00");
    delivery.message.link = Some("https://example.org/?a=1&b=2".to_owned());
    receipt(channel(settings(&telegram.url())).deliver(&delivery).await);
    let sent = telegram.calls("sendMessage").remove(0);
    let text = "a < b & c *d* _e_ [f](g) 交房租 👨‍👩‍👧\ndue 12:00\nhttps://example.org/?a=1&b=2\nkeiko done 7";
    assert_eq!(sent["text"], text);
    assert_eq!((&sent["chat_id"], &sent["disable_notification"]), (&json!(CHAT), &json!(false)));
    assert_eq!(sent["link_preview_options"], json!({"is_disabled": true}));
    let rows = sent["reply_markup"]["inline_keyboard"].as_array().unwrap();
    let labels: Vec<Vec<&str>> = rows
        .iter()
        .map(|row| row.as_array().unwrap().iter().map(|button| button["text"].as_str().unwrap()).collect())
        .collect();
    assert_eq!(labels, [vec!["✓ Done"], vec!["Snooze 10m", "Snooze 1h"], vec!["Open"]]);
    assert_eq!(rows[2][0]["url"], "https://example.org/?a=1&b=2");
}

#[tokio::test]
async fn what_is_of_low_priority_makes_no_sound_and_what_is_no_ring_has_no_buttons() {
    let telegram = FakeTelegram::start().await;
    let channel = channel(settings(&telegram.url()));
    let mut low = delivery("tea", "");
    low.message.priority = Priority::Low;
    receipt(channel.deliver(&low).await);
    let reasons = [Reason::TargetFails, Reason::Blocked, Reason::Skipped, Reason::Digest, Reason::Trial];
    for reason in reasons {
        let mut notice = delivery(reason.as_str(), "");
        notice.occasion.reason = reason;
        receipt(channel.deliver(&notice).await);
    }
    let sent = telegram.calls("sendMessage");
    assert_eq!(sent[0]["disable_notification"], true);
    assert!(sent[0]["reply_markup"].is_object());
    assert!(sent[1..].iter().all(|message| message["reply_markup"].is_null()));
}

#[tokio::test]
async fn a_target_without_buttons_shows_none_and_asks_for_none() {
    let telegram = FakeTelegram::start().await;
    let channel = channel(Settings { buttons: false, ..settings(&telegram.url()) });
    let _responses = channel.responses();
    receipt(channel.deliver(&delivery("tea", "")).await);
    assert!(telegram.calls("sendMessage")[0]["reply_markup"].is_null());
    assert_eq!(telegram.calls("getUpdates").len(), 0);
}

#[tokio::test]
async fn a_long_text_comes_in_parts_and_a_retry_goes_on_with_the_part_that_failed() {
    let telegram = FakeTelegram::start().await;
    let channel = channel(settings(&telegram.url()));
    // 5,000 units of Chinese, then as many that are pairs of units: 10,000 in all beside the title.
    let delivery = delivery("long", &format!("{}\n{}", "租".repeat(5000), "😀".repeat(2500)));
    for part in 0..2 {
        let too_many = refusal(429, 429, "Too Many Requests: retry after 3", &json!({"retry_after": 3}));
        if part == 0 {
            // The second part is refused.
            let telegram = &telegram;
            let first = channel.deliver(&delivery);
            telegram.instead("sendMessage", Reply::status(200, r#"{"ok":true,"result":{"message_id":1}}"#));
            telegram.instead("sendMessage", too_many);
            let (error, retry_after) = failure(first.await);
            let expected = format!(
                "{} refused sendMessage with 429: Too Many Requests: retry after 3; 1 of 3 parts were sent before",
                telegram.url()
            );
            assert_eq!((error, retry_after), (expected, Some(Span::from_secs(3))));
        } else {
            receipt(channel.deliver(&delivery).await);
        }
    }
    let sent = telegram.calls("sendMessage");
    let texts: Vec<&str> = sent.iter().map(|message| message["text"].as_str().unwrap()).collect();
    assert_eq!(texts.len(), 4, "one, two refused, two, three");
    assert_eq!(texts[1], texts[2]);
    let whole = [texts[0], texts[2], texts[3]].concat();
    for (said, count) in [('租', 5000), ('😀', 2500)] {
        assert_eq!(whole.chars().filter(|c| *c == said).count(), count);
    }
    assert!(texts.iter().all(|text| text.encode_utf16().count() <= 4096));
    let quiet: Vec<bool> = sent.iter().map(|message| message["disable_notification"] == true).collect();
    assert_eq!(quiet, [false, true, true, true], "one sound a reminder");
    let has_buttons: Vec<bool> = sent.iter().map(|message| message["reply_markup"].is_object()).collect();
    assert_eq!(has_buttons, [false, false, false, true]);
    // One that begins anew after a restart is sent whole.
    receipt(self::channel(settings(&telegram.url())).deliver(&delivery).await);
    assert_eq!(telegram.calls("sendMessage").len(), 7);
}

/// "Making requests" and "`ResponseParameters`" of the Bot API. Nothing is final: each of these a person can mend.
#[tokio::test]
async fn what_the_service_refuses_is_tried_again_and_no_error_shows_the_token() {
    let telegram = FakeTelegram::start().await;
    let channel = channel(settings(&telegram.url()));
    let echo = format!("Bad Request: /bot{TOKEN}/sendMessage of {TOKEN} by AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw");
    let none = json!({});
    let cases = [
        (200, 400, "Bad Request: chat not found"),
        (403, 403, "Forbidden: bot was blocked by the user"),
        (401, 401, "Unauthorized"),
        (404, 404, "Not Found"),
        (500, 500, "Internal Server Error"),
    ];
    for (status, code, why) in cases {
        telegram.instead("sendMessage", refusal(status, code, why, &none));
        let expected = format!("{} refused sendMessage with {code}: {why}", telegram.url());
        assert_eq!(failure(channel.deliver(&delivery("tea", "")).await), (expected, None));
    }
    telegram.instead("sendMessage", refusal(400, 400, &echo, &none));
    let (error, _) = failure(channel.deliver(&delivery("tea", "")).await);
    assert!(!error.contains("AAHdq") && !error.contains("110201543"), "{error}");
    telegram.instead("sendMessage", Reply::Answer(502, "retry-after: 7\r\n".to_owned(), format!("<html>/bot{TOKEN}/")));
    let (error, retry_after) = failure(channel.deliver(&delivery("tea", "")).await);
    assert!(error.contains("answered 502") && !error.contains("AAHdq"), "{error}");
    assert_eq!(retry_after, Some(Span::from_secs(7)));
    telegram.instead("sendMessage", Reply::status(200, "<html>sign in to this hotel</html>"));
    let (error, _) = failure(channel.deliver(&delivery("tea", "")).await);
    assert!(error.contains("answered 200 with no JSON"), "{error}");
    // Nobody there, and one that never answers.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let gone = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let (error, _) = failure(self::channel(settings(&gone)).deliver(&delivery("tea", "")).await);
    assert_eq!(error, format!("cannot call sendMessage of {gone}: Connection refused (os error 111)"));
    let silent = HttpServer::start(|_, _| Reply::Hang(String::new())).await;
    let hurried = Settings { timeout: Duration::from_millis(300), ..settings(&silent.url("")) };
    let (error, _) = failure(self::channel(hurried).deliver(&delivery("tea", "")).await);
    assert_eq!(error, format!("cannot call sendMessage of {}: no whole answer within 300ms", silent.url("")));
}

#[tokio::test]
async fn a_token_that_is_refused_is_read_anew() {
    let telegram = FakeTelegram::start().await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("token");
    fs::write(&file, "1:old").unwrap();
    let channel = channel(Settings { token: Key::new(Source::File(file.clone())), ..settings(&telegram.url()) });
    let (error, _) = failure(channel.deliver(&delivery("tea", "")).await);
    assert_eq!(error, format!("{} refused sendMessage with 401: Unauthorized", telegram.url()));
    fs::write(&file, format!("{TOKEN}\n")).unwrap();
    receipt(channel.deliver(&delivery("tea", "")).await);
    fs::remove_file(&file).unwrap();
    receipt(channel.deliver(&delivery("tea", "")).await);
}

#[tokio::test]
async fn a_group_that_became_a_supergroup_is_found_at_the_next_attempt() {
    let telegram = FakeTelegram::start().await;
    let channel = channel(Settings { chat: "-5".to_owned(), ..settings(&telegram.url()) });
    let why = "Bad Request: group chat was upgraded to a supergroup chat";
    telegram.instead("sendMessage", refusal(400, 400, why, &json!({"migrate_to_chat_id": CHAT})));
    let (error, _) = failure(channel.deliver(&delivery("tea", "")).await);
    let expected = format!(
        "{} refused sendMessage with 400: {why}; the chat is {CHAT} now, which is used from here on",
        telegram.url()
    );
    assert_eq!(error, expected);
    assert!(receipt(channel.deliver(&delivery("tea", "")).await).contains(&CHAT.to_string()));
}

#[tokio::test]
async fn where_a_group_went_is_known_after_a_start_to_messages_and_to_buttons() {
    let telegram = FakeTelegram::start().await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("telegram.json");
    let of_group = || Settings { chat: "-5".to_owned(), moved: Moved::at(file.clone()), ..settings(&telegram.url()) };
    let first = channel(of_group());
    telegram.instead("sendMessage", refusal(400, 400, "upgraded", &json!({"migrate_to_chat_id": CHAT})));
    failure(first.deliver(&delivery("tea", "")).await);
    drop(first);
    let desk = Desk::new(of(vec![of_group()])).await;
    let rent = desk.add("rent", "telegram:me", once(1)).await;
    desk.to(1).await;
    assert_eq!(telegram.calls("sendMessage").len(), 2, "none to where it is not any more");
    let done = telegram.data("✓ Done");
    assert_eq!(telegram.press(&done).await, "✓ done");
    desk.until(rent, "done", |state| matches!(state, State::Completed(_))).await;
}

#[tokio::test]
async fn a_link_that_the_service_takes_for_none_stops_no_reminder() {
    let telegram = FakeTelegram::start().await;
    let channel = channel(settings(&telegram.url()));
    for (link, calls) in [("http://localhost:8000/x", 2), ("file:///etc/motd", 1), ("javascript:alert(1)", 1)] {
        let before = telegram.calls("sendMessage").len();
        let mut delivery = delivery("tea", "");
        delivery.message.link = Some(link.to_owned());
        receipt(channel.deliver(&delivery).await);
        assert_eq!(telegram.calls("sendMessage").len() - before, calls, "{link}");
        let message = telegram.messages().pop().unwrap();
        assert!(message["text"].as_str().unwrap().contains(link));
        assert_eq!(message["reply_markup"]["inline_keyboard"].as_array().unwrap().len(), 2, "done and snoozes");
    }
}

#[tokio::test]
async fn what_became_of_it_is_written_into_the_message_and_its_buttons_go() {
    let telegram = FakeTelegram::start().await;
    let channel = channel(settings(&telegram.url()));
    let delivery = delivery("tea", "");
    let receipt = receipt(channel.deliver(&delivery).await);
    let told = vec![Told { id: delivery.id.clone(), receipt: Some(receipt) }];
    let now =
        |standing| Withdrawal { task: delivery.task, occurrence: delivery.occurrence, standing, told: told.clone() };
    channel.withdraw(&now(Standing::Due)).await;
    assert_eq!(telegram.calls("editMessageText").len(), 0);
    let cases = [
        (Standing::Seen, "seen", 1),
        (Standing::Later, "later", 0),
        (Standing::Paused, "paused", 0),
        (Standing::Ended(Outcome::Skipped), "skipped", 0),
        (Standing::Ended(Outcome::Cancelled), "cancelled", 0),
        (Standing::Ended(Outcome::Unanswered), "not answered", 0),
        (Standing::Ended(Outcome::Done), "✓ done", 0),
        // Said before: "message is not modified" is no failure.
        (Standing::Ended(Outcome::Done), "✓ done", 0),
    ];
    for (standing, mark, rows) in cases {
        channel.withdraw(&now(standing)).await;
        let message = telegram.messages().pop().unwrap();
        assert_eq!(message["text"], format!("tea\nkeiko done 7\n\n{mark}"));
        assert_eq!(message["reply_markup"]["inline_keyboard"].as_array().unwrap().len(), rows, "{mark}");
    }
    // A receipt of another version, or of a chat that is not configured any more: nothing to be done.
    let strange = vec![Told { id: delivery.id.clone(), receipt: Some("{}".to_owned()) }];
    channel.withdraw(&Withdrawal { told: strange, ..now(Standing::Seen) }).await;
    channel.configure(Vec::new()).unwrap();
    channel.withdraw(&now(Standing::Seen)).await;
    assert_eq!(telegram.calls("editMessageText").len(), 8);
}

#[tokio::test]
async fn chats_are_replaced_while_it_runs() {
    let telegram = FakeTelegram::start().await;
    let channel = channel(settings(&telegram.url()));
    let mut presence = channel.presence();
    presence.mark_unchanged();
    channel.configure(vec![Settings { name: "us".to_owned(), ..settings(&telegram.url()) }]).unwrap();
    assert!(presence.has_changed().unwrap(), "what waits is tried anew");
    let away = Report::Away { reason: "no chat telegram:me is configured".to_owned() };
    assert_eq!(channel.deliver(&delivery("tea", "")).await, away);
    let to_us = sample::delivery(Target::parse("telegram:us").unwrap(), 7, "tea", "");
    receipt(channel.deliver(&to_us).await);
    let bad = vec![Settings { api_url: "hunter2".to_owned(), ..settings("") }, settings("ftp://x")];
    let faults: Vec<String> = channel.configure(bad).unwrap_err().iter().map(ToString::to_string).collect();
    let expected = [
        "cannot use api_url of telegram:me: expected a URL: relative URL without a base",
        "cannot use api_url of telegram:me: expected a URL of http or https, found ftp",
    ];
    assert_eq!(faults, expected);
    receipt(channel.deliver(&to_us).await);
    let shown = format!("{channel:?}");
    assert!(shown.starts_with(r#"TelegramChannel { chats: {"us"}, "#) && !shown.contains("AAHdq"), "{shown}");
}

/// Returns what makes the channel of a desk.
fn of(settings: Vec<Settings>) -> impl FnOnce(Arc<SimClock>) -> TelegramChannel {
    move |clock| {
        let channel = TelegramChannel::new(Arc::new(move || clock.now()));
        channel.configure(settings).unwrap();
        channel
    }
}

#[tokio::test]
async fn a_button_completes_a_task_and_the_message_says_so() {
    let telegram = FakeTelegram::start().await;
    let desk = Desk::new(of(vec![settings(&telegram.url())])).await;
    let rent = desk.add("rent", "telegram:me", once(1)).await;
    desk.to(1).await;
    let done = telegram.data("✓ Done");
    assert_eq!(telegram.press(&done).await, "✓ done");
    assert!(desk.is_done(rent));
    assert!(telegram.says("✓ done").await["text"].as_str().unwrap().starts_with("rent\n"));
    // Pressed again on a device that has not heard of it.
    assert!(telegram.press(&done).await.contains("done"));
    let poll = &telegram.calls("getUpdates")[0];
    assert_eq!(poll["allowed_updates"], json!(["callback_query"]));
    assert_eq!(poll["timeout"], 50);
}

#[tokio::test]
async fn a_button_snoozes_and_the_next_message_has_buttons_of_its_own() {
    let telegram = FakeTelegram::start().await;
    let desk = Desk::new(of(vec![settings(&telegram.url())])).await;
    let rent = desk.add("rent", "telegram:me", once(1)).await;
    desk.to(1).await;
    let snooze = telegram.data("Snooze 10m");
    let query = telegram.pressed(CHAT, &snooze);
    assert_eq!(telegram.answered(&query).await, "snoozed for 10m");
    assert!(matches!(desk.task(rent).occurrence.state, State::Pending(_)));
    telegram.says("later").await;
    desk.to(11).await;
    assert_eq!(telegram.messages().len(), 2);
    // Told of once more, as after a crash: it counts once.
    telegram.tell_again(&query, &snooze).await;
    assert!(matches!(desk.task(rent).occurrence.state, State::Running(_)));
    assert_eq!(telegram.press(&telegram.data("✓ Done")).await, "✓ done");
    assert!(desk.is_done(rent));
}

#[tokio::test]
async fn a_press_between_two_daemons_counts_once() {
    let telegram = FakeTelegram::start().await;
    let desk = Desk::new(of(vec![settings(&telegram.url())])).await;
    let rent = desk.add("rent", "telegram:me", once(1)).await;
    desk.to(1).await;
    let done = telegram.data("✓ Done");
    let desk = desk.restarted(of(Vec::new())).await;
    let query = telegram.pressed(CHAT, &done);
    assert!(!desk.is_done(rent));
    let desk = desk.restarted(of(vec![settings(&telegram.url())])).await;
    assert_eq!(telegram.answered(&query).await, "✓ done");
    assert!(desk.is_done(rent));
}

#[tokio::test]
async fn the_button_of_an_occurrence_that_is_over_touches_no_later_one() {
    let telegram = FakeTelegram::start().await;
    let desk = Desk::new(of(vec![settings(&telegram.url())])).await;
    let every = Span::from_minutes(60);
    let water = desk
        .add("water", "telegram:me", Rule::Interval(Interval { every, from: after(60), count: None, until: None }))
        .await;
    desk.to(60).await;
    let first = telegram.data("✓ Done");
    desk.to(120).await;
    let words = telegram.press(&first).await;
    assert_ne!(words, "✓ done");
    assert!(!words.is_empty());
    assert!(matches!(desk.task(water).occurrence.state, State::Running(_)), "the second is still due");
    assert_eq!(telegram.press(&telegram.data("✓ Done")).await, "✓ done");
}

#[tokio::test]
async fn presses_of_strangers_and_of_strange_buttons_do_nothing() {
    let telegram = FakeTelegram::start().await;
    let desk = Desk::new(of(vec![settings(&telegram.url())])).await;
    let rent = desk.add("rent", "telegram:me", once(1)).await;
    desk.to(1).await;
    let done = telegram.data("✓ Done");
    assert_eq!(telegram.press_in(4711, &done).await, "Keiko is not told to listen to this chat");
    assert_eq!(telegram.press("done").await, "this button is of another version of Keiko");
    assert!(!desk.is_done(rent));
    assert_eq!(telegram.press(&done).await, "✓ done");
}

#[tokio::test]
async fn two_chats_of_one_bot_are_asked_for_once() {
    let telegram = FakeTelegram::start().await;
    let other = || Settings { name: "us".to_owned(), chat: "@Us_All".to_owned(), ..settings(&telegram.url()) };
    let desk = Desk::new(of(vec![settings(&telegram.url()), other()])).await;
    desk.add("rent", "telegram:me", once(1)).await;
    desk.to(1).await;
    assert_eq!(telegram.press(&telegram.data("✓ Done")).await, "✓ done");
    // The question before the press, and the one behind it.
    assert_eq!(telegram.called("getUpdates", 2).await.len(), 2);
}

/// "Conflict" is what the service answers where two ask, or a webhook is set (`getUpdates`, notes).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_is_done_by_a_button_of_a_real_daemon_and_its_log_holds_no_token() {
    let telegram = FakeTelegram::start().await;
    telegram.instead(
        "getUpdates",
        refusal(409, 409, "Conflict: terminated by other getUpdates request", &json!({"retry_after": 0})),
    );
    let home = Home::new();
    let config = format!("[telegram.me]\ntoken_file = 'token'\nchat = '{CHAT}'\napi_url = '{}'\n", telegram.url());
    fs::write(home.path("config.toml"), config).unwrap();
    fs::write(home.path("token"), TOKEN).unwrap();
    let start = || {
        let mut command = home.daemon();
        command.env("KEIKO_CONFIG", home.path("config.toml")).env("KEIKO_LOG", "trace");
        Daemon::start(command)
    };
    let keiko = |words: &[&str]| {
        let output = home.command(env!("CARGO_BIN_EXE_keiko")).args(words).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let daemon = start();
    keiko(&["add", "pay rent", "in 10 seconds", "--via", "telegram:me"]);
    home.connect().call("clock.advance", json!({"to": "2026-05-13T12:00:20-04:00"}));
    telegram.says("pay rent").await;
    daemon.kill();
    let _daemon = start();
    assert_eq!(telegram.press(&telegram.data("✓ Done")).await, "✓ done");
    telegram.says("✓ done").await;
    let shown: Value = serde_json::from_str(&keiko(&["show", "1", "--json"])).unwrap();
    assert_eq!(shown["task"]["state"], "COMPLETED", "{shown}");
    assert!(keiko(&["history", "1"]).contains("done"));
    let log = fs::read_to_string(home.path("data/keikod.log")).unwrap();
    assert!(log.contains("another program asks for the answers of this bot"), "{log}");
    assert!(!log.contains("AAHdq") && !keiko(&["history", "1", "--json"]).contains("AAHdq"), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_chats_that_the_readme_shows_are_taken_and_a_bad_one_is_named_with_its_place() {
    let readme = include_str!("../../README.md");
    let start = readme.find("[telegram.me]").unwrap();
    let shown = readme[start..].split("```").next().unwrap();
    let home = Home::new();
    let command = || {
        let mut command = home.daemon();
        command.env("KEIKO_CONFIG", home.path("config.toml"));
        command
    };
    // Without buttons, so that nobody asks the real service.
    fs::write(home.path("config.toml"), shown.replace("buttons = true", "buttons = false")).unwrap();
    let daemon = Daemon::start(command());
    let list = home.connect().call("channel.list", json!({}));
    for target in ["telegram:me", "ntfy:phone"] {
        assert!(list["targets"].as_array().unwrap().iter().any(|each| each["target"] == target), "{list}");
    }
    let log = fs::read_to_string(home.path("data/keikod.log")).unwrap();
    assert!(!log.contains("unknown"), "{log}");
    daemon.kill();
    let bad = "[telegram.me]\ntoken = 'hunter2'\nchat = '1'\n[ntfy.a]\nurl = 'http://x/y'\nca_file = 'gone'\n";
    fs::write(home.path("config.toml"), bad).unwrap();
    let expected = format!(
        "failed: {0}/config.toml:6:11: cannot use ntfy.a.ca_file: cannot read {0}/gone: No such file or directory (os error 2)",
        home.path("").display().to_string().trim_end_matches('/')
    );
    let refused = refused_start(command());
    assert_eq!(refused, format!("{expected}\nhint: keiko config check says all that is wrong with it"));
    for (key, value, expected) in [
        ("api_url", "hunter2", "a URL that begins with https:// or http://"),
        ("chat", "me\"[x]", "a chat's number, or the @name of a public channel"),
    ] {
        let bad = format!("[telegram.me]\ntoken = 'x'\nchat = '1'\n{key} = '{value}'\n");
        let bad = if key == "chat" { bad.replace("chat = '1'\n", "") } else { bad };
        fs::write(home.path("config.toml"), bad).unwrap();
        let refused = refused_start(command());
        assert!(
            refused.contains(&format!("cannot use telegram.me.{key} = (not shown): expected {expected}\nhint: ")),
            "{refused}"
        );
    }
}
