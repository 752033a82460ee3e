//! The webhook channel against a real server of the tests' own, which fails in every way that servers have.

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
use keiko::notify::Channel as _;
use keiko::notify::webhook::{Given, Preset, Redirects, Scalar, Settings, Success, WebhookChannel};
use serde_json::{Value, json};
use standardwebhooks::Webhook;

use crate::support::daemon::{Daemon, Home, refusal as refused_start};
use crate::support::http_server::{HttpServer, Reply, Request};
use crate::support::{sample, soon};

const SECRET: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

/// What a test waits for instead of ten seconds.
const SHORT: Duration = Duration::from_millis(300);

fn settings(url: &str) -> Settings {
    Settings::new("ops".to_owned(), Secret::new(url.to_owned()))
}

fn channel(settings: Vec<Settings>) -> WebhookChannel {
    let clock = SystemClock::new();
    WebhookChannel::new(settings, Arc::new(move || clock.now())).unwrap()
}

fn delivery(target: &str) -> Delivery {
    sample::delivery(Target::parse(target).unwrap(), 7, "交房租", "due 12:00")
}

async fn deliver(settings: Settings) -> Report {
    let (channel, delivery) = (channel(vec![settings]), delivery("webhook:ops"));
    soon("a report", channel.deliver(&delivery)).await
}

/// Returns the error of an attempt that may be repeated.
#[track_caller]
fn failure(report: Report) -> String {
    match report {
        Report::Failed { error, is_final: false, .. } => error,
        other => panic!("expected a failure that may pass, found {other:?}"),
    }
}

/// Returns the error of an attempt that may not.
#[track_caller]
fn refusal(report: Report) -> String {
    match report {
        Report::Failed { error, is_final: true, .. } => error,
        other => panic!("expected a refusal, found {other:?}"),
    }
}

fn errcode() -> Success {
    Success { pointer: "/errcode".to_owned(), equals: Scalar::Number(0) }
}

#[tokio::test]
async fn every_attempt_carries_the_same_id_and_the_same_bytes() {
    let server = HttpServer::start(|_, before| match before {
        0 => Reply::status(500, "oh no"),
        1 => Reply::Answer(503, "retry-after: 120\r\n".to_owned(), String::new()),
        _ => Reply::status(200, ""),
    })
    .await;
    let channel = channel(vec![Settings {
        secrets: Given::Now(vec![Secret::new(SECRET.to_owned())]),
        ..settings(&server.url("/"))
    }]);
    let mut delivery = delivery("webhook:ops");
    let mut reports = Vec::new();
    for attempts in 0..3 {
        delivery.attempts = attempts;
        reports.push(channel.deliver(&delivery).await);
    }
    let host = server.url("");
    let failed = |error: String, retry_after| Report::Failed { error, is_final: false, retry_after };
    let expected = [
        failed(format!("{host} answered 500: oh no"), None),
        failed(format!("{host} answered 503"), Some(Span::from_secs(120))),
        Report::DELIVERED,
    ];
    assert_eq!(reports, expected);
    let requests = server.requests();
    for (attempt, request) in (1..).zip(&requests) {
        assert_eq!(request.line, "POST / HTTP/1.1");
        assert_eq!(request.body, requests[0].body);
        assert_eq!(request.header("webhook-id"), requests[0].header("webhook-id"));
        assert_eq!(request.header("keiko-attempt"), attempt.to_string());
        assert_eq!(request.header("content-type"), "application/json");
        assert_eq!(request.header("user-agent"), concat!("keiko/", env!("CARGO_PKG_VERSION")));
        assert_eq!(request.connection, 0, "the connection is kept");
        Webhook::new(SECRET).unwrap().verify(&request.body, &request.headers).unwrap();
    }
    let body: Value = serde_json::from_slice(&requests[0].body).unwrap();
    assert_eq!(body["delivery_id"], requests[0].header("webhook-id"));
    assert_eq!((&body["task"]["number"], &body["task"]["title"]), (&json!(7), &json!("交房租")));
}

