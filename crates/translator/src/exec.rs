//! One EXEC CICS command: read, matched with its row, and checked.
//!
//! A command is a verb and options in any order, each with or without an
//! argument in parentheses. Every error in it is reported at the option
//! or argument that is wrong.

use base::{did_you_mean, nearest, suggestion};
use cics::aid;
use cics::command::{
    self, AcceptedNames, BrokenRule, Command, CommandSelection, CommandSupport, DataDirection,
    OptionArgument, OptionRow, OptionRule,
};
use cics::resp::Condition;

use crate::argument::{ArgumentValue, classify, is_number, significant_length, wanted};
use crate::diagnostic::Severity;
use crate::source::SourcePlace;
use crate::token::{Token, TokenKind};

/// A command that can be translated.
#[derive(Debug, Clone)]
pub(crate) struct ParsedCommand {
    pub row: &'static Command,
    pub place: SourcePlace,
    /// Options present, bit by index.
    pub bits: u128,
    /// Arguments by ascending index.
    pub operands: Vec<CommandOperand>,
    /// Labels and conditions of HANDLE and IGNORE: code and label's token.
    pub labels: Vec<(u16, Option<Token>)>,
}

impl ParsedCommand {
    /// Whether an option is there.
    pub(crate) fn has(&self, index: u8) -> bool {
        self.bits >> index & 1 == 1
    }
}

/// An argument and the form that the option requires.
#[derive(Debug, Clone)]
pub(crate) struct CommandOperand {
    pub index: u8,
    pub argument: OptionArgument,
    pub direction: DataDirection,
    pub value: ArgumentValue,
}

/// A finding of this module.
#[derive(Debug, Clone)]
pub(crate) struct CommandProblem {
    pub severity: Severity,
    pub place: SourcePlace,
    pub unsupported: Option<&'static str>,
    pub message: String,
    pub help: Option<String>,
}

/// An option as written.
#[derive(Debug)]
struct WrittenOption<'a> {
    name: String,
    place: SourcePlace,
    argument: Option<&'a [Token]>,
}

const RESP_OPTION: OptionRow = OptionRow {
    name: "RESP",
    alias_of: None,
    argument: OptionArgument::Fullword,
    direction: DataDirection::Out,
    length: None,
    most_bytes: None,
    required: false,
    bare: false,
    bare_value: None,
};

/// The result of reading a command's tokens.
#[derive(Debug)]
pub(crate) struct ParseOutcome {
    /// The command, unless something is wrong with it.
    pub command: Option<ParsedCommand>,
    /// Errors, or that the command is not supported yet.
    pub problems: Vec<CommandProblem>,
}

/// Reads the tokens between `EXEC CICS` and `END-EXEC`.
pub(crate) fn parse(tokens: &[Token], at: SourcePlace) -> ParseOutcome {
    let mut reader = Reader {
        problems: Vec::new(),
        meant: 0,
    };
    let command = reader.command(tokens, at);
    let is_error = |p: &CommandProblem| p.severity == Severity::Error;
    let wrong = reader.problems.iter().any(is_error);
    ParseOutcome {
        command: command.filter(|_| !wrong),
        problems: reader.problems,
    }
}

struct Reader {
    problems: Vec<CommandProblem>,
    /// Options that misspelt ones stand for, bit by index: they are reported
    /// where they are written, and not reported as missing too.
    meant: u128,
}

impl Reader {
    fn say(&mut self, place: SourcePlace, message: String, help: Option<String>) {
        self.problems.push(CommandProblem {
            severity: Severity::Error,
            place,
            unsupported: None,
            message,
            help,
        });
    }

    /// The translator of CICS passes over an option that is given again.
    fn twice(&mut self, written: &WrittenOption<'_>) {
        self.problems.push(CommandProblem {
            severity: Severity::Warning,
            place: written.place,
            unsupported: None,
            message: format!("{} is given twice", written.name),
            help: Some("the first one counts".to_owned()),
        });
    }

