//! JSON and XML statements of programs, on the operands that libcob describes.
//!
//! The `runtime` crate executes the statements; this module has the operands.

use runtime::markup::CallOperands;

use crate::abend::Abend;
use crate::exec::CommandStop;
use crate::le::{LeArguments, LeResult, ServiceEnd};
use crate::worker::Worker;

/// Operands of the program in control.
struct WorkerOperands<'a, 'c> {
    arguments: &'a LeArguments<'c>,
    has_ebcdic_sign: bool,
}

impl CallOperands for WorkerOperands<'_, '_> {
    fn count(&self) -> usize {
        self.arguments.count()
    }

    fn size(&self, at: usize) -> usize {
        self.arguments.get(at).map_or(0, |a| a.size())
    }

    fn address(&self, at: usize) -> usize {
        self.arguments.get(at).map_or(0, |a| a.data().addr())
    }

    fn bytes(&self, at: usize) -> Vec<u8> {
        let argument = self.arguments.get(at);
        argument.map_or_else(Vec::new, |a| a.bytes().to_vec())
    }

    fn write(&mut self, at: usize, offset: usize, bytes: &[u8], room: usize) {
        if let Some(argument) = self.arguments.get(at) {
            argument.write_at(offset, bytes, room);
        }
    }

    fn int(&self, at: usize) -> i64 {
        self.arguments.int(at)
    }

    fn set_int(&mut self, at: usize, value: i64) {
        self.arguments.set_int(at, value);
    }

    fn has_ebcdic_sign(&self) -> bool {
        self.has_ebcdic_sign
    }
}

/// Does the statement of a CALL.
pub(crate) fn serve(worker: &mut Worker, arguments: &LeArguments<'_>) -> LeResult {
    let mut operands = WorkerOperands {
        arguments,
        has_ebcdic_sign: worker.rt.has_ebcdic_sign(),
    };
    let served = worker.markup.serve(&mut operands);
    served.map_err(|fault| {
        ServiceEnd::Stop(CommandStop::Abend(Abend::new(cics::abend::ASRA, fault.0)))
    })
}
