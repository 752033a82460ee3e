//! Under a real systemd user manager, in a namespace of its own: what is installed starts, is started by whoever calls, comes back,
//! and goes again without a trace. And the units, as systemd itself reads them.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::person::{Person, Said, said};

/// A folder as odd as units can name.
const ODD: &str = "odd 100% of it";

/// Puts the programs into a folder, and returns that of the commands.
fn programs_in(folder: &Path) -> PathBuf {
    fs::create_dir_all(folder).expect("it is ours");
    for program in [env!("CARGO_BIN_EXE_keiko"), env!("CARGO_BIN_EXE_keikod")] {
        let place = folder.join(Path::new(program).file_name().expect("a program has a name"));
        // A link is as good and costs nothing, where it is one file system.
        if fs::hard_link(program, &place).is_err() {
            fs::copy(program, &place).expect("there is room");
        }
    }
    folder.join("keiko")
}

/// Runs the `keiko` of a folder with these words.
fn keiko(person: &Person, program: &Path, words: &str) -> Said {
    let mut command = person.command(program);
    command.args(words.split_whitespace());
    said(command)
}

/// Returns the files that would be installed, by their names.
fn printed(person: &Person, program: &Path, with: &str) -> Vec<(String, String)> {
    let told = keiko(person, program, &format!("daemon install --dry-run --json --with {with}"));
    told.fine();
    let files = told.json()["files"].as_array().expect("an array").clone();
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
    files.iter().map(|file| (text(&file["path"]), text(&file["text"]))).collect()
}

#[test]
fn systemd_finds_nothing_wrong_with_the_units_however_odd_the_paths_are() {
    for folder in ["plain", ODD, "it's \"odd\" $HOME \\ `id` 家"] {
        let mut person = Person::new();
        let program = programs_in(&person.home().join(folder));
        person.set("KEIKO_DATA_DIR", person.home().join(format!("data {folder}")));
        person.set("KEIKO_CONFIG", person.home().join(format!("config {folder}.toml")));
        person.set("KEIKO_SOCKET", person.home().join("s 100% it's"));
        let units = person.home().join("units");
        fs::create_dir(&units).expect("it is ours");
        let mut verify = person.command("systemd-analyze");
        verify.args(["verify", "--user", "--man=no"]);
        for (path, text) in printed(&person, &program, "systemd") {
            let unit = units.join(Path::new(&path).file_name().expect("a unit has a name"));
            fs::write(&unit, text).expect("it is ours");
            verify.arg(unit);
        }
        let told = said(verify);
        assert_eq!((told.code, told.out.as_str(), told.err.as_str()), (Some(0), "", ""), "{folder}");
    }
}

#[test]
fn an_entry_of_a_desktop_starts_the_daemon_however_odd_the_paths_are() {
    let mut person = Person::new();
    let program = programs_in(&person.home().join("it's \"odd\" 100% $HOME \\ `id` 家"));
    let data = person.home().join("data 100% \"of\" it's $HOME");
    person.set("KEIKO_DATA_DIR", &data);
    let (path, text) = printed(&person, &program, "autostart").pop().expect("one file");
    assert!(path.ends_with(".desktop"));
    // As the specification says: first the escapes of a value, then the percent signs, then the quotes, which are a shell's.
    let line = text.lines().find_map(|line| line.strip_prefix("Exec=")).expect("a command");
    let line = line.replace(r"\\", "\\").replace("%%", "%");
    let mut command = person.command("sh");
    command.args(["-c", &format!("unset KEIKO_DATA_DIR; exec {line}")]);
    let mut child = command.spawn().expect("sh is there");
    let mut word = String::new();
    let output = child.stdout.take().expect("a pipe");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut word).expect("it can be read");
    assert_eq!(word, "ready\n");
    let status = keiko(&person, &program, "daemon status --json").json();
    assert_eq!(status["data_dir"], data.display().to_string());
    keiko(&person, &program, "daemon stop").fine();
    child.wait().expect("it is our child");
}

/// Starts a user manager in a namespace of its own, and runs the rest of the arguments there. The machine's own is not touched.
const MANAGER: &str = r#"
set -eu
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system /run/user/0
chmod 700 /run/user/0
export XDG_RUNTIME_DIR=/run/user/0
/lib/systemd/systemd --user --log-target=null >/dev/null 2>&1 </dev/null &
manager=$!
tries=0
until systemctl --user show-environment >/dev/null 2>&1; do
    tries=$((tries + 1))
    kill -0 "$manager" && [ "$tries" -lt 3000 ] || { echo 'no manager'; exit 0; }
done
timeout 150 bash -eu -c "$1" 2>&1 || echo "ended with $?"
kill "$manager"
"#;

