//! Making an index: from what an older one held and the lines since, or from all lines. Both give the same bytes.
//!
//! Entries are in natural order of the ids, so that an entry's number breaks the ties of the ready order.

use std::collections::BTreeMap;

use premath_kernel::{Moment, Status, TargetState, holds_back, is_ready, natural_cmp};
use serde::{Deserialize, Serialize};

use super::format::{EDGE, ENTRY, Entry, HEAD, Head, LEASED, NUMBER, VERSION, kind_number, kind_of};
use super::pages::paged;
use crate::issues::facts::Facts;
use crate::issues::row::{Line, LineProblem, LineProblemClass, read_line, without_mark};
use crate::log::{Extent, Place};

/// So many bad lines are kept with their text; beyond it they are only counted.
const PROBLEMS_KEPT: usize = 100_000;

/// What an older index held.
#[derive(Debug, Default)]
pub(crate) struct Base {
    pub(crate) extent: Extent,
    /// Natural order.
    pub(crate) issues: Vec<(Facts, Place)>,
    pub(crate) numbers: BTreeMap<String, u64>,
    pub(crate) problems: Vec<LineProblem>,
    pub(crate) bad_lines: u64,
}

/// What some lines say: the last row of every id, and what was wrong on the way.
#[derive(Debug, Default)]
pub(crate) struct Content {
    pub(crate) extent: Extent,
    pub(crate) issues: BTreeMap<String, (Facts, Place)>,
    /// The highest number of each prefix.
    pub(crate) numbers: BTreeMap<String, u64>,
    pub(crate) problems: Vec<LineProblem>,
    /// Lines whose content cannot be read, counted.
    pub(crate) bad_lines: u64,
}

/// What follows the tables, as JSON.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Rest {
    pub(super) numbers: BTreeMap<String, u64>,
    pub(super) problems: Vec<(u64, u8, String)>,
}

const PROBLEM_CLASSES: [LineProblemClass; 5] = [
    LineProblemClass::Unreadable,
    LineProblemClass::NotAnIssue,
    LineProblemClass::ByteOrderMark,
    LineProblemClass::Unterminated,
    LineProblemClass::Torn,
];

impl Rest {
    pub(super) fn problems(&self) -> Vec<LineProblem> {
        let class = |number: u8| PROBLEM_CLASSES.get(usize::from(number)).copied();
        self.problems
            .iter()
            .filter_map(|(line, number, detail)| {
                Some(LineProblem { line: *line, class: class(*number)?, detail: detail.clone() })
            })
            .collect()
    }
}

/// The id that a line seems to name, when the line itself cannot be read.
fn named_id(line: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(line).ok()?;
    let (_, behind) = text.split_once("\"id\":")?;
    behind.trim_start().strip_prefix('"')?.split('"').next()
}

/// `bd-12` as `bd` and 12; `None` for other ids.
pub(crate) fn numbered(id: &str) -> Option<(&str, u64)> {
    let (prefix, number) = id.rsplit_once('-')?;
    let is_plain = !prefix.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    // Beyond what JSON keeps exactly there is no next number.
    number.parse().ok().filter(|number| is_plain && *number < 1 << 53).map(|number| (prefix, number))
}

impl Content {
    /// Takes in one line that follows what is here.
    pub(crate) fn take(&mut self, place: Place, line: &[u8]) {
        self.extent = self.extent.and(line);
        self.take_row(self.extent.rows, place, line);
    }

    /// Takes in a line without moving the extent.
    pub(crate) fn take_row(&mut self, number: u64, place: Place, line: &[u8]) {
        if number == 1 && without_mark(line).len() < line.len() {
            self.problem(
                1,
                LineProblemClass::ByteOrderMark,
                "the file begins with a byte order mark".to_owned(),
            );
        }
        match read_line(line) {
            Line::Blank => {}
            Line::Issue(read) => {
                let facts = read.0;
                self.count(&facts.id);
                self.issues.insert(facts.id.clone(), (facts, place));
            }
            Line::Bad(class, detail) => {
                // Its number is taken all the same: a new issue must not look like the one that cannot be read.
                if let Some(id) = named_id(line) {
                    self.count(id);
                }
                self.problem(number, class, detail);
            }
        }
    }

    fn count(&mut self, id: &str) {
        if let Some((prefix, number)) = numbered(id) {
            let highest = self.numbers.entry(prefix.to_owned()).or_default();
            *highest = (*highest).max(number);
        }
    }

    fn problem(&mut self, line: u64, class: LineProblemClass, detail: String) {
        self.bad_lines += u64::from(class.hides_content());
        if self.problems.len() < PROBLEMS_KEPT {
            self.problems.push(LineProblem { line, class, detail });
        }
    }

