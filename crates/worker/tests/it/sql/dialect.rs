//! Expressions of Db2's dialect with host variables, and their results.
//!
//! A case has statements before it, the statement, an item, and the text that the
//! item shows; or the SQLCODE that the statement has.

use super::{cluster, lines, place};

/// Before, statement, item, what it shows.
const CASES: &[(&str, &str, &str, &str)] = &[
    // Text.
    (
        "",
        "SELECT NO INTO :H-S FROM DEPT WHERE NAME = 'STORES'",
        "H-S",
        "+00002",
    ),
    (
        "",
        "SELECT LENGTH(NAME) INTO :H-N FROM DEPT WHERE NO = 2",
        "H-N",
        "+0000000007",
    ),
    (
        "MOVE 'A001' TO H-TXT",
        "SELECT NAME INTO :H-TXT FROM EMP WHERE ID = :H-TXT",
        "H-TXT",
        "SMITH",
    ),
    (
        "MOVE 'SM%' TO H-TXT",
        "SELECT COUNT(*) INTO :H-N FROM EMP WHERE NAME LIKE :H-TXT",
        "H-N",
        "+0000000000",
    ),
    (
        "MOVE 3 TO H-VC-LEN MOVE 'SM%' TO H-VC-TXT",
        "SELECT COUNT(*) INTO :H-N FROM EMP WHERE NAME LIKE :H-VC",
        "H-N",
        "+0000000001",
    ),
    (
        "MOVE 'SM%' TO H-TXT",
        "SELECT COUNT(*) INTO :H-N FROM EMP WHERE NAME LIKE TRIM(:H-TXT)",
        "H-N",
        "+0000000001",
    ),
    (
        "MOVE 'SMITH' TO H-TXT",
        "SELECT COUNT(*) INTO :H-N FROM EMP WHERE NAME IN (:H-TXT, 'JONES')",
        "H-N",
        "+0000000002",
    ),
    (
        "MOVE LOW-VALUES TO H-ID",
        "SELECT MIN(ID) INTO :H-ID FROM EMP WHERE ID > :H-ID",
        "H-ID",
        "A001",
    ),
    (
        "MOVE HIGH-VALUES TO H-ID",
        "SELECT COUNT(*) INTO :H-N FROM EMP WHERE ID < :H-ID",
        "H-N",
        "+0000000002",
    ),
    (
        "MOVE 2 TO H-N",
        "SELECT SUBSTR(NAME, :H-N, 2) INTO :H-TXT FROM EMP WHERE ID = 'A001'",
        "H-TXT",
        "MI",
    ),
    (
        "",
        "SELECT ID || '-' || NAME INTO :H-TXT FROM EMP WHERE ID = 'A001'",
        "H-TXT",
        "A001-SMITH",
    ),
    (
        "",
        "SELECT VALUE(NOTE, 'NONE') INTO :H-TXT FROM EMP WHERE ID = 'A002'",
        "H-TXT",
        "NONE",
    ),
    (
        "",
        "SELECT DIGITS(N) INTO :H-TXT FROM NUMS WHERE N = 7",
        "H-TXT",
        "0000000007",
    ),
    (
        "MOVE X'00017F' TO H-SHORT",
        "UPDATE NUMS SET T = :H-SHORT WHERE N = 5",
        "SQLERRD(3)",
        "+0000000001",
    ),
    (
        "",
        "SELECT HEX(T) INTO :H-TXT FROM NUMS WHERE N = 6",
        "H-TXT",
        "303036",
    ),
    // Numbers.
    ("", "SET :H-D = 1.999", "H-D", "+000000199"),
    ("", "SET :H-N = 12.7", "H-N", "+0000000012"),
    (
        "",
        "SELECT AVG(PAY) INTO :H-D FROM EMP",
        "H-D",
        "+000005387",
    ),
    (
        "",
        "SELECT COALESCE(DEPT, -1) INTO :H-S FROM EMP WHERE ID = 'A002'",
        "H-S",
        "-00001",
    ),
    (
        "MOVE 7 TO H-N",
        "SELECT N / 2 INTO :H-N FROM NUMS WHERE N = :H-N",
        "H-N",
        "+0000000003",
    ),
    (
        "MOVE 10.25 TO H-D",
        "SELECT PAY + :H-D INTO :H-D FROM EMP WHERE ID = 'A001'",
        "H-D",
        "+000011075",
    ),
    (
        "MOVE 1.9999 TO H-D",
        "UPDATE EMP SET PAY = PAY * 1.0099 WHERE ID = 'A002'",
        "SQLERRD(3)",
        "+0000000001",
    ),
    (
        "",
        "SELECT PAY INTO :H-D FROM EMP WHERE ID = 'A002'",
        "H-D",
        "+000000732",
    ),
    // Dates and times.
    (
        "MOVE 2 TO H-N",
        "SELECT HIRED + :H-N DAYS INTO :H-DATE FROM EMP WHERE ID = 'A001'",
        "H-DATE",
        "2020-03-02",
    ),
    (
        "MOVE 12 TO H-S",
        "SELECT HIRED + :H-S MONTHS INTO :H-DATE FROM EMP WHERE ID = 'A001'",
        "H-DATE",
        "2021-02-28",
    ),
    (
        "MOVE '02/29/2020' TO H-DATE",
        "SELECT ID INTO :H-ID FROM EMP WHERE HIRED = :H-DATE",
        "H-ID",
        "A001",
    ),
    (
        "MOVE SPACES TO H-ID",
        "SELECT ID INTO :H-ID FROM EMP WHERE HIRED = '29.02.2020'",
        "H-ID",
        "A001",
    ),
    (
        "MOVE '2026-02-28-13.45.59.123456' TO H-STAMP MOVE SPACES TO H-ID",
        "SELECT ID INTO :H-ID FROM EMP WHERE SEEN = :H-STAMP",
        "H-ID",
        "A001",
    ),
    (
        "MOVE '13.45.59' TO H-TIME MOVE SPACES TO H-ID",
        "SELECT ID INTO :H-ID FROM EMP WHERE AT BETWEEN :H-TIME AND '14.00.00'",
        "H-ID",
        "A001",
    ),
    (
        "",
        "SELECT DAYS(HIRED) - DAYS('2020-02-28') INTO :H-N FROM EMP WHERE ID = 'A001'",
        "H-N",
        "+0000000001",
    ),
    (
        "",
        "SELECT DATE('2020-03-31') - HIRED INTO :H-N FROM EMP WHERE ID = 'A001'",
        "H-N",
        "+0000000102",
    ),
    (
        "",
        "SELECT COUNT(*) INTO :H-N FROM SYSIBM.SYSDUMMY1 WHERE CURRENT TIMESTAMP = CURRENT TIMESTAMP",
        "H-N",
        "+0000000001",
    ),
    (
        "",
        "SELECT LENGTH(HEX(CURRENT DATE)) INTO :H-N FROM SYSIBM.SYSDUMMY1",
        "H-N",
        "+0000000008",
    ),
    (
        "",
        "SELECT CHAR(HIRED, EUR) INTO :H-DATE FROM EMP WHERE ID = 'A001'",
        "H-DATE",
        "29.02.2020",
    ),
    // Queries.
    (
        "",
        "SELECT N INTO :H-N FROM NUMS ORDER BY N DESC FETCH FIRST 1 ROW ONLY WITH UR",
        "H-N",
        "+0000000120",
    ),
    (
        "",
        "SELECT COUNT(*) INTO :H-N FROM NUMS WHERE N ^= 1 AND N !> 3",
        "H-N",
        "+0000000002",
    ),
    (
        "",
        "SELECT COUNT(*) INTO :H-N FROM DEPT D WHERE NOT EXISTS (SELECT 1 FROM EMP E WHERE E.DEPT = D.NO)",
        "H-N",
        "+0000000001",
    ),
    (
        "MOVE SPACES TO H-TXT",
        "SELECT E.ID, D.NAME INTO :H-ID, :H-TXT:IND FROM EMP E LEFT JOIN DEPT D ON D.NO = E.DEPT WHERE E.ID = 'A002'",
        "IND",
        "-00001",
    ),
    (
        "MOVE 'X' TO H-SHORT",
        "SELECT COUNT(*) INTO :H-N FROM NUMS WHERE :H-SHORT = 'X' AND N = 3 OR :H-SHORT <> 'X'",
        "H-N",
        "+0000000001",
    ),
    (
        "",
        "WITH T (A) AS (SELECT N FROM NUMS WHERE N < 4) SELECT SUM(A) INTO :H-N FROM T",
        "H-N",
        "+0000000006",
    ),
    (
        "",
        "SELECT CASE WHEN PAY > 50 THEN 'HIGH' ELSE 'LOW' END INTO :H-TXT FROM EMP WHERE ID = 'A001'",
        "H-TXT",
        "HIGH",
    ),
];

