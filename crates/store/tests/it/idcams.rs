//! IDCAMS text, as sites write it.

use std::fmt::Write;

use proptest::prelude::*;
use store::idcams::{
    CodeComparison, Command, CommandDeck, ConditionCode, DataRef, DdStatement, Statement, parse,
};
use store::{FileDef, FileOrganisation, RecordFormat};

/// A deck in words: one line a command, one a diagnostic.
fn reported(text: &str) -> String {
    let deck = parse(text);
    let mut reported = String::new();
    for step in &deck.steps {
        describe(&step.statements, 0, &mut reported);
    }
    for found in &deck.diagnostics {
        writeln!(reported, "{found}").unwrap();
    }
    reported
}

fn describe(statements: &[Statement], depth: usize, reported: &mut String) {
    for Statement { line, command, .. } in statements {
        let words = match command {
            Command::DefineCluster(def) => cluster(def),
            Command::DefineIndex(def) => format!(
                "aix {} over {} key {}:{}{}{}",
                def.name,
                def.base,
                def.key.offset_bytes,
                def.key.length_bytes,
                if def.unique { " unique" } else { "" },
                if def.upgrade { "" } else { " noupgrade" }
            ),
            Command::DefinePath(def) => format!("path {} to {}", def.name, def.entry),
            Command::BuildIndex { base, indexes } => format!(
                "build {} from {}",
                refs(indexes),
                refs(std::slice::from_ref(base))
            ),
            Command::Repro {
                from,
                to,
                replace,
                reuse,
                skip,
                count,
            } => format!(
                "repro {} to {} {replace} {reuse} {skip} {count:?}",
                refs(std::slice::from_ref(from)),
                refs(std::slice::from_ref(to))
            ),
            Command::Delete { names, .. } => format!(
                "delete {}",
                names
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join(" ")
            ),
            Command::Set(code, value) => format!("set {code:?} {value}"),
            Command::PassedOver(verb) => format!("pass over {verb}"),
            Command::If {
                code,
                compare,
                value,
                then,
                otherwise,
            } => {
                writeln!(
                    reported,
                    "{:depth$}{line}: if {code:?} {compare:?} {value}",
                    ""
                )
                .unwrap();
                describe(then, depth + 1, reported);
                writeln!(reported, "{:depth$}else", "").unwrap();
                describe(otherwise, depth + 1, reported);
                continue;
            }
        };
        writeln!(reported, "{:depth$}{line}: {words}", "").unwrap();
    }
}

fn cluster(def: &FileDef) -> String {
    let organisation = match def.organisation {
        FileOrganisation::Ksds(key) => format!("KSDS {}:{}", key.offset_bytes, key.length_bytes),
        other => other.to_string(),
    };
    let format = match def.format {
        RecordFormat::Fixed => "fixed",
        RecordFormat::Variable => "variable",
    };
    let recoverable = if def.recoverable { " recoverable" } else { "" };
    format!(
        "cluster {} {organisation} {format} {}{recoverable}",
        def.name, def.max_record_bytes
    )
}

