//! LOAD of data sets: in jobs of DSNUTILB, and in `tupelo sql apply`.

use std::path::Path;
use std::process::Output;

use copybook::CodePage;

use super::{shop, sql};
use crate::program::{text, tupelo};

/// The statement, without its options.
const FIELDS: &str = "  INTO TABLE SHOP.STOCK
    (ITEM POSITION(1:8) CHAR(8),
     COUNTED POSITION(9:12) DECIMAL PACKED,
     NOTE POSITION(14:18) CHAR(5) NULLIF(13:13)='?')
";

fn page(ccsid: u16) -> CodePage {
    CodePage::by_ccsid(ccsid).expect("a code page")
}

/// A record: the item, the packed number, whether the note is NULL, the note.
fn record(page: CodePage, item: &str, packed: [u8; 4], null: &str, note: &str) -> Vec<u8> {
    let text = |text: &str| page.encode(text).expect("characters");
    let rest = text(&format!("{null}{note:<5}"));
    [text(&format!("{item:<8}")), packed.to_vec(), rest].concat()
}

/// A duplicate key, a row, a wrong digit, a row with NULL, and a record that is too short.
fn records(page: CodePage) -> Vec<Vec<u8>> {
    let mut short = record(page, "NAIL", [0, 0, 0, 0x7C], " ", "");
    short.truncate(10);
    vec![
        record(page, "BOLT", [0, 0, 0x01, 0x2C], " ", "TWICE"),
        record(page, "SCREW", [0, 0, 0x01, 0x5D], " ", "NEW"),
        record(page, "WASHER", [0, 0, 0x0F, 0x2C], " ", ""),
        record(page, "RIVET", [0, 0, 0, 0x9C], "?", ""),
        short,
    ]
}

fn job(app: &Path, options: &str, dds: &[&str]) -> Output {
    let text = format!(
        "//NIGHT JOB 1\n//LOAD EXEC PGM=DSNUTILB,PARM='DB2A,NIGHT'\n//SYSPRINT DD SYSOUT=*\n\
         //SYSREC DD DSN=SHOP.UNLOADED,DISP=SHR\n//SYSDISC DD DSN=SHOP.DISCARDS,DISP=(MOD,KEEP)\n\
         //SYSIN DD *\n  LOAD DATA {options}\n{FIELDS}/*\n"
    );
    std::fs::write(app.join("job.jcl"), text).expect("a job");
    let mut command = tupelo();
    command
        .args(["batch", "--jcl", "job.jcl", "."])
        .current_dir(app);
    for dd in dds {
        command.args(["--dd", dd]);
    }
    command.output().expect("tupelo runs")
}

fn stock(app: &Path) -> Vec<String> {
    let rows = sql(
        app,
        &["SELECT ITEM, COUNTED, NOTE FROM STOCK ORDER BY ITEM"],
    );
    let lines = rows.lines().skip(1).map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.join(" ")
    });
    lines.collect()
}

