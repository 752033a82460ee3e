//! What does any text do to the reading of times? See the body of the same name.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/sentence.rs"]
mod body;

// A panic is what the program itself makes of it: the date crate's are caught there. One that comes out ends the run.
fuzz_target!(init: std::panic::set_hook(Box::new(|_| {})), |bytes: &[u8]| body::sentence(bytes));
