//! Cards: marks, literals, remarks, comments, and cards that are wrong.

use base::Severity;
use bms::{Initial, parse};

use crate::support::{cards, source};

fn messages(source: &bms::MapSource) -> Vec<String> {
    source.diagnostics.iter().map(ToString::to_string).collect()
}

#[test]
fn any_character_in_column_72_continues_a_statement() {
    for mark in ['X', '-', '*', '_', '1', 'é'] {
        let first = format!(
            "{:<71}{mark}00010000",
            "S        DFHMSD TYPE=MAP,LANG=COBOL,"
        );
        let text = format!(
            "{first}\n               MODE=INOUT\nM        DFHMDI SIZE=(3,40)\n         DFHMSD TYPE=FINAL\n"
        );
        let source = parse(&text);
        assert_eq!(messages(&source), Vec::<String>::new());
        assert!(source.sets[0].maps[0].mode.has_input());
    }
}

#[test]
fn a_comma_and_a_blank_end_the_operands_of_a_card() {
    let source = source(
        "MODE=INOUT",
        "",
        "F        DFHMDF POS=(1,1),        the first field~\n               LENGTH=5,  of five~\n               ATTRB=UNPROT done",
    );
    let field = &source.sets[0].maps[0].fields[0];
    assert_eq!((field.length, field.attribute.byte()), (5, 0x40));
    assert_eq!(source.diagnostics, []);
}

#[test]
fn a_literal_keeps_its_blanks_up_to_column_71_and_goes_on_in_16() {
    let first = format!(
        "{:<71}X",
        "         DFHMDF POS=(1,1),LENGTH=60,INITIAL='IT''S   TWO  && A"
    );
    let fields = format!("{first}\n                 END'");
    let source = source("MODE=OUT", "", &fields);
    let blanks = 71 - "         DFHMDF POS=(1,1),LENGTH=60,INITIAL='IT''S   TWO  && A".len();
    let expected = format!("IT'S   TWO  & A{}  END", " ".repeat(blanks));
    assert_eq!(
        source.sets[0].maps[0].fields[0].initial,
        Initial::Text(expected)
    );
    assert_eq!(source.diagnostics, []);
}

#[test]
fn a_word_may_be_cut_at_column_71() {
    let operands = "         DFHMDF POS=(1,1),LENGTH=7,INITIAL='ABCDEFG',ATTRB=(ASKIP,NO";
    let padded = format!("{:<61}{operands_tail}", "", operands_tail = "");
    assert_eq!(padded.len(), 61);
    let at = 71 - operands.len();
    let first = format!(
        "{}{}X",
        operands.replace("DFHMDF", &format!("DFHMDF{}", " ".repeat(at))),
        ""
    );
    let source = source("MODE=OUT", "", &format!("{first}\n               RM)"));
    assert_eq!(source.sets[0].maps[0].fields[0].attribute.byte(), 0xF0);
    assert_eq!(source.diagnostics, []);
}

#[test]
fn a_mark_after_the_last_operand_swallows_the_next_card() {
    let source = source(
        "MODE=INOUT",
        "",
        "A        DFHMDF POS=(1,1),LENGTH=5~\nB        DFHMDF POS=(2,1),LENGTH=5\nC        DFHMDF POS=(3,1),LENGTH=5",
    );
    let names: Vec<_> = source.sets[0].maps[0]
        .fields
        .iter()
        .map(|f| f.name.as_deref())
        .collect();
    assert_eq!(names, [Some("A"), Some("C")]);
    assert_eq!(
        messages(&source),
        [
            "5:1: warning: this macro is read as a remark: column 72 of the card before is marked\n  help: blank column 72 of line 4"
        ]
    );
}

#[test]
fn forgotten_marks_are_reported_once_a_file() {
    let mut fields = String::new();
    for line in 1..=3 {
        fields.push_str(&format!(
            "{:<70}X\n               INITIAL='TEXT'\n",
            format!("         DFHMDF POS=({line},1),LENGTH=5,")
        ));
    }
    let source = source("MODE=INOUT", "", fields.trim_end());
    assert!(
        source.sets[0].maps[0]
            .fields
            .iter()
            .all(|f| f.initial.is_some())
    );
    assert_eq!(source.diagnostics.len(), 1, "{:#?}", source.diagnostics);
    let message = source.diagnostics[0].to_string();
    assert!(message.starts_with("4:72: warning: "), "{message}");
    assert!(
        message.contains("column 71 (3 cards in this file)"),
        "{message}"
    );
}

#[test]
fn a_mark_in_column_73_is_named() {
    let fields = format!(
        "{:<72}X\n               LENGTH=5",
        "         DFHMDF POS=(1,1),"
    );
    let source = source("MODE=INOUT", "", &fields);
    assert!(
        source.diagnostics[0]
            .message
            .contains("the mark is in column 73")
    );
    assert_eq!(source.sets[0].maps[0].fields[0].length, 5);
}

