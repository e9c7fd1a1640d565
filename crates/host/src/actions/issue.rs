//! What all actions on issue memory share: finding the store, reading it, changing it through the door, and refusing.

use std::cell::RefCell;

use premath_bd::StoreError;
use premath_bd::issues::{
    Applied, FileIssues, IssueRow, IssueStore as _, IssueView, Operation, RowRef, row_object,
};
use premath_bd::issues::{CamelRow, LineProblem};
use premath_bd::{Access, Permit};
use premath_kernel::{DependencyKind, Object, Status, Value};
use premath_wire::v1::{IssueAnswer, LineNote, RefusedAnswer, RefusedBecause};
use premath_wire::{InputClass, InputError, JsonPath};
use serde::ser::{Error as _, SerializeSeq as _};
use serde::{Serialize, Serializer};

use crate::agent::RunRefused;
use crate::authority::{Denied, denied, linked_change};
use crate::recording::{For, apply};
use crate::settings::Settings;
use crate::table::{ActionError, Answer, Host, Link};
use crate::workspace::{DoorRefusal, LinkedCall, shown};

/// The longest id.
const ID_LIMIT: usize = 256;
/// So many lines that are not as they should be are named in a listing; `issue check` names all.
const NAMED_PROBLEMS: usize = 10;

/// Issue memory as one action works on it.
#[derive(Debug)]
pub(crate) struct IssueLane<'h> {
    host: &'h Host<'h>,
    /// The store.
    pub(crate) store: FileIssues,
    /// Where it is, as answers show it.
    pub(crate) path: String,
    action: &'static str,
}

/// A change of issue memory that arguments ask for.
#[derive(Debug)]
pub(crate) struct PlannedChange {
    /// The issue memory they name; the configured one when they name none.
    pub(crate) issues: Option<String>,
    /// The change.
    pub(crate) operation: Operation,
}

