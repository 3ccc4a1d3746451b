//! Copybooks made from a seed: the same every time, and valid by construction.

use base::SeededRandom;
use std::fmt::Write as _;

/// What is being written.
struct Writer {
    random: SeededRandom,
    text: String,
    names: u32,
    /// Names of items that can count, in the record outside tables.
    counters: Vec<String>,
    /// Whether the record may have tables of varying length. In such a record
    /// GnuCOBOL neither aligns items nor lets redefinitions overlay, so there
    /// are none.
    varies: bool,
}

/// The copybook of one seed, in fixed format.
pub fn copybook(seed: u64) -> String {
    let mut writer = Writer {
        random: SeededRandom::new(seed),
        text: String::new(),
        names: 0,
        counters: Vec::new(),
        varies: seed.is_multiple_of(3),
    };
    let _ = writeln!(writer.text, "       01  REC-{seed}.");
    writer.counter(5);
    let items = 3 + writer.random.below(6);
    for _ in 0..items {
        writer.item(5, ItemFreedom::all());
    }
    writer.text
}

/// What an item at some place may be.
#[derive(Clone, Copy)]
struct ItemFreedom {
    /// OCCURS allowed so many levels deep.
    tables: u8,
    /// DEPENDING ON allowed.
    varies: bool,
}

impl ItemFreedom {
    fn all() -> Self {
        ItemFreedom {
            tables: 3,
            varies: true,
        }
    }

    fn fixed(self) -> Self {
        ItemFreedom {
            varies: false,
            ..self
        }
    }

    fn inside_table(self) -> Self {
        ItemFreedom {
            tables: self.tables.saturating_sub(1),
            varies: false,
        }
    }
}

