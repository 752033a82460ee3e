//! The channel of one's own programs, against programs that do what programs should not.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::future::join_all;
use keiko::domain::delivery::{Delivery, Report, Target};
use keiko::domain::task::Priority;
use keiko::domain::time::Span;
use keiko::notify::Channel as _;
use keiko::notify::exec::{ExecChannel, Settings};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::daemon::{Daemon, Home};
use crate::support::{sample, soon};

/// A limit that only what never ends reaches.
const LONG: Duration = Duration::from_secs(30);

/// A limit that is to be reached.
const SHORT: Duration = Duration::from_secs(2);

fn channel(command: &[&str], timeout: Duration) -> ExecChannel {
    let channel = ExecChannel::new();
    let command = command.iter().map(|&word| word.to_owned()).collect();
    channel.configure(vec![Settings { name: "x".to_owned(), command, directory: PathBuf::new(), timeout }]);
    channel
}

fn delivery(title: &str, body: &str) -> Delivery {
    sample::delivery(Target::parse("exec:x").unwrap(), 7, title, body)
}

/// Runs a script, given a path as its `$0`.
async fn run(script: &str, path: &Path, timeout: Duration) -> Report {
    let channel = channel(&["sh", "-c", script, path.to_str().unwrap()], timeout);
    soon("a report", channel.deliver(&delivery("tea", "due"))).await
}

#[track_caller]
fn failure(report: Report) -> String {
    match report {
        Report::Failed { error, is_final: false, retry_after: None } => error,
        other => panic!("expected a failure that may pass, found {other:?}"),
    }
}

/// A pipe by which a test hears when all that a program started has ended: it hands its end on to all.
struct Alive {
    _directory: tempfile::TempDir,
    path: PathBuf,
    ended: tokio::task::JoinHandle<std::io::Result<Vec<u8>>>,
}

impl Alive {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("alive");
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let end = path.clone();
        let ended = tokio::task::spawn_blocking(move || fs::read(end));
        Self { _directory: directory, path, ended }
    }

    /// Waits until nobody of them is left, and returns what they said.
    async fn ended(self) -> String {
        String::from_utf8(soon("the end of a program", self.ended).await.unwrap().unwrap()).unwrap()
    }
}

/// Returns how many ends of pipes this process has.
fn pipes() -> usize {
    let entries = fs::read_dir("/proc/self/fd").unwrap();
    let links = entries.filter_map(|entry| fs::read_link(entry.unwrap().path()).ok());
    links.filter(|path| path.to_string_lossy().starts_with("pipe:")).count()
}

#[tokio::test]
async fn a_program_reads_one_object_and_is_no_shell() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("told");
    let mut delivery = delivery("$(touch x); `y` \"交房租\"\n'", "due 12:00");
    delivery.attempts = 2;
    delivery.message.link = Some("https://example.org/".to_owned());
    delivery.message.priority = Priority::High;
    delivery.occasion.tags = vec!["home".to_owned()];
    let odd = "a b; $HOME * \" '";
    let script = "cat > \"$0\"; printf '%s\\n' \"$1\" \"$KEIKO_TASK $KEIKO_ATTEMPT $KEIKO_REASON $KEIKO_DELIVERY_ID\" > \"$0.args\"";
    let channel = channel(&["sh", "-c", script, file.to_str().unwrap(), odd], LONG);
    assert_eq!(channel.deliver(&delivery).await, Report::DELIVERED);
    let told: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let id = delivery.id.token().to_string();
    assert_eq!((&told["schema_version"], &told["delivery_id"], &told["attempt"]), (&json!(1), &json!(id), &json!(3)));
    assert_eq!((&told["target"], &told["reason"]), (&json!("exec:x"), &json!("alert")));
    let task = json!({
        "number": 7, "id": sample::task(7).0, "title": delivery.message.title, "notes": "", "link": "https://example.org/",
        "tags": ["home"], "priority": "high", "metadata": {},
    });
    assert_eq!(told["task"], task);
    for (object, fields) in [
        ("firing", vec!["at", "fire_id", "late", "nominal", "slot"]),
        ("occurrence", vec!["due_at", "generation", "key"]),
    ] {
        assert_eq!(
            told[object].as_object().unwrap().keys().collect::<BTreeSet<_>>(),
            fields.iter().map(|f| (*f).to_owned()).collect::<Vec<_>>().iter().collect()
        );
    }
    let said = fs::read_to_string(directory.path().join("told.args")).unwrap();
    assert_eq!(said, format!("{odd}\n7 3 alert {id}\n"));
}

