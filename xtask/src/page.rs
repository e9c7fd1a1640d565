//! `cargo xtask page`: the page of the console, from its sources into `crates/console/dist`, where the program embeds it.
//! The built files are committed, so that nobody needs Node to build or install premath; CI holds them to their sources.
//! Must not decide what the page is: that is its own build.

use anyhow::{Context as _, Result};

use crate::system::{Invocation, target_directory};
use crate::tools::{self, CHROMIUM, NODE, NPM};

const SOURCES: &str = "crates/console/page";
const BUILT: &str = "crates/console/dist";

/// Arguments of `page`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Build it elsewhere and fail when the committed files are others
    #[arg(long)]
    check: bool,
    /// Take the pictures of docs/console anew
    #[arg(long, conflicts_with = "check")]
    pictures: bool,
}

/// Builds the page, or does what the arguments say instead.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    tools::ensure(&[&NODE, &NPM])?;
    install()?;
    if arguments.pictures {
        return in_browser(&["pictures", "docs/console"]);
    }
    if arguments.check {
        return check().map(drop);
    }
    npm(&["run", "build"]).run()
}

/// CI: types, tests, and the committed files are what the sources give.
pub(crate) fn check() -> Result<String> {
    npm(&["test"]).run()?;
    let fresh = target_directory()?.join("page");
    let fresh = fresh.to_str().context("the target folder has a name that is not UTF-8")?;
    // The build checks the types first.
    npm(&["run", "build", "--", "--emptyOutDir", "--outDir", fresh]).run()?;
    Invocation::new("diff").arguments(&["-r", fresh, BUILT]).run().with_context(|| {
        format!("`{BUILT}` is not what `{SOURCES}` gives: run `cargo xtask page` and commit it")
    })?;
    Ok(String::new())
}

/// CI: what people do on the page, in a real browser against the program itself.
pub(crate) fn specs() -> Result<String> {
    in_browser(&[])?;
    Ok(String::new())
}

/// The packages of the page, as their lock file has them.
pub(crate) fn install() -> Result<()> {
    npm(&["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]).run()
}

fn npm(arguments: &[&str]) -> Invocation {
    Invocation::new("npm").arguments(&["--prefix", SOURCES]).arguments(arguments)
}

fn in_browser(arguments: &[&str]) -> Result<()> {
    tools::ensure(&[&CHROMIUM])?;
    // As it is shipped, and as other steps of CI build it: a debug build of this package alone is built from other features
    // than the tests are, so that it would be one build more.
    Invocation::cargo(&["build", "--release", "--locked", "--package", "premath-cli"]).run()?;
    let premath = target_directory()?.join("release/premath");
    let premath = premath.to_str().context("the target folder has a name that is not UTF-8")?;
    Invocation::new("node")
        .argument(format!("{SOURCES}/e2e/all.mjs"))
        .arguments(arguments)
        .with_variable("PREMATH", premath)
        .run()
}
