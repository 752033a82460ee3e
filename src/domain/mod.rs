//! The rules: what may happen to a task, and what follows?
//!
//! Values in, values out. Nothing here reads a clock, draws a random number, logs, waits or knows how a value is
//! stored or sent: time, ids and jitter are arguments, and the edges have their own row and wire types.

pub mod actor;
pub mod agenda;
pub mod awaiting;
pub mod breaker;
pub mod command;
pub mod day;
pub mod delivery;
pub mod device_event;
pub mod digest;
pub mod effect;
pub mod event;
pub mod filter;
pub mod hook;
pub mod import;
pub mod message;
pub mod name;
pub mod occurrence;
pub mod op;
pub mod outbox;
pub mod pause;
pub mod planned;
pub mod quiet;
pub mod rejection;
mod replay;
pub mod retry;
pub mod routing;
pub mod run;
pub mod schedule;
pub mod secret;
pub mod stage;
pub mod state;
pub mod story;
pub mod task;
pub mod time;
pub mod transition;
pub mod verb;
pub mod waiting;
