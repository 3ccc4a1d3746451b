//! JSON Schema of records.

use copybook::codec::{CodecOptions, MissingMembers, NumberForm, RedefinesChoice, RedefinesRule};
use copybook::{
    JsonNames, NamingStyle, ParseOptions, RecordCodec, RecordLayout, SchemaDirection, json_schema,
};
use serde_json::{Value, json};

use crate::corpus::handwritten;

fn layout(text: &str) -> RecordLayout {
    let layouts = copybook::parse(text, &ParseOptions::default());
    layouts.expect("accepted").swap_remove(0)
}

fn properties(text: &str, options: &CodecOptions, direction: SchemaDirection) -> Value {
    let schema = json_schema(&layout(text), options, direction).expect("a schema");
    schema["properties"].clone()
}

#[test]
fn types_follow_picture_and_usage() {
    let text = "01 R.
        05 NAME PIC X(20).
        05 COUNT-OF PIC 9(4).
        05 BALANCE PIC S9(4).
        05 RATE PIC 9(4)V99.
        05 SMALL PIC S9(4) COMP.
        05 FULL COMP-5 PIC S9(9).
        05 LONG-ONE PIC S9(31) COMP-3.
        05 MILLIONS PIC 9(3)P(6).
        05 SHOWN PIC ZZ9.99.
        05 F COMP-1.
        05 FILLER PIC X(3).
        05 ITEM OCCURS 3 PIC X.
    ";
    let found = properties(text, &CodecOptions::default(), SchemaDirection::ToRecord);
    let expected = json!({
        "NAME": {"type": "string", "maxLength": 20},
        "COUNT-OF": {"type": "integer", "minimum": 0, "maximum": 9999},
        "BALANCE": {"type": "integer", "minimum": -9999, "maximum": 9999},
        "RATE": {"type": "number", "minimum": 0, "maximum": 9999.99, "multipleOf": 0.01,
                 "format": "decimal"},
        "SMALL": {"type": "integer", "minimum": -9999, "maximum": 9999},
        "FULL": {"type": "integer", "minimum": i32::MIN, "maximum": i32::MAX},
        "LONG-ONE": {"type": "integer", "exclusiveMinimum": -1e31, "exclusiveMaximum": 1e31},
        "MILLIONS": {"type": "integer", "minimum": 0, "maximum": 999_000_000,
                     "multipleOf": 1_000_000},
        "SHOWN": {"type": "string", "maxLength": 6},
        "F": {"type": "number", "format": "float"},
        "ITEM": {"type": "array", "items": {"type": "string", "maxLength": 1},
                 "minItems": 3, "maxItems": 3},
    });
    assert_eq!(found, expected);
}

#[test]
fn comp_written_from_a_record_may_use_all_its_bytes() {
    let text = "01 R.\n 05 SMALL PIC S9(4) COMP.\n";
    let found = properties(text, &CodecOptions::default(), SchemaDirection::FromRecord);
    assert_eq!(
        found["SMALL"],
        json!({"type": "integer", "minimum": -32768, "maximum": 32767})
    );
}

#[test]
fn numbers_can_be_text_of_digits() {
    let text = "01 R.\n 05 A PIC S9(3)V99.\n 05 B PIC 9(31).\n";
    let options = CodecOptions {
        numbers: NumberForm::Text,
        ..CodecOptions::default()
    };
    let found = properties(text, &options, SchemaDirection::FromRecord);
    assert_eq!(
        found,
        json!({
            "A": {"type": "string", "pattern": "^-?[0-9]{1,3}(\\.[0-9]{1,2})?$"},
            "B": {"type": "string", "pattern": "^[0-9]{1,31}$"},
        })
    );
}

#[test]
fn tables_that_vary_have_both_limits() {
    let text = "01 R.\n 05 N PIC 99.\n 05 T OCCURS 2 TO 9 DEPENDING ON N.\n  10 A PIC X.\n";
    let found = properties(text, &CodecOptions::default(), SchemaDirection::FromRecord);
    assert_eq!(found["T"]["minItems"], 2);
    assert_eq!(found["T"]["maxItems"], 9);
    assert_eq!(found["T"]["items"]["required"], json!(["A"]));
}

