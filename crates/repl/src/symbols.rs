//! Names, each kept once. They are never collected; making one from a string is charged like the string.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::position::index;
use crate::value::Symbol;

#[derive(Debug, Default)]
pub(crate) struct Symbols {
    names: Vec<Arc<str>>,
    numbers: BTreeMap<Arc<str>, Symbol>,
    /// For a number that was never given out, which does not happen
    none: Arc<str>,
}

impl Symbols {
    pub(crate) fn intern(&mut self, name: &str) -> Symbol {
        if let Some(known) = self.numbers.get(name) {
            return *known;
        }
        let name: Arc<str> = Arc::from(name);
        let number = index(self.names.len());
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        number
    }

    pub(crate) fn is_known(&self, name: &str) -> bool {
        self.numbers.contains_key(name)
    }

    pub(crate) fn name(&self, symbol: Symbol) -> &Arc<str> {
        self.names.get(symbol as usize).unwrap_or(&self.none)
    }
}
