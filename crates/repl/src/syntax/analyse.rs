//! The walk over the data of a unit: names, constants, calls, and which form a list is.

use std::collections::{BTreeMap, BTreeSet};

use crate::datum::{Datum, Kind};
use crate::error::{Error, ErrorKind};
use crate::fault::{Fault, Outcome};
use crate::globals::{Globals, Meaning};
use crate::heap::Heap;
use crate::hints::{instead_of, is_absent_form};
use crate::library;
use crate::position::Position;
use crate::symbols::Symbols;
use crate::value::{Symbol, Value};

use super::{FunctionId, FunctionSyntax, KEYWORDS, Node, NodeKind, Unit, Variable, VariableId};

/// Whose text is analysed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    /// The library's own prelude, which binds names for all and may use reserved ones
    Library,
    Program,
}

struct Reference {
    variable: VariableId,
    function: FunctionId,
    is_early: bool,
}

pub(crate) struct Analyser<'a> {
    pub(super) source: &'a str,
    pub(super) author: Author,
    pub(super) heap: &'a mut Heap,
    pub(super) symbols: &'a mut Symbols,
    pub(super) globals: &'a mut Globals,
    /// For each name, the variables it means, the innermost last
    meanings: BTreeMap<Symbol, Vec<VariableId>>,
    scopes: Vec<Vec<Symbol>>,
    pub(super) variables: Vec<Variable>,
    pub(super) functions: Vec<FunctionSyntax>,
    pub(super) current: FunctionId,
    references: Vec<Reference>,
}

/// Variables that become known together; a name can be among them once.
#[derive(Default)]
pub(super) struct Scope {
    names: BTreeSet<Symbol>,
    pub(super) variables: Vec<(Symbol, VariableId)>,
}

impl Scope {
    /// Whether the name was not there before.
    pub(super) fn add(&mut self, name: Symbol, variable: VariableId) -> bool {
        self.variables.push((name, variable));
        self.names.insert(name)
    }

    pub(super) fn ids(&self) -> Vec<VariableId> {
        self.variables.iter().map(|(_, variable)| *variable).collect()
    }
}

pub(super) type Analysed<T = Node> = Result<T, Error>;

