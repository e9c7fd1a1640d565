//! A second evaluator, as plain as can be: it walks the tree and looks names up in maps. Generated programs must come to
//! the same in both; the machine's places on the stack, captures and cells are what is at stake.
//!
//! Programs are made to get far: `a` to `e` hold integers, `f` to `h` procedures of one argument, all of them global too. They
//! leave garbage behind all the time.

#![expect(clippy::wildcard_enum_match_arm, reason = "each walk knows some of the expressions")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use premath_repl::{ErrorKind, Limits};
use proptest::prelude::*;

use crate::run::evaluate;

const INTEGERS: [&str; 5] = ["a", "b", "c", "d", "e"];
const PROCEDURES: [&str; 3] = ["f", "g", "h"];
const START: &str = "(define a 1) (define b 2) (define c 3) (define d 4) (define e 5) \
    (define (f x) (+ x 10)) (define (g x) (+ x 20)) (define (h x) (set! a (+ a x)) a)";
/// What is written between the parts of programs, to be collected.
const GARBAGE: &str = "(make-vector 90 0)";
/// Little more than the library itself needs.
const LITTLE_MEMORY: usize = 4 << 10;
const MOST_STEPS: usize = 3_000;
const MOST_DEPTH: usize = 100;

type Name = &'static str;
type Boxed = Box<Expression>;

#[derive(Debug, Clone)]
enum Expression {
    Integer(i64),
    Name(Name),
    Lambda(Vec<Name>, Option<Name>, Vec<Expression>),
    Call(Boxed, Vec<Expression>),
    /// `(apply p (list x))`
    Apply(Boxed, Boxed),
    /// `(car (map p (list x)))`
    Map(Boxed, Boxed),
    Let(Vec<(Name, Expression)>, Boxed),
    LetStar(Vec<(Name, Expression)>, Boxed),
    Letrec(Vec<(Name, Expression)>, Boxed),
    /// Definitions with an expression before the last of them
    Body(Vec<(Name, Expression)>, Boxed),
    /// Counts its variable up to a number: the loop, the variable, the number, what is done, what comes of it
    Loop(Name, Name, i64, Boxed, Boxed),
    Do(Name, i64, Boxed),
    Set(Name, Boxed),
    Begin(Vec<Expression>),
    If(Box<[Expression; 4]>),
    And(Vec<Expression>),
    Or(Vec<Expression>),
    Cond(Box<[Expression; 4]>),
    Case(Box<[Expression; 3]>, i64),
    Add(Box<[Expression; 2]>),
    Subtract(Box<[Expression; 2]>),
    Raise(Boxed),
    Guard(Name, Boxed, Boxed),
}

use Expression as E;

impl fmt::Display for Expression {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = |parts: &[E]| parts.iter().map(|part| format!(" {part}")).collect::<String>();
        let pairs = |parts: &[(Name, E)]| {
            parts.iter().map(|(name, value)| format!("({name} {value})")).collect::<String>()
        };
        match self {
            E::Integer(integer) => write!(out, "{integer}"),
            E::Name(name) => write!(out, "{name}"),
            E::Lambda(names, None, body) => {
                write!(out, "(lambda ({}) {GARBAGE}{})", names.join(" "), all(body))
            }
            E::Lambda(names, Some(rest), body) => {
                write!(
                    out,
                    "(lambda ({} . {rest}) (set! {rest} (length {rest})){})",
                    names.join(" "),
                    all(body)
                )
            }
            E::Call(callee, arguments) => write!(out, "({callee}{})", all(arguments)),
            E::Apply(callee, argument) => write!(out, "(apply {callee} (list {argument}))"),
            E::Map(callee, argument) => write!(out, "(car (map {callee} (list {argument})))"),
            E::Let(bindings, body) => write!(out, "(let ({}) {GARBAGE} {body})", pairs(bindings)),
            E::LetStar(bindings, body) => write!(out, "(let* ({}) {body})", pairs(bindings)),
            E::Letrec(bindings, body) => write!(out, "(letrec ({}) {GARBAGE} {body})", pairs(bindings)),
            E::Body(definitions, body) => {
                let definitions: String =
                    definitions.iter().map(|(name, value)| format!("(define {name} {value}) ")).collect();
                write!(out, "(let () {definitions}{GARBAGE} {body})")
            }
            E::Loop(name, variable, count, body, result) => write!(
                out,
                "(let {name} (({variable} 0)) (if (< {variable} {count}) (begin {body} ({name} (+ {variable} 1))) (begin {GARBAGE} {result})))"
            ),
            E::Do(variable, count, body) => {
                write!(
                    out,
                    "(do (({variable} 0 (+ {variable} 1))) ((< {count} {variable}) {variable}) {body})"
                )
            }
            E::Set(name, value) => write!(out, "(begin (set! {name} {value}) {GARBAGE} 0)"),
            E::Begin(parts) => write!(out, "(begin{})", all(parts)),
            E::If(parts) => {
                let [left, right, then, otherwise] = parts.as_ref();
                write!(out, "(if (< {left} {right}) {then} {otherwise})")
            }
            E::And(parts) => write!(out, "(and{})", all(parts)),
            E::Or(parts) => write!(out, "(or #f{})", all(parts)),
            E::Cond(parts) => {
                let [left, right, receiver, otherwise] = parts.as_ref();
                write!(out, "(cond ((and (< {left} {right}) {left}) => {receiver}) (#f) (else {otherwise}))")
            }
            E::Case(parts, key) => {
                let [value, then, otherwise] = parts.as_ref();
                write!(out, "(case {value} (({key} 1000) {then}) (else {otherwise}))")
            }
            E::Add(parts) => write!(out, "(+{})", all(parts.as_slice())),
            E::Subtract(parts) => write!(out, "(-{})", all(parts.as_slice())),
            E::Raise(value) => write!(out, "(raise {value})"),
            E::Guard(name, handler, body) => write!(
                out,
                "(guard ({name} (#t (let (({name} (if (error-object? {name}) -1 {name}))) {GARBAGE} {handler}))) {GARBAGE} {body})"
            ),
        }
    }
}