/// Before, statement, SQLCODE.
const CODES: &[(&str, &str, &str)] = &[
    (
        "",
        "SELECT SUBSTR(NAME, 0, 2) INTO :H-TXT FROM EMP WHERE ID = 'A001'",
        "-138",
    ),
    (
        "",
        "SELECT INTEGER(NAME) INTO :H-N FROM EMP WHERE ID = 'A001'",
        "-420",
    ),
    (
        "MOVE 99999 TO H-N",
        "UPDATE EMP SET DEPT = :H-N WHERE ID = 'A001'",
        "-302",
    ),
    (
        "",
        "UPDATE EMP SET PAY = PAY * 1000000 WHERE ID = 'A001'",
        "-413",
    ),
    (
        "MOVE 'TOO LONG FOR IT' TO H-TXT",
        "UPDATE EMP SET NOTE = :H-TXT WHERE ID = 'A001'",
        "-302",
    ),
    (
        "MOVE 'FITS IT' TO H-TXT",
        "UPDATE EMP SET NOTE = :H-TXT WHERE ID = 'A001'",
        "0",
    ),
    (
        "",
        "UPDATE EMP SET NOTE = 'TOO LONG FOR IT' WHERE ID = 'A001'",
        "-404",
    ),
    (
        "",
        "UPDATE EMP SET NAME = REPEAT('X', 21) WHERE ID = 'A001'",
        "-404",
    ),
    ("", "DELETE FROM EMP WHERE ID = 'NONE'", "100"),
    (
        "",
        "INSERT INTO NUMS SELECT N + 1000, T FROM NUMS WHERE N < 3",
        "0",
    ),
    (
        "",
        "SELECT (SELECT N FROM NUMS) INTO :H-N FROM SYSIBM.SYSDUMMY1",
        "-811",
    ),
    ("", "SELECT N, COUNT(*) INTO :H-N, :H-S FROM NUMS", "-122"),
    (
        "",
        "SELECT NO INTO :H-N FROM DEPT, EMP WHERE NAME = 'X'",
        "-203",
    ),
    ("", "LOCK TABLE NUMS IN EXCLUSIVE MODE", "0"),
    ("", "SELECT N INTO :H-TXT FROM NUMS WHERE N = 3", "0"),
    (
        "",
        "SELECT NAME INTO :H-N FROM EMP WHERE ID = 'A001'",
        "-303",
    ),
    ("", "SET CURRENT DEGREE = 'ANY'", "0"),
    ("", "CONNECT TO SAMPLE", "0"),
];

