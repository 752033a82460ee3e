//! The Chinese words of time.
//!
//! Chinese writes no spaces: at each character the longest known word is taken, numbers and composed words (第三个,
//! 下下周五) included. Traditional characters are folded to simplified ones for the look-up; places stay those of the
//! text. Characters that no word covers have no meaning, and stay in the title.

use chrono::Weekday;

use crate::when::lexicon::han_number;
use crate::when::lexicon::{Lexeme, Meaning, Part, Unit};
use crate::when::token::{Kind, Token};

/// Words of so many characters with what they mean; one Chinese word may be several (明晚: tomorrow, evening).
type Entries = Vec<(usize, Vec<Meaning>)>;

/// The most characters that a word of the table has.
const WORD_MAX: usize = 6;

/// Reads the longest word at the start of `tokens`, `before` being what stands in front of it.
///
/// Empty where no word is known.
pub(super) fn read(tokens: &[Token], before: &[Lexeme]) -> Entries {
    let chars = run_of_characters(tokens);
    if chars.is_empty() {
        return Vec::new();
    }
    let last = before.last();
    let number = han_number::read(&chars);
    let candidates = [
        composed_week(&chars),
        composed_month_or_year(&chars),
        ordinal(&chars),
        also_weekday(&chars, before),
        beside_time(&chars, tokens, last),
        next_day(&chars, last),
        untimely(&chars),
        listed(&chars, number.map_or(0, |found| found.len), last),
    ];
    let longest = candidates.into_iter().flatten().reduce(|best, other| if len(&other) > len(&best) { other } else { best });
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

fn number_meaning(found: han_number::Found) -> Meaning {
    if found.is_spelled {
        Meaning::Digits { value: found.value, len: found.len }
    } else {
        Meaning::Number(found.value)
    }
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

/// Folds the traditional characters of time words.
fn simplified(c: char) -> char {
    const PAIRS: &[(char, char)] = &[
        ('點', '点'), ('時', '时'), ('鐘', '钟'), ('鍾', '钟'), ('週', '周'), ('禮', '礼'), ('後', '后'), ('號', '号'),
        ('個', '个'), ('這', '这'), ('兩', '两'), ('幾', '几'), ('內', '内'), ('過', '过'), ('開', '开'), ('從', '从'),
        ('現', '现'), ('當', '当'), ('間', '间'), ('給', '给'), ('請', '请'), ('記', '记'), ('別', '别'), ('煩', '烦'),
        ('幫', '帮'), ('訴', '诉'), ('曆', '历'), ('農', '农'), ('陰', '阴'), ('舊', '旧'), ('總', '总'), ('複', '复'),
        ('約', '约'), ('聽', '听'), ('晝', '昼'), ('還', '还'), ('與', '与'), ('於', '于'), ('準', '准'), ('錶', '表'),
        ('約', '约'), ('連', '连'), ('續', '续'), ('設', '设'), ('鬧', '闹'), ('為', '为'), ('盡', '尽'), ('馬', '马'),
        ('會', '会'), ('醒', '醒'), ('預', '预'), ('淩', '凌'), ('臘', '腊'), ('議', '议'), ('見', '见'), ('問', '问'),
        ('題', '题'), ('樓', '楼'), ('線', '线'), ('門', '门'), ('車', '车'), ('庫', '库'), ('廳', '厅'), ('館', '馆'),
        ('機', '机'), ('飯', '饭'), ('報', '报'), ('語', '语'), ('讀', '读'), ('數', '数'), ('逢', '逢'), ('剛', '刚'),
        ('兒', '儿'), ('貳', '二'), ('黃', '黄'), ('節', '节'), ('婦', '妇'), ('勞', '劳'), ('動', '动'), ('師', '师'),
        ('國', '国'), ('慶', '庆'), ('聖', '圣'), ('誕', '诞'), ('頭', '头'), ('寫', '写'), ('離', '离'), ('遲', '迟'), ('誰', '谁'), ('員', '员'), ('圓', '元'),
    ];
    PAIRS.iter().find(|(traditional, _)| *traditional == c).map_or(c, |(_, simple)| *simple)
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
        ['下', '年', ..] | ['明', '年', ..] => one(2, Meaning::YearOn(1)),
        ['下', ..] => counted(1, 1),
        ['上', ..] => counted(1, -1),
        ['今', '年', ..] | ['本', '年', ..] => one(2, Meaning::YearOn(0)),
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
    let number = han_number::read(&chars[start..])?;
    let end = start + number.len;
    let counter = usize::from(matches!(chars.get(end), Some('个')));
    let nth = number.value;
    Some(vec![(end + counter, vec![if is_back { Meaning::FinalNth(nth) } else { Meaning::Ordinal(nth) }])])
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
    let is_more = is_free && (is_glued || is_joined) && chars[0] != '天';
    is_more.then(|| vec![(1, vec![Meaning::AlsoWeekday(day)])])
}

/// Single characters that are words of time only behind one: 周五早, 五月底, 明年初, and before a clock time: 早8点.
fn beside_time(chars: &[char], tokens: &[Token], last: Option<&Lexeme>) -> Option<Entries> {
    let is_behind = |wanted: fn(&Meaning) -> bool| last.is_some_and(|lexeme| lexeme.meanings.iter().any(wanted));
    let one = |meaning: Meaning| Some(vec![(1, vec![meaning])]);
    match chars[0] {
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
    let len = han_number::read(chars).map_or(0, |found| found.len);
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

/// Words that hold words of time and are none.
fn untimely(chars: &[char]) -> Option<Entries> {
    const WORDS: &[&str] = &[
        "下午茶", "上午场", "下午场", "早上好", "晚上好", "下午好", "中午饭", "早饭", "早餐", "晚饭", "晚餐", "午饭", "午餐",
        "夜宵", "周年", "一点点", "一点儿", "有一点", "差一点", "早一点", "晚一点", "快一点", "多一点", "少一点", "几十",
        "几百", "每次", "每个人", "五月天", "三星", "今日头条", "年终", "年会", "周报", "周会", "月饼", "月亮", "月票",
        "日本", "日语", "日元", "点心", "时候", "时间", "天气", "天后宫", "后台", "后勤", "前台", "前端", "后端", "内容",
        "分享", "分析", "分钱", "秒杀", "号码", "起床", "起来", "起草", "起飞", "到家", "从容", "约会", "差旅", "次要",
        "回家", "回复", "回来", "初中", "底下", "年级", "年轻", "日报", "日程", "日记", "月报", "年报", "周边", "周到",
    ];
    let is_here = |word: &&&str| word.chars().count() <= chars.len() && word.chars().zip(chars).all(|(a, b)| a == *b);
    WORDS.iter().filter(is_here).map(|word| word.chars().count()).max().map(|len| vec![(len, Vec::new())])
}

/// Looks up the longest word of the table, unless what follows makes it another word.
fn listed(chars: &[char], number_len: usize, last: Option<&Lexeme>) -> Option<Entries> {
    // The 后 of 三天后早上 ends the amount, and is not the day of 后早.
    let is_unit = |lexeme: &Lexeme| lexeme.meanings.iter().any(|m| matches!(m, Meaning::Unit(_) | Meaning::AndHalf));
    if chars[0] == '后' && last.is_some_and(is_unit) {
        return Some(vec![(1, vec![Meaning::FromNow])]);
    }
    (1..=chars.len().min(WORD_MAX)).rev().find_map(|len| {
        let word: String = chars[..len].iter().collect();
        let next = chars.get(len).copied();
        if let Some(parts) = compound(&word) {
            return Some(parts.iter().map(|(len, meanings)| (*len, meanings.to_vec())).collect());
        }
        let meanings = simple(&word, next);
        // 12月25号圣诞节 names the day behind its date.
        let is_named = meanings.iter().any(|m| matches!(m, Meaning::Holiday(..)))
            && last.is_some_and(|lexeme| lexeme.meanings.contains(&Meaning::DayMark));
        if is_named {
            return Some(vec![(len, Vec::new())]);
        }
        (!meanings.is_empty() && len >= number_len).then(|| vec![(len, meanings.to_vec())])
    })
}

/// Words that say two things.
fn compound(word: &str) -> Option<&'static [(usize, &'static [Meaning])]> {
    const MORNING: &[Meaning] = &[Meaning::SurePart(Part::Morning)];
    const EVENING: &[Meaning] = &[Meaning::SurePart(Part::LongEvening)];
    const DAY: &[Meaning] = &[Meaning::Unit(Unit::Day)];
    const MONTH: &[Meaning] = &[Meaning::MonthMark, Meaning::Unit(Unit::Month), Meaning::BareMonth];
    const YEAR: &[Meaning] = &[Meaning::YearMark, Meaning::Unit(Unit::Year), Meaning::BareYear];
    let parts: &[(usize, &[Meaning])] = match word {
        "今早" | "今晨" => &[(1, &[Meaning::Day(0)]), (1, MORNING)],
        "今晚" | "今夜" | "当晚" => &[(1, &[Meaning::Day(0)]), (1, EVENING)],
        "明早" | "明晨" => &[(1, &[Meaning::Day(1)]), (1, MORNING)],
        "明晚" | "明夜" => &[(1, &[Meaning::Day(1)]), (1, EVENING)],
        "后早" => &[(1, &[Meaning::Day(2)]), (1, MORNING)],
        "后晚" => &[(1, &[Meaning::Day(2)]), (1, EVENING)],
        "大后早" => &[(2, &[Meaning::Day(3)]), (1, MORNING)],
        "大后晚" => &[(2, &[Meaning::Day(3)]), (1, EVENING)],
        "听朝" => &[(1, &[Meaning::Day(1)]), (1, MORNING)],
        "听晚" => &[(1, &[Meaning::Day(1)]), (1, EVENING)],
        "今朝" => &[(1, &[Meaning::Day(0)]), (1, MORNING)],
        "昨晚" => &[(1, &[Meaning::Day(-1)]), (1, EVENING)],
        "每早" | "每晨" => &[(1, &[Meaning::Every]), (1, MORNING)],
        "每晚" | "每夜" => &[(1, &[Meaning::Every]), (1, EVENING)],
        "天天" | "日日" | "每日" => &[(1, &[Meaning::Every]), (1, DAY)],
        "月底" | "月末" => &[(1, MONTH), (1, &[Meaning::Place(-1)])],
        "月初" => &[(1, MONTH), (1, &[Meaning::Place(1)])],
        "月中" => &[(1, MONTH), (1, &[Meaning::Place(15)])],
        "年底" | "年末" => &[(1, YEAR), (1, &[Meaning::Place(-1)])],
        "年初" => &[(1, YEAR), (1, &[Meaning::Place(1)])],
        "三刻钟" => &[(1, &[Meaning::Number(45)]), (2, &[Meaning::Unit(Unit::Minute)])],
        "两刻钟" => &[(1, &[Meaning::Number(30)]), (2, &[Meaning::Unit(Unit::Minute)])],
        "最后一天" => &[(3, &[Meaning::Final]), (1, DAY)],
        "半个月" => &[(1, &[Meaning::Number(15)]), (2, DAY)],
        "一刻钟" => &[(2, &[Meaning::Quarter]), (1, &[Meaning::Unit(Unit::Hour)])],
        "个半月" => &[(2, &[Meaning::AndHalf]), (1, &[Meaning::Unit(Unit::Month)])],
        _ => return None,
    };
    Some(parts)
}

/// Words that say one thing; `next` is the character behind.
fn simple(word: &str, next: Option<char>) -> &'static [Meaning] {
    let is_before = |chars: &str| next.is_some_and(|next| chars.contains(next));
    match word {
        // 5号楼, 30日元, 一点点, 三时候
        "号" if is_before("楼线店门院桌馆机会厅车库位码员厂") => &[],
        "日" if is_before("元语本报") => &[],
        "个星期" | "个礼拜" if is_before("一二三四五六日天") => &[],
        "起" if is_before("床来飞码草名诉点身诊跑") => &[],
        "点" if is_before("点评名赞餐菜心击") => &[],
        "时" if is_before("候间代尚机") => &[],
        _ => {
            [units(word), days(word), parts(word), binders(word), leads(word)].into_iter().find(|found| !found.is_empty()).unwrap_or(&[])
        }
    }
}

fn units(word: &str) -> &'static [Meaning] {
    match word {
        "年" => &[Meaning::YearMark, Meaning::Unit(Unit::Year)],
        "月" => &[Meaning::MonthMark, Meaning::Unit(Unit::Month)],
        "月份" => &[Meaning::MonthMark],
        "号" => &[Meaning::DayMark],
        "日" => &[Meaning::DayMark, Meaning::Unit(Unit::Day)],
        "点" | "时" | "点钟" | "点整" | "时整" | "点正" | "点踏正" | "点搭正" => {
            if word.chars().count() > 1 { &[Meaning::HourMark, Meaning::OClock] } else { &[Meaning::HourMark] }
        }
        "分" => &[Meaning::MinuteMark, Meaning::Unit(Unit::Minute)],
        "秒" => &[Meaning::SecondMark, Meaning::Unit(Unit::Second)],
        "秒钟" => &[Meaning::Unit(Unit::Second)],
        "分钟" => &[Meaning::Unit(Unit::Minute)],
        "小时" | "个小时" | "钟头" | "个钟头" | "个钟" => &[Meaning::Unit(Unit::Hour)],
        "天" => &[Meaning::Unit(Unit::Day)],
        "个星期" | "个礼拜" => &[Meaning::Unit(Unit::Week)],
        "个月" => &[Meaning::Unit(Unit::Month)],
        "季度" | "个季度" => &[Meaning::Unit(Unit::Quarter)],
        "半" => &[Meaning::Half, Meaning::AndHalf],
        "个半" => &[Meaning::AndHalf],
        "一刻" => &[Meaning::MinutesPast(15)],
        "三刻" => &[Meaning::MinutesPast(45)],
        "个字" => &[Meaning::FiveMinutes],
        "踏" | "搭" => &[Meaning::OnMark],
        "几" => &[Meaning::Number(3)],
        "个" => &[Meaning::Single],
        "工作日" => &[Meaning::WorkingDay, Meaning::EveryWorkingDay],
        "个工作日" => &[Meaning::WorkingDay],
        "最后一个" | "最后" => &[Meaning::Final],
        _ => &[],
    }
}

