//! Who is told by what: the defaults and rules, what is said elsewhere when nobody is reached, and who is always told.

use super::*;
use crate::domain::routing::{self, ATTEMPTS_MAX};
use crate::domain::task::{Deadline, DeadlineTime, Nag, Priority};

fn targets(text: &str) -> Vec<Target> {
    text.split_whitespace().map(|name| Target::parse(name).expect("a target of the test's own")).collect()
}

fn rule(tags: &str, priority: Option<Priority>, channels: &str) -> routing::Rule {
    routing::Rule { tags: tags.split_whitespace().map(str::to_owned).collect(), priority, channels: targets(channels) }
}

/// A task whose routing is its own.
struct Routed {
    story: Story,
    routing: Routing,
    is_desktop_away: bool,
    is_quiet: bool,
}

impl Routed {
    fn new(routing: Routing, change: impl FnOnce(&mut NewTask)) -> Self {
        let story = Story::with(once("4 09:00"), &[], change);
        Self { story, routing, is_desktop_away: false, is_quiet: false }
    }

    fn ask(&mut self, now: &str, command: &Command) {
        let quiet_until = self.is_quiet.then(|| at("4 23:00"));
        let moment =
            Moment { routing: &self.routing, is_desktop_away: self.is_desktop_away, quiet_until, ..moment(at(now)) };
        let Story { snapshot, deliveries, .. } = &self.story;
        let done = transition(snapshot, deliveries, command, Expected::default(), &moment).expect("it is allowed");
        self.story.take(at(now), done);
    }

    fn fire(&mut self) {
        self.ask("4 09:00", &Command::Wake);
    }

    /// `TARGET away`, `TARGET fails` (one attempt), `TARGET refuses`, `TARGET has it`, `TARGET is held`.
    fn hear(&mut self, words: &str) {
        let (name, what) = words.split_once(' ').expect("a target and what it says");
        let target = Target::parse(name).expect("a target of the test's own");
        let index = self.story.deliveries.iter().rposition(|delivery| delivery.id.target == target);
        let index = index.unwrap_or_else(|| panic!("nothing was sent to {name}"));
        let delivery = self.story.deliveries[index].id.clone();
        let failed = |is_final| Report::Failed { error: "no".into(), is_final, retry_after: None };
        let report = match what {
            "away" => Report::Away { reason: "gone".into() },
            "fails" => failed(false),
            "refuses" => failed(true),
            "has it" => Report::DELIVERED,
            "is held" => {
                self.story.deliveries[index].status = DeliveryStatus::Held;
                return self.ask("4 09:01", &Command::FallBack { delivery });
            }
            other => panic!("no target says {other:?}"),
        };
        self.ask("4 09:01", &Command::Report { delivery, report, jitter: Jitter::NONE, is_probe: false });
    }

    /// Returns each target that was told, with where that stands.
    fn told(&self) -> String {
        let mut told: Vec<String> = Vec::new();
        for delivery in &self.story.deliveries {
            told.push(format!("{} {}", delivery.id.target, delivery.status.name().as_str()));
        }
        told.sort();
        told.join(", ")
    }
}

#[test]
fn a_task_speaks_where_it_says_else_by_the_first_rule_that_fits_else_by_default() {
    let routing = || Routing {
        channels: targets("mail:me"),
        rules: vec![
            rule("med pills", None, "telegram:phone desktop"),
            rule("work", Some(Priority::High), "feishu:team"),
            rule("", Some(Priority::High), "ntfy:phone"),
            rule("ci", None, "webhook:ci"),
        ],
        ..Routing::NONE
    };
    for (own, tags, priority, expected) in [
        ("", "", Priority::Normal, "mail:me queued"),
        ("", "home", Priority::Normal, "mail:me queued"),
        ("", "home pills", Priority::Normal, "desktop queued, telegram:phone queued"),
        ("", "med", Priority::High, "desktop queued, telegram:phone queued"),
        ("", "work", Priority::Normal, "mail:me queued"),
        ("", "work", Priority::High, "feishu:team queued"),
        ("", "", Priority::High, "ntfy:phone queued"),
        // Who did not say that it is for programs only hears of it.
        ("", "ci", Priority::Normal, "desktop queued, webhook:ci queued"),
        ("wecom:us", "med", Priority::High, "wecom:us queued"),
        ("webhook:ci", "med", Priority::High, "webhook:ci queued"),
    ] {
        let mut routed = Routed::new(routing(), |new| {
            new.details.targets = targets(own);
            new.details.tags = tags.split_whitespace().map(str::to_owned).collect();
            new.details.priority = priority;
        });
        routed.fire();
        assert_eq!(routed.told(), expected, "own {own:?}, tags {tags:?}, {priority:?}");
    }
}

