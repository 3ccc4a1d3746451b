//! Abnormal ends, and the exits that programs set for them.
//!
//! An abend looks for an exit in the program that is in control, then level by
//! level outwards. A CALL puts the caller's exits aside as PUSH HANDLE does
//! (CBLPSHPOP=ON, the default), so those of a caller at the same LINK level do
//! not count. A label is reached by entering its program again at its top with
//! a resume code; a program takes the place of the one that abended. An exit
//! that gets control is inactive until RESET.
//! Reference: CICS API reference, HANDLE ABEND, PUSH HANDLE; application
//! development, "Abnormal termination recovery"; Language Environment
//! programming reference, CBLPSHPOP.

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::Path;

use cics::names::AbendCode;
use link::stepping::StepPoint;

use crate::cob::Flow;
use crate::worker::{LevelExit, Worker};

/// Why a task or program ended abnormally.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abend {
    /// Abend code.
    pub code: [u8; 4],
    /// Program in control.
    pub program: [u8; 8],
    /// Line of the program's source, 0 when unknown.
    pub line: u32,
    /// The message for the log and the reply.
    pub message: String,
    /// Exits are passed by: ABEND CANCEL.
    pub cancel: bool,
    /// Storage may be damaged: the worker must not be used again.
    pub damaged: bool,
}

/// The exit of a program for abends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AbendExit {
    /// None set.
    #[default]
    None,
    /// A label, by its place in the program's list.
    Label(u16),
    /// A program.
    Program([u8; 8]),
}

impl Abend {
    /// An abend with a code of the system.
    pub fn new(code: AbendCode, message: impl Into<String>) -> Box<Self> {
        Box::new(Abend {
            code: code.0,
            program: [b' '; 8],
            line: 0,
            message: message.into(),
            cancel: false,
            damaged: false,
        })
    }
}

impl Worker {
    /// Notes where an abend happened, unless the abend has a place already. The program is
    /// that of the LINK level; the line may be one of a program that it CALLed,
    /// which the message then names.
    pub(crate) fn locate(&self, abend: &mut Abend) {
        let (line, source) = self.rt.line();
        if abend.line == 0 {
            abend.line = if line == 0 { self.task.last_line } else { line };
        }
        if abend.program != [b' '; 8] {
            return;
        }
        abend.program = self.task.level().name;
        let program = String::from_utf8_lossy(&abend.program);
        let other = Path::new(&source).file_stem().and_then(OsStr::to_str);
        if let Some(other) = other
            && !other.eq_ignore_ascii_case(program.trim_end())
        {
            let _ = write!(abend.message, " (the line is of {other})");
        }
    }

    /// The next action after an abend at the current level.
    pub(crate) fn take_exit(&mut self, mut abend: Box<Abend>) -> Flow {
        self.locate(&mut abend);
        if self.task.first_abend == [b' '; 4] {
            self.task.first_abend = abend.code;
        }
        if self.task.stepped {
            self.step_end(StepPoint::Abend, Some(&abend));
        }
        let base = self.task.level().base;
        let (depth, serial) = self.rt.frame();
        if depth >= base && !abend.cancel {
            let frame = self.task.frames.known(depth, serial);
            let exit = frame.and_then(|f| Some((f.handles.take_abend_exit()?, &mut f.resume)));
            match exit {
                Some((AbendExit::Label(label), resume)) => {
                    *resume = label;
                    self.task.abend = Some(abend);
                    return self.enter_again(depth, base);
                }
                Some((AbendExit::Program(name), _)) => {
                    self.task.abend = Some(abend);
                    self.task.level_mut().exit = LevelExit::AbendProgram(name);
                    return Flow::leave(base);
                }
                Some((AbendExit::None, _)) | None => {}
            }
        }
        self.task.level_mut().exit = LevelExit::Abend(abend);
        Flow::leave(base)
    }

    fn enter_again(&mut self, depth: i32, base: i32) -> Flow {
        if depth > base {
            return Flow::reenter(depth);
        }
        self.task.level_mut().exit = LevelExit::Again;
        Flow::leave(base)
    }
}