#[test]
fn a_job_loads_records_and_discards_those_that_cannot_be_loaded() {
    let Some(app) = shop() else {
        return;
    };
    let app = app.path();
    let data = app.join(".tupelo/datasets");
    std::fs::create_dir_all(&data).expect("a folder");
    let ebcdic = records(page(37));
    std::fs::write(data.join("SHOP.UNLOADED"), ebcdic.concat()).expect("a data set");
    let output = job(app, "LOG NO RESUME YES EBCDIC CCSID(37,0,0)", &[]);
    let printed = text(&output.stdout) + &text(&output.stderr);
    for expected in [
        "note: LOG is left out",
        "record 1: SQLCODE -803: ",
        "record 3: column COUNTED: X'00000F2C' is not packed decimal",
        "record 5: column COUNTED: the record has 10 bytes",
        "SHOP.STOCK: 5 records read, 2 loaded, 3 discarded",
        "highest return code=4",
        "LOAD     DSNUTILB 0004",
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
    let discarded = std::fs::read(data.join("SHOP.DISCARDS")).expect("a data set");
    let expected = [&ebcdic[2][..], &ebcdic[4], &ebcdic[0]].concat();
    assert_eq!(discarded, expected);
    let rows = [
        "BOLT 40 a box",
        "NUT 7 -",
        "RIVET 9 -",
        "SCREW -15 NEW",
        "4 rows",
    ];
    assert_eq!(stock(app), rows);
    // The table has rows, and nothing says that it may.
    let output = job(app, "RESUME NO", &[]);
    let printed = text(&output.stdout);
    assert!(printed.contains("SHOP.STOCK is not empty"), "{printed}");
    assert_eq!(output.status.code(), Some(8));
    // The DD names another code page and REPLACE empties the table; two records are too many.
    let ascii = records(CodePage::latin1()).concat();
    std::fs::write(app.join("ascii.bin"), &ascii).expect("a data set");
    let dd = "SYSREC=ascii.bin,fixed,ascii";
    let output = job(app, "REPLACE EBCDIC DISCARDS 2", &[dd]);
    assert!(
        text(&output.stdout).contains("DISCARDS"),
        "{}",
        text(&output.stdout)
    );
    assert_eq!(stock(app), rows);
    let output = job(app, "REPLACE EBCDIC", &[dd]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stdout));
    assert_eq!(
        stock(app),
        ["BOLT 12 TWICE", "RIVET 9 -", "SCREW -15 NEW", "3 rows"]
    );
    // The options are those of a data set, and the records are longer than the layout.
    let wide: Vec<Vec<u8>> = records(CodePage::latin1())[..2]
        .iter()
        .map(|record| [&record[..], b"??"].concat())
        .collect();
    std::fs::write(app.join("wide.bin"), wide.concat()).expect("a data set");
    let output = job(app, "REPLACE", &["SHOP.UNLOADED=wide.bin,fixed=20,ascii"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert_eq!(stock(app), ["BOLT 12 TWICE", "SCREW -15 NEW", "2 rows"]);
}

#[test]
fn the_layout_of_records_is_that_of_the_table_or_of_a_copybook() {
    let Some(app) = shop() else {
        return;
    };
    let app = app.path();
    let apply = |load: &str, dd: &str| {
        std::fs::write(app.join("load.sql"), load).expect("a file");
        let mut command = tupelo();
        command.args(["sql", "apply", "load.sql", "--app", ".", "--dd", dd]);
        let output = command.current_dir(app).output().expect("tupelo runs");
        assert!(output.status.success(), "{}", text(&output.stdout));
        text(&output.stdout)
    };
    // Columns as Db2 stores them: VARCHAR with its length, so each record has its own.
    let variable = [
        &b"\0\x14\0\0SCREW   \0\0\0\x3C\0\x02ab"[..],
        b"\0\x12\0\0RIVET   \0\0\0\x4C\0\0",
    ];
    std::fs::write(app.join("default.bin"), variable.concat()).expect("a data set");
    let printed = apply(
        "LOAD DATA RESUME YES INTO TABLE SHOP.STOCK;\n",
        "SYSREC=default.bin,rdw",
    );
    assert!(
        printed.contains("2 records read, 2 loaded, 0 discarded"),
        "{printed}"
    );
    assert_eq!(stock(app)[2..4], ["RIVET 4", "SCREW 3 ab"]);
    // DCLGEN's names, in EBCDIC.
    let copybook = "       01  DCLSTOCK.
           10 DCL-ITEM             PIC X(8).
           10 DCL-FILLER           PIC X(2).
           10 DCL-COUNTED          PIC S9(7) USAGE COMP-3.
";
    std::fs::write(app.join("copybooks/DCLSTOCK.cpy"), copybook).expect("a copybook");
    let item = page(37).encode("NAIL    ??").expect("characters");
    let data = [&item[..], &[0, 0, 0x12, 0x3C]].concat();
    std::fs::write(app.join("dcl.bin"), data).expect("a data set");
    let dd = "SYSREC=dcl.bin,fixed,cp037,copybook=copybooks/DCLSTOCK.cpy";
    let printed = apply("LOAD DATA REPLACE INTO TABLE STOCK;\n", dd);
    assert!(printed.contains("1 records read, 1 loaded"), "{printed}");
    assert_eq!(stock(app)[0], "NAIL 123 -");
}