#[test]
fn names_follow_the_rules_or_stay() {
    let text = "01 R.\n 05 CUST-NAME PIC X.\n 05 1ST PIC X.\n 05 CUST-NAME PIC 9.\n";
    let keys = |naming| {
        let options = CodecOptions {
            naming,
            ..CodecOptions::default()
        };
        let found = properties(text, &options, SchemaDirection::FromRecord);
        let keys = found.as_object().expect("an object").keys().cloned();
        keys.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(keys(NamingStyle::Kept), "CUST-NAME 1ST CUST-NAME2");
    assert_eq!(
        keys(NamingStyle::JsonSafe { lowercase: true }),
        "cust_name _1st cust_name2"
    );
}

const VARIANTS: &str = "01 R.
    05 KIND PIC X.
    05 PART-A PIC X(4).
    05 PART-B REDEFINES PART-A.
       10 B1 PIC 9(4).
    05 PART-C REDEFINES PART-A PIC S9(7) COMP-3.
";

#[test]
fn one_description_of_redefined_storage_can_be_chosen() {
    let mut options = CodecOptions::default();
    let keys = |options: &CodecOptions| {
        let found = properties(VARIANTS, options, SchemaDirection::FromRecord);
        let keys = found.as_object().expect("an object").keys().cloned();
        keys.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(keys(&options), "KIND PART-A");
    options.other_redefines = RedefinesChoice::Named("PART-B".into());
    assert_eq!(keys(&options), "KIND PART-B");
    options.other_redefines = RedefinesChoice::AllValid;
    assert_eq!(keys(&options), "KIND PART-A PART-B PART-C");
}

#[test]
fn a_discriminator_says_which_description_is_there() {
    let options = CodecOptions {
        redefines: vec![RedefinesRule {
            item: "PART-A".into(),
            choice: RedefinesChoice::ByValue {
                field: "KIND".into(),
                cases: vec![("B".into(), "PART-B".into()), ("C".into(), "PART-C".into())],
                otherwise: None,
            },
        }],
        ..CodecOptions::default()
    };
    let layout = layout(VARIANTS);
    let schema = json_schema(&layout, &options, SchemaDirection::FromRecord).expect("a schema");
    assert_eq!(schema["required"], json!(["KIND"]));
    assert_eq!(
        schema["allOf"],
        json!([
            {"oneOf": [
                {"required": ["PART-B"]},
                {"required": ["PART-C"]},
                {"not": {"anyOf": [{"required": ["PART-B"]}, {"required": ["PART-C"]}]}},
            ]},
            {"if": {"properties": {"KIND": {"const": "B"}}, "required": ["KIND"]},
             "then": {"required": ["PART-B"]}},
            {"if": {"properties": {"KIND": {"const": "C"}}, "required": ["KIND"]},
             "then": {"required": ["PART-C"]}},
        ])
    );
}

#[test]
fn every_member_is_required_only_where_it_must_be_given() {
    let text = "01 R.\n 05 A PIC X.\n";
    let required = |missing, direction| {
        let options = CodecOptions {
            missing,
            ..CodecOptions::default()
        };
        let schema = json_schema(&layout(text), &options, direction).expect("a schema");
        schema.get("required").is_some()
    };
    assert!(!required(
        MissingMembers::Initial,
        SchemaDirection::ToRecord
    ));
    assert!(required(MissingMembers::Error, SchemaDirection::ToRecord));
    assert!(required(
        MissingMembers::Initial,
        SchemaDirection::FromRecord
    ));
}

/// The properties of a schema are the names of the fields.
#[test]
fn schemas_of_the_corpus_name_the_fields_of_their_records() {
    let options = CodecOptions {
        other_redefines: RedefinesChoice::AllValid,
        ..CodecOptions::default()
    };
    let copy = copybook::CopyFolders::new([crate::corpus::members()]);
    let mut schemas = 0;
    for sample in handwritten() {
        let parse = ParseOptions {
            copy: &copy,
            ..ParseOptions::default()
        };
        for layout in copybook::parse(&sample.text, &parse).expect("accepted") {
            if RecordCodec::build(&layout, &options).is_err() {
                continue;
            }
            schemas += 1;
            let schema =
                json_schema(&layout, &options, SchemaDirection::FromRecord).expect("a schema");
            let names = JsonNames::new(&layout, options.naming);
            let expected: Vec<&str> = layout.fields[0]
                .children
                .iter()
                .filter_map(|child| names.json(*child))
                .collect();
            let empty = serde_json::Map::new();
            let found = schema["properties"].as_object().unwrap_or(&empty);
            let mut found: Vec<&str> = found.keys().map(String::as_str).collect();
            let mut expected = expected;
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{}", sample.name);
        }
    }
    assert!(schemas > 60, "{schemas} schemas");
}