/// Standard Webhooks, "Signature scheme": HMAC-SHA256 over id, time and body, joined by full stops.
#[tokio::test]
async fn a_signature_is_the_one_that_the_standard_describes_and_old_and_new_secrets_both_sign() {
    let server = HttpServer::start(|_, _| Reply::status(204, "")).await;
    let new = [9; 24];
    let new_secret = format!("whsec_{}", base64::engine::general_purpose::STANDARD.encode(new));
    let secrets = Given::Now([&new_secret, SECRET].map(|secret| Secret::new(secret.to_owned())).to_vec());
    assert_eq!(deliver(Settings { secrets, ..settings(&server.url("/")) }).await, Report::DELIVERED);
    let request = &server.requests()[0];
    let (id, time) = (request.header("webhook-id"), request.header("webhook-timestamp"));
    assert!(!id.contains('.'), "the full stop divides");
    let signed = [format!("{id}.{time}.").as_bytes(), &request.body].concat();
    let by_hand = base64::engine::general_purpose::STANDARD.encode(hmac_sha256::HMAC::mac(&signed, new));
    let signatures: Vec<&str> = request.header("webhook-signature").split(' ').collect();
    assert_eq!((signatures.len(), signatures[0]), (2, format!("v1,{by_hand}").as_str()));
    for secret in [&new_secret, SECRET] {
        Webhook::new(secret).unwrap().verify(&request.body, &request.headers).unwrap();
    }
    let other = Webhook::from_bytes(vec![1; 24]).unwrap();
    assert!(other.verify(&request.body, &request.headers).is_err());
}

#[tokio::test]
async fn a_refusal_is_final_and_an_error_names_the_host_alone() {
    let server = HttpServer::start(|_, _| Reply::status(404, "<html>no such hook</html>")).await;
    let url = format!("http://user:hunter2@127.0.0.1:{}/hunter2?key=hunter2", server.port());
    let headers = vec![("X-Key".to_owned(), Secret::new("hunter2".to_owned()))];
    let error = refusal(deliver(Settings { headers, ..settings(&url) }).await);
    assert_eq!(error, format!("{} answered 404: <html>no such hook</html>", server.url("")));
    let request = &server.requests()[0];
    assert_eq!(request.header("authorization"), "Basic dXNlcjpodW50ZXIy");
    assert_eq!((request.line.as_str(), request.header("x-key")), ("POST /hunter2?key=hunter2 HTTP/1.1", "hunter2"));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = listener.local_addr().unwrap();
    drop(listener);
    let error = failure(deliver(settings(&format!("http://user:hunter2@{closed}/hunter2?key=hunter2"))).await);
    assert_eq!(error, format!("cannot post to http://{closed}: Connection refused (os error 111)"));
}

#[tokio::test]
async fn an_error_shows_no_key_that_the_answer_says_back() {
    let server = HttpServer::start(|request, _| {
        let (line, key) = (&request.line, request.header("x-key"));
        Reply::status(404, &format!("Cannot {line} as {} with {key}", request.header("authorization")))
    })
    .await;
    let url = format!("http://127.0.0.1:{}/hooks/hunter2?key=hunter2", server.port());
    let headers = [("X-Key", "hunter2"), ("Authorization", "Bearer hunter2")];
    let headers = headers.map(|(name, value)| (name.to_owned(), Secret::new(value.to_owned()))).to_vec();
    let error = refusal(deliver(Settings { headers, ..settings(&url) }).await);
    let told = "Cannot POST (not shown) HTTP/1.1 as (not shown) (not shown) with (not shown)";
    assert_eq!(error, format!("{} answered 404: {told}", server.url("")));
}

#[tokio::test]
async fn a_redirect_is_not_followed_unless_it_is_allowed_and_the_request_stays_what_it_is() {
    let inside = HttpServer::start(|_, _| Reply::status(200, "")).await;
    let location = format!("location: {}\r\n", inside.url("/admin"));
    let outside = HttpServer::start(move |request: &Request, _| {
        let status = if request.line.contains("/keeps") { 307 } else { 302 };
        Reply::Answer(status, location.clone(), String::new())
    })
    .await;
    let error = refusal(deliver(settings(&outside.url("/keeps"))).await);
    let host = outside.url("");
    assert_eq!(error, format!("{host} answered 307; it points elsewhere, which is not followed"));
    let allowed = |path| Settings { redirects: Redirects::Followed, ..settings(&outside.url(path)) };
    // A 302 would make a GET of it, and its answer would say nothing of the reminder.
    let error = refusal(deliver(allowed("/drops")).await);
    assert_eq!(error, format!("{host} answered 302; it points elsewhere, which is not followed"));
    assert_eq!(inside.requests().len(), 0);
    assert_eq!(deliver(allowed("/keeps")).await, Report::DELIVERED);
    let (asked, arrived) = (outside.requests().pop().unwrap(), inside.requests().pop().unwrap());
    assert_eq!(arrived.line, "POST /admin HTTP/1.1");
    assert_eq!(
        (arrived.body, arrived.headers["webhook-id"].clone()),
        (asked.body, asked.headers["webhook-id"].clone())
    );
}

