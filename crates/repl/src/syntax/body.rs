//! Bodies: expressions with definitions among them, which know each other.

use crate::datum::{Datum, Kind};

use super::analyse::{Analysed, Analyser, Scope};
use super::define::Definition;
use super::{Node, NodeKind, VariableId};

impl Analyser<'_> {
    pub(super) fn body(&mut self, datum: &Datum, forms: &[Datum]) -> Analysed {
        let forms = self.spliced(forms);
        if forms.is_empty() {
            return Err(self.error(datum, "a body needs an expression"));
        }
        let mut scope = Scope::default();
        for form in &forms {
            for name in self.defined_names(form)? {
                self.add_name(&mut scope, name, false)?;
            }
        }
        if scope.variables.is_empty() {
            let nodes = forms.iter().map(|form| self.expression(form)).collect::<Analysed<Vec<_>>>()?;
            return Ok(Node::sequence(nodes, datum.at));
        }
        let variables: Vec<VariableId> = scope.ids();
        self.open_scope(scope);
        let nodes = forms.iter().map(|form| self.local_form(form)).collect::<Analysed<Vec<_>>>()?;
        self.close_scope();
        let body = Box::new(Node::sequence(nodes, datum.at));
        Ok(Node::new(NodeKind::Recursive { variables, body }, datum.at))
    }

    /// The forms of a body, with `begin` opened where it holds definitions.
    fn spliced<'d>(&mut self, forms: &'d [Datum]) -> Vec<&'d Datum> {
        let mut open: Vec<&Datum> = forms.iter().rev().collect();
        let mut all = Vec::new();
        while let Some(form) = open.pop() {
            match form.list() {
                Some([head, inner @ ..]) if self.keyword(head) == Some("begin") && !inner.is_empty() => {
                    open.extend(inner.iter().rev());
                }
                Some(_) | None => all.push(form),
            }
        }
        all
    }

    fn local_form(&mut self, form: &Datum) -> Analysed {
        let Some(definition) = self.definition(form)? else { return self.expression(form) };
        match definition {
            Definition::Procedure { name, formals, body } => {
                let symbol = self.symbols.intern(name.symbol().unwrap_or_default());
                let Some(variable) = self.lookup(symbol) else { return Ok(Node::nothing(form.at)) };
                let function = self.function(form, symbol, &formals, body, Some(variable))?;
                self.ready(variable);
                Ok(Node::new(NodeKind::Initialise(variable, Box::new(function)), form.at))
            }
            Definition::Value { name, value } => {
                let symbol = self.symbols.intern(name.symbol().unwrap_or_default());
                let Some(variable) = self.lookup(symbol) else { return Ok(Node::nothing(form.at)) };
                self.initialise(form, variable, name, value)
            }
            Definition::Values { names, value } => {
                let names: Vec<&Datum> = names.iter().collect();
                self.spread(form, &names, value, |analyser, name, value| analyser.store_local(name, value))
            }
            Definition::Record(record) => {
                let parts = self.record_parts(form, &record)?;
                let mut nodes = Vec::new();
                for (name, value) in parts {
                    nodes.push(self.store_local(&Datum::new(Kind::Symbol(name), form.at), value));
                }
                Ok(Node::sequence(nodes, form.at))
            }
        }
    }

    fn store_local(&mut self, name: &Datum, value: Node) -> Node {
        let symbol = self.symbols.intern(name.symbol().unwrap_or_default());
        let Some(variable) = self.lookup(symbol) else { return Node::nothing(name.at) };
        self.ready(variable);
        Node::new(NodeKind::Initialise(variable, Box::new(value)), name.at)
    }
}
