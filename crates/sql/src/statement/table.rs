//! The table of statements: the single list of what EXEC SQL may be.
//!
//! A row has the words that a statement begins with, its name in the manual and
//! whether it is served. Parser, precompiler and reference take it from here;
//! a new statement is a row and its reading in `read.rs`.
//!
//! Reference: Db2 for z/OS SQL Reference, "Statements".

/// Kinds of statements. The numbers are those of the statement block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum StatementKind {
    /// SELECT INTO.
    SelectInto = 1,
    /// DECLARE CURSOR; declarative.
    DeclareCursor = 2,
    /// OPEN.
    Open = 3,
    /// FETCH.
    Fetch = 4,
    /// CLOSE.
    Close = 5,
    /// INSERT.
    Insert = 6,
    /// UPDATE, searched or positioned.
    Update = 7,
    /// DELETE, searched or positioned.
    Delete = 8,
    /// MERGE.
    Merge = 9,
    /// SET of host variables, and VALUES INTO.
    SetVariables = 10,
    /// SET of a special register.
    SetRegister = 11,
    /// PREPARE.
    Prepare = 12,
    /// EXECUTE.
    Execute = 13,
    /// EXECUTE IMMEDIATE.
    ExecuteImmediate = 14,
    /// DESCRIBE.
    Describe = 15,
    /// COMMIT.
    Commit = 16,
    /// ROLLBACK.
    Rollback = 17,
    /// SAVEPOINT.
    Savepoint = 18,
    /// RELEASE SAVEPOINT.
    ReleaseSavepoint = 19,
    /// ROLLBACK TO SAVEPOINT.
    RollbackToSavepoint = 20,
    /// LOCK TABLE.
    LockTable = 21,
    /// CONNECT and SET CONNECTION.
    Connect = 22,
    /// CREATE, ALTER, DROP, GRANT, REVOKE and their like.
    Definition = 23,
    /// GET DIAGNOSTICS.
    GetDiagnostics = 24,
    /// CALL.
    Call = 25,
    /// DECLARE TABLE; declarative.
    DeclareTable = 40,
    /// BEGIN DECLARE SECTION; declarative.
    BeginSection = 41,
    /// END DECLARE SECTION; declarative.
    EndSection = 42,
    /// INCLUDE; declarative.
    Include = 43,
    /// WHENEVER; declarative.
    Whenever = 44,
    /// DECLARE STATEMENT; declarative.
    DeclareStatement = 45,
    /// DECLARE VARIABLE; declarative.
    DeclareVariable = 46,
    /// A statement that is known and not served.
    Other = 63,
}

impl StatementKind {
    /// Every kind that a statement block may have.
    const EXECUTABLE: &[StatementKind] = &[
        Self::SelectInto,
        Self::Open,
        Self::Fetch,
        Self::Close,
        Self::Insert,
        Self::Update,
        Self::Delete,
        Self::Merge,
        Self::SetVariables,
        Self::SetRegister,
        Self::Prepare,
        Self::Execute,
        Self::ExecuteImmediate,
        Self::Describe,
        Self::Commit,
        Self::Rollback,
        Self::Savepoint,
        Self::ReleaseSavepoint,
        Self::RollbackToSavepoint,
        Self::LockTable,
        Self::Connect,
        Self::Definition,
        Self::GetDiagnostics,
        Self::Call,
        Self::Other,
    ];

    /// The executable kind with a number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::EXECUTABLE
            .iter()
            .copied()
            .find(|k| *k as u8 == number)
    }

    /// Whether it becomes a call; the others only declare something.
    pub fn is_executable(self) -> bool {
        Self::EXECUTABLE.contains(&self)
    }
}

/// Whether a statement is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementSupport {
    /// Supported.
    Yes,
    /// Known and refused, with the reason.
    No(&'static str),
}

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatementForm {
    /// The words it begins with.
    pub words: &'static [&'static str],
    /// Its name in the manual.
    pub name: &'static str,
    /// The statement's kind.
    pub kind: StatementKind,
    /// Whether it is served.
    pub served: StatementSupport,
}

const fn row(
    words: &'static [&'static str],
    name: &'static str,
    kind: StatementKind,
) -> StatementForm {
    StatementForm {
        words,
        name,
        kind,
        served: StatementSupport::Yes,
    }
}

const fn no(
    words: &'static [&'static str],
    name: &'static str,
    why: &'static str,
) -> StatementForm {
    StatementForm {
        words,
        name,
        kind: StatementKind::Other,
        served: StatementSupport::No(why),
    }
}

use StatementKind as K;

