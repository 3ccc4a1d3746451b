//! Language Environment services that programs CALL, and exceptions of a
//! program that the C side found.
//!
//! The services for sockets ([`crate::eza`]) are called in the same way.
//!
//! A service is a function from the worker and the arguments to a feedback
//! code; `services` holds one row for each. Without a feedback argument a
//! code of severity 2 or more ends the task with 4038, as an unhandled
//! condition does.
//! Reference: z/OS Language Environment programming reference, "Callable
//! services"; programming guide, "Termination behavior for unhandled
//! conditions".

mod arguments;
mod feedback;
mod messages;
mod picture;
mod services;
mod time;

use std::ffi::{CStr, c_char, c_int};

use cics::abend;
use cics::names::AbendCode;

use crate::abend::Abend;
use crate::cob::{Field, Flow};
use crate::exec::{Stop, fields};
use crate::worker::{Worker, current};
pub(crate) use arguments::Arguments;
use feedback::OK;
pub(crate) use services::{End, Served};

/// What a task has set for its services.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// CEESCEN: years that a range of two-digit years begins before this one.
    century: Option<i64>,
}

impl Worker {
    fn service(&mut self, number: usize, fields: &[*const Field]) -> Flow {
        let Some(row) = services::ROWS.get(number) else {
            return Flow::NEXT;
        };
        let arguments = Arguments::new(fields);
        let said = match (row.serve)(self, &arguments) {
            Ok(()) => OK,
            Err(services::End::Feedback(code)) => code,
            Err(services::End::Stop(Stop::Abend(abend))) => return self.take_exit(abend),
            Err(services::End::Stop(_)) => return Flow::NEXT,
            Err(services::End::ReturnCode(code)) => return Flow::returning(code),
        };
        let Some(place) = row.feedback else {
            return Flow::NEXT;
        };
        if arguments.set_feedback(place, said) || said.severity < 2 {
            return Flow::NEXT;
        }
        let text = format!("{} without a feedback code: {}", row.name, said.message());
        self.take_exit(Abend::new(UNHANDLED, text))
    }
}

/// The abend of a condition of severity 2 or more that nobody handles.
const UNHANDLED: AbendCode = AbendCode(*b"4038");

/// # Safety
/// Called by the C side with the bytes of a name.
pub(crate) unsafe extern "C" fn on_service_named(name: *const u8, len: usize) -> c_int {
    // SAFETY: by the contract.
    let (name, worker) = unsafe { (std::slice::from_raw_parts(name, len), current()) };
    let mut field = [b' '; 8];
    let Some(head) = field.get_mut(..name.len()) else {
        return -1;
    };
    head.copy_from_slice(name);
    // A program of that name in the table stands before the service.
    if worker.is_some_and(|w| w.programs.find(&field).is_some()) {
        return -1;
    }
    let at = services::ROWS
        .iter()
        .position(|row| row.name.as_bytes() == name);
    at.map_or(-1, |at| at as c_int)
}

/// # Safety
/// Called by the C side for the program in control, with its arguments.
pub(crate) unsafe extern "C" fn on_service(
    number: c_int,
    params: *const *const Field,
    count: c_int,
) -> Flow {
    // SAFETY: by the contract.
    unsafe {
        current().map_or(Flow::NEXT, |w| {
            w.service(number as usize, fields(params, count))
        })
    }
}

/// # Safety
/// Called by the C side for the program in control, with a C string of its
/// own.
pub(crate) unsafe extern "C" fn on_fault(message: *const c_char) -> Flow {
    // SAFETY: by the contract.
    let text = unsafe { CStr::from_ptr(message) }.to_string_lossy();
    // SAFETY: as above.
    unsafe { current() }.map_or(Flow::NEXT, |w| w.take_exit(Abend::new(abend::ASRA, text)))
}
