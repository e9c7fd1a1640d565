//! `tool.*`: tools of other servers, looked at, approved and forgotten. Approving needs the credential of a person, whoever
//! calls, and the digest of what that person was shown. A server that a repository names is not started before that.

mod rows;

use premath_bd::{NewToolPin, ToolPin};
use premath_kernel::{Digest, Object, Value};
use premath_tusk::tools::foreign::{BlockedClass, ForeignDefinition, ForeignError, ForeignServer, escaped};
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{AuditKind, AuditRow, ForeignToolsAnswer, RefusedAnswer, RefusedBecause};
use schemars::JsonSchema;
use serde::Deserialize;

use self::rows::{Ground, forgotten_row, missing_rows, pinned_rows, server_row, tool_rows};
use super::issue::{arguments, invalid, told};
use crate::foreign::{Approved, store, unanswered};
use crate::recording::audit_log;
use crate::table::{ActionError, Answer, Host};
use crate::workspace::shown;

/// What `tool.list` and `tool.check` take.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ListArgs {
    /// Only this server.
    server: Option<String>,
}

/// What `tool.show` and `tool.forget` take.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OneArgs {
    /// `SERVER` or `SERVER/TOOL`.
    target: String,
}

/// What `tool.approve` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApproveArgs {
    /// `SERVER` or `SERVER/TOOL`.
    target: String,
    /// The digest of what was shown. Nothing is approved without it.
    digest: Option<String>,
}

/// `tool.list`: what is configured and approved; nothing is started.
pub(crate) fn list(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ListArgs = arguments(args)?;
    let ground = Ground::new(host)?;
    let (mut servers, mut tools) = (Vec::new(), Vec::new());
    for server in named(&ground, told(args.server.as_deref()))? {
        servers.push(server_row(&ground, &server));
        tools.extend(pinned_rows(&ground, &server));
    }
    answered("tool.list", ("ok", "listed"), servers, tools, None)
}

/// `tool.check`: what servers define now, held against what was approved.
pub(crate) fn check(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ListArgs = arguments(args)?;
    let ground = Ground::new(host)?;
    let (mut servers, mut tools, mut is_sound) = (Vec::new(), Vec::new(), true);
    for server in named(&ground, told(args.server.as_deref()))? {
        let mut row = server_row(&ground, &server);
        if ground.approved.lets_start(&server) {
            match ground.port.list(&server.name, &host.agent.interrupt()) {
                Ok(listed) => {
                    tools.extend(tool_rows(&ground, &server, &listed, false));
                    tools.extend(missing_rows(&ground, &server, &listed));
                }
                Err(error) => row.failed = Some(told_why(&error)),
            }
        } else {
            let why = match row.diff {
                Some(_) => "it is not the one that was approved, and was not started",
                None => "nobody agreed that it is started",
            };
            row.failed = Some(why.to_owned());
        }
        is_sound &= row.failed.is_none();
        servers.push(row);
    }
    let drifted =
        |class: &Option<String>| class.as_deref().is_some_and(|class| class != BlockedClass::Unpinned.code());
    is_sound &= !tools.iter().any(|row| drifted(&row.class));
    answered("tool.check", (if is_sound { "ok" } else { "rejected" }, "listed"), servers, tools, None)
}

/// `tool.show`: the definitions of a server, or one of them, as they are now.
pub(crate) fn show(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "tool.show";
    let args: OneArgs = arguments(args)?;
    let ground = Ground::new(host)?;
    let (server, tool) = target(&ground, &args.target)?;
    if !ground.approved.lets_start(&server) {
        let row = server_row(&ground, &server);
        let digest = row.digest.clone();
        return answered(ACTION, ("rejected", "shown"), vec![row], Vec::new(), Some(digest));
    }
    let listed = match looked(host, &ground, &server, tool.as_deref())? {
        Ok(listed) => listed,
        Err(refused) => return refuse(host, ACTION, &refused),
    };
    let tools = tool_rows(&ground, &server, &listed, true);
    let digest = shown_digest(&server, &listed);
    answered(ACTION, ("ok", "shown"), vec![server_row(&ground, &server)], tools, Some(digest))
}

