//! Which number do these Chinese characters write?
//!
//! Both ways of writing are read: by place (三十五, 一百零二, 廿六) and digit by digit (二零二六, 零五). Nothing here knows
//! what is counted.

/// A number that was found at the start of some characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Found {
    /// Its value.
    pub(super) value: u32,
    /// How many characters it takes.
    pub(super) len: usize,
    /// Whether it is written digit by digit, as a year or the minutes of 三点零五.
    pub(super) is_spelled: bool,
}

/// Reads the longest number at the start of `chars`, simplified characters; at most 9999.
pub(super) fn read(chars: &[char]) -> Option<Found> {
    let count = chars.iter().take_while(|c| digit(**c).is_some() || scale(**c).is_some()).count();
    if let Some(found) = spelled(&chars[..count], chars.get(count).copied()) {
        return Some(found);
    }
    (1..=count.min(8)).rev().find_map(|len| {
        let value = by_place(&chars[..len])?;
        Some(Found { value, len, is_spelled: false })
    })
}

/// 二零二六, 零五, 三零, and 二六 before 年: digits only, read one by one.
fn spelled(chars: &[char], next: Option<char>) -> Option<Found> {
    let digits: Vec<u32> = chars.iter().map_while(|c| digit(*c)).collect();
    let has_zero = digits.contains(&0);
    let is_spelled = digits.len() == chars.len()
        && match digits.len() {
            4 => true,
            2 => has_zero || next == Some('年'),
            _ => false,
        };
    is_spelled.then(|| Found {
        value: digits.iter().fold(0, |value, digit| value * 10 + digit),
        len: digits.len(),
        is_spelled: true,
    })
}

/// 三十五, 十, 二百零三: each scale smaller than the one before, a bare digit only at the end.
fn by_place(chars: &[char]) -> Option<u32> {
    if let [only] = chars {
        return digit(*only).or_else(|| (*only == '十').then_some(10)).or_else(|| tens(*only));
    }
    let mut total = 0;
    let mut smallest = u32::MAX;
    let mut pending = None;
    for c in chars {
        match (digit(*c), scale(*c), tens(*c)) {
            // A zero only joins (一百零二).
            (Some(0), _, _) if pending.is_none() && total > 0 => {}
            (Some(value), _, _) if pending.is_none() && value > 0 && smallest > 1 => pending = Some(value),
            (_, _, Some(value)) if total == 0 && pending.is_none() => {
                total = value;
                smallest = 10;
            }
            (_, Some(scale), None) if scale < smallest && (pending.is_some() || total == 0 && scale == 10) => {
                total += pending.take().unwrap_or(1) * scale;
                smallest = scale;
            }
            (_, _, _) => return None,
        }
    }
    Some(total + pending.unwrap_or(0))
}

fn digit(c: char) -> Option<u32> {
    let value = match c {
        '零' | '〇' => 0,
        '一' => 1,
        '二' | '两' => 2,
        '三' => 3,
        '四' => 4,
        '五' => 5,
        '六' => 6,
        '七' => 7,
        '八' => 8,
        '九' => 9,
        _ => return None,
    };
    Some(value)
}

fn scale(c: char) -> Option<u32> {
    match c {
        '十' | '廿' | '卅' => Some(10),
        '百' => Some(100),
        '千' => Some(1000),
        _ => None,
    }
}

/// 廿 and 卅 are 二十 and 三十 in one.
fn tens(c: char) -> Option<u32> {
    match c {
        '廿' => Some(20),
        '卅' => Some(30),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, value: u32, len: usize) {
        let chars: Vec<char> = text.chars().collect();
        assert_eq!(read(&chars).map(|found| (found.value, found.len)), Some((value, len)), "{text}");
    }

    #[test]
    fn numbers_are_read_by_place() {
        check("三", 3, 1);
        check("十", 10, 1);
        check("十五", 15, 2);
        check("二十", 20, 2);
        check("三十五分", 35, 3);
        check("廿六", 26, 2);
        check("廿", 20, 1);
        check("一百零二", 102, 4);
        check("两", 2, 1);
    }

    #[test]
    fn numbers_are_read_digit_by_digit() {
        check("二零二六年", 2026, 4);
        check("二〇二六", 2026, 4);
        check("二六年", 26, 2);
        check("零五分", 5, 2);
        check("零点", 0, 1);
    }

    #[test]
    fn the_longest_number_ends_where_no_number_goes_on() {
        check("七八点", 7, 1);
        check("十五十点", 15, 2);
        assert_eq!(read(&['天']), None);
    }
}
