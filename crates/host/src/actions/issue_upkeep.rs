//! Issue memory as a store: how it is, compacting it, taking rows over and handing them out.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use premath_bd::issues::{
    FileIssues, IssueRow, IssueStore as _, IssueView, RowRef, read_exchange, row_object, snapshot_ref,
};
use premath_bd::{Access, Disk, MaintenanceGrant, Permit, Standing, StoreError, read_to_end, write_all_at};
use premath_kernel::{Number, Object, Value};
use premath_wire::v1::{BackendStatus, CompactAnswer, ExportAnswer, ImportAnswer};
use premath_wire::{InputClass, InputError, JsonPath};
use schemars::JsonSchema;
use serde::ser::{Error as _, SerializeSeq as _};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::issue::{IssueLane, arguments, count, invalid, note, told};
use crate::recording::Recorder;
use crate::table::{ActionError, Answer, Host};
use crate::workspace::shown;

/// Files of rows beyond this are not read at once.
const IMPORT_LIMIT: usize = 1 << 30;

/// What an action takes that only needs to know which store.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct StoreArgs {
    /// The file of issue memory; that of the repository when absent.
    issues: Option<String>,
}

/// `issue.backend_status`
pub(crate) fn backend_status(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: StoreArgs = arguments(args)?;
    let lane = IssueLane::open(host, "issue.backend_status", args.issues.as_deref());
    let disk = host.workspace.disk.as_ref();
    let mut status = BackendStatus {
        action: lane.action(),
        issues_path: lane.path.clone(),
        backend: "file".to_owned(),
        exists: false,
        can_write: false,
        rows: 0,
        issues: 0,
        superseded_rows: 0,
        problem_lines: 0,
        bytes: 0,
        snapshot_ref: None,
        index: "absent".to_owned(),
        standing: None,
        breaks: 0,
    };
    match lane.must_exist() {
        Err(StoreError::Missing { .. }) => return Answer::new("ok", &status),
        other => other?,
    }
    // Opening it for appending changes nothing, and says whether a writer could.
    status.can_write = disk.open(lane.store.path(), Access::Append).is_ok();
    let reader = lane.store.log().read()?;
    (status.exists, status.bytes, status.breaks) = (true, reader.extent().bytes, reader.breaks());
    lane.reading(|view| {
        let problems = view.problems()?;
        let hidden = problems.iter().filter(|problem| problem.class.hides_content()).count();
        status.rows = view.row_count();
        status.issues = count(view.all()?.len());
        status.problem_lines = count(problems.len());
        status.superseded_rows = status.rows.saturating_sub(status.issues).saturating_sub(count(hidden));
        status.standing = Some(standing(view.standing()).to_owned());
        status.snapshot_ref = Some(snapshot_ref(view)?);
        Ok(())
    })?;
    if disk.open(lane.store.index_path(), Access::Read).is_ok() {
        status.index = "present".to_owned();
    }
    Answer::new("ok", &status)
}

const fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Anchored => "anchored",
        Standing::Longer => "longer",
        Standing::Unanchored => "unanchored",
        Standing::Shorter => "shorter",
        Standing::Changed => "changed",
    }
}

/// `issue.compact`
pub(crate) fn compact(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: StoreArgs = arguments(args)?;
    let lane = IssueLane::open(host, "issue.compact", args.issues.as_deref());
    let mut compacted = match upkeep(&lane)? {
        Ok(grant) => lane.must_exist().and_then(|()| lane.store.compact(grant)),
        Err(refused) => return Ok(refused),
    };
    if matches!(compacted, Err(StoreError::DerivedDamaged { .. })) {
        lane.store.discard_index()?;
        compacted = match upkeep(&lane)? {
            Ok(grant) => lane.store.compact(grant),
            Err(refused) => return Ok(refused),
        };
    }
    let compacted = compacted?;
    let data = Object::fields()
        .field("authority", "maintenance")
        .optional("rows", Number::unsigned(compacted.moved).map(Value::Number))
        .finish();
    Recorder::open(host.workspace, lane.store.path())?.upkeep(host.workspace, "issue.compact", data)?;
    Answer::new(
        "accepted",
        &CompactAnswer {
            action: lane.action(),
            issues_path: lane.path,
            kept: compacted.kept,
            moved: compacted.moved,
        },
    )
}

