//! What the sandbox enforces, and what came of a command in it.

use premath_wire::v1::{LayerRow, SandboxCheckAnswer, SandboxRefusal, SandboxRunAnswer};

use super::plain;
use super::table::{Cell, Table};
use crate::output::{BAD, DIM, GOOD, STRONG, TIP, WARN};

/// The answer of `sandbox check`.
pub(crate) fn checked(answer: &SandboxCheckAnswer, width: Option<usize>) -> String {
    let mut table = Table::new(&["LAYER", "STATE", "REQUIRED BY", "TRIED"], 3);
    for layer in &answer.items {
        table.row(vec![
            Cell::styled(plain(&layer.layer), STRONG),
            state(layer),
            Cell::new(required(layer)),
            Cell::new(plain(&layer.detail)),
        ]);
    }
    let mut text = table.render(width);
    let usable: Vec<String> = answer.usable_profiles.iter().map(|profile| plain(profile)).collect();
    if answer.ok {
        text.push_str(&format!("{GOOD}✓ every profile can run here:{GOOD:#} {}\n", usable.join(", ")));
    } else if usable.is_empty() {
        text.push_str(&format!("{BAD}✗ no profile can run here{BAD:#}\n"));
    } else {
        text.push_str(&format!("{WARN}only these profiles can run here:{WARN:#} {}\n", usable.join(", ")));
    }
    for note in &answer.notes {
        text.push_str(&format!("{WARN}{}{WARN:#}\n", plain(note)));
    }
    text
}

fn state(layer: &LayerRow) -> Cell {
    let style = match layer.state.as_str() {
        "enforced" => GOOD,
        "unavailable" => WARN,
        _ => BAD,
    };
    Cell::styled(plain(&layer.state), style)
}

fn required(layer: &LayerRow) -> String {
    match layer.required_by.len() {
        4 => "every profile".to_owned(),
        0 => "none".to_owned(),
        _ => plain(&layer.required_by.join(", ")),
    }
}

/// What stands below the output of a command that did not simply end well.
pub(crate) fn footer(answer: &SandboxRunAnswer) -> String {
    let mut text = String::new();
    for (name, output) in [("standard output", &answer.stdout), ("standard error", &answer.stderr)] {
        if output.cut_bytes > 0 {
            text.push_str(&format!(
                "{WARN}{} of {} bytes of {name} were cut{WARN:#}: --output-bytes keeps more\n",
                output.cut_bytes, output.total_bytes
            ));
        }
    }
    let after = format!("after {} ms", answer.evidence.wall_ms);
    match (answer.ending.as_str(), answer.exit_code, answer.signal) {
        ("exited", Some(0), _) => {}
        ("exited", Some(code), _) => text.push_str(&format!("{BAD}it ended with {code}{BAD:#} {after}\n")),
        ("signalled", _, Some(signal)) => {
            text.push_str(&format!("{BAD}it was ended by signal {signal}{BAD:#} {after}\n"));
        }
        ("timed_out", _, _) => {
            text.push_str(&format!(
                "{BAD}its time was over{BAD:#} {after}; everything it started was ended\n"
            ));
        }
        ("disk_limit", _, _) => {
            text.push_str(&format!(
                "{BAD}it took too much disk space{BAD:#} {after}; everything it started was ended (--disk-bytes allows more)\n"
            ));
        }
        (other, _, _) => text.push_str(&format!("{BAD}{}{BAD:#} {after}\n", plain(other))),
    }
    if let Some(reason) = &answer.evidence.operator_override {
        text.push_str(&format!("{WARN}it ran without a sandbox{WARN:#}: {}\n", plain(reason)));
    }
    text.push_str(&format!(
        "{DIM}{} {} · {}{DIM:#}\n",
        plain(&answer.evidence.sandbox_profile),
        plain(&answer.evidence.profile_digest),
        plain(&answer.evidence.workdir)
    ));
    text
}

/// A run that was refused.
pub(crate) fn refused(refusal: &SandboxRefusal) -> String {
    let refused = &refusal.refused;
    format!(
        "{BAD}refused:{BAD:#} {}: {}\n{TIP}hint:{TIP:#} {}\n",
        plain(&refused.class),
        plain(&refused.detail),
        plain(&refused.hint)
    )
}
