//! What may a word mean? One meaning table a language; the grammar sees meanings and never words.
//!
//! A language adds a table of words and phrases and nothing else. Words that no table knows have no meaning, and stay
//! in the title.

mod en;
mod zh;

use std::ops::Range;

use chrono::Weekday;
use chrono_tz::Tz;

use crate::when::token::{Kind, Token, is_ideograph};

/// What a word, number, mark or phrase may mean.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Meaning {
    /// Digits as typed, with how many there are.
    Digits { value: u32, len: usize },
    /// A number in words.
    Number(u32),
    /// "a", "an", "one" before a unit.
    Article,
    /// "first", "second"; digits with "th" are [`Meaning::Digits`] and [`Meaning::OrdinalEnd`].
    Ordinal(u32),
    /// "st", "nd", "rd", "th".
    OrdinalEnd,
    /// "half".
    Half,
    /// "quarter".
    Quarter,
    /// A unit spelled out, with how many of the base unit it is.
    Unit(Unit),
    /// A unit of one or two letters, read only behind digits.
    ShortUnit(Unit),
    /// A weekday's full name.
    Weekday(Weekday),
    /// A weekday's short name, which may be another word.
    ShortWeekday(Weekday),
    /// "mondays".
    EveryWeekday(Weekday),
    /// "weekday", "working day".
    WorkingDay,
    /// "weekdays", "working days".
    EveryWorkingDay,
    /// "weekend".
    Weekend,
    /// "weekends".
    EveryWeekend,
    /// A month.
    Month(u32),
    /// So many days from today.
    Day(i64),
    /// A part of the day.
    Part(Part),
    /// "tonight": the part and the day.
    Tonight,
    /// "noon".
    Noon,
    /// "midnight".
    Midnight,
    /// "am", "pm".
    Meridiem(Half),
    /// "a", "p" glued to a number.
    ShortMeridiem(Half),
    /// "o'clock".
    OClock,
    /// "eod", "end of the month".
    End(Unit),
    /// "this".
    This,
    /// "next", "coming".
    Next,
    /// "last".
    Last,
    /// "every", "each".
    Every,
    /// "daily", "biweekly".
    Repeats(u32, Unit),
    /// "nightly".
    EveryPart(Part),
    /// "other" behind "every".
    Other,
    /// "single" behind "every".
    Single,
    /// "on".
    On,
    /// "at", "@".
    At,
    /// "around": binds a clock time, but no bare number ("around 5 people").
    Around,
    /// "in".
    In,
    /// "by", "due", "before": binds, and adds nothing.
    By,
    /// "for".
    For,
    /// "the".
    The,
    /// "of".
    Of,
    /// "and".
    And,
    /// "to".
    To,
    /// "past".
    Past,
    /// "before".
    Before,
    /// "after".
    After,
    /// "from".
    From,
    /// "starting".
    Starting,
    /// "until".
    Until,
    /// "through": a range, or "until".
    Through,
    /// "except".
    Except,
    /// "times".
    Times,
    /// "once", "twice".
    Count(u32),
    /// "from now", "later" behind an amount.
    FromNow,
    /// "ago".
    Ago,
    /// "late", "early" before a part of the day.
    Degree,
    /// "late" before a month.
    Late,
    /// "early", "beginning" before a month or week.
    Early,
    /// "mid" before a month.
    Middle,
    /// "coming", "upcoming".
    Coming,
    /// "less than", beside its meaning as "about".
    LessThan,
    /// "since": what follows bounds a stretch.
    Since,
    /// "within".
    Within,
    /// "between".
    Between,
    /// "about", "less than" before an amount or a clock time.
    About,
    /// "ish" behind a clock time.
    Ish,
    /// "from today" behind an amount.
    FromToday,
    /// A meal, with its hour.
    Meal(u32),
    /// A full hour by its name: "after school".
    NamedHour(u32),
    /// Half a year: "h2".
    HalfYear,
    /// A season, with the month and day on which it begins in the north.
    Season(u32, u32),
    /// Morning and evening in one word: 早晚.
    BothParts,
    /// "between" behind both ends of a stretch: 之间.
    BetweenBehind,
    /// "the next" before an amount that begins now: 未来.
    Onward,
    /// The first (1) or second (2) half of a unit: 下半年.
    HalfOf(u32, Unit),
    /// "or" between two times, of which one must be chosen.
    Or,
    /// Digits too many for any time.
    Huge,
    /// "first thing": the start of a day.
    FirstThing,
    /// A quarter's letter, read only beside its number.
    ShortQuarter,
    /// "time" behind an amount ("in two weeks' time").
    TimeWord,
    /// A holiday of a fixed date: month and day.
    Holiday(u32, u32),
    /// "lasting" before the length of an event.
    Lasts,
    /// "thousand" in a year.
    Thousand,
    /// "is": drops out of the title before a time that ends the sentence.
    Copula,
    /// "the end" of something.
    Ending,
    /// "now".
    Now,
    /// "later", "soon": time meant, none said.
    Vague,
    /// "remind me".
    Lead,
    /// "me", "please": drops out beside a lead.
    LeadFiller,
    /// "to", "that", "about" behind a lead.
    LeadEnd,
    /// "chapter", "room": the number behind it is its own.
    Counted,
    /// A zone's abbreviation or name.
    Zone(Tz),
    /// "," and ";".
    Comma,
    /// ":".
    Colon,
    /// "/".
    Slash,
    /// "-" and dashes.
    Dash,
    /// ".".
    Dot,
    /// "+".
    Plus,
    /// The "t" between an ISO date and its time.
    IsoT,
    /// Beside another meaning: the word speaks of time wherever it stands.
    Sure,
    /// A part of the day that speaks of time wherever it stands, and may stand before its clock time: 下午.
    SurePart(Part),
    /// The mark behind a year's number: 年.
    YearMark,
    /// The mark behind a month's number: 月.
    MonthMark,
    /// The mark behind the number of a day of a month: 号.
    DayMark,
    /// The mark behind an hour's number: 点.
    HourMark,
    /// The mark behind a minute's number: 分.
    MinuteMark,
    /// The mark behind a second's number: 秒.
    SecondMark,
    /// So many minutes past an hour that stands before: 一刻.
    MinutesPast(u32),
    /// So many times five minutes: 个字.
    FiveMinutes,
    /// Joins minutes to their hour: 踏.
    OnMark,
    /// So many minutes short of an hour: 差.
    ShortOf,
    /// "and a half" in one word, behind a number or a unit: 个半.
    AndHalf,
    /// The week so many weeks on: 下周.
    WeekOn(i64),
    /// The month so many months on: 下个月.
    MonthOn(i64),
    /// The quarter so many quarters on: 下季度.
    QuarterOn(i64),
    /// The year so many years on: 明年.
    YearOn(i64),
    /// The start (1) or end (-1) of what stands before: 底.
    Place(i32),
    /// The month of 月底: whichever ends next.
    BareMonth,
    /// The year of 年底.
    BareYear,
    /// A weekday named only by its digit, behind another: 周一三五.
    AlsoWeekday(Weekday),
    /// "last" in a row, never "past": 最后一个.
    Final,
    /// So many from the last: 倒数第二个.
    FinalNth(u32),
    /// "every other": 隔.
    EveryOther,
    /// "every" with what lies between: 每隔.
    EveryGap,
    /// "before" behind a day or a time: 周五之前.
    ByBehind,
    /// "starting" behind a moment: 下周一开始.
    StartsThere,
    /// "except" behind weekdays: 周末除外.
    ExceptBehind,
    /// "in all" before a number of times: 共五次.
    Total,
    /// "within" behind a period: 下周内.
    Inside,
    /// A round bracket.
    Bracket,
    /// So many times in each cycle: 每天三次.
    PerCycle,
    /// "and" that joins times, never numbers of one amount: 和.
    AndAlso,
    /// Joins time words to each other or to the title: 的.
    Linker,
    /// What ordinals tell apart and is no day: "5th street".
    OrdinalNoun,
    /// What there is a little of: 一点水果.
    MassNoun,
    /// What is counted in points: 三点建议.
    PointNoun,
    /// "ahead" before an amount: 提前.
    InAdvance,
    /// "ahead" behind an amount: "early", "in advance".
    Beforehand,
    /// 提醒 without whom: drops out beside an alert only.
    Reminds,
    /// "again", before another time to speak.
    Again,
    /// At due itself: 准点.
    AtDue,
    /// A calendar that is not read: 农历.
    Lunar,
}

