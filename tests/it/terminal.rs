//! Lines on real terminals and messages in a real tmux: who is reached, and that nothing written can steer or stop.

#![cfg(unix)]

use std::fs::{OpenOptions, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use keiko::domain::delivery::{Delivery, Report, Target};
use keiko::notify::terminal::{TerminalChannel, Terminals};
use keiko::notify::{Channel, Presence};
use rustix::fs::OFlags;
use rustix::termios::{Action, tcflow};
use tempfile::TempDir;

use crate::support::pty::{Pty, process_table};
use crate::support::{sample, soon};

/// A person with nothing but what the test puts there.
struct Person {
    place: TempDir,
    terminals: Terminals,
}

impl Person {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let path = |name| place.path().join(name);
        for name in ["tmux", "dev", "proc"] {
            std::fs::create_dir(path(name)).unwrap();
        }
        let terminals = Terminals {
            uid: rustix::process::getuid().as_raw(),
            tmux: "tmux".into(),
            tmux_sockets: path("tmux"),
            devices: vec![(path("dev"), "")],
            processes: path("proc"),
        };
        Self { place, terminals }
    }

    /// Puts a terminal among the person's devices.
    fn has_device(&self, number: u32, device: &Path) {
        symlink(device, self.place.path().join("dev").join(number.to_string())).unwrap();
    }

    /// Puts a session on a terminal into the person's process table.
    fn has_session(&self, device: &Path) {
        process_table(&self.terminals.processes, device);
    }

    fn socket(&self) -> PathBuf {
        self.terminals.tmux_sockets.join("default")
    }

    fn channel(&self) -> TerminalChannel {
        TerminalChannel::start(self.terminals.clone())
    }
}

/// A tmux server with one session; ended when dropped.
struct TmuxServer {
    socket: PathBuf,
}

