//! Timelines worked out by hand from SPEC 4 and 5: core and oracle both ring as each says.
//!
//! They are in `tests/it/timelines/*.txt`, told in lines: what a person adds and does, what happens to the device, and what
//! must have rung. How each line is read stands at the function that reads it.

use std::fs;
use std::path::Path;

use chrono::{DateTime, LocalResult, NaiveDateTime, TimeZone};
use chrono_tz::Tz;
use keiko::domain::command::{Command, Edit};
use keiko::domain::occurrence::Nominal;
use keiko::domain::pause::Scope;
use keiko::domain::schedule::{AfterDone, Calendar, Cron, Every, Interval, Rule, Schedule};
use keiko::domain::task::{Deadline, DeadlineTime, Details, Missed, Nag, Policy};
use keiko::domain::time::{Span, Timestamp};
use keiko::domain::waiting::SetWaits;
use keiko::engine::input::{AddRequest, ManyCall};

use crate::oracle::device::Device;
use crate::oracle::{Answer, Happening, Oracle, Ring, Standing};

/// Fewer than these would be too few corners.
const TIMELINES_MIN: usize = 40;

#[test]
fn core_and_oracle_ring_as_every_timeline_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/timelines");
    let mut played = 0;
    for entry in fs::read_dir(&folder).expect("the timelines are there") {
        let path = entry.expect("readable").path();
        let text = fs::read_to_string(&path).expect("readable");
        for timeline in text.split("== ").filter(|timeline| !timeline.trim().is_empty()) {
            let title = timeline.lines().next().expect("it has a title");
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            if let Err(cause) = std::panic::catch_unwind(|| play(timeline)) {
                eprintln!("{name}: {title}");
                std::panic::resume_unwind(cause);
            }
            played += 1;
        }
    }
    assert!(played >= TIMELINES_MIN, "{played} timelines");
}

fn play(timeline: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut lines = timeline.lines().skip(1).filter(|line| !line.is_empty());
        let first = lines.next().and_then(|line| line.strip_prefix("at ")).expect("at TIME in ZONE");
        let (start, zone) = first.split_once(" in ").expect("at TIME in ZONE");
        let zone: Tz = zone.parse().expect("a zone");
        let start = instant(start, zone);
        let mut player = Player {
            device: Device::new(1, start, zone).await,
            oracle: Oracle::new(start, zone),
            names: Vec::new(),
            expected: Vec::new(),
        };
        for line in lines {
            player.read(line).await;
        }
        player.end().await;
    });
}

/// Plays one timeline on both.
struct Player {
    device: Device,
    oracle: Oracle,
    /// The tasks, in the order in which they were added.
    names: Vec<String>,
    /// What each must have rung.
    expected: Vec<Vec<Told>>,
}

/// A ring, as a timeline tells it.
#[derive(PartialEq, Eq, Debug)]
struct Told {
    nominal: String,
    at: String,
    slot: String,
    late: bool,
}

impl Player {
    /// `NAME rings NOMINAL [SLOT] [late] [at INSTANT]`, `NAME never rings`, `NAME is STAGE [WORD DUE] [past its deadline]`;
    /// anything else is something that happens, and with `refused` before it something that is refused.
    async fn read(&mut self, line: &str) {
        if let Some((name, ring)) = line.split_once(" rings ") {
            let task = self.task(name);
            self.expected[task].push(told(ring));
        } else if let Some(name) = line.strip_suffix(" never rings") {
            assert!(self.names.iter().any(|known| known == name), "{name}");
        } else if let Some((name, standing)) = line.split_once(" is ") {
            let task = self.task(name);
            for (who, standing_is) in [("core", self.device.standing(task)), ("oracle", self.oracle.standing(task))] {
                check_standing(standing, standing_is, &format!("{who}: {line}"));
            }
        } else {
            let (words, expects_refusal) = line.strip_prefix("refused ").map_or((line, false), |rest| (rest, true));
            let happening = self.happening(words);
            let answers = (self.device.meet(&happening).await, self.oracle.hear(&happening));
            assert_eq!(answers.0, answers.1, "left the core, right the oracle: {line}");
            assert_eq!(answers.0 == Answer::Refused, expects_refusal, "{line}");
            if let Some(name) = words.strip_prefix("add ") {
                self.names.push(name.split(" | ").next().expect("a name").to_owned());
                self.expected.push(Vec::new());
            }
        }
    }

