//! The floor: what any loop has to do. One request after the other with the history spliced into it, the least reading of
//! the answer that finds its calls, the calls themselves, and as many syncs as asked for.
//!
//! The same transport, the same requests, the same tool, the same threads as ours. It must not check, hash or keep
//! anything more.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::StreamExt as _;
use premath_bd::{Access, Disk as _, DiskFile, OsDisk};
use premath_models::transport::{HttpSettings, HttpTransport, Method, Transport as _, WireRequest};
use premath_tusk::tools::ToolSpec;
use serde::Deserialize;
use serde_json::json;
use tokio::runtime::Runtime;

use super::workload::{Workload, result};
use crate::error::CliError;
use crate::models::runtime;

/// How many calls run at the same time, as in ours.
const PARALLEL: usize = 8;

/// What a turn of the floor makes durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syncs {
    /// Nothing.
    None,
    /// What was said and what came of it, before the next request.
    One,
    /// What was said before the calls run, what came of them before the next request.
    Two,
}

/// A bare loop with its connection.
#[derive(Debug)]
pub(super) struct Floor {
    runtime: Runtime,
    transport: HttpTransport,
    url: String,
    opening: String,
    model: String,
}

#[derive(Deserialize)]
struct Event<'e> {
    r#type: &'e str,
    #[serde(borrow)]
    content_block: Option<Block<'e>>,
    #[serde(borrow)]
    delta: Option<Delta<'e>>,
}

#[derive(Deserialize)]
struct Block<'e> {
    id: Option<&'e str>,
    name: Option<&'e str>,
}

#[derive(Deserialize)]
struct Delta<'e> {
    #[serde(borrow)]
    text: Option<Cow<'e, str>>,
    #[serde(borrow)]
    partial_json: Option<Cow<'e, str>>,
}

#[derive(Debug, Default)]
struct Said {
    text: String,
    calls: Vec<(String, String, String)>,
}

#[derive(Deserialize)]
struct Given<'g> {
    #[serde(borrow)]
    path: Cow<'g, str>,
    step: u64,
}

impl Floor {
    pub(super) fn new(
        url: &str,
        workload: Workload,
        tools: &[ToolSpec],
        system: &[String],
    ) -> Result<Self, CliError> {
        let transport = HttpTransport::new(HttpSettings::default())
            .map_err(|error| CliError::environment(error.message, "is this machine out of something?"))?;
        let tools: Vec<_> = tools
            .iter()
            .map(|tool| {
                let schema = tool.input_schema.raw().ok();
                json!({ "name": tool.name, "description": tool.description, "input_schema": schema })
            })
            .collect();
        let blocks: Vec<_> = system.iter().map(|text| json!({ "type": "text", "text": text })).collect();
        let model = workload.model();
        let head =
            json!({ "model": model, "max_tokens": 8192, "stream": true, "tools": tools, "system": blocks });
        let head = head.to_string();
        let opening = head.strip_suffix('}').unwrap_or(&head).to_owned()
            + r#","messages":[{"role":"user","content":"Do what the plan says."}"#;
        let url = format!("{url}/v1/messages");
        Ok(Self { runtime: runtime().map_err(CliError::action)?, transport, url, opening, model })
    }

    /// One conversation; the bytes of its history at the end.
    pub(super) fn run(&self, file: Option<&Path>, syncs: Syncs) -> Result<usize, CliError> {
        let mut log = match file {
            None => None,
            Some(path) => Some(OsDisk.open(path, Access::Append).map_err(unwritable)?),
        };
        self.runtime.block_on(async {
            let mut history = self.opening.clone().into_bytes();
            loop {
                let before = history.len();
                let said = self.ask(&history).await?;
                if said.calls.is_empty() {
                    return Ok(history.len() - self.opening.len());
                }
                speak(&mut history, &said);
                if syncs == Syncs::Two {
                    keep(log.as_mut(), history.get(before..).unwrap_or_default())?;
                }
                let spoken = if syncs == Syncs::Two { history.len() } else { before };
                let results = results(&said.calls);
                answer(&mut history, &said, &results);
                if syncs != Syncs::None {
                    keep(log.as_mut(), history.get(spoken..).unwrap_or_default())?;
                }
            }
        })
    }

