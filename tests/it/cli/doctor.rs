//! Whether `keiko doctor` finds what is wrong, whatever else is, and says what mends it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use serde_json::Value;

use crate::cli::{Home, Ran};

/// Returns the findings about an area, as `level: text -> mend`.
#[track_caller]
fn about(ran: &Ran, area: &str) -> Vec<String> {
    let told = ran.json();
    let findings = told["findings"].as_array().expect("an array").clone();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let about = findings.iter().filter(|finding| finding["area"] == area);
    about
        .map(|finding| format!("{}: {} -> {}", text(&finding["level"]), text(&finding["text"]), text(&finding["mend"])))
        .collect()
}

#[track_caller]
fn check(ran: &Ran, area: &str, begins: &str, mend: &str) {
    let found = about(ran, area);
    let is_so = found.iter().any(|finding| finding.starts_with(begins) && finding.contains(&format!("-> {mend}")));
    assert!(is_so, "no {begins:?} with {mend:?} of {area} in {found:#?}");
}

#[test]
fn without_a_daemon_it_looks_at_everything_and_starts_none() {
    let home = Home::empty();
    let ran = home.keiko("doctor --json");
    check(&ran, "versions", "ok: keiko 0.1.0, keikod 0.1.0", "");
    check(&ran, "service", "note: after a reboot nothing rings", "keiko daemon install");
    check(&ran, "daemon", "note: does not run", "keiko daemon start");
    check(&ran, "database", "ok: none yet", "");
    check(&ran, "configuration", "ok: ", "");
    check(&ran, "rights", "ok: ", "");
    check(&ran, "zone", "ok: America/New_York", "");
    assert!(!home.path().join("data").exists(), "it only looks");
    assert_eq!(home.keiko("daemon status").code, Some(6));
}

#[test]
fn with_a_daemon_it_says_how_that_is_and_looks_at_its_database_meanwhile() {
    let home = Home::with_daemon();
    home.keiko("add tea in 3h");
    let ran = home.keiko("doctor --json");
    check(&ran, "daemon", "ok: runs, pid ", "");
    check(&ran, "database", "ok: whole, ", "");
    // The test's home has a desktop for its only channel, and there is none.
    check(&ran, "targets", "wrong: nobody can be reached", "keiko channel add");
    assert_eq!((ran.code, ran.json()["well"].as_bool()), (Some(1), Some(false)));
    assert_eq!(home.keiko("list --json").json()["tasks"].as_array().map(Vec::len), Some(1), "nothing was changed");
}

#[test]
fn a_wrong_configuration_is_named_with_its_place_and_no_secret_of_it() {
    let home = Home::empty();
    home.configure("grace_s = \"soon\"\n");
    check(&home.keiko("doctor --json"), "configuration", "wrong: ", "mend ");
    home.configure("[webhooks.ops]\nurl = \"https://hooks.example.org/T0/s3cr3t\"\nsecret = 5\n");
    let told = home.keiko("doctor");
    assert_eq!(told.code, Some(1), "{told:?}");
    assert!(!told.stdout.contains("s3cr3t") && told.stdout.contains("secret"), "{told:?}");
    home.configure("gracce_s = 5\n");
    check(&home.keiko("doctor --json"), "configuration", "note: ", "mend ");
    home.configure("");
}

#[test]
fn a_damaged_database_is_found_with_and_without_a_daemon_and_after_it_was_set_aside() {
    let mut home = Home::with_daemon();
    for number in 0..50 {
        home.keiko(&format!("add task {number} tomorrow 3pm"));
    }
    home.keiko("daemon stop");
    home.kill();
    let database = home.path().join("data/keiko.db");
    let mut bytes = fs::read(&database).expect("it is there");
    let half = bytes.len() / 2;
    bytes[half..half + 20_000].fill(0x5a);
    fs::write(&database, bytes).expect("it is ours");
    let ran = home.keiko("doctor --json");
    check(&ran, "database", "wrong: cannot read ", "keiko daemon start");
    assert_eq!(ran.code, Some(1));
    assert_eq!(home.keiko("list").code, Some(9), "it is set aside");
    let ran = home.keiko("doctor --json");
    check(&ran, "database", "wrong: cannot go on with ", "there is no backup; keiko daemon start --empty");
    check(&ran, "daemon", "note: the last error in its log", "keiko daemon logs");
    home.keiko("daemon start --empty");
    check(&home.keiko("doctor --json"), "disk", "note: ", "rm ");
}

#[test]
fn files_that_others_may_read_are_named_with_what_closes_them() {
    let home = Home::with_daemon();
    home.keiko("add tea in 3h");
    let data = home.path().join("data");
    fs::set_permissions(&data, fs::Permissions::from_mode(0o755)).expect("it is ours");
    fs::set_permissions(data.join("keiko.db"), fs::Permissions::from_mode(0o644)).expect("it is ours");
    fs::set_permissions(home.path().join("config.toml"), fs::Permissions::from_mode(0o666)).expect("it is ours");
    let ran = home.keiko("doctor --json");
    let found = about(&ran, "rights");
    assert_eq!(found.len(), 3, "{found:#?}");
    for mend in ["chmod 700 ", "chmod 600 ", "chmod go-w "] {
        let command = found.iter().find_map(|finding| finding.split_once(&format!("-> {mend}")));
        let (_, path) = command.unwrap_or_else(|| panic!("no {mend} in {found:#?}"));
        let run = Command::new("sh").args(["-c", &format!("{mend}{path}")]).status().expect("sh is there");
        assert!(run.success());
    }
    check(&home.keiko("doctor --json"), "rights", "ok: ", "");
}

