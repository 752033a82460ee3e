//! `keiko export`, `keiko import`, `keiko backup --keep` and `keiko restore`: what is kept leaves, comes back, and is put back.

use std::fs;

use serde_json::{Value, json};

use crate::cli::Home;

const LATER: &str = "2026-05-13T16:30:00-04:00";

/// A home with some of each: due and answered, repeating, waiting, paused, deleted, and a time away.
fn lived_in() -> Home {
    let home = Home::with_daemon();
    for line in [
        "add tea in 20m",
        "add pay rent tomorrow 3pm +home --priority high --note '两 lines'",
        "add water the plants every 2 days at 9am",
        "add 'mow; the, lawn' --waits-for 2",
        "add paint friday 10am --alert 1h,0",
        "add gone next monday 9am",
        "away tomorrow 8am..tomorrow 10am",
        "pause 5",
        "delete 6",
        "done 3 --early",
    ] {
        let ran = home.keiko(line);
        assert_eq!(ran.code, Some(0), "{line}: {ran:?}");
    }
    home.advance(LATER);
    home
}

/// What a home says, but for which device says it.
fn said(home: &Home) -> Vec<Value> {
    let mut said: Vec<Value> =
        ["list --all --json", "op list --json", "away --json"].map(|line| home.keiko(line).json()).into();
    // That it was brought in is said where it was.
    let ops = said[1]["ops"].as_array_mut().expect("a list");
    ops.retain(|op| op["verb"] != "import");
    for op in ops {
        op["is_next"] = Value::Null;
    }
    let events = home.keiko("events --json").stdout;
    said.extend(events.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")));
    for number in 1..=5 {
        said.extend(["show", "why"].map(|verb| home.keiko(&format!("{verb} {number} --json")).json()));
        said.push(home.keiko(&format!("history {number} --json")).json()["events"].clone());
    }
    said.iter_mut().for_each(without_device);
    said
}

fn without_device(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("device");
            fields.remove("warnings");
            // Why a delivery waits is told by the machine that tells it.
            fields.remove("last_error");
            fields.values_mut().for_each(without_device);
        }
        Value::Array(list) => list.iter_mut().for_each(without_device),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn export(home: &Home, line: &str) -> String {
    let ran = home.keiko(line);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.stdout
}

#[track_caller]
fn import(home: &Home, text: &str, options: &str) -> crate::cli::Ran {
    home.keiko_with(&format!("import - {options}"), text, |_| {})
}

#[test]
fn an_empty_home_becomes_the_one_that_was_exported_and_nothing_rings_twice() {
    let home = lived_in();
    let text = export(&home, "export");
    let other = Home::with_daemon();
    other.advance(LATER);
    let told = import(&other, &text, "--dry-run --json").json();
    assert_eq!((&told["added"], &told["finished"], &told["dry_run"]), (&json!(6), &json!(true), &json!(true)));
    assert_eq!(other.keiko("list --all --json").json()["tasks"], json!([]));
    let imported = import(&other, &text, "");
    assert_eq!((imported.code, imported.stdout.as_str()), (Some(0), "added 6 tasks; 0 are here already, 0 refused\n"));
    let (expected, found) = (said(&home), said(&other));
    for (expected, found) in expected.iter().zip(&found) {
        assert_eq!(found, expected);
    }
    // The same life goes on in both.
    for home in [&home, &other] {
        home.advance("2026-05-15T12:00:00-04:00");
    }
    let fired = |home: &Home| {
        let history = home.keiko("history 1 --json").json();
        let events = history["events"].as_array().expect("a list").clone();
        events.iter().filter(|event| event["operation"] == "fired").count()
    };
    assert_eq!((fired(&home), fired(&other)), (1, 1));
    let again = import(&other, &text, "");
    assert_eq!(again.stdout, "added 0 tasks; 6 are here already, 0 refused\n");
}

/// The titles of the tasks that are here, by number.
fn titles(home: &Home) -> Vec<String> {
    let listed = home.keiko("list --all --json").json();
    let tasks = listed["tasks"].as_array().expect("a list").clone();
    let mut tasks: Vec<(u64, String)> = tasks
        .iter()
        .map(|task| (task["number"].as_u64().expect("a number"), task["title"].as_str().expect("text").to_owned()))
        .collect();
    tasks.sort();
    tasks.into_iter().map(|(_, title)| title).collect()
}

#[test]
fn what_an_import_brought_goes_with_one_undo_and_comes_back() {
    let home = Home::with_daemon();
    for line in ["add tea tomorrow 9am", "add mow --waits-for 1", "add rent tomorrow 3pm", "done 3 --early"] {
        assert_eq!(home.keiko(line).code, Some(0));
    }
    let text = export(&home, "export");
    let other = Home::with_daemon();
    assert_eq!(other.keiko("add mine tomorrow 8am").code, Some(0));
    let ran = import(&other, &text, "");
    assert!(ran.stderr.contains("keiko undo takes it back: it deletes what came in"), "{ran:?}");
    let all = ["mine", "mow", "rent", "tea"];
    let known = || {
        let mut titles = titles(&other);
        titles.sort();
        titles
    };
    assert_eq!(known(), all);
    let ran = other.keiko("undo");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(titles(&other), ["mine"]);
    // Nobody is told that what a deleted task waits for was deleted.
    let deliveries = other.keiko("rpc delivery.list {}").json();
    assert_eq!(deliveries["deliveries"], json!([]), "{deliveries}");
    let again = import(&other, &text, "");
    assert_eq!(again.stdout, "added 0 tasks; 3 are here already, 0 refused\n");
    assert!(again.stderr.contains("3 of those that are here already are deleted here"), "{again:?}");
    let ops = other.keiko("op list --json").json();
    let undo = ops["ops"].as_array().and_then(|ops| ops.iter().find(|op| op["verb"] == "undo")).expect("it is listed");
    let ran = other.keiko(&format!("undo {}", undo["op_id"].as_str().expect("an id")));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(known(), all);
    // What is known elsewhere as an import brought nothing there.
    let third = Home::with_daemon();
    assert_eq!(import(&third, &export(&other, "export"), "").code, Some(0));
    let fourth = Home::with_daemon();
    assert_eq!(import(&fourth, &export(&third, "export"), "").code, Some(0));
    let ops = fourth.keiko("op list --json").json();
    let older = ops["ops"].as_array().and_then(|ops| ops.iter().filter(|op| op["verb"] == "import").nth(1));
    let older = older.and_then(|op| op["op_id"].as_str()).expect("it came with the file").to_owned();
    let ran = fourth.keiko(&format!("undo {older}"));
    assert!(ran.code == Some(5) && ran.stderr.contains("not known here"), "{ran:?}");
    assert_eq!(fourth.keiko("undo").code, Some(0));
    assert_eq!(titles(&fourth), [""; 0]);
}

#[test]
fn what_waits_for_a_task_that_is_not_there_goes_on_as_if_that_was_deleted() {
    let home = Home::with_daemon();
    for line in [
        "add parent tomorrow 9am",
        "add held --waits-for 1 +kid",
        "add goes on --waits-for 1 --on-parent-fail run +kid",
        "add ends --waits-for 1 --on-parent-fail cancel +kid",
        "add whole +kid",
        "add of the file --waits-for 5 +kid",
    ] {
        assert_eq!(home.keiko(line).code, Some(0), "{line}");
    }
    let ran = home.keiko("export --tag kid");
    assert!(ran.stderr.contains("2 waits for 1, which is not written"), "{ran:?}");
    assert!(!ran.stderr.contains("6 waits for"), "{ran:?}");
    let other = Home::with_daemon();
    assert_eq!(other.keiko("add another tomorrow 9am").code, Some(0));
    assert_eq!(import(&other, &ran.stdout, "").code, Some(0));
    let stage = |number: u64| other.keiko(&format!("show {number} --json")).json()["task"]["stage"].clone();
    assert_eq!([2, 3, 4, 6].map(stage), ["blocked: - deleted", "due", "cancelled", "waiting for 5"].map(Value::from));
    // What is told of it does not name the task that has that number here.
    let told = other.keiko("list").stdout;
    assert!(told.contains("blocked: - deleted"), "{told}");
    // Where the parent has ended meanwhile, that counts.
    let third = Home::with_daemon();
    assert_eq!(import(&third, &export(&home, "export"), "").code, Some(0));
    assert_eq!(third.keiko("done 1 --early").code, Some(0));
    let late = home.keiko("add late --waits-for 1 +late");
    assert_eq!(late.code, Some(0));
    assert_eq!(import(&third, &export(&home, "export --tag late"), "").code, Some(0));
    assert_eq!(third.keiko("show 7 --json").json()["task"]["state"], "RUNNING");
}

#[test]
fn where_there_are_tasks_theirs_stay_and_open_ones_get_another_number() {
    let home = Home::with_daemon();
    for line in ["add tea tomorrow 9am", "add rent tomorrow 3pm", "done 2 --early"] {
        assert_eq!(home.keiko(line).code, Some(0));
    }
    let other = Home::with_daemon();
    for line in ["add mine tomorrow 8am", "add mine too tomorrow 8am"] {
        assert_eq!(other.keiko(line).code, Some(0));
    }
    let ran = import(&other, &export(&home, "export"), "");
    assert_eq!(
        ran.stdout,
        "added 2 tasks; 0 are here already, 0 refused\n2 have another number here, or none where they have ended: theirs is taken\n"
    );
    let listed = other.keiko("list --all --json").json();
    let mut numbers: Vec<(u64, String)> = listed["tasks"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|task| (task["number"].as_u64().expect("a number"), task["title"].as_str().expect("a title").to_owned()))
        .collect();
    numbers.sort();
    let expected = [(0, "rent"), (1, "mine"), (2, "mine too"), (3, "tea")];
    assert_eq!(numbers, expected.map(|(number, title)| (number, title.to_owned())));
    // Undone or changed, it is the same task under its id, and numbers go on behind those that people have seen.
    assert_eq!(other.keiko("done 3 --early").code, Some(0));
    let added = other.keiko("add next tomorrow 9am --json").json();
    assert_eq!(added["task"]["number"], 4);
}

#[test]
fn what_is_cut_off_or_changed_by_hand_is_refused_whole() {
    let home = Home::with_daemon();
    assert_eq!(home.keiko("add tea tomorrow 9am").code, Some(0));
    let text = export(&home, "export");
    let other = Home::with_daemon();
    let cut = text.lines().take(5).collect::<Vec<_>>().join("\n");
    let ran = import(&other, &cut, "");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("the file is cut off"), "{ran:?}");
    let changed = text.lines().map(|line| {
        let line = if line.starts_with("{\"tasks\"") {
            line.replace("\"version\":", "\"version\":7")
        } else {
            line.to_owned()
        };
        line + "\n"
    });
    let ran = import(&other, &changed.collect::<String>(), "");
    assert!(ran.code == Some(1) && ran.stderr.contains("do not fit together"), "{ran:?}");
    let ran = import(&other, &text.replacen("{\"tasks\"", "{\"tasks", 1), "--format jsonl");
    assert!(ran.code == Some(1) && ran.stderr.contains("cannot read line"), "{ran:?}");
    let ran = import(&other, "hello", "");
    assert!(ran.code == Some(2) && ran.stderr.contains("--format says so"), "{ran:?}");
    assert_eq!(other.keiko("list --all --json").json()["tasks"], json!([]));
}

