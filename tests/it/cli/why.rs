//! `keiko why` as a person asks it: both programs, and a clock that is moved.

use crate::cli::Home;

#[test]
fn why_did_this_ring_in_the_morning_and_again_in_the_afternoon() {
    let home = Home::with_daemon();
    home.keiko("add 'water the plants' 'every day at 9am'");
    home.advance("2026-05-14T09:00:00-04:00");
    home.advance("2026-05-14T09:05:00-04:00");
    home.keiko("snooze 1 5h");
    home.advance("2026-05-14T14:20:00-04:00");
    insta::assert_snapshot!(home.transcript(&["why 1"]), @r#"
    $ keiko why 1
    1  water the plants
    Wed 13 May 16:00  added by you, for "every day at 9am": first due Thu 14 May 09:00
    Thu 14 May 09:00  rang on time: the alert when due
    Thu 14 May 09:05    desktop: not sent, it was wanted no more: no session bus: DBUS_SESSION_BUS_ADDRESS is not set, and cannot connect to [home]/run/bus: No such file or directory (os error 2)
    Thu 14 May 09:05  you snoozed it until 14:05, for 5h
    Thu 14 May 14:05  rang again: you had snoozed it at 09:05
                        desktop: waits until it is there: no session bus: DBUS_SESSION_BUS_ADDRESS is not set, and cannot connect to [home]/run/bus: No such file or directory (os error 2)
    Thu 14 May 14:20  now: due since 09:00, not answered
    Fri 15 May 09:00  next: the one behind it is due
    "#);
}

#[test]
fn why_says_what_was_held_and_why() {
    let home = Home::empty();
    home.configure("channels = [\"desktop\"]\n[quiet]\nhours = \"22:00-07:00\"\n");
    let home = home.start();
    home.keiko("add drink --every 2h --from 11pm");
    home.advance("2026-05-13T23:30:00-04:00");
    insta::assert_snapshot!(home.transcript(&["why 1"]), @r#"
    $ keiko why 1
    1  drink
    Wed 13 May 16:00  added by you, for "2h": first due 23:00
    Wed 13 May 23:00  came due: the alert when due
                        desktop: held, not told yet
                      held until Thu 14 May 07:00: it was in the quiet hours
    Wed 13 May 23:30  now: due since 23:00, not answered
    Thu 14 May 01:00  next: the one behind it is due
    "#);
    home.advance("2026-05-14T08:00:00-04:00");
    home.keiko("away until 8pm");
    home.advance("2026-05-14T09:30:00-04:00");
    insta::assert_snapshot!(home.transcript(&["why 1 --since '7:30am'"]), @"
    $ keiko why 1 --since '7:30am'
    1  drink
    Thu 14 May 09:00  closed undelivered: it reached nobody before its successor was due
                      came due: the alert when due
                        desktop: held, not told yet
                      held until 20:00: you were away
    Thu 14 May 09:30  now: due since 09:00, not answered
    Thu 14 May 11:00  next: the one behind it is due
    ");
}

#[test]
fn why_says_what_an_undo_brought_back() {
    let home = Home::with_daemon();
    home.keiko("add tea every hour from 4:30pm");
    home.keiko("edit 1 --title coffee");
    home.keiko("undo");
    home.keiko("edit 1 +home");
    home.keiko("undo");
    home.keiko("delete 1");
    home.advance("2026-05-13T18:00:00-04:00");
    home.keiko("undo");
    insta::assert_snapshot!(home.transcript(&["why 1"]), @r#"
    $ keiko why 1
    1  tea
    Wed 13 May 16:00  added by you, for "every hour from 4:30pm": first due 16:30
                      you changed it: the title is "coffee"
                      a change was taken back by you: the title is "tea"
                      you changed it: the tags
                      a change was taken back by you: the tags
                      deleted by you
    Wed 13 May 18:00  brought back by you after it was deleted
                      came due in silence: nothing sent
                      skipped once (17:30): it was deleted then
                      closed unanswered, when the next one was due
                      now: scheduled, due 18:30
    Wed 13 May 18:30  next: the alert when due
    "#);
}

#[test]
fn an_early_snooze_says_that_both_ring() {
    let home = Home::with_daemon();
    home.keiko("add call tomorrow 9am");
    insta::assert_snapshot!(home.transcript(&["snooze 1 until 8pm", "why 1"]), @r#"
    $ keiko snooze 1 until 8pm
    snoozed 1  call  until Wed 13 May 2026 20:00 EDT (in 4h)
    $ keiko why 1
    1  call
    Wed 13 May 16:00  added by you, for "tomorrow 9am": due Thu 14 May 09:00
                      you snoozed it until 20:00, for 4h, before it had rung: it rings then, and the alert when due at its own time as well
                      now: snoozed until 20:00
    Wed 13 May 20:00  next: the alert when due again, as snoozed
    "#);
}
