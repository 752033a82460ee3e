//! The database when the disk is full, the file is damaged, or another program has it: nothing is lost, nothing rings
//! twice, and the person hears of it. Faults of kind DB.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

use crate::cli::binary;
use crate::support::Killed;
use crate::support::daemon::{Connection, Daemon, Home, refusal_with};

/// The size of the small disk.
const DISK: &str = "2m";

/// Says that this process is the one inside of the namespaces.
const INSIDE: &str = "KEIKO_TEST_INSIDE";

/// Runs `test` where file systems may be mounted: here, or as another process in namespaces of its own.
fn where_mounts_work(name: &str, test: impl FnOnce()) {
    let trial = tempfile::tempdir().unwrap();
    if mount(trial.path()) {
        unmount(trial.path());
        return test();
    }
    assert!(std::env::var_os(INSIDE).is_none(), "no file system can be mounted, not even in namespaces of our own");
    let inside = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(INSIDE, "1")
        .status();
    assert!(
        inside.is_ok_and(|status| status.success()),
        "{name} needs a small disk of its own: run it as root, or where unshare --user --mount is allowed"
    );
}

fn mount(at: &Path) -> bool {
    let options = format!("size={DISK},mode=0700");
    let mut mounting = Command::new("mount");
    mounting.args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(at).stderr(Stdio::null());
    mounting.status().is_ok_and(|status| status.success())
}

fn unmount(at: &Path) {
    assert!(Command::new("umount").arg(at).status().is_ok_and(|status| status.success()), "{}", at.display());
}

/// A home whose data lie on a small disk of their own.
struct SmallDisk {
    home: Home,
    data: PathBuf,
}

impl SmallDisk {
    fn new() -> Self {
        let home = Home::new();
        let data = home.path("data");
        fs::create_dir(&data).unwrap();
        assert!(mount(&data), "it worked a moment ago");
        Self { home, data }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = self.home.command(binary(program).to_str().expect("UTF-8"));
        let config = self.home.path("config.toml");
        // The terminals of whoever runs the tests are left alone.
        fs::write(&config, "channels = [\"desktop\"]\n").unwrap();
        command.env("KEIKO_CONFIG", config);
        command
    }

    fn start(&self, clock: &str) -> Daemon {
        let mut command = self.command("keikod");
        command.args(["--clock", clock]);
        Daemon::start(command)
    }

    fn keiko(&self, arguments: &[&str]) -> Output {
        self.command("keiko").args(arguments).output().expect("keiko is built")
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.keiko(arguments);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    }

    /// Fills the disk until not one byte is free.
    fn fill(&self) {
        let mut filler = File::options().create(true).append(true).open(self.data.join("filler")).unwrap();
        for size in [4096, 1] {
            while filler.write_all(&vec![b'x'; size]).is_ok() {}
        }
        let error = filler.write_all(b"x").unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    }

    fn empty(&self) {
        fs::remove_file(self.data.join("filler")).unwrap();
    }

    fn check_integrity(&self) {
        let copy = tempfile::tempdir().unwrap();
        for suffix in ["", "-wal"] {
            let name = format!("keiko.db{suffix}");
            if self.data.join(&name).exists() {
                fs::copy(self.data.join(&name), copy.path().join(&name)).unwrap();
            }
        }
        assert_eq!(integrity(&copy.path().join("keiko.db")), "ok");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // One that a command started has the disk open.
        self.keiko(&["daemon", "stop"]);
        let _ = Command::new("umount").args(["--lazy"]).arg(&self.data).status();
    }
}

