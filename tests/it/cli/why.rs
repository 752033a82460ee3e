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