#[test]
fn operands_without_a_comma_before_them_are_an_error() {
    let source = source(
        "MODE=INOUT",
        "",
        "         DFHMDF POS=(1,1),LENGTH=5\n               INITIAL='A'",
    );
    assert_eq!(source.diagnostics.len(), 1);
    assert_eq!(source.diagnostics[0].severity, Severity::Error);
    assert_eq!(
        (source.diagnostics[0].line, source.diagnostics[0].column),
        (5, 16)
    );
}

#[test]
fn text_before_column_16_of_a_continued_card_is_reported_with_its_column() {
    let source = source(
        "MODE=INOUT",
        "",
        "         DFHMDF POS=(1,1),~\n             LENGTH=5",
    );
    assert_eq!(source.sets[0].maps[0].fields[0].length, 5);
    assert_eq!(
        (source.diagnostics[0].line, source.diagnostics[0].column),
        (5, 14)
    );
}

#[test]
fn comments_do_not_continue_and_other_statements_are_skipped() {
    let comment = format!("{:<71}X", "* A comment with a mark");
    let text = cards(&format!(
        "//ASM JOB\n{comment}\n         PRINT NOGEN\n         TITLE 'IT''S A LONG~\n               TITLE'\n         SPACE 2\n.* macro comment\n\
         S        DFHMSD TYPE=&&SYSPARM,LANG=COBOL,MODE=INOUT\n         EJECT\n\nM        DFHMDI SIZE=(24,80)\n\
         {comment}\nF        DFHMDF POS=(1,1),LENGTH=1\n         DFHMSD TYPE=FINAL\n         END\n/*\n"
    ));
    let source = parse(&text);
    assert_eq!(messages(&source), Vec::<String>::new());
    assert_eq!(source.sets[0].maps[0].fields.len(), 1);
}

#[test]
fn a_comment_between_cards_of_one_statement_is_reported() {
    let source = source(
        "MODE=INOUT",
        "",
        "         DFHMDF POS=(1,1),~\n* between\n               LENGTH=5",
    );
    assert_eq!(source.sets[0].maps[0].fields[0].length, 5);
    assert!(source.diagnostics[0].message.contains("a comment between"));
}

#[test]
fn literals_and_parentheses_that_are_not_closed_are_errors() {
    let open = source(
        "MODE=INOUT",
        "",
        "         DFHMDF POS=(1,1),LENGTH=5,INITIAL='ABC",
    );
    assert!(open.has_errors());
    assert_eq!(
        (open.diagnostics[0].line, open.diagnostics[0].column),
        (4, 44)
    );
    let open = source(
        "MODE=INOUT",
        "",
        "         DFHMDF POS=(1,1),LENGTH=5,ATTRB=(ASKIP, NORM)",
    );
    assert!(open.has_errors());
    let text = source(
        "MODE=INOUT",
        "",
        "         DFHMDF POS=(1,1),LENGTH=5,INITIAL='IT'S'",
    );
    assert!(text.has_errors());
}

#[test]
fn tabs_are_blanks_and_letters_above_127_are_one_column() {
    let text =
        "S\tDFHMSD TYPE=MAP,MODE=INOUT,LANG=COBOL\nM\tDFHMDI SIZE=(24,80)\n\tDFHMSD TYPE=FINAL\n";
    let source = parse(text);
    assert_eq!(source.sets[0].maps.len(), 1);
    assert_eq!(source.diagnostics.len(), 1);
    let first = format!("{:<71}X", "         DFHMDF POS=(1,1),INITIAL='é©',");
    let source = crate::support::source(
        "MODE=INOUT",
        "",
        &format!("{first}\n               LENGTH=2"),
    );
    assert_eq!(source.diagnostics, []);
    assert_eq!(source.sets[0].maps[0].fields[0].length, 2);
}

#[test]
fn a_file_that_is_not_utf_8_is_read_as_one_character_a_byte() {
    assert_eq!(bms::source_text(b"\xA9 1988"), "© 1988");
    assert_eq!(bms::source_text("©".as_bytes()), "©");
}

#[test]
fn macros_of_another_monitor_are_the_same() {
    let text = "S        KIKMSD TYPE=MAP,LANG=COBOL\nM        KIKMDI SIZE=(1,80)\n         KIKMDF POS=(1,1),LENGTH=3\n         KIKMSD TYPE=FINAL\n";
    let source = parse(text);
    assert_eq!(source.diagnostics, []);
    assert_eq!(source.sets[0].maps[0].fields.len(), 1);
}
