//! JSON GENERATE, JSON PARSE, XML GENERATE and XML PARSE.
//!
//! GnuCOBOL has no JSON library here, generates XML otherwise and parses
//! neither. Each statement becomes a CALL of the run time's entry with a
//! descriptor in WORKING-STORAGE, and an IF on JSON-CODE or XML-CODE for its
//! exception phrases. XML PARSE becomes a loop that PERFORMs the processing
//! procedure for each event. GnuCOBOL has the registers JSON-CODE and XML-CODE.
//! The others are items that are declared in the outermost program; their names
//! replace those of the registers.
//! Reference: Enterprise COBOL Language Reference, "Special registers", and the
//! four statements.

mod clauses;
mod describe;
mod records;

use runtime::markup::ENTRY;
use runtime::markup::descriptor::{Statement, Verb};

use crate::argument::literal_bytes;
use crate::diagnostic::DiagnosticKind as Finding;
use crate::outline::ProgramUnit;
use crate::phrases::extent;
use crate::token::{Token, TokenKind};
use crate::translate::TranslationState;
use crate::writer::inline;

use clauses::{IdentifierTokens, MarkupProblem, StatementClauses, name_of};
pub(crate) use clauses::{clauses_end, verb_at};
use records::{LaidOutRecords, names_of};

/// Declarations for the statements of a file.
pub(crate) struct MarkupNeeds {
    /// The declarations of each unit.
    pub storage: Vec<String>,
    /// Bytes of the longest document of an XML PARSE in each outermost unit;
    /// `None` without a statement.
    documents: Vec<Option<u32>>,
    records: Vec<Option<LaidOutRecords>>,
    statements: usize,
}

impl MarkupNeeds {
    pub(crate) fn new(units: usize) -> MarkupNeeds {
        MarkupNeeds {
            storage: vec![String::new(); units],
            documents: vec![None; units],
            records: (0..units).map(|_| None).collect(),
            statements: 0,
        }
    }

    fn records(&mut self, tokens: &[Token], units: &[ProgramUnit], unit: usize) -> &LaidOutRecords {
        self.records[unit].get_or_insert_with(|| LaidOutRecords::of(tokens, &units[unit]))
    }
}

/// The special registers that GnuCOBOL does not have, and the items that replace
/// them.
const REGISTERS: &[(&str, &str)] = &[
    ("JSON-STATUS", "DFHJSS"),
    ("XML-EVENT", "DFHXEV"),
    ("XML-INFORMATION", "DFHXIN"),
    ("XML-NAMESPACE", "DFHXNS"),
    ("XML-NAMESPACE-PREFIX", "DFHXPX"),
    ("XML-TEXT", "DFHXTX"),
];

/// Registers of national documents, which are not parsed.
const NATIONAL: &[&str] = &["XML-NTEXT", "XML-NNAMESPACE", "XML-NNAMESPACE-PREFIX"];

/// Registers whose length changes.
const TEXTS: &[&str] = &["XML-TEXT", "XML-NAMESPACE", "XML-NAMESPACE-PREFIX"];

/// Most bytes of a namespace and of a prefix.
const MOST_NAMESPACE: u32 = 32_768;
const MOST_PREFIX: u32 = 4_096;

/// The outermost program that a unit is in.
fn outermost(units: &[ProgramUnit], unit: usize) -> usize {
    let mut at = unit;
    while let Some(parent) = units[at].parent {
        at = parent;
    }
    at
}