#[derive(Clone)]
enum Value {
    Unassigned,
    Integer(i64),
    Procedure(Rc<Procedure>),
}

struct Procedure {
    names: Vec<Name>,
    rest: Option<Name>,
    body: Vec<Expression>,
    scope: Rc<Scope>,
}

enum Failure {
    Error,
    Raised(i64),
    /// It takes too long to be worth comparing
    Enough,
}

struct Scope {
    variables: BTreeMap<Name, RefCell<Value>>,
    outside: Option<Rc<Scope>>,
}

impl Scope {
    fn find(&self, name: &str) -> &RefCell<Value> {
        let mut scope = self;
        loop {
            if let Some(variable) = scope.variables.get(name) {
                return variable;
            }
            scope = scope.outside.as_deref().unwrap();
        }
    }

    fn inside(self: &Rc<Scope>, variables: impl IntoIterator<Item = (Name, Value)>) -> Rc<Scope> {
        let variables = variables.into_iter().map(|(name, value)| (name, RefCell::new(value))).collect();
        Rc::new(Scope { variables, outside: Some(Rc::clone(self)) })
    }
}

type Result<T = Value> = std::result::Result<T, Failure>;

struct Walker {
    steps: usize,
    depth: usize,
}

impl Walker {
    fn walk(&mut self, expression: &E, scope: &Rc<Scope>) -> Result {
        self.steps += 1;
        if self.steps > MOST_STEPS || self.depth > MOST_DEPTH {
            return Err(Failure::Enough);
        }
        self.depth += 1;
        let value = self.step(expression, scope);
        self.depth -= 1;
        value
    }

    fn integer(&mut self, expression: &E, scope: &Rc<Scope>) -> Result<i64> {
        match self.walk(expression, scope)? {
            Value::Integer(integer) => Ok(integer),
            Value::Unassigned | Value::Procedure(_) => Err(Failure::Error),
        }
    }

