//! Tasks that run commands: what is typed of them, and what is told.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::cli::Home;

/// Waits until so many events of a kind are there.
fn await_events(home: &Home, operation: &str, count: usize) {
    let mut events = home.command("keiko");
    let mut events = events.args(["events", "--follow", "--json"]).stdout(Stdio::piped()).spawn().expect("it is built");
    let lines = BufReader::new(events.stdout.take().expect("its output is a pipe")).lines();
    let is_meant = |line: &String| line.contains(&format!("\"operation\":\"{operation}\""));
    assert_eq!(lines.map_while(Result::ok).filter(is_meant).take(count).count(), count, "{operation}");
    events.kill().expect("it follows still");
    events.wait().expect("a child that ends");
}

#[test]
fn a_command_stands_behind_two_dashes_and_is_shown_as_it_can_be_typed() {
    let home = Home::with_daemon();
    insta::assert_snapshot!(home.transcript(&[
        "add backup --at 'tomorrow 3am' -- tar czf 'my home.tgz' .",
        "add --in 1h --run -- bash -c 'sleep 0.1 && echo \"a  b\"'",
        "add every night at 3am --sh 'make && echo built' --timeout 2h --overlap queue --nice 5 --limit memory=512M,cpu=10m,processes=50,files=64",
        "add 'pay rent' --in 2h --alert 1h -- true",
        "show 1",
        "show 3",
        "list",
    ]), @r#"
    $ keiko add backup --at 'tomorrow 3am' -- tar czf 'my home.tgz' .
    added 1  backup  Thu 14 May 2026 03:00 EDT (in 11h)
      runs tar czf 'my home.tgz' .
    $ keiko add --in 1h --run -- bash -c 'sleep 0.1 && echo "a  b"'
    added 2  bash -c 'sleep 0.1 && echo "a b"'  Wed 13 May 2026 17:00 EDT (in 1h)
      runs bash -c 'sleep 0.1 && echo "a  b"'
    $ keiko add every night at 3am --sh 'make && echo built' --timeout 2h --overlap queue --nice 5 --limit memory=512M,cpu=10m,processes=50,files=64
    added 3  make && echo built  Thu 14 May 2026 03:00 EDT (in 11h)
      repeats Thu 14 May 03:00, Fri 15 May 03:00, Sat 16 May 03:00
    $ keiko add 'pay rent' --in 2h --alert 1h -- true
    added 4  pay rent  Wed 13 May 2026 18:00 EDT (in 2h)
      speaks first Wed 13 May 2026 17:00 EDT (in 1h)
      runs true
    $ keiko show 1
    1  backup
      stage     scheduled
      due       Thu 14 May 2026 03:00 EDT (in 11h)
      runs      tar czf 'my home.tgz' .
      in        [home]
      keeps     HOME, PATH, TZ
      via       desktop
      added     Wed 13 May 2026 16:00 EDT (now)
      id        [id]
    $ keiko show 3
    3  make && echo built
      stage     scheduled
      due       Thu 14 May 2026 03:00 EDT (in 11h)
      repeats   every night at 3am
      next      Thu 14 May 2026 03:00 EDT (in 11h)
                Fri 15 May 2026 03:00 EDT (in 1d 11h)
                Sat 16 May 2026 03:00 EDT (in 2d 11h)
      runs      make && echo built
      in        [home]
      keeps     HOME, PATH, TZ
      within    2h, 512M of memory, 10m of processor, 50 processes, 64 open files, nice 5
      overlap   a time at which it still runs waits for its turn
      via       desktop
      added     Wed 13 May 2026 16:00 EDT (now)
      id        [id]
    $ keiko list
    #  WHEN                    STAGE      TITLE
    2  today    17:00  in 1h   scheduled  bash -c 'sleep 0.1 && echo "a b"'
    4  today    18:00  in 2h   scheduled  pay rent
    1  tomorrow 03:00  in 11h  scheduled  backup
    3  tomorrow 03:00  in 11h  scheduled  make && echo built (repeats)
    "#);
}

#[test]
fn what_makes_no_sense_with_a_command_is_refused() {
    let home = Home::with_daemon();
    insta::assert_snapshot!(home.transcript(&[
        "add x --in 1h --nag 10m -- true",
        "add x --in 1h --auto-done -- true",
        "add x --in 1h --missed all",
        "add x --in 1h --timeout 5m",
        "add x --in 1h --run",
        "add x --in 1h --sh a -- b",
        "add x --in 1h --limit disk=1G -- true",
        "add x --in 1h --limit memory=much -- true",
        "add x --in 1h --env KEIKO_TEST_UNSET -- true",
        "add x --in 1h --nice 20 -- true",
        "add x --in 1h --overlap kill -- true",
        "list --all",
    ]), @r#"
    $ keiko add x --in 1h --nag 10m -- true
    ! error: cannot nag about a command: nobody is asked to do it
    ! hint: leave out --nag; you are told where it fails, and --retries has it tried again
    [exit 2]
    $ keiko add x --in 1h --auto-done -- true
    ! error: cannot use auto_done with a command: it is done when its command succeeded
    ! hint: leave out --auto-done
    [exit 2]
    $ keiko add x --in 1h --missed all
    ! error: cannot use missed "all" without a command: expected once or skip
    ! hint: a reminder that was missed several times rings once
    [exit 2]
    $ keiko add x --in 1h --timeout 5m
    ! error: cannot use options of a command without one
    ! hint: say what is run behind --, such as: keiko add backup every night at 3am -- tar czf home.tgz .
    [exit 2]
    $ keiko add x --in 1h --run
    ! error: the following required arguments were not provided: <COMMAND>...
    ! hint: such as keiko add pay rent tomorrow 3pm; keiko add --help says more
    [exit 2]
    $ keiko add x --in 1h --sh a -- b
    ! error: the argument '--sh <TEXT>' cannot be used with '[COMMAND]...'
    ! hint: run keiko add --help to see how it is used
    [exit 2]
    $ keiko add x --in 1h --limit disk=1G -- true
    ! error: cannot read limit "disk=1G": expected memory, cpu, processes or files, with = and how much
    ! hint: such as: --limit memory=512M,cpu=10m,processes=50,files=64
    [exit 2]
    $ keiko add x --in 1h --limit memory=much -- true
    ! error: cannot read "much" as a size of memory: expected a number of bytes, such as 512M or 2G
    ! hint: keiko help tells what each command takes
    [exit 2]
    $ keiko add x --in 1h --env KEIKO_TEST_UNSET -- true
    ! error: cannot keep variable KEIKO_TEST_UNSET: it is not set here, or not UTF-8
    ! hint: set it for the command with --env KEIKO_TEST_UNSET=VALUE
    [exit 2]
    $ keiko add x --in 1h --nice 20 -- true
    ! error: invalid value '20' for '--nice <N>': expected 0 to 19: a command can give way to others, and nothing else
    ! hint: run keiko add --help to see how it is used
    [exit 2]
    $ keiko add x --in 1h --overlap kill -- true
    ! error: cannot use overlap "kill": expected skip, queue or allow
    ! hint: keiko help tells what each command takes
    [exit 2]
    $ keiko list --all
    no tasks
    "#);
}

#[test]
fn what_cannot_be_meant_of_a_command_is_refused() {
    let home = Home::with_daemon();
    insta::assert_snapshot!(home.transcript(&[
        "add x --in 1h --nice=-1 -- true",
        "add x --in 1h --limit memory=1 -- true",
        "add x --in 1h --dir nowhere -- true",
        "add x --in 1h --env '=a' -- true",
        "add x --in 1h --timeout 99999999999d -- true",
        "add x --in 1h --",
        "edit 1 --",
        "rpc task.run '[]'",
        "list --all",
    ]), @r#"
    $ keiko add x --in 1h --nice=-1 -- true
    ! error: invalid value '-1' for '--nice <N>': expected 0 to 19: a command can give way to others, and nothing else
    ! hint: run keiko add --help to see how it is used
    [exit 2]
    $ keiko add x --in 1h --limit memory=1 -- true
    ! error: cannot limit memory to 1 bytes: no program starts with less than 4M
    ! hint: a number alone counts bytes: memory=512M is half a gigabyte
    [exit 2]
    $ keiko add x --in 1h --dir nowhere -- true
    ! error: cannot run the command in nowhere: there is no such directory
    ! hint: make it first, or let the command go there itself: --sh 'cd DIR && …'
    [exit 2]
    $ keiko add x --in 1h --env '=a' -- true
    ! error: cannot set variable "": expected a name without line breaks or the like
    ! hint: such as: --env TOKEN, or --env GREETING=hello
    [exit 2]
    $ keiko add x --in 1h --timeout 99999999999d -- true
    ! error: cannot use "99999999999d" as a length of time: it is longer than Keiko counts
    ! hint: say how long, such as 10m or 2h
    [exit 3]
    $ keiko add x --in 1h --
    ! error: cannot run nothing: expected a command behind --
    ! hint: leave -- out for a reminder, or name a program behind it
    [exit 2]
    $ keiko edit 1 --
    ! error: cannot edit task 1: nothing to change was given
    ! hint: say what is to change, such as: keiko edit 1 tomorrow 4pm
    [exit 2]
    $ keiko rpc task.run '[]'
    ! error: cannot call task.run: expected an object that names its parameters, or a list with each in its order, found a list of 0
    ! hint: keiko help tells what each command takes, rpc.discover what each method takes
    [exit 2]
    $ keiko list --all
    no tasks
    "#);
}

#[test]
fn an_edit_changes_the_command_or_a_part_of_it_or_takes_it_away() {
    let home = Home::with_daemon();
    insta::assert_snapshot!(home.transcript(&[
        "add backup --in 1h --timeout 1h -- tar czf a.tgz .",
        "edit 1 --overlap allow --no-timeout",
        "edit 1 -- rsync -a . /srv",
        "show 1",
        "edit 1 --no-command",
        "show 1",
        "edit 1 --missed all",
        "edit 1 --sh 'echo again' --missed all",
    ]), @r#"
    $ keiko add backup --in 1h --timeout 1h -- tar czf a.tgz .
    added 1  backup  Wed 13 May 2026 17:00 EDT (in 1h)
      runs tar czf a.tgz .
    $ keiko edit 1 --overlap allow --no-timeout
    changed 1  backup  Wed 13 May 2026 17:00 EDT (in 1h)
      runs tar czf a.tgz .
    $ keiko edit 1 -- rsync -a . /srv
    changed 1  backup  Wed 13 May 2026 17:00 EDT (in 1h)
      runs rsync -a . /srv
    $ keiko show 1
    1  backup
      stage     scheduled
      due       Wed 13 May 2026 17:00 EDT (in 1h)
      runs      rsync -a . /srv
      in        [home]
      keeps     HOME, PATH, TZ
      overlap   it may run several times at once
      via       desktop
      added     Wed 13 May 2026 16:00 EDT (now)
      id        [id]
    $ keiko edit 1 --no-command
    changed 1  backup  Wed 13 May 2026 17:00 EDT (in 1h)
    $ keiko show 1
    1  backup
      stage     scheduled
      due       Wed 13 May 2026 17:00 EDT (in 1h)
      via       desktop
      added     Wed 13 May 2026 16:00 EDT (now)
      id        [id]
    $ keiko edit 1 --missed all
    ! error: cannot use missed "all" without a command: expected once or skip
    ! hint: a reminder that was missed several times rings once
    [exit 2]
    $ keiko edit 1 --sh 'echo again' --missed all
    changed 1  backup  Wed 13 May 2026 17:00 EDT (in 1h)
      runs echo again
    "#);
    let told = home.keiko("show 1 --json").json();
    assert_eq!(told["task"]["command"]["shell"], "echo again");
    assert_eq!((&told["task"]["alerts"], &told["task"]["missed"]), (&json!([]), &json!("all")));
}

#[test]
fn what_is_kept_of_where_it_is_typed_is_told_by_names_only() {
    let home = Home::with_daemon();
    fs::create_dir(home.path().join("work")).expect("a directory of the test's own");
    let ran = home.keiko_with("add x --in 1h --env TOKEN --env A=b=c --dir work -- true", "", |command| {
        command.env("TOKEN", "hunter2").env("LC_TIME", "C").env("DISPLAY", ":7");
    });
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let told = home.keiko("show 1 --json");
    assert!(!told.stdout.contains("hunter2"), "{told:?}");
    let command = &told.json()["task"]["command"];
    assert_eq!(command["env"], json!(["A", "HOME", "LC_TIME", "PATH", "TOKEN", "TZ"]));
    assert_eq!(command["directory"], json!(home.path().join("work")));
    for line in ["history 1 --json", "events --json", "why 1 --json", "list --json"] {
        assert!(!home.keiko(line).stdout.contains("hunter2"), "{line}");
    }
}

#[test]
fn a_script_is_read_from_standard_input_as_at_does() {
    let home = Home::with_daemon();
    let ran = home.keiko_with("add tomorrow 3pm --sh -", "cd src\nmake | tail\n", |_| {});
    assert_eq!(ran.stdout, "added 1  cd src make | tail  Thu 14 May 2026 15:00 EDT (in 23h)\n  runs cd src …\n");
    assert_eq!(home.keiko("show 1 --json").json()["task"]["command"]["shell"], "cd src\nmake | tail\n");
    let refused = home.keiko("add - --sh 'echo x'");
    assert_eq!(refused.code, Some(2), "{refused:?}");
}

/// B14 of the faults.
#[test]
fn arguments_keep_their_quotes_and_no_shell_joins_them() {
    let home = Home::with_daemon();
    let added = home.keiko("add t --in 1s --run -- bash -c 'sleep 0.1 && echo \"a  b\"'");
    assert_eq!(added.code, Some(0), "{added:?}");
    home.advance("2026-05-13T16:00:02-04:00");
    let waited = home.keiko("wait 1 --for done");
    assert_eq!(waited.code, Some(0), "{waited:?}");
    let output = home.keiko("show 1 --output");
    assert_eq!((output.stdout.as_str(), output.code), ("a  b\n", Some(0)), "{output:?}");
    let shown = home.keiko("show 1");
    assert!(shown.stdout.contains("  runs      bash -c 'sleep 0.1 && echo \"a  b\"'\n"), "{shown:?}");
    assert!(shown.stdout.contains("  latest    exit status 0, Wed 13 May 2026"), "{shown:?}");
}

#[test]
fn keiko_run_tries_a_command_now_and_says_how_it_went() {
    let home = Home::with_daemon();
    home.keiko("add fails --at 'tomorrow 3am' --sh 'echo out; echo err >&2; pwd; exit 3'");
    home.keiko("add works --at 'tomorrow 3am' --env GREETING=hello -- sh -c 'printf \"%s $KEIKO_TASK\" \"$GREETING\"'");
    home.keiko("add reminder --at 'tomorrow 3am'");
    let failed = home.keiko("run 1");
    // Of two pipes nobody can tell which was written first.
    let mut said: Vec<&str> = failed.stdout.lines().collect();
    said.sort_unstable();
    assert_eq!(said, [&home.path().display().to_string(), "err", "out"], "{failed:?}");
    assert!(failed.stderr.starts_with("exit status 3"), "{failed:?}");
    assert_eq!(failed.code, Some(1));
    let worked = home.keiko("run works");
    assert_eq!((worked.stdout.as_str(), worked.code), ("hello 2", Some(0)), "{worked:?}");
    let told = home.keiko("run works --json").json();
    assert_eq!((&told["text"], &told["run"]["end"]["how"]), (&json!("hello 2"), &json!("exit")));
    let refused = home.keiko("run 3");
    assert_eq!(refused.code, Some(5), "{refused:?}");
    // No state has changed, and no time.
    let task = home.keiko("show 1 --json").json();
    assert_eq!((&task["task"]["stage"], &task["task"]["attempts"]), (&json!("scheduled"), &json!(0)));
    assert_eq!(task["runs"][0]["attempt"], 0);
    let missing = home.keiko("show 1 --output --attempt 1");
    assert_eq!(missing.code, Some(4), "{missing:?}");
}

/// Starts `keiko run` with its outputs in pipes.
fn start_run(home: &Home, task: &str) -> Child {
    let mut command = home.command("keiko");
    command.args(["run", task]).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("keiko is built")
}

fn gate(home: &Home, name: &str) -> PathBuf {
    let path = home.path().join(name);
    assert!(std::process::Command::new("mkfifo").arg(&path).status().expect("coreutils are there").success());
    path
}

#[test]
fn what_a_command_says_is_shown_as_it_says_it() {
    let home = Home::with_daemon();
    // One each: who opens a pipe again before the first writer has closed it reads that one's end.
    let (first, second) = (gate(&home, "first"), gate(&home, "second"));
    home.keiko(
        "add x --at 'tomorrow 3am' --sh 'echo first; printf sec; read x < first; echo ond; read x < second; exit 3'",
    );
    let mut child = start_run(&home, "1");
    let mut output = child.stdout.take().expect("its output is a pipe");
    let mut said = [0; 9];
    output.read_exact(&mut said).expect("what it said");
    assert_eq!(&said, b"first\nsec", "before it goes on");
    fs::write(&first, "go\n").expect("the command waits for it");
    let mut said = [0; 4];
    output.read_exact(&mut said).expect("what it said");
    assert_eq!(&said, b"ond\n");
    fs::write(&second, "go\n").expect("the command waits for it");
    let ended = child.wait_with_output().expect("a child that ends");
    assert_eq!(ended.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&ended.stderr).starts_with("exit status 3"), "{ended:?}");
    // Programs get it whole.
    home.keiko("edit 1 --sh 'echo one; echo two'");
    assert_eq!(home.keiko("run 1 --json").json()["text"], "one\ntwo\n");
}

#[test]
fn of_a_flood_what_is_not_kept_is_counted_and_its_end_comes() {
    let home = Home::with_daemon();
    home.keiko("add x --at 'tomorrow 3am' --sh 'yes 0123456 | head -n 100000; echo end'");
    let ran = home.keiko("run 1");
    assert!(ran.stdout.ends_with("0123456\nend\n"), "{}", ran.stdout.len());
    let lost =
        |line: &str| line.strip_suffix(" bytes here were not kept").and_then(|count| count.parse::<usize>().ok());
    let lost: usize = ran.stderr.lines().filter_map(lost).sum();
    assert_eq!(ran.stdout.len() + lost, 800_004, "{}", ran.stderr);
}

#[test]
fn an_interrupt_ends_keiko_run_as_a_shell_knows_it_and_the_command_runs_on() {
    let home = Home::with_daemon();
    let gate = gate(&home, "gate");
    home.keiko("add x --at 'tomorrow 3am' --sh 'echo begun; read x < gate; echo went on'");
    let mut child = start_run(&home, "1");
    let mut said = [0; 6];
    child.stdout.as_mut().expect("its output is a pipe").read_exact(&mut said).expect("what it said");
    signal(&child, Signal::INT);
    let ended = child.wait_with_output().expect("a child that ends");
    assert_eq!(ended.status.signal(), Some(2), "130 to a shell: {ended:?}");
    let told = String::from_utf8_lossy(&ended.stderr);
    assert!(told.contains("the command runs on: keiko show 1 --output shows what it says"), "{told}");
    fs::write(&gate, "go\n").expect("the command waits for it");
    await_events(&home, "run_ended", 1);
    assert_eq!(home.keiko("show 1 --output").stdout, "begun\nwent on\n");
}

#[test]
fn an_interrupt_ends_what_waits_and_follows_and_changes_nothing() {
    let home = Home::with_daemon();
    home.keiko("add tea --in 1h");
    for words in [&["wait", "1"][..], &["events", "--follow"], &["watch"]] {
        let mut command = home.command("keiko");
        command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("keiko is built");
        // By then it waits: the daemon says so.
        if words[0] == "events" {
            let mut first = String::new();
            let output = child.stdout.as_mut().expect("its output is a pipe");
            BufReader::new(output).read_line(&mut first).expect("what happened before");
        }
        signal(&child, Signal::INT);
        let ended = child.wait_with_output().expect("a child that ends");
        assert_eq!(ended.status.signal(), Some(2), "130 to a shell: {words:?} {ended:?}");
    }
    assert_eq!(home.keiko("show 1 --json").json()["task"]["stage"], "scheduled");
}

fn signal(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(child.id().try_into().expect("a number of a process")).expect("a process");
    kill_process(pid, signal).expect("a child that runs");
}

#[test]
fn output_that_is_no_text_comes_as_it_is_into_a_pipe() {
    let home = Home::with_daemon();
    home.keiko("add x --at 'tomorrow 3am' --sh 'printf \"a\\377b\\033[31m\"'");
    assert_eq!(home.keiko("run 1 --json").json()["text"], "a\u{fffd}b\u{1b}[31m");
    let mut command = home.command("keiko");
    let output = command.args(["show", "1", "--output"]).output().expect("keiko is built");
    assert_eq!(output.stdout, b"a\xffb\x1b[31m");
}

#[test]
fn what_failed_is_told_with_its_attempts_and_asks_for_attention() {
    let home = Home::with_daemon();
    home.keiko("add backup --in 1m --retries 1 --sh 'echo $KEIKO_ATTEMPT; exit 3'");
    home.advance("2026-05-13T16:01:00-04:00");
    await_events(&home, "run_ended", 1);
    home.advance("2026-05-13T16:02:00-04:00");
    let ended = home.keiko("wait 1 --for done");
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let task = home.keiko("show 1 --json").json();
    assert_eq!(
        (&task["task"]["stage"], &task["task"]["attempts"], &task["task"]["last_error"], &task["task"]["max_retries"]),
        (&json!("failed"), &json!(2), &json!("exit status 3"), &json!(1)),
    );
    let attention = home.keiko("list --attention --json").json();
    assert_eq!(
        (&attention["tasks"][0]["number"], &attention["tasks"][0]["last_error"]),
        (&json!(1), &json!("exit status 3"))
    );
    assert_eq!(home.keiko("show 1 --output --attempt 1").stdout, "1\n");
    assert_eq!(home.keiko("show 1 --output").stdout, "2\n");
}

#[test]
fn a_command_that_runs_is_told_with_its_progress_and_is_not_due() {
    let home = Home::with_daemon();
    let fifo = home.path().join("go");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status().expect("coreutils are there");
    assert!(made.success());
    home.keiko("add backup --in 1m -- sh -c 'echo ::progress 40 copying; read line < go; echo $line'");
    home.keiko("rpc clock.advance '{\"to\":\"2026-05-13T16:01:00-04:00\"}'");
    await_events(&home, "progressed", 1);
    let list = home.keiko("list");
    assert!(list.stdout.contains("running 40 %"), "{list:?}");
    let screen = home.keiko("");
    assert!(screen.stdout.contains("running\n") && !screen.stdout.contains("due\n  1"), "{screen:?}");
    let live = home.keiko("show 1 --output --json").json();
    assert_eq!(live["live"], true, "{live}");
    let refused = home.keiko("edit 1 --no-command");
    assert_eq!(refused.code, Some(5), "{refused:?}");
    let again = home.keiko("run 1");
    assert_eq!(again.code, Some(5), "{again:?}");
    fs::write(&fifo, "went\n").expect("the command reads it");
    assert_eq!(home.keiko("wait 1 --for done").code, Some(0));
    assert!(home.keiko("show 1 --output").stdout.ends_with("went\n"));
}

#[test]
fn what_becomes_of_a_command_that_runs_is_said() {
    let home = Home::with_daemon();
    for title in ["paused", "done", "skipped", "cancelled", "deleted"] {
        home.keiko(&format!("add {title} --every '2 hours' --sh 'sleep 60'"));
    }
    home.keiko("rpc clock.advance '{\"to\":\"2026-05-13T18:00:00-04:00\"}'");
    await_events(&home, "run_started", 5);
    let check = |line: &str, told: &[&str]| {
        let ran = home.keiko(line);
        assert!(ran.stdout.lines().any(|line| told.iter().any(|told| line.starts_with(told))), "{line}: {ran:?}");
    };
    // One that heeds it has ended by then, maybe.
    let is_ended = ["  its command is being ended (process ", "  its command was ended"];
    check("pause paused", &["  its command runs on (process "]);
    check("done done", &is_ended);
    check("skip skipped", &is_ended);
    check("cancel cancelled --all", &is_ended);
    check("delete deleted", &is_ended);
    check("cancel paused --all", &is_ended);
    await_events(&home, "run_ended", 5);
}

#[test]
fn what_a_command_pings_is_shown_and_changed() {
    let home = Home::with_daemon();
    insta::assert_snapshot!(home.transcript(&[
        "add backup --in 1h --ping https://hc.example/hunter2 -- true",
        "show 1",
        "edit 1 --ping https://me:hunter2@other.example/hunter2",
        "show 1",
        "edit 1 --no-ping",
        "show 1",
        "add tea --in 1h --ping https://hc.example/hunter2",
    ]), @"
    $ keiko add backup --in 1h --ping https://hc.example/hunter2 -- true
    added 1  backup  Wed 13 May 2026 17:00 EDT (in 1h)
      runs true
    $ keiko show 1
    1  backup
      stage     scheduled
      due       Wed 13 May 2026 17:00 EDT (in 1h)
      runs      true
      in        [home]
      keeps     HOME, PATH, TZ
      pings     https://hc.example/…
      via       desktop
      added     Wed 13 May 2026 16:00 EDT (now)
      id        [id]
    $ keiko edit 1 --ping https://me:hunter2@other.example/hunter2
    changed 1  backup  Wed 13 May 2026 17:00 EDT (in 1h)
      runs true
    $ keiko show 1
    1  backup
      stage     scheduled
      due       Wed 13 May 2026 17:00 EDT (in 1h)
      runs      true
      in        [home]
      keeps     HOME, PATH, TZ
      pings     https://other.example/…
      via       desktop
      added     Wed 13 May 2026 16:00 EDT (now)
      id        [id]
    $ keiko edit 1 --no-ping
    changed 1  backup  Wed 13 May 2026 17:00 EDT (in 1h)
      runs true
    $ keiko show 1
    1  backup
      stage     scheduled
      due       Wed 13 May 2026 17:00 EDT (in 1h)
      runs      true
      in        [home]
      keeps     HOME, PATH, TZ
      via       desktop
      added     Wed 13 May 2026 16:00 EDT (now)
      id        [id]
    $ keiko add tea --in 1h --ping https://hc.example/hunter2
    ! error: cannot ping for a task without a command: nothing of it starts or ends by itself
    ! hint: give it a command, or leave the ping out
    [exit 2]
    ");
}

#[test]
fn a_failure_is_told_once_with_its_attempt_and_exit_status() {
    let home = Home::with_daemon();
    home.keiko("add backup --in 1m --retries 1 --sh 'exit 3'");
    home.advance("2026-05-13T16:01:00-04:00");
    await_events(&home, "run_ended", 1);
    home.advance("2026-05-13T16:02:00-04:00");
    home.keiko("wait 1 --for done");
    // The back-off is drawn, in bounds.
    let told = home.transcript(&["why 1", "history 1"]);
    let told = ["4", "5", "6"].iter().fold(told, |told, second| told.replace(&format!("16:01:0{second}"), "16:01:0x"));
    insta::assert_snapshot!(told, @r#"
    $ keiko why 1
    1  backup
    Wed 13 May 16:00     added by you, for "in 1m": due 16:01; its command runs then
    Wed 13 May 16:01     came due: its command runs
                         its command was started
                         its command failed: exit status 3
                         to be tried again at 16:01:0x
    Wed 13 May 16:01:0x  came due: its command is tried again
                         its command was started, attempt 2
                         its command failed: exit status 3
                         ended as failed
    Wed 13 May 16:02     now: ended as failed, at 16:01:0x
                         next: nothing comes by itself
    $ keiko history 1
    1  backup
    WHEN                 WHAT         STAGE
    Wed 13 May 16:00     added        → created
    Wed 13 May 16:00     armed        created → scheduled
    Wed 13 May 16:01     started      scheduled → running  its command runs, by the clock
    Wed 13 May 16:01     run started                       attempt 1, by the daemon
    Wed 13 May 16:01     run ended                         attempt 1, exit status 3, by the daemon
    Wed 13 May 16:01     failed       running → failed     its command failed, by the daemon
    Wed 13 May 16:01     retried      failed → scheduled   by the daemon
    Wed 13 May 16:01:0x  started      scheduled → running  its command is tried again, by the clock
    Wed 13 May 16:01:0x  run started                       attempt 2, by the daemon
    Wed 13 May 16:01:0x  run ended                         attempt 2, exit status 3, by the daemon
    Wed 13 May 16:01:0x  failed       running → failed     its command failed, by the daemon
    Wed 13 May 16:01:0x  cancelled    failed → cancelled   retries_exhausted, by the daemon

    sent
    WHEN                 TO       STATUS
    Wed 13 May 16:01:0x  desktop  waiting  no session bus: DBUS_SESSION_BUS_ADDRESS is not set, and cannot connect to [home]/run/bus: No such file or directory (os error 2)
    "#);
}

#[test]
fn what_has_ended_is_found_by_its_title_where_it_can_be_run_or_tried_anew() {
    let home = Home::with_daemon();
    home.keiko("add backup --in 1m --sh 'exit 3'");
    home.advance("2026-05-13T16:01:00-04:00");
    home.keiko("wait 1 --for done");
    insta::assert_snapshot!(home.transcript(&["done backup", "cancel backup", "run backup", "run nothing"]), @r#"
    $ keiko done backup
    ! error: cannot find an open task named "backup": 1 backup has ended
    ! hint: keiko why 1 tells how it ended; what has ended is named by its number
    [exit 4]
    $ keiko cancel backup
    ! error: cannot find an open task named "backup": 1 backup has ended
    ! hint: keiko why 1 tells how it ended; what has ended is named by its number
    [exit 4]
    $ keiko run backup
    ! exit status 3, took less than a second
    [exit 1]
    $ keiko run nothing
    ! error: cannot find a task named "nothing"
    ! hint: keiko list shows the open tasks, keiko list --all those that have ended too
    [exit 4]
    "#);
    let retried = home.keiko("retry backup");
    assert!(retried.stdout.starts_with("tried again 1  backup"), "{retried:?}");
}

#[test]
fn what_cannot_be_kept_as_a_command_is_refused_with_what_to_do() {
    let home = Home::with_daemon();
    let long = "x".repeat(1_100_000);
    let refused = |arguments: &[&str], input: &str| {
        let ran = home.keiko_with("add x --in 1h", input, |command| {
            command.args(arguments);
        });
        assert_eq!(ran.code, Some(2), "{ran:?}");
        ran.stderr
    };
    let many: Vec<&str> = ["--", "echo"].into_iter().chain(std::iter::repeat_n(&long[..100_000], 11)).collect();
    insta::assert_snapshot!(refused(&many, ""), @"
    error: cannot keep the command: it has 1100016 bytes, expected 65536 at most
    hint: put it into a script, or what it works on into a file, and run that
    ");
    insta::assert_snapshot!(refused(&["--sh", "-"], "#!/usr/bin/env python3\nprint()\n"), @"
    error: cannot run the script with sh: its first line asks for /usr/bin/env python3
    hint: put it into a file that may be executed, and run that behind --
    ");
    insta::assert_snapshot!(refused(&["--env", "A\nB=c", "--", "true"], ""), @r#"
    error: cannot set variable "A\nB": expected a name without line breaks or the like
    hint: such as: --env TOKEN, or --env GREETING=hello
    "#);
    let ran = home.keiko_with("add tomorrow 3pm --sh -", "#!/bin/bash\nx=(a b); echo ${x[1]}\n", |_| {});
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(home.keiko("run 1").stdout, "b\n");
    let long = home.keiko("add x --in 1h --timeout 10x -- true");
    assert!(long.stderr.contains("cannot use \"10x\" as a length of time: expected a number with a unit"), "{long:?}");
    home.keiko("add lost --at 'tomorrow 3pm' -- no-such-tool");
    let lost = home.keiko("run lost");
    assert!(lost.stderr.contains("hint: keiko edit 2 changes what is run (-- COMMAND), where (--dir)"), "{lost:?}");
}
