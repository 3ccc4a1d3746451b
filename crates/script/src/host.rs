//! The interface of scripts to the region: an engine uses an implementation
//! of this trait.
//!
//! Calls return when they are done; the engine's thread waits meanwhile. Tests
//! have a host of their own.

use std::time::Instant;

use cics::resp::Condition;
use fetch::FetchedResponse;
use link::{CallAnswer, CallOperation, ChannelData, CommandOperands};

use crate::engine::ScriptAnswer as Given;

/// The host of a script: its user, and the requests it may make.
pub trait ScriptHost {
    /// The task.
    fn facts(&self) -> TaskAttributes;

    /// Runs a program in the task's unit of work and waits for its end.
    fn link(&mut self, program: &str, input: ProgramInput<'_>) -> Result<ProgramOutput, Fault>;

    /// Whether a program can take the script's place, with this.
    fn may_go_over(&self, program: &str, input: ProgramInput<'_>) -> Result<(), Fault>;

    /// Asks the region as a program's worker does. The answer's condition is
    /// not looked at.
    fn call(
        &mut self,
        op: CallOperation,
        args: [u64; 8],
        data: Vec<u8>,
    ) -> Result<CallAnswer, Fault>;

    /// A command that the region serves, by its number in the command table.
    fn command(&mut self, number: u16, operands: &CommandOperands) -> Result<CallAnswer, Fault> {
        let args = [u64::from(number), 0, 0, 0, 0, 0, 0, 0];
        self.call(CallOperation::Command, args, operands.emit())
    }

    /// The number of a file in the region's definitions.
    fn file(&self, name: &str) -> Option<usize>;

    /// Begins a child task with a unit of work of its own; [`ScriptHost::wait`]
    /// returns its end under this number.
    fn spawn(
        &mut self,
        number: u32,
        transid: Option<&str>,
        program: &str,
        input: ProgramInput<'_>,
    ) -> Result<(), Fault>;

    /// Sends a request to another HTTP server; [`ScriptHost::wait`] returns the
    /// answer under this number. The error is the reason for not sending it.
    fn fetch(&mut self, number: u32, request: fetch::Request) -> Result<(), String>;

    /// Waits for a command that was begun, at most until an instant. Returns `None` at
    /// that instant, or when no command is under way.
    fn wait(&mut self, until: Option<Instant>) -> Option<(u32, HostEvent)>;

    /// Sends a part of the answer before it is complete, and waits while the
    /// client does not read; the first part says how the answer begins. False
    /// when the client has disconnected.
    fn send(&mut self, part: Given) -> bool;

    /// Ends the script's task: commits its changes, or backs them out if it has
    /// an abend. Parts of the answer that were already sent are taken out of
    /// it. `cpu_ns` is the CPU time of its thread. Returns an abend of the end
    /// itself as the error.
    fn finish(
        self: Box<Self>,
        ended: Result<&mut Given, &AbendInfo>,
        cpu_ns: u64,
    ) -> Result<(), AbendInfo>;

    /// Writes a line of the script to the log, with data in JSON that belong to
    /// it.
    fn log(&self, level: LogLevel, text: &str, data: Option<&str>);
}

/// An event that ends a wait.
#[derive(Debug, Clone)]
pub enum HostEvent {
    /// The end of a child task.
    Ended(Result<ProgramOutput, Fault>),
    /// A call to another server, or why it failed.
    Fetched(Result<FetchedResponse, String>),
}

/// How much a line of the log matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    /// For debugging.
    Debug,
    /// Worth knowing.
    Info,
    /// Something is not as it should be.
    Warn,
    /// Something went wrong.
    Error,
}

/// The task that a script runs in.
#[derive(Debug, Clone, Default)]
pub struct TaskAttributes {
    /// Number of the task.
    pub task: u64,
    /// Transaction.
    pub transid: String,
    /// The user it runs for.
    pub userid: String,
    /// Name of the region.
    pub applid: String,
    /// Short name of the region.
    pub sysid: String,
}

/// The input of a program.
#[derive(Debug, Clone, Copy)]
pub enum ProgramInput<'a> {
    /// No input.
    None,
    /// A COMMAREA.
    Commarea(&'a [u8]),
    /// A channel.
    Channel(&'a ChannelData),
}

/// The output of a program.
#[derive(Debug, Clone, Default)]
pub struct ProgramOutput {
    /// The COMMAREA, as long as that of the input.
    pub commarea: Vec<u8>,
    /// The channel, when there was one.
    pub channel: Option<ChannelData>,
}

/// Why a command was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A condition: its number in EIBRESP, and RESP2.
    Condition(Condition, u32),
    /// A program, or the region, ended it with an abend.
    Abend(AbendInfo),
}

/// An abend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbendInfo {
    /// Four characters.
    pub code: String,
    /// The program in control, empty when unknown.
    pub program: String,
    /// Line of its source, 0 when unknown.
    pub line: u32,
    /// The error's message.
    pub message: String,
}

impl Fault {
    /// An abend without a place.
    pub fn abend(code: &str, message: impl Into<String>) -> Fault {
        Fault::Abend(AbendInfo {
            code: code.into(),
            program: String::new(),
            line: 0,
            message: message.into(),
        })
    }
}