#[test]
fn some_tasks_leave_with_their_history_and_nothing_else() {
    let home = lived_in();
    let file = home.path().join("home.jsonl");
    let ran = home.keiko("export home.jsonl --tag home");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "exported 1 tasks to home.jsonl\n"));
    let text = fs::read_to_string(&file).expect("it was written");
    assert!(text.contains("pay rent") && !text.contains("water the plants"), "{text}");
    assert_eq!(home.keiko("export home.jsonl").code, Some(2), "it takes no file's place");
    assert_eq!(home.keiko("export home.jsonl --force").code, Some(0));
    let other = Home::with_daemon();
    assert_eq!(import(&other, &text, "").stdout, "added 1 tasks; 0 are here already, 0 refused\n");
    assert_eq!(other.keiko("show 2 --json").json()["task"]["title"], "pay rent");
}

#[test]
fn a_tag_where_the_name_of_a_file_stands_is_refused_and_nothing_written() {
    let home = Home::with_daemon();
    let ran = home.keiko("export --format taskwarrior +gov");
    assert!(ran.code == Some(2) && ran.stderr.contains("--tag gov exports what has it"), "{ran:?}");
    assert!(!home.path().join("+gov").exists());
    assert_eq!(home.keiko("export --format taskwarrior ./+gov").code, Some(0));
    assert!(home.path().join("+gov").exists());
}

