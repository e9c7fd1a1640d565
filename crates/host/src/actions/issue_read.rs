//! `issue.list`, `issue.ready` and `issue.show`: reading issue memory.

use premath_bd::StoreError;
use premath_bd::issues::{CamelRow, Facts, IssueRow, IssueView, Limit, RowRef, row_object};
use premath_kernel::{
    IssueType, Number, Object, Status, TargetState, Value, encode, holds_back, is_ready, lease_state,
};
use premath_wire::InputError;
use premath_wire::v1::{BlockerRow, IssueCard, IssueListing, Neighbour, StatusCounts};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{IssueLane, Rows, arguments, count, dependencies, id, notes, status, token, told};
use crate::table::{ActionError, Answer, Host};

/// What `issue list` and `issue ready` take.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ListArgs {
    /// The file of issue memory; that of the repository when absent.
    issues: Option<String>,
    /// The most to answer with.
    limit: Option<u64>,
    /// Only these: `open`, `in_progress`, `blocked`, `closed`; `tombstone` for deleted issues, which are not listed otherwise.
    status: Vec<String>,
    /// Only these: `task`, `epic`, `bug`, `feature`, `chore`.
    #[serde(rename = "type")]
    issue_type: Vec<String>,
    /// Only those of this person or worker.
    assignee: Option<String>,
    /// Only those with all of these labels.
    label: Vec<String>,
    /// Only these priorities, from 0 (first) to 4.
    priority: Vec<u8>,
}

/// Which rows are wanted.
#[derive(Debug, Default)]
struct Filter {
    statuses: Vec<Status>,
    types: Vec<IssueType>,
    assignee: Option<String>,
    labels: Vec<String>,
    priorities: Vec<u8>,
}

impl Filter {
    fn new(args: &ListArgs) -> Result<Self, InputError> {
        const STATUSES: [Status; 6] = [
            Status::Open,
            Status::InProgress,
            Status::Blocked,
            Status::Closed,
            Status::Deleted,
            Status::Other,
        ];
        const TYPES: [IssueType; 6] = [
            IssueType::Task,
            IssueType::Epic,
            IssueType::Bug,
            IssueType::Feature,
            IssueType::Chore,
            IssueType::Other,
        ];
        let status = |text: &String| token(text, "status", &STATUSES, Status::token);
        let kind = |text: &String| token(text, "type", &TYPES, IssueType::token);
        if let Some(wrong) = args.priority.iter().find(|priority| **priority > 4) {
            return Err(super::issue::invalid(
                format!("`{wrong}` is not a priority from 0 to 4"),
                "priority",
            ));
        }
        Ok(Self {
            statuses: args.status.iter().map(status).collect::<Result<_, _>>()?,
            types: args.issue_type.iter().map(kind).collect::<Result<_, _>>()?,
            assignee: told(args.assignee.as_deref()).map(ToOwned::to_owned),
            labels: args.label.iter().filter_map(|label| told(Some(label))).map(ToOwned::to_owned).collect(),
            priorities: args.priority.clone(),
        })
    }

    fn is_empty(&self) -> bool {
        self.statuses.is_empty()
            && self.types.is_empty()
            && self.assignee.is_none()
            && self.labels.is_empty()
            && self.priorities.is_empty()
    }

    fn admits(&self, row: &Object<'_>) -> bool {
        let text = |key: &str| row.get(key).and_then(Value::as_text).and_then(|text| told(Some(text)));
        let status = || text("status").map_or(Status::Open, Status::from_token);
        let kind = || text("issue_type").map_or(IssueType::Task, IssueType::from_token);
        let labels = || row.get("labels").and_then(Value::as_array).unwrap_or_default();
        (self.statuses.is_empty() || self.statuses.contains(&status()))
            && (self.types.is_empty() || self.types.contains(&kind()))
            && self.assignee.as_deref().is_none_or(|wanted| text("assignee") == Some(wanted))
            && self.labels.iter().all(|wanted| labels().iter().any(|label| label.as_text() == Some(wanted)))
            && (self.priorities.is_empty() || self.priorities.contains(&priority(row)))
    }
}

