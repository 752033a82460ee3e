//! Commands as they are run: what they get, what of theirs is kept, and how each comes to an end.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use keiko::domain::run::{Limits, Line, OUTPUT_BYTES_MAX, Program, Progress, RunEnd, RunReport};
use keiko::domain::time::Span;
use keiko::runner::Runner as _;

use crate::support::office::{Office, program};
use crate::support::soon;

fn with_timeout(program: Program) -> Program {
    Program { timeout: Some(Span::from_millis(200)), ..program }
}

#[tokio::test]
async fn b14_arguments_reach_a_program_as_they_were_typed() {
    let mut office = Office::new();
    let id = office.program(
        1,
        program(&["bash", "-c", "true && echo \"a  b\"; printf '<%s>' \"$0\" \"$@\"", "x  y", "", "$HOME *", "家\n"]),
    );
    let (before, end, output) = office.end_of(id).await;
    assert!(matches!(before[..], [RunReport::Started { process }] if process.pid > 1 && process.started > 0));
    assert_eq!((end, output.dropped), (RunEnd::Exit(0), 0));
    assert_eq!(String::from_utf8(output.tail).unwrap(), "a  b\n<x  y><><$HOME *><家\n>");
}

#[tokio::test]
async fn the_shell_form_is_for_a_shell() {
    let mut office = Office::new();
    let id =
        office.program(1, Program { line: Line::Shell("echo $((6*7)) | tr 4 5; exit 3".into()), ..program(&["x"]) });
    let (_, end, output) = office.end_of(id).await;
    assert_eq!((end, &output.tail[..]), (RunEnd::Exit(3), &b"52\n"[..]));
}

#[tokio::test]
async fn a_command_gets_what_was_kept_and_nothing_else() {
    let mut office = Office::new();
    let directory = office.path("here");
    fs::create_dir(&directory).unwrap();
    let tool = directory.join("tool");
    fs::write(&tool, "#!/bin/sh\npwd; /usr/bin/env\n").unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    let kept = [("PATH", directory.to_str().unwrap()), ("LANG", "zh_CN.UTF-8"), ("DISPLAY", ":kept")];
    let environment = BTreeMap::from(kept.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let directory = directory.to_str().unwrap().to_owned();
    let id = office.program(1, Program { environment, directory: directory.clone(), ..program(&["tool"]) });
    let (_, end, output) = office.end_of(id).await;
    let output = String::from_utf8(output.tail).unwrap();
    assert_eq!(end, RunEnd::Exit(0), "{output}");
    let mut lines = output.lines();
    assert_eq!(lines.next(), Some(&*directory));
    // Those that the shell adds, and those of the session of whoever runs the tests.
    let added = ["PWD=", "OLDPWD=", "SHLVL=", "_=", "DBUS_", "XDG_", "SSH_A", "GPG_", "WAYLAND_", "XAUTHORITY="];
    let mut found: Vec<&str> = lines.filter(|line| !added.iter().any(|name| line.starts_with(name))).collect();
    found.sort_unstable();
    assert_eq!(found, ["DISPLAY=:kept", &format!("KEIKO_RUN={id}"), "LANG=zh_CN.UTF-8", &format!("PATH={directory}")]);
}

#[tokio::test]
async fn without_a_directory_a_command_runs_at_home() {
    let mut office = Office::new();
    let home = office.path("home");
    fs::create_dir(&home).unwrap();
    let mut at_home = Program { directory: String::new(), ..program(&["pwd"]) };
    at_home.environment.insert("HOME".into(), home.to_str().unwrap().into());
    let id = office.program(1, at_home);
    let (_, _, output) = office.end_of(id).await;
    assert_eq!(String::from_utf8(output.tail).unwrap().trim_end(), home.to_str().unwrap());
}

#[tokio::test]
async fn what_cannot_be_started_says_why() {
    let mut office = Office::new();
    fs::write(office.path("text"), "no program").unwrap();
    fs::write(office.path("odd"), [0, 1, 2]).unwrap();
    fs::set_permissions(office.path("odd"), fs::Permissions::from_mode(0o755)).unwrap();
    let text = office.path("text").to_str().unwrap().to_owned();
    let odd = office.path("odd").to_str().unwrap().to_owned();
    fs::write(office.path("lost"), "#!/absent/python -u\nprint()\n").unwrap();
    fs::set_permissions(office.path("lost"), fs::Permissions::from_mode(0o755)).unwrap();
    let lost = office.path("lost").to_str().unwrap().to_owned();
    let in_directory = |directory: &str| Program { directory: directory.into(), ..program(&["true"]) };
    let no_path = "no directory of the PATH that was kept has such a program";
    for (number, (tried, expected)) in [
        (program(&["no-such-tool"]), format!("cannot start no-such-tool: {no_path}")),
        (program(&["/absent/tool"]), "cannot start /absent/tool: No such file or directory (os error 2)".to_owned()),
        (program(&[&text]), format!("cannot start {text}: it may not be executed")),
        (
            program(&[&odd]),
            format!(
                "cannot start {odd}: it is no program for this system, and a script begins with a line such as #!/bin/sh \
                 (Exec format error (os error 8))"
            ),
        ),
        (
            program(&[&lost]),
            format!("cannot start {lost}: its first line asks for /absent/python -u, which is not there"),
        ),
        (in_directory("/absent"), "cannot run in /absent: No such file or directory (os error 2)".to_owned()),
        (in_directory(&text), format!("cannot run in {text}: it is no directory")),
    ]
    .into_iter()
    .enumerate()
    {
        let id = office.program(number as u128, tried);
        let (before, end, _) = office.end_of(id).await;
        assert_eq!((before, end), (Vec::new(), RunEnd::NotStarted { error: expected }));
    }
}

#[tokio::test]
async fn of_a_flood_the_end_is_kept_and_others_are_served_meanwhile() {
    let mut office = Office::new();
    let flood = office.script(1, "echo ::progress 1; yes 'some words that nobody reads'");
    assert!(matches!(office.hear_of(flood).await, RunReport::Started { .. }));
    assert!(matches!(office.hear_of(flood).await, RunReport::Progress(_)), "it has begun to speak");
    let other = office.script(2, "echo calm");
    let (_, end, output) = office.end_of(other).await;
    assert_eq!((end, &output.tail[..]), (RunEnd::Exit(0), &b"calm\n"[..]));
    // Each question is answered by the process that reads the flood.
    let said = loop {
        let said = office.runner().output_of(flood).await.expect("it runs");
        assert!(said.tail.len() <= OUTPUT_BYTES_MAX);
        if said.dropped > 0 {
            break said;
        }
    };
    office.runner().end(flood);
    let (_, end, output) = office.end_of(flood).await;
    assert_eq!(end, RunEnd::Signal(15));
    assert_eq!(output.tail.len(), OUTPUT_BYTES_MAX);
    assert!(output.dropped >= said.dropped && output.dropped > 0);
}

#[tokio::test]
async fn what_is_said_on_both_outputs_is_kept() {
    let mut office = Office::new();
    let (end, output) = office.result_of("echo one; echo two >&2; sleep 0; echo three; kill -9 $$").await;
    assert_eq!(end, RunEnd::Signal(9));
    let mut lines: Vec<&str> = output.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["one", "three", "two"]);
}

