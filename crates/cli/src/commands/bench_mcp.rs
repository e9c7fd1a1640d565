//! `premath bench mcp`: a question to the MCP server beside an echo of the same SDK, over standard streams, in turns.
//!
//! The echo is what the SDK's documentation shows: one tool over its `stdio`, of which every read and write is a thread's. Ours
//! is over pipes that are read without one; the same echo over such pipes is told beside it, as what is left to be had. Each is
//! this program in a process of its own, and the same client asks all: it writes a line and waits for a line. What the answers
//! weigh is counted, since a client pays for it before any model has said a word.

use std::path::Path;
use std::time::Duration;

use premath_kernel::Object;
use serde_json::{Value, json};

use super::bench_figure::Figure;
use super::bench_store::issues;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output;
use crate::system::{Scratch, Spoken, timed};

/// The median of a round trip over that of the echo.
const LIMIT: f64 = 1.5;
/// What the list of all tools weighs at most, in KiB.
const LIST_LIMIT: f64 = 200.0;
const ISSUES: u32 = 1_000;
const ROUNDS: usize = 200;
/// So many are asked of one before the other has its turn.
const IN_ONE_GO: usize = 10;
const WARM_UP: usize = 100;

pub(super) fn run(as_json: bool) -> Result<Exit, CliError> {
    let scratch = Scratch::new().map_err(|error| unmeasured(&error.to_string()))?;
    let folder = scratch.repository("mcp").map_err(|error| unmeasured(&error.to_string()))?;
    filled(&scratch, &folder)?;
    let mut ours = Server::new(&folder, &["mcp-serve"], "issue_ready", &json!({ "limit": 10 }))?;
    let hello = json!({ "text": "hello" });
    let mut echo = Server::new(&folder, &["bench", "mcp-echo"], "echo", &hello)?;
    let mut piped = Server::new(&folder, &["bench", "mcp-echo", "--pipes"], "echo", &hello)?;
    output::progress("issue_ready and the echo, in turns");
    for server in [&mut ours, &mut echo, &mut piped] {
        (0..WARM_UP).try_for_each(|_| server.round_trip().map(drop))?;
    }
    for _ in 0..ROUNDS {
        for server in [&mut ours, &mut echo, &mut piped] {
            server.measure()?;
        }
    }
    let (ready, floor) = (Spread::of(&mut ours.times), Spread::of(&mut echo.times));
    let detail = format!(
        "{} beside {}, and {} for an echo over the pipes that ours has; {} of each, an answer of ours has {} bytes",
        ready.told(),
        floor.told(),
        Spread::of(&mut piped.times).told(),
        ROUNDS * IN_ONE_GO,
        ours.answer_bytes,
    );
    let ratio = ready.median.as_secs_f64() / floor.median.as_secs_f64();
    let name = "issue_ready, limit 10 of 1,000, over an echo of the same SDK";
    let figures = [
        Figure::at_most(name, ratio, "x", LIMIT).from(detail),
        Figure::at_most("tools/list, all tools", ours.list_kib()?, "KiB", LIST_LIMIT),
    ];
    let holds = figures.iter().all(Figure::holds);
    if as_json {
        output::json(&json!({ "action": "bench", "target": "mcp", "holds": holds, "items": figures }))?;
    } else {
        output::text(&figures.iter().map(Figure::line).collect::<String>())?;
    }
    Ok(if holds { Exit::Accepted } else { Exit::Rejected })
}

/// A repository whose issue memory was written by us, with all that belongs beside it.
fn filled(scratch: &Scratch, folder: &Path) -> Result<(), CliError> {
    let rows = scratch.repository("rows").map_err(|error| unmeasured(&error.to_string()))?;
    issues(&rows, ISSUES, false).map_err(|error| unmeasured(&error.to_string()))?;
    let rows = rows.join(".premath/issues.jsonl").display().to_string();
    super::in_folder(folder.to_owned(), None, |host| {
        let made = |name: &str, args: &premath_kernel::Value<'_>| {
            host.call(name, args).map(drop).map_err(CliError::action)
        };
        made("workspace.init", &Object::fields().finish())?;
        made("issue.import", &Object::fields().field("source", rows).finish())?;
        Ok(Exit::Accepted)
    })
    .map(drop)
}

