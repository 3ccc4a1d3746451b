//! Communications objects of OS/400, as the control language that makes them:
//! mode descriptions (MODD), line descriptions (LIND) and controller
//! descriptions (CTLD).
//!
//! Reference: OS/400 CL Reference, CRTMODD, CRTLINTRN, CRTLINETH, CRTLINX25,
//! CRTLINSDLC, CRTCTLAPPC and their CHG commands.

use std::collections::HashMap;

use super::parsed;
use crate::document::ParsedText;
use crate::kind::DocumentKind;
use crate::sna::syntax::Statement;
use crate::sna::syntax::keyword::{StatementEnd, read};

pub(crate) static KIND: DocumentKind = DocumentKind {
    word: "as400",
    title: "AS/400 control language: CRTMODD, CRTLINTRN and the other lines, CRTCTLAPPC, and CHG",
    recognise,
    parse,
};

fn recognise(text: &str) -> usize {
    let has_value = |w: &str| {
        let w = w.to_ascii_uppercase();
        let rest = w.strip_prefix("CRT").or_else(|| w.strip_prefix("CHG"));
        rest.is_some_and(|r| r == "MODD" || r.starts_with("LIN") || r.starts_with("CTL"))
    };
    let command = |l: &str| {
        let mut words = l.split_whitespace().filter(|w| !w.ends_with(':'));
        words.next().is_some_and(has_value)
    };
    3 * text.lines().filter(|l| command(l)).count()
}

fn parse(text: &str) -> ParsedText {
    let mut out = read(text, StatementEnd::Line);
    for s in &mut out.statements {
        // `*SAME` leaves a value unchanged, so it is ignored.
        s.operands.retain(|o| !o.is("*SAME"));
        // The name may be first without its keyword.
        let keyword = match s.verb.get(3..) {
            Some("MODD") => "MODD",
            Some(v) if v.starts_with("LIN") => "LIND",
            Some(v) if v.starts_with("CTL") => "CTLD",
            _ => continue,
        };
        let named = s
            .operands
            .iter_mut()
            .enumerate()
            .find(|(i, o)| o.name == keyword || (*i == 0 && o.name.is_empty()));
        if let Some((_, o)) = named {
            keyword.clone_into(&mut o.name);
            s.name = o.value.clone();
        }
    }
    out.statements = folded(out.statements);
    parsed(
        &KIND,
        out,
        &[
            "CRT*", "CHG*", "VRYCFG", "PGM", "ENDPGM", "DCL", "MONMSG", "ADD*",
        ],
        "command",
    )
}

/// The objects with the changes of later commands: a CHG command adds its
/// parameters to the command that made the object, and the last one counts.
fn folded(all: Vec<Statement>) -> Vec<Statement> {
    let mut objects: Vec<Statement> = Vec::new();
    let mut made: HashMap<(String, String), usize> = HashMap::new();
    for s in all {
        let key = (s.verb.get(3..).unwrap_or("").to_owned(), s.name.clone());
        match made.get(&key) {
            Some(i) if s.verb.starts_with("CHG") && !s.name.is_empty() => {
                objects[*i].operands.extend(s.operands);
            }
            _ => {
                made.insert(key, objects.len());
                objects.push(s);
            }
        }
    }
    objects
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind;

    #[test]
    fn objects_have_their_names_with_and_without_a_keyword() {
        let text = "CRTMODD MODD(#BATCH) INPACING(3)\nCRTLINTRN TRNLINE RSRCNAME(LIN011) +\n  MAXFRAME(1994)\n";
        assert_eq!(kind::recognise(text).map(|k| k.word), Some("as400"));
        let crate::DocumentContent::Sna(content) = parse(text).content else {
            panic!("not of SNA")
        };
        let names: Vec<_> = content.statements.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["#BATCH", "TRNLINE"]);
    }

    #[test]
    fn a_change_counts_more_than_what_made_the_object() {
        let text = "CRTMODD MODD(B) INPACING(3)\nCHGMODD MODD(B) INPACING(7)\n";
        let crate::DocumentContent::Sna(content) = parse(text).content else {
            panic!("not of SNA")
        };
        let [mode] = &content.statements[..] else {
            panic!("one mode")
        };
        assert_eq!(mode.operand("INPACING").unwrap().number(), Some(7));
    }
}
