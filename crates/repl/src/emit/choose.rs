//! Instructions for forms that choose.

use crate::code::Op;
use crate::library;
use crate::syntax::{Clause, Node};
use crate::value::Value;

use super::{Emitter, Position};

impl Emitter<'_> {
    pub(super) fn if_node(&mut self, branches: &[Node; 3], position: Position, at: u32) {
        let [test, then, otherwise] = branches;
        let height = self.height();
        self.node(test, Position::Inner);
        let skip = self.jump(Op::JumpIfFalse, at);
        self.set_height(height);
        let end = self.branch(then, position, at);
        self.land(skip);
        self.set_height(height);
        self.node(otherwise, position);
        self.land_all(end);
        self.set_height(height + 1);
    }

    /// A branch that is followed by others: the jump to the end, if it does not return.
    fn branch(&mut self, body: &Node, position: Position, at: u32) -> Option<u32> {
        self.node(body, position);
        (position == Position::Inner).then(|| self.jump(Op::Jump, at))
    }

    fn land_all(&mut self, jumps: impl IntoIterator<Item = u32>) {
        for jump in jumps {
            self.land(jump);
        }
    }

    /// `and` and `or`.
    pub(super) fn chain(
        &mut self,
        nodes: &[Node],
        empty: Value,
        stop: fn(u32) -> Op,
        position: Position,
        at: u32,
    ) {
        let height = self.height();
        let Some((last, first)) = nodes.split_last() else {
            self.constant(empty, at);
            return self.finish(position, at);
        };
        let mut stops = Vec::new();
        for node in first {
            self.node(node, Position::Inner);
            stops.push(self.jump(stop, at));
            self.set_height(height);
        }
        self.node(last, position);
        if !stops.is_empty() {
            self.land_all(stops);
            self.finish(position, at);
        }
        self.set_height(height + 1);
    }

    pub(super) fn cond(&mut self, clauses: &[Clause], position: Position, at: u32) {
        let height = self.height();
        let mut ends = Vec::new();
        for clause in clauses {
            self.set_height(height);
            match clause {
                Clause::Then(test, body) => {
                    self.node(test, Position::Inner);
                    let skip = self.jump(Op::JumpIfFalse, at);
                    self.set_height(height);
                    ends.extend(self.branch(body, position, at));
                    self.land(skip);
                }
                Clause::Value(test) => {
                    self.node(test, Position::Inner);
                    ends.push(self.jump(Op::JumpIfTrueOrPop, at));
                }
                Clause::Receiver(test, receiver) => {
                    self.node(test, Position::Inner);
                    let take = self.jump(Op::JumpIfTrueOrPop, at);
                    let skip = self.jump(Op::Jump, at);
                    self.land(take);
                    self.set_height(height + 1);
                    self.node(receiver, Position::Inner);
                    self.push(Op::Call(1), at);
                    ends.push(self.jump(Op::Jump, at));
                    self.land(skip);
                }
                Clause::Else(body) => {
                    self.node(body, position);
                    self.land_all(ends);
                    if position == Position::Tail {
                        self.push(Op::Return, at);
                    }
                    return self.set_height(height + 1);
                }
            }
        }
        self.set_height(height);
        self.constant(Value::Unspecified, at);
        self.land_all(ends);
        self.finish(position, at);
        self.set_height(height + 1);
    }

    pub(super) fn case(
        &mut self,
        key: &Node,
        clauses: &[(Vec<Value>, Node)],
        otherwise: &Node,
        position: Position,
        at: u32,
    ) {
        let height = self.height();
        let same = library::number_of("equal?").unwrap_or(u16::MAX);
        self.node(key, Position::Inner);
        let mut ends = Vec::new();
        for (choices, body) in clauses {
            let mut takes = Vec::new();
            for choice in choices {
                self.set_height(height + 1);
                self.leave(Op::Local(height), at);
                self.constant(*choice, at);
                self.push(Op::Native { native: same, arguments: 2 }, at);
                takes.push(self.jump(Op::JumpIfTrueOrPop, at));
            }
            let skip = self.jump(Op::Jump, at);
            // What is jumped with lies above the key; both are dropped when the body is done.
            self.land_all(takes);
            self.set_height(height + 2);
            self.node(body, position);
            if position == Position::Inner {
                self.push(Op::Slide(2), at);
                ends.push(self.jump(Op::Jump, at));
            }
            self.land(skip);
        }
        self.set_height(height + 1);
        self.node(otherwise, position);
        if position == Position::Inner {
            self.push(Op::Slide(1), at);
        }
        self.land_all(ends);
        self.set_height(height + 1);
    }
}
