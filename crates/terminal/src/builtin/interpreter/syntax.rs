//! The command line of CECI: a command and its options, checked against the
//! command table, and the image that a worker executes.
//!
//! Arguments are quoted text, `X'hex'`, numbers, variables (`&NAME`) or bare
//! text. An option that receives data may stand without an argument: its value
//! is shown then. INTO may be left out where it or SET is needed.
//! Reference: CICS supplied transactions, CECI.

use std::collections::BTreeMap;

use cics::command::{
    BrokenRule, Command, CommandSelection, CommandSupport, DataDirection, NOHANDLE, OptionArgument,
    OptionRow, RESP, RESP2, select,
};
use cics::cvda;
use link::interpreter::{CommandImage, ImageOperand};

/// Variables by name, with the ampersand.
pub type VariableTable = BTreeMap<String, Vec<u8>>;

/// A command that was read.
#[derive(Debug, Clone)]
pub struct CheckedCommand {
    /// Its row.
    pub row: &'static Command,
    /// Its options in the order of their index.
    pub options: Vec<GivenOption>,
}

/// An option as it was typed.
#[derive(Debug, Clone)]
pub struct GivenOption {
    /// Its index.
    pub index: u8,
    /// Its row.
    pub option: &'static OptionRow,
    /// Its argument.
    pub argument: Option<GivenArgument>,
}

/// An argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GivenArgument {
    /// Characters.
    Text(Vec<u8>),
    /// A variable.
    Variable(String),
}

/// Reads a command.
///
/// # Errors
/// What is wrong with it; nothing if the line is empty.
pub fn parse(text: &str) -> Result<CheckedCommand, Vec<String>> {
    let words = words(text).map_err(|why| vec![why])?;
    let Some((verb, rest)) = words.split_first() else {
        return Err(Vec::new());
    };
    let mut names: Vec<&str> = rest.iter().map(|word| word.name.as_str()).collect();
    names.extend(verb.argument.is_some().then_some(verb.name.as_str()));
    let row = match select(&verb.name, &names) {
        CommandSelection::Found(row) => row,
        CommandSelection::UnknownVerb => {
            return Err(vec![format!("E '{}' is not a command.", verb.name)]);
        }
        CommandSelection::Incomplete(rows) => {
            let names: Vec<&str> = rows.iter().take(8).map(|row| row.name).collect();
            return Err(vec![format!(
                "E One of these is meant: {}.",
                names.join(", ")
            )]);
        }
    };
    let mut wrong = Vec::new();
    if let Some(why) = refusal(row) {
        wrong.push(format!("E {} is not executed here: {why}.", row.name));
    }
    let mut options: Vec<GivenOption> = Vec::new();
    let named = rest.iter().chain(verb.argument.is_some().then_some(verb));
    for word in named {
        match given(row, word) {
            Ok(Some(option)) => options.push(option),
            Ok(None) => {}
            Err(why) => wrong.push(why),
        }
    }
    options.extend(implied_area(row, &options));
    options.sort_by_key(|option| option.index);
    check(row, &options, &mut wrong);
    if wrong.is_empty() {
        Ok(CheckedCommand { row, options })
    } else {
        Err(wrong)
    }
}

/// Why a command cannot be executed without a program.
fn refusal(row: &Command) -> Option<&'static str> {
    use cics::command::commands::{abend, handle_abend, handle_aid, handle_condition, ret, xctl};
    match row.served {
        CommandSupport::NotYet(why) | CommandSupport::Refused(why) => return Some(why),
        CommandSupport::Worker | CommandSupport::Region => {}
    }
    let leaves = [ret::NUMBER, xctl::NUMBER, abend::NUMBER];
    let handles = [
        handle_abend::NUMBER,
        handle_aid::NUMBER,
        handle_condition::NUMBER,
    ];
    if leaves.contains(&row.number) {
        return Some("it ends the program that gives it");
    }
    if handles.contains(&row.number) {
        return Some("it needs a program with labels");
    }
    None
}

