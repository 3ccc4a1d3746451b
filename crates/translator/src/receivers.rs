//! Groups of varying length that receive data.
//!
//! A group that contains the counter of its own table has its greatest length when
//! data are moved to it, because the data bring the counter along. GnuCOBOL takes the
//! length of the counter before the move, and cuts the data off. So the counter is
//! set to its maximum first; the move then replaces it. A group that is followed by
//! items that move with the counter has the length of the moment on z/OS too.
//!
//! Reference: Enterprise COBOL Language Reference, "OCCURS DEPENDING ON clause";
//! Migration Guide, "Reference modification of a variable-length group receiver".

use std::collections::HashMap;

use cics::cobol::VERBS;

use crate::outline::{ProgramUnit, is_period, skip_exec};
use crate::records::{DataEntry, records};
use crate::token::{Token, TokenKind};
use crate::translate::TranslationState;

/// A group that contains the counters of its tables.
struct VaryingGroup {
    /// Names of the groups around it, innermost first.
    around: Vec<String>,
    /// Every name within it.
    inner: Vec<String>,
    /// Each counter with its qualifiers, and its maximum.
    counters: Vec<(String, u32)>,
}

/// What each name of a program is: `None` for an item that is no such group.
type ReceiverNames = HashMap<String, Vec<Option<VaryingGroup>>>;

impl TranslationState {
    /// Sets the counters of groups before data are moved to them.
    pub(crate) fn varying_receivers(&mut self, units: &[ProgramUnit]) {
        let mut found = Vec::new();
        for unit in units {
            let (Some(data), Some(body)) = (unit.data, unit.procedure_body) else {
                continue;
            };
            let to = unit.procedure.unwrap_or(unit.end).min(self.tokens.len());
            let names = receivers(&self.tokens, data, to);
            if names.values().flatten().all(Option::is_none) {
                continue;
            }
            let end = unit.end.min(self.tokens.len());
            let mut at = body;
            while at < end {
                if self.tokens[at].is_any(&["EXEC", "EXECUTE"]) {
                    at = skip_exec(&self.tokens, at);
                    continue;
                }
                let text = statement(&self.tokens, at, end, &names);
                if !text.is_empty() {
                    found.push((at, text));
                }
                at += 1;
            }
        }
        // Programs within programs are seen with the outer one too.
        found.sort_unstable();
        found.dedup_by_key(|(at, _)| *at);
        for (at, text) in found {
            let place = self.tokens[at].place;
            self.edits.insert(at, text, place);
        }
    }
}

/// Words that may follow the receivers of a MOVE and are not among the verbs.
const AFTER_RECEIVERS: &[&str] = &[
    "ALLOCATE",
    "AT",
    "ENTRY",
    "FREE",
    "GENERATE",
    "INITIATE",
    "INVALID",
    "INVOKE",
    "JSON",
    "NEXT",
    "NOT",
    "ON",
    "SIZE",
    "SUPPRESS",
    "TERMINATE",
    "THEN",
    "USE",
    "WHEN",
    "XML",
];