#[tokio::test]
async fn one_that_closes_its_outputs_ends_when_it_exits() {
    let mut office = Office::new();
    let gate = office.gate("gate");
    let id = office.script(1, "echo said; exec >&- 2>&-; read x < $0/gate; exit 4");
    assert!(matches!(office.hear_of(id).await, RunReport::Started { .. }));
    gate.open().await;
    let (_, end, output) = office.end_of(id).await;
    assert_eq!((end, &output.tail[..]), (RunEnd::Exit(4), &b"said\n"[..]));
}

#[tokio::test]
async fn one_that_leaves_another_behind_has_ended_all_the_same() {
    let mut office = Office::new();
    let gate = office.gate("gate");
    let left = office.gate("left");
    // The one that is left keeps both outputs open.
    let (end, output) = office.result_of("(read x < $0/gate; echo free > $0/left) & echo started").await;
    assert_eq!((end, &*output), (RunEnd::Exit(0), "started\n"));
    gate.open().await;
    assert_eq!(left.hear().await, "free\n");
}

#[tokio::test]
async fn one_that_leaves_a_session_of_its_own_behind_has_ended_all_the_same() {
    let mut office = Office::new();
    let gate = office.gate("gate");
    let left = office.gate("left");
    // As daemons do: no terminal, no group, no outputs of those who started them.
    let script =
        "setsid sh -c 'exec >/dev/null 2>&1 </dev/null; (read x < $0/gate; echo free > $0/left) &' $0; echo started";
    let (end, output) = office.result_of(script).await;
    assert_eq!((end, &*output), (RunEnd::Exit(0), "started\n"));
    gate.open().await;
    assert_eq!(left.hear().await, "free\n", "it is nobody's to end");
}

