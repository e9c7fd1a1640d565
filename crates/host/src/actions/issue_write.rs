//! `issue.add`, `issue.discover` and `issue.update`: changing issue memory, through the door.

use premath_bd::issues::{Change, Holder, IssueChanges, IssueDraft, Operation};
use premath_kernel::{DependencyKind, IssueType, Status, Value};
use premath_wire::InputError;
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{PlannedChange, arguments, change, id, invalid, one_line, token, told};
use crate::settings::Settings;
use crate::table::{ActionError, Answer, Host};

/// What a new issue is.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DraftArgs {
    /// The file of issue memory; that of the repository when absent.
    issues: Option<String>,
    /// Only for a discovery: the issue that was worked on.
    parent_issue: Option<String>,
    /// What is to be done, in one line.
    #[schemars(required)]
    title: Option<String>,
    /// Its id; made up when absent.
    id: Option<String>,
    /// More about it.
    description: Option<String>,
    /// How it is to be done.
    design: Option<String>,
    /// When it is done.
    acceptance_criteria: Option<String>,
    /// What was noted while working on it.
    notes: Option<String>,
    /// From 0 (first) to 4; 2 when a new one says nothing.
    priority: Option<u64>,
    /// `task`, `epic`, `bug`, `feature` or `chore`.
    #[serde(rename = "type")]
    issue_type: Option<String>,
    /// `open`, `in_progress`, `blocked` or `closed`.
    status: Option<String>,
    /// Who works on it.
    assignee: Option<String>,
    /// Whose it is.
    owner: Option<String>,
    /// Labels.
    #[serde(default)]
    labels: Vec<String>,
    /// Whether it is short-lived.
    #[serde(default)]
    ephemeral: bool,
    /// What it depends on.
    #[serde(default)]
    depends_on: Vec<DependencyArg>,
    /// The issue it is a part of.
    parent: Option<String>,
}

/// One dependency of a new issue.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DependencyArg {
    /// The issue that is depended on.
    id: String,
    /// The type of the dependency; `blocks` when absent.
    #[serde(rename = "type")]
    kind: Option<String>,
}

/// `issue.add`
pub(crate) fn add(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    change(host, args, plan_add)
}

/// The issue that arguments of `issue.add` describe.
pub(crate) fn plan_add(settings: &Settings, args: &Value<'_>) -> Result<PlannedChange, ActionError> {
    let args: DraftArgs = arguments(args)?;
    if args.parent_issue.is_some() {
        return Err(invalid("unknown field", "parentIssue").into());
    }
    let draft = Box::new(draft(&args)?);
    let prefix = settings.issue_prefix.value.clone();
    Ok(PlannedChange { issues: args.issues, operation: Operation::Add { draft, prefix } })
}

/// `issue.discover`
pub(crate) fn discover(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    change(host, args, plan_discover)
}

/// The issue that arguments of `issue.discover` describe.
pub(crate) fn plan_discover(settings: &Settings, args: &Value<'_>) -> Result<PlannedChange, ActionError> {
    let args: DraftArgs = arguments(args)?;
    let draft = Box::new(draft(&args)?);
    let Some(parent) = args.parent_issue.as_deref() else { return Err(missing("parentIssue").into()) };
    let parent = id(parent, "parentIssue")?;
    let prefix = settings.issue_prefix.value.clone();
    Ok(PlannedChange { issues: args.issues, operation: Operation::Discover { parent, draft, prefix } })
}

fn missing(key: &str) -> InputError {
    let path = premath_wire::JsonPath::root().key(key);
    InputError::new(premath_wire::InputClass::FieldMissing, "missing field", path)
}

fn draft(args: &DraftArgs) -> Result<IssueDraft, InputError> {
    let title = title(args.title.as_deref().ok_or_else(|| missing("title"))?)?;
    let mut texts = Vec::new();
    for (name, text) in [
        ("description", &args.description),
        ("design", &args.design),
        ("acceptance_criteria", &args.acceptance_criteria),
        ("notes", &args.notes),
    ] {
        texts.extend(told(text.as_deref()).map(|text| (name, text.to_owned())));
    }
    for (name, text) in [("assignee", &args.assignee), ("owner", &args.owner)] {
        if let Some(text) = told(text.as_deref()) {
            texts.push((name, one_line(text, name)?));
        }
    }
    Ok(IssueDraft {
        id: told(args.id.as_deref()).map(|text| id(text, "id")).transpose()?,
        title,
        texts,
        priority: args.priority.map(priority).transpose()?,
        issue_type: told(args.issue_type.as_deref()).map(issue_type).transpose()?,
        status: told(args.status.as_deref()).map(status).transpose()?,
        labels: labels(&args.labels, "labels")?,
        ephemeral: args.ephemeral,
        dependencies: dependencies(args)?,
    })
}

fn dependencies(args: &DraftArgs) -> Result<Vec<(DependencyKind, String)>, InputError> {
    let mut dependencies = Vec::new();
    for one in &args.depends_on {
        let kind = told(one.kind.as_deref()).map_or(Ok(DependencyKind::Blocks), kind)?;
        dependencies.push((kind, id(&one.id, "dependsOn")?));
    }
    if let Some(parent) = told(args.parent.as_deref()) {
        dependencies.push((DependencyKind::ParentChild, id(parent, "parent")?));
    }
    dependencies.sort();
    dependencies.dedup();
    Ok(dependencies)
}

