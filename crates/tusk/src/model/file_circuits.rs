//! Circuits that every process of a repository shares, in the store's own document. It must not decide anything: it turns
//! rows into circuits and back.

use std::collections::BTreeMap;

use premath_bd::ModelCircuitStore;
use premath_kernel::Moment;
use premath_wire::time::{format_time, parse_time};
use premath_wire::v1::CircuitRow;

use super::circuit::{Circuit, CircuitError, CircuitStore};
use super::error::ModelErrorKind;

impl CircuitStore for ModelCircuitStore {
    fn all(&self) -> Result<BTreeMap<String, Circuit>, CircuitError> {
        let circuits = self.read().map_err(|error| CircuitError::Read { source: error.into() })?;
        Ok(circuits.providers.iter().map(|(provider, row)| (provider.clone(), circuit(row))).collect())
    }

    fn record(
        &self,
        provider: &str,
        change: &mut dyn FnMut(Circuit) -> Circuit,
    ) -> Result<Circuit, CircuitError> {
        let changed = Self::record(self, provider, |before| circuit_row(&change(circuit(&before))));
        let row = changed
            .map_err(|error| CircuitError::Write { provider: provider.to_owned(), source: error.into() })?;
        Ok(circuit(&row))
    }
}

/// A circuit as it is written.
#[must_use]
pub fn circuit_row(circuit: &Circuit) -> CircuitRow {
    let written = |moment: Option<Moment>| moment.map(format_time);
    CircuitRow {
        cooling_until: written(circuit.cooling_until),
        because: circuit.because.map(|kind| kind.as_str().to_owned()),
        consecutive_failures: circuit.consecutive_failures,
        last_failure_at: written(circuit.last_failure),
        last_success_at: written(circuit.last_success),
    }
}

/// A circuit as it was read. The store has checked the times; a kind that a newer premath wrote says nothing to us.
fn circuit(row: &CircuitRow) -> Circuit {
    let read = |time: &Option<String>| time.as_deref().and_then(parse_time);
    let kind = |name: &str| ModelErrorKind::ALL.into_iter().find(|kind| kind.as_str() == name);
    Circuit {
        cooling_until: read(&row.cooling_until),
        because: row.because.as_deref().and_then(kind),
        consecutive_failures: row.consecutive_failures,
        last_failure: read(&row.last_failure_at),
        last_success: read(&row.last_success_at),
    }
}
