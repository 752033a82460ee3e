//! Several tasks are changed alike: by a filter, a tag or a range.

use crate::cli::Home;

#[test]
fn several_tasks_are_edited_alike() {
    let home = Home::with_daemon();
    home.keiko("add one tomorrow +work");
    home.keiko("add two tomorrow +work");
    home.keiko("add three friday");
    home.keiko("add four every day at 9am");
    insta::assert_snapshot!(home.transcript(&[
        "edit +work --priority high",
        "edit --due friday saturday 10am +later",
        "edit 1-2 --note both",
        "edit --tag work --dry-run",
        "edit --tag work --title same",
        "edit --series --this 10am",
        "edit +nosuch --priority low",
        "edit +work",
        "edit --stage scheduled 11am",
        "undo",
        "list",
    ]), @r#"
    $ keiko edit +work --priority high
    changed 1  ! one +work  Thu 14 May 2026 09:00 EDT (in 17h)
    changed 2  ! two +work  Thu 14 May 2026 09:00 EDT (in 17h)
    $ keiko edit --due friday saturday 10am +later
    changed 3  three +later  Sat 16 May 2026 10:00 EDT (in 2d 18h)
    $ keiko edit 1-2 --note both
    changed 1  ! one +work  Thu 14 May 2026 09:00 EDT (in 17h)
    changed 2  ! two +work  Thu 14 May 2026 09:00 EDT (in 17h)
    $ keiko edit --tag work --dry-run
    #  WHEN                    STAGE      TITLE
    1  tomorrow 09:00  in 17h  scheduled  ! one +work
    2  tomorrow 09:00  in 17h  scheduled  ! two +work
    $ keiko edit --tag work --title same
    ! error: cannot use --title for several tasks: it is for one
    ! hint: name one task; tags, priority, note, link, channels, time and alerts are changed for several
    [exit 2]
    $ keiko edit --series --this 10am
    ! error: cannot use --this or --following for several tasks: it is for one
    ! hint: name one task; tags, priority, note, link, channels, time and alerts are changed for several
    [exit 2]
    $ keiko edit +nosuch --priority low
    ! error: no open task fits +nosuch
    ! hint: keiko list with the same filter and --all also shows what has ended
    [exit 4]
    $ keiko edit +work
    ! error: cannot edit the tasks with +work: nothing to change was given
    ! hint: say what is to change, such as: keiko edit +work tomorrow 4pm
    [exit 2]
    $ keiko edit --stage scheduled 11am
    changed 1  ! one +work  Thu 14 May 2026 11:00 EDT (in 19h)
    changed 2  ! two +work  Thu 14 May 2026 11:00 EDT (in 19h)
    changed 3  three +later  Thu 14 May 2026 11:00 EDT (in 19h)
    ! error: cannot edit task 4: it repeats, and one time would end that: expected a repetition
    ! hint: `keiko edit 4 --this 11am` moves its open time only, `keiko edit 4 --every "day at 11am"` all of them
    [exit 5]
    $ keiko undo
    taken back: edit 3 tasks: 1, 2, 3
      1 ! one +work is scheduled  Thu 14 May 2026 09:00 EDT (in 17h)
      2 ! two +work is scheduled  Thu 14 May 2026 09:00 EDT (in 17h)
      3 three +later is scheduled  Sat 16 May 2026 10:00 EDT (in 2d 18h)
    $ keiko list
    #  WHEN                      STAGE      TITLE
    1  tomorrow   09:00  in 17h  scheduled  ! one +work
    2  tomorrow   09:00  in 17h  scheduled  ! two +work
    4  tomorrow   09:00  in 17h  scheduled  four (repeats)
    3  Sat 16 May 10:00  in 3d   scheduled  three +later
    "#);
    assert_eq!(home.keiko("edit +work --note x --json").json()["results"].as_array().map(Vec::len), Some(2));
}

#[test]
fn what_failed_is_sent_again_by_a_filter() {
    let home = Home::with_daemon();
    home.keiko("add one in 10s +x");
    home.keiko("add two in 10s");
    home.advance("2026-05-13T16:01:00-04:00");
    insta::assert_snapshot!(home.transcript(&["retry +x", "retry --tag x --dry-run", "retry --stage failed", "retry"]), @r#"
    $ keiko retry +x
    nothing to send again 1  one +x
    ! warning: nothing of it has failed; what is held goes out with keiko channel resume
    $ keiko retry --tag x --dry-run
    #  WHEN                  STAGE  TITLE
    1  today 16:00  50s ago  due    one +x
    $ keiko retry --stage failed
    ! error: no open task fits --stage "failed"
    ! hint: keiko list with the same filter and --all also shows what has ended
    [exit 4]
    $ keiko retry
    ! error: the following required arguments were not provided: <TASK>...
    ! hint: such as keiko retry 7; keiko retry --help says more
    [exit 2]
    "#);
}

#[test]
fn nothing_is_due_of_a_series_that_was_done() {
    let home = Home::with_daemon();
    home.keiko("add drink every day at 9am");
    home.advance("2026-05-14T09:00:00-04:00");
    insta::assert_snapshot!(home.transcript(&["done drink", "done drink", "ack drink", "snooze drink"]), @"
    $ keiko done drink
    done 1  drink  next Fri 15 May 2026 09:00 EDT (in 1d)
    $ keiko done drink
    already done 1  drink  next Fri 15 May 2026 09:00 EDT (in 1d)
    $ keiko ack drink
    nothing is due of 1  drink  next Fri 15 May 2026 09:00 EDT (in 1d)
    $ keiko snooze drink
    nothing is due of 1  drink  next Fri 15 May 2026 09:00 EDT (in 1d)
    ");
}

#[test]
fn unblocking_what_waits_for_nothing_any_more_is_no_change() {
    let home = Home::with_daemon();
    home.keiko("add first tomorrow");
    home.keiko("add second tomorrow --waits-for 1");
    home.keiko("done 1");
    insta::assert_snapshot!(home.transcript(&["unblock 2", "undo"]), @"
    $ keiko unblock 2
    waits for no task: 2  second  Thu 14 May 2026 09:00 EDT (in 17h)
    $ keiko undo
    taken back: done 1 first
      1 first is scheduled  Thu 14 May 2026 09:00 EDT (in 17h)
      2 second is waiting for 1
    ");
}

#[test]
fn programs_are_told_at_night_as_well() {
    let home = Home::empty();
    home.configure(
        "channels = [\"desktop\"]\n[quiet]\nhours = \"22:00-07:00\"\n[webhooks.hook]\nurl = \"http://127.0.0.1:9/x\"\n",
    );
    let home = home.start();
    insta::assert_snapshot!(home.transcript(&[
        "add prog --every 2h --from 11pm --via webhook:hook",
        "add both --every 2h --from 11pm --via webhook:hook,desktop",
    ]), @"
    $ keiko add prog --every 2h --from 11pm --via webhook:hook
    added 1  prog  Wed 13 May 2026 23:00 EDT (in 7h)
      repeats Wed 13 May 23:00, Thu 14 May 01:00, Thu 14 May 03:00 (also at night)
    $ keiko add both --every 2h --from 11pm --via webhook:hook,desktop
    added 2  both  Wed 13 May 2026 23:00 EDT (in 7h)
      repeats Wed 13 May 23:00, Thu 14 May 01:00, Thu 14 May 03:00 (also at night)
    ! warning: it is quiet then: what it says is held until 07:00
    ");
}

#[test]
fn the_operation_that_undo_takes_is_marked() {
    let home = Home::with_daemon();
    home.keiko("add one tomorrow");
    home.keiko("add two tomorrow");
    home.keiko("done 2");
    home.keiko("undo");
    let marked = |home: &Home| {
        let answer = home.keiko("op list --json").json();
        let ops = answer["ops"].as_array().expect("an array").clone();
        let next = ops.iter().filter(|op| op["is_next"] == true);
        next.map(|op| op["text"].as_str().expect("words").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(marked(&home), ["add 2 two"]);
    let listed = home.keiko("op list").stdout;
    let marks: Vec<&str> = listed.lines().filter(|line| line.ends_with("undo takes this one")).collect();
    assert_eq!(marks.len(), 1, "{listed}");
    home.keiko("undo");
    home.keiko("undo");
    assert_eq!(marked(&home), [""; 0]);
}

#[test]
fn what_was_missed_is_not_what_comes_next() {
    let home = Home::with_daemon();
    home.keiko("add old --at 'today 5pm' --missed skip");
    home.keiko("rpc clock.advance '{\"to\":\"2026-05-13T19:00:00-04:00\",\"how\":\"sleep\"}'");
    insta::assert_snapshot!(home.transcript(&[""]), @"
    $ keiko
    missed
      1  today 17:00  2h ago  old
    ! warning: 1 missed within the last seven days, and not made up for; keiko status tells what
    ");
}

#[test]
fn a_pause_beside_another_names_it() {
    let home = Home::with_daemon();
    home.keiko("add one tomorrow +x");
    home.keiko("add two tomorrow");
    insta::assert_snapshot!(home.transcript(&[
        "pause --all",
        "pause --tag x",
        "resume --tag x",
        "resume --all",
        "pause --tag x",
        "pause --all",
        "resume --tag x",
        "pause --tag nosuch",
    ]), @"
    $ keiko pause --all
    paused 2 tasks: 1 2
    $ keiko pause --tag x
    paused no task
    ! warning: what there is of +x sleeps already, with the pause of all tasks; what is added or comes up meanwhile sleeps with this pause too
    $ keiko resume --tag x
    resumed no task
    ! warning: the pause of all tasks still holds: keiko resume --all ends it
    $ keiko resume --all
    resumed 2 tasks: 1 2
    $ keiko pause --tag x
    paused 1 task: 1
    $ keiko pause --all
    paused 1 task: 2
    $ keiko resume --tag x
    resumed no task
    ! warning: the pause of all tasks still holds: keiko resume --all ends it
    $ keiko pause --tag nosuch
    paused no task
    ! warning: nothing of +nosuch is awake now; what is added or comes up meanwhile sleeps with this pause too
    ");
}

#[test]
fn a_time_of_day_alone_moves_one_time_within_its_own_day() {
    let home = Home::with_daemon();
    home.keiko("add standup every friday at 9am");
    home.keiko("add walk every day at 6pm");
    insta::assert_snapshot!(home.transcript(&["edit 1 --this at 6am", "edit 2 --this 7pm", "edit 2 --this tomorrow 7pm"]), @"
    $ keiko edit 1 --this at 6am
    changed 1  standup  Fri 15 May 2026 06:00 EDT (in 1d 14h)
      this time only, in place of Fri 15 May 09:00
      repeats Fri 15 May 06:00, Fri 22 May 09:00, Fri 29 May 09:00
    $ keiko edit 2 --this 7pm
    changed 2  walk  Wed 13 May 2026 19:00 EDT (in 3h)
      this time only, in place of Wed 13 May 18:00
      repeats Wed 13 May 19:00, Thu 14 May 18:00, Fri 15 May 18:00
    $ keiko edit 2 --this tomorrow 7pm
    ! error: cannot edit this time only of task 2: Thu 14 May 2026 19:00 (America/New_York) is not before its next time, Thu 14 May 2026 18:00 (America/New_York)
    ! hint: give an earlier time, or pass this one over with skip
    [exit 5]
    ");
}

#[test]
fn a_change_from_a_time_on_is_named_by_both_tasks() {
    let home = Home::with_daemon();
    home.keiko("add standup every day at 9am");
    home.keiko("edit 1 --following --every 'day at 10am'");
    insta::assert_snapshot!(home.transcript(&["undo"]), @"
    $ keiko undo
    taken back: edit 2 tasks: 1, 2
      1 standup is scheduled  Thu 14 May 2026 09:00 EDT (in 17h)
      2 standup is deleted
    ");
}
