//! The extent of a statement with phrases such as ON EXCEPTION, and the
//! rewriting of CALL statements that have both ON EXCEPTION and NOT ON
//! EXCEPTION. JSON and XML statements are rewritten by [`crate::markup`].
//!
//! GnuCOBOL 3.1 runs both phrases of such a CALL when the program is missing,
//! and none when it exists; one phrase alone is right. So the statement
//! becomes a CALL with one phrase that sets a flag, and an IF on that flag.
//!
//! A statement may end without END-CALL: at a period, or where a word belongs
//! to a statement around it. The scan below keeps a stack of the statements
//! that are open, as the compiler's parser does.
//! Reference: Enterprise COBOL Language Reference, "Delimited scope statements".

use crate::markup::{self, MarkupNeeds};
use crate::outline::{ProgramUnit, is_period, skip_exec};
use crate::token::{Token, TokenKind};
use crate::translate::TranslationState;

/// The flag: 1 when the CALL raised an exception.
const FLAG: &str = "DFHEIXC";

/// Verbs that begin a statement.
const VERBS: &[&str] = &[
    "ACCEPT",
    "ADD",
    "ALLOCATE",
    "ALTER",
    "CALL",
    "CANCEL",
    "CLOSE",
    "COMPUTE",
    "CONTINUE",
    "DELETE",
    "DISPLAY",
    "DIVIDE",
    "ENTRY",
    "EVALUATE",
    "EXIT",
    "FREE",
    "GENERATE",
    "GO",
    "GOBACK",
    "IF",
    "INITIALIZE",
    "INITIATE",
    "INSPECT",
    "INVOKE",
    "JSON",
    "MERGE",
    "MOVE",
    "MULTIPLY",
    "NEXT",
    "OPEN",
    "PERFORM",
    "READ",
    "RELEASE",
    "RETURN",
    "REWRITE",
    "SEARCH",
    "SET",
    "SORT",
    "START",
    "STOP",
    "STRING",
    "SUBTRACT",
    "TERMINATE",
    "UNSTRING",
    "WRITE",
    "XML",
];

/// A phrase, and the verbs that take it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConditionalPhrase {
    Exception,
    Overflow,
    SizeError,
    AtEnd,
    InvalidKey,
    EndOfPage,
}

impl ConditionalPhrase {
    fn verbs(self) -> &'static [&'static str] {
        match self {
            ConditionalPhrase::Exception => &["CALL", "XML", "JSON", "INVOKE"],
            ConditionalPhrase::Overflow => &["STRING", "UNSTRING", "CALL"],
            ConditionalPhrase::SizeError => &["ADD", "SUBTRACT", "MULTIPLY", "DIVIDE", "COMPUTE"],
            ConditionalPhrase::AtEnd => &["READ", "RETURN", "SEARCH"],
            ConditionalPhrase::InvalidKey => &["READ", "WRITE", "REWRITE", "DELETE", "START"],
            ConditionalPhrase::EndOfPage => &["WRITE"],
        }
    }
}

/// A phrase in the text: its first token, and the first one of its statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PhraseStart {
    phrase: ConditionalPhrase,
    pub(crate) is_not: bool,
    pub(crate) start: usize,
    pub(crate) body: usize,
}

/// A statement that is open.
#[derive(Debug, Clone)]
struct OpenStatement {
    verb: String,
    /// Whether statements that follow belong to it.
    holds_statements: bool,
    has_else: bool,
    phrases: Vec<PhraseStart>,
}

impl OpenStatement {
    fn new(verb: String, holds_statements: bool) -> Self {
        OpenStatement {
            verb,
            holds_statements,
            has_else: false,
            phrases: Vec::new(),
        }
    }

    /// Whether it is a statement that is rewritten, and ends itself then.
    fn is_rewritten(&self) -> bool {
        let is_exception = |p: &&PhraseStart| {
            matches!(
                p.phrase,
                ConditionalPhrase::Exception | ConditionalPhrase::Overflow
            )
        };
        let exceptions = self.phrases.iter().filter(is_exception).count();
        match self.verb.as_str() {
            "CALL" => exceptions == 2,
            "JSON" | "XML" => exceptions > 0,
            _ => false,
        }
    }
}

/// The ends of a statement and its phrases.
#[derive(Debug)]
pub(crate) struct StatementExtent {
    /// ON EXCEPTION and NOT ON EXCEPTION, in their order.
    pub(crate) phrases: Vec<PhraseStart>,
    /// Statements that are open where the second phrase begins and where the
    /// statement ends, outermost first, which the compiler must see ended.
    open_at_second: Vec<String>,
    open_at_end: Vec<String>,
    /// The token after its last statement.
    pub(crate) end: usize,
    /// Whether that token is its END word.
    pub(crate) is_delimited: bool,
}

