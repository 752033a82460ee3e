//! `keiko config`: what is shown, changed and refused, and how a running daemon comes to go by the file.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use insta::assert_snapshot;
use serde_json::json;

use crate::cli::Home;
use crate::support::daemon::Daemon;

const CONFIG: &str = "# mine\nchannels = [\"desktop\"]  # at the desk\n\n[day_parts]\nnight = \"22:00\"\n";

fn config(home: &Home) -> String {
    fs::read_to_string(home.path().join("config.toml")).expect("it is there")
}

/// A daemon whose log is read as it is written, so that a test waits for what it does and not for time.
struct Watched {
    home: Home,
    _daemon: Daemon,
    log: Box<dyn Iterator<Item = String>>,
}

impl Watched {
    fn start(home: Home) -> Self {
        let mut command = home.command("keikod");
        command.args(["--foreground", "--log-format", "json", "--clock", super::NOW]);
        command
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped());
        let mut daemon = Daemon::start(command);
        let log = BufReader::new(daemon.log()).lines().map(|line| line.expect("the log is text"));
        Self { home, _daemon: daemon, log: Box::new(log) }
    }

    /// Waits until the daemon says something of its configuration.
    #[track_caller]
    fn told(&mut self, what: &str) {
        let found = self.log.any(|line| line.contains(what));
        assert!(found, "the daemon ended without saying {what:?}");
    }

    fn reread(&mut self) {
        self.told("the configuration was read anew");
    }

    fn refused(&mut self) {
        self.told("cannot reload the configuration");
    }

    fn status(&self) -> serde_json::Value {
        self.home.keiko("status --json").json()["config"].clone()
    }

    fn evening(&self) -> String {
        let reading = self.home.keiko("rpc time.parse '{\"text\":\"tomorrow night\"}'").json();
        reading["at"].as_str().unwrap_or_default().get(11..16).unwrap_or_default().to_owned()
    }
}

