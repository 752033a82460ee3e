//! A simulated day of a thousand tasks: how much work is it?

use chrono_tz::Tz;
use keiko::domain::schedule::{Calendar, Interval, Rule, Schedule};
use keiko::domain::task::{Details, Policy};
use keiko::domain::time::{Span, Timestamp};
use keiko::engine::input::AddRequest;

use crate::oracle::Happening;
use crate::oracle::device::Device;
use crate::support::measure::{instant, tell};

const TASKS: i64 = 1000;

/// How many events a task may have in its day: it is added and armed, and rings thrice; each of its two successors closes
/// the one before and opens itself.
const EVENTS_MAX: u64 = 2 + 3 + 2 * 3;

#[test]
fn a_day_of_a_thousand_tasks_is_no_more_work_than_its_rings() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        // 2026-09-14T00:00:00Z
        let start = Timestamp::from_millis(1_789_344_000_000).expect("in range");
        let mut device = Device::new(1, start, Tz::UTC).await;
        for number in 0..TASKS {
            device.meet(&Happening::Add(Box::new(task(number, start)))).await;
        }
        let end = start.saturating_add(Span::from_minutes(24 * 60));
        let begun = instant();
        device.meet(&Happening::Runs(end)).await;
        let day = begun.elapsed().as_secs_f64() * 1e3;
        tell("a simulated day of 1,000 tasks, in milliseconds", day, "memory store, this build");
        let tasks = usize::try_from(TASKS).expect("small");
        let rings: usize = (0..tasks).map(|task| device.rings(task).len()).sum();
        assert_eq!(rings, 500 + 3 * 500, "every daily rings once, every interval of eight hours thrice");
        assert!(device.events() <= EVENTS_MAX * TASKS.unsigned_abs(), "{} events", device.events());
        device.end().await;
    });
}

/// Half of them are dailies, half of them intervals, spread over the day.
fn task(number: i64, start: Timestamp) -> AddRequest {
    let rule = if number % 2 == 0 {
        let minute = (number * 7) % 1440;
        let rrule = format!("FREQ=DAILY;BYHOUR={};BYMINUTE={};BYSECOND=1", minute / 60, minute % 60);
        Rule::Calendar(Calendar { rrule, from: start.local(Tz::UTC), count: None, until: None })
    } else {
        let from = start.saturating_add(Span::from_secs(1 + number * 28));
        Rule::Interval(Interval { every: Span::from_minutes(8 * 60), from, count: None, until: None })
    };
    AddRequest {
        details: Details { title: format!("task {number}"), ..Details::default() },
        schedule: Schedule { text: String::new(), rule, zone: None },
        alerts: None,
        deadline: None,
        policy: Policy::default(),
        key: None,
    }
}
