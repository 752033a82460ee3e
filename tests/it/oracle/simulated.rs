//! Lives over simulated months, made up from a seed: after each happening the oracle and the real engine agree.
//!
//! Run one seed with `KEIKO_SIM_SEED=<seed>`, and more of them with `KEIKO_SIM_SEEDS=<count>`.

use chrono::{Datelike, NaiveDateTime, TimeDelta};
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
use crate::oracle::{Happening, Oracle};
use crate::support::random::Random;

/// How many seeds the suite plays, and how much happens in each.
const SEEDS: u64 = 1000;
const HAPPENINGS: usize = 45;

/// How many tasks a life has at most.
const TASKS_MAX: usize = 12;

/// Zones whose clocks change by an hour, by half of one, by two; at midnight, in the morning; and one that does not.
const ZONES: [Tz; 10] = [
    Tz::Europe__Berlin,
    Tz::America__New_York,
    Tz::Australia__Lord_Howe,
    Tz::America__Havana,
    Tz::Africa__Cairo,
    Tz::America__Santiago,
    Tz::Pacific__Chatham,
    Tz::Africa__Casablanca,
    Tz::Antarctica__Troll,
    Tz::Asia__Kathmandu,
];

#[test]
fn a_life_agrees_with_the_oracle() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let seeds = match number("KEIKO_SIM_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("KEIKO_SIM_SEEDS").unwrap_or(SEEDS),
    };
    let mut totals = Totals::default();
    for seed in seeds.clone() {
        match std::panic::catch_unwind(|| play(seed)) {
            Ok(seen) => totals = totals.and(seen),
            Err(cause) => {
                eprintln!("seed {seed} failed; play it alone with KEIKO_SIM_SEED={seed}");
                std::panic::resume_unwind(cause);
            }
        }
    }
    eprintln!("{totals:?} in {} lives", seeds.end - seeds.start);
    assert!(totals.rings > 0 || seeds.end - seeds.start < 20, "lives in which nothing rings try nothing");
}

/// What a life came to.
#[derive(Clone, Copy, Default, Debug)]
struct Totals {
    tasks: usize,
    rings: usize,
    days: i64,
}

impl Totals {
    fn and(self, other: Self) -> Self {
        Self { tasks: self.tasks + other.tasks, rings: self.rings + other.rings, days: self.days + other.days }
    }
}

fn play(seed: u64) -> Totals {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut life = Person::new(seed);
        let start = life.now;
        let mut device = Device::new(seed, life.now, life.zone).await;
        let mut oracle = Oracle::new(life.now, life.zone);
        let mut told = Vec::new();
        for _ in 0..HAPPENINGS {
            let happening = life.next(oracle.tasks());
            let task = match &happening {
                Happening::Add(_) => Some(oracle.tasks()),
                Happening::Ask(task, _) => Some(*task),
                _ => None,
            };
            told.push((task, format!("{} {happening:?}", life.now)));
            let of_task = |task: usize| {
                let its = told.iter().filter(|(about, _)| about.is_none_or(|about| about == task));
                its.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n")
            };
            let answers = (device.meet(&happening).await, oracle.hear(&happening));
            assert_eq!(
                answers.0,
                answers.1,
                "left the core, right the oracle\n{}",
                of_task(task.unwrap_or(usize::MAX))
            );
            device.agree(&oracle, &of_task);
        }
        let rings = (0..oracle.tasks()).map(|task| oracle.rings(task).len()).sum();
        let totals = Totals { tasks: oracle.tasks(), rings, days: life.now.since(start).as_millis() / 86_400_000 };
        device.end().await;
        totals
    })
}

/// Somebody with a device, made up from a seed.
struct Person {
    random: Random,
    now: Timestamp,
    zone: Tz,
    /// Of each task whether it has a deadline of its own, so that it is to come up once.
    are_bound: Vec<bool>,
}