#[tokio::test]
async fn what_a_program_answers_is_the_report() {
    let path = Path::new("x");
    let answer =
        r#"cat >/dev/null; printf '{"status":"failed","error":"no room","final":true,"retry_after_s":5}'; exit 1"#;
    let failed = |is_final| Report::Failed {
        error: "exec:x failed: no room".to_owned(),
        is_final,
        retry_after: Some(Span::from_secs(5)),
    };
    assert_eq!(run(answer, path, LONG).await, failed(true));
    assert_eq!(run(&answer.replace("true", "false"), path, LONG).await, failed(false));
    let error = failure(run("echo; echo 'no such room' >&2; echo more >&2; exit 7", path, LONG).await);
    assert_eq!(error, "exec:x ended with exit status: 7: no such room");
    let error = failure(run("kill -9 $$", path, LONG).await);
    assert_eq!(error, "exec:x ended with signal: 9 (SIGKILL)");
    let gone = channel(&["/no/such/program", "--token=hunter2"], LONG);
    let error = failure(gone.deliver(&delivery("tea", "")).await);
    assert_eq!(error, "cannot run exec:x: No such file or directory (os error 2)");
}

#[tokio::test]
async fn a_program_need_not_read_what_it_is_told() {
    let channel = channel(&["sh", "-c", "exec <&-; echo '{\"status\": \"delivered\"}'"], LONG);
    let delivery = delivery("tea", &"much ".repeat(200_000));
    assert_eq!(soon("a report", channel.deliver(&delivery)).await, Report::DELIVERED);
}

#[tokio::test]
async fn one_that_floods_is_ended_and_one_that_only_complains_much_has_its_time() {
    let alive = Alive::new();
    let error = failure(run("exec 9>\"$0\"; yes", &alive.path, LONG).await);
    assert_eq!(error, "exec:x said more than 65536 bytes on standard output");
    assert_eq!(alive.ended().await, "");
    let alive = Alive::new();
    let error = failure(run("exec 9>\"$0\"; yes 'oh no' >&2", &alive.path, SHORT).await);
    assert_eq!(error, "exec:x did not end within 2s: oh no");
    assert_eq!(alive.ended().await, "");
    // More than a pipe holds, and less than is too much.
    let error =
        run("head -c 200000 /dev/zero | tr '\\0' x >&2; echo '{\"status\": \"delivered\"}'", Path::new("x"), LONG)
            .await;
    assert_eq!(error, Report::DELIVERED);
}

#[tokio::test]
async fn the_whole_group_of_one_that_does_not_end_is_ended_also_where_it_is_asked_in_vain() {
    let alive = Alive::new();
    // It may clean up.
    let script = "exec 9>\"$0\"; trap 'echo bye >&9; exit' TERM; sleep 1000 & wait";
    assert_eq!(failure(run(script, &alive.path, SHORT).await), "exec:x did not end within 2s");
    assert_eq!(alive.ended().await, "bye\n");
    let alive = Alive::new();
    let script = "exec 9>\"$0\"; trap '' TERM; echo why >&2; (sleep 1000; sleep 1000) & while :; do sleep 1000; done";
    assert_eq!(failure(run(script, &alive.path, SHORT).await), "exec:x did not end within 2s: why");
    assert_eq!(alive.ended().await, "");
}

#[tokio::test]
async fn one_that_leaves_a_child_with_its_pipes_is_not_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("pid");
    let script = "setsid sleep 1000 & echo $! > \"$0\"; echo '{\"status\": \"delivered\"}'";
    assert_eq!(run(script, &file, LONG).await, Report::DELIVERED);
    // It is somebody else's now.
    let pid: i32 = fs::read_to_string(&file).unwrap().trim().parse().unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
}

