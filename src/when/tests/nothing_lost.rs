//! Is each word about time that a sentence has in what it is read as?

use super::*;

/// Monday at half past nine.
#[track_caller]
fn check_monday(table: &[(&str, &str)]) {
    let context = context_at("2026-11-30 09:30", "UTC");
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(text, expected)| {
            let found = read(text, &context);
            (found != *expected).then(|| format!("{text}\n    expected {expected}\n    found    {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_time_of_day_behind_a_stretch_of_days_is_that_of_its_start() {
    check_monday(&[
        ("camp tomorrow to friday 8am", "Tue 2026-12-01 08:00 · camp"),
        ("trip dec 24 - dec 29 7:45", "Thu 2026-12-24 07:45 · trip"),
        ("trip from dec 24 to dec 29 at noon", "Thu 2026-12-24 12:00 · trip"),
        ("course next tuesday - thursday at 13:15", "Tue 2026-12-08 13:15 · course"),
        ("camp tomorrow to friday in the evening", "Tue 2026-12-01 19:00 · camp"),
        ("fair dec 5 to dec 8 9-17", "Sat 2026-12-05 09:00 · fair"),
        // What is said of the end alone, and a start that has its own time.
        ("fair monday 9am to friday 5pm", "Mon 2026-12-07 09:00 · fair"),
        ("fair friday 9am to saturday", "Fri 2026-12-04 09:00 · fair"),
        ("away friday until sunday 5pm", "Fri 2026-12-04 09:00 · away"),
        ("away tue-thu", "Tue 2026-12-01 09:00 · away"),
    ]);
}

#[test]
fn a_stretch_of_weekdays_with_a_time_of_day_comes_each_week() {
    check_monday(&[
        (
            "scrum mon-thu 9:45",
            "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH;BYHOUR=9;BYMINUTE=45;BYSECOND=0 from Mon 2026-11-30 09:45 · scrum",
        ),
        ("lock up thu-sat 23:00", "FREQ=WEEKLY;BYDAY=TH,FR,SA;BYHOUR=23 from Thu 2026-12-03 23:00 · lock up"),
        ("lock up 23:00 thu-sat", "FREQ=WEEKLY;BYDAY=TH,FR,SA;BYHOUR=23 from Thu 2026-12-03 23:00 · lock up"),
        ("from tuesday to thursday at 7am run", "FREQ=WEEKLY;BYDAY=TU,WE,TH;BYHOUR=7 from Tue 2026-12-01 07:00 · run"),
        ("run tue through thu in the evening", "FREQ=WEEKLY;BYDAY=TU,WE,TH;BYHOUR=19 from Tue 2026-12-01 19:00 · run"),
        ("周二到周四 7:00 跑步", "FREQ=WEEKLY;BYDAY=TU,WE,TH;BYHOUR=7 from Tue 2026-12-01 07:00 · 跑步"),
        ("tue-thu 7:00 until dec 24", "cannot choose between the times in \"tue-thu 7:00 until dec 24\""),
    ]);
}
