//! The first ten minutes of somebody who knows nothing, in a real tmux and from an empty home: no dead end, and each error
//! names a command that then works.

#![cfg(unix)]

use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::cli::binary;

/// What a shell shows before each command: how the last one ended.
const PROMPT: &str = "[$?]$ ";

/// The channel of tmux on which the shell says that it waits for a command.
const READY: &str = "ready";

/// The channel on which the other terminal says that it is there.
const BESIDE: &str = "beside";

/// Somebody at a terminal of 100 columns, in tmux; all of it ends when dropped.
struct Newcomer {
    home: TempDir,
    /// How many prompts were shown.
    prompts: usize,
}

/// What a command said, and how it ended.
#[derive(Debug)]
struct Said {
    text: String,
    code: i32,
}

impl Said {
    #[track_caller]
    fn fine(self, parts: &[&str]) -> Self {
        assert_eq!(self.code, 0, "{self:?}");
        self.says(parts)
    }

    #[track_caller]
    fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.text.contains(part), "expected {part:?} in {self:?}");
        }
        self
    }
}

impl Newcomer {
    fn sit_down() -> Self {
        let home = tempfile::tempdir().expect("a temporary directory can be made");
        let mut newcomer = Self { home, prompts: 0 };
        let programs = binary("keiko").parent().expect("it lies in a directory").to_owned();
        let place = newcomer.home.path().display().to_string();
        let tmux = format!("tmux -S '{place}/tmux'");
        std::fs::create_dir(newcomer.home.path().join("home")).expect("it is ours");
        let shell = format!(
            "chmod g-w \"$(tty)\"; exec env -i HOME='{place}/home' TERM=screen PAGER=cat LC_ALL=C.UTF-8 TZ=America/New_York PS1='{PROMPT}' \
             PROMPT_COMMAND=\"{tmux} wait-for -S {READY}\" PATH='{}:/usr/bin:/bin' TMUX_TMPDIR='{place}' bash --norc \
             --noprofile -i",
            programs.display()
        );
        newcomer.tmux(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            "160",
            "-y",
            "40",
            "-c",
            &format!("{place}/home"),
            &shell,
        ]);
        newcomer.tmux(&["set-option", "-g", "history-limit", "50000"]);
        // Other daemons of this person, such as those of other tests, write to terminals too: to those that accept messages,
        // where there is one. So there is one, and this is another.
        let beside = format!("chmod g+w \"$(tty)\"; {tmux} wait-for -S {BESIDE}; exec sleep 3600");
        newcomer.tmux(&["new-window", "-d", &beside]);
        newcomer.tmux(&["wait-for", BESIDE]);
        newcomer.wait();
        newcomer
    }

    fn tmux(&self, words: &[&str]) -> String {
        let mut command = Command::new("timeout");
        command.args(["60", "tmux", "-S"]).arg(self.home.path().join("tmux")).args(words);
        command.env_remove("TMUX").env("LC_ALL", "C.UTF-8").stdin(Stdio::null());
        let output = command.output().expect("tmux is installed");
        if !output.status.success() {
            let screen = Command::new("tmux")
                .arg("-S")
                .arg(self.home.path().join("tmux"))
                .args(["capture-pane", "-p", "-J"])
                .output();
            panic!(
                "{words:?}: {output:?}: {:?}",
                screen.map(|screen| String::from_utf8_lossy(&screen.stdout).into_owned())
            );
        }
        String::from_utf8(output.stdout).expect("tmux speaks UTF-8")
    }

    /// Waits until the shell asks for a command.
    fn wait(&mut self) {
        self.tmux(&["wait-for", READY]);
        self.prompts += 1;
    }

    /// Types a line, and those that the command asks for; returns what was said when it has ended.
    fn types(&mut self, lines: &[&str]) -> Said {
        self.tmux(&["clear-history"]);
        for line in lines {
            self.tmux(&["send-keys", "-l", line]);
            self.tmux(&["send-keys", "Enter"]);
        }
        self.wait();
        // The prompt is drawn behind the signal: a key that is shown behind it says that it is there.
        let mark = format!("#{}", self.prompts);
        self.tmux(&["send-keys", "-l", &mark]);
        let mut looks = 0;
        let screen = loop {
            looks += 1;
            let screen = self.tmux(&["capture-pane", "-p", "-J", "-S", "-"]);
            // What is typed before it may be shown twice.
            if screen.trim_end().ends_with(&format!("]$ {mark}")) {
                break screen;
            }
            assert!(looks < 1000, "{lines:?} shows no prompt behind it: {screen}");
        };
        self.tmux(&["send-keys", "C-u"]);
        let shown = screen.trim_end();
        let (before, prompt) = shown.rsplit_once('\n').expect("there is more than a prompt");
        let code = prompt.split(['[', ']']).nth(1).and_then(|code| code.parse().ok()).expect("a code");
        let typed = format!("]$ {}", lines[0]);
        let (_, text) = before.rsplit_once(&typed).unwrap_or_else(|| panic!("{typed:?} is not on the screen: {shown}"));
        Said { text: text.to_owned(), code }
    }

    fn keiko(&mut self, words: &str) -> Said {
        self.types(&[format!("keiko {words}").trim_end()])
    }

    /// Types what cannot be done. The error says what is wrong and names the command `next`, which then works.
    #[track_caller]
    fn stumbles(&mut self, words: &str, code: i32, says: &str, next: &str) -> Said {
        let said = self.keiko(words);
        assert_eq!(said.code, code, "keiko {words}: {said:?}");
        let said = said.says(&["error: ", says, "hint: ", next]);
        assert!(!said.text.contains("panicked"), "{said:?}");
        let then = self.types(&[next]);
        assert_eq!(then.code, 0, "{next} was proposed behind {words:?}, and ends so: {then:?}");
        then
    }
}