#[tokio::test]
async fn a_target_that_hangs_is_given_up_within_its_time() {
    for start in ["", "HTTP/1.1 20", "HTTP/1.1 503 X\r\ncontent-length: 9\r\n\r\nbu"] {
        let server = HttpServer::start(move |_, _| Reply::Hang(start.to_owned())).await;
        let error = failure(deliver(Settings { timeout: SHORT, ..settings(&server.url("/")) }).await);
        let host = server.url("");
        if start.contains("503") {
            assert_eq!(error, format!("{host} answered 503: bu"), "what it said of itself counts");
        } else {
            assert_eq!(error, format!("cannot post to {host}: no whole answer within 300ms"));
        }
    }
}

#[tokio::test]
async fn a_success_whose_body_never_ends_is_a_success_unless_the_body_decides() {
    let hanging = |_: &Request, _: usize| Reply::Hang("HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\n{".to_owned());
    let cut = |_: &Request, _: usize| Reply::Raw("HTTP/1.1 200 X\r\ncontent-length: 9\r\n\r\n{".to_owned());
    let endless = |_: &Request, _: usize| Reply::Endless(200);
    let cases: [(HttpServer, &str); 3] = [
        (HttpServer::start(hanging).await, "with no JSON (no whole answer within 300ms): {"),
        (HttpServer::start(cut).await, "with no JSON (end of file before message length reached): {"),
        (HttpServer::start(endless).await, "with no JSON: xxxx"),
    ];
    for (server, expected) in cases {
        let hurried = || Settings { timeout: SHORT, ..settings(&server.url("/")) };
        assert_eq!(deliver(Settings { timeout: Duration::from_secs(9), ..hurried() }).await, Report::DELIVERED);
        let error = failure(deliver(Settings { success: Some(errcode()), ..hurried() }).await);
        assert!(error.starts_with(&format!("{} answered 200 {expected}", server.url(""))), "{error}");
        assert!(error.len() < 400);
    }
}

#[tokio::test]
async fn an_answer_that_is_none_may_be_followed_by_one() {
    for answer in ["", "HTTP/9.9 x\r\n\r\n", "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 500 X\r\ncontent-length: 99\r\n\r\nshort"]
    {
        let server = HttpServer::start(move |_, _| Reply::Raw(answer.to_owned())).await;
        failure(deliver(settings(&server.url("/"))).await);
        assert_eq!(server.requests().len(), 1, "one attempt is one request, after {answer:?}");
    }
}

