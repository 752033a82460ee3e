//! What leaves comes back: nothing is lost, nothing is there twice, and what is broken leaves no trace.

use proptest::prelude::*;
use proptest::test_runner::Config;
use tempfile::TempDir;

use crate::domain::event::{Operation, Snapshot};
use crate::domain::import::{Imported, Rehearsal, Why};
use crate::domain::run::{Output, RunStatus};
use crate::domain::state::{Pending, State};
use crate::domain::task::{Number, TaskId};
use crate::domain::waiting::{Parent, Waits};
use crate::store::conformance::samples::{DEVICE, add_tasks, added, change, event, everything, later, run, snapshot};
use crate::store::conformance::strategies::{self, block_on};
use crate::store::memory::MemoryStore;
use crate::store::sqlite::SqliteStore;
use crate::store::{Change, Store, StoreError, Which};

const OTHER_DEVICE: uuid::Uuid = uuid::Uuid::from_u128(77);
const AT: crate::domain::time::Timestamp = crate::domain::time::Timestamp::MIN;

fn open(device: uuid::Uuid) -> (SqliteStore, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    (SqliteStore::open(&directory.path().join("keiko.db"), device).unwrap(), directory)
}

fn export(store: &SqliteStore) -> Vec<String> {
    let mut export = store.export().unwrap();
    let mut lines = Vec::new();
    loop {
        let page = export.page().unwrap();
        if page.is_empty() {
            assert_eq!(lines.len() as u64, export.total());
            return lines;
        }
        lines.extend(page);
    }
}

fn import<L: AsRef<str>>(store: &SqliteStore, lines: &[L], rehearsal: Rehearsal) -> Result<Imported, StoreError> {
    let mut staging = store.stage()?;
    lines.iter().try_for_each(|line| staging.take(line.as_ref()))?;
    let staged = staging.finish()?;
    block_on(store.import(staged, rehearsal, AT))
}

/// What is in a store, but for whose it is and that it came in.
fn content(store: &SqliteStore) -> String {
    everything(store).replace(&OTHER_DEVICE.to_string(), &DEVICE.to_string())
}

/// The lines but for those that say whose they are.
fn rows(lines: &[String]) -> Vec<&String> {
    let whose = ["{\"keiko_export\"", "{\"meta\"", "{\"devices\"", "{\"end\""];
    let is_row = |line: &&String| !whose.iter().any(|word| line.starts_with(word));
    lines.iter().filter(is_row).collect()
}

