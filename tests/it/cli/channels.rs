//! `keiko channel add` and `remove`: what they write, what they refuse, and what a person at a terminal is asked.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use insta::assert_snapshot;
use serde_json::json;

use crate::cli::Home;
use crate::support::pty::Pty;

/// Nothing listens there.
const DEAD: &str = "http://127.0.0.1:1/hunter2";

const CONFIG: &str = "# mine\nchannels = [\"desktop\"]  # at the desk\n\n[day_parts]\nnight = \"22:00\"\n";

fn home() -> Home {
    let home = Home::with_daemon();
    home.configure(CONFIG);
    home
}

fn config(home: &Home) -> String {
    fs::read_to_string(home.path().join("config.toml")).expect("it is there")
}

#[test]
fn a_target_is_added_tried_listed_and_removed() {
    let home = home();
    let added = home.keiko_with("channel add webhook ops --url-file - --no-test", DEAD, |_| {});
    assert_eq!(added.code, Some(0), "{added:?}");
    assert_eq!(config(&home), format!("{CONFIG}\n[webhooks.ops]\nurl_file = \"secrets/webhook-ops.url\"\n"));
    let kept = home.path().join("secrets/webhook-ops.url");
    assert_eq!(fs::read_to_string(&kept).expect("it is kept"), format!("{DEAD}\n"));
    let mode = |path: &std::path::Path| path.metadata().expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&kept), mode(&home.path().join("secrets"))), (0o600, 0o700));
    assert_snapshot!(home.transcript(&[
        "channel add webhook ops --url-file x",
        "channel list webhook:ops",
        "channel test webhook:ops",
        "add tea in 1 hour --via webhook:ops",
        "channel remove webhook:ops",
        "channel remove webhook:ops --force",
        "channel remove webhook:ops",
    ]), @"
    $ keiko channel add webhook ops --url-file x
    ! error: cannot add webhook:ops: it is configured already
    ! hint: keiko channel remove webhook:ops removes it
    [exit 2]
    $ keiko channel list webhook:ops
    TARGET       STATE  TO SEND
    webhook:ops  ready
    $ keiko channel test webhook:ops
    not reached  webhook:ops: cannot post to http://127.0.0.1:1: Connection refused (os error 111)
    [exit 1]
    $ keiko add tea in 1 hour --via webhook:ops
    added 1  tea  Wed 13 May 2026 17:00 EDT (in 1h)
    $ keiko channel remove webhook:ops
    ! error: cannot remove webhook:ops: task 1 names it
    ! hint: keiko channel remove webhook:ops --force removes it there too; what tasks say there then waits
    [exit 5]
    $ keiko channel remove webhook:ops --force
    removed  webhook:ops  from [home]/config.toml
    deleted  [home]/secrets/webhook-ops.url
    ! warning: task 1 names webhook:ops still: keiko edit N --via says where else
    $ keiko channel remove webhook:ops
    ! error: cannot remove webhook:ops: [home]/config.toml has no such target
    ! hint: keiko channel list shows what is configured
    [exit 2]
    ");
    assert_eq!(config(&home), CONFIG);
    assert!(!kept.exists());
}

