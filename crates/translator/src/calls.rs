//! The COBOL statements that replace a command.

use std::fmt::Write;

use cics::abi::{self, BlockRepr};
use cics::command::{self, DataDirection, OptionArgument};

use crate::argument::{ArgumentValue, is_arithmetic, is_number};
use crate::exec::{CommandOperand, ParsedCommand};
use crate::outline::ProgramUnit;
use crate::writer::inline;

/// The items that a program needs in addition to its own declarations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ProgramNeeds {
    /// Labels of all HANDLE commands, as a GO TO names them.
    pub labels: Vec<String>,
    /// A HANDLE CONDITION or HANDLE AID names a label.
    pub condition_labels: bool,
    /// A HANDLE ABEND names a label.
    pub abend_labels: bool,
    /// Fullwords for values that are computed for a command.
    pub fullwords: usize,
    /// Doublewords of that kind.
    pub doublewords: usize,
    /// Pointers for ADDRESS OF.
    pub pointers: usize,
}

impl ProgramNeeds {
    /// Position of a label, from 1.
    fn position(&mut self, label: String) -> u16 {
        let at = self
            .labels
            .iter()
            .position(|l| *l == label)
            .unwrap_or_else(|| {
                self.labels.push(label);
                self.labels.len() - 1
            });
        u16::try_from(at + 1).unwrap_or(u16::MAX)
    }

    /// Adds the labels of a command; its pairs for the block, or the name of
    /// a label that the program does not have.
    pub(crate) fn add_labels(
        &mut self,
        command: &ParsedCommand,
        unit: &ProgramUnit,
        at: usize,
    ) -> Result<Vec<(u16, u16)>, crate::token::Token> {
        let is_abend = command.row.number == command::commands::handle_abend::NUMBER;
        let mut pairs = Vec::new();
        for (code, label) in &command.labels {
            let Some(token) = label else {
                pairs.push((*code, 0));
                continue;
            };
            let Some((label, section)) = unit.label(&token.upper(), at) else {
                return Err(token.clone());
            };
            let name = match section {
                Some(section) => format!("{} OF {section}", label.name),
                None => label.name.clone(),
            };
            pairs.push((*code, self.position(name)));
            if is_abend {
                self.abend_labels = true;
            } else {
                self.condition_labels = true;
            }
        }
        Ok(pairs)
    }

    /// The declarations of WORKING-STORAGE.
    pub(crate) fn working_storage(&self) -> String {
        let mut text = String::from(
            "01 DFHEIPTR USAGE POINTER. 01 DFHEIRES PIC S9(9) COMP-5 VALUE 0. \
             01 DFHEIGOT PIC S9(9) COMP-5 VALUE 0.",
        );
        for n in 1..=self.fullwords {
            let _ = write!(text, " 01 DFHEIT{n} PIC S9(9) COMP-5 VALUE 0.");
        }
        for n in 1..=self.doublewords {
            let _ = write!(text, " 01 DFHEIL{n} PIC S9(18) COMP-5 VALUE 0.");
        }
        for n in 1..=self.pointers {
            let _ = write!(text, " 01 DFHEIP{n} USAGE POINTER.");
        }
        text
    }

    /// The first statements of the program.
    pub(crate) fn first_statements(&self, line: u32, source_file: u8) -> String {
        let mut text = start_call(line, source_file);
        if self.abend_labels {
            let _ = write!(
                text,
                " GO TO {} DEPENDING ON DFHEIRES",
                self.labels.join(" ")
            );
        }
        text.push('.');
        text
    }
}

/// Announces a program, and gives its EIB an address.
pub(crate) fn start_call(line: u32, source_file: u8) -> String {
    let block = BlockRepr {
        command: abi::START_COMMAND,
        line,
        source_file,
        operand_count: 3,
        ..BlockRepr::default()
    };
    format!(
        "CALL \"{}\" USING {} DFHEIPTR DFHEIRES DFHEIGOT END-CALL SET ADDRESS OF DFHEIBLK TO DFHEIPTR",
        abi::START_ENTRY,
        hex_literal(&block.emit()),
    )
}

/// Temporaries of one command.
#[derive(Default)]
struct CallTemporaries {
    fullwords: usize,
    doublewords: usize,
    pointers: usize,
}

/// The statements of a command.
pub(crate) struct CallText {
    /// Statements, without a period.
    pub text: String,
}

