//! Which Chinese words speak of time, and which only hold such a word?
//!
//! Simplified characters; composed words (下下周五, 第三个) and numbers are read elsewhere.

use std::collections::HashMap;
use std::sync::LazyLock;

use chrono_tz::Tz;

use crate::when::lexicon::zh::Entries;
use crate::when::lexicon::{Lexeme, Meaning, Part, Unit};

/// The most characters that a word of the table has.
pub(super) const WORD_MAX: usize = 6;

/// Words that hold words of time and are none, parted by spaces.
const UNTIMELY: &str = "下午茶 上午场 下午场 早上好 晚上好 下午好 中午饭 一点点 一点儿 有一点 差一点 早一点 晚一点 \
    快一点 多一点 少一点 几十 几百 每次 每个人 五月天 今日头条 周年 天后宫 后台 后勤 到家 约会 差旅";

/// Reads the longest of the words that only hold a word of time.
pub(super) fn untimely(chars: &[char]) -> Option<Entries> {
    // Asked at each character, so the words are cut once, and found by their first.
    static WORDS: LazyLock<HashMap<char, Vec<Vec<char>>>> = LazyLock::new(|| {
        let mut words: HashMap<char, Vec<Vec<char>>> = HashMap::new();
        for word in UNTIMELY.split_whitespace() {
            let word: Vec<char> = word.chars().collect();
            words.entry(word[0]).or_default().push(word);
        }
        words
    });
    let words = WORDS.get(chars.first()?)?;
    words.iter().filter(|word| chars.starts_with(word)).map(Vec::len).max().map(|len| vec![(len, Vec::new())])
}

