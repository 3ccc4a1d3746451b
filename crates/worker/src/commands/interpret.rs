//! One command of the command interpreter, executed without a program.
//!
//! The command runs at the level of the guest that waits for it, with RESP, so a
//! condition comes back and no handler of a program is looked for. An abend comes
//! back as its code.
//!
//! Reference: CICS supplied transactions, CECI.

use cics::abi::{BlockRepr, FLAG_RESP};
use cics::command::{RESP, RESP2};
use link::interpreter::{CommandImage, ImageOutcome};

use crate::cob::{Field, OwnedField};
use crate::worker::{LevelExit, Worker};

/// Executes the command of an image. Returns `None` if the image is cut off.
pub fn run(w: &mut Worker, request: &[u8]) -> Option<Vec<u8>> {
    let image = CommandImage::parse(request).ok()?;
    let block = BlockRepr {
        command: image.command,
        flags: FLAG_RESP,
        operand_count: u8::try_from(image.operands.len() + 2).ok()?,
        options: image.options | 1 << RESP | 1 << RESP2,
        ..BlockRepr::default()
    };
    let operands = image.operands.into_iter().map(|operand| {
        if operand.binary {
            OwnedField::binary(operand.data)
        } else {
            OwnedField::characters(operand.data)
        }
    });
    let mut fields = vec![OwnedField::characters(block.emit())];
    fields.extend(operands);
    // RESP2 has the lower index.
    fields.extend([
        OwnedField::binary(vec![0; 4]),
        OwnedField::binary(vec![0; 4]),
    ]);
    let pointers: Vec<*const Field> = fields.iter().map(OwnedField::field_or_null).collect();
    // There is no program to continue.
    let _ = w.exec(&pointers);
    let level = w.task.level_mut();
    let exit = std::mem::replace(&mut level.exit, LevelExit::Returned);
    let outcome = ImageOutcome {
        abend: match exit {
            LevelExit::Abend(abend) => abend.code,
            _ => [0; 4],
        },
        eib: level.eib.to_vec(),
        operands: fields.into_iter().map(OwnedField::into_data).collect(),
    };
    Some(outcome.emit())
}