#[tokio::test]
async fn one_whose_children_have_children_ends_with_all_of_them_and_keeps_nobody_waiting() {
    let mut office = Office::new();
    let alive = office.gate("alive");
    // As a fork bomb begins, and no further: six generations, each twice as many.
    let script = "exec 9> $0/alive; bomb() { if [ $1 -gt 0 ]; then bomb $(($1-1)) & bomb $(($1-1)) & fi; wait; sleep 1000; }; \
                  echo on >&9; trap '' TERM; bomb 6 & bomb 6 & wait";
    let id = office.program(1, with_timeout(office.sh(script)));
    let other = office.script(2, "echo calm");
    let mut ends = Vec::new();
    let ended = async {
        while ends.len() < 2 {
            let news = office.hear().await;
            if let RunReport::Ended { end, output } = news.report {
                ends.push((news.id, end, output.tail));
            }
        }
    };
    // All who hold the pipe are gone when its end is read.
    let (heard, ()) = tokio::join!(alive.hear(), ended);
    assert_eq!(heard, "on\n");
    assert_eq!(ends[0], (other, RunEnd::Exit(0), b"calm\n".to_vec()));
    assert_eq!((ends[1].0, &ends[1].1), (id, &RunEnd::TimedOut));
}

#[tokio::test]
async fn how_many_processes_a_command_may_have_is_bounded_for_all_that_it_starts() {
    let mut office = Office::new();
    let limits = Limits { processes: Some(7), ..Limits::default() };
    let id = office.program(1, Program { limits, ..program(&["bash", "-c", "ulimit -u; bash -c 'ulimit -u'"]) });
    let (_, end, output) = office.end_of(id).await;
    let output = String::from_utf8(output.tail).unwrap();
    let bounds: Vec<u64> = output.lines().map(|line| line.parse().expect("a number")).collect();
    // The system counts all of the user's, whose number changes meanwhile.
    assert_eq!((end, bounds.len()), (RunEnd::Exit(0), 2), "{output}");
    assert!(bounds[0] == bounds[1] && bounds[0] > 7, "{output}");
}

#[tokio::test]
async fn b32_at_its_time_limit_the_whole_group_ends_whatever_it_ignores() {
    let mut office = Office::new();
    let alive = office.gate("alive");
    let script = "exec 9> $0/alive; trap '' TERM; echo on >&9; sh -c 'trap \"\" TERM; while :; do sleep 1; done' & while :; do sleep 1; done";
    let id = office.program(1, with_timeout(office.sh(script)));
    // All who hold the pipe are gone when its end is read.
    let (heard, (_, end, _)) = tokio::join!(alive.hear(), office.end_of(id));
    assert_eq!((&*heard, end), ("on\n", RunEnd::TimedOut));
}

#[tokio::test]
async fn one_that_heeds_its_time_limit_may_say_goodbye() {
    let mut office = Office::new();
    let id =
        office.program(1, with_timeout(office.sh("trap 'echo goodbye; exit 0' TERM; while :; do sleep 0.01; done")));
    let (_, end, output) = office.end_of(id).await;
    assert_eq!(end, RunEnd::TimedOut);
    // The shell tells of what it waited for too.
    assert!(String::from_utf8_lossy(&output.tail).lines().any(|line| line == "goodbye"), "{output:?}");
}

#[tokio::test]
async fn one_that_is_to_end_ends_with_all_that_it_started() {
    let mut office = Office::new();
    let (alive, ready) = (office.gate("alive"), office.gate("ready"));
    let script =
        "exec 9> $0/alive; i=0; while [ $i -lt 100 ]; do sleep 1000 & i=$((i+1)); done; echo on > $0/ready; wait";
    let id = office.script(1, script);
    let ended = async {
        ready.hear().await;
        office.runner().end(id);
        office.end_of(id).await
    };
    // All who hold the pipe are gone when its end is read.
    let (_, (_, end, _)) = tokio::join!(alive.hear(), ended);
    assert_eq!(end, RunEnd::Signal(15));
}