/// What a person does, with a word of what must be the case behind each step.
const LIFE: &str = r#"
fail() { echo "not so: $*"; exit 1; }
unit() { systemctl --user show --property="$1" --value keikod.service; }
keiko add tea in 3h >/dev/null
keiko daemon install
[ "$(unit ActiveState)" = active ] || fail "it runs"
[ "$(systemctl --user is-enabled keikod.service keikod.socket | sort -u)" = enabled ] || fail "it is enabled"
keiko daemon install | grep -c unchanged
first=$(unit MainPID)
[ "$(keiko daemon status --json | grep -o '"pid":[0-9]*')" = "\"pid\":$first" ] || fail "it is the service that answers"
systemctl --user show --property=StatusText --value keikod.service
keiko add more in 4h 2>&1 | grep -c reboot || echo "nothing of reboots"

keiko daemon stop >/dev/null
keiko daemon status >/dev/null 2>&1 && fail "it is stopped" || echo "status: $?"
[ "$(unit ActiveState)" = inactive ] || fail "asking starts nothing"
python3 -c '
import json, os, socket
path = open(os.environ["HOME"] + "/.local/share/keiko/keikod.socket").read().split("\n")[0]
s = socket.socket(socket.AF_UNIX); s.connect(path)
s.sendall(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"task.list\",\"params\":{}}\n")
print("whoever calls is answered:", len(json.loads(s.makefile().readline())["result"]["tasks"]), "tasks")'
[ "$(unit ActiveState)" = active ] || fail "a call starts it"

second=$(unit MainPID)
kill -9 "$second"
keiko list 2>/dev/null | tail -n +2 | wc -l
[ "$(unit MainPID)" != "$second" ] || fail "it was started anew"

keiko add slow in 0s -- sleep 600 >/dev/null
until pgrep -f 'sleep 600' >/dev/null; do :; done
keiko daemon restart | head -n 1 | cut -d, -f1,2
pgrep -cf '^sleep 600'
keiko list | grep -c running
systemctl --user reload keikod.service
pkill -f '^sleep 600'

echo 'grace_s = "soon"' > "$HOME/.config/keiko/config.toml"
systemctl --user reload keikod.service 2>/dev/null && fail "a wrong configuration is refused"
keiko daemon restart >/dev/null 2>"$HOME/said" && fail "it does not come up"
grep -o 'cannot use grace_s.*' "$HOME/said" | tail -n 1
rm "$HOME/.config/keiko/config.toml"
keiko daemon restart | head -n 1 | cut -d, -f1,2

touch "$HOME/.config/systemd/user/other.service"
keiko daemon uninstall | wc -l
keiko daemon uninstall
[ "$(unit LoadState)" = not-found ] || fail "nothing is left"
find "$HOME/.config/systemd" -type f -printf '%f\n' -o -type l -printf '%f\n'
keiko list 2>&1 >/dev/null
keiko daemon stop | cut -d' ' -f1,2
"#;

/// Returns whether a manager can be had here.
fn has_namespaces() -> bool {
    let mut unshare = Command::new("unshare");
    unshare.args(["-m", "-p", "-f", "--mount-proc", "mount", "-t", "tmpfs", "tmpfs", "/run"]);
    let is_possible = unshare.stdin(Stdio::null()).output().is_ok_and(|ran| ran.status.success());
    is_possible && Path::new("/lib/systemd/systemd").exists()
}

#[test]
fn a_service_is_installed_lives_and_goes_under_a_real_manager() {
    if !rustix::process::geteuid().is_root() || !has_namespaces() {
        return eprintln!("left out: only root may have a namespace with a service manager of its own");
    }
    let mut person = Person::without_session(ODD);
    let folder = person.home().join("the programs");
    programs_in(&folder);
    fs::create_dir_all(person.home().join(".config/keiko")).expect("it is ours");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = [folder].into_iter().chain(std::env::split_paths(&path)).collect();
    person.set("PATH", std::env::join_paths(folders).expect("no colon in a temporary folder"));
    let mut command = person.command("unshare");
    command.args(["-m", "-p", "-f", "--mount-proc", "--kill-child", "bash", "-c", MANAGER, "manager", LIFE]);
    let told = said(command);
    if told.out == "no manager\n" {
        return eprintln!("left out: no user manager comes up on this machine: {}", told.err);
    }
    let plain = told.out.replace(&person.home().display().to_string(), "[home]");
    let shown: Vec<String> = plain
        .lines()
        .map(|line| line.split(" (pid").next().unwrap_or(line).to_owned())
        .filter(|line| !line.starts_with("hint:"))
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
    started keikod
    written [home]/.config/systemd/user/keikod.service
    written [home]/.config/systemd/user/keikod.socket
    keikod runs as a systemd service of yours
    2
    serves [home]/.local/share/keiko
    0
    nothing of reboots
    status: 6
    whoever calls is answered: 2 tasks
    2
    keikod runs, version 0.1.0
    1
    1
    cannot use grace_s = "soon": expected a whole number of seconds from 0 to 86400
    keikod runs, version 0.1.0
    2
    nothing was installed
    other.service
    started keikod
    stopped keikod
    "#);
}