impl TranslationState {
    /// Rewrites the statement at an index of a unit.
    pub(crate) fn markup_statement(
        &mut self,
        at: usize,
        unit: usize,
        units: &[ProgramUnit],
        needs: &mut MarkupNeeds,
    ) {
        let Some(mut clauses) = clauses::read(&self.tokens, at) else {
            return;
        };
        let mut problems = std::mem::take(&mut clauses.problems);
        let root = outermost(units, unit);
        let documents = needs.documents[root].get_or_insert(0);
        let mut longest = *documents;
        let statement = if problems.is_empty() {
            self.statement(&clauses, unit, units, needs, &mut longest, &mut problems)
        } else {
            None
        };
        needs.documents[root] = Some(longest);
        for problem in problems {
            let kind = problem
                .unsupported
                .map_or(Finding::Source, Finding::Unsupported);
            self.say(problem.place, kind, problem.message, Some(problem.help));
        }
        let verb = match clauses.verb {
            Verb::JsonGenerate | Verb::JsonParse => "JSON",
            Verb::XmlGenerate | Verb::XmlParse => "XML",
        };
        let Some(found) = extent(&self.tokens, verb, clauses.end, units[unit].end) else {
            return;
        };
        let place = self.tokens[at].place;
        let text = statement.unwrap_or_else(|| "CONTINUE".to_owned());
        self.edits.insert(at, text, place);
        self.edits.dropped.extend(at..clauses.end);
        let code = if verb == "JSON" {
            "JSON-CODE"
        } else {
            "XML-CODE"
        };
        let relation = match found.phrases.first() {
            Some(first) if first.is_not => "=",
            _ => "NOT =",
        };
        self.rewrite_phrases(&found, format!("IF {code} {relation} 0"));
    }

    /// The statements that replace it; its descriptor is added to the unit's storage.
    fn statement(
        &self,
        clauses: &StatementClauses,
        unit: usize,
        units: &[ProgramUnit],
        needs: &mut MarkupNeeds,
        longest: &mut u32,
        problems: &mut Vec<MarkupProblem>,
    ) -> Option<String> {
        let text = inline(&self.tokens[clauses.text.clone()]);
        self.text_item(clauses, unit, units, needs, longest, problems);
        needs.statements += 1;
        let name = format!("DFHXD{}", needs.statements);
        if clauses.verb == Verb::XmlParse {
            let mut statement = Statement::new(Verb::XmlParse, Vec::new());
            statement.is_utf8 = describe::encoding(&self.tokens, clauses, problems);
            needs.storage[unit].push_str(&declaration(&name, &statement.emit()));
            let procedure = inline(&self.tokens[clauses.procedure.clone()?]);
            return problems
                .is_empty()
                .then(|| xml_parse(&name, &text, &procedure));
        }
        // An item of a program around this one is GLOBAL.
        let wanted = names_of(&self.tokens[clauses.record.clone()?]);
        let mut owner = unit;
        while needs
            .records(&self.tokens, units, owner)
            .find(&wanted)
            .is_none()
        {
            match units[owner].parent {
                Some(parent) => owner = parent,
                None => break,
            }
        }
        let records = needs.records(&self.tokens, units, owner);
        let described = describe::describe(&self.tokens, clauses, records, problems)?;
        let mut statement = described.statement;
        let operand = |operand: &Option<IdentifierTokens>, literal: &mut Vec<u8>| match operand {
            Some(at) if self.tokens[at.start].kind == TokenKind::Literal => {
                *literal = literal_bytes(&self.tokens[at.start].text);
                "OMITTED".to_owned()
            }
            Some(at) => inline(&self.tokens[at.clone()]),
            None => "OMITTED".to_owned(),
        };
        let namespace = operand(&clauses.namespace, &mut statement.namespace);
        let prefix = operand(&clauses.prefix, &mut statement.prefix);
        let count = match clauses.verb {
            Verb::JsonParse => "DFHJSS".to_owned(),
            _ => operand(&clauses.count, &mut Vec::new()),
        };
        let code = match clauses.verb {
            Verb::XmlGenerate => "XML-CODE",
            _ => "JSON-CODE",
        };
        needs.storage[unit].push_str(&declaration(&name, &statement.emit()));
        let record = inline(&self.tokens[clauses.record.clone()?]);
        let mut call = format!(
            "CALL \"{ENTRY}\" USING {name} {text} {record} {code} {count} {namespace} {prefix}"
        );
        for counter in &described.counters {
            call.push(' ');
            call.push_str(counter);
        }
        call.push_str(" END-CALL");
        problems.is_empty().then_some(call)
    }