fn days(word: &str) -> &'static [Meaning] {
    match word {
        "今天" | "今日" | "当天" | "今儿" | "今儿个" => &[Meaning::Day(0)],
        "明天" | "明日" | "明儿" | "明儿个" | "听日" | "次日" => &[Meaning::Day(1)],
        "后天" | "后日" | "后儿" => &[Meaning::Day(2)],
        "大后天" | "大后日" => &[Meaning::Day(3)],
        "昨天" | "昨日" | "寻日" => &[Meaning::Day(-1)],
        "前天" | "前日" => &[Meaning::Day(-2)],
        "现在" | "此刻" | "此时" | "当前" | "而家" | "宜家" | "依家" | "马上" | "立刻" | "立即" | "即刻" => {
            &[Meaning::Now]
        }
        "下班" | "下班前" | "下班之前" | "下班以前" | "收工前" => &[Meaning::End(Unit::Day)],
        "待会" | "待会儿" | "一会" | "一会儿" | "等会" | "等会儿" | "等一下" | "过会儿" | "过一会儿" | "稍后" | "回头"
        | "改天" | "改日" | "以后再说" | "有空" | "有空时" | "晚点" | "晚些时候" | "尽快" | "最近" | "有时间" | "迟些" => {
            &[Meaning::Vague]
        }
        "元旦" | "元旦节" => &[Meaning::Holiday(1, 1)],
        "情人节" => &[Meaning::Holiday(2, 14)],
        "妇女节" => &[Meaning::Holiday(3, 8)],
        "愚人节" => &[Meaning::Holiday(4, 1)],
        "劳动节" | "五一节" => &[Meaning::Holiday(5, 1)],
        "青年节" => &[Meaning::Holiday(5, 4)],
        "儿童节" => &[Meaning::Holiday(6, 1)],
        "教师节" => &[Meaning::Holiday(9, 10)],
        "国庆" | "国庆节" => &[Meaning::Holiday(10, 1)],
        "万圣节" => &[Meaning::Holiday(10, 31)],
        "平安夜" => &[Meaning::Holiday(12, 24)],
        "圣诞" | "圣诞节" => &[Meaning::Holiday(12, 25)],
        "农历" | "阴历" | "旧历" | "正月" | "腊月" | "大年初一" => &[Meaning::Lunar],
        _ => &[],
    }
}

