//! The commands that change a task.

use serde_json::json;

use crate::cli::Home;

#[test]
fn a_reminder_goes_through_its_life() {
    let home = Home::with_daemon();
    home.keiko("add pay rent tomorrow 3pm");
    insta::assert_snapshot!(home.transcript(&[
        "snooze 1 10m",
        "pause 1",
        "resume 1",
        "edit 1 tomorrow 4pm --title 'pay the rent' +home",
        "edit 1 --untag home --note 'two words' --link https://example.org",
    ]), @"
    $ keiko snooze 1 10m
    snoozed 1  pay rent  until Wed 13 May 2026 16:10 EDT (in 10m)
    $ keiko pause 1
    paused 1  pay rent  until it is resumed, 23h left
    $ keiko resume 1
    resumed 1  pay rent  Thu 14 May 2026 15:00 EDT (in 23h)
      speaks first Wed 13 May 2026 16:10 EDT (in 10m)
    $ keiko edit 1 tomorrow 4pm --title 'pay the rent' +home
    changed 1  pay the rent +home  Thu 14 May 2026 16:00 EDT (in 1d)
    $ keiko edit 1 --untag home --note 'two words' --link https://example.org
    changed 1  pay the rent  Thu 14 May 2026 16:00 EDT (in 1d)
    ");
    home.advance("2026-05-14T16:00:00-04:00");
    insta::assert_snapshot!(home.transcript(&[
        "",
        "ack",
        "snooze",
        "snooze 1 until tomorrow 9am",
        "done pay rent",
        "done 1",
        "snooze 1",
    ]), @"
    $ keiko
    due
      1  Thu 14 May 16:00  now  due  pay the rent
    $ keiko ack
    seen 1  pay the rent  stays due until it is done
    $ keiko snooze
    snoozed 1  pay the rent  until Thu 14 May 2026 16:10 EDT (in 10m)
    $ keiko snooze 1 until tomorrow 9am
    snoozed 1  pay the rent  until Fri 15 May 2026 09:00 EDT (in 17h)
    $ keiko done pay rent
    done 1  pay the rent
    $ keiko done 1
    ! error: cannot complete task 1: it is already done
    ! hint: what has ended stays so: add it anew with keiko add
    [exit 5]
    $ keiko snooze 1
    ! error: cannot snooze task 1: it is already done
    ! hint: what has ended stays so: add it anew with keiko add
    [exit 5]
    ");
}

#[test]
fn a_series_goes_on() {
    let home = Home::with_daemon();
    home.keiko("remind me every weekday at 9:30 to join the standup");
    insta::assert_snapshot!(home.transcript(&["done 1", "skip 1", "done 1 --early"]), @"
    $ keiko done 1
    ! error: cannot complete task 1: it is not due before Thu 14 May 2026 09:30 (America/New_York)
    ! hint: --early means this one all the same
    [exit 5]
    $ keiko skip 1
    skipped 1  join the standup  next Fri 15 May 2026 09:30 EDT (in 1d 18h)
    $ keiko done 1 --early
    done 1  join the standup  next Mon 18 May 2026 09:30 EDT (in 4d 18h)
    ");
    home.advance("2026-05-18T09:30:00-04:00");
    insta::assert_snapshot!(home.transcript(&["list", "done", "cancel 1", "list", "list --all"]), @"
    $ keiko list
    #  WHEN                   STAGE  TITLE
    1  Mon 18 May 09:30  now  due    join the standup (repeats)
    $ keiko done
    done 1  join the standup  next Tue 19 May 2026 09:30 EDT (in 1d)
    $ keiko cancel 1
    cancelled 1  join the standup
    ! warning: the whole series has ended; skip would have passed over one time only
    $ keiko list
    no tasks
    $ keiko list --all
    #  WHEN                   STAGE      TITLE
    1  Mon 18 May 09:30  now  cancelled  join the standup
    ");
}

#[test]
fn several_are_done_and_a_bad_one_does_not_stop_the_others() {
    let home = Home::with_daemon();
    for title in ["one", "two", "three", "four", "five"] {
        home.keiko(&format!("add {title} tomorrow"));
    }
    insta::assert_snapshot!(home.transcript(&["done 1 9 3-4", "cancel 2,5", "done ２"]), @r#"
    $ keiko done 1 9 3-4
    done 1  one
    done 3  three
    done 4  four
    ! error: cannot find a task named "9"
    ! hint: keiko list shows the open tasks, keiko list --all those that have ended too
    [exit 4]
    $ keiko cancel 2,5
    cancelled 2  two
    cancelled 5  five
    $ keiko done ２
    ! error: cannot complete task 2: it is already cancelled
    ! hint: what has ended stays so: add it anew with keiko add
    [exit 5]
    "#);
    home.keiko("add six tomorrow");
    let ran = home.keiko("done 6 9 1 --json");
    let results = &ran.json()["results"];
    assert_eq!(results[0]["changed"], true);
    assert_eq!((&results[1]["name"], &results[1]["error"]["code"]), (&json!("9"), &json!(404)));
    assert_eq!((&results[2]["name"], &results[2]["error"]["code"]), (&json!("1"), &json!(422)));
    assert_eq!(ran.code, Some(4));
}

#[test]
fn numbers_stay_with_their_tasks() {
    let home = Home::with_daemon();
    for title in ["one", "two", "three", "four"] {
        home.keiko(&format!("add {title} tomorrow"));
    }
    assert!(home.keiko("done 1").stdout.contains("one"));
    home.keiko("add five tomorrow");
    assert!(home.keiko("done 4").stdout.contains("four"));
    assert!(home.keiko("show 5").stdout.contains("five"));
}

#[test]
fn an_edit_of_nothing_is_refused() {
    let home = Home::with_daemon();
    home.keiko("add pay rent tomorrow");
    insta::assert_snapshot!(home.transcript(&["edit 1", "edit 1 nonsense", "edit 9 --title x", "edit 1 --alert soon"]), @r#"
    $ keiko edit 1
    ! error: cannot edit task 1: nothing to change was given
    ! hint: say what is to change, such as: keiko edit 1 tomorrow 4pm
    [exit 2]
    $ keiko edit 1 nonsense
    ! error: cannot find a time in "nonsense"
    ! hint: say when, such as `tomorrow 3pm` or `in 20 minutes`
    [exit 3]
    $ keiko edit 9 --title x
    ! error: cannot find a task named "9"
    ! hint: keiko list shows the open tasks, keiko list --all those that have ended too
    [exit 4]
    $ keiko edit 1 --alert soon
    ! error: cannot find a time in "soon"
    ! hint: say when, such as `tomorrow 3pm` or `in 20 minutes`
    [exit 3]
    "#);
}

#[test]
fn what_is_paused_is_mentioned_when_something_is_added() {
    let home = Home::with_daemon();
    insta::assert_snapshot!(home.transcript(&["add one tomorrow", "pause 1 --for 2h", "add two tomorrow"]), @"
    $ keiko add one tomorrow
    added 1  one  Thu 14 May 2026 09:00 EDT (in 17h)
    $ keiko pause 1 --for 2h
    paused 1  one  until Wed 13 May 2026 18:00 EDT (in 2h), 17h left
    $ keiko add two tomorrow
    added 2  two  Thu 14 May 2026 09:00 EDT (in 17h)
    ! hint: 1 task is paused: keiko list shows it
    ");
}
