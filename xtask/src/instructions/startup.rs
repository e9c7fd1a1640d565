//! Wall time of a whole one-call check compared with the start of the process, in alternating runs.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::Ratio;
use crate::report::say;
use crate::system::Invocation;

const GOLDEN: &str = "conformance/harness-typestate/golden/single_call_accept/case.json";
const WARM_UP: usize = 5;
const PAIRS: usize = 201;
const LIMIT: f64 = 1.5;

/// The median of a one-call join check over the median of `--version`.
pub(super) fn ratio(premath: &Path) -> Result<Ratio> {
    let version = Invocation::new(premath).argument("--version");
    let check = Invocation::new(premath).arguments(&["harness-join-check", "--input", GOLDEN]);
    let mut version_times = Vec::with_capacity(PAIRS);
    let mut check_times = Vec::with_capacity(PAIRS);
    for pair in 0..WARM_UP + PAIRS {
        let times = (version.wall_time()?, check.wall_time()?);
        if pair >= WARM_UP {
            version_times.push(times.0);
            check_times.push(times.1);
        }
    }
    let version = median(version_times).context("no run of --version")?;
    let check = median(check_times).context("no run of harness-join-check")?;
    say(&format!("median of {PAIRS}: --version {version:.0?}, harness-join-check of one call {check:.0?}"));
    Ok(Ratio {
        name: "wall time, one-call check over --version".to_owned(),
        value: check.as_secs_f64() / version.as_secs_f64(),
        limit: LIMIT,
    })
}

pub(super) fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}
