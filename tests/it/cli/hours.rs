//! From when to when: the hours and days that `away`, `agenda` and `list --due` take.

use crate::cli::Home;

#[test]
fn an_absence_over_midnight_is_that_night() {
    let home = Home::with_daemon();
    insta::assert_snapshot!(home.transcript(&[
        "away 10pm..6am",
        "away 11pm-7am",
        "away tomorrow 2am..tomorrow 4am",
        "away tomorrow 4am..tomorrow 2am",
        "away off",
    ]), @r#"
    $ keiko away 10pm..6am
    away from Wed 13 May 2026 22:00 EDT until Thu 14 May 2026 06:00 EDT  undo: keiko away off
    $ keiko away 11pm-7am
    away from Wed 13 May 2026 23:00 EDT until Thu 14 May 2026 07:00 EDT  undo: keiko away off
    ! warning: this takes the place of the time from Wed 13 May 2026 22:00 (America/New_York) to Thu 14 May 2026 06:00 (America/New_York)
    $ keiko away tomorrow 2am..tomorrow 4am
    away from Thu 14 May 2026 02:00 EDT until Thu 14 May 2026 04:00 EDT  undo: keiko away off
    ! warning: this takes the place of the time from Wed 13 May 2026 23:00 (America/New_York) to Thu 14 May 2026 07:00 (America/New_York)
    $ keiko away tomorrow 4am..tomorrow 2am
    ! error: cannot set "tomorrow 4am..tomorrow 2am": the end lies before the beginning
    ! hint: say until when, for how long, or both ends, such as `until 5pm`, `for 2h` or `friday 5pm..monday 9am`
    [exit 3]
    $ keiko away off
    you are not away any more
    "#);
    home.advance("2026-05-13T21:50:00-04:00");
    insta::assert_snapshot!(home.transcript(&["away 2am..4am", "away 9pm..6am"]), @"
    $ keiko away 2am..4am
    away from Thu 14 May 2026 02:00 EDT until Thu 14 May 2026 04:00 EDT  undo: keiko away off
    $ keiko away 9pm..6am
    away until Thu 14 May 2026 06:00 EDT  undo: keiko away off
    what comes by itself is held until Thu 14 May 2026 06:00 EDT
    ! warning: this takes the place of the time from Thu 14 May 2026 02:00 (America/New_York) to Thu 14 May 2026 04:00 (America/New_York)
    ");
}

#[test]
fn an_agenda_of_some_months_begins_now() {
    let home = Home::with_daemon();
    home.keiko("add rent on the 1st of every month at 9am");
    insta::assert_snapshot!(home.transcript(&["agenda 3 months", "agenda tomorrow 10pm..6am", "agenda 10pm..6am"]), @"
    $ keiko agenda 3 months
    Mon 1 Jun
      1  09:00  rent

    Wed 1 Jul
      1  09:00  rent

    Sat 1 Aug
      1  09:00  rent
    $ keiko agenda tomorrow 10pm..6am
    nothing rings or runs before Fri 15 May 2026 06:00 EDT
    $ keiko agenda 10pm..6am
    nothing rings or runs before Thu 14 May 2026 06:00 EDT
    ");
}

#[test]
fn due_hours_are_those_of_today() {
    let home = Home::with_daemon();
    home.keiko("add walk today 8pm");
    home.keiko("add sleep today 11pm");
    home.advance("2026-05-13T23:30:00-04:00");
    insta::assert_snapshot!(home.transcript(&["list --due 7pm..9pm", "list --due 10pm..2am"]), @"
    $ keiko list --due 7pm..9pm
    #  WHEN                 STAGE  TITLE
    1  today 20:00  4h ago  due    walk
    $ keiko list --due 10pm..2am
    #  WHEN                  STAGE  TITLE
    2  today 23:00  30m ago  due    sleep
    ");
}