/// Permission for housekeeping, or the refusal to answer with.
pub(crate) fn upkeep(lane: &IssueLane<'_>) -> Result<Result<MaintenanceGrant, Answer>, ActionError> {
    match lane.permit() {
        Ok(Permit::Maintenance(grant)) => Ok(Ok(grant)),
        Ok(_) => {
            let hint = "this door has no permit for housekeeping; run the command from a terminal";
            lane.refuse("permit_mismatch", "the permit is not for housekeeping", hint).map(Err)
        }
        Err(refusal) => lane.shut(&refusal).map(Err),
    }
}

/// What an import takes: a file, or the rows themselves.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ImportArgs {
    /// The file of issue memory; that of the repository when absent.
    issues: Option<String>,
    /// The file to take rows from.
    source: Option<String>,
    /// The rows themselves, one JSON object a line.
    rows: Option<String>,
}

/// `issue.import`
pub(crate) fn import(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ImportArgs = arguments(args)?;
    let lane = IssueLane::open(host, "issue.import", args.issues.as_deref());
    let (source, bytes) = match (told(args.source.as_deref()), args.rows) {
        (Some(path), None) => (path.to_owned(), read(host.workspace.disk.as_ref(), Path::new(path))?),
        (None, Some(rows)) => ("rows".to_owned(), rows.into_bytes()),
        (Some(_), Some(_)) => return Err(invalid("name a file or give rows, not both", "rows").into()),
        (None, None) => {
            let path = JsonPath::root().key("source");
            return Err(InputError::new(InputClass::FieldMissing, "missing field", path).into());
        }
    };
    must_hold_rows(&source, &bytes)?;
    let grant = match upkeep(&lane)? {
        Ok(grant) => grant,
        Err(refused) => return Ok(refused),
    };
    lane.must_exist()?;
    let imported = take_over(host, &lane.store, grant, &source, &bytes);
    let imported = match imported {
        Err(ActionError::Store(StoreError::DerivedDamaged { .. })) => {
            lane.store.discard_index()?;
            match upkeep(&lane)? {
                Ok(grant) => take_over(host, &lane.store, grant, &source, &bytes)?,
                Err(refused) => return Ok(refused),
            }
        }
        other => other?,
    };
    Answer::new("accepted", &imported)
}

/// Refuses a file in which there is something, but no row: that is another file than was meant.
pub(crate) fn must_hold_rows(source: &str, bytes: &[u8]) -> Result<(), InputError> {
    if bytes.split(|byte| *byte == b'\n').any(|line| IssueRow::read(line).is_some()) {
        return Ok(());
    }
    let exchange = read_exchange(bytes);
    let Some(first) = exchange.problems.iter().find(|problem| problem.class.hides_content()) else {
        return Ok(());
    };
    let source: String = source.chars().take(200).flat_map(char::escape_debug).collect();
    let what = format!("no line of `{source}` is an issue; line {}: {}", first.line, first.detail);
    Err(InputError::new(InputClass::JsonInvalid, what, JsonPath::root().key("source")))
}

/// Takes rows over into a store.
pub(crate) fn take_over(
    host: &Host<'_>,
    store: &FileIssues,
    grant: MaintenanceGrant,
    source: &str,
    bytes: &[u8],
) -> Result<ImportAnswer, ActionError> {
    let exchange = read_exchange(bytes);
    let read = count(exchange.rows.len());
    let recorder = Recorder::open(host.workspace, store.path())?;
    let imported = store.import(grant, exchange.rows, host.workspace.clock.as_ref())?;
    recorder.import(host.workspace, &imported, source)?;
    let (written, kept) = (imported.written, imported.kept);
    Ok(ImportAnswer {
        action: "issue.import".to_owned(),
        issues_path: shown(store.path()),
        source: source.to_owned(),
        read,
        written,
        unchanged: read.saturating_sub(written).saturating_sub(count(kept.len())),
        kept,
        problems: exchange.problems.iter().map(note).collect(),
    })
}

/// A whole file.
pub(crate) fn read(disk: &dyn Disk, path: &Path) -> Result<Vec<u8>, ActionError> {
    let failed = |source: std::io::Error| {
        if source.kind() == std::io::ErrorKind::NotFound {
            StoreError::Missing { path: path.to_owned() }
        } else {
            StoreError::Io { doing: "read", path: path.to_owned(), source }
        }
    };
    let file = disk.open(path, Access::Read).map_err(failed)?;
    let length = file.stat().map_err(failed)?.length;
    if usize::try_from(length).map_or(true, |length| length > IMPORT_LIMIT) {
        let what = format!("{length} bytes, more than the {IMPORT_LIMIT} allowed");
        return Err(InputError::new(InputClass::TooLarge, what, JsonPath::root().key("source")).into());
    }
    Ok(read_to_end(file.as_ref(), 0, IMPORT_LIMIT).map_err(failed)?)
}

