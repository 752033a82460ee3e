//! How long is "2h30m"?

use crate::domain::time::Span;
use crate::when::error::TimeError;
use crate::when::grammar::{Amount, Words, amount, count};
use crate::when::lexicon::lexemes;
use crate::when::limits::within_length;
use crate::when::token::tokens;

/// A day, a week and a month as lengths of time; only here, since a span has no date to count calendar days from.
const DAY_MS: i64 = 86_400_000;

/// Reads a length of time such as `10m`, `2h30m`, `1 hour 30 minutes`, `3 days`; a day is 24 hours.
///
/// # Errors
/// The text is no length of time, is a bare number, counts months or years, or is too long.
pub fn parse_span(text: &str) -> Result<Span, TimeError> {
    within_length(text)?;
    let lexemes = lexemes(&tokens(text));
    let words = Words::new(&lexemes);
    let span = lexemes.first().map_or(0, |first| first.span.start)..lexemes.last().map_or(0, |last| last.span.end);
    let said = || text.get(span.clone()).unwrap_or_default().to_owned();
    let Some(found) = amount(&words, 0).filter(|found| words.is_end(found.next)) else {
        let is_bare = count(&words, 0).is_some_and(|(_, next)| words.is_end(next));
        let (words, span) = (said(), span.clone());
        return Err(if is_bare { TimeError::NeedsUnit { words, span } } else { TimeError::Missing { words, span } });
    };
    let Amount { months, days, millis } = found.amount;
    if months != 0 {
        let reason = "months and years differ in length, expected days, hours, minutes or seconds";
        let proposal = months.checked_mul(30).map(|days| format!("{days} days"));
        return Err(TimeError::Impossible { words: said(), span: span.clone(), reason, proposal });
    }
    let total = days.checked_mul(DAY_MS).and_then(|days| days.checked_add(millis));
    total.map(Span::from_millis).ok_or_else(|| TimeError::OutOfRange { words: said(), span: span.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = parse_span(text).map_or_else(|error| error.to_string(), |span| span.to_string());
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn spans_are_numbers_with_units() {
        check("10m", "10m");
        check("2h30m", "2h30m");
        check("1 hour 30 minutes", "1h30m");
        check("90 minutes", "1h30m");
        check("1.5 hours", "1h30m");
        check("an hour and a half", "1h30m");
        check("half an hour", "30m");
        check("three quarters of an hour", "45m");
        check("2d", "2d");
        check("25h", "1d1h");
        check("45 sec", "45s");
        check("0", "cannot read \"0\" as a length of time: it needs a unit");
        check("0m", "0");
    }

    #[test]
    fn a_bare_number_needs_a_unit() {
        check("10", "cannot read \"10\" as a length of time: it needs a unit");
        check("ten", "cannot read \"ten\" as a length of time: it needs a unit");
        let error = parse_span("10").expect_err("no unit");
        assert_eq!(error.hint().as_deref(), Some("say `10m` for minutes or `10h` for hours"));
    }

    #[test]
    fn other_words_are_no_span() {
        check("", "cannot find a time in \"\"");
        check("soon", "cannot find a time in \"soon\"");
        check("10m stretch", "cannot find a time in \"10m stretch\"");
        check(
            "2 months",
            "cannot set \"2 months\": months and years differ in length, expected days, hours, minutes or seconds",
        );
        check("999999999 weeks", "6999999993d");
    }
}
