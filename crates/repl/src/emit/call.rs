//! Instructions for calls, and for the library procedures that are worth one of their own.

use crate::code::Op;
use crate::library;
use crate::position::index;
use crate::syntax::{Node, NodeKind};
use crate::value::Value;

use super::{Emitter, Location, Position};

/// An instruction over two values, and the same with a small integer as the second.
struct Pairwise {
    op: fn(u16) -> Op,
    with_integer: Option<fn(u16, i32) -> Op>,
    /// Whether more than two arguments are taken two by two
    folds: bool,
}

impl Emitter<'_> {
    pub(super) fn call(&mut self, callee: &Node, arguments: &[Node], position: Position, at: u32) {
        let height = self.height();
        for argument in arguments {
            self.node(argument, Position::Inner);
        }
        let count = index(arguments.len());
        let is_tail = position == Position::Tail;
        match (&callee.kind, u16::try_from(count)) {
            (NodeKind::Global(global), Ok(arguments)) => {
                let global = *global;
                self.push(
                    if is_tail {
                        Op::TailCallGlobal { arguments, global }
                    } else {
                        Op::CallGlobal { arguments, global }
                    },
                    at,
                );
            }
            (NodeKind::Variable(variable) | NodeKind::EarlyVariable(variable), _)
                if matches!(self.location(*variable), Location::Own) =>
            {
                self.push(if is_tail { Op::TailCallOwn(count) } else { Op::CallOwn(count) }, at);
            }
            _ => {
                self.node(callee, Position::Inner);
                self.push(if is_tail { Op::TailCall(count) } else { Op::Call(count) }, at);
            }
        }
        // What is no closure answers at once, and then there is still to return.
        self.finish(position, at);
        self.set_height(height + 1);
    }

    pub(super) fn native(&mut self, native: u16, arguments: &[Node], at: u32) {
        let height = self.height();
        let name = library::name_of(native);
        match (pairwise(name), single(name, native), arguments) {
            (Some(pairwise), _, [left, right]) => {
                self.node(left, Position::Inner);
                self.second(native, &pairwise, right, at);
            }
            (Some(pairwise), _, [left, right, more @ ..]) if pairwise.folds => {
                self.node(left, Position::Inner);
                for right in [right].into_iter().chain(more) {
                    self.second(native, &pairwise, right, at);
                    self.set_height(height + 1);
                }
            }
            (_, Some(op), [only]) => {
                self.node(only, Position::Inner);
                self.push(op, at);
            }
            _ => {
                for argument in arguments {
                    self.node(argument, Position::Inner);
                }
                self.push(Op::Native { native, arguments: index(arguments.len()) }, at);
            }
        }
        self.set_height(height + 1);
    }

    fn second(&mut self, native: u16, pairwise: &Pairwise, right: &Node, at: u32) {
        if let NodeKind::Constant(Value::Integer(integer)) = right.kind
            && let Ok(small) = i32::try_from(integer)
            && let Some(op) = pairwise.with_integer
        {
            return self.push(op(native, small), at);
        }
        self.node(right, Position::Inner);
        self.push((pairwise.op)(native), at);
    }
}

fn pairwise(name: &str) -> Option<Pairwise> {
    let compare = |op: fn(u16) -> Op, with: fn(u16, i32) -> Op| {
        Some(Pairwise { op, with_integer: Some(with), folds: false })
    };
    let fold = |op: fn(u16) -> Op, with_integer| Some(Pairwise { op, with_integer, folds: true });
    match name {
        "+" => fold(Op::Add, Some(|native, operand| Op::AddInteger { native, operand })),
        "-" => fold(Op::Subtract, Some(|native, operand| Op::SubtractInteger { native, operand })),
        "*" => fold(Op::Multiply, None),
        "<" => compare(Op::Less, |native, operand| Op::LessInteger { native, operand }),
        "<=" => compare(Op::AtMost, |native, operand| Op::AtMostInteger { native, operand }),
        ">" => compare(Op::Greater, |native, operand| Op::GreaterInteger { native, operand }),
        ">=" => compare(Op::AtLeast, |native, operand| Op::AtLeastInteger { native, operand }),
        "=" => compare(Op::Same, |native, operand| Op::SameInteger { native, operand }),
        "eq?" => Some(Pairwise { op: |_| Op::IsIdentical, with_integer: None, folds: false }),
        _ => None,
    }
}

fn single(name: &str, native: u16) -> Option<Op> {
    match name {
        "car" => Some(Op::First(native)),
        "cdr" => Some(Op::Rest(native)),
        "null?" => Some(Op::IsNull),
        "pair?" => Some(Op::IsPair),
        "not" => Some(Op::Not),
        _ => None,
    }
}