/// `tool.approve`: first the server of a repository, then what it defines; each by the digest of what was shown.
pub(crate) fn approve(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "tool.approve";
    let args: ApproveArgs = arguments(args)?;
    let Some(credential) = host.agent.credential()? else {
        let detail = "approving needs the credential of a person, and there is none here";
        return refuse(
            host,
            ACTION,
            &Refused("person_missing", detail.to_owned(), "approve at your own terminal"),
        );
    };
    let mut ground = Ground::new(host)?;
    let (server, tool) = target(&ground, &args.target)?;
    let given = told(args.digest.as_deref());
    if given.is_some() && host.agent.is_for_an_agent() {
        let detail = "an agent started this process, and nobody sits at its terminal".to_owned();
        return refuse(host, ACTION, &Refused("person_missing", detail, "approve at your own terminal"));
    }
    let (pins, listed) = if ground.approved.lets_start(&server) {
        let listed = match looked(host, &ground, &server, tool.as_deref())? {
            Ok(listed) => match wanted(&ground, &server, listed, tool.is_some()) {
                Ok(listed) => listed,
                Err(refused) => return refuse(host, ACTION, &refused),
            },
            Err(refused) => return refuse(host, ACTION, &refused),
        };
        (listed.iter().map(|one| tool_pin(&server, one)).collect::<Vec<_>>(), listed)
    } else {
        (vec![server_pin(&ground, &server)], Vec::new())
    };
    let servers = vec![server_row(&ground, &server)];
    let tools = tool_rows(&ground, &server, &listed, true);
    if pins.is_empty() {
        return answered(ACTION, ("ok", "nothing"), servers, tools, None);
    }
    let digest = digest_of(&pins);
    match given {
        None => return answered(ACTION, ("rejected", "shown"), servers, tools, Some(digest)),
        Some(given) if given != digest => {
            let detail = format!("what is there is {digest}, and {} was shown", given.escape_debug());
            let hint = "look at it again, and approve what is there now";
            return refuse(host, ACTION, &Refused("approval_digest_mismatch", detail, hint));
        }
        Some(_) => {}
    }
    if ground.place.is_empty() {
        return Err(invalid("this folder has no place that an approval could hold for", "target").into());
    }
    let workspace = host.workspace;
    let mut audit = audit_log(workspace).write()?;
    let approved = store(workspace).approve(&credential, &ground.place, &pins, workspace.clock.now())?;
    let rows: Vec<AuditRow> = approved.iter().map(|pin| audit_row(host, pin, "approved")).collect();
    audit.append(&rows)?;
    ground.approved = Approved::read(workspace, host.agent, &ground.place)?;
    let tools = tool_rows(&ground, &server, &listed, false);
    answered(ACTION, ("ok", "approved"), vec![server_row(&ground, &server)], tools, Some(digest))
}

/// `tool.forget`
pub(crate) fn forget(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "tool.forget";
    let args: OneArgs = arguments(args)?;
    let (server, tool) = split(&args.target)?;
    let workspace = host.workspace;
    let store = store(workspace);
    // As `list` shows it, or as the server spells it.
    let is_called = |name: &str, tool: &str| name == tool || rows::spelled(name) == tool;
    let is_meant = |pin: &ToolPin| {
        let name = pin.approved.tool.as_deref();
        pin.approved.server == server
            && tool.is_none_or(|tool| name.is_some_and(|name| is_called(name, tool)))
    };
    let meant: Vec<ToolPin> = store.read()?.into_iter().filter(is_meant).collect();
    if meant.is_empty() {
        let detail = format!("nothing was approved under `{}`", args.target.escape_debug());
        let refused = Refused("tool_unpinned", detail, "`premath tools list` names what was approved");
        return refuse(host, ACTION, &refused);
    }
    let mut audit = audit_log(workspace).write()?;
    let mut gone = Vec::new();
    if tool.is_none() {
        gone.extend(store.forget(server, None)?);
    } else {
        for pin in &meant {
            gone.extend(store.forget(server, pin.approved.tool.as_deref())?);
        }
    }
    let rows: Vec<AuditRow> = gone.iter().map(|pin| audit_row(host, pin, "forgotten")).collect();
    audit.append(&rows)?;
    let tools = gone.iter().filter_map(forgotten_row).collect();
    answered(ACTION, ("ok", "forgotten"), Vec::new(), tools, None)
}

