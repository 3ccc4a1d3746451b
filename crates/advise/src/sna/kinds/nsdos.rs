//! CONFIG.NSD and MODE.NSD of Networking Services/DOS.
//!
//! The tuning guide names the statements TRLD (operands MAXIN and MAXOUT) and
//! TRMF (the token ring's frame size) of CONFIG.NSD and the RU size and the
//! receive window of MODE.NSD; no public manual of the two files was found.
//! So this reader is wide: a statement is a line, its operands are
//! `KEY=VALUE`, `KEY(VALUE)` or values in their places, several spellings of
//! a key are one, and a line that is not understood is a note.

use super::parsed;
use crate::document::ParsedText;
use crate::kind::DocumentKind;
use crate::sna::syntax::lines::{lines, operand};
use crate::sna::syntax::{KeywordOperand, ParsedStatements, Statement};

pub(crate) static KIND: DocumentKind = DocumentKind {
    word: "nsdos",
    title: "Networking Services/DOS: CONFIG.NSD (TRLD, TRMF) and MODE.NSD",
    recognise,
    parse,
};

/// Statements that rules look at, and others of the two files.
const VERBS: &[&str] = &[
    "TRLD", "TRMF", "MODE", "NODE", "LU", "PLU", "TP", "LINK", "SIDE", "NETID", "CPNAME", "SET",
];
/// Frame size of the token ring; the keyword may be left out.
pub(crate) const FRAME: &[&str] = &["", "SIZE", "MAXFRAME", "FRAME"];
/// RU size of a mode: bytes, or `*`.
pub(crate) const RU: &str = "RU";
/// RUs received before a pacing response is sent.
pub(crate) const RECEIVE_PACING: &str = "RPACING";

fn recognise(text: &str) -> usize {
    let has_value = |verb: &str| match verb.to_ascii_uppercase().as_str() {
        "TRLD" | "TRMF" => 3,
        "MODE" => 2,
        _ => 0,
    };
    // Every statement has values; a sentence about a mode has none. A mode has
    // a name.
    let stated = |l: &str| {
        let second = l.split_whitespace().nth(1).unwrap_or_default();
        let named = !l.to_ascii_uppercase().starts_with("MODE=");
        (named && l.contains('=')) || second.starts_with(|c: char| c.is_ascii_digit())
    };
    let first = |l: &str| {
        if stated(l) {
            l.split([' ', '=', '\t']).next().map_or(0, has_value)
        } else {
            0
        }
    };
    lines(text, &[';', '*'], false).map(|l| first(l.text)).sum()
}

fn parse(text: &str) -> ParsedText {
    let mut out = ParsedStatements::default();
    for line in lines(text, &[';', '*'], true) {
        let mut words = line.words().into_iter();
        let Some((first, at)) = words.next() else {
            continue;
        };
        // `TRMF=4464` is a statement with one value.
        let first = operand(first, at);
        let (verb, value) = match first.name.as_str() {
            "" => (first.value, None),
            _ => (
                first.name,
                Some(KeywordOperand {
                    name: String::new(),
                    value: first.value,
                    at,
                }),
            ),
        };
        let mut statement = Statement::new(&verb, "", at);
        statement.operands.extend(value);
        statement
            .operands
            .extend(words.map(|(w, at)| spelled(operand(w, at))));
        if statement.verb == "MODE" {
            let named = statement
                .operands
                .iter()
                .find(|o| o.name == "NAME" || o.name.is_empty());
            statement.name = named.map(|o| o.value.clone()).unwrap_or_default();
        }
        out.statements.push(statement);
    }
    parsed(&KIND, out, VERBS, "statement")
}

/// An operand in its one spelling.
fn spelled(mut o: KeywordOperand) -> KeywordOperand {
    let one = match o.name.replace('_', "").as_str() {
        "RUSIZE" | "MAXRU" | "MAXRUSIZE" => RU,
        "RECVPACING" | "RECEIVEPACING" | "RCVPACING" | "RPAC" => RECEIVE_PACING,
        "MODENAME" => "NAME",
        _ => return o,
    };
    one.clone_into(&mut o.name);
    o
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind;

    #[test]
    fn every_form_of_an_operand_is_read() {
        let text = "; the ring\nTRMF 987\nTRLD MAXIN=2, MAXOUT(2)\nMODE #BATCH RUSIZE=* RECV_PACING=3\nWHAT 1\n";
        assert_eq!(kind::recognise(text).map(|k| k.word), Some("nsdos"));
        let p = parse(text);
        assert_eq!(p.diagnostics.len(), 1);
        let crate::DocumentContent::Sna(content) = p.content else {
            panic!("not of SNA")
        };
        let [trmf, trld, mode, _] = &content.statements[..] else {
            panic!("four statements")
        };
        assert_eq!(trmf.operand("").unwrap().number(), Some(987));
        assert_eq!(trld.operand("MAXOUT").unwrap().number(), Some(2));
        assert_eq!(mode.name, "#BATCH");
        assert!(mode.operand(RU).unwrap().is("*"));
        assert_eq!(mode.operand(RECEIVE_PACING).unwrap().number(), Some(3));
    }
}
