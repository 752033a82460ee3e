//! The Chinese words of time.
//!
//! Chinese writes no spaces: at each character the longest known word is taken, numbers and composed words (第三个,
//! 下下周五) included. Traditional characters are folded to simplified ones for the look-up; places stay those of the
//! text. Characters that no word covers have no meaning, and stay in the title.

mod number;
mod traditional;
mod words;

use chrono::Weekday;

use crate::when::lexicon::zh::traditional::simplified;
use crate::when::lexicon::zh::words::{WORD_MAX, listed, untimely};
use crate::when::lexicon::{Lexeme, Meaning, Part, Unit};
use crate::when::token::{Kind, Token};

/// Words of so many characters with what they mean; one Chinese word may be several (明晚: tomorrow, evening).
type Entries = Vec<(usize, Vec<Meaning>)>;

/// Reads the longest word at the start of `tokens`, `before` being what stands in front of it.
///
/// Empty where no word is known.
pub(super) fn read(tokens: &[Token], before: &[Lexeme]) -> Entries {
    let chars = run_of_characters(tokens);
    if chars.is_empty() {
        return Vec::new();
    }
    let last = before.last();
    let number = number::read(&chars);
    let candidates = [
        composed_week(&chars),
        composed_month_or_year(&chars),
        ordinal(&chars).or_else(|| ordinal_in_digits(&chars, tokens)),
        also_weekday(&chars, before),
        beside_time(&chars, tokens, last),
        next_day(&chars, last),
        untimely(&chars),
        listed(&chars, number.map_or(0, |found| found.len), last),
    ];
    let longest =
        candidates.into_iter().flatten().reduce(|best, other| if len(&other) > len(&best) { other } else { best });
    match (longest, number) {
        (Some(word), Some(number)) if len(&word) >= number.len => word,
        (Some(word), None) => word,
        (_, Some(number)) => vec![(number.len, vec![number_meaning(number)])],
        (None, None) => Vec::new(),
    }
}

fn len(entries: &Entries) -> usize {
    entries.iter().map(|(len, _)| len).sum()
}

fn number_meaning(found: number::Found) -> Meaning {
    if found.is_spelled { Meaning::Digits { value: found.value, len: found.len } } else { Meaning::Number(found.value) }
}

/// Returns the characters from here on that stand without a space, folded to simplified ones.
fn run_of_characters(tokens: &[Token]) -> Vec<char> {
    let mut chars = Vec::new();
    for (index, token) in tokens.iter().take(WORD_MAX + 3).enumerate() {
        let mut word = token.word.chars();
        match (word.next(), word.next()) {
            (Some(c), None) if (index == 0 || token.is_glued) && crate::when::token::is_ideograph(c) => {
                chars.push(simplified(c));
            }
            (_, _) => break,
        }
    }
    chars
}

/// 下周, 下下周五, 这个星期, 本周末, 周五.
fn composed_week(chars: &[char]) -> Option<Entries> {
    let (weeks, prefix) = match chars {
        ['下', '下', '下', ..] => (Some(3), 3),
        ['下', '下', ..] => (Some(2), 2),
        ['下', ..] => (Some(1), 1),
        ['上', '上', ..] => (Some(-2), 2),
        ['上', ..] => (Some(-1), 1),
        ['这' | '本' | '今', ..] => (Some(0), 1),
        _ => (None, 0),
    };
    let counter = match (weeks, &chars[prefix..]) {
        (Some(_), ['一', '个', ..]) => 2,
        (Some(_), ['个' | '一', ..]) => 1,
        (_, _) => 0,
    };
    let at = prefix + counter;
    let name = match &chars[at..] {
        ['周', ..] => 1,
        ['星', '期', ..] | ['礼', '拜', ..] => 2,
        _ => return None,
    };
    let behind = &chars[at + name..];
    let head = |meaning: Meaning| (at > 0).then(|| (at, vec![meaning]));
    let week = weeks.map(Meaning::WeekOn).and_then(head);
    // 每周三次 counts times.
    if let Some(day) = behind.first().and_then(|c| weekday(*c)).filter(|_| behind.get(1) != Some(&'次')) {
        return Some(week.into_iter().chain([(name + 1, vec![Meaning::Weekday(day)])]).collect());
    }
    if matches!(behind, ['末', ..]) {
        return Some(week.into_iter().chain([(name + 1, vec![Meaning::Weekend, Meaning::Sure])]).collect());
    }
    if matches!(behind, ['年', ..]) {
        return None;
    }
    match weeks {
        Some(weeks) => Some(vec![(at + name, vec![Meaning::WeekOn(weeks)])]),
        None => Some(vec![(name, vec![Meaning::Unit(Unit::Week)])]),
    }
}