    fn step(&mut self, expression: &E, scope: &Rc<Scope>) -> Result {
        match expression {
            E::Integer(integer) => Ok(Value::Integer(*integer)),
            E::Name(name) => match scope.find(name).borrow().clone() {
                Value::Unassigned => Err(Failure::Error),
                value => Ok(value),
            },
            E::Lambda(names, rest, body) => Ok(procedure(names, *rest, body, scope)),
            E::Call(callee, arguments) => {
                let arguments: Vec<Value> =
                    arguments.iter().map(|part| self.walk(part, scope)).collect::<Result<_>>()?;
                let callee = self.walk(callee, scope)?;
                self.call(&callee, arguments)
            }
            E::Apply(callee, argument) | E::Map(callee, argument) => {
                let callee = self.walk(callee, scope)?;
                let argument = self.walk(argument, scope)?;
                self.call(&callee, vec![argument])
            }
            E::Begin(parts) | E::And(parts) => {
                let values = parts.iter().map(|part| self.walk(part, scope)).collect::<Result<Vec<_>>>()?;
                values.into_iter().next_back().ok_or(Failure::Error)
            }
            // Every integer is true.
            E::Or(parts) => self.walk(parts.first().unwrap(), scope),
            E::Add(parts) => {
                let [left, right] = parts.as_ref();
                let sum = self.integer(left, scope)?.checked_add(self.integer(right, scope)?);
                sum.map(Value::Integer).ok_or(Failure::Error)
            }
            E::Subtract(parts) => {
                let [left, right] = parts.as_ref();
                let difference = self.integer(left, scope)?.checked_sub(self.integer(right, scope)?);
                difference.map(Value::Integer).ok_or(Failure::Error)
            }
            E::Raise(value) => Err(Failure::Raised(self.integer(value, scope)?)),
            E::If(..) | E::Cond(..) | E::Case(..) | E::Guard(..) => self.choose(expression, scope),
            E::Let(..) | E::LetStar(..) | E::Letrec(..) | E::Body(..) | E::Set(..) => {
                self.bind(expression, scope)
            }
            E::Loop(..) | E::Do(..) => self.repeat(expression, scope),
        }
    }

    fn choose(&mut self, expression: &E, scope: &Rc<Scope>) -> Result {
        match expression {
            E::If(parts) => {
                let [left, right, then, otherwise] = parts.as_ref();
                let holds = self.integer(left, scope)? < self.integer(right, scope)?;
                self.walk(if holds { then } else { otherwise }, scope)
            }
            E::Cond(parts) => {
                let [left, right, receiver, otherwise] = parts.as_ref();
                if self.integer(left, scope)? >= self.integer(right, scope)? {
                    return self.walk(otherwise, scope);
                }
                let value = self.walk(left, scope)?;
                let receiver = self.walk(receiver, scope)?;
                self.call(&receiver, vec![value])
            }
            E::Case(parts, key) => {
                let [value, then, otherwise] = parts.as_ref();
                let value = self.integer(value, scope)?;
                self.walk(if value == *key || value == 1000 { then } else { otherwise }, scope)
            }
            E::Guard(name, handler, body) => {
                let depth = self.depth;
                let caught = match self.walk(body, scope) {
                    Err(Failure::Error) => -1,
                    Err(Failure::Raised(value)) => value,
                    other => return other,
                };
                self.depth = depth;
                // The handler stands in two scopes of its own.
                let inner = scope.inside([(*name, Value::Integer(caught))]);
                self.walk(handler, &inner)
            }
            _ => Err(Failure::Enough),
        }
    }

    fn bind(&mut self, expression: &E, scope: &Rc<Scope>) -> Result {
        match expression {
            E::Let(bindings, body) => {
                let mut values = Vec::new();
                for (name, value) in bindings {
                    values.push((*name, self.walk(value, scope)?));
                }
                self.walk(body, &scope.inside(values))
            }
            E::LetStar(bindings, body) => {
                let mut inner = Rc::clone(scope);
                for (name, value) in bindings {
                    let value = self.walk(value, &inner)?;
                    inner = inner.inside([(*name, value)]);
                }
                self.walk(body, &inner)
            }
            E::Letrec(bindings, body) | E::Body(bindings, body) => {
                let inner = scope.inside(bindings.iter().map(|(name, _)| (*name, Value::Unassigned)));
                for (name, value) in bindings {
                    let value = self.walk(value, &inner)?;
                    inner.find(name).replace(value);
                }
                self.walk(body, &inner)
            }
            E::Set(name, value) => {
                let value = self.walk(value, scope)?;
                scope.find(name).replace(value);
                Ok(Value::Integer(0))
            }
            _ => Err(Failure::Enough),
        }
    }

