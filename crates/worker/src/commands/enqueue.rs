//! ENQ and DEQ: what the name is.
//!
//! With LENGTH it is the contents of the area; without, its address, which
//! other workers do not share: the name is made one that only this process has,
//! except for an address in the CWA or in shared storage.
//!
//! Reference: CICS API reference, ENQ and DEQ.

use cics::command::commands::{deq as deq_row, enq as enq_row};
use link::{CommandOperands, OperandValue};

use super::forward;
use crate::exec::{CommandCall, CommandResult};
use crate::worker::Worker;

pub fn enq(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    serve(w, call, enq_row::RESOURCE, enq_row::LENGTH)
}

pub fn deq(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    serve(w, call, deq_row::RESOURCE, deq_row::LENGTH)
}

fn serve(w: &mut Worker, call: &CommandCall<'_>, resource: u8, length: u8) -> CommandResult {
    let mut operands = forward::gather(call)?;
    if !call.has(length)
        && let Some(area) = call.arg(resource)
    {
        let at = area.data();
        let name = if w.facts.shared.holds(at) {
            format!("@{:x}", at as usize)
        } else {
            format!("{}@{:x}", std::process::id(), at as usize)
        };
        let mut by_address = CommandOperands::new(operands.options);
        for (index, operand) in operands.each() {
            let operand = if index == resource {
                OperandValue::Bytes(name.clone().into_bytes())
            } else {
                operand.clone()
            };
            by_address.push(index, operand);
        }
        operands = by_address;
    }
    forward::ask(w, call, &operands)
}