/// The option that a word means. Returns `None` for words that only name the
/// command, and for RESP, RESP2 and NOHANDLE, which are always meant.
fn given(row: &'static Command, word: &CommandWord) -> Result<Option<GivenOption>, String> {
    let name = word.name.as_str();
    let Some(index) = row.index_of(name) else {
        if row.words.contains(&name) {
            return Ok(None);
        }
        return Err(format!("E '{name}' is not an option of {}.", row.name));
    };
    if matches!(index, RESP | RESP2 | NOHANDLE) {
        return Ok(None);
    }
    let Some(option) = row.options.get(usize::from(index)) else {
        return Ok(None);
    };
    let unusable = matches!(
        option.argument,
        OptionArgument::Label | OptionArgument::PtrValue | OptionArgument::PtrRef
    );
    if unusable {
        return Err(format!(
            "E {name} takes storage of a program and cannot be used here."
        ));
    }
    if word.argument.is_some() && !option.argument.is_allowed() {
        return Err(format!("E {name} takes no value."));
    }
    let receives = option.direction != DataDirection::In;
    if word.argument.is_none() && option.argument.is_required() && !receives {
        if option.bare {
            return Ok(None);
        }
        return Err(format!("E {name} needs a value in parentheses."));
    }
    let argument = word.argument.clone().filter(|argument| {
        // Empty parentheses: the value is shown.
        !(receives && *argument == GivenArgument::Text(Vec::new()))
    });
    Ok(Some(GivenOption {
        index,
        option,
        argument,
    }))
}

/// INTO of a command that needs it or SET, if neither was typed: the data are shown.
fn implied_area(row: &'static Command, options: &[GivenOption]) -> Option<GivenOption> {
    let missing = row.broken_rules(option_bits(options), 0);
    let needs_area = |broken: &BrokenRule| matches!(broken, BrokenRule::Missing(names) if names.contains(&"INTO"));
    missing.iter().find(|broken| needs_area(broken))?;
    let index = row.index_of("INTO")?;
    let option = row.options.get(usize::from(index))?;
    (option.direction == DataDirection::Out).then_some(GivenOption {
        index,
        option,
        argument: None,
    })
}

fn option_bits(options: &[GivenOption]) -> u128 {
    options
        .iter()
        .fold(0, |bits, given| bits | 1 << given.index)
}

/// Checks what must hold between options.
fn check(row: &Command, options: &[GivenOption], wrong: &mut Vec<String>) {
    let list = |names: &[&str]| names.join(", ");
    wrong.extend(row.broken_rules(option_bits(options), 0).into_iter().map(
        |broken| match broken {
            BrokenRule::Missing(names) if names.len() == 1 => {
                format!("E {} is needed.", names[0])
            }
            BrokenRule::Missing(names) => {
                format!("E One of these is needed: {}.", list(&names))
            }
            BrokenRule::Together(names) => {
                format!("E Only one of these can be given: {}.", list(&names))
            }
            BrokenRule::Needs(name, names) => format!("E {name} needs {}.", names.join(" or ")),
            BrokenRule::Excludes(name, names) => {
                format!("E {name} cannot be given with {}.", list(&names))
            }
        },
    ));
}

impl CheckedCommand {
    /// The options that have an operand, in its order.
    pub fn with_operands(&self) -> impl Iterator<Item = &GivenOption> {
        let all = self.options.iter();
        all.filter(|given| given.option.argument.is_allowed())
    }

    /// Whether an option's operand is a number.
    pub fn is_binary(&self, given: &GivenOption) -> bool {
        use OptionArgument::{Cvda, Doubleword, Fullword, Halfword, HhMmSs, Packed};
        matches!(
            given.option.argument,
            Cvda | Doubleword | Fullword | Halfword | HhMmSs | Packed(_)
        )
    }

    /// The image that a worker executes.
    ///
    /// # Errors
    /// A value cannot be what its option takes.
    pub fn image(&self, variables: &VariableTable) -> Result<CommandImage, String> {
        let mut image = CommandImage {
            command: self.row.number,
            ..CommandImage::default()
        };
        for given in &self.options {
            image.options |= 1 << given.index;
            if let Some(operand) = self.operand(given, variables)? {
                image.operands.push(operand);
            }
        }
        Ok(image)
    }

    fn operand(
        &self,
        given: &GivenOption,
        variables: &VariableTable,
    ) -> Result<Option<ImageOperand>, String> {
        let value = given.argument.as_ref().map(|argument| match argument {
            GivenArgument::Text(text) => text.clone(),
            GivenArgument::Variable(name) => variables.get(name).cloned().unwrap_or_default(),
        });
        let characters = |mut data: Vec<u8>, size: usize| {
            data.resize(size, b' ');
            (false, data)
        };
        let binary = |size: usize| {
            let number = number(given.option, value.as_deref().unwrap_or_default())?;
            let bytes = number.to_ne_bytes();
            let bytes = if cfg!(target_endian = "little") {
                bytes[..size].to_vec()
            } else {
                bytes[8 - size..].to_vec()
            };
            Ok::<_, String>((true, bytes))
        };
        let text = value.clone().unwrap_or_default();
        let (binary, data) = match given.option.argument {
            OptionArgument::None => return Ok(None),
            OptionArgument::Name(size) => characters(text, size.into()),
            OptionArgument::Chars(size) => {
                let size = usize::from(size).max(text.len());
                characters(text, size)
            }
            OptionArgument::Halfword => binary(2)?,
            OptionArgument::Fullword | OptionArgument::Cvda | OptionArgument::HhMmSs => binary(4)?,
            OptionArgument::Doubleword | OptionArgument::Packed(_) => binary(8)?,
            _ if given.option.direction == DataDirection::Out => {
                characters(Vec::new(), self.room(given, variables)?)
            }
            // Without a value the operand is empty, which counts as omitted.
            _ => (false, text),
        };
        Ok(Some(ImageOperand {
            option: given.index,
            binary,
            data,
        }))
    }