/// What an export takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ExportArgs {
    /// The file of issue memory; that of the repository when absent.
    issues: Option<String>,
    /// The file to write them to.
    output: Option<String>,
}

/// `issue.export`
pub(crate) fn export(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ExportArgs = arguments(args)?;
    let lane = IssueLane::open(host, "issue.export", args.issues.as_deref());
    lane.reading(|view| {
        let places = view.all()?;
        let answer = |output: Option<String>, items| ExportAnswer {
            action: lane.action(),
            issues_path: lane.path.clone(),
            count: count(places.len()),
            output,
            items,
        };
        if let Some(output) = told(args.output.as_deref()) {
            if is_same_file(host.workspace.disk.as_ref(), lane.store.path(), Path::new(output))? {
                return Err(invalid("this is the issue memory itself", "output").into());
            }
            write_rows(host, view, &places, &PathBuf::from(output))?;
            return Answer::new("ok", &answer(Some(output.to_owned()), None::<&Lines<'_>>));
        }
        let lines = Lines { view, places: &places, failure: RefCell::new(None) };
        let written = Answer::new("ok", &answer(None, Some(&lines)));
        match lines.failure.take() {
            Some(error) => Err(error.into()),
            None => written,
        }
    })
}

/// Whether two names lead to one file, which a file that does not exist never is.
fn is_same_file(disk: &dyn Disk, one: &Path, other: &Path) -> Result<bool, StoreError> {
    let identity =
        |path: &Path| disk.open(path, Access::Read).and_then(|file| file.stat()).map(|stat| stat.identity);
    match (identity(one), identity(other)) {
        (Ok(one), Ok(other)) => Ok(one == other),
        (Err(source), _) => Err(StoreError::Io { doing: "look at", path: one.to_owned(), source }),
        // Whatever is wrong with it, writing it says so.
        (Ok(_), Err(_)) => Ok(false),
    }
}

/// The rows as JSON, exactly as they are in the store.
struct Lines<'v> {
    view: &'v dyn IssueView,
    places: &'v [RowRef],
    failure: RefCell<Option<StoreError>>,
}

impl Serialize for Lines<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut items = serializer.serialize_seq(Some(self.places.len()))?;
        for place in self.places {
            match exported(self.view, *place) {
                Ok(Some(row)) => items.serialize_element(&row)?,
                Ok(None) => {}
                Err(error) => {
                    let text = error.to_string();
                    self.failure.replace(Some(error));
                    return Err(S::Error::custom(text));
                }
            }
        }
        items.end()
    }
}

fn exported(view: &dyn IssueView, place: RowRef) -> Result<Option<Box<RawValue>>, StoreError> {
    let line = view.line(place)?;
    if row_object(&line).is_none() {
        return Ok(None);
    }
    let text = String::from_utf8(line).unwrap_or_default();
    Ok(RawValue::from_string(text.trim_start_matches('\u{feff}').trim().to_owned()).ok())
}

/// Writes the rows to a file beside which nothing half-written is ever seen.
fn write_rows(
    host: &Host<'_>,
    view: &dyn IssueView,
    places: &[RowRef],
    path: &Path,
) -> Result<(), ActionError> {
    let mut bytes = Vec::new();
    for place in places {
        if let Some(row) = exported(view, *place)? {
            bytes.extend_from_slice(row.get().as_bytes());
            bytes.push(b'\n');
        }
    }
    Ok(place_file(host.workspace.disk.as_ref(), path, &bytes)?)
}

/// Puts a file in its place, whole and durable, or not at all.
pub(crate) fn place_file(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    let temporary = PathBuf::from(name);
    let failed = |doing: &'static str| {
        move |source: std::io::Error| {
            if source.kind() == std::io::ErrorKind::NotFound {
                StoreError::Missing { path: folder(path) }
            } else {
                StoreError::Io { doing, path: path.to_owned(), source }
            }
        }
    };
    let mut file = disk.open(&temporary, Access::Replace).map_err(failed("make"))?;
    write_all_at(file.as_mut(), bytes, 0).map_err(failed("write"))?;
    file.sync().map_err(failed("sync"))?;
    disk.rename(&temporary, path).map_err(failed("replace"))?;
    disk.sync_folder(&folder(path)).map_err(failed("sync the folder of"))
}

fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}
