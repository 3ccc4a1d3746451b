//! Labels of HANDLE CONDITION that can be reached with no PERFORM left.
//!
//! GnuCOBOL keeps a place for each PERFORM that is under way, and a GO TO out
//! of one leaves it taken: after 255 the program ends. A label is reached by
//! entering the program again at its top instead, where no PERFORM is under
//! way, if that makes no difference: when nothing that runs from the label on
//! comes to the end of a performed paragraph by GO TO or by falling into it,
//! since that end would go back to the PERFORM. What cannot be told is taken
//! for a difference.
//!
//! Reference: Enterprise COBOL Language Reference, PERFORM statement, "exit".

use std::collections::HashSet;

use crate::outline::{Label, Unit, is_period, skip_exec};
use crate::token::{Kind, Token};

/// What a paragraph does with control; sections count up to their first
/// paragraph.
#[derive(Debug, Default)]
struct Node {
    gotos: Vec<usize>,
    /// First and last node of each range that it performs.
    performs: Vec<(usize, usize)>,
    /// Control may come to its end.
    falls: bool,
    /// A command in it may raise a condition that goes to a label.
    raises: bool,
}

/// The program's flow of control.
pub(crate) struct Flow {
    nodes: Vec<Node>,
    /// Nodes at whose end a performed range ends.
    exits: HashSet<usize>,
    /// Labels that conditions go to.
    handlers: Vec<usize>,
}

impl Flow {
    /// The flow of a program; none for one that cannot be entered again
    /// without a difference, or whose flow is not told by its text.
    pub(crate) fn of(unit: &Unit, tokens: &[Token]) -> Option<Flow> {
        const OPAQUE: &[&str] = &["ALTER", "SORT", "MERGE", "ENTRY", "LOCAL-STORAGE"];
        let body = unit.procedure_body?;
        let all = unit.start..unit.end.min(tokens.len());
        let follows = |i: usize, words: &[&str]| {
            words
                .iter()
                .enumerate()
                .all(|(n, w)| tokens.get(i + n).is_some_and(|t| t.is(w)))
        };
        let differs = all.clone().any(|i| {
            tokens[i].is_any(OPAQUE)
                || follows(i, &["EXIT", "SECTION"])
                || follows(i, &["SET", "ADDRESS", "OF", "DFHCOMMAREA"])
                || i < body && tokens[i].is_any(&["INITIAL", "RECURSIVE"])
        });
        if differs || unit.parent.is_some() || unit.declaratives_end.is_some() {
            return None;
        }
        let mut flow = Flow {
            nodes: Vec::with_capacity(unit.labels.len()),
            exits: HashSet::new(),
            handlers: Vec::new(),
        };
        for (n, label) in unit.labels.iter().enumerate() {
            let end = unit.labels.get(n + 1).map_or(all.end, |next| next.at);
            let node = flow.node(unit, tokens, label.at + 1, end);
            flow.nodes.push(node);
        }
        // What stands before the first label performs and handles too.
        let first = unit.labels.first().map_or(all.end, |l| l.at);
        flow.node(unit, tokens, body, first);
        Some(flow)
    }

    fn node(&mut self, unit: &Unit, tokens: &[Token], from: usize, to: usize) -> Node {
        let mut node = Node {
            falls: falls(unit, tokens, from, to),
            ..Node::default()
        };
        let mut at = from;
        while at < to {
            let t = &tokens[at];
            if t.is_any(&["EXEC", "EXECUTE"]) {
                let end = skip_exec(tokens, at).min(to).max(at + 1);
                self.command(unit, &tokens[at..end], at, &mut node);
                at = end;
                continue;
            }
            if t.is("GO") {
                let mut next = at + 1 + usize::from(tokens.get(at + 1).is_some_and(|t| t.is("TO")));
                while let Some((label, after)) = label_at(unit, tokens, next) {
                    node.gotos.push(label);
                    next = after;
                }
            } else if t.is("PERFORM")
                && let Some((first, after)) = label_at(unit, tokens, at + 1)
            {
                let through = tokens
                    .get(after)
                    .is_some_and(|t| t.is_any(&["THRU", "THROUGH"]));
                let last = through
                    .then(|| label_at(unit, tokens, after + 1))
                    .flatten()
                    .map_or(first, |(last, _)| last);
                let end = last_node(unit, last);
                node.performs.push((first, end));
                self.exits.insert(end);
            }
            at += 1;
        }
        node
    }