    /// Bytes of an area that receives data: its length option, or as much as is
    /// shown.
    fn room(&self, given: &GivenOption, variables: &VariableTable) -> Result<usize, String> {
        let length = given.option.length.and_then(|name| self.row.index_of(name));
        let length = self.options.iter().find(|o| Some(o.index) == length);
        let Some(GivenOption {
            option,
            argument: Some(argument),
            ..
        }) = length
        else {
            return Ok(USUAL_ROOM);
        };
        let text = match argument {
            GivenArgument::Text(text) => text.clone(),
            GivenArgument::Variable(name) => variables.get(name).cloned().unwrap_or_default(),
        };
        let length = number(option, &text)?;
        Ok(usize::try_from(length).unwrap_or(0).min(MOST_ROOM))
    }
}

/// The number of a value; a CVDA may be given by its name.
fn number(option: &OptionRow, text: &[u8]) -> Result<i64, String> {
    let text = String::from_utf8_lossy(text);
    let text = text.trim();
    if text.is_empty() {
        return Ok(0);
    }
    let named = cvda::value(&text.to_ascii_uppercase()).map(i64::from);
    let named = named.filter(|_| option.argument == OptionArgument::Cvda);
    let number = named.or_else(|| text.parse().ok());
    number.ok_or_else(|| format!("E {}({text}): a number is needed.", option.name))
}

#[derive(Debug, Clone)]
struct CommandWord {
    name: String,
    argument: Option<GivenArgument>,
}

/// Words, each with the text in parentheses after it.
fn words(text: &str) -> Result<Vec<CommandWord>, String> {
    let mut words: Vec<CommandWord> = Vec::new();
    let mut rest = text.trim_matches(['\0', ' ']);
    while !rest.is_empty() {
        let end = rest.find([' ', ',', '(', '\0']).unwrap_or(rest.len());
        if end > 0 {
            words.push(CommandWord {
                name: rest[..end].to_ascii_uppercase(),
                argument: None,
            });
        }
        rest = rest[end..].trim_start_matches([' ', ',', '\0']);
        if let Some(inside) = rest.strip_prefix('(') {
            let (argument, after) = argument(inside)?;
            match words.last_mut() {
                Some(word) if word.argument.is_none() => word.argument = Some(argument),
                _ => return Err("E A word is missing before a parenthesis.".into()),
            }
            rest = after.trim_start_matches([' ', ',', '\0']);
        }
    }
    Ok(words)
}

/// An argument up to its closing parenthesis, and what follows. A parenthesis at
/// the end of the line may be left out.
fn argument(inside: &str) -> Result<(GivenArgument, &str), String> {
    let trimmed = inside.trim_start_matches([' ', '\0']);
    let (hexadecimal, quoted) = match trimmed.strip_prefix(['X', 'x']) {
        Some(rest) if rest.starts_with('\'') => (true, Some(&rest[1..])),
        _ => (false, trimmed.strip_prefix('\'')),
    };
    let Some(mut rest) = quoted else {
        let (text, after) = trimmed.split_once(')').unwrap_or((trimmed, ""));
        let text = text.trim_matches([' ', '\0']);
        let argument = if text.starts_with('&') {
            GivenArgument::Variable(text.to_ascii_uppercase())
        } else {
            GivenArgument::Text(bytes(text))
        };
        return Ok((argument, after));
    };
    let mut text = String::new();
    loop {
        let Some((part, after)) = rest.split_once('\'') else {
            return Err("E A quotation mark is missing.".into());
        };
        text.push_str(part);
        rest = after;
        match rest.strip_prefix('\'') {
            Some(after) => {
                text.push('\'');
                rest = after;
            }
            None => break,
        }
    }
    let after = rest.split_once(')').map_or("", |(_, after)| after);
    let data = if hexadecimal {
        hex(&text)?
    } else {
        bytes(&text)
    };
    Ok((GivenArgument::Text(data), after))
}

