//! The robots of Feishu and `WeCom` groups against a server of the tests' own that answers as the services do.
//!
//! Its answers are those of the public pages that `notify::feishu` and `notify::wecom` name.

use std::fs;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use keiko::clock::Clock as _;
use keiko::clock::system::SystemClock;
use keiko::domain::delivery::{Delivery, Report, Target};
use keiko::domain::secret::Secret;
use keiko::domain::time::Span;
use keiko::notify::keys::{Key, Source};
use keiko::notify::robots::{RobotChannel, Settings};
use keiko::notify::{Channel as _, Presence};
use serde_json::{Value, json};

use crate::support::daemon::{Daemon, Home};
use crate::support::http_server::{HttpServer, Reply, Request};
use crate::support::{sample, soon};

/// What a test waits for instead of ten seconds.
const SHORT: Duration = Duration::from_millis(300);

const FEISHU_OK: &str = r#"{"code":0,"msg":"success","data":{},"Extra":null,"StatusCode":0,"StatusMessage":"success"}"#;
const WECOM_OK: &str = r#"{"errcode":0,"errmsg":"ok"}"#;

fn given(text: &str) -> Key {
    Key::new(Source::Given(Secret::new(text.to_owned())))
}

fn settings(url: &str) -> Settings {
    Settings { name: "team".to_owned(), url: given(url), secret: None, ca: None, timeout: Duration::from_secs(10) }
}

fn feishu(settings: Settings) -> RobotChannel {
    let clock = SystemClock::new();
    let channel = RobotChannel::feishu(Arc::new(move || clock.now()));
    channel.configure(vec![settings]).unwrap();
    channel
}

fn wecom(settings: Settings) -> RobotChannel {
    let clock = SystemClock::new();
    let channel = RobotChannel::wecom(Arc::new(move || clock.now()));
    channel.configure(vec![settings]).unwrap();
    channel
}

fn delivery(kind: &str, title: &str, body: &str) -> Delivery {
    sample::delivery(Target::parse(&format!("{kind}:team")).unwrap(), 7, title, body)
}

