//! A new machine with everything bound, and the reading of a text into it.

use crate::break_off::BreakOff;
use crate::code::{Function, Op, Program};
use crate::emit::emit;
use crate::error::{Error, ErrorKind};
use crate::globals::{Globals, Meaning};
use crate::heap::Heap;
use crate::host::HostFunction;
use crate::library::{self, Meter, Output};
use crate::limits::Limits;
use crate::position::{Text, index};
use crate::reader::read;
use crate::symbols::Symbols;
use crate::syntax::{Analyser, Author};
use crate::value::Value;

use super::fiber::Fiber;
use super::{Machine, Step};

/// Where the instructions lie that call a procedure with one argument, for a fiber that starts.
pub(super) const CALL_ONE: u32 = 0;

impl Machine {
    pub(crate) fn new(limits: Limits) -> Result<Machine, Error> {
        let mut machine = Machine {
            program: Program::default(),
            heap: Heap::new(usize::MAX),
            symbols: Symbols::default(),
            globals: Globals::default(),
            natives: library::natives().collect(),
            hosts: Vec::new(),
            limits: Limits { source: usize::MAX, fuel: u64::MAX, ..limits },
            fiber: Fiber::default(),
            group: None,
            parked: 0,
            meter: Meter::default(),
            output: Output::default(),
            host_calls: 0,
            waiting_bytes: 0,
            deepest: 0,
            allocated_before: 0,
            texts: Vec::new(),
            handle: 0,
            map: 0,
            break_off: BreakOff::Never,
            is_stressed: false,
        };
        machine.bind();
        machine.load_text(library::PRELUDE, Author::Library)?;
        match machine.advance()? {
            Step::Done(_) | Step::Calls(_) => {}
        }
        machine.handle = machine.built_in("%handle");
        machine.map = machine.built_in("map");
        machine.limits = limits;
        Ok(machine)
    }

    fn bind(&mut self) {
        let name = self.symbols.intern("the program");
        self.program.functions.push(Function {
            name,
            required: 0,
            has_rest: false,
            entry: CALL_ONE,
            text: 0,
            captures: Vec::new(),
        });
        self.program.ops.extend([Op::Call(1), Op::Return]);
        self.program.origins.extend([(0, 0), (0, 0)]);
        for (number, native) in (0..).zip(&self.natives) {
            let name = self.symbols.intern(native.name);
            self.globals.build_in(name, Value::Native(number));
        }
    }

    /// Binds host functions, whose names nobody else has.
    pub(crate) fn bind_hosts(&mut self, hosts: Vec<HostFunction>) {
        for (number, host) in (0..).zip(&hosts) {
            let name = self.symbols.intern(&host.name);
            self.globals.build_in(name, Value::Host(number));
        }
        self.hosts = hosts;
    }

    fn built_in(&mut self, name: &str) -> u32 {
        let name = self.symbols.intern(name);
        match self.globals.meaning(name) {
            Some(Meaning::BuiltIn(global) | Meaning::Defined(global)) => global,
            None => 0,
        }
    }

    /// Reads a program and stands before its first instruction, with full budgets.
    pub(crate) fn load(&mut self, source: &str) -> Result<(), Error> {
        self.load_text(source, Author::Program)
    }

    /// Binds the definitions of a text for every program, as the library's own are: uncharged, and no place in it is shown.
    pub(crate) fn define(&mut self, source: &str) -> Result<(), Error> {
        let limits = self.limits;
        self.limits = Limits { source: usize::MAX, fuel: u64::MAX, memory: usize::MAX, ..limits };
        let defined = self.defined(source);
        self.limits = limits;
        defined
    }

    fn defined(&mut self, source: &str) -> Result<(), Error> {
        self.refill()?;
        let entry = self.compile(source, Author::Library, 0)?;
        self.fiber = Fiber::at(entry, Vec::new());
        match self.advance()? {
            Step::Done(_) => Ok(()),
            Step::Calls(_) => Err(Error::new(ErrorKind::Host, "a definition calls the host")),
        }
    }

    fn load_text(&mut self, source: &str, author: Author) -> Result<(), Error> {
        self.refill()?;
        let text = index(self.texts.len());
        let entry = self.compile(source, author, text);
        // A text that was too long is not kept.
        let kept = if source.len() > self.limits.source { "" } else { source };
        self.texts.push(Text::new(kept));
        let entry = entry.map_err(|error| Error { text: (text as usize).saturating_sub(1), ..error })?;
        self.fiber = Fiber::at(entry, Vec::new());
        Ok(())
    }

    /// Forgets what ran before, and fills the budgets.
    fn refill(&mut self) -> Result<(), Error> {
        if let Some(group) = self.group.take() {
            self.heap.release(group.bytes());
        }
        self.forget_calls();
        self.fiber = Fiber::default();
        self.parked = 0;
        self.deepest = 0;
        self.host_calls = 0;
        let fuel = self.limits.fuel;
        self.meter = Meter { steps: 0, fuel, look: fuel.min(self.break_off.next_look(0)) };
        self.output = Output { text: String::new(), most: self.limits.output };
        self.heap.limit(self.limits.memory);
        self.allocated_before = self.heap.allocated();
        if self.heap.room() < self.limits.memory / 2 {
            // Constants are made while nothing can be collected.
            self.collect()?;
        }
        Ok(())
    }

    /// Compiles a text; where its first instruction lies.
    fn compile(&mut self, source: &str, author: Author, text: u32) -> Result<u32, Error> {
        let data = read(source, self.limits.source)?;
        let analyser = Analyser::new(source, author, &mut self.heap, &mut self.symbols, &mut self.globals);
        let unit = analyser.unit(&data)?;
        let whole = emit(&unit, &mut self.program, text);
        Ok(self.program.functions.get(whole as usize).map_or(CALL_ONE, |function| function.entry))
    }

    /// The texts that were read, without the prelude.
    pub(crate) fn text(&self, number: usize) -> &str {
        self.texts.get(number + 1).map_or("", Text::source)
    }
}