    async fn ask(&self, history: &[u8]) -> Result<Said, CliError> {
        let mut body = Vec::with_capacity(history.len() + 2);
        body.extend_from_slice(history);
        body.extend_from_slice(b"]}");
        let request = WireRequest {
            method: Method::Post,
            url: self.url.clone(),
            headers: vec![
                ("accept".to_owned(), "text/event-stream".to_owned()),
                ("content-type".to_owned(), "application/json".to_owned()),
                ("anthropic-version".to_owned(), "2023-06-01".to_owned()),
            ],
            secret_headers: Vec::new(),
            body: body.into(),
        };
        let failed = |error: premath_tusk::model::ModelError| unanswered(&error.message);
        let mut response = self.transport.send(&request).await.map_err(failed)?;
        if response.status != 200 {
            return Err(unanswered(&format!("{} answered with {}", self.model, response.status)));
        }
        let (mut pending, mut said) = (Vec::new(), Said::default());
        while let Some(piece) = response.body.next().await {
            pending.extend_from_slice(&piece.map_err(failed)?);
            while let Some(end) = pending.windows(2).position(|pair| pair == b"\n\n") {
                hear(pending.get(..end).unwrap_or_default(), &mut said);
                pending.drain(..end + 2);
            }
        }
        Ok(said)
    }
}

/// Takes what one event says.
fn hear(event: &[u8], said: &mut Said) {
    let data = event.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"data: "));
    let Some(event) = data.and_then(|data| serde_json::from_slice::<Event<'_>>(data).ok()) else { return };
    if let (Some(Block { id: Some(id), name: Some(name) }), "content_block_start") =
        (&event.content_block, event.r#type)
    {
        said.calls.push(((*id).to_owned(), (*name).to_owned(), String::new()));
    }
    let Some(delta) = event.delta else { return };
    said.text.push_str(delta.text.as_deref().unwrap_or_default());
    if let (Some(json), Some((.., arguments))) = (delta.partial_json, said.calls.last_mut()) {
        arguments.push_str(&json);
    }
}

fn speak(history: &mut Vec<u8>, said: &Said) {
    history.extend_from_slice(br#",{"role":"assistant","content":[{"type":"text","text":"#);
    quote(history, &said.text);
    history.push(b'}');
    for (id, name, arguments) in &said.calls {
        let call = format!(r#",{{"type":"tool_use","id":"{id}","name":"{name}","input":{arguments}}}"#);
        history.extend_from_slice(call.as_bytes());
    }
    history.extend_from_slice(b"]}");
}

fn answer(history: &mut Vec<u8>, said: &Said, results: &[String]) {
    history.extend_from_slice(br#",{"role":"user","content":["#);
    for (place, ((id, ..), result)) in said.calls.iter().zip(results).enumerate() {
        if place > 0 {
            history.push(b',');
        }
        let head = format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"#);
        history.extend_from_slice(head.as_bytes());
        quote(history, result);
        history.push(b'}');
    }
    history.extend_from_slice(b"]}");
}

fn quote(history: &mut Vec<u8>, text: &str) {
    // A text always has a JSON form, and a vector takes whatever is written to it.
    drop(serde_json::to_writer(history, text));
}

/// The calls, as many at once as in ours.
fn results(calls: &[(String, String, String)]) -> Vec<String> {
    let one = |arguments: &str| {
        let given = serde_json::from_str::<Given<'_>>(arguments);
        given.map(|given| result(&given.path, given.step)).unwrap_or_default()
    };
    if let [(.., arguments)] = calls {
        return vec![one(arguments)];
    }
    let slots: Vec<Mutex<String>> = calls.iter().map(|_| Mutex::default()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(((.., arguments), slot)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            calls.get(at).zip(slots.get(at))
        } {
            if let Ok(mut slot) = slot.lock() {
                *slot = one(arguments);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..calls.len().min(PARALLEL) {
            scope.spawn(work);
        }
        work();
    });
    slots.into_iter().map(|slot| slot.into_inner().unwrap_or_default()).collect()
}

fn keep(log: Option<&mut Box<dyn DiskFile>>, bytes: &[u8]) -> Result<(), CliError> {
    let Some(log) = log else { return Ok(()) };
    let mut line = Vec::with_capacity(bytes.len() + 1);
    line.extend_from_slice(bytes);
    line.push(b'\n');
    log.append(&line).map_err(unwritable)?;
    log.sync().map_err(unwritable)
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn unwritable(error: std::io::Error) -> CliError {
    CliError::environment(format!("the floor cannot write: {error}"), "is there room for temporary files?")
}

fn unanswered(why: &str) -> CliError {
    CliError::environment(format!("the floor got no answer: {why}"), "this is a defect of premath")
}
