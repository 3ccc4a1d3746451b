//! IDCAMS text: the commands with which a site defines and fills its files.
//!
//! ```text
//! JCL or commands ─▶ jcl: steps with their DDs ─▶ lex ─▶ parse ─▶ Deck
//! ```
//!
//! DEFINE CLUSTER, ALTERNATEINDEX and PATH, BLDINDEX, REPRO, DELETE, SET and IF
//! are understood; LISTCAT, PRINT and VERIFY are passed over with a warning,
//! since they change nothing; everything else is an error that names it. Keywords
//! for the place and form of data on a disk (VOLUMES, CYLINDERS, FREESPACE …) have
//! no meaning here and are accepted.
//!
//! Reference: IBM, *DFSMS Access Method Services Commands*, "Introduction"
//! (continuation, comments, abbreviations) and each command's page.
//!
//! Invariant: text in, data out. Nothing here opens a store.

mod define;
mod jcl;
mod keywords;
mod lex;
mod parse;

use std::collections::BTreeMap;

use base::Diagnostic;

use crate::file::{FileDef, FileName};
use crate::index::{CatalogueName, IndexDef, PathDef};

/// A text's commands, and everything that is wrong with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandDeck {
    /// The steps that run IDCAMS; one without a name for text that is not JCL.
    pub steps: Vec<JobStep>,
    /// In the order of the text. With an error among them, nothing of the deck
    /// is to be run.
    pub diagnostics: Vec<Diagnostic>,
}

/// A step of a job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobStep {
    /// Its name.
    pub name: Option<String>,
    /// Its commands.
    pub statements: Vec<Statement>,
    /// The meaning of its DD names.
    pub dds: BTreeMap<String, DdStatement>,
}

/// The meaning of a DD name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DdStatement {
    /// A data set.
    DataSet(String),
    /// Lines in the JCL itself.
    Lines(Vec<String>),
    /// Anything else: SYSOUT, DUMMY.
    Other,
}

/// A command and where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The command.
    pub command: Command,
}

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// DEFINE CLUSTER.
    DefineCluster(FileDef),
    /// DEFINE ALTERNATEINDEX.
    DefineIndex(IndexDef),
    /// DEFINE PATH.
    DefinePath(PathDef),
    /// BLDINDEX.
    BuildIndex {
        /// The base.
        base: DataRef,
        /// The indexes, or paths over them.
        indexes: Vec<DataRef>,
    },
    /// REPRO.
    Repro {
        /// The source of the records.
        from: DataRef,
        /// The target of the records.
        to: DataRef,
        /// Whether a record takes the place of one with its key: REPLACE.
        replace: bool,
        /// Whether existing records are removed first: REUSE.
        reuse: bool,
        /// Records to pass over first.
        skip: u64,
        /// Records to take at most.
        count: Option<u64>,
    },
    /// DELETE.
    Delete {
        /// The deleted entries.
        names: Vec<FileName>,
        /// The kind that the entries must have, if the command names one.
        kind: Option<EntryKind>,
    },
    /// SET LASTCC or MAXCC.
    Set(ConditionCode, u32),
    /// IF … THEN … ELSE.
    If {
        /// The compared code.
        code: ConditionCode,
        /// How.
        compare: CodeComparison,
        /// With what.
        value: u32,
        /// Done if so.
        then: Vec<Statement>,
        /// Done if not.
        otherwise: Vec<Statement>,
    },
    /// A command that shows or verifies, and is passed over.
    PassedOver(&'static str),
}

/// The kind of entries that DELETE names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// CLUSTER.
    Cluster,
    /// ALTERNATEINDEX.
    AlternateIndex,
    /// PATH.
    Path,
}

impl EntryKind {
    /// Whether an entry is of this kind.
    pub fn is(self, entry: &CatalogueName) -> bool {
        match entry {
            CatalogueName::File(_) => self == EntryKind::Cluster,
            CatalogueName::Index(_) => self == EntryKind::AlternateIndex,
            CatalogueName::Path(_) => self == EntryKind::Path,
        }
    }

    /// Its name in messages.
    pub fn text(self) -> &'static str {
        match self {
            EntryKind::Cluster => "a cluster",
            EntryKind::AlternateIndex => "an alternate index",
            EntryKind::Path => "a path",
        }
    }
}

/// A condition code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionCode {
    /// The condition code of the last command.
    Last,
    /// The greatest so far.
    Max,
}

/// How two codes are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeComparison {
    /// `=`, EQ.
    Equal,
    /// `¬=`, NE.
    NotEqual,
    /// `>`, GT.
    Greater,
    /// `<`, LT.
    Less,
    /// `>=`, GE.
    GreaterOrEqual,
    /// `<=`, LE.
    LessOrEqual,
}

/// The input or output of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataRef {
    /// INDATASET, OUTDATASET: a data set's name.
    DataSet(String),
    /// INFILE, OUTFILE: a DD name.
    Dd(String),
}

impl CodeComparison {
    /// Whether the code comparison holds.
    pub fn holds(self, left: u32, right: u32) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Greater => left > right,
            Self::Less => left < right,
            Self::GreaterOrEqual => left >= right,
            Self::LessOrEqual => left <= right,
        }
    }
}

/// Reads a deck: JCL if its first line begins with `//`, else bare commands.
/// Any text is accepted; errors are diagnostics.
pub fn parse(text: &str) -> CommandDeck {
    let mut deck = CommandDeck::default();
    for source in jcl::steps(text, &mut deck.diagnostics) {
        let tokens = lex::tokens(&source.lines, &mut deck.diagnostics);
        let statements = parse::statements(&tokens, &mut deck.diagnostics);
        deck.steps.push(JobStep {
            name: source.name,
            statements,
            dds: source.dds,
        });
    }
    deck.diagnostics
        .sort_by_key(|found| (found.line, found.column));
    deck
}
