//! The commands that only look.

use serde_json::Value;

use crate::cli::Home;

#[test]
fn history_and_events_tell_what_happened() {
    let home = Home::with_daemon();
    home.keiko("add pay rent tomorrow 3pm");
    home.advance("2026-05-14T15:00:00-04:00");
    home.keiko("done 1");
    let history = home.keiko("history 1 --json").json();
    let events = history["events"].as_array().expect("an array");
    for field in ["event_id", "seq", "at", "from", "to", "late", "op_id", "operation", "values", "reason"] {
        assert!(events.iter().all(|event| event.get(field).is_some()), "an event lacks {field}");
    }
    assert_eq!(events.last().expect("an event")["to"], "COMPLETED");
    assert_eq!(history["deliveries"].as_array().map(Vec::len), Some(1));
    let ran = home.keiko("events --json");
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON a line")).collect();
    assert_eq!(lines.len(), events.len());
    let rest = home.keiko("events --json --since 2");
    assert_eq!(rest.stdout.lines().count(), lines.len() - 2);
    assert_eq!(home.keiko("events --json --limit 1").stdout.lines().count(), 1);
    let narrow = home.keiko_with("history 1", "", |command| {
        command.env("COLUMNS", "60");
    });
    // What the bus says is left out: it is the system's own wording.
    let told = narrow.stdout.split("no session bus").next().unwrap_or_default();
    insta::assert_snapshot!(told, @"
    1  pay rent
    WHEN              WHAT
    Wed 13 May 16:00  added
    Wed 13 May 16:00  armed
    Thu 14 May 15:00  fired      by the clock
    Thu 14 May 15:00  completed  done

    sent
    WHEN              TO       STATUS
    Thu 14 May 15:00  desktop  withdrawn
    ");
    insta::assert_snapshot!(home.transcript(&["events"]), @"
    $ keiko events
       1  Wed 13 May 16:00  1 pay rent  added  → created
       2  Wed 13 May 16:00  1 pay rent  armed  created → scheduled
       3  Thu 14 May 15:00  1 pay rent  fired  scheduled → due  by the clock
       4  Thu 14 May 15:00  1 pay rent  completed  due → done  done
    ");
}

#[test]
fn the_screen_without_a_command_is_sorted_for_programs_too() {
    let home = Home::with_daemon();
    for line in ["add one in 1m", "add two tomorrow", "add three", "add four friday", "pause 4"] {
        home.keiko(line);
    }
    home.advance("2026-05-13T16:05:00-04:00");
    let screen = home.keiko("--json").json();
    let numbers = |group: &str| -> Vec<u64> {
        screen[group].as_array().expect("a group").iter().filter_map(|task| task["number"].as_u64()).collect()
    };
    assert_eq!(numbers("due"), [1]);
    assert_eq!(numbers("next"), [2]);
    assert_eq!(numbers("no_time"), [3]);
    assert_eq!(numbers("paused"), [4]);
    insta::assert_snapshot!(home.transcript(&[""]), @"
    $ keiko
    due
      1  today    16:01  4m ago  one

    next
      2  tomorrow 09:00  in 17h  two

    paused: 4
    no time: 3
    ");
}

#[test]
fn the_status_of_the_daemon_has_what_programs_watch() {
    let home = Home::with_daemon();
    home.keiko("add pay rent tomorrow 3pm");
    let status = home.keiko("daemon status --json").json();
    assert!(status["pid"].as_u64().is_some_and(|pid| pid > 1));
    assert!(status["uptime_s"].is_u64());
    assert_eq!(status["next"]["number"], 1);
    assert_eq!(status["counts"]["pending"], 1);
    assert_eq!(home.keiko("rpc daemon.status").json()["pid"], status["pid"]);
}

#[test]
fn a_task_is_shown_whole() {
    let home = Home::with_daemon();
    home.keiko("add 'pay rent' tomorrow 3pm --alert 1h,0 --note 'to the landlord' --priority high +home");
    let shown = home.transcript(&["show 1"]);
    // The id is another each time.
    let shown: Vec<&str> = shown.lines().filter(|line| !line.starts_with("  id ")).collect();
    insta::assert_snapshot!(shown.join("\n"), @"
    $ keiko show 1
    1  ! pay rent +home
      stage     scheduled
      due       Thu 14 May 2026 15:00 EDT (in 23h)
      speaks    Thu 14 May 2026 14:00 EDT (in 22h)
      alerts    1h before, when due
      via       desktop
      note      to the landlord
      added     Wed 13 May 2026 16:00 EDT (now)
    ");
}

#[test]
fn of_a_limited_list_those_are_shown_that_are_due_first() {
    let home = Home::with_daemon();
    for line in ["add third friday 3pm", "add second tomorrow 3pm", "add fourth", "add first in 5m"] {
        assert_eq!(home.keiko(line).code, Some(0), "{line}");
    }
    let ran = home.keiko("list --limit 2");
    assert!(ran.stdout.contains("first") && ran.stdout.contains("second") && !ran.stdout.contains("third"), "{ran:?}");
    assert!(ran.stdout.contains("and 2 more: a higher --limit, or none, shows them"), "{ran:?}");
    let json = home.keiko("list --limit 2 --json").json();
    let titles: Vec<&str> =
        json["tasks"].as_array().expect("tasks").iter().filter_map(|task| task["title"].as_str()).collect();
    assert_eq!(titles, ["first", "second"]);
    assert!(!home.keiko("list --limit 4").stdout.contains("more:"));
}

#[test]
fn a_filter_that_fits_nothing_says_so_and_what_was_likely_meant() {
    let home = Home::with_daemon();
    assert_eq!(home.keiko("list").stdout, "no tasks\n");
    assert_eq!(home.keiko("add rent tomorrow 3pm +home").code, Some(0));
    let check = |line: &str, told: &str, hint: &str| {
        let ran = home.keiko(line);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), format!("no task fits {told}\n").as_str()), "{ran:?}");
        assert!(ran.stderr.ends_with(hint), "{line}: {ran:?}");
    };
    check("list today", "--text \"today\"", "hint: did you mean keiko list --due today?\n");
    check("list overdue", "--text \"overdue\"", "hint: did you mean keiko list --stage late?\n");
    check("list +hoem", "+hoem", "hint: did you mean keiko list +home?\n");
    check("list --tag home --series", "+home --series", "");
    assert_eq!(home.keiko("list +hoem --json").json()["tasks"], serde_json::json!([]));
}

#[test]
fn words_that_hold_no_time_may_be_a_title_and_a_tag_to_add_is_told_how() {
    let home = Home::with_daemon();
    assert_eq!(home.keiko("add rent tomorrow 3pm --tag home").code, Some(0));
    assert_eq!(home.keiko("show 1 --json").json()["task"]["tags"], serde_json::json!(["home"]));
    let ran = home.keiko("edit 1 call dad");
    assert!(ran.stderr.ends_with("; a new title is --title \"call dad\"\n"), "{ran:?}");
    let ran = home.keiko("edit 1 --tag work --priority high");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("keiko edit 1 +work adds it"), "{ran:?}");
}
