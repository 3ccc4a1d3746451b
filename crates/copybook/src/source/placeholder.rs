//! Names between colons, as in `:TAG:-NAME`: what `COPY … REPLACING` has to put
//! something in place of. A text that still has them is not COBOL yet, so each is
//! reported once, and nothing else of it.

use std::collections::HashSet;

use crate::diagnostic::Diagnostics;

use super::piece::{PieceKind, TextPiece};

/// Reports each name between colons at its first place. Returns whether there is one.
pub fn report_placeholders(pieces: &[TextPiece], diagnostics: &mut Diagnostics) -> bool {
    let mut known = HashSet::new();
    let mut embedded = false;
    for (at, piece) in pieces.iter().enumerate() {
        // In EXEC SQL a host variable and its indicator look alike.
        embedded = (embedded || piece.is_word("EXEC")) && !piece.is_word("END-EXEC");
        let Some([open, name, close]) = pieces.get(at..at + 3) else {
            continue;
        };
        let shape = open.is_char(':') && name.kind == PieceKind::Word && close.is_char(':');
        if embedded || !shape || !known.insert(name.text.to_ascii_uppercase()) {
            continue;
        }
        let name = format!(":{}:", name.text);
        let mut place = open.at;
        place.length = u32::try_from(name.len()).unwrap_or(u32::MAX);
        let file = diagnostics.files.get(usize::from(place.file));
        let member = file.map_or("THIS", |f| member(&f.name));
        let help = format!(
            "create a copybook with COPY {member} REPLACING =={name}== BY ==…==. and use it"
        );
        diagnostics.error_help(
            place,
            format!("{name} is a placeholder that COPY with REPLACING must replace"),
            help,
        );
    }
    !known.is_empty()
}

/// A member's name from the path of its file.
fn member(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    match file.split('.').next() {
        Some(stem) if !stem.is_empty() => stem,
        _ => "THIS",
    }
}