proptest! {
    #![proptest_config(Config { cases: 24, ..Config::default() })]

    #[test]
    fn an_empty_store_becomes_what_was_exported(batches in strategies::batches()) {
        let (store, _directory) = open(DEVICE);
        let mut last_id = 0;
        // The one that fails leaves no trace in either.
        let memory = MemoryStore::new(DEVICE);
        for steps in batches {
            let change = strategies::change_of(&memory, steps, &mut last_id);
            let _ = block_on(memory.commit(change.clone()));
            let _ = block_on(store.commit(change));
        }
        let lines = export(&store);
        let (other, _other_directory) = open(OTHER_DEVICE);
        let before = everything(&other);
        let told = import(&other, &lines, Rehearsal::Only).unwrap();
        prop_assert_eq!(everything(&other), before);
        let imported = import(&other, &lines, Rehearsal::No).unwrap();
        prop_assert_eq!(&told, &imported);
        prop_assert_eq!(imported.renumbered + imported.there + imported.untaken_total, 0);
        let shown_by = store.identity().unwrap().shown_by;
        let expected = content(&store).replace(&format!("shown_by: {shown_by:#?}"), "shown_by: None");
        prop_assert_eq!(content(&other), expected);
        let mut again = export(&other);
        // What a person did with it is that it was brought in.
        let is_import = |line: &String| line.starts_with("{\"ops\"") && line.contains("\"verb\":\"import\"");
        prop_assert_eq!(again.iter().filter(|line| is_import(line)).count(), usize::from(imported.added > 0));
        again.retain(|line| !is_import(line));
        for (left, right) in rows(&again).into_iter().zip(rows(&lines)) {
            prop_assert_eq!(left, right);
        }
        prop_assert_eq!(rows(&again).len(), rows(&lines).len());
        // The same once more changes nothing.
        let all = store.list(Which::All).unwrap().len() as u64;
        let (before, repeated) = (everything(&other), import(&other, &lines, Rehearsal::No).unwrap());
        prop_assert!(repeated.there >= all && repeated.added == 0 && repeated.events == 0, "{:?}", repeated);
        prop_assert_eq!(everything(&other), before);
    }

    #[test]
    fn what_came_in_in_part_is_joined_by_the_rest_and_nothing_is_there_twice(
        batches in strategies::batches(), parity in 0u64..2, has_mine: bool,
    ) {
        let (store, _directory) = open(DEVICE);
        let (memory, mut last_id) = (MemoryStore::new(DEVICE), 0);
        for steps in batches {
            let change = strategies::change_of(&memory, steps, &mut last_id);
            let _ = block_on(memory.commit(change.clone()));
            let _ = block_on(store.commit(change));
        }
        let lines = export(&store);
        let all = store.list(Which::All).unwrap();
        let some: Vec<String> =
            all.iter().map(|each| &each.task).filter(|task| task.number.0 % 2 == parity).map(|task| task.id.to_string()).collect();
        let (other, _other_directory) = open(OTHER_DEVICE);
        if has_mine {
            commit(&other, 1_000_000, &task(1_000_000, 1, "mine"));
        }
        let part = import(&other, &of_tasks(&lines, &some), Rehearsal::No).unwrap();
        prop_assert_eq!(part.added, some.len() as u64);
        let rest = import(&other, &lines, Rehearsal::No).unwrap();
        prop_assert_eq!((rest.added, rest.there), ((all.len() - some.len()) as u64, some.len() as u64));
        let again = import(&other, &lines, Rehearsal::No).unwrap();
        prop_assert_eq!((again.added, again.events), (0, 0));
    }

    #[test]
    fn what_is_broken_is_refused_and_leaves_no_trace(
        cut in 0usize..400, place in 0usize..4000, bytes in proptest::collection::vec(any::<u8>(), 0..6),
    ) {
        let (store, _directory) = open(DEVICE);
        block_on(add_tasks(&store, 3));
        let lines = export(&store);
        let (other, _other_directory) = open(OTHER_DEVICE);
        let before = everything(&other);
        if cut < lines.len() {
            prop_assert!(import(&other, &lines[..cut], Rehearsal::No).is_err());
        }
        let text = lines.join("\n");
        let place = place % text.len();
        let mut broken = text.as_bytes()[..place].to_vec();
        broken.extend(&bytes);
        broken.extend(&text.as_bytes()[(place + bytes.len()).min(text.len())..]);
        let broken = String::from_utf8_lossy(&broken).into_owned();
        let outcome = import(&other, &broken.lines().collect::<Vec<_>>(), Rehearsal::Only);
        // A title may have changed; whatever else it is, it is an answer.
        let _ = outcome.map(|imported| assert!(imported.added <= 3));
        prop_assert_eq!(everything(&other), before);
    }
}

/// The lines that are of some tasks, as an export of those has them.
fn of_tasks(lines: &[String], tasks: &[String]) -> Vec<String> {
    let is_of = |row: &serde_json::Value, field: &str| tasks.iter().any(|task| row[field] == task.as_str());
    let mut runs = Vec::new();
    let mut chosen: Vec<String> = Vec::new();
    for line in lines {
        let line_of: serde_json::Value = serde_json::from_str(line).unwrap();
        let (word, row) = line_of.as_object().unwrap().iter().next().unwrap();
        let is_wanted = match word.as_str() {
            "keiko_export" | "devices" => true,
            "tasks" => is_of(row, "id"),
            "run_outputs" => runs.contains(&row["run"]),
            _ => is_of(row, "task"),
        };
        if is_wanted {
            chosen.push(line.clone());
            runs.extend((word == "runs").then(|| row["id"].clone()));
        }
    }
    chosen.push(format!("{{\"end\":{{\"lines\":{}}}}}", chosen.len() + 1));
    chosen
}

/// Returns a task like the sample, of another id and number.
fn task(id: u128, number: u64, title: &str) -> Snapshot {
    let mut snapshot = snapshot(number, 13, State::Pending(Pending::default()));
    snapshot.task.id = crate::domain::task::TaskId(uuid::Uuid::from_u128(id));
    snapshot.task.details.title = title.to_owned();
    snapshot
}

fn commit(store: &SqliteStore, event_id: u128, snapshot: &Snapshot) {
    block_on(store.commit(change([added(event_id, snapshot)]))).unwrap();
}

