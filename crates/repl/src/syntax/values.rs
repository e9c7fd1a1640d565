//! Forms about several values: `let-values`, `receive`, and what `define-values` shares with them.

use crate::datum::Datum;
use crate::value::Value;

use super::analyse::{Analysed, Analyser, Scope};
use super::{Node, NodeKind, VariableId};

impl Analyser<'_> {
    pub(super) fn let_values(&mut self, datum: &Datum, operands: &[Datum]) -> Analysed {
        let usage = "`let-values` takes `(((name …) expression) …)` and a body";
        let Some((bindings, body)) = operands.split_first() else { return Err(self.error(datum, usage)) };
        let Some(bindings) = bindings.list() else { return Err(self.error(bindings, usage)) };
        let mut nodes = Vec::new();
        self.open_scope(Scope::default());
        for binding in bindings {
            let Some([names, value]) = binding.list() else { return Err(self.error(binding, usage)) };
            let Some(names) = names.list() else { return Err(self.error(names, usage)) };
            self.bind_values(names, value, &mut nodes)?;
        }
        self.close_values(datum, nodes, body)
    }

    pub(super) fn receive(&mut self, datum: &Datum, operands: &[Datum]) -> Analysed {
        let usage = "`receive` takes `(name …)`, an expression and a body";
        let [names, value, body @ ..] = operands else { return Err(self.error(datum, usage)) };
        let Some(names) = names.list() else { return Err(self.error(names, usage)) };
        let mut nodes = Vec::new();
        self.open_scope(Scope::default());
        self.bind_values(names, value, &mut nodes)?;
        self.close_values(datum, nodes, body)
    }

    fn close_values(&mut self, datum: &Datum, nodes: Vec<(VariableId, Node)>, body: &[Datum]) -> Analysed {
        let body = Box::new(self.body(datum, body)?);
        self.close_scope();
        Ok(Node::new(NodeKind::Bind { bindings: nodes, body }, datum.at))
    }

    fn bind_values(
        &mut self,
        names: &[Datum],
        value: &Datum,
        nodes: &mut Vec<(VariableId, Node)>,
    ) -> Analysed<()> {
        let whole = self.hidden_variable();
        nodes.push((whole, self.expression(value)?));
        let mut scope = Scope::default();
        for (at, name) in names.iter().enumerate() {
            let variable = self.add_name(&mut scope, name, true)?;
            nodes.push((variable, self.one_of(whole, at, names.len(), value.at)));
        }
        self.widen_scope(scope);
        Ok(())
    }

    /// Evaluates once and stores each value by a name.
    pub(super) fn spread(
        &mut self,
        datum: &Datum,
        names: &[&Datum],
        value: &Datum,
        store: fn(&mut Self, &Datum, Node) -> Node,
    ) -> Analysed {
        let whole = self.hidden_variable();
        let value_node = self.expression(value)?;
        let mut nodes = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let one = self.one_of(whole, at, names.len(), value.at);
            nodes.push(store(self, name, one));
        }
        let body = Box::new(Node::sequence(nodes, datum.at));
        Ok(Node::new(NodeKind::Bind { bindings: vec![(whole, value_node)], body }, datum.at))
    }

    /// One of so many values, at its place.
    fn one_of(&mut self, whole: VariableId, place: usize, count: usize, at: u32) -> Node {
        let number =
            |number: usize| Node::constant(Value::Integer(i64::try_from(number).unwrap_or(i64::MAX)), at);
        let whole = self.reference(whole, at);
        let arguments = vec![whole, number(place), number(count)];
        Node::new(NodeKind::Native(Self::library("%value-of"), arguments), at)
    }
}
