//! How does a receiver know that a request is ours? Standard Webhooks signatures, and those of `DingTalk`.
//!
//! Never shows a secret, also not the one that it refuses.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use standardwebhooks::Webhook;

use crate::domain::secret::Secret;
use crate::domain::time::Timestamp;

/// What stands before a secret of Standard Webhooks.
const PREFIX: &str = "whsec_";

/// How long a secret is, in bytes (Standard Webhooks, "Signature scheme"); the crate itself takes any length.
const SECRET_BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// The most secrets at once: a new one beside the old, and room for a slip. Each costs every request a signature.
const SECRETS_MAX: usize = 4;

/// Signs requests after Standard Webhooks.
pub(super) struct Signer(Vec<Webhook>);

impl Signer {
    /// Returns what signs with every one of `secrets`.
    ///
    /// # Errors
    /// What is wrong with one of them, without its text.
    pub(super) fn new(secrets: &[Secret]) -> Result<Self, String> {
        if secrets.len() > SECRETS_MAX {
            return Err(format!("expected at most {SECRETS_MAX} secrets, found {}", secrets.len()));
        }
        let keys: Result<Vec<Webhook>, String> = secrets.iter().map(|secret| key(secret.reveal())).collect();
        keys.map(Self)
    }

    /// Returns the value of `webhook-signature`: one signature a secret; `None` without a secret.
    pub(super) fn sign(&self, id: &str, at: Timestamp, body: &str) -> Option<String> {
        let signatures: Vec<String> = self
            .0
            .iter()
            .map(|key| key.sign(id, seconds(at), body.as_bytes()).expect("only a body that is no UTF-8 is refused"))
            .collect();
        (!signatures.is_empty()).then(|| signatures.join(" "))
    }
}

/// Returns the whole seconds since 1970, as Standard Webhooks dates a request.
pub(super) const fn seconds(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(1000)
}

fn key(secret: &str) -> Result<Webhook, String> {
    let text = secret.strip_prefix(PREFIX).ok_or_else(|| format!("expected a secret that begins with {PREFIX}"))?;
    let bytes = STANDARD.decode(text).map_err(|_| format!("expected base64 behind {PREFIX}"))?;
    let (length, least, most) = (bytes.len(), SECRET_BYTES.start(), SECRET_BYTES.end());
    if !SECRET_BYTES.contains(&length) {
        return Err(format!("expected a secret of {least} to {most} bytes, found {length}"));
    }
    Webhook::from_bytes(bytes).map_err(|error| error.to_string())
}

/// Returns what `DingTalk` wants in the query of a signed request: the milliseconds since 1970, and a signature of them.
///
/// The rule is that of "Security settings of custom robots" on <https://open.dingtalk.com/document/robots/customize-robot-security-settings>:
/// HMAC-SHA256 with the secret over the time, a line break and the secret, in base64; the time may be off by an hour.
pub(super) fn dingtalk(secret: &Secret, at: Timestamp) -> (String, String) {
    let time = at.as_millis().to_string();
    let signed = format!("{time}\n{}", secret.reveal());
    let signature = hmac_sha256::HMAC::mac(signed.as_bytes(), secret.reveal().as_bytes());
    (time, STANDARD.encode(signature))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis).unwrap()
    }

    fn secret(text: &str) -> Secret {
        Secret::new(text.to_owned())
    }

    #[track_caller]
    fn check_refused(text: &str, expected: &str) {
        let error = Signer::new(&[secret(text)]).err().unwrap();
        assert_eq!(error, expected);
        assert!(!error.contains(text));
    }

    /// The example of the Standard Webhooks libraries.
    #[test]
    fn a_request_is_signed_with_every_secret() {
        let one = secret("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD");
        let body = r#"{"email":"test@example.com","username":"test_user"}"#;
        let id = "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk";
        let expected = "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=";
        let sign = |secrets: &[Secret]| Signer::new(secrets).unwrap().sign(id, at(1_649_367_553_999), body);
        assert_eq!(sign(std::slice::from_ref(&one)).unwrap(), expected);
        let rotated = sign(&[secret(&format!("whsec_{}", STANDARD.encode([7; 32]))), one]).unwrap();
        assert_eq!(rotated.split(' ').count(), 2);
        assert!(rotated.ends_with(expected));
        assert_eq!(sign(&[]), None);
    }

    #[test]
    fn a_bad_secret_is_refused_without_being_shown() {
        check_refused("hunter2", "expected a secret that begins with whsec_");
        check_refused("whsec_not base64", "expected base64 behind whsec_");
        check_refused("whsec_aHVudGVyMg==", "expected a secret of 24 to 64 bytes, found 7");
        let long = format!("whsec_{}", STANDARD.encode([0; 65]));
        check_refused(&long, "expected a secret of 24 to 64 bytes, found 65");
    }

    /// The value was computed with Python's hmac, as the service's page shows it.
    #[test]
    fn a_request_to_dingtalk_is_signed_its_own_way() {
        let (time, signature) = dingtalk(&secret("this is secret"), at(1_577_262_236_757));
        assert_eq!(time, "1577262236757");
        assert_eq!(signature, DINGTALK_EXAMPLE);
    }

    const DINGTALK_EXAMPLE: &str = "hmPWwU+7lVdm3ZZz0r9tSfx0L4Q26jWOZr9+Gs6EZQM=";
}