/// Asks SQLite as another program has it.
fn python(code: &str, arguments: &[&Path]) -> String {
    let output = Command::new("python3").args(["-c", code]).args(arguments).output().expect("python3 is installed");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn integrity(database: &Path) -> String {
    let code =
        "import sqlite3,sys; print(sqlite3.connect(sys.argv[1]).execute('PRAGMA integrity_check').fetchone()[0])";
    python(code, &[database])
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[track_caller]
fn check_refused(output: &Output) {
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(9), "{told}");
    assert!(told.contains("the disk is full") && told.contains("no space left"), "{told}");
    assert!(told.contains("hint: nothing was changed: free some space"), "{told}");
}

/// Returns how often each task fired, by number.
fn fired(connection: &mut Connection, task: u64) -> usize {
    let history = connection.call("task.history", json!({"task": task}));
    let events = history["events"].as_array().expect("a list");
    events.iter().filter(|event| event["operation"] == "fired").count()
}

const MINUTES: [&str; 4] = [
    "2026-05-13T12:01:00-04:00",
    "2026-05-13T12:02:00-04:00",
    "2026-05-13T12:03:00-04:00",
    "2026-05-13T12:04:00-04:00",
];

/// How many tasks there are on the full disk, most of them due in one minute.
const MANY: usize = 44;

// B24
#[test]
fn on_a_full_disk_adding_fails_in_words_and_what_is_stored_fires_once() {
    where_mounts_work("storage::on_a_full_disk_adding_fails_in_words_and_what_is_stored_fires_once", || {
        let disk = SmallDisk::new();
        let daemon = disk.start(crate::support::daemon::NOON);
        for minute in 1..=4 {
            let added = disk.keiko(&["add", "--at", &format!("in {minute} minutes"), "tea"]);
            assert_eq!(added.status.code(), Some(0), "{added:?}");
        }
        // More than the log has place for.
        let mut connection = disk.home.connect();
        for _ in 5..=MANY {
            connection.call("task.add", json!({"title": "one of many", "at": "in 2 minutes"}));
        }
        assert_eq!(disk.json(&["daemon", "status", "--json"])["storage"], Value::Null);
        disk.fill();
        check_refused(&disk.keiko(&["add", "--at", "in 1 hour", "more"]));
        let refused = disk.json(&["add", "--at", "in 1 hour", "more", "--json"]);
        assert_eq!((&refused["error"]["code"], &refused["error"]["kind"]), (&json!(507), &json!("storage")));
        let listed = disk.json(&["list", "--json"]);
        assert_eq!(listed["tasks"].as_array().map(Vec::len), Some(MANY), "reads go on");
        assert!(listed["warnings"][0].as_str().is_some_and(|warning| warning.contains("the disk is full")), "{listed}");
        let status = disk.json(&["daemon", "status", "--json"]);
        assert_eq!(status["storage"]["kind"], "full", "{status}");
        assert_eq!(status["storage"]["since"], "2026-05-13T12:00:00-04:00");
        assert!(text(&disk.keiko(&["status"]).stdout).contains("the disk is full"));
        assert!(text(&disk.keiko(&[]).stderr).contains("the disk is full"), "the one screen says so too");

        let mut connection = disk.home.connect();
        for (task, minute) in (1..).zip(&MINUTES[..2]) {
            connection.call("clock.advance", json!({"to": minute}));
            assert_eq!(fired(&mut connection, task), 1, "task {task} fired from the reserve");
            check_refused(&disk.keiko(&["add", "--at", "in 1 hour", "more"]));
        }
        assert!(!disk.data.join("keiko.reserve").exists(), "the reserve is in use");
        disk.check_integrity();
        // The disk stays full over a crash.
        disk.fill();
        daemon.kill();
        let daemon = disk.start(MINUTES[1]);
        let mut connection = disk.home.connect();
        assert_eq!(connection.call("task.list", json!({}))["tasks"].as_array().map(Vec::len), Some(MANY));
        check_refused(&disk.keiko(&["add", "--at", "in 1 hour", "more"]));
        disk.empty();
        assert_eq!(disk.json(&["daemon", "status", "--json"])["storage"], Value::Null);
        assert!(disk.data.join("keiko.reserve").exists(), "the reserve is back");
        connection.call("clock.advance", json!({"to": MINUTES[3]}));
        let added = disk.keiko(&["add", "--at", "in 1 hour", "more"]);
        assert_eq!(added.status.code(), Some(0), "{added:?}");
        daemon.signal(rustix::process::Signal::TERM);
        assert!(daemon.ended().success());
        let _daemon = disk.start(MINUTES[3]);
        let mut connection = disk.home.connect();
        for task in 1..=MANY as u64 {
            assert_eq!(fired(&mut connection, task), 1, "task {task} fired once in all");
        }
        assert_eq!(connection.call("task.list", json!({}))["tasks"].as_array().map(Vec::len), Some(MANY + 1));
        disk.check_integrity();
    });
}

// B24
#[test]
fn on_a_full_disk_an_import_and_a_restore_change_nothing_and_an_export_goes_on() {
    where_mounts_work("storage::on_a_full_disk_an_import_and_a_restore_change_nothing_and_an_export_goes_on", || {
        let disk = SmallDisk::new();
        let daemon = disk.start(crate::support::daemon::NOON);
        assert_eq!(disk.keiko(&["add", "--at", "in 1 hour", "tea"]).status.code(), Some(0));
        let copy = disk.home.path("copy.db");
        let copy = copy.to_str().expect("UTF-8");
        assert_eq!(disk.keiko(&["backup", copy]).status.code(), Some(0));
        let before = disk.home.path("before.jsonl");
        assert_eq!(disk.keiko(&["export", before.to_str().expect("UTF-8")]).status.code(), Some(0));
        disk.fill();
        let exported = disk.keiko(&["export"]);
        assert_eq!(exported.status.code(), Some(0), "{exported:?}");
        check_refused(&disk.keiko(&["import", before.to_str().expect("UTF-8")]));
        daemon.kill();
        let restored = disk.keiko(&["restore", copy, "--yes"]);
        assert_eq!(restored.status.code(), Some(9), "{restored:?}");
        disk.check_integrity();
        disk.empty();
        let _daemon = disk.start(crate::support::daemon::NOON);
        assert_eq!(disk.json(&["list", "--json"])["tasks"].as_array().map(Vec::len), Some(1));
    });
}

// B24, and LIMITS, found by trial 1: a database in use is reopened on a full disk, without dying of SIGBUS.
#[test]
fn started_on_a_full_disk_it_serves_reads_and_rings_from_the_reserve() {
    where_mounts_work("storage::started_on_a_full_disk_it_serves_reads_and_rings_from_the_reserve", || {
        for is_killed in [false, true] {
            let disk = SmallDisk::new();
            let daemon = disk.start(crate::support::daemon::NOON);
            for minute in 1..=2 {
                let added = disk.keiko(&["add", "--at", &format!("in {minute} minutes"), "tea"]);
                assert_eq!(added.status.code(), Some(0), "{added:?}");
            }
            if is_killed {
                daemon.kill();
            } else {
                daemon.signal(rustix::process::Signal::TERM);
                assert!(daemon.ended().success());
            }
            disk.fill();
            let daemon = disk.start(crate::support::daemon::NOON);
            let shown = disk.json(&["show", "1", "--json"]);
            assert_eq!(shown["task"]["title"], "tea", "killed {is_killed}: {shown}");
            check_refused(&disk.keiko(&["add", "--at", "in 1 hour", "more"]));
            disk.keiko(&["rpc", "clock.advance", &json!({"to": MINUTES[1]}).to_string()]);
            for task in ["1", "2"] {
                let shown = disk.json(&["show", task, "--json"]);
                assert_eq!(shown["task"]["state"], "RUNNING", "killed {is_killed}: {shown}");
            }
            disk.check_integrity();
            daemon.kill();
            disk.empty();
            let _daemon = disk.start(MINUTES[1]);
            let mut connection = disk.home.connect();
            for task in 1..=2 {
                assert_eq!(fired(&mut connection, task), 1);
            }
            assert_eq!(disk.keiko(&["add", "--at", "in 1 hour", "more"]).status.code(), Some(0));
            disk.check_integrity();
        }
    });
}

// B24: a disk that has no room for a database says so.
#[test]
fn without_room_for_a_database_it_does_not_start_and_says_why() {
    where_mounts_work("storage::without_room_for_a_database_it_does_not_start_and_says_why", || {
        let disk = SmallDisk::new();
        disk.fill();
        let output = disk.keiko(&["list"]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(9), "{told}");
        assert!(told.contains("the disk is full") && told.contains("hint: free some space"), "{told}");
        disk.empty();
        assert_eq!(disk.keiko(&["list"]).status.code(), Some(0), "and starts once there is room");
    });
}

/// A child that has the database to itself; told by its output, never by time.
struct Holder(Killed);

impl Holder {
    fn start(database: &Path, begin: &str) -> Self {
        let code = format!(
            "import sqlite3, sys, time\n\
             db = sqlite3.connect(sys.argv[1], isolation_level=None)\n\
             {begin}\n\
             print('held', flush=True)\n\
             time.sleep(2)\n\
             db.execute('COMMIT')\n"
        );
        let mut command = Command::new("python3");
        command.args(["-c", &code]).arg(database).stdout(Stdio::piped());
        let mut child: Child = command.spawn().expect("python3 is installed");
        let mut said = [0; 5];
        child.stdout.as_mut().unwrap().read_exact(&mut said).expect("it says that it holds the lock");
        Self(Killed(child))
    }

    fn is_holding(&mut self) -> bool {
        self.0.0.try_wait().expect("our child").is_none()
    }
}

// B5
#[test]
fn many_commands_at_once_wait_for_a_program_that_locks_the_database() {
    let home = crate::cli::Home::with_daemon();
    let database = home.path().join("data/keiko.db");
    let reads_then_writes = "db.execute('BEGIN'); db.execute('SELECT count(*) FROM tasks').fetchall(); \
         db.execute('UPDATE meta SET zone = zone')";
    for begin in ["db.execute('BEGIN IMMEDIATE')", reads_then_writes] {
        let mut holder = Holder::start(&database, begin);
        let adds: Vec<Child> = (0..32)
            .map(|number| {
                let mut command = home.command("keiko");
                command.args(["add", "--json", "--at", "in 1 hour", &format!("task {number}")]);
                command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("keiko is built")
            })
            .collect();
        assert!(holder.is_holding(), "the lock was to be held meanwhile");
        let mut ids = std::collections::BTreeSet::new();
        for add in adds {
            let output = add.wait_with_output().expect("our child");
            let told = text(&output.stdout) + &text(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{told}");
            assert!(!told.replace("blocked_by", "").contains("locked"), "{told}");
            let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            ids.insert(answer["task"]["id"].as_str().expect("an id").to_owned());
        }
        assert_eq!(ids.len(), 32);
    }
    let listed = home.keiko("list --json").json();
    assert_eq!(listed["tasks"].as_array().map(Vec::len), Some(64));
}

/// A closed database with some tasks, and a backup of it.
fn closed_with_tasks(home: &crate::cli::Home) -> PathBuf {
    for title in ["tea", "rent", "milk"] {
        assert_eq!(home.keiko(&format!("add --at 'in 1 hour' {title}")).code, Some(0));
    }
    assert_eq!(home.keiko("daemon stop").code, Some(0));
    home.path().join("data/keiko.db")
}

fn damage(database: &Path) {
    // One page of it, the schema's own left as it is.
    let file = File::options().write(true).open(database).unwrap();
    let pages = file.metadata().unwrap().len() / 4096;
    file.set_len((pages - 1) * 4096).unwrap();
}

fn set_aside(home: &crate::cli::Home) -> Vec<PathBuf> {
    let files = fs::read_dir(home.path().join("data")).unwrap().map(|file| file.unwrap().path());
    let mut aside: Vec<PathBuf> = files
        .filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.starts_with("keiko.db.corrupt-") && !name.contains("Z-")
        })
        .collect();
    aside.sort();
    aside
}

