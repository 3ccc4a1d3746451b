//! COPY and REPLACE: bringing in members and exchanging text.
//!
//! Replacement works on pieces, so parts of words (`:TAG:-NAME`) and parts of
//! pictures (`X(:LEN:)`) can be exchanged. Replaced text keeps the position
//! of what it replaced, so that diagnostics point at the member's own lines.
//!
//! Reference: Enterprise COBOL Language Reference, "COPY statement" and
//! "REPLACE statement".
//!
//! Invariant: members never contain themselves, and no text grows without
//! bound, whatever a member or a replacement says.

use crate::diagnostic::{Diagnostics, SourcePosition};

use super::piece::{PieceKind, TextPiece};
use super::reader::read;
use super::replace::{ReplaceRule, RuleKind, apply};
use super::statement::PieceReader;
use super::{CopyResolver, LineOptions};

/// COPY inside COPY, at most so deep.
const MAX_DEPTH: usize = 64;
/// Members read in one expansion, at most.
const MAX_MEMBERS: usize = 4096;
/// Pieces in one expansion, at most.
const MAX_PIECES: usize = 4_000_000;

/// Expands every COPY statement, then carries out REPLACE statements.
pub fn expand(
    pieces: Vec<TextPiece>,
    lines: LineOptions,
    resolver: &dyn CopyResolver,
    diagnostics: &mut Diagnostics,
) -> Vec<TextPiece> {
    let mut expander = CopyExpander {
        lines,
        resolver,
        diagnostics,
        open: Vec::new(),
        members: 0,
        produced: 0,
    };
    let copied = expander.copies(pieces, &mut Vec::new());
    expander.replaces(copied)
}

struct CopyExpander<'a> {
    lines: LineOptions,
    resolver: &'a dyn CopyResolver,
    diagnostics: &'a mut Diagnostics,
    /// Names of the members being read, outermost first.
    open: Vec<String>,
    members: usize,
    produced: usize,
}

/// A COPY statement as read.
struct CopyStatement {
    member: String,
    library: Option<String>,
    rules: Vec<ReplaceRule>,
    at: SourcePosition,
    /// Index of the piece after its period.
    end: usize,
}

impl CopyExpander<'_> {
    /// Expands the COPY statements in `pieces`; `active` are the REPLACING
    /// phrases of the COPY statements around, outermost first.
    fn copies(
        &mut self,
        pieces: Vec<TextPiece>,
        active: &mut Vec<Vec<ReplaceRule>>,
    ) -> Vec<TextPiece> {
        let mut pieces = pieces;
        for rules in active.iter().rev() {
            pieces = apply(pieces, rules);
        }
        let mut out = Vec::with_capacity(pieces.len());
        let mut index = 0usize;
        while index < pieces.len() {
            let include = sql_include(&pieces, index);
            if include.is_none() {
                // COPY is an option of some commands.
                let end = block_end(&pieces, index).unwrap_or(index + 1);
                if end > index + 1 || !pieces[index].is_word("COPY") {
                    out.extend_from_slice(&pieces[index..end]);
                    index = end;
                    continue;
                }
            }
            let statement = match include {
                Some(include) => Some(include),
                None => self.statement(&pieces, index),
            };
            let Some(copy) = statement else {
                index = after_period(&pieces, index);
                continue;
            };
            index = copy.end;
            self.member(copy, active, &mut out);
        }
        out
    }

    /// Appends the expanded text of one member to `out`.
    fn member(
        &mut self,
        copy: CopyStatement,
        active: &mut Vec<Vec<ReplaceRule>>,
        out: &mut Vec<TextPiece>,
    ) {
        let name = copy.member.to_ascii_uppercase();
        if self.open.contains(&name) {
            let way = self.open.join(" copies ");
            let message = format!("COPY {name} would bring in itself ({way} copies {name})");
            self.diagnostics
                .missing_member(copy.at, copy.member, message, None);
            return;
        }
        self.members += 1;
        if self.open.len() >= MAX_DEPTH || self.members > MAX_MEMBERS {
            self.diagnostics
                .error(copy.at, "too many COPY members, or nested too deeply");
            return;
        }
        let text = match self.resolver.resolve(&copy.member, copy.library.as_deref()) {
            Ok(Some(member)) => member,
            Ok(None) => {
                let message = format!("there is no COPY member {}", copy.member);
                let help = Some(self.resolver.hint(&copy.member));
                self.diagnostics
                    .missing_member(copy.at, copy.member, message, help);
                return;
            }
            Err(reason) => {
                let message = format!("COPY member {} cannot be read: {reason}", copy.member);
                self.diagnostics
                    .missing_member(copy.at, copy.member, message, None);
                return;
            }
        };
        let file = self.diagnostics.add_file(&text.name, &text.text);
        let pieces = read(&text.text, file, self.lines, self.diagnostics);
        self.open.push(name);
        active.push(copy.rules);
        let expanded = self.copies(pieces, active);
        active.pop();
        self.open.pop();
        self.produced += expanded.len();
        if self.produced > MAX_PIECES {
            self.diagnostics
                .error(copy.at, "the text grows too long through COPY");
            return;
        }
        out.push(gap(copy.at));
        out.extend(expanded);
        out.push(gap(copy.at));
    }

    /// Reads the COPY statement at `index`; reports and returns `None` when it
    /// cannot be understood.
    fn statement(&mut self, pieces: &[TextPiece], index: usize) -> Option<CopyStatement> {
        let at = pieces[index].at;
        let mut reader = PieceReader::new(pieces, index + 1);
        let Some(member) = reader.name() else {
            self.diagnostics
                .error(reader.place(at), "COPY needs the name of a member");
            return None;
        };
        let mut library = None;
        if reader.accept("IN") || reader.accept("OF") {
            library = reader.name();
            if library.is_none() {
                self.diagnostics
                    .error(reader.place(at), "the name of a library is missing");
                return None;
            }
        }
        if reader.accept("SUPPRESS") {
            reader.accept("PRINTING");
        }
        let mut rules = Vec::new();
        if reader.accept("REPLACING") {
            rules = self.rules(&mut reader, at)?;
        }
        if !reader.period() {
            self.diagnostics.error_help(
                at,
                "a COPY statement ends with a period",
                "add the period, or REPLACING ==old== BY ==new== before it",
            );
            return None;
        }
        Some(CopyStatement {
            member,
            library,
            rules,
            at,
            end: reader.index,
        })
    }

    /// Reads `operand BY operand` pairs up to the period.
    fn rules(
        &mut self,
        reader: &mut PieceReader<'_>,
        at: SourcePosition,
    ) -> Option<Vec<ReplaceRule>> {
        let mut rules = Vec::new();
        loop {
            let kind = if reader.accept("LEADING") {
                RuleKind::Leading
            } else if reader.accept("TRAILING") {
                RuleKind::Trailing
            } else {
                RuleKind::Whole
            };
            let from_at = reader.place(at);
            let from = reader.operand();
            let by = reader.accept("BY");
            let to = if by { reader.operand() } else { None };
            let (Some(from), Some(to)) = (from, to) else {
                self.diagnostics.error_help(
                    reader.place(at),
                    "a replacement reads: old BY new",
                    "put pseudo-text between == and ==",
                );
                return None;
            };
            if from.is_empty() {
                self.diagnostics
                    .error(from_at, "the text to be replaced is empty");
                return None;
            }
            rules.push(ReplaceRule { kind, from, to });
            if reader.peek().is_none_or(|piece| piece.is_char('.')) {
                return Some(rules);
            }
        }
    }

    /// Carries out REPLACE statements: each holds up to the next.
    fn replaces(&mut self, pieces: Vec<TextPiece>) -> Vec<TextPiece> {
        if !pieces.iter().any(|p| p.is_word("REPLACE")) {
            return pieces;
        }
        let mut out = Vec::with_capacity(pieces.len());
        let mut rules: Vec<ReplaceRule> = Vec::new();
        let mut pending = Vec::new();
        let mut index = 0usize;
        while index < pieces.len() {
            if let Some(end) = block_end(&pieces, index) {
                pending.extend_from_slice(&pieces[index..end]);
                index = end;
                continue;
            }
            if !pieces[index].is_word("REPLACE") {
                pending.push(pieces[index].clone());
                index += 1;
                continue;
            }
            out.append(&mut apply(std::mem::take(&mut pending), &rules));
            let at = pieces[index].at;
            let mut reader = PieceReader::new(&pieces, index + 1);
            let also = reader.accept("ALSO");
            let last = !also && reader.accept("LAST");
            let next = if reader.accept("OFF") {
                Some(Vec::new())
            } else {
                self.rules(&mut reader, at)
            };
            match next {
                Some(_) if last => rules.clear(),
                Some(new) if also => rules.splice(0..0, new).for_each(drop),
                Some(new) => rules = new,
                None => {}
            }
            index = after_period(&pieces, reader.index.max(index + 1));
        }
        out.append(&mut apply(pending, &rules));
        out
    }
}

