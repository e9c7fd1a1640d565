//! What a script has set so far: variables, functions, aliases, the folder, files it has written.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::arg::Arg;
use crate::ast::Statement;
use crate::flow::Flow;
use crate::scene::Scene;

/// The longest value that is followed.
const MOST_VALUE_BYTES: usize = 64 * 1024;
/// The most variables that are followed; of others nothing is known.
const MOST_VARIABLES: usize = 512;
/// The most values of one variable that are followed.
const MOST_VALUES: usize = 6;

/// What a script has set so far.
#[derive(Debug)]
pub(crate) struct State {
    variables: BTreeMap<String, Vec<Arg>>,
    pub(crate) functions: BTreeMap<String, Rc<Statement>>,
    pub(crate) aliases: BTreeMap<String, String>,
    /// The folder it is in; none where that is only known when it runs.
    pub(crate) folder: Option<String>,
    /// Arguments of the script or function.
    pub(crate) positional: Vec<Arg>,
    /// Files that were written, and what is in them.
    pub(crate) files: BTreeMap<String, Flow>,
}

impl State {
    pub(crate) fn new(scene: &Scene) -> Self {
        Self {
            variables: BTreeMap::new(),
            functions: BTreeMap::new(),
            aliases: BTreeMap::new(),
            folder: Some(scene.folder.clone()),
            positional: Vec::new(),
            files: BTreeMap::new(),
        }
    }

    /// Sets a variable. Values it had before may still count, since a branch may not be taken.
    pub(crate) fn assign(&mut self, name: &str, value: Arg) {
        if self.variables.len() >= MOST_VARIABLES && !self.variables.contains_key(name) {
            return;
        }
        let values = self.variables.entry(name.to_owned()).or_default();
        if values.contains(&value) {
            return;
        }
        if values.len() >= MOST_VALUES {
            // Which of them it is then is only known when it runs.
            values.truncate(MOST_VALUES - 2);
            values.insert(0, Arg::known(crate::arg::UNKNOWN.to_string()));
        }
        values.push(value);
    }

    /// Appends to a variable.
    pub(crate) fn append(&mut self, name: &str, value: Arg) {
        match self.variables.get_mut(name) {
            Some(values) => {
                for one in values {
                    if one.text.len() + value.text.len() > MOST_VALUE_BYTES {
                        one.text = crate::arg::UNKNOWN.to_string();
                        continue;
                    }
                    one.text.push_str(&value.text);
                    one.has_output |= value.has_output;
                    one.origin = one.origin.or(value.origin);
                }
            }
            None => self.assign(name, value),
        }
    }

    /// Forgets what a variable is.
    pub(crate) fn forget(&mut self, name: &str) {
        self.variables.remove(name);
    }

    /// The values that a variable may have.
    pub(crate) fn values(&self, name: &str) -> Option<&[Arg]> {
        self.variables.get(name).map(Vec::as_slice)
    }
}
