//! EXEC SQL: statements of a program become calls.
//!
//! The statement itself is the `sql` crate's; here are its text and places, the
//! fields that its host variables are, the cursors and WHENEVERs of the program,
//! and the COBOL that replaces it.
//!
//! Reference: Db2 for z/OS Application Programming and SQL Guide, "Coding SQL
//! statements in COBOL application programs".

mod emit;
mod fields;
mod text;
mod types;

use std::collections::HashMap;
use std::path::PathBuf;

use sql::code::{SQLCA_COPYBOOK, SQLDA_COPYBOOK};
use sql::{
    ProblemKind, RewriteOptions, Statement, StatementKind, Table, WheneverAction, WheneverCondition,
};

use crate::diagnostic::{DiagnosticKind as Finding, Severity};
use crate::digest::SourceDigest;
use crate::outline::{ProgramUnit, is_period};
use crate::source::SourcePlace;
use crate::translate::TranslationState;

use fields::HostRecords;
use text::SqlText;

/// A statement of a program, as the run time gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlUse {
    /// The program's file or COPY member.
    pub file: PathBuf,
    /// Line of EXEC SQL, from 1.
    pub line: u32,
    /// Column of the place, from 1.
    pub column: u32,
    /// The statement block (`sql::block`).
    pub block: Vec<u8>,
}

/// An EXEC SQL block.
pub(crate) struct SqlBlock {
    /// EXEC.
    pub start: usize,
    /// Index after END-EXEC.
    pub end: usize,
    /// Program that it is in.
    pub unit: usize,
    /// The statement; `None` if it is wrong.
    statement: Option<Statement>,
    /// Known and not served, so that it becomes a call without SQL.
    refused: bool,
    text: SqlText,
}

/// The translator's knowledge of one program's SQL.
struct Program<'a> {
    fields: HostRecords,
    cursors: HashMap<String, (Statement, &'a SqlText)>,
    tables: Vec<Table>,
    token: [u8; 8],
    number: u16,
    whenever: HashMap<u8, WheneverAction>,
    has_area: bool,
    /// Constants in WORKING-STORAGE: statements that are too long for a literal.
    storage: String,
}

impl TranslationState {
    /// Reads the statement between EXEC SQL and END-EXEC.
    pub(crate) fn sql_block(&mut self, start: usize, end: usize, unit: usize) -> SqlBlock {
        let text = SqlText::of(&self.tokens[start + 2..end - 1], self.tokens[start].place);
        let file = self.path_of(start);
        self.diagnostics.retain(|d| {
            let open = d.message.contains("no closing quote") && d.file == file;
            !(open && text.is_comment(d.line, d.column))
        });
        let mut refused = false;
        let statement = match Statement::parse(&text.text) {
            Ok(statement) => {
                for warning in &statement.warnings {
                    self.sql_problem(warning, &text);
                }
                Some(statement)
            }
            Err(problem) => {
                refused = problem.kind == ProblemKind::Refused;
                self.sql_problem(&problem, &text);
                None
            }
        };
        SqlBlock {
            start,
            end,
            unit,
            statement,
            refused,
            text,
        }
    }

    /// Reports a problem of a statement at its place.
    fn sql_problem(&mut self, problem: &sql::StatementProblem, text: &SqlText) {
        let place = text.place(problem.at);
        let kind = match problem.kind {
            ProblemKind::Refused => {
                let name = problem.message.trim_end_matches(" is not supported");
                Finding::Unsupported(format!("EXEC SQL {name}"))
            }
            _ => Finding::Command,
        };
        let mut help = problem.help.clone();
        if problem.kind == ProblemKind::Refused && help.is_none() {
            help = Some(format!("the statement gets SQLCODE {}", problem.sqlcode));
        }
        self.say(place, kind, problem.message.clone(), help);
        if problem.kind != ProblemKind::Error
            && let Some(last) = self.diagnostics.last_mut()
        {
            last.severity = Severity::Warning;
        }
    }

    /// Puts calls and declarations in the places of all statements. Returns the constants
    /// that each program needs in WORKING-STORAGE.
    pub(crate) fn sql_statements(
        &mut self,
        units: &[ProgramUnit],
        blocks: &[SqlBlock],
        batch: bool,
    ) -> Vec<String> {
        let mut storage = Vec::with_capacity(units.len());
        for (index, unit) in units.iter().enumerate() {
            let own: Vec<&SqlBlock> = blocks.iter().filter(|b| b.unit == index).collect();
            storage.push(if own.is_empty() {
                String::new()
            } else {
                self.sql_program(unit, &own, batch)
            });
        }
        storage
    }