/// Looks up the longest word of the table, unless what follows makes it another word.
pub(super) fn listed(chars: &[char], number_len: usize, last: Option<&Lexeme>) -> Option<Entries> {
    // The 后 of 三天后早上 ends the amount, and is not the day of 后早.
    let is_unit = |lexeme: &Lexeme| lexeme.meanings.iter().any(|m| matches!(m, Meaning::Unit(_) | Meaning::AndHalf));
    if chars[0] == '后' && last.is_some_and(is_unit) {
        return Some(vec![(1, vec![Meaning::FromNow])]);
    }
    // 六点下班 is what happens at six.
    let is_clock = |lexeme: &Lexeme| {
        lexeme
            .meanings
            .iter()
            .any(|m| matches!(m, Meaning::HourMark | Meaning::MinuteMark | Meaning::MinutesPast(_) | Meaning::AndHalf))
    };
    if chars.starts_with(&['下', '班']) && last.is_some_and(is_clock) {
        return Some(vec![(2, Vec::new())]);
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
        "月上旬" => &[(1, MONTH), (2, &[Meaning::Place(1)])],
        "月中旬" => &[(1, MONTH), (2, &[Meaning::Place(11)])],
        "月下旬" => &[(1, MONTH), (2, &[Meaning::Place(21)])],
        "年底" | "年末" => &[(1, YEAR), (1, &[Meaning::Place(-1)])],
        "年初" => &[(1, YEAR), (1, &[Meaning::Place(1)])],
        "年中" => &[(1, YEAR), (1, &[Meaning::HalfOf(2, Unit::Year)])],
        "三刻钟" => &[(1, &[Meaning::Number(45)]), (2, &[Meaning::Unit(Unit::Minute)])],
        "两刻钟" => &[(1, &[Meaning::Number(30)]), (2, &[Meaning::Unit(Unit::Minute)])],
        "最后一天" => &[(3, &[Meaning::Final]), (1, DAY)],
        "每年春节" | "每年除夕" | "每年元宵" | "每年端午" | "每年七夕" | "每年中秋" | "每年重阳" => {
            &[(1, &[Meaning::Every]), (1, YEAR), (2, &[Meaning::Lunar])]
        }
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
        "日" if is_before("元语") => &[],
        "间" if is_before("房隔歇谍断接") => &[],
        "个星期" | "个礼拜" if is_before("一二三四五六日天") => &[],
        "起" if is_before("床来飞码草名诉点身诊跑") => &[],
        "双周" | "每双周" if is_before("周星礼的") => &[Meaning::Repeats(2, Unit::Week), Meaning::Sure],
        "点" if is_before("点评名赞餐菜心击") => &[],
        "时" if is_before("候间代尚机") => &[],
        _ => [units(word), days(word), parts(word), binders(word), leads(word), zones(word)]
            .into_iter()
            .find(|found| !found.is_empty())
            .unwrap_or(&[]),
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
        "几" | "仨" => &[Meaning::Number(3)],
        "俩" => &[Meaning::Number(2)],
        "个" => &[Meaning::Single],
        "工作日" => &[Meaning::WorkingDay, Meaning::EveryWorkingDay],
        "个工作日" | "个交易日" => &[Meaning::WorkingDay],
        "这个季度" | "本季度" | "这季度" | "这一季度" => &[Meaning::QuarterOn(0)],
        "下个季度" | "下季度" | "下一季度" | "下一个季度" => &[Meaning::QuarterOn(1)],
        "上个季度" | "上季度" | "上一季度" => &[Meaning::QuarterOn(-1)],
        "春天" | "春季" => &[Meaning::Season(3, 20)],
        "夏天" | "夏季" => &[Meaning::Season(6, 21)],
        "秋天" | "秋季" => &[Meaning::Season(9, 23)],
        "冬天" | "冬季" => &[Meaning::Season(12, 21)],
        "上半年" => &[Meaning::HalfOf(1, Unit::Year)],
        "下半年" => &[Meaning::HalfOf(2, Unit::Year)],
        "上半月" => &[Meaning::HalfOf(1, Unit::Month)],
        "下半月" => &[Meaning::HalfOf(2, Unit::Month)],
        "上半周" => &[Meaning::HalfOf(1, Unit::Week)],
        "下半周" => &[Meaning::HalfOf(2, Unit::Week)],
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
        "待会" | "待会儿" | "一会" | "一会儿" | "等会" | "等会儿" | "等一下" | "过会儿" | "过一会儿" | "稍后"
        | "回头" | "改天" | "改日" | "以后再说" | "有空" | "有空时" | "晚点" | "晚些时候" | "尽快" | "最近"
        | "有时间" | "迟些" => &[Meaning::Vague],
        "元旦" | "元旦节" => &[Meaning::Holiday(1, 1)],
        "情人节" => &[Meaning::Holiday(2, 14)],
        "妇女节" => &[Meaning::Holiday(3, 8)],
        "愚人节" => &[Meaning::Holiday(4, 1)],
        "劳动节" | "五一节" | "五一" | "五一假期" => &[Meaning::Holiday(5, 1)],
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
        "早晚" | "早晚各" => &[Meaning::BothParts],
        "凌晨" => &[Meaning::SurePart(Part::Dawn)],
        "中午" | "正午" => &[Meaning::SurePart(Part::Midday), Meaning::Noon],
        "下午" | "午后" | "晏昼" | "下昼" => &[Meaning::SurePart(Part::Afternoon)],
        "傍晚" | "黄昏" => &[Meaning::SurePart(Part::Evening)],
        "晚上" | "夜晚" | "晚间" | "夜里" | "夜间" => &[Meaning::SurePart(Part::LongEvening)],
        "半夜" | "深夜" | "午夜" | "三更半夜" | "大半夜" => {
            &[Meaning::SurePart(Part::DeepNight), Meaning::Midnight]
        }
        _ => &[],
    }
}

