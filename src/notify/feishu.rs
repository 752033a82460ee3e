//! What does the robot of a Feishu group want to be sent, and what does its answer mean?
//!
//! Pure: texts and answers in, bodies and meanings out. The rules are those of the public page "Custom bot usage guide",
//! <https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot>: its sections "Security settings" (signature),
//! "Supported message types" (text), "Usage limits" (a body of at most 20 KB, 30 KB in older versions of the page; 5 messages
//! a second and 100 a minute) and "Error codes".

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::domain::secret::Secret;
use crate::domain::time::Timestamp;
use crate::notify::robots::service::{Meaning, Service};

/// The longest text of one message, in bytes. In JSON a byte becomes two at most (quotes, back strokes and line breaks: no
/// other control characters are left), so that with all around it the body stays below the 20 KB of the service.
const TEXT_BYTES_MAX: usize = 9_000;

/// The robots of Feishu groups.
pub(in crate::notify) const FEISHU: Service = Service { text_bytes_max: TEXT_BYTES_MAX, calls: "<at", body, meaning };

fn body(text: &str, secret: Option<&Secret>, at: Timestamp) -> String {
    let mut body = json!({"msg_type": "text", "content": {"text": text}});
    if let Some(secret) = secret {
        let (timestamp, sign) = sign(secret, at);
        body["timestamp"] = Value::String(timestamp);
        body["sign"] = Value::String(sign);
    }
    body.to_string()
}

/// Returns the seconds since 1970 and a signature of them: HMAC-SHA256 of nothing, where the time, a line break and the
/// secret are the key, in base64.
fn sign(secret: &Secret, at: Timestamp) -> (String, String) {
    let timestamp = at.as_millis().div_euclid(1000).to_string();
    let key = format!("{timestamp}\n{}", secret.reveal());
    let sign = STANDARD.encode(hmac_sha256::HMAC::mac([], key.as_bytes()));
    (timestamp, sign)
}

/// Reads the code of an answer, which older answers have at another place.
fn meaning(answer: &Value) -> Meaning {
    let code = ["/code", "/StatusCode"].into_iter().find_map(|pointer| answer.pointer(pointer)?.as_i64());
    match code {
        None => Meaning::Unknown,
        Some(0) => Meaning::Taken,
        // Too often; by the whole tenant, or in this chat.
        Some(code @ (11_232 | 230_020)) => Meaning::TooOften { code, retry_after: None },
        // The robot is unknown (its address), the signature or its time is wrong.
        Some(code @ (19_001 | 19_021)) => Meaning::Unwelcome { code },
        Some(code) => Meaning::Refused { code },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_sign(secret: &str, seconds: i64, expected: &str) {
        let at = Timestamp::from_millis(seconds * 1000 + 999).unwrap();
        let (timestamp, sign) = sign(&Secret::new(secret.to_owned()), at);
        assert_eq!((timestamp, sign.as_str()), (seconds.to_string(), expected));
    }

    /// The page shows the rule as a program and no values; these were computed with Python's hmac by that rule:
    /// `base64.b64encode(hmac.new(f"{t}\n{secret}".encode(), b"", hashlib.sha256).digest())`.
    #[test]
    fn a_request_is_signed_with_time_and_secret_as_the_key() {
        check_sign("demo", 1_599_360_473, SIGN_DEMO);
        check_sign("密钥-SEC", 1_747_152_000, SIGN_CHINESE);
    }

    const SIGN_DEMO: &str = "l1N0gAcBjdwBvGm1xMjOF0XSyaLRpR7tuO5dHfhAYc8=";
    const SIGN_CHINESE: &str = "IpSplAMgCav5A3xejS0hx8Je4qE8Jb+Rt2FkpBaVOu8=";

    #[test]
    fn the_longest_text_fits_whatever_it_holds() {
        let at = Timestamp::from_millis(0).unwrap();
        let secret = Secret::new("s".repeat(64));
        assert!(body(&"\"".repeat(TEXT_BYTES_MAX), Some(&secret), at).len() < 20_000);
    }

    #[test]
    fn an_answer_has_its_code_at_one_of_two_places() {
        assert_eq!(meaning(&json!({"code": 0, "msg": "success", "data": {}})), Meaning::Taken);
        assert_eq!(meaning(&json!({"StatusCode": 0, "StatusMessage": "success"})), Meaning::Taken);
        assert_eq!(meaning(&json!({"code": 19_021, "StatusCode": 0})), Meaning::Unwelcome { code: 19_021 });
        assert_eq!(meaning(&json!({"code": 9499, "msg": "Bad Request"})), Meaning::Refused { code: 9499 });
        let too_often = Meaning::TooOften { code: 11_232, retry_after: None };
        assert_eq!(meaning(&json!({"code": 11_232, "msg": "frequency limited"})), too_often);
        assert_eq!(meaning(&json!({"msg": "?"})), Meaning::Unknown);
    }
}
