//! The changes issue memory knows, as data: what a person, a worker or a turn may ask for.
//!
//! The canonical arguments of an operation are what an intent names by digest, so a permit for one operation fits no
//! other. It must not carry a decision: no flag here says that something was checked.

use premath_kernel::{DEFAULT_TTL_SECONDS, DependencyKind, Digest, Moment, Object, Status, Value};
use premath_wire::time::format_time;

use super::row::counted;
use crate::permit::{Permitted, args_digest};

/// What stands for a status that a change leaves as it is.
const UNCHANGED: &str = "unchanged";

/// One member of an update.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Change<T> {
    /// As it is.
    #[default]
    Keep,
    /// Another value.
    Set(T),
    /// No value.
    Clear,
}

impl<T> Change<T> {
    /// The value that stands afterwards.
    pub fn over(self, before: Option<T>) -> Option<T> {
        match self {
            Self::Keep => before,
            Self::Set(value) => Some(value),
            Self::Clear => None,
        }
    }
}

/// A new issue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IssueDraft {
    /// Its id; the next free number when absent.
    pub id: Option<String>,
    /// Its title.
    pub title: String,
    /// Texts by member name: description, design, acceptance_criteria, notes, assignee, owner, mol_type.
    pub texts: Vec<(&'static str, String)>,
    /// 0 to 4.
    pub priority: Option<u8>,
    /// task, epic, bug, feature or chore.
    pub issue_type: Option<String>,
    /// Where it begins, when not open.
    pub status: Option<String>,
    /// Sorted, without twins.
    pub labels: Vec<String>,
    /// Whether it is short-lived.
    pub ephemeral: bool,
    /// What it depends on.
    pub dependencies: Vec<(DependencyKind, String)>,
}

/// What becomes of an issue's members.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IssueChanges {
    /// Texts by member name, title included.
    pub texts: Vec<(&'static str, Change<String>)>,
    /// 0 to 4.
    pub priority: Change<u8>,
    /// One of the four.
    pub status: Change<String>,
    /// One of the five.
    pub issue_type: Change<String>,
    /// Labels to add.
    pub add_labels: Vec<String>,
    /// Labels to take away.
    pub remove_labels: Vec<String>,
    /// Text to put behind the notes.
    pub append_notes: Option<String>,
}

impl IssueChanges {
    /// Whether it says what a member is to be. A status also says what becomes of the lease.
    pub(crate) fn sets(&self, member: &str) -> bool {
        let is_set = |name: &str| {
            self.texts.iter().any(|(known, change)| *known == name && !matches!(change, Change::Keep))
        };
        match member {
            "priority" => !matches!(self.priority, Change::Keep),
            "status" | "lease" => !matches!(self.status, Change::Keep),
            "issue_type" => !matches!(self.issue_type, Change::Keep),
            "labels" => !self.add_labels.is_empty() || !self.remove_labels.is_empty(),
            "notes" => self.append_notes.is_some() || is_set("notes"),
            other => is_set(other),
        }
    }
}

/// What somebody shows to act as the holder of a lease.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holder {
    /// Who they are.
    pub owner: Option<String>,
    /// Which lease they hold.
    pub lease_id: Option<String>,
    /// The fence they were given.
    pub fence: Option<u64>,
}

impl Holder {
    /// Whether anything is shown at all.
    #[must_use]
    pub const fn is_named(&self) -> bool {
        self.owner.is_some() || self.lease_id.is_some() || self.fence.is_some()
    }
}

/// The terms of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimTerms {
    /// Who wants it.
    pub assignee: String,
    /// What to call the lease.
    pub lease_id: Option<String>,
    /// How long it lasts.
    pub ttl_seconds: u64,
    /// When it ends, instead.
    pub expires_at: Option<Moment>,
    /// Why to take it although it is blocked.
    pub force_reason: Option<String>,
}

