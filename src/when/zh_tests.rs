//! The Chinese readings that people can rely on, by family of `phrases.md`, and early alerts in both languages.

use proptest::prelude::*;

use super::tests::{context_at, read};
use super::*;

/// Wednesday 2026-05-13 16:00 in Shanghai, the Chinese reference of `phrases.md`.
fn context() -> Context {
    context_at("2026-05-13 16:00", "Asia/Shanghai")
}

#[track_caller]
fn check_all(table: &[(&str, &str)]) {
    let context = context();
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(text, expected)| {
            let found = read(text, &context);
            (found != *expected).then(|| format!("{text}\n    expected {expected}\n    found    {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Families 1 and 2.
#[test]
fn amounts_from_now_are_exact_or_keep_the_wall_clock() {
    check_all(&[
        ("两个小时后提醒我收衣服", "Wed 2026-05-13 18:00 · 收衣服"),
        ("提醒我十五分钟后关煤气", "Wed 2026-05-13 16:15 · 关煤气"),
        ("过二十分钟叫我", "Wed 2026-05-13 16:20"),
        ("两个半小时后", "Wed 2026-05-13 18:30"),
        ("1小时30分钟后", "Wed 2026-05-13 17:30"),
        ("90秒后", "Wed 2026-05-13 16:01:30"),
        ("三刻钟后", "Wed 2026-05-13 16:45"),
        ("半个钟头后关灯", "Wed 2026-05-13 16:30 · 关灯"),
        ("五日内", "Mon 2026-05-18 16:00"),
        ("再过3天", "Sat 2026-05-16 16:00"),
        ("三星期后", "Wed 2026-06-03 16:00"),
        ("一周后", "Wed 2026-05-20 16:00"),
        ("三个月后体检", "Thu 2026-08-13 16:00 · 体检"),
        ("半年后", "Fri 2026-11-13 16:00"),
        ("五天后下午两点", "Mon 2026-05-18 14:00"),
        ("10天后早上九点交水费", "Sat 2026-05-23 09:00 · 交水费"),
        ("三天后晚上八点看电影", "Sat 2026-05-16 20:00 · 看电影"),
    ]);
}

/// Families 3 to 6.
#[test]
fn named_days_take_their_time_in_any_order() {
    check_all(&[
        ("下午四点明天提醒我浇花", "Thu 2026-05-14 16:00 · 浇花"),
        ("明天上午10点半开组会", "Thu 2026-05-14 10:30 · 开组会"),
        ("记得明天早上八点吃药", "Thu 2026-05-14 08:00 · 吃药"),
        ("请提醒我明天晚上九点给妈妈打电话", "Thu 2026-05-14 21:00 · 给妈妈打电话"),
        ("和老王明天下午四点吃饭", "Thu 2026-05-14 16:00 · 和老王吃饭"),
        ("我要在周五下午四点去医院", "Fri 2026-05-15 16:00 · 我要去医院"),
        ("明早", "Thu 2026-05-14 09:00"),
        ("明晚", "Thu 2026-05-14 20:00"),
        ("明早七点半跑步", "Thu 2026-05-14 07:30 · 跑步"),
        ("第二天早上", "Thu 2026-05-14 09:00"),
        ("后天上午九点面试", "Fri 2026-05-15 09:00 · 面试"),
        ("大后天下午四点", "Sat 2026-05-16 16:00"),
        ("今晚十点半睡觉", "Wed 2026-05-13 22:30 · 睡觉"),
        ("今天", "Wed 2026-05-13 19:00"),
        ("下班前交周报", "Wed 2026-05-13 17:00 · 交周报"),
    ]);
}

/// Families 7 to 10, and the pairs that no clock has.
#[test]
fn clock_times_are_read_with_their_part_of_the_day() {
    check_all(&[
        ("四点", "Thu 2026-05-14 16:00"),
        ("六点", "Wed 2026-05-13 18:00"),
        ("十点", "Wed 2026-05-13 22:00"),
        ("七点四十五分", "Wed 2026-05-13 19:45"),
        ("六点一刻", "Wed 2026-05-13 18:15"),
        ("三点三刻", "Thu 2026-05-14 15:45"),
        ("差五分七点", "Wed 2026-05-13 18:55"),
        ("七点差十分", "Wed 2026-05-13 18:50"),
        ("下午六点零五", "Wed 2026-05-13 18:05"),
        ("１４：３０开会", "Thu 2026-05-14 14:30 · 开会"),
        ("明天１０点", "Thu 2026-05-14 10:00"),
        ("晚8点", "Wed 2026-05-13 20:00"),
        ("晚上7:30到9:00", "Wed 2026-05-13 19:30"),
        ("零点", "Thu 2026-05-14 00:00"),
        ("今晚两点", "Thu 2026-05-14 02:00"),
        ("晚上0点", "Thu 2026-05-14 00:00"),
        ("晚上十二点半", "Thu 2026-05-14 00:30"),
        ("凌晨三点半起床看球", "Thu 2026-05-14 03:30 · 起床看球"),
        ("半夜两点", "Thu 2026-05-14 02:00"),
        ("中午", "Thu 2026-05-14 12:00"),
        ("中午一点", "Thu 2026-05-14 13:00"),
        ("下午13点", "Thu 2026-05-14 13:00"),
        ("三点左右开会", "Thu 2026-05-14 15:00 · 开会"),
        ("晚上13点", "cannot set \"晚上13点\": no clock shows that time"),
        ("中午十点", "cannot set \"中午十点\": no clock shows that time"),
        ("早上15点", "cannot set \"早上15点\": no clock shows that time"),
        ("明天25点", "cannot set \"明天25点\": no clock shows that time"),
    ]);
}

/// Families 11 to 16.
#[test]
fn weekdays_belong_to_the_week_that_is_said() {
    check_all(&[
        ("周六", "Sat 2026-05-16 09:00"),
        ("礼拜三", "Wed 2026-05-20 09:00"),
        ("周三晚上七点", "Wed 2026-05-13 19:00"),
        ("周三上午十点", "Wed 2026-05-20 10:00"),
        ("周五之前交报告", "Fri 2026-05-15 09:00 · 交报告"),
        ("这周六", "Sat 2026-05-16 09:00"),
        ("这周二", "cannot set \"这周二\": Tue 12 May 2026 09:00 has passed"),
        ("上周五", "cannot set \"上周五\": Fri 8 May 2026 09:00 has passed"),
        ("下个星期一早上九点", "Mon 2026-05-18 09:00"),
        ("下下个星期二", "Tue 2026-05-26 09:00"),
        ("下下下周一", "Mon 2026-06-01 09:00"),
        ("这个周末", "Sat 2026-05-16 09:00"),
        ("周日晚上八点", "Sun 2026-05-17 20:00"),
    ]);
}

/// Families 17 to 21.
#[test]
fn dates_run_from_the_large_to_the_small() {
    check_all(&[
        ("1号交房租", "Mon 2026-06-01 09:00 · 交房租"),
        ("6月3日报到", "Wed 2026-06-03 09:00 · 报到"),
        ("25日前交材料", "Mon 2026-05-25 09:00 · 交材料"),
        ("十五号下午四点", "Fri 2026-05-15 16:00"),
        ("十二月二十五号", "Fri 2026-12-25 09:00"),
        ("6月1号带孩子去公园", "Mon 2026-06-01 09:00 · 带孩子去公园"),
        ("二零二七年三月五日", "Fri 2027-03-05 09:00"),
        ("27年3月5日", "Fri 2027-03-05 09:00"),
        ("2027年2月14日晚上七点", "Sun 2027-02-14 19:00"),
        ("明年元旦", "Fri 2027-01-01 09:00"),
        ("后年五月一号", "Mon 2028-05-01 09:00"),
        ("六月最后一个周五", "Fri 2026-06-26 09:00"),
        ("2027年第一周", "Mon 2027-01-04 09:00"),
        ("这个月底交报表", "Sun 2026-05-31 09:00 · 交报表"),
        ("5月底", "Sun 2026-05-31 09:00"),
        ("年底", "Thu 2026-12-31 09:00"),
        ("明年年初", "Fri 2027-01-01 09:00"),
        ("下个月1号", "Mon 2026-06-01 09:00"),
        ("下下个月10号", "Fri 2026-07-10 09:00"),
        ("6月31日", "cannot set \"6月31日\": no calendar has that day"),
        ("周五6月6日", "cannot set \"周五6月6日\": Sat 6 June 2026 is not the day that the other words name"),
    ]);
}

/// Families 22 to 30.
#[test]
fn repetitions_become_rules() {
    check_all(&[
        ("每天晚上十点半睡觉", "FREQ=DAILY;BYHOUR=22;BYMINUTE=30 from Wed 2026-05-13 22:30 · 睡觉"),
        ("天天喝水", "FREQ=DAILY;BYHOUR=9 from Thu 2026-05-14 09:00 · 喝水"),
        ("每早七点", "FREQ=DAILY;BYHOUR=7 from Thu 2026-05-14 07:00"),
        ("每天早上八点和晚上八点吃药", "FREQ=DAILY;BYHOUR=8,20 from Wed 2026-05-13 20:00 · 吃药"),
        ("工作日下午六点打卡", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=18 from Wed 2026-05-13 18:00 · 打卡"),
        ("周一到周五早上七点起床", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=7 from Thu 2026-05-14 07:00 · 起床"),
        ("每个周三", "FREQ=WEEKLY;BYDAY=WE;BYHOUR=9 from Wed 2026-05-20 09:00"),
        ("每周二四", "FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=9 from Thu 2026-05-14 09:00"),
        ("每周一、三、五晚上八点健身", "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=20 from Wed 2026-05-13 20:00 · 健身"),
        ("每周末", "FREQ=WEEKLY;BYDAY=SA,SU;BYHOUR=9 from Sat 2026-05-16 09:00"),
        ("隔天浇花", "FREQ=DAILY;INTERVAL=2;BYHOUR=9 from Thu 2026-05-14 09:00 · 浇花"),
        ("每隔一天", "FREQ=DAILY;INTERVAL=2;BYHOUR=9 from Thu 2026-05-14 09:00"),
        ("每两周周一上午十点", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=10 from Mon 2026-05-18 10:00"),
        ("每45分钟休息", "every 45m from Wed 2026-05-13 16:45 · 休息"),
        ("每隔两小时", "every 2h from Wed 2026-05-13 18:00"),
        ("每天9点到18点每小时", "FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16,17,18 from Wed 2026-05-13 17:00"),
        ("每月1号和15号", "FREQ=MONTHLY;BYMONTHDAY=1,15;BYHOUR=9 from Fri 2026-05-15 09:00"),
        ("每个月底对账", "FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9 from Sun 2026-05-31 09:00 · 对账"),
        ("每月第二个周五", "FREQ=MONTHLY;BYDAY=2FR;BYHOUR=9 from Fri 2026-06-12 09:00"),
        ("每月第一个工作日", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1;BYHOUR=9 from Mon 2026-06-01 09:00"),
        ("每年12月25号圣诞节", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25;BYHOUR=9 from Fri 2026-12-25 09:00 · 圣诞节"),
        ("每周五共十次", "FREQ=WEEKLY;BYDAY=FR;BYHOUR=9 from Fri 2026-05-15 09:00 ×10"),
        ("每天八点到6月1日", "FREQ=DAILY;BYHOUR=8 from Thu 2026-05-14 08:00 until 2026-06-01 23:59:59"),
        ("从下周一起每天九点", "FREQ=DAILY;BYHOUR=9 from Mon 2026-05-18 09:00"),
        ("每天八点，周末除外", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=8 from Thu 2026-05-14 08:00"),
        (
            "每天三次",
            "cannot repeat \"每天三次\": it does not say when, expected times such as `every day at 9 and 18`",
        ),
        ("每年正月初一", "cannot set \"正月\": the lunar calendar is not read, expected a date of the solar one"),
    ]);
}

/// Families 32 and 34.
#[test]
fn both_languages_and_both_scripts_mix_in_a_sentence() {
    check_all(&[
        ("后天4pm开会", "Fri 2026-05-15 16:00 · 开会"),
        ("周五10am面试", "Fri 2026-05-15 10:00 · 面试"),
        ("tomorrow下午三点开会", "Thu 2026-05-14 15:00 · 开会"),
        ("in 20 minutes 关火", "Wed 2026-05-13 16:20 · 关火"),
        ("每天9am站会", "FREQ=DAILY;BYHOUR=9 from Thu 2026-05-14 09:00 · 站会"),
        ("下禮拜一上午十點", "Mon 2026-05-18 10:00"),
        ("兩小時後提醒我", "Wed 2026-05-13 18:00"),
        ("每週一三五晚上七點", "FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=19 from Wed 2026-05-13 19:00"),
        ("星期二下午四點開會", "Tue 2026-05-19 16:00 · 開會"),
    ]);
}

/// Family 33: what only looks like time.
#[test]
fn words_that_only_look_like_time_stay_in_the_title() {
    check_all(&[
        ("明天买一点牛奶", "Thu 2026-05-14 09:00 · 买一点牛奶"),
        ("周五写三点意见", "Fri 2026-05-15 09:00 · 写三点意见"),
        ("明天十分重要的会", "Thu 2026-05-14 09:00 · 十分重要的会"),
        ("明天喝下午茶", "Thu 2026-05-14 09:00 · 喝下午茶"),
        ("周五早会", "Fri 2026-05-15 09:00 · 早会"),
        ("明天早点出发", "Thu 2026-05-14 09:00 · 早点出发"),
        ("周五一起吃饭", "Fri 2026-05-15 09:00 · 一起吃饭"),
        ("每天早上七点开始上课", "FREQ=DAILY;BYHOUR=7 from Thu 2026-05-14 07:00 · 开始上课"),
        ("三年级家长会", "no time · 三年级家长会"),
        ("买月饼", "no time · 买月饼"),
        ("每个人都要交", "no time · 每个人都要交"),
        ("提前准备材料", "no time · 提前准备材料"),
    ]);
}

#[track_caller]
fn check_alerts(text: &str, context: &Context, expected: &str, minutes: &[i64]) {
    let reading = parse_sentence(text, context).expect("readable");
    let time = reading.time.expect("it has a time");
    let found: Vec<i64> = time.alerts.iter().map(|alert| alert.as_millis() / 60_000).collect();
    assert_eq!((read(text, context).as_str(), found.as_slice()), (expected, minutes), "{text}");
}

/// Family 31 and fault B56: due stays the event's, the alerts carry the leads.
#[test]
fn leads_become_alerts_before_due() {
    let here = context();
    check_alerts("下午3点开会，提前20分钟提醒我", &here, "Thu 2026-05-14 15:00 · 开会", &[-20]);
    check_alerts("明天上午9点面试提前一小时提醒我", &here, "Thu 2026-05-14 09:00 · 面试", &[-60]);
    check_alerts("提前15分钟提醒我明天上午10点开会", &here, "Thu 2026-05-14 10:00 · 开会", &[-15]);
    check_alerts("周五下午四点开会前十分钟提醒我", &here, "Fri 2026-05-15 16:00 · 开会", &[-10]);
    check_alerts("后天上午十点体检，提前1天和1小时提醒我", &here, "Fri 2026-05-15 10:00 · 体检", &[-1440, -60]);
    check_alerts("明天下午三点开会提前十分钟提醒我，到点再提醒", &here, "Thu 2026-05-14 15:00 · 开会", &[-10, 0]);
    check_alerts(
        "每周五下午四点写周报，提前半小时提醒",
        &here,
        "FREQ=WEEKLY;BYDAY=FR;BYHOUR=16 from Fri 2026-05-15 16:00 · 写周报",
        &[-30],
    );
    let text = "call Bob tomorrow 9am, remind me 30 min before and again at 9";
    check_alerts(text, &here, "Thu 2026-05-14 09:00 · call Bob", &[-30, 0]);
    check_alerts("dentist friday 3pm, remind me 1 hour before", &here, "Fri 2026-05-15 15:00 · dentist", &[-60]);
    let text = "remind me 30 min before my 3pm meeting tomorrow";
    check_alerts(text, &here, "Thu 2026-05-14 15:00 · my meeting", &[-30]);
    let text = "flight june 3 7am, remind me 1 day before and 3 hours before";
    check_alerts(text, &here, "Wed 2026-06-03 07:00 · flight", &[-1440, -180]);
}

#[test]
fn a_lead_longer_than_the_time_left_still_rings_at_due() {
    let text = "10分钟后关火，提前半小时提醒我";
    check_alerts(text, &context(), "Wed 2026-05-13 16:10 · 关火", &[]);
    let reading = parse_sentence(text, &context()).expect("readable");
    assert!(matches!(reading.notes.as_slice(), [Note::AlertPassed { .. }]), "{:?}", reading.notes);
}

#[test]
fn a_lead_without_a_time_is_a_title() {
    check_all(&[
        ("be there 30 min before", "no time · be there 30 min before"),
        ("提前十分钟到场", "no time · 提前十分钟到场"),
        ("10 minutes before 5pm", "Wed 2026-05-13 16:50"),
    ]);
}

#[test]
fn by_a_day_sets_a_deadline_at_its_end() {
    for text in ["周五之前交报告", "report by friday"] {
        let time = parse_sentence(text, &context()).expect("readable").time.expect("it has a time");
        let deadline = time.deadline.expect("it says by when").local(context().zone).to_string();
        assert_eq!(deadline, "2026-05-15 17:00:00", "{text}");
    }
    for text in ["周五交报告", "report friday", "report by 5pm"] {
        let time = parse_sentence(text, &context()).expect("readable").time.expect("it has a time");
        assert_eq!(time.deadline, None, "{text}");
    }
}

#[test]
fn places_are_those_of_the_text_as_typed() {
    let text = "开会　明天１０點半，帶電腦";
    let time = parse_sentence(text, &context()).expect("readable").time.expect("it has a time");
    let words: Vec<&str> = time.spans.iter().map(|span| &text[span.clone()]).collect();
    assert_eq!(words, ["明天１０點半"]);
}

/// Pieces of Chinese time and of titles, in both scripts, thrown together by the property test.
const PIECES: &[&str] = &[
    "每",
    "每隔",
    "隔",
    "天",
    "周",
    "週",
    "星期",
    "礼拜",
    "月",
    "年",
    "日",
    "号",
    "號",
    "点",
    "點",
    "时",
    "分",
    "秒",
    "刻",
    "半",
    "个",
    "個",
    "一",
    "二",
    "两",
    "三",
    "五",
    "十",
    "廿",
    "百",
    "零",
    "〇",
    "12",
    "31",
    "99999",
    "：",
    ":",
    "，",
    "、",
    "。",
    "的",
    "和",
    "到",
    "至",
    "从",
    "开始",
    "起",
    "直到",
    "除了",
    "除外",
    "共",
    "次",
    "前",
    "后",
    "之前",
    "以内",
    "提前",
    "提醒我",
    "叫我",
    "差",
    "下",
    "上",
    "本",
    "这",
    "今",
    "明",
    "后天",
    "大后天",
    "今晚",
    "早上",
    "下午",
    "晚上",
    "凌晨",
    "中午",
    "半夜",
    "早",
    "晚",
    "第",
    "最后",
    "倒数第",
    "底",
    "初",
    "工作日",
    "周末",
    "农历",
    "小时",
    "分钟",
    "季度",
    "几",
    "踏",
    "字",
    "买",
    "开会",
    "牛奶",
    "🎂",
    " ",
    "3pm",
    "every",
    "tomorrow",
    "before",
    "again",
    "remind me",
    "30 min",
    "１",
    "「x」",
];

#[test]
fn what_people_add_behind_the_title_still_counts() {
    check_all(&[
        ("每天八点跳绳,共12次", "FREQ=DAILY;BYHOUR=8 from Thu 2026-05-14 08:00 ×12 · 跳绳"),
        ("今天之内回信", "Wed 2026-05-13 19:00 · 回信"),
        ("明天六点下班买菜", "Thu 2026-05-14 18:00 · 下班买菜"),
        ("🎂明天买蛋糕", "Thu 2026-05-14 09:00 · 🎂 买蛋糕"),
        ("双周周四复盘", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TH;BYHOUR=9 from Thu 2026-05-14 09:00 · 复盘"),
    ]);
}

#[test]
fn a_city_before_its_time_names_the_zone() {
    check_all(&[
        ("东京时间明早十点开会", "Thu 2026-05-14 09:00 · 开会"),
        ("查一下东京时间", "no time · 查一下东京时间"),
    ]);
}

#[test]
fn feasts_of_the_lunar_calendar_are_refused_where_they_are_the_time() {
    check_all(&[
        ("每年中秋回家", "cannot set \"中秋\": the lunar calendar is not read, expected a date of the solar one"),
        ("阴历八月十三拜访", "cannot set \"阴历\": the lunar calendar is not read, expected a date of the solar one"),
        ("明天订中秋的票", "Thu 2026-05-14 09:00 · 订中秋的票"),
    ]);
}

/// B56: a lead is no hour, and both ends of a stretch are on its day.
#[test]
fn leads_and_ends_of_stretches_are_no_times_of_their_own() {
    check_alerts("下午四点半开会，提前25分钟提醒我", &context(), "Wed 2026-05-13 16:30 · 开会", &[-25]);
    check_all(&[("明天上午七点到八点", "Thu 2026-05-14 07:00")]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_chinese_is_read_without_panic(picks in prop::collection::vec(prop::sample::select(PIECES), 0..14)) {
        let text = picks.concat();
        let context = context();
        for time in [parse_time(&text, &context).ok(), parse_every(&text, &context).ok()].into_iter().flatten() {
            prop_assert!(time.schedule.validate().is_ok(), "{text}: {:?}", time.schedule);
        }
        match parse_sentence(&text, &context) {
            Ok(reading) => {
                let Some(time) = reading.time else { return Ok(()) };
                prop_assert!(time.spans.iter().all(|span| text.get(span.clone()).is_some()), "{text}");
                let is_now = matches!(time.schedule.rule, crate::domain::schedule::Rule::Countdown(_));
                prop_assert!(is_now || time.due > context.now, "{text}");
                let first = time.schedule.next_after(None, context.now, context.zone);
                prop_assert_eq!(first.map(|first| first.due), Some(time.due), "{}", text);
            }
            Err(error) => prop_assert!(text.get(error.span().clone()).is_some(), "{text}: {error:?}"),
        }
    }

    #[test]
    fn any_characters_are_read_without_panic(text in "[\\u{3000}-\\u{303f}\\u{4e00}-\\u{9fff}\\u{ff00}-\\u{ffef}0-9: ]{0,40}") {
        let _ = parse_sentence(&text, &context());
        let _ = parse_time(&text, &context());
        let _ = parse_every(&text, &context());
    }
}
