//! The translation of one program.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use base::suggestion;
use cics::eib;
use copybook::ReferenceFormat;

use crate::calls::{ProgramNeeds, call};
use crate::copy::{CopyLibrary, ExpandedSource, expand};
use crate::diagnostic::{Diagnostic, DiagnosticKind as Finding, Severity};
use crate::exec::{self, ParsedCommand};
use crate::nulls;
use crate::outline::{ProgramUnit, outline, skip_exec};
use crate::reach::{CalledLiteral, called};
use crate::source::{SourceFiles, SourcePlace};
use crate::sql::{SqlBlock, SqlUse};
use crate::token::{Token, TokenKind};
use crate::words;
use crate::writer::Writer;

/// The result of a translation.
#[derive(Debug, Clone)]
pub struct TranslatedSource {
    /// Preprocessed COBOL for the compiler; of no use when there are errors.
    pub text: Vec<u8>,
    /// PROGRAM-ID of each outermost program.
    pub programs: Vec<String>,
    /// Names of their ENTRY statements.
    pub entries: Vec<String>,
    /// Whether any of them uses EXEC CICS, the EIB or a COMMAREA.
    pub uses_cics: bool,
    /// The program's file and its COPY members.
    pub files: SourceFiles,
    /// Everything that is wrong, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// Its statements of EXEC SQL, in the order of the text.
    pub sql: Vec<SqlUse>,
    /// The programs that are called by a literal.
    pub(crate) called: Vec<CalledLiteral>,
    /// Flags of the compiler for words that the programs define.
    pub(crate) freed_words: Vec<String>,
}

impl TranslatedSource {
    /// Whether the text may not be compiled.
    pub fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error)
    }

    /// The commands, languages and directives that are not supported yet, in
    /// the order of the text.
    pub fn unsupported(&self) -> impl Iterator<Item = (&Diagnostic, &str)> {
        self.diagnostics.iter().filter_map(|d| match &d.kind {
            Finding::Unsupported(name) => Some((d, name.as_str())),
            _ => None,
        })
    }
}

/// Translates the text of a program. `path` is what messages call it.
pub fn translate(
    path: &Path,
    text: &[u8],
    format: ReferenceFormat,
    library: &CopyLibrary,
) -> TranslatedSource {
    translate_for(path, text, format, library, false)
}

/// The same; a batch program has files of its own and no commands.
pub(crate) fn translate_for(
    path: &Path,
    text: &[u8],
    format: ReferenceFormat,
    library: &CopyLibrary,
    batch: bool,
) -> TranslatedSource {
    let ExpandedSource {
        files,
        tokens,
        diagnostics,
    } = expand(path, text, format, library);
    let mut work = TranslationState {
        files,
        diagnostics,
        tokens,
        edits: TokenEdits::default(),
        sql: Vec::new(),
    };
    work.service_statements();
    work.headers();
    work.recording_modes();
    work.missing_periods();
    work.command_periods();
    work.values();
    work.sql_types();
    let units = outline(&work.tokens);
    work.program_names(&units);
    let entries = work.entry_names(&units);
    work.pointer_numbers(&units);
    work.last_periods(&units);
    if !work.has_errors() {
        work.no_statements(&units);
    }
    work.passed_lengths(&units);
    work.varying_lengths(&units);
    work.varying_receivers(&units);
    work.null_arguments(&units);
    work.null_conditions(&units);
    let (blocks, statements) = work.blocks(&units);
    let constants = work.sql_statements(&units, &statements, batch);
    work.powers(&units);
    work.functions(&units);
    let mut storage = work.phrased_statements(&units);
    for (own, constants) in storage.iter_mut().zip(&constants) {
        own.push_str(constants);
    }
    let uses_cics = work.programs(&units, blocks, &storage);
    if batch {
        work.no_commands()
    } else {
        work.file_statements(&units, uses_cics)
    }
    let called = called(&work.tokens);
    let freed_words = words::defined(&work.tokens);
    if units.is_empty() {
        let message = "there is no program in this file".to_owned();
        work.say(
            SourcePlace {
                file: 0,
                line: 1,
                column: 0,
            },
            Finding::Source,
            message,
            Some("a program begins with IDENTIFICATION DIVISION and PROGRAM-ID; a copybook's place is copybooks/".to_owned()),
        );
    }
    let text = work.write();
    let TranslationState {
        files,
        mut diagnostics,
        sql,
        ..
    } = work;
    diagnostics.sort_by_key(|d| {
        (
            files.paths().iter().position(|p| *p == d.file),
            d.line,
            d.column,
        )
    });
    let programs = units
        .iter()
        .filter(|u| u.parent.is_none())
        .map(|u| u.name.clone())
        .collect();
    TranslatedSource {
        text,
        programs,
        entries,
        uses_cics,
        files,
        diagnostics,
        sql,
        called,
        freed_words,
    }
}

