//! `premath mcp-serve`: the repository as an MCP server, on standard streams or on the loopback address.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use premath_host::{Host, Token};
use premath_mcp::{HttpOptions, ServeError, Serving, ToolChoice, standard_streams};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::in_repository;
use crate::agent::governance::STEP_TOKEN;
use crate::args::mcp::McpServeArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, DIM, GOOD, STRONG};
use crate::{models, system};

/// What the environment may name instead of the file.
const TOKEN_VARIABLE: &str = "PREMATH_MCP_TOKEN";

pub(crate) fn run(args: &McpServeArgs) -> Result<Exit, CliError> {
    if let Some(root) = &args.root {
        go_to(root)?;
    }
    in_repository(None, |host| {
        let runtime = models::runtime().map_err(CliError::action)?;
        let serving = Serving { host, is_step: system::is_set(STEP_TOKEN), tools: chosen(&args.tools)? };
        let served = match args.http {
            None => serving.lines(&runtime, standard_streams(&runtime), system::told_to_end()),
            Some(address) => {
                let listener = listener(&runtime, address)?;
                let (token, place) = token(host)?;
                announce(args, &listener, place.as_ref())?;
                serving.http(&runtime, listener, &HttpOptions { token }, system::told_to_end())
            }
        };
        // A read of standard input cannot be broken off, and must not hold up the end.
        runtime.shutdown_background();
        served.map_err(|error| failed(&error))?;
        Ok(Exit::Accepted)
    })
}

/// Tools by their names, also as actions are called, with or without blanks between them.
fn chosen(names: &[String]) -> Result<ToolChoice, CliError> {
    let names: Vec<String> = names.iter().map(|name| name.trim().replace('.', "_")).collect();
    ToolChoice::of(&names).map_err(|unknown| {
        let what = format!("there is no tool and no family of tools `{}`", unknown.escape_debug());
        CliError::usage(what, format!("families are {}", ToolChoice::families().join(", ")))
    })
}

/// A client may start this anywhere; what it then asks for is read as if it had been started in the repository.
fn go_to(root: &Path) -> Result<(), CliError> {
    if !system::is_repository(root) {
        let what = format!("`{}` is no repository of premath", root.display());
        return Err(CliError::usage(what, "`premath init` in it makes it one"));
    }
    system::go_to(root).map_err(|error| {
        CliError::environment(format!("cannot go to `{}`: {error}", root.display()), "may you enter it?")
    })
}

fn failed(error: &ServeError) -> CliError {
    match error {
        ServeError::NotLoopback { .. } => {
            CliError::usage(error.to_string(), "--http takes 127.0.0.1:PORT or [::1]:PORT")
        }
        ServeError::Beginning { .. } => {
            CliError::usage(error.to_string(), "an MCP client begins with `initialize`")
        }
        ServeError::Listening { .. } | ServeError::BrokenOff => {
            CliError::environment(error.to_string(), "start it again")
        }
    }
}

/// The token, and where it is kept when nobody gave one.
fn token(host: &Host<'_>) -> Result<(Token, Option<PathBuf>), CliError> {
    if let Some(given) = system::variable(TOKEN_VARIABLE) {
        let token = Token::new(&given).ok_or_else(|| {
            let what = format!("{TOKEN_VARIABLE} is no token");
            CliError::usage(what, "a token has 16 or more letters, digits and signs, and no spaces")
        })?;
        return Ok((token, None));
    }
    let (text, path) =
        system::client_token(&host.workspace.root, system::TokenOf::Clients).map_err(|error| {
            let what = format!("there is no token: {error}");
            CliError::environment(what, format!("give one as {TOKEN_VARIABLE}"))
        })?;
    let token = Token::new(&text).ok_or_else(|| {
        let what = format!("`{}` holds no token", path.display());
        CliError::environment(what, "delete it to have a new one")
    })?;
    Ok((token, Some(path)))
}

fn listener(runtime: &Runtime, address: SocketAddr) -> Result<TcpListener, CliError> {
    if !address.ip().is_loopback() {
        return Err(failed(&ServeError::NotLoopback { address: address.to_string() }));
    }
    runtime.block_on(TcpListener::bind(address)).map_err(|error| {
        CliError::environment(format!("cannot listen on {address}: {error}"), "port 0 takes a free one")
    })
}

fn announce(args: &McpServeArgs, listener: &TcpListener, place: Option<&PathBuf>) -> Result<(), CliError> {
    let address = listener.local_addr().map_err(|error| {
        CliError::environment(format!("cannot listen: {error}"), "port 0 takes a free one")
    })?;
    let url = format!("http://{address}/mcp");
    let token_file = place.map(|path| path.display().to_string());
    if args.json {
        return output::json(&json!({ "url": url, "tokenFile": token_file }));
    }
    let shown = token_file.map_or_else(|| TOKEN_VARIABLE.to_owned(), |path| crate::render::plain(&path));
    output::text(&format!(
        "{GOOD}serving{GOOD:#} this repository on {STRONG}{url}{STRONG:#}\n\
         {DIM}Authorization: Bearer TOKEN, with the token in {shown}   Ctrl-C ends it{DIM:#}\n"
    ))
}
