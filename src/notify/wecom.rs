//! What does the robot of a `WeCom` group want to be sent, and what does its answer mean?
//!
//! Pure: texts and answers in, bodies and meanings out. The rules are those of the public page "群机器人配置说明",
//! <https://developer.work.weixin.qq.com/document/path/91770>: its sections on text messages (at most 2,048 bytes of UTF-8)
//! and on how often a robot may speak (20 messages a minute); the codes stand on "全局错误码",
//! <https://developer.work.weixin.qq.com/document/path/90313>.

use serde_json::{Value, json};

use crate::domain::secret::Secret;
use crate::domain::time::{Span, Timestamp};
use crate::notify::robots::service::{Meaning, Service};

/// The longest text of one message, in bytes. One that is longer is refused with an answer of status 200 (FAULTS B29).
const TEXT_BYTES_MAX: usize = 2_048;

/// After which a robot that spoke too often may speak again: its limit is one of minutes.
const MINUTE: Span = Span::from_minutes(1);

/// The robots of `WeCom` groups.
pub(in crate::notify) const WECOM: Service = Service { text_bytes_max: TEXT_BYTES_MAX, calls: "<@", body, meaning };

/// Its address is the whole key to it: nothing is signed.
fn body(text: &str, _secret: Option<&Secret>, _at: Timestamp) -> String {
    json!({"msgtype": "text", "text": {"content": text}}).to_string()
}

fn meaning(answer: &Value) -> Meaning {
    match answer.pointer("/errcode").and_then(Value::as_i64) {
        None => Meaning::Unknown,
        Some(0) => Meaning::Taken,
        Some(code @ 45_009) => Meaning::TooOften { code, retry_after: Some(MINUTE) },
        // No such robot: the key in its address.
        Some(code @ (93_000 | 40_001 | 40_014)) => Meaning::Unwelcome { code },
        Some(code) => Meaning::Refused { code },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_its_code_inside() {
        assert_eq!(meaning(&json!({"errcode": 0, "errmsg": "ok"})), Meaning::Taken);
        assert_eq!(meaning(&json!({"errcode": 93_000})), Meaning::Unwelcome { code: 93_000 });
        assert_eq!(meaning(&json!({"errcode": 40_058})), Meaning::Refused { code: 40_058 });
        let too_often = Meaning::TooOften { code: 45_009, retry_after: Some(MINUTE) };
        assert_eq!(meaning(&json!({"errcode": 45_009, "errmsg": "api freq out of limit"})), too_often);
        assert_eq!(meaning(&json!([])), Meaning::Unknown);
    }
}
