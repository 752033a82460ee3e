//! The English words of time.

mod phrases;

use chrono::Weekday;
use chrono_tz::Tz;

use crate::when::lexicon::{Half, Meaning, Part, Unit};
use crate::when::token::Token;

pub(super) use self::phrases::phrase;

/// Returns what one token may mean.
pub(super) fn word(token: &Token) -> Vec<Meaning> {
    let word = token.word.as_str();
    let mut meanings: Vec<Meaning> = [
        number(word),
        ordinal(word),
        unit(word),
        short_unit(token),
        weekday(word),
        month(word),
        day(word),
        repeats(word),
        zone(token),
    ]
    .into_iter()
    .flatten()
    .collect();
    meanings.extend_from_slice(clock(word));
    meanings.extend_from_slice(binder(word));
    meanings.extend_from_slice(lead(word));
    if meanings.is_empty() {
        meanings.extend(misspelt(word));
    }
    meanings
}

/// Names long enough that one slip of the finger leaves them clear.
const LONG_NAMES: [&str; 15] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "tomorrow",
    "january",
    "february",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Reads a long name with one letter wrong, left out, doubled or swapped ("wednsday"); not where two names are as near.
fn misspelt(word: &str) -> Option<Meaning> {
    // Words of their own that are one letter from a name.
    const OTHERS: [&str; 4] = ["sundae", "sundaes", "octobers", "augusta"];
    if word.len() < 6 || !word.is_ascii() || OTHERS.contains(&word) {
        return None;
    }
    let mut near = LONG_NAMES.iter().filter(|name| is_one_slip(word.as_bytes(), name.as_bytes()));
    let name = near.next().filter(|_| near.next().is_none())?;
    weekday(name).or_else(|| month(name)).or_else(|| day(name))
}

fn is_one_slip(word: &[u8], name: &[u8]) -> bool {
    let same = word.iter().zip(name).take_while(|(a, b)| a == b).count();
    let (word, name) = (&word[same..], &name[same..]);
    match (word, name) {
        ([first, second, rest @ ..], [other, another, end @ ..]) if first == another && second == other => rest == end,
        ([_, rest @ ..], [_, end @ ..]) if rest == end => true,
        ([_, rest @ ..], name) if rest == name => true,
        (word, [_, end @ ..]) => word == end,
        (_, []) => false,
    }
}

fn number(word: &str) -> Option<Meaning> {
    const ONES: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let index = |words: &[&str]| words.iter().position(|known| *known == word).and_then(|i| u32::try_from(i).ok());
    match word {
        "a" | "an" | "per" => Some(Meaning::Article),
        "couple" | "pair" => Some(Meaning::Number(2)),
        "few" => Some(Meaning::Number(3)),
        "hundred" => Some(Meaning::Number(100)),
        _ => index(&ONES).or_else(|| index(&TENS).map(|tens| (tens + 2) * 10)).map(Meaning::Number),
    }
}

fn ordinal(word: &str) -> Option<Meaning> {
    const ORDINALS: [&str; 20] = [
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "eleventh",
        "twelfth",
        "thirteenth",
        "fourteenth",
        "fifteenth",
        "sixteenth",
        "seventeenth",
        "eighteenth",
        "nineteenth",
        "twentieth",
    ];
    match word {
        "st" | "nd" | "rd" | "th" => Some(Meaning::OrdinalEnd),
        "thirtieth" => Some(Meaning::Ordinal(30)),
        _ => {
            let index = ORDINALS.iter().position(|known| *known == word)?;
            u32::try_from(index + 1).ok().map(Meaning::Ordinal)
        }
    }
}

fn unit(word: &str) -> Option<Meaning> {
    let unit = match word {
        "second" | "seconds" | "sec" | "secs" => Unit::Second,
        "minute" | "minutes" | "min" | "mins" | "minuts" | "mintues" | "mintutes" => Unit::Minute,
        "hour" | "hours" | "hr" | "hrs" => Unit::Hour,
        "day" | "days" => Unit::Day,
        "week" | "weeks" | "wk" | "wks" => Unit::Week,
        "fortnight" | "fortnights" => Unit::Fortnight,
        "month" | "months" => Unit::Month,
        "quarters" | "qtr" | "qtrs" => Unit::Quarter,
        "decade" | "decades" => Unit::Decade,
        "year" | "years" | "yr" | "yrs" => Unit::Year,
        _ => return None,
    };
    Some(Meaning::Unit(unit))
}

