//! The entries of a data division, record by record.
//!
//! They are read from the tokens, before the compiler sees the program, for the
//! passes that need to know which groups vary in length. Places of fields are the
//! copybook crate's business; here only levels, names and clauses count.

use std::ops::Range;

use crate::outline::{is_period, skip_exec};
use crate::source::SourcePlace;
use crate::token::{Token, TokenKind};

/// A data description entry of a record.
#[derive(Debug, Default)]
pub struct DataEntry {
    /// 1 to 49.
    pub level: u8,
    /// In capitals; FILLER or a clause's first word where there is no name.
    pub name: String,
    /// The level number's place.
    pub place: SourcePlace,
    /// It has REDEFINES.
    pub redefines: bool,
    /// It has OCCURS.
    pub occurs: bool,
    /// It has OCCURS DEPENDING ON.
    pub varies: bool,
    /// The greatest number of elements and the counter of a table that varies, where
    /// the number is a literal.
    pub counter: Option<(u32, String)>,
}

/// The tokens of each data description entry of a data division, without its period.
/// Other sentences and headings are among them.
pub fn entry_ranges(tokens: &[Token], from: usize, to: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = from;
    while at < to {
        if tokens[at].is_any(&["EXEC", "EXECUTE"]) {
            at = skip_exec(tokens, at);
            continue;
        }
        let end = (at..to).find(|i| is_period(tokens, *i)).unwrap_or(to);
        found.push(at..end);
        at = end + 1;
    }
    found
}

/// The entries of each record in a range of tokens, levels 66, 77 and 88 left out.
pub fn records(tokens: &[Token], from: usize, to: usize) -> Vec<Vec<DataEntry>> {
    let mut records: Vec<Vec<DataEntry>> = Vec::new();
    for range in entry_ranges(tokens, from, to) {
        let Some(entry) = entry(&tokens[range]) else {
            continue;
        };
        match (entry.level, records.last_mut()) {
            (1, _) => records.push(vec![entry]),
            (2..=49, Some(record)) => record.push(entry),
            _ => {}
        }
    }
    records
}

fn entry(tokens: &[Token]) -> Option<DataEntry> {
    let first = tokens.first().filter(|t| t.kind == TokenKind::Word)?;
    let place = |word: &str| tokens.iter().position(|t| t.is(word));
    let (occurs, depending) = (place("OCCURS"), place("DEPENDING"));
    Some(DataEntry {
        level: first.text.parse().ok()?,
        name: tokens.get(1).map(Token::upper).unwrap_or_default(),
        place: first.place,
        redefines: place("REDEFINES").is_some(),
        occurs: occurs.is_some(),
        varies: occurs.is_some() && depending.is_some(),
        counter: counter(tokens, occurs, depending),
    })
}

fn counter(
    tokens: &[Token],
    occurs: Option<usize>,
    depending: Option<usize>,
) -> Option<(u32, String)> {
    let depending = depending?;
    let words = tokens.get(occurs?..depending)?;
    let mut numbers = words.iter().filter_map(|t| t.text.parse().ok());
    let counter = tokens[depending + 1..].iter().find(|t| !t.is("ON"))?;
    Some((numbers.next_back()?, counter.upper()))
}
