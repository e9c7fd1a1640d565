//! Definitions, at the top and in bodies: procedures, values, several values, record types.

use crate::datum::{Datum, Kind};
use crate::globals::Meaning;
use crate::value::Value;

use super::analyse::{Analysed, Analyser, Author};
use super::binding::shortened;
use super::{KEYWORDS, Node, NodeKind};

pub(super) enum Definition<'d> {
    Procedure { name: &'d Datum, formals: Datum, body: &'d [Datum] },
    Value { name: &'d Datum, value: &'d Datum },
    Values { names: &'d [Datum], value: &'d Datum },
    Record(RecordSyntax<'d>),
}

pub(super) struct RecordSyntax<'d> {
    name: &'d Datum,
    constructor: Option<(&'d Datum, Vec<&'d Datum>)>,
    predicate: Option<&'d Datum>,
    /// Field, accessor, modifier
    fields: Vec<(&'d Datum, Option<&'d Datum>, Option<&'d Datum>)>,
}

impl Analyser<'_> {
    /// The definition that a form is, if it is one.
    pub(super) fn definition<'d>(&mut self, form: &'d Datum) -> Analysed<Option<Definition<'d>>> {
        let Some([head, operands @ ..]) = form.list() else { return Ok(None) };
        match self.keyword(head) {
            Some("define") => self.define(form, operands).map(Some),
            Some("define-values") => match operands {
                [names, value] if names.list().is_some() => {
                    Ok(Some(Definition::Values { names: names.list().unwrap_or_default(), value }))
                }
                _ => Err(self.error(form, "`define-values` takes a list of names and an expression")),
            },
            Some("define-record-type") => self.record(form, operands).map(Definition::Record).map(Some),
            Some(_) | None => Ok(None),
        }
    }

    fn define<'d>(&mut self, form: &'d Datum, operands: &'d [Datum]) -> Analysed<Definition<'d>> {
        match operands {
            [name, value] if name.symbol().is_some() => Ok(Definition::Value { name, value }),
            [target, body @ ..] => {
                let (name, formals) = match &target.kind {
                    Kind::List(items) => match items.split_first() {
                        Some((name, formals)) => (name, Kind::List(formals.to_vec())),
                        None => return Err(self.error(target, "a definition needs a name")),
                    },
                    Kind::Dotted(items, rest) => match items.as_slice() {
                        [name] => (name, rest.kind.clone()),
                        [name, formals @ ..] => (name, Kind::Dotted(formals.to_vec(), rest.clone())),
                        [] => return Err(self.error(target, "a definition needs a name")),
                    },
                    Kind::Bool(_)
                    | Kind::Number(_)
                    | Kind::Char(_)
                    | Kind::Text(_)
                    | Kind::Symbol(_)
                    | Kind::Vector(_) => {
                        return Err(self.error(form, "`define` takes a name and a value"));
                    }
                };
                Ok(Definition::Procedure { name, formals: Datum::new(formals, target.at), body })
            }
            [] => Err(self.error(form, "`define` takes a name and a value")),
        }
    }

    fn record<'d>(&mut self, form: &'d Datum, operands: &'d [Datum]) -> Analysed<RecordSyntax<'d>> {
        let usage =
            "a record type is `(define-record-type name (constructor field …) predicate (field accessor) …)`";
        let [name, constructor, predicate, fields @ ..] = operands else {
            return Err(self.error(form, usage));
        };
        let mut known = Vec::new();
        for field in fields {
            match (field.symbol(), field.list()) {
                (Some(_), _) => known.push((field, None, None)),
                (None, Some([field])) => known.push((field, None, None)),
                (None, Some([field, accessor])) => known.push((field, Some(accessor), None)),
                (None, Some([field, accessor, modifier])) => {
                    known.push((field, Some(accessor), Some(modifier)))
                }
                (None, _) => return Err(self.error(field, usage)),
            }
        }
        let constructor = match (&constructor.kind, constructor.list()) {
            (Kind::Symbol(_), _) => Some((constructor, known.iter().map(|(field, _, _)| *field).collect())),
            (_, Some([constructor, fields @ ..])) => Some((constructor, fields.iter().collect())),
            (Kind::Bool(false), _) => None,
            _ => return Err(self.error(constructor, usage)),
        };
        let predicate = predicate.symbol().map(|_| predicate);
        Ok(RecordSyntax { name, constructor, predicate, fields: known })
    }

    /// The names that a form defines.
    pub(super) fn defined_names<'d>(&mut self, form: &'d Datum) -> Analysed<Vec<&'d Datum>> {
        let names = match self.definition(form)? {
            None => Vec::new(),
            Some(Definition::Procedure { name, .. } | Definition::Value { name, .. }) => vec![name],
            Some(Definition::Values { names, .. }) => names.iter().collect(),
            Some(Definition::Record(record)) => {
                let fields = record.fields.iter().flat_map(|(_, accessor, modifier)| [*accessor, *modifier]);
                let maker = record.constructor.as_ref().map(|(name, _)| *name);
                [maker, record.predicate].into_iter().chain(fields).flatten().collect()
            }
        };
        match names.iter().find(|name| name.symbol().is_none()) {
            Some(wrong) => Err(self.error(wrong, format!("a name belongs here, not `{}`", shortened(wrong)))),
            None => Ok(names),
        }
    }

    /// Makes the globals that a text defines known before any of it is analysed.
    pub(super) fn declare_all(&mut self, data: &[Datum]) -> Analysed<()> {
        for datum in data {
            if let Some([head, inner @ ..]) = datum.list()
                && self.keyword(head) == Some("begin")
            {
                self.declare_all(inner)?;
                continue;
            }
            for name in self.defined_names(datum)? {
                let text = name.symbol().unwrap_or_default();
                if KEYWORDS.contains(&text) {
                    return Err(self.error(name, format!("`{text}` is a form; choose another name")));
                }
                if !self.may_use(text) {
                    return Err(self.error(name, format!("`{text}`: names that begin with `%` are reserved")));
                }
                let symbol = self.symbols.intern(text);
                match self.author {
                    Author::Library => self.globals.build_in(symbol, Value::Unassigned),
                    Author::Program => self.globals.declare(symbol),
                };
            }
        }
        Ok(())
    }

    pub(super) fn top_level(&mut self, form: &Datum) -> Analysed {
        if let Some([head, inner @ ..]) = form.list()
            && self.keyword(head) == Some("begin")
        {
            let nodes = inner.iter().map(|form| self.top_level(form)).collect::<Analysed<Vec<_>>>()?;
            return Ok(Node::sequence(nodes, form.at));
        }
        let Some(definition) = self.definition(form)? else { return self.expression(form) };
        match definition {
            Definition::Procedure { name, formals, body } => {
                let symbol = self.symbols.intern(name.symbol().unwrap_or_default());
                let function = self.function(form, symbol, &formals, body, None)?;
                Ok(self.store_global(name, function))
            }
            Definition::Value { name, value } => {
                let lambda = value.list().and_then(|items| match items {
                    [head, formals, body @ ..] if self.keyword(head) == Some("lambda") => {
                        Some((formals, body))
                    }
                    _ => None,
                });
                let value = match lambda {
                    Some((formals, body)) => {
                        let symbol = self.symbols.intern(name.symbol().unwrap_or_default());
                        self.function(value, symbol, formals, body, None)?
                    }
                    None => self.expression(value)?,
                };
                Ok(self.store_global(name, value))
            }
            Definition::Values { names, value } => {
                let names: Vec<&Datum> = names.iter().collect();
                self.spread(form, &names, value, |analyser, name, value| analyser.store_global(name, value))
            }
            Definition::Record(record) => {
                let parts = self.record_parts(form, &record)?;
                let mut nodes = Vec::new();
                for (name, value) in parts {
                    nodes.push(self.store_global(&Datum::new(Kind::Symbol(name), form.at), value));
                }
                Ok(Node::sequence(nodes, form.at))
            }
        }
    }

    fn store_global(&mut self, name: &Datum, value: Node) -> Node {
        let symbol = self.symbols.intern(name.symbol().unwrap_or_default());
        let global = match self.globals.meaning(symbol) {
            Some(Meaning::BuiltIn(global) | Meaning::Defined(global)) => global,
            None => self.globals.declare(symbol),
        };
        Node::new(NodeKind::DefineGlobal(global, Box::new(value)), name.at)
    }

    /// The procedures of a record type, each a call of a library procedure that knows the type.
    pub(super) fn record_parts(
        &mut self,
        form: &Datum,
        record: &RecordSyntax<'_>,
    ) -> Analysed<Vec<(String, Node)>> {
        let kind = Value::Integer(i64::from(self.heap.new_record_kind()));
        let type_name = record.name.symbol().unwrap_or("record").trim_matches(['<', '>']).to_owned();
        let type_name = Value::Symbol(self.symbols.intern(&type_name));
        let position =
            |wanted: &Datum| record.fields.iter().position(|(field, _, _)| field.symbol() == wanted.symbol());
        let count = i64::try_from(record.fields.len()).unwrap_or(i64::MAX);
        let mut parts = Vec::new();
        if let Some((name, fields)) = &record.constructor {
            let mut places = vec![kind, type_name, Value::Integer(count)];
            for field in fields {
                let Some(place) = position(field) else {
                    return Err(self.error(field, "the constructor names a field that the record lacks"));
                };
                places.push(Value::Integer(i64::try_from(place).unwrap_or(i64::MAX)));
            }
            let made = self.heap.list(&places);
            let layout = self.allocated(made, form)?;
            parts.push(self.record_part(form, name, "%record-make", &[layout], fields.len()));
        }
        if let Some(name) = record.predicate {
            parts.push(self.record_part(form, name, "%record-is", &[kind], 1));
        }
        for (place, (_, accessor, modifier)) in record.fields.iter().enumerate() {
            let place = Value::Integer(i64::try_from(place).unwrap_or(i64::MAX));
            for (name, library, arguments) in [(accessor, "%record-get", 1), (modifier, "%record-set", 2)] {
                if let Some(name) = name {
                    let own_name = Value::Symbol(self.symbols.intern(name.symbol().unwrap_or_default()));
                    let constants = [kind, type_name, place, own_name];
                    parts.push(self.record_part(form, name, library, &constants, arguments));
                }
            }
        }
        Ok(parts)
    }

    /// `(lambda (a …) (library constant … a …))`.
    fn record_part(
        &mut self,
        form: &Datum,
        name: &Datum,
        library: &str,
        constants: &[Value],
        arguments: usize,
    ) -> (String, Node) {
        let own_name = name.symbol().unwrap_or_default().to_owned();
        let symbol = self.symbols.intern(&own_name);
        let native = Self::library(library);
        let function = self.procedure(form, symbol, arguments, |arguments| {
            let constants = constants.iter().map(|value| Node::constant(*value, form.at));
            NodeKind::Native(native, constants.chain(arguments).collect())
        });
        (own_name, function)
    }
}