impl TranslationState {
    /// Rewrites CALLs that have both phrases, and JSON and XML statements; the
    /// declarations that each unit needs for them.
    pub(crate) fn phrased_statements(&mut self, units: &[ProgramUnit]) -> Vec<String> {
        let mut storage = vec![String::new(); units.len()];
        let mut needs = MarkupNeeds::new(units.len());
        // From the last to the first: what ends at one place ends there from
        // the inside out.
        for at in (0..self.tokens.len()).rev() {
            let is_call = self.tokens[at].is("CALL");
            let verb = markup::verb_at(&self.tokens, at);
            if !is_call && verb.is_none() || self.edits.dropped.contains(&at) {
                continue;
            }
            let unit = units.iter().rposition(|u| u.start <= at && at < u.end);
            let Some(unit) = unit.filter(|&u| units[u].procedure_body.is_some_and(|b| at >= b))
            else {
                continue;
            };
            if !is_call {
                self.markup_statement(at, unit, units, &mut needs);
                continue;
            }
            let call = extent(&self.tokens, "CALL", at + 1, units[unit].end);
            if let Some(call) = call.filter(|call| call.phrases.len() == 2) {
                self.rewrite_call(at, &call);
                if storage[unit].is_empty() {
                    storage[unit] = format!(" 01 {FLAG} PIC S9(4) COMP-5 VALUE 0.");
                }
            }
        }
        self.markup_registers(units, &mut needs);
        for (unit, own) in storage.iter_mut().enumerate() {
            own.push_str(&needs.storage[unit]);
        }
        storage
    }

    fn rewrite_call(&mut self, at: usize, call: &StatementExtent) {
        let place = self.tokens[at].place;
        let tested = u8::from(!call.phrases[0].is_not);
        let phrase = format!("ON EXCEPTION MOVE 1 TO {FLAG} END-CALL IF {FLAG} = {tested}");
        self.edits.insert(at, format!("MOVE 0 TO {FLAG}"), place);
        self.rewrite_phrases(call, phrase);
    }

    /// Replaces the first phrase by `condition`, the second by ELSE, and adds END-IF
    /// at the end.
    pub(crate) fn rewrite_phrases(&mut self, extent: &StatementExtent, condition: String) {
        let place = |at: usize| self.tokens[at.min(self.tokens.len() - 1)].place;
        let closed = |open: &[String]| -> String {
            let ends = open.iter().rev().map(|verb| format!("END-{verb} "));
            ends.collect()
        };
        let otherwise = format!("{}ELSE", closed(&extent.open_at_second));
        let texts = [condition, otherwise];
        for (phrase, text) in extent.phrases.iter().zip(texts) {
            let at = place(phrase.start);
            self.edits.insert(phrase.start, text, at);
            self.edits.dropped.extend(phrase.start..phrase.body);
        }
        if !extent.phrases.is_empty() {
            let text = format!("{}END-IF", closed(&extent.open_at_end));
            let at = place(extent.end);
            self.edits.insert(extent.end, text, at);
        }
        if extent.is_delimited {
            self.edits.dropped.insert(extent.end);
        }
    }
}