    /// Notes the labels of a HANDLE, or that a command may go to one.
    fn command(&mut self, unit: &Unit, tokens: &[Token], at: usize, node: &mut Node) {
        let is = |n: usize, word: &str| tokens.get(n).is_some_and(|t| t.is(word));
        if is(2, "HANDLE") && !is(3, "ABEND") {
            let labels = (4..tokens.len()).filter(|&n| tokens[n - 1].is_mark('('));
            let found = labels.filter_map(|n| unit.label(&tokens[n].upper(), at));
            self.handlers
                .extend(found.map(|(label, _)| index(unit, label)));
        } else if !handles_itself(tokens) {
            node.raises = true;
        }
    }

    /// Whether a label can be reached with no PERFORM left.
    pub(crate) fn may_reenter(&self, label: usize) -> bool {
        // Without a PERFORM there is nothing to leave.
        if self.exits.is_empty() {
            return false;
        }
        let mut seen = HashSet::new();
        let mut ranges = HashSet::new();
        let mut open = vec![label];
        while let Some(at) = open.pop() {
            let Some(node) = self.nodes.get(at).filter(|_| seen.insert(at)) else {
                continue;
            };
            if node.falls {
                if self.exits.contains(&at) {
                    return false;
                }
                open.push(at + 1);
            }
            open.extend(&node.gotos);
            if node.raises {
                open.extend(&self.handlers);
            }
            for range in &node.performs {
                self.performed(*range, &mut ranges, &mut open);
            }
        }
        true
    }

    /// Where control goes out of a range that is performed.
    fn performed(
        &self,
        (first, last): (usize, usize),
        ranges: &mut HashSet<(usize, usize)>,
        out: &mut Vec<usize>,
    ) {
        if first > last || !ranges.insert((first, last)) {
            return;
        }
        let leaves = |to: &&usize| !(first..=last).contains(*to);
        for node in self.nodes.iter().take(last + 1).skip(first) {
            out.extend(node.gotos.iter().filter(leaves));
            if node.raises {
                out.extend(self.handlers.iter().filter(leaves));
            }
            for range in &node.performs {
                self.performed(*range, ranges, out);
            }
        }
    }
}

/// The place of a label in the program's list.
pub(crate) fn index(unit: &Unit, label: &Label) -> usize {
    unit.labels
        .iter()
        .position(|l| l.at == label.at)
        .unwrap_or(usize::MAX)
}

/// The label named at a place, with its section, and where the text goes on.
fn label_at(unit: &Unit, tokens: &[Token], at: usize) -> Option<(usize, usize)> {
    let name = tokens.get(at).filter(|t| t.kind == Kind::Word)?.upper();
    let qualified = tokens.get(at + 1).is_some_and(|t| t.is_any(&["OF", "IN"]));
    if let Some(section) = tokens.get(at + 2).filter(|_| qualified) {
        let section = section.upper();
        let is = |l: &Label| l.name == name && l.section.as_deref() == Some(&section);
        return Some((unit.labels.iter().position(is)?, at + 3));
    }
    let (label, _) = unit.label(&name, at)?;
    Some((index(unit, label), at + 1))
}

/// The last node of a label: of a section its last paragraph.
fn last_node(unit: &Unit, label: usize) -> usize {
    if !unit.labels.get(label).is_some_and(|l| l.is_section) {
        return label;
    }
    let later = unit.labels[label + 1..].iter().position(|l| l.is_section);
    later.map_or(unit.labels.len() - 1, |n| label + n)
}

fn handles_itself(command: &[Token]) -> bool {
    command
        .iter()
        .any(|t| t.is_any(&["RESP", "NOHANDLE", "RESP2"]))
}