    fn sql_program(&mut self, unit: &ProgramUnit, blocks: &[&SqlBlock], batch: bool) -> String {
        let mut program = self.sql_declarations(unit, blocks);
        let body = unit.procedure_body.unwrap_or(usize::MAX);
        let mut is_first = true;
        for block in blocks {
            let place = self.tokens[block.start].place;
            self.edits.dropped.extend(block.start..block.end);
            if block.start < body {
                self.sql_data(block, place);
                continue;
            }
            let text = match &block.statement {
                Some(s) if s.kind.is_executable() => {
                    if std::mem::take(&mut is_first) {
                        self.sql_first(&program, place);
                    }
                    self.sql_unit_end(s, &block.text, batch);
                    self.sql_call(&mut program, s, block)
                }
                Some(s) => {
                    program.declare_whenever(s);
                    "CONTINUE".to_owned()
                }
                None if block.refused => program.refused_call(place),
                None => "CONTINUE".to_owned(),
            };
            self.edits.insert(block.start, text, place);
        }
        program.storage
    }

    /// The declarations that the first statement of a program needs.
    fn sql_first(&mut self, program: &Program<'_>, place: SourcePlace) {
        if !program.has_area {
            let message = "the program has no SQLCA".to_owned();
            let help = "write EXEC SQL INCLUDE SQLCA END-EXEC. in WORKING-STORAGE";
            self.say(place, Finding::Command, message, Some(help.to_owned()));
        }
    }

    /// COMMIT and ROLLBACK are not for tasks.
    fn sql_unit_end(&mut self, statement: &Statement, text: &SqlText, batch: bool) {
        let (name, code) = match statement.kind {
            StatementKind::Commit => ("SYNCPOINT", -925),
            StatementKind::Rollback => ("SYNCPOINT ROLLBACK", -926),
            _ => return,
        };
        let online = self
            .tokens
            .windows(2)
            .any(|w| w[0].is("EXEC") && w[1].is("CICS"));
        if !batch && online {
            let message = format!("{} gets SQLCODE {code} in a task", statement.form.name);
            self.warn(text.place(0), message, &format!("use EXEC CICS {name}"));
        }
    }

    /// A declaration in the DATA DIVISION.
    fn sql_data(&mut self, block: &SqlBlock, place: SourcePlace) {
        let member = block.statement.as_ref().and_then(|s| {
            let is_include = s.kind == StatementKind::Include;
            s.name.as_deref().filter(|_| is_include)
        });
        let text = match member {
            Some("SQLCA") => SQLCA_COPYBOOK.replace('\n', " "),
            Some("SQLDA") => SQLDA_COPYBOOK.replace('\n', " "),
            _ => String::new(),
        };
        if let Some(statement) = block.statement.as_ref().filter(|s| s.kind.is_executable()) {
            let message = format!(
                "{} belongs into the PROCEDURE DIVISION",
                statement.form.name
            );
            self.say(place, Finding::Command, message, None);
        }
        if is_period(&self.tokens, block.end) {
            self.edits.dropped.insert(block.end);
        }
        if !text.is_empty() {
            self.edits
                .insert(block.start, text.trim_end().to_owned(), place);
        }
    }