#[test]
fn forms_of_db2_have_the_values_of_its_manual() {
    let Some(cluster) = cluster() else { return };
    let mut procedure = String::new();
    for (before, statement, item, _) in CASES {
        procedure.push_str(&format!(
            "{before}\nEXEC SQL {statement} END-EXEC\n\
             IF SQLCODE NOT = 0 PERFORM SHOW-CODE ELSE DISPLAY {item} END-IF\n"
        ));
    }
    let shown = lines(place(&cluster), "", &procedure);
    let wrong: Vec<String> = CASES
        .iter()
        .zip(&shown)
        .filter(|((.., expected), line)| expected != line)
        .map(|((_, statement, ..), line)| format!("{statement}: {line}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(shown.len(), CASES.len());
}

#[test]
fn statements_that_cannot_be_done_have_the_manuals_codes() {
    let Some(cluster) = cluster() else { return };
    let mut procedure = String::new();
    for (before, statement, _) in CODES {
        procedure.push_str(&format!("{before}\nEXEC SQL {statement} END-EXEC\nSHOW;\n"));
    }
    let shown = lines(place(&cluster), "", &procedure);
    let wrong: Vec<String> = CODES
        .iter()
        .zip(&shown)
        .filter(|((.., code), line)| format!("code {code}") != **line)
        .map(|((_, statement, code), line)| format!("{statement}: {line}, not {code}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(shown.len(), CODES.len());
}