    /// Looks at the item that has the text: national ones are not done, and the
    /// length of a document is that of the registers.
    fn text_item(
        &self,
        clauses: &StatementClauses,
        unit: usize,
        units: &[ProgramUnit],
        needs: &mut MarkupNeeds,
        longest: &mut u32,
        problems: &mut Vec<MarkupProblem>,
    ) {
        let names = names_of(&self.tokens[clauses.text.clone()]);
        let place = self.tokens[clauses.text.start].place;
        let name = name_of(clauses.verb);
        let mut at = Some(unit);
        while let Some(unit) = at {
            if let Some(item) = needs.records(&self.tokens, units, unit).find(&names) {
                if item.field().kind == copybook::FieldKind::National {
                    problems.push(MarkupProblem {
                        place,
                        unsupported: Some(format!("{name} with national text")),
                        message: format!("{name} with national text is not supported"),
                        help: format!("describe {} as PIC X", names.join(" OF ")),
                    });
                }
                *longest = (*longest).max(item.field().length);
                return;
            }
            at = units[unit].parent;
        }
        if clauses.verb == Verb::XmlParse {
            problems.push(MarkupProblem {
                place,
                unsupported: None,
                message: format!("{name}: {} is not one data item", names.join(" OF ")),
                help: "name an item of this program, with its qualifiers".to_owned(),
            });
        }
    }

    /// Puts the items in the places of the special registers and declares them.
    pub(crate) fn markup_registers(&mut self, units: &[ProgramUnit], needs: &mut MarkupNeeds) {
        for (root, unit) in units.iter().enumerate() {
            let Some(longest) = needs.documents[root] else {
                continue;
            };
            let mut national = Vec::new();
            for at in unit.start..unit.end.min(self.tokens.len()) {
                if self.tokens[at].kind != TokenKind::Word {
                    continue;
                }
                if self.tokens[at].is_any(NATIONAL) {
                    national.push((self.tokens[at].place, self.tokens[at].upper()));
                }
                let upper = self.tokens[at].upper();
                let Some((_, item)) = REGISTERS.iter().find(|(name, _)| *name == upper) else {
                    continue;
                };
                // The items of changing length are groups, whose MOVE to a
                // number would not convert.
                let is_moved = at > 0 && self.tokens[at - 1].is("MOVE");
                let is_part = self.tokens.get(at + 1).is_some_and(|t| t.is_mark('('));
                self.tokens[at].text = if TEXTS.contains(&&*upper) && is_moved && !is_part {
                    format!("FUNCTION CONCATENATE({item})")
                } else {
                    (*item).to_owned()
                };
            }
            for (place, name) in national {
                let message = format!("{name} is not supported");
                let help = "XML-TEXT, XML-NAMESPACE and XML-NAMESPACE-PREFIX have the text";
                let kind = Finding::Unsupported(name);
                self.say(place, kind, message, Some(help.to_owned()));
            }
            needs.storage[root].push_str(&registers(longest));
        }
    }
}

/// The items of the registers.
fn registers(longest: u32) -> String {
    let mut text = String::new();
    for name in ["DFHJSS", "DFHXIN"] {
        text.push_str(&format!(" 01 {name} GLOBAL PIC S9(9) BINARY VALUE 0."));
    }
    text.push_str(" 01 DFHXEV GLOBAL PIC X(30) VALUE SPACE.");
    text.push_str(" 01 DFHXST GLOBAL PIC S9(9) COMP-5 VALUE 0.");
    for (item, length, most) in lengths(longest) {
        text.push_str(&format!(
            " 01 {length}M GLOBAL PIC S9(9) COMP-5 VALUE {most}. 01 {length} GLOBAL PIC S9(9) \
             COMP-5 VALUE 0. 01 {item} GLOBAL. 02 FILLER PIC X OCCURS 0 TO {most} DEPENDING ON \
             {length}."
        ));
    }
    text
}

