//! COPY and REPLACE give the text that GnuCOBOL's own preprocessor gives.

use std::path::Path;
use std::process::Command;

use copybook::{CopyFolders, PieceKind, ReferenceFormat, preprocess};

const MEMBERS: &[(&str, &str)] = &[
    (
        "RECORD1.cpy",
        "       01  :TAG:-REC.
           05  :TAG:-NAME  PIC X(:LEN:).
           05  OLD-KEY     PIC 9(4).
           05  PRE-FIELD   PIC X.
           05  MID-PRE     PIC X.
           05  TBL OCCURS 3 PIC X VALUE 'OLD-KEY'.
",
    ),
    (
        "MOVES.cpy",
        "           MOVE A OF B TO C(1).
           MOVE A  IN  B TO C (1).
           DISPLAY \"IT'S\" 'A' A.
           COMPUTE X = A + B.
",
    ),
    (
        "NEST.cpy",
        "           COPY DEEPER.
           MOVE XX TO YY.
",
    ),
    (
        "DEEPER.cpy",
        "      * only a remark
           MOVE XX TO ZZ.
",
    ),
];

const TEXTS: &[&str] = &[
    "           COPY RECORD1 REPLACING ==:TAG:== BY ==CUST==
             ==:LEN:== BY ==20==
             ==OLD-KEY== BY ==NEW-KEY== LEADING ==PRE== BY ==POST==.
",
    "           COPY RECORD1 REPLACING ==:TAG:-NAME== BY ==X-Y==
             ==PIC 9(4)== BY ==PIC S9(9) COMP==.
",
    "           COPY MOVES REPLACING A OF B BY D C(1) BY E
             \"IT'S\" BY 'YES'.
",
    "           COPY MOVES REPLACING A BY B B BY A.
",
    "           COPY NEST REPLACING ==XX== BY ==QQ==.
",
    "       REPLACE ==AA== BY ==BB== ==CC  DD== BY ==EE==.
           MOVE AA TO AA-X. MOVE CC DD. MOVE CC
             DD, CC, DD.
       REPLACE OFF.
           MOVE AA TO AA.
",
    "           COPY MOVES REPLACING ==A== BY ==== ==C== BY ==A==.
",
    "       REPLACE LEADING ==WS-== BY ==LS-== TRAILING ==-X== BY ==-Y==.
           MOVE WS-A TO WS- B-X -X WS-A-X.
",
    "           COPY MOVES REPLACING ==( 1 )== BY ==(2)==
             ==A IN B== BY ==Z==.
",
    "       REPLACE ==XX== BY ==YY==.
           COPY NEST REPLACING ==YY== BY ==WW==.
",
    "           COPY 'MOVES.cpy' REPLACING ==a== BY ==lower==.
           COPY \"NEST\".
",
    "       AUTHOR. O'BRIEN COPY NEST.
           AND OTHERS.
       REMARKS. COPY NOSUCH.
       DATA DIVISION.
      D    COPY NOSUCH.
           COPY NEST SUPPRESS.
",
    "       ENVIRONMENT DIVISION.
       CONFIGURATION SECTION.
       SOURCE-COMPUTER. X WITH DEBUGGING MODE.
       PROCEDURE DIVISION.
      D    DISPLAY 'DEBUG'.
           DISPLAY 'A LITERAL THAT IS CONTINUED ON THE NEXT LINE OF THE P
      -    'ROGRAM'.
           MOVE A-LONG-N
      -    AME TO B.
",
];

const HEAD: &str = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n";

/// Blanks only where words would run together without, and no commas that only
/// separate.
fn squeezed(text: &str) -> String {
    let mut out = String::new();
    let word = |c: char| c.is_alphanumeric() || c == '-';
    for part in text.split_whitespace().map(|p| p.trim_end_matches(',')) {
        let joins = out.ends_with(word) && part.starts_with(word);
        if joins {
            out.push(' ');
        }
        out.push_str(part);
    }
    out
}

#[test]
fn texts_with_members_are_those_of_gnucobol() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in MEMBERS {
        std::fs::write(folder.path().join(name), text).expect("a member");
    }
    for text in TEXTS {
        let text = format!("{HEAD}{text}");
        let program = folder.path().join("P.cbl");
        std::fs::write(&program, &text).expect("a program");
        let oracle = Command::new("cobc")
            .args(["-std=ibm", "-E", "P.cbl"])
            .current_dir(folder.path())
            .output()
            .expect("cobc is installed");
        assert!(oracle.status.success(), "{oracle:?}\n{text}");
        let expected: String = String::from_utf8_lossy(&oracle.stdout)
            .lines()
            .filter(|line| !line.starts_with("#line"))
            .map(|line| format!("{line}\n"))
            .collect();
        let found = preprocess(
            "P.cbl",
            &text,
            ReferenceFormat::Auto,
            &CopyFolders::new([folder.path()]),
        );
        assert_eq!(found.diagnostics.list, [], "{text}");
        let found: String = found.pieces.iter().map(|p| p.text.as_str()).collect();
        assert_eq!(squeezed(&found), squeezed(&expected), "{text}");
    }
}

#[test]
fn replaced_text_stands_where_the_old_text_stood() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(
        folder.path().join("M.cpy"),
        "      *\n           MOVE :A: TO\n             :B:.\n",
    )
    .expect("a member");
    let text = "\n           COPY M REPLACING ==:A:== BY ==ONE\n           TWO== ==:B:==\n           BY ==THREE==.\n           END-TEXT.\n";
    let found = preprocess(
        "P.cbl",
        text,
        ReferenceFormat::Fixed,
        &CopyFolders::new([folder.path()]),
    );
    let places: Vec<(&str, usize, u32)> = found
        .pieces
        .iter()
        .filter(|p| p.kind == PieceKind::Word)
        .map(|p| (p.text.as_str(), usize::from(p.at.file), p.at.line))
        .collect();
    assert_eq!(
        places,
        [
            ("MOVE", 1, 2),
            ("ONE", 1, 2),
            ("TWO", 1, 2),
            ("TO", 1, 2),
            ("THREE", 1, 3),
            ("END-TEXT", 0, 5)
        ]
    );
    assert!(Path::new(&*found.diagnostics.files[1].name).ends_with("M.cpy"));
}

#[test]
fn members_are_found_by_any_case_and_ending_the_usual_ones_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::create_dir(at.join("lib")).expect("a library");
    for (name, text) in [
        ("Acct.cbl", "PROGRAM"),
        ("ACCT.cpy", "MEMBER"),
        ("odd.CPYBK9", "ODD"),
        ("lib/INNER.cpy", "INNER"),
    ] {
        std::fs::write(at.join(name), text).expect("a member");
    }
    let folders = CopyFolders::new([at]);
    let found = |name: &str, library: Option<&str>| {
        let path = folders.find(name, library).expect("inside");
        path.map(|p| std::fs::read_to_string(p).expect("a text"))
    };
    assert_eq!(found("acct", None).as_deref(), Some("MEMBER"));
    assert_eq!(found("ACCT.CBL", None).as_deref(), Some("PROGRAM"));
    assert_eq!(found("ODD", None).as_deref(), Some("ODD"));
    assert_eq!(found("Inner", Some("lib")).as_deref(), Some("INNER"));
    assert_eq!(found("lib/inner", None).as_deref(), Some("INNER"));
    assert_eq!(found("acct", Some("nolib")).as_deref(), Some("MEMBER"));
    assert_eq!(found("NONE", None), None);
    assert!(folders.find("../x", None).is_err());
}
