//! `premath schema`

use premath_kernel::Object;
use premath_wire::v1::{SCHEMA_NAMES, schema};

use super::print_envelope;
use crate::args::SchemaArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output;

pub(crate) fn run(args: &SchemaArgs) -> Result<Exit, CliError> {
    let Some(name) = &args.name else {
        return list(args);
    };
    let found = schema(name).ok_or_else(|| {
        let known = SCHEMA_NAMES.join(", ");
        CliError::usage(format!("there is no schema `{}`", name.escape_debug()), format!("known: {known}"))
    })?;
    if args.format.envelope {
        print_envelope("", "schema.show", &Object::fields().field("name", name.as_str()).finish())?;
    } else if args.format.json {
        output::json(&found)?;
    } else {
        let pretty = serde_json::to_string_pretty(&found)
            .map_err(|source| super::unwritable(premath_host::ActionError::Unwritable { source }))?;
        output::text(&format!("{pretty}\n"))?;
    }
    Ok(Exit::Accepted)
}

fn list(args: &SchemaArgs) -> Result<Exit, CliError> {
    if args.format.json || args.format.envelope {
        output::json(&SCHEMA_NAMES.as_slice())?;
    } else {
        output::text(&format!("{}\n", SCHEMA_NAMES.join("\n")))?;
    }
    Ok(Exit::Accepted)
}