/// The other end: `premath bench mcp-echo`.
pub(super) fn echo(is_piped: bool) -> Result<Exit, CliError> {
    let runtime = crate::models::runtime().map_err(CliError::action)?;
    let served = if is_piped {
        premath_mcp::echo(&runtime, premath_mcp::standard_streams(&runtime))
    } else {
        premath_mcp::echo(&runtime, premath_mcp::documented_streams())
    };
    runtime.shutdown_background();
    served.map_err(|error| CliError::environment(error.to_string(), "`premath bench mcp` speaks with it"))?;
    Ok(Exit::Accepted)
}

/// A server that was spoken with, and one question to it.
struct Server {
    spoken: Spoken,
    question: String,
    times: Vec<Duration>,
    answer_bytes: usize,
}

impl Server {
    fn new(folder: &Path, words: &[&str], tool: &str, arguments: &Value) -> Result<Self, CliError> {
        let spoken = Spoken::new(folder, words).map_err(|error| unmeasured(&error.to_string()))?;
        let params = json!({ "name": tool, "arguments": arguments });
        let question = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
        let mut server = Self { spoken, question: question.to_string(), times: Vec::new(), answer_bytes: 0 };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "bench", "version": "1" },
        });
        server.asked(
            &json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }).to_string(),
        )?;
        let begun = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
        server.spoken.say(&begun).map_err(|error| unmeasured(&error.to_string()))?;
        Ok(server)
    }

    fn asked(&mut self, line: &str) -> Result<usize, CliError> {
        self.spoken
            .ask(line)
            .map_err(|error| unmeasured(&error.to_string()))
            .and_then(|answer| sound(&answer))
    }

    fn round_trip(&mut self) -> Result<Duration, CliError> {
        let (answer, time) = timed(|| self.spoken.ask(&self.question));
        self.answer_bytes = sound(&answer.map_err(|error| unmeasured(&error.to_string()))?)?;
        Ok(time)
    }

    fn measure(&mut self) -> Result<(), CliError> {
        for _ in 0..IN_ONE_GO {
            let time = self.round_trip()?;
            self.times.push(time);
        }
        Ok(())
    }

    #[expect(clippy::cast_precision_loss, reason = "some hundred thousand bytes")]
    fn list_kib(&mut self) -> Result<f64, CliError> {
        let question = json!({ "jsonrpc": "2.0", "id": 8, "method": "tools/list", "params": {} }).to_string();
        Ok(self.asked(&question)? as f64 / 1024.0)
    }
}

fn unmeasured(why: &str) -> CliError {
    CliError::environment(
        format!("the server cannot be measured: {why}"),
        "is there room for temporary files?",
    )
}

/// How long an answer is; what is none stops the measuring.
fn sound(answer: &str) -> Result<usize, CliError> {
    let is_result = answer.chars().take(60).collect::<String>().contains("\"result\":");
    if !is_result || answer.contains("\"isError\":true") {
        return Err(unmeasured("a server did not answer as it should"));
    }
    Ok(answer.len())
}

/// How long most took, and the slowest but one in a hundred.
struct Spread {
    median: Duration,
    slow: Duration,
}

impl Spread {
    fn of(times: &mut [Duration]) -> Self {
        times.sort_unstable();
        let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or_default();
        Self { median: at(50), slow: at(99) }
    }

    fn told(&self) -> String {
        let micros = |time: Duration| time.as_secs_f64() * 1_000_000.0;
        format!("p50 {:.0} us, p99 {:.0} us", micros(self.median), micros(self.slow))
    }
}
