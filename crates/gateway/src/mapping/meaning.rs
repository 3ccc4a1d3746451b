//! One meaning for both ways to a value.
//!
//! An expression is compiled unchanged, which may avoid the evaluator, and as
//! `(0; E)`, which never does. Both get the same request, and their values,
//! their errors and their truth as a condition are compared. Numbers are
//! compared by value: without evaluation they keep their digits.

use super::context::{EvalContext, MappingFailure, Request};
use super::expr::{self, PathRoot};
use super::plan::{
    Condition, GeneralPlan, ItemScope, JsonItem, MappingCompiler, ReplyPart, ValuePlan,
};
use super::tree::MapValue;
use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use crate::json::JsonTape;
use crate::validate::params::{self, OperationParameter, ParameterPlace};
use crate::validate::schema::SchemaSet;
use proptest::prelude::*;
use std::borrow::Cow;
use std::path::Path;

/// A value, nothing, or an error.
pub(super) type EvaluationResult = Result<Option<serde_json::Value>, String>;

/// Makes every number a double, as the evaluator does.
pub(super) fn doubled(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value as V;
    match value {
        V::Number(n) => n.as_f64().map_or(V::Null, V::from),
        V::Array(items) => items.into_iter().map(doubled).collect(),
        V::Object(members) => members.into_iter().map(|(k, v)| (k, doubled(v))).collect(),
        other => other,
    }
}

fn why(failure: MappingFailure) -> String {
    match failure {
        MappingFailure::Expression(_, why) => why,
        other => format!("{other:?}"),
    }
}

fn param(name: &str, place: ParameterPlace) -> OperationParameter {
    OperationParameter {
        name: name.into(),
        place,
        required: false,
        schema: None,
        list: false,
        explode: true,
        default: None,
    }
}

/// The request of a test.
pub(super) struct TestRequest<'a> {
    context: EvalContext<'a>,
    scope: ItemScope<'static>,
}

impl TestRequest<'_> {
    fn compiled<T>(&self, make: impl FnOnce(&mut MappingCompiler<'_>) -> T) -> T {
        let (set, mut out) = (SchemaSet::default(), ProjectDiagnostics::default());
        make(&mut MappingCompiler {
            file: Path::new("test.yaml"),
            reply: None,
            tree: None,
            body: None,
            params: None,
            set: &set,
            out: &mut out,
        })
    }

    fn evaluated(&self, source: &str) -> GeneralPlan {
        GeneralPlan {
            general: expr::general(&format!("(0; {source})")).unwrap(),
            place: Box::default(),
            shape: ReplyPart::default(),
            item: match self.scope {
                ItemScope::Json(_) => Some(super::plan::ValueSource::Item(Vec::new())),
                _ => None,
            },
        }
    }

    fn outcome(&mut self, value: &ValuePlan) -> EvaluationResult {
        let mut out = Vec::new();
        match self.context.value(value, &mut out) {
            Ok(false) => Ok(None),
            Ok(true) => Ok(Some(doubled(serde_json::from_slice(&out).unwrap()))),
            Err(failure) => Err(why(failure)),
        }
    }

    /// The value by itself and by the evaluator.
    pub(super) fn values(&mut self, source: &str) -> (EvaluationResult, EvaluationResult) {
        let text = MapValue::Expression(source.into(), FilePosition::default());
        let fast = self.compiled(|compiler| compiler.plain(&text, self.scope));
        let whole = ValuePlan::General(self.evaluated(source));
        (self.outcome(&fast), self.outcome(&whole))
    }

    pub(super) fn conditions(
        &mut self,
        source: &str,
    ) -> (Result<bool, String>, Result<bool, String>) {
        let at = FilePosition::default();
        let fast = self.compiled(|compiler| compiler.condition(source, at, self.scope));
        let whole = Condition::General(self.evaluated(source));
        (
            self.context.holds(&fast).map_err(why),
            self.context.holds(&whole).map_err(why),
        )
    }
}