impl Person {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed ^ 0x0a_ac1e);
        // Any day of four years, so that lives meet changes of the clock, month ends and leap days.
        let start = Timestamp::from_millis(1_704_067_200_000).expect("in range");
        let now = start.saturating_add(random.minutes(0, 4 * 365 * 1440));
        let zone = ZONES[index(&mut random, ZONES.len())];
        Self { random, now, zone, are_bound: Vec::new() }
    }

    fn next(&mut self, tasks: usize) -> Happening {
        self.are_bound.truncate(tasks);
        match self.random.below(100) {
            0..12 if tasks < TASKS_MAX => Happening::Add(Box::new(self.any_task())),
            _ if tasks == 0 => Happening::Add(Box::new(self.any_task())),
            0..50 => {
                let task = index(&mut self.random, tasks);
                Happening::Ask(task, self.any_command(self.are_bound[task]))
            }
            50..55 => Happening::Many(self.any_many()),
            55..82 => {
                let (long, most) = if self.random.chance(25) { (1440, 14 * 1440) } else { (0, 2000) };
                self.pass(long, most);
                Happening::Runs(self.now)
            }
            82..89 => {
                self.pass(0, 3000);
                Happening::Sleeps(self.now)
            }
            89..94 => {
                self.pass(0, 20_000);
                if self.random.chance(20) {
                    self.zone = ZONES[index(&mut self.random, ZONES.len())];
                }
                Happening::Off(self.now, self.zone)
            }
            94..97 => {
                self.zone = ZONES[index(&mut self.random, ZONES.len())];
                Happening::Travels(self.zone)
            }
            _ => Happening::Crashes,
        }
    }

    /// Some time passes, now and then by a few seconds more, so that grace is met from both sides.
    fn pass(&mut self, least: i64, most: i64) {
        let seconds = if self.random.chance(20) { self.random.below(60) } else { 0 };
        let seconds = Span::from_secs(i64::try_from(seconds).expect("small"));
        self.now = self.now.saturating_add(self.random.minutes(least, most)).saturating_add(seconds);
    }

    fn any_task(&mut self) -> AddRequest {
        let schedule = self.any_schedule();
        let alerts = self.random.chance(40).then(|| {
            let count = self.random.below(4);
            let mut alerts: Vec<Span> = (0..count).map(|_| self.random.minutes(-300, 90)).collect();
            alerts.extend(self.random.chance(60).then_some(Span::ZERO));
            alerts
        });
        let is_series = schedule.rule.is_series();
        let deadline = if self.random.chance(25) { self.any_deadline(is_series) } else { None };
        self.are_bound.push(deadline.as_ref().is_some_and(|deadline| matches!(deadline.time, DeadlineTime::At(_))));
        let missed = if self.random.chance(25) { Missed::Skip } else { Missed::Once };
        let max = u32::try_from(1 + self.random.below(4)).expect("small");
        let nag = self.random.chance(25).then(|| Nag { every: self.random.minutes(1, 300), max });
        let policy = Policy { missed, nag, auto_done: self.random.chance(12) };
        let tags = ["home", "work"].into_iter().filter(|_| self.random.chance(30)).map(str::to_owned).collect();
        let max_late = self.random.chance(25).then(|| self.random.minutes(1, 600));
        let details = Details { title: "a thing to do".into(), tags, max_late, ..Details::default() };
        AddRequest { details, schedule, alerts, deadline, policy, waits: SetWaits::default(), key: None }
    }

    fn any_schedule(&mut self) -> Schedule {
        let zone = self.random.chance(25).then(|| ZONES[index(&mut self.random, ZONES.len())]);
        let ahead = self.now.saturating_add(self.random.minutes(-2, 5000));
        let local = ahead.local(zone.unwrap_or(self.zone));
        let count = self.random.chance(20).then(|| u32::try_from(1 + self.random.below(6)).expect("small"));
        let rule = match self.random.below(10) {
            0 => Rule::None,
            1 | 2 => Rule::Once(local),
            3 => Rule::Countdown(ahead),
            4 => {
                let every = self.random.minutes(10, 3000);
                let until = self.random.chance(15).then(|| ahead.saturating_add(self.random.minutes(1000, 60_000)));
                Rule::Interval(Interval { every, from: ahead, count, until })
            }
            5 => self.any_after_done(local, count),
            6 | 7 => {
                let expression = self.any_cron();
                Rule::Cron(Cron { expression, from: local, count, until: None })
            }
            _ => {
                let rrule = self.any_rrule(local);
                let until = self.random.chance(15).then(|| local + TimeDelta::minutes(60_000));
                Rule::Calendar(Calendar { rrule, from: local, count, until })
            }
        };
        Schedule { text: String::new(), rule, zone }
    }

    fn any_after_done(&mut self, from: NaiveDateTime, count: Option<u32>) -> Rule {
        let few = u32::try_from(1 + self.random.below(5)).expect("small");
        let (every, at) = match self.random.below(3) {
            0 => (Every::Span(self.random.minutes(10, 6000)), None),
            1 => (Every::Days(few), self.random.chance(50).then(|| from.time())),
            _ => (Every::Months(1), self.random.chance(50).then(|| from.time())),
        };
        Rule::AfterDone(AfterDone { every, at, from: Nominal::Local(from), count, until: None })
    }

    fn any_rrule(&mut self, from: NaiveDateTime) -> String {
        let interval = 1 + self.random.below(3);
        let days = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
        let (one, other) = (index(&mut self.random, 7), index(&mut self.random, 7));
        let nth = [1, 2, 3, 4, -1][index(&mut self.random, 5)];
        let on = match self.random.below(9) {
            0 | 1 => format!("FREQ=DAILY;INTERVAL={interval}"),
            2 => format!("FREQ=WEEKLY;INTERVAL={interval};BYDAY={},{}", days[one], days[other]),
            3 => "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR".to_owned(),
            4 => "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1".to_owned(),
            5 => format!("FREQ=MONTHLY;INTERVAL={interval};BYMONTHDAY={}", 1 + self.random.below(31)),
            6 => format!("FREQ=MONTHLY;BYDAY={nth}{}", days[one]),
            7 => "FREQ=MONTHLY;BYMONTHDAY=-1".to_owned(),
            _ => format!("FREQ=YEARLY;BYMONTH={};BYMONTHDAY={}", from.month(), 1 + self.random.below(28)),
        };
        let hour = self.random.below(24);
        let minute = [0, 15, 30, self.random.below(60)][index(&mut self.random, 4)];
        match self.random.below(6) {
            // The clock changes at night, so much comes up then.
            0 | 1 if !on.contains("BYSETPOS") => {
                format!("{on};BYHOUR={};BYMINUTE={minute};BYSECOND=0", self.random.below(4))
            }
            2 if !on.contains("BYSETPOS") => {
                format!("{on};BYHOUR={hour},{};BYMINUTE=0,30;BYSECOND=0", (hour + 5) % 24)
            }
            _ => format!("{on};BYHOUR={hour};BYMINUTE={minute};BYSECOND=0"),
        }
    }

    fn any_cron(&mut self) -> String {
        let (hour, minute, day) = (self.random.below(24), self.random.below(60), 1 + self.random.below(28));
        match self.random.below(9) {
            0 => format!("{minute} * * * *"),
            1 => format!("{minute} */6 * * *"),
            2 => format!("{minute} {hour} * * 1-5"),
            3 => format!("{minute} {hour} {day} * 1"),
            4 => format!("{minute} {hour} L * ?"),
            5 => format!("{minute} {hour} * * 5#2"),
            6 => format!("0,30 {hour},{} * * *", (hour + 7) % 24),
            7 => format!("{} {minute} {hour} {day}W * ?", self.random.below(60)),
            _ => format!("{minute} {} * * *", self.random.below(4)),
        }
    }

    fn any_deadline(&mut self, is_series: bool) -> Option<Deadline> {
        let span = self.random.minutes(1, 8000);
        let at = self.now.saturating_add(span);
        let time = match self.random.below(4) {
            0 => return None,
            1 if !is_series => DeadlineTime::At(Nominal::Instant(at)),
            2 if !is_series => DeadlineTime::At(Nominal::Local(at.local(self.zone))),
            _ => DeadlineTime::AfterDue(span),
        };
        let mut alerts = vec![self.random.minutes(-300, -1)];
        alerts.extend(self.random.chance(70).then_some(Span::ZERO));
        Some(Deadline { time, alerts })
    }

    fn any_command(&mut self, is_bound: bool) -> Command {
        let early = self.random.chance(30);
        let soon = self.now.saturating_add(self.random.minutes(-1, 600));
        let later = self.now.saturating_add(self.random.minutes(1, 4000));
        match self.random.below(16) {
            0..4 => Command::Done { early },
            4 | 5 => Command::Ack { early, is_dismissal: self.random.chance(50) },
            6..9 => Command::Snooze { until: soon, is_duration: self.random.chance(50), early },
            9 | 10 => Command::Pause { until: self.random.chance(50).then_some(later) },
            11 | 12 => Command::Resume { shift: self.random.chance(35) },
            13 => Command::Skip,
            14 if self.random.chance(30) => Command::Cancel,
            _ => {
                let mut schedule = self.any_schedule();
                while is_bound && schedule.rule.is_series() {
                    schedule = self.any_schedule();
                }
                Command::Edit(Box::new(Edit { schedule: Some(schedule), ..Edit::default() }))
            }
        }
    }

    fn any_many(&mut self) -> ManyCall {
        let scope = match self.random.below(4) {
            0 => Scope::Tag("home".into()),
            1 => Scope::Tag("work".into()),
            _ => Scope::All,
        };
        if self.random.chance(40) {
            let until = self.now.saturating_add(self.random.minutes(1, 4000));
            ManyCall::Pause { scope, until: self.random.chance(50).then_some(until) }
        } else {
            ManyCall::Resume { scope, shift: self.random.chance(30) }
        }
    }
}

fn index(random: &mut Random, length: usize) -> usize {
    usize::try_from(random.below(u64::try_from(length).expect("small"))).expect("small")
}
