//! The statements on the storage of a program.
//!
//! The host gives the operands of the CALL; what a statement must remember from
//! one CALL to the next, the document of an XML PARSE, is kept here by the
//! address of its state.

use std::collections::HashMap;
use std::rc::Rc;

use super::descriptor::{Statement, Verb};
use super::generate::SourceRecord;
use super::operand;
use super::xml_events::{ParseStep, XmlEvent, XmlReader};
use super::{Fault, json_generate, json_parse, xml_generate};

/// The operands of a CALL, by their places.
pub trait CallOperands {
    /// How many there are.
    fn count(&self) -> usize;
    /// Bytes of an operand; 0 for one that is omitted.
    fn size(&self, at: usize) -> usize;
    /// Its address; 0 for one that is omitted.
    fn address(&self, at: usize) -> usize;
    /// Its bytes.
    fn bytes(&self, at: usize) -> Vec<u8>;
    /// Writes bytes from an offset on; what is beyond the operand is left out.
    /// One whose length varies has `room` bytes at its greatest.
    fn write(&mut self, at: usize, offset: usize, bytes: &[u8], room: usize);
    /// Its value as a whole number.
    fn int(&self, at: usize) -> i64;
    /// Moves a whole number to it; nothing for one that is omitted.
    fn set_int(&mut self, at: usize, value: i64);
    /// Whether the program's zoned items have the signs of EBCDIC.
    fn has_ebcdic_sign(&self) -> bool;
}

/// Descriptors that are kept.
const MOST_DESCRIPTORS: usize = 1024;

/// The statements of a process.
#[derive(Debug, Default)]
pub struct StatementCache {
    descriptors: HashMap<Vec<u8>, Rc<Statement>>,
    parses: HashMap<usize, XmlParse>,
}

/// An XML PARSE between two events.
#[derive(Debug)]
struct XmlParse {
    reader: XmlReader,
    last: &'static str,
}

impl StatementCache {
    /// Forgets the documents that are being parsed: their programs have ended.
    pub fn end_task(&mut self) {
        self.parses.clear();
    }

    /// Does the statement that the operands describe.
    ///
    /// # Errors
    /// The program must end abnormally.
    pub fn serve(&mut self, operands: &mut dyn CallOperands) -> Result<(), Fault> {
        let statement = self.statement(operands)?;
        match statement.verb {
            Verb::JsonGenerate | Verb::XmlGenerate => generate(&statement, operands),
            Verb::JsonParse => {
                let (code, status) = json_parse::parse(&statement, operands);
                operands.set_int(operand::CODE, code);
                operands.set_int(operand::COUNT, status);
                Ok(())
            }
            Verb::XmlParse => self.next_event(&statement, operands),
        }
    }

    fn statement(&mut self, operands: &dyn CallOperands) -> Result<Rc<Statement>, Fault> {
        let text = operands.bytes(operand::DESCRIPTOR);
        if let Some(statement) = self.descriptors.get(&text) {
            return Ok(statement.clone());
        }
        let needed = operand::COUNT;
        let statement = Statement::parse(&text)
            .filter(|s| s.verb == Verb::XmlParse || !s.nodes.is_empty())
            .filter(|s| is_in_order(s) && operands.count() > needed)
            .ok_or_else(|| Fault("a JSON or XML statement without a descriptor".to_owned()))?;
        if self.descriptors.len() == MOST_DESCRIPTORS {
            self.descriptors.clear();
        }
        let statement = Rc::new(statement);
        self.descriptors.insert(text, statement.clone());
        Ok(statement)
    }

