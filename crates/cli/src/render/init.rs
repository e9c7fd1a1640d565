//! What `init` made, and what the configuration says.

use premath_wire::v1::{ConfigAnswer, InitAnswer};

use super::plain;
use super::table::{Cell, Table};
use crate::output::{DIM, GOOD, STRONG, TIP};

/// The answer of `init`.
pub(crate) fn done(answer: &InitAnswer) -> String {
    let mut text = String::new();
    for step in &answer.steps {
        let path = plain(&step.path);
        if step.made {
            text.push_str(&format!("{GOOD}+{GOOD:#} {path}\n"));
        } else {
            text.push_str(&format!("{DIM}= {path} is there already{DIM:#}\n"));
        }
    }
    for imported in &answer.imported {
        text.push_str(&super::issue::store::imported(imported));
    }
    if let Some(command) = &answer.baseline {
        let command = plain(command);
        text.push_str(&format!(
            "{GOOD}+{GOOD:#} baseline of sessions: {STRONG}{command}{STRONG:#} {DIM}(premath.toml){DIM:#}\n"
        ));
    }
    if answer.changed {
        let hint = match answer.root.as_str() {
            "." => "`premath issue add TITLE`, then `premath issue ready`".to_owned(),
            root => format!("go to {} and read its README.md", plain(root)),
        };
        let root = plain(&answer.root);
        text.push_str(&format!("{STRONG}{root}{STRONG:#} is ready\n{TIP}hint:{TIP:#} {hint}\n"));
    } else {
        text.push_str("nothing to do: everything is there\n");
    }
    text
}

/// The answer of `config show`.
pub(crate) fn config(answer: &ConfigAnswer) -> String {
    let mut table = Table::new(&["key", "value", "from"], 1);
    for row in &answer.items {
        let from = row.place.as_deref().unwrap_or(&row.layer);
        table.row(vec![
            Cell::styled(plain(&row.key), STRONG),
            Cell::new(plain(&row.value)),
            Cell::styled(plain(from), DIM),
        ]);
    }
    format!("{DIM}root {}{DIM:#}\n{}", plain(&answer.root), table.render(None))
}