/// Calls `check` with a request of this body, and with the body as `$item`.
pub(super) fn with_request(
    body: Option<&str>,
    parameter: &str,
    check: impl FnOnce(&mut TestRequest<'_>),
) {
    let params = [
        param("a", ParameterPlace::Path),
        param("a", ParameterPlace::Query),
        param("b", ParameterPlace::Query),
        param("c", ParameterPlace::Query),
        param("X-A", ParameterPlace::Header),
        param("X-B", ParameterPlace::Header),
    ];
    let one = || params::ParameterValue::One(Cow::Borrowed(parameter));
    let values = [
        one(),
        one(),
        params::ParameterValue::Missing,
        params::ParameterValue::Many(vec![Cow::Borrowed(parameter), Cow::Borrowed(" z ")]),
        one(),
        params::ParameterValue::Missing,
    ];
    let mut headers = http::HeaderMap::new();
    for name in ["x-a", "x-c", "x-c"] {
        headers.append(name, http::HeaderValue::from_static(" c  d "));
    }
    let mut tape = JsonTape::default();
    let body = body.map(|text| tape.parse(text.as_bytes()).unwrap());
    let request = Request {
        params: &params,
        values: &values,
        headers: &headers,
        query: None,
        body,
    };
    let mut context = EvalContext::new(&request, None);
    context.item = body;
    check(&mut TestRequest {
        context,
        scope: ItemScope::Json(JsonItem::Anything),
    });
}

fn scalar() -> impl Strategy<Value = String> {
    let words = [
        "null",
        "true",
        "false",
        "0",
        "1",
        "-2.50",
        "\"\"",
        "\"x\"",
        "\" x  y \"",
        "\"z  \"",
        "\"\\u0020\\n\"",
        "\"\\\"  \"",
        "[]",
        "{}",
    ];
    prop::sample::select(words.to_vec()).prop_map(String::from)
}

fn json() -> impl Strategy<Value = String> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..4);
        let object = prop::collection::btree_map("[abc]", inner, 0..4);
        prop_oneof![
            list.prop_map(|items| format!("[{}]", items.join(","))),
            object.prop_map(|members| {
                let members = members.iter().map(|(k, v)| format!("\"{k}\":{v}"));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            }),
        ]
    })
}

fn path() -> impl Strategy<Value = String> {
    let names = prop::sample::select(vec!["a", "b", "c", "\"a\"", "'b'"]);
    let body = ["$body", "$requestBody", "$apiRequest.body", "$item"];
    let body = (
        prop::sample::select(body.to_vec()),
        prop::collection::vec(names.clone(), 0..4),
    );
    let params = [
        "$pathParameters",
        "$queryParameters",
        "$apiRequest.queryParameters",
    ];
    let params = (
        prop::sample::select(params.to_vec()),
        prop::collection::vec(names, 1..3),
    );
    let header = prop::sample::select(vec!["X-A", "x-a", "X-B", "X-C", "x-c", "none"]);
    prop_oneof![
        4 => prop_oneof![body, params].prop_map(|(root, names)| {
            names.iter().fold(root.to_string(), |path, name| format!("{path}.{name}"))
        }),
        1 => header.prop_map(|name| format!("$headers.\"{name}\"")),
    ]
}

fn expression() -> impl Strategy<Value = String> {
    (path(), 0..8).prop_map(|(path, form)| match form {
        0 => format!("$trim({path})"),
        1 => format!("$replace({path}, / +$/, '')"),
        2 => format!("$replace({path}, / *$/, \"\")"),
        3 => format!("($a := {path}; $a != null ? $a : [])"),
        4 => format!("({path})"),
        5 => format!("$trim($replace({path}, / +$/, ''))"),
        _ => path,
    })
}

