//! `keiko prompt`: short, quick, and never in the way.

use std::os::unix::net::UnixListener;
use std::time::Duration;

use serde_json::json;

use crate::cli::Home;

#[test]
fn without_a_daemon_it_says_so_and_starts_none() {
    let home = Home::empty();
    let ran = home.keiko("prompt");
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str(), ran.code), ("keiko off\n", "", Some(0)));
    let bar = home.keiko("prompt --json").json();
    assert_eq!((&bar["text"], &bar["class"]), (&json!("keiko off"), &json!("off")));
    assert_eq!(home.keiko("daemon status").code, Some(6), "none was started");
}

#[test]
fn it_shows_what_is_due_and_what_comes_next() {
    let home = Home::with_daemon();
    assert_eq!(home.keiko("prompt").stdout, "\n");
    home.keiko("add pay rent at 4:05pm");
    home.keiko("add tea at 4:30pm");
    home.keiko("add plants at 6pm");
    assert_eq!(home.keiko("prompt").stdout, "pay rent in 5m\n");
    home.advance("2026-05-13T16:10:00-04:00");
    assert_eq!(home.keiko("prompt").stdout, "1 due, tea in 20m\n");
    home.keiko("pause 3");
    assert_eq!(home.keiko("prompt").stdout, "1 due, tea in 20m, 1 paused\n");
    assert_eq!(home.keiko("prompt --format '[{due}! ]{first} > {next} {at}'").stdout, "1! pay rent > tea 16:30\n");
    let bar = home.keiko("prompt --json").json();
    assert_eq!((&bar["text"], &bar["class"]), (&json!("1 due, tea in 20m, 1 paused"), &json!("due")));
    assert_eq!(bar["tooltip"], "1 due\ndue: 1  pay rent\nnext: 2  tea  16:30 (in 20m)");
    home.keiko("ack 1");
    assert_eq!(home.keiko("prompt --format '{due} {seen}'").stdout, "0 1\n");
    home.keiko("away for 2h");
    assert_eq!(home.keiko("prompt --format {state}").stdout, "away\n");
}

#[test]
fn no_title_can_do_anything_to_a_terminal_or_a_prompt() {
    let home = Home::with_daemon();
    home.keiko("add '50% #[fg=red] \u{1b}[31m$(reboot) 提醒我交房租' --at 5pm");
    let ran = home.keiko_with("prompt", "", |command| {
        command.env("TZ", "Mars/Olympus");
    });
    assert_eq!(ran.stderr, "", "nothing is said beside it");
    assert!(!ran.stdout.contains('\u{1b}'), "{ran:?}");
    assert_eq!(home.keiko("prompt").stdout, "50% #[fg=red] [31m$… in 1h\n");
    assert_eq!(home.keiko("prompt --width 8 --escape zsh").stdout, "50%% #[f… in 1h\n");
    assert_eq!(home.keiko("prompt --width 8 --escape tmux").stdout, "50% ##[f… in 1h\n");
    home.advance("2026-05-13T17:00:00-04:00");
    assert!(home.keiko("prompt --color always").stdout.contains('\u{1b}'), "colours are for those who ask");
    let forced = home.keiko_with("prompt", "", |command| {
        command.env("CLICOLOR_FORCE", "1");
    });
    assert_eq!(forced.stdout, "1 due\n");
}

#[test]
fn a_daemon_that_does_not_answer_holds_up_no_prompt() {
    let home = Home::empty();
    let socket = home.path().join("run/hung.sock");
    // It lets in whoever knocks, and says nothing.
    let _hung = UnixListener::bind(&socket).expect("a socket of the test's own");
    let ran = home.keiko_with("prompt", "", |command| {
        command.env("KEIKO_SOCKET", &socket);
    });
    assert_eq!((ran.stdout.as_str(), ran.code), ("keiko busy\n", Some(0)));
    // One whose queue is full does not even let in.
    let full = home.path().join("run/full.sock");
    let listener =
        rustix::net::socket(rustix::net::AddressFamily::UNIX, rustix::net::SocketType::STREAM, None).expect("a socket");
    rustix::net::bind(&listener, &rustix::net::SocketAddrUnix::new(&full).expect("a short path")).expect("it is ours");
    rustix::net::listen(&listener, 0).expect("it is ours");
    let _first = std::os::unix::net::UnixStream::connect(&full).expect("the queue has room for one");
    let ran = home.keiko_with("prompt", "", |command| {
        command.env("KEIKO_SOCKET", &full);
    });
    assert_eq!((ran.stdout.as_str(), ran.code), ("keiko busy\n", Some(0)));
}

#[test]
fn a_template_that_means_nothing_is_a_usage_error() {
    let home = Home::empty();
    let ran = home.keiko("prompt --format {dew}");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("cannot use the template: there is no {dew}, expected one of text, due"), "{ran:?}");
    assert!(Duration::from_millis(50) < crate::support::PATIENCE);
}
