//! Jobs: as much of JCL as runs programs with their files.
//!
//! Supported are JOB, EXEC PGM with PARM and COND, DD with DSN, DISP, SYSOUT, DUMMY
//! and in-stream data. Operands on placement on a disk, on resource limits and on
//! accounting are accepted without effect. Everything else is an error with its
//! line and column.
//!
//! Reference: IBM, *z/OS MVS JCL Reference*.
//!
//! Invariant: text in, data out; no text makes the reader panic.

mod lex;
mod parse;

use base::{Diagnostic, Severity};

pub use parse::parse;

/// A job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JclJob {
    /// Its name.
    pub name: String,
    /// Tests of JOB COND: when one holds, no further step runs.
    pub cond: Vec<CondTest>,
    /// Its steps.
    pub steps: Vec<JclStep>,
    /// In the order of the text. With an error among them nothing is to run.
    pub diagnostics: Vec<Diagnostic>,
}

/// A step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JclStep {
    /// Its name; empty if it has none.
    pub name: String,
    /// PGM.
    pub program: String,
    /// Line of its EXEC, from 1.
    pub line: u32,
    /// Column of the program's name, from 1.
    pub column: u32,
    /// The last line that belongs to it.
    pub last_line: u32,
    /// PARM.
    pub parm: Option<String>,
    /// COND: when one of the tests holds, the step does not run.
    pub cond: Vec<CondTest>,
    /// Whether it runs after an abend (EVEN, ONLY).
    pub after_abend: AfterAbend,
    /// Its DDs, in their order.
    pub dds: Vec<DdConcatenation>,
}

/// Whether a step runs when one before it ended abnormally.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AfterAbend {
    /// It does not.
    #[default]
    No,
    /// It does too: COND=EVEN.
    Even,
    /// Only then: COND=ONLY.
    Only,
}

/// A test of COND. It is true if `code` has this relation to a step's condition
/// code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CondTest {
    /// The code to compare.
    pub code: u32,
    /// How.
    pub operator: CondOperator,
    /// The step; every earlier step when absent.
    pub step: Option<String>,
}

/// The relation of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CondOperator {
    /// GT.
    Greater,
    /// GE.
    GreaterOrEqual,
    /// EQ.
    Equal,
    /// NE.
    NotEqual,
    /// LT.
    Less,
    /// LE.
    LessOrEqual,
}

/// A DD statement with those that are concatenated to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DdConcatenation {
    /// Its name.
    pub name: String,
    /// Line, from 1.
    pub line: u32,
    /// Its parts, one for each data set.
    pub parts: Vec<DdPart>,
}

/// One data set of a DD statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DdPart {
    /// A data set.
    DataSet {
        /// Its name; with `&&` in front of it for this job alone.
        name: String,
        /// Whether it exists before the step.
        status: Status,
        /// Its disposition at the end of the step.
        normal: DataSetDisposition,
        /// And when it ends abnormally.
        abnormal: DataSetDisposition,
    },
    /// Lines in the job.
    Lines(String),
    /// SYSOUT.
    Output,
    /// DUMMY.
    Dummy,
}

/// The first part of DISP.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Status {
    /// NEW: it is made.
    #[default]
    New,
    /// OLD or SHR: it is there.
    Old,
    /// MOD: records are added at its end.
    Mod,
}

/// The second and the third part of DISP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataSetDisposition {
    /// Not given, for an existing data set: it is kept.
    Usual,
    /// KEEP, CATLG or UNCATLG: it stays.
    Keep,
    /// DELETE: it is deleted.
    Delete,
    /// PASS: it is kept for later steps; a new data set is deleted at the end
    /// of the job.
    Pass,
}

impl JclJob {
    /// Whether something is wrong with the text.
    pub fn has_errors(&self) -> bool {
        let mut found = self.diagnostics.iter();
        found.any(|d| d.severity == Severity::Error)
    }
}

impl CondTest {
    /// Whether the COND test is true for a condition code.
    pub fn holds(&self, code: u32) -> bool {
        match self.operator {
            CondOperator::Greater => self.code > code,
            CondOperator::GreaterOrEqual => self.code >= code,
            CondOperator::Equal => self.code == code,
            CondOperator::NotEqual => self.code != code,
            CondOperator::Less => self.code < code,
            CondOperator::LessOrEqual => self.code <= code,
        }
    }
}
