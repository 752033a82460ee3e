//! The only test binary.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail as tests do")]

mod desktop;
mod support;
mod terminal;
