//! What goes wrong in turns: faults with a known answer, and mess that only a reference checker can judge.

#![expect(clippy::indexing_slicing, reason = "indexing a JSON object adds the member")]

mod rows;
mod turns;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use super::GeneratedTurn;
use crate::reference::digest;
use rows::RowMess;
use turns::TurnMess;

/// One fault in the rows of one call.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    /// The request is gone.
    DropRequest,
    /// The result is gone.
    DropResult,
    /// The use is gone.
    DropUse,
    /// The result is not there yet.
    PendingResult,
    /// The result stands there twice.
    DoubleResult,
    /// The use cites another result.
    CiteAnother,
    /// The arguments are not those of their digest.
    ForgeArguments,
    /// The payload is not that of its digest.
    ForgePayload,
    /// The runtime says that the arguments failed their schema.
    SchemaError,
    /// An error row says nothing about its error.
    UntypedError,
    /// The request came from elsewhere.
    WrongSource,
    /// The rendering is under another protocol.
    WrongRenderPolicy,
    /// A rendering that is needed is gone.
    DropRender,
    /// A command says nothing about its shell.
    NoShell,
    /// A program that did not run made the call.
    ForeignEdge,
}

const FAULTS: [Fault; 15] = [
    Fault::DropRequest,
    Fault::DropResult,
    Fault::DropUse,
    Fault::PendingResult,
    Fault::DoubleResult,
    Fault::CiteAnother,
    Fault::ForgeArguments,
    Fault::ForgePayload,
    Fault::SchemaError,
    Fault::UntypedError,
    Fault::WrongSource,
    Fault::WrongRenderPolicy,
    Fault::DropRender,
    Fault::NoShell,
    Fault::ForeignEdge,
];

/// Some faults, one per call at most: where one has no fault, nothing happens to that call.
pub fn faults() -> impl Strategy<Value = Vec<Option<Fault>>> {
    vec(prop::option::of(select(FAULTS.to_vec())), 1..12)
}

impl Fault {
    /// Puts the fault into the rows of the call with this id; the answer is what must be reported, class and subject.
    /// None where the turn has no such row, or nobody asks for it.
    #[must_use]
    pub fn inject(self, document: &mut Value, id: &str) -> Vec<(&'static str, String)> {
        let reported: &[&str] = match self {
            Self::DropRequest => drop_row(document, "toolRequests", id, &["tool.result_orphan"]),
            Self::DropResult => {
                drop_row(document, "toolResults", id, &["tool.result_missing", "tool.use_without_result"])
            }
            Self::DropUse => drop_row(document, "toolUse", id, &["tool.use_missing"]),
            Self::DropRender if goes_on(document) => {
                drop_row(document, "toolRender", id, &["context.injection_point_missing"])
            }
            Self::DropRender => &[],
            Self::PendingResult => change(document, "toolResults", id, &["tool.result_missing"], |row| {
                row["status"] = json!("Pending")
            }),
            Self::DoubleResult => double(document, id),
            Self::CiteAnother => change(document, "toolUse", id, &["tool.use_unknown_result"], |row| {
                row["resultDigest"] = json!("sha256:another");
            }),
            Self::ForgeArguments => change(document, "toolRequests", id, &["tool.schema_invalid"], |row| {
                row["arguments"] = json!({"forged": true});
                row["argumentsDigest"] = json!(digest(&json!({"forged": false})));
            }),
            Self::ForgePayload => change(document, "toolResults", id, &["tool.schema_invalid"], |row| {
                row["payload"] = json!(["forged"]);
                row["resultDigest"] = json!(digest(&json!(["true"])));
            }),
            Self::SchemaError => schema_error(document, id),
            Self::UntypedError => change(document, "toolResults", id, &["tool.schema_invalid"], |row| {
                for key in
                    ["errorCode", "retryable", "errorMessage", "errorMessageDigest", "error", "rawError"]
                {
                    row[key] = Value::Null;
                }
                row["status"] = json!("error");
            }),
            Self::WrongSource => change(document, "toolRequests", id, &["tool.schema_invalid"], |row| {
                row["source"] = json!("adapter:somebody");
            }),
            Self::WrongRenderPolicy => {
                change(document, "toolRender", id, &["context.queue_policy_violation"], |row| {
                    row["policyDigest"] = json!("pol1_another");
                })
            }
            Self::NoShell => {
                change(document, "toolResults", id, &["runtime.shell_boundary_violation"], |row| {
                    row["provenance"] = json!({"kind": "command"});
                    row["shell"] = Value::Null;
                })
            }
            Self::ForeignEdge => {
                change(document, "toolResults", id, &["tool.programmatic_caller_edge_invalid"], |row| {
                    row["callerEdge"] = json!({"parentToolCallId": "exec-nobody"});
                })
            }
        };
        reported.iter().map(|class| (*class, id.to_owned())).collect()
    }
}