/// Changes to the token stream.
#[derive(Debug, Default)]
pub(crate) struct TokenEdits {
    /// Generated text before a token.
    before: BTreeMap<usize, Vec<(String, SourcePlace)>>,
    /// Tokens that are left out.
    pub(crate) dropped: HashSet<usize>,
}

impl TokenEdits {
    pub(crate) fn insert(&mut self, at: usize, text: String, place: SourcePlace) {
        self.before.entry(at).or_default().push((text, place));
    }

    /// Before text that is already inserted at the same token.
    pub(crate) fn insert_first(&mut self, at: usize, text: String, place: SourcePlace) {
        self.before.entry(at).or_default().insert(0, (text, place));
    }
}

/// A command in the text.
struct ExecBlock {
    start: usize,
    end: usize,
    unit: usize,
    command: Option<ParsedCommand>,
}

/// A translation under way.
pub(crate) struct TranslationState {
    files: SourceFiles,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Statements of EXEC SQL that became calls.
    pub(crate) sql: Vec<SqlUse>,
    pub(crate) tokens: Vec<Token>,
    pub(crate) edits: TokenEdits,
}

impl TranslationState {
    /// Whether the program will not be compiled.
    fn has_errors(&self) -> bool {
        let mut all = self.diagnostics.iter();
        all.any(|d| d.severity == Severity::Error)
    }

    /// The file of a token.
    pub(crate) fn path_of(&self, at: usize) -> std::path::PathBuf {
        self.files.path(self.tokens[at].place.file).to_owned()
    }

    /// The file of a place.
    pub(crate) fn file(&self, place: SourcePlace) -> std::path::PathBuf {
        self.files.path(place.file).to_owned()
    }

    /// A finding that keeps nothing from being compiled.
    pub(crate) fn warn(&mut self, at: SourcePlace, message: String, help: &str) {
        self.say(at, Finding::Source, message, Some(help.to_owned()));
        if let Some(last) = self.diagnostics.last_mut() {
            last.severity = Severity::Warning;
        }
    }

    pub(crate) fn say(
        &mut self,
        at: SourcePlace,
        kind: Finding,
        message: String,
        help: Option<String>,
    ) {
        self.diagnostics.push(Diagnostic {
            finding: base::Diagnostic::new(Severity::Error, (at.line, at.column), message)
                .in_file(self.files.path(at.file))
                .maybe_help(help),
            kind,
        });
    }

    fn problem(&mut self, problem: exec::CommandProblem) {
        let kind = problem.unsupported.map_or(Finding::Command, |n| {
            Finding::Unsupported(format!("EXEC CICS {n}"))
        });
        self.say(problem.place, kind, problem.message, problem.help);
        if let Some(last) = self.diagnostics.last_mut() {
            last.severity = problem.severity;
        }
    }