    async fn end(self) {
        for (task, name) in self.names.iter().enumerate() {
            for (who, rings) in [("core", self.device.rings(task)), ("oracle", self.oracle.rings(task))] {
                let rang: Vec<Told> =
                    rings.iter().zip(&self.expected[task]).map(|(ring, said)| as_told(ring, said)).collect();
                assert_eq!(rang, self.expected[task][..rang.len()], "{who}, {name}");
                assert_eq!(rings.len(), self.expected[task].len(), "{who}, {name}: {rings:?}");
            }
        }
        self.device.end().await;
    }

    fn task(&self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| panic!("no task is named {name:?}"))
    }

    /// `add NAME | RULE [| OPTION …]`, `edit NAME | RULE [| zone ZONE]`, `to TIME`, `sleep TIME`, `off TIME [in ZONE]`,
    /// `travel ZONE`, `crash`, and what a person asks.
    fn happening(&self, words: &str) -> Happening {
        let zone = self.device.zone();
        let (verb, rest) = words.split_once(' ').unwrap_or((words, ""));
        match verb {
            "add" => Happening::Add(Box::new(self.request(rest))),
            "edit" => {
                let (name, rule) = rest.split_once(" | ").expect("edit NAME | RULE");
                let schedule = Schedule { text: String::new(), rule: self.rule(rule), zone: None };
                let edit = Edit { schedule: Some(schedule), ..Edit::default() };
                Happening::Ask(self.task(name), Command::Edit(Box::new(edit)))
            }
            "to" => Happening::Runs(instant(rest, zone)),
            "sleep" => Happening::Sleeps(instant(rest, zone)),
            "off" => {
                let (time, zone) = rest
                    .split_once(" in ")
                    .map_or((rest, zone), |(time, zone)| (time, zone.parse::<Tz>().expect("a zone")));
                Happening::Off(instant(time, zone), zone)
            }
            "travel" => Happening::Travels(rest.parse().expect("a zone")),
            "crash" => Happening::Crashes,
            _ => self.asked(verb, rest),
        }
    }

    /// `VERB NAME`, with `early`, `shift`, `for LENGTH` or `until TIME` behind; for the name may stand `all` or `+TAG`.
    fn asked(&self, verb: &str, rest: &str) -> Happening {
        let (now, zone) = (self.device.now(), self.device.zone());
        let (rest, until, is_duration) = if let Some((name, length)) = rest.rsplit_once(" for ") {
            (name, Some(now.saturating_add(span(length))), true)
        } else if let Some((name, time)) = rest.rsplit_once(" until ") {
            (name, Some(instant(time, zone)), false)
        } else {
            (rest, None, false)
        };
        let (rest, early) = rest.strip_suffix(" early").map_or((rest, false), |rest| (rest, true));
        let (name, shift) = rest.strip_suffix(" shift").map_or((rest, false), |rest| (rest, true));
        let scope = match name.strip_prefix('+') {
            Some(tag) => Some(Scope::Tag(tag.to_owned())),
            None if name == "all" => Some(Scope::All),
            None => None,
        };
        let command = match (verb, scope) {
            ("pause", Some(scope)) => return Happening::Many(ManyCall::Pause { scope, until }),
            ("resume", Some(scope)) => return Happening::Many(ManyCall::Resume { scope, shift }),
            ("done", _) => Command::Done { early },
            ("ack", _) => Command::Ack { early, is_dismissal: false },
            ("dismiss", _) => Command::Ack { early, is_dismissal: true },
            ("snooze", _) => Command::Snooze { until: until.expect("for or until"), is_duration, early },
            ("pause", None) => Command::Pause { until },
            ("resume", None) => Command::Resume { shift },
            ("skip", _) => Command::Skip,
            ("cancel", _) => Command::Cancel,
            (other, _) => panic!("nobody knows how to {other}"),
        };
        Happening::Ask(self.task(name), command)
    }

    /// Options: `alerts OFFSET …`, `no alert`, `nag LENGTH max N`, `deadline TIME|+LENGTH alerts OFFSET …`, `missed skip`,
    /// `max-late LENGTH`, `auto-done`, `tag TAG`, `zone ZONE`.
    fn request(&self, words: &str) -> AddRequest {
        let mut parts = words.split(" | ");
        let title = parts.next().expect("a name").to_owned();
        let rule = self.rule(parts.next().expect("a rule"));
        let mut request = AddRequest {
            details: Details { title, ..Details::default() },
            schedule: Schedule { text: String::new(), rule, zone: None },
            alerts: None,
            deadline: None,
            policy: Policy::default(),
            waits: SetWaits::default(),
            key: None,
        };
        for option in parts {
            let (name, value) = option.split_once(' ').unwrap_or((option, ""));
            match name {
                "alerts" => request.alerts = Some(value.split(' ').map(span).collect()),
                "no" => request.alerts = Some(Vec::new()),
                "nag" => {
                    let (every, max) = value.split_once(" max ").expect("nag LENGTH max N");
                    request.policy.nag = Some(Nag { every: span(every), max: max.parse().expect("a number") });
                }
                "deadline" => {
                    let (time, alerts) = value.split_once(" alerts ").expect("deadline TIME alerts OFFSET …");
                    let time = match time.strip_prefix('+') {
                        Some(length) => DeadlineTime::AfterDue(span(length)),
                        None => DeadlineTime::At(Nominal::Local(local(time))),
                    };
                    request.deadline = Some(Deadline { time, alerts: alerts.split(' ').map(span).collect() });
                }
                "missed" => request.policy.missed = Missed::from_word(value).expect("once or skip"),
                "max-late" => request.details.max_late = Some(span(value)),
                "auto-done" => request.policy.auto_done = true,
                "tag" => request.details.tags = vec![value.to_owned()],
                "zone" => request.schedule.zone = Some(value.parse().expect("a zone")),
                other => panic!("no task has {other}"),
            }
        }
        request
    }

    /// `once TIME`, `in LENGTH`, `every LENGTH from TIME [count N]`, `rrule TEXT [until TIME]`, `cron FIELDS [from TIME]`,
    /// `after LENGTH [at CLOCK] from TIME`.
    fn rule(&self, words: &str) -> Rule {
        let (now, zone) = (self.device.now(), self.device.zone());
        let (kind, rest) = words.split_once(' ').expect("a kind and more");
        let from = now.local(zone);
        match kind {
            "once" => Rule::Once(local(rest)),
            "in" => Rule::Countdown(now.saturating_add(span(rest))),
            "every" => {
                let (every, rest) = rest.split_once(" from ").expect("every LENGTH from TIME");
                let (from, count) =
                    rest.split_once(" count ").map_or((rest, None), |(from, count)| (from, Some(count)));
                let count = count.map(|count| count.parse().expect("a number"));
                Rule::Interval(Interval { every: span(every), from: instant(from, zone), count, until: None })
            }
            "rrule" => {
                let (text, until) =
                    rest.split_once(" until ").map_or((rest, None), |(text, until)| (text, Some(until)));
                Rule::Calendar(Calendar { rrule: text.to_owned(), from, count: None, until: until.map(local) })
            }
            "cron" => {
                let (expression, from) =
                    rest.split_once(" from ").map_or((rest, from), |(fields, from)| (fields, local(from)));
                Rule::Cron(Cron { expression: expression.to_owned(), from, count: None, until: None })
            }
            "after" => {
                let (every, from) = rest.split_once(" from ").expect("after LENGTH from TIME");
                let (every, at) = every.split_once(" at ").map_or((every, None), |(every, at)| (every, Some(at)));
                let number = |unit: &str| every.strip_suffix(unit).map(|number| number.parse().expect("a number"));
                let every = match (number("mo"), every.ends_with('d')) {
                    (Some(months), _) => Every::Months(months),
                    (None, true) => Every::Days(number("d").expect("days")),
                    (None, false) => Every::Span(span(every)),
                };
                let at = at.map(|clock| format!("{clock}:00").parse().expect("a time of the day"));
                let from = Nominal::Local(local(from));
                Rule::AfterDone(AfterDone { every, at, from, count: None, until: None })
            }
            other => panic!("no rule is {other}"),
        }
    }
}