/// The statements that set the counters of what a statement moves to.
fn statement(tokens: &[Token], at: usize, end: usize, names: &ReceiverNames) -> String {
    let verb = &tokens[at];
    let is_end = |i: &usize| {
        is_period(tokens, *i) || tokens[*i].is_any(VERBS) || tokens[*i].upper().starts_with("END-")
    };
    let stop = (at + 1..end).find(is_end).unwrap_or(end);
    let word = |name: &str| (at + 1..stop).find(|i| tokens[*i].is(name));
    let (from, sources) = if verb.is("MOVE") {
        match word("TO") {
            Some(to) if !tokens[at + 1].is_any(&["CORR", "CORRESPONDING"]) => (to + 1, at + 1..to),
            _ => return String::new(),
        }
    } else if verb.is_any(&["READ", "RETURN"]) {
        match word("INTO") {
            Some(into) => (into + 1, at + 1..into),
            None => return String::new(),
        }
    } else if verb.is_any(&["WRITE", "REWRITE", "RELEASE"]) {
        match word("FROM") {
            Some(from) => (at + 1, from + 1..stop),
            None => return String::new(),
        }
    } else {
        return String::new();
    };
    let is_move = verb.is("MOVE");
    let sources: Vec<String> = tokens[sources].iter().map(Token::upper).collect();
    let mut text = String::new();
    let mut i = from;
    while i < stop && !tokens[i].is_any(AFTER_RECEIVERS) {
        let (group, next) = receiver(tokens, i, stop, names);
        if let Some(group) = group {
            let is_source =
                |name: &String| group.inner.contains(name) || group.around.contains(name);
            if !sources.iter().any(is_source) {
                for (counter, most) in &group.counters {
                    text.push_str(&format!(" MOVE {most} TO {counter}"));
                }
            }
        }
        if !is_move {
            break;
        }
        i = next;
    }
    text.trim_start().to_owned()
}

/// The group that a name with its qualifiers means, if it is one, and the token after it.
fn receiver<'n>(
    tokens: &[Token],
    at: usize,
    stop: usize,
    names: &'n ReceiverNames,
) -> (Option<&'n VaryingGroup>, usize) {
    let mut next = at + 1;
    let mut qualifiers = Vec::new();
    while next + 1 < stop && tokens[next].is_any(&["OF", "IN"]) {
        qualifiers.push(tokens[next + 1].upper());
        next += 2;
    }
    if tokens[at].kind != TokenKind::Word || tokens.get(next).is_some_and(|t| t.is_mark('(')) {
        return (None, next);
    }
    let Some(items) = names.get(&tokens[at].upper()) else {
        return (None, next);
    };
    let fits = |group: &&VaryingGroup| qualifiers.iter().all(|q| group.around.contains(q));
    // Of several items with the name, qualifiers must leave the group alone.
    let is_only = items.len() == 1 || (!qualifiers.is_empty() && items.iter().all(Option::is_some));
    let mut groups = items.iter().flatten().filter(fits);
    match (groups.next(), groups.next()) {
        (Some(group), None) if is_only => (Some(group), next),
        _ => (None, next),
    }
}

/// The items of a data division by their names.
fn receivers(tokens: &[Token], from: usize, to: usize) -> ReceiverNames {
    let mut names = ReceiverNames::new();
    for record in records(tokens, from, to) {
        for (at, entry) in record.iter().enumerate() {
            let inner = record[at + 1..]
                .iter()
                .take_while(|e| e.level > entry.level);
            let inner: Vec<&DataEntry> = inner.collect();
            let is_last = at + 1 + inner.len() == record.len();
            let group = if is_last {
                group(&record, at, &inner)
            } else {
                None
            };
            names.entry(entry.name.clone()).or_default().push(group);
        }
    }
    names
}

/// A group with the counters of its tables; `None` if a table's counter is outside of
/// it, or it is within a table.
fn group(record: &[DataEntry], at: usize, inner: &[&DataEntry]) -> Option<VaryingGroup> {
    let around = around(record, at);
    let in_table = |place: usize| {
        let path = path(record, place);
        path.iter().any(|i| record[*i].occurs)
    };
    let mut counters = Vec::new();
    for (most, counter) in inner.iter().filter_map(|e| e.counter.as_ref()) {
        let place = (at + 1..=at + inner.len()).find(|i| record[*i].name == *counter)?;
        if in_table(place) {
            return None;
        }
        let qualifiers = around_names(record, place);
        let name = [counter.clone()].into_iter().chain(qualifiers);
        counters.push((name.collect::<Vec<_>>().join(" OF "), *most));
    }
    let inner = inner.iter().map(|e| e.name.clone()).collect();
    (!counters.is_empty() && !in_table(at)).then_some(VaryingGroup {
        around,
        inner,
        counters,
    })
}