    fn command(&mut self, tokens: &[Token], at: SourcePlace) -> Option<ParsedCommand> {
        let Some(verb) = tokens.first().filter(|t| t.kind == TokenKind::Word) else {
            self.say(at, "EXEC CICS without a command".to_owned(), None);
            return None;
        };
        let written = self.options(&tokens[1..]);
        let names: Vec<&str> = written.iter().map(|w| w.name.as_str()).collect();
        let row = match command::select(&verb.upper(), &names) {
            CommandSelection::Found(row) => row,
            CommandSelection::Incomplete(rows) => {
                let known: Vec<&str> = rows.iter().map(|c| c.name).collect();
                let message = format!("there is no such {} command", verb.upper());
                let help = match written.first() {
                    Some(w) => {
                        suggestion(&w.name, rows.iter().flat_map(|c| c.words.iter().copied()))
                    }
                    None => None,
                };
                let help = help.or_else(|| {
                    (known.len() <= 12).then(|| format!("there is {}", known.join(", ")))
                });
                self.say(verb.place, message, help);
                return None;
            }
            CommandSelection::UnknownVerb => {
                let help = suggestion(&verb.upper(), command::verbs());
                self.say(
                    verb.place,
                    format!("there is no command {}", verb.upper()),
                    help,
                );
                return None;
            }
        };
        let mut parsed = ParsedCommand {
            row,
            place: at,
            bits: 0,
            operands: Vec::new(),
            labels: Vec::new(),
        };
        if !row.served.is_served() {
            let yet = match row.served {
                CommandSupport::NotYet(_) => " yet",
                _ => "",
            };
            let why = row.served.why_not().unwrap_or_default();
            let message = format!("EXEC CICS {} is not supported{yet}: {why}", row.name);
            // The command compiles, so that the rest of the program can run: the call
            // has no operands, and ends the task when it is reached.
            self.problems.push(CommandProblem {
                severity: Severity::Warning,
                place: verb.place,
                unsupported: Some(row.name),
                message,
                help: Some("it ends the task with AEY9 when it is reached".to_owned()),
            });
            for index in written.iter().filter_map(|w| row.index_of(&w.name)) {
                parsed.bits |= 1 << index;
            }
            return Some(parsed);
        }
        for option in &written {
            self.option(row, option, &mut parsed);
        }
        self.default_areas(row, &mut parsed, verb.place);
        self.rules(row, &parsed, verb.place);
        self.unserved(row, &parsed, &written);
        parsed.operands.sort_by_key(|o| o.index);
        Some(parsed)
    }

