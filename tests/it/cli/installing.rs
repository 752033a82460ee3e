//! How the daemon becomes a service, and ceases to be one, as far as files and the person's own words go. What a service manager
//! makes of it stands in `tests/it/service_manager.rs`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use crate::cli::{Home, Ran};

/// A `systemctl` that says yes to all, and writes down what it was asked.
const OBEDIENT: &str = "#!/bin/sh\necho \"$@\" >> \"$(dirname \"$0\")/asked\"\n";

/// A home in which keiko is called with a `systemctl` of the test's own.
struct Machine {
    home: Home,
    /// The name of the service of this home's data directory.
    name: String,
}

impl Machine {
    fn with_systemctl(script: &str) -> Self {
        let home = Home::empty();
        let folder = home.path().join("tools");
        fs::create_dir(&folder).expect("it is ours");
        fs::write(folder.join("systemctl"), script).expect("it is ours");
        fs::set_permissions(folder.join("systemctl"), fs::Permissions::from_mode(0o755)).expect("it is ours");
        let mut machine = Self { home, name: String::new() };
        let told = machine.keiko("daemon install --dry-run --json --with systemd").json();
        told["name"].as_str().expect("a name").clone_into(&mut machine.name);
        machine.asked();
        machine
    }

    fn keiko(&self, line: &str) -> Ran {
        let path = format!("{}:/usr/bin:/bin", self.home.path().join("tools").display());
        self.home.keiko_with(line, "", |command| {
            command.env("PATH", path);
        })
    }

    /// Returns what `systemctl` was asked since the last time.
    fn asked(&self) -> Vec<String> {
        let file = self.home.path().join("tools/asked");
        let text = fs::read_to_string(&file).unwrap_or_default();
        let _ = fs::remove_file(file);
        text.lines().map(|line| line.replace(&self.name, "NAME")).filter(|line| !line.contains("show")).collect()
    }

    fn units(&self) -> PathBuf {
        self.home.path().join(".config/systemd/user")
    }
}

#[test]
fn installing_twice_writes_once_and_uninstalling_removes_what_was_written() {
    let machine = Machine::with_systemctl(OBEDIENT);
    let first = machine.keiko("daemon install --json");
    assert_eq!(first.code, Some(0), "{first:?}");
    let fates = |ran: &Ran| -> Vec<String> {
        let files = ran.json()["files"].as_array().expect("an array").clone();
        files.iter().map(|file| file["fate"].as_str().expect("text").to_owned()).collect()
    };
    assert_eq!(fates(&first), ["written", "written"]);
    assert_eq!(first.json()["manager"], "systemd");
    insta::assert_snapshot!(machine.asked().join("\n"), @"");
    let again = machine.keiko("daemon install --json");
    assert_eq!(fates(&again), ["unchanged", "unchanged"]);
    assert_eq!(again.json()["pid"], first.json()["pid"], "the daemon that runs goes on");
    let unit = fs::read_to_string(machine.units().join(format!("{}.service", machine.name))).expect("it was written");
    let home = machine.home.path().display().to_string();
    for kept in [
        format!("Environment=\"KEIKO_CONFIG={home}/config.toml\""),
        format!("Environment=\"KEIKO_DATA_DIR={home}/data\""),
    ] {
        assert!(unit.contains(&kept), "no {kept} in {unit}");
    }
    machine.asked();
    let name = &machine.name;
    let gone = machine.keiko("daemon uninstall");
    let expected: String =
        ["service", "socket"].map(|end| format!("removed {home}/.config/systemd/user/{name}.{end}\n")).concat();
    assert_eq!((gone.stdout.as_str(), gone.code), (expected.as_str(), Some(0)), "{gone:?}");
    insta::assert_snapshot!(machine.asked().join("\n"), @"");
    assert_eq!(fs::read_dir(machine.units()).expect("the folder stays").count(), 0);
    assert_eq!(machine.keiko("daemon uninstall").stdout, "nothing was installed\n");
}

