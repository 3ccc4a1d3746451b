//! `from BY to`: parsing the pairs and applying them.
//!
//! Reference: COBOL text manipulation, COPY REPLACING and REPLACE. Words are
//! compared without regard to case and blanks; what takes a text's place
//! stands where that text stood; parts of a word that end up side by side are
//! one word.

use crate::token::{Kind, Token, merge_adjacent};

/// One `from BY to`.
#[derive(Debug, Clone)]
pub(crate) struct Replacement {
    from: Vec<Token>,
    to: Vec<Token>,
    part: Part,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Leading,
    Trailing,
}

/// Parses `from BY to` pairs and gives the index after them.
pub(crate) fn parse_replacing(read: &[Token], mut at: usize) -> (Vec<Replacement>, usize) {
    let mut list = Vec::new();
    loop {
        let mut part = Part::Whole;
        let start = at;
        if let Some(t) = read.get(at) {
            if t.is("LEADING") {
                part = Part::Leading;
                at += 1;
            } else if t.is("TRAILING") {
                part = Part::Trailing;
                at += 1;
            }
        }
        let Some((from, after)) = operand(read, at) else {
            return (list, start);
        };
        if !read.get(after).is_some_and(|t| t.is("BY")) {
            return (list, start);
        }
        let Some((to, after)) = operand(read, after + 1) else {
            return (list, start);
        };
        if from.is_empty() {
            return (list, start);
        }
        list.push(Replacement { from, to, part });
        at = after;
    }
}

/// A pseudo-text, a literal, or an identifier with its subscripts.
fn operand(read: &[Token], at: usize) -> Option<(Vec<Token>, usize)> {
    let fence = |i: usize| {
        read.get(i).is_some_and(|t| t.is_mark('='))
            && read.get(i + 1).is_some_and(|t| t.is_mark('=') && !t.spaced)
    };
    if fence(at) {
        let mut end = at + 2;
        while end < read.len() {
            if fence(end) {
                return Some((read[at + 2..end].to_vec(), end + 2));
            }
            end += 1;
        }
        return None;
    }
    let first = read.get(at).filter(|t| !t.is_mark('.'))?;
    let mut end = at + 1;
    if first.kind == Kind::Word {
        loop {
            match read.get(end) {
                Some(t) if t.is_any(&["OF", "IN"]) => end += 2,
                Some(t) if t.is_mark('(') => {
                    let mut depth = 0;
                    while let Some(t) = read.get(end) {
                        end += 1;
                        depth += i32::from(t.is_mark('(')) - i32::from(t.is_mark(')'));
                        if depth == 0 {
                            break;
                        }
                    }
                }
                _ => break,
            }
        }
    }
    let end = end.min(read.len());
    Some((read[at..end].to_vec(), end))
}

/// Applies replacements; the first that matches at a place is taken.
pub(crate) fn replace(read: Vec<Token>, list: &[Replacement]) -> Vec<Token> {
    if list.is_empty() {
        return read;
    }
    let mut out: Vec<Token> = Vec::with_capacity(read.len());
    let mut at = 0;
    'tokens: while at < read.len() {
        for r in list {
            if r.part == Part::Whole {
                let n = r.from.len();
                if read.len() - at >= n && r.from.iter().zip(&read[at..]).all(|(a, b)| same(a, b)) {
                    out.extend(r.to.iter().enumerate().map(|(i, t)| Token {
                        kind: t.kind,
                        text: t.text.clone(),
                        place: read[at].place,
                        spaced: if i == 0 { read[at].spaced } else { t.spaced },
                        area_a: i == 0 && read[at].area_a,
                    }));
                    if r.to.is_empty()
                        && let Some(next) = read.get(at + n)
                        && read[at].spaced
                        && !next.spaced
                    {
                        // What follows a removed text keeps its blank.
                        out.push(Token {
                            spaced: true,
                            ..next.clone()
                        });
                        at += n + 1;
                        continue 'tokens;
                    }
                    at += n;
                    continue 'tokens;
                }
            } else if let Some(token) = replace_part(&read[at], r) {
                if !token.text.is_empty() {
                    out.push(token);
                }
                at += 1;
                continue 'tokens;
            }
        }
        out.push(read[at].clone());
        at += 1;
    }
    merge_adjacent(out)
}

fn same(a: &Token, b: &Token) -> bool {
    a.kind == b.kind
        && match a.kind {
            Kind::Literal => a.text == b.text,
            _ => a.text.eq_ignore_ascii_case(&b.text),
        }
}

fn replace_part(token: &Token, r: &Replacement) -> Option<Token> {
    if token.kind != Kind::Word || r.from.len() != 1 {
        return None;
    }
    let from: Vec<char> = r.from[0].text.chars().collect();
    let to: String = r.to.first().map(|t| t.text.clone()).unwrap_or_default();
    let text: Vec<char> = token.text.chars().collect();
    if text.len() < from.len() {
        return None;
    }
    let matches = |part: &[char]| {
        part.iter()
            .zip(&from)
            .all(|(a, b)| a.eq_ignore_ascii_case(b))
    };
    let rest = text.len() - from.len();
    let text: String = match r.part {
        Part::Leading if matches(&text[..from.len()]) => to
            .chars()
            .chain(text[from.len()..].iter().copied())
            .collect(),
        Part::Trailing if matches(&text[rest..]) => {
            text[..rest].iter().copied().chain(to.chars()).collect()
        }
        _ => return None,
    };
    Some(Token {
        text,
        ..token.clone()
    })
}
