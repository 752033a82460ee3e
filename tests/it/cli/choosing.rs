//! The agenda, and tasks that are meant by what is true of them: filters of `list` and of what changes tasks.

use crate::cli::{Home, binary};
use crate::support::pty::Pty;

/// Returns a home with tasks of several sorts, at 16:05.
fn home() -> Home {
    let home = Home::with_daemon();
    for line in [
        "add 'tea' in 1m",
        "add 'pay rent' tomorrow 3pm +home",
        "add 'standup' every weekday at 9:30 +work",
        "add 'buy milk' +home",
        "add '喝水' --every '30 minutes'",
        "add 'gym' friday 6pm",
        "pause 6",
    ] {
        let ran = home.keiko(line);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    home.advance("2026-05-13T16:05:00-04:00");
    home
}

#[test]
fn an_agenda_tells_what_rings_day_by_day() {
    let home = home();
    insta::assert_snapshot!(home.transcript(&["agenda tomorrow", "agenda 2026-06-01..2026-06-02 --limit 2", "agenda tea"]), @r#"
    $ keiko agenda tomorrow
    Thu 14 May  tomorrow
      5  00:00-23:30  喝水  every 30m, 48 times
      3        09:30  standup +work
      2        15:00  pay rent +home

    paused until resumed: 6
    $ keiko agenda 2026-06-01..2026-06-02 --limit 2
    Mon 1 Jun
      5  00:00-23:30  喝水  every 30m, 48 times
      3        09:30  standup +work

    and 2 more: name fewer days, or a higher --limit
    paused until resumed: 6
    $ keiko agenda tea
    ! error: cannot find a time in "tea"
    ! hint: say when, such as `tomorrow 3pm` or `in 20 minutes`
    [exit 3]
    "#);
    let whole = home.keiko("agenda june --json").json();
    assert_eq!(whole["schema_version"], 1);
    assert_eq!(whole["from"], "2026-06-01T00:00:00-04:00");
    assert_eq!(whole["to"], "2026-07-01T00:00:00-04:00");
    let entries = whole["entries"].as_array().expect("entries");
    assert_eq!(entries.iter().filter(|entry| entry["task"] == 3).count(), 22, "the weekdays of June 2026");
    let times: u64 = entries.iter().filter(|each| each["task"] == 5).filter_map(|each| each["times"].as_u64()).sum();
    assert_eq!(times, 30 * 48);
    let page = home.keiko("rpc agenda.get '{\"range\":\"june\",\"limit\":7}'").json();
    assert_eq!(page["entries"].as_array().map(Vec::len), Some(7));
    let rest = home.keiko(&format!("rpc agenda.get '{{\"range\":\"june\",\"after\":{}}}'", page["next"])).json();
    let count = |answer: &serde_json::Value| answer["entries"].as_array().map_or(0, Vec::len);
    assert_eq!(count(&page) + count(&rest), entries.len());
    let stored = home.keiko("events --json").stdout.lines().count();
    home.keiko("agenda next 3 months");
    assert_eq!(home.keiko("events --json").stdout.lines().count(), stored, "nothing is stored");
}

#[test]
fn a_list_has_what_is_asked_for() {
    let home = home();
    insta::assert_snapshot!(home.transcript(&[
        "list +home",
        "list rent",
        "list --series",
        "list --one-shot --due today",
        "list --before tomorrow --stage due,late",
        "list --stage dew",
    ]), @r#"
    $ keiko list +home
    #  WHEN                    STAGE      TITLE
    2  tomorrow 15:00  in 23h  scheduled  pay rent +home
    4  –                       no time    buy milk +home
    $ keiko list rent
    #  WHEN                    STAGE      TITLE
    2  tomorrow 15:00  in 23h  scheduled  pay rent +home
    $ keiko list --series
    #  WHEN                    STAGE      TITLE
    5  today    16:30  in 25m  scheduled  喝水 (repeats)
    3  tomorrow 09:30  in 17h  scheduled  standup +work (repeats)
    $ keiko list --one-shot --due today
    #  WHEN                 STAGE  TITLE
    1  today 16:01  4m ago  due    tea
    $ keiko list --before tomorrow --stage due,late
    #  WHEN                 STAGE  TITLE
    1  today 16:01  4m ago  due    tea
    $ keiko list --stage dew
    ! error: there is no stage "dew": expected scheduled, due, late, running, retrying, held, snoozed, paused, waiting, blocked, no time, past deadline, missed, failed, done, unanswered, cancelled
    ! hint: did you mean "due"?
    [exit 2]
    "#);
    let numbers = |line: &str| -> Vec<u64> {
        let answer = home.keiko(&format!("{line} --json")).json();
        answer["tasks"].as_array().expect("tasks").iter().filter_map(|task| task["number"].as_u64()).collect()
    };
    assert_eq!(numbers("list --after today --before friday"), [2, 3]);
    assert_eq!(numbers("list --due 'this week' --stage scheduled"), [2, 3, 5]);
    home.advance("2026-05-13T17:05:00-04:00");
    home.keiko("done 2 --early");
    assert_eq!(numbers("list --done"), [2]);
    assert!(numbers("list --attention").contains(&1), "due for an hour and not answered");
}

#[test]
fn a_filter_changes_all_that_it_means_and_one_bad_one_stops_no_other() {
    let home = home();
    insta::assert_snapshot!(home.transcript(&[
        "done --before '16:30' --dry-run",
        "snooze --stage due 10m",
        "cancel +home",
        "done --text nothing-like-this",
        "done --dry-run",
        "done 3 --series",
        "pause --series --for 2h",
        "done --stage paused",
        "done --attention --before 2020-01-01",
    ]), @r#"
    $ keiko done --before '16:30' --dry-run
    #  WHEN                 STAGE  TITLE
    1  today 16:01  4m ago  due    tea
    $ keiko snooze --stage due 10m
    snoozed 1  tea  until Wed 13 May 2026 16:15 EDT (in 10m)
    $ keiko cancel +home
    cancelled 2  pay rent +home
    cancelled 4  buy milk +home
    $ keiko done --text nothing-like-this
    ! error: no open task fits --text "nothing-like-this"
    ! hint: keiko list with the same filter and --all also shows what has ended
    [exit 4]
    $ keiko done --dry-run
    ! error: cannot use --dry-run without a filter: it shows which tasks that means
    ! hint: add a filter, such as --before today; keiko list shows all tasks
    [exit 2]
    $ keiko done 3 --series
    ! error: cannot take both names and a filter: "3" names tasks
    ! hint: leave out one of them; --text finds words in titles
    [exit 2]
    $ keiko pause --series --for 2h
    paused 3  standup +work  until Wed 13 May 2026 18:05 EDT (in 2h), 17h 25m left
    paused 5  喝水  until Wed 13 May 2026 18:05 EDT (in 2h), 25m left
    $ keiko done --stage paused
    done 6  gym
    ! error: cannot complete task 3: it is not due before Thu 14 May 2026 09:30 (America/New_York)
    ! hint: --early means this one all the same
    ! error: cannot complete task 5: it is not due before Wed 13 May 2026 16:30 (America/New_York)
    ! hint: --early means this one all the same
    [exit 5]
    $ keiko done --attention --before 2020-01-01
    ! error: no open task fits --before "2020-01-01" --attention
    ! hint: keiko list with the same filter and --all also shows what has ended
    [exit 4]
    "#);
    let results = home.keiko("resume --stage paused --json").json();
    assert_eq!(results["results"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn a_person_is_asked_before_many_tasks_are_changed() {
    let home = home();
    let keiko = format!(
        "env -i PATH=/usr/bin:/bin TERM=xterm HOME='{home}' XDG_RUNTIME_DIR='{home}/run' KEIKO_DATA_DIR='{home}/data' \
         KEIKO_CONFIG='{home}/config.toml' TZ=America/New_York '{}'",
        binary("keiko").display(),
        home = home.path().display(),
    );
    let mut pty = Pty::run(&format!(
        "{keiko} cancel --after 2020-01-01; echo exit=$?; {keiko} cancel --after 2020-01-01; echo exit=$?; exec cat"
    ));
    pty.wait_for("[y/N] ").await;
    pty.type_line("n").await;
    let shown = pty.wait_for("exit=1").await;
    assert!(shown.contains("cancel 5 tasks? [y/N]"), "{shown}");
    assert!(shown.contains("tea") && shown.contains("pay rent") && shown.contains("gym"), "{shown}");
    assert!(shown.contains("nothing was changed"), "{shown}");
    assert_eq!(home.keiko("list --json").json()["tasks"].as_array().map(Vec::len), Some(6));
    pty.type_line("y").await;
    pty.wait_for("exit=0").await;
    assert_eq!(home.keiko("list --json").json()["tasks"].as_array().map(Vec::len), Some(1));
    // Who is not on a terminal is not asked.
    for line in ["add a in 1h", "add b in 1h", "add c in 1h", "add d in 1h"] {
        home.keiko(line);
    }
    assert_eq!(home.keiko("cancel --due today --json").json()["results"].as_array().map(Vec::len), Some(4));
}

#[test]
fn a_time_where_days_are_expected_is_refused_and_nothing_of_it_is_lost() {
    let home = Home::with_daemon();
    for line in ["add bread tomorrow 9am", "add wine tomorrow 6pm", "away friday"] {
        assert_eq!(home.keiko(line).code, Some(0), "{line}");
    }
    let before = home.keiko("away --json").json()["away"].clone();
    for line in [
        "done --due 'tomorrow 9am' --yes",
        "edit --due 'tomorrow 9am' friday 5pm --yes",
        "list --due 'by friday'",
        "agenda in 20 minutes",
        "away friday 5pm",
        "away 3pm",
        "away from 3pm",
        "away in 20 minutes",
        "away from friday",
        "away foo",
    ] {
        let ran = home.keiko(line);
        assert_eq!(ran.code, Some(3), "{line}: {ran:?}");
        let form = if line.starts_with("away") {
            "`until 5pm`"
        } else if line.starts_with("agenda") {
            "`5pm..9pm`"
        } else {
            "--before and --after"
        };
        assert!(ran.stderr.contains(form), "{line}: {ran:?}");
    }
    assert_eq!(home.keiko("away --json").json()["away"], before);
    assert_eq!(home.keiko("list --json").json()["tasks"].as_array().map(Vec::len), Some(2));
    let found = |line: &str| home.keiko(line).json()["tasks"].as_array().map(Vec::len);
    assert_eq!(found("list --json --due 'tomorrow morning'"), Some(1));
    assert_eq!(found("list --json --due 'tomorrow 6pm..'"), Some(1));
}