#[test]
fn a_rule_that_is_configured_later_holds_for_the_tasks_that_there_are() {
    let mut routed = Routed::new(Routing::NONE, |new| new.details.tags = vec!["med".into()]);
    routed.routing.rules = vec![rule("med", None, "telegram:phone")];
    routed.fire();
    assert_eq!(routed.told(), "telegram:phone queued");
}

#[test]
fn nobody_reached_is_told_elsewhere_one_after_another() {
    let thrice = ["telegram:phone fails"; ATTEMPTS_MAX as usize];
    let twice = &thrice[..thrice.len() - 1];
    let table: &[(&str, &[&str], &str)] = &[
        // What may still arrive is waited for.
        ("telegram:phone", &[], "telegram:phone queued"),
        ("telegram:phone", twice, "telegram:phone retrying"),
        ("telegram:phone", &["telegram:phone has it"], "telegram:phone delivered"),
        // Each way of not being reached.
        ("telegram:phone", &["telegram:phone away"], "ntfy:phone queued, telegram:phone waiting"),
        ("telegram:phone", &["telegram:phone refuses"], "ntfy:phone queued, telegram:phone failed"),
        ("telegram:phone", &["telegram:phone is held"], "ntfy:phone queued, telegram:phone held"),
        ("telegram:phone", &thrice, "ntfy:phone queued, telegram:phone retrying"),
        // One after another, each once.
        (
            "telegram:phone",
            &["telegram:phone away", "ntfy:phone refuses"],
            "mail:me queued, ntfy:phone failed, telegram:phone waiting",
        ),
        (
            "telegram:phone",
            &["telegram:phone away", "ntfy:phone away", "mail:me away", "telegram:phone is held", "mail:me refuses"],
            "mail:me failed, ntfy:phone waiting, telegram:phone held",
        ),
        (
            "telegram:phone",
            &["telegram:phone away", "ntfy:phone has it", "telegram:phone refuses"],
            "ntfy:phone delivered, telegram:phone failed",
        ),
        // Only where none of them is reached.
        ("telegram:phone desktop", &["telegram:phone away"], "desktop queued, telegram:phone waiting"),
        (
            "telegram:phone desktop",
            &["telegram:phone away", "desktop away"],
            "desktop waiting, ntfy:phone queued, telegram:phone waiting",
        ),
        (
            "telegram:phone desktop",
            &["desktop has it", "telegram:phone refuses"],
            "desktop delivered, telegram:phone failed",
        ),
        // One of the chain that was told already is passed over.
        ("ntfy:phone", &["ntfy:phone away"], "mail:me queued, ntfy:phone waiting"),
        // The terminal comes before the chain where nothing else was said.
        ("", &["desktop away"], "desktop waiting, terminal queued"),
        ("", &["desktop away", "terminal has it"], "desktop waiting, terminal delivered"),
        ("", &["desktop away", "terminal away"], "desktop waiting, ntfy:phone queued, terminal waiting"),
        // Programs alone are not persons.
        ("webhook:ops", &["webhook:ops away"], "webhook:ops waiting"),
        (
            "webhook:ops telegram:phone",
            &["webhook:ops has it", "telegram:phone away"],
            "ntfy:phone queued, telegram:phone waiting, webhook:ops delivered",
        ),
    ];
    for (own, reports, expected) in table {
        let routing = Routing { fallback: targets("ntfy:phone mail:me"), ..Routing::NONE };
        let mut routed = Routed::new(routing, |new| new.details.targets = targets(own));
        routed.fire();
        for words in *reports {
            routed.hear(words);
        }
        assert_eq!(routed.told(), *expected, "{own}: {reports:?}");
    }
}

#[test]
fn a_program_of_the_chain_that_took_it_has_told_somebody() {
    let routing = Routing { fallback: targets("exec:call mail:me"), ..Routing::NONE };
    let mut routed = Routed::new(routing, |new| new.details.targets = targets("telegram:phone"));
    routed.fire();
    for words in ["telegram:phone away", "exec:call has it", "telegram:phone refuses"] {
        routed.hear(words);
    }
    assert_eq!(routed.told(), "exec:call delivered, telegram:phone failed");
    let State::Running(_) = routed.story.snapshot.occurrence.state else { panic!("it waits for the person") };
}