/// Units of one letter are lower case: "3D" and "4H" are no times.
fn short_unit(token: &Token) -> Option<Meaning> {
    let unit = match token.word.as_str() {
        "s" => Unit::Second,
        "m" => Unit::Minute,
        "h" => Unit::Hour,
        "d" => Unit::Day,
        "w" => Unit::Week,
        "mo" | "mos" => Unit::Month,
        "y" => Unit::Year,
        _ => return None,
    };
    (!token.is_capital).then_some(Meaning::ShortUnit(unit))
}

fn weekday(word: &str) -> Option<Meaning> {
    let meaning = match word {
        "monday" => Meaning::Weekday(Weekday::Mon),
        "tuesday" => Meaning::Weekday(Weekday::Tue),
        "wednesday" => Meaning::Weekday(Weekday::Wed),
        "thursday" => Meaning::Weekday(Weekday::Thu),
        "friday" => Meaning::Weekday(Weekday::Fri),
        "saturday" => Meaning::Weekday(Weekday::Sat),
        "sunday" => Meaning::Weekday(Weekday::Sun),
        "mon" => Meaning::ShortWeekday(Weekday::Mon),
        "tue" | "tues" => Meaning::ShortWeekday(Weekday::Tue),
        "wed" | "weds" => Meaning::ShortWeekday(Weekday::Wed),
        "thu" | "thur" | "thurs" => Meaning::ShortWeekday(Weekday::Thu),
        "fri" => Meaning::ShortWeekday(Weekday::Fri),
        "sat" => Meaning::ShortWeekday(Weekday::Sat),
        "sun" => Meaning::ShortWeekday(Weekday::Sun),
        "mondays" => Meaning::EveryWeekday(Weekday::Mon),
        "tuesdays" => Meaning::EveryWeekday(Weekday::Tue),
        "wednesdays" => Meaning::EveryWeekday(Weekday::Wed),
        "thursdays" => Meaning::EveryWeekday(Weekday::Thu),
        "fridays" => Meaning::EveryWeekday(Weekday::Fri),
        "saturdays" => Meaning::EveryWeekday(Weekday::Sat),
        "sundays" => Meaning::EveryWeekday(Weekday::Sun),
        "weekday" | "workday" => Meaning::WorkingDay,
        "weekdays" | "workdays" => Meaning::EveryWorkingDay,
        "weekend" | "wkend" => Meaning::Weekend,
        "weekends" => Meaning::EveryWeekend,
        _ => return None,
    };
    Some(meaning)
}

fn month(word: &str) -> Option<Meaning> {
    let number = match word {
        "january" | "jan" => 1,
        "february" | "feb" => 2,
        "march" | "mar" => 3,
        "april" | "apr" => 4,
        "may" => 5,
        "june" | "jun" => 6,
        "july" | "jul" => 7,
        "august" | "aug" => 8,
        "september" | "sep" | "sept" => 9,
        "october" | "oct" => 10,
        "november" | "nov" => 11,
        "december" | "dec" => 12,
        _ => return None,
    };
    Some(Meaning::Month(number))
}

fn day(word: &str) -> Option<Meaning> {
    let meaning = match word {
        "today" => Meaning::Day(0),
        "tomorrow" | "tmrw" | "tmr" | "tomorow" | "tommorow" | "tommorrow" | "tomorrows" | "tomorrow's" | "2moro"
        | "tmw" => Meaning::Day(1),
        "yesterday" | "yest" => Meaning::Day(-1),
        "christmas" | "xmas" => Meaning::Holiday(12, 25),
        "halloween" => Meaning::Holiday(10, 31),
        "tonight" | "tonite" => Meaning::Tonight,
        "eod" | "cob" => Meaning::End(Unit::Day),
        "eow" => Meaning::End(Unit::Week),
        "eom" => Meaning::End(Unit::Month),
        "eoy" => Meaning::End(Unit::Year),
        "now" => Meaning::Now,
        "later" | "soon" | "asap" | "sometime" | "someday" | "eventually" => Meaning::Vague,
        _ => return None,
    };
    Some(meaning)
}

