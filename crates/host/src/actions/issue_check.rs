//! `issue.check`: everything that is wrong with issue memory, line by line and issue by issue.

use premath_bd::StoreError;
use premath_bd::issues::{GraphView, IssueRow, IssueView, LineProblemClass, RowProblem, verify_rows};
use premath_kernel::{
    GraphScope, IssueProblemClass, IssueText, LeaseState, Moment, Value, check_text, lease_state,
};
use premath_wire::v1::{CheckProblem, IssueCheckAnswer, Severity};
use schemars::JsonSchema;
use serde::Deserialize;

use super::dep_graph::{cycles, scope};
use super::issue::{IssueLane, arguments, count, dependencies};
use super::issue_read::wanted;
use crate::table::{ActionError, Answer, Host};

/// So much of a value is shown.
const LONGEST_VALUE: usize = 80;

/// What `issue check` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct CheckArgs {
    /// The file of issue memory; that of the repository when absent.
    issues: Option<String>,
    /// `active` (what is not closed; when absent) or `full`.
    graph_scope: Option<String>,
    /// The most to answer with.
    limit: Option<u64>,
}

/// `issue.check`
pub(crate) fn call(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: CheckArgs = arguments(args)?;
    let scope = scope(args.graph_scope.as_deref())?;
    let lane = IssueLane::open(host, "issue.check", args.issues.as_deref());
    let now = host.workspace.clock.now();
    // The log is looked at first: the view may hold rows that are appended in between, never the other way round.
    let rows = verify_rows(&lane.store.log().read()?)?;
    lane.reading(|view| {
        let graph = view.graph()?;
        let mut problems = line_problems(view, &rows)?;
        for place in view.live()? {
            if let Some(row) = IssueRow::read(&view.line(place)?) {
                issue_problems(&mut problems, &row, &graph, scope, now);
                problems.extend(merge_problems(&row));
            }
        }
        cycle_problems(&mut problems, &graph, scope);
        let of = |severity: Severity| count(problems.iter().filter(|one| one.severity == severity).count());
        let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
        let classes = error_classes(&problems);
        let total = problems.len();
        problems.truncate(wanted(args.limit).unwrap_or(usize::MAX));
        let mut answer = Answer::new(
            if errors == 0 { "accepted" } else { "rejected" },
            &IssueCheckAnswer {
                action: lane.action(),
                issues_path: lane.path.clone(),
                ok: errors == 0,
                checked: count(graph.facts.len()),
                error_count: errors,
                warning_count: warnings,
                has_more: problems.len() < total,
                problems,
            },
        )?;
        answer.failure_classes = classes;
        Ok(answer)
    })
}

fn error_classes(problems: &[CheckProblem]) -> Vec<String> {
    let errors = problems.iter().filter(|one| one.severity == Severity::Error);
    let mut classes: Vec<String> = errors.map(|one| one.class.clone()).collect();
    classes.sort();
    classes.dedup();
    classes
}

fn line_problems(view: &dyn IssueView, rows: &[RowProblem]) -> Result<Vec<CheckProblem>, StoreError> {
    let mut problems: Vec<CheckProblem> = view
        .problems()?
        .into_iter()
        .map(|problem| CheckProblem {
            class: problem.class.code().to_owned(),
            severity: if problem.class.hides_content() { Severity::Error } else { Severity::Warning },
            issue_id: None,
            line: Some(problem.line),
            detail: problem.detail,
            hint: line_hint(problem.class).to_owned(),
            path: Vec::new(),
        })
        .collect();
    problems.extend(rows.iter().filter_map(|row| match row {
        RowProblem::Revision { line, id } => Some(CheckProblem {
            class: "issue_line.duplicate_id".to_owned(),
            severity: Severity::Warning,
            issue_id: Some(id.clone()),
            line: Some(*line),
            detail: format!(
                "`{}` stands on an earlier line and is not newer here; the last line wins",
                id.escape_debug()
            ),
            hint: "keep one of the lines, or run `premath issue compact` to keep the last".to_owned(),
            path: Vec::new(),
        }),
        RowProblem::Diverged { line, id } => Some(CheckProblem {
            class: "issue_merge.diverged".to_owned(),
            severity: Severity::Warning,
            issue_id: Some(id.clone()),
            line: Some(*line),
            detail: format!("two branches changed `{}`, and their lines were put together", id.escape_debug()),
            hint: "nothing is lost: both changes are read as one, and the next change of issue memory writes it"
                .to_owned(),
            path: Vec::new(),
        }),
        // Lines are reported above; seals are a matter of `premath verify`.
        RowProblem::Line { .. } | RowProblem::Seal { .. } => None,
    }));
    problems.sort_by_key(|problem| problem.line);
    Ok(problems)
}

