//! How long does the agenda of a year take, with 1,000 tasks that repeat?

use divan::Bencher;
use keiko::domain::agenda::{Around, Part, Stretch, agenda};
use keiko::domain::command::{GRACE_DEFAULT, Moment, NewTask};
use keiko::domain::event::Snapshot;
use keiko::domain::routing::Routing;
use keiko::domain::schedule::{Calendar, Cron, Interval, Rule, Schedule};
use keiko::domain::task::{Details, Number, Policy, TaskId};
use keiko::domain::time::{Span, Timestamp};
use keiko::domain::transition::create;
use keiko::domain::waiting::SetWaits;
use uuid::Uuid;

const ZONE: chrono_tz::Tz = chrono_tz::Europe::Berlin;

fn main() {
    divan::main();
}

/// Daily rules, as most are.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn a_year_of_daily_rules(bencher: Bencher<'_, '_>) {
    bench(bencher, |_, now| daily(now));
}

/// Daily rules, weekly ones, cron, and intervals of an hour, a quarter each.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn a_year_of_all_sorts(bencher: Bencher<'_, '_>) {
    bench(bencher, |number, now| match number % 4 {
        0 => daily(now),
        1 => {
            let rrule = "FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=9;BYMINUTE=0;BYSECOND=0".to_owned();
            Rule::Calendar(Calendar { rrule, from: now.local(ZONE), count: None, until: None })
        }
        2 => Rule::Cron(Cron {
            expression: "30 8 * * MON-FRI".to_owned(),
            from: now.local(ZONE),
            count: None,
            until: None,
        }),
        _ => Rule::Interval(Interval { every: Span::from_minutes(60), from: now, count: None, until: None }),
    });
}

fn daily(now: Timestamp) -> Rule {
    let rrule = "FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0".to_owned();
    Rule::Calendar(Calendar { rrule, from: now.local(ZONE), count: None, until: None })
}

fn bench(bencher: Bencher<'_, '_>, rule: impl Fn(u64, Timestamp) -> Rule) {
    let now = Timestamp::from_millis(1_780_000_000_000).expect("within range");
    let tasks: Vec<Snapshot> = (1..=1000).map(|number| task(number, rule(number, now), now)).collect();
    let to = now.saturating_add(Span::from_minutes(365 * 24 * 60));
    let stretch = Stretch { now, zone: ZONE, days_of: ZONE, from: now, to };
    let part = Part { since: now, skip: 0, limit: 1000 };
    bencher.bench_local(|| agenda(&tasks, &Around::default(), &stretch, part));
}

fn task(number: u64, rule: Rule, now: Timestamp) -> Snapshot {
    let new = NewTask {
        id: TaskId(Uuid::from_u128(number.into())),
        number: Number(number),
        details: Details { title: format!("task {number}"), ..Details::default() },
        schedule: Schedule { text: String::new(), rule, zone: None },
        alerts: None,
        deadline: None,
        policy: Policy::default(),
        waits: SetWaits::default(),
    };
    let moment = Moment {
        now,
        zone: ZONE,
        device: Uuid::nil(),
        op_id: Uuid::nil(),
        grace: GRACE_DEFAULT,
        is_desktop_away: false,
        standing: None,
        quiet_until: None,
        is_away: false,
        routing: Routing::none(),
    };
    create(new, &moment).expect("the bench's own task").after
}