#[test]
fn a_daemon_that_hangs_is_named_with_what_ends_it() {
    let home = Home::empty();
    home.keiko("list");
    let pid = home.keiko("daemon status --json").json()["pid"].as_u64().expect("a number");
    let signal = |name: &str| {
        let sent = Command::new("kill").args([name, &pid.to_string()]).status().expect("kill is there");
        assert!(sent.success());
    };
    signal("-STOP");
    let ran = home.keiko("doctor --json");
    signal("-CONT");
    check(&ran, "daemon", "wrong: it does not answer within 5 s", &format!("kill -9 {pid}"));
}

#[test]
fn what_failed_lately_is_named() {
    let home = Home::with_daemon();
    home.keiko("add backup in 1m -- false");
    home.advance("2026-05-13T16:02:00-04:00");
    check(&home.keiko("doctor --json"), "failures", "note: 1 command failed within", "keiko show 1 --output");
}

#[cfg(feature = "desktop")]
mod desktop {
    use super::*;
    use crate::support::fake_server::{FakeServer, Manner};
    use crate::support::private_bus::PrivateBus;

    fn on(home: &Home, bus: &PrivateBus, line: &str) -> Ran {
        home.keiko_with(line, "", |command| {
            command.env("DBUS_SESSION_BUS_ADDRESS", bus.address());
        })
    }

    // B3
    #[test]
    fn a_bus_without_a_notification_server_is_named_as_the_cause_with_and_without_a_daemon() {
        let home = Home::empty();
        let bus = PrivateBus::start();
        let before = on(&home, &bus, "doctor --json");
        check(&before, "notifications", "wrong: no popups: no notification server on the session bus", "log in");
        on(&home, &bus, "add tea in 3h");
        let with = on(&home, &bus, "doctor --json");
        check(&with, "notifications", "wrong: no popups: no notification server on the session bus", "log in");
        assert_eq!(with.code, Some(1));
        // Without a bus that is the cause.
        check(&home.keiko("doctor --json"), "notifications", "wrong: no popups: no session bus", "log in");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn where_all_is_well_it_says_so_and_shows_a_test_message() {
        let home = Home::empty();
        let bus = PrivateBus::start();
        let server = FakeServer::start(&bus, Manner::Buttons).await;
        let ran = on(&home, &bus, "doctor --notify --json");
        check(&ran, "notifications", "ok: fake 1.0 (the tests): body, body-markup, actions", "");
        check(&ran, "test message", "ok: ", "");
        server.wait_until_shown(1).await;
        let ran = on(&home, &bus, "doctor --json");
        check(&ran, "targets", "ok: you are reached by desktop", "");
        assert_eq!((ran.code, ran.json()["well"].as_bool()), (Some(0), Some(true)), "{ran:?}");
        let told = on(&home, &bus, "doctor");
        assert!(
            told.stdout.trim_end().lines().last().is_some_and(|line| line.starts_with("nothing is wrong")),
            "{told:?}"
        );
        // The daemon cannot use what only this shell sees.
        let other = PrivateBus::start();
        let _seen = FakeServer::start(&other, Manner::Plain).await;
        server.quit().await;
        let ran = on(&home, &other, "doctor --json");
        check(
            &ran,
            "notifications",
            "wrong: fake 1.0 (the tests) is there, and keikod cannot use it",
            "systemctl --user",
        );
    }
}

#[test]
fn a_runtime_folder_that_others_may_write_to_is_to_be_closed_and_nobody_to_be_killed() {
    let home = Home::with_daemon();
    let folder = home.path().join("run/keiko");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).expect("it is ours");
    let mend = format!("chmod 700 {}", folder.display());
    let ran = home.keiko("doctor --json");
    check(&ran, "daemon", "wrong: cannot use the directory", &mend);
    check(&ran, "rights", "wrong: cannot use the directory", &mend);
    assert!(!ran.stdout.contains("kill -9") && about(&ran, "rights").len() == 1, "{ran:?}");
    let listed = home.keiko("list");
    assert!(listed.stderr.contains(&format!("hint: {mend}")), "{listed:?}");
}

#[test]
fn a_data_directory_that_cannot_be_made_is_found_and_told_with_what_to_do() {
    let home = Home::empty();
    fs::write(home.path().join("afile"), "").expect("a file of the test's own");
    let run = |arguments: &[&str]| {
        let data = home.path().join("afile/x");
        let output =
            home.command("keiko").args(arguments).env("KEIKO_DATA_DIR", data).output().expect("keiko is built");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is text");
        Ran { stdout: text(output.stdout), stderr: text(output.stderr), code: output.status.code() }
    };
    let ran = run(&["doctor", "--json"]);
    check(&ran, "data", "wrong: ", "KEIKO_DATA_DIR names another folder");
    assert!(about(&ran, "database").is_empty() && about(&ran, "disk").is_empty(), "{ran:?}");
    let listed = run(&["list"]);
    assert!(listed.stderr.contains("hint: KEIKO_DATA_DIR names another folder"), "{listed:?}");
}

#[test]
fn a_configuration_that_keeps_the_daemon_from_starting_is_told_with_what_says_more() {
    let home = Home::empty();
    home.configure("grace_s = = 5\n");
    let listed = home.keiko("list");
    assert_eq!(listed.code, Some(6), "{listed:?}");
    assert!(listed.stderr.contains("hint: keiko config check"), "{listed:?}");
}
