//! Meaning to instructions. Variables get their places here; nothing else is decided.

mod call;
mod choose;

use std::collections::BTreeMap;

use crate::code::{Capture, Function, Op, Program};
use crate::position::index;
use crate::syntax::{FunctionId, FunctionSyntax, Node, NodeKind, Unit, VariableId};
use crate::value::Value;

/// Whether something must return by itself or leaves its value on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    Tail,
    Inner,
}

/// A function that is being emitted.
struct Open {
    function: FunctionId,
    own: Option<VariableId>,
    ops: Vec<(Op, u32)>,
    captures: Vec<Capture>,
    /// The place of a variable among the captures
    captured: BTreeMap<VariableId, u32>,
    /// How many values lie above the base
    height: u32,
}

struct Emitter<'a> {
    unit: &'a Unit,
    program: &'a mut Program,
    text: u32,
    open: Vec<Open>,
    slots: Vec<u32>,
}

/// Where a variable is, seen from the function that is being emitted.
#[derive(Clone, Copy)]
enum Location {
    Local(u32),
    Captured(u32),
    Own,
}

/// Emits a unit; the place of the function that runs it.
pub(crate) fn emit(unit: &Unit, program: &mut Program, text: u32) -> u32 {
    let slots = vec![0; unit.variables.len()];
    let mut emitter = Emitter { unit, program, text, open: Vec::new(), slots };
    match unit.functions.first() {
        Some(whole) => emitter.function(0, whole),
        None => 0,
    }
}