fn title(text: &str) -> Result<String, InputError> {
    let title = one_line(text, "title")?;
    if title.is_empty() { Err(invalid("a title must not be blank", "title")) } else { Ok(title) }
}

fn priority(number: u64) -> Result<u8, InputError> {
    let priority = u8::try_from(number).ok().filter(|priority| *priority <= 4);
    priority.ok_or_else(|| invalid(format!("`{number}` is not a priority from 0 to 4"), "priority"))
}

fn issue_type(text: &str) -> Result<String, InputError> {
    token(text, "type", &IssueType::ALL, IssueType::token).map(|kind| kind.token().to_owned())
}

fn status(text: &str) -> Result<String, InputError> {
    token(text, "status", &Status::ALL, Status::token).map(|status| status.token().to_owned())
}

/// A type of dependency that an argument names.
pub(crate) fn kind(text: &str) -> Result<DependencyKind, InputError> {
    token(text, "type", &DependencyKind::ALL, DependencyKind::token)
}

fn labels(given: &[String], key: &str) -> Result<Vec<String>, InputError> {
    let told = given.iter().filter_map(|label| told(Some(label)));
    let mut labels = told.map(|label| one_line(label, key)).collect::<Result<Vec<_>, _>>()?;
    labels.sort();
    labels.dedup();
    Ok(labels)
}

/// What becomes of an issue: what is absent stays, what is blank goes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateArgs {
    /// The file of issue memory; that of the repository when absent.
    issues: Option<String>,
    /// The issue.
    #[schemars(required)]
    id: Option<String>,
    /// What is to be done, in one line.
    title: Option<String>,
    /// More about it.
    description: Option<String>,
    /// How it is to be done.
    design: Option<String>,
    /// When it is done.
    acceptance_criteria: Option<String>,
    /// What was noted while working on it.
    notes: Option<String>,
    /// What to add to its notes.
    append_notes: Option<String>,
    /// From 0 (first) to 4; 2 when a new one says nothing.
    priority: Option<u64>,
    /// `task`, `epic`, `bug`, `feature` or `chore`.
    #[serde(rename = "type")]
    issue_type: Option<String>,
    /// `open`, `in_progress`, `blocked` or `closed`.
    status: Option<String>,
    /// Who works on it.
    assignee: Option<String>,
    /// Whose it is.
    owner: Option<String>,
    /// Labels to add.
    #[serde(default)]
    add_labels: Vec<String>,
    /// Labels to take away.
    #[serde(default)]
    remove_labels: Vec<String>,
    /// Who holds the lease, where somebody does.
    lease_owner: Option<String>,
    /// The lease, by its id.
    lease_id: Option<String>,
    /// The fence of the lease, as the claim answered it.
    fence: Option<u64>,
}

/// `issue.update`
pub(crate) fn update(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    change(host, args, plan_update)
}

/// What arguments of `issue.update` make of an issue.
pub(crate) fn plan_update(_: &Settings, args: &Value<'_>) -> Result<PlannedChange, ActionError> {
    let args: UpdateArgs = arguments(args)?;
    let id = id(args.id.as_deref().ok_or_else(|| missing("id"))?, "id")?;
    let changes = Box::new(changes(&args)?);
    let holder = holder(args.lease_owner.as_deref(), args.lease_id.as_deref(), args.fence);
    Ok(PlannedChange { issues: args.issues, operation: Operation::Update { id, changes, holder } })
}

/// What somebody shows to act as the holder of a lease.
pub(crate) fn holder(owner: Option<&str>, lease_id: Option<&str>, fence: Option<u64>) -> Holder {
    Holder {
        owner: told(owner).map(ToOwned::to_owned),
        lease_id: told(lease_id).map(ToOwned::to_owned),
        fence,
    }
}

fn changes(args: &UpdateArgs) -> Result<IssueChanges, InputError> {
    let mut texts = Vec::new();
    if let Some(text) = args.title.as_deref() {
        texts.push(("title", Change::Set(title(text)?)));
    }
    for (name, text) in [
        ("description", &args.description),
        ("design", &args.design),
        ("acceptance_criteria", &args.acceptance_criteria),
        ("notes", &args.notes),
    ] {
        texts.push((name, text_change(text.as_deref())));
    }
    for (name, text) in [("assignee", &args.assignee), ("owner", &args.owner)] {
        if let Some(text) = text.as_deref() {
            one_line(text, name)?;
        }
        texts.push((name, text_change(text.as_deref())));
    }
    texts.retain(|(_, change)| *change != Change::Keep);
    Ok(IssueChanges {
        texts,
        priority: args.priority.map(priority).transpose()?.map_or(Change::Keep, Change::Set),
        status: args.status.as_deref().map(status).transpose()?.map_or(Change::Keep, Change::Set),
        issue_type: match args.issue_type.as_deref() {
            None => Change::Keep,
            Some(text) if text.trim().is_empty() => Change::Clear,
            Some(text) => Change::Set(issue_type(text)?),
        },
        add_labels: labels(&args.add_labels, "addLabels")?,
        remove_labels: labels(&args.remove_labels, "removeLabels")?,
        append_notes: told(args.append_notes.as_deref()).map(ToOwned::to_owned),
    })
}

fn text_change(text: Option<&str>) -> Change<String> {
    match text.map(str::trim) {
        None => Change::Keep,
        Some("") => Change::Clear,
        Some(text) => Change::Set(text.to_owned()),
    }
}
