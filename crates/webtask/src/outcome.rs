//! The result of a command: operands, or a condition with its RESP2.

use cics::resp::Condition;
use link::{CallAnswer, CommandOperands};

/// The result of a command.
pub type WebCommandResult = Result<CommandOperands, CommandFailure>;

/// A condition, with the operands that it does not hide.
#[derive(Debug, Default)]
pub struct CommandFailure {
    /// The condition.
    pub condition: Condition,
    /// RESP2.
    pub resp2: u32,
    /// The operands that the program receives in spite of the condition.
    pub operands: CommandOperands,
}

/// A condition as the end of a command.
pub fn fail<T>(condition: Condition, resp2: u32) -> Result<T, CommandFailure> {
    Err(CommandFailure {
        condition,
        resp2,
        operands: CommandOperands::default(),
    })
}

/// The answer of a command.
pub fn answer(outcome: WebCommandResult) -> CallAnswer {
    match outcome {
        Ok(operands) => CallAnswer::of_data(operands.emit()),
        Err(failure) => {
            let mut answer = CallAnswer::of_condition(failure.condition, failure.resp2);
            answer.data = failure.operands.emit();
            answer
        }
    }
}

/// Areas that a command fills. Each is cut to the length that the program gave;
/// its length option returns the full length.
#[derive(Debug, Default)]
pub struct OutputAreas {
    operands: CommandOperands,
    /// RESP2 of the first that did not fit.
    short: Option<u32>,
}

impl OutputAreas {
    /// Puts `data` into the area `option` when the program has it, with the
    /// length in `length`; `short` is RESP2 when it does not fit.
    ///
    /// # Errors LENGERR with RESP2 1 for an invalid length.
    pub fn area(
        &mut self,
        given: &CommandOperands,
        (option, length): (u8, u8),
        data: &[u8],
        short: u32,
    ) -> Result<(), CommandFailure> {
        if !given.has(option) {
            return Ok(());
        }
        match given.get_int(length) {
            Some(..1) => return fail(Condition::LengErr, 1),
            Some(room) if (room as usize) < data.len() => {
                self.short.get_or_insert(short);
                self.operands_bytes(option, &data[..room as usize]);
            }
            _ => self.operands_bytes(option, data),
        }
        // After the area: it would set its own length else.
        self.int(length, data.len() as i64);
        Ok(())
    }

    fn operands_bytes(&mut self, option: u8, data: &[u8]) {
        self.operands
            .push(option, link::OperandValue::Bytes(data.to_vec()));
    }

    /// Adds characters.
    pub fn chars(&mut self, option: u8, data: &[u8]) {
        self.operands_bytes(option, data);
    }

    /// Adds an integer or a CVDA.
    pub fn int(&mut self, option: u8, value: i64) {
        self.operands.push(option, link::OperandValue::Int(value));
    }

    /// The end of the command.
    pub fn done(self) -> WebCommandResult {
        match self.short {
            None => Ok(self.operands),
            Some(resp2) => Err(CommandFailure {
                condition: Condition::LengErr,
                resp2,
                operands: self.operands,
            }),
        }
    }
}

/// The value of a CVDA by its name.
pub fn cvda(name: &str) -> i64 {
    cics::cvda::value(name).map_or(0, i64::from)
}

/// Whether one of several ways to say the same was taken: a flag, or the CVDA
/// of that name in an option.
pub fn is_selected(given: &CommandOperands, flag: u8, option: u8, name: &str) -> bool {
    given.has(flag) || given.get_int(option) == Some(cvda(name))
}

/// Text of an operand without trailing blanks and zeros.
pub fn text(given: &CommandOperands, option: u8) -> Option<String> {
    let bytes = given.get_bytes(option)?;
    let text = String::from_utf8_lossy(bytes);
    Some(text.trim_end_matches([' ', '\0']).to_owned())
}
