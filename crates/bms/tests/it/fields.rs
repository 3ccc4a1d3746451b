//! Operands of fields: lengths, attributes, justification, and what is wrong.

use base::Severity;
use bms::{ExtendedAttribute, Initial, Justify};

use crate::support::{source, statement};

fn field(operands: &str) -> (bms::Field, Vec<String>) {
    let source = source("MODE=INOUT", "", &statement("F", "DFHMDF", operands));
    let messages = source
        .diagnostics
        .iter()
        .map(|d| d.message.clone())
        .collect();
    (source.sets[0].maps[0].fields[0].clone(), messages)
}

#[test]
fn attribute_bytes_follow_attrb() {
    for (attrb, byte) in [
        ("", 0xF0),
        (",ATTRB=ASKIP", 0xF0),
        (",ATTRB=(ASKIP,PROT)", 0xF0),
        (",ATTRB=PROT", 0x60),
        (",ATTRB=(UNPROT,IC)", 0x40),
        (",ATTRB=(FSET)", 0xC1),
        (",ATTRB=(NUM,UNPROT)", 0x50),
        (",ATTRB=(UNPROT,DRK)", 0x4C),
        (",ATTRB=(ASKIP,BRT)", 0xF8),
        (",ATTRB=(PROT,BRT,FSET)", 0xE9),
        (",ATTRB=(UNPROT,DET)", 0xC4),
    ] {
        let (field, messages) = field(&format!("POS=(1,1),LENGTH=3{attrb}"));
        assert_eq!(field.attribute.byte(), byte, "{attrb}");
        assert_eq!(messages, Vec::<String>::new(), "{attrb}");
    }
}

#[test]
fn lengths_come_from_pictures_and_initial_values() {
    assert_eq!(field("POS=(1,1),PICOUT='ZZ,ZZ9.99'").0.length, 9);
    assert_eq!(field("POS=(1,1),PICIN='9(6)'").0.length, 6);
    let (by_initial, messages) = field("POS=(1,1),INITIAL='HELLO'");
    assert_eq!((by_initial.length, messages.len()), (5, 1));
    let (none, messages) = field("POS=(1,1)");
    assert_eq!(none.length, 0);
    assert!(messages.contains(&"LENGTH is missing".to_owned()));
    let (_, messages) = field("POS=(1,1),LENGTH=4,PICOUT='ZZ9'");
    assert_eq!(messages, ["PICOUT has 3 positions, LENGTH=4"]);
}

#[test]
fn justification_follows_what_is_coded_else_num() {
    let left = Justify {
        right: false,
        zero: false,
    };
    let right = Justify {
        right: true,
        zero: true,
    };
    for (coded, expected) in [
        ("", left),
        (",ATTRB=(UNPROT,NUM)", right),
        (",ATTRB=(ASKIP,FSET)", left),
        (",JUSTIFY=RIGHT", right),
        (",JUSTIFY=(BLANK)", left),
        (
            ",JUSTIFY=(LEFT,ZERO)",
            Justify {
                right: false,
                zero: true,
            },
        ),
        (
            ",ATTRB=(UNPROT,NUM),JUSTIFY=(RIGHT,BLANK)",
            Justify {
                right: true,
                zero: false,
            },
        ),
        (",ATTRB=(UNPROT,NUM),JUSTIFY=LEFT", left),
    ] {
        assert_eq!(
            field(&format!("POS=(1,1),LENGTH=3{coded}")).0.justify,
            expected,
            "{coded}"
        );
    }
}

#[test]
fn initial_values_are_text_or_hexadecimal() {
    assert_eq!(
        field("POS=(1,1),LENGTH=2,XINIT=C1C2").0.initial,
        Initial::Bytes(vec![0xC1, 0xC2])
    );
    assert_eq!(
        field("POS=(1,1),LENGTH=2,XINIT='0e0F'").0.initial,
        Initial::Bytes(vec![0x0E, 0x0F])
    );
    assert!(field("POS=(1,1),LENGTH=2,XINIT=C").1[0].starts_with("XINIT"));
    let (_, messages) = field("POS=(1,1),LENGTH=2,INITIAL='ABC'");
    assert_eq!(messages, ["INITIAL has 3 characters and is cut to 2"]);
}

