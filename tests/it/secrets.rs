//! No secret is where it has no place: not in the data, not in a log, not in what any command says. Of every kind of target
//! and every way to give a secret; the targets answer with all that they are sent.

use std::fs;
use std::path::Path;

use keiko::config::edit::section;
use keiko::config::target::{SETTABLE, SOURCES, Shape, keys};
use keiko::domain::delivery::ChannelKind;
use serde_json::{Value, json};

use crate::support::daemon::{Daemon, Home};
use crate::support::http_server::{HttpServer, Reply, Request};

/// What is looked for.
const SECRET: &str = "hunter2hunter2hunter2";

/// A target of a kind whose secrets are given in one way.
struct Configured {
    name: String,
    table: String,
}

/// Returns a value for a key that is no secret.
fn plain(kind: ChannelKind, key: &str, port: u16) -> Value {
    match (kind, key) {
        (ChannelKind::Mail, "host") => json!("127.0.0.1"),
        // Nobody listens: an HTTP server would wait for a request, and the mail for a greeting.
        (ChannelKind::Mail, "port") => json!(1),
        (ChannelKind::Mail, "security") => json!("none"),
        (ChannelKind::Mail, "from" | "to" | "user") => json!("me@example.org"),
        (ChannelKind::Telegram, "api_url") => json!(format!("http://127.0.0.1:{port}")),
        (ChannelKind::Exec, "command") => json!(["false"]),
        (_, "chat") => json!("7"),
        (kind, key) => panic!("no value is known for {kind}.{key}"),
    }
}

/// Returns a value for a key that is a secret, so that the service would take it.
fn secret(kind: ChannelKind, key: &str, port: u16) -> String {
    match (kind, key) {
        // Standard Webhooks: base64 of 24 bytes.
        (ChannelKind::Webhook, "secret") => format!("whsec_{SECRET}{}", &"AAAAAAAAAAAA"[..32 - SECRET.len()]),
        (ChannelKind::Telegram, "token") => format!("123456:{SECRET}"),
        (_, "url" | "answers_url") => format!("http://127.0.0.1:{port}/{SECRET}?key={SECRET}"),
        (_, _) => SECRET.to_owned(),
    }
}

fn configured(home: &Home, port: u16) -> Vec<Configured> {
    let mut all = Vec::new();
    let all_keys = |kind: ChannelKind| keys(kind).iter();
    for kind in SETTABLE {
        for ending in SOURCES {
            let name = format!("x{ending}");
            let mut table = vec![format!("[{}.{name}]", section(kind))];
            for key in all_keys(kind) {
                let is_wanted = key.is_required || matches!(key.name, "api_url" | "port" | "security" | "user");
                match key.shape {
                    Shape::Secret => {
                        let value = secret(kind, key.name, port);
                        let file = home.path(&format!("{kind}-{name}-{}", key.name));
                        fs::write(&file, &value).unwrap();
                        let given = match ending {
                            "_file" => format!("'{}'", file.display()),
                            "_env" => format!("'KEIKO_TEST_{}_{}'", kind.as_str(), key.name),
                            _ => format!("['cat', '{}']", file.display()),
                        };
                        table.push(format!("{}{ending} = {given}", key.name));
                    }
                    Shape::Text | Shape::OneOf(_) | Shape::Words | Shape::Truth | Shape::Number(..) | Shape::Path
                        if is_wanted =>
                    {
                        table.push(format!("{} = {}", key.name, plain(kind, key.name, port)));
                    }
                    Shape::Text | Shape::OneOf(_) | Shape::Words | Shape::Truth | Shape::Number(..) | Shape::Path => {}
                }
            }
            all.push(Configured { name: format!("{kind}:{name}"), table: table.join("\n") + "\n" });
        }
    }
    all
}

/// Returns every file below a directory that holds the secret.
fn leaks(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(leaks(&path));
        } else if path.is_file() {
            let bytes = fs::read(&path).unwrap();
            if bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes()) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_is_in_the_data_the_logs_or_what_a_command_says() {
    // It says back all that it was told, as careless services do.
    let echo = |request: &Request, _| {
        let headers: Vec<String> =
            request.headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
        Reply::status(500, &format!("no: {} {}", request.line, headers.join(" ")))
    };
    let server = HttpServer::start(echo).await;
    let home = Home::new();
    let configured = configured(&home, server.port());
    let config: String = configured.iter().map(|each| each.table.as_str()).collect();
    fs::write(home.path("config.toml"), config).unwrap();
    let mut command = home.daemon();
    command.env("KEIKO_CONFIG", home.path("config.toml")).env("KEIKO_LOG", "trace");
    for kind in SETTABLE {
        for key in keys(kind).iter().filter(|key| matches!(key.shape, Shape::Secret)) {
            command.env(format!("KEIKO_TEST_{}_{}", kind.as_str(), key.name), secret(kind, key.name, server.port()));
        }
    }
    let _daemon = Daemon::start(command);
    let mut connection = home.connect();
    for each in &configured {
        let add = json!({"title": format!("tell {}", each.name), "at": "in 1 minute", "channels": [each.name]});
        connection.call("task.add", add);
    }
    connection.call("clock.advance", json!({"to": "2026-05-13T12:10:00-04:00"}));
    let mut said = vec![connection.call("daemon.reload", json!({})).to_string()];
    let keiko = |line: &str| {
        let mut command = home.command(env!("CARGO_BIN_EXE_keiko"));
        command.env("KEIKO_CONFIG", home.path("config.toml")).args(line.split_whitespace());
        let output = command.output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let backup = home.path("backup.db");
    let backup = format!("backup {}", backup.display());
    for line in ["", "list --all", "status", "agenda", "channel list", "daemon status", "events", "op list", &backup] {
        said.push(keiko(line));
        said.push(keiko(&format!("{line} --json")));
    }
    for (number, each) in (1..).zip(&configured) {
        for line in [format!("show {number}"), format!("history {number}"), format!("why {number}")] {
            said.push(keiko(&line));
            said.push(keiko(&format!("{line} --json")));
        }
        said.push(keiko(&format!("channel test {}", each.name)));
        said.push(connection.call("delivery.list", json!({"task": number})).to_string());
    }
    let attempted = said.iter().filter(|text| text.contains("answered 500")).count();
    assert!(attempted > 0, "the deliveries failed at the server");
    for text in said {
        assert!(!text.contains(SECRET), "{text}");
    }
    assert!(home.path("backup.db").is_file());
    assert_eq!(leaks(&home.path("data")), Vec::<String>::new());
    assert_eq!(leaks(&home.path("run")), Vec::<String>::new());
    assert!(!fs::read(home.path("backup.db")).unwrap().windows(SECRET.len()).any(|part| part == SECRET.as_bytes()));
    assert!(server.requests().iter().any(|request| request.line.contains(SECRET)), "it was used");
}