// B46
#[test]
fn a_truncated_database_is_set_aside_and_the_newest_backup_is_offered() {
    let home = crate::cli::Home::empty();
    for title in ["tea", "rent"] {
        home.keiko(&format!("add --at 'in 1 hour' {title}"));
    }
    let backup = home.keiko("backup --json").json()["path"].as_str().expect("a path").to_owned();
    let database = closed_with_tasks(&home);
    damage(&database);
    let damaged = fs::read(&database).unwrap();
    let first = home.keiko("list");
    assert_eq!(first.code, Some(9), "{first:?}");
    let aside = set_aside(&home);
    assert_eq!(aside.len(), 1);
    assert!(fs::read(&aside[0]).unwrap() == damaged, "it is whole as it was found");
    assert!(!database.exists(), "nothing took its place by itself");
    assert!(first.stderr.contains("it was damaged and is set aside as"), "{first:?}");
    let command = format!("cp {backup} {}", database.display());
    assert!(first.stderr.contains(&format!("hint: {command} && keiko daemon start")), "{first:?}");
    // Nothing goes on in silence, however often it is tried.
    for line in ["", "add --at 'in 1 hour' more", "status"] {
        let again = home.keiko(line);
        assert_eq!(again.code, Some(9), "{again:?}");
        assert!(again.stderr.contains(&command), "{again:?}");
    }
    assert_eq!(home.keiko("list --json").json()["error"]["kind"], "storage");
    // What is offered works as it is typed.
    assert!(Command::new("sh").args(["-c", &command]).status().unwrap().success());
    let listed = home.keiko("list --json").json();
    assert_eq!(listed["tasks"].as_array().map(Vec::len), Some(2), "{listed}");
    assert_eq!(set_aside(&home), aside);
}

