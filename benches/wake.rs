//! How late does a wait end? The system's clock against a plain sleep of the runtime.
//!
//! Each figure is a wait of 5 ms that begins at a whole millisecond; what is above 5 ms is the lateness.

use std::time::Duration;

use divan::Bencher;
use keiko::clock::Clock;
use keiko::clock::system::SystemClock;
use keiko::domain::time::{Span, Timestamp};
use tokio::runtime::Runtime;

/// How long each wait is.
const WAIT_MS: u32 = 5;

fn main() {
    divan::main();
}

#[divan::bench(sample_count = 200, sample_size = 1)]
fn system_clock(bencher: Bencher<'_, '_>) {
    let (runtime, clock) = (runtime(), SystemClock::new());
    bencher.with_inputs(|| whole_millisecond(&clock)).bench_local_values(|start| {
        let deadline = start.saturating_add(Span::from_millis(i64::from(WAIT_MS)));
        runtime.block_on(clock.sleep_until(Some(deadline)))
    });
}

#[divan::bench(sample_count = 200, sample_size = 1)]
#[expect(clippy::disallowed_methods, reason = "the plain sleep is what the clock is compared with")]
fn plain_sleep(bencher: Bencher<'_, '_>) {
    let (runtime, clock) = (runtime(), SystemClock::new());
    bencher.with_inputs(|| whole_millisecond(&clock)).bench_local_values(|_start| {
        runtime.block_on(async { tokio::time::sleep(Duration::from_millis(u64::from(WAIT_MS))).await });
    });
}

/// What a wait costs that is begun and dropped, as the loop does whenever something else comes first.
#[divan::bench]
fn begun_and_dropped(bencher: Bencher<'_, '_>) {
    let (runtime, clock) = (runtime(), SystemClock::new());
    bencher.bench_local(|| {
        runtime.block_on(async {
            tokio::select! {
                biased;
                woken = clock.sleep_until(None) => Some(woken),
                () = std::future::ready(()) => None,
            }
        })
    });
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime can be built")
}

/// Waits busily for the beginning of a millisecond, so that the deadline is not cut short by the clock's grain.
fn whole_millisecond(clock: &SystemClock) -> Timestamp {
    let before = clock.now();
    loop {
        let now = clock.now();
        if now != before {
            return now;
        }
    }
}
