//! Which Chinese characters speak of time?
//!
//! The Chinese table is not written yet. Reading only the digits of 明天3点 would set a wrong time in silence, so a text
//! with any of these characters is left whole.

/// Characters that make up Chinese time words.
const TIME: &str = "年月日号號天周週星期礼禮拜点點时時分秒钟鐘刻早晨午晚夜今明昨后後前每隔季旬底初末农曆历";

/// Returns whether `text` has a character of a Chinese time word.
pub(super) fn has_time_word(text: &str) -> bool {
    text.chars().any(|c| TIME.contains(c))
}
