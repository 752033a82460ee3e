//! Does any text make the reader of sentences panic or stall, and how long does it take?
//!
//! `KEIKO_SENTENCES=1000000 cargo bench --bench sentences` reads so many random and mutated sentences, always the same for
//! a `KEIKO_SEED`. Without the variable ten thousand, so that it stays a quick check.

use std::hint::black_box;
use std::time::Duration;

use chrono_tz::Tz;
use keiko::domain::time::Timestamp;
use keiko::when::{
    Context, Dialect, Limits, Settings, parse_cron, parse_every, parse_rrule, parse_sentence, parse_span, parse_time,
};

const PHRASES: [&str; 36] = [
    "remind me tomorrow 3pm to pay rent",
    "call Bob at 5 about the budget",
    "every other friday at 9:30 until june 3",
    "the 31st of every month",
    "every hour from 9 to 17 on weekdays",
    "an hour before the 9pm flight",
    "3pm CET tomorrow",
    "Friday, June 5 at 10",
    "first monday of june",
    "in an hour and a half",
    "in twenty-five minutes",
    "2026-06-03 14:00/2026-06-04T15:00:00+02:00",
    "FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17;COUNT=2",
    "30 9 * * MON-FRI",
    "a week from friday",
    "from june 3 at 3pm to june 5",
    "within 2 hours",
    "12/oct/2026 18h30",
    "the last 3 weeks of 2027",
    "every day except weekends at 8am 5 times",
    "半小时后提醒我关火",
    "明天下午三点提醒我交房租",
    "每周一三五早上七点",
    "每月最后一个工作日下午五点",
    "明天下午三点开会提前十分钟提醒我",
    "每天九点直到5月20日",
    "二〇二六年六月三日",
    "１７：３０",
    "下禮拜五",
    "周五 9:30 standup",
    "差一刻六点",
    "🎂 mum's birthday every year on june 3 👩‍👩‍👧",
    "99999999999999999999999999 days from now",
    "in 4294967296 weeks at 25:61",
    "九千九百九十九万亿年后",
    "\"quoted at 9\" at 9.30.30 pm -12h",
];

const SCRAPS: [&str; 28] = [
    " ",
    "-",
    "/",
    ":",
    ".",
    ",",
    "+",
    "\"",
    "'",
    "(",
    "\n",
    "\u{200d}",
    "\u{301}",
    "🕘",
    "点",
    "半",
    "每",
    "号",
    "前",
    "at",
    "to",
    "every",
    "18446744073709551616",
    "-1",
    "0",
    "29 feb",
    "٣",
    "ﬁ",
];

/// The `SplitMix64` generator, so that a run can be repeated.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).expect("a length fits");
        usize::try_from(self.next() % end).expect("below a length")
    }

    fn character(&mut self) -> char {
        let (start, len) =
            [(0x20, 95), (0x4e00, 0x51a6), (0x1f300, 0x400), (0xff00, 0xef), (0, 0x0011_0000)][self.below(5)];
        let code = start + u32::try_from(self.below(len)).expect("a code point fits");
        char::from_u32(code).unwrap_or('\u{fffd}')
    }

    /// Returns a phrase or two of the table with some characters changed, or nothing but random ones.
    fn sentence(&mut self) -> String {
        if self.below(8) == 0 {
            return (0..self.below(60)).map(|_| self.character()).collect();
        }
        if self.below(5000) == 0 {
            // As long as a text may be, and a little more.
            return PHRASES[self.below(PHRASES.len())].repeat(1 + self.below(9000 / 20));
        }
        let mut text: Vec<char> = PHRASES[self.below(PHRASES.len())].chars().collect();
        if self.below(3) == 0 {
            text.push(' ');
            text.extend(PHRASES[self.below(PHRASES.len())].chars());
        }
        for _ in 0..self.below(7) {
            let at = self.below(text.len() + 1);
            match self.below(6) {
                0 => text.insert(at, self.character()),
                1 => drop(text.splice(at..at, SCRAPS[self.below(SCRAPS.len())].chars())),
                2 => drop(text.drain(at..(at + self.below(6)).min(text.len()))),
                3 => {
                    let digits: String = (0..self.below(24))
                        .map(|_| char::from(b'0' + u8::try_from(self.below(10)).expect("a digit")))
                        .collect();
                    drop(text.splice(at..at, digits.chars()));
                }
                4 => {
                    let other = self.below(text.len());
                    if at < text.len() {
                        text.swap(at, other);
                    }
                }
                _ => {
                    let from = self.below(at + 1);
                    let copy: Vec<char> = text[from..at].to_vec();
                    drop(text.splice(at..at, copy));
                }
            }
        }
        text.into_iter().collect()
    }
}

/// Returns the processor time that this thread has had, so that what else runs on the machine is not measured.
fn spent() -> Duration {
    let at = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(at.tv_sec).unwrap_or(0), u32::try_from(at.tv_nsec).unwrap_or(0))
}

#[expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]
fn main() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let count = number("KEIKO_SENTENCES").unwrap_or(10_000);
    let mut random = Random(number("KEIKO_SEED").unwrap_or(4));
    let mut took: Vec<Duration> = Vec::new();
    let (mut understood, mut slowest) = (0_u64, (Duration::ZERO, String::new()));
    for _ in 0..count {
        let text = random.sentence();
        let zone =
            [Tz::America__New_York, Tz::Asia__Shanghai, Tz::Pacific__Apia, Tz::Australia__Lord_Howe][random.below(4)];
        let now = Timestamp::from_millis(i64::try_from(random.below(253_000_000_000_000)).expect("within range"));
        let settings = Settings { dialect: [Dialect::Us, Dialect::Uk][random.below(2)], ..Settings::default() };
        let context = Context { now: now.expect("before the year 10000"), zone, settings };
        let start = spent();
        let reading = black_box(parse_sentence(black_box(&text), &context));
        let duration = spent().saturating_sub(start);
        took.push(duration);
        understood += u64::from(reading.is_ok_and(|reading| reading.time.is_some()));
        if duration > slowest.0 {
            slowest = (duration, text.clone());
        }
        let _ = black_box((parse_time(&text, &context), parse_every(&text, &context), parse_span(&text)));
        let _ = black_box((parse_cron(&text, &context), parse_rrule(&text, &context)));
        let _ =
            black_box(Limits { from: Some(&text), until: Some(&text) }.read(&context).map(|bounds| bounds.context()));
    }
    took.sort_unstable();
    let quantile = |thousandths: usize| took[(took.len() - 1) * thousandths / 1000].as_micros();
    let mean = took.iter().sum::<Duration>().as_nanos() / u128::from(count.max(1)) / 1000;
    eprintln!("{count} sentences, {understood} with a time, none panicked");
    eprintln!("mean {mean} µs, median {} µs, p99 {} µs, p99.9 {} µs", quantile(500), quantile(990), quantile(999));
    let shown: String = slowest.1.chars().take(120).collect();
    eprintln!("slowest {} µs, {} bytes: {shown:?}", slowest.0.as_micros(), slowest.1.len());
}
