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
    ("drive", 7),
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
    ("capture", 9),
    ("cics", 3),
    ("copybook", 8),
    ("drive", 17),
    ("gateway", 24),
    ("ipconn", 2),
    ("kernel", 3),
    ("lab", 2),
    ("measure", 3),
    ("region", 5),
    ("script", 8),
    ("sna", 6),
    ("soap", 1),
    ("sockets", 1),
    ("sql", 6),
    ("store", 4),
    ("terminal", 1),
    ("translator", 6),
    ("tupelo", 12),
    ("web", 2),
    ("worker", 5),
    ("xtask", 2),
];

/// Phrases of [`super::phrases::PHRASES`].
pub const PHRASES: &[(&str, usize)] = &[
    ("advise", 44),
    ("appc", 79),
    ("batch", 98),
    ("capture", 11),
    ("cics", 107),
    ("copybook", 172),
    ("cpic", 23),
    ("drive", 320),
    ("ezasoket", 2),
    ("fetch", 3),
    ("gateway", 176),
    ("ipconn", 75),
    ("kernel", 516),
    ("lab", 144),
    ("link", 28),
    ("measure", 76),
    ("region", 441),
    ("runtime", 1),
    ("script", 52),
    ("sna", 27),
    ("soap", 8),
    ("sockets", 22),
    ("sql", 12),
    ("store", 48),
    ("tn3270", 1),
    ("translator", 70),
    ("tupelo", 1472),
    ("web", 21),
    ("worker", 206),
    ("xtask", 132),
];

/// Type names of one word that no manual has, see [`super::names`].
pub const ONE_WORD: &[(&str, usize)] = &[
    ("advise", 67),
    ("appc", 57),
    ("batch", 43),
    ("bms", 9),
    ("capture", 169),
    ("cics", 30),
    ("copybook", 107),
    ("cpic", 1),
    ("database", 13),
    ("drive", 121),
    ("ezasoket", 17),
    ("fetch", 8),
    ("gateway", 291),
    ("ipconn", 83),
    ("kernel", 161),
    ("lab", 87),
    ("link", 34),
    ("measure", 29),
    ("region", 90),
    ("runtime", 40),
    ("script", 74),
    ("sna", 137),
    ("soap", 56),
    ("sockets", 75),
    ("sql", 32),
    ("store", 146),
    ("terminal", 30),
    ("tls", 5),
    ("tn3270", 19),
    ("translator", 46),
    ("tupelo", 161),
    ("web", 56),
    ("webtask", 15),
    ("worker", 87),
    ("xtask", 42),
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