fn told(ring: &str) -> Told {
    let (ring, at) = ring.split_once(" at ").map_or((ring, None), |(ring, at)| (ring, Some(at)));
    let mut words = ring.split(' ');
    let nominal = words.next().expect("a time").to_owned();
    let mut told = Told { at: at.unwrap_or(&nominal).to_owned(), nominal, slot: "0".into(), late: false };
    for word in words {
        match word {
            "late" => told.late = true,
            slot => slot.clone_into(&mut told.slot),
        }
    }
    told
}

/// Writes a ring as the timeline has it: with the offset and as exact as there.
fn as_told(ring: &Ring, like: &Told) -> Told {
    Told {
        nominal: written(ring.nominal, &like.nominal),
        at: written(ring.at, &like.at),
        slot: ring.slot.to_string(),
        late: ring.late,
    }
}

fn written(at: Timestamp, like: &str) -> String {
    let offset = DateTime::parse_from_rfc3339(&with_seconds(like)).expect("a time with its offset");
    let shown = at.to_utc().with_timezone(offset.offset());
    let format = if with_seconds(like) == like { "%Y-%m-%dT%H:%M:%S%:z" } else { "%Y-%m-%dT%H:%M%:z" };
    let text = shown.format(format).to_string();
    // What is between two minutes is not left out.
    if instant(&text, Tz::UTC) == at { text } else { at.to_string() }
}

