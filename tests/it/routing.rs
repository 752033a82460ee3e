//! Who is told by what, by a real daemon that posts to a real server: rules, what is said elsewhere, who is always told, and a
//! configuration that is read anew.

use std::fs;
use std::io::BufRead as _;

use serde_json::{Value, json};

use crate::support::daemon::{Connection, Daemon, Home};
use crate::support::http_server::{HttpServer, Reply, Request};

/// A server whose paths are targets, and a daemon that goes by a configuration.
struct Set {
    server: HttpServer,
    home: Home,
    daemon: Option<Daemon>,
}

impl Set {
    /// Configures one webhook for each name, at the path of that name, and `more` above them.
    async fn new(
        names: &[&str],
        more: &str,
        script: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let mut set = Self { server: HttpServer::start(script).await, home: Home::new(), daemon: None };
        set.configure(names, more);
        set.daemon = Some(Daemon::start(set.command()));
        set
    }

    fn command(&self) -> std::process::Command {
        let mut command = self.home.daemon();
        command.env("KEIKO_CONFIG", self.home.path("config.toml"));
        command
    }

    fn configure(&self, names: &[&str], more: &str) {
        let hook = |name: &&str| format!("[webhooks.{name}]\nurl = '{}'\n", self.server.url(&format!("/{name}")));
        let hooks: String = names.iter().map(hook).collect();
        fs::write(self.home.path("config.toml"), format!("{more}\n{hooks}")).unwrap();
    }

    fn connect(&self) -> Connection {
        self.home.connect()
    }

    /// Returns the paths that were posted to so far, in order.
    fn posted(&self) -> Vec<String> {
        let path = |request: &Request| request.line.split(' ').nth(1).unwrap_or_default().trim_matches('/').to_owned();
        self.server.requests().iter().map(path).collect()
    }
}

fn to(connection: &mut Connection, time: &str) {
    connection.call("clock.advance", json!({"to": format!("2026-05-13T{time}-04:00")}));
}

