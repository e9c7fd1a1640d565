//! Building an observation from the lanes. Two builds of the same lanes differ in `generatedAt` alone.

use premath_kernel::{Digest, Object, Value};
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{KpiAnswer, OBSERVATION_KIND, Observation};

use super::attention::of_figure;
use super::{issues, lanes};
use crate::actions::harness_kpi;
use crate::artifacts::canonical_value;
use crate::table::{ActionError, Host};

/// Builds an observation; nothing is written.
pub(crate) fn build(host: &Host<'_>) -> Result<Observation, ActionError> {
    let workspace = host.workspace;
    let steps = lanes::steps(workspace)?;
    let issues = issues::read(workspace, &steps.latest)?;
    let witnesses = lanes::witnesses(workspace)?;
    let (sessions, damaged) = lanes::sessions(workspace)?;
    let (kpi_state, is_remedied) = figure(host)?;
    let mut needs_attention = issues.attention;
    needs_attention.extend(steps.attention);
    needs_attention.extend(witnesses.attention);
    needs_attention.extend(damaged);
    needs_attention.extend(of_figure(&kpi_state, is_remedied));
    needs_attention.sort();
    needs_attention.dedup();
    let mut observation = Observation {
        schema: 1,
        observation_kind: OBSERVATION_KIND.to_owned(),
        generated_at: format_time(to_millis(workspace.clock.now())),
        observation_digest: String::new(),
        issues_snapshot_ref: issues.snapshot,
        issues: issues.counts,
        active_issues: issues.active,
        leases: issues.leases,
        required: witnesses.required,
        instructions: witnesses.instructions,
        sessions,
        trajectory: steps.trajectory,
        kpi_state,
        needs_attention,
    };
    observation.observation_digest = digest(&observation)?;
    Ok(observation)
}

/// The digest of an observation: over everything but when it was built, and itself.
pub(super) fn digest(observation: &Observation) -> Result<String, ActionError> {
    let value = canonical_value(observation)?;
    let bare = value.as_object().map(|object| object.without("generatedAt"));
    let bare = bare.as_ref().map(|object| object.without("observationDigest")).unwrap_or_default();
    Ok(Digest::of(&Value::Object(bare)).as_str().to_owned())
}

/// The decision of the throughput figure, and whether something was done about what made it so.
fn figure(host: &Host<'_>) -> Result<(String, bool), ActionError> {
    let nothing = Object::fields().finish();
    let answer = match harness_kpi::report(host, &nothing) {
        Ok(answer) => answer,
        // A trajectory that cannot be read has a row of its own.
        Err(ActionError::Store(_)) => return Ok(("insufficient_data".to_owned(), false)),
        Err(error) => return Err(error),
    };
    let answer: KpiAnswer =
        serde_json::from_str(answer.payload.get()).map_err(|source| ActionError::Unwritable { source })?;
    Ok((answer.decision.state, answer.remedied))
}