fn binders(word: &str) -> &'static [Meaning] {
    match word {
        "每" | "每逢" | "每到" | "逢" => &[Meaning::Every],
        "隔" => &[Meaning::EveryOther],
        "每隔" => &[Meaning::EveryGap],
        "后" | "之后" | "以后" | "过后" => &[Meaning::FromNow],
        "内" | "之内" | "以内" => &[Meaning::FromNow, Meaning::Inside],
        "前" | "之前" | "以前" => &[Meaning::Ago, Meaning::ByBehind],
        "过" | "再过" | "再等" => &[Meaning::In],
        "在" | "于" => &[Meaning::On],
        "之间" | "间" => &[Meaning::BetweenBehind],
        "未来" | "今后" | "接下来" | "接下来的" | "往后" | "从现在起" => &[Meaning::Onward],
        "大约" | "大概" | "约" => &[Meaning::Around],
        "从" | "自" => &[Meaning::From],
        "开始" | "起" => &[Meaning::StartsThere],
        "直到" | "截至" | "截止" | "截止到" => &[Meaning::Until],
        "到" | "至" => &[Meaning::To, Meaning::Until],
        "除了" | "除" | "除去" => &[Meaning::Except],
        "除外" | "不算" | "外" | "以外" | "之外" => &[Meaning::ExceptBehind],
        "次" | "遍" | "回" => &[Meaning::PerCycle],
        "共" | "一共" | "总共" | "重复" => &[Meaning::Total],
        "连续" | "持续" => &[Meaning::Total, Meaning::For],
        "和" | "及" | "以及" | "与" | "跟" | "还有" => &[Meaning::AndAlso],
        "的" | "左右" | "都" | "准时" | "为止" | "前后" => &[Meaning::Linker],
        "或" | "或者" | "还是" => &[Meaning::Or],
        "差" => &[Meaning::ShortOf],
        "水" | "水果" | "牛奶" | "饭" | "菜" | "蔬菜" | "钱" | "酒" | "茶" | "茶叶" | "肉" | "糖" | "盐" | "油"
        | "米" | "面包" | "药" | "零食" | "东西" | "时间" | "小事" | "心意" | "咖啡" | "礼物" | "吃的" | "零钱"
        | "现金" => &[Meaning::MassNoun],
        "建议" | "意见" | "要求" | "原因" | "理由" | "问题" | "注意" | "心得" | "想法" | "看法" => {
            &[Meaning::PointNoun]
        }
        _ => &[],
    }
}

fn leads(word: &str) -> &'static [Meaning] {
    match word {
        "提醒我" | "叫醒我" | "提醒我一下" | "提醒一下我" | "提醒一下" | "叫我" | "喊我" | "通知我" | "告诉我"
        | "记得提醒我" | "请提醒我" | "麻烦提醒我" | "帮我提醒" | "记得" | "记得叫我" | "别忘了" | "不要忘了"
        | "设置提醒" | "设个提醒" => &[Meaning::Lead],
        "请" | "麻烦" | "麻烦你" | "帮我" | "给我" => &[Meaning::LeadFiller],
        "要" => &[Meaning::LeadEnd],
        "提前" | "提早" | "预先" => &[Meaning::InAdvance],
        "提醒" | "再提醒" | "再提醒我" | "再提醒一次" | "再叫我" | "再叫我一次" => {
            &[Meaning::Reminds]
        }
        "到点" | "到时" | "到时候" | "准点" => &[Meaning::AtDue],
        _ => &[],
    }
}

/// A city's clock: 东京时间.
fn zones(word: &str) -> &'static [Meaning] {
    match word.strip_suffix("时间") {
        Some("北京" | "上海" | "中国") => &[Meaning::Zone(Tz::Asia__Shanghai)],
        Some("香港") => &[Meaning::Zone(Tz::Asia__Hong_Kong)],
        Some("台北" | "台湾") => &[Meaning::Zone(Tz::Asia__Taipei)],
        Some("东京" | "日本") => &[Meaning::Zone(Tz::Asia__Tokyo)],
        Some("首尔" | "韩国") => &[Meaning::Zone(Tz::Asia__Seoul)],
        Some("新加坡") => &[Meaning::Zone(Tz::Asia__Singapore)],
        Some("迪拜") => &[Meaning::Zone(Tz::Asia__Dubai)],
        Some("莫斯科") => &[Meaning::Zone(Tz::Europe__Moscow)],
        Some("柏林" | "德国") => &[Meaning::Zone(Tz::Europe__Berlin)],
        Some("巴黎" | "法国") => &[Meaning::Zone(Tz::Europe__Paris)],
        Some("伦敦" | "英国") => &[Meaning::Zone(Tz::Europe__London)],
        Some("纽约" | "美东" | "美国东部") => &[Meaning::Zone(Tz::America__New_York)],
        Some("芝加哥") => &[Meaning::Zone(Tz::America__Chicago)],
        Some("洛杉矶" | "旧金山" | "西雅图" | "美西" | "美国西部") => {
            &[Meaning::Zone(Tz::America__Los_Angeles)]
        }
        Some("悉尼") => &[Meaning::Zone(Tz::Australia__Sydney)],
        Some(_) | None => &[],
    }
}
