//! What was done is taken back, and what was deleted is out of sight.

use serde_json::Value;

use crate::cli::Home;

fn ops(home: &Home) -> Vec<Value> {
    home.keiko("op list --json").json()["ops"].as_array().expect("an array").clone()
}

#[test]
fn undo_walks_back_and_never_does_again_by_itself() {
    let home = Home::with_daemon();
    insta::assert_snapshot!(home.transcript(&[
        "add tea --at 'tomorrow 9am'",
        "add call --at 'tomorrow 3pm'",
        "done 1",
        "edit 2 --title 'call home'",
        "undo",
        "undo",
        "list",
        "undo",
        "show 2",
        "undo",
        "undo",
    ]), @"
    $ keiko add tea --at 'tomorrow 9am'
    added 1  tea  Thu 14 May 2026 09:00 EDT (in 17h)
    $ keiko add call --at 'tomorrow 3pm'
    added 2  call  Thu 14 May 2026 15:00 EDT (in 23h)
    $ keiko done 1
    done 1  tea
    $ keiko edit 2 --title 'call home'
    changed 2  call home  Thu 14 May 2026 15:00 EDT (in 23h)
    $ keiko undo
    taken back: edit 2 call home
      2 call is scheduled  Thu 14 May 2026 15:00 EDT (in 23h)
    $ keiko undo
    taken back: done 1 tea
      1 tea is scheduled  Thu 14 May 2026 09:00 EDT (in 17h)
    $ keiko list
    #  WHEN                    STAGE      TITLE
    1  tomorrow 09:00  in 17h  scheduled  tea
    2  tomorrow 15:00  in 23h  scheduled  call
    $ keiko undo
    taken back: add 2 call
      2 call is deleted
    $ keiko show 2
    ! error: cannot use task 2: it was deleted
    ! hint: keiko undo brings it back for 30 days; keiko op list shows which change to take back
    [exit 4]
    $ keiko undo
    taken back: add 1 tea
      1 tea is deleted
    $ keiko undo
    ! error: cannot undo: there is nothing to take back
    ! hint: keiko op list shows what was done; keiko undo OP takes one of it back
    [exit 5]
    ");
    let all = ops(&home);
    assert_eq!(all.iter().filter(|op| op["undone_by"].is_null()).count(), 4, "{all:?}");
    assert_eq!(all[0]["verb"], "undo");
}

#[test]
fn a_command_for_several_tasks_is_taken_back_as_one() {
    let home = Home::with_daemon();
    for title in ["one", "two", "three"] {
        home.keiko(&format!("add {title} --at 'tomorrow 9am'"));
    }
    insta::assert_snapshot!(home.transcript(&["done 1-3", "undo", "pause --all", "undo", "list"]), @"
    $ keiko done 1-3
    done 1  one
    done 2  two
    done 3  three
    $ keiko undo
    taken back: done 3 tasks: 1, 2, 3
      1 one is scheduled  Thu 14 May 2026 09:00 EDT (in 17h)
      2 two is scheduled  Thu 14 May 2026 09:00 EDT (in 17h)
      3 three is scheduled  Thu 14 May 2026 09:00 EDT (in 17h)
    $ keiko pause --all
    paused 3 tasks: 1 2 3
    $ keiko undo
    taken back: pause 3 tasks: 1, 2, 3
      1 one is scheduled  Thu 14 May 2026 09:00 EDT (in 17h)
      2 two is scheduled  Thu 14 May 2026 09:00 EDT (in 17h)
      3 three is scheduled  Thu 14 May 2026 09:00 EDT (in 17h)
    $ keiko list
    #  WHEN                    STAGE      TITLE
    1  tomorrow 09:00  in 17h  scheduled  one
    2  tomorrow 09:00  in 17h  scheduled  two
    3  tomorrow 09:00  in 17h  scheduled  three
    ");
    let done = ops(&home).into_iter().find(|op| op["verb"] == "done").expect("it is there");
    assert_eq!((&done["total"], &done["text"]), (&3.into(), &"done 3 tasks: 1, 2, 3".into()));
    let id = done["op_id"].as_str().expect("an id");
    assert_eq!(home.keiko(&format!("undo {id}")).code, Some(5), "it was taken back already");
    let undo = done["undone_by"].as_str().expect("an id");
    insta::assert_snapshot!(home.transcript(&[&format!("undo {undo} -q"), "list --done"]).replace(undo, "OP"), @"
    $ keiko undo [id] -q
    $ keiko list --done
    #  WHEN              STAGE  TITLE
    1  today 16:00  now  done   one
    2  today 16:00  now  done   two
    3  today 16:00  now  done   three
    ");
    assert_eq!(home.keiko(&format!("op show {undo}")).code, Some(0));
    assert_eq!(home.keiko("undo 12345678").code, Some(4));
}

#[test]
fn what_cannot_be_taken_back_is_said_and_nothing_is_half_done() {
    let home = Home::with_daemon();
    home.keiko("add pills --every 'day at 9am'");
    home.keiko("add tea --at 'tomorrow 8am'");
    home.advance("2026-05-14T09:10:00-04:00");
    home.keiko("done 1 2");
    home.advance("2026-05-15T09:10:00-04:00");
    insta::assert_snapshot!(home.transcript(&["undo", "list --done"]), @"
    $ keiko undo
    ! error: cannot undo what was done to task 1: its next time has come up already
    ! hint: nothing was taken back; keiko undo [id] takes back the one before it: add 2 tea
    [exit 5]
    $ keiko list --done
    #  WHEN                     STAGE  TITLE
    2  yesterday 09:10  1d ago  done   tea
    ");
}

#[test]
fn a_key_undoes_once() {
    let home = Home::with_daemon();
    home.keiko("add tea --at 'tomorrow 9am'");
    home.keiko("add milk --at 'tomorrow 9am'");
    let first = home.keiko("undo --key k --json").json();
    let again = home.keiko("undo --key k --json").json();
    assert_eq!((&first["changed"], &again["changed"]), (&true.into(), &false.into()));
    assert_eq!(first["undone"]["op_id"], again["undone"]["op_id"]);
    assert_eq!(home.keiko("list --json").json()["tasks"].as_array().map(Vec::len), Some(1));
}

#[test]
fn what_is_deleted_is_out_of_sight_and_comes_back() {
    let home = Home::with_daemon();
    home.keiko("add tea --at 'tomorrow 9am'");
    home.keiko("add cups --waits-for 1");
    insta::assert_snapshot!(home.transcript(&[
        "delete 1", "list", "show 1", "done 1", "undo", "list", "rm 1",
    ]), @r#"
    $ keiko delete 1
    deleted 1  tea  keiko undo brings it back for 30 days
      2 cups is blocked: 1 deleted; keiko unblock 2 lets it go on without
    $ keiko list
    #  WHEN  STAGE               TITLE
    2  –     blocked: 1 deleted  cups
    $ keiko show 1
    ! error: cannot use task 1: it was deleted
    ! hint: keiko undo brings it back for 30 days; keiko op list shows which change to take back
    [exit 4]
    $ keiko done 1
    ! error: cannot use task 1: it was deleted
    ! hint: keiko undo brings it back for 30 days; keiko op list shows which change to take back
    [exit 4]
    $ keiko undo
    taken back: delete 1 tea
      1 tea is scheduled  Thu 14 May 2026 09:00 EDT (in 17h)
      2 cups is waiting for 1
    $ keiko list
    #  WHEN                    STAGE          TITLE
    1  tomorrow 09:00  in 17h  scheduled      tea
    2  –                       waiting for 1  cups
    $ keiko rm 1
    ! error: cannot run "rm": there is no such command
    ! hint: run keiko done 1 when it is done, keiko cancel 1 when it is not wanted any more, keiko delete 1 to remove it from sight
    [exit 2]
    "#);
    home.keiko("delete 1");
    home.advance("2026-07-20T09:00:00-04:00");
    insta::assert_snapshot!(home.transcript(&["show 1", "undo", "add milk --at 'tomorrow 9am'"]), @"
    $ keiko show 1
    ! error: cannot use task 1: it was deleted for good
    ! hint: nothing brings it back; keiko add makes a new one
    [exit 4]
    $ keiko undo
    ! error: cannot undo: there is nothing to take back
    ! hint: keiko op list shows what was done; keiko undo OP takes one of it back
    [exit 5]
    $ keiko add milk --at 'tomorrow 9am'
    added 3  milk  Tue 21 Jul 2026 09:00 EDT (in 1d)
    ");
}

#[test]
fn what_waits_for_several_waits_for_all_again_whatever_the_order_in_which_they_are_taken_back() {
    for verb in ["done", "cancel", "delete"] {
        for rule in ["hold", "run", "cancel"] {
            let home = Home::with_daemon();
            home.keiko("add one --at 'tomorrow 10am'");
            home.keiko("add two --at 'tomorrow 10am'");
            home.keiko(&format!("add child --at 'tomorrow 9am' --waits-for 1,2 --on-parent-fail {rule}"));
            let before = home.keiko("list --json").json()["tasks"].clone();
            let seen = |tasks: &Value| -> Vec<(Value, Value, Value)> {
                let tasks = tasks.as_array().expect("an array");
                tasks
                    .iter()
                    .map(|task| (task["title"].clone(), task["stage"].clone(), task["waits_for"].clone()))
                    .collect()
            };
            home.keiko(&format!("{verb} 2 1"));
            home.keiko("undo");
            let after = home.keiko("list --json").json()["tasks"].clone();
            assert_eq!(seen(&after), seen(&before), "{verb}, {rule}");

            // What ends with either of the two ends with the other still, which nobody takes back for it.
            if rule == "cancel" && verb != "done" {
                continue;
            }
            home.keiko(&format!("{verb} 1"));
            home.keiko(&format!("{verb} 2"));
            let second = ops(&home)[0]["op_id"].as_str().expect("an id").to_owned();
            let first = ops(&home)[1]["op_id"].as_str().expect("an id").to_owned();
            for op in [first, second] {
                home.keiko(&format!("undo {op}"));
            }
            let after = home.keiko("list --json").json()["tasks"].clone();
            assert_eq!(seen(&after), seen(&before), "{verb}, {rule}, out of order");
        }
    }
}

#[test]
fn being_away_is_a_change_like_any_other_and_what_cannot_be_taken_back_names_the_one_before_it() {
    let home = Home::with_daemon();
    home.keiko("add keepme --at 'tomorrow 3pm'");
    home.keiko("add tea --at 'in 5m'");
    let transcript =
        home.transcript(&["away for 2h", "undo", "away", "away for 2h", "away off", "undo", "away", "undo"]);
    insta::assert_snapshot!(transcript, @"
    $ keiko away for 2h
    away until Wed 13 May 2026 18:00 EDT  undo: keiko away off
    what comes by itself is held until Wed 13 May 2026 18:00 EDT
    $ keiko undo
    taken back: away
    $ keiko away
    you are not away
    $ keiko away for 2h
    away until Wed 13 May 2026 18:00 EDT  undo: keiko away off
    what comes by itself is held until Wed 13 May 2026 18:00 EDT
    $ keiko away off
    you are not away any more
    $ keiko undo
    taken back: away off
    $ keiko away
    away until Wed 13 May 2026 18:00 EDT  undo: keiko away off
    what comes by itself is held until Wed 13 May 2026 18:00 EDT
    $ keiko undo
    taken back: away
    ");
    home.keiko("add now --at 'in 1m' --via terminal");
    home.keiko("pause 2 --for 1m");
    home.advance("2026-05-13T16:30:00-04:00");
    insta::assert_snapshot!(home.transcript(&["undo"]), @"
    $ keiko undo
    ! error: cannot undo what was done to task 2: it has rung since
    ! hint: nothing was taken back; keiko undo [id] takes back the one before it: add 3 now
    [exit 5]
    ");
}

#[test]
fn a_snooze_that_stands_again_is_told_by_when_it_speaks() {
    let home = Home::with_daemon();
    home.keiko("add tea --at 'tomorrow 11am'");
    let told = home.transcript(&["snooze 1 1h --early", "snooze 1 3h --early", "undo"]);
    insta::assert_snapshot!(told, @"
    $ keiko snooze 1 1h --early
    snoozed 1  tea  until Wed 13 May 2026 17:00 EDT (in 1h)
    $ keiko snooze 1 3h --early
    snoozed 1  tea  until Wed 13 May 2026 19:00 EDT (in 3h)
    $ keiko undo
    taken back: snooze 1 tea
      1 tea is snoozed  until Wed 13 May 2026 17:00 EDT (in 1h)
    ");
}