/// Every statement; of two rows that fit, the one with more words counts.
pub const FORMS: &[StatementForm] = &[
    row(&["SELECT"], "SELECT INTO", K::SelectInto),
    row(&["WITH"], "SELECT INTO", K::SelectInto),
    row(&["OPEN"], "OPEN", K::Open),
    row(&["FETCH"], "FETCH", K::Fetch),
    row(&["CLOSE"], "CLOSE", K::Close),
    row(&["INSERT"], "INSERT", K::Insert),
    row(&["UPDATE"], "UPDATE", K::Update),
    row(&["DELETE"], "DELETE", K::Delete),
    row(&["MERGE"], "MERGE", K::Merge),
    row(&["SET"], "SET", K::SetVariables),
    row(&["VALUES"], "VALUES INTO", K::SetVariables),
    row(&["PREPARE"], "PREPARE", K::Prepare),
    row(&["EXECUTE"], "EXECUTE", K::Execute),
    row(
        &["EXECUTE", "IMMEDIATE"],
        "EXECUTE IMMEDIATE",
        K::ExecuteImmediate,
    ),
    row(&["DESCRIBE"], "DESCRIBE", K::Describe),
    row(&["COMMIT"], "COMMIT", K::Commit),
    row(&["ROLLBACK"], "ROLLBACK", K::Rollback),
    row(&["SAVEPOINT"], "SAVEPOINT", K::Savepoint),
    row(&["RELEASE"], "RELEASE SAVEPOINT", K::ReleaseSavepoint),
    row(&["LOCK", "TABLE"], "LOCK TABLE", K::LockTable),
    row(&["CONNECT"], "CONNECT", K::Connect),
    row(&["SET", "CONNECTION"], "SET CONNECTION", K::Connect),
    row(&["DISCONNECT"], "DISCONNECT", K::Connect),
    row(&["RELEASE", "ALL"], "RELEASE", K::Connect),
    row(&["RELEASE", "CURRENT"], "RELEASE", K::Connect),
    row(&["START", "TRANSACTION"], "START TRANSACTION", K::Connect),
    row(&["CREATE"], "CREATE", K::Definition),
    row(&["ALTER"], "ALTER", K::Definition),
    row(&["DROP"], "DROP", K::Definition),
    row(&["GRANT"], "GRANT", K::Definition),
    row(&["REVOKE"], "REVOKE", K::Definition),
    row(&["COMMENT"], "COMMENT", K::Definition),
    row(&["LABEL"], "LABEL", K::Definition),
    row(&["TRUNCATE"], "TRUNCATE", K::Definition),
    row(
        &["DECLARE", "GLOBAL"],
        "DECLARE GLOBAL TEMPORARY TABLE",
        K::Definition,
    ),
    row(&["GET"], "GET DIAGNOSTICS", K::GetDiagnostics),
    row(&["CALL"], "CALL", K::Call),
    row(&["DECLARE"], "DECLARE", K::DeclareCursor),
    row(
        &["BEGIN", "DECLARE"],
        "BEGIN DECLARE SECTION",
        K::BeginSection,
    ),
    row(&["END", "DECLARE"], "END DECLARE SECTION", K::EndSection),
    row(&["INCLUDE"], "INCLUDE", K::Include),
    row(&["WHENEVER"], "WHENEVER", K::Whenever),
    no(
        &["ASSOCIATE"],
        "ASSOCIATE LOCATORS",
        "result sets of procedures are not served",
    ),
    no(
        &["ALLOCATE"],
        "ALLOCATE CURSOR",
        "result sets of procedures are not served",
    ),
    no(&["EXPLAIN"], "EXPLAIN", "plans are the server's own"),
    no(&["HOLD"], "HOLD LOCATOR", "LOBs are passed as values"),
    no(&["FREE"], "FREE LOCATOR", "LOBs are passed as values"),
    no(
        &["REFRESH"],
        "REFRESH TABLE",
        "materialized query tables are not served",
    ),
    no(
        &["SIGNAL"],
        "SIGNAL",
        "it belongs into triggers and procedures",
    ),
    no(&["BEGIN"], "BEGIN", "a unit of work begins by itself"),
    no(
        &["VAR"],
        "VAR",
        "the type of a host variable is that of its description",
    ),
    no(&["IGNORE"], "IGNORE", "it is for another precompiler"),
];

/// The row that a statement's first words fit.
pub fn form(first: &[&str]) -> Option<&'static StatementForm> {
    let fits = |form: &&StatementForm| first.starts_with(form.words);
    FORMS.iter().filter(fits).max_by_key(|f| f.words.len())
}

/// The first words of all statements.
pub fn verbs() -> impl Iterator<Item = &'static str> {
    FORMS.iter().map(|f| f.words[0])
}