#[test]
fn values_that_do_not_exist_are_reported_with_the_nearest() {
    let source = source(
        "MODE=INOUT,MAPATTS=(COLOR,HILIGHT)",
        "",
        "F        DFHMDF POS=(1,1),COLOR=WHITE,HILIGHT=UNDERLIN,LENGHT=4,~\n               LENGTH=3",
    );
    let shown: Vec<_> = source
        .diagnostics
        .iter()
        .map(|d| (d.message.as_str(), d.help.as_deref()))
        .collect();
    assert_eq!(
        shown,
        [
            (
                "COLOR=WHITE: no such value; it is ignored",
                Some("expected DEFAULT, BLUE, RED, PINK, GREEN, TURQUOISE, YELLOW, NEUTRAL")
            ),
            (
                "HILIGHT=UNDERLIN: no such value; it is ignored",
                Some("did you mean UNDERLINE?")
            ),
            (
                "DFHMDF has no operand LENGHT; it is ignored",
                Some("did you mean LENGTH?")
            ),
        ]
    );
    assert!(
        source
            .diagnostics
            .iter()
            .all(|d| d.severity == Severity::Warning)
    );
    assert_eq!(
        source.sets[0].maps[0].fields[0]
            .extended
            .get(ExtendedAttribute::Color),
        None
    );
}

#[test]
fn a_positional_operand_is_a_forgotten_keyword() {
    let (field, messages) = field("POS=(1,1),LENGTH=3,(NORM,PROT)");
    assert_eq!(messages, ["an operand without keyword is ignored"]);
    assert_eq!(field.attribute.byte(), 0xF0);
}

#[test]
fn positions_are_line_and_column_or_a_number_from_0() {
    let (field, _) = field("POS=81,LENGTH=3");
    assert_eq!((field.line, field.column), (2, 2));
    for wrong in [
        "POS=(25,1)",
        "POS=(24,81)",
        "POS=(0,1)",
        "POS=1920",
        "POS=(A,1)",
    ] {
        assert!(
            self::field(&format!("{wrong},LENGTH=1")).1[0].contains("is not in the map"),
            "{wrong}"
        );
    }
}

#[test]
fn a_column_past_the_end_of_the_line_is_one_of_the_next_line() {
    let (field, messages) = field("POS=(11,81),LENGTH=3");
    assert_eq!((field.line, field.column), (12, 1));
    assert_eq!(
        messages,
        ["POS=(11,81) is past the end of its line; line 12 column 1 is taken"]
    );
}

#[test]
fn overlaps_order_and_ends_are_reported_without_refusing_the_map() {
    let source = source(
        "MODE=INOUT",
        "",
        "         DFHMDF POS=(7,8),LENGTH=16\n         DFHMDF POS=(4,30),LENGTH=12\n         DFHMDF POS=(4,40),LENGTH=1\n\
         \x20        DFHMDF POS=(5,70),LENGTH=20\n         DFHMDF POS=(24,79),LENGTH=5",
    );
    assert!(!source.has_errors());
    let messages: Vec<_> = source
        .diagnostics
        .iter()
        .map(|d| (d.line, d.message.as_str()))
        .collect();
    assert_eq!(
        messages,
        [
            (5, "the field before has a higher position"),
            (6, "the field overlaps the one in line 5"),
            (
                7,
                "the field runs past the end of its line and goes on in the next one"
            ),
            (8, "the field runs 4 positions past the end of the map"),
        ]
        .iter()
        .map(|(line, message)| (*line, *message))
        .collect::<Vec<_>>()
    );
}

#[test]
fn names_are_unique_in_a_map() {
    let source = source(
        "MODE=INOUT",
        "",
        "F        DFHMDF POS=(1,1),LENGTH=1\nF        DFHMDF POS=(2,1),LENGTH=1",
    );
    assert!(source.has_errors());
    assert_eq!(
        source.diagnostics[0].message,
        "the map has two fields F; the first is in line 4"
    );
}

#[test]
fn macros_outside_their_frame_are_errors() {
    for text in [
        "M        DFHMDI SIZE=(24,80)\n",
        "S        DFHMSD TYPE=MAP\n         DFHMDF POS=(1,1),LENGTH=1\n         DFHMSD TYPE=FINAL\n",
        "S        DFHMSD TYPE=MAP\nM        DFHMDI SIZE=(0,80)\n         DFHMSD TYPE=FINAL\n",
        "S        DFHMDS TYPE=MAP\n",
    ] {
        assert!(bms::parse(text).has_errors(), "{text}");
    }
}
