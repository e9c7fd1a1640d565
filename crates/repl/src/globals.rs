//! The global names: what the library binds, what the embedder binds, and what programs define above that.
//!
//! A program that defines a name of the library gets a variable of its own; the library keeps using its own.

use std::collections::BTreeMap;

use crate::position::index;
use crate::value::{Symbol, Value};

#[derive(Debug, Default)]
pub(crate) struct Globals {
    values: Vec<Value>,
    names: Vec<Symbol>,
    built_in: BTreeMap<Symbol, u32>,
    defined: BTreeMap<Symbol, u32>,
}

/// Who says what a name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    BuiltIn(u32),
    Defined(u32),
}

impl Globals {
    fn add(&mut self, name: Symbol, value: Value) -> u32 {
        let global = index(self.values.len());
        self.values.push(value);
        self.names.push(name);
        global
    }

    /// Binds a name for every program.
    pub(crate) fn build_in(&mut self, name: Symbol, value: Value) -> u32 {
        let global = self.add(name, value);
        self.built_in.insert(name, global);
        global
    }

    /// The variable of a name that programs define; until then it means what it meant before.
    pub(crate) fn declare(&mut self, name: Symbol) -> u32 {
        if let Some(known) = self.defined.get(&name) {
            return *known;
        }
        let before = self.built_in.get(&name).map_or(Value::Unassigned, |global| self.value(*global));
        let global = self.add(name, before);
        self.defined.insert(name, global);
        global
    }

    pub(crate) fn meaning(&self, name: Symbol) -> Option<Meaning> {
        let defined = self.defined.get(&name).map(|global| Meaning::Defined(*global));
        defined.or_else(|| self.built_in.get(&name).map(|global| Meaning::BuiltIn(*global)))
    }

    #[inline]
    pub(crate) fn value(&self, global: u32) -> Value {
        self.values.get(global as usize).copied().unwrap_or(Value::Unassigned)
    }

    pub(crate) fn set(&mut self, global: u32, value: Value) {
        if let Some(slot) = self.values.get_mut(global as usize) {
            *slot = value;
        }
    }

    pub(crate) fn name(&self, global: u32) -> Symbol {
        self.names.get(global as usize).copied().unwrap_or_default()
    }

    pub(crate) fn values(&self) -> &[Value] {
        &self.values
    }

    /// Every name that has a value.
    pub(crate) fn bound(&self) -> impl Iterator<Item = Symbol> {
        let known = self.built_in.iter().chain(&self.defined);
        known.filter(|(_, global)| self.value(**global) != Value::Unassigned).map(|(name, _)| *name)
    }
}
