#![doc = include_str!("architecture.md")]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

// In reading order: the rules first, then the edges, the loop, the wire, the entry points.
pub mod domain;
pub mod scheduler;
pub mod when;

pub mod clock;
pub mod config;
pub mod files;
pub mod notify;
pub mod process;
pub mod runner;
pub mod store;

pub mod engine;
pub mod hooks;

pub mod api;
pub mod client;
pub mod protocol;

pub mod service;

pub mod cli;
pub mod daemon;
pub mod logging;