    /// Fields, tables and cursors of a program.
    fn sql_declarations<'a>(&mut self, unit: &ProgramUnit, blocks: &[&'a SqlBlock]) -> Program<'a> {
        let mut program = Program {
            fields: HostRecords::of(unit, &self.tokens),
            cursors: HashMap::new(),
            tables: Vec::new(),
            token: self.sql_token(unit),
            number: 0,
            whenever: HashMap::new(),
            has_area: false,
            storage: String::new(),
        };
        let statements = || {
            blocks
                .iter()
                .filter_map(|b| Some((b.statement.as_ref()?, &b.text)))
        };
        for (statement, text) in statements() {
            match (statement.kind, &statement.name) {
                (StatementKind::DeclareCursor, Some(name)) => {
                    let entry = (statement.clone(), text);
                    if program.cursors.insert(name.clone(), entry).is_some() {
                        let message = format!("the cursor {name} is declared twice");
                        self.say(text.place(0), Finding::Command, message, None);
                    }
                }
                (StatementKind::DeclareTable, _) => program.tables.extend(statement.table.clone()),
                (StatementKind::Include, Some(name)) if name == "SQLCA" => {
                    program.fields.add(SQLCA_COPYBOOK);
                }
                (StatementKind::Include, Some(name)) if name == "SQLDA" => {
                    program.fields.add(SQLDA_COPYBOOK);
                }
                _ => {}
            }
        }
        program.has_area = program.fields.is_record("SQLCA");
        // Rows of a cursor that a positioned statement names are found again.
        for (statement, _) in statements() {
            let positioned = matches!(
                statement.kind,
                StatementKind::Update | StatementKind::Delete
            );
            if let Some(name) = statement.name.as_ref().filter(|_| positioned)
                && let Some((cursor, _)) = program.cursors.get_mut(name)
            {
                cursor.cursor.for_update = true;
            }
        }
        let cursors: Vec<(Statement, &SqlText)> = program.cursors.values().cloned().collect();
        for (cursor, text) in cursors {
            if !cursor.body.is_empty() {
                self.sql_check(&program, &cursor, text);
            }
        }
        program
    }

    /// Eight characters that distinguish builds of a program.
    fn sql_token(&self, unit: &ProgramUnit) -> [u8; 8] {
        let mut digest = SourceDigest::default();
        for token in &self.tokens[unit.start..unit.end.min(self.tokens.len())] {
            digest.add(token.text.as_bytes());
        }
        let mut token = [b'0'; 8];
        for (place, byte) in token.iter_mut().zip(digest.finish().bytes()) {
            *place = byte;
        }
        token
    }

    /// Rewrites a statement to find its errors.
    fn sql_check(&mut self, program: &Program<'_>, statement: &Statement, text: &SqlText) -> bool {
        use StatementKind as K;
        let checked = matches!(
            statement.kind,
            K::SelectInto
                | K::DeclareCursor
                | K::SetVariables
                | K::Insert
                | K::Update
                | K::Delete
                | K::Merge
                | K::LockTable
        );
        if !checked {
            return true;
        }
        let mut statement = statement.clone();
        let mut hosts = Vec::new();
        let mut counts = Vec::new();
        for input in &statement.inputs {
            let Ok(found) = program.fields.find(&input.name) else {
                // The error is reported where the call is made.
                return true;
            };
            counts.push(found.fields.len());
            hosts.extend(found.fields.iter().map(|f| sql::HostType {
                cobol: f.cobol,
                nullable: input.indicator.is_some(),
            }));
        }
        statement.number_inputs(&counts);
        match sql::rewrite(
            &statement,
            &program.tables,
            &hosts,
            &RewriteOptions::default(),
        ) {
            Ok(rewritten) => {
                for warning in &rewritten.warnings {
                    self.sql_problem(warning, text);
                }
                let known = !statement.body.iter().any(|t| t.is_mark("*"));
                let outputs = program.output_count(&statement);
                let into = matches!(statement.kind, K::SelectInto | K::SetVariables);
                let columns = rewritten.columns.len();
                if into && known && outputs.is_some_and(|n| n != columns) {
                    let message = format!(
                        "{} columns for {} host variables",
                        columns,
                        outputs.unwrap_or(0)
                    );
                    let help = "a structure counts as its fields";
                    self.warn(text.place(0), message, help);
                }
                true
            }
            Err(problems) => {
                for problem in &problems {
                    self.sql_problem(problem, text);
                }
                problems.iter().all(|p| p.kind != ProblemKind::Error)
            }
        }
    }
}

impl Program<'_> {
    fn declare_whenever(&mut self, statement: &Statement) {
        let Some((condition, action)) = &statement.whenever else {
            return;
        };
        let order = match condition {
            WheneverCondition::Error => 0,
            WheneverCondition::Warning => 1,
            WheneverCondition::NotFound => 2,
        };
        self.whenever.insert(order, action.clone());
    }

    /// The tests that WHENEVER asks for after a statement.
    fn tests(&self) -> String {
        let mut text = String::new();
        for order in 0..3u8 {
            let condition = match order {
                0 => "SQLCODE OF SQLCA < 0",
                1 => {
                    "(SQLWARN0 OF SQLCA = 'W' OR (SQLCODE OF SQLCA > 0 AND SQLCODE OF SQLCA NOT = 100))"
                }
                _ => "SQLCODE OF SQLCA = 100",
            };
            let action = match self.whenever.get(&order) {
                Some(WheneverAction::GoTo(label)) => format!("GO TO {label}"),
                Some(WheneverAction::Perform(label)) => format!("PERFORM {label}"),
                Some(WheneverAction::Stop) => "STOP RUN".to_owned(),
                Some(WheneverAction::Continue) | None => continue,
            };
            text.push_str(&format!(" IF {condition} {action} END-IF"));
        }
        text
    }

    /// Fields that the outputs of a statement have; `None` if one is not known.
    fn output_count(&self, statement: &Statement) -> Option<usize> {
        let counts = statement
            .outputs
            .iter()
            .map(|o| self.fields.find(&o.name).ok());
        counts.map(|found| Some(found?.fields.len())).sum()
    }
}
