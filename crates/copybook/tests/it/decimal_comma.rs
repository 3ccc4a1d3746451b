//! Texts that say DECIMAL-POINT IS COMMA by themselves.

use copybook::{ParseOptions, RecordLayout, has_decimal_comma, parse, with_decimal_comma};

#[test]
fn a_text_that_says_decimal_comma_means_the_same_alone() {
    for text in [
        "       01  A.\n           05  B PIC Z.ZZ9,99.\n           05  C PIC 9(3),9.\n",
        "01 A.\n  05 B PIC Z.ZZ9,99.\n  05 C PIC 9(3),9.\n",
        "       >>SOURCE FORMAT IS FREE\n01 A.\n 05 B PIC Z.ZZ9,99.\n 05 C PIC 9(3),9.\n",
    ] {
        assert!(!has_decimal_comma(text));
        assert!(parse(text, &ParseOptions::default()).is_err());
        let comma = ParseOptions {
            decimal_comma: true,
            ..ParseOptions::default()
        };
        let meant = parse(text, &comma).unwrap();
        let alone = with_decimal_comma(text);
        assert!(has_decimal_comma(&alone));
        assert_eq!(with_decimal_comma(&alone), alone);
        let read = parse(&alone, &ParseOptions::default()).unwrap();
        let kinds = |layout: &RecordLayout| {
            let fields = layout
                .iter()
                .map(|(_, f)| (f.name.clone(), f.kind.clone(), f.offset));
            fields.collect::<Vec<_>>()
        };
        assert_eq!(kinds(&read[0]), kinds(&meant[0]));
    }
}