#[test]
fn a_value_is_shown_with_where_it_comes_from() {
    let home = Home::empty();
    home.configure(&format!("{CONFIG}[ntfy.me]\nurl = 'https://ntfy.sh/hunter2'\ntoken_env = 'TOKEN'\n"));
    assert_snapshot!(home.transcript(&[
        "config path",
        "config show day_parts",
        "config show ntfy",
        "config get channels",
        "config get day_parts.night",
        "config get ntfy.me.url",
        "config get digest.at",
        "config get nigth",
        "config get mail.me.host",
        "config show nonsense",
    ]), @r#"
    $ keiko config path
    [home]/config.toml
    $ keiko config show day_parts
    KEY                   VALUE    FROM
    day_parts.morning     "09:00"  default
    day_parts.afternoon   "15:00"  default
    day_parts.evening     "19:00"  default
    day_parts.tonight     "20:00"  default
    day_parts.night       "22:00"  [home]/config.toml:5
    day_parts.end_of_day  "17:00"  default
    $ keiko config show ntfy
    KEY                VALUE        FROM
    ntfy.me.url        (not shown)  [home]/config.toml:7
    ntfy.me.token_env  "TOKEN"      [home]/config.toml:8
    ntfy.me.timeout_s  10           default
    $ keiko config get channels
    ["desktop"]
    $ keiko config get day_parts.night
    22:00
    $ keiko config get ntfy.me.url
    ! error: cannot show ntfy.me.url: it may be a secret
    ! hint: it stands at [home]/config.toml:7
    [exit 5]
    $ keiko config get digest.at
    ! error: digest.at is not set, and nothing holds in its place
    ! hint: keiko config set digest.at VALUE sets it
    [exit 4]
    $ keiko config get nigth
    ! error: there is no key nigth in the configuration
    ! hint: keiko config show lists those that there are, keiko config default explains them
    [exit 2]
    $ keiko config get mail.me.host
    ! error: there is no table mail.me in the configuration
    ! hint: keiko config show lists what there is
    [exit 4]
    $ keiko config show nonsense
    ! error: there is no key nonsense in the configuration
    ! hint: keiko config show lists those that there are, keiko config default explains them
    [exit 2]
    "#);
    let shown = home.keiko_with("config show --json", "", |command| {
        command.env("KEIKO_LOG", "debug");
    });
    assert!(!shown.stdout.contains("hunter2"), "{shown:?}");
    let keys = shown.json()["keys"].clone();
    let of =
        |name: &str| keys.as_array().expect("a list").iter().find(|key| key["key"] == name).cloned().expect("a key");
    assert_eq!(of("log.level")["origin"], "environment");
    let night = of("day_parts.night");
    assert_eq!((&night["origin"], &night["line"], &night["value"]), (&json!("file"), &json!(5), &json!("22:00")));
    assert_eq!((&of("ntfy.me.url")["secret"], &of("ntfy.me.url")["value"]), (&json!(true), &json!(null)));
}

#[test]
fn without_a_daemon_a_value_is_set_checked_and_unset() {
    let home = Home::empty();
    home.configure(CONFIG);
    let path = home.path().join("config.toml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("it is ours");
    assert_snapshot!(home.transcript(&[
        "config set quiet.hours 22:00-07:00",
        "config set channels desktop,terminal",
        "config set grace_s soon",
        "config set channels mail:me",
        "config set webhooks.ops.timeout_s 5",
        "config set grace 5",
        "config unset quiet.hours",
        "config unset quiet.hours",
        "config check",
    ]), @r#"
    $ keiko config set quiet.hours 22:00-07:00
    set  quiet.hours = ["22:00-07:00"]  (was [])  in [home]/config.toml
    holds when keikod starts
    $ keiko config set channels desktop,terminal
    set  channels = ["desktop", "terminal"]  (was ["desktop"])  in [home]/config.toml
    holds when keikod starts
    $ keiko config set grace_s soon
    ! error: cannot set grace_s to "soon": expected a whole number of seconds from 0 to 86400
    ! hint: nothing was changed; keiko config default explains every key
    [exit 2]
    $ keiko config set channels mail:me
    ! error: cannot set channels to "mail:me": expected each webhook:NAME to have a table [webhooks.NAME], each other KIND:NAME one [KIND.NAME]
    ! hint: nothing was changed; keiko config default explains every key
    [exit 2]
    $ keiko config set webhooks.ops.timeout_s 5
    ! error: cannot set webhooks.ops.timeout_s: [home]/config.toml has no table webhooks.ops
    ! hint: keiko channel add webhook ops makes it
    [exit 2]
    $ keiko config set grace 5
    ! error: there is no key grace in the configuration
    ! hint: did you mean grace_s?
    [exit 2]
    $ keiko config unset quiet.hours
    unset  quiet.hours, so [] holds  (was ["22:00-07:00"])  in [home]/config.toml
    holds when keikod starts
    $ keiko config unset quiet.hours
    already  quiet.hours is not set in [home]/config.toml
    $ keiko config check
    good  [home]/config.toml
    "#);
    assert_eq!(config(&home), CONFIG.replace("[\"desktop\"]", "[\"desktop\", \"terminal\"]"));
    assert_eq!(path.metadata().expect("it is there").permissions().mode() & 0o777, 0o640);
    assert_eq!(home.keiko("daemon status").code, Some(6), "none was started for it");
}

#[test]
fn a_secret_is_taken_from_standard_input_and_kept_from_others() {
    let home = Home::empty();
    home.configure("[webhooks.ops]\nurl_env = 'OPS'\n");
    let refused = home.keiko("config set webhooks.ops.secret hunter2");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("the shell keeps it") && !config(&home).contains("hunter2"), "{refused:?}");
    let path = home.path().join("config.toml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("it is ours");
    let set = home.keiko_with("config set webhooks.ops.url -", "http://127.0.0.1:1/hunter2\n", |_| {});
    assert_eq!(set.code, Some(0), "{set:?}");
    assert!(!set.stdout.contains("hunter2") && !set.stderr.contains("hunter2"), "{set:?}");
    assert_eq!(config(&home), "[webhooks.ops]\nurl = \"http://127.0.0.1:1/hunter2\"\n");
    assert_eq!(path.metadata().expect("it is there").permissions().mode() & 0o777, 0o600);
}

#[cfg(feature = "webhook")]
#[test]
fn what_only_the_daemon_s_channels_know_is_refused_too_with_and_without_one() {
    let text = "[webhooks.ops]\nurl = 'http://127.0.0.1:1/'\n";
    for is_running in [false, true] {
        let home = Home::empty();
        home.configure(text);
        let home = if is_running { home.start() } else { home };
        let refused = home.keiko("config set webhooks.ops.body '{{ titel }}'");
        assert_eq!(refused.code, Some(5), "{refused:?}");
        assert!(
            refused.stderr.contains("config.toml:3:8: cannot use webhooks.ops.body: undefined value"),
            "{refused:?}"
        );
        assert_eq!(config(&home), text, "nothing was written");
    }
}

#[test]
fn a_running_daemon_goes_by_what_is_set_and_says_what_holds_later() {
    let home = Home::empty();
    home.configure(CONFIG);
    let home = home.start();
    assert_snapshot!(home.transcript(&[
        "config set day_parts.night 23:00",
        "rpc time.parse '{\"text\":\"tomorrow night\"}' -q",
        "config set log.level debug",
        "config set log.level loud",
    ]).lines().filter(|line| !line.starts_with('{')).collect::<Vec<_>>().join("\n"), @r#"
    $ keiko config set day_parts.night 23:00
    set  day_parts.night = "23:00"  (was "22:00")  in [home]/config.toml
    $ keiko rpc time.parse '{"text":"tomorrow night"}' -q
    $ keiko config set log.level debug
    set  log.level = "debug"  (was "info")  in [home]/config.toml
    holds from keikod's next start on
    $ keiko config set log.level loud
    ! error: cannot set log.level to "loud": expected "error", "warn", "info", "debug" or "trace"
    ! hint: nothing was changed; keiko config default explains every key
    [exit 2]
    "#);
    let told = home.keiko("rpc time.parse '{\"text\":\"tomorrow night\"}'").json();
    assert_eq!(told["at"], "2026-05-14T23:00:00-04:00");
    let status = home.keiko("status").stdout;
    assert!(status.contains("config    from the next start on: log.level"), "{status}");
}

// B17
#[test]
fn a_misspelt_key_is_told_with_its_line_and_a_bad_value_refuses_the_start() {
    let home = Home::empty();
    home.configure("grace = 5\n[webhok]\nurl = 'x'\n[hub]\nurl = 'https://hub.example.org'\n[log]\nlevl = 'debug'\n");
    let check = home.keiko_with("config check", "", |command| {
        command.env("TZ", "Mars/Olympus");
    });
    let told = format!("{}{}", check.stdout, check.stderr).replace(&home.path().display().to_string(), "[home]");
    assert_eq!(check.code, Some(1));
    assert_snapshot!(told, @r#"
    [home]/config.toml:1:1: unknown: passed over the unknown key grace, did you mean grace_s?
    [home]/config.toml:2:2: unknown: passed over the unknown key webhok, did you mean webhooks?
    [home]/config.toml:5:1: unknown: passed over the unknown key hub.url
    [home]/config.toml:7:1: unknown: passed over the unknown key log.levl, did you mean log.level?
    warning: cannot use TZ="Mars/Olympus": expected the name of a zone, such as Europe/Berlin
    "#);
    // It starts all the same, and status says what it passed over.
    let home = home.start();
    let status = home.keiko("status").stdout;
    assert!(status.contains("config.toml:1:1: passed over the unknown key grace, did you mean grace_s?"), "{status}");
    drop(home);
    let home = Home::empty();
    home.configure("channels = ['desktop']\ngrace_s = 'soon'\n[log]\nlevel = 3\nformat = [\n");
    assert_snapshot!(home.transcript(&["config check", "list"]), @r#"
    $ keiko config check
    [home]/config.toml:2:11: error: cannot use grace_s = 'soon': expected a whole number of seconds from 0 to 86400
    [home]/config.toml:4:9: error: cannot use log.level = 3: expected "error", "warn", "info", "debug" or "trace"
    [home]/config.toml:5:11: error: cannot read the configuration: unclosed array, expected `]`
    [exit 1]
    $ keiko list
    ! error: [home]/config.toml:5:11: cannot read the configuration: unclosed array, expected `]`
    ! hint: keiko config check says all that is wrong with it
    [exit 6]
    "#);
    home.configure("grace_s = 'soon'\n[log]\nlevel = 3\n[rules]\n");
    assert_snapshot!(home.transcript(&["config check", "list", "config show"]), @r#"
    $ keiko config check
    [home]/config.toml:1:11: error: cannot use grace_s = 'soon': expected a whole number of seconds from 0 to 86400
    [home]/config.toml:3:9: error: cannot use log.level = 3: expected "error", "warn", "info", "debug" or "trace"
    [home]/config.toml:4:1: error: cannot use rules = [rules]: expected a table for each, such as [[rules]]
    [exit 1]
    $ keiko list
    ! error: [home]/config.toml:1:11: cannot use grace_s = 'soon': expected a whole number of seconds from 0 to 86400 [home]/config.toml:3:9: cannot use log.level = 3: expected "error", "warn", "info", "debug" or "trace" [home]/config.toml:4:1: cannot use rules = [rules]: expected a table for each, such as [[rules]]
    ! hint: keiko config check says all that is wrong with it
    [exit 6]
    $ keiko config show
    ! error: [home]/config.toml:1:11: cannot use grace_s = 'soon': expected a whole number of seconds from 0 to 86400
    ! [home]/config.toml:3:9: cannot use log.level = 3: expected "error", "warn", "info", "debug" or "trace"
    ! [home]/config.toml:4:1: cannot use rules = [rules]: expected a table for each, such as [[rules]]
    ! hint: keiko config check says all that is wrong with it
    [exit 1]
    "#);
}

#[test]
fn what_is_legal_and_odd_is_told_and_good_all_the_same() {
    let home = Home::empty();
    home.configure(
        "[exec.me]\ncommand = ['./gone']\n[mail.me]\nhost = 'h'\nfrom = 'a@x'\nto = 'b@x'\npassword_file = 'gone'\nuser = 'me'\n",
    );
    assert_snapshot!(home.transcript(&["config check"]), @"
    $ keiko config check
    [home]/config.toml:2:11: odd: exec.me.command: there is no program ./gone here
    [home]/config.toml:7:17: odd: mail.me.password_file: cannot look at [home]/gone: No such file or directory (os error 2)
    good  [home]/config.toml
    ");
    let check = home.keiko("config check --json").json();
    assert_eq!(
        (&check["good"], &check["findings"][0]["kind"], &check["findings"][0]["line"]),
        (&json!(true), &json!("odd"), &json!(2))
    );
    fs::remove_file(home.path().join("config.toml")).expect("it is ours");
    assert_snapshot!(home.transcript(&["config check", "config check other.toml"]), @"
    $ keiko config check
    [home]/config.toml: odd: cannot find the configuration [home]/config.toml: the defaults hold
    good  [home]/config.toml is not there: the defaults hold
    $ keiko config check other.toml
    ! error: cannot check other.toml: it is not there
    ! hint: keiko config path tells where the configuration is
    [exit 4]
    ");
}

#[test]
fn the_default_configuration_can_be_put_in_place() {
    let home = Home::empty();
    let text = home.keiko("config default").stdout;
    home.configure(&text);
    let check = home.keiko("config check");
    assert_eq!((check.code, check.stdout.lines().count()), (Some(0), 1), "{check:?}");
    assert_eq!(home.keiko("config set day_parts.night 23:00").code, Some(0));
    assert_eq!(config(&home).lines().count(), text.lines().count() + 1);
    assert_eq!(home.keiko("config get day_parts.night").stdout, "23:00\n");
}

#[cfg(target_os = "linux")]
#[test]
fn the_daemon_goes_by_a_file_that_an_editor_renames_into_place_or_writes_in_halves() {
    let home = Home::empty();
    home.configure(CONFIG);
    let mut watched = Watched::start(home);
    let path = watched.home.path().join("config.toml");
    let rename = |text: &str| {
        let draft = path.with_file_name(".config.toml.swp");
        fs::write(&draft, text).expect("it is ours");
        fs::rename(&draft, &path).expect("it is ours");
    };
    rename(&CONFIG.replace("22:00", "23:00"));
    watched.reread();
    assert_eq!(watched.evening(), "23:00");
    // Half a file is wrong: the former one holds, and it is said.
    fs::write(&path, "[day_parts]\nnight = \"2").expect("it is ours");
    watched.refused();
    assert_eq!(watched.evening(), "23:00");
    let error = watched.status()["error"].as_str().expect("it is wrong").to_owned();
    assert!(error.contains("config.toml:2:11: cannot read the configuration"), "{error}");
    let told = watched.home.keiko("status").stdout;
    assert!(told.contains("what held before holds: keiko config check"), "{told}");
    let overview = watched.home.keiko("").stderr;
    assert!(
        overview.contains("the configuration is wrong, and what held before holds: keiko config check"),
        "{overview}"
    );
    // The other half comes.
    fs::write(&path, "[day_parts]\nnight = \"20:30\"\n").expect("it is ours");
    watched.reread();
    assert_eq!((watched.evening().as_str(), &watched.status()["error"]), ("20:30", &json!(null)));
    // A file that goes drops nothing; one that comes back is read.
    fs::remove_file(&path).expect("it is ours");
    watched.refused();
    assert_eq!(watched.evening(), "20:30");
    fs::write(&path, "").expect("it is ours");
    watched.reread();
    assert_eq!(watched.evening(), "21:00");
}

#[cfg(target_os = "linux")]
#[test]
fn those_who_set_at_the_same_time_take_turns_and_each_is_kept() {
    let home = Home::empty();
    let keys = ["morning", "afternoon", "evening", "tonight", "night", "end_of_day"];
    std::thread::scope(|scope| {
        for key in keys {
            let home = &home;
            scope.spawn(move || {
                let ran = home.keiko(&format!("config set day_parts.{key} 11:11"));
                assert_eq!(ran.code, Some(0), "{ran:?}");
            });
        }
    });
    for key in keys {
        assert!(config(&home).contains(&format!("\n{key} = \"11:11\"\n")), "{key} in {}", config(&home));
    }
}

#[test]
fn a_linked_dotfile_is_followed_and_stays_a_link() {
    let home = Home::empty();
    let (path, real) = (home.path().join("config.toml"), home.path().join("dotfiles/keiko.toml"));
    fs::create_dir(home.path().join("dotfiles")).expect("it is ours");
    fs::write(&real, CONFIG).expect("it is ours");
    fs::remove_file(&path).expect("it is ours");
    std::os::unix::fs::symlink("dotfiles/keiko.toml", &path).expect("it is ours");
    let mut watched = Watched::start(home);
    fs::write(&real, CONFIG.replace("22:00", "23:00")).expect("it is ours");
    watched.reread();
    assert_eq!(watched.evening(), "23:00");
    assert_eq!(watched.home.keiko("config set day_parts.night 23:30").code, Some(0));
    assert_eq!(watched.evening(), "23:30");
    assert!(path.symlink_metadata().expect("it is there").is_symlink());
    assert_eq!(fs::read_to_string(&real).expect("it is there"), CONFIG.replace("22:00", "23:30"));
    // Another dotfile takes its place, as those who switch between several do.
    fs::write(watched.home.path().join("other.toml"), CONFIG.replace("22:00", "20:15")).expect("it is ours");
    replace_link(Path::new("other.toml"), &path);
    watched.reread();
    watched.reread();
    assert_eq!(watched.evening(), "20:15");
}

#[cfg(target_os = "linux")]
fn replace_link(target: &Path, link: &Path) {
    let draft = link.with_file_name("draft");
    std::os::unix::fs::symlink(target, &draft).expect("it is ours");
    fs::rename(&draft, link).expect("it is ours");
}