/// The extent of a statement of this verb whose operands are read up to an
/// index.
pub(crate) fn extent(
    tokens: &[Token],
    verb: &str,
    from: usize,
    end: usize,
) -> Option<StatementExtent> {
    let mut open = vec![OpenStatement::new(verb.to_owned(), false)];
    let mut open_at_second = Vec::new();
    let mut at = from;
    let (end, is_delimited) = loop {
        if at >= end {
            break (at, false);
        }
        let token = tokens.get(at)?;
        if is_period(tokens, at) {
            break (at, false);
        }
        if token.kind != TokenKind::Word {
            at += 1;
            continue;
        }
        if token.is_any(&["EXEC", "EXECUTE"]) {
            if !begins_statement(&mut open) {
                break (at, false);
            }
            at = skip_exec(tokens, at).max(at + 1);
            continue;
        }
        if let Some(phrase) = phrase_at(tokens, at) {
            let taker = open.iter().rposition(|s| takes(s, &phrase));
            let Some(taker) = taker else {
                break (at, false);
            };
            if taker == 0 && open[0].phrases.len() == 1 {
                open_at_second = to_close(&open);
            }
            open.truncate(taker + 1);
            open[taker].phrases.push(phrase);
            open[taker].holds_statements = true;
            at = phrase.body;
            continue;
        }
        let upper = token.upper();
        if let Some(verb) = upper.strip_prefix("END-") {
            match open.iter().rposition(|s| s.verb == verb) {
                Some(0) => break (at, true),
                Some(ended) => open.truncate(ended),
                None if is_scope_end(verb) => break (at, false),
                None => {}
            }
        } else if upper == "ELSE" {
            match open.iter().rposition(|s| s.verb == "IF" && !s.has_else) {
                Some(owner) => {
                    open.truncate(owner + 1);
                    open[owner].has_else = true;
                }
                None => break (at, false),
            }
        } else if upper == "WHEN" {
            let owner = open
                .iter()
                .rposition(|s| s.verb == "EVALUATE" || s.verb == "SEARCH");
            let Some(owner) = owner else {
                break (at, false);
            };
            open.truncate(owner + 1);
            open[owner].holds_statements = true;
        } else if VERBS.contains(&upper.as_str()) {
            if !begins_statement(&mut open) {
                break (at, false);
            }
            let is_plain = upper == "PERFORM" && !is_inline(tokens, at);
            if !is_plain {
                let holds = matches!(upper.as_str(), "IF" | "PERFORM");
                open.push(OpenStatement::new(upper.clone(), holds));
            }
            if markup::verb_at(tokens, at).is_some() {
                at = markup::clauses_end(tokens, at);
                continue;
            }
            // EXIT PERFORM, NEXT SENTENCE.
            at += usize::from(matches!(upper.as_str(), "EXIT" | "NEXT"));
        }
        at += 1;
    };
    let open_at_end = to_close(&open);
    // Without phrases it has ended where another statement begins.
    let first = open.into_iter().next();
    let phrases = first.map(|s| s.phrases).unwrap_or_default();
    Some(StatementExtent {
        phrases,
        open_at_second,
        open_at_end,
        end,
        is_delimited,
    })
}

/// A statement begins: those before it that hold no statements have ended.
/// False when the innermost that is left is none, so the first has ended too.
fn begins_statement(open: &mut Vec<OpenStatement>) -> bool {
    while open.last().is_some_and(|s| !s.holds_statements) {
        open.pop();
    }
    !open.is_empty()
}

/// The verbs of statements in the first one that need an END. A statement inside of
/// another rewritten statement is ended by that one.
fn to_close(open: &[OpenStatement]) -> Vec<String> {
    let inner = open.iter().skip(1).take_while(|s| !s.is_rewritten());
    let holding = inner.filter(|s| s.holds_statements);
    holding.map(|s| s.verb.clone()).collect()
}

fn takes(statement: &OpenStatement, phrase: &PhraseStart) -> bool {
    let kinds = phrase.phrase.verbs();
    let same = |p: &PhraseStart| p.phrase == phrase.phrase && p.is_not == phrase.is_not;
    kinds.contains(&statement.verb.as_str()) && !statement.phrases.iter().any(same)
}

fn is_scope_end(verb: &str) -> bool {
    VERBS.contains(&verb)
}

/// The phrase that begins at an index.
fn phrase_at(tokens: &[Token], start: usize) -> Option<PhraseStart> {
    let is = |at: usize, words: &[&str]| tokens.get(at).is_some_and(|t| t.is_any(words));
    let mut at = start;
    let is_not = is(at, &["NOT"]);
    at += usize::from(is_not);
    let has_preposition = is(at, &["ON", "AT"]);
    at += usize::from(has_preposition);
    let (phrase, words) = if is(at, &["EXCEPTION"]) {
        (ConditionalPhrase::Exception, 1)
    } else if is(at, &["OVERFLOW"]) {
        (ConditionalPhrase::Overflow, 1)
    } else if is(at, &["SIZE"]) && is(at + 1, &["ERROR"]) {
        (ConditionalPhrase::SizeError, 2)
    } else if is(at, &["INVALID"]) {
        (
            ConditionalPhrase::InvalidKey,
            1 + usize::from(is(at + 1, &["KEY"])),
        )
    } else if is(at, &["END-OF-PAGE", "EOP"]) {
        (ConditionalPhrase::EndOfPage, 1)
    } else if is(at, &["END"]) {
        (ConditionalPhrase::AtEnd, 1)
    } else {
        return None;
    };
    Some(PhraseStart {
        phrase,
        is_not,
        start,
        body: at + words,
    })
}