impl TmuxServer {
    fn start(person: &Person) -> Self {
        let server = Self { socket: person.socket() };
        server.run(&["-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "exec sleep 1000"]);
        server.run(&["set-hook", "-g", "client-attached", "wait-for -S attached"]);
        server.run(&["set-hook", "-g", "client-detached", "wait-for -S detached"]);
        server
    }

    /// Attaches a client, which is attached when this returns.
    async fn attach(&self) -> Pty {
        let client = Pty::run(&format!("exec tmux -u -S '{}' attach", self.socket.display()));
        self.wait("attached").await;
        client
    }

    async fn wait(&self, what: &'static str) {
        let mut waiting = tokio::process::Command::new("tmux");
        waiting.arg("-S").arg(&self.socket).args(["wait-for", what]).kill_on_drop(true);
        assert!(soon(what, waiting.status()).await.unwrap().success());
    }

    fn run(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        // -u: what it prints is not to depend on the locale of whoever runs the tests.
        let output = command.env_remove("TMUX").arg("-u").arg("-S").arg(&self.socket).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for TmuxServer {
    fn drop(&mut self) {
        let _ = Command::new("tmux").arg("-S").arg(&self.socket).arg("kill-server").output();
    }
}

fn delivery(number: u64, title: &str, body: &str) -> Delivery {
    sample::delivery(Target::terminal(), number, title, body)
}

async fn present(channel: &TerminalChannel) {
    soon("somebody", channel.presence().wait_for(|now| *now == Presence::Present)).await.unwrap();
}

async fn away(channel: &TerminalChannel) {
    let is_away = |now: &Presence| matches!(now, Presence::Away { reason } if reason.starts_with("no tmux client"));
    soon("nobody", channel.presence().wait_for(is_away)).await.unwrap();
}

#[tokio::test]
async fn a_line_and_a_bell_reach_a_terminal_that_accepts_messages() {
    let person = Person::new();
    let (mut pty, device) = Pty::session("g+w").await;
    person.has_device(3, &device);
    // The real process table: somebody has a session there.
    let channel = TerminalChannel::start(Terminals { processes: "/proc".into(), ..person.terminals.clone() });
    present(&channel).await;
    // The terminal itself puts a carriage return before each line feed.
    assert_eq!(channel.deliver(&delivery(12, "交房租 👨‍👩‍👧", "due 16:00\n带上 💶")).await, Report::DELIVERED);
    let shown = pty.wait_for("done 12\r\r\n").await;
    assert!(shown.ends_with("\r\r\n\x07keiko: 交房租 👨‍👩‍👧 (due 16:00; 带上 💶) · keiko done 12\r\r\n"), "{shown:?}");
}

#[tokio::test]
async fn nothing_that_a_person_wrote_steers_a_terminal() {
    let person = Person::new();
    let (mut pty, device) = Pty::session("g+w").await;
    person.has_device(3, &device);
    person.has_session(&device);
    let channel = person.channel();
    let title = "\u{1b}[2Jgone\u{1b}]0;title\u{7} \u{9b}31m \u{202e}turned\r\nkeiko: forged";
    assert_eq!(channel.deliver(&delivery(1, title, "\u{1b}c\u{85}\u{8}")).await, Report::DELIVERED);
    let shown = pty.wait_for("done 1\r\r\n").await;
    let (_, line) = shown.rsplit_once('\u{7}').unwrap();
    assert_eq!(line, "keiko: [2Jgone ]0;title 31m turned keiko: forged (c) · keiko done 1\r\r\n");
}

#[tokio::test]
async fn a_terminal_that_accepts_messages_comes_first_and_the_others_are_better_than_none() {
    let mut person = Person::new();
    // The real devices; the process table says which of them are meant.
    person.terminals.devices = vec![("/dev/pts".into(), "")];
    let channel = person.channel();
    away(&channel).await;
    let (mut shy, shy_device) = Pty::session("g-w").await;
    person.has_session(&shy_device);
    // mesg n, what Debian sets for root: the only terminal there is takes it all the same.
    assert_eq!(channel.deliver(&delivery(1, "first", "")).await, Report::DELIVERED);
    shy.wait_for("first").await;
    present(&channel).await;

    // mesg y
    let (mut open, open_device) = Pty::session("g+w").await;
    person.has_session(&open_device);
    assert_eq!(channel.deliver(&delivery(1, "second", "")).await, Report::DELIVERED);
    open.wait_for("second").await;
    // mesg n on both: neither is preferred. No device is given back here, since another test could be given it.
    std::fs::set_permissions(&open_device, Permissions::from_mode(0o600)).unwrap();
    assert_eq!(channel.deliver(&delivery(1, "third", "")).await, Report::DELIVERED);
    open.wait_for("third").await;
    let shown = shy.wait_for("third").await;
    assert!(!shown.contains("second"), "{shown}");
}

#[tokio::test]
async fn a_terminal_without_a_session_or_of_somebody_else_is_left_alone() {
    let person = Person::new();
    let (_pty, device) = Pty::session("g+w").await;
    person.has_device(3, &device);
    let channel = person.channel();
    assert!(matches!(channel.deliver(&delivery(1, "a", "")).await, Report::Away { .. }));
    person.has_session(&device);
    assert_eq!(channel.deliver(&delivery(1, "a", "")).await, Report::DELIVERED);
    let somebody_else = Terminals { uid: person.terminals.uid + 1, ..person.terminals.clone() };
    let channel = TerminalChannel::start(somebody_else);
    assert!(matches!(channel.deliver(&delivery(1, "a", "")).await, Report::Away { .. }));
}

#[tokio::test]
async fn a_terminal_that_has_stopped_hangs_nothing_and_is_tried_again() {
    let person = Person::new();
    let (mut pty, device) = Pty::session("g+w").await;
    person.has_device(3, &device);
    person.has_session(&device);
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).unwrap();
    let stopped = OpenOptions::new().write(true).custom_flags(flags).open(&device).unwrap();
    // What Ctrl-S does: the terminal takes nothing until it goes on.
    tcflow(&stopped, Action::OOff).unwrap();

    let channel = person.channel();
    let report = channel.deliver(&delivery(1, "a", "")).await;
    let is_so = matches!(&report, Report::Failed { error, is_final: false, .. } if error.contains("none of 1"));
    assert!(is_so, "{report:?}");
    tcflow(&stopped, Action::OOn).unwrap();
    assert_eq!(channel.deliver(&delivery(1, "again", "")).await, Report::DELIVERED);
    pty.wait_for("again").await;
    // A terminal that works beside one that does not is enough.
    let (mut other, device) = Pty::session("g+w").await;
    person.has_device(4, &device);
    tcflow(&stopped, Action::OOff).unwrap();
    person.has_session(&device);
    assert_eq!(channel.deliver(&delivery(2, "b", "")).await, Report::DELIVERED);
    other.wait_for("keiko: b · keiko done 2\r\r\n").await;
}

#[tokio::test]
async fn tmux_shows_the_message_to_who_is_attached_and_its_panes_get_no_line() {
    let person = Person::new();
    let server = TmuxServer::start(&person);
    let pane: PathBuf = server.run(&["display-message", "-p", "#{pane_tty}"]).trim().into();
    std::fs::set_permissions(&pane, Permissions::from_mode(0o620)).unwrap();
    person.has_device(3, &pane);
    person.has_session(&pane);
    let channel = person.channel();
    // A pane that nobody looks at reaches nobody.
    away(&channel).await;
    assert!(matches!(channel.deliver(&delivery(1, "nobody", "")).await, Report::Away { .. }));

    let mut client = server.attach().await;
    present(&channel).await;
    assert_eq!(channel.deliver(&delivery(1, "交房租 stretch", "due 16:00")).await, Report::DELIVERED);
    client.wait_for("keiko: 交房租 stretch (due 16:00) · keiko done 1").await;
    assert_eq!(server.run(&["capture-pane", "-p"]).trim(), "");

    server.run(&["detach-client", "-s", "0"]);
    away(&channel).await;
    drop(client);
}

#[tokio::test]
async fn nothing_that_a_person_wrote_runs_or_is_read_in_tmux() {
    let person = Person::new();
    let server = TmuxServer::start(&person);
    let mut client = server.attach().await;
    let trace = person.place.path().join("trace");
    let channel = person.channel();
    let title = format!("#(touch {}) #{{pid}} ##x 100% %H;", trace.display());
    assert_eq!(channel.deliver(&delivery(1, &title, "")).await, Report::DELIVERED);
    assert_eq!(channel.deliver(&delivery(2, "-x ; kill-server", "")).await, Report::DELIVERED);
    client.wait_for("keiko: -x ; kill-server · keiko done 2").await;
    let messages = server.run(&["show-messages"]);
    assert!(messages.contains(&format!("keiko: {title} · keiko done 1")), "{messages}");
    // A job of a format would have been started before the message was shown.
    assert!(!trace.exists());
}

#[tokio::test]
async fn a_tmux_that_has_stopped_hangs_nothing_and_the_terminals_get_the_line() {
    let person = Person::new();
    let server = TmuxServer::start(&person);
    let _client = server.attach().await;
    let (mut pty, device) = Pty::session("g+w").await;
    person.has_device(3, &device);
    person.has_session(&device);
    let pid: i32 = server.run(&["display-message", "-p", "#{pid}"]).trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    let channel = person.channel();
    let report = channel.deliver(&delivery(1, "a", "")).await;
    rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
    assert_eq!(report, Report::DELIVERED);
    pty.wait_for("keiko: a · keiko done 1\r\r\n").await;
}

#[tokio::test]
async fn without_tmux_the_terminals_get_the_line() {
    let mut person = Person::new();
    let (mut pty, device) = Pty::session("g+w").await;
    person.terminals.tmux = "/nonexistent/tmux".into();
    person.has_device(3, &device);
    person.has_session(&device);
    // A socket whose server is gone.
    drop(std::os::unix::net::UnixListener::bind(person.socket()).unwrap());
    let channel = person.channel();
    present(&channel).await;
    assert_eq!(channel.deliver(&delivery(1, "a", "")).await, Report::DELIVERED);
    pty.wait_for("keiko: a · keiko done 1\r\r\n").await;
}
