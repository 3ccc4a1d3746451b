//! The phrases of a JSON or XML statement before ON EXCEPTION.
//!
//! [`super::describe`] decides the statement's effect on its items.
//! Phrases that are known and not done are reported here.
//! Reference: Enterprise COBOL Language Reference, "JSON GENERATE statement",
//! "JSON PARSE statement", "XML GENERATE statement", "XML PARSE statement".

use std::ops::Range;

use runtime::markup::descriptor::{FigurativeSet, Verb, XmlForm};

use crate::source::SourcePlace;
use crate::token::{Token, TokenKind};

/// Tokens of an identifier with its qualifiers, subscripts and part.
pub(super) type IdentifierTokens = Range<usize>;

/// Something wrong with a statement.
#[derive(Debug, Clone)]
pub(crate) struct MarkupProblem {
    pub place: SourcePlace,
    /// The phrase, if it is one that is not done.
    pub unsupported: Option<String>,
    pub message: String,
    pub help: String,
}

/// The subject of SUPPRESS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SuppressTarget {
    Item(IdentifierTokens),
    /// EVERY: whether numeric, and the form in XML.
    Every(Option<bool>, Option<XmlForm>),
}

/// CONVERTING of one item.
#[derive(Debug, Clone)]
pub(super) struct ConvertingClause {
    pub item: IdentifierTokens,
    pub is_null: bool,
    /// A condition name or literal for true, and one for false.
    pub values: Vec<Range<usize>>,
}

/// A statement up to its exception phrases.
#[derive(Debug)]
pub(super) struct StatementClauses {
    pub verb: Verb,
    /// Index after the last token of a phrase.
    pub end: usize,
    /// The receiver of a GENERATE, the text of a PARSE.
    pub text: IdentifierTokens,
    /// FROM or INTO.
    pub record: Option<IdentifierTokens>,
    pub count: Option<IdentifierTokens>,
    pub encoding: Option<usize>,
    pub has_declaration: bool,
    pub has_attributes: bool,
    pub namespace: Option<IdentifierTokens>,
    pub prefix: Option<IdentifierTokens>,
    /// NAME OF; `None` for OMITTED.
    pub names: Vec<(IdentifierTokens, Option<usize>)>,
    pub types: Vec<(IdentifierTokens, XmlForm)>,
    pub suppressed: Vec<(SuppressTarget, Option<FigurativeSet>)>,
    pub converting: Vec<ConvertingClause>,
    /// PROCESSING PROCEDURE with THRU.
    pub procedure: Option<Range<usize>>,
    pub problems: Vec<MarkupProblem>,
}

/// The kind of the statement that begins at an index.
pub(crate) fn verb_at(tokens: &[Token], at: usize) -> Option<Verb> {
    let (first, second) = (tokens.get(at)?, tokens.get(at + 1)?);
    const VERBS: &[(&str, &str, Verb)] = &[
        ("JSON", "GENERATE", Verb::JsonGenerate),
        ("JSON", "PARSE", Verb::JsonParse),
        ("XML", "GENERATE", Verb::XmlGenerate),
        ("XML", "PARSE", Verb::XmlParse),
    ];
    let found = VERBS.iter().find(|(a, b, _)| first.is(a) && second.is(b));
    found.map(|(_, _, verb)| *verb)
}

/// The name of a statement.
pub(super) fn name_of(verb: Verb) -> &'static str {
    match verb {
        Verb::JsonGenerate => "JSON GENERATE",
        Verb::JsonParse => "JSON PARSE",
        Verb::XmlGenerate => "XML GENERATE",
        Verb::XmlParse => "XML PARSE",
    }
}

/// The index after the phrases of the statement at an index.
pub(crate) fn clauses_end(tokens: &[Token], at: usize) -> usize {
    read(tokens, at).map_or(at + 1, |clauses| clauses.end)
}

/// Reads the statement at an index.
pub(super) fn read(tokens: &[Token], at: usize) -> Option<StatementClauses> {
    let verb = verb_at(tokens, at)?;
    let mut reader = ClauseReader {
        tokens,
        at: at + 2,
        clauses: StatementClauses {
            verb,
            end: at + 2,
            text: at + 2..at + 2,
            record: None,
            count: None,
            encoding: None,
            has_declaration: false,
            has_attributes: false,
            namespace: None,
            prefix: None,
            names: Vec::new(),
            types: Vec::new(),
            suppressed: Vec::new(),
            converting: Vec::new(),
            procedure: None,
            problems: Vec::new(),
        },
    };
    reader.statement(at);
    reader.clauses.end = reader.at;
    Some(reader.clauses)
}