fn parts(word: &str) -> &'static [Meaning] {
    match word {
        "早上" | "上午" | "早晨" | "清晨" | "清早" | "大清早" | "一早" | "早间" | "朝早" | "朝头早" => {
            &[Meaning::SurePart(Part::Morning)]
        }
        "凌晨" => &[Meaning::SurePart(Part::Dawn)],
        "中午" | "正午" => &[Meaning::SurePart(Part::Midday), Meaning::Noon],
        "下午" | "午后" | "晏昼" | "下昼" => &[Meaning::SurePart(Part::Afternoon)],
        "傍晚" | "黄昏" => &[Meaning::SurePart(Part::Evening)],
        "晚上" | "夜晚" | "晚间" | "夜里" | "夜间" => &[Meaning::SurePart(Part::LongEvening)],
        "半夜" | "深夜" | "午夜" | "三更半夜" | "大半夜" => &[Meaning::SurePart(Part::DeepNight), Meaning::Midnight],
        _ => &[],
    }
}

fn binders(word: &str) -> &'static [Meaning] {
    match word {
        "每" | "每逢" | "每到" | "逢" => &[Meaning::Every],
        "隔" => &[Meaning::EveryOther],
        "每隔" => &[Meaning::EveryGap],
        "后" | "之后" | "以后" | "过后" | "内" | "之内" | "以内" => &[Meaning::FromNow],
        "前" | "之前" | "以前" => &[Meaning::Ago, Meaning::ByBehind],
        "过" | "再过" | "再等" => &[Meaning::In],
        "在" | "于" => &[Meaning::On],
        "大约" | "大概" | "约" => &[Meaning::Around],
        "从" | "自" => &[Meaning::From],
        "开始" | "起" => &[Meaning::StartsThere],
        "直到" | "截至" | "截止" | "截止到" => &[Meaning::Until],
        "到" | "至" => &[Meaning::To, Meaning::Until],
        "除了" | "除" | "除去" => &[Meaning::Except],
        "除外" | "不算" => &[Meaning::ExceptBehind],
        "次" | "遍" | "回" => &[Meaning::PerCycle],
        "共" | "一共" | "总共" | "重复" | "连续" => &[Meaning::Total],
        "和" | "及" | "以及" | "与" | "跟" | "还有" => &[Meaning::AndAlso],
        "的" | "左右" | "都" | "准时" | "为止" | "前后" => &[Meaning::Linker],
        "差" => &[Meaning::ShortOf],
        "建议" | "意见" | "要求" | "原因" | "理由" | "问题" | "注意" | "心得" | "想法" | "看法" => &[Meaning::PointNoun],
        _ => &[],
    }
}

fn leads(word: &str) -> &'static [Meaning] {
    match word {
        "提醒我" | "提醒我一下" | "提醒一下我" | "提醒一下" | "叫我" | "喊我" | "通知我" | "告诉我" | "记得提醒我" | "请提醒我"
        | "麻烦提醒我" | "帮我提醒" | "记得" | "记得叫我" | "别忘了" | "不要忘了" | "设置提醒" | "设个提醒" => &[Meaning::Lead],
        "请" | "麻烦" | "麻烦你" | "帮我" | "给我" => &[Meaning::LeadFiller],
        "提前" | "提早" | "预先" => &[Meaning::InAdvance],
        "提醒" | "再提醒" | "再提醒我" | "再提醒一次" | "再叫我" | "再叫我一次" => &[Meaning::Reminds],
        "到点" | "到时" | "到时候" | "准点" => &[Meaning::AtDue],
        _ => &[],
    }
}
