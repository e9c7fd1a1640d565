//! `workspace.gc`: removes objects that nothing cites any more.
//!
//! What goes is on record in the audit log before it goes. It must not remove anything under `dryRun`.

use premath_bd::{
    Collection, Garbage, GarbageCollector, GarbageError, GarbageProgress, RetentionRules, StoreError,
};
use premath_kernel::{Object, Value};
use premath_wire::time::format_time;
use premath_wire::v1::{GcAnswer, RefusedAnswer, RefusedBecause};
use premath_wire::{UnknownFields, decode};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{count, invalid, told};
use super::verify::{repository, shown_root};
use crate::recording::Recorder;
use crate::settings::{parse_age, parse_size};
use crate::table::{ActionError, Answer, Host};
use crate::workspace::{DoorRefusal, Workspace, shown};

const ACTION: &str = "workspace.gc";
/// So many objects are named.
const NAMED: usize = 1_000;

/// What it takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GcArgs {
    /// Whether nothing is removed, and the answer says what would be.
    pub dry_run: bool,
    /// How old an object must be: `90m`, `36h`, `7d`; at least `60s`. The configured age when absent.
    pub min_age: Option<String>,
    /// The size that the store is brought down to, the oldest garbage first: `500MiB`, `2GiB`. The configured size when absent;
    /// without either all garbage goes.
    pub max_size: Option<String>,
}

/// What a collection answers.
#[derive(Debug)]
pub enum GcOutcome {
    /// What was removed, or would be.
    Answered(Box<GcAnswer>),
    /// The caller may not, and nothing was touched.
    Refused(DoorRefusal),
}

/// `workspace.gc`
pub(crate) fn call(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: GcArgs = decode(args, UnknownFields::Refuse)?;
    match run(host.workspace, &args, &mut |_| ())? {
        GcOutcome::Answered(answer) => Answer::new("accepted", &answer),
        GcOutcome::Refused(refusal) => Answer::refused(refusal.class, &refused(host.workspace, &refusal)),
    }
}

/// The refusal as it is answered.
#[must_use]
pub fn refused(workspace: &Workspace, refusal: &DoorRefusal) -> RefusedAnswer {
    RefusedAnswer {
        action: ACTION.to_owned(),
        issues_path: shown(&workspace.issues_path(None)),
        refused: RefusedBecause {
            class: refusal.class.to_owned(),
            detail: refusal.detail.clone(),
            hint: refusal.hint.clone(),
        },
    }
}

/// Collects the garbage of a repository; `progress` hears how far it is.
///
/// # Errors
/// An age or a size that is none; a file that cannot be read, so that nobody knows what it cites; another collection at work.
pub fn run(
    workspace: &Workspace,
    args: &GcArgs,
    progress: &mut dyn FnMut(&GarbageProgress),
) -> Result<GcOutcome, ActionError> {
    let rules = rules(workspace, args)?;
    let collector = GarbageCollector::new(repository(workspace));
    if args.dry_run {
        let planned = collector.plan(rules, progress)?;
        return Ok(GcOutcome::Answered(Box::new(answer(workspace, &planned, rules, Collection::Plan))));
    }
    let permit = match workspace.door.permit(ACTION) {
        Ok(permit) => permit,
        Err(refusal) => return Ok(GcOutcome::Refused(refusal)),
    };
    match collector.collect(permit, rules, &mut |planned| record(workspace, planned), progress) {
        Ok(done) => Ok(GcOutcome::Answered(Box::new(answer(workspace, &done, rules, Collection::Remove)))),
        Err(GarbageError::Permit(refusal)) => Ok(GcOutcome::Refused(DoorRefusal {
            class: "permit_mismatch",
            detail: refusal.detail,
            hint: "run the command from a terminal".to_owned(),
        })),
        Err(GarbageError::Store(error)) => Err(error.into()),
    }
}

/// What the arguments say, and the configuration where they say nothing.
fn rules(workspace: &Workspace, args: &GcArgs) -> Result<RetentionRules, ActionError> {
    let mut rules = workspace.settings.retention.rules();
    if let Some(age) = told(args.min_age.as_deref()) {
        rules.min_age_seconds = parse_age(age).map_err(|what| invalid(what, "minAge"))?;
    }
    if let Some(size) = told(args.max_size.as_deref()) {
        rules.max_bytes = Some(parse_size(size).map_err(|what| invalid(what, "maxSize"))?);
    }
    Ok(rules)
}

/// What is about to go, before it goes.
fn record(workspace: &Workspace, planned: &Garbage) -> Result<(), StoreError> {
    let data = Object::fields()
        .field("authority", "maintenance")
        .field("before", format_time(planned.before))
        .field("bytes", planned.report.garbage_bytes.to_string())
        .field("objects", count(planned.report.garbage.len()).to_string())
        .finish();
    Recorder::open(workspace, &workspace.issues_path(None))?.upkeep(workspace, ACTION, data.into_owned())
}

fn answer(
    workspace: &Workspace,
    garbage: &Garbage,
    rules: RetentionRules,
    collection: Collection,
) -> GcAnswer {
    let report = &garbage.report;
    GcAnswer {
        action: ACTION.to_owned(),
        root: shown_root(workspace),
        dry_run: collection == Collection::Plan,
        before: format_time(garbage.before),
        live_runs: garbage.live_runs.clone(),
        max_bytes: rules.max_bytes,
        objects: report.examined,
        object_bytes: report.examined_bytes,
        reachable: report.reachable,
        young: report.young,
        spared: report.spared,
        removed: count(report.garbage.len()),
        removed_bytes: report.garbage_bytes,
        leftovers: report.leftovers,
        leftover_bytes: report.leftover_bytes,
        items: report.garbage.iter().take(NAMED).map(ToString::to_string).collect(),
    }
}
