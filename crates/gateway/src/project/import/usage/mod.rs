//! What a program does with the fields of its record: which it reads and which
//! it writes.
//!
//! A COMMAREA is one record both ways, and most of its fields go one way only.
//! The PROCEDURE DIVISION says which: a field behind TO, INTO or GIVING, before
//! `=` in COMPUTE, or in SET is written; any other mention reads it. A group
//! that is mentioned stands for all below it. A field of which nothing can be
//! seen goes both ways, and so does all of a record whose name the program
//! passes on (`CALL … USING`, `FROM`).

use cics::cobol::VERBS;
use copybook::{FieldId, Layout, words};
use std::collections::HashMap;

/// What is done with a field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Use {
    pub read: bool,
    pub written: bool,
}

/// Of every field, in the order of the layout.
#[derive(Debug, Clone, Default)]
pub(super) struct Usage(Vec<Use>);

impl Usage {
    /// What the text of a program shows.
    pub fn of(layout: &Layout, program: &str) -> Usage {
        let words = words(program);
        let division = words
            .windows(2)
            .position(|w| w[0] == "PROCEDURE" && w[1] == "DIVISION");
        let Some(division) = division else {
            return Usage::default();
        };
        let mut named: HashMap<&str, Vec<FieldId>> = HashMap::new();
        for (id, field) in layout.iter() {
            let conditions = field.conditions.iter().map(|c| c.name.as_str());
            for name in field.name.as_deref().into_iter().chain(conditions) {
                named.entry(name).or_default().push(id);
            }
        }
        let mut uses = vec![Use::default(); layout.fields.len()];
        let mut scan = Scan::default();
        for word in words[division..].iter().map(String::as_str) {
            let Some(fields) = named.get(word) else {
                scan.word(word);
                continue;
            };
            // The address of a record says nothing of its fields.
            if scan.about_storage() {
                continue;
            }
            for id in fields {
                scan.mention(&mut uses[id.0 as usize]);
            }
            scan.word(FIELD);
        }
        // What is done with a group is done with all below it.
        for index in 1..uses.len() {
            if let Some(parent) = layout.fields[index].parent {
                let above = uses[parent.0 as usize];
                uses[index].read |= above.read;
                uses[index].written |= above.written;
            }
        }
        Usage(uses)
    }

    /// Whether a field belongs into a request: it is not only written.
    pub fn goes_in(&self, layout: &Layout, id: FieldId) -> bool {
        self.any(layout, id, |u| !u.written || u.read)
    }

    /// Whether a field belongs into a response: it is not only read.
    pub fn comes_out(&self, layout: &Layout, id: FieldId) -> bool {
        self.any(layout, id, |u| !u.read || u.written)
    }

    /// Whether a field is read and never written: the program counts on it.
    pub fn is_needed(&self, id: FieldId) -> bool {
        self.0
            .get(id.0 as usize)
            .is_some_and(|u| u.read && !u.written)
    }

    /// Of a group: whether it is so of any field below.
    fn any(&self, layout: &Layout, id: FieldId, so: fn(Use) -> bool) -> bool {
        let Some(own) = self.0.get(id.0 as usize) else {
            return true;
        };
        match layout[id].children.as_slice() {
            [] => so(*own),
            children => children.iter().any(|child| self.any(layout, *child, so)),
        }
    }
}

/// Where in a statement the scan is.
#[derive(Default)]
struct Scan {
    verb: String,
    /// The words just passed.
    last: [String; 2],
    /// What follows is written.
    receiving: bool,
    /// In an EXEC CICS command; its verb.
    command: Option<String>,
    /// Open parentheses: a subscript is read.
    depth: u32,
}

