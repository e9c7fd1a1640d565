//! The definitions of a server, page by page, never from a cache: what is compared with a pin is what is there now.
//!
//! A server that lists without end is stopped: pages, tools and bytes have their limits.

use std::collections::BTreeSet;

use premath_tusk::JsonText;
use premath_tusk::tools::foreign::{ForeignDefinition, ForeignError};
use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult, Tool};
use rmcp::service::{Peer, RoleClient, ServiceError};
use serde::Serialize;

/// The most pages.
const PAGES: usize = 64;
/// The most tools.
const TOOLS: usize = 512;
/// The most bytes of all definitions.
const BYTES: usize = 4 << 20;

type Listed = Result<Vec<ForeignDefinition>, ForeignError>;

/// Reads all of them.
pub(super) async fn list(peer: &Peer<RoleClient>) -> Result<Listed, ServiceError> {
    let (mut found, mut bytes) = (Vec::new(), 0_usize);
    let (mut cursor, mut seen) = (None::<String>, BTreeSet::new());
    for _ in 0..PAGES {
        let params = cursor.take().map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let request = ListToolsRequest { params, ..ListToolsRequest::default() };
        let ServerResult::ListToolsResult(page) =
            peer.send_request(ClientRequest::ListToolsRequest(request)).await?
        else {
            return Err(ServiceError::UnexpectedResponse);
        };
        for tool in page.tools {
            let definition = match definition(&tool) {
                Ok(definition) => definition,
                Err(why) => return Ok(Err(ForeignError::Protocol { why })),
            };
            bytes = bytes.saturating_add(size(&definition));
            found.push(definition);
            if found.len() > TOOLS {
                return Ok(Err(ForeignError::TooMany { what: "512 tools" }));
            }
            if bytes > BYTES {
                return Ok(Err(ForeignError::TooMany { what: "4 MiB of definitions" }));
            }
        }
        match page.next_cursor.filter(|cursor| !cursor.is_empty()) {
            None => return Ok(Ok(found)),
            Some(next) if seen.insert(next.clone()) => cursor = Some(next),
            Some(_) => {
                let why = "it lists the same page again".to_owned();
                return Ok(Err(ForeignError::Protocol { why }));
            }
        }
    }
    Ok(Err(ForeignError::TooMany { what: "64 pages of tools" }))
}

fn size(definition: &ForeignDefinition) -> usize {
    let texts = [definition.title.as_ref(), definition.description.as_ref()];
    let parts = [definition.output_schema.as_ref(), definition.annotations.as_ref()];
    definition.name.len()
        + definition.input_schema.as_str().len()
        + texts.into_iter().flatten().map(String::len).sum::<usize>()
        + parts.into_iter().flatten().map(|part| part.as_str().len()).sum::<usize>()
}

fn definition(tool: &Tool) -> Result<ForeignDefinition, String> {
    Ok(ForeignDefinition {
        name: tool.name.to_string(),
        title: tool.title.clone(),
        description: tool.description.as_ref().map(ToString::to_string),
        input_schema: json(tool.input_schema.as_ref())?,
        output_schema: tool.output_schema.as_ref().map(|schema| json(schema.as_ref())).transpose()?,
        annotations: tool.annotations.as_ref().map(json).transpose()?,
    })
}

fn json<T: Serialize>(part: &T) -> Result<JsonText, String> {
    let text = serde_json::to_string(part).map_err(|error| error.to_string())?;
    JsonText::new(text).map_err(|error| format!("a definition cannot be read: {error}"))
}