/// Units of time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Fortnight,
    Month,
    Quarter,
    Year,
    Decade,
}

/// Parts of the day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Morning,
    Afternoon,
    Evening,
    Night,
    /// The hours behind midnight: 凌晨.
    Dawn,
    /// The hours around noon: 中午.
    Midday,
    /// Evening and night in one: 晚上.
    LongEvening,
    /// The hours around midnight: 半夜.
    DeepNight,
}

/// Halves of the day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Half {
    Am,
    Pm,
}

/// One entry of the text: a token, or several that mean one thing.
#[derive(Clone, Debug)]
pub(super) struct Lexeme {
    /// Byte range in the text.
    pub(super) span: Range<usize>,
    /// What it may mean; empty for words that are not about time.
    pub(super) meanings: Vec<Meaning>,
    /// What sort of token it is.
    pub(super) kind: Kind,
    /// Whether no space stands before it.
    pub(super) is_glued: bool,
    /// Whether a word beside it ends there: a bracket, a quote, a Chinese character.
    pub(super) is_border: bool,
}

impl Lexeme {
    /// Joins `tokens`, of which there is at least one.
    fn new(tokens: &[Token], meanings: Vec<Meaning>) -> Self {
        let (first, last) = (&tokens[0], &tokens[tokens.len() - 1]);
        Self {
            span: first.span.start..last.span.end,
            meanings,
            kind: first.kind,
            is_glued: first.is_glued,
            is_border: first.is_border(),
        }
    }
}

