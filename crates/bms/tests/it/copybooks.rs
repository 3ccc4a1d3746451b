//! The symbolic copybook, word for word.

use bms::{OccursForm, cobol_copybook, copybook, parse};

use crate::support::{cards, source};

/// The words of a text, one blank between them.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn check(source: &bms::MapSource, expected: &str) {
    assert!(!source.has_errors(), "{:#?}", source.diagnostics);
    let text = copybook(&source.sets[0], OccursForm::Assembler).unwrap();
    assert_eq!(words(&text), words(expected), "{text}");
    assert!(text.lines().all(|line| line.len() <= 72), "{text}");
}

const FIELDS: &str = "         DFHMDF POS=(1,1),LENGTH=4,INITIAL='NAME'
NAME     DFHMDF POS=(1,6),LENGTH=20,ATTRB=UNPROT
AMOUNT   DFHMDF POS=(2,6),LENGTH=6,PICIN='9(6)',PICOUT='ZZ,ZZ9'";

#[test]
fn a_map_without_extended_attributes() {
    check(
        &source("MODE=INOUT,TIOAPFX=YES,STORAGE=AUTO", "", FIELDS),
        "01 MI.
           02 FILLER PIC X(12).
           02 NAMEL COMP PIC S9(4).
           02 NAMEF PICTURE X.
           02 FILLER REDEFINES NAMEF.
             03 NAMEA PICTURE X.
           02 NAMEI PIC X(20).
           02 AMOUNTL COMP PIC S9(4).
           02 AMOUNTF PICTURE X.
           02 FILLER REDEFINES AMOUNTF.
             03 AMOUNTA PICTURE X.
           02 AMOUNTI PIC 9(6).
         01 MO REDEFINES MI.
           02 FILLER PIC X(12).
           02 FILLER PICTURE X(3).
           02 NAMEO PIC X(20).
           02 FILLER PICTURE X(3).
           02 AMOUNTO PIC ZZ,ZZ9.",
    );
}

#[test]
fn attributes_have_a_fixed_order_and_extatt_adds_its_four() {
    let field = "F        DFHMDF POS=(1,1),LENGTH=1";
    for (set, map, letters) in [
        ("DSATTS=(OUTLINE,HILIGHT,COLOR)", "", "CHU"),
        ("EXTATT=YES", "", "CPHV"),
        (
            "EXTATT=YES,DSATTS=(COLOR,HILIGHT,OUTLINE,PS,SOSI)",
            "",
            "CPHVUM",
        ),
        ("EXTATT=MAPONLY", "", ""),
        ("EXTATT=YES", ",EXTATT=NO", ""),
        ("MAPATTS=(COLOR,HILIGHT)", "", ""),
        ("DSATTS=(COLOR,HILIGHT)", ",DSATTS=TRANSP", "T"),
    ] {
        let items: String = letters
            .chars()
            .map(|c| format!("02 F{c} PICTURE X. "))
            .collect();
        let filler = match letters.len() {
            0 => String::new(),
            n => format!("02 FILLER PICTURE X({n})."),
        };
        check(
            &source(&format!("MODE=INOUT,STORAGE=AUTO,{set}"), map, field),
            &format!(
                "01 MI. 02 FL COMP PIC S9(4). 02 FF PICTURE X. 02 FILLER REDEFINES FF. 03 FA PICTURE X.
                 {filler} 02 FI PIC X(1). 01 MO REDEFINES MI. 02 FILLER PICTURE X(3). {items} 02 FO PIC X(1)."
            ),
        );
    }
}

const TABLES: &str = "LINE     DFHMDF POS=(1,1),LENGTH=10,OCCURS=3
COUNT    DFHMDF POS=(9,1),LENGTH=2
SUM      DFHMDF POS=(10,1),LENGTH=4,OCCURS=2,PICOUT='ZZZ9'";

#[test]
fn repeated_fields_as_the_assembler_writes_them() {
    check(
        &source("MODE=INOUT,STORAGE=AUTO,DSATTS=COLOR", "", TABLES),
        "01 MI.
           02 LINED OCCURS 3 TIMES.
             03 LINEL COMP PIC S9(4).
             03 LINEF PICTURE X.
             03 FILLER PICTURE X(1).
             03 LINEI PIC X(10).
           02 COUNTL COMP PIC S9(4).
           02 COUNTF PICTURE X.
           02 FILLER REDEFINES COUNTF.
             03 COUNTA PICTURE X.
           02 FILLER PICTURE X(1).
           02 COUNTI PIC X(2).
           02 SUMD OCCURS 2 TIMES.
             03 SUML COMP PIC S9(4).
             03 SUMF PICTURE X.
             03 FILLER PICTURE X(1).
             03 SUMI PIC X(4).
         01 MO REDEFINES MI.
           02 DFHMS1 OCCURS 3 TIMES.
             03 FILLER PICTURE X(2).
             03 LINEA PICTURE X.
             03 LINEC PICTURE X.
             03 LINEO PIC X(10).
           02 FILLER PICTURE X(3).
           02 COUNTC PICTURE X.
           02 COUNTO PIC X(2).
           02 DFHMS2 OCCURS 2 TIMES.
             03 FILLER PICTURE X(2).
             03 SUMA PICTURE X.
             03 SUMC PICTURE X.
             03 SUMO PIC ZZZ9.",
    );
}

