//! What must be true of a world that came to its end, counted from its facts and the rows of its store alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use premath_bd::issues::IssueStore as _;
use premath_kernel::{Digest, Status};

use crate::world::{Fact, World};

/// What is wrong, and how much there was.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    pub(crate) broken: Vec<String>,
    issues: usize,
    closed: usize,
    deaths: usize,
    fenced: usize,
    escalated: usize,
    waited: usize,
}

pub(crate) fn judge(world: &World) -> Judged {
    let mut judged = Judged { issues: world.ids.len(), ..Judged::default() };
    if !world.is_over {
        judged.broken.push("it never came to its end".to_owned());
    }
    let mut newest: BTreeMap<&str, u64> = BTreeMap::new();
    let mut passed: BTreeSet<&Digest> = BTreeSet::new();
    for fact in &world.facts {
        match fact {
            Fact::Acquired { issue, fence } => {
                let before = newest.insert(issue, *fence).unwrap_or(0);
                if *fence <= before {
                    judged.broken.push(format!("{issue} was given fence {fence} behind {before}"));
                }
            }
            Fact::Passed { evidence } => drop(passed.insert(evidence)),
            Fact::Closed { issue, fence, held_fence, evidence, step_id } => {
                judged.closed += 1;
                if fence != held_fence {
                    judged
                        .broken
                        .push(format!("{issue} was closed with fence {fence}, held with {held_fence}"));
                }
                let wanted = Digest::of_bytes(format!("after {step_id}").as_bytes());
                if *evidence != wanted || !passed.contains(evidence) {
                    judged.broken.push(format!("{issue} was closed by {step_id} without its verification"));
                }
            }
            Fact::Fenced => judged.fenced += 1,
            Fact::Died => judged.deaths += 1,
            Fact::Escalated => judged.escalated += 1,
            Fact::Waited => judged.waited += 1,
        }
    }
    for id in &world.ids {
        let history = world.issues.history(id).unwrap_or_default();
        let mut before = Status::Open;
        let mut closings = 0;
        for row in &history {
            closings += usize::from(row.status() == Status::Closed && before != Status::Closed);
            before = row.status();
        }
        let is_settled = matches!(before, Status::Closed | Status::Blocked);
        if closings > 1 || !is_settled || (before == Status::Closed) != (closings == 1) {
            judged.broken.push(format!("{id} was closed {closings} times and is {before:?}"));
        }
        if id.ends_with(['4', '8']) && closings > 0 {
            judged.broken.push(format!("{id} cannot be done, and was closed"));
        }
    }
    let unique: BTreeSet<&String> = world.ids.iter().collect();
    if unique.len() != world.ids.len() {
        judged.broken.push("a failure was told of twice".to_owned());
    }
    judged
}

/// Over all seeds.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    issues: usize,
    closed: usize,
    deaths: usize,
    fenced: usize,
    escalated: usize,
    waited: usize,
}

impl Sums {
    pub(crate) fn add(&mut self, judged: &Judged) {
        self.issues += judged.issues;
        self.closed += judged.closed;
        self.deaths += judged.deaths;
        self.fenced += judged.fenced;
        self.escalated += judged.escalated;
        self.waited += judged.waited;
    }

    /// Whether enough went wrong for the rest to mean anything.
    pub(crate) fn is_troubled(&self) -> bool {
        let each = [self.deaths, self.fenced, self.escalated, self.waited];
        self.closed > 500 && each.iter().all(|count| *count > 50)
    }
}

impl fmt::Display for Sums {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "issues {}, closed {}, deaths {}, refused by a fence {}, escalations {}, waits {}",
            self.issues, self.closed, self.deaths, self.fenced, self.escalated, self.waited
        )
    }
}
