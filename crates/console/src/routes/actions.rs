//! Any action that other agents may call, by name, through the door they come in by: what changes something is linked to an
//! instruction. It must not offer more than that door does.

use axum::http::StatusCode;
use premath_host::{ClientDoor, Host, Workspace};
use premath_wire::InputClass;
use premath_wire::strict::{Limits, parse};
use serde_json::{Value, json};

use crate::answer;
use crate::asked::{Asked, unusable};
use crate::failure::{Failure, Origin};
use crate::openapi;
use crate::route::{Answering, Body, Gives, Route, Verb};
use crate::state::AppState;

/// What calls in this way are on record under.
const CLIENT: &str = "console";
/// What a request may have.
const MEMBERS: [&str; 3] = ["args", "callId", "instruction"];

pub(crate) const ROUTES: &[Route] = &[Route::bare(
    Verb::Post,
    "/api/actions/{name}",
    "call an action as a client of MCP does: a change names the instruction it is made under",
)
.body(Body::Object(body_schema))
.gives(Gives::Data(openapi::envelope))
.by(called)];

fn body_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "args": { "type": "object", "description": "The arguments; `premath schema --input ACTION` says which." },
            "instruction": { "type": "string", "description": "The accepted instruction that a change is made under." },
            "callId": { "type": "string", "description": "What to call the change: the same call under the same name is refused." },
        },
        "additionalProperties": false,
    })
}

fn called(state: AppState, asked: Asked) -> Answering {
    Box::pin(async move {
        let name = asked.named("name").to_owned();
        let offered = state.options().offered.iter().find(|offered| offered.action == name).cloned();
        let Some(offered) = offered else {
            return Err(Failure::new(
                StatusCode::NOT_FOUND,
                "host_action_unknown",
                "no such action is offered here",
            )
            .hinting("GET /openapi.json has what is; people decide at their own addresses"));
        };
        if let Some(unknown) = asked.body.keys().find(|member| !MEMBERS.contains(&member.as_str())) {
            let place = format!("$.{unknown}");
            return Err(unusable(InputClass::FieldInvalid, &place, "what an action takes is in `args`"));
        }
        let args = match asked.body.get("args") {
            None | Some(Value::Null) => serde_json::Map::new(),
            Some(Value::Object(args)) => args.clone(),
            Some(_) => return Err(unusable(InputClass::FieldInvalid, "$.args", "expected an object")),
        };
        if let Some(hidden) = args.keys().find(|argument| offered.hidden.contains(argument)) {
            return Err(unusable(
                InputClass::FieldInvalid,
                &format!("$.args.{hidden}"),
                "this is not named from here",
            ));
        }
        let text = |member: &str| asked.body.get(member).and_then(Value::as_str).map(str::to_owned);
        let door = ClientDoor::new(CLIENT, state.options().is_step);
        let door = if offered.is_linked { door.under(text("instruction"), text("callId")) } else { door };
        let effect = state.host(move |host| through(host, door, &name, args)).await??;
        Ok(answer::payload(StatusCode::OK, &effect))
    })
}

fn through(
    host: &Host<'_>,
    door: ClientDoor,
    name: &str,
    args: serde_json::Map<String, Value>,
) -> Result<Box<serde_json::value::RawValue>, Failure> {
    let origin = Origin { address: &[], is_body: true, ..Origin::default() };
    let text = Value::Object(args).to_string();
    let read = parse(text.as_bytes(), Limits::default()).map_err(|error| Failure::input(&error, origin))?;
    let workspace = Workspace { door: std::sync::Arc::new(door), ..host.workspace.clone() };
    let host = Host { workspace: &workspace, ..*host };
    let effect = host.call(name, &read).map_err(|error| Failure::action(&error, origin))?;
    if effect.result_class == "rejected"
        && let Some(class) = effect.failure_classes.first()
        && effect.payload.get().contains("\"refused\"")
    {
        return Err(Failure::refused(class, effect.payload));
    }
    serde_json::value::to_raw_value(&effect).map_err(|_| Failure::broken())
}
