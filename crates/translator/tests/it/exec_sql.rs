//! EXEC SQL: calls and their blocks, what is wrong, and what compiles.

use std::path::Path;

use sql::block::StatementBlock;
use sql::{FetchOrientation, StatementKind};
use translator::{
    CompilerOptions, DiagnosticKind, ModuleCompiler, ProgramSource, Severity, TranslatedSource,
};

use super::{testdata, translated};

/// The blocks of a translation, in the order of the text.
fn blocks(translation: &TranslatedSource) -> Vec<StatementBlock> {
    let text = String::from_utf8_lossy(&translation.text).into_owned();
    let calls = text.split("CALL \"DSNHLI\" USING ").skip(1);
    calls
        .map(|call| {
            let literal = call.split(" SQLCA").next().unwrap();
            let parts = literal.split(" & ");
            let digits: String = parts
                .map(|p| p.trim_start_matches("X\"").trim_end_matches('"'))
                .collect();
            let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
            let bytes: Vec<u8> = (0..digits.len()).step_by(2).map(byte).collect();
            StatementBlock::parse(&bytes).unwrap()
        })
        .collect()
}

fn messages(translation: &TranslatedSource, severity: Severity) -> Vec<String> {
    let list = translation.diagnostics.iter();
    let list = list.filter(|d| d.severity == severity);
    list.map(|d| {
        let help = d
            .help
            .as_ref()
            .map(|h| format!(" ({h})"))
            .unwrap_or_default();
        format!("{}:{}: {}{help}", d.line, d.column, d.message)
    })
    .collect()
}

#[test]
fn statements_become_calls_with_blocks() {
    let translation = translated("sql.cbl");
    assert_eq!(
        messages(&translation, Severity::Error),
        Vec::<String>::new()
    );
    assert!(!translation.uses_cics);
    let blocks = blocks(&translation);
    use StatementKind as K;
    let kinds: Vec<K> = blocks.iter().map(|b| b.kind).collect();
    assert_eq!(
        kinds,
        [
            K::SelectInto,
            K::SelectInto,
            K::Rollback,
            K::Open,
            K::Fetch,
            K::Update,
            K::Close,
            K::Insert,
            K::Prepare,
            K::Execute,
            K::ExecuteImmediate,
            K::Open,
            K::SetVariables,
            K::Other,
            K::Commit,
            K::Delete,
        ]
    );
    let first = &blocks[0];
    assert_eq!(
        first.text,
        "SELECT LASTNAME FROM GENASA1 . CUSTOMER WHERE CUSTOMERNUMBER = :1".replace(" . ", ".")
    );
    assert_eq!((first.number, first.line), (1, 25));
    assert_eq!((first.inputs.len(), first.outputs.len()), (1, 1));
    assert_eq!(first.outputs[0].indicator, Some((2, 0)));
    // A structure has a field for each of its items.
    assert_eq!(blocks[1].outputs.len(), 3);
    assert_eq!(blocks[1].outputs[2].offset, 14);
    assert_eq!(
        blocks[7].text,
        "INSERT INTO GENASA1.CUSTOMER VALUES (:1, :2, :3)"
    );
    // OPEN has the cursor's query, FETCH its name.
    assert!(
        blocks[3]
            .text
            .starts_with("SELECT FIRSTNAME, LASTNAME FROM")
    );
    assert!(blocks[3].cursor.hold && blocks[3].cursor.for_update);
    assert_eq!(
        (blocks[4].name.as_str(), blocks[4].orientation),
        ("C1", FetchOrientation::Next)
    );
    assert_eq!(blocks[5].name, "C1");
    assert_eq!(blocks[11].prepared, "S1");
    assert!(blocks.iter().all(|b| b.token == blocks[0].token));
}

#[test]
fn whenever_holds_for_the_statements_that_follow_in_the_text() {
    let text = String::from_utf8_lossy(&translated("sql.cbl").text).into_owned();
    let tests = text
        .matches("IF SQLCODE OF SQLCA < 0 GO TO FAILED END-IF")
        .count();
    assert_eq!(tests, 15);
    assert!(!text.contains("= 100 GO TO"));
}

#[test]
fn a_program_with_sql_compiles_and_its_module_reaches_nothing_else() {
    let out = tempfile::tempdir().unwrap();
    let mut options = CompilerOptions::new(out.path());
    options.copy_dirs = vec![testdata().join("copy")];
    let compiler = ModuleCompiler::new(options).unwrap();
    let built = compiler.build(&ProgramSource::new(testdata().join("sql.cbl")));
    assert!(built.module.is_some(), "{:#?}", built.diagnostics);
    let unserved: Vec<&str> = built
        .diagnostics
        .iter()
        .filter_map(|d| match &d.kind {
            DiagnosticKind::Unsupported(name) => Some(name.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(unserved, ["EXEC SQL EXPLAIN"]);
}

#[test]
fn what_is_wrong_has_its_line_column_and_a_suggestion() {
    let translation = translated("wrongsql.cbl");
    let mut found = messages(&translation, Severity::Error);
    found.extend(messages(&translation, Severity::Warning));
    let text = found.join("\n");
    let golden = testdata().join(Path::new("wrongsql.golden"));
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        std::fs::write(&golden, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&golden).unwrap();
    assert!(text == expected, "{text}");
}
