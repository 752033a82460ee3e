//! Which simplified character is meant by a traditional one?
//!
//! Only characters of the words of `words.rs` are listed.

/// Each traditional character with the simplified one behind it.
const PAIRS: &str = "點点時时鐘钟鍾钟週周禮礼後后號号個个這这兩两幾几內内過过開开從从現现當当間间給给請请記记別别煩烦\
幫帮訴诉曆历農农陰阴舊旧總总複复約约聽听晝昼還还與与於于準准錶表連连續续設设鬧闹為为盡尽馬马會会\
預预淩凌臘腊議议見见問问題题樓楼線线門门車车庫库廳厅館馆機机飯饭報报語语讀读數数剛刚兒儿貳二黃黄\
節节婦妇勞劳動动師师國国慶庆聖圣誕诞頭头寫写離离遲迟誰谁員员圓元";

/// Folds the traditional characters of time words.
pub(super) fn simplified(c: char) -> char {
    let mut pairs = PAIRS.chars();
    while let (Some(traditional), Some(simple)) = (pairs.next(), pairs.next()) {
        if traditional == c {
            return simple;
        }
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traditional_characters_are_folded_and_others_stay() {
        assert_eq!("明天下午三點，後天禮拜五".chars().map(simplified).collect::<String>(), "明天下午三点，后天礼拜五");
    }
}