fn priority(row: &Object<'_>) -> u8 {
    let number = row.get("priority").and_then(Value::as_number).and_then(Number::as_u64);
    number.and_then(|number| u8::try_from(number).ok()).filter(|number| *number <= 4).unwrap_or(2)
}

/// `issue.list`
pub(crate) fn list(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ListArgs = arguments(args)?;
    let filter = Filter::new(&args)?;
    let lane = IssueLane::open(host, "issue.list", args.issues.as_deref());
    lane.reading(|view| {
        let wants_deleted = filter.statuses.contains(&Status::Deleted);
        let places = if wants_deleted { view.all()? } else { view.live()? };
        let mut places = admitted(view, places, &filter)?;
        let total = places.len();
        places.truncate(wanted(args.limit).unwrap_or(usize::MAX));
        let cut = (places.len() < total).then(|| count(total));
        listing(&lane, view, &places, Cut { total: cut, has_more: cut.is_some() })
    })
}

/// `issue.ready`
pub(crate) fn ready(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let question = format!("issue.ready {}", String::from_utf8_lossy(&encode(args)));
    let args: ListArgs = arguments(args)?;
    let filter = Filter::new(&args)?;
    let lane = IssueLane::open(host, "issue.ready", args.issues.as_deref());
    lane.reading(|view| {
        // What is ready is so for everybody and at any time, for as long as nothing is written.
        if let Some(payload) = view.kept_answer(&question) {
            return Ok(Answer::written("ok", payload));
        }
        // One more than wanted tells whether there are more; counting all of them would read all of them.
        let limit = match wanted(args.limit) {
            Some(limit) if filter.is_empty() => Limit::First(limit.saturating_add(1)),
            _ => Limit::All,
        };
        let mut places = admitted(view, view.ready(limit)?, &filter)?;
        let found = places.len();
        places.truncate(wanted(args.limit).unwrap_or(usize::MAX));
        let has_more = places.len() < found;
        let total = (has_more && limit == Limit::All).then(|| count(found));
        let answer = listing(&lane, view, &places, Cut { total, has_more })?;
        view.keep_answer(&question, &answer.payload);
        Ok(answer)
    })
}

/// A limit as a length.
pub(crate) fn wanted(limit: Option<u64>) -> Option<usize> {
    limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

fn admitted(view: &dyn IssueView, places: Vec<RowRef>, filter: &Filter) -> Result<Vec<RowRef>, StoreError> {
    if filter.is_empty() {
        return Ok(places);
    }
    let mut admitted = Vec::new();
    for place in places {
        let line = view.line(place)?;
        if row_object(&line).is_some_and(|row| filter.admits(&row)) {
            admitted.push(place);
        }
    }
    Ok(admitted)
}

/// What a limit took away.
#[derive(Clone, Copy)]
struct Cut {
    total: Option<u64>,
    has_more: bool,
}

fn listing(
    lane: &IssueLane<'_>,
    view: &dyn IssueView,
    places: &[RowRef],
    cut: Cut,
) -> Result<Answer, ActionError> {
    let rows = Rows::new(view, places);
    let standing = if places.is_empty() { Some(standing(view)?) } else { None };
    let listing = IssueListing {
        action: lane.action(),
        issues_path: lane.path.clone(),
        count: count(places.len()),
        total: cut.total,
        has_more: cut.has_more,
        standing,
        items: &rows,
        problems: notes(view)?,
    };
    let answer = Answer::new("ok", &listing);
    match rows.failure() {
        Some(error) => Err(error.into()),
        None => answer,
    }
}

/// How all issues stand: what an empty list is explained with.
pub(crate) fn standing(view: &dyn IssueView) -> Result<StatusCounts, StoreError> {
    let graph = view.graph()?;
    let mut counts = StatusCounts::default();
    for (facts, number) in graph.facts.iter().zip(0_u32..) {
        let counted = match facts.status {
            Status::Open if is_ready(facts.status, graph.graph.is_held_back(number)) => &mut counts.ready,
            Status::Open => &mut counts.waiting,
            Status::InProgress => &mut counts.in_progress,
            Status::Blocked => &mut counts.blocked,
            Status::Closed => &mut counts.closed,
            Status::Deleted => continue,
            Status::Other => &mut counts.other,
        };
        *counted += 1;
    }
    Ok(counts)
}

/// What `issue show` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShowArgs {
    /// The file of issue memory; that of the repository when absent.
    issues: Option<String>,
    /// The issue.
    id: String,
}

