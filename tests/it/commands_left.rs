//! What becomes of commands whose daemon is gone, and of those whose runner is gone too.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use keiko::domain::run::{Process, RunEnd, RunId, RunReport};
use keiko::runner::{Left, Runner as _};
use rustix::process::{Signal, kill_process};
use uuid::Uuid;

use crate::support::office::{Office, program, stop};

fn left(id: RunId, process: Option<Process>) -> Left {
    Left { id, process, is_ending: false, ends_in: None }
}

async fn process_of(office: &mut Office, id: RunId) -> Process {
    match office.hear_of(id).await {
        RunReport::Started { process } => process,
        other => panic!("expected that it was started, found {other:?}"),
    }
}

#[tokio::test]
async fn one_goes_on_without_its_daemon_and_the_next_hears_its_end() {
    let mut office = Office::new();
    let gate = office.gate("gate");
    let id = office.script(1, "echo before; read x < $0/gate; echo after; exit 5");
    let process = process_of(&mut office, id).await;
    office.come_back().await;
    office.runner().take_up(vec![left(id, Some(process))]).await;
    gate.open().await;
    let (before, end, output) = office.end_of(id).await;
    assert_eq!((before, end), (Vec::new(), RunEnd::Exit(5)), "that it was started is known");
    assert_eq!(String::from_utf8(output.tail).unwrap(), "before\nafter\n");
}

#[tokio::test]
async fn one_that_ended_meanwhile_is_told_of_until_that_is_on_the_disk() {
    let mut office = Office::new();
    let gate = office.gate("gate");
    let id = office.script(1, "echo ::checkpoint here; echo bye > $0/gate; exit 6");
    gate.hear().await;
    for _ in 0..3 {
        office.come_back().await;
        office.runner().take_up(vec![left(id, None)]).await;
        loop {
            match office.hear_of(id).await {
                RunReport::Ended { end, .. } => break assert_eq!(end, RunEnd::Exit(6)),
                RunReport::Started { .. } => {}
                RunReport::Checkpoint(text) => assert_eq!(text, "here"),
                other @ (RunReport::Starting | RunReport::Progress(_)) => panic!("{other:?}"),
            }
        }
    }
    office.runner().forget(id);
    office.come_back().await;
    office.wait_for_end().await;
}

#[tokio::test]
async fn what_was_ordered_is_started_though_the_daemon_was_gone_at_once() {
    let mut office = Office::new();
    // It is there, and has something to keep.
    let first = office.script(1, "true");
    while !matches!(office.hear_of(first).await, RunReport::Ended { .. }) {}
    let id = office.script(2, "echo once >> $0/journal");
    office.come_back().await;
    office.runner().take_up(vec![left(first, None), left(id, None)]).await;
    let mut ends = Vec::new();
    while ends.len() < 2 {
        let news = office.hear().await;
        if let RunReport::Ended { end, .. } = news.report {
            ends.push((news.id, end));
        }
    }
    assert!(ends.contains(&(id, RunEnd::Exit(0))), "{ends:?}");
    assert_eq!(fs::read_to_string(office.path("journal")).unwrap(), "once\n");
}

#[tokio::test]
async fn a_name_that_is_known_is_not_started_again() {
    let mut office = Office::new();
    let gate = office.gate("gate");
    let id = office.script(1, "echo once >> $0/journal; read x < $0/gate");
    let process = process_of(&mut office, id).await;
    office.come_back().await;
    // Without asking first, as no daemon does.
    office.script(1, "echo twice >> $0/journal");
    gate.open().await;
    let (_, end, _) = office.end_of(id).await;
    assert_eq!((end, process.pid > 1), (RunEnd::Exit(0), true));
    assert_eq!(fs::read_to_string(office.path("journal")).unwrap(), "once\n");
}

#[tokio::test]
async fn one_whose_runner_is_gone_too_is_waited_for_and_was_interrupted() {
    let mut office = Office::new();
    let gate = office.gate("gate");
    let id = office.script(1, "read x < $0/gate; echo done > $0/journal");
    let process = process_of(&mut office, id).await;
    office.kill_process();
    office.come_back().await;
    office.runner().take_up(vec![left(id, Some(process))]).await;
    gate.open().await;
    let (_, end, _) = office.end_of(id).await;
    assert_eq!(end, RunEnd::Interrupted);
    assert_eq!(fs::read_to_string(office.path("journal")).unwrap(), "done\n", "its end was waited for");
}

#[tokio::test]
async fn one_whose_runner_goes_while_the_daemon_lives_is_waited_for_too() {
    let mut office = Office::new();
    let gate = office.gate("gate");
    let id = office.script(1, "read x < $0/gate; echo done > $0/journal");
    process_of(&mut office, id).await;
    office.kill_process();
    gate.open().await;
    let (_, end, _) = office.end_of(id).await;
    assert_eq!(end, RunEnd::Interrupted);
    assert_eq!(fs::read_to_string(office.path("journal")).unwrap(), "done\n");
    let (end, _) = office.result_of("true").await;
    assert_eq!(end, RunEnd::Exit(0), "another runs them from now on");
}

#[tokio::test]
async fn one_whose_process_was_not_written_down_is_found_by_its_name() {
    let mut office = Office::new();
    let gate = office.gate("gate");
    let id = office.script(1, "read x < $0/gate; echo done > $0/journal");
    process_of(&mut office, id).await;
    office.kill_process();
    office.come_back().await;
    office.runner().take_up(vec![left(id, None)]).await;
    gate.open().await;
    let (_, end, _) = office.end_of(id).await;
    assert_eq!(end, RunEnd::Interrupted);
    assert_eq!(fs::read_to_string(office.path("journal")).unwrap(), "done\n", "its end was waited for");
}