struct ClauseReader<'a> {
    tokens: &'a [Token],
    at: usize,
    clauses: StatementClauses,
}

/// Words that begin a phrase, so that they are not identifiers in a list.
const PHRASES: &[&str] = &[
    "FROM",
    "INTO",
    "COUNT",
    "WITH",
    "ENCODING",
    "XML-DECLARATION",
    "ATTRIBUTES",
    "NAMESPACE",
    "NAMESPACE-PREFIX",
    "NAME",
    "TYPE",
    "SUPPRESS",
    "CONVERTING",
    "ON",
    "NOT",
    "EXCEPTION",
    "END-JSON",
    "END-XML",
    "PROCESSING",
    "RETURNING",
    "VALIDATING",
    "DETAIL",
    "INDICATING",
    "IGNORING",
    "ALSO",
    "ELSE",
    "WHEN",
    "EVERY",
];

impl ClauseReader<'_> {
    fn statement(&mut self, start: usize) {
        let Some(text) = self.identifier() else {
            self.wrong(start, "needs a data item after its verb");
            return;
        };
        self.clauses.text = text;
        while self.phrase() {}
        let (verb, needed) = match self.clauses.verb {
            Verb::XmlParse => (Verb::XmlParse, self.clauses.procedure.is_none()),
            verb => (verb, self.clauses.record.is_none()),
        };
        if needed {
            let what = match verb {
                Verb::XmlParse => "has no PROCESSING PROCEDURE",
                Verb::JsonParse => "has no INTO",
                _ => "has no FROM",
            };
            self.wrong(start, what);
        }
    }

    fn is(&self, ahead: usize, words: &[&str]) -> bool {
        let token = self.tokens.get(self.at + ahead);
        token.is_some_and(|t| t.is_any(words))
    }

    fn accept(&mut self, word: &str) -> bool {
        let found = self.is(0, &[word]);
        self.at += usize::from(found);
        found
    }

    fn wrong(&mut self, at: usize, what: &str) {
        let name = name_of(self.clauses.verb);
        let place = self.tokens[at.min(self.tokens.len() - 1)].place;
        self.clauses.problems.push(MarkupProblem {
            place,
            unsupported: None,
            message: format!("{name} {what}"),
            help: "see the statement in Enterprise COBOL's Language Reference".to_owned(),
        });
    }

    fn unsupported(&mut self, at: usize, phrase: &str, help: &str) {
        let name = name_of(self.clauses.verb);
        let place = self.tokens[at.min(self.tokens.len() - 1)].place;
        self.clauses.problems.push(MarkupProblem {
            place,
            unsupported: Some(format!("{name} with {phrase}")),
            message: format!("{name} with {phrase} is not supported"),
            help: help.to_owned(),
        });
    }

    /// Whether the next word is a data name.
    fn is_name(&self) -> bool {
        let Some(token) = self.tokens.get(self.at) else {
            return false;
        };
        token.kind == TokenKind::Word
            && token
                .text
                .bytes()
                .any(|b| b.is_ascii_alphabetic() || b >= 0x80)
            && !token.is_any(PHRASES)
            && !token.is_any(cics::cobol::VERBS)
            && !token.upper().starts_with("END-")
    }

    fn identifier(&mut self) -> Option<IdentifierTokens> {
        if !self.is_name() {
            return None;
        }
        let start = self.at;
        self.at += 1;
        while self.is(0, &["OF", "IN"]) {
            self.at += 2;
        }
        while self.tokens.get(self.at).is_some_and(|t| t.is_mark('(')) {
            let mut depth = 0;
            while let Some(token) = self.tokens.get(self.at) {
                depth += i32::from(token.is_mark('(')) - i32::from(token.is_mark(')'));
                self.at += 1;
                if depth == 0 {
                    break;
                }
            }
        }
        Some(start..self.at.min(self.tokens.len()))
    }

    fn literal(&mut self) -> Option<usize> {
        let token = self.tokens.get(self.at)?;
        (token.kind == TokenKind::Literal).then(|| {
            self.at += 1;
            self.at - 1
        })
    }

    /// An identifier or a literal.
    fn operand(&mut self) -> Option<IdentifierTokens> {
        match self.literal() {
            Some(at) => Some(at..at + 1),
            None => self.identifier(),
        }
    }

    /// Reads a phrase; false if none begins here.
    fn phrase(&mut self) -> bool {
        let start = self.at;
        let is_parse = matches!(self.clauses.verb, Verb::JsonParse | Verb::XmlParse);
        if self.accept("FROM") || self.accept("INTO") {
            self.clauses.record = self.identifier();
        } else if self.accept("COUNT") {
            self.accept("IN");
            self.clauses.count = self.identifier();
        } else if self.is(0, &["WITH"])
            && self.is(1, &["ENCODING", "XML-DECLARATION", "ATTRIBUTES", "DETAIL"])
            || self.is(0, &["ENCODING", "XML-DECLARATION", "ATTRIBUTES", "DETAIL"])
        {
            self.accept("WITH");
            self.with_phrase(start);
        } else if self.accept("NAMESPACE") {
            self.accept("IS");
            self.clauses.namespace = self.operand();
        } else if self.accept("NAMESPACE-PREFIX") {
            self.accept("IS");
            self.clauses.prefix = self.operand();
        } else if self.accept("NAME") {
            self.accept("OF");
            self.names();
        } else if self.accept("TYPE") {
            self.accept("OF");
            self.types();
        } else if self.accept("SUPPRESS") {
            self.suppress(is_parse);
        } else if self.accept("CONVERTING") {
            self.converting();
        } else if self.accept("PROCESSING") {
            self.accept("PROCEDURE");
            self.accept("IS");
            self.procedure();
        } else if self.accept("RETURNING") {
            self.accept("NATIONAL");
            self.unsupported(
                start,
                "RETURNING NATIONAL",
                "leave it out: XML-TEXT has the text in the region's code page",
            );
        } else if self.accept("VALIDATING") {
            self.accept("WITH");
            self.accept("FILE");
            self.operand();
            self.unsupported(
                start,
                "VALIDATING",
                "leave it out: documents are parsed without a schema",
            );
        } else if self.is(0, &["INDICATING", "IGNORING"]) {
            let phrase = self.tokens[start].upper();
            self.unsupported(
                start,
                &phrase,
                "use CONVERTING, or test the items in the program",
            );
            // The rest belongs to it.
            while self.at < self.tokens.len() && !self.is_statement_end() {
                self.at += 1;
            }
        } else {
            return false;
        }
        self.at > start
    }

    fn is_statement_end(&self) -> bool {
        crate::outline::is_period(self.tokens, self.at)
            || self.is(0, &["ON", "NOT", "EXCEPTION", "END-JSON", "END-XML"])
            || self.is(0, cics::cobol::VERBS)
    }

    fn with_phrase(&mut self, start: usize) {
        if self.accept("XML-DECLARATION") {
            self.clauses.has_declaration = true;
        } else if self.accept("ATTRIBUTES") {
            self.clauses.has_attributes = true;
        } else if self.accept("DETAIL") {
            // Its messages say what JSON-CODE and JSON-STATUS say.
        } else if self.accept("ENCODING") {
            let is_number = |t: &Token| t.text.bytes().all(|b| b.is_ascii_digit());
            if self.tokens.get(self.at).is_some_and(is_number) {
                self.clauses.encoding = Some(self.at);
                self.at += 1;
            } else {
                self.operand();
                self.unsupported(
                    start,
                    "ENCODING by a data item",
                    "name the code page as a number: 1208 for UTF-8, 819 for ISO-8859-1",
                );
            }
        }
    }

    fn names(&mut self) {
        while let Some(item) = self.identifier() {
            self.accept("IS");
            let at = self.at;
            let literal = self.literal();
            if literal.is_none() && !self.accept("OMITTED") {
                self.wrong(at, "has a NAME OF without a literal");
                return;
            }
            self.clauses.names.push((item, literal));
        }
    }

    fn form(&mut self) -> Option<XmlForm> {
        let forms = [
            ("ATTRIBUTE", XmlForm::Attribute),
            ("ELEMENT", XmlForm::Element),
            ("CONTENT", XmlForm::Content),
        ];
        let found = forms.iter().find(|(word, _)| self.is(0, &[word]))?;
        self.at += 1;
        Some(found.1)
    }

    fn types(&mut self) {
        while let Some(item) = self.identifier() {
            self.accept("IS");
            let at = self.at;
            let Some(form) = self.form() else {
                self.wrong(
                    at,
                    "has a TYPE OF that is not ATTRIBUTE, ELEMENT or CONTENT",
                );
                return;
            };
            self.clauses.types.push((item, form));
        }
    }

    fn suppress(&mut self, is_parse: bool) {
        loop {
            let what = if self.accept("EVERY") {
                let is_numeric = if self.accept("NUMERIC") {
                    Some(true)
                } else if self.accept("NONNUMERIC") {
                    Some(false)
                } else {
                    None
                };
                SuppressTarget::Every(is_numeric, self.form())
            } else if let Some(item) = self.identifier() {
                SuppressTarget::Item(item)
            } else if self.is_figurative_when() && !is_parse {
                SuppressTarget::Every(None, None)
            } else {
                return;
            };
            let when = self.when();
            let needs_when = matches!(what, SuppressTarget::Every(..));
            if needs_when && when.is_none() {
                self.wrong(self.at, "has a SUPPRESS EVERY without WHEN");
            }
            self.clauses.suppressed.push((what, when));
        }
    }

    fn is_figurative_when(&self) -> bool {
        self.is(0, &["WHEN"])
            && self
                .tokens
                .get(self.at + 1)
                .is_some_and(|t| figurative(t).is_some())
    }

    fn when(&mut self) -> Option<FigurativeSet> {
        if !self.is_figurative_when() {
            return None;
        }
        self.at += 1;
        let mut found = 0;
        while let Some(bit) = self.tokens.get(self.at).and_then(figurative) {
            found |= bit;
            self.at += 1;
            let next = self.tokens.get(self.at + 1).and_then(figurative);
            self.at += usize::from(self.is(0, &["OR"]) && next.is_some());
        }
        Some(FigurativeSet(found))
    }

    fn converting(&mut self) {
        loop {
            let start = self.at;
            let Some(item) = self.identifier() else {
                return;
            };
            if !self.accept("TO") {
                self.accept("FROM");
            }
            self.accept("JSON");
            let is_null = self.accept("NULL");
            if !is_null && !self.accept("BOOLEAN") && !self.accept("BOOL") {
                self.wrong(start, "has a CONVERTING that is neither BOOLEAN nor NULL");
                return;
            }
            self.accept("USING");
            let mut values = Vec::new();
            loop {
                let at = self.at;
                let is_figurative = self.tokens.get(at).and_then(figurative).is_some();
                if is_null && is_figurative {
                    self.at += 1;
                    values.push(at..self.at);
                } else if let Some(value) = self.operand() {
                    values.push(value);
                }
                if !self.accept("AND") {
                    break;
                }
            }
            self.clauses.converting.push(ConvertingClause {
                item,
                is_null,
                values,
            });
            if !self.accept("ALSO") {
                return;
            }
        }
    }

    fn procedure(&mut self) {
        let start = self.at;
        self.label();
        if self.is(0, &["THRU", "THROUGH"]) {
            self.at += 1;
            self.label();
        }
        if self.at > start {
            self.clauses.procedure = Some(start..self.at);
        }
    }

    fn label(&mut self) {
        if self
            .tokens
            .get(self.at)
            .is_some_and(|t| t.kind == TokenKind::Word)
        {
            self.at += 1;
        }
        while self.is(0, &["OF", "IN"]) {
            self.at += 2;
        }
        self.at = self.at.min(self.tokens.len());
    }
}

/// The bit of a figurative constant.
pub(super) fn figurative(token: &Token) -> Option<u8> {
    const WORDS: &[(&[&str], u8)] = &[
        (&["ZERO", "ZEROS", "ZEROES"], FigurativeSet::ZERO),
        (&["SPACE", "SPACES"], FigurativeSet::SPACE),
        (&["LOW-VALUE", "LOW-VALUES"], FigurativeSet::LOW),
        (&["HIGH-VALUE", "HIGH-VALUES"], FigurativeSet::HIGH),
    ];
    let found = WORDS.iter().find(|(words, _)| token.is_any(words));
    found.map(|(_, bit)| *bit)
}
