//! `.premath/model_circuits.json`: which providers of models are to be left alone, and until when.
//!
//! A record of one machine, nobody's authority. It must not know what an error means or how long to wait; whoever records
//! an attempt says so, and is asked under the lock.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_kernel::Value;
use premath_wire::strict::{Limits, parse};
use premath_wire::time::parse_time;
use premath_wire::v1::{CircuitRow, MODEL_CIRCUITS_KIND, ModelCircuits};
use premath_wire::{InputClass, InputError, JsonPath};

use crate::disk::Disk;
use crate::document::{Change, Document, keeping_unknown};
use crate::error::StoreError;

/// The members of the document that are ours.
const NAMES: [&str; 3] = ["schema", "circuitsKind", "providers"];

/// The circuits in one file.
#[derive(Debug, Clone)]
pub struct ModelCircuitStore {
    document: Document,
}

impl ModelCircuitStore {
    /// The file's name under `.premath`.
    pub const FILE_NAME: &'static str = "model_circuits.json";

    /// The circuits in this file.
    #[must_use]
    pub fn new(disk: Arc<dyn Disk>, path: PathBuf) -> Self {
        Self { document: Document::new(disk, path) }
    }

    /// Where they are.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.document.path()
    }

    /// What is remembered; nothing when nothing ever was.
    ///
    /// # Errors
    /// `Corrupt` when it cannot be read, with the place; `Io`.
    pub fn read(&self) -> Result<ModelCircuits, StoreError> {
        match self.document.read() {
            Err(StoreError::Missing { .. }) => Ok(nothing()),
            Err(error) => Err(error),
            Ok(value) => self.checked(&value),
        }
    }

    /// Changes what is remembered of one provider, and returns it.
    ///
    /// # Errors
    /// `Busy`, `Missing` without a folder, `Corrupt` when what is there cannot be read (it is left alone), `Io`.
    pub fn record(
        &self,
        provider: &str,
        change: impl FnOnce(CircuitRow) -> CircuitRow,
    ) -> Result<CircuitRow, StoreError> {
        self.document.change(|old| {
            let mut circuits = old.as_ref().map_or_else(|| Ok(nothing()), |old| self.checked(old))?;
            let before = circuits.providers.get(provider).cloned().unwrap_or_default();
            let after = change(before);
            circuits.providers.insert(provider.to_owned(), after.clone());
            let known = self.written(&circuits)?;
            let whole = keeping_unknown(old.as_ref().and_then(Value::as_object), &NAMES, &known);
            Ok(Change::Write(whole, after))
        })
    }

    fn checked(&self, value: &Value<'_>) -> Result<ModelCircuits, StoreError> {
        let circuits: ModelCircuits = self.document.decode(value)?;
        let kind = (circuits.schema, circuits.circuits_kind.as_str());
        self.document.expect_kind(kind, "circuitsKind", MODEL_CIRCUITS_KIND)?;
        for (provider, row) in &circuits.providers {
            let times = [
                ("coolingUntil", &row.cooling_until),
                ("lastFailureAt", &row.last_failure_at),
                ("lastSuccessAt", &row.last_success_at),
            ];
            for (name, time) in times {
                if time.as_ref().is_some_and(|time| parse_time(time).is_none()) {
                    let path = JsonPath::root().key("providers").key(provider).key(name);
                    let error = InputError::new(InputClass::FieldInvalid, "expected an RFC 3339 time", path);
                    return Err(self.document.damaged(&error));
                }
            }
        }
        Ok(circuits)
    }

    fn written(&self, circuits: &ModelCircuits) -> Result<Value<'static>, StoreError> {
        let text = serde_json::to_vec(circuits)
            .map_err(|error| StoreError::io("write", self.document.path())(error.into()))?;
        let value = parse(&text, Limits::default()).map_err(|error| self.document.damaged(&error))?;
        Ok(value.into_owned())
    }
}

fn nothing() -> ModelCircuits {
    ModelCircuits {
        schema: 1,
        circuits_kind: MODEL_CIRCUITS_KIND.to_owned(),
        providers: std::collections::BTreeMap::new(),
    }
}