    /// Finds the commands and checks them.
    fn blocks(&mut self, units: &[ProgramUnit]) -> (Vec<ExecBlock>, Vec<SqlBlock>) {
        let mut blocks = Vec::new();
        let mut statements = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let t = &self.tokens[at];
            if !t.is_any(&["EXEC", "EXECUTE"]) {
                at += 1;
                continue;
            }
            let place = t.place;
            let language = self
                .tokens
                .get(at + 1)
                .map_or_else(String::new, Token::upper);
            let end = skip_exec(&self.tokens, at);
            if end == at + 1 {
                if matches!(language.as_str(), "CICS" | "SQL" | "DLI") {
                    self.say(
                        place,
                        Finding::Command,
                        format!("EXEC {language} has no END-EXEC"),
                        Some("put END-EXEC after the command's last option".to_owned()),
                    );
                }
                at += 1;
                continue;
            }
            let mut command = None;
            let unit = units.iter().rposition(|u| u.start <= at && at < u.end);
            match language.as_str() {
                "SQL" => {
                    let unit = unit.unwrap_or(usize::MAX);
                    statements.push(self.sql_block(at, end, unit));
                    at = end;
                    continue;
                }
                "CICS" => {
                    let outcome = exec::parse(&self.tokens[at + 2..end - 1], place);
                    command = outcome.command;
                    for p in outcome.problems {
                        self.problem(p);
                    }
                }
                _ => {
                    let name = format!("EXEC {language}");
                    let message = format!("{name} is not supported");
                    let is_first = self.diagnostics.iter().all(|d| d.message != message);
                    let help = "the program is not compiled and not served; a LINK to it \
                                answers PGMIDERR";
                    let help = is_first.then(|| help.to_owned());
                    self.say(place, Finding::Unsupported(name), message, help);
                }
            }
            if let Some(unit) = unit {
                let outside = units[unit].procedure_body.is_none_or(|b| at < b);
                if outside && command.take().is_some() {
                    let message = "EXEC CICS belongs into the PROCEDURE DIVISION".to_owned();
                    let none = units[unit].procedure.is_none();
                    let help =
                        "the program has no header PROCEDURE DIVISION: is it missing or misspelt?";
                    let help = none.then(|| help.to_owned());
                    self.say(place, Finding::Command, message, help);
                }
                blocks.push(ExecBlock {
                    start: at,
                    end,
                    unit,
                    command,
                });
            }
            at = end;
        }
        (blocks, statements)
    }

    /// Writes the declarations, first statements and calls of every program;
    /// whether any program uses CICS.
    fn programs(
        &mut self,
        units: &[ProgramUnit],
        blocks: Vec<ExecBlock>,
        storage: &[String],
    ) -> bool {
        let mut needs: Vec<ProgramNeeds> = vec![ProgramNeeds::default(); units.len()];
        let mut pairs: Vec<Vec<(u16, u16)>> = Vec::with_capacity(blocks.len());
        for block in &blocks {
            let unit = &units[block.unit];
            let list = match &block.command {
                Some(c) => match needs[block.unit].add_labels(c, unit, block.start) {
                    Ok(list) => list,
                    Err(token) => {
                        let message = format!(
                            "{} is not a paragraph or section of {}",
                            token.upper(),
                            units[block.unit].name
                        );
                        let names = units[block.unit].labels.iter().map(|l| l.name.as_str());
                        let help = suggestion(&token.upper(), names);
                        self.say(token.place, Finding::Command, message, help);
                        Vec::new()
                    }
                },
                None => Vec::new(),
            };
            pairs.push(list);
        }
        for (i, unit) in units.iter().enumerate() {
            let own = blocks.iter().filter(|b| b.unit == i);
            let commands: Vec<&ParsedCommand> = own.filter_map(|b| b.command.as_ref()).collect();
            self.shared_pointers(unit, &commands);
        }
        let mut has_command = vec![false; units.len()];
        for (block, pairs) in blocks.into_iter().zip(pairs) {
            has_command[block.unit] = true;
            let place = self.tokens[block.start].place;
            self.edits.dropped.extend(block.start..block.end);
            let text = match &block.command {
                Some(command) => {
                    let null = nulls::passes_linkage(command, &units[block.unit]);
                    let before = if null { nulls::MARK } else { "" };
                    let text = call(command, pairs, &mut needs[block.unit]).text;
                    format!("{before}{text}")
                }
                None => "CONTINUE".to_owned(),
            };
            self.edits.insert(block.start, text, place);
        }
        let mut uses_cics = false;
        for (i, unit) in units.iter().enumerate() {
            let commarea = unit
                .linkage_names
                .iter()
                .any(|n| n == "DFHCOMMAREA" || n == "DFHEIBLK");
            if has_command[i] || (unit.parent.is_none() && commarea) || self.names_eib(units, i) {
                uses_cics = true;
                self.declare(unit, &needs[i], &storage[i]);
                self.begin_entries(unit);
            } else if !storage[i].is_empty() {
                self.declare_storage(unit, storage[i].clone());
            }
            let followed = units
                .iter()
                .any(|u| u.parent.is_none() && u.start == unit.end);
            if !unit.closed && unit.parent.is_none() && followed {
                let place = self.tokens[unit.end.min(self.tokens.len()) - 1].place;
                self.edits
                    .insert(unit.end, format!("END PROGRAM {}.", unit.name), place);
            }
        }
        uses_cics
    }

    /// Whether a program itself, not one contained in it, names the EIB.
    fn names_eib(&self, units: &[ProgramUnit], unit: usize) -> bool {
        let inner = units
            .iter()
            .filter(|u| u.parent == Some(unit))
            .map(|u| u.start)
            .min();
        let end = inner.unwrap_or(units[unit].end).min(self.tokens.len());
        self.tokens[units[unit].start..end]
            .iter()
            .any(|t| t.kind == TokenKind::Word && t.is_any(eib::FIELD_NAMES))
    }

    /// Puts declarations first in the WORKING-STORAGE SECTION, which is made if
    /// missing.
    fn declare_storage(&mut self, unit: &ProgramUnit, storage: String) {
        let Some(procedure) = unit.procedure else {
            return;
        };
        let place = |at: usize| self.tokens[at.min(self.tokens.len() - 1)].place;
        // The data division, from its end to its beginning of sections: what
        // is inserted at one place comes in the order of insertion.
        let (division, at) = (place(procedure), unit.working_storage);
        let at = at.unwrap_or_else(|| unit.after_working_storage.unwrap_or(procedure));
        let (before, after) = (place(at - 1), place(at));
        if unit.data.is_none() {
            self.edits
                .insert(procedure, "DATA DIVISION.".to_owned(), division);
        }
        if unit.working_storage.is_some() {
            self.edits.insert(at, storage, before);
        } else {
            let text = format!("WORKING-STORAGE SECTION. {storage}");
            self.edits.insert(at, text, after);
        }
    }

    fn declare(&mut self, unit: &ProgramUnit, needs: &ProgramNeeds, further: &str) {
        let (Some(procedure), Some(body), Some(first)) =
            (unit.procedure, unit.procedure_body, unit.first_statement())
        else {
            return;
        };
        let mut storage = needs.working_storage();
        storage.push_str(further);
        self.declare_storage(unit, storage);
        let place = |at: usize| self.tokens[at.min(self.tokens.len() - 1)].place;
        let division = place(procedure);
        let mut linkage = String::new();
        let has = |name: &str| unit.linkage_names.iter().any(|n| n == name);
        if !has("DFHEIBLK") {
            linkage.push_str(&eib::COPYBOOK.replace('\n', " "));
        }
        if unit.parent.is_none() && !has("DFHCOMMAREA") {
            linkage.push_str("01 DFHCOMMAREA PIC X.");
        }
        match unit.linkage {
            Some(at) => {
                let at_place = place(at - 1);
                self.edits
                    .insert(at, linkage.trim_end().to_owned(), at_place);
            }
            None => {
                let at = unit.after_linkage.unwrap_or(procedure);
                let at_place = place(at);
                let text = format!("LINKAGE SECTION. {}", linkage.trim_end());
                self.edits.insert(at, text, at_place);
            }
        }
        if unit.parent.is_none() {
            let modes = &["BY", "REFERENCE", "CONTENT", "VALUE"];
            let header = procedure + 2..body;
            let own = |t: &Token| t.is_any(&["USING", "DFHEIBLK", "DFHCOMMAREA"]);
            let others = self.tokens[header.clone()]
                .iter()
                .any(|t| !own(t) && !t.is_any(modes) && t.kind == TokenKind::Word);
            for at in header {
                let t = &self.tokens[at];
                if own(t) || (!others && t.is_any(modes)) {
                    self.edits.dropped.insert(at);
                }
            }
            self.edits.insert(
                procedure + 2,
                "USING DFHEIBLK DFHCOMMAREA".to_owned(),
                division,
            );
        }
        // After declaratives only a section may come.
        let start = if unit.declaratives_end.is_some() {
            "DFHEI-START SECTION. "
        } else {
            ""
        };
        let at = self.tokens[first.min(self.tokens.len()) - 1].place;
        let file = u8::try_from(at.file).unwrap_or(u8::MAX);
        let text = format!("{start}{}", needs.first_statements(at.line, file));
        self.edits.insert_first(first, text, at);
    }

    fn write(&mut self) -> Vec<u8> {
        let mut writer = Writer::new(&self.files);
        for (at, token) in self.tokens.iter().enumerate() {
            if let Some(list) = self.edits.before.get(&at) {
                for (text, place) in list {
                    writer.generated(text, *place);
                }
            }
            if self.edits.dropped.contains(&at) {
                continue;
            }
            writer.token(token);
        }
        if let Some(list) = self.edits.before.get(&self.tokens.len()) {
            for (text, place) in list {
                writer.generated(text, *place);
            }
        }
        writer.finish()
    }
}