#[test]
fn repeated_fields_as_rehosting_products_write_them() {
    let source = source(
        "MODE=INOUT,STORAGE=AUTO",
        "",
        "LINE     DFHMDF POS=(1,1),LENGTH=10,OCCURS=3",
    );
    let text = cobol_copybook(&source.sets[0], OccursForm::Rehosted);
    assert_eq!(
        words(&text),
        words(
            "01 MI. 02 LINED OCCURS 3 TIMES. 03 LINEL COMP PIC S9(4). 03 LINEF PICTURE X.
             03 FILLER REDEFINES LINEF. 04 LINEA PICTURE X. 03 LINEI PIC X(10).
             01 MO REDEFINES MI. 02 LINED OCCURS 3 TIMES. 03 FILLER PICTURE X(3). 03 LINEO PIC X(10)."
        )
    );
}

#[test]
fn fields_of_a_group_share_length_and_attribute() {
    check(
        &source(
            "MODE=INOUT,STORAGE=AUTO,DSATTS=(COLOR,HILIGHT)",
            "",
            "MONTH    DFHMDF POS=(1,1),LENGTH=2,GRPNAME=DATE,ATTRB=UNPROT,PICIN='99'
YEAR     DFHMDF POS=(1,3),LENGTH=4,GRPNAME=DATE",
        ),
        "01 MI.
           02 DATEL COMP PIC S9(4).
           02 DATEF PICTURE X.
           02 FILLER REDEFINES DATEF.
             03 DATEA PICTURE X.
           02 FILLER PICTURE X(2).
           02 DATEI.
             03 MONTHI PIC 99.
             03 YEARI PIC X(4).
         01 MO REDEFINES MI.
           02 FILLER PICTURE X(3).
           02 DATEC PICTURE X.
           02 DATEH PICTURE X.
           02 DATEO.
             03 MONTHO PIC X(2).
             03 YEARO PIC X(4).",
    );
}

fn three_maps(operands: &str) -> bms::MapSource {
    let map = |name: &str| {
        format!("{name}        DFHMDI SIZE=(1,80)\nF{name}       DFHMDF POS=(1,1),LENGTH=1\n")
    };
    parse(&cards(&format!(
        "S        DFHMSD TYPE=MAP,LANG=COBOL,{operands}\n{}{}{}         DFHMSD TYPE=FINAL\n",
        map("A"),
        map("B"),
        map("C")
    )))
}

/// The level 01 lines of a copybook.
fn records(source: &bms::MapSource) -> Vec<String> {
    let text = copybook(&source.sets[0], OccursForm::Assembler).unwrap();
    let lines = text
        .lines()
        .map(words)
        .filter(|line| line.starts_with("01"));
    lines.collect()
}

#[test]
fn maps_share_storage_as_storage_and_base_say() {
    assert_eq!(
        records(&three_maps("MODE=INOUT,STORAGE=AUTO")),
        [
            "01 AI.",
            "01 AO REDEFINES AI.",
            "01 BI.",
            "01 BO REDEFINES BI.",
            "01 CI.",
            "01 CO REDEFINES CI."
        ]
    );
    assert_eq!(
        records(&three_maps("MODE=INOUT")),
        [
            "01 AI.",
            "01 AO REDEFINES AI.",
            "01 BI REDEFINES AI.",
            "01 BO REDEFINES BI.",
            "01 CI REDEFINES AI.",
            "01 CO REDEFINES CI."
        ]
    );
    assert_eq!(
        records(&three_maps("MODE=INOUT,BASE=AREA"))[..4],
        [
            "01 AI REDEFINES AREA.",
            "01 AO REDEFINES AI.",
            "01 BI REDEFINES AREA.",
            "01 BO REDEFINES BI."
        ]
    );
    assert_eq!(
        records(&three_maps("MODE=OUT")),
        ["01 AO.", "01 BO REDEFINES AO.", "01 CO REDEFINES AO."]
    );
}

#[test]
fn maps_for_one_direction_have_one_record() {
    let field = "F        DFHMDF POS=(1,1),LENGTH=5";
    check(
        &source("MODE=OUT,STORAGE=AUTO,DSATTS=COLOR", "", field),
        "01 MO. 02 FILLER PICTURE X(2). 02 FA PICTURE X. 02 FC PICTURE X. 02 FO PIC X(5).",
    );
    check(
        &source("MODE=IN,STORAGE=AUTO", "", field),
        "01 MI. 02 FL COMP PIC S9(4). 02 FF PICTURE X. 02 FILLER REDEFINES FF. 03 FA PICTURE X. 02 FI PIC X(5).",
    );
}

#[test]
fn sets_for_other_languages_are_refused_by_name() {
    let text = "S        DFHMSD TYPE=MAP,MODE=INOUT,LANG=PLI\nM        DFHMDI SIZE=(1,80)\n         DFHMSD TYPE=FINAL\n";
    let source = parse(text);
    let refused = copybook(&source.sets[0], OccursForm::Assembler).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "LANG=PLI: only COBOL has a symbolic map here"
    );
}

#[test]
fn long_pictures_go_to_a_line_of_their_own() {
    let source = source(
        "MODE=INOUT,STORAGE=AUTO",
        "",
        "AVERYLONGFIELDNAMEOFTHIRTY DFHMDF POS=(1,1),~\n               PICOUT='ZZZ,ZZZ,ZZZ,ZZZ,ZZ9.99-'",
    );
    let text = copybook(&source.sets[0], OccursForm::Assembler).unwrap();
    assert!(text.lines().all(|line| line.len() <= 72), "{text}");
    assert!(text.contains("PIC ZZZ,ZZZ,ZZZ,ZZZ,ZZ9.99-."), "{text}");
}
