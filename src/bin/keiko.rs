//! The command that people type. Holds nothing: see `keiko::cli`.

fn main() -> std::process::ExitCode {
    keiko::cli::main()
}