impl Emitter<'_> {
    /// Emits a function behind all others; its place.
    fn function(&mut self, id: FunctionId, syntax: &FunctionSyntax) -> u32 {
        let height = index(syntax.parameters.len());
        let own = syntax.own.filter(|own| self.unit.variables.get(*own).is_some_and(|own| !own.is_set));
        self.open.push(Open {
            function: id,
            own,
            ops: Vec::new(),
            captures: Vec::new(),
            captured: BTreeMap::new(),
            height,
        });
        for (slot, parameter) in (0..).zip(&syntax.parameters) {
            self.place(*parameter, slot);
            if self.is_boxed(*parameter) {
                self.push(Op::BoxLocal(slot), syntax.at);
            }
        }
        if id == 0 {
            // The text itself stays below what it calls, so that a trace ends in it.
            self.node(&syntax.body, Position::Inner);
            self.push(Op::Return, syntax.at);
        } else {
            self.node(&syntax.body, Position::Tail);
        }
        let Some(done) = self.open.pop() else { return 0 };
        let number = index(self.program.functions.len());
        let entry = index(self.program.ops.len());
        for (op, at) in done.ops {
            self.program.ops.push(moved(op, entry));
            self.program.origins.push((number, at));
        }
        let required = index(syntax.parameters.len() - usize::from(syntax.has_rest));
        self.program.functions.push(Function {
            name: syntax.name,
            required,
            has_rest: syntax.has_rest,
            entry,
            text: self.text,
            captures: done.captures,
        });
        number
    }

    fn push(&mut self, op: Op, at: u32) {
        if let Some(open) = self.open.last_mut() {
            open.ops.push((op, at));
        }
    }

    /// The place of the next instruction, within its function.
    fn here(&self) -> u32 {
        self.open.last().map_or(0, |open| index(open.ops.len()))
    }

    /// A jump whose target is told later.
    fn jump(&mut self, op: fn(u32) -> Op, at: u32) -> u32 {
        let here = self.here();
        self.push(op(0), at);
        here
    }

    /// Makes a jump lead to the next instruction.
    fn land(&mut self, jump: u32) {
        let here = self.here();
        if let Some((op, _)) = self.open.last_mut().and_then(|open| open.ops.get_mut(jump as usize)) {
            *op = moved(*op, here);
        }
    }

    fn height(&self) -> u32 {
        self.open.last().map_or(0, |open| open.height)
    }

    fn set_height(&mut self, height: u32) {
        if let Some(open) = self.open.last_mut() {
            open.height = height;
        }
    }

    fn grow(&mut self) {
        self.set_height(self.height() + 1);
    }

    fn place(&mut self, variable: VariableId, slot: u32) {
        if let Some(known) = self.slots.get_mut(variable) {
            *known = slot;
        }
    }

    fn is_boxed(&self, variable: VariableId) -> bool {
        self.unit.variables.get(variable).is_some_and(|variable| variable.is_boxed)
    }

    fn locate(&mut self, level: usize, variable: VariableId) -> Location {
        let home = self.unit.variables.get(variable).map_or(0, |variable| variable.home);
        let Some(open) = self.open.get(level) else { return Location::Own };
        if open.own == Some(variable) {
            return Location::Own;
        }
        if home == open.function {
            return Location::Local(self.slots.get(variable).copied().unwrap_or_default());
        }
        if let Some(known) = open.captured.get(&variable) {
            return Location::Captured(*known);
        }
        let outside = match self.locate(level.saturating_sub(1), variable) {
            Location::Local(slot) => Capture::Local(slot),
            Location::Captured(at) => Capture::Captured(at),
            Location::Own => Capture::Own,
        };
        let Some(open) = self.open.get_mut(level) else { return Location::Own };
        let place = index(open.captures.len());
        open.captures.push(outside);
        open.captured.insert(variable, place);
        Location::Captured(place)
    }

    fn location(&mut self, variable: VariableId) -> Location {
        self.locate(self.open.len().saturating_sub(1), variable)
    }

    /// Emits what leaves one value, or returns it.
    fn node(&mut self, node: &Node, position: Position) {
        let at = node.at;
        match &node.kind {
            NodeKind::Constant(value) => self.constant(*value, at),
            NodeKind::Variable(variable) => self.variable(*variable, false, at),
            NodeKind::EarlyVariable(variable) => self.variable(*variable, true, at),
            NodeKind::SetVariable(variable, value) => self.set_variable(*variable, value, at),
            NodeKind::Initialise(variable, value) => self.set_variable(*variable, value, at),
            NodeKind::Global(global) => self.leave(Op::Global(*global), at),
            NodeKind::SetGlobal(global, value) => self.store(value, Op::SetGlobal(*global), at),
            NodeKind::DefineGlobal(global, value) => self.store(value, Op::DefineGlobal(*global), at),
            NodeKind::Lambda(function) => self.lambda(*function, at),
            NodeKind::Native(native, arguments) => self.native(*native, arguments, at),
            NodeKind::If(branches) => return self.if_node(branches, position, at),
            NodeKind::And(nodes) => {
                return self.chain(nodes, Value::Bool(true), Op::JumpIfFalseOrPop, position, at);
            }
            NodeKind::Or(nodes) => {
                return self.chain(nodes, Value::Bool(false), Op::JumpIfTrueOrPop, position, at);
            }
            NodeKind::Cond(clauses) => return self.cond(clauses, position, at),
            NodeKind::Case { key, clauses, otherwise } => {
                return self.case(key, clauses, otherwise, position, at);
            }
            NodeKind::Sequence(nodes) => return self.sequence(nodes, position),
            NodeKind::Bind { bindings, body } => return self.bind(bindings, body, position, at),
            NodeKind::Recursive { variables, body } => return self.recursive(variables, body, position, at),
            NodeKind::Call(callee, arguments) => return self.call(callee, arguments, position, at),
            NodeKind::Guard { body, variable, handler } => {
                return self.guard(body, *variable, handler, position, at);
            }
        }
        self.finish(position, at);
    }

    fn finish(&mut self, position: Position, at: u32) {
        if position == Position::Tail {
            self.push(Op::Return, at);
        }
    }

    /// An instruction that leaves one more value.
    fn leave(&mut self, op: Op, at: u32) {
        self.push(op, at);
        self.grow();
    }

    fn constant(&mut self, value: Value, at: u32) {
        if let Value::Integer(integer) = value
            && let Ok(small) = i32::try_from(integer)
        {
            return self.leave(Op::Integer(small), at);
        }
        let number = index(self.program.constants.len());
        // Neighbours are often the same: nothing, true, the empty list.
        let known = self.program.constants.iter().rev().take(8).position(|known| *known == value);
        let number = match known {
            Some(back) => number - 1 - index(back),
            None => {
                self.program.constants.push(value);
                number
            }
        };
        self.leave(Op::Constant(number), at);
    }

    fn variable(&mut self, variable: VariableId, is_early: bool, at: u32) {
        let is_boxed = self.is_boxed(variable);
        let op = match (self.location(variable), is_boxed) {
            (Location::Own, _) => Op::Own,
            (Location::Local(slot), true) => Op::LocalCell(slot),
            (Location::Local(slot), false) if is_early => Op::LocalChecked(slot),
            (Location::Local(slot), false) => Op::Local(slot),
            (Location::Captured(place), true) => Op::CapturedCell(place),
            (Location::Captured(place), false) => Op::Captured(place),
        };
        self.leave(op, at);
    }

    /// Emits a value, an instruction that takes it, and nothing in its place.
    fn store(&mut self, value: &Node, op: Op, at: u32) {
        self.node(value, Position::Inner);
        self.push(op, at);
    }

    fn set_variable(&mut self, variable: VariableId, value: &Node, at: u32) {
        self.node(value, Position::Inner);
        let op = match (self.location(variable), self.is_boxed(variable)) {
            (Location::Local(slot), true) => Op::SetLocalCell(slot),
            (Location::Local(slot), false) => Op::SetLocal(slot),
            // A function reaches itself only while its variable never changes, so this is never set.
            (Location::Captured(place), _) => Op::SetCapturedCell(place),
            (Location::Own, _) => return,
        };
        self.push(op, at);
    }

    fn lambda(&mut self, function: FunctionId, at: u32) {
        let unit = self.unit;
        let Some(syntax) = unit.functions.get(function) else { return };
        let number = self.function(function, syntax);
        self.leave(Op::Closure(number), at);
    }

    fn sequence(&mut self, nodes: &[Node], position: Position) {
        let Some((last, first)) = nodes.split_last() else { return };
        for node in first {
            let height = self.height();
            self.node(node, Position::Inner);
            self.push(Op::Pop, node.at);
            self.set_height(height);
        }
        self.node(last, position);
    }

    /// Puts the top of the stack into a variable of the current call.
    fn adopt(&mut self, variable: VariableId, at: u32) {
        self.place(variable, self.height().saturating_sub(1));
        if self.is_boxed(variable) {
            self.push(Op::BoxTop, at);
        }
    }

    fn bind(&mut self, bindings: &[(VariableId, Node)], body: &Node, position: Position, at: u32) {
        let height = self.height();
        for (variable, value) in bindings {
            self.node(value, Position::Inner);
            self.adopt(*variable, at);
        }
        self.close_scope(height, body, position, at);
    }

    fn recursive(&mut self, variables: &[VariableId], body: &Node, position: Position, at: u32) {
        let height = self.height();
        for variable in variables {
            self.constant(Value::Unassigned, at);
            self.adopt(*variable, at);
        }
        self.close_scope(height, body, position, at);
    }

    /// Emits a body and drops what was bound for it.
    fn close_scope(&mut self, height: u32, body: &Node, position: Position, at: u32) {
        let bound = self.height() - height;
        self.node(body, position);
        if position == Position::Inner && bound > 0 {
            self.push(Op::Slide(bound), at);
        }
        self.set_height(height + 1);
    }

    fn guard(&mut self, body: &Node, variable: VariableId, handler: &Node, position: Position, at: u32) {
        let height = self.height();
        let guarded = self.jump(Op::PushGuard, at);
        self.node(body, Position::Inner);
        self.push(Op::PopGuard, at);
        let end = match position {
            Position::Tail => {
                self.push(Op::Return, at);
                None
            }
            Position::Inner => Some(self.jump(Op::Jump, at)),
        };
        self.land(guarded);
        // The machine puts what was raised where the value of the body would be.
        self.set_height(height + 1);
        self.adopt(variable, at);
        self.close_scope(height, handler, position, at);
        if let Some(end) = end {
            self.land(end);
        }
    }
}

/// An instruction moved by so many places: only jumps notice.
fn moved(op: Op, by: u32) -> Op {
    let mut op = op;
    if let Op::Jump(target)
    | Op::JumpIfFalse(target)
    | Op::JumpIfFalseOrPop(target)
    | Op::JumpIfTrueOrPop(target)
    | Op::PushGuard(target) = &mut op
    {
        *target += by;
    }
    op
}