impl Scan {
    fn word(&mut self, word: &str) {
        match word {
            "(" => self.depth += 1,
            ")" => self.depth = self.depth.saturating_sub(1),
            "EXEC" => self.command = Some(String::new()),
            "END-EXEC" => {
                self.command = None;
                self.receiving = false;
            }
            FIELD => {}
            word => match &mut self.command {
                Some(verb) => {
                    if verb.is_empty() && word != "CICS" {
                        *verb = word.to_owned();
                    }
                    self.receiving = matches!(word, "INTO" | "RESP" | "RESP2" | "ABSTIME");
                }
                None => self.statement(word),
            },
        }
        if !matches!(word, "(" | ")") {
            self.last.swap(0, 1);
            self.last[1] = word.to_owned();
        }
    }

    /// A word of COBOL's own statements.
    fn statement(&mut self, word: &str) {
        if VERBS.contains(&word) {
            self.verb = word.to_owned();
            self.receiving = matches!(word, "COMPUTE" | "SET" | "INITIALIZE" | "ACCEPT");
            return;
        }
        match word {
            "TO" if self.verb == "SET" => self.receiving = false,
            "TO" | "INTO" | "GIVING" | "REMAINDER" => self.receiving = true,
            "=" if self.verb == "COMPUTE" => self.receiving = false,
            "FROM" | "BY" | "USING" | "UNTIL" | "LENGTH" => self.receiving = false,
            _ => {}
        }
    }

    fn about_storage(&self) -> bool {
        let [before, last] = [self.last[0].as_str(), self.last[1].as_str()];
        last == "OF" && matches!(before, "ADDRESS" | "LENGTH")
    }

    fn mention(&self, used: &mut Use) {
        let answers = |verb: &str| matches!(verb, "ASSIGN" | "ASKTIME" | "FORMATTIME" | "INQUIRE");
        let both = match &self.command {
            Some(verb) => answers(verb),
            None if self.depth > 0 => false,
            None => match self.verb.as_str() {
                "ADD" | "SUBTRACT" | "MULTIPLY" | "DIVIDE" => {
                    self.receiving && self.last[1] != "GIVING"
                        || matches!(self.last[1].as_str(), "FROM" | "BY")
                }
                "INSPECT" | "CALL" => true,
                _ => false,
            },
        };
        let written = self.receiving && (self.command.is_some() || self.depth == 0);
        used.written |= both || written;
        used.read |= both || !written;
    }
}

/// Stands for a field among the words just passed.
const FIELD: &str = "?";

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = "       01  R.
           05  ASKED PIC 9(4).
           05  GIVEN PIC X(4).
           05  BOTH PIC 9(4).
           05  NOBODY PIC X.
           05  STATUS-CODE PIC 9.
               88  IS-GOOD VALUE 0.
           05  G.
               10  INNER PIC X.
";

    #[test]
    fn what_is_read_goes_in_and_what_is_written_comes_out() {
        let layout = copybook::parse(RECORD, &copybook::ParseOptions::default())
            .unwrap()
            .remove(0);
        let program = "       PROCEDURE DIVISION.
           SET ADDRESS OF R TO ADDRESS OF DFHCOMMAREA
      *    MOVE GIVEN TO ASKED
           IF ASKED > 5 MOVE 'GIVEN' TO GIVEN END-IF
           ADD 1 TO BOTH
           SET IS-GOOD TO TRUE
           EXEC CICS READ INTO(G) END-EXEC
           COMPUTE BOTH = ASKED * 2.
";
        let usage = Usage::of(&layout, program);
        let of = |name: &str| {
            let (id, _) = layout
                .iter()
                .find(|(_, f)| f.name.as_deref() == Some(name))
                .unwrap();
            (usage.goes_in(&layout, id), usage.comes_out(&layout, id))
        };
        assert_eq!(of("ASKED"), (true, false));
        assert_eq!(of("GIVEN"), (false, true));
        assert_eq!(of("BOTH"), (true, true));
        assert_eq!(of("NOBODY"), (true, true));
        assert_eq!(of("STATUS-CODE"), (false, true));
        assert_eq!(of("INNER"), (false, true));
        assert_eq!(of("G"), (false, true));
        // Nothing seen: both ways.
        let nothing = Usage::of(&layout, "");
        assert!(nothing.goes_in(&layout, FieldId(1)) && nothing.comes_out(&layout, FieldId(1)));
    }
}