/// From the arguments of an action to the change it asks for. Every door reads arguments with the same one.
pub(crate) type Plan = fn(&Settings, &Value<'_>) -> Result<PlannedChange, ActionError>;

/// Makes the change that arguments ask for, through the door.
pub(crate) fn change(host: &Host<'_>, args: &Value<'_>, plan: Plan) -> Result<Answer, ActionError> {
    let planned = plan(&host.workspace.settings, args)?;
    let lane = IssueLane::open(host, planned.operation.action(), planned.issues.as_deref());
    lane.change(&planned.operation)
}

/// What came of asking for a change.
pub(crate) enum Outcome {
    /// The store gave an answer; and what the change is linked to, where it is.
    Applied(Applied, Option<Link>),
    /// The door stayed shut.
    Shut(DoorRefusal),
    /// Nothing stands behind the change.
    Unlinked(RunRefused),
}

impl<'h> IssueLane<'h> {
    /// The issue memory that an argument names, or the configured one.
    pub(crate) fn open(host: &'h Host<'h>, action: &'static str, named: Option<&str>) -> Self {
        let path = host.workspace.issues_path(told(named));
        let disk = std::sync::Arc::clone(&host.workspace.disk);
        let store = FileIssues::new(disk, path.clone())
            .keeping(host.agent.kept_issues())
            .naming(host.workspace.id_naming());
        Self { host, path: shown(&path), store, action }
    }

    /// Reads a view. A derived file that is damaged is thrown away, and everything read again.
    pub(crate) fn reading<T>(
        &self,
        mut read: impl FnMut(&dyn IssueView) -> Result<T, ActionError>,
    ) -> Result<T, ActionError> {
        let mut attempt = || read(self.store.view()?.as_ref());
        match attempt() {
            Err(ActionError::Store(StoreError::DerivedDamaged { .. })) => {
                self.store.discard_index()?;
                attempt()
            }
            other => other,
        }
    }

    /// Makes one change, if the door lets it through. Issue memory that is not there is not made on the way.
    pub(crate) fn apply(&self, operation: &Operation) -> Result<Outcome, ActionError> {
        let door = &self.host.workspace.door;
        if let Some(named) = door.linked() {
            self.must_exist()?;
            return match named {
                Ok(call) => self.apply_linked(&call, operation),
                Err(refusal) => Ok(Outcome::Shut(refusal)),
            };
        }
        let mut permit = match door.permit(self.action) {
            Ok(permit) => permit,
            Err(refusal) => return Ok(Outcome::Shut(refusal)),
        };
        self.must_exist()?;
        let workspace = self.host.workspace;
        let mut applied = apply(workspace, &self.store, permit, operation, For::Door);
        if matches!(applied, Err(StoreError::DerivedDamaged { .. })) {
            self.store.discard_index()?;
            permit = match door.permit(self.action) {
                Ok(permit) => permit,
                Err(refusal) => return Ok(Outcome::Shut(refusal)),
            };
            applied = apply(workspace, &self.store, permit, operation, For::Door);
        }
        Ok(Outcome::Applied(applied?, None))
    }

    /// The same on the strength of an instruction.
    fn apply_linked(&self, call: &LinkedCall, operation: &Operation) -> Result<Outcome, ActionError> {
        Ok(match linked_change(self.host.workspace, &self.store, call, operation)? {
            Ok((applied, link)) => Outcome::Applied(applied, Some(link)),
            Err(refused) => Outcome::Unlinked(refused),
        })
    }

    /// Permission for housekeeping.
    pub(crate) fn permit(&self) -> Result<Permit, DoorRefusal> {
        self.host.workspace.door.permit(self.action)
    }

    /// `Missing` when there is no such file: a name that is mistyped must not become a second issue memory.
    pub(crate) fn must_exist(&self) -> Result<(), StoreError> {
        let path = self.store.path();
        match self.host.workspace.disk.open(path, Access::Read) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(StoreError::Missing { path: path.to_owned() })
            }
            // Whatever else is wrong, the store says it better.
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Makes one change and answers with the issue.
    pub(crate) fn change(&self, operation: &Operation) -> Result<Answer, ActionError> {
        let ((row, changed), link) = match self.apply(operation)? {
            Outcome::Applied(Applied::Written(written), link) => ((written.row, true), link),
            Outcome::Applied(Applied::Nothing(Some(row)), link) => ((row, false), link),
            Outcome::Applied(Applied::Nothing(None), _) => {
                return self.refuse(
                    "issue_not_found",
                    "there is no such issue",
                    "`premath issue list` shows what there is",
                );
            }
            Outcome::Applied(Applied::Refused(refusal), _) => {
                return self.refuse(refusal.class.code(), &refusal.detail, refusal.class.hint());
            }
            Outcome::Shut(refusal) => return self.shut(&refusal),
            Outcome::Unlinked(refused) => {
                return self.refuse(&refused.class, &refused.detail, &refused.hint);
            }
        };
        let answer = Answer::new(
            "accepted",
            &IssueAnswer {
                action: self.action.to_owned(),
                issues_path: self.path.clone(),
                issue: CamelRow(row.object()),
                changed,
            },
        )?;
        Ok(answer.linked(link))
    }

    /// A refusal.
    pub(crate) fn refuse(&self, class: &str, detail: &str, hint: &str) -> Result<Answer, ActionError> {
        Answer::refused(
            class,
            &RefusedAnswer {
                action: self.action.to_owned(),
                issues_path: self.path.clone(),
                refused: RefusedBecause {
                    class: class.to_owned(),
                    detail: detail.to_owned(),
                    hint: hint.to_owned(),
                },
            },
        )
    }

    /// The refusal of a door.
    pub(crate) fn shut(&self, refusal: &DoorRefusal) -> Result<Answer, ActionError> {
        let why = RunRefused::from(refusal.clone());
        let door = &self.host.workspace.door;
        let named = door.name().map(str::to_owned).or_else(|| door.actor());
        let named = named.unwrap_or_else(|| "terminal".to_owned());
        let what = Denied { action: self.action, issue_id: None, instruction: None, door: &named };
        denied(self.host.workspace, &what, &why)?;
        self.refuse(refusal.class, &refusal.detail, &refusal.hint)
    }

    /// The refusal of an id that is not there.
    pub(crate) fn not_found(&self, id: &str) -> Result<Answer, ActionError> {
        let detail = format!("no issue `{}`", id.escape_debug());
        self.refuse("issue_not_found", &detail, "`premath issue list` shows what there is")
    }

    /// The action this is for.
    pub(crate) fn action(&self) -> String {
        self.action.to_owned()
    }
}

/// Rows that are read while they are written, so that a long list is never held twice.
pub(crate) struct Rows<'v> {
    view: &'v dyn IssueView,
    places: &'v [RowRef],
    failure: RefCell<Option<StoreError>>,
}

impl<'v> Rows<'v> {
    pub(crate) const fn new(view: &'v dyn IssueView, places: &'v [RowRef]) -> Self {
        Self { view, places, failure: RefCell::new(None) }
    }

    /// Why writing them failed, if it did.
    pub(crate) fn failure(&self) -> Option<StoreError> {
        self.failure.borrow_mut().take()
    }