/// `issue.show`
pub(crate) fn show(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ShowArgs = arguments(args)?;
    let id = id(&args.id, "id")?;
    let lane = IssueLane::open(host, "issue.show", args.issues.as_deref());
    let now = host.workspace.clock.now();
    lane.reading(|view| {
        let Some(row) = view.row(&id)? else { return lane.not_found(&id) };
        let depends_on = neighbours(view, &row)?;
        let facts = row.facts();
        let held_back = match &facts {
            Some(facts) => view.is_held_back(facts)?,
            None => false,
        };
        Answer::new(
            "ok",
            &IssueCard {
                action: lane.action(),
                issues_path: lane.path.clone(),
                issue: CamelRow(row.object()),
                ready: is_ready(row.status(), held_back),
                depends_on,
                dependents: dependents(view, &id)?,
                blockers: facts.map_or_else(|| Ok(Vec::new()), |facts| blockers(view, &facts))?,
                lease_state: lease_state(row.lease().as_ref(), now).token().to_owned(),
            },
        )
    })
}

fn neighbours(view: &dyn IssueView, row: &IssueRow) -> Result<Vec<Neighbour>, StoreError> {
    dependencies(row.object()).into_iter().map(|one| neighbour(view, one.depends_on, &one.token)).collect()
}

fn dependents(view: &dyn IssueView, id: &str) -> Result<Vec<Neighbour>, StoreError> {
    let mut dependents = Vec::new();
    for dependent in view.dependents(id)? {
        let kinds = view.facts(&dependent)?.map(|facts| facts.blocking).unwrap_or_default();
        for one in kinds.iter().filter(|one| one.depends_on == id) {
            dependents.push(neighbour(view, dependent.clone(), one.kind.token())?);
        }
    }
    Ok(dependents)
}

fn neighbour(view: &dyn IssueView, id: String, kind: &str) -> Result<Neighbour, StoreError> {
    let row = view.row(&id)?;
    let status = row.as_ref().map_or_else(|| "missing".to_owned(), status);
    let title = row.as_ref().and_then(|row| row.text("title")).map(ToOwned::to_owned);
    Ok(Neighbour { id, kind: kind.to_owned(), status, title })
}

/// What holds an issue back, and why.
pub(crate) fn blockers(view: &dyn IssueView, facts: &Facts) -> Result<Vec<BlockerRow>, StoreError> {
    let mut blockers = Vec::new();
    for one in &facts.blocking {
        let status = view.facts(&one.depends_on)?.map(|facts| facts.status);
        if holds_back(one.kind, TargetState::of(status)) {
            blockers.push(blocker(&one.depends_on, one.kind.token(), status));
        }
    }
    Ok(blockers)
}

/// One dependency that holds an issue back.
pub(crate) fn blocker(id: &str, kind: &str, status: Option<Status>) -> BlockerRow {
    let shown = id.escape_debug();
    let why = match status {
        None => format!("`{shown}` does not exist"),
        Some(Status::InProgress) => format!("`{shown}` is being worked on"),
        Some(Status::Blocked) => format!("`{shown}` was set aside"),
        Some(Status::Open) => format!("`{shown}` is not done"),
        Some(Status::Closed) => format!("`{shown}` is done"),
        Some(Status::Deleted) => format!("`{shown}` was deleted"),
        Some(Status::Other) => format!("`{shown}` has a status of another tool"),
    };
    BlockerRow {
        id: id.to_owned(),
        kind: kind.to_owned(),
        status: status.map_or("missing", Status::token).to_owned(),
        why,
    }
}