const fn line_hint(class: LineProblemClass) -> &'static str {
    match class {
        LineProblemClass::Unreadable | LineProblemClass::NotAnIssue => {
            "mend the line by hand, or run `premath doctor --fix` to move it out of the way"
        }
        LineProblemClass::ByteOrderMark | LineProblemClass::Unterminated => {
            "nothing is lost; `premath doctor --fix` or the next change mends it"
        }
        LineProblemClass::Torn => "nothing that was acknowledged is lost; the next change cuts it off",
    }
}

fn issue_problems(
    problems: &mut Vec<CheckProblem>,
    row: &IssueRow,
    graph: &GraphView,
    scope: GraphScope,
    now: Moment,
) {
    let text = IssueText {
        id: row.id(),
        title: row.text("title").unwrap_or_default(),
        issue_type: row.issue_type(),
        status: row.status(),
        ephemeral: row.is_ephemeral(),
        description: row.text("description"),
        acceptance_criteria: row.text("acceptance_criteria"),
        notes: row.text("notes"),
    };
    problems
        .extend(check_text(&text).into_iter().map(|class| of_issue(class, row.id(), told(class).to_owned())));
    if scope == GraphScope::Full || !row.status().is_resolved() {
        for one in dependencies(row.object()) {
            if graph.number(&one.depends_on).is_none() {
                let detail = format!(
                    "it depends on `{}` ({}), which does not exist",
                    one.depends_on.escape_debug(),
                    one.token.escape_debug()
                );
                problems.push(of_issue(IssueProblemClass::DependencyUnknown, row.id(), detail));
            }
        }
    }
    if lease_state(row.lease().as_ref(), now) == LeaseState::Invalid {
        let detail = "its lease lacks an owner, an id or a sensible end".to_owned();
        problems.push(of_issue(IssueProblemClass::LeaseInvalid, row.id(), detail));
    }
}

const fn told(class: IssueProblemClass) -> &'static str {
    match class {
        IssueProblemClass::EpicMismatch => "its title begins with [EPIC], but its type is not epic",
        IssueProblemClass::AcceptanceMissing => "it does not say when it is done",
        IssueProblemClass::VerificationCommandMissing => "it does not say which command verifies it",
        IssueProblemClass::NotesLarge => "its notes are longer than 2,000 characters",
        IssueProblemClass::DependencyUnknown => "it depends on an issue that does not exist",
        IssueProblemClass::Cycle => "it waits for itself",
        IssueProblemClass::LeaseInvalid => "its lease is none that a claim could have given",
    }
}

fn of_issue(class: IssueProblemClass, id: &str, detail: String) -> CheckProblem {
    CheckProblem {
        class: class.code().to_owned(),
        severity: if class.is_warning() { Severity::Warning } else { Severity::Error },
        issue_id: Some(id.to_owned()),
        line: None,
        detail,
        hint: class.hint().to_owned(),
        path: Vec::new(),
    }
}

/// What branches disagree about since they were merged.
fn merge_problems(row: &IssueRow) -> Vec<CheckProblem> {
    let id = row.id().escape_debug().to_string();
    let of = |class: &str, severity: Severity, detail: String, hint: String| CheckProblem {
        class: class.to_owned(),
        severity,
        issue_id: Some(row.id().to_owned()),
        line: None,
        detail,
        hint,
        path: Vec::new(),
    };
    if let Some(former) = row.former_id() {
        let former = former.escape_debug().to_string();
        let detail = format!("it was `{former}` on its branch; `{former}` is another issue here");
        let hint = format!("look at both; any update of `{id}` settles it");
        return vec![of("issue_merge.id_taken", Severity::Warning, detail, hint)];
    }
    let conflicts = row.conflicts().into_iter();
    conflicts
        .map(|conflict| {
            let field = conflict.field.escape_debug().to_string();
            let values: Vec<String> =
                conflict.values.iter().map(|(rev, value)| spoken(*rev, value)).collect();
            let detail = format!("branches changed `{field}` to different values: {}", values.join(", "));
            let hint = format!("`premath issue update {id}` with the value that is right settles it");
            of("issue_merge.conflict", Severity::Error, detail, hint)
        })
        .collect()
}

/// A value and the revision that set it.
fn spoken(rev: u64, value: &Value<'_>) -> String {
    let text = String::from_utf8_lossy(&premath_kernel::encode(value)).into_owned();
    let short: String = text.chars().take(LONGEST_VALUE).collect();
    let rest = if short.len() < text.len() { "…" } else { "" };
    format!("{short}{rest} (revision {rev})")
}

fn cycle_problems(problems: &mut Vec<CheckProblem>, graph: &GraphView, scope: GraphScope) {
    for path in cycles(graph, scope) {
        let first = path.first().cloned().unwrap_or_default();
        // A long cycle is a long path; the sentence only counts it.
        let detail = format!("{} issues wait for each other in a circle", path.len().saturating_sub(1));
        problems.push(CheckProblem { path, ..of_issue(IssueProblemClass::Cycle, &first, detail) });
    }
}
