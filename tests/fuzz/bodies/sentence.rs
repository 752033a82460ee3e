//! What does any text do to the reading of times? The body of a fuzz target, which the tests run with seeded bytes.
//!
//! It asserts what must hold of any input; that nothing panics is asserted by whoever runs it.

use keiko::domain::time::Timestamp;
use keiko::when::render;
use keiko::when::{self, Context, Dialect, Settings};

/// The zones in which a text is read: without and with summer time, south of the equator, on a half hour, with a day left out.
const ZONES: [chrono_tz::Tz; 6] = [
    chrono_tz::UTC,
    chrono_tz::America::New_York,
    chrono_tz::Europe::Berlin,
    chrono_tz::Australia::Lord_Howe,
    chrono_tz::Asia::Kolkata,
    chrono_tz::Pacific::Apia,
];

/// The instants at which a text is read: plain days, both changes of New York's clocks, a leap day, and both ends of time.
const NOWS: [i64; 8] = [
    1_778_702_400_000,
    1_772_953_199_000,
    1_793_516_400_000,
    1_709_164_800_000,
    1_735_689_599_999,
    1_325_203_200_000,
    0,
    253_402_300_799_000,
];

/// Reads text as sentence, phrase, rule and length, at several instants, in several zones and both dialects.
pub(crate) fn sentence(bytes: &[u8]) {
    let [first, second, text @ ..] = bytes else { return };
    let text = String::from_utf8_lossy(text);
    let (first, second) = (usize::from(*first), usize::from(*second));
    let now = Timestamp::from_millis(NOWS[first % NOWS.len()]).expect("between 1970 and 9999");
    let dialect = if second.is_multiple_of(2) { Dialect::Us } else { Dialect::Uk };
    let zone = ZONES[second / 2 % ZONES.len()];
    let context = Context { now, zone, settings: Settings { dialect, ..Settings::default() } };
    match when::parse_sentence(&text, &context) {
        Ok(reading) => {
            if let Some(time) = &reading.time {
                assert!(time.spans.iter().all(|span| text.get(span.clone()).is_some()), "spans lie in the text");
                let _ = render::describe(&time.schedule, zone);
                let _ = (render::absolute(time.due, now, zone), render::distance(time.due, now));
            }
            let _ = reading.into_time();
        }
        Err(error) => {
            let _ = (when::title_beside(&text, error.span()), error.hint(), error.to_string());
            assert!(text.get(error.span().clone()).is_some(), "what was not understood lies in the text");
        }
    }
    match first / NOWS.len() % 6 {
        0 => drop(when::parse_time(&text, &context)),
        1 => drop(when::parse_every(&text, &context)),
        2 => drop(when::parse_cron(&text, &context)),
        3 => drop(when::parse_rrule(&text, &context)),
        4 => drop(when::parse_span(&text)),
        _ => drop(when::from_arguments(&text.split(' ').map(str::to_owned).collect::<Vec<_>>())),
    }
}
