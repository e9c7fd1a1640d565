//! Forms that bind variables: `lambda`, the `let` family, `do`.

use crate::datum::{Datum, Kind};
use crate::value::Symbol;

use super::analyse::{Analysed, Analyser, Scope};
use super::{FunctionSyntax, Node, NodeKind, VariableId};

/// The names a procedure takes its arguments by.
struct Formals<'d> {
    names: Vec<&'d Datum>,
    has_rest: bool,
}

impl Analyser<'_> {
    pub(super) fn lambda(&mut self, datum: &Datum, operands: &[Datum]) -> Analysed {
        let Some((formals, body)) = operands.split_first() else {
            return Err(self.error(datum, "`lambda` takes names and a body"));
        };
        let name = self.symbols.intern("lambda");
        self.function(datum, name, formals, body, None)
    }

    fn formals<'d>(&self, datum: &'d Datum) -> Analysed<Formals<'d>> {
        let formals = match &datum.kind {
            Kind::List(names) => Formals { names: names.iter().collect(), has_rest: false },
            Kind::Dotted(names, rest) => {
                Formals { names: names.iter().chain([rest.as_ref()]).collect(), has_rest: true }
            }
            Kind::Symbol(_) => Formals { names: vec![datum], has_rest: true },
            Kind::Bool(_) | Kind::Number(_) | Kind::Char(_) | Kind::Text(_) | Kind::Vector(_) => {
                return Err(self.error(datum, "the arguments of a procedure are a list of names"));
            }
        };
        Ok(formals)
    }

    /// A procedure with a list of names and a body; `own` is the variable it becomes the value of.
    pub(super) fn function(
        &mut self,
        datum: &Datum,
        name: Symbol,
        formals: &Datum,
        body: &[Datum],
        own: Option<VariableId>,
    ) -> Analysed {
        let formals = self.formals(formals)?;
        let parent = self.enter(datum, name, own);
        let mut scope = Scope::default();
        for formal in &formals.names {
            self.add_name(&mut scope, formal, true)?;
        }
        let parameters = scope.ids();
        self.open_scope(scope);
        let body = self.body(datum, body)?;
        self.close_scope();
        Ok(self.leave(datum, parent, parameters, formals.has_rest, body))
    }

    fn enter(&mut self, datum: &Datum, name: Symbol, own: Option<VariableId>) -> usize {
        let parent = std::mem::replace(&mut self.current, self.functions.len());
        self.functions.push(FunctionSyntax {
            name,
            parent,
            parameters: Vec::new(),
            has_rest: false,
            body: Node::nothing(datum.at),
            own,
            at: datum.at,
        });
        parent
    }

    fn leave(
        &mut self,
        datum: &Datum,
        parent: usize,
        parameters: Vec<VariableId>,
        has_rest: bool,
        body: Node,
    ) -> Node {
        let function = std::mem::replace(&mut self.current, parent);
        if let Some(syntax) = self.functions.get_mut(function) {
            syntax.parameters = parameters;
            syntax.has_rest = has_rest;
            syntax.body = body;
        }
        Node::new(NodeKind::Lambda(function), datum.at)
    }

    /// A procedure of so many arguments whose body is made of them.
    pub(super) fn procedure(
        &mut self,
        datum: &Datum,
        name: Symbol,
        arguments: usize,
        body: impl FnOnce(Vec<Node>) -> NodeKind,
    ) -> Node {
        let parent = self.enter(datum, name, None);
        let parameters: Vec<VariableId> = (0..arguments).map(|_| self.hidden_variable()).collect();
        let arguments = parameters.iter().map(|parameter| self.reference(*parameter, datum.at)).collect();
        let body = Node::new(body(arguments), datum.at);
        self.leave(datum, parent, parameters, false, body)
    }

    /// Adds a variable to a scope; a name may stand in it once.
    pub(super) fn add_name(
        &mut self,
        scope: &mut Scope,
        datum: &Datum,
        is_ready: bool,
    ) -> Analysed<VariableId> {
        let Some(name) = datum.symbol() else {
            return Err(self.error(datum, format!("a name belongs here, not `{}`", shortened(datum))));
        };
        let symbol = self.symbols.intern(name);
        let variable = self.variable(is_ready);
        if !scope.add(symbol, variable) {
            return Err(self.error(datum, format!("`{name}` is bound twice")));
        }
        Ok(variable)
    }

    /// The `(name value)` pairs of a binding form.
    fn bindings<'d>(&self, datum: &'d Datum) -> Analysed<Vec<(&'d Datum, &'d Datum)>> {
        let Some(items) = datum.list() else {
            return Err(self.error(datum, "bindings are a list of `(name value)`"));
        };
        let pair = |item: &'d Datum| match item.list() {
            Some([name, value]) => Ok((name, value)),
            Some(_) | None => {
                let message = format!("a binding is `(name value)`, not `{}`", shortened(item));
                Err(self.error(item, message))
            }
        };
        items.iter().map(pair).collect()
    }

    pub(super) fn let_form(&mut self, datum: &Datum, operands: &[Datum]) -> Analysed {
        match operands {
            [name, bindings, body @ ..] if name.symbol().is_some() => {
                self.named_let(datum, name, bindings, body)
            }
            [bindings, body @ ..] => {
                let mut scope = Scope::default();
                let mut nodes = Vec::new();
                for (name, value) in self.bindings(bindings)? {
                    // All values are analysed before any name is known.
                    let value = self.expression(value)?;
                    nodes.push((self.add_name(&mut scope, name, true)?, value));
                }
                self.open_scope(scope);
                let body = Box::new(self.body(datum, body)?);
                self.close_scope();
                Ok(Node::new(NodeKind::Bind { bindings: nodes, body }, datum.at))
            }
            [] => Err(self.error(datum, "`let` takes bindings and a body")),
        }
    }

    pub(super) fn let_star(&mut self, datum: &Datum, operands: &[Datum]) -> Analysed {
        let Some((bindings, body)) = operands.split_first() else {
            return Err(self.error(datum, "`let*` takes bindings and a body"));
        };
        let mut nodes = Vec::new();
        self.open_scope(Scope::default());
        for (name, value) in self.bindings(bindings)? {
            let value = self.expression(value)?;
            let mut alone = Scope::default();
            nodes.push((self.add_name(&mut alone, name, true)?, value));
            self.widen_scope(alone);
        }
        let body = Box::new(self.body(datum, body)?);
        self.close_scope();
        Ok(Node::new(NodeKind::Bind { bindings: nodes, body }, datum.at))
    }

    pub(super) fn letrec(&mut self, datum: &Datum, operands: &[Datum]) -> Analysed {
        let Some((bindings, body)) = operands.split_first() else {
            return Err(self.error(datum, "`letrec` takes bindings and a body"));
        };
        let bindings = self.bindings(bindings)?;
        let mut scope = Scope::default();
        for (name, _) in &bindings {
            self.add_name(&mut scope, name, false)?;
        }
        let variables: Vec<VariableId> = scope.ids();
        self.open_scope(scope);
        let mut nodes = Vec::new();
        for (variable, (name, value)) in variables.iter().zip(&bindings) {
            nodes.push(self.initialise(datum, *variable, name, value)?);
        }
        nodes.push(self.body(datum, body)?);
        self.close_scope();
        let body = Box::new(Node::sequence(nodes, datum.at));
        Ok(Node::new(NodeKind::Recursive { variables, body }, datum.at))
    }

    /// Gives a variable its first value; a procedure takes its name and may call itself.
    pub(super) fn initialise(
        &mut self,
        datum: &Datum,
        variable: VariableId,
        name: &Datum,
        value: &Datum,
    ) -> Analysed {
        let lambda = value.list().and_then(|items| match items {
            [head, formals, body @ ..] if self.keyword(head) == Some("lambda") => Some((formals, body)),
            _ => None,
        });
        let value = match lambda {
            Some((formals, body)) => {
                let name = self.symbols.intern(name.symbol().unwrap_or_default());
                self.function(value, name, formals, body, Some(variable))?
            }
            None => self.expression(value)?,
        };
        self.ready(variable);
        Ok(Node::new(NodeKind::Initialise(variable, Box::new(value)), datum.at))
    }

    pub(super) fn ready(&mut self, variable: VariableId) {
        if let Some(variable) = self.variables.get_mut(variable) {
            variable.is_ready = true;
        }
    }

    fn named_let(&mut self, datum: &Datum, name: &Datum, bindings: &Datum, body: &[Datum]) -> Analysed {
        let bindings = self.bindings(bindings)?;
        let values =
            bindings.iter().map(|(_, value)| self.expression(value)).collect::<Analysed<Vec<_>>>()?;
        let formals = bindings.iter().map(|(name, _)| (*name).clone()).collect();
        let formals = Datum::new(Kind::List(formals), datum.at);
        let mut scope = Scope::default();
        let variable = self.add_name(&mut scope, name, false)?;
        self.open_scope(scope);
        let symbol = self.symbols.intern(name.symbol().unwrap_or_default());
        let function = self.function(datum, symbol, &formals, body, Some(variable))?;
        self.ready(variable);
        self.close_scope();
        Ok(self.start_loop(datum, variable, function, values))
    }

    /// Binds a loop's procedure and calls it for the first time.
    fn start_loop(&mut self, datum: &Datum, variable: VariableId, function: Node, values: Vec<Node>) -> Node {
        let at = datum.at;
        let first = Node::new(NodeKind::Initialise(variable, Box::new(function)), at);
        let callee = Box::new(self.reference(variable, at));
        let call = Node::new(NodeKind::Call(callee, values), at);
        let body = Box::new(Node::sequence(vec![first, call], at));
        Node::new(NodeKind::Recursive { variables: vec![variable], body }, at)
    }

    pub(super) fn do_form(&mut self, datum: &Datum, operands: &[Datum]) -> Analysed {
        let usage = "`do` takes `((name first next) …) (test result …) body …`";
        let [variables, ending, commands @ ..] = operands else { return Err(self.error(datum, usage)) };
        let (Some(variables), Some([test, results @ ..])) = (variables.list(), ending.list()) else {
            return Err(self.error(datum, usage));
        };
        let mut names = Vec::new();
        let mut values = Vec::new();
        let mut steps = Vec::new();
        for variable in variables {
            let (name, value, step) = match variable.list() {
                Some([name, value]) => (name, value, name),
                Some([name, value, step]) => (name, value, step),
                Some(_) | None => return Err(self.error(variable, usage)),
            };
            names.push(name);
            values.push(self.expression(value)?);
            steps.push(step);
        }
        let own = self.hidden_variable();
        let loop_name = self.symbols.intern("do");
        let parent = self.enter(datum, loop_name, Some(own));
        let mut scope = Scope::default();
        for name in names {
            self.add_name(&mut scope, name, true)?;
        }
        let parameters = scope.ids();
        self.open_scope(scope);
        let test = self.expression(test)?;
        let results = self.expressions(results)?;
        let mut again = self.expressions(commands)?;
        let steps = steps.into_iter().map(|step| self.expression(step)).collect::<Analysed<Vec<_>>>()?;
        let callee = Box::new(self.reference(own, datum.at));
        again.push(Node::new(NodeKind::Call(callee, steps), datum.at));
        self.close_scope();
        let branches = [test, Node::sequence(results, datum.at), Node::sequence(again, datum.at)];
        let body = Node::new(NodeKind::If(Box::new(branches)), datum.at);
        let function = self.leave(datum, parent, parameters, false, body);
        Ok(self.start_loop(datum, own, function, values))
    }
}

/// A datum for a message.
pub(super) fn shortened(datum: &Datum) -> String {
    let text = datum.to_string();
    if text.chars().count() <= 40 { text } else { text.chars().take(39).chain(['…']).collect() }
}