impl Writer {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("F-{}", self.names)
    }

    fn line(&mut self, level: u8, text: &str) {
        let indent = usize::from(level / 5) * 2;
        // Long entries continue over two lines, as people write them.
        let entry = format!("{level:02}  {text}");
        let _ = match entry.char_indices().rfind(|(i, c)| *c == ' ' && *i < 48) {
            Some((at, _)) if entry.len() > 52 => writeln!(
                self.text,
                "{:width$}{}\n{:width$}    {}",
                "",
                &entry[..at],
                "",
                &entry[at + 1..],
                width = 7 + indent
            ),
            _ => writeln!(self.text, "{:width$}{entry}", "", width = 7 + indent),
        };
    }

    fn counter(&mut self, level: u8) {
        let name = self.name();
        let clause = self.random.pick(&[
            "PIC 99.",
            "PIC S9(4) COMP.",
            "PIC 9(3) COMP-3.",
            "PIC 9(4) COMP-5.",
        ]);
        self.line(level, &format!("{name} {clause}"));
        self.counters.push(name);
    }

    /// One item, possibly with items below and redefinitions after it.
    fn item(&mut self, level: u8, freedom: ItemFreedom) {
        let name = match self.random.below(9) {
            0 => "FILLER".to_owned(),
            _ => self.name(),
        };
        let is_group = level < 20 && self.random.one_in(3);
        let (occurs, varies) = self.occurs(freedom);
        if is_group {
            let usage =
                self.random
                    .pick(&["", "", "", "", " USAGE DISPLAY", " SIGN LEADING SEPARATE"]);
            self.line(level, &format!("{name}{occurs}{usage}."));
            let inner = if occurs.is_empty() {
                freedom
            } else {
                freedom.inside_table()
            };
            for _ in 0..1 + self.random.below(4) {
                self.item(level + 5, inner);
            }
            // A group that varies cannot be redefined.
            if !freedom.varies && !varies {
                self.redefinition(level, &name, freedom);
            }
        } else {
            let clause = self.elementary();
            let (first, second) = if self.random.one_in(2) {
                (clause, occurs)
            } else {
                (occurs.trim_start().to_owned(), format!(" {clause}"))
            };
            let text = format!("{name} {first}{second}.");
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            self.line(level, &text);
            if !varies {
                self.redefinition(level, &name, freedom);
            }
        }
    }

    fn occurs(&mut self, freedom: ItemFreedom) -> (String, bool) {
        if freedom.tables == 0 || !self.random.one_in(4) {
            return (String::new(), false);
        }
        let most = 2 + self.random.below(5);
        if freedom.varies && self.varies && self.random.one_in(3) {
            let least = self.random.below(2);
            let at = self.random.below(self.counters.len() as u64) as usize;
            let counter = self.counters[at].clone();
            let clause = format!(" OCCURS {least} TO {most} TIMES DEPENDING ON {counter}");
            return (clause, true);
        }
        (format!(" OCCURS {most} TIMES"), false)
    }

    fn redefinition(&mut self, level: u8, name: &str, freedom: ItemFreedom) {
        if name == "FILLER" || self.varies || !self.random.one_in(4) {
            return;
        }
        for _ in 0..1 + self.random.below(2) {
            let own = self.name();
            if self.random.one_in(2) || level >= 20 {
                let size = 1 + self.random.below(20);
                self.line(level, &format!("{own} REDEFINES {name} PIC X({size})."));
            } else {
                self.line(level, &format!("{own} REDEFINES {name}."));
                for _ in 0..1 + self.random.below(3) {
                    self.item(level + 5, freedom.fixed());
                }
            }
        }
    }

    /// PICTURE, USAGE, SIGN and SYNC of an elementary item.
    fn elementary(&mut self) -> String {
        let sync = self.random.pick(&["", "", " SYNC", " SYNCHRONIZED"]);
        let sync = if self.varies { "" } else { sync };
        let whole = 1 + self.random.below(9);
        let fraction = self.random.below(5);
        let sign = self.random.pick(&["", "S"]);
        let number = match fraction {
            0 => format!("{sign}9({whole})"),
            n => format!("{sign}9({whole})V{}", "9".repeat(n as usize)),
        };
        match self.random.below(12) {
            0 | 1 => format!("PIC X({}){sync}", 1 + self.random.below(30)),
            2 => format!("PIC {number}"),
            3 => {
                let place = self.random.pick(&[
                    "SIGN IS LEADING",
                    "SIGN TRAILING",
                    "LEADING SEPARATE CHARACTER",
                    "SIGN TRAILING SEPARATE",
                ]);
                format!("PIC S9({whole}) {place}")
            }
            4 => {
                let usage = self
                    .random
                    .pick(&["COMP", "BINARY", "COMP-4", "COMPUTATIONAL"]);
                format!("PIC {number} {usage}{sync}")
            }
            5 => format!("PIC {number} COMP-5{sync}"),
            6 => {
                let usage = self.random.pick(&["COMP-3", "PACKED-DECIMAL"]);
                format!("{usage} PIC {number}{sync}")
            }
            7 => format!("PIC 9({whole}) COMP-6"),
            8 => format!("PIC {number} COMP-X{sync}"),
            9 => {
                let usage = self.random.pick(&[
                    "COMP-1",
                    "COMP-2",
                    "INDEX",
                    "POINTER",
                    "PROCEDURE-POINTER",
                    "BINARY-CHAR",
                    "BINARY-SHORT UNSIGNED",
                    "BINARY-LONG",
                    "BINARY-DOUBLE SIGNED",
                    "FLOAT-SHORT",
                    "FLOAT-LONG",
                ]);
                format!("USAGE {usage}{sync}")
            }
            10 => {
                let picture = self.random.pick(&[
                    "ZZ,ZZ9.99-",
                    "$$$,$$9.99CR",
                    "-(5)9",
                    "+++9.9",
                    "**,**9.99",
                    "99/99/9999",
                    "X(3)BX(3)",
                    "9(3)B9(3)",
                    "ZZZ9DB",
                    "A(5)",
                    "A(2)X9",
                    "X/X0X",
                ]);
                format!("PIC {picture}")
            }
            _ => {
                let picture = self
                    .random
                    .pick(&["PPP99", "S99PPP", "VPP9(3)", "9(3)PPV", "SP9"]);
                let usage = self.random.pick(&["", " COMP", " COMP-3", " COMP-5"]);
                format!("PIC {picture}{usage}")
            }
        }
    }
}