/// Writes a command. The labels of the whole program must be in `needs`.
pub(crate) fn call(
    command: &ParsedCommand,
    pairs: Vec<(u16, u16)>,
    needs: &mut ProgramNeeds,
) -> CallText {
    let tests_labels = needs.condition_labels
        && !command.has(command::RESP)
        && !command.has(command::RESP2)
        && !command.has(command::NOHANDLE);
    let mut flags = 0;
    if command.has(command::RESP) {
        flags |= abi::FLAG_RESP;
    }
    // RESP2 alone means as little as no option at all, but a program that
    // reads it does not want to be abended.
    if command.has(command::NOHANDLE) || command.has(command::RESP2) {
        flags |= abi::FLAG_NOHANDLE;
    }
    if tests_labels {
        flags |= abi::FLAG_LABELS;
    }
    let block = BlockRepr {
        command: command.row.number,
        line: command.place.line,
        flags,
        operand_count: u8::try_from(command.operands.len()).unwrap_or(u8::MAX),
        source_file: u8::try_from(command.place.file).unwrap_or(u8::MAX),
        options: command.bits,
        pairs,
    };
    let mut parts = CallParts {
        before: String::new(),
        using: hex_literal(&block.emit()),
        after: String::new(),
        content: false,
    };
    let mut used = CallTemporaries::default();
    for operand in &command.operands {
        parts.operand(operand, &mut used);
    }
    needs.fullwords = needs.fullwords.max(used.fullwords);
    needs.doublewords = needs.doublewords.max(used.doublewords);
    needs.pointers = needs.pointers.max(used.pointers);
    let mut text = format!(
        "{}CALL \"{}\" USING {} END-CALL{}",
        parts.before,
        abi::EXEC_ENTRY,
        parts.using,
        parts.after
    );
    if tests_labels {
        let _ = write!(
            text,
            " GO TO {} DEPENDING ON DFHEIGOT",
            needs.labels.join(" ")
        );
    }
    CallText { text }
}

struct CallParts {
    before: String,
    using: String,
    after: String,
    /// The last argument was BY CONTENT.
    content: bool,
}

impl CallParts {
    fn reference(&mut self, what: &str) {
        if self.content {
            self.using.push_str(" BY REFERENCE");
            self.content = false;
        }
        self.using.push(' ');
        self.using.push_str(what);
    }

    fn content(&mut self, what: &str) {
        if !self.content {
            self.using.push_str(" BY CONTENT");
            self.content = true;
        }
        self.using.push(' ');
        self.using.push_str(what);
    }

    fn operand(&mut self, operand: &CommandOperand, used: &mut CallTemporaries) {
        match &operand.value {
            ArgumentValue::Item(tokens) if matches!(tokens.as_slice(), [t] if t.is_any(&["NULL", "NULLS"])) =>
            {
                used.pointers += 1;
                let name = format!("DFHEIP{}", used.pointers);
                let _ = write!(self.before, "SET {name} TO NULL ");
                self.reference(&name);
            }
            ArgumentValue::Item(tokens) => self.reference(&inline(tokens)),
            ArgumentValue::Literal(t) => self.reference(&t.text),
            ArgumentValue::Default(text) => self.reference(text),
            ArgumentValue::Integer(n) if operand.direction == DataDirection::In && n.len() <= 9 => {
                self.content(n)
            }
            ArgumentValue::Integer(n) => {
                let name = temporary(operand, used);
                let _ = write!(self.before, "MOVE {n} TO {name} ");
                self.reference(&name);
            }
            ArgumentValue::Expression(tokens) if is_number(operand.argument) => {
                let name = temporary(operand, used);
                let text = inline(tokens);
                if tokens[0].is("LENGTH") && !is_arithmetic(tokens) {
                    let _ = write!(self.before, "MOVE {text} TO {name} ");
                } else {
                    let _ = write!(self.before, "COMPUTE {name} = {text} ");
                }
                self.reference(&name);
            }
            ArgumentValue::Expression(tokens) => self.content(&inline(tokens)),
            ArgumentValue::AddressOf(tokens) => {
                used.pointers += 1;
                let name = format!("DFHEIP{}", used.pointers);
                let item = inline(tokens);
                let _ = write!(self.before, "SET {name} TO ADDRESS OF {item} ");
                self.reference(&name);
                if operand.direction != DataDirection::In {
                    let _ = write!(self.after, " SET ADDRESS OF {item} TO {name}");
                }
            }
        }
    }
}

fn temporary(operand: &CommandOperand, used: &mut CallTemporaries) -> String {
    if matches!(
        operand.argument,
        OptionArgument::Packed(_) | OptionArgument::Doubleword
    ) {
        used.doublewords += 1;
        format!("DFHEIL{}", used.doublewords)
    } else {
        used.fullwords += 1;
        format!("DFHEIT{}", used.fullwords)
    }
}

/// Bytes that one hexadecimal literal may hold; longer ones are joined.
const LITERAL_BYTES: usize = 120;

pub(crate) fn hex_literal(bytes: &[u8]) -> String {
    let parts: Vec<String> = bytes
        .chunks(LITERAL_BYTES)
        .map(|chunk| {
            let digits = base::hex::upper(chunk);
            format!("X\"{digits}\"")
        })
        .collect();
    parts.join(" & ")
}