#[tokio::test]
async fn a_failure_behind_a_200_is_a_failure() {
    let server = HttpServer::start(|_, before| match before {
        0 => Reply::status(200, r#"{"errcode":45009,"errmsg":"api freq out of limit"}"#),
        _ => Reply::status(200, r#"{"errcode":0,"errmsg":"ok"}"#),
    })
    .await;
    let secrets = Given::Now(vec![Secret::new("SECabc".to_owned())]);
    let channel =
        channel(vec![Settings { preset: Preset::Dingtalk, secrets, ..settings(&server.url("/send?access_token=x")) }]);
    let delivery = delivery("webhook:ops");
    let error = failure(channel.deliver(&delivery).await);
    let body = r#"{"errcode":45009,"errmsg":"api freq out of limit"}"#;
    assert_eq!(error, format!("{} answered 200 with 45009 at /errcode: {body}", server.url("")));
    assert_eq!(channel.deliver(&delivery).await, Report::DELIVERED);
    let request = &server.requests()[1];
    let expected = json!({"msgtype": "text", "text": {"content": "交房租\ndue 12:00"}});
    assert_eq!(serde_json::from_slice::<Value>(&request.body).unwrap(), expected);
    assert!(request.line.starts_with("POST /send?access_token=x&timestamp="), "{}", request.line);
    assert!(request.line.contains("&sign="), "{}", request.line);
    assert_eq!(request.header("webhook-signature"), "", "it is signed in its own way");
}

#[tokio::test]
async fn a_certificate_must_be_known_and_of_the_right_name() {
    let (server, ca) = HttpServer::start_tls(|_, _| Reply::status(200, "")).await;
    let url = |host: &str| settings(&format!("https://{host}:{}/", server.port()));
    let trusting = |host: &str| Settings { ca: Some(ca.clone().into_bytes()), ..url(host) };
    let error = failure(deliver(url("localhost")).await);
    assert!(
        error.ends_with("invalid peer certificate: UnknownIssuer") || error.contains("No CA certificates"),
        "{error}"
    );
    let error = failure(deliver(trusting("127.0.0.1")).await);
    assert!(error.contains("certificate not valid for name"), "{error}");
    assert_eq!(server.requests().len(), 0);
    assert_eq!(deliver(trusting("localhost")).await, Report::DELIVERED);
    // One that speaks no TLS.
    let open = HttpServer::start(|_, _| Reply::status(200, "")).await;
    failure(deliver(settings(&format!("https://localhost:{}/", open.port()))).await);
}

#[tokio::test]
async fn a_target_is_a_configured_name_or_a_url() {
    let server = HttpServer::start(|_, _| Reply::status(200, "")).await;
    let channel = channel(Vec::new());
    let to_url = delivery(&format!("webhook:{}", server.url("/a?b=c")));
    assert_eq!(channel.deliver(&to_url).await, Report::DELIVERED);
    assert_eq!(server.requests()[0].line, "POST /a?b=c HTTP/1.1");
    let away = Report::Away { reason: "no webhook \"gone\" is configured".to_owned() };
    assert_eq!(channel.deliver(&delivery("webhook:gone")).await, away);
    refusal(channel.deliver(&delivery("webhook:https://[::1")).await);
}

#[tokio::test]
async fn a_body_too_large_is_not_sent() {
    let server = HttpServer::start(|_, _| Reply::status(200, "")).await;
    let mut delivery = delivery("webhook:ops");
    delivery.occasion.notes = "\u{1}".repeat(200_000);
    let error = refusal(channel(vec![settings(&server.url("/"))]).deliver(&delivery).await);
    assert!(error.ends_with("more than 1048576"), "{error}");
    assert_eq!(server.requests().len(), 0);
}

/// The whole way: a task is added, fires, is taken, also past the daemon's death in the midst.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reminder_reaches_a_program_and_a_restart_changes_neither_its_id_nor_its_bytes() {
    let server = HttpServer::start(|_, before| match before {
        0 => Reply::Answer(503, "retry-after: 60\r\n".to_owned(), String::new()),
        _ => Reply::status(200, ""),
    })
    .await;
    let home = Home::new();
    let config = format!("[webhooks.ops]\nurl = '{}'\nsecret = '{SECRET}'\n", server.url("/keiko"));
    fs::write(home.path("config.toml"), config).unwrap();
    let start = || {
        let mut command = home.daemon();
        command.env("KEIKO_CONFIG", home.path("config.toml"));
        Daemon::start(command)
    };
    let daemon = start();
    let mut connection = home.connect();
    let refused = connection.refused("task.add", json!({"text": "tea in 10 seconds", "channels": ["webhook:opps"]}));
    assert_eq!(refused["data"]["hint"], "configured are ops");
    let mut add = home.command(env!("CARGO_BIN_EXE_keiko"));
    let added = add.args(["add", "tea", "in", "10", "seconds", "--via", "webhook:ops"]).output().unwrap();
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    connection.call("clock.advance", json!({"to": "2026-05-13T12:00:20-04:00"}));
    server.received(1).await;
    daemon.kill();
    let _daemon = start();
    let mut connection = home.connect();
    connection.call("clock.advance", json!({"to": "2026-05-13T12:03:00-04:00"}));
    let requests = server.received(2).await;
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].body, requests[1].body);
    assert_eq!(requests[0].header("webhook-id"), requests[1].header("webhook-id"));
    assert_eq!((requests[0].header("keiko-attempt"), requests[1].header("keiko-attempt")), ("1", "2"));
    let history = connection.call("task.history", json!({"task": 1}));
    assert_eq!(history["deliveries"][0]["status"], "delivered", "{history}");
    let body: Value = serde_json::from_slice(&requests[0].body).unwrap();
    assert_eq!((&body["firing"]["late"], &body["firing"]["nominal"]), (&json!(false), &json!("2026-05-13T16:00:10Z")));
    assert_eq!(body["reason"], "alert");
    let log = fs::read_to_string(home.path("data/keikod.log")).unwrap();
    assert!(!log.contains(SECRET) && !log.contains("/keiko'"), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_of_the_environment_is_used() {
    let proxy = HttpServer::start(|_, _| Reply::status(200, "")).await;
    let home = Home::new();
    let mut command = home.daemon();
    command.env("http_proxy", proxy.url(""));
    let _daemon = Daemon::start(command);
    let mut connection = home.connect();
    let channels = ["webhook:http://hook.invalid/x"];
    connection.call("task.add", json!({"text": "tea in 10 seconds", "channels": channels}));
    connection.call("clock.advance", json!({"to": "2026-05-13T12:00:20-04:00"}));
    assert_eq!(proxy.received(1).await[0].line, "POST http://hook.invalid/x HTTP/1.1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_settings_that_the_readme_shows_are_taken() {
    let readme = include_str!("../../README.md");
    let start = readme.find("[webhooks.ops]").unwrap();
    let shown = readme[start..].split("```").next().unwrap();
    let (_, ca) = HttpServer::start_tls(|_, _| Reply::status(200, "")).await;
    let home = Home::new();
    for (name, text) in [("config.toml", shown), ("ops.key", SECRET), ("own-ca.pem", &ca)] {
        fs::write(home.path(name), text).unwrap();
    }
    let command = || {
        let mut command = home.daemon();
        command.env("KEIKO_CONFIG", home.path("config.toml"));
        command
    };
    let expected = format!(
        "failed: {}:7:11: cannot use webhooks.team.url: the daemon's environment has no variable SLACK_URL\n\
         hint: keiko config check says all that is wrong with it",
        home.path("config.toml").display()
    );
    assert_eq!(refused_start(command()), expected);
    let mut with_all = command();
    with_all.env("SLACK_URL", "https://hooks.slack.example/services/KEY");
    let _daemon = Daemon::start(with_all);
    let log = fs::read_to_string(home.path("data/keikod.log")).unwrap();
    assert!(!log.contains("WARN") && !log.contains("KEY"), "{log}");
}

/// How many webhooks the tests of many send; a measurement sets more.
pub(crate) fn many() -> u64 {
    std::env::var("KEIKO_WEBHOOKS").map_or(100, |count| count.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_webhooks_share_the_connections_of_their_target() {
    let server = HttpServer::start(|_, _| Reply::status(200, "")).await;
    let secrets = Given::Now(vec![Secret::new(SECRET.to_owned())]);
    let channel = Arc::new(channel(vec![Settings { secrets, ..settings(&server.url("/")) }]));
    let clock = SystemClock::new();
    let began = clock.now();
    let workers = (0..2).map(|worker| {
        let channel = Arc::clone(&channel);
        tokio::spawn(async move {
            for number in (worker..many()).step_by(2) {
                let delivery = sample::delivery(Target::parse("webhook:ops").unwrap(), number, "tea", "");
                assert_eq!(channel.deliver(&delivery).await, Report::DELIVERED);
            }
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await.unwrap();
    }
    println!("{} webhooks of the channel, two at a time: {:?}", many(), clock.now().since(began));
    let connections = server.requests().iter().map(|request| request.connection).max();
    assert!(connections <= Some(2), "{connections:?}");
}

#[tokio::test]
async fn a_trial_reaches_the_program_and_says_that_it_is_one() {
    let server = HttpServer::start(|_, _| Reply::status(200, "")).await;
    let home = Home::new();
    fs::write(home.path("config.toml"), format!("[webhooks.ops]\nurl = '{}'\n", server.url("/"))).unwrap();
    let tried = tokio::task::spawn_blocking(move || {
        let mut command = home.daemon();
        command.env("KEIKO_CONFIG", home.path("config.toml"));
        let _daemon = Daemon::start(command);
        let mut connection = home.connect();
        let list = connection.call("channel.list", json!({}));
        assert!(list["targets"].as_array().unwrap().iter().any(|each| each["target"] == "webhook:ops"), "{list}");
        connection.call("channel.test", json!({"target": "webhook:ops"}))
    });
    assert_eq!(tried.await.unwrap()["delivered"], true);
    let requests = server.requests();
    let body: Value = serde_json::from_slice(&requests[0].body).unwrap();
    assert_eq!(body["reason"], "trial", "{body}");
}
