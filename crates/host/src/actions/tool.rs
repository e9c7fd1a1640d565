//! `tool.catalogue`: the tools that runs can have, before policy says which of them a run gets.

use premath_kernel::Value;
use premath_wire::v1::{ToolListing, ToolPin, ToolRow};

use super::issue::{arguments, count};
use crate::agent::all_tools;
use crate::foreign::remembered;
use crate::table::{ActionError, Answer, Host, Nothing};

/// Where the tools come from that come with premath.
const OWN: &str = "premath";

/// `tool.catalogue`
pub(crate) fn list(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let Nothing {} = arguments(args)?;
    let mut items: Vec<ToolRow> = all_tools(host.workspace)?
        .iter()
        .map(|tool| {
            let spec = tool.spec();
            ToolRow {
                name: spec.name.clone(),
                description: spec.description.clone(),
                risk: spec.risk.token().to_owned(),
                scope: spec.scope.clone(),
                source: OWN.to_owned(),
                digest: spec.digest().as_str().to_owned(),
                deferred: spec.defer_loading,
                pin: None,
            }
        })
        .collect();
    // Those of other servers as they were approved: nobody is asked whether they are still so.
    items.extend(remembered(host.workspace, host.agent)?.iter().map(|tool| {
        let spec = tool.spec();
        let (source, _) = spec.name.split_once("__").unwrap_or((OWN, ""));
        ToolRow {
            name: spec.name.clone(),
            description: spec.description.clone(),
            risk: spec.risk.token().to_owned(),
            scope: spec.scope.clone(),
            source: source.to_owned(),
            digest: spec.digest().as_str().to_owned(),
            deferred: spec.defer_loading,
            pin: Some(ToolPin {
                state: "pinned".to_owned(),
                digest: Some(spec.digest().as_str().to_owned()),
            }),
        }
    }));
    items.sort_by(|left, right| left.name.cmp(&right.name));
    Answer::new("ok", &ToolListing { action: "tool.catalogue".to_owned(), count: count(items.len()), items })
}
