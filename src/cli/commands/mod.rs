//! The commands, a file for each: its arguments, whose doc comments are its help, and what it asks and answers.

pub(crate) mod ack;
pub(crate) mod add;
pub(crate) mod backup;
pub(crate) mod cancel;
pub(crate) mod channel;
pub(crate) mod daemon;
pub(crate) mod done;
pub(crate) mod each;
pub(crate) mod edit;
pub(crate) mod events;
pub(crate) mod history;
pub(crate) mod input;
pub(crate) mod list;
pub(crate) mod overview;
pub(crate) mod parse;
pub(crate) mod pause;
pub(crate) mod remind;
pub(crate) mod resume;
pub(crate) mod retry;
pub(crate) mod rpc;
pub(crate) mod show;
pub(crate) mod skip;
pub(crate) mod snooze;
pub(crate) mod status;
pub(crate) mod unblock;
