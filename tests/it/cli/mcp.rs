//! `keiko mcp`, driven as an assistant's program does it: lines of JSON on the real program's standard input and output.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::cli::Home;

/// An assistant.
struct Assistant {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

impl Assistant {
    /// Starts the server, and says nothing yet.
    fn silent(home: &Home) -> Self {
        let mut command = home.command("keiko");
        command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("keiko is built");
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("it was asked for"));
        Self { child, input, output: BufReader::new(output), last_id: 0 }
    }

    /// Starts the server and introduces itself.
    fn start(home: &Home) -> Self {
        let mut assistant = Self::silent(home);
        let hello = assistant.introduce();
        assert_eq!(hello["serverInfo"]["name"], "keiko", "{hello}");
        assert!(hello["capabilities"]["tools"].is_object(), "{hello}");
        assistant
    }

    fn introduce(&mut self) -> Value {
        let client = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let hello = self.ask("initialize", params)["result"].take();
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        hello
    }

    fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("it is open");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("the server reads");
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a pipe can be read");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in {line:?}"))
    }

    #[expect(clippy::needless_pass_by_value, reason = "reads best with json! in its place")]
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params }).to_string());
        let answer = self.receive();
        assert_eq!(answer["id"], self.last_id, "{answer}");
        answer
    }

    #[expect(clippy::needless_pass_by_value, reason = "reads best with json! in its place")]
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].take()
    }

    /// Returns what a tool says, with `!` before an error.
    fn told(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        let text = result["content"][0]["text"].as_str().expect("a text").to_owned();
        if result["isError"] == true { format!("! {text}\n") } else { format!("{text}\n") }
    }

    /// Ends the input, and returns what else was said: on standard output, on standard error, and how it ended.
    fn end(mut self) -> (String, String, Option<i32>) {
        drop(self.input.take());
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.output, &mut rest).expect("a pipe can be read");
        let output = self.child.wait_with_output().expect("it ends with its input");
        (rest, String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
    }
}

