//! How long is `-P1DT2H`? Lengths of time as iCalendar and Taskwarrior write them (RFC 5545 §3.3.6), and as Keiko does.

/// The longest that is taken: no alert is further from its time, and nothing overflows.
const LENGTH_MAX_S: i64 = 100 * 366 * 86_400;

/// Reads a duration in seconds, `None` where it is none or too long.
pub(crate) fn seconds(text: &str) -> Option<i64> {
    let (sign, rest) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    let rest = rest.strip_prefix(['P', 'p'])?;
    let (mut total, mut number, mut in_time, mut has_unit) = (0_i64, None::<i64>, false, false);
    for letter in rest.chars() {
        match letter.to_ascii_uppercase() {
            'T' if !in_time && number.is_none() => in_time = true,
            digit if digit.is_ascii_digit() => {
                let digit = i64::from(digit as u8 - b'0');
                number = Some(number.unwrap_or(0).checked_mul(10)?.checked_add(digit)?);
            }
            unit => {
                let seconds = match (unit, in_time) {
                    ('W', false) => 7 * 86_400,
                    ('D', false) => 86_400,
                    ('H', true) => 3600,
                    ('M', true) => 60,
                    ('S', true) => 1,
                    (_, _) => return None,
                };
                total = total.checked_add(number.take()?.checked_mul(seconds)?)?;
                has_unit = true;
            }
        }
    }
    (has_unit && number.is_none() && total <= LENGTH_MAX_S).then_some(sign * total)
}

/// Writes a distance from due as Keiko's alerts say it: `-1h`, `0`, `+15m`.
pub(crate) fn alert(seconds: i64) -> String {
    if seconds == 0 {
        return "0".to_owned();
    }
    let (sign, length) = if seconds < 0 { ('-', -seconds) } else { ('+', seconds) };
    let units = [(86_400, 'd'), (3600, 'h'), (60, 'm'), (1, 's')];
    let (size, unit) = units.into_iter().find(|(size, _)| length % size == 0).unwrap_or((1, 's'));
    format!("{sign}{}{unit}", length / size)
}

/// Reads one of Keiko's alerts in seconds, as it writes them: `-1h30m`, `0`, `+15m`.
pub(crate) fn of_alert(text: &str) -> Option<i64> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    let (mut total, mut number) = (0_i64, None::<i64>);
    for letter in rest.chars() {
        if let Some(digit) = letter.to_digit(10) {
            number = Some(number.unwrap_or(0).checked_mul(10)?.checked_add(i64::from(digit))?);
            continue;
        }
        let seconds = match letter {
            'w' => 7 * 86_400,
            'd' => 86_400,
            'h' => 3600,
            'm' => 60,
            's' => 1,
            _ => return None,
        };
        total = total.checked_add(number.take()?.checked_mul(seconds)?)?;
    }
    number.is_none().then_some(sign * total)
}

/// Writes a distance as iCalendar does: `-PT1H30M`.
pub(crate) fn duration(seconds: i64) -> String {
    let (sign, length) = if seconds < 0 { ("-", seconds.unsigned_abs()) } else { ("", seconds.unsigned_abs()) };
    let (days, rest) = (length / 86_400, length % 86_400);
    let part = |count: u64, unit: char| if count == 0 { String::new() } else { format!("{count}{unit}") };
    let time = part(rest / 3600, 'H') + &part(rest / 60 % 60, 'M') + &part(rest % 60, 'S');
    match (days, time.is_empty()) {
        (0, true) => "PT0S".to_owned(),
        (days, true) => format!("{sign}P{days}D"),
        (0, false) => format!("{sign}PT{time}"),
        (days, false) => format!("{sign}P{days}DT{time}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_nonsense_is_none() {
        let read =
            ["-PT15M", "P1DT2H", "P1W", "+PT0S", "pt1h30m", "P", "PT", "P1H", "PT1", "1D", "P-1D", ""].map(seconds);
        let expected = [Some(-900), Some(93_600), Some(604_800), Some(0), Some(5400)];
        assert_eq!(read[..5], expected);
        assert_eq!(read[5..], [None; 7]);
        assert_eq!(seconds("P99999999999999999999D"), None);
        assert_eq!(seconds("P9999999D"), None);
        assert_eq!(seconds("PÄD"), None);
    }

    #[test]
    fn lengths_come_back_as_they_went() {
        for length in [0, 1, -59, 60, -3600, 5400, 86_400, -90_061, 604_800] {
            assert_eq!(seconds(&duration(length)), Some(length), "{}", duration(length));
            assert_eq!(of_alert(&alert(length)), Some(length), "{}", alert(length));
        }
        assert_eq!(of_alert("-1h30m"), Some(-5400));
        assert_eq!(of_alert("nag"), None);
    }
}