// B46
#[test]
fn an_emptied_database_is_no_new_one() {
    for emptied in ["its file", "its log, which has all of a young one", "both"] {
        let home = Home::new();
        let daemon = home.start();
        home.connect().call("task.add", json!({"title": "tea", "at": "in 1 hour"}));
        daemon.kill();
        let (database, log) = (home.path("data/keiko.db"), home.path("data/keiko.db-wal"));
        assert!(fs::metadata(&log).unwrap().len() > 0, "what was added is in the log");
        match emptied {
            "its file" => fs::write(&database, "").unwrap(),
            "both" => [&database, &log].into_iter().for_each(|file| fs::remove_file(file).unwrap()),
            _ => fs::remove_file(&log).unwrap(),
        }
        let told = refusal_with(home.daemon(), 9);
        assert!(told.contains("it was damaged and is set aside as"), "{emptied}: {told}");
        let told = refusal_with(home.daemon(), 9);
        assert!(told.contains("it was damaged and is set aside as"), "{emptied}: {told}");
        let mut anew = home.daemon();
        anew.arg("--empty");
        let _daemon = Daemon::start(anew);
        assert_eq!(home.connect().call("task.list", json!({}))["tasks"], json!([]));
    }
}

// B46
#[test]
fn after_damage_it_begins_with_no_tasks_only_when_told_to() {
    let home = crate::cli::Home::empty();
    let database = closed_with_tasks(&home);
    fs::write(&database, "this is no database, however long one looks at it").unwrap();
    let refused = home.keiko("list");
    assert_eq!(refused.code, Some(9), "{refused:?}");
    assert!(refused.stderr.contains("hint: there is no backup; keiko daemon start --empty"), "{refused:?}");
    assert_eq!(home.keiko("daemon start --empty").code, Some(0));
    assert_eq!(home.keiko("list --json").json()["tasks"], json!([]));
    assert_eq!(set_aside(&home).len(), 1, "what was set aside stays");
    assert_eq!(home.keiko("daemon stop").code, Some(0));
    assert_eq!(home.keiko("list").code, Some(0), "it is not asked again");
}

