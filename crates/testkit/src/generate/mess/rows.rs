//! Mess in one row of any list.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use super::list_of;
use crate::reference::digest;

/// Lists whose rows have keys, with the key and what a row cannot be read without.
const LISTS: [(&str, &str, &[&str]); 8] = [
    ("toolRequests", "toolCallId", &["toolName"]),
    ("toolResults", "toolCallId", &[]),
    ("toolUse", "toolCallId", &["disposition"]),
    (
        "toolRender",
        "toolCallId",
        &["operatorPayloadDigest", "reminderRenderDigest", "injectionPoint", "policyDigest"],
    ),
    ("reminderQueue", "queueId", &["reducedDigest", "policyDigest"]),
    ("stateViews", "viewId", &["viewDigest", "policyDigest"]),
    ("workers", "id", &["depth"]),
    ("codeExecutions", "id", &["programDigest", "toolCallIds"]),
];

/// One thing that can be wrong with a row.
#[derive(Debug, Clone)]
pub(in crate::generate) enum RowMess {
    Drop,
    /// The same row again, further down.
    Copy,
    /// The key of another row, or of none.
    Rename(&'static str),
    /// A field less.
    Forget(Index),
    /// Another value in a text or number field.
    Retell(Index),
    /// The status of a result, however it is spelled.
    Status(Option<&'static str>),
    /// Something in a field of an error.
    ErrorField(&'static str, Value),
    /// Another disposition.
    Disposition(&'static str),
    /// The group of a request.
    Group(Option<&'static str>),
}

pub(super) fn row_mess() -> impl Strategy<Value = RowMess> {
    let junk = vec![
        Value::Null,
        json!(""),
        json!("  "),
        json!(" said "),
        json!(7),
        json!(true),
        json!(false),
        json!({}),
        json!({"code": "c", "message": "m"}),
        json!({"errorCode": " ", "code": "c", "retryable": true, "message": "m"}),
        json!({"errorCode": 3, "retryable": "no", "errorMessage": "m"}),
        json!(["a"]),
    ];
    let error_keys = select(vec!["errorCode", "retryable", "errorMessage", "rawError"]);
    let message_digest = select(vec![
        Value::Null,
        json!(" "),
        json!("sha256:another"),
        json!(crate::reference::message_digest("tests failed")),
    ]);
    let status = select(vec![None, Some("ok"), Some("ERROR"), Some(" pending "), Some("error")]);
    let dispositions =
        select(vec!["Consumed", "observed", "discarded", "discarded_with_reason", "retry_scheduled"]);
    let names = select(vec!["call-0", "b-1", "nobody", "reminders", "conversation", "w0", "w1", "exec-0"]);
    prop_oneof![
        2 => Just(RowMess::Drop),
        1 => Just(RowMess::Copy),
        2 => names.prop_map(RowMess::Rename),
        3 => any::<Index>().prop_map(RowMess::Forget),
        2 => any::<Index>().prop_map(RowMess::Retell),
        3 => status.prop_map(RowMess::Status),
        4 => (error_keys, select(junk)).prop_map(|(key, value)| RowMess::ErrorField(key, value)),
        1 => message_digest.prop_map(|value| RowMess::ErrorField("errorMessageDigest", value)),
        2 => dispositions.prop_map(RowMess::Disposition),
        2 => select(vec![None, Some("g"), Some("h"), Some("-")]).prop_map(RowMess::Group),
    ]
}

/// Makes the mess in some row of some list, if there is one.
pub(super) fn make(document: &mut Value, list: Index, at: Index, mess: &RowMess) {
    let (list, key, required) = match mess {
        RowMess::Status(_) | RowMess::ErrorField(_, _) => ("toolResults", "toolCallId", [].as_slice()),
        RowMess::Disposition(_) => ("toolUse", "toolCallId", [].as_slice()),
        RowMess::Group(_) => ("toolRequests", "toolCallId", [].as_slice()),
        RowMess::Drop | RowMess::Copy | RowMess::Rename(_) | RowMess::Forget(_) | RowMess::Retell(_) => {
            *list.get(&LISTS)
        }
    };
    let Some(rows) = list_of(document, list).filter(|rows| !rows.is_empty()) else {
        return;
    };
    let position = at.index(rows.len());
    match mess {
        RowMess::Drop => {
            rows.remove(position);
        }
        RowMess::Copy => {
            let copy = rows.get(position).cloned();
            rows.extend(copy);
        }
        RowMess::Rename(_)
        | RowMess::Forget(_)
        | RowMess::Retell(_)
        | RowMess::Status(_)
        | RowMess::ErrorField(_, _)
        | RowMess::Disposition(_)
        | RowMess::Group(_) => {
            if let Some(row) = rows.get_mut(position) {
                change(row, key, required, mess);
            }
        }
    }
}

fn change(row: &mut Value, key: &str, required: &[&str], mess: &RowMess) {
    match mess {
        RowMess::Drop | RowMess::Copy => {}
        RowMess::Rename(name) => row[key] = json!(name),
        RowMess::Forget(field) => {
            let fields = fields(row, |name, _| name != key && !required.contains(&name));
            if let Some(members) = row.as_object_mut().filter(|_| !fields.is_empty()) {
                members.remove(field.get(&fields));
            }
        }
        RowMess::Retell(field) => {
            let digests = fields(row, |name, value| name.ends_with("Digest") && value.is_string());
            if !digests.is_empty() {
                row[field.get(&digests)] = json!(digest(&json!("told otherwise")));
            }
        }
        RowMess::Status(status) => row["status"] = json!(status),
        RowMess::ErrorField(field, value) => row[*field] = value.clone(),
        RowMess::Disposition(disposition) => row["disposition"] = json!(disposition),
        RowMess::Group(group) => row["callGroup"] = json!(group),
    }
}

fn fields(row: &Value, which: impl Fn(&str, &Value) -> bool) -> Vec<String> {
    let members = row.as_object().into_iter().flatten();
    members.filter(|(name, value)| which(name, value)).map(|(name, _)| name.clone()).collect()
}