#[tokio::test]
async fn one_without_a_runner_can_be_ended() {
    let mut office = Office::new();
    let id = office.script(1, "sleep 1000 & wait");
    let process = process_of(&mut office, id).await;
    office.kill_process();
    office.come_back().await;
    office.runner().take_up(vec![Left { id, process: Some(process), is_ending: true, ends_in: None }]).await;
    let (_, end, _) = office.end_of(id).await;
    assert_eq!(end, RunEnd::Signal(15));
}

#[tokio::test]
async fn what_nobody_knows_of_was_interrupted() {
    let mut office = Office::new();
    let own = Process { pid: std::process::id(), started: 1, boot: Uuid::from_u128(1) };
    let (unknown, another) = (office.name(1), office.name(2));
    office.runner().take_up(vec![left(unknown, None)]).await;
    let (before, end, _) = office.end_of(unknown).await;
    assert_eq!((before, end), (Vec::new(), RunEnd::Interrupted));
    // Its number is another's by now.
    office.runner().take_up(vec![left(another, Some(own))]).await;
    let (_, end, _) = office.end_of(another).await;
    assert_eq!(end, RunEnd::Interrupted);
    assert!(office.process().is_none(), "nothing was started for that");
}

#[tokio::test]
async fn one_that_is_to_end_is_ended_by_the_next_daemon() {
    let mut office = Office::new();
    let id = office.script(1, "sleep 1000");
    let process = process_of(&mut office, id).await;
    office.come_back().await;
    office.runner().take_up(vec![Left { id, process: Some(process), is_ending: true, ends_in: None }]).await;
    let (_, end, _) = office.end_of(id).await;
    assert_eq!(end, RunEnd::Signal(15));
}

#[tokio::test]
async fn a_runner_whose_socket_was_removed_is_found_by_its_lock() {
    let mut office = Office::new();
    let gate = office.gate("gate");
    let id = office.script(1, "read x < $0/gate; exit 7");
    let process = process_of(&mut office, id).await;
    fs::remove_file(office.path("runner.sock")).unwrap();
    office.come_back().await;
    office.runner().take_up(vec![left(id, Some(process))]).await;
    gate.open().await;
    let (_, end, _) = office.end_of(id).await;
    assert_eq!(end, RunEnd::Exit(7));
}

#[tokio::test]
async fn what_a_daemon_did_not_come_to_forget_the_next_one_does() {
    let mut office = Office::new();
    let id = office.script(1, "exit 8");
    while !matches!(office.hear_of(id).await, RunReport::Ended { .. }) {}
    office.come_back().await;
    office.runner().look();
    let (_, end, _) = office.end_of(id).await;
    assert_eq!(end, RunEnd::Exit(8));
    office.come_back().await;
    office.wait_for_end().await;
}

#[tokio::test]
async fn with_nothing_to_run_and_nobody_to_serve_it_ends() {
    let mut office = Office::new();
    let id = office.program(1, program(&["true"]));
    office.end_of(id).await;
    assert!(office.process().is_some());
    office.come_back().await;
    office.wait_for_end().await;
    assert!(!office.path("runner.sock").exists());
}

#[tokio::test]
async fn one_that_was_stopped_is_told_of_and_does_what_waited_when_it_goes_on() {
    let mut office = Office::new();
    let (end, _) = office.result_of("true").await;
    assert_eq!((end, office.runner().trouble().await), (RunEnd::Exit(0), None));
    let pid = office.process().expect("it keeps what ended");
    stop(pid);
    let trouble = office.runner().trouble().await.expect("it does not answer");
    assert_eq!(trouble, format!("the process that runs commands (pid {}) does not answer", pid.as_raw_pid()));
    let id = office.script(2, "echo said");
    assert_eq!(office.runner().output_of(id).await, None, "nobody waits for ever");
    kill_process(pid, Signal::CONT).unwrap();
    let (_, end, output) = office.end_of(id).await;
    assert_eq!((end, &output.tail[..]), (RunEnd::Exit(0), &b"said\n"[..]));
    assert_eq!(office.runner().trouble().await, None);
}

#[tokio::test]
async fn a_daemon_that_comes_while_it_is_stopped_is_not_kept_waiting_and_hears_all_later() {
    let mut office = Office::new();
    let gate = office.gate("gate");
    let id = office.script(1, "read x < $0/gate; exit 9");
    let process = process_of(&mut office, id).await;
    let pid = office.process().expect("it runs");
    stop(pid);
    office.come_back().await;
    let (taking_up, going_on) = {
        let runner = office.runner();
        let going_on = async {
            let trouble = runner.trouble().await;
            kill_process(pid, Signal::CONT).unwrap();
            trouble
        };
        tokio::join!(runner.take_up(vec![left(id, Some(process))]), going_on)
    };
    assert_eq!((taking_up, going_on.is_some()), ((), true));
    gate.open().await;
    let (_, end, _) = office.end_of(id).await;
    assert_eq!(end, RunEnd::Exit(9));
}

#[tokio::test]
async fn its_socket_is_its_owners_alone() {
    let mut office = Office::new();
    office.result_of("true").await;
    let mode = fs::metadata(office.path("runner.sock")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
