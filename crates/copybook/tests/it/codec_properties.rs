//! Properties of every layout and all data.
//!
//! Layouts are made of random fields; their values are random too. A record
//! made from JSON text gives the text back; no bytes and no text panic.

use copybook::codec::{
    EditedForm, InvalidPolicy, LongRecord, RedefinesChoice, ShortRecord, UnmappablePolicy,
};
use copybook::{CodePage, CodecOptions, ParseOptions, RecordCodec, RecordLayout};
use proptest::prelude::*;

/// A field: its clauses, and a value that fits them.
fn leaf() -> impl Strategy<Value = (String, BoxedStrategy<String>)> {
    let integer = |digits: u32, signed: bool| {
        let most = 10i128.pow(digits) - 1;
        let least = if signed { -most } else { 0 };
        (least..=most).prop_map(|n| n.to_string()).boxed()
    };
    let decimal = |digits: u32, scale: u32| {
        let most = 10i128.pow(digits) - 1;
        (-most..=most)
            .prop_map(move |n| {
                let unit = 10i128.pow(scale);
                let sign = if n < 0 { "-" } else { "" };
                let (whole, rest) = (n.abs() / unit, n.abs() % unit);
                format!("{sign}{whole}.{rest:0width$}", width = scale as usize)
            })
            .boxed()
    };
    let usage = prop_oneof![
        Just(""),
        Just("SIGN LEADING"),
        Just("SIGN LEADING SEPARATE"),
        Just("SIGN TRAILING SEPARATE"),
        Just("COMP-3"),
    ];
    prop_oneof![
        (1..40usize).prop_map(|n| {
            let text =
                proptest::string::string_regex(&format!("([ -~\\n\\t]{{0,{}}}[!-~])?", n - 1));
            let value = text
                .expect("a pattern")
                .prop_map(|t| serde_json::Value::from(t).to_string());
            (format!("PIC X({n})"), value.boxed())
        }),
        (1..=38u32, usage.clone())
            .prop_map(move |(n, u)| (format!("PIC S9({n}) {u}"), integer(n, true))),
        (1..=18u32).prop_map(move |n| (format!("PIC 9({n}) COMP"), integer(n, false))),
        (1..=18u32).prop_map(move |n| (format!("PIC S9({n}) COMP-5"), integer(n, true))),
        (1..=20u32).prop_map(move |n| (format!("PIC 9({n}) COMP-6"), integer(n, false))),
        (1..=20u32, 1..=10u32, usage)
            .prop_map(move |(n, s, u)| (format!("PIC S9({n})V9({s}) {u}"), decimal(n + s, s))),
        Just(("PIC -(5)9.99".to_string(), decimal(7, 2))),
        any::<f64>()
            .prop_filter("finite", |f| f.is_finite() && *f != 0.0)
            .prop_map(|f| (
                "COMP-2".to_string(),
                Just(serde_json::Value::from(f).to_string()).boxed()
            )),
    ]
}

/// Something that can be rendered as copybook lines and as JSON text.
#[derive(Debug, Clone)]
enum GeneratedItem {
    Leaf {
        clauses: String,
        value: String,
    },
    Table {
        clauses: String,
        values: Vec<String>,
    },
    Varying {
        clauses: String,
        values: Vec<String>,
        max: usize,
    },
    Group(Vec<GeneratedItem>),
}

fn item() -> impl Strategy<Value = GeneratedItem> {
    let single = leaf().prop_flat_map(|(clauses, value)| {
        value.prop_map(move |value| GeneratedItem::Leaf {
            clauses: clauses.clone(),
            value,
        })
    });
    let table = leaf().prop_flat_map(|(clauses, value)| {
        prop::collection::vec(value, 1..4).prop_map(move |values| GeneratedItem::Table {
            clauses: clauses.clone(),
            values,
        })
    });
    let varying = leaf().prop_flat_map(|(clauses, value)| {
        (prop::collection::vec(value, 0..4), 1..3usize).prop_map(move |(values, more)| {
            let max = values.len() + more;
            GeneratedItem::Varying {
                clauses: clauses.clone(),
                values,
                max,
            }
        })
    });
    prop_oneof![4 => single, 1 => table, 1 => varying].prop_recursive(3, 20, 5, |inner| {
        prop::collection::vec(inner, 1..5).prop_map(GeneratedItem::Group)
    })
}