    fn repeat(&mut self, expression: &E, scope: &Rc<Scope>) -> Result {
        match expression {
            E::Loop(name, variable, count, body, result) => {
                let again = E::Call(
                    Box::new(E::Name(name)),
                    vec![E::Add(Box::new([E::Name(variable), E::Integer(1)]))],
                );
                let then = E::Begin(vec![body.as_ref().clone(), again]);
                let parts = [E::Name(variable), E::Integer(*count), then, result.as_ref().clone()];
                let inner = scope.inside([(*name, Value::Unassigned)]);
                let procedure = procedure(&[*variable], None, &[E::If(Box::new(parts))], &inner);
                inner.find(name).replace(procedure.clone());
                self.call(&procedure, vec![Value::Integer(0)])
            }
            E::Do(variable, count, body) => {
                let mut inner = scope.inside([(*variable, Value::Integer(0))]);
                loop {
                    let now = self.integer(&E::Name(variable), &inner)?;
                    if *count < now {
                        return Ok(Value::Integer(now));
                    }
                    self.walk(body, &inner)?;
                    let next =
                        self.integer(&E::Name(variable), &inner)?.checked_add(1).ok_or(Failure::Error)?;
                    inner = scope.inside([(*variable, Value::Integer(next))]);
                }
            }
            _ => Err(Failure::Enough),
        }
    }

    fn call(&mut self, callee: &Value, mut arguments: Vec<Value>) -> Result {
        let Value::Procedure(procedure) = callee else { return Err(Failure::Error) };
        let required = procedure.names.len();
        if arguments.len() < required || (procedure.rest.is_none() && arguments.len() > required) {
            return Err(Failure::Error);
        }
        let more = Value::Integer(i64::try_from(arguments.split_off(required).len()).unwrap());
        let named = procedure.names.iter().copied().zip(arguments);
        let scope = procedure.scope.inside(named.chain(procedure.rest.map(|name| (name, more))));
        let mut value = Err(Failure::Error);
        for part in &procedure.body {
            value = Ok(self.walk(part, &scope)?);
        }
        value
    }
}

fn procedure(names: &[Name], rest: Option<Name>, body: &[E], scope: &Rc<Scope>) -> Value {
    let (names, body, scope) = (names.to_vec(), body.to_vec(), Rc::clone(scope));
    Value::Procedure(Rc::new(Procedure { names, rest, body, scope }))
}

fn integer_name() -> impl Strategy<Value = Name> + Clone {
    prop::sample::select(INTEGERS.to_vec())
}

fn procedure_name() -> impl Strategy<Value = Name> + Clone {
    prop::sample::select(PROCEDURES.to_vec())
}

fn expression() -> impl Strategy<Value = Expression> {
    let leaf = prop_oneof![
        1 => (-3_i64..8).prop_map(E::Integer),
        3 => integer_name().prop_map(E::Name),
    ];
    leaf.prop_recursive(7, 80, 4, |inner| {
        let one = || inner.clone().prop_map(Box::new);
        let two = || (inner.clone(), inner.clone()).prop_map(|(left, right)| Box::new([left, right]));
        let three = || (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| Box::new([a, b, c]));
        let some = |most: usize| prop::collection::vec(inner.clone(), 1..=most);
        let unary = (integer_name(), some(3)).prop_map(|(name, body)| E::Lambda(vec![name], None, body));
        let callee = prop_oneof![2 => procedure_name().prop_map(E::Name), 1 => unary.clone()].prop_map(Box::new);
        let value = prop_oneof![
            (integer_name(), inner.clone()),
            (procedure_name(), unary.clone()),
            (procedure_name(), unary.clone()),
        ];
        let repeated = prop::collection::vec(value, 1..5);
        let unique = repeated.clone().prop_map(|mut bindings| {
            let mut seen = Vec::new();
            bindings.retain(|(name, _)| !seen.contains(name) && { seen.push(*name); true });
            bindings
        });
        let direct = (prop::sample::subsequence(vec!["a", "b", "c", "d"], 1..=2), any::<bool>(), some(3), some(2))
            .prop_map(|(names, has_rest, body, mut more)| {
                let mut arguments: Vec<E> = (1..).map(E::Integer).take(names.len()).collect();
                arguments.truncate(names.len().saturating_sub(1));
                arguments.push(more.remove(0));
                if has_rest {
                    arguments.append(&mut more);
                }
                E::Call(Box::new(E::Lambda(names, has_rest.then_some("e"), body)), arguments)
            });
        prop_oneof![
            4 => (callee.clone(), inner.clone()).prop_map(|(callee, argument)| E::Call(callee, vec![argument])),
            1 => (callee.clone(), one()).prop_map(|(callee, argument)| E::Apply(callee, argument)),
            1 => (callee.clone(), one()).prop_map(|(callee, argument)| E::Map(callee, argument)),
            2 => direct,
            3 => (unique.clone(), one()).prop_map(|(bindings, body)| E::Let(bindings, body)),
            2 => (repeated, one()).prop_map(|(bindings, body)| E::LetStar(bindings, body)),
            3 => (unique.clone(), one()).prop_map(|(bindings, body)| E::Letrec(bindings, body)),
            3 => (unique, one()).prop_map(|(bindings, body)| E::Body(bindings, body)),
            2 => (procedure_name(), integer_name(), 0_i64..4, one(), one())
                .prop_map(|(name, variable, count, body, result)| E::Loop(name, variable, count, body, result)),
            1 => (integer_name(), 0_i64..3, one()).prop_map(|(variable, count, body)| E::Do(variable, count, body)),
            6 => (integer_name(), one()).prop_map(|(name, value)| E::Set(name, value)),
            2 => (procedure_name(), unary.prop_map(Box::new)).prop_map(|(name, value)| E::Set(name, value)),
            4 => prop::collection::vec(inner.clone(), 2..4).prop_map(E::Begin),
            2 => (two(), two()).prop_map(|(left, right)| {
                let ([a, b], [c, d]) = (*left, *right);
                E::If(Box::new([a, b, c, d]))
            }),
            1 => some(3).prop_map(E::And),
            1 => some(2).prop_map(E::Or),
            1 => (two(), callee, inner.clone()).prop_map(|(tests, receiver, otherwise)| {
                let [left, right] = *tests;
                E::Cond(Box::new([left, right, *receiver, otherwise]))
            }),
            2 => (three(), 0_i64..4, any::<bool>()).prop_map(|(parts, key, is_hit)| {
                let [value, then, otherwise] = *parts;
                let value = if is_hit { E::Integer(key) } else { value };
                E::Case(Box::new([value, then, otherwise]), key)
            }),
            3 => two().prop_map(E::Add),
            1 => two().prop_map(E::Subtract),
            1 => one().prop_map(E::Raise),
            2 => (integer_name(), one(), one()).prop_map(|(name, handler, body)| E::Guard(name, handler, body)),
        ]
    })
}

