//! Quasi-quotation: a template becomes calls that build it; parts without holes stay constants.

use crate::datum::{Datum, Kind};
use crate::value::Value;

use super::analyse::{Analysed, Analyser};
use super::{Node, NodeKind};

impl Analyser<'_> {
    pub(super) fn quasiquote(&mut self, datum: &Datum, operands: &[Datum]) -> Analysed {
        match operands {
            [template] => self.template(template, 1),
            _ => Err(self.error(datum, "`quasiquote` takes one datum")),
        }
    }

    fn template(&mut self, datum: &Datum, depth: usize) -> Analysed {
        if !has_holes(datum) {
            return self.constant(datum);
        }
        if let Some(hole) = datum.operand_of("unquote") {
            return match depth {
                1 => self.expression(hole),
                _ => self.nested(datum, "unquote", hole, depth - 1),
            };
        }
        if let Some(inner) = datum.operand_of("quasiquote") {
            return self.nested(datum, "quasiquote", inner, depth + 1);
        }
        match &datum.kind {
            Kind::List(items) => self.template_list(datum, items, None, depth),
            Kind::Dotted(items, tail) => self.template_list(datum, items, Some(tail), depth),
            Kind::Vector(items) => {
                let list = self.template_list(datum, items, None, depth)?;
                Ok(self.build(datum, "list->vector", vec![list]))
            }
            Kind::Bool(_) | Kind::Number(_) | Kind::Char(_) | Kind::Text(_) | Kind::Symbol(_) => {
                self.constant(datum)
            }
        }
    }

    fn nested(&mut self, datum: &Datum, keyword: &str, operand: &Datum, depth: usize) -> Analysed {
        let operand = self.template(operand, depth)?;
        let keyword = Node::constant(Value::Symbol(self.symbols.intern(keyword)), datum.at);
        Ok(self.build(datum, "list", vec![keyword, operand]))
    }

    fn build(&self, datum: &Datum, library: &str, parts: Vec<Node>) -> Node {
        Node::new(NodeKind::Native(Self::library(library), parts), datum.at)
    }

    /// A list as segments: runs of single items, and lists that are spliced in.
    fn template_list(
        &mut self,
        datum: &Datum,
        items: &[Datum],
        tail: Option<&Datum>,
        depth: usize,
    ) -> Analysed {
        let mut segments = Vec::new();
        let mut run = Vec::new();
        for item in items {
            match item.operand_of("unquote-splicing") {
                Some(list) if depth == 1 => {
                    if !run.is_empty() {
                        segments.push(self.build(datum, "list", std::mem::take(&mut run)));
                    }
                    segments.push(self.expression(list)?);
                }
                Some(list) => run.push(self.nested(item, "unquote-splicing", list, depth - 1)?),
                None => run.push(self.template(item, depth)?),
            }
        }
        let tail = tail.map(|tail| self.template(tail, depth)).transpose()?;
        if segments.is_empty() {
            return Ok(match tail {
                None => self.build(datum, "list", run),
                Some(tail) => {
                    run.push(tail);
                    self.build(datum, "cons*", run)
                }
            });
        }
        if !run.is_empty() {
            segments.push(self.build(datum, "list", run));
        }
        segments.push(tail.unwrap_or_else(|| Node::constant(Value::Nil, datum.at)));
        Ok(self.build(datum, "append", segments))
    }
}

/// Whether anything in it is unquoted, at whatever depth.
fn has_holes(datum: &Datum) -> bool {
    match &datum.kind {
        Kind::List(items) | Kind::Vector(items) => {
            datum.operand_of("unquote").is_some()
                || datum.operand_of("unquote-splicing").is_some()
                || items.iter().any(has_holes)
        }
        Kind::Dotted(items, tail) => items.iter().any(has_holes) || has_holes(tail),
        Kind::Bool(_) | Kind::Number(_) | Kind::Char(_) | Kind::Text(_) | Kind::Symbol(_) => false,
    }
}