fn hex(digits: &str) -> Result<Vec<u8>, String> {
    let wrong = || format!("E X'{digits}' is not pairs of hexadecimal digits.");
    base::hex::bytes(digits).ok_or_else(wrong)
}

/// Characters of the terminal as bytes of a program.
pub fn bytes(text: &str) -> Vec<u8> {
    text.chars()
        .map(|c| u8::try_from(c).unwrap_or(b'?'))
        .collect()
}

/// Bytes of an area that receives data of any length.
const USUAL_ROOM: usize = 4096;
/// Most bytes of one.
const MOST_ROOM: usize = 32_767;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> CheckedCommand {
        parse(text).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"))
    }

    #[test]
    fn a_command_becomes_an_image_with_operands_in_the_order_of_their_options() {
        let variables = VariableTable::from([("&REC".into(), b"from a variable".to_vec())]);
        let command = read("writeq ts queue('QUE1') from(&rec)");
        let image = command.image(&variables).unwrap();
        assert_eq!(image.command, cics::command::commands::writeq_ts::NUMBER);
        let data: Vec<&[u8]> = image.operands.iter().map(|o| &o.data[..]).collect();
        assert!(data.contains(&&b"from a variable"[..]), "{data:?}");
        assert!(image.operands.is_sorted_by_key(|operand| operand.option));
        let command = read("READ FILE(ACCTS) RIDFLD(X'3030') INTO LENGTH(80)");
        let image = command.image(&variables).unwrap();
        let operand = |name: &str| {
            let index = command.row.index_of(name).unwrap();
            image.operands.iter().find(|o| o.option == index).unwrap()
        };
        assert_eq!(operand("FILE").data, b"ACCTS   ");
        assert_eq!(operand("RIDFLD").data, b"00");
        assert_eq!(operand("INTO").data.len(), 80);
        assert_eq!(operand("LENGTH").data, 80i16.to_ne_bytes());
        assert!(operand("LENGTH").binary);
    }

    #[test]
    fn into_is_implied_where_a_command_needs_it() {
        let command = read("READQ TS QUEUE(A)");
        let image = command.image(&VariableTable::new()).unwrap();
        let into = command.row.index_of("INTO").unwrap();
        let area = image.operands.iter().find(|o| o.option == into).unwrap();
        assert_eq!(area.data.len(), USUAL_ROOM);
        // A command that only may have one gets none.
        let into = read("RETRIEVE").row.index_of("INTO").unwrap();
        let options = read("RETRIEVE RTRANSID").options;
        assert!(options.iter().all(|given| given.index != into));
    }

    #[test]
    fn what_is_wrong_is_reported() {
        for (text, wrong) in [
            ("FOO", "'FOO' is not a command"),
            ("READ RIDFLD('1') INTO", "FILE is needed"),
            ("DELETEQ TS", "One of these is needed: QUEUE, QNAME"),
            (
                "READ FILE('A') RIDFLD('1') INTO SHUT",
                "'SHUT' is not an option of READ",
            ),
            ("READ FILE RIDFLD('1') INTO", "FILE needs a value"),
            ("READ FILE('A') RIDFLD('1') SET(P)", "storage of a program"),
            ("READ FILE('A RIDFLD", "A quotation mark is missing"),
            ("READ FILE('A') RIDFLD(X'1') INTO", "not pairs"),
            ("RETURN", "ends the program"),
            ("(A)", "A word is missing"),
        ] {
            let errors = parse(text).unwrap_err();
            assert!(
                errors.iter().any(|e| e.contains(wrong)),
                "{text}: {errors:?}"
            );
        }
        assert!(parse("  ").unwrap_err().is_empty());
        let command = read("READ FILE('A') RIDFLD('1') INTO LENGTH(x)");
        assert!(
            command
                .image(&VariableTable::new())
                .unwrap_err()
                .contains("a number is needed")
        );
    }

    #[test]
    fn a_quoted_text_has_its_marks_doubled() {
        let (text, after) = argument("'it''s (here)' ) X").unwrap();
        assert_eq!(text, GivenArgument::Text(b"it's (here)".to_vec()));
        assert_eq!(after, " X");
    }

    proptest! {
        #[test]
        fn no_command_makes_the_reader_panic(text in "[ -~é\\x00]{0,80}") {
            if let Ok(command) = parse(&text) {
                let _ = command.image(&VariableTable::new());
            }
        }
    }
}