/// `EXEC SQL INCLUDE member END-EXEC`, which brings in text as COPY does. The
/// communication areas that the database brings itself are left as they are.
fn sql_include(pieces: &[TextPiece], index: usize) -> Option<CopyStatement> {
    if !(pieces[index].is_word("EXEC") || pieces[index].is_word("EXECUTE")) {
        return None;
    }
    let mut reader = PieceReader::new(pieces, index + 1);
    if !(reader.accept("SQL") && reader.accept("INCLUDE")) {
        return None;
    }
    let member = reader.name()?;
    if ["SQLCA", "SQLDA"].contains(&member.to_ascii_uppercase().as_str()) {
        return None;
    }
    if !reader.accept("END-EXEC") {
        return None;
    }
    reader.period();
    Some(CopyStatement {
        member,
        library: None,
        rules: Vec::new(),
        at: pieces[index].at,
        end: reader.index,
    })
}

/// The index after the `EXEC … END-EXEC` at `index`, if one is there.
fn block_end(pieces: &[TextPiece], index: usize) -> Option<usize> {
    if !(pieces[index].is_word("EXEC") || pieces[index].is_word("EXECUTE")) {
        return None;
    }
    let rest = &pieces[index + 1..];
    let mut words = rest.iter().enumerate().filter(|(_, p)| !p.is_gap());
    // EXECUTE is a statement of SQL itself.
    let is_sql = words.next().is_some_and(|(_, p)| p.is_word("SQL"));
    let second = words.next().filter(|_| is_sql).map(|(at, _)| at);
    let (end, _) = rest.iter().enumerate().find(|(at, p)| {
        let starts = ["EXEC", "EXECUTE"].iter().any(|w| p.is_word(w));
        p.is_word("END-EXEC") || starts && second != Some(*at)
    })?;
    rest[end].is_word("END-EXEC").then_some(index + end + 2)
}

/// The index after the next period that ends a sentence.
fn after_period(pieces: &[TextPiece], from: usize) -> usize {
    let mut index = from;
    while index < pieces.len() {
        let ends =
            pieces[index].is_char('.') && pieces.get(index + 1).is_none_or(TextPiece::is_gap);
        index += 1;
        if ends {
            break;
        }
    }
    index
}

fn gap(at: SourcePosition) -> TextPiece {
    TextPiece {
        kind: PieceKind::Gap,
        text: " ".into(),
        at,
        first_on_line: false,
    }
}
