//! How answers are told to people. Values in, [`text::Text`] out: nothing here prints, asks or decides.

pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod time;