fn check_standing(expected: &str, found: Standing, line: &str) {
    let (expected, is_past) =
        expected.strip_suffix(" past its deadline").map_or((expected, false), |rest| (rest, true));
    let mut words = expected.split(' ');
    assert_eq!(found.stage, words.next().expect("a stage"), "{line}");
    assert_eq!(found.is_past_deadline, is_past, "{line}");
    if let Some(due) = words.nth(1) {
        assert_eq!(found.due.map(|found| written(found, due)).as_deref(), Some(due), "{line}");
    }
}

/// Reads `20m`, `-1h`, `+30m`, `0`, `3d` or `450m`.
fn span(text: &str) -> Span {
    if text == "0" {
        return Span::ZERO;
    }
    let (number, unit) = text.split_at(text.len() - 1);
    let minutes = match unit {
        "m" => 1,
        "h" => 60,
        "d" => 24 * 60,
        other => panic!("no length is counted in {other:?}"),
    };
    Span::from_minutes(number.parse::<i64>().expect("a number") * minutes)
}

fn local(text: &str) -> NaiveDateTime {
    with_seconds(text).parse().expect("a local time")
}

/// Reads a time with its offset, or one that a wall clock in `zone` shows once.
fn instant(text: &str, zone: Tz) -> Timestamp {
    let exact = with_seconds(text);
    let utc = match DateTime::parse_from_rfc3339(&exact) {
        Ok(at) => at.to_utc(),
        Err(_) => match zone.from_local_datetime(&local(text)) {
            LocalResult::Single(at) => at.to_utc(),
            LocalResult::Ambiguous(..) | LocalResult::None => panic!("{text} needs an offset in {zone}"),
        },
    };
    Timestamp::from_utc(utc).expect("in range")
}

/// Adds the seconds that a person leaves out.
fn with_seconds(text: &str) -> String {
    let is_exact = text.get(16..17) == Some(":");
    if is_exact { text.to_owned() } else { format!("{}:00{}", &text[..16], &text[16..]) }
}
