//! Bounds that may only fall: what each crate has of a thing that is to go.
//!
//! `cargo xtask tidy` fails when a crate has more than its row says, and prints a
//! line when it has less: then the row is lowered. A crate without a row has none.

/// Top-level modules of a crate that use one another in circles.
pub const IN_CIRCLES: &[(&str, usize)] = &[
    ("advise", 10),
    ("appc", 4),
    ("batch", 3),
    ("capture", 13),
    ("drive", 9),
    ("ezasoket", 3),
    ("gateway", 9),
    ("lab", 3),
    ("link", 2),
    ("script", 14),
    ("sna", 2),
    ("sockets", 8),
    ("sql", 7),
    ("store", 6),
    ("terminal", 4),
    ("translator", 7),
    ("tupelo", 2),
    ("web", 7),
    ("webtask", 4),
    ("worker", 15),
];

/// Functions of more than [`super::functions::MOST_LINES`] lines.
pub const LONG_FUNCTIONS: &[(&str, usize)] = &[
    ("advise", 3),
    ("batch", 1),
    ("capture", 7),
    ("cics", 3),
    ("copybook", 8),
    ("drive", 18),
    ("gateway", 25),
    ("ipconn", 2),
    ("kernel", 6),
    ("lab", 2),
    ("measure", 1),
    ("region", 5),
    ("script", 9),
    ("sna", 6),
    ("soap", 1),
    ("sockets", 1),
    ("sql", 6),
    ("store", 4),
    ("synth", 1),
    ("terminal", 1),
    ("translator", 7),
    ("tupelo", 10),
    ("web", 3),
    ("worker", 5),
    ("xtask", 2),
];

/// Phrases of [`super::phrases::PHRASES`].
pub const PHRASES: &[(&str, usize)] = &[
    ("measure", 1),
    ("runtime", 1),
    ("sql", 1),
    ("tn3270", 1),
    ("tupelo", 14),
];

/// Type names of one word that no manual has, see [`super::names`].
pub const ONE_WORD: &[(&str, usize)] = &[
    ("advise", 8),
    ("appc", 9),
    ("bms", 4),
    ("capture", 3),
    ("cics", 4),
    ("copybook", 6),
    ("database", 2),
    ("drive", 17),
    ("ezasoket", 4),
    ("gateway", 59),
    ("kernel", 6),
    ("lab", 2),
    ("link", 4),
    ("script", 14),
    ("sna", 38),
    ("soap", 15),
    ("sockets", 8),
    ("sql", 3),
    ("store", 56),
    ("terminal", 1),
    ("tn3270", 6),
    ("tupelo", 6),
    ("web", 14),
    ("webtask", 1),
];

/// Compares what a crate has with its row.
pub fn check(
    table: &[(&str, usize)],
    crate_name: &str,
    has: usize,
    what: &str,
    broken: &mut Vec<String>,
) {
    let row = table.iter().find(|(name, _)| *name == crate_name);
    let most = row.map_or(0, |(_, most)| *most);
    if has > most {
        broken.push(format!("{crate_name}: {has} {what}, at most {most} may be"));
    } else if has < most {
        println!("{crate_name}: {has} {what}: lower its row from {most} in tidy/ratchets.rs");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_more_than_the_row_breaks_the_rule() {
        let said = |has| {
            let mut broken = Vec::new();
            check(&[("a", 2)], "a", has, "things", &mut broken);
            broken.len()
        };
        assert_eq!([said(1), said(2), said(3)], [0, 0, 1]);
    }
}