/// Renders copybook lines and JSON members.
fn render(items: &[GeneratedItem], level: usize, next: &mut usize, book: &mut String) -> String {
    let mut members = Vec::new();
    for item in items {
        *next += 1;
        let n = *next;
        match item {
            GeneratedItem::Leaf { clauses, value } => {
                *book += &format!("           {level:02} F-{n} {clauses}.\n");
                members.push(format!("\"F-{n}\":{value}"));
            }
            GeneratedItem::Table { clauses, values } => {
                let count = values.len();
                *book += &format!("           {level:02} F-{n} {clauses} OCCURS {count}.\n");
                members.push(format!("\"F-{n}\":[{}]", values.join(",")));
            }
            GeneratedItem::Varying {
                clauses,
                values,
                max,
            } => {
                let count = values.len();
                *book += &format!("           {level:02} N-{n} PIC 9(2).\n");
                *book += &format!("           {level:02} F-{n} {clauses}\n");
                *book += &format!("             OCCURS 0 TO {max} DEPENDING ON N-{n}.\n");
                members.push(format!(
                    "\"N-{n}\":{count},\"F-{n}\":[{}]",
                    values.join(",")
                ));
            }
            GeneratedItem::Group(inner) => {
                *book += &format!("           {level:02} F-{n}.\n");
                let inside = render(inner, level + 1, next, book);
                members.push(format!("\"F-{n}\":{inside}"));
            }
        }
    }
    format!("{{{}}}", members.join(","))
}

fn record(items: &[GeneratedItem]) -> (RecordLayout, String) {
    let mut book = "       01 REC.\n".to_string();
    let json = render(items, 5, &mut 0, &mut book);
    let mut layouts = copybook::parse(&book, &ParseOptions::default())
        .unwrap_or_else(|d| panic!("{d:?}\n{book}"));
    (layouts.remove(0), json)
}

/// Equality where a float may be spelt in another way; this reader of JSON is
/// a bit off in the last place, so that exactness is left to the bytes.
fn same(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Number, Object};
    match (a, b) {
        (Number(a), Number(b)) => {
            let (a, b) = (
                a.as_f64().unwrap_or(f64::NAN),
                b.as_f64().unwrap_or(f64::NAN),
            );
            (a - b).abs() <= a.abs() * 1e-15
        }
        (Array(a), Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Object(a), Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && same(a, b))
        }
        _ => a == b,
    }
}

fn page() -> impl Strategy<Value = CodePage> {
    prop::sample::select(CodePage::all())
}

/// A layout with everything in it, for arbitrary bytes and text.
const EVERYTHING: &str = "       01 REC.
           05 A PIC X(7).
           05 B PIC N(3).
           05 C PIC S9(5)V99 COMP-3.
           05 D PIC S9(4).
           05 N PIC 9.
           05 T OCCURS 0 TO 4 DEPENDING ON N.
              10 KIND PIC X.
              10 BODY PIC X(4).
              10 R1 REDEFINES BODY PIC S9(7) COMP-3.
              10 R2 REDEFINES BODY PIC 9(4).
           05 E PIC ZZ,ZZ9.99-.
           05 F COMP-1.
           05 G COMP-2.
           05 H PIC S9(9) COMP.
           05 I PIC 9(18) COMP-5.
           05 J POINTER.
           05 K PIC 9(3) BLANK WHEN ZERO.
           05 L PIC S9(20) SIGN LEADING SEPARATE.
";

fn everything(
    page: CodePage,
    invalid: InvalidPolicy,
    choice: RedefinesChoice,
    substitute: bool,
) -> RecordCodec {
    let layouts = copybook::parse(EVERYTHING, &ParseOptions::default()).expect("it parses");
    let unmappable = if substitute {
        UnmappablePolicy::Substitute
    } else {
        UnmappablePolicy::Error
    };
    let options = CodecOptions {
        code_page: page,
        invalid,
        other_redefines: choice,
        unmappable,
        short_record: ShortRecord::Absent,
        long_record: LongRecord::Ignore,
        edited: if substitute {
            EditedForm::Number
        } else {
            EditedForm::Text
        },
        ..CodecOptions::default()
    };
    RecordCodec::build(&layouts[0], &options).expect("it compiles")
}

fn any_codec() -> impl Strategy<Value = RecordCodec> {
    let invalid = prop_oneof![
        Just(InvalidPolicy::Error),
        Just(InvalidPolicy::Null),
        Just(InvalidPolicy::Raw)
    ];
    let by_value = RedefinesChoice::ByValue {
        field: "KIND".into(),
        cases: vec![("1".into(), "R1".into())],
        otherwise: Some("R2".into()),
    };
    let choice = prop_oneof![
        Just(RedefinesChoice::Redefined),
        Just(RedefinesChoice::AllValid),
        Just(by_value)
    ];
    (page(), invalid, choice, any::<bool>()).prop_map(|(p, i, c, s)| everything(p, i, c, s))
}

