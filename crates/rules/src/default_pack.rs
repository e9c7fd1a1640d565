//! The rules that hold in a repository without rules of its own. They are files like any other; to change them they are
//! written out and edited.

use crate::source::RuleSource;

macro_rules! shipped {
    ($name:literal) => {
        (
            concat!($name, ".cedar"),
            include_str!(concat!("../default/", $name, ".cedar")),
            include_str!(concat!("../default/", $name, ".examples.json")),
        )
    };
}

const FILES: [(&str, &str, &str); 5] =
    [shipped!("allow"), shipped!("desk"), shipped!("doors"), shipped!("mcp"), shipped!("secrets")];

/// The shipped files, by name.
pub(crate) fn sources() -> Vec<RuleSource> {
    FILES.iter().map(|(name, text, examples)| RuleSource::new(*name, *text, *examples)).collect()
}
