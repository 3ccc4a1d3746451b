//! The COBOL that replaces a statement.

use sql::block::{FieldDescriptor, SQL_ENTRY, StatementBlock};
use sql::field::CobolType;
use sql::{
    CursorOptions, FetchOrientation, HostReference, Isolation, RowCount, Statement, StatementKind,
};

use crate::calls::hex_literal;
use crate::diagnostic::DiagnosticKind as Finding;
use crate::markup::declaration;
use crate::source::SourcePlace;
use crate::translate::TranslationState;

use super::text::SqlText;
use super::{Program, SqlBlock, SqlUse};

/// Arguments of a call that the compiler passes at most.
const MOST_ARGUMENTS: usize = 180;

/// Bytes of a statement block that is a literal: the compiler takes 8,192.
const MOST_LITERAL: usize = 8_000;

/// Arguments of a call, each once.
#[derive(Default)]
struct CallArguments(Vec<String>);

impl CallArguments {
    fn number(&mut self, item: &str) -> u16 {
        let at = self.0.iter().position(|i| i == item).unwrap_or_else(|| {
            self.0.push(item.to_owned());
            self.0.len() - 1
        });
        u16::try_from(at).unwrap_or(u16::MAX)
    }
}

impl TranslationState {
    /// The call of an executable statement.
    pub(super) fn sql_call(
        &mut self,
        program: &mut Program<'_>,
        statement: &Statement,
        block: &SqlBlock,
    ) -> String {
        let mut statement = statement.clone();
        let mut text = &block.text;
        self.sql_check(program, &statement, text);
        use StatementKind as K;
        let named = statement.name.clone();
        let positioned = matches!(statement.kind, K::Update | K::Delete) && named.is_some();
        if matches!(statement.kind, K::Open | K::Fetch | K::Close) || positioned {
            let name = named.unwrap_or_default();
            let Some((cursor, declared)) = program.cursors.get(&name) else {
                let known = program.cursors.keys().map(String::as_str);
                let help = base::suggestion(&name, known);
                let message = format!("the cursor {name} is not declared");
                self.say(block.text.place(0), Finding::Command, message, help);
                return "CONTINUE".to_owned();
            };
            let rowset = statement.cursor.rowset;
            statement.cursor = CursorOptions {
                rowset: rowset || cursor.cursor.rowset,
                ..cursor.cursor
            };
            statement.prepared.clone_from(&cursor.prepared);
            statement.isolation = cursor.isolation;
            if statement.kind == K::Open && cursor.prepared.is_none() {
                statement.body.clone_from(&cursor.body);
                statement.inputs.clone_from(&cursor.inputs);
                text = declared;
            }
        }
        let place = self.tokens[block.start].place;
        self.sql_statement_call(program, &mut statement, text, &block.text, place)
    }

    fn sql_statement_call(
        &mut self,
        program: &mut Program<'_>,
        statement: &mut Statement,
        inputs_text: &SqlText,
        outputs_text: &SqlText,
        place: SourcePlace,
    ) -> String {
        let mut arguments = CallArguments::default();
        let mut counts = Vec::new();
        let mut inputs = Vec::new();
        let mut outputs = Vec::new();
        for reference in &statement.inputs {
            let fields = self.sql_fields(program, reference, &mut arguments, inputs_text);
            counts.push(fields.len());
            inputs.extend(fields);
        }
        for reference in &statement.outputs {
            outputs.extend(self.sql_fields(program, reference, &mut arguments, outputs_text));
        }
        let mut descriptor = None;
        if let Some(area) = &statement.descriptor {
            match program.fields.descriptor_area(area) {
                Ok((item, order)) => {
                    arguments.number(&item);
                    descriptor = Some(order);
                }
                Err(error) => self.say(
                    outputs_text.place(0),
                    Finding::Command,
                    error.message,
                    error.help,
                ),
            }
        }
        if arguments.0.len() > MOST_ARGUMENTS {
            let message = format!("the statement has {} host variables", arguments.0.len());
            let help = "put them into a structure and name that";
            self.say(place, Finding::Command, message, Some(help.to_owned()));
        }
        let arrays = inputs
            .iter()
            .chain(&outputs)
            .any(|d: &FieldDescriptor| d.occurs > 1);
        if arrays && !statement.cursor.rowset && statement.rows.is_none() {
            let message = "a host variable is a table".to_owned();
            let help = "tables are for rowsets: FETCH … ROWSET or INSERT … FOR n ROWS";
            self.say(
                outputs_text.place(0),
                Finding::Command,
                message,
                Some(help.to_owned()),
            );
        }
        statement.number_inputs(&counts);
        let (rows, rows_input) = match statement.rows {
            Some(RowCount::Rows(rows)) => (rows, 0),
            Some(RowCount::Input(input)) => {
                let before: usize = counts.iter().take(input).sum();
                (0, u16::try_from(before).unwrap_or(u16::MAX))
            }
            None => (0, 0),
        };
        program.number = program.number.saturating_add(1);
        let mut block = program.block(statement.kind, place);
        block.cursor = statement.cursor;
        block.orientation = statement.orientation;
        block.kept_locks = match statement.isolation {
            Some(Isolation::ReadStability(s) | Isolation::RepeatableRead(s)) => Some(s),
            _ => None,
        };
        block.rows = rows;
        block.rows_input = rows_input;
        block.arguments = u16::try_from(arguments.0.len()).unwrap_or(u16::MAX);
        block.inputs = inputs;
        block.outputs = outputs;
        block.descriptor = descriptor;
        block.name = statement.name.clone().unwrap_or_default();
        block.prepared = statement.prepared.clone().unwrap_or_default();
        block.text = statement.text();
        // A cursor's query is where the cursor is declared.
        let at = inputs_text.place(0);
        self.sql.push(SqlUse {
            file: self.file(at),
            line: at.line,
            column: at.column,
            block: block.emit(),
        });
        program.call(&block, &arguments)
    }