fn json(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

/// Returns the error of an attempt that may be repeated, and when.
#[track_caller]
fn failure(report: Report) -> (String, Option<Span>) {
    match report {
        Report::Failed { error, is_final: false, retry_after } => (error, retry_after),
        other => panic!("expected a failure that may pass, found {other:?}"),
    }
}

#[tokio::test]
async fn a_group_of_feishu_reads_title_body_link_and_what_to_type() {
    let server = HttpServer::start(|_, _| Reply::status(200, FEISHU_OK)).await;
    let channel = feishu(settings(&server.url("/open-apis/bot/v2/hook/KEYKEYKEY")));
    let mut delivery = delivery("feishu", "交房租 & <b>", "due 12:00");
    delivery.message.link = Some("https://example.org/?a=1&b=2".to_owned());
    assert_eq!(channel.deliver(&delivery).await, Report::DELIVERED);
    let request = &server.requests()[0];
    assert_eq!(request.line, "POST /open-apis/bot/v2/hook/KEYKEYKEY HTTP/1.1");
    assert_eq!(request.header("content-type"), "application/json; charset=utf-8");
    let text = "交房租 & <b>\ndue 12:00\nhttps://example.org/?a=1&b=2\nkeiko done 7";
    assert_eq!(json(request), json!({"msg_type": "text", "content": {"text": text}}));
}

/// "Custom bot usage guide", "Security settings": the signature is of the very second that is sent with it.
#[tokio::test]
async fn a_request_to_feishu_is_signed_with_its_secret() {
    let server = HttpServer::start(|_, _| Reply::status(200, FEISHU_OK)).await;
    let secret = Some(given("SECSECSEC"));
    let channel = feishu(Settings { secret, ..settings(&server.url("/hook")) });
    assert_eq!(channel.deliver(&delivery("feishu", "tea", "")).await, Report::DELIVERED);
    let body = json(&server.requests()[0]);
    let timestamp = body["timestamp"].as_str().unwrap();
    let now = SystemClock::new().now().as_millis() / 1000;
    assert!((0..60).contains(&(now - timestamp.parse::<i64>().unwrap())), "{timestamp}");
    let by_hand = hmac_sha256::HMAC::mac([], format!("{timestamp}\nSECSECSEC").as_bytes());
    assert_eq!(body["sign"], base64::engine::general_purpose::STANDARD.encode(by_hand));
}

#[tokio::test]
async fn a_group_of_wecom_reads_the_same() {
    let server = HttpServer::start(|_, _| Reply::status(200, WECOM_OK)).await;
    let channel = wecom(settings(&server.url("/cgi-bin/webhook/send?key=KEYKEYKEY")));
    assert_eq!(channel.deliver(&delivery("wecom", "tea", "<@all> due")).await, Report::DELIVERED);
    let request = &server.requests()[0];
    assert_eq!(request.line, "POST /cgi-bin/webhook/send?key=KEYKEYKEY HTTP/1.1");
    let text = "tea\n<\u{200b}@all> due\nkeiko done 7";
    assert_eq!(json(request), json!({"msgtype": "text", "text": {"content": text}}));
}

/// FAULTS B29: 6,000 bytes of Chinese, for which the service would answer 200 with a code inside.
#[tokio::test]
async fn a_text_that_is_too_long_for_wecom_comes_in_parts_none_of_which_is_lost() {
    let server = HttpServer::start(|request, _| {
        let length = json(request)["text"]["content"].as_str().unwrap().len();
        let refused = r#"{"errcode":40058,"errmsg":"text.content exceed max length 2048"}"#;
        Reply::status(200, if length <= 2048 { WECOM_OK } else { refused })
    })
    .await;
    let body = "明天下午三点提醒我交房租。".repeat(154);
    assert_eq!(body.len(), 6006);
    let channel = wecom(settings(&server.url("/send")));
    assert_eq!(channel.deliver(&delivery("wecom", "房租", &body)).await, Report::DELIVERED);
    let said: Vec<String> =
        server.requests().iter().map(|r| json(r)["text"]["content"].as_str().unwrap().to_owned()).collect();
    assert_eq!(said.len(), 3);
    assert_eq!(said.concat().replace('\n', ""), format!("房租{body}keiko done 7"));
}

#[tokio::test]
async fn a_text_that_is_too_long_for_feishu_comes_in_parts_below_twenty_kilobytes() {
    let server = HttpServer::start(|request, _| {
        let too_long = r#"{"code":9499,"msg":"Bad Request","data":{}}"#;
        Reply::status(200, if request.body.len() <= 20 * 1024 { FEISHU_OK } else { too_long })
    })
    .await;
    let body = "\"\\".repeat(15_000);
    let channel = feishu(Settings { secret: Some(given("SECSECSEC")), ..settings(&server.url("/hook")) });
    assert_eq!(channel.deliver(&delivery("feishu", "t", &body)).await, Report::DELIVERED);
    let said: Vec<String> =
        server.requests().iter().map(|r| json(r)["content"]["text"].as_str().unwrap().to_owned()).collect();
    assert_eq!(said.concat().replace('\n', ""), format!("t{body}keiko done 7"));
}

#[tokio::test]
async fn the_next_attempt_goes_on_with_the_part_that_failed() {
    let server = HttpServer::start(|_, before| match before {
        // The group has the first part; then the robot spoke too often.
        1 => Reply::status(200, r#"{"errcode":45009,"errmsg":"api freq out of limit, hint: [123]"}"#),
        _ => Reply::status(200, WECOM_OK),
    })
    .await;
    let channel = wecom(settings(&server.url("/send")));
    let delivery = delivery("wecom", "房租", &"租".repeat(1500));
    let (error, retry_after) = failure(channel.deliver(&delivery).await);
    let host = server.url("");
    assert_eq!(
        error,
        format!(
            "{host} answered 200 with code 45009: {{\"errcode\":45009,\"errmsg\":\"api freq out of limit, hint: [123]\"}}"
        )
    );
    assert_eq!(retry_after, Some(Span::from_minutes(1)));
    // Also after the configuration was read anew.
    channel.configure(vec![settings(&server.url("/send"))]).unwrap();
    assert_eq!(channel.deliver(&delivery).await, Report::DELIVERED);
    let said: Vec<Value> = server.requests().iter().map(|request| json(request)["text"]["content"].clone()).collect();
    assert_eq!(said.len(), 4);
    assert_eq!(said[1], said[2], "the part that failed is said again, the one before is not");
    assert_ne!(said[0], said[2]);
}

#[tokio::test]
async fn a_failure_inside_of_a_200_is_a_failure_with_its_code() {
    for (code, text) in [
        (19_021, "sign match fail or timestamp is not within one hour from current time"),
        (9499, "Bad Request"),
        (19_024, "Key Words Not Found"),
        (11_232, "frequency limited psm[lark.oapi.app_platform_runtime]appID[1500]"),
    ] {
        let body = json!({"code": code, "msg": text}).to_string();
        let answer = body.clone();
        // It also was seen with status 400.
        let server = HttpServer::start(move |_, before| Reply::status([200, 400][before], &answer)).await;
        let channel = feishu(settings(&server.url("/hook")));
        for status in [200, 400] {
            let (error, retry_after) = failure(channel.deliver(&delivery("feishu", "tea", "")).await);
            assert_eq!(error, format!("{} answered {status} with code {code}: {body}", server.url("")));
            assert_eq!(retry_after, None);
        }
    }
    let server =
        HttpServer::start(|_, _| Reply::status(200, r#"{"errcode":93000,"errmsg":"invalid webhook url"}"#)).await;
    let (error, _) = failure(wecom(settings(&server.url("/send"))).deliver(&delivery("wecom", "tea", "")).await);
    assert!(error.contains("code 93000"), "{error}");
}

#[tokio::test]
async fn an_answer_without_a_code_is_no_success_and_one_of_another_status_may_say_when() {
    let server = HttpServer::start(|_, before| match before {
        0 => Reply::status(200, "<html>log in</html>"),
        1 => Reply::Answer(429, "retry-after: 17\r\n".to_owned(), String::new()),
        2 => Reply::status(502, FEISHU_OK),
        _ => Reply::Raw("HTTP/1.1 200 X\r\ncontent-length: 99\r\n\r\n{\"code\":0".to_owned()),
    })
    .await;
    let channel = feishu(settings(&server.url("/hook")));
    let mut failures = Vec::new();
    for _ in 0..4 {
        failures.push(failure(channel.deliver(&delivery("feishu", "tea", "")).await));
    }
    let host = server.url("");
    let expected = [
        (format!("{host} answered 200 with no code of success: <html>log in</html>"), None),
        (format!("{host} answered 429 with no code of success"), Some(Span::from_secs(17))),
        (format!("{host} answered 502 with no code of success: {FEISHU_OK}"), None),
        (format!("{host} answered 200 with no code of success: {{\"code\":0"), None),
    ];
    assert_eq!(failures, expected);
}

#[tokio::test]
async fn no_error_shows_the_address_or_the_secret() {
    let server = HttpServer::start(|request, _| {
        let line = request.line.clone();
        Reply::status(404, &format!("Cannot {line} {}", String::from_utf8_lossy(&request.body)))
    })
    .await;
    let url = server.url("/open-apis/bot/v2/hook/KEYKEYKEY?key=QUERYKEY");
    let channel = feishu(Settings { secret: Some(given("SECSECSEC")), ..settings(&url) });
    let (error, _) = failure(channel.deliver(&delivery("feishu", "tea", "")).await);
    assert!(!["KEYKEYKEY", "QUERYKEY", "SECSECSEC"].iter().any(|secret| error.contains(secret)), "{error}");
    assert!(error.contains("404"), "{error}");
    assert!(!format!("{channel:?}").contains("KEY"));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = listener.local_addr().unwrap();
    drop(listener);
    let channel = wecom(settings(&format!("http://{closed}/send?key=KEYKEYKEY")));
    let (error, _) = failure(channel.deliver(&delivery("wecom", "tea", "")).await);
    assert_eq!(error, format!("cannot post to http://{closed}: Connection refused (os error 111)"));
    let channel = wecom(settings("KEYKEYKEY"));
    let (error, _) = failure(channel.deliver(&delivery("wecom", "tea", "")).await);
    assert_eq!(error, "cannot post to wecom:team: its url: expected a URL: relative URL without a base");
}

#[tokio::test]
async fn an_address_that_is_refused_is_read_anew() {
    let server = HttpServer::start(|request, _| {
        let is_new = request.line.contains("key=new");
        Reply::status(200, if is_new { WECOM_OK } else { r#"{"errcode":93000,"errmsg":"invalid webhook url"}"# })
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("url");
    let channel = wecom(Settings { url: Key::new(Source::File(path.clone())), ..settings("") });
    let delivery = delivery("wecom", "tea", "");
    let (error, _) = failure(channel.deliver(&delivery).await);
    assert!(error.starts_with("cannot post to wecom:team: cannot read the secret in "), "{error}");
    fs::write(&path, server.url("/send?key=old")).unwrap();
    failure(channel.deliver(&delivery).await);
    fs::write(&path, server.url("/send?key=new")).unwrap();
    assert_eq!(channel.deliver(&delivery).await, Report::DELIVERED);
}

#[tokio::test]
async fn a_robot_that_hangs_or_talks_for_ever_is_given_up_within_its_time() {
    for reply in [Reply::Hang(String::new()), Reply::Endless(200)] {
        let server = HttpServer::start(move |_, _| reply.clone()).await;
        let channel = feishu(Settings { timeout: SHORT, ..settings(&server.url("/hook")) });
        failure(soon("a report", channel.deliver(&delivery("feishu", "tea", ""))).await);
    }
}

#[tokio::test]
async fn robots_are_exchanged_while_the_daemon_runs() {
    let server = HttpServer::start(|_, _| Reply::status(200, WECOM_OK)).await;
    let channel = wecom(settings(&server.url("/old")));
    let delivery = delivery("wecom", "tea", "");
    assert_eq!(channel.deliver(&delivery).await, Report::DELIVERED);
    channel.configure(Vec::new()).unwrap();
    let away = Report::Away { reason: "no wecom:team is configured".to_owned() };
    assert_eq!(channel.deliver(&delivery).await, away);
    let mut presence = channel.presence();
    presence.mark_unchanged();
    channel.configure(vec![settings(&server.url("/new"))]).unwrap();
    assert!(presence.has_changed().unwrap(), "what waits is tried");
    assert_eq!(*presence.borrow(), Presence::Present);
    assert_eq!(channel.deliver(&delivery).await, Report::DELIVERED);
    assert_eq!(server.requests()[1].line, "POST /new HTTP/1.1");
}

#[tokio::test]
async fn a_certificate_of_ones_own_is_trusted_where_it_is_named() {
    let (server, ca) = HttpServer::start_tls(|_, _| Reply::status(200, FEISHU_OK)).await;
    let url = format!("https://localhost:{}/hook", server.port());
    let channel = feishu(Settings { ca: Some(ca.into_bytes()), ..settings(&url) });
    let delivery = delivery("feishu", "tea", "");
    let faults = channel.configure(vec![Settings { ca: Some(b"none".to_vec()), ..settings(&url) }]).unwrap_err();
    assert_eq!(faults[0].to_string(), "cannot use ca_file of feishu:team: expected certificates in PEM");
    assert_eq!(channel.deliver(&delivery).await, Report::DELIVERED);
    let (error, _) = failure(feishu(settings(&url)).deliver(&delivery).await);
    assert!(error.contains("certificate"), "{error}");
}

/// FAULTS B29: the code stands in the history, and the reminder is said again until it is taken.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reminder_reaches_a_group_and_the_history_shows_the_code_of_what_failed() {
    let server = HttpServer::start(|_, before| match before {
        0 => Reply::status(200, r#"{"errcode":45009,"errmsg":"api freq out of limit"}"#),
        _ => Reply::status(200, WECOM_OK),
    })
    .await;
    let home = Home::new();
    fs::write(home.path("url"), server.url("/send?key=KEYKEYKEY")).unwrap();
    fs::write(home.path("config.toml"), "[wecom.team]\nurl_file = 'url'\n").unwrap();
    let mut command = home.daemon();
    command.env("KEIKO_CONFIG", home.path("config.toml"));
    let _daemon = Daemon::start(command);
    let mut connection = home.connect();
    connection.call("task.add", json!({"text": "tea in 10 seconds", "channels": ["wecom:team"]}));
    connection.call("clock.advance", json!({"to": "2026-05-13T12:00:20-04:00"}));
    server.received(1).await;
    let history = connection.call("task.history", json!({"task": 1}));
    let (status, error) = (&history["deliveries"][0]["status"], history["deliveries"][0]["last_error"].to_string());
    assert!(status == "retrying" && error.contains("code 45009"), "{history}");
    // Not before the minute that such a robot has to be silent.
    connection.call("clock.advance", json!({"to": "2026-05-13T12:01:05-04:00"}));
    assert_eq!(server.requests().len(), 1);
    connection.call("clock.advance", json!({"to": "2026-05-13T12:02:00-04:00"}));
    server.received(2).await;
    let history = connection.call("task.history", json!({"task": 1}));
    assert_eq!(history["deliveries"][0]["status"], "delivered", "{history}");
    let log = fs::read_to_string(home.path("data/keikod.log")).unwrap();
    assert!(!history.to_string().contains("KEYKEYKEY") && !log.contains("KEYKEYKEY"), "{log}");
}
