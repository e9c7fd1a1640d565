//! Definitions as somebody approved them: a tool that has changed since is another tool, whoever serves it.

use std::collections::BTreeMap;

use premath_kernel::Digest;

use crate::tools::spec::ToolSpec;

/// The digest of each definition that was approved, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pins(BTreeMap<String, Digest>);

/// A definition that is not as it was approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// The tool.
    pub name: String,
    /// What was approved; none for a tool that nobody approved.
    pub pinned: Option<Digest>,
    /// What is there now; none for a tool that is gone.
    pub found: Option<Digest>,
}

impl FromIterator<(String, Digest)> for Pins {
    fn from_iter<Pairs: IntoIterator<Item = (String, Digest)>>(pairs: Pairs) -> Self {
        Self(pairs.into_iter().collect())
    }
}

impl Pins {
    /// The pins by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Digest)> {
        self.0.iter().map(|(name, digest)| (name.as_str(), digest))
    }

    pub(super) fn drifted<'s>(&self, specs: impl Iterator<Item = &'s ToolSpec>) -> Vec<Drift> {
        let mut gone = self.0.clone();
        let mut drifted = Vec::new();
        for spec in specs {
            let (pinned, found) = (gone.remove(&spec.name), spec.digest());
            if pinned.as_ref() != Some(&found) {
                drifted.push(Drift { name: spec.name.clone(), pinned, found: Some(found) });
            }
        }
        let gone = gone.into_iter().map(|(name, digest)| Drift { name, pinned: Some(digest), found: None });
        drifted.extend(gone);
        drifted.sort_by(|left, right| left.name.cmp(&right.name));
        drifted
    }
}