#[test]
fn an_assistant_finds_the_tools_with_what_they_take_and_do() {
    let home = Home::empty();
    let mut assistant = Assistant::start(&home);
    let answer = assistant.ask("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().expect("tools").clone();
    let line = |tool: &Value| {
        let hints = &tool["annotations"];
        format!(
            "{}: {} | reads {} destroys {} idempotent {}\n",
            tool["name"].as_str().unwrap_or_default(),
            tool["inputSchema"]["properties"]
                .as_object()
                .map(|all| all.keys().cloned().collect::<Vec<_>>().join(" "))
                .unwrap_or_default(),
            hints["readOnlyHint"],
            hints["destructiveHint"],
            hints["idempotentHint"],
        )
    };
    assert_snapshot!(tools.iter().map(line).collect::<String>(), @"
    add: alerts at deadline every key link nag note priority tags text title | reads false destroys false idempotent false
    list: all attention due limit stages tags text | reads true destroys false idempotent true
    done: early task | reads false destroys false idempotent true
    snooze: early for task until | reads false destroys false idempotent false
    agenda: limit range | reads true destroys false idempotent true
    parse: text | reads true destroys false idempotent true
    why: since task | reads true destroys false idempotent true
    undo: op | reads false destroys false idempotent false
    ");
    assert_eq!(home.keiko("daemon status").code, Some(6), "nothing was asked of the daemon, so none was started");
    assert_eq!(assistant.end(), (String::new(), String::new(), Some(0)));
}

#[test]
fn each_tool_does_what_its_command_does() {
    let home = Home::with_daemon();
    let mut assistant = Assistant::start(&home);
    let mut told =
        assistant.told("add", json!({ "text": "pay rent tomorrow 3pm", "tags": ["home"], "priority": "high" }));
    told += &assistant.told("add", json!({ "title": "tea at 5", "at": "in 10 minutes" }));
    told += &assistant.told("add", json!({ "title": "meds", "every": "day at 9am", "nag": "10m", "key": "k1" }));
    told += &assistant.told("add", json!({ "title": "meds", "every": "day at 9am", "nag": "10m", "key": "k1" }));
    told += &assistant.told("list", json!({}));
    told += &assistant.told("list", json!({ "limit": 1 }));
    told += &assistant.told("list", json!({ "tags": ["nothing"] }));
    told += &assistant.told("agenda", json!({ "range": "tomorrow" }));
    told += &assistant.told("parse", json!({ "text": "明天下午三点交房租" }));
    home.advance("2026-05-13T16:10:00-04:00");
    told += &assistant.told("snooze", json!({ "task": 2, "for": "15m" }));
    told += &assistant.told("done", json!({ "task": "pay rent" }));
    told += &assistant.told("done", json!({ "task": 1 }));
    told += &assistant.told("undo", json!({}));
    told += &assistant.told("why", json!({ "task": 2 }));
    let lines = told.lines().filter(|line| !line.starts_with("warning: nobody can be reached"));
    let told = lines.collect::<Vec<_>>().join("\n");
    assert_snapshot!(told.replace(&home.path().display().to_string(), "[home]"), @r#"
    added 1  ! pay rent +home  Thu 14 May 2026 15:00 EDT (in 23h)
    added 2  tea at 5  Wed 13 May 2026 16:10 EDT (in 10m)
    added 3  meds  Thu 14 May 2026 09:00 EDT (in 17h)
      repeats Thu 14 May 09:00, Fri 15 May 09:00, Sat 16 May 09:00
    already added 3  meds  Thu 14 May 2026 09:00 EDT (in 17h)
      repeats Thu 14 May 09:00, Fri 15 May 09:00, Sat 16 May 09:00
    #  WHEN                    STAGE      TITLE
    2  today    16:10  in 10m  scheduled  tea at 5
    3  tomorrow 09:00  in 17h  scheduled  meds (repeats)
    1  tomorrow 15:00  in 23h  scheduled  ! pay rent +home
    #  WHEN                 STAGE      TITLE
    2  today 16:10  in 10m  scheduled  tea at 5
    warning: there are 2 more than these 1: say what is true of those that are wanted, or a higher limit
    no tasks
    Thu 14 May  tomorrow
      3        09:00  meds
      3  09:10-12:20  meds  nag, every 10m, up to 20 times, unless answered
      1        15:00  ! pay rent +home
    title   交房租
    due     Thu 14 May 2026 15:00 EDT (in 23h)
    snoozed 2  tea at 5  until Wed 13 May 2026 16:25 EDT (in 15m)
    done 1  ! pay rent +home
    ! error: cannot complete task 1: it is already done
    hint: what has ended stays so: add it anew with keiko add
    taken back: done 1 pay rent
      1 ! pay rent +home is scheduled  Thu 14 May 2026 15:00 EDT (in 22h 50m)
    2  tea at 5
    Wed 13 May 16:00  added by you, for "in 10 minutes": due 16:10
    Wed 13 May 16:10  rang on time: the alert when due
                        desktop: not sent, it was wanted no more: no session bus: DBUS_SESSION_BUS_ADDRESS is not set, and cannot connect to [home]/run/bus: No such file or directory (os error 2)
                      you snoozed it until 16:25, for 15m
                      now: snoozed until 16:25
    Wed 13 May 16:25  next: the alert when due again, as snoozed
    "#);
    let added = assistant.call("add", json!({ "text": "call mum friday 6pm" }));
    assert_eq!(
        (&added["isError"], &added["structuredContent"]["task"]["due_at"]),
        (&json!(false), &json!("2026-05-15T18:00:00-04:00"))
    );
    let listed = assistant.call("list", json!({ "text": "mum" }));
    assert_eq!(listed["structuredContent"]["tasks"][0]["title"], "call mum");
    assert_eq!(assistant.end().2, Some(0));
}

#[test]
fn what_goes_wrong_is_told_with_what_to_do_instead() {
    let home = Home::with_daemon();
    let mut assistant = Assistant::start(&home);
    let mut told = String::new();
    for (tool, arguments) in [
        ("add", json!({})),
        ("add", json!({ "text": "call mum yesterday at 9am" })),
        ("add", json!({ "txt": "tea" })),
        ("add", json!({ "text": "tea at 5pm", "priority": "urgent" })),
        ("parse", json!({ "text": "later" })),
        ("done", json!({ "task": 99 })),
        ("done", json!({})),
        ("snooze", json!({ "task": 1.5 })),
    ] {
        told += &assistant.told(tool, arguments);
    }
    assert_snapshot!(told, @r#"
    ! error: cannot add nothing
    hint: say what and when in text, or what in title and when in at
    ! error: cannot set "yesterday at 9am": Tue 12 May 2026 09:00 has passed
    hint: say `tomorrow 09:00`
    ! error: cannot do add: unknown field `txt`, expected one of `text`, `title`, `at`, `every`, `note`, `link`, `tags`, `priority`, `alerts`, `deadline`, `nag`, `key`
    hint: the tool's inputSchema says what it takes
    ! error: cannot do add: unknown variant `urgent`, expected one of `low`, `normal`, `high`
    hint: the tool's inputSchema says what it takes
    ! error: cannot set a time by "later": it does not say when
    hint: say it with a date or a time, such as tomorrow 3pm
    ! error: cannot find a task named "99"
    hint: keiko list shows the open tasks, keiko list --all those that have ended too
    ! error: cannot do done: missing field `task`
    hint: the tool's inputSchema says what it takes
    ! error: cannot do snooze: expected a task's number or words of its title
    hint: the tool's inputSchema says what it takes
    "#);
    let refused = assistant.call("done", json!({ "task": 99 }));
    let error = &refused["structuredContent"]["error"];
    assert_eq!((&error["kind"], &error["exit"]), (&json!("not_found"), &json!(4)));
    let unknown = assistant.ask("tools/call", json!({ "name": "explode", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602);
    assert!(
        unknown["error"]["message"].as_str().is_some_and(|message| message.contains("expected one of add, list")),
        "{unknown}"
    );
    assert_eq!(assistant.ask("resources/list", json!({}))["error"]["code"], -32601);
    assert_eq!(assistant.end().2, Some(0));
}

#[test]
fn garbage_is_passed_over_and_a_daemon_that_was_restarted_is_found() {
    let mut home = Home::with_daemon();
    let mut assistant = Assistant::start(&home);
    for line in ["", "garbage", "{", "[1, 2", "\u{0}\u{1b}[31m"] {
        assistant.send(line);
    }
    assert_eq!(assistant.told("add", json!({ "text": "tea in 10 minutes" })).split_whitespace().next(), Some("added"));
    // What is JSON and no message is answered, as the protocol says.
    assistant.send("[1, 2]");
    assert_eq!(assistant.receive()["error"]["code"], -32600);
    home.kill();
    let _home = home.start();
    assert!(assistant.told("list", json!({})).contains("tea"));
    let (rest, said, code) = assistant.end();
    assert_eq!((rest.as_str(), code), ("", Some(0)), "{said}");
}

#[test]
fn it_starts_the_daemon_as_any_command_does_and_ends_with_its_input() {
    let home = Home::empty();
    let mut assistant = Assistant::start(&home);
    assert!(assistant.told("list", json!({})).contains("no task"));
    let (rest, said, code) = assistant.end();
    assert_eq!((rest.as_str(), said.as_str(), code), ("", "started keikod\n", Some(0)));
    // One that says nothing at all ends as quietly.
    assert_eq!(Assistant::silent(&home).end(), (String::new(), String::new(), Some(0)));
}