#[test]
fn early_alerts_and_deadlines_are_told_elsewhere_alike() {
    let routing = Routing { fallback: targets("mail:me"), ..Routing::NONE };
    let mut routed = Routed::new(routing, |new| {
        new.details.targets = targets("telegram:phone");
        new.alerts = Some(vec![Span::from_minutes(-30)]);
        let time = DeadlineTime::At(Nominal::Local(at("4 09:10").local(BERLIN)));
        new.deadline = Some(Deadline { time, alerts: vec![Span::ZERO] });
    });
    routed.ask("4 08:30", &Command::Wake);
    routed.hear("telegram:phone away");
    assert_eq!(routed.told(), "mail:me queued, telegram:phone waiting");
    routed.ask("4 09:10", &Command::Wake);
    routed.hear("telegram:phone away");
    assert_eq!(routed.story.deliveries.len(), 4, "{}", routed.told());
}

#[test]
fn a_nag_is_told_by_what_has_no_buttons_the_first_time_and_the_last() {
    let routing = Routing { fallback: targets("mail:me"), ..Routing::NONE };
    let mut routed = Routed::new(routing, |new| {
        new.details.targets = targets("telegram:phone");
        new.policy.nag = Some(Nag { every: Span::from_minutes(10), max: 3 });
    });
    let mut mails = Vec::new();
    for minutes in ["00", "10", "20", "30"] {
        routed.ask(&format!("4 09:{minutes}"), &Command::Wake);
        routed.hear("telegram:phone away");
        mails.push(
            routed.story.deliveries.iter().filter(|delivery| delivery.id.target == targets("mail:me")[0]).count(),
        );
    }
    assert_eq!(mails, [1, 2, 2, 3], "at due, the first nag, and the last");
}

#[test]
fn what_is_held_for_quiet_hours_is_said_nowhere_else() {
    let routing = Routing { fallback: targets("mail:me"), ..Routing::NONE };
    let story = Story::with(interval(60, None), &[], |new| new.details.targets = targets("telegram:phone"));
    let mut routed = Routed { story, routing, is_desktop_away: false, is_quiet: true };
    routed.fire();
    assert_eq!(routed.told(), "telegram:phone quiet");
    routed.hear("telegram:phone away");
    assert_eq!(routed.told(), "telegram:phone quiet");
}

#[test]
fn what_was_answered_is_said_nowhere_else() {
    let routing = Routing { fallback: targets("mail:me"), ..Routing::NONE };
    let mut routed = Routed::new(routing, |new| new.details.targets = targets("telegram:phone"));
    routed.fire();
    routed.ask("4 09:01", &Command::Done { early: false });
    routed.hear("telegram:phone away");
    routed.hear("telegram:phone refuses");
    assert_eq!(routed.told(), "telegram:phone withdrawn");
}

#[test]
fn what_is_on_its_way_to_who_is_always_told_goes_on_whatever_becomes_of_the_task() {
    let commands = [
        Command::Done { early: false },
        Command::Ack { early: false, is_dismissal: false },
        Command::Snooze { until: at("4 10:00"), is_duration: false, early: false },
        Command::Pause { until: None },
        Command::Cancel,
    ];
    for command in commands {
        let routing = Routing { always: targets("webhook:audit telegram:log"), ..Routing::NONE };
        let own = "webhook:audit telegram:log telegram:phone";
        let mut routed = Routed::new(routing, |new| new.details.targets = targets(own));
        routed.fire();
        routed.hear("webhook:audit fails");
        routed.hear("telegram:log away");
        routed.ask("4 09:02", &command);
        assert_eq!(
            routed.told(),
            "telegram:log waiting, telegram:phone withdrawn, webhook:audit retrying",
            "{command:?}"
        );
        routed.hear("webhook:audit has it");
        assert!(routed.told().ends_with("webhook:audit delivered"));
    }
}

#[test]
fn what_is_deleted_is_told_to_nobody() {
    let routing = Routing { always: targets("webhook:audit"), ..Routing::NONE };
    let mut routed = Routed::new(routing, |new| new.details.targets = targets("webhook:audit telegram:phone"));
    routed.fire();
    routed.ask("4 09:02", &Command::Delete);
    assert_eq!(routed.told(), "telegram:phone withdrawn, webhook:audit withdrawn");
}

#[test]
fn a_skipped_time_of_a_series_reaches_who_is_always_told() {
    let routing = Routing { always: targets("webhook:audit"), ..Routing::NONE };
    let story = Story::with(daily(9), &[], |new| new.details.targets = targets("webhook:audit telegram:phone"));
    let mut routed = Routed { story, routing, is_desktop_away: false, is_quiet: false };
    routed.fire();
    routed.ask("4 09:02", &Command::Skip);
    assert_eq!(routed.told(), "telegram:phone withdrawn, webhook:audit queued");
}