/// The texts of an event, their lengths, and their most bytes.
fn lengths(longest: u32) -> [(&'static str, &'static str, u32); 3] {
    // A table needs more than one element.
    let most = longest.max(2);
    [
        ("DFHXTX", "DFHXTL", most),
        ("DFHXNS", "DFHXNL", most.min(MOST_NAMESPACE)),
        ("DFHXPX", "DFHXPL", most.min(MOST_PREFIX)),
    ]
}

/// XML PARSE: the next event, until the document ends.
fn xml_parse(descriptor: &str, document: &str, procedure: &str) -> String {
    // The texts are passed at their greatest lengths.
    let next = format!(
        "MOVE DFHXTLM TO DFHXTL MOVE DFHXNLM TO DFHXNL MOVE DFHXPLM TO DFHXPL CALL \"{ENTRY}\" USING {descriptor} {document} DFHXST XML-CODE DFHXEV DFHXIN DFHXTL DFHXTX \
         DFHXNL DFHXNS DFHXPL DFHXPX END-CALL"
    );
    format!(
        "MOVE 0 TO DFHXST {next} PERFORM UNTIL DFHXST = 0 PERFORM {procedure} {next} END-PERFORM"
    )
}

/// A constant in WORKING-STORAGE, in literals that the compiler takes.
pub(crate) fn declaration(name: &str, bytes: &[u8]) -> String {
    const LONGEST: usize = 72;
    let mut text = format!(" 01 {name}.");
    for part in bytes.chunks(LONGEST) {
        let is_plain = part.iter().all(|b| (b' '..0x7F).contains(b) && *b != b'"');
        let literal = if is_plain {
            format!("\"{}\"", String::from_utf8_lossy(part))
        } else {
            let digits = base::hex::upper(part);
            format!("X\"{digits}\"")
        };
        text.push_str(&format!(
            " 02 FILLER PIC X({}) VALUE {literal}.",
            part.len()
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::copy::CopyLibrary;
    use crate::translate::{TranslatedSource, translate};
    use copybook::ReferenceFormat;

    const RECORD: &str = "01 B PIC X(80). 01 N PIC 9(4). 01 G. 02 A-b PIC X. 02 T PIC 9 OCCURS 0 \
                          TO 3 DEPENDING ON N OF C. 01 C. 02 N PIC 9.";

    fn translated(statements: &str) -> TranslatedSource {
        let program = format!(
            "IDENTIFICATION DIVISION. PROGRAM-ID. P. DATA DIVISION. WORKING-STORAGE SECTION. \
             {RECORD} PROCEDURE DIVISION. {statements} GOBACK. Q. EXIT.\n"
        );
        let (path, library) = (Path::new("P.cbl"), CopyLibrary::default());
        translate(path, program.as_bytes(), ReferenceFormat::Free, &library)
    }

    /// The translated statements.
    fn rewritten(statements: &str) -> String {
        let done = translated(statements);
        assert_eq!(done.diagnostics, []);
        let text = String::from_utf8(done.text).expect("text");
        let body = text.split("PROCEDURE DIVISION.").nth(1).expect("a body");
        let body = body.trim().trim_end_matches("GOBACK. Q. EXIT.");
        body.trim().to_owned()
    }

    #[test]
    fn a_statement_becomes_a_call_and_a_test_of_its_code() {
        assert_eq!(
            rewritten(
                "JSON GENERATE B FROM G COUNT N OF C ON EXCEPTION DISPLAY 'E' NOT ON EXCEPTION \
                 DISPLAY 'N' END-JSON"
            ),
            "CALL \"DFHEI3\" USING DFHXD1 B G JSON-CODE N OF C OMITTED OMITTED N OF C END-CALL IF \
             JSON-CODE NOT = 0 DISPLAY 'E' ELSE DISPLAY 'N' END-IF"
        );
        assert_eq!(
            rewritten(
                "IF N OF C = 1 XML GENERATE B FROM G NOT EXCEPTION DISPLAY 'N' ELSE STOP RUN."
            ),
            "IF N OF C = 1 CALL \"DFHEI3\" USING DFHXD1 B G XML-CODE OMITTED OMITTED OMITTED N OF C \
             END-CALL IF XML-CODE = 0 DISPLAY 'N' END-IF ELSE STOP RUN."
        );
        assert_eq!(
            rewritten("JSON PARSE B INTO G END-JSON DISPLAY JSON-CODE JSON-STATUS."),
            "CALL \"DFHEI3\" USING DFHXD1 B G JSON-CODE DFHJSS OMITTED OMITTED N OF C END-CALL DISPLAY \
             JSON-CODE DFHJSS."
        );
    }

    #[test]
    fn xml_parse_becomes_a_loop_over_its_procedure() {
        let text =
            rewritten("XML PARSE B PROCESSING PROCEDURE IS Q THRU Q MOVE XML-TEXT TO N OF C.");
        let looped = "PERFORM UNTIL DFHXST = 0 PERFORM Q THRU Q MOVE";
        assert!(
            text.starts_with("MOVE 0 TO DFHXST MOVE") && text.contains(looped),
            "{text}"
        );
        assert!(text.ends_with("END-PERFORM MOVE FUNCTION CONCATENATE(DFHXTX) TO N OF C."));
    }

    #[test]
    fn a_when_of_suppress_belongs_to_the_statement_and_another_ends_it() {
        let text = rewritten(
            "EVALUATE N OF C WHEN 1 JSON GENERATE B FROM G SUPPRESS T WHEN ZERO OR SPACES A-B \
             WHEN LOW-VALUES EXCEPTION CONTINUE WHEN 2 STOP RUN END-EVALUATE",
        );
        assert!(
            text.ends_with("IF JSON-CODE NOT = 0 CONTINUE END-IF WHEN 2 STOP RUN END-EVALUATE")
        );
    }

    #[test]
    fn statements_in_phrases_of_others_end_themselves() {
        let text = rewritten(
            "JSON GENERATE B FROM G EXCEPTION XML GENERATE B FROM G EXCEPTION DISPLAY 'X' \
             NOT EXCEPTION CALL 'P' EXCEPTION DISPLAY 'C' END-CALL END-XML NOT EXCEPTION CONTINUE.",
        );
        assert!(text.ends_with(
            "DISPLAY 'X' ELSE CALL 'P' EXCEPTION DISPLAY 'C' END-CALL END-IF ELSE CONTINUE END-IF."
        ), "{text}");
    }

    #[test]
    fn problems_have_the_place_of_their_words() {
        for (statement, message, column) in [
            ("JSON PARSE B.", "has no INTO", 0),
            ("XML PARSE B.", "has no PROCESSING PROCEDURE", 0),
            ("JSON GENERATE B FROM N.", "N is not one data item", 21),
            (
                "JSON GENERATE B FROM G NAME OF X IS 'x'.",
                "X is not one item of G",
                31,
            ),
            (
                "XML PARSE B VALIDATING FILE X PROCESSING Q.",
                "VALIDATING is not supported",
                12,
            ),
            (
                "JSON GENERATE B FROM G INDICATING T IS JSON NULL.",
                "INDICATING is not",
                23,
            ),
        ] {
            let done = translated(&format!("\n{statement}"));
            let first = done.diagnostics.first().expect(statement);
            assert!(
                first.message.contains(message),
                "{statement}: {}",
                first.message
            );
            assert_eq!((first.line, first.column), (2, column + 1), "{statement}");
            assert!(first.help.is_some());
        }
    }
}
