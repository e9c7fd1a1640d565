//! Every command that changes something, with a store in which it has something to do.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::time::{Duration, SystemTime};

use super::workplace::Workplace;

/// The command that appends this step.
macro_rules! step {
    ($id:literal) => {
        [
            "harness-trajectory",
            "append",
            "--step-id",
            $id,
            "--action",
            "issue.update",
            "--result-class",
            "accepted",
            "--json",
        ]
    };
}
/// What one command changes.
#[derive(Debug)]
pub(crate) struct Lane {
    /// How what it holds is read.
    pub(crate) reads: &'static [&'static [&'static str]],
    /// A log that no command lists.
    pub(crate) log: Option<&'static str>,
    /// The files under `.premath` that it alone may change.
    pub(crate) files: &'static [&'static str],
    /// The member that names a row.
    pub(crate) key: &'static str,
    /// A change that comes before the one that is killed, so that the log knows its file.
    pub(crate) primer: &'static [&'static str],
    /// A change that must work afterwards.
    pub(crate) next: &'static [&'static str],
    /// Whether the change is made in steps, and the next one finishes what the one that was killed began. Rows are there
    /// all or not at all even then.
    pub(crate) is_finished_by_next: bool,
}

/// The authority data of every lane.
pub(crate) const FILES: &[&str] = &[
    "issues.jsonl",
    "issues.history.jsonl",
    "harness_session.json",
    "harness_feature_ledger.json",
    "harness_trajectory.jsonl",
    "harness_kpi_remediations.jsonl",
];

const ISSUE_READS: &[&[&str]] = &[&["issue", "list", "--json"], &["issue", "history", "busy", "--json"]];

const ISSUES: Lane = Lane {
    reads: ISSUE_READS,
    files: &["issues.jsonl", "issues.history.jsonl"],
    key: "id",
    primer: &["issue", "add", "Primer", "--id", "primer", "--json"],
    next: &["issue", "add", "Next", "--id", "next", "--json"],
    log: None,
    is_finished_by_next: false,
};

/// As it is found: a primer would do what the change is to do.
const UNPRIMED: Lane = Lane { primer: &[], ..ISSUES };

/// A store that is only just being made.
const BEGINNING: Lane = Lane { primer: &[], next: &["init", "--json"], is_finished_by_next: true, ..ISSUES };

/// A store that is being mended.
const MENDING: Lane =
    Lane { primer: &[], next: &["doctor", "--fix", "--json"], is_finished_by_next: true, ..ISSUES };

/// Objects that nothing cites: issues are what must not change with them.
const GARBAGE: Lane = Lane {
    reads: &[&["issue", "list", "--json"], &["gc", "--dry-run", "--json"]],
    files: &[],
    primer: &[],
    next: &["gc", "--json"],
    is_finished_by_next: true,
    ..ISSUES
};

const SESSION: Lane = Lane {
    reads: &[&["harness-session", "read", "--json"]],
    files: &["harness_session.json"],
    key: "sessionId",
    primer: &[],
    next: &["harness-session", "write", "--next-step", "go on", "--json"],
    log: None,
    is_finished_by_next: false,
};

const FEATURES: Lane = Lane {
    reads: &[&["harness-feature", "read", "--json"]],
    files: &["harness_feature_ledger.json"],
    key: "featureId",
    primer: &[],
    next: &["harness-feature", "write", "--feature-id", "next", "--status", "pending", "--json"],
    log: None,
    is_finished_by_next: false,
};

const TRAJECTORY: Lane = Lane {
    reads: &[&["harness-trajectory", "query", "--mode", "latest", "--limit", "100", "--json"]],
    files: &["harness_trajectory.jsonl"],
    key: "stepId",
    primer: &step!("primer"),
    next: &step!("next"),
    log: None,
    is_finished_by_next: false,
};

const REMEDIATIONS: Lane = Lane {
    reads: &[],
    files: &["harness_kpi_remediations.jsonl"],
    key: "seq",
    primer: &["harness-kpi", "remediate", "--note", "primer", "--json"],
    next: &["harness-kpi", "remediate", "--note", "next", "--json"],
    log: Some("harness_kpi_remediations.jsonl"),
    is_finished_by_next: false,
};

const DESK: Lane = Lane {
    reads: &[&["desk", "list", "--json"], &["desk", "show", "first.md", "--json"]],
    files: &[],
    key: "name",
    primer: &["desk", "add", "primer.md", "--json"],
    next: &["desk", "add", "next.md", "--json"],
    log: None,
    is_finished_by_next: false,
};