impl ClaimTerms {
    /// The usual terms.
    #[must_use]
    pub fn of(assignee: &str) -> Self {
        let assignee = assignee.to_owned();
        Self {
            assignee,
            lease_id: None,
            ttl_seconds: DEFAULT_TTL_SECONDS,
            expires_at: None,
            force_reason: None,
        }
    }
}

/// One change of issue memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// A new issue; `prefix` is for an id of our own.
    Add {
        /// What it is.
        draft: Box<IssueDraft>,
        /// For example `bd`.
        prefix: String,
    },
    /// A new issue that was found while working on another.
    Discover {
        /// The other one.
        parent: String,
        /// What it is.
        draft: Box<IssueDraft>,
        /// For example `bd`.
        prefix: String,
    },
    /// Other members of an issue.
    Update {
        /// Which.
        id: String,
        /// What becomes of it.
        changes: Box<IssueChanges>,
        /// Who writes, when it is the holder.
        holder: Holder,
    },
    /// Taking one issue.
    Claim {
        /// Which.
        id: String,
        /// How.
        terms: ClaimTerms,
    },
    /// Taking whatever comes first.
    ClaimNext {
        /// How.
        terms: ClaimTerms,
    },
    /// Holding on to an issue.
    LeaseRenew {
        /// Which.
        id: String,
        /// Who.
        holder: Holder,
        /// For how long from now.
        ttl_seconds: u64,
    },
    /// Letting go of an issue.
    LeaseRelease {
        /// Which.
        id: String,
        /// Who.
        holder: Holder,
    },
    /// One more dependency.
    DependencyAdd {
        /// Of which issue.
        id: String,
        /// On which.
        depends_on: String,
        /// How.
        kind: DependencyKind,
        /// By whom.
        by: Option<String>,
        /// Who writes, when it is the holder.
        holder: Holder,
    },
    /// One dependency less.
    DependencyRemove {
        /// Of which issue.
        id: String,
        /// On which.
        depends_on: String,
        /// How; all of them when absent.
        kind: Option<DependencyKind>,
        /// Who writes, when it is the holder.
        holder: Holder,
    },
    /// Another type of a dependency.
    DependencyReplace {
        /// Of which issue.
        id: String,
        /// On which.
        depends_on: String,
        /// The type it has; the only one it has when absent.
        from: Option<DependencyKind>,
        /// The type it gets.
        kind: DependencyKind,
        /// Who writes, when it is the holder.
        holder: Holder,
    },
}

