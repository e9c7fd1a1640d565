//! Somebody who holds an issue, or thinks so, and what they write.

use serde_json::Value;

use super::rows::text;

/// What somebody was told when they claimed an issue.
#[derive(Debug, Clone)]
pub(crate) struct Holding {
    pub(crate) issue: String,
    pub(crate) owner: String,
    pub(crate) lease_id: String,
    pub(crate) fence: u64,
}

impl Holding {
    /// From the answer to a claim.
    pub(crate) fn of(answer: &Value) -> Self {
        let told = |pointer: &str| text(answer, pointer).to_owned();
        Self {
            issue: told("/issue/id"),
            owner: told("/issue/lease/owner"),
            lease_id: told("/issue/lease/leaseId"),
            fence: answer.pointer("/issue/lease/fence").and_then(Value::as_u64).unwrap(),
        }
    }
}

/// What a holder may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Write {
    Notes,
    Close,
    Renew,
    Release,
    Depend,
}

/// How a holder says who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shows {
    Owner,
    LeaseId,
}

/// What a dependency is added on.
pub(crate) const ANCHOR: &str = "anchor";

impl Write {
    pub(crate) const ALL: [Self; 5] = [Self::Notes, Self::Close, Self::Renew, Self::Release, Self::Depend];

    /// The command, in the name of a holder and under their fence.
    pub(crate) fn arguments(self, holding: &Holding, shows: Shows) -> Vec<String> {
        let issue = holding.issue.as_str();
        let (words, owner): (Vec<&str>, _) = match self {
            Self::Notes => {
                (vec!["issue", "update", issue, "--notes", "Written by the holder."], "--lease-owner")
            }
            Self::Close => (vec!["issue", "update", issue, "--status", "closed"], "--lease-owner"),
            Self::Renew => (vec!["issue", "lease-renew", issue], "--assignee"),
            Self::Release => (vec!["issue", "lease-release", issue], "--assignee"),
            Self::Depend => (vec!["dep", "add", issue, ANCHOR, "--type", "related"], "--lease-owner"),
        };
        let (flag, name) = match shows {
            Shows::Owner => (owner, &holding.owner),
            Shows::LeaseId => ("--lease-id", &holding.lease_id),
        };
        let fence = holding.fence.to_string();
        let tail = [flag, name, "--fence", &fence, "--json"];
        words.into_iter().chain(tail).map(str::to_owned).collect()
    }
}
