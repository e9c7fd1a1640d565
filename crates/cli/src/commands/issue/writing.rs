//! The commands that change issue memory.

use std::path::Path;

use premath_host::Host;
use premath_kernel::{DependencyKind, Fields, Object, Value};

use crate::args::issue::{
    AddArgs, ClaimArgs, ClaimNextArgs, CompactArgs, DiscoverArgs, Draft, Holding, ImportArgs, IssueTexts,
    ReleaseArgs, RenewArgs, Terms, UpdateArgs,
};
use crate::commands::dep::number;
use crate::commands::{answer, named_memory};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::issue as render;
use crate::system;

pub(super) fn add(args: &AddArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let notes = notes(&args.draft.texts)?;
    let fields = Object::fields().field("title", args.title.as_str());
    let fields = draft(fields, &args.draft, notes.as_deref());
    let arguments = fields.optional("issues", named_memory(host, &args.store)?).finish();
    answer(host, "issue.add", &arguments, &args.format, render::changed)
}

pub(super) fn discover(args: &DiscoverArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let notes = notes(&args.draft.texts)?;
    let fields =
        Object::fields().field("title", args.title.as_str()).field("parentIssue", args.found_in.as_str());
    let fields = draft(fields, &args.draft, notes.as_deref());
    let arguments = fields.optional("issues", named_memory(host, &args.store)?).finish();
    answer(host, "issue.discover", &arguments, &args.format, render::changed)
}

/// The notes that were typed, or those of the file that was named.
fn notes(texts: &IssueTexts) -> Result<Option<String>, CliError> {
    let Some(path) = &texts.notes_file else { return Ok(texts.notes.clone()) };
    let bytes = system::read_named(path, "--notes-file takes a readable file, or - for standard input")?;
    text(bytes, path).map(Some)
}

fn text(bytes: Vec<u8>, path: &Path) -> Result<String, CliError> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let what = format!("`{}` is not UTF-8 at byte {at}", path.display());
        CliError::usage(what, "convert it to UTF-8 first")
    })
}

fn texts<'a>(fields: Fields<'a>, texts: &'a IssueTexts, notes: Option<&'a str>) -> Fields<'a> {
    fields
        .optional("description", texts.description.as_deref())
        .optional("design", texts.design.as_deref())
        .optional("acceptanceCriteria", texts.acceptance.as_deref())
        .optional("notes", notes)
        .optional("priority", texts.priority.map(number))
        .optional("type", texts.issue_type.as_deref())
        .optional("assignee", texts.assignee.as_deref())
        .optional("owner", texts.owner.as_deref())
}

fn draft<'a>(fields: Fields<'a>, draft: &'a Draft, notes: Option<&'a str>) -> Fields<'a> {
    let labels = draft.labels.iter().map(|label| Value::from(label.as_str())).collect();
    let depends_on = draft.depends_on.iter().map(|text| dependency(text)).collect();
    texts(fields, &draft.texts, notes)
        .optional("id", draft.id.as_deref())
        .non_empty("labels", labels)
        .non_empty("dependsOn", depends_on)
        .optional("parent", draft.parent.as_deref())
        .optional("ephemeral", draft.ephemeral.then_some(true))
}

/// `[TYPE:]ID`. An id may hold a colon itself: only what is a type counts as one.
fn dependency(text: &str) -> Value<'_> {
    let typed =
        text.split_once(':').filter(|(kind, _)| DependencyKind::from_token(kind) != DependencyKind::Other);
    match typed {
        Some((kind, id)) => Object::fields().field("id", id).field("type", kind).finish(),
        None => Object::fields().field("id", text).finish(),
    }
}

pub(super) fn update(args: &UpdateArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let notes = notes(&args.texts)?;
    let labels = |labels: &'_ [String]| labels.iter().map(|label| Value::from(label.clone())).collect();
    let fields = Object::fields()
        .optional("issues", named_memory(host, &args.store)?)
        .field("id", args.id.as_str())
        .optional("title", args.title.as_deref())
        .optional("status", args.status.as_deref());
    let arguments = texts(fields, &args.texts, notes.as_deref())
        .optional("appendNotes", args.append_notes.as_deref())
        .non_empty("addLabels", labels(&args.add_labels))
        .non_empty("removeLabels", labels(&args.remove_labels))
        .optional("leaseOwner", args.holder.lease_owner.as_deref())
        .optional("leaseId", args.holder.lease_id.as_deref())
        .optional("fence", args.holder.fence.map(number))
        .finish();
    answer(host, "issue.update", &arguments, &args.format, render::changed)
}

fn terms<'a>(fields: Fields<'a>, terms: &'a Terms) -> Fields<'a> {
    fields
        .field("assignee", terms.assignee.as_str())
        .optional("leaseId", terms.lease_id.as_deref())
        .optional("ttlSeconds", terms.ttl_seconds.map(number))
        .optional("expiresAt", terms.expires_at.as_deref())
}

pub(super) fn claim(args: &ClaimArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let fields = Object::fields()
        .optional("issues", named_memory(host, &args.store)?)
        .field("id", args.id.as_str())
        .optional("forceReason", args.force.as_deref());
    let arguments = terms(fields, &args.terms).finish();
    let now = host.workspace.clock.now();
    answer(host, "issue.claim", &arguments, &args.format, |payload| render::claimed(payload, now))
}

pub(super) fn claim_next(args: &ClaimNextArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let fields = Object::fields().optional("issues", named_memory(host, &args.store)?);
    let arguments = terms(fields, &args.terms).finish();
    let now = host.workspace.clock.now();
    answer(host, "issue.claim_next", &arguments, &args.format, |payload| render::claimed_next(payload, now))
}

fn holding<'a>(fields: Fields<'a>, holding: &'a Holding) -> Fields<'a> {
    fields
        .optional("owner", holding.assignee.as_deref())
        .optional("leaseId", holding.lease_id.as_deref())
        .optional("fence", holding.fence.map(number))
}

pub(super) fn renew(args: &RenewArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let fields = Object::fields()
        .optional("issues", named_memory(host, &args.store)?)
        .field("id", args.id.as_str())
        .optional("ttlSeconds", args.ttl_seconds.map(number));
    let arguments = holding(fields, &args.holding).finish();
    let now = host.workspace.clock.now();
    answer(host, "issue.lease_renew", &arguments, &args.format, |payload| render::claimed(payload, now))
}

pub(super) fn release(args: &ReleaseArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let fields =
        Object::fields().optional("issues", named_memory(host, &args.store)?).field("id", args.id.as_str());
    let arguments = holding(fields, &args.holding).finish();
    answer(host, "issue.lease_release", &arguments, &args.format, render::changed)
}

pub(super) fn compact(args: &CompactArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields().optional("issues", named_memory(host, &args.store)?).finish();
    answer(host, "issue.compact", &arguments, &args.format, render::store::compacted)
}

pub(super) fn import(args: &ImportArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let rows = match args.file.as_str() {
        "-" => Some(text(system::read_named(Path::new("-"), "pipe the rows in")?, Path::new("-"))?),
        _ => None,
    };
    let source = rows.is_none().then_some(args.file.as_str());
    let arguments = Object::fields()
        .optional("issues", named_memory(host, &args.store)?)
        .optional("source", source)
        .optional("rows", rows.as_deref())
        .finish();
    answer(host, "issue.import", &arguments, &args.format, render::store::imported)
}
