//! What does the property list of a launchd agent say, on macOS?
//!
//! The rules are those of launchd.plist(5). The daemon makes its socket itself: one of launchd's is had only through a call into
//! C, which this program does not make.

use std::fmt::Write as _;

use crate::service::{File, Service, TextError, mark, text};

const BEGIN: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

const DOCTYPE: &str =
    "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n";

/// Returns the name by which launchd knows the agent.
#[must_use]
pub fn label(name: &str) -> String {
    format!("keiko.{name}")
}

/// Returns the property list.
///
/// # Errors
/// A path cannot stand in it.
pub fn file(service: &Service) -> Result<File, TextError> {
    let label = label(&service.name);
    let mut variables = String::new();
    for (name, path) in &service.variables {
        // Writing to a String cannot fail.
        let _ = writeln!(variables, "    <key>{}</key>\n    <string>{}</string>", escaped(name), escaped(text(path)?));
    }
    if !variables.is_empty() {
        variables = format!("  <key>EnvironmentVariables</key>\n  <dict>\n{variables}  </dict>\n");
    }
    let rest = format!(
        "{BEGIN}{DOCTYPE}<plist version=\"1.0\">
<dict>
  <key>Label</key>
  <string>{label}</string>
  <key>ProgramArguments</key>
  <array>
    <string>{daemon}</string>
    <string>--foreground</string>
  </array>
{variables}  <!-- At login, and again where it failed; at most every ten seconds. -->
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <!-- Commands of tasks, and the process that runs them, go on without the daemon. -->
  <key>AbandonProcessGroup</key>
  <true/>
  <key>ExitTimeOut</key>
  <integer>30</integer>
  <key>StandardErrorPath</key>
  <string>{log}</string>
</dict>
</plist>
",
        daemon = escaped(text(&service.daemon)?),
        log = escaped(text(&service.log)?),
    );
    let mark = mark("<!-- ", &rest, " -->");
    // The first line of a document is the one that says that it is one.
    let text = rest.replacen(BEGIN, &format!("{BEGIN}{mark}"), 1);
    Ok(File { name: format!("{label}.plist"), text })
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::tests::odd;

    #[test]
    fn the_agent_is_started_at_login_with_what_held_at_install() {
        let file = file(&odd()).unwrap();
        assert_eq!(file.name, "keiko.keikod-0123456789ab.plist");
        insta::assert_snapshot!(file.text, @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- Written by keiko daemon install as 1da09e64-80f9-5190-9d12-2ec0b5e62d8b; keiko daemon uninstall removes it unless it was changed -->
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
          <key>Label</key>
          <string>keiko.keikod-0123456789ab</string>
          <key>ProgramArguments</key>
          <array>
            <string>/home/100% "me"/it's $HOME \bin/keikod</string>
            <string>--foreground</string>
          </array>
          <key>EnvironmentVariables</key>
          <dict>
            <key>KEIKO_DATA_DIR</key>
            <string>/家 "%h" &lt;&amp;&gt; $X `id` \n/it's</string>
            <key>KEIKO_CONFIG</key>
            <string>/etc/a=b; c#d</string>
          </dict>
          <!-- At login, and again where it failed; at most every ten seconds. -->
          <key>RunAtLoad</key>
          <true/>
          <key>KeepAlive</key>
          <dict>
            <key>SuccessfulExit</key>
            <false/>
          </dict>
          <key>ThrottleInterval</key>
          <integer>10</integer>
          <!-- Commands of tasks, and the process that runs them, go on without the daemon. -->
          <key>AbandonProcessGroup</key>
          <true/>
          <key>ExitTimeOut</key>
          <integer>30</integer>
          <key>StandardErrorPath</key>
          <string>/tmp/&lt;log&gt;</string>
        </dict>
        </plist>
        "#);
    }
}
