//! Tasks of Taskwarrior become tasks of Keiko, and go back.

use proptest::prelude::*;

use super::*;
use crate::cli::render::fixture::task;

fn here() -> Here {
    let now = Timestamp::from_millis(1_778_702_400_000).expect("Wednesday 13 May 2026 16:00 in New York");
    Here { now, zone: chrono_tz::America::New_York, with_silent: false }
}

const ID: &str = "11111111-1111-4111-8111-111111111111";

fn told(task: Value) -> String {
    let mut task = task;
    if let Some(fields) = task.as_object_mut() {
        fields.entry("uuid").or_insert(json!(ID));
        fields.entry("description").or_insert(json!("x"));
    }
    let entries = entries(&format!("[{task}]"), here()).expect("JSON");
    match &entries[0].found {
        Found::Silent => "left out, it is silent".to_owned(),
        Found::LeftOut(why) => format!("left out, {why}"),
        Found::Refused(why) => format!("refused, {why}"),
        Found::Task(draft) => {
            let add = &draft.add;
            let parts = [
                add.at.as_ref().map(|at| format!("at {at}")),
                add.every.as_ref().map(|every| format!("every {every}")),
                add.rrule.as_ref().map(|rule| format!("rule {rule}")),
                add.from.as_ref().map(|from| format!("from {from}")),
                add.until.as_ref().map(|until| format!("until {until}")),
                add.priority.map(|priority| format!("{priority:?}")),
                add.tags.as_ref().map(|tags| tags.join("+")),
                add.notes.as_ref().map(|notes| format!("notes {notes:?}")),
                (!draft.waits.is_empty()).then(|| format!("waits for {}", draft.waits.join("+"))),
                (!draft.remarks.is_empty()).then(|| format!("({})", draft.remarks.join("; "))),
            ];
            parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
        }
    }
}

#[test]
fn each_attribute_is_kept_or_said_not_to_be() {
    let check = |task: Value, expected: &str| assert_eq!(told(task), expected);
    check(
        json!({"due": "20261213T140000Z", "priority": "H", "tags": ["a"], "project": "home.food"}),
        "at 2026-12-13T09:00:00-05:00, High, a+home.food",
    );
    check(json!({"scheduled": "20261213T140000Z", "priority": "L"}), "at 2026-12-13T09:00:00-05:00, Low");
    check(
        json!({"annotations": [{"entry": "20260101T000000Z", "description": "one"}, {"description": "two"}]}),
        "notes \"one\\ntwo\"",
    );
    check(json!({"depends": ["a", "b"]}), "waits for a+b");
    check(json!({"depends": "a,b"}), "waits for a+b");
    check(json!({"wait": "20261213T140000Z", "status": "waiting", "estimate": 3}), "(not kept: estimate, wait)");
    check(
        json!({"due": "20250101T140000Z"}),
        "notes \"was due 2025-01-01 09:00\", (it was due 2025-01-01 09:00, which has passed)",
    );
    check(json!({"status": "completed"}), "left out, done");
    check(json!({"status": "deleted"}), "left out, deleted");
    check(json!({"status": "odd"}), "refused, cannot read status \"odd\"");
    check(json!({"due": "soon"}), "refused, cannot read due \"soon\": expected a time such as 20261213T090000Z");
    check(json!({"uuid": "7"}), "refused, expected a UUID in uuid, found \"7\"");
    check(json!({"description": " "}), "refused, it has no description");
    check(json!(7), "refused, expected a JSON object");
}

#[test]
fn what_recurs_goes_on_from_its_next_time() {
    let recur =
        |recur: &str| told(json!({"status": "recurring", "due": "20260101T140000Z", "recur": recur, "mask": "-"}));
    assert_eq!(recur("daily"), "rule FREQ=DAILY;INTERVAL=1, from 2026-05-14T09:00:00");
    assert_eq!(recur("3days"), "rule FREQ=DAILY;INTERVAL=3, from 2026-05-16T09:00:00");
    assert_eq!(recur("weekdays"), "rule FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR, from 2026-05-14T09:00:00");
    assert_eq!(recur("P1M"), "rule FREQ=MONTHLY;INTERVAL=1, from 2026-06-01T09:00:00");
    assert_eq!(recur("2 quarters"), "rule FREQ=MONTHLY;INTERVAL=6, from 2026-07-01T09:00:00");
    assert_eq!(recur("PT6H"), "every 21600 seconds");
    assert_eq!(recur("moonly"), "refused, cannot keep recur \"moonly\": expected such as weekly, 3days or P1M");
    let child =
        json!({"parent": ID, "uuid": "22222222-2222-4222-8222-222222222222", "description": "x", "status": "pending"});
    let both = format!(
        "{}\n{child}",
        json!({"uuid": ID, "description": "x", "status": "recurring", "recur": "daily", "due": "20260101T140000Z"})
    );
    let found = entries(&both, here()).expect("JSON");
    assert_eq!(found[1].found, Found::LeftOut("a time of a series that is in the file"));
    assert!(matches!(found[0].found, Found::Task(_)));
}

#[test]
fn a_broken_line_stops_no_other_and_a_broken_list_is_refused_whole() {
    let text = format!("{}\n{{broken\n", json!({"uuid": ID, "description": "x"}));
    let found = entries(&text, here()).expect("lines");
    assert!(matches!((&found[0].found, &found[1].found), (Found::Task(_), Found::Refused(_))));
    assert!(entries("[{", here()).is_err());
}

#[test]
fn what_taskwarrior_does_not_know_is_said_of_each_task() {
    let bare = task(&json!({ "number": 3 }));
    let rich = task(&json!({
        "link": "https://example.org", "alerts": ["-1h", "0"], "nag_ms": 600_000, "missed": "skip", "max_late_s": 60,
    }));
    let (_, remarks) = written(&[bare, rich]);
    assert_eq!(
        remarks,
        ["12 pay rent: its nag, what becomes of missed times, how late it may be, its link and when it speaks before \
          or after have no form in Taskwarrior, and are left out"]
    );
}

proptest! {
    #[test]
    fn nothing_that_is_read_makes_it_panic(recur in "\\PC{0,12}", due in "[0-9TZ-]{0,20}", text in "\\PC{0,40}") {
        let _ = told(json!({"status": "recurring", "recur": recur, "due": due, "description": text}));
        let _ = entries(&text, here());
    }
}
