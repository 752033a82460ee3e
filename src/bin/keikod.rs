//! The daemon. Holds nothing: see `keiko::daemon`.

fn main() -> std::process::ExitCode {
    keiko::daemon::main()
}