#[test]
fn where_its_number_is_taken_an_open_task_gets_the_next_and_what_ended_gets_none() {
    let (there, _there) = open(DEVICE);
    commit(&there, 1, &task(101, 1, "open"));
    commit(&there, 2, &task(102, 2, "ended"));
    commit(&there, 3, &task(103, 7, "free"));
    let (here, _here) = open(OTHER_DEVICE);
    commit(&here, 11, &task(201, 1, "mine"));
    commit(&here, 12, &task(202, 2, "mine too"));
    let mut lines = export(&there);
    for line in &mut lines {
        if line.contains("\"ended\"") && line.starts_with("{\"tasks\"") {
            *line = line.replace("\"present_state\":\"PENDING\"", "\"present_state\":\"COMPLETED\"");
        }
    }
    let imported = import(&here, &lines, Rehearsal::No).unwrap();
    assert_eq!((imported.added, imported.renumbered, imported.was_empty), (3, 2, false));
    let list = here.list(Which::All).unwrap();
    let told: Vec<_> = list.iter().map(|each| (each.task.number.typed(), each.task.details.title.as_str())).collect();
    assert_eq!(told, [(1, "mine"), (2, "mine too"), (7, "free"), (8, "open"), (0, "ended")]);
    assert_eq!(here.identity().unwrap().next_number.0, 9);
    // Its history says the same.
    let id = list[3].task.id;
    assert_eq!(here.history(id).unwrap()[0].event.snapshot.task.number.0, 8);
    // What ended can be exported and imported again, and stays without a number.
    let (third, _third) = open(OTHER_DEVICE);
    import(&third, &export(&here), Rehearsal::No).unwrap();
    assert_eq!(third.list(Which::All).unwrap(), list);
    assert_eq!(third.identity().unwrap().next_number.0, 9);
}

#[test]
fn a_task_that_is_here_with_another_history_stays_as_it_is_and_is_named() {
    let (there, _there) = open(DEVICE);
    commit(&there, 1, &task(101, 1, "older here"));
    commit(&there, 2, &task(102, 2, "differs"));
    commit(&there, 3, &task(103, 3, "newer here"));
    let (here, _here) = open(OTHER_DEVICE);
    import(&here, &export(&there), Rehearsal::No).unwrap();
    let alter = |store: &SqliteStore, name: u128, id: u128, number: u64, title: &str| {
        let altered = later(&task(id, number, title), 2);
        block_on(store.commit(change([event(name, Operation::Armed, &altered)]))).unwrap();
    };
    alter(&there, 4, 101, 1, "changed there");
    alter(&there, 5, 102, 2, "changed there");
    alter(&here, 6, 102, 2, "changed here");
    alter(&here, 7, 103, 3, "changed here");
    let before = everything(&here);
    let imported = import(&here, &export(&there), Rehearsal::No).unwrap();
    assert_eq!((imported.added, imported.there, imported.untaken_total), (0, 1, 2));
    let why: Vec<_> = imported.untaken.iter().map(|untaken| (untaken.title.as_str(), untaken.why)).collect();
    assert_eq!(why, [("changed there", Why::OlderHere), ("changed there", Why::Differs)]);
    assert_eq!(everything(&here), before);
}

#[test]
fn the_same_comes_in_twice_with_what_its_runs_said() {
    let (there, _there) = open(DEVICE);
    block_on(add_tasks(&there, 1));
    let run = run(1, RunStatus::Queued);
    let outputs = vec![(run.id, Output { tail: b"said".to_vec(), dropped: 3 })];
    block_on(there.commit(Change { runs: vec![run.clone()], outputs, ..Change::default() })).unwrap();
    let lines = export(&there);
    let (here, _here) = open(OTHER_DEVICE);
    commit(&here, 11, &task(201, 1, "mine"));
    assert_eq!(import(&here, &lines, Rehearsal::No).unwrap().added, 1);
    assert_eq!(here.output(run.id).unwrap(), there.output(run.id).unwrap());
    let again = import(&here, &lines, Rehearsal::No).unwrap();
    assert_eq!((again.added, again.there, again.op), (0, 1, None));
}