impl Operation {
    /// The host action it is.
    #[must_use]
    pub const fn action(&self) -> &'static str {
        match self {
            Self::Add { .. } => "issue.add",
            Self::Discover { .. } => "issue.discover",
            Self::Update { .. } => "issue.update",
            Self::Claim { .. } => "issue.claim",
            Self::ClaimNext { .. } => "issue.claim_next",
            Self::LeaseRenew { .. } => "issue.lease_renew",
            Self::LeaseRelease { .. } => "issue.lease_release",
            Self::DependencyAdd { .. } => "dep.add",
            Self::DependencyRemove { .. } => "dep.remove",
            Self::DependencyReplace { .. } => "dep.replace",
        }
    }

    /// The issue it is about, where that is known before: a new one has no id yet, and `claim-next` takes what comes.
    #[must_use]
    pub fn issue_id(&self) -> Option<&str> {
        match self {
            Self::Add { .. } | Self::ClaimNext { .. } => None,
            Self::Discover { parent, .. } => Some(parent),
            Self::Update { id, .. }
            | Self::Claim { id, .. }
            | Self::LeaseRenew { id, .. }
            | Self::LeaseRelease { id, .. }
            | Self::DependencyAdd { id, .. }
            | Self::DependencyRemove { id, .. }
            | Self::DependencyReplace { id, .. } => Some(id),
        }
    }

    /// The other issues whose own state it changes: those that gain or lose a child, since a parent closes after its
    /// children. Any other dependency holds back the issue that has it and says nothing about the one it names.
    #[must_use]
    pub fn parents(&self) -> Vec<&str> {
        const PARENT: DependencyKind = DependencyKind::ParentChild;
        let (depends_on, is_parent) = match self {
            Self::Add { draft, .. } | Self::Discover { draft, .. } => {
                let parents = draft.dependencies.iter().filter(|(kind, _)| *kind == PARENT);
                return parents.map(|(_, id)| id.as_str()).collect();
            }
            Self::DependencyAdd { depends_on, kind, .. } => (depends_on, *kind == PARENT),
            // Whoever does not say which kind goes may mean this one.
            Self::DependencyRemove { depends_on, kind, .. } => {
                (depends_on, kind.is_none_or(|kind| kind == PARENT))
            }
            Self::DependencyReplace { depends_on, from, kind, .. } => {
                (depends_on, *kind == PARENT || from.is_none_or(|from| from == PARENT))
            }
            Self::Update { .. }
            | Self::Claim { .. }
            | Self::ClaimNext { .. }
            | Self::LeaseRenew { .. }
            | Self::LeaseRelease { .. } => return Vec::new(),
        };
        if is_parent { vec![depends_on] } else { Vec::new() }
    }

    /// Whether it only takes, keeps or lets go of work.
    #[must_use]
    pub const fn is_about_a_lease(&self) -> bool {
        matches!(
            self,
            Self::Claim { .. } | Self::ClaimNext { .. } | Self::LeaseRenew { .. } | Self::LeaseRelease { .. }
        )
    }

    /// The status that it brings an issue to; `unchanged` when it could set one and does not, none when it cannot.
    #[must_use]
    pub fn target_status(&self) -> Option<&str> {
        match self {
            Self::Add { draft, .. } | Self::Discover { draft, .. } => {
                Some(draft.status.as_deref().unwrap_or(Status::Open.token()))
            }
            Self::Update { changes, .. } => Some(match &changes.status {
                Change::Keep | Change::Clear => UNCHANGED,
                Change::Set(status) => status,
            }),
            Self::Claim { .. }
            | Self::ClaimNext { .. }
            | Self::LeaseRenew { .. }
            | Self::LeaseRelease { .. }
            | Self::DependencyAdd { .. }
            | Self::DependencyRemove { .. }
            | Self::DependencyReplace { .. } => None,
        }
    }

    /// The digest of its canonical arguments: what an intent for it names.
    #[must_use]
    pub fn args_digest(&self) -> Digest {
        args_digest(&self.canonical_args())
    }

    /// Its arguments in normal form.
    #[must_use]
    pub fn canonical_args(&self) -> Value<'_> {
        let fields = Object::fields();
        match self {
            Self::Add { draft, prefix } => {
                fields.field("draft", draft.canonical()).field("prefix", prefix.as_str())
            }
            Self::Discover { parent, draft, prefix } => fields
                .field("draft", draft.canonical())
                .field("parent", parent.as_str())
                .field("prefix", prefix.as_str()),
            Self::Update { id, changes, holder } => fields
                .field("changes", changes.canonical())
                .field("holder", holder.canonical())
                .field("id", id.as_str()),
            Self::Claim { id, terms } => fields.field("id", id.as_str()).field("terms", terms.canonical()),
            Self::ClaimNext { terms } => fields.field("terms", terms.canonical()),
            Self::LeaseRenew { id, holder, ttl_seconds } => fields
                .field("holder", holder.canonical())
                .field("id", id.as_str())
                .field("ttlSeconds", counted(*ttl_seconds)),
            Self::LeaseRelease { id, holder } => {
                fields.field("holder", holder.canonical()).field("id", id.as_str())
            }
            Self::DependencyAdd { id, depends_on, kind, by, holder } => fields
                .optional("by", by.as_deref())
                .field("dependsOn", depends_on.as_str())
                .field("holder", holder.canonical())
                .field("id", id.as_str())
                .field("type", kind.token()),
            Self::DependencyRemove { id, depends_on, kind, holder } => fields
                .field("dependsOn", depends_on.as_str())
                .field("holder", holder.canonical())
                .field("id", id.as_str())
                .optional("type", kind.map(DependencyKind::token)),
            Self::DependencyReplace { id, depends_on, from, kind, holder } => fields
                .field("dependsOn", depends_on.as_str())
                .optional("from", from.map(DependencyKind::token))
                .field("holder", holder.canonical())
                .field("id", id.as_str())
                .field("type", kind.token()),
        }
        .finish()
    }
}