/// An entry and the groups around it, innermost first.
fn path(record: &[DataEntry], at: usize) -> Vec<usize> {
    let mut found = vec![at];
    let mut level = record[at].level;
    for i in (0..at).rev() {
        if record[i].level < level {
            level = record[i].level;
            found.push(i);
        }
    }
    found
}

fn around_names(record: &[DataEntry], at: usize) -> Vec<String> {
    let path = path(record, at);
    let names = path[1..].iter().map(|i| record[*i].name.clone());
    names
        .filter(|name| !name.is_empty() && name != "FILLER")
        .collect()
}

fn around(record: &[DataEntry], at: usize) -> Vec<String> {
    let mut names = around_names(record, at);
    names.push(record[at].name.clone());
    names
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::copy::CopyLibrary;
    use crate::translate::translate;
    use copybook::ReferenceFormat;

    fn compiled(statement: &str) -> String {
        let program = format!(
            "IDENTIFICATION DIVISION. PROGRAM-ID. P. DATA DIVISION. WORKING-STORAGE SECTION. \
             01 X PIC X(9). 01 N PIC 9. \
             01 R. 05 C PIC 9. 05 T OCCURS 0 TO 5 TIMES DEPENDING ON C PIC X. \
             01 S. 05 G. 10 C PIC 9. 10 T OCCURS 7 DEPENDING ON C OF S PIC X. \
             01 A. 05 B. 10 D PIC 9. 10 T OCCURS 0 TO 5 DEPENDING ON D PIC X. 05 E PIC X. \
             01 O. 05 U OCCURS 0 TO 5 DEPENDING ON N PIC X. \
             PROCEDURE DIVISION. {statement} GOBACK."
        );
        let (path, library) = (Path::new("P.cbl"), CopyLibrary::default());
        let done = translate(path, program.as_bytes(), ReferenceFormat::Free, &library);
        let text = String::from_utf8(done.text).expect("text");
        let lines = text.lines().filter(|l| !l.starts_with('#'));
        let text = lines.flat_map(str::split_whitespace).collect::<Vec<_>>();
        let text = text.join(" ");
        let from = text.find("PROCEDURE DIVISION. ").expect("statements") + 20;
        text[from..].trim_end_matches(" GOBACK.").to_owned()
    }

    #[test]
    fn a_group_with_its_own_counter_receives_its_greatest_length() {
        for (written, before) in [
            ("MOVE X TO R", "MOVE 5 TO C OF R"),
            ("MOVE X TO N R X", "MOVE 5 TO C OF R"),
            ("IF N = 1 CONTINUE ELSE MOVE X TO N END-IF MOVE X TO S", ""),
            ("MOVE X TO G OF S", "MOVE 7 TO C OF G OF S"),
            ("READ F INTO R", "MOVE 5 TO C OF R"),
            ("WRITE R FROM X", "MOVE 5 TO C OF R"),
            ("WRITE X FROM R", ""),
            ("MOVE R TO X", ""),
            ("MOVE X TO N INVOKE R", ""),
            ("MOVE T OF R (1) TO R", ""),
            ("MOVE X TO R (2:1)", ""),
            ("MOVE X TO B", ""),
            ("MOVE X TO A", "MOVE 5 TO D OF B OF A"),
            ("MOVE X TO O", ""),
            ("MOVE CORRESPONDING X TO R", ""),
        ] {
            let expected = match before {
                "" if written.starts_with("IF") => {
                    "IF N = 1 CONTINUE ELSE MOVE X TO N END-IF MOVE 7 TO C OF G OF S MOVE X TO S"
                        .to_owned()
                }
                "" => written.to_owned(),
                before => format!("{before} {written}"),
            };
            let plain = |text: &str| text.replace(' ', "");
            assert_eq!(plain(&compiled(written)), plain(&expected), "{written}");
        }
    }
}