#[test]
fn hooks_are_not_told_of_what_came_in() {
    let text = export(&lived_in(), "export");
    let other = Home::empty();
    let journal = other.path().join("journal");
    let hook = format!(
        "[[hooks]]\nname = 'all'\non = ['created', 'completed']\ncommand = ['sh', '-c', 'echo told >> {}']\n",
        journal.display()
    );
    other.configure(&format!("channels = [\"desktop\"]\n{hook}"));
    let other = other.start();
    assert_eq!(import(&other, &text, "").code, Some(0));
    assert_eq!(other.keiko("add mine tomorrow 9am").code, Some(0));
    // In order: when the last is told, all before it would have been.
    while !journal.exists() {
        std::thread::yield_now();
    }
    let status = other.keiko("rpc hook.list").json();
    assert_eq!(status["hooks"][0]["waiting"], 0, "{status}");
    assert_eq!(fs::read_to_string(&journal).expect("it was written"), "told\n");
}

#[test]
fn a_calendar_comes_in_once_and_what_cannot_is_said() {
    let home = Home::with_daemon();
    let calendar = "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:a\r\nSUMMARY:rent\r\nDUE:20260601T090000\r\nEND:VTODO\r\n\
        BEGIN:VTODO\r\nUID:b\r\nSUMMARY:odd\r\nDUE:soon\r\nEND:VTODO\r\n\
        BEGIN:VTODO\r\nUID:c\r\nSUMMARY:done\r\nSTATUS:COMPLETED\r\nEND:VTODO\r\n\
        BEGIN:VTODO\r\nUID:d\r\nSUMMARY:never\r\nDTSTART:20260601T090000\r\nRRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30\r\nEND:VTODO\r\n\
        END:VCALENDAR\r\n";
    fs::write(home.path().join("c.ics"), calendar).expect("a file of the test's own");
    let dry = home.keiko("import c.ics --dry-run --json");
    let told = dry.json();
    assert_eq!(dry.code, Some(1));
    assert_eq!((&told["added"].as_array().map(Vec::len), &told["left_out"]), (&Some(1), &json!({"done": 1})));
    let refused: Vec<&str> = told["refused"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|each| each["place"].as_str().expect("a place"))
        .collect();
    assert_eq!(refused, ["line 7 (odd)", "line 17 (never)"]);
    assert_eq!(home.keiko("list --json").json()["tasks"], json!([]));
    let ran = home.keiko("import c.ics");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.starts_with("added 1  rent  Mon 1 Jun 2026 09:00 EDT"), "{ran:?}");
    assert!(ran.stdout.ends_with("added 1; 0 here already, 1 left out, 2 refused (left out: 1 done)\n"), "{ran:?}");
    let again = home.keiko("import c.ics --json").json();
    assert_eq!((&again["already_there"], &again["added"]), (&json!(1), &json!([])));
    // All that came in goes with one undo.
    assert_eq!(home.keiko("export --format ics").stdout.matches("BEGIN:VTODO").count(), 1);
}

