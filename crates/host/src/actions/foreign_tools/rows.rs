//! Servers and tools as the answers of `tool.*` show them: nothing in them hides.

use std::sync::Arc;

use premath_bd::ToolPin;
use premath_kernel::{Object, Value, encode};
use premath_tusk::tools::foreign::{
    BlockedTool, ForeignDefinition, ForeignServer, ForeignTools, escaped, offered_name,
};
use premath_tusk::tools::text_diff;
use premath_wire::Json;
use premath_wire::v1::{ForeignServerRow, ForeignToolRow};

use crate::foreign::Approved;
use crate::table::{ActionError, Host};

/// What every answer stands on.
#[derive(Debug)]
pub(super) struct Ground {
    pub(super) port: Arc<dyn ForeignTools>,
    pub(super) approved: Approved,
    pub(super) place: String,
}

impl Ground {
    pub(super) fn new(host: &Host<'_>) -> Result<Self, ActionError> {
        let port = host.agent.foreign();
        let place = port.place();
        let approved = Approved::read(host.workspace, host.agent, &place)?;
        Ok(Self { port, approved, place })
    }
}

/// A name that can be typed and read.
pub(super) fn spelled(name: &str) -> String {
    escaped(name).chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

pub(super) fn server_row(ground: &Ground, server: &ForeignServer) -> ForeignServerRow {
    let pin = ground.approved.of(&server.name, None);
    let state = match (server.is_own, ground.approved.lets_start(server), pin) {
        (true, _, _) => "own",
        (false, true, _) => "approved",
        (false, false, Some(_)) => "changed",
        (false, false, None) => "unapproved",
    };
    ForeignServerRow {
        name: server.name.clone(),
        reached: escaped(&server.shown()),
        state: state.to_owned(),
        digest: ground.approved.identity_digest(server).as_str().to_owned(),
        identity: visible(&ground.approved.identity(server)),
        scope: server.scope.clone(),
        approved_by: pin.filter(|_| state == "approved").map(|pin| pin.by.clone()),
        diff: pin.filter(|_| state == "changed").map(|pin| {
            let (old, new) = (lines(&pin.approved.definition), lines(&ground.approved.identity(server)));
            text_diff(&spelled(&server.name), Some(&old), Some(&new))
        }),
        failed: None,
    }
}

/// What was approved of a server, without asking it.
pub(super) fn pinned_rows(ground: &Ground, server: &ForeignServer) -> Vec<ForeignToolRow> {
    let read = |pin: &ToolPin| ForeignDefinition::from_value(&pin.approved.definition).ok();
    let definitions: Vec<ForeignDefinition> =
        ground.approved.tools_of(&server.name).filter_map(read).collect();
    tool_rows(ground, server, &definitions, false)
}

/// Tools as a server defines them.
pub(super) fn tool_rows(
    ground: &Ground,
    server: &ForeignServer,
    listed: &[ForeignDefinition],
    is_whole: bool,
) -> Vec<ForeignToolRow> {
    let blocked = ground.approved.admit(server, listed).blocked;
    let row = |definition: &ForeignDefinition| {
        let found = blocked.iter().find(|one| one.tool.as_deref() == Some(&definition.name));
        tool_row(ground, server, definition, (found, is_whole))
    };
    let mut rows: Vec<_> = listed.iter().filter(|one| server.uses(&one.name)).map(row).collect();
    rows.sort_by(|left, right| left.tool.cmp(&right.tool));
    rows
}

fn tool_row(
    ground: &Ground,
    server: &ForeignServer,
    definition: &ForeignDefinition,
    (blocked, is_whole): (Option<&BlockedTool>, bool),
) -> ForeignToolRow {
    let pin = ground.approved.of(&server.name, Some(&definition.name));
    let digest = definition.pin(server).as_str().to_owned();
    let before = pin.filter(|pin| pin.approved.digest != digest);
    let diff = before.map(|pin| {
        let (old, new) = (lines(&pin.approved.definition), lines(&definition.to_value()));
        text_diff(&spelled(&definition.name), Some(&old), Some(&new))
    });
    ForeignToolRow {
        server: server.name.clone(),
        tool: spelled(&definition.name),
        name: offered_name(&server.name, &definition.name),
        state: if blocked.is_some() { "blocked" } else { "approved" }.to_owned(),
        class: blocked.map(|one| one.class.code().to_owned()),
        detail: blocked.map(|one| one.detail.clone()),
        digest,
        risk: server.risk_of(&definition.name).token().to_owned(),
        scope: server.scope.clone(),
        idempotent: server.is_idempotent(&definition.name),
        targets: server.targets_of(&definition.name).to_vec(),
        approved_by: pin.map(|pin| pin.by.clone()),
        approved_at: pin.map(|pin| pin.at.clone()),
        definition: is_whole.then(|| visible(&definition.to_value())),
        // Our own terms may have changed while the definition has not.
        diff: diff.filter(|diff| is_whole && !diff.is_empty()),
    }
}

/// What was approved and is not there any more.
pub(super) fn missing_rows(
    ground: &Ground,
    server: &ForeignServer,
    listed: &[ForeignDefinition],
) -> Vec<ForeignToolRow> {
    let row = |(pin, blocked): (&ToolPin, BlockedTool)| {
        let row = forgotten_row(pin)?;
        Some(ForeignToolRow {
            state: "blocked".to_owned(),
            class: Some(blocked.class.code().to_owned()),
            detail: Some(blocked.detail),
            scope: blocked.scope,
            ..row
        })
    };
    ground.approved.missing(server, listed).filter_map(row).collect()
}

/// What was approved and is not any more.
pub(super) fn forgotten_row(pin: &ToolPin) -> Option<ForeignToolRow> {
    let tool = pin.approved.tool.as_deref()?;
    Some(ForeignToolRow {
        server: pin.approved.server.clone(),
        tool: spelled(tool),
        name: offered_name(&pin.approved.server, tool),
        state: "forgotten".to_owned(),
        class: None,
        detail: None,
        digest: pin.approved.digest.clone(),
        risk: String::new(),
        scope: String::new(),
        idempotent: false,
        targets: Vec::new(),
        approved_by: Some(pin.by.clone()),
        approved_at: Some(pin.at.clone()),
        definition: None,
        diff: None,
    })
}

/// The same value with everything that nobody sees spelled out. INVARIANT: the strict decoder bounds the depth.
fn visible(value: &Value<'_>) -> Json {
    Json(spelled_out(value))
}

fn spelled_out(value: &Value<'_>) -> Value<'static> {
    match value {
        Value::Text(text) => Value::from(escaped(text)),
        Value::Array(items) => Value::Array(items.iter().map(spelled_out).collect()),
        Value::Object(members) => {
            let spelled = members.iter().map(|(name, one)| (escaped(name).into(), spelled_out(one)));
            // Two names that were apart may be spelled alike; then the whole is shown as text.
            let text = || Value::from(escaped(&String::from_utf8_lossy(&encode(value))));
            Object::from_members(spelled.collect()).map_or_else(|_| text(), Value::Object)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.borrowed().into_owned(),
    }
}

/// A definition as lines, for a diff.
fn lines(value: &Value<'_>) -> String {
    let Json(visible) = visible(value);
    let text = String::from_utf8_lossy(&encode(&visible)).into_owned();
    let read: Result<serde_json::Value, _> = serde_json::from_str(&text);
    read.ok().and_then(|read| serde_json::to_string_pretty(&read).ok()).map_or(text, |lines| lines + "\n")
}
