//! What was done is taken back, and what was deleted is out of sight.

use serde_json::Value;

use crate::cli::Home;

fn ops(home: &Home) -> Vec<Value> {
    home.keiko("op list --json").json()["ops"].as_array().expect("an array").clone()
}

#[test]
fn undo_walks_back_and_never_does_again_by_itself() {
    let home = Home::with_daemon();
    insta::assert_snapshot!(home.transcript(&[
        "add tea --at 'tomorrow 9am'",
        "add call --at 'tomorrow 3pm'",
        "done 1",
        "edit 2 --title 'call home'",
        "undo",
        "undo",
        "list",
        "undo",
        "show 2",
        "undo",
        "undo",
    ]), @"");
    let all = ops(&home);
    assert_eq!(all.iter().filter(|op| op["undone_by"].is_null()).count(), 4, "{all:?}");
    assert_eq!(all[0]["verb"], "undo");
}

#[test]
fn a_command_for_several_tasks_is_taken_back_as_one() {
    let home = Home::with_daemon();
    for title in ["one", "two", "three"] {
        home.keiko(&format!("add {title} --at 'tomorrow 9am'"));
    }
    insta::assert_snapshot!(home.transcript(&["done 1-3", "undo", "pause --all", "undo", "list"]), @"");
    let done = ops(&home).into_iter().find(|op| op["verb"] == "done").expect("it is there");
    assert_eq!((&done["total"], &done["text"]), (&3.into(), &"done 3 tasks: 1, 2, 3".into()));
    let id = done["op_id"].as_str().expect("an id");
    assert_eq!(home.keiko(&format!("undo {id}")).code, 5, "it was taken back already");
    let undo = done["undone_by"].as_str().expect("an id");
    insta::assert_snapshot!(home.transcript(&[&format!("undo {undo} -q"), "list --done"]).replace(undo, "OP"), @"");
    assert_eq!(home.keiko(&format!("op show {undo}")).code, 0);
    assert_eq!(home.keiko("undo 12345678").code, 4);
}

#[test]
fn what_cannot_be_taken_back_is_said_and_nothing_is_half_done() {
    let home = Home::with_daemon();
    home.keiko("add pills --every 'day at 9am'");
    home.keiko("add tea --at 'tomorrow 8am'");
    home.advance("2026-05-14T09:10:00-04:00");
    home.keiko("done 1 2");
    home.advance("2026-05-15T09:10:00-04:00");
    insta::assert_snapshot!(home.transcript(&["undo", "list --done"]), @"");
}

#[test]
fn a_key_undoes_once() {
    let home = Home::with_daemon();
    home.keiko("add tea --at 'tomorrow 9am'");
    home.keiko("add milk --at 'tomorrow 9am'");
    let first = home.keiko("undo --key k --json").json();
    let again = home.keiko("undo --key k --json").json();
    assert_eq!((&first["changed"], &again["changed"]), (&true.into(), &false.into()));
    assert_eq!(first["undone"]["op_id"], again["undone"]["op_id"]);
    assert_eq!(home.keiko("list --json").json()["tasks"].as_array().map(Vec::len), Some(1));
}

#[test]
fn what_is_deleted_is_out_of_sight_and_comes_back() {
    let home = Home::with_daemon();
    home.keiko("add tea --at 'tomorrow 9am'");
    home.keiko("add cups --waits-for 1");
    insta::assert_snapshot!(home.transcript(&[
        "delete 1", "list", "show 1", "done 1", "undo", "list", "rm 1",
    ]), @"");
    home.keiko("delete 1");
    home.advance("2026-07-20T09:00:00-04:00");
    insta::assert_snapshot!(home.transcript(&["show 1", "undo", "add milk --at 'tomorrow 9am'"]), @"");
}