    /// What follows an older index.
    pub(crate) fn after(base: &Base) -> Self {
        Self { extent: base.extent, ..Self::default() }
    }
}

impl Base {
    /// The older index with what came after it.
    pub(crate) fn with(mut self, content: Content) -> Self {
        self.extent = content.extent;
        for (prefix, number) in content.numbers {
            let highest = self.numbers.entry(prefix).or_default();
            *highest = (*highest).max(number);
        }
        let room = PROBLEMS_KEPT.saturating_sub(self.problems.len());
        self.problems.extend(content.problems.into_iter().take(room));
        self.bad_lines += content.bad_lines;
        self.issues = laid_over(self.issues, content.issues.into_values().collect());
        self
    }

    /// The bytes of the index.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        Tables::new(self).bytes(self)
    }
}

/// The older issues with newer rows in their places, in natural order.
pub(crate) fn laid_over(older: Vec<(Facts, Place)>, mut newer: Vec<(Facts, Place)>) -> Vec<(Facts, Place)> {
    newer.sort_by(|left, right| natural_cmp(&left.0.id, &right.0.id));
    let mut issues = Vec::with_capacity(older.len() + newer.len());
    let mut newer = newer.into_iter().peekable();
    for issue in older {
        while let Some(next) = newer.next_if(|next| natural_cmp(&next.0.id, &issue.0.id).is_lt()) {
            issues.push(next);
        }
        issues.push(newer.next_if(|next| next.0.id == issue.0.id).unwrap_or(issue));
    }
    issues.extend(newer);
    issues
}

/// The tables of an index, being laid out.
struct Tables<'b> {
    /// Natural order; ids that are only named stand among the others.
    ids: Vec<(&'b str, Option<&'b (Facts, Place)>)>,
    edges: Vec<Vec<(u32, u32)>>,
    dependents: Vec<Vec<u32>>,
}

impl<'b> Tables<'b> {
    fn new(base: &'b Base) -> Self {
        let known: Vec<(&str, Option<&(Facts, Place)>)> =
            base.issues.iter().map(|issue| (issue.0.id.as_str(), Some(issue))).collect();
        let targets =
            base.issues.iter().flat_map(|(facts, _)| &facts.blocking).map(|one| one.depends_on.as_str());
        let only_named: Vec<(&str, Option<&(Facts, Place)>)> =
            targets.filter(|id| number(&known, id).is_none()).map(|id| (id, None)).collect();
        let mut ids = known;
        if !only_named.is_empty() {
            ids.extend(only_named);
            ids.sort_by(|left, right| natural_cmp(left.0, right.0));
            ids.dedup_by(|right, left| right.0 == left.0);
        }
        let mut edges = vec![Vec::new(); ids.len()];
        let mut dependents = vec![Vec::new(); ids.len()];
        for (((_, issue), own), from) in ids.iter().zip(edges.iter_mut()).zip(0_u32..) {
            for one in issue.iter().flat_map(|(facts, _)| &facts.blocking) {
                let Some(to) = number(&ids, &one.depends_on) else { continue };
                own.push((to, kind_number(one.kind)));
                let known: Option<&mut Vec<u32>> =
                    usize::try_from(to).ok().and_then(|to| dependents.get_mut(to));
                if let Some(known) = known.filter(|known| known.last() != Some(&from)) {
                    known.push(from);
                }
            }
        }
        Self { ids, edges, dependents }
    }

