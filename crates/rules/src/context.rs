//! What of a call a rule can look at, built for one decision. Too much of it is a denial: a rule that could not have looked
//! at everything must not let it pass.

use cedar_policy::{Context, RestrictedExpression};
use premath_tusk::policy::{CallFacts, Origin, Target};
use serde_json::Value;

use crate::mentions::Mentions;
use crate::names::names;
use crate::words::ToolWords;

/// The deepest nesting of arguments.
const MOST_DEPTH: usize = 64;
/// The most bytes of arguments and of what is known of the targets.
const MOST_BYTES: usize = 1 << 20;

/// The context of a call: what these rules look at.
///
/// # Errors
/// Why there is none: too deep, too large, or an argument that is not what the tool's schema says.
pub(crate) fn context(
    tool: &ToolWords,
    mentions: &Mentions,
    call: &CallFacts<'_>,
) -> Result<Context, String> {
    bounded(call)?;
    let mut pairs: Vec<(String, RestrictedExpression)> = Vec::with_capacity(12);
    let mut give = |name: &str, value: &dyn Fn() -> RestrictedExpression| {
        if mentions.attribute(name) {
            pairs.push((name.to_owned(), value()));
        }
    };
    give("allByBot", &|| RestrictedExpression::new_bool(all_by_bot(call.targets)));
    give("anyByPerson", &|| {
        RestrictedExpression::new_bool(call.targets.iter().any(|target| target.origin == Origin::Person))
    });
    give("names", &|| RestrictedExpression::new_string(names(call)));
    give("risk", &|| text(call.risk.token()));
    give("scope", &|| text(call.scope));
    give("targetCount", &|| {
        RestrictedExpression::new_long(i64::try_from(call.targets.len()).unwrap_or(i64::MAX))
    });
    give("targetIds", &|| texts(call.targets, |target| &target.id));
    give("targetKinds", &|| texts(call.targets, |target| &target.kind));
    give("targetNames", &|| texts(call.targets, |target| &target.name));
    give("tier", &|| text(&call.run.risk_tier));
    give("tool", &|| text(call.tool));
    let arguments = arguments(tool, mentions, call.arguments)?;
    if mentions.any_argument() {
        let record = RestrictedExpression::new_record(arguments).map_err(|error| error.to_string())?;
        pairs.push(("args".to_owned(), record));
    }
    Context::from_pairs(pairs).map_err(|error| error.to_string())
}

/// The arguments that rules look at. One that the schema requires must be there, whether a rule looks at it or not.
fn arguments(
    tool: &ToolWords,
    mentions: &Mentions,
    arguments: &Value,
) -> Result<Vec<(String, RestrictedExpression)>, String> {
    let Value::Object(members) = arguments else {
        return Err("the arguments are not an object".to_owned());
    };
    let mut record = Vec::new();
    for field in &tool.fields {
        let given = members.get(&field.name).filter(|value| field.is_required || !value.is_null());
        let Some(given) = given else {
            if field.is_required {
                return Err(format!("the argument `{}` is missing", field.name));
            }
            continue;
        };
        if mentions.argument(&field.name) {
            let Some(value) = field.kind.read(given) else {
                return Err(format!("the argument `{}` is not {}", field.name, field.kind.described()));
            };
            record.push((field.name.clone(), value));
        }
    }
    Ok(record)
}

fn text(text: &str) -> RestrictedExpression {
    RestrictedExpression::new_string(text.to_owned())
}

fn texts(targets: &[Target], part: impl Fn(&Target) -> &str) -> RestrictedExpression {
    RestrictedExpression::new_set(targets.iter().map(|target| text(part(target))))
}

/// Nothing at all is not the bot's: what nobody looked up may be anybody's.
fn all_by_bot(targets: &[Target]) -> bool {
    !targets.is_empty() && targets.iter().all(|target| target.origin == Origin::Bot)
}

fn bounded(call: &CallFacts<'_>) -> Result<(), String> {
    let named = call.targets.iter().fold(0_usize, |sum, target| {
        sum.saturating_add(target.id.len() + target.name.len() + target.kind.len())
    });
    let room = MOST_BYTES.checked_sub(named).and_then(|room| measure(call.arguments, MOST_DEPTH, room));
    room.map(|_| ()).ok_or_else(|| {
        format!("the call is more than {MOST_BYTES} bytes long or more than {MOST_DEPTH} levels deep")
    })
}

/// What is left of the room, when a value fits.
fn measure(value: &Value, depth: usize, room: usize) -> Option<usize> {
    let room = room.checked_sub(1)?;
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => room.checked_sub(8),
        Value::String(text) => room.checked_sub(text.len()),
        Value::Array(items) => {
            let depth = depth.checked_sub(1)?;
            items.iter().try_fold(room, |room, item| measure(item, depth, room))
        }
        Value::Object(members) => {
            let depth = depth.checked_sub(1)?;
            members
                .iter()
                .try_fold(room, |room, (name, member)| measure(member, depth, room.checked_sub(name.len())?))
        }
    }
}