/// What the plain evaluator says: a text, `error`, or nothing when it gave up. The globals are shown too.
fn plainly(expression: &Expression) -> Option<String> {
    let numbers = INTEGERS.iter().copied().zip((1..).map(Value::Integer));
    let variables = numbers.chain(PROCEDURES.map(|name| (name, Value::Unassigned)));
    let variables = variables.map(|(name, value)| (name, RefCell::new(value))).collect();
    let scope = Rc::new(Scope { variables, outside: None });
    let plus = |number: i64| E::Add(Box::new([E::Name("x"), E::Integer(number)]));
    let increase = E::Set("a", Box::new(E::Add(Box::new([E::Name("a"), E::Name("x")]))));
    for (name, body) in [("f", vec![plus(10)]), ("g", vec![plus(20)]), ("h", vec![increase, E::Name("a")])] {
        scope.find(name).replace(procedure(&["x"], None, &body, &scope));
    }
    let mut walker = Walker { steps: 0, depth: 0 };
    let shown = [expression.clone()].into_iter().chain(INTEGERS.map(E::Name));
    let mut texts = Vec::new();
    for part in shown {
        match walker.integer(&part, &scope) {
            Ok(value) => texts.push(value.to_string()),
            Err(Failure::Error | Failure::Raised(_)) => return Some("error".to_owned()),
            Err(Failure::Enough) => return None,
        }
    }
    Some(format!("({})", texts.join(" ")))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3_000) })]

    #[test]
    fn the_machine_and_the_plain_evaluator_come_to_the_same(expression in expression()) {
        let program = format!("{START} (list {expression} a b c d e)");
        let Some(expected) = plainly(&expression) else { return Ok(()) };
        let got = machine(&program, Limits::default().memory);
        prop_assert_eq!(&got, &expected, "{}", program);
        // With so little memory garbage is collected again and again, and nothing must change by that.
        let little = machine(&program, LITTLE_MEMORY);
        prop_assert!(little == expected || little == "budget.memory", "{}: {}", program, little);
    }
}

/// What the machine says, in the same words.
fn machine(program: &str, memory: usize) -> String {
    match evaluate(program, Limits { memory, ..Limits::default() }).0.result {
        Ok(answer) => answer.text,
        Err(error) if matches!(error.kind, ErrorKind::Syntax | ErrorKind::Budget(_)) => {
            error.kind.code().to_owned()
        }
        Err(_) => "error".to_owned(),
    }
}