    fn issue(&self, number: u32) -> Option<&'b (Facts, Place)> {
        usize::try_from(number).ok().and_then(|at| self.ids.get(at)).and_then(|(_, issue)| *issue)
    }

    fn is_held_back(&self, number: u32) -> bool {
        let edges = usize::try_from(number).ok().and_then(|at| self.edges.get(at));
        edges.into_iter().flatten().any(|(to, kind)| {
            let target = TargetState::of(self.issue(*to).map(|(facts, _)| facts.status));
            kind_of(*kind).is_none_or(|kind| holds_back(kind, target))
        })
    }

    /// Issues that are ready and those that somebody works on under a lease, each in the order of the ready ones.
    fn lists(&self) -> (Vec<u32>, Vec<u32>) {
        let (mut ready, mut leased) = (Vec::new(), Vec::new());
        for ((_, issue), number) in self.ids.iter().zip(0_u32..) {
            let Some((facts, _)) = issue else { continue };
            let key = (facts.priority, facts.created_at.is_none(), facts.created_at, number);
            if is_ready(facts.status, self.is_held_back(number)) {
                ready.push(key);
            } else if facts.status == Status::InProgress && facts.lease_until.is_some() {
                leased.push(key);
            }
        }
        ready.sort_unstable();
        leased.sort_unstable();
        let numbers =
            |keys: Vec<(u8, bool, Option<Moment>, u32)>| keys.into_iter().map(|key| key.3).collect();
        (numbers(ready), numbers(leased))
    }

    fn bytes(&self, base: &Base) -> Vec<u8> {
        let (ready, leased) = self.lists();
        let length = |items: usize, size: usize| u64::try_from(items * size).unwrap_or(u64::MAX);
        let edge_count: usize = self.edges.iter().map(Vec::len).sum();
        let dependent_count: usize = self.dependents.iter().map(Vec::len).sum();
        let edges_at = length(1, HEAD) + length(self.ids.len(), ENTRY);
        let dependents_at = edges_at + length(edge_count, EDGE);
        let ready_at = dependents_at + length(dependent_count, NUMBER);
        let leased_at = ready_at + length(ready.len(), NUMBER);
        let ids_at = leased_at + length(leased.len(), LEASED);
        let rest_at = ids_at + length(self.ids.iter().map(|(id, _)| id.len()).sum(), 1);
        let rest = serde_json::to_vec(&rest(base)).unwrap_or_default();
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let head = Head {
            version: VERSION,
            rows: base.extent.rows,
            bytes: base.extent.bytes,
            digest: base.extent.digest_hex(),
            entries: count(self.ids.len()),
            issues: count(base.issues.len()),
            ready: count(ready.len()),
            leased: count(leased.len()),
            bad_lines: base.bad_lines,
            edges_at,
            dependents_at,
            ready_at,
            leased_at,
            ids_at,
            rest_at,
            rest_length: length(rest.len(), 1),
        };
        let mut bytes = serde_json::to_vec(&head).unwrap_or_default();
        bytes.resize(HEAD, b' ');
        self.write_entries(&mut bytes);
        self.write_lists(&mut bytes, &ready, &leased);
        bytes.extend(self.ids.iter().flat_map(|(id, _)| id.bytes()));
        bytes.extend_from_slice(&rest);
        paged(&bytes)
    }

    fn write_entries(&self, bytes: &mut Vec<u8>) {
        let (mut id_at, mut edges_at, mut dependents_at) = (0_u32, 0_u32, 0_u32);
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        for (((id, issue), edges), dependents) in self.ids.iter().zip(&self.edges).zip(&self.dependents) {
            let entry = Entry {
                id_at,
                id_length: count(id.len()),
                offset: issue.map_or(0, |(_, place)| place.offset),
                length: issue.map_or(0, |(_, place)| place.length),
                status: issue.map(|(facts, _)| facts.status),
                priority: issue.map_or(0, |(facts, _)| facts.priority),
                created_at: issue.and_then(|(facts, _)| facts.created_at),
                lease_until: issue.and_then(|(facts, _)| facts.lease_until),
                is_assigned: issue.is_some_and(|(facts, _)| facts.is_assigned),
                edges_at,
                edges: count(edges.len()),
                dependents_at,
                dependents: count(dependents.len()),
            };
            entry.write(bytes);
            id_at = id_at.saturating_add(entry.id_length);
            edges_at = edges_at.saturating_add(entry.edges);
            dependents_at = dependents_at.saturating_add(entry.dependents);
        }
        for (to, kind) in self.edges.iter().flatten() {
            bytes.extend_from_slice(&to.to_le_bytes());
            bytes.extend_from_slice(&kind.to_le_bytes());
        }
        for from in self.dependents.iter().flatten() {
            bytes.extend_from_slice(&from.to_le_bytes());
        }
    }

    fn write_lists(&self, bytes: &mut Vec<u8>, ready: &[u32], leased: &[u32]) {
        for number in ready {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for number in leased {
            let until = self.issue(*number).and_then(|(facts, _)| facts.lease_until).unwrap_or(Moment::EPOCH);
            bytes.extend_from_slice(&number.to_le_bytes());
            bytes.extend_from_slice(&until.nanos().to_le_bytes());
            bytes.extend_from_slice(&until.seconds().to_le_bytes());
        }
    }
}

/// The number of an id among ids in natural order.
fn number(ids: &[(&str, Option<&(Facts, Place)>)], id: &str) -> Option<u32> {
    let at = ids.binary_search_by(|(known, _)| natural_cmp(known, id)).ok()?;
    u32::try_from(at).ok()
}

fn rest(base: &Base) -> Rest {
    let number = |class: LineProblemClass| {
        let at = PROBLEM_CLASSES.iter().position(|known| *known == class);
        at.and_then(|at| u8::try_from(at).ok()).unwrap_or_default()
    };
    Rest {
        numbers: base.numbers.clone(),
        problems: base.problems.iter().map(|one| (one.line, number(one.class), one.detail.clone())).collect(),
    }
}
