//! The issues of the example: an epic, a bug that comes first, and what waits for it.

use premath_bd::issues::{IssueDraft, Operation};
use premath_kernel::DependencyKind::{self, Blocks, DiscoveredFrom, ParentChild};

use crate::settings::Settings;

/// One issue.
struct Sample {
    id: &'static str,
    title: &'static str,
    kind: &'static str,
    priority: u8,
    description: &'static str,
    acceptance: &'static str,
    label: &'static str,
    depends_on: &'static [(DependencyKind, &'static str)],
}

const SAMPLES: [Sample; 6] = [
    Sample {
        id: "bd-1",
        title: "[EPIC] Greet people properly",
        kind: "epic",
        priority: 1,
        description: "Everything about greeting.\n\nVerification: sh checks/usage.sh && sh checks/greeting.sh",
        acceptance: "both checks pass",
        label: "greeting",
        depends_on: &[],
    },
    Sample {
        id: "bd-2",
        title: "Greet by name",
        kind: "bug",
        priority: 0,
        description: "`greet.sh Ada` says `hello, world`.\n\nVerification: sh checks/greeting.sh",
        acceptance: "`sh greet.sh Ada` prints `hello, Ada`",
        label: "greeting",
        depends_on: &[(ParentChild, "bd-1")],
    },
    Sample {
        id: "bd-3",
        title: "Greet several people at once",
        kind: "feature",
        priority: 2,
        description: "`greet.sh Ada Grace` greets both, one line each.\n\nVerification: sh checks/greeting.sh",
        acceptance: "one line for every name",
        label: "greeting",
        depends_on: &[(ParentChild, "bd-1"), (Blocks, "bd-2")],
    },
    Sample {
        id: "bd-4",
        title: "Say how it is used",
        kind: "task",
        priority: 2,
        description: "`greet.sh --help` prints one line of usage.\n\nVerification: sh checks/usage.sh",
        acceptance: "`sh greet.sh --help` ends with 0 and prints the usage",
        label: "docs",
        depends_on: &[(ParentChild, "bd-1")],
    },
    Sample {
        id: "bd-5",
        title: "Announce it in the README",
        kind: "chore",
        priority: 3,
        description: "Once names and usage work, say so.\n\nVerification: grep -q 'by name' README.md",
        acceptance: "README.md shows both",
        label: "docs",
        depends_on: &[(Blocks, "bd-3"), (Blocks, "bd-4")],
    },
    Sample {
        id: "bd-6",
        title: "An empty name is greeted as nobody",
        kind: "bug",
        priority: 4,
        description: "Seen while reading `greet.sh`.\n\nVerification: sh checks/usage.sh",
        acceptance: "an empty name greets the world",
        label: "greeting",
        depends_on: &[(DiscoveredFrom, "bd-2")],
    },
];

/// What adds them, in an order in which every dependency exists already.
pub(super) fn all() -> impl Iterator<Item = Operation> {
    SAMPLES.iter().map(|sample| {
        let draft = IssueDraft {
            id: Some(sample.id.to_owned()),
            title: sample.title.to_owned(),
            texts: vec![
                ("description", sample.description.to_owned()),
                ("acceptance_criteria", sample.acceptance.to_owned()),
            ],
            priority: Some(sample.priority),
            issue_type: Some(sample.kind.to_owned()),
            labels: vec![sample.label.to_owned()],
            dependencies: sample.depends_on.iter().map(|(kind, id)| (*kind, (*id).to_owned())).collect(),
            ..IssueDraft::default()
        };
        Operation::Add { draft: Box::new(draft), prefix: Settings::ISSUE_PREFIX.to_owned() }
    })
}