#[test]
fn a_unit_of_somebody_else_is_left_alone_and_nothing_is_written_beside_it() {
    let machine = Machine::with_systemctl(OBEDIENT);
    let name = &machine.name;
    let unit = machine.units().join(format!("{name}.socket"));
    fs::create_dir_all(machine.units()).expect("it is ours");
    fs::write(&unit, "[Socket]\n").expect("it is ours");
    machine.asked();
    let refused = machine.keiko("daemon install");
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let told = refused.stderr.replace(&machine.home.path().display().to_string(), "[home]").replace(name, "NAME");
    insta::assert_snapshot!(told, @"");
    assert_eq!(machine.asked(), [""; 0]);
    assert_eq!(fs::read_dir(machine.units()).expect("it is there").count(), 1);
    let left = machine.keiko("daemon uninstall");
    assert!(left.stderr.contains("stays: keiko daemon install did not write it"), "{left:?}");
    assert_eq!(fs::read_to_string(&unit).expect("it stays"), "[Socket]\n");
    assert_eq!(machine.asked(), [""; 0], "nor is it stopped");
}

#[test]
fn a_dry_run_shows_each_file_and_touches_nothing() {
    let machine = Machine::with_systemctl(OBEDIENT);
    for words in ["--dry-run", "--print", "--dry-run --with autostart", "--dry-run --with launchd"] {
        let shown = machine.keiko(&format!("daemon install {words}"));
        assert_eq!(shown.code, Some(0), "{shown:?}");
        assert!(shown.stdout.contains("would write ") && shown.stdout.contains("keikod"), "{shown:?}");
    }
    for left in [".config", "data", "Library"] {
        assert!(!machine.home.path().join(left).exists(), "{left}");
    }
}

#[test]
fn where_no_service_manager_answers_the_desktop_starts_the_daemon() {
    let machine = Machine::with_systemctl("#!/bin/sh\necho 'Failed to connect to bus: No medium found' >&2\nexit 1\n");
    let installed = machine.keiko("daemon install");
    assert_eq!(installed.code, Some(0), "{installed:?}");
    let name = &machine.name;
    let entry = machine.home.path().join(format!(".config/autostart/{name}.desktop"));
    assert!(entry.is_file(), "{installed:?}");
    let told = installed.stderr.lines().filter(|line| line.starts_with("hint")).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(told, @"");
    // From now on nobody is told of reboots.
    let added = machine.keiko("add tea in 3h");
    assert!(!added.stderr.contains("reboot"), "{added:?}");
    let refused = machine.keiko("daemon install --with systemd");
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("No medium found"), "{refused:?}");
    assert_eq!(machine.keiko("daemon install --with launchd").code, Some(1), "this is no macOS");
    assert!(!machine.units().exists() && !machine.home.path().join("Library").exists(), "nothing is written");
    machine.keiko("daemon uninstall");
    assert!(!entry.exists());
    let added = machine.keiko("add more tea in 3h");
    assert!(added.stderr.contains("keiko daemon install"), "{added:?}");
}

#[test]
fn logs_are_those_of_the_file_where_no_service_writes_into_the_journal() {
    let home = Home::empty();
    let none = home.keiko("daemon logs");
    assert_eq!(none.code, Some(1), "{none:?}");
    home.keiko("list");
    home.keiko("daemon reload");
    let all = home.keiko("daemon logs");
    assert!(all.stdout.contains("ready") && all.stdout.lines().count() > 1, "{all:?}");
    let last = home.keiko("daemon logs -n 1");
    assert_eq!(last.stdout.lines().count(), 1, "{last:?}");
    assert!(home.keiko("daemon logs -n 1 --json").json()["line"].is_string());
    assert_eq!(home.keiko("daemon logs -n 0").code, Some(2));
}

#[test]
fn a_log_is_followed_across_a_restart_for_as_long_as_somebody_reads() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;

    let home = Home::empty();
    home.keiko("list");
    let mut command = home.command("keiko");
    command.args(["daemon", "logs", "-f", "-n", "1"]).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = crate::support::Killed(command.spawn().expect("keiko is built"));
    let mut lines = BufReader::new(child.0.stdout.take().expect("a pipe")).lines();
    lines.next().expect("a line").expect("text");
    let restarted = home.keiko("daemon restart");
    assert_eq!(restarted.code, Some(0), "{restarted:?}");
    let is_ready = |line: String| line.contains("ready");
    assert!(lines.any(|line| is_ready(line.expect("text"))));
}

#[test]
fn restart_replaces_a_daemon_that_no_service_manager_has_and_starts_one_where_none_is() {
    let home = Home::empty();
    let pid = |ran: &Ran| ran.json()["pid"].as_u64().expect("a number");
    let first = pid(&home.keiko("daemon restart --json"));
    let second = pid(&home.keiko("daemon restart --json"));
    assert_ne!(first, second);
    assert_eq!(pid(&home.keiko("daemon status --json")), second);
}
