//! The mail channel against a mail server of the tests' own, with and without TLS, which also refuses and hangs.

use std::fs;
use std::process::Command;
use std::time::Duration;

use keiko::domain::delivery::{Delivery, Report, Target};
use keiko::domain::occurrence::FireId;
use keiko::domain::secret::Secret;
use keiko::domain::task::Priority;
use keiko::notify::Channel as _;
use keiko::notify::keys::{Key, Source};
use keiko::notify::mail::{MailChannel, Security, Settings};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::daemon::{Daemon, Home, refusal as refused_start};
use crate::support::smtp_server::{Do, Mail, SmtpServer};
use crate::support::{sample, soon};

/// `me` and `hunter2` as AUTH PLAIN says them (RFC 4616): a zero before each, in base64.
const ME_HUNTER2: &str = "AG1lAGh1bnRlcjI=";

fn settings(port: u16) -> Settings {
    Settings {
        name: "me".to_owned(),
        host: "127.0.0.1".to_owned(),
        port: Some(port),
        security: Security::None,
        user: None,
        password: None,
        from: "Keiko <keiko@example.org>".to_owned(),
        to: vec!["me@example.org".to_owned()],
        ca: None,
        timeout: Duration::from_secs(20),
    }
}

fn secured(port: u16, security: Security, ca: &str) -> Settings {
    Settings { host: "localhost".to_owned(), security, ca: Some(ca.as_bytes().to_vec()), ..settings(port) }
}

fn with_password(settings: Settings, password: Source) -> Settings {
    Settings { user: Some("me".to_owned()), password: Some(Key::new(password)), ..settings }
}

fn channel(settings: Settings) -> MailChannel {
    let channel = MailChannel::new();
    channel.configure(vec![settings]).unwrap();
    channel
}

fn delivery(title: &str, body: &str) -> Delivery {
    sample::delivery(Target::parse("mail:me").unwrap(), 7, title, body)
}

async fn send(settings: Settings, delivery: &Delivery) -> Report {
    soon("a report", channel(settings).deliver(delivery)).await
}

#[track_caller]
fn failure(report: Report) -> (String, bool) {
    match report {
        Report::Failed { error, is_final, retry_after: None } => (error, is_final),
        other => panic!("expected a failure, found {other:?}"),
    }
}

async fn usual() -> SmtpServer {
    SmtpServer::start(|_, _| Do::Usual).await
}

