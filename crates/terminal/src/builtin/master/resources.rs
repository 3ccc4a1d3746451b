//! What CEMT shows and changes: the only list of its resources.
//!
//! A row names the commands of the system programming interface that give and
//! take the values, so CEMT and programs see the same.

use cics::command::commands as rows;

use super::command::is_cut;

/// A kind of resource.
#[derive(Debug)]
pub struct ResourceKind {
    /// Its name.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Letters that make it unique.
    pub least: usize,
    /// Where its values come from.
    pub source: ValueSource,
    /// The label of its key.
    pub label: &'static str,
    /// Characters of its key.
    pub key_length: usize,
    /// What is shown.
    pub columns: &'static [ResourceColumn],
    /// What SET takes.
    pub words: &'static [SetWord],
    /// The command that SET gives; 0 for none.
    pub set: u16,
}

/// Where the values of a resource come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueSource {
    /// INQUIRE of this number, which can be browsed.
    Browse(u16),
    /// INQUIRE TASK.
    Tasks,
    /// INQUIRE SYSTEM.
    System,
    /// The door's own terminals.
    Terminals,
    /// It is not a resource, but a word of PERFORM.
    Nothing,
}

/// A value of a line.
#[derive(Debug)]
pub struct ResourceColumn {
    /// The option of INQUIRE.
    pub option: &'static str,
    /// How it is shown.
    pub show: ValueFormat,
}

