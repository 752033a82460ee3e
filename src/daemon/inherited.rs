//! Which open files does a daemon keep of whoever started it? Its three streams, and the sockets that a service manager hands
//! over to it by name.
//!
//! The rest would stay open as long as it runs, and be handed to every command: a lock that a script holds by a descriptor
//! (`flock 9`) would not be let go, and who reads a pipe to its end would wait for ever.

use std::fs;
use std::ops::Range;

/// The last of the streams that every process has.
const STDERR: i32 = 2;

/// Closes every other open file but those of the numbers `spared`. Must be the first thing that the process does: nothing in it
/// may have one open yet.
pub(super) fn close(spared: &Range<i32>) {
    // The system may have no such directory; there nothing can be told.
    let Ok(open) = fs::read_dir("/dev/fd") else { return };
    let numbers: Vec<i32> = open.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    for number in numbers.into_iter().filter(|number| *number > STDERR && !spared.contains(number)) {
        // The directory itself is among them, and closed already.
        close_one(number);
    }
}

/// Closes one open file that nothing in this process has taken.
pub(super) fn close_one(number: i32) {
    let _ = nix::unistd::close(number);
}