fn weekday(c: char) -> Option<Weekday> {
    let day = match c {
        '一' => Weekday::Mon,
        '二' => Weekday::Tue,
        '三' => Weekday::Wed,
        '四' => Weekday::Thu,
        '五' => Weekday::Fri,
        '六' => Weekday::Sat,
        '日' | '天' => Weekday::Sun,
        _ => return None,
    };
    Some(day)
}

/// 下个月, 本月, 下下个月, 明年, 后年.
fn composed_month_or_year(chars: &[char]) -> Option<Entries> {
    let one = |len: usize, meaning: Meaning| Some(vec![(len, vec![meaning])]);
    let counted = |prefix: usize, months: i64| {
        let counter = usize::from(matches!(chars.get(prefix), Some('个')));
        let is_month = matches!(chars.get(prefix + counter), Some('月'));
        // 这月 and 下月 need no counter; 上月 neither.
        if is_month { one(prefix + counter + 1, Meaning::MonthOn(months)) } else { None }
    };
    match chars {
        ['下', '下', ..] => counted(2, 2),
        ['下' | '明', '年', ..] => one(2, Meaning::YearOn(1)),
        ['下', ..] => counted(1, 1),
        ['上', ..] => counted(1, -1),
        ['今' | '本', '年', ..] => one(2, Meaning::YearOn(0)),
        ['后', '年', ..] => one(2, Meaning::YearOn(2)),
        ['大', '后', '年', ..] => one(3, Meaning::YearOn(3)),
        ['去', '年', ..] => one(2, Meaning::YearOn(-1)),
        ['这' | '本' | '今' | '当', ..] => counted(1, 0),
        _ => None,
    }
}

/// 第一个, 第十天, 倒数第二个.
fn ordinal(chars: &[char]) -> Option<Entries> {
    let (start, is_back) = match chars {
        ['第', ..] => (1, false),
        ['倒', '数', '第', ..] => (3, true),
        _ => return None,
    };
    let number = number::read(&chars[start..])?;
    let end = start + number.len;
    let counter = usize::from(matches!(chars.get(end), Some('个')));
    let nth = number.value;
    Some(vec![(end + counter, vec![if is_back { Meaning::FinalNth(nth) } else { Meaning::Ordinal(nth) }])])
}

/// 第2, 第3个, in digits.
fn ordinal_in_digits(chars: &[char], tokens: &[Token]) -> Option<Entries> {
    let number = tokens.get(1).filter(|token| token.kind == Kind::Number && chars.first() == Some(&'第'))?;
    let nth = number.word.parse().ok()?;
    let counter = usize::from(tokens.get(2).is_some_and(|token| token.word == "个" || token.word == "個"));
    Some(vec![(2 + counter, vec![Meaning::Ordinal(nth)])])
}

