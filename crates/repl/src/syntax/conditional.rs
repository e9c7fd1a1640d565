//! Forms that choose: `if`, `cond`, `case`, `when`, `unless`.

use crate::datum::Datum;
use crate::value::Value;

use super::analyse::{Analysed, Analyser};
use super::{Clause, Node, NodeKind};

impl Analyser<'_> {
    pub(super) fn if_form(&mut self, datum: &Datum, operands: &[Datum]) -> Analysed {
        let (test, then, otherwise) = match operands {
            [test, then] => (test, then, None),
            [test, then, otherwise] => (test, then, Some(otherwise)),
            _ => return Err(self.error(datum, "`if` takes a test and one or two branches")),
        };
        let test = self.expression(test)?;
        let then = self.expression(then)?;
        let otherwise = match otherwise {
            Some(otherwise) => self.expression(otherwise)?,
            None => Node::nothing(datum.at),
        };
        Ok(Node::new(NodeKind::If(Box::new([test, then, otherwise])), datum.at))
    }

    pub(super) fn when(&mut self, datum: &Datum, keyword: &str, operands: &[Datum]) -> Analysed {
        let Some((test, body)) = operands.split_first() else {
            return Err(self.error(datum, format!("`{keyword}` takes a test and expressions")));
        };
        let test = self.expression(test)?;
        let body = self.expressions(body)?;
        let body = Node::sequence(body, datum.at);
        let nothing = Node::nothing(datum.at);
        let branches = if keyword == "when" { [test, body, nothing] } else { [test, nothing, body] };
        Ok(Node::new(NodeKind::If(Box::new(branches)), datum.at))
    }

    pub(super) fn cond(&mut self, datum: &Datum, clauses: &[Datum]) -> Analysed {
        let clauses = self.clauses(clauses)?;
        Ok(Node::new(NodeKind::Cond(clauses), datum.at))
    }

    /// The clauses of `cond` and of `guard`.
    pub(super) fn clauses(&mut self, data: &[Datum]) -> Analysed<Vec<Clause>> {
        let mut clauses = Vec::new();
        for (at, clause) in data.iter().enumerate() {
            let Some([test, body @ ..]) = clause.list() else {
                return Err(self.error(clause, "a clause is `(test expression …)`"));
            };
            if self.keyword(test) == Some("else") {
                if at + 1 < data.len() {
                    return Err(self.error(clause, "nothing may follow `else`"));
                }
                let body = self.expressions(body)?;
                clauses.push(Clause::Else(Node::sequence(body, clause.at)));
                continue;
            }
            let test = self.expression(test)?;
            clauses.push(match body {
                [] => Clause::Value(test),
                [arrow, receiver] if self.keyword(arrow) == Some("=>") => {
                    Clause::Receiver(test, self.expression(receiver)?)
                }
                body => {
                    let body = self.expressions(body)?;
                    Clause::Then(test, Node::sequence(body, clause.at))
                }
            });
        }
        Ok(clauses)
    }

    pub(super) fn case(&mut self, datum: &Datum, operands: &[Datum]) -> Analysed {
        let Some((key, data)) = operands.split_first() else {
            return Err(self.error(datum, "`case` takes a key and clauses"));
        };
        let key = Box::new(self.expression(key)?);
        let mut clauses = Vec::new();
        let mut otherwise = Box::new(Node::nothing(datum.at));
        for (at, clause) in data.iter().enumerate() {
            let Some([choices, body @ ..]) = clause.list() else {
                return Err(self.error(clause, "a clause is `((datum …) expression …)`"));
            };
            let body = self.expressions(body)?;
            let body = Node::sequence(body, clause.at);
            if self.keyword(choices) == Some("else") {
                if at + 1 < data.len() {
                    return Err(self.error(clause, "nothing may follow `else`"));
                }
                otherwise = Box::new(body);
                continue;
            }
            let Some(choices) = choices.list() else {
                return Err(self.error(choices, "a clause is `((datum …) expression …)`"));
            };
            let choices =
                choices.iter().map(|choice| self.quoted(choice)).collect::<Analysed<Vec<Value>>>()?;
            clauses.push((choices, body));
        }
        Ok(Node::new(NodeKind::Case { key, clauses, otherwise }, datum.at))
    }
}