const GONE: Lane =
    Lane { reads: &[&["desk", "list", "--json"], &["desk", "list", "--deleted", "--json"]], ..DESK };

const CONVERSATIONS: Lane = Lane {
    reads: &[&["conversations", "list", "--json"]],
    files: &[],
    key: "id",
    primer: &["conversations", "start", "--id", "primer", "--json"],
    next: &["conversations", "start", "--id", "next", "--json"],
    log: None,
    is_finished_by_next: false,
};

/// A desk that is only just being made.
const FIRST_DESK: Lane = Lane { reads: &[&["desk", "list", "--json"]], primer: &[], ..DESK };

const AUDIT: Lane = Lane {
    reads: &[&["audit", "query", "--limit", "1000", "--json"]],
    files: &["audit.jsonl"],
    key: "id",
    primer: &[],
    next: &["audit", "verify", "--reconcile", "--json"],
    log: None,
    is_finished_by_next: true,
};

/// What instructions permit.
const PERMITS: Lane = Lane {
    reads: &[&["permits", "list", "--json"]],
    files: &[],
    key: "instructionId",
    primer: &[],
    next: &["instruction-run", "instructions/20261115T071252Z-next.json", "--json"],
    log: None,
    is_finished_by_next: false,
};

/// A change, and the store it is made in.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) lane: &'static Lane,
    pub(crate) arguments: &'static [&'static str],
    /// Makes the store what it must be for this change.
    pub(crate) prepare: fn() -> Workplace,
}

macro_rules! case {
    ($name:literal, $lane:ident, $prepare:ident, [$($argument:literal),+ $(,)?]) => {
        Case { name: $name, lane: &$lane, arguments: &[$($argument),+, "--json"], prepare: $prepare }
    };
}

pub(crate) const CASES: &[Case] = &[
    case!("init", BEGINNING, nothing, ["init"]),
    case!("init over beads", BEGINNING, beads, ["init"]),
    case!("issue add", ISSUES, full, ["issue", "add", "New"]),
    case!(
        "issue add with dependencies",
        ISSUES,
        full,
        ["issue", "add", "New", "--id", "new", "--depends-on", "first", "--label", "x"]
    ),
    case!("issue update", ISSUES, full, ["issue", "update", "second", "--notes", "Longer notes."]),
    case!(
        "issue update by its holder",
        ISSUES,
        full,
        ["issue", "update", "held", "--status", "closed", "--lease-owner", "ann", "--fence", "1"]
    ),
    case!(
        "issue update that compacts",
        UNPRIMED,
        crowded,
        ["issue", "update", "busy", "--notes", "Once more."]
    ),
    case!(
        "issue update behind a torn tail",
        UNPRIMED,
        torn,
        ["issue", "update", "second", "--notes", "Mended."]
    ),
    case!("issue add that writes the index", UNPRIMED, large, ["issue", "add", "New", "--id", "new"]),
    case!(
        "issue update on the strength of an instruction",
        ISSUES,
        instructed,
        ["issue", "update", "second", "--notes", "Linked.", "--instruction", "20261115T071252Z-one"]
    ),
    case!(
        "scheme-eval that changes an issue",
        ISSUES,
        instructed,
        [
            "scheme-eval",
            "-e",
            r#"(issue-list) (issue-update "second" (hash-table "notes" "By a program."))"#,
            "--instruction",
            "20261115T071252Z-one"
        ]
    ),
    case!(
        "instruction-run",
        PERMITS,
        envelope,
        ["instruction-run", "instructions/20261115T071252Z-one.json"]
    ),
    case!("issue claim", ISSUES, full, ["issue", "claim", "first", "--assignee", "bob"]),
    case!("issue claim-next", ISSUES, full, ["issue", "claim-next", "--assignee", "bob"]),
    case!(
        "issue lease-renew",
        ISSUES,
        full,
        ["issue", "lease-renew", "held", "--assignee", "ann", "--fence", "1"]
    ),
    case!(
        "issue lease-release",
        ISSUES,
        full,
        ["issue", "lease-release", "held", "--assignee", "ann", "--fence", "1"]
    ),
    case!("issue discover", ISSUES, full, ["issue", "discover", "first", "Found on the way"]),
    case!("issue compact", ISSUES, full, ["issue", "compact"]),
    case!("issue import", ISSUES, full, ["issue", "import", "rows.jsonl"]),
    case!("dep add", ISSUES, full, ["dep", "add", "busy", "first"]),
    case!("dep remove", ISSUES, full, ["dep", "remove", "second", "first"]),
    case!("dep replace", ISSUES, full, ["dep", "replace", "second", "first", "--type", "related"]),
    case!("harness-session write", SESSION, full, ["harness-session", "write", "--summary", "Half done."]),
    case!(
        "harness-session write, the first",
        SESSION,
        small,
        ["harness-session", "write", "--issue-id", "first"]
    ),
    case!(
        "harness-feature write",
        FEATURES,
        full,
        ["harness-feature", "write", "--feature-id", "one", "--status", "in_progress"]
    ),
    Case { name: "harness-trajectory append", lane: &TRAJECTORY, arguments: &step!("new"), prepare: full },
    Case {
        name: "harness-trajectory append, the first",
        lane: &Lane { primer: &[], ..TRAJECTORY },
        arguments: &step!("new"),
        prepare: small,
    },
    case!(
        "harness-kpi remediate",
        REMEDIATIONS,
        full,
        ["harness-kpi", "remediate", "--note", "Fewer workers."]
    ),
    case!("desk add", DESK, desk, ["desk", "add", "new.md", "--file", "rows.jsonl"]),
    case!("desk add, the first", FIRST_DESK, full, ["desk", "add", "new.md", "--file", "rows.jsonl"]),
    case!("desk restore", DESK, desk, ["desk", "restore", "first.md", "--version", "1"]),
    case!("desk write", DESK, desk, ["desk", "write", "first.md", "--version", "1", "--file", "rows.jsonl"]),
    case!("desk rename", GONE, desk, ["desk", "rename", "first.md", "new.md"]),
    case!("desk delete", GONE, desk, ["desk", "delete", "first.md"]),
    case!("conversations start", CONVERSATIONS, talk, ["conversations", "start", "--id", "new"]),
    case!("conversations rename", CONVERSATIONS, talk, ["conversations", "rename", "first", "Another"]),
    case!("conversations delete", CONVERSATIONS, talk, ["conversations", "delete", "first"]),
    case!("doctor --fix", MENDING, torn, ["doctor", "--fix"]),
    case!("gc", GARBAGE, littered, ["gc"]),
    case!("audit verify --reconcile", AUDIT, unrecorded, ["audit", "verify", "--reconcile"]),
];