/// Whether control may come to the end of these sentences. It does not where
/// the last one goes elsewhere whatever happens.
fn falls(unit: &Unit, tokens: &[Token], from: usize, to: usize) -> bool {
    const OPENS: &[&str] = &["IF", "EVALUATE", "SEARCH"];
    const CLOSES: &[&str] = &["END-IF", "END-EVALUATE", "END-SEARCH", "END-PERFORM"];
    const PHRASES: &[&str] = &["SIZE", "EXCEPTION", "OVERFLOW", "INVALID", "END"];
    let (mut depth, mut leaves, mut phrase) = (0usize, false, false);
    let (mut ended, mut at) = (false, from);
    while at < to.min(tokens.len()) {
        let t = &tokens[at];
        let next = |word: &str| tokens.get(at + 1).is_some_and(|n| n.is(word));
        if t.is_any(&["EXEC", "EXECUTE"]) {
            let end = skip_exec(tokens, at).max(at + 1);
            let command = &tokens[at..end.min(tokens.len())];
            let ends = command
                .get(2)
                .is_some_and(|t| t.is_any(&["RETURN", "XCTL", "ABEND"]));
            leaves |= depth == 0 && ends && !handles_itself(command);
            at = end;
            continue;
        }
        if is_period(tokens, at) {
            ended = leaves && !phrase;
            (depth, leaves, phrase) = (0, false, false);
        } else if t.is_any(OPENS) || t.is("PERFORM") && label_at(unit, tokens, at + 1).is_none() {
            depth += 1;
        } else if t.is_any(CLOSES) {
            depth = depth.saturating_sub(1);
        } else if t.is_any(PHRASES) {
            phrase = true;
        } else if t.is("GO") && depth == 0 {
            leaves |= !depends(unit, tokens, at);
        } else if t.is("GOBACK") || t.is("STOP") && next("RUN") || t.is("EXIT") && next("PROGRAM") {
            leaves |= depth == 0;
        }
        at += 1;
    }
    !ended
}

/// Whether a GO TO has DEPENDING ON.
fn depends(unit: &Unit, tokens: &[Token], at: usize) -> bool {
    let mut next = at + 1 + usize::from(tokens.get(at + 1).is_some_and(|t| t.is("TO")));
    while let Some((_, after)) = label_at(unit, tokens, next) {
        next = after;
    }
    tokens.get(next).is_some_and(|t| t.is("DEPENDING"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::copy::{Library, expand};
    use crate::outline::outline;

    /// The labels that can be reached with no PERFORM left, of those named.
    fn reentered(procedure: &str) -> Vec<String> {
        let source = format!(
            "identification division. program-id. a. data division. working-storage section.\n\
             procedure division.\n{procedure}"
        );
        let format = copybook::Format::Free;
        let tokens = expand(
            Path::new("a"),
            source.as_bytes(),
            format,
            &Library::default(),
        )
        .tokens;
        let unit = &outline(&tokens)[0];
        let Some(flow) = Flow::of(unit, &tokens) else {
            return vec!["none".to_owned()];
        };
        let all = unit.labels.iter().enumerate();
        all.filter(|(n, _)| flow.may_reenter(*n))
            .map(|(_, l)| l.name.to_lowercase())
            .collect()
    }

    #[test]
    fn a_label_of_the_main_line_is_and_one_within_a_perform_is_not() {
        let text = "main-line. exec cics handle condition notfnd(not-there) end-exec.\n\
             next-one. perform get-one. go to next-one.\n\
             not-there. add 1 to n. go to next-one.\n\
             finish. goback.\n\
             get-one. exec cics read file('f') into(x) ridfld(k) end-exec.\n\
             got. exit.\n";
        assert_eq!(
            reentered(text),
            ["main-line", "next-one", "not-there", "finish", "got"]
        );
        let within = "main-line. perform get-one thru got. goback.\n\
             get-one. exec cics handle condition notfnd(not-there) end-exec\n\
             exec cics read file('f') into(x) ridfld(k) end-exec. go to got.\n\
             not-there. move 1 to n.\n\
             got. exit.\n";
        assert_eq!(reentered(within), ["main-line"]);
    }

    #[test]
    fn a_label_that_goes_back_into_a_perform_is_not() {
        let text = "main-line. perform get-one thru got. goback.\n\
             get-one. exec cics read file('f') into(x) ridfld(k) end-exec.\n\
             got. exit.\n\
             elsewhere. exec cics handle condition notfnd(not-there) end-exec goback.\n\
             not-there. if n = 1 go to main-line else go to got end-if. goback.\n";
        assert_eq!(reentered(text), ["elsewhere"]);
    }

    #[test]
    fn what_the_text_does_not_tell_is_left_alone() {
        let text = "main-line. alter a to proceed to b. a. go to b. b. goback.\n";
        assert_eq!(reentered(text), ["none"]);
    }
}
