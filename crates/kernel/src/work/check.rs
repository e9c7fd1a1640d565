//! What `issue check` finds wrong with one issue by reading it.
//!
//! Unknown dependencies, cycles and bad leases have their class here too, but are found by whoever sees the whole
//! store. Must not judge how well anything is written, only whether it is there.

use alloc::vec::Vec;
use core::fmt;

use super::status::{IssueType, Status};

mod markdown;

/// The most characters of notes that are not called large.
pub const NOTES_LIMIT: usize = 2_000;

macro_rules! issue_problems {
    ($($variant:ident $code:literal $hint:literal;)+) => {
        /// The stable names of what can be wrong with an issue.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum IssueProblemClass {
            $(#[doc = concat!("`", $code, "`")] $variant,)+
        }

        impl IssueProblemClass {
            /// Every class.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable string.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// What to do next, in one line.
            #[must_use]
            pub const fn hint(self) -> &'static str {
                match self { $(Self::$variant => $hint,)+ }
            }
        }
    };
}

issue_problems! {
    EpicMismatch "issue_graph.issue_type.epic_mismatch"
        "set the issue's type to `epic`, or take `[EPIC]` off its title";
    AcceptanceMissing "issue_graph.acceptance.missing"
        "fill `acceptance_criteria`, or write an `Acceptance:` line in the description";
    VerificationCommandMissing "issue_graph.verification_command.missing"
        "write how it is verified: a `Verification:` line, a `$ command` line or a command in backticks";
    NotesLarge "issue_graph.notes.large" "move what is settled out of the notes, or split the issue";
    DependencyUnknown "issue_graph.dependency.unknown"
        "remove the dependency with `premath dep remove`, or add the issue it names";
    Cycle "issue_graph.cycle" "remove one dependency of the cycle with `premath dep remove`";
    LeaseInvalid "issue_graph.lease.invalid" "release the lease, or claim the issue again when it has run out";
}

impl IssueProblemClass {
    /// Whether the problem is only worth a word. A warning alone fails no check.
    #[must_use]
    pub const fn is_warning(self) -> bool {
        matches!(self, Self::NotesLarge)
    }
}

impl fmt::Display for IssueProblemClass {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

/// The parts of an issue that a check reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IssueText<'a> {
    /// The issue.
    pub id: &'a str,
    /// Its title.
    pub title: &'a str,
    /// What sort of work it is.
    pub issue_type: IssueType,
    /// Where it stands.
    pub status: Status,
    /// Whether it is to be forgotten; such an issue needs no acceptance and no command.
    pub ephemeral: bool,
    /// What it is about, as Markdown.
    pub description: Option<&'a str>,
    /// When it is done.
    pub acceptance_criteria: Option<&'a str>,
    /// What was noted on the way, as Markdown.
    pub notes: Option<&'a str>,
}

/// What is wrong with the text of an issue, in the order of the classes.
///
/// - A title that starts with `[EPIC]`, in any case, needs the type `epic`; whatever the status.
/// - An issue that is active (open, in progress or blocked) and not ephemeral needs acceptance criteria: the field, or
///   an `Acceptance:` line in description or notes. In front of the word may stand `#`, `*`, `-`, `>` and spaces. Text
///   must follow, on the line or on the next one that is not blank and neither a heading nor another such label.
/// - It also needs a way to verify it, in description or notes. That is any of: a line that starts with `$ ` and goes
///   on; a `Verification:` or `Verify:` line with text behind the colon; a line in a fenced code block that is neither
///   blank nor a `#` comment; a command in backticks. Text in backticks is a command when its first word, behind any
///   `$ ` and `NAME=value`, is a program name (ASCII letters, digits and `._+/-`, with a letter) and another word
///   follows; or when it is a path that starts with `./`. One word alone is more often an identifier than a command.
/// - Notes of more than [`NOTES_LIMIT`] characters are large; whatever the status.
#[must_use]
pub fn check_text(issue: &IssueText<'_>) -> Vec<IssueProblemClass> {
    let texts = || [issue.description, issue.notes].into_iter().flatten();
    let is_active = matches!(issue.status, Status::Open | Status::InProgress | Status::Blocked);
    let needs_terms = is_active && !issue.ephemeral;
    let has_criteria = issue.acceptance_criteria.is_some_and(|text| !text.trim().is_empty());
    let is_found = |class: &IssueProblemClass| match class {
        IssueProblemClass::EpicMismatch => is_titled_epic(issue.title) && issue.issue_type != IssueType::Epic,
        IssueProblemClass::AcceptanceMissing => {
            needs_terms && !has_criteria && !texts().any(markdown::has_acceptance)
        }
        IssueProblemClass::VerificationCommandMissing => needs_terms && !texts().any(markdown::has_command),
        IssueProblemClass::NotesLarge => {
            issue.notes.is_some_and(|notes| notes.chars().nth(NOTES_LIMIT).is_some())
        }
        // These are seen only from the whole store.
        IssueProblemClass::DependencyUnknown | IssueProblemClass::Cycle | IssueProblemClass::LeaseInvalid => {
            false
        }
    };
    IssueProblemClass::ALL.iter().copied().filter(is_found).collect()
}

/// The commands that verify the work of an issue, in the order in which its texts name them.
///
/// Those behind `Verification:` and `Verify:` where a text has such lines; else what [`check_text`] takes for a command.
/// Notes count only where neither description nor acceptance criteria name one: they grow while the work is done.
#[must_use]
pub fn verification_commands<'a>(issue: &IssueText<'a>) -> Vec<&'a str> {
    let of = |text: Option<&'a str>| text.map(markdown::commands).unwrap_or_default();
    let mut commands = of(issue.description);
    commands.extend(of(issue.acceptance_criteria));
    if commands.is_empty() {
        commands = of(issue.notes);
    }
    let mut seen = alloc::collections::BTreeSet::new();
    commands.retain(|command| !command.is_empty() && seen.insert(*command));
    commands
}

fn is_titled_epic(title: &str) -> bool {
    const MARK: &str = "[EPIC]";
    title.trim_start().get(..MARK.len()).is_some_and(|start| start.eq_ignore_ascii_case(MARK))
}

#[cfg(test)]
mod tests;