type Classes = &'static [&'static str];

fn goes_on(document: &Value) -> bool {
    document.pointer("/evidence/protocolState/continuationAllowed") == Some(&Value::Bool(true))
}

fn list_of<'d>(document: &'d mut Value, list: &str) -> Option<&'d mut Vec<Value>> {
    document.get_mut("evidence")?.get_mut(list)?.as_array_mut()
}

fn is_row_of(row: &Value, id: &str) -> bool {
    row.get("toolCallId").and_then(Value::as_str) == Some(id)
}

fn drop_row(document: &mut Value, list: &str, id: &str, reported: Classes) -> Classes {
    let Some(rows) = list_of(document, list) else {
        return &[];
    };
    let before = rows.len();
    rows.retain(|row| !is_row_of(row, id));
    if rows.len() < before { reported } else { &[] }
}

fn change(
    document: &mut Value,
    list: &str,
    id: &str,
    reported: Classes,
    with: impl FnOnce(&mut Value),
) -> Classes {
    let row = list_of(document, list).and_then(|rows| rows.iter_mut().find(|row| is_row_of(row, id)));
    match row {
        Some(row) => {
            with(row);
            reported
        }
        None => &[],
    }
}

fn double(document: &mut Value, id: &str) -> Classes {
    let Some(rows) = list_of(document, "toolResults") else {
        return &[];
    };
    match rows.iter().find(|row| is_row_of(row, id)).cloned() {
        Some(row) => {
            rows.insert(0, row);
            &["tool.join_incomplete"]
        }
        None => &[],
    }
}

fn schema_error(document: &mut Value, id: &str) -> Classes {
    let observations = &mut document["evidence"]["observations"];
    if observations.is_null() {
        *observations = json!({});
    }
    let errors = &mut observations["schemaErrors"];
    if errors.is_null() {
        *errors = json!([]);
    }
    if let Some(errors) = errors.as_array_mut() {
        errors.push(json!({"toolCallId": id, "pointer": "/path"}));
    }
    &["tool.schema_invalid"]
}

/// One thing that makes a turn messy.
#[derive(Debug, Clone)]
pub(super) enum Mess {
    Call(Index, Fault),
    Row(Index, Index, RowMess),
    Turn(TurnMess),
}

pub(super) fn messes() -> impl Strategy<Value = Vec<Mess>> {
    let call = (any::<Index>(), select(FAULTS.to_vec())).prop_map(|(at, fault)| Mess::Call(at, fault));
    let row = (any::<Index>(), any::<Index>(), rows::row_mess())
        .prop_map(|(list, at, mess)| Mess::Row(list, at, mess));
    vec(prop_oneof![2 => call, 3 => row, 3 => turns::turn_mess().prop_map(Mess::Turn)], 0..7)
}

/// Makes the mess.
pub(super) fn make(turn: &mut GeneratedTurn, messes: &[Mess]) {
    for mess in messes {
        match mess {
            Mess::Call(at, fault) => {
                let ids = call_ids(&turn.document);
                if !ids.is_empty() {
                    let id: &String = at.get(&ids);
                    let _reported = fault.inject(&mut turn.document, id);
                }
            }
            Mess::Row(list, at, mess) => rows::make(&mut turn.document, *list, *at, mess),
            Mess::Turn(mess) => turns::make(turn, mess),
        }
    }
}

fn call_ids(document: &Value) -> Vec<String> {
    let requests = document.pointer("/evidence/toolRequests").and_then(Value::as_array);
    let ids = requests.into_iter().flatten().filter_map(|row| row.get("toolCallId")?.as_str());
    ids.map(str::to_owned).collect()
}
