//! What is wrong with the settings of a target? Found when it is made ready, told with the key and without the value.

use crate::domain::delivery::Target;

/// A setting that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("cannot use {key} of {target}: {reason}")]
pub struct Fault {
    /// The target.
    pub target: Target,
    /// The key in its table.
    pub key: &'static str,
    /// Why, without the value.
    pub reason: String,
}