/// The 三 and 五 of 周一三五, the 四 of 周二、四 and of 周一至四.
fn also_weekday(chars: &[char], before: &[Lexeme]) -> Option<Entries> {
    let day = weekday(*chars.first()?)?;
    let is_weekday =
        |lexeme: &Lexeme| lexeme.meanings.iter().any(|m| matches!(m, Meaning::Weekday(_) | Meaning::AlsoWeekday(_)));
    let joins = |lexeme: &Lexeme| {
        lexeme.meanings.iter().any(|m| matches!(m, Meaning::Comma | Meaning::And | Meaning::AndAlso | Meaning::To))
    };
    let is_glued = before.last().is_some_and(is_weekday);
    let is_joined = before.len() > 1 && before.last().is_some_and(joins) && is_weekday(&before[before.len() - 2]);
    // 周五五点 is five o'clock, 周五一起 together: a weekday's digit is followed by another, or by what follows weekdays.
    let is_free = match (chars[0], chars.get(1)) {
        (_, None) => true,
        ('一', Some('早')) => false,
        (_, Some(next)) => "一二三四五六日早上下中晚凌傍午夜各都的和".contains(*next),
    };
    // 周一三五健身: behind two of them nothing but a number goes on.
    let is_third = before.last().is_some_and(|last| last.meanings.iter().any(|m| matches!(m, Meaning::AlsoWeekday(_))));
    let is_free = is_free || is_third && !chars.get(1).is_some_and(|next| "点时分个次天号月年".contains(*next));
    let is_more = is_free && (is_glued || is_joined) && chars[0] != '天';
    is_more.then(|| vec![(1, vec![Meaning::AlsoWeekday(day)])])
}

/// Single characters that are words of time only behind one: 周五早, 五月底, 明年初, and before a clock time: 早8点.
fn beside_time(chars: &[char], tokens: &[Token], last: Option<&Lexeme>) -> Option<Entries> {
    let is_behind = |wanted: fn(&Meaning) -> bool| last.is_some_and(|lexeme| lexeme.meanings.iter().any(wanted));
    let one = |meaning: Meaning| Some(vec![(1, vec![meaning])]);
    match chars[0] {
        '上' | '中' | '下' if is_behind(is_period) && chars.get(1) == Some(&'旬') => {
            let start = if chars[0] == '上' { 1 } else { 11 };
            Some(vec![(2, vec![Meaning::Place(if chars[0] == '下' { 21 } else { start })])])
        }
        '初' if is_behind(is_period) => one(Meaning::Place(1)),
        '底' | '末' if is_behind(is_period) => one(Meaning::Place(-1)),
        '早' | '晚' => {
            let part = if chars[0] == '早' { Part::Morning } else { Part::LongEvening };
            // 周五早餐 and 明晚会 are no parts of the day.
            let is_word = chars.get(1).is_some_and(|next| "饭餐会班宴市场操读自报霜安茶点一年期日婚".contains(*next));
            let is_part = is_behind(is_day) && !is_word || is_before_clock(&chars[1..], &tokens[1..]);
            if is_part { one(Meaning::SurePart(part)) } else { None }
        }
        _ => None,
    }
}

fn is_period(meaning: &Meaning) -> bool {
    matches!(
        meaning,
        Meaning::MonthOn(_) | Meaning::MonthMark | Meaning::YearOn(_) | Meaning::YearMark | Meaning::Unit(Unit::Month)
    )
}

fn is_day(meaning: &Meaning) -> bool {
    matches!(meaning, Meaning::Weekday(_) | Meaning::Day(_) | Meaning::DayMark | Meaning::AlsoWeekday(_))
}

/// Returns whether 8点, 八点 or 8:00 stands here.
fn is_before_clock(chars: &[char], tokens: &[Token]) -> bool {
    let is_mark = |token: &Token| matches!(token.word.as_str(), "点" | "點" | "时" | "時" | ":");
    if let [number, mark, ..] = tokens
        && number.kind == Kind::Number
    {
        return number.is_glued && is_mark(mark);
    }
    let len = number::read(chars).map_or(0, |found| found.len);
    len > 0 && chars.get(len) == Some(&'点')
}

/// 第二天 is the next day, unless a month or year counts it.
fn next_day(chars: &[char], last: Option<&Lexeme>) -> Option<Entries> {
    let is_counted = |lexeme: &Lexeme| {
        let counts = |m: &Meaning| is_period(m) || matches!(m, Meaning::Linker | Meaning::Every | Meaning::Unit(_));
        lexeme.meanings.iter().any(counts)
    };
    let is_next = chars.starts_with(&['第', '二', '天']) && !last.is_some_and(is_counted);
    is_next.then(|| vec![(3, vec![Meaning::Day(1)])])
}
