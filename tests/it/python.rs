//! A client in another language, with nothing of this crate: what the wire promises is enough to build on.

use std::path::Path;

use crate::support::daemon::Home;

#[test]
fn a_python_program_adds_hears_does_conflicts_and_catches_up() {
    let home = Home::new();
    let _daemon = home.start();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/python/client.py");
    let mut command = home.command("python3");
    command.arg("-I").arg(script).arg(home.socket()).env("PYTHONIOENCODING", "utf-8");
    let output = command.output().expect("python3 is installed where Keiko is tested");
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{errors}");
    assert!(said.starts_with("caught up with "), "{said}");
}