/// Reads a mail with the parser of another's making, Python's, as its reader would see it.
fn read(mail: &Mail) -> Value {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("mail");
    fs::write(&path, &mail.text).unwrap();
    let script = "import email,email.policy,json,sys\n\
        m=email.message_from_binary_file(open(sys.argv[1],'rb'),policy=email.policy.default)\n\
        print(json.dumps({'subject':m['subject'],'body':m.get_content(),'type':m.get_content_type(),\
        'to':m['to'],'defects':[str(d) for d in m.defects],'names':m.keys()}))";
    let output = Command::new("python3").args(["-c", script]).arg(&path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test]
async fn a_mail_says_title_body_link_and_what_to_type_in_every_script() {
    let server = usual().await;
    let mut delivery = delivery(
        "交房租 📮 — a title that is longer than one line of a header may be, so that it is folded",
        "due 12:00\n.\n…",
    );
    delivery.message.link = Some("https://example.org/?a=1&b=2".to_owned());
    let to = vec!["me@example.org".to_owned(), "Ann B <ann@example.org>".to_owned()];
    assert_eq!(send(Settings { to, ..settings(server.port()) }, &delivery).await, Report::DELIVERED);
    let mail = &server.mails()[0];
    assert_eq!(
        (mail.from.as_str(), mail.to.as_slice()),
        ("keiko@example.org", &["me@example.org", "ann@example.org"].map(str::to_owned)[..])
    );
    assert!(mail.text.is_ascii() && mail.text.lines().all(|line| line.len() <= 998), "{}", mail.text);
    let read = read(mail);
    assert_eq!(read["subject"], delivery.message.title);
    assert_eq!(read["body"], "due 12:00\n.\n…\nhttps://example.org/?a=1&b=2\nkeiko done 7\n");
    assert_eq!((&read["type"], &read["defects"]), (&json!("text/plain"), &json!([])));
    assert_eq!(read["to"], "me@example.org, Ann B <ann@example.org>");
    assert_eq!(mail.header("from"), "Keiko <keiko@example.org>");
    assert_eq!(mail.header("auto-submitted"), "auto-generated");
    assert_eq!((mail.header("importance"), mail.header("x-priority")), (String::new(), String::new()));
    // The instant of the firing, not that of the attempt; before 1970 there is none.
    assert_eq!(mail.header("date"), "Thu, 01 Jan 1970 00:00:00 +0000");
}

#[tokio::test]
async fn every_attempt_is_the_same_mail_and_the_rings_of_one_occurrence_stand_together() {
    let server = SmtpServer::start(|line, before| match (line, before) {
        (".", 0) => Do::say("451 4.3.0 try again"),
        _ => Do::Usual,
    })
    .await;
    let channel = channel(settings(server.port()));
    let mut first = delivery("tea", "due");
    first.message.priority = Priority::High;
    let (error, is_final) = failure(channel.deliver(&first).await);
    assert_eq!((error.as_str(), is_final), ("cannot send mail by 127.0.0.1: 451 4.3.0 try again", false));
    first.attempts = 1;
    for _ in 0..2 {
        assert_eq!(channel.deliver(&first).await, Report::DELIVERED);
    }
    let mut nag = first.clone();
    nag.id.fire_id = FireId(Uuid::from_u128(8));
    let mut other = nag.clone();
    other.occurrence.generation = 2;
    for delivery in [&nag, &other] {
        assert_eq!(channel.deliver(delivery).await, Report::DELIVERED);
    }
    let mails = server.mails();
    assert_eq!(mails[0].text, mails[1].text);
    let ids: Vec<String> = mails.iter().map(|mail| mail.header("message-id")).collect();
    assert_eq!(ids[0], format!("<{}@keiko.invalid>", first.id.token()));
    assert_ne!(ids[1], ids[2]);
    let threads: Vec<String> = mails.iter().map(|mail| mail.header("references")).collect();
    assert_eq!(threads[1], threads[2]);
    assert_ne!(threads[2], threads[3]);
    assert!(mails.iter().all(|mail| mail.header("in-reply-to") == mail.header("references")));
    assert_eq!((mails[0].header("importance"), mails[0].header("x-priority")), ("high".to_owned(), "1".to_owned()));
    assert_eq!(server.connections(), 5, "one an attempt");
}

#[tokio::test]
async fn a_title_puts_nothing_into_the_head_of_a_mail() {
    let server = usual().await;
    let channel = channel(settings(server.port()));
    let titles = [
        "tea\r\nBcc: eve@example.org\r\n\r\nbody",
        "tea\nBcc: eve@example.org",
        "tea\rBcc: eve@example.org",
        "tea\u{85}Bcc: eve@example.org\u{2028}X: y",
        "=?utf-8?q?tea=0d=0aBcc:_eve@example.org?=",
        "\0\u{1b}[31m",
    ];
    for title in titles {
        assert_eq!(
            channel.deliver(&delivery(title, "..\r\n.\r\nMAIL FROM:<eve@example.org>")).await,
            Report::DELIVERED
        );
        let mail = server.mails().pop().unwrap();
        let names = mail.header_names();
        let expected = [
            "From",
            "Date",
            "Subject",
            "Message-ID",
            "In-Reply-To",
            "References",
            "Content-Type",
            "To",
            "Auto-Submitted",
            "Content-Transfer-Encoding",
        ];
        let mut sorted = (names.clone(), expected.map(str::to_owned).to_vec());
        sorted.0.sort();
        sorted.1.sort();
        assert_eq!(sorted.0, sorted.1, "of {title:?}");
        assert_eq!(mail.to, ["me@example.org"]);
        let read = read(&mail);
        assert!(!read["names"].as_array().unwrap().contains(&json!("Bcc")), "{read}");
        assert_eq!(read["body"], "..\n.\nMAIL FROM:<eve@example.org>\nkeiko done 7\n");
    }
    assert_eq!(server.mails().len(), titles.len(), "no body begins another mail");
}

#[tokio::test]
async fn a_password_is_only_said_on_a_secure_line_and_to_a_server_that_is_known() {
    let mut ca = String::new();
    let password = || Source::Given(Secret::new("hunter2".to_owned()));
    for security in [Security::Tls, Security::StartTls] {
        let server;
        (server, ca) = match security {
            Security::Tls => SmtpServer::start_tls(|_, _| Do::Usual).await,
            Security::StartTls | Security::None => SmtpServer::start_starttls(|_, _| Do::Usual).await,
        };
        let settings = || with_password(secured(server.port(), security, &ca), password());
        assert_eq!(send(settings(), &delivery("tea", "")).await, Report::DELIVERED);
        assert!(server.mails()[0].is_secure);
        let plain = format!("AUTH PLAIN {ME_HUNTER2}");
        assert_eq!(server.lines().iter().filter(|line| line.starts_with("AUTH")).collect::<Vec<_>>(), [&plain]);
        // Of another authority.
        let unknown = Settings { ca: None, ..settings() };
        let (error, is_final) = failure(send(unknown, &delivery("tea", "")).await);
        assert!(error.contains("certificate") && !is_final, "{error}");
        // Of another name.
        let (error, is_final) =
            failure(send(Settings { host: "127.0.0.1".to_owned(), ..settings() }, &delivery("tea", "")).await);
        assert!(error.contains("certificate") && !is_final, "{error}");
        assert_eq!(
            (server.mails().len(), server.lines().iter().filter(|line| line.starts_with("AUTH")).count()),
            (1, 1)
        );
    }
    let open = usual().await;
    let (error, is_final) = failure(
        send(with_password(secured(open.port(), Security::StartTls, &ca), password()), &delivery("tea", "")).await,
    );
    assert_eq!(error, "cannot send mail by localhost: STARTTLS is not supported on this server");
    assert!(!is_final && open.mails().is_empty() && !open.lines().iter().any(|line| line.starts_with("AUTH")));
}

#[tokio::test]
async fn a_password_that_is_refused_is_read_anew_and_never_shown() {
    let server = SmtpServer::start(|line, _| {
        if line.contains(ME_HUNTER2) { Do::say("535 5.7.8 bad password hunter2") } else { Do::Usual }
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("password");
    let channel = channel(with_password(settings(server.port()), Source::File(path.clone())));
    let delivery = delivery("tea", "");
    let (error, is_final) = failure(channel.deliver(&delivery).await);
    assert!(error.contains("cannot read the secret in") && !is_final, "{error}");
    fs::write(&path, "hunter2\n").unwrap();
    let (error, is_final) = failure(channel.deliver(&delivery).await);
    let expected =
        "cannot send mail by 127.0.0.1: it does not take the user and password: 535 5.7.8 bad password (not shown)";
    assert_eq!((error.as_str(), is_final), (expected, false));
    fs::write(&path, "hunter3\n").unwrap();
    assert_eq!(channel.deliver(&delivery).await, Report::DELIVERED);
    assert!(!format!("{channel:?}").contains("hunter"));
}

/// RFC 5321, 4.2.1: a 4xx may pass, a 5xx of the mail itself does not.
#[tokio::test]
async fn what_a_server_refuses_for_good_is_final_and_the_rest_may_pass() {
    let cases = [
        ("EHLO", "421 4.3.2 closing", false),
        ("EHLO", "554 5.7.1 not you", false),
        ("MAIL", "451 4.7.1 greylisted", false),
        ("MAIL", "550 5.7.1 sender unknown", true),
        ("RCPT", "550 5.1.1 no such user", true),
        ("RCPT", "452 4.2.2 full", false),
        ("DATA", "452 4.3.1 full", false),
        (".", "554 5.7.1 looks like spam", true),
    ];
    for (word, answer, expected) in cases {
        let server =
            SmtpServer::start(move |line, _| if line.starts_with(word) { Do::say(answer) } else { Do::Usual }).await;
        let (error, is_final) = failure(send(settings(server.port()), &delivery("tea", "")).await);
        let told = if word == "RCPT" { "127.0.0.1 does not take it" } else { "cannot send mail by 127.0.0.1" };
        assert_eq!((error, is_final), (format!("{told}: {answer}"), expected));
    }
}

#[tokio::test]
async fn one_address_that_is_refused_keeps_the_others_from_nothing_and_they_get_it_once() {
    let server = SmtpServer::start(|line, before| match line {
        "RCPT TO:<ann@example.org>" if before < 2 => Do::say("450 4.2.1 mailbox busy"),
        "RCPT TO:<bob@example.org>" => Do::say("550 5.1.1 no such user"),
        _ => Do::Usual,
    })
    .await;
    let to = ["ann@example.org", "me@example.org"].map(str::to_owned).to_vec();
    let channel = channel(Settings { to, ..settings(server.port()) });
    let ring = delivery("tea", "");
    let (error, is_final) = failure(channel.deliver(&ring).await);
    let expected = "127.0.0.1 does not take it: ann@example.org: 450 4.2.1 mailbox busy (the other has it)";
    assert_eq!((error.as_str(), is_final), (expected, false));
    assert_eq!(channel.deliver(&ring).await, Report::DELIVERED);
    let to: Vec<Vec<String>> = server.mails().into_iter().map(|mail| mail.to).collect();
    assert_eq!(to, [["me@example.org"], ["ann@example.org"]]);

    let to = ["bob@example.org", "me@example.org"].map(str::to_owned).to_vec();
    channel.configure(vec![Settings { to, ..settings(server.port()) }]).unwrap();
    let mut other = ring.clone();
    other.id.fire_id = FireId(Uuid::from_u128(9));
    let (error, is_final) = failure(channel.deliver(&other).await);
    let expected = "127.0.0.1 does not take it: bob@example.org: 550 5.1.1 no such user (the other has it)";
    assert_eq!((error.as_str(), is_final), (expected, true));
    assert_eq!(server.mails().len(), 3);
}

#[tokio::test]
async fn a_server_that_hangs_or_hangs_up_is_given_up_within_its_time() {
    for word in ["EHLO", "MAIL", "DATA", "."] {
        for what in [Do::Hang, Do::HangUp] {
            let told = what.clone();
            let server =
                SmtpServer::start(move |line, _| if line.starts_with(word) { told.clone() } else { Do::Usual }).await;
            let limit = if matches!(what, Do::Hang) { Duration::from_millis(300) } else { Duration::from_secs(20) };
            let (error, is_final) =
                failure(send(Settings { timeout: limit, ..settings(server.port()) }, &delivery("tea", "")).await);
            assert!(!is_final && error.starts_with("cannot send mail by 127.0.0.1: "), "{error}");
            if matches!(what, Do::Hang) {
                assert_eq!(error, "cannot send mail by 127.0.0.1: it took longer than 300ms");
            }
        }
    }
    // A good-bye that is not heard changes nothing of what was taken.
    let server = SmtpServer::start(|line, _| if line == "QUIT" { Do::Hang } else { Do::Usual }).await;
    let settings = Settings { timeout: Duration::from_secs(2), ..settings(server.port()) };
    assert_eq!(send(settings, &delivery("tea", "")).await, Report::DELIVERED);
}

#[tokio::test]
async fn what_is_not_configured_any_more_waits() {
    let server = usual().await;
    let channel = channel(settings(server.port()));
    let mut presence = channel.presence();
    presence.mark_unchanged();
    channel.configure(Vec::new()).unwrap();
    let away = Report::Away { reason: "no mail:me is configured".to_owned() };
    assert_eq!(channel.deliver(&delivery("tea", "")).await, away);
    channel.configure(vec![settings(server.port())]).unwrap();
    assert!(presence.has_changed().unwrap(), "what waits is tried");
    assert_eq!(channel.deliver(&delivery("tea", "")).await, Report::DELIVERED);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reminder_reaches_a_mailbox_and_nothing_shows_the_password() {
    let server = SmtpServer::start(|line, before| match (line, before) {
        (".", 0) => Do::say("451 4.3.0 try again"),
        _ => Do::Usual,
    })
    .await;
    let home = Home::new();
    let config = format!(
        "[mail.me]\nhost = '127.0.0.1'\nport = {}\nsecurity = 'none'\nuser = 'me'\npassword_command = ['echo', 'hunter2']\n\
         from = 'Keiko <keiko@example.org>'\nto = 'me@example.org'\n",
        server.port()
    );
    fs::write(home.path("config.toml"), config).unwrap();
    let mut command = home.daemon();
    command.env("KEIKO_CONFIG", home.path("config.toml"));
    let _daemon = Daemon::start(command);
    let mut connection = home.connect();
    connection.call("task.add", json!({"text": "tea in 10 seconds", "channels": ["mail:me"]}));
    connection.call("clock.advance", json!({"to": "2026-05-13T12:01:00-04:00"}));
    let history = connection.call("task.history", json!({"task": 1}));
    assert_eq!(history["deliveries"][0]["status"], "delivered", "{history}");
    let mail = &server.mails()[0];
    assert_eq!(
        (mail.header("subject"), mail.header("date")),
        ("tea".to_owned(), "Wed, 13 May 2026 16:00:10 +0000".to_owned())
    );
    assert!(mail.body().contains("keiko done 1"), "{}", mail.text);
    let log = fs::read_to_string(home.path("data/keikod.log")).unwrap();
    assert!(!history.to_string().contains("hunter2") && !log.contains("hunter2"), "{log}");
}

#[test]
fn a_mail_target_that_cannot_work_is_refused_with_its_place() {
    let home = Home::new();
    let rest = "from = 'keiko@example.org'\nto = ['me@example.org']\n";
    let config = format!(
        "[mail.a]\nhost = 'mail.example.org'\nsecurity = 'none'\n{rest}[mail.b]\nhost = 'x'\nuser = 'me'\n{rest}\
         [mail.c]\nhost = 'x'\nfrom = 'keiko@example.org'\nto = ['me@example.org', 'me@example.org\\r\\nRCPT']\n"
    );
    fs::write(home.path("config.toml"), config.replace("\\r\\n", " ")).unwrap();
    let mut command = home.daemon();
    command.env("KEIKO_CONFIG", home.path("config.toml"));
    let told = refused_start(command).replace(&format!("{}/", home.path("").display()), "");
    let expected = [
        ":3:12: cannot use mail.a.security: expected tls or starttls for mail.example.org: only to this machine may the line be open",
        ":8:8: cannot use mail.b.user: expected a user and a password, or neither",
        ":14:6: cannot use mail.c.to: expected a mail address such as me@example.org or Me <me@example.org>, found \
         \"me@example.org RCPT\"",
    ];
    for line in expected {
        assert!(told.contains(line), "{line}\n{told}");
    }
}