    fn line(&self, place: RowRef) -> Result<Vec<u8>, StoreError> {
        self.view.line(place)
    }
}

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut items = serializer.serialize_seq(Some(self.places.len()))?;
        for place in self.places {
            let line = match self.line(*place) {
                Ok(line) => line,
                Err(error) => {
                    let text = error.to_string();
                    self.failure.replace(Some(error));
                    return Err(S::Error::custom(text));
                }
            };
            // A place that holds no row is a matter of the index, which is checked when it is read.
            if let Some(object) = row_object(&line) {
                items.serialize_element(&CamelRow(&object))?;
            }
        }
        items.end()
    }
}

/// The first lines that are not as they should be.
pub(crate) fn notes(view: &dyn IssueView) -> Result<Vec<LineNote>, StoreError> {
    Ok(view.problems()?.iter().take(NAMED_PROBLEMS).map(note).collect())
}

/// A line that is not as it should be, as answers say it.
pub(crate) fn note(problem: &LineProblem) -> LineNote {
    LineNote { line: problem.line, class: problem.class.code().to_owned(), detail: problem.detail.clone() }
}

/// A dependency, with its type as it is written in the row.
#[derive(Debug)]
pub(crate) struct TypedDependency {
    /// What it is on.
    pub(crate) depends_on: String,
    /// How it counts.
    pub(crate) kind: DependencyKind,
    /// What the type is called; a type of another tool keeps its name.
    pub(crate) token: String,
}

/// Every dependency of a row.
pub(crate) fn dependencies(row: &Object<'_>) -> Vec<TypedDependency> {
    let items = row.get("dependencies").and_then(Value::as_array).unwrap_or_default();
    let typed = items.iter().filter_map(|item| {
        let text = |key: &str| item.as_object()?.get(key)?.as_text().map(str::trim);
        let depends_on = text("depends_on_id").filter(|id| !id.is_empty())?.to_owned();
        let kind = text("type").map_or(DependencyKind::Blocks, DependencyKind::from_token);
        let own = text("type").filter(|token| kind == DependencyKind::Other && !token.is_empty());
        Some(TypedDependency { depends_on, kind, token: own.unwrap_or_else(|| kind.token()).to_owned() })
    });
    typed.collect()
}

/// The status of a row as it is shown: ours in our spelling, that of another tool in its own.
pub(crate) fn status(row: &IssueRow) -> String {
    let text = row.text("status").unwrap_or(Status::Open.token());
    let ours = Status::ALL.into_iter().map(Status::token).find(|token| token.eq_ignore_ascii_case(text));
    ours.unwrap_or(text).to_owned()
}

/// Text that says something, trimmed.
pub(crate) fn told(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// A length as answers count it.
pub(crate) fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// An argument that cannot be what it is.
pub(crate) fn invalid(what: impl Into<String>, key: &str) -> InputError {
    InputError::new(InputClass::FieldInvalid, what, JsonPath::root().key(key))
}

/// An id that an argument names.
pub(crate) fn id(text: &str, key: &str) -> Result<String, InputError> {
    let id = text.trim();
    if id.is_empty() {
        return Err(invalid("an id must not be blank", key));
    }
    if id.len() > ID_LIMIT {
        return Err(invalid(format!("an id has at most {ID_LIMIT} bytes, not {}", id.len()), key));
    }
    one_line(id, key)
}

/// A short text: a title, a name, a label.
pub(crate) fn one_line(text: &str, key: &str) -> Result<String, InputError> {
    if text.chars().any(char::is_control) {
        return Err(invalid("control characters and line breaks are not allowed here", key));
    }
    Ok(text.trim().to_owned())
}

/// One of a few tokens, trimmed and without regard to ASCII case.
pub(crate) fn token<T: Copy>(
    text: &str,
    key: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<T, InputError> {
    let wanted = text.trim();
    all.iter().copied().find(|one| name(*one).eq_ignore_ascii_case(wanted)).ok_or_else(|| {
        let allowed = all.iter().map(|one| name(*one)).collect::<Vec<_>>().join(", ");
        let echo: String = wanted.chars().take(40).flat_map(char::escape_debug).collect();
        invalid(format!("`{echo}` is none of {allowed}"), key)
    })
}

/// The arguments of an action, refusing what it does not know.
pub(crate) fn arguments<'v, T: serde::Deserialize<'v>>(args: &'v Value<'_>) -> Result<T, InputError> {
    premath_wire::decode(args, premath_wire::UnknownFields::Refuse)
}
