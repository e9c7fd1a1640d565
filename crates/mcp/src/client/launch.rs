//! What a client needs of the system: programs beside us, and variables of the environment. Only a trait and plain data; the
//! composition root implements it.

use std::fmt::Debug;
use std::io;
use std::os::fd::OwnedFd;

/// A program to be started.
#[derive(Debug, Clone, Copy)]
pub struct ProgramToStart<'p> {
    /// The program.
    pub program: &'p str,
    /// Its arguments.
    pub arguments: &'p [String],
    /// The variables that it gets beside the usual ones, by name.
    pub environment: &'p [String],
    /// The folder it works in.
    pub folder: &'p str,
}

/// A program that runs; dropping it ends it and whatever it started.
pub trait RunningProgram: Debug + Send + Sync {}

/// A program that was started, and our ends of its pipes.
#[derive(Debug)]
pub struct Launched {
    /// Where it reads.
    pub input: OwnedFd,
    /// What it says.
    pub output: OwnedFd,
    /// What it says beside.
    pub errors: OwnedFd,
    /// What it ends with.
    pub program: Box<dyn RunningProgram>,
}

/// The system, as a client sees it.
pub trait Launch: Debug + Send + Sync {
    /// Starts a program in a process group of its own.
    ///
    /// # Errors
    /// It cannot be started.
    fn start(&self, program: &ProgramToStart<'_>) -> io::Result<Launched>;

    /// A variable of the environment.
    fn variable(&self, name: &str) -> Option<String>;
}