#[tokio::test]
async fn progress_and_checkpoints_are_told_and_are_output_too() {
    let mut office = Office::new();
    let script = "echo ::progress 10 first; echo ::checkpoint page 1; i=0; while [ $i -lt 2000 ]; do echo ::progress 50 $i; i=$((i+1)); done; \
                  echo ::checkpoint page 2; echo ::progress 101; echo plain; echo ::progress 99 last";
    let id = office.script(1, script);
    let (before, end, output) = office.end_of(id).await;
    assert_eq!(end, RunEnd::Exit(0));
    let progress: Vec<&Progress> = before
        .iter()
        .filter_map(|report| if let RunReport::Progress(progress) = report { Some(progress) } else { None })
        .collect();
    assert!(progress.len() < 10, "{} were told", progress.len());
    assert_eq!(progress.last(), Some(&&Progress { percent: 99, text: "last".into() }));
    let checkpoints: Vec<&RunReport> =
        before.iter().filter(|report| matches!(report, RunReport::Checkpoint(_))).collect();
    assert_eq!(checkpoints.last(), Some(&&RunReport::Checkpoint("page 2".into())));
    let output = String::from_utf8(output.tail).unwrap();
    assert!(output.ends_with("::checkpoint page 2\n::progress 101\nplain\n::progress 99 last\n"), "{output}");
}

#[tokio::test]
async fn what_is_limited_limits_itself_and_becomes_the_command() {
    let mut office = Office::new();
    let limits = Limits { files: Some(20), cpu_s: Some(7), memory_bytes: Some(1 << 30), processes: None };
    let script = "ulimit -n; ulimit -t; ulimit -v; nice; echo $$ \"$0\" \"$1\"";
    let limited = Program { limits, nice: 3, ..program(&["sh", "-c", script, "a  b", "c"]) };
    let id = office.program(1, limited);
    let (before, end, output) = office.end_of(id).await;
    let [RunReport::Started { process }] = before[..] else { panic!("{before:?}") };
    assert_eq!(end, RunEnd::Exit(0));
    let nice = rustix::process::getpriority_process(None).unwrap() + 3;
    let expected = format!("20\n7\n{}\n{}\n{} a  b c\n", (1 << 30) / 1024, nice.min(19), process.pid);
    assert_eq!(String::from_utf8(output.tail).unwrap(), expected);
}

#[tokio::test]
async fn one_that_takes_too_much_time_of_the_processor_is_ended() {
    let mut office = Office::new();
    let limits = Limits { cpu_s: Some(1), ..Limits::default() };
    let id = office.program(1, Program { limits, ..office.sh("while :; do :; done") });
    let (_, end, _) = office.end_of(id).await;
    assert_eq!(end, RunEnd::Signal(24), "SIGXCPU");
}

#[tokio::test]
async fn with_a_service_manager_memory_and_processes_are_counted_by_a_scope() {
    let mut office = Office::new();
    let (bin, run) = (office.path("bin"), office.path("run/systemd"));
    fs::create_dir_all(&bin).unwrap();
    fs::create_dir_all(&run).unwrap();
    fs::write(run.join("private"), "").unwrap();
    // In place of the real one: it says what it was told, and becomes the program as the real one does.
    let fake = "#!/bin/sh\necho \"$@\" >> \"$SAID\"\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n";
    fs::write(bin.join("systemd-run"), fake).unwrap();
    fs::set_permissions(bin.join("systemd-run"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut limited = program(&["sh", "-c", "ulimit -n; ulimit -v"]);
    limited.limits = Limits { memory_bytes: Some(1 << 20), processes: Some(5), files: Some(30), cpu_s: None };
    let path = |name: &str| office.path(name).to_str().unwrap().to_owned();
    limited.environment.insert("PATH".into(), format!("{}:/usr/bin:/bin", bin.display()));
    limited.environment.insert("XDG_RUNTIME_DIR".into(), path("run"));
    limited.environment.insert("SAID".into(), path("said"));
    let id = office.program(1, limited);
    let (_, end, output) = office.end_of(id).await;
    assert_eq!((end, &output.tail[..]), (RunEnd::Exit(0), &b"30\nunlimited\n"[..]));
    let said = fs::read_to_string(office.path("said")).unwrap();
    let scope = "--user --scope --quiet --collect";
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], format!("{scope} -- true"));
    assert!(lines[1].starts_with(&format!("{scope} --property=MemoryMax=1048576 --property=TasksMax=5 -- ")), "{said}");
}

#[tokio::test]
async fn many_are_run_and_each_is_told_of() {
    let mut office = Office::new();
    let ids: Vec<_> = (0..300).map(|number| office.program(number, program(&["true"]))).collect();
    let mut ended = 0;
    while ended < ids.len() {
        let news = soon("news", office.hear()).await;
        if let RunReport::Ended { end, .. } = news.report {
            assert_eq!(end, RunEnd::Exit(0));
            ended += 1;
        }
    }
}