    /// Splits `A B(C) D (E)` into options.
    fn options<'a>(&mut self, tokens: &'a [Token]) -> Vec<WrittenOption<'a>> {
        let mut list: Vec<WrittenOption<'a>> = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let t = &tokens[at];
            at += 1;
            if t.is_mark(',') || t.is_mark(';') {
                continue;
            }
            if t.kind != TokenKind::Word {
                let open = t.is_mark('(').then(|| close(tokens, at - 1)).flatten();
                self.say(t.place, format!("{} does not belong here", t.text), None);
                at = open.unwrap_or(at);
                continue;
            }
            let mut argument = None;
            if tokens.get(at).is_some_and(|n| n.is_mark('(')) {
                match close(tokens, at) {
                    Some(end) => {
                        argument = Some(&tokens[at + 1..end - 1]);
                        at = end;
                    }
                    None => {
                        let message =
                            format!("the parenthesis after {} is never closed", t.upper());
                        let help = "write ) after the value".to_owned();
                        self.say(tokens[at].place, message, Some(help));
                        argument = Some(&tokens[at + 1..]);
                        at = tokens.len();
                    }
                }
            }
            list.push(WrittenOption {
                name: t.upper(),
                place: t.place,
                argument,
            });
        }
        list
    }

    fn option(
        &mut self,
        row: &'static Command,
        written: &WrittenOption<'_>,
        parsed: &mut ParsedCommand,
    ) {
        if self.keyword(row, written, parsed) {
            return;
        }
        let Some(index) = row.index_of(&written.name) else {
            let names = row
                .options
                .iter()
                .map(|o| o.name)
                .chain(["RESP", "RESP2", "NOHANDLE"]);
            let meant = nearest(&written.name, names);
            if let Some(index) = meant.and_then(|name| row.index_of(name)) {
                self.meant |= 1 << index;
            }
            let help = meant.map(did_you_mean);
            self.say(
                written.place,
                format!("{} has no option {}", row.name, written.name),
                help,
            );
            return;
        };
        if parsed.has(index) {
            self.twice(written);
            return;
        }
        parsed.bits |= 1 << index;
        let option = match index {
            command::RESP | command::RESP2 => RESP_OPTION,
            command::NOHANDLE => OptionRow {
                argument: OptionArgument::None,
                ..RESP_OPTION
            },
            _ => row.option(index).copied().unwrap_or(RESP_OPTION),
        };
        match written.argument {
            None if option.bare_value.is_some() => {
                let number = option.bare_value.unwrap_or_default().to_owned();
                let value = ArgumentValue::Integer(number);
                parsed.operands.push(operand(index, &option, value));
            }
            // The option only names the subject of the command.
            None if option.bare => parsed.bits &= !(1 << index),
            Some(_) if !option.argument.is_allowed() => {
                self.say(
                    written.place,
                    format!("{} takes no argument", written.name),
                    None,
                );
            }
            None if option.argument.is_required() => {
                self.say(
                    written.place,
                    format!("{} needs an argument", written.name),
                    None,
                );
            }
            None => {
                // The worker takes an operand for each that may have one.
                if matches!(
                    option.argument,
                    OptionArgument::Optional | OptionArgument::Any
                ) {
                    let value = ArgumentValue::Default(if option.name == "TIMESEP" {
                        "':'"
                    } else {
                        "'/'"
                    });
                    parsed.operands.push(operand(index, &option, value));
                }
            }
            Some(tokens) if option.argument == OptionArgument::Label => {
                if let Some(label) = self.label(tokens, written) {
                    parsed.labels.push((0, Some(label)));
                }
            }
            Some(tokens) => {
                if let Some(value) = self.argument(tokens, &option, written) {
                    parsed.operands.push(operand(index, &option, value));
                }
            }
        }
    }

    /// Conditions and attention identifiers; whether it was one.
    fn keyword(
        &mut self,
        row: &Command,
        written: &WrittenOption<'_>,
        parsed: &mut ParsedCommand,
    ) -> bool {
        let code = match row.keywords {
            AcceptedNames::None => return false,
            AcceptedNames::Conditions | AcceptedNames::ConditionLabels => {
                Condition::from_name(&written.name).map(Condition::number)
            }
            AcceptedNames::AidLabels => aid::by_name(&written.name).map(|a| a.number),
        };
        let Some(code) = code else {
            let known = row.index_of(&written.name).is_some();
            if !known {
                let conditions = Condition::ALL.iter().map(|c| c.name());
                let aids = aid::AIDS.iter().map(|a| a.name);
                let (what, help) = match row.keywords {
                    AcceptedNames::AidLabels => {
                        ("attention identifier", suggestion(&written.name, aids))
                    }
                    _ => ("condition", suggestion(&written.name, conditions)),
                };
                self.say(
                    written.place,
                    format!("there is no {what} {}", written.name),
                    help,
                );
            }
            return !known;
        };
        if parsed.labels.iter().any(|(c, _)| *c == code) {
            self.twice(written);
            return true;
        }
        match written.argument {
            Some(_) if row.keywords == AcceptedNames::Conditions => {
                self.say(
                    written.place,
                    format!("{} takes no argument", written.name),
                    None,
                );
            }
            Some(tokens) => {
                if let Some(label) = self.label(tokens, written) {
                    parsed.labels.push((code, Some(label)));
                }
            }
            None => parsed.labels.push((code, None)),
        }
        true
    }

    fn label(&mut self, tokens: &[Token], written: &WrittenOption<'_>) -> Option<Token> {
        match tokens {
            [label] if label.kind == TokenKind::Word => Some(label.clone()),
            _ => {
                let message = format!("{} needs the name of a paragraph or section", written.name);
                self.say(written.place, message, None);
                None
            }
        }
    }

    fn argument(
        &mut self,
        tokens: &[Token],
        option: &OptionRow,
        written: &WrittenOption<'_>,
    ) -> Option<ArgumentValue> {
        let name = &written.name;
        let place = tokens.first().map_or(written.place, |t| t.place);
        let value = match classify(tokens) {
            Some(value) => value,
            None => {
                self.say(place, format!("{name} needs an argument"), None);
                return None;
            }
        };
        let fits = match (&value, option.argument) {
            (ArgumentValue::Item(_), _) => true,
            (ArgumentValue::AddressOf(_), OptionArgument::PtrRef | OptionArgument::PtrValue) => {
                true
            }
            (_, OptionArgument::PtrRef) => false,
            (_, OptionArgument::PtrValue) => false,
            // LENGTH of an input command is written too, into a copy then.
            (ArgumentValue::Integer(_) | ArgumentValue::Expression(_), a) if is_number(a) => {
                option.direction != DataDirection::Out
            }
            (ArgumentValue::Literal(_), a) if is_number(a) => false,
            (ArgumentValue::Literal(_), _) => option.direction == DataDirection::In,
            (ArgumentValue::Integer(_), OptionArgument::Name(_) | OptionArgument::Chars(_)) => {
                false
            }
            (ArgumentValue::Integer(_) | ArgumentValue::Expression(_), _) => {
                option.direction == DataDirection::In
            }
            (ArgumentValue::AddressOf(_) | ArgumentValue::Default(_), _) => false,
        };
        if !fits {
            self.say(place, format!("{name} needs {}", wanted(option)), None);
            return None;
        }
        let max = match option.argument {
            OptionArgument::Name(max) => usize::from(max),
            OptionArgument::Chars(1) => 1,
            _ => usize::MAX,
        };
        if let ArgumentValue::Literal(t) = &value
            && significant_length(&t.text) > max
        {
            let message = format!("{} is longer than the {max} characters of {name}", t.text);
            self.say(place, message, None);
            return None;
        }
        Some(value)
    }

    /// Areas that are named after a literal: FROM and INTO of commands on maps.
    fn default_areas(
        &mut self,
        row: &'static Command,
        parsed: &mut ParsedCommand,
        at: SourcePlace,
    ) {
        for rule in row.rules {
            let OptionRule::DefaultArea(area, named, suffix, unless) = rule else {
                continue;
            };
            let has = |name: &str| row.index_of(name).is_some_and(|i| parsed.has(i));
            let (Some(area_index), Some(named_index)) = (row.index_of(area), row.index_of(named))
            else {
                continue;
            };
            // A missing option is reported by the rules.
            if has(area) || !has(named) || unless.iter().any(|name| has(name)) {
                continue;
            }
            let operands = parsed.operands.iter();
            let Some(named_by) = operands.clone().find(|o| o.index == named_index) else {
                continue;
            };
            let ArgumentValue::Literal(literal) = &named_by.value else {
                let message = format!(
                    "{} needs {area}, because {named} is not a literal",
                    row.name
                );
                self.say(at, message, None);
                // The option is reported once.
                self.meant |= 1 << area_index;
                continue;
            };
            let name = literal.text.trim_matches(['\'', '"']).trim_end();
            let item = literal.word(format!("{name}{suffix}"));
            let option = row.option(area_index).copied().unwrap_or(RESP_OPTION);
            let value = ArgumentValue::Item(vec![item]);
            parsed.bits |= 1 << area_index;
            parsed.operands.push(operand(area_index, &option, value));
        }
    }

    /// Options that the command knows and does not serve.
    fn unserved(
        &mut self,
        row: &'static Command,
        parsed: &ParsedCommand,
        written: &[WrittenOption<'_>],
    ) {
        for option in written {
            let unserved = row.rules.iter().find_map(|rule| match rule {
                OptionRule::Unserved(list, answer) if list.contains(&option.name.as_str()) => {
                    Some((option.name.clone(), answer))
                }
                OptionRule::UnservedValue(name, value, answer) if option.name == *name => {
                    let index = row.index_of(name)?;
                    let operand = parsed.operands.iter().find(|o| o.index == index)?;
                    let same = matches!(&operand.value, ArgumentValue::Integer(n) if n == value);
                    same.then(|| (format!("{name}({value})"), answer))
                }
                _ => None,
            });
            if let Some((what, answer)) = unserved {
                self.problems.push(CommandProblem {
                    severity: Severity::Warning,
                    place: option.place,
                    unsupported: Some(row.name),
                    message: format!("EXEC CICS {} {what} is not supported yet", row.name),
                    help: Some(format!("it answers {}", answer.name())),
                });
            }
        }
    }

    fn rules(&mut self, row: &Command, parsed: &ParsedCommand, at: SourcePlace) {
        let or = |list: &[&str]| list.join(" or ");
        // A misspelt option is given, and is reported already.
        for broken in row.broken_rules(parsed.bits, self.meant) {
            let message = match broken {
                BrokenRule::Missing(list) => format!("{} needs {}", row.name, or(&list)),
                BrokenRule::Together(list) => {
                    format!("{} cannot be used together", list.join(" and "))
                }
                BrokenRule::Needs(name, list) => format!("{name} needs {}", or(list)),
                BrokenRule::Excludes(name, list) => {
                    format!("{name} and {} cannot be used together", or(&list))
                }
            };
            self.say(at, message, None);
        }
        if row.keywords != AcceptedNames::None
            && parsed.labels.is_empty()
            && self.problems.is_empty()
        {
            self.say(at, format!("{} names nothing to handle", row.name), None);
        }
    }
}

fn operand(index: u8, option: &OptionRow, value: ArgumentValue) -> CommandOperand {
    CommandOperand {
        index,
        argument: option.argument,
        direction: option.direction,
        value,
    }
}

/// The index after the parenthesis that closes the one at an index.
fn close(tokens: &[Token], at: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (i, t) in tokens.iter().enumerate().skip(at) {
        if t.is_mark('(') {
            depth += 1;
        } else if t.is_mark(')') {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return Some(i + 1);
            }
        }
    }
    None
}
