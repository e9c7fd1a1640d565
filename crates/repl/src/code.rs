//! What a program is compiled to: one row of instructions for a stack machine, with the functions that lie in it.
//!
//! Variables are places on the stack, places in a closure, or globals; no name is looked up while a program runs.

use crate::position::Place;
use crate::value::{Symbol, Value};

/// One instruction. Arguments come from the stack, results go there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Constant(u32),
    Integer(i32),
    /// A variable of this call, by its place above the base
    Local(u32),
    /// The same where it may not have a value yet
    LocalChecked(u32),
    LocalCell(u32),
    /// A variable of the closure
    Captured(u32),
    CapturedCell(u32),
    /// The closure that is running
    Own,
    Global(u32),
    SetLocal(u32),
    SetLocalCell(u32),
    SetCapturedCell(u32),
    SetGlobal(u32),
    DefineGlobal(u32),
    /// Puts a variable into a cell, because closures share it
    BoxLocal(u32),
    BoxTop,
    Closure(u32),
    Jump(u32),
    JumpIfFalse(u32),
    JumpIfFalseOrPop(u32),
    JumpIfTrueOrPop(u32),
    Pop,
    /// Drops so many below the top
    Slide(u32),
    /// Calls the top with so many arguments below it
    Call(u32),
    TailCall(u32),
    CallGlobal {
        arguments: u16,
        global: u32,
    },
    TailCallGlobal {
        arguments: u16,
        global: u32,
    },
    CallOwn(u32),
    TailCallOwn(u32),
    Native {
        native: u16,
        arguments: u32,
    },
    Return,
    PushGuard(u32),
    PopGuard,
    /// Library procedures that are worth an instruction, with their number for when the arguments are not of the
    /// common kind
    Add(u16),
    Subtract(u16),
    Multiply(u16),
    Less(u16),
    AtMost(u16),
    Greater(u16),
    AtLeast(u16),
    Same(u16),
    AddInteger {
        native: u16,
        operand: i32,
    },
    SubtractInteger {
        native: u16,
        operand: i32,
    },
    LessInteger {
        native: u16,
        operand: i32,
    },
    AtMostInteger {
        native: u16,
        operand: i32,
    },
    GreaterInteger {
        native: u16,
        operand: i32,
    },
    AtLeastInteger {
        native: u16,
        operand: i32,
    },
    SameInteger {
        native: u16,
        operand: i32,
    },
    First(u16),
    Rest(u16),
    IsNull,
    IsPair,
    Not,
    IsIdentical,
}

/// Where a new closure finds a value that it keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capture {
    Local(u32),
    Captured(u32),
    Own,
}

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: Symbol,
    pub(crate) required: u32,
    pub(crate) has_rest: bool,
    pub(crate) entry: u32,
    pub(crate) text: u32,
    pub(crate) captures: Vec<Capture>,
}

#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) ops: Vec<Op>,
    /// For each instruction, the function it belongs to and the byte it comes from
    pub(crate) origins: Vec<(u32, u32)>,
    pub(crate) functions: Vec<Function>,
    pub(crate) constants: Vec<Value>,
}

impl Program {
    /// The function and the place of an instruction.
    pub(crate) fn origin(&self, at: u32) -> (u32, Place) {
        let (function, byte) = self.origins.get(at as usize).copied().unwrap_or_default();
        let text = self.functions.get(function as usize).map_or(0, |function| function.text);
        (function, Place { text, byte })
    }
}