fn repeats(word: &str) -> Option<Meaning> {
    let meaning = match word {
        "hourly" => Meaning::Repeats(1, Unit::Hour),
        "daily" | "everyday" => Meaning::Repeats(1, Unit::Day),
        "weekly" => Meaning::Repeats(1, Unit::Week),
        "biweekly" | "fortnightly" => Meaning::Repeats(2, Unit::Week),
        "monthly" => Meaning::Repeats(1, Unit::Month),
        "bimonthly" => Meaning::Repeats(2, Unit::Month),
        "quarterly" => Meaning::Repeats(3, Unit::Month),
        "yearly" | "annually" => Meaning::Repeats(1, Unit::Year),
        "mornings" => Meaning::EveryPart(Part::Morning),
        "afternoons" => Meaning::EveryPart(Part::Afternoon),
        "evenings" => Meaning::EveryPart(Part::Evening),
        "nightly" | "nights" => Meaning::EveryPart(Part::Night),
        _ => return None,
    };
    Some(meaning)
}

fn clock(word: &str) -> &'static [Meaning] {
    match word {
        "morning" => &[Meaning::Part(Part::Morning)],
        "afternoon" => &[Meaning::Part(Part::Afternoon)],
        "evening" => &[Meaning::Part(Part::Evening)],
        "night" => &[Meaning::Part(Part::Night)],
        "noon" | "midday" | "noonish" => &[Meaning::Noon],
        "spring" | "springtime" => &[Meaning::Season(3, 20)],
        "summer" | "summertime" => &[Meaning::Season(6, 21)],
        "autumn" | "fall" => &[Meaning::Season(9, 23)],
        "winter" | "wintertime" => &[Meaning::Season(12, 21)],
        "q" => &[Meaning::ShortQuarter],
        "lunchtime" => &[Meaning::Meal(12)],
        "breakfast" => &[Meaning::Meal(8)],
        "lunch" => &[Meaning::Meal(12)],
        "dinner" | "dinnertime" => &[Meaning::Meal(19)],
        "ish" => &[Meaning::Ish],
        "time" => &[Meaning::TimeWord],
        "midnight" => &[Meaning::Midnight],
        "am" | "a.m." | "a.m" => &[Meaning::Meridiem(Half::Am)],
        "pm" | "p.m." | "p.m" => &[Meaning::Meridiem(Half::Pm)],
        "a" => &[Meaning::ShortMeridiem(Half::Am)],
        "p" => &[Meaning::ShortMeridiem(Half::Pm)],
        "o'clock" | "oclock" => &[Meaning::OClock],
        "half" => &[Meaning::Half],
        "quarter" => &[Meaning::Quarter],
        "qtr" => &[Meaning::Quarter],
        "thousand" => &[Meaning::Thousand],
        _ => &[],
    }
}

