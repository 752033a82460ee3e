//! How do bytes that are no text go over the wire? In base64 (RFC 4648, section 4), which JSON holds.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Returns bytes as text.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Returns the bytes of a text, `None` where it is no base64.
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}
