//! `premath serve`: the console of the repository, on the loopback address.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use premath_console::{Limits, Noted, Offered, Options, PageOrigin, RequestLog, ServeError, Serving};
use premath_host::{Host, Token};
use premath_tusk::sandbox::Interrupt;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::{in_folder, in_served_repository};
use crate::agent::governance::STEP_TOKEN;
use crate::args::serve::ServeArgs;
use crate::demo::console;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, DIM, GOOD, STRONG};
use crate::{models, system};

/// What the environment may name instead of the file.
const TOKEN_VARIABLE: &str = "PREMATH_CONSOLE_TOKEN";

pub(crate) fn run(args: &ServeArgs) -> Result<Exit, CliError> {
    if args.demo {
        return demo(args);
    }
    in_served_repository(args.root.as_deref(), |host| {
        if !system::is_repository(&host.workspace.root) {
            let what = "there is no repository of premath here, nor in a folder above";
            let hint = "`premath init` makes one; `premath serve --demo` shows an example";
            return Err(CliError::environment(what, hint));
        }
        serve(args, host, false)
    })
}

/// Makes the example, and serves it.
fn demo(args: &ServeArgs) -> Result<Exit, CliError> {
    let folder = match &args.keep {
        Some(folder) => PathBuf::from(system::absolute(Some(folder))?),
        None => system::fresh_folder("premath-console").map_err(|error| {
            CliError::environment(
                format!("cannot make a temporary folder: {error}"),
                "name a folder with --keep",
            )
        })?,
    };
    let shown = crate::render::plain(&folder.to_string_lossy());
    if console::is_made(&folder) {
        output::note(&format!("the example in {shown} is there already\n"));
    } else {
        output::note(&format!("making an example in {shown}\n"));
        console::prepare(&folder, &mut |step| output::note(&format!("  {step}\n")))?;
    }
    in_folder(folder, None, |host| console::patient(host, |host| serve(args, host, true)))
}

/// Serves a repository that is there.
fn serve(args: &ServeArgs, host: &Host<'_>, is_demo: bool) -> Result<Exit, CliError> {
    let origins = args.allow_origin.iter().map(|text| origin(text)).collect::<Result<Vec<_>, _>>()?;
    let runtime = models::runtime().map_err(CliError::action)?;
    let listener = listener(&runtime, args.port)?;
    let (token, secret, place) = token(host)?;
    announce(args, &listener, &secret, place.as_ref())?;
    let log = args.log.then(|| Arc::new(ErrorLines) as Arc<dyn RequestLog>);
    let is_step = system::is_set(STEP_TOKEN);
    let limits = Limits::default();
    let options = Options { token, offered: offered(), origins, is_step, is_demo, limits, log };
    // Asked twice, the process ends at once: the journals have everything until then.
    system::on_interrupt(Interrupt::default());
    let served = Serving { host, options }.serve(&runtime, listener, system::told_to_end());
    runtime.shutdown_background();
    served.map_err(|error| failed(&error))?;
    Ok(Exit::Accepted)
}

/// A page of somebody else that is answered.
fn origin(text: &str) -> Result<PageOrigin, CliError> {
    PageOrigin::new(text).ok_or_else(|| {
        let what = format!("`{}` is no origin", crate::render::plain(text));
        let hint = "expected scheme, name and port as a browser sends them, as https://app.example or \
                    http://localhost:3000; no path, and nothing that stands for several";
        CliError::usage(what, hint)
    })
}

/// What other agents may call here is what they may call over MCP.
fn offered() -> Vec<Offered> {
    let one = |offered: premath_mcp::OfferedAction| Offered {
        action: offered.action.to_owned(),
        is_linked: offered.is_linked,
        hidden: offered.hidden.into_iter().map(str::to_owned).collect(),
    };
    premath_mcp::offered().into_iter().map(one).collect()
}

fn failed(error: &ServeError) -> CliError {
    CliError::environment(error.to_string(), "start it again")
}

fn listener(runtime: &Runtime, port: u16) -> Result<TcpListener, CliError> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    runtime.block_on(TcpListener::bind(address)).map_err(|error| {
        let what = format!("cannot listen on {address}: {error}");
        let hint = if error.kind() == std::io::ErrorKind::AddrInUse {
            "another server has that port, perhaps of premath itself; name another with --port, 0 takes a free one"
        } else {
            "name another port with --port, 0 takes a free one"
        };
        CliError::environment(what, hint)
    })
}

/// The token, what it says, and where it is kept when nobody gave one.
fn token(host: &Host<'_>) -> Result<(Token, String, Option<PathBuf>), CliError> {
    if let Some(given) = system::variable(TOKEN_VARIABLE) {
        let token = Token::new(&given).ok_or_else(|| {
            let what = format!("{TOKEN_VARIABLE} is no token");
            CliError::usage(what, "a token has 16 or more letters, digits and signs, and no spaces")
        })?;
        return Ok((token, given.trim().to_owned(), None));
    }
    let found = system::client_token(&host.workspace.root, system::TokenOf::Person);
    let (text, path) = found.map_err(|error| {
        let what = format!("there is no token: {error}");
        CliError::environment(what, format!("give one as {TOKEN_VARIABLE}"))
    })?;
    let token = Token::new(&text).ok_or_else(|| {
        let what = format!("`{}` holds no token", path.display());
        CliError::environment(what, "delete it to have a new one")
    })?;
    Ok((token, text, Some(path)))
}

fn announce(
    args: &ServeArgs,
    listener: &TcpListener,
    secret: &str,
    place: Option<&PathBuf>,
) -> Result<(), CliError> {
    let address = listener.local_addr().map_err(|error| {
        CliError::environment(format!("cannot listen: {error}"), "--port 0 takes a free one")
    })?;
    let url = format!("http://{address}/");
    // Behind the sign of a fragment, which browsers do not send.
    let entry = format!("{url}#token={secret}");
    let is_opened = args.open && system::open_in_browser(&entry);
    let token_file = place.map(|path| path.display().to_string());
    if args.json {
        // What programs read goes into logs: the token is in its file.
        return output::json(&json!({ "url": url, "tokenFile": token_file, "opened": is_opened }));
    }
    if args.open && !is_opened {
        output::warning("there is no browser to open it with");
    }
    let shown = token_file.map_or_else(|| TOKEN_VARIABLE.to_owned(), |path| crate::render::plain(&path));
    output::text(&format!(
        "{GOOD}serving{GOOD:#} this repository on {STRONG}{entry}{STRONG:#}\n\
         {DIM}programs send Authorization: Bearer TOKEN, with the token in {shown}   Ctrl-C ends it{DIM:#}\n"
    ))
}

/// A line for every request.
#[derive(Debug)]
struct ErrorLines;

impl RequestLog for ErrorLines {
    fn note(&self, noted: &Noted<'_>) {
        let line = json!({
            "id": noted.id,
            "method": noted.method,
            "route": noted.route,
            "status": noted.status,
            "code": noted.code,
            "micros": u64::try_from(noted.took.as_micros()).unwrap_or(u64::MAX),
        });
        output::note(&format!("{line}\n"));
    }
}
