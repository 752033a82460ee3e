//! What do bytes of a stranger do to the reading of the wire? See the body of the same name.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/frame.rs"]
mod body;

// A panic is what the program itself makes of it: the date crate's are caught there. One that comes out ends the run.
fuzz_target!(init: std::panic::set_hook(Box::new(|_| {})), |bytes: &[u8]| body::frame(bytes));
