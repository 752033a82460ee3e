//! What happens when? One loop takes inputs one after another, so nothing guards the tasks but it.
//!
//! It steps each input with the rules, commits what came of them in one transaction, and only then answers, plans and
//! hands deliveries to workers. It holds no rule of its own and knows no socket, JSON, SQL or command line.

pub mod handle;
pub mod input;