/// Whether the PERFORM at an index has its statements with it.
fn is_inline(tokens: &[Token], at: usize) -> bool {
    let Some(next) = tokens.get(at + 1) else {
        return false;
    };
    if next.is_any(&["VARYING", "UNTIL", "WITH", "TEST", "FOREVER"]) || next.is_any(VERBS) {
        return true;
    }
    // An identifier with its qualifiers and subscripts, or a number, then TIMES.
    let mut end = at + 2;
    while tokens.get(end).is_some_and(|t| t.is_any(&["OF", "IN"])) {
        end += 2;
    }
    if tokens.get(end).is_some_and(|t| t.is_mark('(')) {
        let close = tokens[end..].iter().position(|t| t.is_mark(')'));
        end += close.map_or(0, |n| n + 1);
    }
    tokens.get(end).is_some_and(|t| t.is("TIMES"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::copy::CopyLibrary;
    use crate::translate::translate;
    use copybook::ReferenceFormat;

    /// The translated statements of a program that has these.
    fn rewritten(statements: &str) -> String {
        let program = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       PROCEDURE DIVISION.\n{statements}\n"
        );
        let done = translate(
            Path::new("P.cbl"),
            program.as_bytes(),
            ReferenceFormat::Free,
            &CopyLibrary::default(),
        );
        let text = String::from_utf8(done.text).expect("text");
        let body = text
            .split("PROCEDURE")
            .nth(1)
            .expect("a procedure division");
        let words = body.split_whitespace();
        let lines = words.skip_while(|w| *w != "DIVISION.").skip(1);
        let is_line = |w: &&str| !w.starts_with("#line") && !w.starts_with("\"P.cbl\"");
        let is_number = |w: &&str| w.parse::<u32>().is_ok_and(|n| n > 1);
        let out: Vec<&str> = lines.filter(is_line).filter(|w| !is_number(w)).collect();
        out.join(" ")
    }

    #[test]
    fn a_call_with_both_phrases_becomes_a_test_of_a_flag() {
        assert_eq!(
            rewritten(
                "           CALL A ON EXCEPTION DISPLAY 'E'\n             NOT ON EXCEPTION DISPLAY 'N' END-CALL\n           GOBACK."
            ),
            "MOVE 0 TO DFHEIXC CALL A ON EXCEPTION MOVE 1 TO DFHEIXC END-CALL IF DFHEIXC = 1 \
             DISPLAY 'E' ELSE DISPLAY 'N' END-IF GOBACK."
        );
    }

    #[test]
    fn phrases_in_the_other_order_test_for_the_other_value() {
        assert_eq!(
            rewritten(
                "           CALL A NOT ON EXCEPTION DISPLAY 'N'\n             ON OVERFLOW DISPLAY 'E'."
            ),
            "MOVE 0 TO DFHEIXC CALL A ON EXCEPTION MOVE 1 TO DFHEIXC END-CALL IF DFHEIXC = 0 \
             DISPLAY 'N' ELSE DISPLAY 'E' END-IF."
        );
    }

    #[test]
    fn statements_left_open_in_a_phrase_are_ended_before_the_other() {
        assert_eq!(
            rewritten(
                "           IF X CALL A ON EXCEPTION IF B DISPLAY 'B'\n             NOT EXCEPTION PERFORM P1 ELSE DISPLAY 'X'."
            ),
            "IF X MOVE 0 TO DFHEIXC CALL A ON EXCEPTION MOVE 1 TO DFHEIXC END-CALL IF DFHEIXC = 1 \
             IF B DISPLAY 'B' END-IF ELSE PERFORM P1 END-IF ELSE DISPLAY 'X'."
        );
    }

    #[test]
    fn a_call_inside_of_a_phrase_is_rewritten_too() {
        assert_eq!(
            rewritten(
                "           CALL A ON EXCEPTION CALL B ON EXCEPTION DISPLAY 'B'\n             NOT ON EXCEPTION DISPLAY 'C' END-CALL NOT ON EXCEPTION CONTINUE END-CALL."
            ),
            "MOVE 0 TO DFHEIXC CALL A ON EXCEPTION MOVE 1 TO DFHEIXC END-CALL IF DFHEIXC = 1 \
             MOVE 0 TO DFHEIXC CALL B ON EXCEPTION MOVE 1 TO DFHEIXC END-CALL IF DFHEIXC = 1 \
             DISPLAY 'B' ELSE DISPLAY 'C' END-IF ELSE CONTINUE END-IF."
        );
    }

    #[test]
    fn one_phrase_alone_and_other_statements_stay_as_they_are() {
        for text in [
            "CALL A ON EXCEPTION DISPLAY 'E' END-CALL GOBACK.",
            "CALL A NOT ON EXCEPTION DISPLAY 'N'.",
            "CALL A USING B. STRING C DELIMITED BY SIZE INTO D ON OVERFLOW CONTINUE NOT ON OVERFLOW CONTINUE END-STRING.",
            "CALL A END-CALL READ F AT END CONTINUE NOT AT END CONTINUE END-READ.",
        ] {
            assert_eq!(rewritten(&format!("           {text}")), text);
        }
    }
}