#[tokio::test]
async fn a_run_that_nobody_waits_for_any_more_is_ended() {
    let (alive, begun) = (Alive::new(), Alive::new());
    let script = "exec 9>\"$0\"; trap '' TERM; echo begun > \"$1\"; sleep 1000 & sleep 1000";
    let words = ["sh", "-c", script, alive.path.to_str().unwrap(), begun.path.to_str().unwrap()];
    let channel = channel(&words, LONG);
    let attempt = tokio::spawn(async move { channel.deliver(&delivery("tea", "")).await });
    assert_eq!(begun.ended().await, "begun\n");
    attempt.abort();
    assert_eq!(alive.ended().await, "");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn attempts_leave_no_descriptor_behind_however_they_end() {
    const MANY: usize = 20;
    let before = pipes();
    let path = Path::new("x");
    let scripts =
        ["trap '' TERM; sleep 1000", "yes", "yes >&2", "exec >&- 2>&- <&-; sleep 1000", "setsid sleep 20 & exit"];
    for script in scripts {
        join_all((0..MANY).map(|_| run(script, path, SHORT))).await;
    }
    // Other tests of the same process have some of their own.
    let after = pipes();
    assert!(after < before + MANY, "{before} before, {after} after");
}

#[tokio::test]
async fn programs_are_exchanged_while_the_daemon_runs() {
    let channel = channel(&["false"], LONG);
    let mut presence = channel.presence();
    presence.mark_unchanged();
    channel.configure(Vec::new());
    let away = Report::Away { reason: "no exec:x is configured".to_owned() };
    assert_eq!(channel.deliver(&delivery("tea", "")).await, away);
    channel.configure(vec![Settings {
        name: "x".to_owned(),
        command: vec!["true".to_owned()],
        directory: PathBuf::new(),
        timeout: LONG,
    }]);
    assert!(presence.has_changed().unwrap(), "what waits is tried");
    assert_eq!(channel.deliver(&delivery("tea", "")).await, Report::DELIVERED);
}

/// The plug-in that the README shows, as somebody would install it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_plug_in_that_the_readme_shows_works() {
    let readme = include_str!("../../README.md");
    let start = readme.find("#!/usr/bin/env python3").unwrap();
    let program = readme[start..].split("```").next().unwrap();
    let home = Home::new();
    let write = |name: &str, text: &str| fs::write(home.path(name), text).unwrap();
    write("diary.py", program);
    write(
        "config.toml",
        "[exec.diary]\ncommand = ['python3', 'diary.py']\n[exec.env]\ncommand = ['sh', './env.sh', 'x y']\n",
    );
    write("env.sh", "env > env.txt; echo \"$1\" >> env.txt\n");
    let mut command = home.daemon();
    command.env("KEIKO_CONFIG", home.path("config.toml")).env("MY_TOKEN", "hunter2").env("LC_TIME", "C");
    let _daemon = Daemon::start(command);
    let mut connection = home.connect();
    let add = |text: &str, via: &str| json!({"text": text, "channels": [via]});
    connection.call("task.add", add("water the plants in 10 seconds", "exec:diary"));
    connection.call("task.add", add("look around in 10 seconds", "exec:env"));
    connection.call("clock.advance", json!({"to": "2026-05-13T12:00:20-04:00"}));
    let history = connection.call("task.history", json!({"task": 1}));
    assert_eq!(history["deliveries"][0]["status"], "delivered", "{history}");
    let diary = home.path("reminders.txt");
    assert_eq!(fs::read_to_string(&diary).unwrap(), "2026-05-13T16:00:10Z water the plants\n");
    let env = fs::read_to_string(home.path("env.txt")).unwrap();
    assert!(env.contains("LC_TIME=C") && env.contains("KEIKO_TASK=2") && env.ends_with("x y\n"), "{env}");
    assert!(!env.contains("hunter2"), "{env}");

    fs::remove_file(&diary).unwrap();
    fs::create_dir(&diary).unwrap();
    connection.call("task.add", add("water them again in 10 seconds", "exec:diary"));
    connection.call("clock.advance", json!({"to": "2026-05-13T12:00:40-04:00"}));
    let history = connection.call("task.history", json!({"task": 3}));
    let delivery = &history["deliveries"][0];
    assert_eq!(delivery["status"], "retrying", "{history}");
    assert!(
        delivery["last_error"].as_str().unwrap().starts_with("exec:diary failed: [Errno 21] Is a directory"),
        "{history}"
    );
}