/// A store with a desk on which there is a file.
fn desk() -> Workplace {
    let place = full();
    place.accepted(&["desk", "add", "first.md", "--file", "rows.jsonl", "--json"]);
    place
}

/// A store with a desk on which there is a conversation.
fn talk() -> Workplace {
    let place = desk();
    place.accepted(&["conversations", "start", "--id", "first", "--title", "First", "--json"]);
    place
}

/// A store with an instruction that nobody ran yet.
fn envelope() -> Workplace {
    let place = full();
    let policy = fs::read(place.path().join("policies/instruction/default.json")).unwrap();
    let policy: serde_json::Value = serde_json::from_slice(&policy).unwrap();
    let envelope = serde_json::json!({
        "schema": 1,
        "intent": "write notes",
        "scope": "repository",
        "normalizerId": "premath.normalizer.v1",
        "policyDigest": policy.get("policyDigest"),
        "requestedChecks": ["graph", "store"],
        "capabilityClaims": ["capabilities.change_morphisms.issue_update"],
    });
    fs::create_dir(place.path().join("instructions")).unwrap();
    for name in ["one", "next"] {
        let path = place.path().join(format!("instructions/20261115T071252Z-{name}.json"));
        fs::write(path, envelope.to_string()).unwrap();
    }
    place
}

/// The same, run.
fn instructed() -> Workplace {
    let place = envelope();
    place.accepted(&["instruction-run", "instructions/20261115T071252Z-one.json", "--json"]);
    place
}

fn nothing() -> Workplace {
    Workplace::empty()
}

/// A store with a change that the audit log does not know.
fn unrecorded() -> Workplace {
    let place = small();
    place.accepted(&["issue", "add", "Recorded", "--id", "recorded", "--json"]);
    let mut files = ["audit.jsonl", "audit.jsonl.head"].map(|name| place.lane(name)).to_vec();
    // The clone knows the newest head too: a process that died before its row left all of them as they were.
    files.push(place.record("audit.jsonl"));
    let before: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    place.accepted(&["issue", "add", "Lost", "--id", "lost", "--json"]);
    for (file, bytes) in files.iter().zip(before) {
        fs::write(file, bytes).unwrap();
    }
    place
}