fn binder(word: &str) -> &'static [Meaning] {
    match word {
        "this" | "current" => &[Meaning::This],
        "coming" | "upcoming" => &[Meaning::Coming],
        "next" | "following" => &[Meaning::Next],
        "last" => &[Meaning::Last],
        "every" | "each" => &[Meaning::Every],
        "other" | "alternate" => &[Meaning::Other],
        "single" => &[Meaning::Single],
        "on" => &[Meaning::On],
        "at" | "@" => &[Meaning::At],
        "around" => &[Meaning::Around],
        "approximately" | "roughly" | "approx" => &[Meaning::About],
        "in" => &[Meaning::In],
        "since" => &[Meaning::Since],
        "within" => &[Meaning::Within],
        "between" => &[Meaning::Between],
        "by" | "due" => &[Meaning::By],
        "for" => &[Meaning::For],
        "the" => &[Meaning::The],
        "of" => &[Meaning::Of],
        "and" | "&" => &[Meaning::And],
        "or" => &[Meaning::Or],
        "but" => &[Meaning::Except],
        "to" => &[Meaning::To],
        "past" => &[Meaning::Past],
        "before" => &[Meaning::Before],
        "after" => &[Meaning::After],
        "from" => &[Meaning::From],
        "starting" | "starts" => &[Meaning::Starting],
        "beginning" => &[Meaning::Starting, Meaning::Early],
        "start" => &[Meaning::Early],
        "until" | "till" | "til" | "ends" | "ending" => &[Meaning::Until],
        "lasts" | "lasting" => &[Meaning::Lasts],
        "through" | "thru" => &[Meaning::Through],
        "late" => &[Meaning::Degree, Meaning::Late],
        "later" => &[Meaning::Late],
        "early" => &[Meaning::Degree, Meaning::Early],
        "mid" | "middle" => &[Meaning::Middle],
        "end" => &[Meaning::Ending],
        "except" | "excluding" => &[Meaning::Except],
        "times" | "x" | "occurrences" => &[Meaning::Times],
        "once" => &[Meaning::Count(1)],
        "twice" => &[Meaning::Count(2)],
        "beforehand" => &[Meaning::Beforehand],
        "again" => &[Meaning::Again],
        "ago" => &[Meaning::Ago],
        "hence" => &[Meaning::FromNow],
        "t" => &[Meaning::IsoT],
        "," | ";" => &[Meaning::Comma],
        ":" => &[Meaning::Colon],
        "/" => &[Meaning::Slash],
        "-" | "–" | "—" | "~" | "〜" => &[Meaning::Dash],
        "." => &[Meaning::Dot],
        "+" => &[Meaning::Plus],
        "(" | ")" | "[" | "]" => &[Meaning::Bracket],
        _ => &[],
    }
}

fn lead(word: &str) -> &'static [Meaning] {
    match word {
        "reminder" => &[Meaning::Lead],
        "street" | "st" | "avenue" | "ave" | "floor" | "road" | "grade" | "edition" | "anniversary" | "birthday" => {
            &[Meaning::OrdinalNoun]
        }
        "me" | "please" | "pls" | "plz" => &[Meaning::LeadFiller],
        "to" | "that" => &[Meaning::LeadEnd],
        "about" => &[Meaning::LeadEnd, Meaning::About],
        "is" | "was" | "are" | "were" => &[Meaning::Copula],
        "chapter" | "page" | "pages" | "room" | "gate" | "episode" | "season" | "part" | "version" | "level"
        | "volume" | "step" | "line" | "track" | "no" | "number" | "#" | "$" | "€" | "£" => &[Meaning::Counted],
        _ => &[],
    }
}

/// Abbreviations mean a region's clock, whatever the season (phrases, family 55).
fn zone(token: &Token) -> Option<Meaning> {
    let zone = match token.word.as_str() {
        "utc" | "gmt" | "z" => Tz::UTC,
        "cet" | "cest" => Tz::Europe__Paris,
        "eet" | "eest" => Tz::Europe__Athens,
        "wet" => Tz::Europe__Lisbon,
        "msk" => Tz::Europe__Moscow,
        "bst" => Tz::Europe__London,
        "est" | "edt" | "eastern" => Tz::America__New_York,
        "cst" | "cdt" => Tz::America__Chicago,
        "mst" | "mdt" => Tz::America__Denver,
        "pst" | "pdt" | "pacific" => Tz::America__Los_Angeles,
        "akst" | "akdt" => Tz::America__Anchorage,
        "hst" => Tz::Pacific__Honolulu,
        "brt" => Tz::America__Sao_Paulo,
        "ist" => Tz::Asia__Kolkata,
        "sgt" => Tz::Asia__Singapore,
        "kst" => Tz::Asia__Seoul,
        "jst" => Tz::Asia__Tokyo,
        "acst" | "acdt" => Tz::Australia__Adelaide,
        "awst" => Tz::Australia__Perth,
        "aest" | "aedt" => Tz::Australia__Sydney,
        "nzst" | "nzdt" => Tz::Pacific__Auckland,
        "hkt" => Tz::Asia__Hong_Kong,
        _ => return None,
    };
    Some(Meaning::Zone(zone))
}