impl<'a> Analyser<'a> {
    pub(crate) fn new(
        source: &'a str,
        author: Author,
        heap: &'a mut Heap,
        symbols: &'a mut Symbols,
        globals: &'a mut Globals,
    ) -> Analyser<'a> {
        Analyser {
            source,
            author,
            heap,
            symbols,
            globals,
            meanings: BTreeMap::new(),
            scopes: Vec::new(),
            variables: Vec::new(),
            functions: Vec::new(),
            current: 0,
            references: Vec::new(),
        }
    }

    /// Resolves a whole text.
    pub(crate) fn unit(mut self, data: &[Datum]) -> Analysed<Unit> {
        self.declare_all(data)?;
        let name = self.symbols.intern("the program");
        self.functions.push(FunctionSyntax {
            name,
            parent: 0,
            parameters: Vec::new(),
            has_rest: false,
            body: Node::nothing(0),
            own: None,
            at: 0,
        });
        let nodes = data.iter().map(|datum| self.top_level(datum)).collect::<Analysed<Vec<_>>>()?;
        if let Some(whole) = self.functions.first_mut() {
            whole.body = Node::sequence(nodes, 0);
        }
        self.find_shared();
        Ok(Unit { functions: self.functions, variables: self.variables })
    }

    pub(super) fn error(&self, datum: &Datum, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Syntax, message).at(Position::of(self.source, datum.at as usize))
    }

    /// What was made for the program did not fit the memory.
    pub(super) fn allocated(&self, made: Outcome, datum: &Datum) -> Analysed<Value> {
        made.map_err(|fault| {
            let budget = if let Fault::Budget(budget) = fault { budget } else { crate::Budget::Memory };
            let message = "the constants of the program do not fit its memory";
            Error::new(ErrorKind::Budget(budget), message).at(Position::of(self.source, datum.at as usize))
        })
    }

    pub(super) fn expression(&mut self, datum: &Datum) -> Analysed {
        match &datum.kind {
            Kind::Bool(_) | Kind::Number(_) | Kind::Char(_) | Kind::Text(_) | Kind::Vector(_) => {
                self.constant(datum)
            }
            Kind::Symbol(name) => self.name(datum, name),
            Kind::Dotted(..) => Err(self.error(datum, "a call has no dot")),
            Kind::List(items) => self.list(datum, items),
        }
    }

    pub(super) fn expressions(&mut self, data: &[Datum]) -> Analysed<Vec<Node>> {
        data.iter().map(|datum| self.expression(datum)).collect()
    }

    pub(super) fn constant(&mut self, datum: &Datum) -> Analysed {
        let value = self.quoted(datum)?;
        Ok(Node::constant(value, datum.at))
    }

    /// The value that a datum is when it is quoted.
    pub(super) fn quoted(&mut self, datum: &Datum) -> Analysed<Value> {
        let made = match &datum.kind {
            Kind::Bool(flag) => Ok(Value::Bool(*flag)),
            Kind::Number(number) => Ok(Value::number(*number)),
            Kind::Char(one) => Ok(Value::Char(*one)),
            Kind::Text(text) => self.heap.make_text(text),
            Kind::Symbol(name) => Ok(Value::Symbol(self.symbols.intern(name))),
            Kind::List(items) => {
                let items = self.all_quoted(items)?;
                self.heap.list(&items)
            }
            Kind::Dotted(items, tail) => {
                let items = self.all_quoted(items)?;
                let tail = self.quoted(tail)?;
                self.heap.list_before(&items, tail)
            }
            Kind::Vector(items) => {
                let items = self.all_quoted(items)?;
                self.heap.make_vector(&items)
            }
        };
        self.allocated(made, datum)
    }

    fn all_quoted(&mut self, data: &[Datum]) -> Analysed<Vec<Value>> {
        data.iter().map(|datum| self.quoted(datum)).collect()
    }

    fn list(&mut self, datum: &Datum, items: &[Datum]) -> Analysed {
        let Some((head, operands)) = items.split_first() else {
            return Err(self.error(datum, "`()` calls nothing; the empty list is `'()`"));
        };
        if let Some(keyword) = self.keyword(head) {
            return self.form(datum, keyword, operands);
        }
        self.refuse_absent_form(head)?;
        if let Some(native) = self.native(head) {
            let operands = self.expressions(operands)?;
            return Ok(Node::new(NodeKind::Native(native, operands), datum.at));
        }
        let operands = self.expressions(operands)?;
        let callee = Box::new(self.expression(head)?);
        Ok(Node::new(NodeKind::Call(callee, operands), datum.at))
    }

    /// What stands in a form of another Scheme makes no sense here, so the form itself is what is wrong.
    fn refuse_absent_form(&mut self, head: &Datum) -> Analysed<()> {
        let Some(name) = head.symbol().filter(|name| is_absent_form(name)) else { return Ok(()) };
        let symbol = self.symbols.intern(name);
        if self.lookup(symbol).is_some() || self.globals.meaning(symbol).is_some() {
            return Ok(());
        }
        let hint = instead_of(name).unwrap_or("something else");
        let mut error = self.error(head, format!("`{name}` is not part of this language; use {hint}"));
        error.kind = ErrorKind::Unbound;
        Err(error)
    }

    /// The form a name stands for, unless a variable has that name.
    pub(super) fn keyword(&mut self, head: &Datum) -> Option<&'static str> {
        let name = head.symbol()?;
        let keyword = KEYWORDS.iter().find(|keyword| **keyword == name)?;
        let symbol = self.symbols.intern(name);
        self.lookup(symbol).is_none().then_some(*keyword)
    }

    /// The library procedure a name stands for, unless the program has another meaning for it.
    fn native(&mut self, head: &Datum) -> Option<u16> {
        let symbol = self.symbols.intern(head.symbol()?);
        // `apply` is called like a closure, so that it can be a tail call.
        if self.lookup(symbol).is_some() || head.symbol() == Some("apply") {
            return None;
        }
        let Some(Meaning::BuiltIn(global)) = self.globals.meaning(symbol) else { return None };
        if let Value::Native(native) = self.globals.value(global)
            && self.may_use(head.symbol()?)
        {
            return Some(native);
        }
        None
    }

    pub(super) fn may_use(&self, name: &str) -> bool {
        self.author == Author::Library || !name.starts_with('%')
    }

    fn form(&mut self, datum: &Datum, keyword: &'static str, operands: &[Datum]) -> Analysed {
        match keyword {
            "quote" => match operands {
                [one] => self.constant(one),
                _ => Err(self.error(datum, "`quote` takes one datum")),
            },
            "quasiquote" => self.quasiquote(datum, operands),
            "if" => self.if_form(datum, operands),
            "cond" => self.cond(datum, operands),
            "case" => self.case(datum, operands),
            "when" | "unless" => self.when(datum, keyword, operands),
            "and" => Ok(Node::new(NodeKind::And(self.expressions(operands)?), datum.at)),
            "or" => Ok(Node::new(NodeKind::Or(self.expressions(operands)?), datum.at)),
            "begin" => {
                let nodes = self.expressions(operands)?;
                Ok(Node::sequence(nodes, datum.at))
            }
            "lambda" => self.lambda(datum, operands),
            "let" => self.let_form(datum, operands),
            "let*" => self.let_star(datum, operands),
            "letrec" | "letrec*" => self.letrec(datum, operands),
            "do" => self.do_form(datum, operands),
            "set!" => self.set(datum, operands),
            "let-values" | "let*-values" => self.let_values(datum, operands),
            "receive" => self.receive(datum, operands),
            "guard" => self.guard(datum, operands),
            "assert" => self.assert_form(datum, operands),
            "define" | "define-values" | "define-record-type" => {
                Err(self.error(datum, format!("`{keyword}` belongs at the top or at the start of a body")))
            }
            _ => Err(self.error(datum, format!("`{keyword}` has no meaning here"))),
        }
    }

    pub(super) fn lookup(&self, name: Symbol) -> Option<VariableId> {
        self.meanings.get(&name)?.last().copied()
    }

    /// Makes the variables of a scope known, until it is closed.
    pub(super) fn open_scope(&mut self, scope: Scope) {
        self.scopes.push(Vec::new());
        self.widen_scope(scope);
    }

    /// Adds variables to the innermost scope.
    pub(super) fn widen_scope(&mut self, scope: Scope) {
        for (name, variable) in scope.variables {
            self.meanings.entry(name).or_default().push(variable);
            if let Some(open) = self.scopes.last_mut() {
                open.push(name);
            }
        }
    }

    pub(super) fn close_scope(&mut self) {
        for name in self.scopes.pop().unwrap_or_default() {
            if let Some(variables) = self.meanings.get_mut(&name) {
                variables.pop();
            }
        }
    }

    fn name(&mut self, datum: &Datum, name: &str) -> Analysed {
        let symbol = self.symbols.intern(name);
        if let Some(variable) = self.lookup(symbol) {
            return Ok(self.reference(variable, datum.at));
        }
        if KEYWORDS.contains(&name) {
            return Err(self.error(datum, format!("`{name}` is a form, not a value")));
        }
        let global = match self.globals.meaning(symbol) {
            Some(Meaning::BuiltIn(global) | Meaning::Defined(global)) if self.may_use(name) => global,
            Some(_) => {
                return Err(self.error(datum, format!("`{name}`: names that begin with `%` are reserved")));
            }
            // It may be defined before it is used.
            None => self.globals.declare(symbol),
        };
        Ok(Node::new(NodeKind::Global(global), datum.at))
    }

    pub(super) fn reference(&mut self, variable: VariableId, at: u32) -> Node {
        let is_early = self.variables.get(variable).is_some_and(|variable| !variable.is_ready);
        self.references.push(Reference { variable, function: self.current, is_early });
        let kind = if is_early { NodeKind::EarlyVariable(variable) } else { NodeKind::Variable(variable) };
        Node::new(kind, at)
    }

    fn set(&mut self, datum: &Datum, operands: &[Datum]) -> Analysed {
        let [target, value] = operands else {
            return Err(self.error(datum, "`set!` takes a name and a value"));
        };
        let Some(name) = target.symbol() else {
            return Err(self.error(target, "`set!` takes a name and a value"));
        };
        let symbol = self.symbols.intern(name);
        let value = Box::new(self.expression(value)?);
        let kind = match (self.lookup(symbol), self.globals.meaning(symbol)) {
            (Some(variable), _) => {
                if let Some(known) = self.variables.get_mut(variable) {
                    known.is_set = true;
                }
                self.references.push(Reference { variable, function: self.current, is_early: false });
                NodeKind::SetVariable(variable, value)
            }
            (None, Some(Meaning::Defined(global))) => NodeKind::SetGlobal(global, value),
            (None, Some(Meaning::BuiltIn(_))) => {
                let message =
                    format!("`{name}` belongs to the library; define a variable of that name first");
                return Err(self.error(target, message));
            }
            (None, None) => NodeKind::SetGlobal(self.globals.declare(symbol), value),
        };
        Ok(Node::new(kind, datum.at))
    }

    /// Makes a variable of the current function, not yet in any scope.
    pub(super) fn variable(&mut self, is_ready: bool) -> VariableId {
        let home = self.current;
        self.variables.push(Variable { home, is_set: false, is_ready, is_boxed: false });
        self.variables.len() - 1
    }

    /// A variable that no program can name.
    pub(super) fn hidden_variable(&mut self) -> VariableId {
        self.variable(true)
    }

    /// A library procedure by its name.
    pub(super) fn library(name: &str) -> u16 {
        library::number_of(name).unwrap_or(u16::MAX)
    }

    /// A closure copies a variable when it is made. One that changes afterwards is shared by a cell instead.
    fn find_shared(&mut self) {
        for reference in &self.references {
            let Some(variable) = self.variables.get(reference.variable) else { continue };
            let mut function = reference.function;
            let mut is_captured = false;
            while function != variable.home {
                let Some(syntax) = self.functions.get(function) else { break };
                if syntax.own == Some(reference.variable) && !variable.is_set {
                    // A function reaches itself without capturing.
                    is_captured = false;
                    break;
                }
                is_captured = true;
                function = syntax.parent;
            }
            let changes = variable.is_set || reference.is_early;
            if is_captured
                && changes
                && let Some(variable) = self.variables.get_mut(reference.variable)
            {
                variable.is_boxed = true;
            }
        }
    }
}