// B46: a page that is overwritten while the daemon runs is an error that is told, and neither a panic nor a spin.
#[test]
fn a_page_that_is_damaged_meanwhile_is_told() {
    let home = crate::cli::Home::empty();
    let database = closed_with_tasks(&home);
    home.keiko("list");
    let file = File::options().read(true).write(true).open(&database).unwrap();
    let pages = file.metadata().unwrap().len() / 4096;
    for page in 1..pages {
        file.write_all_at(&[0xa5; 4096], page * 4096).unwrap();
    }
    // A connection that has the page in memory still answers from there.
    let mut told = home.keiko("history 1");
    for line in ["list --all", "events", "show 3", "history 2"] {
        if told.code == Some(0) {
            told = home.keiko(line);
        }
    }
    assert_eq!(told.code, Some(9), "{told:?}");
    assert!(told.stderr.contains("the database is damaged"), "{told:?}");
    assert!(told.stderr.contains("hint: keiko daemon stop, then keiko"), "{told:?}");
    let hello = home.keiko("rpc daemon.hello");
    assert_eq!(hello.code, Some(0), "it lives: {hello:?}");
    assert_eq!(home.keiko("daemon stop").code, Some(0));
    assert_eq!(home.keiko("list").code, Some(9), "the next start sets it aside");
    assert_eq!(set_aside(&home).len(), 1);
}