    /// The fields of a reference; an error in the reference is reported.
    fn sql_fields(
        &mut self,
        program: &Program<'_>,
        reference: &HostReference,
        arguments: &mut CallArguments,
        text: &SqlText,
    ) -> Vec<FieldDescriptor> {
        let place = text.place(reference.at);
        let found = match program.fields.find(&reference.name) {
            Ok(found) => found,
            Err(error) => {
                self.say(place, Finding::Command, error.message, error.help);
                return Vec::new();
            }
        };
        let argument = arguments.number(&found.item);
        let mut indicators = Vec::new();
        if let Some(name) = &reference.indicator {
            match program.fields.find(name) {
                Ok(indicator) => {
                    let number = arguments.number(&indicator.item);
                    for field in &indicator.fields {
                        let CobolType::Integer {
                            bytes: 2,
                            big_endian,
                            ..
                        } = field.cobol
                        else {
                            let message =
                                format!("the indicator {name} is not S9(4) COMP or COMP-5");
                            self.say(place, Finding::Command, message, None);
                            return Vec::new();
                        };
                        for occurrence in 0..field.occurs.max(1) {
                            let offset = field.offset + u32::from(occurrence) * field.stride;
                            indicators.push((
                                number,
                                u16::try_from(offset).unwrap_or(u16::MAX),
                                big_endian,
                            ));
                        }
                    }
                }
                Err(error) => {
                    self.say(place, Finding::Command, error.message, error.help);
                    return Vec::new();
                }
            }
        }
        let fields = found.fields.iter().enumerate();
        fields
            .map(|(at, field)| {
                let indicator = indicators.get(at);
                FieldDescriptor {
                    argument,
                    offset: field.offset,
                    cobol: field.cobol,
                    occurs: field.occurs,
                    stride: field.stride,
                    indicator: indicator.map(|(argument, offset, _)| (*argument, *offset)),
                    indicator_big_endian: indicator.is_some_and(|(_, _, big)| *big),
                }
            })
            .collect()
    }
}

impl Program<'_> {
    /// A statement that is known and not supported: the run time returns its SQLCODE.
    pub(super) fn refused_call(&mut self, place: SourcePlace) -> String {
        self.number = self.number.saturating_add(1);
        let block = self.block(StatementKind::Other, place);
        self.call(&block, &CallArguments::default())
    }

    fn block(&self, kind: StatementKind, place: SourcePlace) -> StatementBlock {
        StatementBlock {
            kind,
            number: self.number,
            line: place.line,
            source_file: u8::try_from(place.file).unwrap_or(u8::MAX),
            arguments: 0,
            cursor: CursorOptions::default(),
            orientation: FetchOrientation::Next,
            kept_locks: None,
            rows: 0,
            rows_input: 0,
            token: self.token,
            inputs: Vec::new(),
            outputs: Vec::new(),
            descriptor: None,
            name: String::new(),
            prepared: String::new(),
            text: String::new(),
        }
    }

    fn call(&mut self, block: &StatementBlock, arguments: &CallArguments) -> String {
        let bytes = block.emit();
        let constant = if bytes.len() <= MOST_LITERAL {
            hex_literal(&bytes)
        } else {
            let name = format!("DFHSQ{}", self.number);
            self.storage.push_str(&declaration(&name, &bytes));
            name
        };
        let mut text = format!("CALL \"{SQL_ENTRY}\" USING {constant} SQLCA");
        for argument in &arguments.0 {
            text.push(' ');
            text.push_str(argument);
        }
        text.push_str(" END-CALL");
        text.push_str(&self.tests());
        text
    }
}
