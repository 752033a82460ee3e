//! Tasks that wait for others: what is told of them, what sets them free, and what blocks them.

use std::collections::BTreeSet;

use serde_json::json;

use crate::cli::Home;

#[test]
fn a_chain_wakes_step_by_step() {
    let home = Home::with_daemon();
    insta::assert_snapshot!(home.transcript(&[
        "add shop --at 'tomorrow 9am'",
        "add cook --at 'tomorrow 10am' --waits-for 1",
        "add eat --waits-for 2 --delay 30m",
        "remind me to wash up --waits-for 3",
        "list",
        "",
        "snooze 2",
    ]), @"
    $ keiko add shop --at 'tomorrow 9am'
    added 1  shop  Thu 14 May 2026 09:00 EDT (in 17h)
    $ keiko add cook --at 'tomorrow 10am' --waits-for 1
    added 2  cook  waiting for 1, then Thu 14 May 2026 10:00 EDT (in 18h)
    $ keiko add eat --waits-for 2 --delay 30m
    added 3  eat  waiting for 2, then 30m later
    $ keiko remind me to wash up --waits-for 3
    added 4  wash up  waiting for 3, then at once
    $ keiko list
    #  WHEN                    STAGE          TITLE
    1  tomorrow 09:00  in 17h  scheduled      shop
    2  tomorrow 10:00  in 18h  waiting for 1  cook
    3  –                       waiting for 2  eat
    4  –                       waiting for 3  wash up
    $ keiko
    nothing is due

    next
      1  tomorrow 09:00  in 17h  shop

    waiting for others: 2, 3, 4
    $ keiko snooze 2
    ! error: cannot snooze task 2: it is waiting for 1
    ! hint: possible now: edit, done, unblock, cancel
    [exit 5]
    ");
    home.advance("2026-05-14T09:10:00-04:00");
    insta::assert_snapshot!(home.transcript(&["done 1", "history 2"]), @"
    $ keiko done 1
    done 1  shop
      2 cook is free now: due Thu 14 May 2026 10:00 EDT (in 50m)
    $ keiko history 2
    2  cook
    WHEN              WHAT         STAGE
    Wed 13 May 16:00  added        → created
    Thu 14 May 09:10  parent done                       task 1 done, by the daemon
    Thu 14 May 09:10  freed        created → scheduled  by the daemon
    ");
    home.advance("2026-05-14T10:05:00-04:00");
    insta::assert_snapshot!(home.transcript(&["done 2", "done 3 --early", "list"]), @"
    $ keiko done 2
    done 2  cook
      3 eat is free now: due Thu 14 May 2026 10:35 EDT (in 30m)
    $ keiko done 3 --early
    done 3  eat
      4 wash up is free now, and due
    $ keiko list
    #  WHEN              STAGE  TITLE
    4  today 10:05  now  due    wash up
    ");
}

// B33: nothing that waits vanishes, and each says why it stands still.
#[test]
fn a_cancelled_parent_holds_runs_or_cancels_as_told() {
    let home = Home::with_daemon();
    for line in [
        "add call --at 'tomorrow noon'",
        "add mail --at 'tomorrow 2pm' --waits-for 1",
        "add post --at 'tomorrow 2pm' --waits-for 1 --on-parent-fail run",
        "add fax --at 'tomorrow 2pm' --waits-for 1 --on-parent-fail cancel",
        "add file the fax --waits-for 4",
        "add unrelated --at 'tomorrow 1pm'",
    ] {
        assert_eq!(home.keiko(line).code, Some(0), "{line}");
    }
    insta::assert_snapshot!(home.transcript(&["cancel 1", "list", "", "add late --waits-for 1"]), @"
    $ keiko cancel 1
    cancelled 1  call
      2 mail is blocked: 1 cancelled; keiko unblock 2 lets it go on without
      3 post is free now: due Thu 14 May 2026 14:00 EDT (in 22h)
      4 fax is cancelled with it
      5 file the fax is blocked: 4 cancelled; keiko unblock 5 lets it go on without
    $ keiko list
    #  WHEN                    STAGE                 TITLE
    6  tomorrow 13:00  in 21h  scheduled             unrelated
    3  tomorrow 14:00  in 22h  scheduled             post
    2  tomorrow 14:00  in 22h  blocked: 1 cancelled  mail
    5  –                       blocked: 4 cancelled  file the fax
    $ keiko
    failing
      2  tomorrow 14:00  in 22h  blocked: 1 cancelled  mail
      5  –                       blocked: 4 cancelled  file the fax

    next
      6  tomorrow 13:00  in 21h                        unrelated
      3  tomorrow 14:00  in 22h                        post
    $ keiko add late --waits-for 1
    added 7  late  blocked: 1 cancelled, then at once
    ! warning: 1 was cancelled already, so 7 is blocked; keiko unblock 7 lets it go on without
    ");
    home.advance("2026-05-14T13:00:00-04:00");
    insta::assert_snapshot!(home.transcript(&["list", "unblock 2 5", "unblock 2", "list"]), @"
    $ keiko list
    #  WHEN                STAGE                 TITLE
    6  today 13:00  now    due                   unrelated
    3  today 14:00  in 1h  scheduled             post
    2  today 14:00  in 1h  blocked: 1 cancelled  mail
    5  –                   blocked: 4 cancelled  file the fax
    7  –                   blocked: 1 cancelled  late
    $ keiko unblock 2 5
    unblocked 2  mail  Thu 14 May 2026 14:00 EDT (in 1h)
    unblocked 5  file the fax  Thu 14 May 2026 13:00 EDT (now)
    $ keiko unblock 2
    waits for no task: 2  mail  Thu 14 May 2026 14:00 EDT (in 1h)
    $ keiko list
    #  WHEN                STAGE                 TITLE
    5  today 13:00  now    due                   file the fax
    6  today 13:00  now    due                   unrelated
    2  today 14:00  in 1h  scheduled             mail
    3  today 14:00  in 1h  scheduled             post
    7  –                   blocked: 1 cancelled  late
    ");
    let told = home.keiko("show 2 --json").json();
    assert_eq!((&told["task"]["waits_for"], &told["task"]["blocked_by"]), (&json!([]), &json!([])));
}

// B33: a parent that fails for good, here since no program takes it.
#[test]
fn a_parent_that_fails_blocks_and_says_so_once() {
    let home = Home::with_daemon();
    // Nobody listens there.
    home.keiko("add hook in 1 minute --via webhook:http://127.0.0.1:9/ --retries 0");
    home.keiko("add after --at 'tomorrow 9am' --waits-for 1");
    home.advance("2026-05-13T16:10:00-04:00");
    let told = home.keiko("show 2 --json").json();
    assert_eq!(told["task"]["stage"], "blocked: 1 failed");
    assert_eq!(told["task"]["blocked_by"], json!([1]));
    let sent = home.keiko("history 2 --json").json();
    // To the desktop, and to the terminal since that is away: one thing to say.
    let fire_ids = |sent: &serde_json::Value| -> BTreeSet<String> {
        let sent = sent["deliveries"].as_array().expect("an array");
        sent.iter().map(|delivery| delivery["fire_id"].to_string()).collect()
    };
    assert_eq!(fire_ids(&sent).len(), 1, "{sent}");
    home.advance("2026-05-15T16:00:00-04:00");
    assert_eq!(fire_ids(&home.keiko("history 2 --json").json()).len(), 1);
}

#[test]
fn what_would_wait_for_itself_is_refused_with_the_path() {
    let home = Home::with_daemon();
    for line in ["add a tomorrow 9am", "add b --waits-for 1", "add c --waits-for 2", "add d --waits-for 3,1"] {
        assert_eq!(home.keiko(line).code, Some(0), "{line}");
    }
    insta::assert_snapshot!(home.transcript(&[
        "edit 1 --waits-for 4",
        "edit 1 --waits-for 1",
        "edit 2 --waits-for 3",
        "edit 1 --waits-for 99",
        "add e --waits-for nobody",
        "add e --delay 5m",
        "add e --waits-for 1 --on-parent-fail explode",
        "edit 1 --delay 5m",
    ]), @r#"
    $ keiko edit 1 --waits-for 4
    ! error: cannot let task 1 wait for 4: 1 waits for 4, which waits for 1
    ! hint: none of them would ever come up
    [exit 5]
    $ keiko edit 1 --waits-for 1
    ! error: cannot let task 1 wait for 1: 1 waits for 1
    ! hint: none of them would ever come up
    [exit 5]
    $ keiko edit 2 --waits-for 3
    ! error: cannot let task 2 wait for 3: 2 waits for 3, which waits for 2
    ! hint: none of them would ever come up
    [exit 5]
    $ keiko edit 1 --waits-for 99
    ! error: cannot find a task named "99"
    ! hint: keiko list shows the open tasks, keiko list --all those that have ended too
    [exit 4]
    $ keiko add e --waits-for nobody
    ! error: cannot find a task named "nobody"
    ! hint: keiko list shows the open tasks, keiko list --all those that have ended too
    [exit 4]
    $ keiko add e --delay 5m
    ! error: cannot use --delay alone: expected --waits-for beside it
    ! hint: keiko help tells what each command takes
    [exit 2]
    $ keiko add e --waits-for 1 --on-parent-fail explode
    ! error: cannot use "explode" as --on-parent-fail: expected hold, run or cancel
    ! hint: keiko help tells what each command takes
    [exit 2]
    $ keiko edit 1 --delay 5m
    ! error: cannot edit task 1: it waits for no task
    ! hint: --waits-for says which it is to wait for
    [exit 5]
    "#);
}

#[test]
fn what_was_done_before_is_not_waited_for() {
    let home = Home::with_daemon();
    home.keiko("add a tomorrow 9am");
    home.keiko("done 1");
    insta::assert_snapshot!(home.transcript(&["add b tomorrow 10am --waits-for 1", "add c --waits-for 1 --delay 30m"]), @"
    $ keiko add b tomorrow 10am --waits-for 1
    added 2  b  Thu 14 May 2026 10:00 EDT (in 18h)
    ! warning: 1 is done already, so it is not waited for
    $ keiko add c --waits-for 1 --delay 30m
    added 3  c  Wed 13 May 2026 16:30 EDT (in 30m)
    ! warning: 1 is done already, so it is not waited for
    ");
}

#[test]
fn a_task_that_is_armed_can_be_told_to_wait_until_it_has_rung() {
    let home = Home::with_daemon();
    home.keiko("add a tomorrow 9am");
    home.keiko("add b tomorrow 10am");
    insta::assert_snapshot!(home.transcript(&["edit 2 --waits-for 1 --delay 2h", "edit 2 --on-parent-fail run"]), @"
    $ keiko edit 2 --waits-for 1 --delay 2h
    changed 2  b  waiting for 1, then Thu 14 May 2026 10:00 EDT (in 18h), or 2h later if that is later
    $ keiko edit 2 --on-parent-fail run
    changed 2  b  waiting for 1, then Thu 14 May 2026 10:00 EDT (in 18h), or 2h later if that is later
    ");
    home.advance("2026-05-14T11:00:00-04:00");
    insta::assert_snapshot!(home.transcript(&["done 1", "edit 1 --waits-for 2"]), @"
    $ keiko done 1
    done 1  a
      2 b is free now: due Thu 14 May 2026 13:00 EDT (in 2h)
    $ keiko edit 1 --waits-for 2
    ! error: cannot edit task 1: it is already done
    ! hint: what has ended stays so: add it anew with keiko add
    [exit 5]
    ");
    home.advance("2026-05-14T13:00:00-04:00");
    insta::assert_snapshot!(home.transcript(&["edit 2 --waits-for 1"]), @"
    $ keiko edit 2 --waits-for 1
    already changed 2  b  Thu 14 May 2026 13:00 EDT (now)
    ! warning: 1 is done already, so it is not waited for
    ");
}

#[test]
fn programs_see_what_waits_and_what_was_set_free() {
    let home = Home::with_daemon();
    home.keiko("add a tomorrow 9am");
    home.keiko("add b tomorrow 10am --waits-for 1 --delay 30m");
    let task = home.keiko("show 2 --json").json()["task"].clone();
    let seen = ["waits_for", "blocked_by", "delay_ms", "on_parent_fail", "state", "stage"].map(|name| &task[name]);
    assert_eq!(json!(seen), json!([[1], [], 1_800_000, "hold", "CREATED", "waiting for 1"]));
    let done = home.keiko("done 1 --json").json();
    assert_eq!((&done["dependents"][0]["number"], &done["dependents_total"]), (&json!(2), &json!(1)), "{done}");
    let events = home.keiko("history 2 --json").json()["events"].clone();
    let (freed, ended) = (&events[2], &home.keiko("history 1 --json").json()["events"]);
    assert_eq!(freed["operation"], "freed");
    let last = ended.as_array().and_then(|events| events.last()).expect("it was done");
    assert_eq!((&last["operation"], &last["op_id"]), (&json!("completed"), &freed["op_id"]), "one operation");
}