fn condition() -> impl Strategy<Value = String> {
    let constant = ["null", "true", "0", "1", "-2.5", "''", "'x'", "'z  '", "[]"];
    let leaf = (path(), prop::sample::select(constant.to_vec()), 0..5);
    let leaf = leaf.prop_map(|(path, constant, form)| match form {
        0 => path,
        1 => format!("$exists({path})"),
        2 => format!("{path} = {constant}"),
        3 => format!("{path} != {constant}"),
        _ => format!("{constant} = {path}"),
    });
    leaf.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) and ({b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) or ({b})")),
            inner.prop_map(|a| format!("$not({a})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_value_is_what_the_evaluator_makes_of_it(
        body in prop::option::weighted(0.95, json()),
        parameter in "[ax ]{0,4}",
        source in expression(),
    ) {
        let mut both = None;
        with_request(body.as_deref(), &parameter, |asked| both = Some(asked.values(&source)));
        let (fast, whole) = both.unwrap();
        prop_assert_eq!(fast, whole, "{} of {:?}", source, body);
    }

    #[test]
    fn a_condition_holds_where_it_holds_for_the_evaluator(
        body in prop::option::weighted(0.95, json()),
        parameter in "[ax ]{0,4}",
        source in condition(),
    ) {
        let mut both = None;
        with_request(body.as_deref(), &parameter, |asked| both = Some(asked.conditions(&source)));
        let (fast, whole) = both.unwrap();
        prop_assert_eq!(fast, whole, "{} of {:?}", source, body);
    }
}

/// Values that once differed between the two ways, of some body.
const ONCE_DIFFERED: [&str; 23] = [
    "$requestBody.items.name",
    "$requestBody.items.sub.x",
    "$body.items",
    "$body.items.sub",
    "$body.list",
    "$body.lists.a",
    "$replace($queryParameters.a, / +$/, '')",
    "$replace($pathParameters.a, / +$/, '')",
    "$replace($queryParameters.b, / +$/, '')",
    "($a := $body.gone; $a != null ? $a : [])",
    "($a := $body.nothing; $a != null ? $a : [])",
    "($a := $body.list; $a != null ? $a : [])",
    "($a := $queryParameters.b; $a != null ? $a : [])",
    "$trim($headers.\"x-c\")",
    "$trim($headers.\"x-d\")",
    "$headers.\"X-C\"",
    "$headers.\"X-D\"",
    "$trim($body.number)",
    "$trim($body.list)",
    "$trim($body.nothing)",
    "$trim($body.gone)",
    "$body.zeros",
    "$body.falses",
];

#[test]
fn what_once_differed_is_the_same_on_both_ways() {
    let body = r#"{"items":[{"name":"a","sub":{"x":1}},{"name":"b","sub":{"x":2}},{}],
        "list":["x"],"lists":[[{"a":1}],[{"a":[2]}]],"nothing":null,"number":1.50,
        "zeros":[0],"falses":[false,false],"one":[0,1]}"#;
    for body in [body, "{}", "[]", "null", "[{\"items\":[{\"name\":\"a\"}]}]"] {
        for parameter in ["", " p ", "p"] {
            for source in ONCE_DIFFERED {
                with_request(Some(body), parameter, |asked| {
                    let (fast, whole) = asked.values(source);
                    assert_eq!(fast, whole, "{source} of {body}");
                    let (fast, whole) = asked.conditions(source);
                    assert_eq!(fast, whole, "{source} as a condition of {body}");
                });
            }
        }
    }
    with_request(Some(body), "p  ", |asked| {
        let value = |asked: &mut TestRequest<'_>, source| asked.values(source).0;
        let text = |text: &str| Ok(Some(serde_json::Value::from(text)));
        let path = "$replace($pathParameters.a, / +$/, '')";
        assert_eq!(value(asked, path), text("p"));
        assert_eq!(value(asked, "$trim($headers.\"x-c\")"), text("c d,c d"));
        assert!(value(asked, "$trim($body.number)").is_err());
        assert_eq!(asked.conditions("$body.zeros").0, Ok(false));
        assert_eq!(asked.conditions("$body.falses").0, Ok(false));
        assert_eq!(asked.conditions("$body.one").0, Ok(true));
    });
}

/// A path's value as text.
fn text_of(body: &str, source: &str) -> String {
    let mut out = Vec::new();
    with_request(Some(body), " p ", |asked| {
        let text = MapValue::Expression(source.into(), FilePosition::default());
        let value = asked.compiled(|compiler| compiler.plain(&text, asked.scope));
        assert!(asked.context.value(&value, &mut out).unwrap(), "{source}");
    });
    String::from_utf8(out).unwrap()
}

#[test]
fn a_path_goes_through_the_items_of_a_list() {
    assert_eq!(text_of(r#"[[],{"b":[[1]]}]"#, "$body.b"), "[[1]]");
    assert_eq!(
        text_of(r#"[[{"b":[[1,2]]},{"b":3}]]"#, "$body.b"),
        "[[1,2],3]"
    );
    let body = r#"{"items":[{"name":"a","sub":{"x":1}},{"name":"b","sub":{"x":2}},{}]}"#;
    assert_eq!(text_of(body, "$requestBody.items.name"), r#"["a","b"]"#);
    assert_eq!(text_of(body, "$requestBody.items.sub.x"), "[1,2]");
}

#[test]
fn a_number_keeps_its_digits_on_the_direct_way() {
    let body = r#"{"items":[{"n":1.50},{"n":12345678901234567890}]}"#;
    assert_eq!(
        text_of(body, "$body.items.n"),
        "[1.50,12345678901234567890]"
    );
}

#[test]
fn only_parameters_and_the_body_stand_below_the_request() {
    for (source, root) in [
        ("$apiRequest.item.a", None),
        ("$item.a", Some(PathRoot::Item)),
    ] {
        let found = match expr::compile(source).unwrap() {
            expr::CompiledExpression::Path(path, _) => Some(path.root),
            _ => None,
        };
        assert_eq!(found, root, "{source}");
    }
}