fn refs(refs: &[DataRef]) -> String {
    let words = refs.iter().map(|r| match r {
        DataRef::DataSet(name) => name.clone(),
        DataRef::Dd(name) => format!("dd {name}"),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn clusters_of_every_kind_are_defined_with_attributes_where_sites_put_them() {
    let text = " /* customers */
 DEFINE CLUSTER(NAME(A.CUST) -
          INDEXED VOLUMES(V00001 V00002) -
          CYL(100 30) SHR(3 3) -
          LOG(UNDO) REUSE) -
        DATA(NAME(A.CUST.DATA) -
          KEYS(10,0) RECSZ(225,225) CISZ(8000)) -
        INDEX(NAME(A.CUST.INDEX))
 DEF CL (NAME(A.LOG) NIXD RECORDSIZE(80 400))
 DEF CL (NAME(A.SLOTS) NUMD RECSZ(80 80) TRK(1 1))
 DEF CLUSTER (NAME(A.DEFAULTS))
";
    assert_eq!(
        reported(text),
        "2: cluster A.CUST KSDS 0:10 fixed 225 recoverable\n\
         9: cluster A.LOG ESDS variable 400\n\
         10: cluster A.SLOTS RRDS fixed 80\n\
         11: cluster A.DEFAULTS KSDS 0:64 fixed 4089\n"
    );
}

#[test]
fn delete_passes_over_what_no_store_has() {
    let text = " DELETE A.FILE NONVSAM PURGE
 DEL (A.BASE) GDG FORCE
 DELETE A.CUST CLUSTER
";
    let reported = reported(text);
    let statements = "1: pass over DELETE\n2: pass over DELETE\n3: delete A.CUST\n";
    assert!(reported.starts_with(statements), "{reported}");
    assert!(
        reported.contains("DELETE of NONVSAM is skipped"),
        "{reported}"
    );
    assert!(
        reported.contains("DELETE of GENERATIONDATAGROUP"),
        "{reported}"
    );
}

#[test]
fn indexes_paths_and_copies_are_read() {
    let text = " DEFINE ALTERNATEINDEX (NAME(A.AIX)-
   RELATE(A.CUST) KEYS(26 304) NONUNIQUEKEY UPGRADE -
   RECORDSIZE(350,350) CYLINDERS(5,1)) DATA (NAME(A.AIX.DATA))
 DEF AIX (NAME(A.UNIQ) REL(A.CUST) KEYS(4 4) UNQK NUPG)
 DEFINE PATH -
   (NAME(A.PATH) -
    PATHENTRY(A.AIX/PASSWORD))
 BIX IDS(A.CUST) ODS(A.AIX A.UNIQ)
 REPRO INFILE(IN) OUTDATASET(A.CUST) REPLACE SKIP(1) COUNT(10)
 REPRO IFILE   (IN2)   ODS   (A.CUST) REUSE
 DELETE (A.PATH A.AIX) PURGE
 DELETE A.CUST CLUSTER
";
    assert_eq!(
        reported(text),
        "1: aix A.AIX over A.CUST key 304:26\n\
         4: aix A.UNIQ over A.CUST key 4:4 unique noupgrade\n\
         5: path A.PATH to A.AIX\n\
         8: build A.AIX A.UNIQ from A.CUST\n\
         9: repro dd IN to A.CUST true false 1 Some(10)\n\
         10: repro dd IN2 to A.CUST false true 0 None\n\
         11: delete A.PATH A.AIX\n\
         12: delete A.CUST\n"
    );
}

#[test]
fn conditions_are_read() {
    let text = " DELETE A
 IF MAXCC LE 08 THEN SET MAXCC = 0
 IF LASTCC=8            -
 THEN DO
   SET LASTCC=0
   DELETE B
 END
 ELSE -
   DELETE C
 DELETE D
";
    assert_eq!(
        reported(text),
        "1: delete A\n\
         2: if Max LessOrEqual 8\n \
         2: set Max 0\n\
         else\n\
         3: if Last Equal 8\n \
         5: set Last 0\n \
         6: delete B\n\
         else\n \
         9: delete C\n\
         10: delete D\n"
    );
    let If {
        code,
        compare,
        value,
    } = first_if(&parse(text));
    assert_eq!((code, value), (ConditionCode::Max, 8));
    assert!(compare.holds(8, 8) && compare.holds(0, 8) && !compare.holds(12, 8));
}

struct If {
    code: ConditionCode,
    compare: CodeComparison,
    value: u32,
}

fn first_if(deck: &CommandDeck) -> If {
    let found = deck.steps[0]
        .statements
        .iter()
        .find_map(|statement| match statement.command {
            Command::If {
                code,
                compare,
                value,
                ..
            } => Some(If {
                code,
                compare,
                value,
            }),
            _ => None,
        });
    found.unwrap()
}

#[test]
fn every_mistake_is_reported_with_its_place_and_its_fix() {
    let text = " DEFINE CLUSTER (NAME(A) KEYS(10) RECORDSIZE(80 80))
 DEFINE CLUSTER (NAME(A) KEYS(10 75) RECORDSIZE(80 80))
 DEFINE CLUSTER (NAME(A) RECORDSIZ(80 80) KEY(1 0))
 DELETE <HLQ>.A
 DEFIN CLUSTER (NAME(B))
 DEFINE GDG (NAME(B) LIMIT(5))
 DELETE A.*
 REPRO INFILE(X)
 REPRO INFILE(X) OUTFILE(Y) FROMKEY(A)
 ALTER A NEWNAME(B)
 LISTCAT ALL
 DEFINE PATH (NAME(P)
 DEFINE AIX (NAME(X) KEYS(1 1))
 DEFINE CLUSTER (NAME(A) NUMBERED NONINDEXED RECORDSIZE(8 8))
 DELETE GOOD
";
    assert_eq!(
        reported(text),
        "11: pass over LISTCAT\n\
         15: delete GOOD\n\
         1:26: error: KEYS needs two numbers\n  help: KEYS(length offset)\n\
         2:26: error: the key (offset 75, length 10) ends beyond the record length 80\n\
         3:26: error: \"RECORDSIZ\" is not a parameter of IDCAMS\n  help: did you mean RECORDSIZE?\n\
         3:43: error: \"KEY\" is not a parameter of IDCAMS\n  help: did you mean KEYS?\n\
         4:9: error: <HLQ> is a placeholder\n  help: replace it by a value: --set '<HLQ>=VALUE'\n\
         5:2: error: DEFIN is not a command of IDCAMS\n  help: did you mean DEFINE?\n\
         6:9: error: DEFINE GDG is not supported\n  help: CLUSTER, ALTERNATEINDEX and PATH are supported\n\
         7:9: error: members and generic names are not supported\n  help: name each entry\n\
         8:2: error: REPRO needs OUTFILE or OUTDATASET\n\
         9:29: error: FROMKEY is not supported\n\
         10:2: error: ALTER is not supported\n\
         11:2: warning: LISTCAT is not supported and is skipped\n  help: `tupelo file stat` lists the files\n\
         12:14: error: this ( is not closed\n  help: a command ends with its line unless - or + ends the line\n\
         13:9: error: the alternate index has no RELATE\n  help: RELATE(name of the base cluster)\n\
         14:35: error: NONINDEXED contradicts NUMBERED\n  help: give one of them\n"
    );
}

#[test]
fn a_job_s_steps_are_taken_with_their_dds_and_line_numbers() {
    let job = "//J JOB\n//S1 EXEC PGM=IDCAMS\n//SYSIN DD *\n  REPRO INFILE(IN) OUTFILE(OUT)\n/*\n\
               //IN DD *\none\n/*\n//OUT DD DSN=A.B,DISP=SHR\n//S2 EXEC PGM=OTHER\n//SYSIN DD *\n what\n";
    assert_eq!(
        reported(job),
        "4: repro dd IN to dd OUT false false 0 None\n"
    );
    let deck = parse(job);
    assert_eq!(deck.steps.len(), 1);
    assert_eq!(deck.steps[0].name.as_deref(), Some("S1"));
    assert_eq!(
        deck.steps[0].dds["IN"],
        DdStatement::Lines(vec!["one".to_owned()])
    );
    assert_eq!(
        deck.steps[0].dds["OUT"],
        DdStatement::DataSet("A.B".to_owned())
    );
}

/// Pieces of which decks are made, so that random ones get far.
fn piece() -> impl Strategy<Value = String> {
    let fixed = [
        "DEFINE",
        "CLUSTER",
        "AIX",
        "PATH",
        "NAME",
        "KEYS",
        "RECSZ",
        "DELETE",
        "REPRO",
        "IF",
        "MAXCC",
        "THEN",
        "ELSE",
        "DO",
        "END",
        "SET",
        "=",
        "<=",
        "(",
        ")",
        "(A.B)",
        "(4 0)",
        "80",
        "-\n",
        "+\n",
        "\n",
        "\n//S EXEC PGM=IDCAMS\n//SYSIN DD *\n",
        "\n/*\n",
        "/*",
        "*/",
        "'",
        ";",
        ",",
        " ",
        "INFILE(X)",
        "BLDINDEX",
        "//",
        "DATA",
        "99999999999",
        "é",
        "\u{1F980}",
    ];
    prop_oneof![
        8 => proptest::sample::select(fixed.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

proptest! {
    #[test]
    fn no_text_panics(pieces in proptest::collection::vec(piece(), 0..60)) {
        let deck = parse(&pieces.join(" "));
        for found in &deck.diagnostics {
            prop_assert!(found.line >= 1 && found.column >= 1 && !found.message.is_empty());
        }
    }
}

#[test]
fn deep_nesting_is_refused() {
    let deep = format!(" DELETE {}", " (((((-\n".repeat(20_000));
    assert!(reported(&deep).contains("parentheses are nested too deep"));
    let ifs = format!("{} DELETE A", " IF MAXCC=0 THEN -\n".repeat(100_000));
    assert!(reported(&ifs).contains("IFs are nested too deep"));
}
