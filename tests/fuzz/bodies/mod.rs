//! The bodies of the fuzz targets, for the tests.

pub(crate) mod frame;
pub(crate) mod sentence;
