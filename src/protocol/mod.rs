//! The wire as data: what do a request, an answer and a task look like between programs?
//!
//! JSON-RPC 2.0, one JSON value a line. Nothing here opens anything: bytes and values in, values and bytes out. The wire
//! types are apart from the domain's, with explicit conversions both ways ([`to_wire`], [`from_wire`]).

pub mod bytes;
pub mod envelope;
pub mod error_code;
pub mod examination;
pub mod framing;
pub mod from_wire;
pub mod methods;
pub mod objects;
pub mod openrpc;
pub mod to_wire;

/// The version of the methods and their parameters; a client and a daemon must speak the same one.
pub const PROTOCOL_VERSION: u32 = 1;

/// The version of the objects that programs read, in every result as `schema_version`.
pub const SCHEMA_VERSION: u32 = 1;

/// The version of this program, as `daemon.hello` tells it.
pub const PROGRAM_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The line with which a daemon that was started by a command says, on its standard output, that it takes calls.
pub const READY_LINE: &str = "ready";

/// What stands before the reason in the line with which it says that it will not come up.
pub const FAILED_PREFIX: &str = "failed: ";

/// What stands before what to do next, in the line behind that one; not every failure has one.
pub const HINT_PREFIX: &str = "hint: ";
