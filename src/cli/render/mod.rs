//! How answers are told to people. Values in, [`text::Text`] out: nothing here prints, asks or decides.

pub(crate) mod agenda;
pub(crate) mod away;
pub(crate) mod change;
pub(crate) mod channel;
pub(crate) mod doctor;
pub(crate) mod event;
#[cfg(test)]
pub(crate) mod fixture;
pub(crate) mod list;
pub(crate) mod op;
pub(crate) mod overview;
pub(crate) mod pick;
pub(crate) mod prompt;
pub(crate) mod reading;
pub(crate) mod rows;
pub(crate) mod run;
pub(crate) mod say;
pub(crate) mod status;
pub(crate) mod story;
pub(crate) mod table;
pub(crate) mod task;
pub(crate) mod text;
pub(crate) mod time;
pub(crate) mod times;
pub(crate) mod wait;