/// Where another tool kept issues.
fn beads() -> Workplace {
    let place = Workplace::empty();
    fs::create_dir(place.path().join(".beads")).unwrap();
    fs::write(place.path().join(".beads/issues.jsonl"), exchange()).unwrap();
    place
}

/// Six rows as another tool writes them.
fn exchange() -> String {
    rows(6)
}

fn rows(count: usize) -> String {
    let row = |number: usize| {
        let day = number % 28 + 1;
        format!(
            "{{\"id\":\"bd-{number}\",\"title\":\"Taken over {number}\",\"status\":\"open\",\"priority\":2,\
             \"issue_type\":\"task\",\"created_at\":\"2025-10-{day:02}T10:00:00+02:00\",\
             \"updated_at\":\"2025-10-{day:02}T10:00:00+02:00\",\"external_ref\":\"gh-{number}\"}}\n"
        )
    };
    (1..=count).map(row).collect()
}

/// A store that is large enough for an index and has none yet.
fn large() -> Workplace {
    let place = small();
    fs::write(place.path().join("rows.jsonl"), rows(600)).unwrap();
    place.accepted(&["issue", "import", "rows.jsonl", "--json"]);
    let index = place.lane("issues.jsonl.index");
    if index.exists() {
        fs::remove_file(index).unwrap();
    }
    place
}

/// A store with two issues and nothing else.
fn small() -> Workplace {
    let place = Workplace::initialised();
    place.accepted(&["issue", "add", "First", "--id", "first", "--json"]);
    place.accepted(&["issue", "add", "Second", "--id", "second", "--json"]);
    place
}

/// How many issues the full store has.
const ISSUE_COUNT: usize = 5;

/// A store in which every lane holds something, one issue is held, and some rows are superseded.
fn full() -> Workplace {
    let place = small();
    fs::write(place.path().join("rows.jsonl"), exchange()).unwrap();
    let steps: &[&[&str]] = &[
        &["issue", "add", "Held", "--id", "held", "--json"],
        &["issue", "add", "Busy", "--id", "busy", "--json"],
        &["issue", "add", "Other", "--id", "other", "--priority", "3", "--json"],
        &["dep", "add", "second", "first", "--json"],
        &["issue", "claim", "held", "--assignee", "ann", "--json"],
        &["issue", "update", "busy", "--notes", "Some notes.", "--json"],
        &["issue", "update", "busy", "--notes", "Other notes.", "--json"],
        &[
            "harness-session",
            "write",
            "--state",
            "active",
            "--issue-id",
            "held",
            "--summary",
            "Begun.",
            "--json",
        ],
        &["harness-feature", "write", "--feature-id", "one", "--status", "pending", "--json"],
        &["harness-feature", "write", "--feature-id", "two", "--status", "pending", "--json"],
        &step!("worker.held.1"),
        &step!("worker.held.2"),
        &["harness-kpi", "remediate", "--note", "The first.", "--json"],
    ];
    for step in steps {
        place.accepted(step);
    }
    place
}

/// A store that is as long as it may be: with one row more it compacts itself.
fn crowded() -> Workplace {
    let place = full();
    loop {
        let rows = fs::read_to_string(place.lane("issues.jsonl")).unwrap().lines().count();
        if rows == 2 * ISSUE_COUNT {
            return place;
        }
        place.accepted(&["issue", "update", "busy", "--notes", &format!("After {rows} rows."), "--json"]);
    }
}

/// A store with old objects that nothing cites.
fn littered() -> Workplace {
    let place = small();
    for content in ["one", "two", "three"] {
        let id = premath_bd::ObjectId::of(content.as_bytes()).to_string().replace("sha256:", "");
        let (shelf, name) = id.split_at(2);
        let folder = place.lane("objects").join(shelf);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), content).unwrap();
        let file = OpenOptions::new().write(true).open(folder.join(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(10 * 86_400)).unwrap();
    }
    place
}

/// A store whose last writer was interrupted.
fn torn() -> Workplace {
    let place = full();
    let mut log = OpenOptions::new().append(true).open(place.lane("issues.jsonl")).unwrap();
    log.write_all(b"{\"id\":\"second\",\"title\":\"Sec").unwrap();
    place
}
