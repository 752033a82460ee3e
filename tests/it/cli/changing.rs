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
      1  today 16:00  now  pay the rent
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
    #  WHEN              STAGE  TITLE
    1  today 09:30  now  due    join the standup (repeats)
    $ keiko done
    done 1  join the standup  next Tue 19 May 2026 09:30 EDT (in 1d)
    $ keiko cancel 1
    cancelled 1  join the standup
    ! warning: the whole series has ended; skip would have passed over one time only
    $ keiko list
    no tasks
    $ keiko list --all
    #  WHEN              STAGE      TITLE
    1  today 09:30  now  cancelled  join the standup
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
    ! hint: say when, such as `tomorrow 3pm` or `in 20 minutes`; a new title is --title "nonsense"
    [exit 3]
    $ keiko edit 9 --title x
    ! error: cannot find a task named "9"
    ! hint: keiko list shows the open tasks, keiko list --all those that have ended too
    [exit 4]
    $ keiko edit 1 --alert soon
    ! error: cannot use "soon" as a length of time: expected a number with a unit
    ! hint: say how long, such as 10m or 2h
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

#[test]
fn many_tasks_are_paused_at_once_and_what_is_added_meanwhile_sleeps_too() {
    let home = Home::with_daemon();
    insta::assert_snapshot!(home.transcript(&[
        "add tea in 20 minutes +home",
        "add work tomorrow",
        "pause 2",
        "pause --all --for 1h",
        "add cake in 30 minutes",
        "resume --tag home",
        "resume --all",
        "list",
        "pause --tag +home",
        "resume --tag home",
        "pause --all 1",
        "pause",
        "pause --all --until yesterday",
    ]), @r#"
    $ keiko add tea in 20 minutes +home
    added 1  tea +home  Wed 13 May 2026 16:20 EDT (in 20m)
    $ keiko add work tomorrow
    added 2  work  Thu 14 May 2026 09:00 EDT (in 17h)
    $ keiko pause 2
    paused 2  work  until it is resumed, 17h left
    $ keiko pause --all --for 1h
    paused 1 task: 1  until Wed 13 May 2026 17:00 EDT (in 1h)
    $ keiko add cake in 30 minutes
    added 3  cake  Wed 13 May 2026 16:30 EDT (in 30m)
      paused until Wed 13 May 2026 17:00 EDT (in 1h)
    ! hint: 3 tasks are paused: keiko list shows them
    $ keiko resume --tag home
    resumed no task
    ! warning: the pause of all tasks still holds: keiko resume --all ends it
    $ keiko resume --all
    resumed 2 tasks: 1 3
    $ keiko list
    #  WHEN                    STAGE      TITLE
    1  today    16:20  in 20m  scheduled  tea +home
    3  today    16:30  in 30m  scheduled  cake
    2  tomorrow 09:00  in 17h  paused     work
    $ keiko pause --tag +home
    paused 1 task: 1
    $ keiko resume --tag home
    resumed 1 task: 1
    $ keiko pause --all 1
    paused 1  tea +home  until it is resumed, 20m left
    $ keiko pause
    ! error: the following required arguments were not provided: <TASK>...
    ! hint: such as keiko pause 3; keiko pause --help says more
    [exit 2]
    $ keiko pause --all --until yesterday
    ! error: cannot set "yesterday": Tue 12 May 2026 09:00 has passed
    ! hint: say `tomorrow 09:00`
    [exit 3]
    "#);
}

#[test]
fn what_a_task_does_beyond_its_schedule_is_given_changed_and_taken_back() {
    let home = Home::with_daemon();
    let shown = |number: u32| {
        let all = home.keiko(&format!("show {number}")).stdout;
        let is_stable = |line: &&str| !line.starts_with("  id ") && !line.starts_with("  added ");
        all.lines().filter(is_stable).collect::<Vec<_>>().join("\n")
    };
    home.keiko("add report --at 5pm --deadline 8pm --deadline-alert 1h,0 --nag 10m --missed skip --auto-done");
    insta::assert_snapshot!(shown(1), @"
    1  report
      stage     scheduled
      due       Wed 13 May 2026 17:00 EDT (in 1h)
      deadline  Wed 13 May 2026 20:00 EDT (in 4h)
      nags      every 10m, until it is answered
      missed    is passed over
      done      as soon as it was delivered
      via       desktop
    ");
    home.keiko("edit 1 --no-deadline --no-nag --no-auto-done --missed once");
    insta::assert_snapshot!(shown(1), @"
    1  report
      stage     scheduled
      due       Wed 13 May 2026 17:00 EDT (in 1h)
      via       desktop
    ");
    home.keiko("add filter --every 3d --after-done --from 6pm");
    insta::assert_snapshot!(shown(2), @"
    2  filter
      stage     scheduled
      due       Wed 13 May 2026 18:00 EDT (in 2h)
      repeats   every 3d, counted from when it is done
      next      Wed 13 May 2026 18:00 EDT (in 2h)
      via       desktop
    ");
}

#[test]
fn a_deadline_a_nag_or_a_count_from_completions_that_cannot_be_is_refused() {
    let home = Home::with_daemon();
    home.keiko("add report tomorrow");
    home.keiko("add filter --every 3d --after-done --from 6pm");
    insta::assert_snapshot!(home.transcript(&[
        "add pay rent by friday",
        "done 2 --early",
        "add x --at 5pm --deadline 4:30pm",
        "add x --at 5pm --deadline tomorrow --missed all",
        "add x --at 5pm --nag 10ms",
        "add x --at 5pm --nag-max 3",
        "add x --every monday --after-done",
        "add x tomorrow --deadline-alert 1h",
        "add x tomorrow --deadline tomorrow --deadline-alert +1h",
    ]), @r#"
    $ keiko add pay rent by friday
    added 3  pay rent  Fri 15 May 2026 09:00 EDT (in 1d 17h)
      deadline Fri 15 May 2026 17:00 EDT (in 2d 1h)
    $ keiko done 2 --early
    done 2  filter  next Sat 16 May 2026 16:00 EDT (in 3d)
    $ keiko add x --at 5pm --deadline 4:30pm
    ! error: cannot add the task: the deadline Wed 13 May 2026 16:30 (America/New_York) lies before the due time Wed 13 May 2026 17:00 (America/New_York)
    ! hint: set a later one with --deadline
    [exit 3]
    $ keiko add x --at 5pm --deadline tomorrow --missed all
    ! error: cannot use missed "all" without a command: expected once or skip
    ! hint: a reminder that was missed several times rings once
    [exit 2]
    $ keiko add x --at 5pm --nag 10ms
    ! error: cannot use "10ms" as a length of time: expected a number with a unit
    ! hint: say how long, such as 10m or 2h
    [exit 3]
    $ keiko add x --at 5pm --nag-max 3
    ! error: cannot use --nag-max alone: expected --nag beside it
    ! hint: keiko help tells what each command takes
    [exit 2]
    $ keiko add x --every monday --after-done
    ! error: cannot count from a completion: expected a distance, such as every 3 days, without days of the week or month
    ! hint: say how long after, such as: --every 3d --after-done
    [exit 3]
    $ keiko add x tomorrow --deadline-alert 1h
    ! error: cannot use --deadline-alert alone: expected --deadline beside it
    ! hint: keiko help tells what each command takes
    [exit 2]
    $ keiko add x tomorrow --deadline tomorrow --deadline-alert +1h
    ! error: cannot speak of a deadline at deadline+1h: expected at or before it
    ! hint: keiko help tells what each command takes
    [exit 2]
    "#);
}

#[test]
fn a_time_behind_the_tasks_of_a_pause_is_its_end() {
    let home = Home::with_daemon();
    for title in ["a", "b", "c", "d"] {
        assert_eq!(home.keiko(&format!("add {title} tomorrow 9am")).code, Some(0));
    }
    let until = |line: &str| home.keiko(line).json()["task"]["paused_until"].clone();
    assert_eq!(until("pause 4 2h --json"), "2026-05-13T18:00:00-04:00");
    assert_eq!(until("pause 2 until tomorrow 8am --json"), "2026-05-14T08:00:00-04:00");
    let ran = home.keiko("pause 1 3 10m --json").json();
    let ends = ran["results"].as_array().expect("two").iter().map(|each| each["task"]["paused_until"].clone());
    assert_eq!(ends.collect::<Vec<_>>(), ["2026-05-13T16:10:00-04:00"; 2]);
    assert_eq!(home.keiko("pause 2h").code, Some(2), "only a time");
}

#[test]
fn what_changes_many_gives_the_id_of_each_and_the_fields_of_one() {
    let home = Home::with_daemon();
    let add = |title: &str| home.keiko(&format!("add {title} tomorrow 9am --print-id")).stdout;
    let mut expected = [add("a"), add("b")];
    expected.sort();
    for line in ["pause --all --print-id", "resume --all --print-id", "undo --print-id"] {
        let ran = home.keiko(line).stdout;
        let mut ids: Vec<String> = ran.lines().map(|line| format!("{line}\n")).collect();
        ids.sort();
        assert_eq!(ids, expected, "{line}");
    }
    assert_eq!(home.keiko("resume --all").code, Some(0));
    let fields = |line: &str| {
        let told = home.keiko(line).json();
        told.as_object().expect("an object").keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(fields("pause 1 --json"), fields("pause --all --json"));
    assert_eq!(fields("resume 1 --json"), fields("resume --all --json"));
    let events = home.keiko("events --json").stdout;
    assert!(events.lines().all(|line| line.starts_with("{\"schema_version\":1,")), "{events}");
}