    fn next_event(
        &mut self,
        statement: &Statement,
        operands: &mut dyn CallOperands,
    ) -> Result<(), Fault> {
        let key = operands.address(operand::STATE);
        let code = operands.int(operand::CODE);
        let is_running = operands.int(operand::STATE) != 0;
        let mut parse = match self.parses.remove(&key).filter(|_| is_running) {
            Some(parse) => parse,
            None if is_running => return Err(Fault("XML PARSE lost its document".to_owned())),
            None => XmlParse {
                reader: XmlReader::new(operands.bytes(operand::TEXT), statement.is_utf8),
                last: "",
            },
        };
        let goes_on = match (parse.last, code) {
            ("", _) | (_, 0) => parse.last != EXCEPTION,
            (END_OF_INPUT, 1) => {
                parse.reader.add(&operands.bytes(operand::TEXT));
                true
            }
            (EXCEPTION, _) | (_, -1) => false,
            (event, code) => {
                let text = format!("XML-CODE is {code} after the event {event}: it may be 0 or -1");
                return Err(Fault(text));
            }
        };
        if parse.last == END_OF_INPUT && code == 0 {
            parse.reader.finish();
        }
        if !goes_on {
            end_parse(operands);
            return Ok(());
        }
        operands.set_int(operand::CODE, 0);
        let event = match parse.reader.step() {
            ParseStep::Event(event) => event,
            ParseStep::NeedsInput => named(END_OF_INPUT, Vec::new()),
            ParseStep::Exception(code, text) => {
                operands.set_int(operand::CODE, code);
                named(EXCEPTION, text)
            }
            ParseStep::End => {
                end_parse(operands);
                return Ok(());
            }
        };
        operands.set_int(operand::STATE, 1);
        show(&event, operands);
        parse.last = event.name;
        self.parses.insert(key, parse);
        Ok(())
    }
}

const END_OF_INPUT: &str = "END-OF-INPUT";
const EXCEPTION: &str = "EXCEPTION";

fn named(name: &'static str, text: Vec<u8>) -> XmlEvent {
    XmlEvent {
        name,
        text,
        ..XmlEvent::default()
    }
}

/// Whether depths and offsets are those of a record.
fn is_in_order(statement: &Statement) -> bool {
    let depths = statement.nodes.iter().map(|n| i32::from(n.depth));
    let mut before = -1;
    let mut ancestors: Vec<u32> = Vec::new();
    for (depth, node) in depths.zip(&statement.nodes) {
        if depth > before + 1 || (depth == 0) != (before == -1) {
            return false;
        }
        before = depth;
        ancestors.truncate(depth as usize);
        if ancestors.last().is_some_and(|&offset| offset > node.offset) {
            return false;
        }
        ancestors.push(node.offset);
    }
    true
}

/// There is no further event: the texts are empty.
fn end_parse(operands: &mut dyn CallOperands) {
    operands.set_int(operand::STATE, 0);
    for at in 0..3 {
        operands.set_int(operand::TEXTS + 2 * at, 0);
    }
}

/// Puts an event into the special registers.
fn show(event: &XmlEvent, operands: &mut dyn CallOperands) {
    let mut name = event.name.as_bytes().to_vec();
    name.resize(operands.size(operand::EVENT), b' ');
    operands.write(operand::EVENT, 0, &name, 0);
    let is_characters = matches!(event.name, "CONTENT-CHARACTERS" | "ATTRIBUTE-CHARACTERS");
    operands.set_int(operand::INFORMATION, i64::from(is_characters));
    let texts = [&event.text, &event.namespace, &event.prefix];
    for (at, text) in texts.into_iter().enumerate() {
        let place = operand::TEXTS + 2 * at;
        let kept = text.len().min(operands.size(place + 1));
        operands.write(place + 1, 0, &text[..kept], 0);
        operands.set_int(place, kept as i64);
    }
}

fn generate(statement: &Statement, operands: &mut dyn CallOperands) -> Result<(), Fault> {
    let record = operands.bytes(operand::RECORD);
    let counters = operand::COUNTERS..operands.count();
    let counts: Vec<u32> = counters
        .map(|at| u32::try_from(operands.int(at)).unwrap_or(0))
        .collect();
    let source = SourceRecord {
        statement,
        record: &record,
        counts: &counts,
    };
    let is_json = statement.verb == Verb::JsonGenerate;
    let (text, mut code) = if is_json {
        (json_generate::generate(&source)?, 0)
    } else {
        let of = |literal: &[u8], at: usize| {
            let text = if literal.is_empty() {
                operands.bytes(at)
            } else {
                literal.to_vec()
            };
            text.trim_ascii_end().to_vec()
        };
        let namespace = of(&statement.namespace, operand::NAMESPACE);
        let prefix = of(&statement.prefix, operand::PREFIX);
        xml_generate::generate(&source, &namespace, &prefix)?
    };
    let room = operands.size(operand::TEXT);
    if text.len() > room {
        code = if is_json {
            json_generate::TOO_SMALL
        } else {
            xml_generate::TOO_SMALL
        };
    }
    let kept = text.len().min(room);
    operands.write(operand::TEXT, 0, &text[..kept], 0);
    operands.set_int(operand::COUNT, kept as i64);
    operands.set_int(operand::CODE, code);
    Ok(())
}