#[test]
fn what_is_missing_or_out_of_place_is_a_usage_error_that_says_all_of_it() {
    let home = home();
    assert_snapshot!(home.transcript(&[
        "channel add telegram phone --no-test",
        "channel add mail me --host smtp.example.org",
        "channel add telegram phone --token hunter2 --chat 7",
        "channel add telegram phone --token-env A --token-file b --chat 7",
        "channel add telegram phone --token-env A --chat 7 --host x",
        "channel add telegram",
        "channel add telegram no:name --token-env A --chat 7",
        "channel add desktop",
        "channel add pigeon home",
        "channel add mail me --host h --from a@x --to b@x --port 99999",
        "channel add exec me --command 'run \"x'",
        "channel remove desktop",
        "channel remove webhook:ops",
    ]), @r#"
    $ keiko channel add telegram phone --no-test
    ! error: cannot add telegram:phone: missing --token-file (or --token-env, --token-command); --chat
    ! hint: on a terminal keiko channel add asks for each
    [exit 2]
    $ keiko channel add mail me --host smtp.example.org
    ! error: cannot add mail:me: missing --from; --to
    ! hint: on a terminal keiko channel add asks for each
    [exit 2]
    $ keiko channel add telegram phone --token hunter2 --chat 7
    ! error: cannot take --token from the command line: the shell keeps it, and every process can see it
    ! hint: --token-file - reads it from standard input; --token-file PATH, --token-env NAME and --token-command 'pass show …' say where it is; on a terminal it is asked for
    [exit 2]
    $ keiko channel add telegram phone --token-env A --token-file b --chat 7
    ! error: cannot use --token-file and --token-env together
    ! hint: give one of them
    [exit 2]
    $ keiko channel add telegram phone --token-env A --chat 7 --host x
    ! error: cannot add a telegram with --host
    ! hint: telegram takes --token-file (or --token-env, --token-command); --chat; --buttons; --api-url; --ca-file; --timeout-s
    [exit 2]
    $ keiko channel add telegram
    ! error: cannot add a telegram: it has no name
    ! hint: keiko channel add telegram phone
    [exit 2]
    $ keiko channel add telegram no:name --token-env A --chat 7
    ! error: cannot call a telegram "no:name": expected letters, digits, - and _, at most 64
    ! hint: such as phone
    [exit 2]
    $ keiko channel add desktop
    ! error: cannot add a channel of kind "desktop": it is there without being added
    ! hint: kinds are webhook, telegram, feishu, wecom, ntfy, mail, exec
    [exit 2]
    $ keiko channel add pigeon home
    ! error: cannot add a channel of kind "pigeon": there is no such kind
    ! hint: kinds are webhook, telegram, feishu, wecom, ntfy, mail, exec
    [exit 2]
    $ keiko channel add mail me --host h --from a@x --to b@x --port 99999
    ! error: cannot use --port "99999": expected a whole number from 1 to 65535
    ! hint: The port of that server (mail)
    [exit 2]
    $ keiko channel add exec me --command 'run "x'
    ! error: cannot use --command "run \"x": expected a program and its arguments, each quote with its other half
    ! hint: The program and its arguments (exec)
    [exit 2]
    $ keiko channel remove desktop
    ! error: cannot remove "desktop": expected KIND:NAME
    ! hint: keiko channel list shows them
    [exit 2]
    $ keiko channel remove webhook:ops
    ! error: cannot remove webhook:ops: [home]/config.toml has no such target
    ! hint: keiko channel list shows what is configured
    [exit 2]
    "#);
    assert_eq!(config(&home), CONFIG);
}

#[test]
fn every_way_to_say_where_a_secret_is_is_written_as_it_is() {
    let home = home();
    for line in [
        "channel add telegram phone --token-command 'pass show \"my bot\"' --chat 7 --no-test",
        "channel add mail me --host smtp.example.org --port 587 --security starttls --from a@example.org --to b@example.org \
         --to c@example.org --user me --password-env MAIL_PASSWORD --no-test",
        "channel add exec call --command 'call-me --now' --no-test",
        "channel add ntfy phone --url-file topic --no-test",
    ] {
        let added = home.keiko(line);
        assert_eq!(added.code, Some(0), "{line}: {added:?}");
    }
    let topic = home.path().join("topic");
    assert_eq!(
        config(&home),
        format!(
            "{CONFIG}\n[telegram.phone]\ntoken_command = [\"pass\", \"show\", \"my bot\"]\nchat = \"7\"\n\n[mail.me]\n\
             host = \"smtp.example.org\"\nport = 587\nsecurity = \"starttls\"\nuser = \"me\"\n\
             password_env = \"MAIL_PASSWORD\"\nfrom = \"a@example.org\"\nto = [\"b@example.org\", \"c@example.org\"]\n\n\
             [exec.call]\ncommand = [\"call-me\", \"--now\"]\n\n[ntfy.phone]\nurl_file = \"{}\"\n",
            topic.display()
        )
    );
}

#[test]
fn an_address_on_the_command_line_is_kept_as_a_secret_and_a_failed_trial_is_told() {
    let home = home();
    let added = home.keiko(&format!("channel add webhook ops --url {DEAD} --json"));
    assert_eq!(added.code, Some(1), "{added:?}");
    let answer = added.json();
    assert_eq!((&answer["target"], &answer["test"]["delivered"]), (&json!("webhook:ops"), &json!(false)), "{answer}");
    assert!(!added.stdout.contains("hunter2") && !added.stderr.contains("hunter2"), "{added:?}");
    assert!(!config(&home).contains("hunter2"));
}

#[test]
fn those_who_add_at_the_same_time_are_all_added() {
    let home = home();
    std::thread::scope(|scope| {
        for name in ["one", "two", "three", "four"] {
            let home = &home;
            scope.spawn(move || {
                let args = format!("channel add webhook {name} --url-file - --no-test");
                let added = home.keiko_with(&args, DEAD, |_| {});
                assert_eq!(added.code, Some(0), "{added:?}");
            });
        }
    });
    let config = config(&home);
    for name in ["one", "two", "three", "four"] {
        assert!(
            config.contains(&format!("[webhooks.{name}]\nurl_file = \"secrets/webhook-{name}.url\"\n")),
            "{config}"
        );
        assert!(home.path().join(format!("secrets/webhook-{name}.url")).exists());
    }
}

#[test]
fn what_the_daemon_refuses_is_not_written() {
    let home = home();
    let wrong = home.keiko_with("channel add webhook ops --url-file -", "ftp://x/hunter2", |_| {});
    let expected =
        "error: cannot add webhook:ops: webhooks.ops.url: expected a URL that begins with https:// or http://\n";
    assert_eq!((wrong.code, wrong.stderr.as_str()), (Some(2), expected));
    let refused = home.keiko_with("channel add webhook ops --url-file - --secret-env KEIKO_TEST_UNSET", DEAD, |_| {});
    assert_eq!(refused.code, Some(5), "{refused:?}");
    assert!(refused.stderr.contains("the daemon's environment has no variable KEIKO_TEST_UNSET"), "{refused:?}");
    assert_eq!(config(&home), CONFIG);
    assert!(!home.path().join("secrets/webhook-ops.url").exists());
}

#[test]
fn a_configuration_that_is_gone_for_a_moment_drops_nothing_and_its_link_stays() {
    let home = home();
    home.keiko_with("channel add webhook ops --url-file - --no-test", DEAD, |_| {});
    let (path, real) = (home.path().join("config.toml"), home.path().join("dotfiles.toml"));
    fs::rename(&path, &real).expect("a directory of its own");
    std::os::unix::fs::symlink(&real, &path).expect("the name is free");
    assert_eq!(home.keiko("daemon reload").code, Some(0), "through its link");
    fs::rename(&real, home.path().join("away.toml")).expect("it is there");
    let added = home.keiko_with("channel add webhook more --url-file - --no-test", DEAD, |_| {});
    assert_snapshot!(home.transcript(&["daemon reload", "channel list webhook:ops"]), @"
    $ keiko daemon reload
    ! error: cannot reload the configuration, the former one holds: cannot read the configuration [home]/config.toml: it is not there; an empty file says that nothing is configured
    ! hint: mend the file, then run keiko daemon reload
    [exit 5]
    $ keiko channel list webhook:ops
    TARGET       STATE  TO SEND
    webhook:ops  ready
    ");
    assert_ne!(added.code, Some(0), "{added:?}");
    assert!(added.stderr.contains("it is a link to a file that is not there"), "{added:?}");
    assert!(path.is_symlink() && !path.exists(), "the link is as it was");
    fs::rename(home.path().join("away.toml"), &real).expect("it is there");
    assert_eq!(home.keiko("daemon reload").code, Some(0));
}

#[test]
fn what_is_configured_no_more_is_listed_as_that() {
    let home = home();
    home.keiko_with("channel add webhook ops --url-file - --no-test", DEAD, |_| {});
    home.keiko("add tea in 1 hour --via webhook:ops");
    home.keiko("channel remove webhook:ops --force");
    home.advance("2026-05-13T18:00:00-04:00");
    assert_snapshot!(home.transcript(&["channel list webhook:ops"]), @"
    $ keiko channel list webhook:ops
    TARGET       STATE           TO SEND
    webhook:ops  not configured        1
    ");
}

#[test]
fn rules_lose_a_target_that_is_removed_by_force() {
    let home = Home::with_daemon();
    home.configure(
        "fallback = [\"webhook:ops\", \"terminal\"]\n\n[webhooks.ops]\nurl_file = \"mine\"\n\n[[rules]]\ntags = [\"med\"]\n\
         channels = [\"webhook:ops\"]\n",
    );
    fs::write(home.path().join("mine"), DEAD).expect("it is ours");
    assert_eq!(home.keiko("daemon reload").code, Some(0));
    let refused = home.keiko("channel remove webhook:ops");
    assert_eq!(refused.code, Some(5), "{refused:?}");
    assert!(refused.stderr.contains("cannot remove webhook:ops: fallback, rules[0] names it"), "{refused:?}");
    assert_eq!(home.keiko("channel remove webhook:ops --force").code, Some(0));
    assert_eq!(config(&home), "fallback = [ \"terminal\"]\n");
    // It is the person's own.
    assert!(home.path().join("mine").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn at_a_terminal_it_asks_for_each_and_shows_nothing_of_a_secret() {
    let home = home();
    let keiko = env!("CARGO_BIN_EXE_keiko");
    let variables = ["XDG_RUNTIME_DIR=run", "KEIKO_DATA_DIR=data", "KEIKO_CONFIG=config.toml"]
        .map(|pair| pair.replace('=', &format!("={}/", home.path().display())));
    let mut pty = Pty::run(&format!("env {} {keiko} channel add telegram; echo exit=$?=", variables.join(" ")));
    pty.wait_for("such as phone? ").await;
    pty.type_line("phone").await;
    pty.wait_for("token (not shown): ").await;
    pty.type_line("123:hunter2").await;
    pty.wait_for("chat: ").await;
    pty.type_line("7").await;
    pty.wait_for("[Y/n] ").await;
    pty.type_line("").await;
    pty.wait_for("try it? [Y/n] ").await;
    pty.type_line("n").await;
    let shown = pty.wait_for("exit=0=").await;
    assert!(shown.contains("@BotFather") && shown.contains("telegram:phone"), "{shown}");
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(config(&home).ends_with("[telegram.phone]\ntoken_file = \"secrets/telegram-phone.token\"\nchat = \"7\"\n"));
    let kept = fs::read_to_string(home.path().join("secrets/telegram-phone.token")).expect("it is kept");
    assert_eq!(kept, "123:hunter2\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_thinks_better_of_it_at_the_terminal_changes_nothing() {
    let home = home();
    let keiko = env!("CARGO_BIN_EXE_keiko");
    let variables = ["XDG_RUNTIME_DIR=run", "KEIKO_DATA_DIR=data", "KEIKO_CONFIG=config.toml"]
        .map(|pair| pair.replace('=', &format!("={}/", home.path().display())));
    let command = format!("env {} {keiko} channel add telegram phone; echo exit=$?=; stty -a", variables.join(" "));
    let mut pty = Pty::run(&command);
    pty.wait_for("token (not shown): ").await;
    pty.type_line("hun\u{3}").await;
    let shown = pty.wait_for(" echo ").await;
    assert!(shown.contains("nothing was changed") && shown.contains("exit=1="), "{shown}");
    assert_eq!(config(&home), CONFIG);
}