/// Returns the deliveries of a task, each target with where it stands.
fn told(connection: &mut Connection, task: u64) -> Vec<String> {
    let list = connection.call("delivery.list", json!({"task": task}));
    let word =
        |delivery: &Value| format!("{} {}", delivery["target"].as_str().unwrap(), delivery["status"].as_str().unwrap());
    let mut told: Vec<String> = list["deliveries"].as_array().unwrap().iter().map(word).collect();
    told.sort();
    told
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rules_say_where_and_a_new_configuration_holds_for_the_tasks_that_there_are() {
    let rules = "channels = ['desktop', 'webhook:a']\n[[rules]]\ntags = ['+med']\nchannels = ['desktop', 'webhook:b']\n\
                 [[rules]]\npriority = 'high'\nchannels = ['desktop', 'webhook:c']\n";
    let set = Set::new(&["a", "b", "c"], rules, |_, _| Reply::status(200, "")).await;
    let mut connection = set.connect();
    let mut add = |params: Value| connection.call("task.add", params)["task"]["channels"].clone();
    assert_eq!(add(json!({"title": "plain", "at": "in 1 minute"})), json!([]));
    add(json!({"title": "pills", "at": "in 2 minutes", "tags": ["med"], "priority": "high"}));
    add(json!({"title": "fire", "at": "in 3 minutes", "priority": "high"}));
    let via = json!(["webhook:a"]);
    assert_eq!(add(json!({"title": "own", "at": "in 4 minutes", "tags": ["med"], "channels": ["webhook:a"]})), via);
    add(json!({"title": "later", "at": "in 5 minutes"}));
    to(&mut connection, "12:04:30");
    assert_eq!(set.posted(), ["a", "b", "c", "a"]);

    set.configure(&["b", "d"], "channels = ['desktop', 'webhook:d']\nsnooze_default = '7m'\n[log]\nformat = 'json'\n");
    let reloaded = connection.call("daemon.reload", json!({}));
    assert_eq!(reloaded["targets"], json!(["webhook:b", "webhook:d"]), "{reloaded}");
    assert_eq!(reloaded["at_next_start"], json!(["log.format"]), "{reloaded}");
    to(&mut connection, "12:05:30");
    assert_eq!(set.posted().last().map(String::as_str), Some("d"));
    let snoozed = connection.call("task.snooze", json!({"task": 5}));
    assert_eq!(snoozed["task"]["snoozed_until"], "2026-05-13T12:12:30-04:00", "{snoozed}");
    let list = connection.call("channel.list", json!({}));
    let names: Vec<&str> =
        list["targets"].as_array().unwrap().iter().filter_map(|each| each["target"].as_str()).collect();
    assert!(names.contains(&"webhook:d"), "{names:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_default_of_programs_alone_makes_tasks_for_programs() {
    let set = Set::new(&["a"], "channels = ['webhook:a']\n", |_, _| Reply::status(200, "")).await;
    let mut connection = set.connect();
    let added = connection.call("task.add", json!({"title": "tea", "at": "in 1 minute"}));
    assert_eq!(added["task"]["channels"], json!(["webhook:a"]));
    to(&mut connection, "12:01:30");
    assert_eq!(connection.call("task.get", json!({"task": 1}))["task"]["outcome"], "done");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_reached_is_said_elsewhere_and_why_tells_it() {
    let answers = |request: &Request, _| {
        if request.line.contains("/a") { Reply::status(404, "gone") } else { Reply::status(200, "") }
    };
    let set = Set::new(&["a", "b", "c"], "fallback = ['webhook:a', 'webhook:b', 'webhook:c']\n", answers).await;
    let mut connection = set.connect();
    // No desktop is there.
    connection.call("task.add", json!({"title": "tea", "at": "in 1 minute", "channels": ["desktop"]}));
    to(&mut connection, "12:01:00");
    let expected = ["desktop waiting", "webhook:a failed", "webhook:b delivered"];
    assert_eq!(told(&mut connection, 1), expected);
    // One that is not sent to counts as not reached, and so does one that found nobody of the chain before.
    connection.call("channel.pause", json!({"target": "desktop"}));
    connection.call("channel.pause", json!({"target": "webhook:a"}));
    connection.call("task.add", json!({"title": "rent", "at": "in 1 minute", "channels": ["desktop"]}));
    to(&mut connection, "12:02:00");
    assert_eq!(told(&mut connection, 2), ["desktop held", "webhook:a held", "webhook:b delivered"]);
    assert_eq!(set.posted(), ["a", "b", "b"]);
    // It is the person's still.
    let task = connection.call("task.get", json!({"task": 2}))["task"].take();
    assert_eq!((&task["state"], &task["stage"]), (&json!("RUNNING"), &json!("due")), "{task}");
    let why = connection.call("task.why", json!({"task": 2})).to_string();
    for name in ["desktop", "webhook:a", "webhook:b"] {
        assert!(why.contains(name), "{name}: {why}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_target_that_hiccups_is_waited_for_before_it_is_said_elsewhere() {
    // A person's channel of which this test needs to know only that nothing answers there.
    let config = "fallback = ['webhook:b']\n[ntfy.phone]\nurl = 'http://127.0.0.1:1/topic'\n";
    let set = Set::new(&["b"], config, |_, _| Reply::status(200, "")).await;
    let mut connection = set.connect();
    connection.call("task.add", json!({"title": "tea", "at": "in 1 minute", "channels": ["ntfy:phone"]}));
    to(&mut connection, "12:03:00");
    let told = told(&mut connection, 1);
    assert!(told.contains(&"webhook:b delivered".to_owned()), "{told:?}");
    assert_eq!(set.posted(), ["b"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_held_for_quiet_hours_is_said_elsewhere_only_when_they_are_over() {
    let config = "fallback = ['webhook:b']\n[quiet]\nhours = '12:00-13:00'\n";
    let set = Set::new(&["b"], config, |_, _| Reply::status(200, "")).await;
    let mut connection = set.connect();
    let every = json!({"title": "stretch", "every": "30 minutes", "channels": ["desktop"]});
    connection.call("task.add", every);
    to(&mut connection, "12:45:00");
    assert_eq!(set.posted(), Vec::<String>::new());
    to(&mut connection, "13:00:00");
    assert!(!set.posted().is_empty(), "{:?}", told(&mut connection, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_always_told_is_told_though_it_is_done() {
    let answers = |_: &Request, before| if before == 0 { Reply::status(503, "") } else { Reply::status(200, "") };
    let set = Set::new(&["audit"], "always = ['webhook:audit']\n", answers).await;
    let mut connection = set.connect();
    let add = json!({"title": "tea", "at": "in 1 minute", "channels": ["desktop", "webhook:audit"]});
    connection.call("task.add", add);
    to(&mut connection, "12:01:00");
    connection.call("task.done", json!({"task": 1}));
    assert_eq!(told(&mut connection, 1), ["desktop withdrawn", "webhook:audit retrying"]);
    to(&mut connection, "12:02:00");
    assert_eq!(told(&mut connection, 1), ["desktop withdrawn", "webhook:audit delivered"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_configuration_is_refused_with_its_place_and_the_former_one_holds() {
    let set = Set::new(&["a"], "channels = ['desktop', 'webhook:a']\n", |_, _| Reply::status(200, "")).await;
    let mut connection = set.connect();
    for (text, place) in [
        ("channels = ['webhook:nobody']\n", "config.toml:1:12: cannot use channels"),
        ("[[rules]]\nchannels = ['desktop']\n", "config.toml:1:1: cannot use rules[0]"),
        ("[webhooks.a]\nurl_file = 'gone'\n", "config.toml:2:12: cannot use webhooks.a.url"),
        ("channels = [\n", "config.toml:"),
    ] {
        fs::write(set.home.path("config.toml"), text).unwrap();
        let refused = connection.refused("daemon.reload", json!({}));
        assert_eq!(refused["code"], 422, "{refused}");
        assert!(refused["message"].as_str().unwrap().contains(place), "{refused}");
    }
    connection.call("task.add", json!({"title": "tea", "at": "in 1 minute"}));
    to(&mut connection, "12:01:00");
    assert_eq!(set.posted(), ["a"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_for_a_target_that_was_taken_out_waits_until_it_is_configured_again() {
    let set = Set::new(&["a", "b"], "", |_, _| Reply::status(200, "")).await;
    let mut connection = set.connect();
    let add = json!({"title": "tea", "at": "in 1 minute", "channels": ["desktop", "webhook:b"]});
    connection.call("task.add", add);
    set.configure(&["a"], "");
    connection.call("daemon.reload", json!({}));
    to(&mut connection, "12:01:00");
    assert_eq!(told(&mut connection, 1), ["desktop waiting", "webhook:b waiting"]);
    set.configure(&["a", "b"], "");
    connection.call("daemon.reload", json!({}));
    set.server.received(1).await;
    to(&mut connection, "12:02:00");
    assert_eq!(told(&mut connection, 1), ["desktop waiting", "webhook:b delivered"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hang_up_signal_reads_the_configuration_anew() {
    let mut set = Set::new(&["a"], "channels = ['desktop', 'webhook:a']\n", |_, _| Reply::status(200, "")).await;
    set.daemon = None;
    let mut command = set.command();
    command.args(["--foreground", "--log-format", "text"]);
    let mut daemon = Daemon::start(command);
    let mut log = daemon.log().lines();
    set.configure(&["b"], "channels = ['desktop', 'webhook:b']\n");
    daemon.signal(rustix::process::Signal::HUP);
    assert!(log.any(|line| line.unwrap().contains("the configuration was read anew")));
    let mut connection = set.connect();
    connection.call("task.add", json!({"title": "tea", "at": "in 1 minute"}));
    to(&mut connection, "12:01:00");
    assert_eq!(set.posted(), ["b"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_tells_an_address_when_it_is_first_needed() {
    let set = Set::new(&[], "", |_, _| Reply::status(200, "")).await;
    let mut connection = set.connect();
    let address = set.home.path("address");
    let secret = "printf 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD\\n'";
    let config = format!(
        "[webhooks.ops]\nurl_command = ['cat', '{}']\nsecret_command = ['sh', '-c', \"{secret}\"]\n",
        address.display()
    );
    fs::write(set.home.path("config.toml"), config).unwrap();
    connection.call("daemon.reload", json!({}));
    let tried = connection.call("channel.test", json!({"target": "webhook:ops"}));
    assert_eq!((&tried["delivered"], tried["error"].is_string()), (&json!(false), true), "{tried}");
    fs::write(&address, set.server.url("/hunter2\n")).unwrap();
    assert_eq!(connection.call("channel.test", json!({"target": "webhook:ops"}))["delivered"], true);
    let request = &set.server.requests()[0];
    assert_eq!(request.line, "POST /hunter2 HTTP/1.1");
    assert!(request.header("webhook-signature").starts_with("v1,"), "{request:?}");
}
