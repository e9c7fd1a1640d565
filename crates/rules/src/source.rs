//! A file of rules with the examples beside it, already read.

/// One file of rules, and its examples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSource {
    /// The name of the file of rules, as errors cite it: `policies/governor/desk.cedar`.
    pub name: String,
    /// The rules.
    pub text: String,
    /// The examples, as JSON; `{}` when there is no such file, which is an error for every rule.
    pub examples: String,
}

impl RuleSource {
    /// A file of rules, and its examples.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>, examples: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into(), examples: examples.into() }
    }

    /// The name of the file of examples: `desk.cedar` has `desk.examples.json` beside it.
    #[must_use]
    pub fn examples_name(&self) -> String {
        format!("{}.examples.json", self.name.strip_suffix(".cedar").unwrap_or(&self.name))
    }
}
