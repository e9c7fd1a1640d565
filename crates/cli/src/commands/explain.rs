//! `premath explain`

use premath_host::explain;
use premath_kernel::{FailureClass, Object};

use super::print_envelope;
use crate::args::ExplainArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::{output, render};

pub(crate) fn run(args: &ExplainArgs) -> Result<Exit, CliError> {
    let Some(code) = &args.class else {
        return list(args);
    };
    let code = code.trim().to_ascii_lowercase();
    let class = FailureClass::from_code(&code).ok_or_else(|| unknown(&code))?;
    if args.format.envelope {
        print_envelope("", "failure.explain", &Object::fields().field("class", class.code()).finish())?;
    } else if args.format.json {
        output::json(&explain(class))?;
    } else {
        output::text(&render::markdown::page(explain(class).page))?;
    }
    Ok(Exit::Accepted)
}

fn list(args: &ExplainArgs) -> Result<Exit, CliError> {
    let all: Vec<_> = FailureClass::ALL.iter().map(|class| explain(*class)).collect();
    if args.format.json || args.format.envelope {
        output::json(&all)?;
    } else {
        output::text(&render::markdown::classes(&all))?;
    }
    Ok(Exit::Accepted)
}

/// A typo is answered with what was probably meant.
fn unknown(code: &str) -> CliError {
    let nearest = FailureClass::ALL
        .iter()
        .map(|class| class.code())
        .min_by_key(|known| strsim::levenshtein(code, known));
    let what = format!("there is no failure class `{}`", code.escape_debug());
    let hint = nearest
        .map_or_else(String::new, |known| format!("did you mean `{known}`? `premath explain` lists all"));
    CliError::usage(what, hint)
}
