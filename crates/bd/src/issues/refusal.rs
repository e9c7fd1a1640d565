//! Why issue memory refuses a change: a class, what it is about, and what to do. A refusal is an answer, not an accident.

use premath_kernel::{LeaseClass, LeaseRefusal};

use crate::permit::PermitRefusal;

/// Why a change is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalClass {
    /// No such issue.
    NotFound,
    /// The id is taken.
    Exists,
    /// A child of it is not closed.
    ChildrenOpen,
    /// The dependency would close a cycle.
    Cycle,
    /// There is no such dependency.
    DependencyNotFound,
    /// The dependency is there already.
    DependencyExists,
    /// What it would depend on does not exist.
    DependencyUnknown,
    /// The permit is for something else.
    PermitMismatch,
    /// The lease machine says no.
    Lease(LeaseClass),
}

impl RefusalClass {
    /// Its stable name.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NotFound => "issue_not_found",
            Self::Exists => "issue_exists",
            Self::ChildrenOpen => "issue_children_open",
            Self::Cycle => "issue_graph.cycle",
            Self::DependencyNotFound => "dependency_not_found",
            Self::DependencyExists => "dependency_exists",
            Self::DependencyUnknown => "issue_graph.dependency.unknown",
            Self::PermitMismatch => "permit_mismatch",
            Self::Lease(class) => class.code(),
        }
    }

    /// What to do next.
    #[must_use]
    pub const fn hint(self) -> &'static str {
        match self {
            Self::NotFound => "`premath issue list` shows what there is",
            Self::Exists => "choose another --id, or leave it out to get the next free one",
            Self::ChildrenOpen => "close the children first; `premath dep project` shows them",
            Self::Cycle => "remove one dependency of the cycle; `premath dep diagnostics` shows it",
            Self::DependencyNotFound => "`premath issue show` lists the dependencies of an issue",
            Self::DependencyExists => "nothing to do; `premath dep replace` changes its type",
            Self::DependencyUnknown => "add that issue first",
            Self::PermitMismatch => "ask for a permit for this very operation",
            Self::Lease(class) => class.hint(),
        }
    }
}

/// A change that was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {detail}", class.code())]
pub struct IssueRefusal {
    /// Why.
    pub class: RefusalClass,
    /// What it is about.
    pub detail: String,
}

impl IssueRefusal {
    pub(crate) fn new(class: RefusalClass, detail: impl Into<String>) -> Self {
        Self { class, detail: detail.into() }
    }
}

impl From<LeaseRefusal> for IssueRefusal {
    fn from(refusal: LeaseRefusal) -> Self {
        Self { class: RefusalClass::Lease(refusal.class), detail: refusal.detail }
    }
}

impl From<PermitRefusal> for IssueRefusal {
    fn from(refusal: PermitRefusal) -> Self {
        Self { class: RefusalClass::PermitMismatch, detail: refusal.detail }
    }
}
