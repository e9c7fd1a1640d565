//! `premath schema`

use premath_host::{ACTIONS, input_schema};
use premath_kernel::Object;
use premath_wire::v1::{SCHEMA_NAMES, schema};

use super::print_envelope;
use crate::args::SchemaArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output;

pub(crate) fn run(args: &SchemaArgs) -> Result<Exit, CliError> {
    let (key, name, found) = match (&args.name, &args.input) {
        (_, Some(action)) => ("input", action, input_schema(action).ok_or_else(|| unknown_action(action))?),
        (Some(name), None) => ("name", name, schema(name).ok_or_else(|| unknown_schema(name))?),
        (None, None) => return list(args),
    };
    if args.format.envelope {
        print_envelope("", "schema.show", &Object::fields().field(key, name.as_str()).finish())?;
    } else if args.format.json {
        output::json(&found)?;
    } else {
        let pretty = serde_json::to_string_pretty(&found)
            .map_err(|source| super::unwritable(premath_host::ActionError::Unwritable { source }))?;
        output::text(&format!("{pretty}\n"))?;
    }
    Ok(Exit::Accepted)
}

fn unknown_schema(name: &str) -> CliError {
    let known = SCHEMA_NAMES.join(", ");
    CliError::usage(format!("there is no schema `{}`", name.escape_debug()), format!("known: {known}"))
}

fn unknown_action(name: &str) -> CliError {
    let known = ACTIONS.iter().map(|action| action.name).collect::<Vec<_>>().join(", ");
    CliError::usage(format!("there is no action `{}`", name.escape_debug()), format!("known: {known}"))
}

fn list(args: &SchemaArgs) -> Result<Exit, CliError> {
    if args.format.json || args.format.envelope {
        output::json(&SCHEMA_NAMES.as_slice())?;
    } else {
        output::text(&format!("{}\n", SCHEMA_NAMES.join("\n")))?;
    }
    Ok(Exit::Accepted)
}
