//! The programs the verbs need: which version, how to tell whether it is there, how to get it.
//! Must not run anything but version probes and installers.

use std::fmt;

use anyhow::{Result, bail};

use crate::report::say;
use crate::system::{Invocation, is_root};

#[cfg(test)]
mod tests;

/// A program, the oldest version that will do, and where it comes from.
#[derive(Debug)]
pub(crate) struct Tool {
    name: &'static str,
    probe: &'static [&'static str],
    minimum: Version,
    source: Source,
}

#[derive(Debug, Clone, Copy)]
enum Source {
    /// `cargo install --locked name@version`; the tool's name is the crate's.
    Crate(&'static str),
    /// A Debian package of this name.
    Debian(&'static str),
    /// A rustup component of this name.
    Component(&'static str),
}

/// Major, minor, patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Version(u32, u32, u32);

const ANY: Version = Version(0, 0, 0);

pub(crate) const NEXTEST: Tool = Tool {
    name: "cargo-nextest",
    probe: &["cargo", "nextest", "--version"],
    minimum: Version(0, 9, 100),
    source: Source::Crate("0.9.143"),
};

pub(crate) const DENY: Tool = Tool {
    name: "cargo-deny",
    probe: &["cargo", "deny", "--version"],
    minimum: Version(0, 20, 0),
    source: Source::Crate("0.20.2"),
};

pub(crate) const FUZZ: Tool = Tool {
    name: "cargo-fuzz",
    probe: &["cargo", "fuzz", "--version"],
    minimum: Version(0, 13, 0),
    source: Source::Crate("0.13.2"),
};

pub(crate) const MUTANTS: Tool = Tool {
    name: "cargo-mutants",
    probe: &["cargo", "mutants", "--version"],
    minimum: Version(27, 0, 0),
    source: Source::Crate("27.1.0"),
};

pub(crate) const COVERAGE: Tool = Tool {
    name: "cargo-llvm-cov",
    probe: &["cargo", "llvm-cov", "--version"],
    minimum: Version(0, 9, 0),
    source: Source::Crate("0.9.1"),
};

pub(crate) const VALGRIND: Tool = Tool {
    name: "valgrind",
    probe: &["valgrind", "--version"],
    minimum: ANY,
    source: Source::Debian("valgrind"),
};

/// Kills a command at a chosen system call.
pub(crate) const STRACE: Tool =
    Tool { name: "strace", probe: &["strace", "-V"], minimum: ANY, source: Source::Debian("strace") };

/// Gives a command a wrong clock.
pub(crate) const FAKETIME: Tool = Tool {
    name: "faketime",
    probe: &["faketime", "--version"],
    minimum: ANY,
    source: Source::Debian("faketime"),
};

/// Runs the official clients of providers against our model server.
pub(crate) const NODE: Tool = Tool {
    name: "node",
    probe: &["node", "--version"],
    minimum: Version(20, 19, 0),
    source: Source::Debian("nodejs"),
};

/// Gets those clients.
pub(crate) const NPM: Tool =
    Tool { name: "npm", probe: &["npm", "--version"], minimum: ANY, source: Source::Debian("npm") };

/// Shows the page of the console to its specs.
pub(crate) const CHROMIUM: Tool = Tool {
    name: "chromium",
    probe: &["chromium", "--version"],
    minimum: ANY,
    source: Source::Debian("chromium"),
};

/// Runs the official Python client of MCP, in an environment of its own.
pub(crate) const PYTHON: Tool = Tool {
    name: "python3",
    probe: &["python3", "-c", "import ensurepip, sys; print(sys.version)"],
    minimum: Version(3, 10, 0),
    source: Source::Debian("python3-venv"),
};

pub(crate) const RUSTFMT: Tool = Tool {
    name: "rustfmt",
    probe: &["cargo", "fmt", "--version"],
    minimum: ANY,
    source: Source::Component("rustfmt"),
};

pub(crate) const CLIPPY: Tool = Tool {
    name: "clippy",
    probe: &["cargo", "clippy", "--version"],
    minimum: ANY,
    source: Source::Component("clippy"),
};

/// What stands between a tool and its use.
#[derive(Debug, PartialEq, Eq)]
enum Gap {
    Missing,
    TooOld(Version),
}

/// Makes sure that all tools are there, installing what may be installed. The error names every tool that is not,
/// with the command that would install it.
pub(crate) fn ensure(tools: &[&Tool]) -> Result<()> {
    let mut problems = Vec::new();
    for tool in tools {
        let Some(gap) = tool.gap() else { continue };
        say(&format!("{} {gap}", tool.name));
        if let Err(error) = tool.install() {
            say(&format!("{error:#}"));
        }
        if let Some(gap) = tool.gap() {
            problems.push(tool.problem(&gap));
        }
    }
    if !problems.is_empty() {
        bail!("tools missing\n{}", problems.join("\n"));
    }
    Ok(())
}

impl Tool {
    fn gap(&self) -> Option<Gap> {
        let (program, arguments) = self.probe.split_first()?;
        match Invocation::new(program).arguments(arguments).capture() {
            Ok(captured) if captured.status.success() => gap_in(&captured.stdout, self.minimum),
            Ok(_) | Err(_) => Some(Gap::Missing),
        }
    }

    fn install(&self) -> Result<()> {
        if matches!(self.source, Source::Debian(_)) && !is_root() {
            bail!("only root can install it");
        }
        for step in self.installation() {
            say(&format!("running `{step}`"));
            step.run()?;
        }
        Ok(())
    }

    fn installation(&self) -> Vec<Invocation> {
        match self.source {
            // `--force` replaces a version that is too old.
            Source::Crate(version) => vec![
                Invocation::cargo(&["install", "--locked", "--force"])
                    .argument(format!("{}@{version}", self.name)),
            ],
            Source::Debian(package) => vec![
                Invocation::new("apt-get").arguments(&["update"]),
                Invocation::new("apt-get")
                    .arguments(&["install", "-y", package])
                    .with_variable("DEBIAN_FRONTEND", "noninteractive"),
            ],
            Source::Component(component) => {
                vec![Invocation::new("rustup").arguments(&["component", "add", component])]
            }
        }
    }

    fn problem(&self, gap: &Gap) -> String {
        let steps: Vec<String> = self.installation().iter().map(ToString::to_string).collect();
        format!("  {} {gap}; install it with: {}", self.name, steps.join(" && "))
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => write!(formatter, "is not installed"),
            Self::TooOld(Version(major, minor, patch)) => {
                write!(formatter, "{major}.{minor}.{patch} is too old")
            }
        }
    }
}

/// A tool that answers the probe without a version we can read is good enough only if any version is.
fn gap_in(answer: &str, minimum: Version) -> Option<Gap> {
    let found = version_in(answer).unwrap_or(ANY);
    (found < minimum).then_some(Gap::TooOld(found))
}

/// The first `a.b.c` of a version line such as `cargo-deny 0.20.2` or `valgrind-3.19.0`.
fn version_in(answer: &str) -> Option<Version> {
    answer.split(|letter: char| !letter.is_ascii_digit() && letter != '.').find_map(|word| {
        let mut numbers = word.split('.').map(str::parse::<u32>);
        match (numbers.next(), numbers.next(), numbers.next()) {
            (Some(Ok(major)), Some(Ok(minor)), Some(Ok(patch))) => Some(Version(major, minor, patch)),
            _ => None,
        }
    })
}
