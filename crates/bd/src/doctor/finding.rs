//! One thing that is wrong, in words for a person: what it is, what it means, and what mending would do.

use std::path::{Path, PathBuf};

use crate::verify::{Problem, ProblemClass, ProblemState};

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// A stable code.
    pub class: &'static str,
    /// Which file.
    pub path: PathBuf,
    /// Where in it, counted from one.
    pub line: Option<u64>,
    /// What exactly.
    pub detail: String,
    /// What it means.
    pub meaning: &'static str,
    /// What mending would do; `None` when a person has to.
    pub remedy: Option<&'static str>,
    /// What a person can do.
    pub hint: &'static str,
    /// Whether the stores are sound in spite of it.
    pub is_warning: bool,
    /// Where what it is about stands.
    pub state: ProblemState,
    /// What is cited and not there.
    pub missing: Option<String>,
}

const ACCEPT: &str =
    "keep a copy, take the log as it is now for the truth, and put on record as a witness that you did";

impl Finding {
    /// A problem of a verification; `None` for those that are no damage.
    pub(super) fn of_problem(problem: &Problem) -> Option<Self> {
        if matches!(problem.class, ProblemClass::SnapshotStale | ProblemClass::Committed) {
            return None;
        }
        Some(Self {
            class: problem.class.code(),
            path: problem.path.clone(),
            line: problem.line,
            detail: problem.detail.clone(),
            meaning: problem.class.meaning(),
            remedy: remedy(problem.class),
            hint: problem.class.hint(),
            is_warning: problem.class.is_warning(),
            state: problem.class.state(),
            missing: problem.missing.clone(),
        })
    }

    /// Something untidy.
    pub(super) fn untidy(untidy: &'static Untidiness, path: &Path, detail: impl Into<String>) -> Self {
        Self {
            class: untidy.class,
            path: path.to_owned(),
            line: None,
            detail: detail.into(),
            meaning: untidy.meaning,
            remedy: Some(untidy.remedy),
            hint: "let `premath doctor --fix` do it",
            is_warning: true,
            state: ProblemState::Notice,
            missing: None,
        }
    }

    /// Whether it is of that class.
    pub(super) fn is(&self, class: ProblemClass) -> bool {
        self.class == class.code()
    }
}

/// What only a doctor minds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Untidiness {
    pub(super) class: &'static str,
    meaning: &'static str,
    remedy: &'static str,
}

pub(super) const LEFTOVER: Untidiness = Untidiness {
    class: "doctor.leftover_file",
    meaning: "a writer was killed before it could name its file; nobody reads it",
    remedy: "move it to `.premath/backup`",
};

pub(super) const INDEX: Untidiness = Untidiness {
    class: "doctor.index_unusable",
    meaning: "a file that only makes reading faster cannot be used; answers are right without it",
    remedy: "delete it; it is rebuilt when it is wanted",
};

pub(super) const UNIGNORED: Untidiness = Untidiness {
    class: "doctor.gitignore_missing",
    meaning: "locks, heads and indexes belong to this machine and would be committed",
    remedy: "write `.premath/.gitignore`",
};

const fn remedy(class: ProblemClass) -> Option<&'static str> {
    Some(match class {
        ProblemClass::BadLine => {
            "keep a copy, and move the line into a file of its own under `.premath/backup`"
        }
        ProblemClass::ChainBroken
        | ProblemClass::LogChanged
        | ProblemClass::LogShorter
        | ProblemClass::NotAuthentic
        | ProblemClass::RowDigestMismatch
        | ProblemClass::RowOrder => ACCEPT,
        ProblemClass::DocumentInvalid => {
            "take a byte order mark off, if that is all; otherwise move the document to `.premath/backup`"
        }
        ProblemClass::MergeDriverMissing => "tell git to merge issue memory with this program",
        ProblemClass::HeadMissing => "write a head for the log as it is now",
        ProblemClass::ObjectMismatch => {
            "move the file to `.premath/backup`, so that the content can be put again"
        }
        ProblemClass::TextForm => "keep a copy, and write the same rows in their plain form",
        ProblemClass::TornTail => "keep a copy, and leave the unfinished line out",
        ProblemClass::WitnessMismatch => "move the file to `.premath/backup`",
        ProblemClass::Committed
        | ProblemClass::DeskDamaged
        | ProblemClass::NotVerifiableHere
        | ProblemClass::RolledBack
        | ProblemClass::Unkeyed
        | ProblemClass::DocumentForeign
        | ProblemClass::ReferenceMissing
        | ProblemClass::ReferenceNotHere
        | ProblemClass::SnapshotStale
        | ProblemClass::Unreadable => return None,
    })
}
