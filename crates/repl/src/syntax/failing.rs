//! Forms about failures: `guard` and `assert`.

use crate::datum::Datum;

use super::analyse::{Analysed, Analyser, Scope};
use super::binding::shortened;
use super::{Clause, Node, NodeKind};

impl Analyser<'_> {
    pub(super) fn guard(&mut self, datum: &Datum, operands: &[Datum]) -> Analysed {
        let usage = "`guard` takes `(name clause …)` and a body";
        let Some(([name, clauses @ ..], body)) =
            operands.split_first().and_then(|(head, body)| Some((head.list()?, body)))
        else {
            return Err(self.error(datum, usage));
        };
        let body = Box::new(self.body(datum, body)?);
        let mut scope = Scope::default();
        let variable = self.add_name(&mut scope, name, true)?;
        self.open_scope(scope);
        let mut clauses = self.clauses(clauses)?;
        self.close_scope();
        if !matches!(clauses.last(), Some(Clause::Else(_))) {
            let condition = self.reference(variable, datum.at);
            let again = NodeKind::Native(Self::library("raise-continuable"), vec![condition]);
            clauses.push(Clause::Else(Node::new(again, datum.at)));
        }
        let handler = Box::new(Node::new(NodeKind::Cond(clauses), datum.at));
        Ok(Node::new(NodeKind::Guard { body, variable, handler }, datum.at))
    }

    pub(super) fn assert_form(&mut self, datum: &Datum, operands: &[Datum]) -> Analysed {
        let (test, message) = match operands {
            [test] => (test, None),
            [test, message] => (test, Some(message)),
            _ => return Err(self.error(datum, "`assert` takes an expression and, if wanted, a message")),
        };
        let checked = self.expression(test)?;
        let made = self.heap.make_text(&shortened(test));
        let text = self.allocated(made, test)?;
        let mut arguments = vec![Node::constant(text, datum.at)];
        if let Some(message) = message {
            arguments.push(self.expression(message)?);
        }
        let failed = Node::new(NodeKind::Native(Self::library("%assertion-failed"), arguments), datum.at);
        let branches = [checked, Node::nothing(datum.at), failed];
        Ok(Node::new(NodeKind::If(Box::new(branches)), datum.at))
    }
}
