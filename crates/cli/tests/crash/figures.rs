//! How much work is asked for, how long an answer may take, and how a test says what it saw.

use std::env;
use std::fmt::Display;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// Whether the whole work is asked for: `PREMATH_PROVE=1`.
pub(crate) fn is_whole() -> bool {
    env::var("PREMATH_PROVE").is_ok_and(|value| value == "1")
}

/// The slice, or the whole.
pub(crate) fn amount(slice: usize, whole: usize) -> usize {
    if is_whole() { whole } else { slice }
}

/// A command that nobody else holds up answers within a second; a loaded machine gets ten.
pub(crate) fn patience() -> Duration {
    Duration::from_secs(if is_whole() { 1 } else { 10 })
}

/// Prints one line, such as `R7  claims 300, double claims 0`.
pub(crate) fn figures(id: &str, figures: &[(&str, &dyn Display)]) {
    let shown: Vec<String> = figures.iter().map(|(name, figure)| format!("{name} {figure}")).collect();
    println!("{id}  {}", shown.join(", "));
}

/// Whether a program is there. Without it the test is skipped by name; where everything must run, it fails.
///
/// # Panics
/// When it is missing and `CI=true`, or the whole work is asked for.
pub(crate) fn is_there(program: &str, probe: &str, package: &str) -> bool {
    let probed = Command::new(program).arg(probe).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if probed.is_ok_and(|status| status.success()) {
        return true;
    }
    let test = thread::current().name().unwrap_or("a test").to_owned();
    let message = format!("{test}: `{program}` is not installed; as root: apt-get install -y {package}");
    let is_ci = env::var("CI").is_ok_and(|value| value == "true");
    assert!(!is_ci && !is_whole(), "{message}");
    eprintln!("SKIPPED {message}");
    false
}
