//! What can be said about time? The manual page keiko-time(7), its readings made by reading its own examples.
//!
//! The page is checked in and compared with what is made here, so no example can say what Keiko does not do. Says nothing
//! that the examples do not show.

use chrono_tz::Tz;

use crate::cli::roff::{Page, bold};
use crate::domain::time::Timestamp;
use crate::when::{Context, Reading, Settings, TimeError, parse_cron, parse_rrule, parse_sentence, render};

/// When the examples are said: Wednesday 13 May 2026 16:00 in New York.
const NOW_MS: i64 = 1_778_702_400_000;

/// A part of the page: its heading, what is to be known, and examples.
struct Section {
    heading: &'static str,
    text: &'static str,
    examples: &'static [&'static str],
}

const SECTIONS: [Section; 16] = [
    Section {
        heading: "A LENGTH FROM NOW",
        text: "Minutes and hours are exact, and sleeping does not stretch them. Days and longer keep the clock time. \
            Units are s, m, h, d, w; m is minutes, mo is months.",
        examples: &[
            "in 20 minutes check the oven",
            "stretch 10m",
            "in an hour and a half",
            "in 3 days",
            "water the plants in 10 days at 6pm",
            "半小时后关火",
            "两周后上午十点复查",
        ],
    },
    Section {
        heading: "A TIME OF DAY",
        text: "The next one ahead. A bare hour is the next of morning and evening that lies ahead, but never before 7; on a \
            day that is not today 7 to 11 are morning, 12 and 1 to 6 afternoon.",
        examples: &[
            "at 5pm",
            "at 3pm",
            "feed the cat at 5",
            "at 17:30",
            "half past 5",
            "at midnight",
            "五点开会",
            "差一刻六点",
            "１７：３０",
        ],
    },
    Section {
        heading: "A DAY",
        text: "Without a time of day it is 09:00. A weekday is the next one ahead; next friday is the one in next week, and \
            weeks begin on Monday. A date without a year is the next one.",
        examples: &[
            "call mum tomorrow",
            "friday",
            "next friday",
            "wednesday 6pm",
            "dentist june 3rd 2pm",
            "on the 20th",
            "2026-06-03 14:00",
            "6/13 9am",
            "first monday of june",
            "a week from friday",
            "next month",
            "大后天",
            "下周五下午两点",
            "20号交电费",
            "月底",
        ],
    },
    Section {
        heading: "WHICH FRIDAY",
        text: "Weeks begin on Monday, and the table holds on every day of the week. friday, 周五: the next one behind today; \
            today itself with a time of day that is still ahead. this friday: the one of this week while it is ahead, else the \
            coming one. 这周五: the one of this week, refused when it has passed. next friday, 下周五: the one of next week, even \
            when another comes first; then both dates are told. 下下周五: the one of the week behind that.",
        examples: &[
            "friday",
            "this friday",
            "next friday",
            "friday next week",
            "monday",
            "this monday",
            "next monday",
            "wednesday",
            "next wednesday",
            "周五",
            "这周五",
            "下周五",
            "下下周五",
            "周一",
            "下周一",
        ],
    },
    Section {
        heading: "A PART OF THE DAY",
        text: "Morning is 09:00, noon 12:00, afternoon 15:00, evening 19:00, tonight 20:00, night 21:00, and the end of the \
            day 17:00; all of them are settings.",
        examples: &[
            "tomorrow morning",
            "tomorrow evening at 7",
            "tonight",
            "send the report by eod",
            "明早八点",
            "今晚九点一刻倒垃圾",
            "明天凌晨两点",
        ],
    },
    Section {
        heading: "A STRETCH",
        text: "A reminder rings once, at the start of it.",
        examples: &["june 3-5", "friday from 2 to 4pm", "this weekend", "q3 2027", "late october"],
    },
    Section {
        heading: "REPETITION",
        text: "The 29th to 31st are the last day of months that lack them. Minutes and hours repeat from now, everything \
            else on its days.",
        examples: &[
            "take vitamins daily at 9pm",
            "standup every weekday at 9:30",
            "gym mondays and thursdays at 7pm",
            "every other tuesday",
            "drink water every 2 hours",
            "pay rent every month on the 1st",
            "the 31st of every month",
            "last day of every month",
            "first friday of every month",
            "every year on june 3",
            "每天早上八点吃药",
            "每周一三五早上七点",
            "隔周周二",
            "每月最后一个工作日下午五点",
        ],
    },
    Section {
        heading: "LIMITS OF A REPETITION",
        text: "The end is included.",
        examples: &[
            "every day at 9am until may 20",
            "every week 5 times",
            "every hour from 9 to 17 on weekdays",
            "every day except weekends at 8am",
            "每天九点直到5月20日",
            "每周一早上八点共五次",
        ],
    },
    Section {
        heading: "BEFORE AN EVENT",
        text: "The title keeps the event.",
        examples: &[
            "10 minutes before 5pm",
            "an hour before the 9pm flight",
            "今晚八点的火车提前两小时叫我",
            "明天下午三点开会提前十分钟提醒我",
        ],
    },
    Section {
        heading: "STRETCHES",
        text: "A stretch rings at its start, and one that only says until when at once.",
        examples: &[
            "june 3-5",
            "tomorrow from 2 to 4pm",
            "q3 2027",
            "this summer",
            "before friday",
            "after friday",
            "sign the form within 2 hours",
            "6月3日到7日",
            "六月下旬",
            "第三季度",
        ],
    },
    Section {
        heading: "ZONES",
        text: "An abbreviation means the clock of its region all year. A time of day that the clock jumps over is the end of the \
            jump, one that it shows twice is the first. What repeats every hour or oftener goes on through a repeated hour.",
        examples: &["3pm CET tomorrow", "9am PST friday", "tomorrow 9:00 Europe/Berlin"],
    },
    Section {
        heading: "THE TITLE",
        text: "What is left of the sentence, word for word. Nothing inside quotes is read as time, and a number without a \
            word of time beside it stays.",
        examples: &[
            "remind me tomorrow 3pm to pay rent",
            "call Bob at 5 about the budget",
            "\"standup at 9\" tomorrow 9:30",
            "buy 2 monitors friday",
            "buy milk",
            "提醒我明天下午三点交房租",
            "明天买一点水果",
            "明天3pm开会",
        ],
    },
    Section {
        heading: "WHAT IS REFUSED",
        text: "Keiko does not guess: it says which words it cannot use, and what would do.",
        examples: &[
            "today at 9am",
            "friday june 6",
            "31 april",
            "later",
            "at 3pm at 5pm",
            "twice a day",
            "friday late afternoon",
            "本周一",
            "晚上13点",
            "每年农历八月十五",
        ],
    },
    Section {
        heading: "RECURRENCE RULES",
        text: "--rrule takes a rule of RFC 5545, and so does a sentence. A day that a month lacks is then skipped.",
        examples: &[
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA",
            "FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17;COUNT=2",
            "FREQ=MONTHLY;BYMONTHDAY=31",
            "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        ],
    },
    Section {
        heading: "CRON",
        text: "--cron takes five fields, six with seconds before them, or seven with a year behind: * / - , ? L W # and \
            names are known, and 0 and 7 are Sunday. L-3 is three days before the last of a month, LW its last working day, 15W \
            the one nearest to the 15th, FRIL the last Friday. With both a day of the month and a weekday either is enough.",
        examples: &[
            "30 9 * * MON-FRI",
            "*/10 * * * *",
            "0 9 L * *",
            "0 9 L-3 * *",
            "0 9 LW * *",
            "0 9 * * FRI#2",
            "0 9 * * FRIL",
            "0 9 13 * FRI",
            "0 9 31 2 *",
            "0 25 * * *",
        ],
    },
    Section {
        heading: "FIRST AND LAST TIME",
        text: "--from gives the first time of a repetition and with it the place in its cycle, --until the last, or the day \
            of it. Both take what has been shown above.",
        examples: &["june 3 at 7:30", "may 20"],
    },
];

/// Some examples, and what each means.
pub(super) struct Short {
    /// What they are of.
    pub(super) heading: &'static str,
    /// What is said, and what is meant.
    pub(super) rows: Vec<(String, String)>,
}

/// The sections that a short page has.
const SHORT: [&str; 7] = [
    "A LENGTH FROM NOW",
    "A TIME OF DAY",
    "A DAY",
    "A PART OF THE DAY",
    "REPETITION",
    "BEFORE AN EVENT",
    "WHAT IS REFUSED",
];

/// How many examples of each.
const SHORT_EXAMPLES: usize = 3;

/// Returns a few examples of each kind, as the page has them, the last of each kind among them.
pub(super) fn in_short() -> Vec<Short> {
    let context = context();
    let chosen = SECTIONS.iter().filter(|section| SHORT.contains(&section.heading));
    chosen
        .map(|section| {
            let first = section.examples.iter().take(SHORT_EXAMPLES);
            let examples = first.chain(section.examples.last());
            let rows = examples.map(|example| ((*example).to_owned(), told(example, &context))).collect();
            Short { heading: section.heading, rows }
        })
        .collect()
}

fn context() -> Context {
    Context {
        now: Timestamp::from_millis(NOW_MS).unwrap_or(Timestamp::MIN),
        zone: Tz::America__New_York,
        settings: Settings::default(),
    }
}

/// Returns the page as roff.
pub(super) fn page(version: &str) -> String {
    let context = context();
    let now = render::absolute(context.now, context.now, context.zone);
    let mut page = Page::new("keiko-time", '7', version, "what can be said about time, in English and Chinese");
    page.section("DESCRIPTION");
    page.paragraph(&format!(
        "The words of keiko-remind(1) and keiko-add(1) are a sentence: the time in it says when, the rest is the title. Both \
         languages may be mixed. Below each example is what Keiko makes of it on {now}."
    ));
    for section in &SECTIONS {
        page.section(section.heading);
        page.paragraph(section.text);
        for example in section.examples {
            page.tagged(&bold(example), &told(example, &context));
        }
    }
    page.section("EXAMPLES");
    page.paragraph("What any sentence means is shown, and nothing stored, by");
    page.verbatim(&[bold("keiko parse remind me every other friday at 9 to water the plants")]);
    page.see_also(&["keiko-parse(1)", "keiko-add(1)", "keiko-remind(1)", "keiko-edit(1)", "keiko(1)"]);
    page.finish()
}

/// Says what an example means.
fn told(example: &str, context: &Context) -> String {
    let is_rule = example.starts_with("FREQ=");
    let is_cron = example.split_whitespace().count() == 5 && example.contains('*');
    let read = if is_rule {
        parse_rrule(example, context).map(|time| (Some(time), String::new()))
    } else if is_cron {
        parse_cron(example, context).map(|time| (Some(time), String::new()))
    } else {
        parse_sentence(example, context).and_then(|reading| timed(reading, example))
    };
    let (time, title) = match read {
        Ok(read) => read,
        Err(error) => return refused(&error),
    };
    let when = match &time {
        None => "no time".to_owned(),
        Some(time) => {
            let first = time.alerts.first().and_then(|alert| time.due.checked_add(*alert)).unwrap_or(time.due);
            let at = render::absolute(first, context.now, context.zone);
            let is_series = time.schedule.rule.is_series();
            let rule = is_series.then(|| render::describe(&time.schedule, context.zone));
            rule.map_or(at.clone(), |rule| format!("{rule}; first {at}"))
        }
    };
    if title.is_empty() { when } else { format!("{when}: {title}") }
}

/// Returns the time and the title; a vague word is refused, a title alone is none.
fn timed(reading: Reading, example: &str) -> Result<(Option<crate::when::TimeReading>, String), TimeError> {
    let title = reading.title.clone();
    match reading.into_time() {
        Ok(time) => Ok((Some(time), title)),
        Err(TimeError::Missing { .. }) => Ok((None, example.to_owned())),
        Err(error) => Err(error),
    }
}

fn refused(error: &TimeError) -> String {
    match error.hint() {
        Some(hint) => format!("refused: {error}; {hint}"),
        None => format!("refused: {error}"),
    }
}