/// Why something was not done: the class, what exactly, what to do.
struct Refused(&'static str, String, &'static str);

fn refuse(
    host: &Host<'_>,
    action: &str,
    Refused(class, detail, hint): &Refused,
) -> Result<Answer, ActionError> {
    let refused =
        RefusedBecause { class: (*class).to_owned(), detail: detail.clone(), hint: (*hint).to_owned() };
    let issues_path = shown(&host.workspace.issues_path(None));
    Answer::refused(class, &RefusedAnswer { action: action.to_owned(), issues_path, refused })
}

fn answered(
    action: &str,
    (class, outcome): (&'static str, &str),
    servers: Vec<premath_wire::v1::ForeignServerRow>,
    tools: Vec<premath_wire::v1::ForeignToolRow>,
    shown_digest: Option<String>,
) -> Result<Answer, ActionError> {
    let (action, outcome) = (action.to_owned(), outcome.to_owned());
    Answer::new(class, &ForeignToolsAnswer { action, outcome, servers, tools, shown_digest })
}

/// The servers that are meant: one, or all.
fn named(ground: &Ground, server: Option<&str>) -> Result<Vec<ForeignServer>, ActionError> {
    match server {
        None => Ok(ground.port.servers().to_vec()),
        Some(name) => Ok(vec![configured(ground, name, "server")?]),
    }
}

fn configured(ground: &Ground, name: &str, member: &str) -> Result<ForeignServer, ActionError> {
    let found = ground.port.servers().iter().find(|server| server.name == name);
    found.cloned().ok_or_else(|| {
        let what = format!("there is no server `{}` in the configuration", name.escape_debug());
        invalid(&what, member).into()
    })
}

fn split(target: &str) -> Result<(&str, Option<&str>), ActionError> {
    let (server, tool) = target.split_once('/').map_or((target, None), |(server, tool)| (server, Some(tool)));
    if server.is_empty() || tool.is_some_and(str::is_empty) {
        return Err(invalid("expected SERVER or SERVER/TOOL", "target").into());
    }
    Ok((server, tool))
}

fn target(ground: &Ground, target: &str) -> Result<(ForeignServer, Option<String>), ActionError> {
    let (server, tool) = split(target)?;
    Ok((configured(ground, server, "target")?, tool.map(str::to_owned)))
}

/// Why a server gave no answer, with its last words: a person who looks into it needs them.
fn told_why(error: &ForeignError) -> String {
    let said = escaped(error.said());
    let said = if said.is_empty() { said } else { format!("; it said: {said}") };
    format!("{}{said}", unanswered(error).1)
}

/// What a server defines now: all that is used, or one.
fn looked(
    host: &Host<'_>,
    ground: &Ground,
    server: &ForeignServer,
    tool: Option<&str>,
) -> Result<Result<Vec<ForeignDefinition>, Refused>, ActionError> {
    let listed = match ground.port.list(&server.name, &host.agent.interrupt()) {
        Ok(listed) => listed,
        Err(error) => {
            let hint = "mend [mcp.servers] in the configuration, or start the server yourself to see why";
            return Ok(Err(Refused(unanswered(&error).0.code(), told_why(&error), hint)));
        }
    };
    let is_meant = |one: &ForeignDefinition| {
        server.uses(&one.name) && tool.is_none_or(|tool| one.name == tool || rows::spelled(&one.name) == tool)
    };
    let meant: Vec<ForeignDefinition> = listed.into_iter().filter(is_meant).collect();
    if meant.is_empty() && tool.is_some() {
        let detail = "the server defines no such tool, or the configuration does not use it".to_owned();
        return Ok(Err(Refused("tool_missing", detail, "`premath tools check` names what there is")));
    }
    Ok(Ok(meant))
}

/// What of the listed is to be approved: one by name as it is; of a whole server what can be used and hides nothing. Where
/// that is nothing, and something is blocked, it is said why.
fn wanted(
    ground: &Ground,
    server: &ForeignServer,
    listed: Vec<ForeignDefinition>,
    is_named: bool,
) -> Result<Vec<ForeignDefinition>, Refused> {
    let blocked = ground.approved.admit(server, &listed).blocked;
    let wants = |one: &ForeignDefinition| {
        let found = blocked.iter().find(|blocked| blocked.tool.as_deref() == Some(&one.name));
        found.is_some_and(|blocked| match blocked.class {
            BlockedClass::Unpinned | BlockedClass::Drift => true,
            BlockedClass::InvisibleCharacters => is_named,
            BlockedClass::NameClash
            | BlockedClass::NameInvalid
            | BlockedClass::SchemaUnusable
            | BlockedClass::ServerUnapproved
            | BlockedClass::ServerUnreachable
            | BlockedClass::Missing => false,
        })
    };
    let wanted: Vec<ForeignDefinition> = listed.into_iter().filter(wants).collect();
    match blocked.first().filter(|_| wanted.is_empty()) {
        None => Ok(wanted),
        Some(one) => {
            let hint = match one.class {
                BlockedClass::InvisibleCharacters => "approve it by name: SERVER/TOOL",
                BlockedClass::Unpinned
                | BlockedClass::Drift
                | BlockedClass::NameClash
                | BlockedClass::NameInvalid
                | BlockedClass::SchemaUnusable
                | BlockedClass::ServerUnapproved
                | BlockedClass::ServerUnreachable
                | BlockedClass::Missing => "it cannot be approved: whoever makes the server has to mend it",
            };
            let detail = format!("{}: {}", one.shown(), one.detail);
            Err(Refused(one.class.code(), detail, hint))
        }
    }
}

fn server_pin(ground: &Ground, server: &ForeignServer) -> NewToolPin {
    NewToolPin {
        server: server.name.clone(),
        tool: None,
        digest: ground.approved.identity_digest(server).as_str().to_owned(),
        definition: ground.approved.identity(server),
    }
}

fn tool_pin(server: &ForeignServer, definition: &ForeignDefinition) -> NewToolPin {
    NewToolPin {
        server: server.name.clone(),
        tool: Some(definition.name.clone()),
        digest: definition.pin(server).as_str().to_owned(),
        definition: definition.to_value().into_owned(),
    }
}

/// The digest of what is approved at once: of one thing its own.
fn digest_of(pins: &[NewToolPin]) -> String {
    match pins {
        [one] => one.digest.clone(),
        several => {
            let list = Value::text_list(several.iter().map(|pin| pin.digest.as_str()));
            Digest::prefixed("tps1_", &list).as_str().to_owned()
        }
    }
}

fn shown_digest(server: &ForeignServer, listed: &[ForeignDefinition]) -> String {
    digest_of(&listed.iter().map(|one| tool_pin(server, one)).collect::<Vec<_>>())
}

fn audit_row(host: &Host<'_>, pin: &ToolPin, effect: &str) -> AuditRow {
    let workspace = host.workspace;
    let at = format_time(to_millis(workspace.clock.now()));
    let actor = workspace.door.actor().unwrap_or_else(|| pin.by.clone());
    let id = premath_bd::fresh_audit_id(workspace.ids.as_ref());
    let mut row = AuditRow::new(id, at, AuditKind::Approval, actor, effect);
    row.tool = Some(format!("tool.{}", if effect == "approved" { "approve" } else { "forget" }));
    let tool = pin.approved.tool.as_deref().map(|tool| format!("/{}", rows::spelled(tool)));
    row.targets = vec![format!("{}{}", pin.approved.server, tool.unwrap_or_default())];
    let data = Object::fields().field("digest", pin.approved.digest.clone()).finish();
    row.data = Some(premath_wire::Json(data));
    row
}
