//! Data to meaning: which form a list is, which variable a name is, which variables closures share.
//!
//! It must not emit instructions. Trees nest no deeper than the data they come from, times a constant, so walking them by
//! recursion is bounded; forms with many clauses are flat here.

mod analyse;
mod binding;
mod body;
mod conditional;
mod define;
mod failing;
mod quasi;
mod values;

use crate::value::{Symbol, Value};

pub(crate) use self::analyse::{Analyser, Author};

/// Names of forms; no program can define them as globals.
pub(crate) const KEYWORDS: [&str; 29] = [
    "=>",
    "and",
    "assert",
    "begin",
    "case",
    "cond",
    "define",
    "define-record-type",
    "define-values",
    "do",
    "else",
    "guard",
    "if",
    "lambda",
    "let",
    "let*",
    "let*-values",
    "let-values",
    "letrec",
    "letrec*",
    "or",
    "quasiquote",
    "quote",
    "receive",
    "set!",
    "unless",
    "unquote",
    "unquote-splicing",
    "when",
];

/// The place of a variable among all of a unit.
pub(crate) type VariableId = usize;
/// The place of a function among all of a unit.
pub(crate) type FunctionId = usize;

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    pub(crate) at: u32,
}

#[derive(Debug)]
pub(crate) enum NodeKind {
    Constant(Value),
    Variable(VariableId),
    /// A variable where it may not have a value yet
    EarlyVariable(VariableId),
    SetVariable(VariableId, Box<Node>),
    Global(u32),
    SetGlobal(u32, Box<Node>),
    DefineGlobal(u32, Box<Node>),
    If(Box<[Node; 3]>),
    And(Vec<Node>),
    Or(Vec<Node>),
    Cond(Vec<Clause>),
    Case {
        key: Box<Node>,
        clauses: Vec<(Vec<Value>, Node)>,
        otherwise: Box<Node>,
    },
    Sequence(Vec<Node>),
    /// Each variable is known to the values behind it
    Bind {
        bindings: Vec<(VariableId, Node)>,
        body: Box<Node>,
    },
    /// Variables without values, which the body gives them by `Initialise`
    Recursive {
        variables: Vec<VariableId>,
        body: Box<Node>,
    },
    Initialise(VariableId, Box<Node>),
    Lambda(FunctionId),
    Call(Box<Node>, Vec<Node>),
    Native(u16, Vec<Node>),
    Guard {
        body: Box<Node>,
        variable: VariableId,
        handler: Box<Node>,
    },
}

/// One clause of `cond`.
#[derive(Debug)]
pub(crate) enum Clause {
    /// `(test expression …)`
    Then(Node, Node),
    /// `(test)`
    Value(Node),
    /// `(test => receiver)`
    Receiver(Node, Node),
    /// `(else expression …)`; nothing follows
    Else(Node),
}

#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) home: FunctionId,
    pub(crate) is_set: bool,
    /// Whether it has a value at the point that analysis has reached
    pub(crate) is_ready: bool,
    /// Whether it lies in a cell, because closures share it and it changes after they are made
    pub(crate) is_boxed: bool,
}

#[derive(Debug)]
pub(crate) struct FunctionSyntax {
    pub(crate) name: Symbol,
    pub(crate) parent: FunctionId,
    pub(crate) parameters: Vec<VariableId>,
    pub(crate) has_rest: bool,
    pub(crate) body: Node,
    /// The variable this function is the value of, if it is the first
    pub(crate) own: Option<VariableId>,
    pub(crate) at: u32,
}

/// All of one text, resolved. The first function is the text itself.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) functions: Vec<FunctionSyntax>,
    pub(crate) variables: Vec<Variable>,
}

impl Node {
    pub(crate) fn new(kind: NodeKind, at: u32) -> Node {
        Node { kind, at }
    }

    pub(crate) fn constant(value: Value, at: u32) -> Node {
        Node::new(NodeKind::Constant(value), at)
    }

    pub(crate) fn nothing(at: u32) -> Node {
        Node::constant(Value::Unspecified, at)
    }

    /// One node of several; of none, nothing.
    pub(crate) fn sequence(mut nodes: Vec<Node>, at: u32) -> Node {
        match nodes.pop() {
            None => Node::nothing(at),
            Some(only) if nodes.is_empty() => only,
            Some(last) => {
                nodes.push(last);
                Node::new(NodeKind::Sequence(nodes), at)
            }
        }
    }
}
