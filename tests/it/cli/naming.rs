//! Which task is meant: by words of titles, by numbers too long, and when it has ended.

use crate::cli::Home;

#[test]
fn a_whole_title_wins_over_a_part_of_another() {
    let home = Home::with_daemon();
    for title in ["'tea party'", "tea", "steam", "naps", "'plan N'"] {
        home.keiko(&format!("add {title} --at 'tomorrow 9am'"));
    }
    insta::assert_snapshot!(home.transcript(&["done tea", "done n", "done te", "done steam"]), @r#"
    $ keiko done tea
    done 2  tea
    $ keiko done n
    done 5  plan N
    $ keiko done te
    ! error: cannot tell which task "te" means: 1 tea party, 3 steam
    ! hint: name one by its number
    [exit 4]
    $ keiko done steam
    done 3  steam
    "#);
}

#[test]
fn questions_find_what_has_ended_by_its_title() {
    let home = Home::with_daemon();
    home.keiko("add alpha --at 'tomorrow 9am'");
    home.keiko("add beta --at 'tomorrow 9am'");
    home.keiko("add alphabet --at 'tomorrow 9am'");
    home.keiko("done 1-2");
    insta::assert_snapshot!(home.transcript(&[
        "done alpha",
        "done beta",
        "add later tomorrow --waits-for beta",
    ]), @r#"
    $ keiko done alpha
    ! error: cannot tell which task "alpha" means: 1 alpha, 3 alphabet
    ! hint: name one by its number
    [exit 4]
    $ keiko done beta
    ! error: cannot find an open task named "beta": 2 beta has ended
    ! hint: keiko why 2 tells how it ended; what has ended is named by its number
    [exit 4]
    $ keiko add later tomorrow --waits-for beta
    added 4  later  Thu 14 May 2026 09:00 EDT (in 17h)
    ! warning: 2 is done already, so it is not waited for
    "#);
    for question in ["show beta", "why beta", "history beta", "show beta"] {
        let ran = home.keiko(question);
        assert_eq!(ran.code, Some(0), "{question}: {ran:?}");
    }
    assert_eq!(home.keiko("show alpha --json").json()["task"]["number"], 1, "its whole title");
    home.keiko("add beta --at 'tomorrow 9am'");
    assert_eq!(home.keiko("show beta --json").json()["task"]["number"], 5, "an open one is preferred");
    home.keiko("done 5");
    assert_eq!(home.keiko("show beta").code, Some(4), "two have ended");
}

#[test]
fn a_number_too_long_is_named_as_it_was_typed() {
    let home = Home::with_daemon();
    insta::assert_snapshot!(home.transcript(&["done 99999999999999999999", "list --limit 0", "agenda today --limit 0"]), @r#"
    $ keiko done 99999999999999999999
    ! error: cannot find a task named "99999999999999999999"
    ! hint: keiko list shows the open tasks, keiko list --all those that have ended too
    [exit 4]
    $ keiko list --limit 0
    ! error: invalid value '0' for '--limit <N>': expected a number from 1 on
    ! hint: run keiko list --help to see how it is used
    [exit 2]
    $ keiko agenda today --limit 0
    ! error: invalid value '0' for '--limit <N>': expected a number from 1 on
    ! hint: run keiko agenda --help to see how it is used
    [exit 2]
    "#);
}

#[test]
fn what_is_missing_is_said_in_words_of_the_command_line() {
    let home = Home::with_daemon();
    insta::assert_snapshot!(home.transcript(&[
        "add tea tomorrow --delay 10m",
        "add tea tomorrow --on-parent-fail run",
        "add tea tomorrow --waits-for 1 --on-parent-fail perhaps",
        "add tea tomorrow --nag-max 3",
        "add tea tomorrow --nag 0",
        "add tea tomorrow --deadline-alert 1h",
        "cancel --stage nosuch",
        "done -5",
        "add tea tomorrow --nag -5m",
        "away off --except med",
    ]), @r#"
    $ keiko add tea tomorrow --delay 10m
    ! error: cannot use --delay alone: expected --waits-for beside it
    ! hint: keiko help tells what each command takes
    [exit 2]
    $ keiko add tea tomorrow --on-parent-fail run
    ! error: cannot use --on-parent-fail alone: expected --waits-for beside it
    ! hint: keiko help tells what each command takes
    [exit 2]
    $ keiko add tea tomorrow --waits-for 1 --on-parent-fail perhaps
    ! error: cannot find a task named "1"
    ! hint: keiko list shows the open tasks, keiko list --all those that have ended too
    [exit 4]
    $ keiko add tea tomorrow --nag-max 3
    ! error: cannot use --nag-max alone: expected --nag beside it
    ! hint: keiko help tells what each command takes
    [exit 2]
    $ keiko add tea tomorrow --nag 0
    ! error: cannot use "0" as a length of time: expected more than nothing
    ! hint: say how long, such as 10m or 2h
    [exit 3]
    $ keiko add tea tomorrow --deadline-alert 1h
    ! error: cannot use --deadline-alert alone: expected --deadline beside it
    ! hint: keiko help tells what each command takes
    [exit 2]
    $ keiko cancel --stage nosuch
    ! error: there is no stage "nosuch": expected scheduled, due, late, running, retrying, held, snoozed, paused, waiting, blocked, no time, past deadline, missed, failed, done, unanswered, cancelled
    ! hint: keiko help tells what each command takes
    [exit 2]
    $ keiko done -5
    ! error: unexpected argument '-5' found
    ! hint: what begins with a minus is an option; as a value it stands behind --: -- -5
    [exit 2]
    $ keiko add tea tomorrow --nag -5m
    ! error: unexpected argument '-5' found
    ! hint: a value that begins with a minus is written --nag=-5m
    [exit 2]
    $ keiko away off --except med
    ! error: cannot use --except with off: nothing is held then
    ! hint: leave it out; keiko away until monday 9am --except +med sets it anew
    [exit 2]
    "#);
    home.keiko("add one in 10s");
    home.keiko("add two in 10s");
    home.advance("2026-05-13T16:01:00-04:00");
    insta::assert_snapshot!(home.transcript(&["done"]), @"
    $ keiko done
    ! error: cannot tell which task is meant, since several are due: 1 one, 2 two
    ! hint: name one by its number
    [exit 4]
    ");
}
