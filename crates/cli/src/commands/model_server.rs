//! `premath model-server`: a scenario over the three protocols, on the loopback address, until somebody ends it.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use premath_models::scenario::Scenario;
use premath_models::scripted::{Script, Served};
use premath_models::server::{ServerError, serve};
use serde_json::json;
use tokio::net::TcpListener;

use crate::args::model::ModelServerArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, BAD, DIM, GOOD, STRONG, WARN};
use crate::render::plain;
use crate::{models, system};

pub(crate) fn run(args: &ModelServerArgs) -> Result<Exit, CliError> {
    let bytes = system::read_named(&args.scenario, "--scenario takes a readable file")?;
    let name = args.scenario.to_string_lossy();
    let text = String::from_utf8(bytes)
        .map_err(|_| CliError::usage(format!("`{name}` is not UTF-8"), "a scenario is a TOML file"))?;
    let scenario = Scenario::parse(&name, &text).map_err(|error| CliError {
        exit: Exit::Invalid,
        message: format!("input.field_invalid: {error}"),
        hints: vec!["docs/reference/scenarios.md says what a scenario may say".to_owned()],
    })?;
    let runtime = models::runtime().map_err(CliError::action)?;
    runtime.block_on(serving(args, scenario))?;
    Ok(Exit::Accepted)
}

async fn serving(args: &ModelServerArgs, scenario: Scenario) -> Result<(), CliError> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let listener = TcpListener::bind(address).await.map_err(|error| {
        CliError::environment(format!("cannot listen on {address}: {error}"), "--port 0 takes a free port")
    })?;
    let address = listener.local_addr().map_err(|error| {
        CliError::environment(format!("cannot listen: {error}"), "--port 0 takes a free port")
    })?;
    announce(args, &scenario, address)?;
    let is_json = args.json;
    let observer = move |served: &Served| tell(is_json, served);
    // It ends with the process: what it serves is a file, and nothing is lost.
    let served = serve(listener, Arc::new(Script::new(scenario)), std::future::pending(), Arc::new(observer));
    served.await.map_err(|error| {
        let why = match &error {
            ServerError::Io { source } => format!(": {source}"),
            ServerError::NotLoopback { .. } => String::new(),
        };
        CliError::environment(format!("{error}{why}"), "start it again")
    })
}

fn announce(args: &ModelServerArgs, scenario: &Scenario, address: SocketAddr) -> Result<(), CliError> {
    let url = format!("http://{address}");
    if args.json {
        return output::json(&json!({ "url": url, "scenario": scenario.name }));
    }
    output::text(&format!(
        "{GOOD}serving{GOOD:#} {STRONG}{}{STRONG:#} on {STRONG}{url}{STRONG:#}\n\
         {DIM}POST /v1/messages  /v1/responses  /v1/chat/completions   GET /v1/models   any key will do   Ctrl-C ends it{DIM:#}\n",
        plain(&scenario.name)
    ))
}

/// A reader that went away does not end the server: its clients are others.
fn tell(is_json: bool, served: &Served) {
    let protocol = served.protocol.map(premath_models::provider::Protocol::as_str);
    let told = if is_json {
        output::json(&json!({
            "protocol": protocol,
            "model": served.model,
            "turn": served.turn,
            "stream": served.streamed,
            "fault": served.fault,
            "status": served.status,
            "problem": served.problem,
        }))
    } else {
        output::text(&line(protocol.unwrap_or("-"), served))
    };
    drop(told);
}

fn line(protocol: &str, served: &Served) -> String {
    let model = plain(served.model.as_deref().unwrap_or("-"));
    let turn = served.turn.map_or_else(|| "-".to_owned(), |turn| format!("turn {turn}"));
    let form = if served.streamed { "stream" } else { "whole" };
    let style = if served.status < 400 { GOOD } else { BAD };
    let mut text = format!("{style}{}{style:#}  {protocol}  {model}  {turn}  {form}", served.status);
    if let Some(fault) = served.fault {
        text.push_str(&format!("  {WARN}{fault}{WARN:#}"));
    }
    if let Some(problem) = &served.problem {
        text.push_str(&format!("  {}", plain(problem)));
    }
    text + "\n"
}