#[test]
fn events_that_ring_nowhere_are_named_and_come_in_where_that_is_wished() {
    let home = Home::with_daemon();
    let event = "BEGIN:VEVENT\r\nUID:a\r\nSUMMARY:dentist\r\nDTSTART:20260601T090000\r\nEND:VEVENT\r\n";
    let calendar = format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{event}END:VCALENDAR\r\n");
    let ran = import(&home, &calendar, "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("warning: line 3 (dentist): left out, it is an event without an alarm\n"), "{ran:?}");
    assert!(ran.stderr.contains("hint: --without-alarm takes them too"), "{ran:?}");
    assert_eq!(import(&home, &calendar, "--json").json()["without_alarm"], json!(["line 3 (dentist)"]));
    let ran = import(&home, &calendar, "--without-alarm");
    assert!(ran.stdout.starts_with("added 1  dentist  Mon 1 Jun 2026 09:00 EDT"), "{ran:?}");
}

#[test]
fn what_holds_for_all_that_comes_in_is_said_once() {
    let home = Home::with_daemon();
    let todo = |uid: &str| format!("BEGIN:VTODO\r\nUID:{uid}\r\nSUMMARY:{uid}\r\nDUE:20260514T150000\r\nEND:VTODO\r\n");
    let calendar =
        format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{}{}{}END:VCALENDAR\r\n", todo("a"), todo("b"), todo("c"));
    for options in ["--dry-run", ""] {
        let ran = import(&home, &calendar, options);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(ran.stderr.matches("nobody can be reached").count(), 1, "{ran:?}");
    }
}

#[test]
fn tasks_of_taskwarrior_come_in_once_and_go_back_under_their_names() {
    let home = Home::with_daemon();
    let text = r#"[{"uuid":"11111111-1111-4111-8111-111111111111","description":"cook","status":"pending",
        "depends":["22222222-2222-4222-8222-222222222222"]},
        {"uuid":"22222222-2222-4222-8222-222222222222","description":"shop","status":"pending","due":"20260601T130000Z","project":"food"}]"#;
    let ran = import(&home, text, "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(home.keiko("show 2 --json").json()["task"]["waits_for"], json!([1]));
    assert_eq!(import(&home, text, "--json").json()["already_there"], 2);
    let back: Value = serde_json::from_str(&export(&home, "export --format taskwarrior")).expect("JSON");
    assert_eq!(back[1]["depends"], json!(["22222222-2222-4222-8222-222222222222"]));
    assert_eq!(
        (&back[0]["project"], &back[0]["due"], &back[0]["status"]),
        (&json!("food"), &json!("20260601T130000Z"), &json!("pending"))
    );
    let undone = home.keiko("undo");
    assert_eq!((undone.code, home.keiko("list --json").json()["tasks"].clone()), (Some(0), json!([])), "{undone:?}");
}