#[test]
fn what_is_waited_for_has_its_number_here_or_none() {
    let waiting = |id: u128, number: u64, parent: u128, of: u64| {
        let mut child = task(id, number, "child");
        let parents = vec![Parent::new(TaskId(uuid::Uuid::from_u128(parent)), Number(of))];
        child.task.waits = Waits { parents, ..Waits::default() };
        child
    };
    let (there, _there) = open(DEVICE);
    commit(&there, 1, &task(101, 1, "parent"));
    let first = export(&there);
    commit(&there, 2, &waiting(102, 2, 101, 1));
    commit(&there, 3, &waiting(103, 3, 104, 9));
    let (here, _here) = open(OTHER_DEVICE);
    commit(&here, 11, &task(201, 1, "mine"));
    // The parent comes in first, under another number.
    import(&here, &first, Rehearsal::No).unwrap();
    let imported = import(&here, &export(&there), Rehearsal::No).unwrap();
    assert_eq!((imported.added, imported.there, imported.renumbered), (2, 1, 1));
    let number_of =
        |id: u128| here.snapshot(TaskId(uuid::Uuid::from_u128(id))).unwrap().unwrap().task.waits.parents[0].number;
    let parent = here.snapshot(TaskId(uuid::Uuid::from_u128(101))).unwrap().unwrap();
    assert_eq!(number_of(102), parent.task.number);
    assert_ne!(parent.task.number, Number(1));
    assert_eq!(number_of(103).typed(), 0);
    let history = here.history(TaskId(uuid::Uuid::from_u128(102))).unwrap();
    assert_eq!(history[0].event.snapshot.task.waits.parents[0].number, parent.task.number);
}

#[test]
fn an_import_is_an_operation_that_knows_what_it_brought() {
    let (there, _there) = open(DEVICE);
    commit(&there, 1, &task(101, 1, "tea"));
    let first = export(&there);
    commit(&there, 2, &task(102, 2, "rent"));
    let (here, _here) = open(OTHER_DEVICE);
    let one = import(&here, &first, Rehearsal::No).unwrap();
    let other = import(&here, &export(&there), Rehearsal::No).unwrap();
    assert_eq!(import(&here, &export(&there), Rehearsal::No).unwrap().op, None);
    let told: Vec<String> = here.ops(None, 10).unwrap().into_iter().map(|(_, op)| op.told()).collect();
    assert_eq!(told, ["import 2 rent", "import 1 tea"]);
    assert_eq!(here.op_to_undo().unwrap().map(|op| op.id), other.op);
    let task_id = |id| TaskId(uuid::Uuid::from_u128(id));
    assert_eq!(here.imported_by(one.op.unwrap()).unwrap(), Some(vec![task_id(101)]));
    assert_eq!(here.imported_by(other.op.unwrap()).unwrap(), Some(vec![task_id(102)]));
    // Elsewhere it is known as something that was done, and not what it brought.
    let (third, _third) = open(uuid::Uuid::from_u128(78));
    import(&third, &export(&here), Rehearsal::No).unwrap();
    assert_eq!(third.imported_by(one.op.unwrap()).unwrap(), None);
}

#[test]
fn what_names_a_task_that_is_not_there_is_refused_whatever_device_is_missing() {
    let (there, _there) = open(DEVICE);
    block_on(add_tasks(&there, 1));
    let run = run(1, RunStatus::Queued);
    block_on(there.commit(Change { runs: vec![run.clone()], ..Change::default() })).unwrap();
    let mut lines = export(&there);
    let is_left_out = |line: &String| line.starts_with("{\"devices\"") || line.starts_with("{\"end\"");
    lines.retain(|line| !is_left_out(line));
    for line in &mut lines {
        if line.starts_with("{\"runs\"") {
            *line = line.replace(&run.task.to_string(), &uuid::Uuid::from_u128(9).to_string());
        }
    }
    lines.push(format!("{{\"end\":{{\"lines\":{}}}}}", lines.len() + 1));
    let (here, _here) = open(OTHER_DEVICE);
    let error = import(&here, &lines, Rehearsal::No).unwrap_err();
    assert!(error.to_string().contains("runs name tasks that are not there"), "{error}");
}

#[test]
fn some_tasks_say_by_which_zone_their_times_were_read() {
    let (there, _there) = open(DEVICE);
    commit(&there, 1, &task(101, 1, "tea"));
    let zone = |store: &SqliteStore, zone: &str| {
        block_on(store.commit(Change { zone: Some(zone.to_owned()), ..Change::default() })).unwrap();
    };
    zone(&there, "Europe/Berlin");
    let lines = of_tasks(&export(&there), &[uuid::Uuid::from_u128(101).to_string()]);
    for (here_in, expected) in [("Europe/Berlin", Some("Europe/Berlin")), ("Asia/Tokyo", None)] {
        let (here, _here) = open(OTHER_DEVICE);
        commit(&here, 11, &task(201, 1, "mine"));
        zone(&here, here_in);
        import(&here, &lines, Rehearsal::No).unwrap();
        assert_eq!(here.identity().unwrap().zone.as_deref(), expected);
    }
}

