//! To be written.

/// Runs.
pub fn main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
