//! The only test binary.

mod desktop;
mod support;
mod terminal;