// B46
#[test]
fn a_copy_of_a_live_file_opens() {
    let home = Home::new();
    let daemon = home.start();
    home.connect().call("task.add", json!({"title": "tea"}));
    home.connect().call("daemon.stop", json!({}));
    assert!(daemon.ended().success());
    let _daemon = home.start();
    // Without what is in the log still.
    home.connect().call("task.add", json!({"title": "milk"}));
    let other = Home::new();
    fs::create_dir(other.path("data")).unwrap();
    fs::copy(home.path("data/keiko.db"), other.path("data/keiko.db")).unwrap();
    let _other = other.start();
    let tasks = other.connect().call("task.list", json!({}))["tasks"].take();
    assert_eq!(tasks.as_array().map(Vec::len), Some(1), "what the file held: {tasks}");
}

// B37
#[test]
fn a_newer_schema_is_refused_in_words_and_its_file_left_alone() {
    let home = crate::cli::Home::empty();
    let database = closed_with_tasks(&home);
    let code = "import sqlite3,sys\ndb = sqlite3.connect(sys.argv[1])\ndb.execute(\"INSERT INTO \
                refinery_schema_history VALUES (99, 'later', '2027-01-01T00:00:00Z', '1')\")\ndb.commit()\ndb.close()";
    python(code, &[&database]);
    let before = fs::read(&database).unwrap();
    let refused = home.keiko("list");
    assert_eq!(refused.code, Some(7), "{refused:?}");
    assert!(refused.stderr.contains("its schema is version 99"), "{refused:?}");
    assert!(refused.stderr.contains("hint: the file is as it was"), "{refused:?}");
    assert!(fs::read(&database).unwrap() == before && set_aside(&home).is_empty());
}

// B46: the backup is made while the database is in use.
#[test]
fn a_backup_is_whole_private_and_takes_no_other_files_place() {
    let home = crate::cli::Home::with_daemon();
    for number in 0..20 {
        home.keiko(&format!("add --at 'in 1 hour' 'task {number}'"));
    }
    let first = home.keiko("backup");
    assert_eq!(first.code, Some(0), "{first:?}");
    let expected = home.path().join("data/backups/keiko-2026-05-13T20-00-00Z.db");
    assert!(first.stdout.starts_with(&format!("backed up to {} (", expected.display())), "{first:?}");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&expected), mode(expected.parent().unwrap())), (0o600, 0o700));
    assert_eq!(integrity(&expected), "ok");
    let count =
        "import sqlite3,sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM tasks').fetchone()[0])";
    assert_eq!(python(count, &[&expected]), "20");
    let before = fs::read(&expected).unwrap();
    // The clock stands still, so the name is the same.
    let again = home.keiko("backup");
    assert_eq!(again.code, Some(2), "{again:?}");
    assert!(again.stderr.contains("there is a file of that name"), "{again:?}");
    assert!(fs::read(&expected).unwrap() == before);
    // Named relative to where the person is, or by a folder.
    assert_eq!(home.keiko("backup mine.db").code, Some(0));
    assert_eq!(integrity(&home.path().join("mine.db")), "ok");
    fs::create_dir(home.path().join("stick")).unwrap();
    assert_eq!(home.keiko("backup stick").code, Some(0));
    let left: Vec<_> = fs::read_dir(home.path().join("stick")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left, ["keiko-2026-05-13T20-00-00Z.db"], "nothing is left beside it");
    // A disk that is not mounted is no folder of this one.
    for missing in ["gone/x.db", "gone/", "gone/deep/x.db"] {
        let refused = home.keiko(&format!("backup {missing}"));
        assert!(refused.code != Some(0) && refused.stderr.contains("folder"), "{refused:?}");
        assert!(!home.path().join("gone").exists(), "{missing}");
    }
    let relative = home.keiko("rpc store.backup '{\"path\":\"x.db\"}'");
    assert_eq!(relative.code, Some(2), "{relative:?}");
}