#[test]
fn a_backup_is_put_back_and_what_was_there_is_kept() {
    let mut home = Home::with_daemon();
    assert_eq!(home.keiko("add first tomorrow 9am").code, Some(0));
    assert_eq!(home.keiko("backup copy.db").code, Some(0));
    assert_eq!(home.keiko("add second tomorrow 10am").code, Some(0));
    let checked = home.keiko("restore copy.db --dry-run --json").json();
    assert_eq!((&checked["tasks"], &checked["restored"]), (&json!(1), &json!(false)));
    let told = home.keiko("restore copy.db --dry-run").stdout;
    assert!(told.contains("whole, 1 tasks, last changed Wed 13 May"), "{told}");
    let beside = ["copy.db-wal", "copy.db-shm"].map(|name| home.path().join(name).exists());
    assert_eq!(beside, [false, false]);
    let refused = home.keiko("restore copy.db");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("--yes agrees to that"), "{refused:?}");
    let foreign = home.keiko("restore config.toml --yes");
    assert_eq!(foreign.code, Some(9), "{foreign:?}");
    assert_eq!(home.keiko("list --json").json()["tasks"].as_array().map(Vec::len), Some(2));
    let restored = home.keiko("restore copy.db --yes --json").json();
    // It runs on the system's clock now, and is ended as such.
    home.kill();
    let titles = |home: &Home| {
        let listed = home.keiko("list --json").json();
        let titles = listed["tasks"].as_array().expect("a list").iter().map(|task| task["title"].clone());
        titles.collect::<Vec<_>>()
    };
    assert_eq!(titles(&home), ["first"]);
    let kept = restored["kept"].as_str().expect("a file");
    let undone = home.keiko("undo");
    assert_eq!((undone.code, titles(&home)), (Some(4), vec![json!("first")]), "{undone:?}");
    assert!(undone.stderr.contains(&format!("hint: keiko restore {kept} brings it back; keiko undo ")), "{undone:?}");
    let restored = home.keiko(&format!("restore {kept} --yes"));
    assert_eq!(restored.code, Some(0), "{restored:?}");
    assert_eq!(titles(&home), ["first", "second"]);
}

#[test]
fn of_backups_under_a_date_the_latest_are_kept() {
    let home = Home::with_daemon();
    let folder = home.path().join("copies");
    fs::create_dir(&folder).expect("a directory of the test's own");
    for name in ["keiko-2026-01-01T00-00-00Z.db", "keiko-2026-01-02T00-00-00Z.db", "keiko-mine.db", "other.db"] {
        fs::write(folder.join(name), "x").expect("a file of the test's own");
    }
    let answer = home.keiko("backup copies --keep 2 --json").json();
    assert_eq!(answer["removed"].as_array().map(Vec::len), Some(1), "{answer}");
    let mut left: Vec<_> =
        fs::read_dir(&folder).expect("a directory").map(|entry| entry.expect("a file").file_name()).collect();
    left.sort();
    assert_eq!(left, ["keiko-2026-01-02T00-00-00Z.db", "keiko-2026-05-13T20-00-00Z.db", "keiko-mine.db", "other.db"]);
    let refused = home.keiko("backup copies/own.db --keep 2");
    assert_eq!(refused.code, Some(2), "{refused:?}");
}