#[test]
fn an_export_of_an_older_schema_is_brought_forward_and_of_a_newer_one_refused() {
    let (there, _there) = open(DEVICE);
    commit(&there, 1, &task(101, 1, "tea"));
    let mut lines = export(&there);
    let (here, _here) = open(OTHER_DEVICE);
    let known = format!("\"schema_version\":{}", SqliteStore::schema_version());
    lines[0] = lines[0].replace(&known, "\"schema_version\":77");
    let error = import(&here, &lines, Rehearsal::No).unwrap_err();
    assert!(matches!(error, StoreError::Newer { found: 77, .. }), "{error}");
    lines[0] = lines[0].replace("\"schema_version\":77", "\"schema_version\":11");
    assert_eq!(import(&here, &lines, Rehearsal::No).unwrap().added, 1);
    assert_eq!(here.list(Which::All).unwrap(), there.list(Which::All).unwrap());
}

#[track_caller]
fn check_refused(lines: &[&str], expected: &str) {
    let (store, _directory) = open(DEVICE);
    let error = import(&store, lines, Rehearsal::No).unwrap_err();
    assert_eq!(error.to_string(), expected);
}

#[test]
fn what_is_no_export_is_refused_with_its_line_and_why() {
    let header = r#"{"keiko_export":{"format":1,"schema_version":12,"device":"x","last_seq":0,"lines":3}}"#;
    check_refused(&["{}"], "cannot read the export at line 1: the file does not begin as an export of Keiko does");
    check_refused(
        &["BEGIN:VCALENDAR"],
        "cannot read the export at line 1: the file does not begin as an export of Keiko does",
    );
    check_refused(&[header], "cannot read the export at line 1: the file is cut off: expected 3 lines, found 1");
    check_refused(&[header, "{\"x\":{}}"], "cannot read the export at line 2: there is no \"x\"");
    check_refused(
        &[header, "{\"tasks\":{\"x; DROP TABLE tasks\":1}}"],
        "cannot read the export at line 2: tasks have no \"x; DROP TABLE tasks\"",
    );
    check_refused(
        &[header, "{\"tasks\":{\"number\":\"1\"}}"],
        "cannot read the export at line 2: expected a whole number in number",
    );
    check_refused(&[header, "{\"tasks\":{\"id\":\"1\"}}"], "cannot read the export at line 2: expected a UUID in id");
    check_refused(
        &[header, "{\"tasks\":{\"number\":1}}"],
        "cannot read the export at line 2: NOT NULL constraint failed: tasks.id",
    );
    check_refused(
        &[header, "{\"end\":{\"lines\":2}}", "{}"],
        "cannot read the export at line 3: it says nothing, or more than one thing",
    );
    check_refused(
        &["{\"keiko_export\":{\"format\":2,\"schema_version\":12,\"lines\":3}}"],
        "cannot read the export at line 1: its form is version 2, this program knows 1",
    );
}

#[test]
fn one_import_is_under_way_at_a_time_and_leaves_no_file() {
    let (store, directory) = open(DEVICE);
    let first = store.stage().unwrap();
    assert!(matches!(store.stage().map(drop), Err(StoreError::Importing)));
    drop(first);
    drop(store.stage().unwrap());
    block_on(add_tasks(&store, 1));
    let lines = export(&store);
    import(&store, &lines, Rehearsal::No).unwrap();
    let left: Vec<_> = std::fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("import")), "{left:?}");
}

#[test]
fn the_events_that_came_in_are_known_as_such() {
    let (there, _there) = open(DEVICE);
    commit(&there, 1, &task(101, 1, "tea"));
    let (here, _here) = open(OTHER_DEVICE);
    commit(&here, 11, &task(201, 1, "mine"));
    import(&here, &export(&there), Rehearsal::No).unwrap();
    commit(&here, 12, &task(202, 9, "mine too"));
    assert_eq!([0, 1, 2].map(|seq| here.import_behind(seq).unwrap()), [Some(2..=2), Some(2..=2), None]);
}

#[test]
fn a_next_number_that_no_task_can_have_is_refused() {
    let (there, _there) = open(DEVICE);
    commit(&there, 1, &task(101, 1, "one"));
    let mut lines = export(&there);
    for line in &mut lines {
        *line = line.replace("\"next_number\":2", "\"next_number\":9223372036854775807");
    }
    let (here, _here) = open(OTHER_DEVICE);
    let error = import(&here, &lines, Rehearsal::No).unwrap_err().to_string();
    assert!(error.contains("the next number 9223372036854775807 is none that a task can have"), "{error}");
    assert!(here.list(Which::All).unwrap().is_empty());
}