/// JSON text and things that only look like it.
fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        " ",
        "\n",
        "null",
        "true",
        "0",
        "-1",
        "1e9",
        "12.5",
        "\"",
        "\\",
        "\\u00e9",
        "\"A\":",
        "\"B\":",
        "\"C\":",
        "\"T\":[",
        "\"KIND\":",
        "\"R1\":",
        "\"E\":\" 1.00 \"",
        "\"N\":2",
        "\"x\"",
        "\"é\"",
        "\"0x00\"",
        "99999999999999999999999999999999999999999",
    ]);
    prop_oneof![
        any::<String>(),
        prop::collection::vec(word, 0..30).prop_map(|words| format!("{{{}}}", words.concat())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn json_text_comes_back_from_the_record(
        items in prop::collection::vec(item(), 1..8),
        page in page(),
    ) {
        let (layout, json) = record(&items);
        let options = CodecOptions {
            code_page: page,
            edited: EditedForm::Number,
            ..CodecOptions::default()
        };
        let codec = RecordCodec::build(&layout, &options).expect("it compiles");
        let mut area = vec![0; codec.max_len()];
        let len = codec.encode(json.as_bytes(), &mut area).unwrap_or_else(|e| panic!("{json}: {e}"));
        let mut out = Vec::new();
        codec.decode(&area[..len], &mut out).unwrap_or_else(|e| panic!("{json}: {e}"));
        let value = |text: &[u8]| -> serde_json::Value { serde_json::from_slice(text).expect("JSON") };
        // Texts differ only in how floats and escapes are spelt.
        prop_assert!(same(&value(&out), &value(json.as_bytes())), "{}", String::from_utf8_lossy(&out));
        let mut again = vec![0xff; codec.max_len()];
        let second = codec.encode(&out, &mut again).expect("its own text");
        prop_assert_eq!(&again[..second], &area[..len]);
        prop_assert_eq!(codec.record_len(&area[..len]), Ok(len));
        let mut expanded = vec![0; codec.max_len()];
        codec.expand(&area[..len], &mut expanded).expect("its own record");
        prop_assert_eq!(codec.finish(&mut expanded), Ok(len));
        prop_assert_eq!(&expanded[..len], &area[..len]);
    }

    #[test]
    fn no_bytes_make_decoding_panic(
        codec in any_codec(),
        bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'1'), Just(0xf1), Just(b' ')], 0..120),
    ) {
        let mut out = Vec::new();
        if codec.decode(&bytes, &mut out).is_ok() {
            let text = std::str::from_utf8(&out).expect("UTF-8");
            serde_json::from_str::<serde_json::Value>(text).unwrap_or_else(|e| panic!("{e}: {text}"));
        }
        for path in ["A", "B", "T", "T(2)", "T(4).BODY", "T(1).R1", "L", "E"] {
            let mut out = Vec::new();
            if codec.field(path).expect("a field").write_json(&bytes, &mut out).is_ok() {
                let text = std::str::from_utf8(&out).expect("UTF-8");
                serde_json::from_str::<serde_json::Value>(text).unwrap_or_else(|e| panic!("{e}: {text}"));
            }
        }
    }

    #[test]
    fn no_text_makes_encoding_panic(codec in any_codec(), text in text(), cut in any::<prop::sample::Index>()) {
        let mut area = vec![0; codec.max_len()];
        let _ = codec.encode(text.as_bytes(), &mut area);
        let bytes = text.as_bytes();
        let _ = codec.encode(&bytes[..cut.index(bytes.len() + 1)], &mut area);
        for path in ["A", "B", "C", "T", "T(2)", "T(4).BODY", "L", "E", "F", "J"] {
            let field = codec.field(path).expect("a field");
            let _ = field.read_json(bytes, &mut area);
            let _ = field.read_text(&text, &mut area);
        }
        let _ = codec.finish(&mut area);
    }

    #[test]
    fn a_changed_text_is_refused_or_read_but_never_panics(
        items in prop::collection::vec(item(), 1..6),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let (layout, json) = record(&items);
        let options = CodecOptions::default();
        let codec = RecordCodec::build(&layout, &options).expect("it compiles");
        let mut text = json.into_bytes();
        let at = at.index(text.len());
        text[at] = byte;
        let _ = codec.encode(&text, &mut vec![0; codec.max_len()]);
    }
}