/// How a value is shown.
#[derive(Debug, Clone, Copy)]
pub enum ValueFormat {
    /// The first three letters of a CVDA.
    Word,
    /// Characters after a label.
    Text(&'static str, usize),
    /// A number after a label.
    Number(&'static str, usize),
}

/// A word of SET.
#[derive(Debug)]
pub struct SetWord {
    /// The word.
    pub word: &'static str,
    /// Letters that make it unique.
    pub least: usize,
    /// The option of the command.
    pub option: &'static str,
    /// It takes a number in parentheses.
    pub takes_number: bool,
}

impl ResourceKind {
    /// Whether a word names it.
    pub fn is_called(&self, word: &str) -> bool {
        is_cut(self.name, self.least, word) || self.aliases.contains(&word)
    }

    /// Whether there is one of it, without a name.
    pub fn is_single(&self) -> bool {
        self.source == ValueSource::System
    }
}

const fn word(option: &'static str) -> ResourceColumn {
    let show = ValueFormat::Word;
    ResourceColumn { option, show }
}

const fn text(option: &'static str, label: &'static str, width: usize) -> ResourceColumn {
    let show = ValueFormat::Text(label, width);
    ResourceColumn { option, show }
}

const fn number(option: &'static str, label: &'static str, width: usize) -> ResourceColumn {
    let show = ValueFormat::Number(label, width);
    ResourceColumn { option, show }
}

const fn flag(word: &'static str, least: usize, option: &'static str) -> SetWord {
    SetWord {
        word,
        least,
        option,
        takes_number: false,
    }
}

const fn value(word: &'static str, least: usize, option: &'static str) -> SetWord {
    SetWord {
        word,
        least,
        option,
        takes_number: true,
    }
}

/// INQUIRE and SET.
pub const RESOURCES: &[ResourceKind] = &[
    ResourceKind {
        name: "TASK",
        aliases: &[],
        least: 2,
        source: ValueSource::Tasks,
        label: "Tas",
        key_length: 7,
        columns: &[
            text("TRANSACTION", "Tra", 4),
            text("FACILITY", "Fac", 4),
            word("RUNSTATUS"),
            number("PRIORITY", "Pri", 3),
            text("USERID", "Use", 8),
            text("SUSPENDTYPE", "Hty", 8),
        ],
        words: &[
            flag("PURGE", 2, "PURGE"),
            flag("FORCEPURGE", 2, "FORCEPURGE"),
            flag("KILL", 2, "KILL"),
            value("PRIORITY", 2, "PRIORITY"),
        ],
        set: rows::set_task::NUMBER,
    },
    ResourceKind {
        name: "TRANSACTION",
        aliases: &["TRANID", "TRANSID", "PCT"],
        least: 3,
        source: ValueSource::Browse(rows::inquire_transaction::NUMBER),
        label: "Tra",
        key_length: 4,
        columns: &[
            number("PRIORITY", "Pri", 3),
            text("PROGRAM", "Pro", 8),
            text("TRANCLASS", "Tcl", 8),
            word("STATUS"),
            word("PURGEABILITY"),
        ],
        words: &[
            flag("ENABLED", 2, "ENABLED"),
            flag("DISABLED", 2, "DISABLED"),
            flag("PURGEABLE", 2, "PURGEABLE"),
            flag("NOTPURGEABLE", 2, "NOTPURGEABLE"),
            value("PRIORITY", 2, "PRIORITY"),
        ],
        set: rows::set_transaction::NUMBER,
    },
    ResourceKind {
        name: "PROGRAM",
        aliases: &["PPT"],
        least: 3,
        source: ValueSource::Browse(rows::inquire_program::NUMBER),
        label: "Prog",
        key_length: 8,
        columns: &[
            word("LANGUAGE"),
            word("PROGTYPE"),
            word("STATUS"),
            number("USECOUNT", "Use", 7),
            word("CONCURRENCY"),
        ],
        words: &[
            flag("NEWCOPY", 2, "NEWCOPY"),
            flag("PHASEIN", 2, "PHASEIN"),
            flag("ENABLED", 2, "ENABLED"),
            flag("DISABLED", 2, "DISABLED"),
        ],
        set: rows::set_program::NUMBER,
    },
    ResourceKind {
        name: "FILE",
        aliases: &["DATASET", "FCT"],
        least: 2,
        source: ValueSource::Browse(rows::inquire_file::NUMBER),
        label: "Fil",
        key_length: 8,
        columns: &[
            word("ACCESSMETHOD"),
            word("OPENSTATUS"),
            word("ENABLESTATUS"),
            word("READ"),
            word("UPDATE"),
            word("ADD"),
            word("BROWSE"),
            word("DELETE"),
        ],
        words: &[
            flag("OPEN", 2, "OPEN"),
            flag("CLOSED", 2, "CLOSED"),
            flag("CLOSE", 2, "CLOSED"),
            flag("ENABLED", 2, "ENABLED"),
            flag("DISABLED", 2, "DISABLED"),
            flag("READ", 2, "READABLE"),
            flag("NOREAD", 3, "NOTREADABLE"),
            flag("UPDATE", 2, "UPDATABLE"),
            flag("NOUPDATE", 3, "NOTUPDATABLE"),
            flag("ADD", 2, "ADDABLE"),
            flag("NOADD", 3, "NOTADDABLE"),
            flag("BROWSE", 2, "BROWSABLE"),
            flag("NOBROWSE", 3, "NOTBROWSABLE"),
            flag("DELETE", 2, "DELETABLE"),
            flag("NODELETE", 3, "NOTDELETABLE"),
        ],
        set: rows::set_file::NUMBER,
    },
    ResourceKind {
        name: "TERMINAL",
        aliases: &["TCT"],
        least: 2,
        source: ValueSource::Terminals,
        label: "Ter",
        key_length: 4,
        columns: &[],
        words: &[
            flag("PURGE", 2, "PURGE"),
            flag("FORCEPURGE", 2, "FORCEPURGE"),
            flag("RELEASED", 2, "RELEASED"),
            flag("UCTRAN", 2, "UCTRAN"),
            flag("NOUCTRAN", 3, "NOUCTRAN"),
            flag("TRANIDONLY", 3, "TRANIDONLY"),
        ],
        set: 0,
    },
    ResourceKind {
        name: "TCLASS",
        aliases: &["TRANCLASS"],
        least: 2,
        source: ValueSource::Browse(rows::inquire_tranclass::NUMBER),
        label: "Tcl",
        key_length: 8,
        columns: &[
            number("MAXACTIVE", "Max", 3),
            number("ACTIVE", "Act", 3),
            number("QUEUED", "Que", 5),
        ],
        words: &[
            value("MAXIMUM", 3, "MAXACTIVE"),
            value("MAXACTIVE", 3, "MAXACTIVE"),
        ],
        set: rows::set_tranclass::NUMBER,
    },
    ResourceKind {
        name: "TSQUEUE",
        aliases: &["TSQNAME"],
        least: 2,
        source: ValueSource::Browse(rows::inquire_tsqueue::NUMBER),
        label: "Tsq",
        key_length: 16,
        columns: &[
            number("NUMITEMS", "Num", 5),
            number("FLENGTH", "Len", 10),
            word("LOCATION"),
            word("RECOVSTATUS"),
        ],
        words: &[],
        set: 0,
    },
    ResourceKind {
        name: "TDQUEUE",
        aliases: &["QUEUE", "DCT"],
        least: 2,
        source: ValueSource::Browse(rows::inquire_tdqueue::NUMBER),
        label: "Tdq",
        key_length: 4,
        columns: &[word("TYPE"), word("ENABLESTATUS")],
        words: &[],
        set: 0,
    },
    ResourceKind {
        name: "SYSTEM",
        aliases: &[],
        least: 2,
        source: ValueSource::System,
        label: "",
        key_length: 0,
        columns: &[
            number("MAXTASKS", "Maxtasks", 5),
            number("RUNAWAY", "Runaway", 7),
            number("PRTYAGING", "Priorityaging", 5),
        ],
        words: &[
            value("MAXTASKS", 3, "MAXTASKS"),
            value("RUNAWAY", 3, "RUNAWAY"),
        ],
        set: rows::set_system::NUMBER,
    },
];

/// PERFORM.
pub const PERFORMED: &[ResourceKind] = &[
    performed("SHUTDOWN", 2),
    performed("STATISTICS", 2),
    performed("RESETTIME", 3),
];

const fn performed(name: &'static str, least: usize) -> ResourceKind {
    ResourceKind {
        name,
        aliases: &[],
        least,
        source: ValueSource::Nothing,
        label: "",
        key_length: 0,
        columns: &[],
        words: &[],
        set: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cics::command::by_number;

    #[test]
    fn every_column_and_every_word_is_an_option_of_its_command() {
        for resource in RESOURCES {
            let inquired = match resource.source {
                ValueSource::Browse(number) => Some(number),
                ValueSource::Tasks => Some(rows::inquire_task::NUMBER),
                ValueSource::System => Some(rows::inquire_system::NUMBER),
                ValueSource::Terminals | ValueSource::Nothing => None,
            };
            let name = resource.name;
            if let Some(row) = inquired.and_then(by_number) {
                for column in resource.columns {
                    assert!(
                        row.index_of(column.option).is_some(),
                        "{name} {}",
                        column.option
                    );
                }
            }
            if let Some(row) = by_number(resource.set).filter(|_| resource.set != 0) {
                for word in resource.words {
                    assert!(row.index_of(word.option).is_some(), "{name} {}", word.word);
                }
            }
        }
    }

    #[test]
    fn a_word_cut_off_to_its_least_names_one_thing() {
        for resource in RESOURCES {
            let least = &resource.name[..resource.least];
            let first = RESOURCES.iter().find(|r| r.is_called(least)).unwrap();
            assert_eq!(first.name, resource.name);
            for word in resource.words {
                let least = &word.word[..word.least];
                let first = resource
                    .words
                    .iter()
                    .find(|w| is_cut(w.word, w.least, least));
                assert_eq!(first.unwrap().option, word.option, "{least}");
            }
        }
    }
}