impl Drop for Newcomer {
    fn drop(&mut self) {
        let _ = Command::new(binary("keiko"))
            .env_clear()
            .env("HOME", self.home.path().join("home"))
            .args(["daemon", "stop"])
            .output();
        let _ = Command::new("tmux").arg("-S").arg(self.home.path().join("tmux")).arg("kill-server").output();
    }
}

/// Returns the command behind the last colon of a hint, where it proposes a whole one.
fn proposed(said: &Said) -> String {
    let hint = said.text.split("hint: ").nth(1).expect("there is a hint");
    let command = hint.lines().next().and_then(|line| line.split_once(": keiko ")).expect("a command is proposed").1;
    format!("keiko {}", command.trim_end())
}

#[test]
fn the_first_ten_minutes_have_no_dead_end() {
    let mut me = Newcomer::sit_down();

    // Nothing is there, and that is said together with what to do.
    me.keiko("").fine(&["nothing to do", "keiko remind me in 20 minutes to stretch"]);
    me.keiko("remind me in 20 minutes to stretch").fine(&["added 1  stretch", "(in 20m)"]);
    me.keiko("list").fine(&["stretch", "scheduled"]);
    me.keiko("help").fine(&["Every day:", "remind ", "Examples:", "keiko help time"]);

    // Slips of the finger, and words of other programs.
    me.stumbles("lsit", 2, "cannot run \"lsit\"", "keiko list").says(&["stretch"]);
    me.keiko("remind me tomorow to pay rent").fine(&["added 2  pay rent", "09:00"]);
    me.stumbles("2 done", 2, "cannot run \"2\"", "keiko done 2").says(&["done 2  pay rent"]);
    me.keiko("undo").fine(&["taken back: done 2 pay rent"]);
    me.stumbles("complete 2", 2, "cannot run \"complete\"", "keiko done 2").says(&["done 2  pay rent"]);
    me.keiko("undo").fine(&["taken back"]);
    me.stumbles("rm 2", 2, "cannot run \"rm\"", "keiko cancel 2").says(&["cancelled 2  pay rent"]);
    me.keiko("undo").fine(&["taken back"]);
    me.stumbles("snoze 1 1h", 2, "cannot run \"snoze\"", "keiko snooze 1 1h").says(&["snoozed 1  stretch"]);
    me.stumbles("list --al", 2, "'--al'", "keiko list --all").says(&["stretch"]);
    me.stumbles("buy milk tomorrow", 2, "cannot run \"buy\"", "keiko add buy milk tomorrow")
        .says(&["added 3  buy milk"]);
    me.stumbles("today", 2, "cannot run \"today\"", "keiko agenda");
    me.stumbles("pause", 2, "<TASK>", "keiko pause 3").says(&["paused 3  buy milk"]);
    me.keiko("resume 3").fine(&["resumed 3  buy milk"]);
    me.stumbles("help snoze", 2, "cannot help with \"snoze\"", "keiko help snooze")
        .says(&["Lets tasks speak again later"]);

    // Without words it asks.
    me.types(&["keiko add", "water the plants tomorrow 6pm"]).fine(&["what, and when?", "added 4  water the plants"]);

    // Times that cannot be meant.
    let past = me.keiko("remind me yesterday 3pm to call mum");
    assert_eq!(past.code, 3, "{past:?}");
    let next = proposed(&past.says(&["has passed"]));
    assert!(next.starts_with("keiko remind me to") && next.ends_with("15:00 to call mum"), "{next}");
    me.types(&[&next]).fine(&["added 5  call mum"]);
    me.stumbles("remind me to feed the cat", 3, "cannot find a time", "keiko remind me to feed the cat tomorrow 3pm")
        .says(&["added 6  feed the cat"]);
    me.stumbles("remind me later", 3, "does not say when", "keiko remind me in 1 hour").says(&["added 7"]);

    // Tasks that are not there, and none that is meant.
    me.stumbles("done 99", 4, "cannot find a task named \"99\"", "keiko list").says(&["feed the cat"]);
    me.stumbles("done", 4, "none is due", "keiko list");
    me.stumbles("snooze", 4, "none is due", "keiko list");

    // What is done every day.
    me.keiko("snooze 1 for 2h").fine(&["snoozed 1  stretch", "(in 2h)"]);
    me.keiko("done feed the cat").fine(&["done 6  feed the cat"]);
    let twice = me.keiko("done 6");
    assert_eq!(twice.code, 5, "{twice:?}");
    twice.says(&["it is already done", "hint: ", "keiko add"]);
    me.keiko("undo").fine(&["taken back: done 6 feed the cat"]);
    me.keiko("agenda").fine(&["today", "tomorrow", "water the plants"]);
    me.keiko("").fine(&["water the plants"]);
    me.keiko("why 1").fine(&["stretch"]);

    // Where it speaks.
    me.keiko("channel list").fine(&["desktop", "terminal"]);
    me.keiko("channel").fine(&["desktop", "terminal"]);
    me.stumbles("channels", 2, "cannot run \"channels\"", "keiko channel list");
    me.keiko("help channels").fine(&["Kinds", "keiko channel add telegram phone"]);

    // The daemon goes and comes.
    me.keiko("daemon stop").fine(&["stopped keikod"]);
    me.stumbles("daemon status", 6, "it is not running", "keiko daemon start").says(&["keikod"]);
    me.keiko("daemon stop").fine(&["stopped keikod"]);
    let twice = me.keiko("daemon stop");
    assert_eq!(twice.code, 6, "{twice:?}");
    me.keiko("list").fine(&["started keikod", "water the plants"]);
}
