//! Services that programs CALL, and exceptions of a program that the C side found.
//!
//! The services of Language Environment are `runtime::le`'s; the worker is their host. The
//! services for sockets ([`crate::eza`]) and of the API requester are called in
//! the same way: a number counts through both tables, the worker's own first.

mod arguments;
mod services;

use std::ffi::{CStr, c_char, c_int};

use cics::abend;
use cics::names::AbendCode;
use runtime::le;
pub(crate) use runtime::le::ServiceSettings;
use runtime::le::{ServiceError, ServiceTime};

use crate::abend::Abend;
use crate::cob::{Field, Flow};
use crate::exec::{CommandStop, fields};
use crate::print;
use crate::worker::{Worker, current};
pub(crate) use arguments::LeArguments;
pub(crate) use services::{LeResult, ServiceEnd};

impl le::ServiceHost for Worker {
    fn now(&mut self) -> ServiceTime {
        let now = self.clock.now();
        ServiceTime {
            local: now.absolute,
            zone_ms: now.zone_ms,
        }
    }

    fn settings(&mut self) -> &mut ServiceSettings {
        &mut self.task.le
    }

    fn print(&mut self, text: &str) {
        self.rt.flush();
        print::line(0, text);
    }

    fn place(&self) -> (String, u32) {
        let name = String::from_utf8_lossy(&self.task.level().name);
        (name.trim_end().to_owned(), self.rt.line().0)
    }
}

impl Worker {
    fn service(&mut self, number: usize, fields: &[*const Field]) -> Flow {
        let arguments = LeArguments::new(fields);
        if let Some(row) = services::ROWS.get(number) {
            return match (row.serve)(self, &arguments) {
                Err(ServiceEnd::Stop(CommandStop::Abend(abend))) => self.take_exit(abend),
                Err(ServiceEnd::ReturnCode(code)) => Flow::returning(code),
                Ok(()) | Err(ServiceEnd::Stop(_)) => Flow::NEXT,
            };
        }
        match le::serve(number - services::ROWS.len(), self, &arguments) {
            Ok(()) => Flow::NEXT,
            Err(ServiceError::Abend(code)) => {
                let mut abend = Abend::new(user_abend(code), "CEE3ABD");
                self.locate(&mut abend);
                self.take_exit(abend)
            }
            Err(ServiceError::Unhandled(text)) => {
                self.take_exit(Abend::new(user_abend(le::UNHANDLED), text))
            }
        }
    }
}

/// A user abend's number as four characters.
fn user_abend(number: u16) -> AbendCode {
    let mut code = [b'0'; 4];
    code.copy_from_slice(format!("{:04}", number % 10_000).as_bytes());
    AbendCode(code)
}

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
    // A program of that name in the table takes precedence over the service.
    if worker.is_some_and(|w| w.programs.find(&field).is_some()) {
        return -1;
    }
    let own = services::ROWS;
    let at = own.iter().position(|row| row.name.as_bytes() == name);
    let at = at.or_else(|| le::find(name).map(|at| own.len() + at));
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