/// Gives each token, or the longest known phrase of tokens, its meanings.
pub(super) fn lexemes(tokens: &[Token]) -> Vec<Lexeme> {
    let mut lexemes = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        let words = if token.kind == Kind::Word { zh::read(&tokens[at..], &lexemes) } else { Vec::new() };
        for (len, meanings) in &words {
            lexemes.push(Lexeme::new(&tokens[at..at + len], meanings.clone()));
            at += len;
        }
        if !words.is_empty() {
            continue;
        }
        if let Some(parts) = month_and_digits(token) {
            lexemes.extend(parts);
            at += 1;
            continue;
        }
        if let Some((len, zone)) = zone_name(&tokens[at..]) {
            lexemes.push(Lexeme {
                span: token.span.start..tokens[at + len - 1].span.end,
                meanings: vec![Meaning::Zone(zone)],
                kind: token.kind,
                is_glued: token.is_glued,
                is_border: false,
            });
            at += len;
            continue;
        }
        let (len, meanings) = match token.kind {
            Kind::Quoted => (1, Vec::new()),
            Kind::Number => (1, digits(&token.word)),
            Kind::Word if token.word.bytes().all(|byte| byte.is_ascii_digit()) => (1, vec![Meaning::Huge]),
            // A Chinese character that no word covers is no English one.
            Kind::Word if token.word.starts_with(is_ideograph) => (1, Vec::new()),
            Kind::Word | Kind::Mark => en::phrase(&tokens[at..])
                .filter(|(_, meanings)| !is_counted_day(&lexemes, meanings))
                .unwrap_or_else(|| (1, en::word(token))),
        };
        lexemes.push(Lexeme::new(&tokens[at..at + len], meanings));
        at += len;
    }
    lexemes
}

/// The most tokens behind the first of a zone's name that are looked at.
const ZONE_TOKENS_MAX: usize = 10;

/// Reads a zone by its full name ("Europe/Berlin"), with how many tokens it takes.
fn zone_name(tokens: &[Token]) -> Option<(usize, Tz)> {
    let is_slashed = tokens.get(1).is_some_and(|token| token.word == "/" && token.is_glued);
    if !is_slashed || tokens.first()?.kind != Kind::Word {
        return None;
    }
    let is_part =
        |token: &&Token| token.is_glued && (token.kind == Kind::Word || ["/", "_", "-"].contains(&&*token.word));
    // The longest names have nine tokens (America/North_Dakota/New_Salem); of a chain of a thousand none is one.
    let longest = 1 + tokens[1..].iter().take(ZONE_TOKENS_MAX).take_while(is_part).count();
    let name_of = |len: usize| tokens[..len].iter().map(|token| token.word.as_str()).collect::<String>();
    (3..=longest).rev().find_map(|len| {
        let name = name_of(len);
        let zone = chrono_tz::TZ_VARIANTS.iter().find(|zone| zone.name().eq_ignore_ascii_case(&name))?;
        Some((len, *zone))
    })
}

/// Cuts "october2", "q3" and "h2" in two.
fn month_and_digits(token: &Token) -> Option<[Lexeme; 2]> {
    let split = token.word.find(|c: char| c.is_ascii_digit()).filter(|_| token.kind == Kind::Word)?;
    let (name, digits) = token.word.split_at(split);
    let is_short = (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    // Folding may change lengths; only plain ASCII is cut.
    let is_plain = token.span.len() == token.word.len();
    let meaning = Some(en::word(&Token { word: name.to_owned(), ..token.clone() }))
        .filter(|meanings| meanings.iter().any(|meaning| matches!(meaning, Meaning::Month(_))))
        .or_else(|| match name {
            "q" => Some(vec![Meaning::Quarter]),
            "h" if matches!(digits, "1" | "2") => Some(vec![Meaning::HalfYear]),
            _ => None,
        });
    let middle = token.span.start + split;
    let lexeme = |span, meanings, is_glued| Lexeme { span, meanings, kind: Kind::Word, is_glued, is_border: false };
    (is_short && is_plain).then_some(())?;
    Some([
        lexeme(token.span.start..middle, meaning?, token.is_glued),
        Lexeme { kind: Kind::Number, ..lexeme(middle..token.span.end, self::digits(digits), true) },
    ])
}

/// "2 days after tomorrow": behind a number the phrase is its unit and a day.
fn is_counted_day(before: &[Lexeme], meanings: &[Meaning]) -> bool {
    let is_number = |meaning: &Meaning| matches!(meaning, Meaning::Digits { .. } | Meaning::Number(_));
    meanings.iter().any(|meaning| matches!(meaning, Meaning::Day(_)))
        && before.last().is_some_and(|last| last.meanings.iter().any(is_number))
}

fn digits(word: &str) -> Vec<Meaning> {
    word.parse().map_or_else(|_| Vec::new(), |value| vec![Meaning::Digits { value, len: word.len() }])
}