impl Permitted for Operation {
    fn action(&self) -> &'static str {
        Self::action(self)
    }

    fn args_digest(&self) -> Digest {
        Self::args_digest(self)
    }

    fn target_status(&self) -> Option<&str> {
        Self::target_status(self)
    }

    fn is_about_a_lease(&self) -> bool {
        Self::is_about_a_lease(self)
    }
}

impl IssueDraft {
    fn canonical(&self) -> Value<'_> {
        let texts = self.texts.iter().map(|(name, text)| pair(name, Value::from(text.as_str())));
        let dependencies =
            self.dependencies.iter().map(|(kind, id)| pair(kind.token(), Value::from(id.as_str())));
        Object::fields()
            .non_empty("dependencies", dependencies.collect())
            .field("ephemeral", self.ephemeral)
            .optional("id", self.id.as_deref())
            .non_empty("labels", self.labels.iter().map(|label| Value::from(label.as_str())).collect())
            .optional("priority", self.priority.map(u32::from))
            .optional("status", self.status.as_deref())
            .non_empty("texts", texts.collect())
            .field("title", self.title.as_str())
            .optional("type", self.issue_type.as_deref())
            .finish()
    }
}

impl IssueChanges {
    fn canonical(&self) -> Value<'_> {
        let texts = self.texts.iter().map(|(name, change)| pair(name, text_change(change)));
        Object::fields()
            .non_empty("addLabels", self.add_labels.iter().map(|label| Value::from(label.as_str())).collect())
            .optional("appendNotes", self.append_notes.as_deref())
            .field("issueType", text_change(&self.issue_type))
            .field(
                "priority",
                match self.priority {
                    Change::Keep => Value::from("keep"),
                    Change::Clear => Value::Null,
                    Change::Set(priority) => Value::from(u32::from(priority)),
                },
            )
            .non_empty(
                "removeLabels",
                self.remove_labels.iter().map(|label| Value::from(label.as_str())).collect(),
            )
            .field("status", text_change(&self.status))
            .non_empty("texts", texts.collect())
            .finish()
    }
}

impl Holder {
    fn canonical(&self) -> Value<'_> {
        Object::fields()
            .optional("fence", self.fence.map(counted))
            .optional("leaseId", self.lease_id.as_deref())
            .optional("owner", self.owner.as_deref())
            .finish()
    }
}

impl ClaimTerms {
    fn canonical(&self) -> Value<'_> {
        Object::fields()
            .field("assignee", self.assignee.as_str())
            .optional("expiresAt", self.expires_at.map(format_time))
            .optional("forceReason", self.force_reason.as_deref())
            .optional("leaseId", self.lease_id.as_deref())
            .field("ttlSeconds", counted(self.ttl_seconds))
            .finish()
    }
}

fn pair<'v>(name: &'v str, value: Value<'v>) -> Value<'v> {
    Value::Array(vec![Value::from(name), value])
}

/// `["set", text]`, `["clear"]` or `["keep"]`: a text that reads `clear` is no other change.
fn text_change(change: &Change<String>) -> Value<'_> {
    match change {
        Change::Keep => Value::text_list(["keep"]),
        Change::Clear => Value::text_list(["clear"]),
        Change::Set(text) => Value::text_list(["set", text.as_str()]),
    }
}
