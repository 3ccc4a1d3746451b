//! Tests of `expr`, on small inputs of their own.

use super::*;

fn as_path(source: &str) -> Option<(PathRoot, String, TrimMode)> {
    match compile(source).unwrap() {
        CompiledExpression::Path(path, trim) => Some((path.root, path.names.join("/"), trim)),
        _ => None,
    }
}

#[test]
fn paths_are_recognised_under_all_their_names() {
    let body = |names: &str, trim| Some((PathRoot::Body, names.to_string(), trim));
    assert_eq!(as_path("$body.a.b"), body("a/b", TrimMode::Keep));
    assert_eq!(
        as_path("$requestBody.'a'.\"b-c\""),
        body("a/b-c", TrimMode::Keep)
    );
    assert_eq!(as_path("$apiRequest.body.a"), body("a", TrimMode::Keep));
    assert_eq!(as_path("$trim($body.a)"), body("a", TrimMode::Both));
    assert_eq!(
        as_path("$replace($body.a, / +$/, '')"),
        body("a", TrimMode::End)
    );
    assert_eq!(as_path("($a := $body.'x'; $a != null ? $a : [])"), None);
    assert!(matches!(
        compile("($a := $body.'x'; $a != null ? $a : [])"),
        Ok(CompiledExpression::OrEmpty(path)) if path.names == ["x"]
    ));
    assert_eq!(
        as_path(r#"$zosAssetResponse.commarea.R."F-1""#),
        Some((PathRoot::Asset, "commarea/R/F-1".into(), TrimMode::Keep))
    );
    assert_eq!(
        as_path("$pathParameters.id").map(|p| p.0),
        Some(PathRoot::PathParameters)
    );
}

#[test]
fn constants_need_no_evaluator() {
    assert!(matches!(compile("500").unwrap(), CompiledExpression::Constant(c) if c == "500"));
    assert!(matches!(compile("'x'").unwrap(), CompiledExpression::Constant(c) if c == "\"x\""));
    assert!(matches!(compile("true").unwrap(), CompiledExpression::Constant(c) if c == "true"));
}

#[test]
fn conditions_of_real_projects_are_direct() {
    for source in [
        "true",
        "$exists($zosAssetResponse.channel.responseCode200)",
        r#"$zosAssetResponse.commarea."R"."RESULT" = 0"#,
        "$zosAssetResponse.commarea.R.F = 'N' and $not($exists($zosAssetResponse.abendCode))",
    ] {
        let compiled = compile_condition(source).unwrap();
        assert!(!matches!(compiled, Condition::General(_)), "{source}");
    }
}

#[test]
fn the_evaluator_sees_what_the_expression_mentions() {
    let source = "($d := $string($zosAssetResponse.commarea.R.D); \
                  $substring($d, 0, 4) & '-' & $pathParameters.id)";
    let CompiledExpression::General(general) = compile(source).unwrap() else {
        panic!("not general")
    };
    let mut uses: Vec<_> = general.uses.iter().map(|p| p.names.join("/")).collect();
    uses.sort();
    assert_eq!(uses, ["commarea/R/D", "id"]);
    let value = general.evaluate(|root| match root {
        PathRoot::Asset => Some(r#"{"commarea":{"R":{"D":20240131}}}"#.into()),
        PathRoot::PathParameters => Some(r#"{"id":"7"}"#.into()),
        _ => None,
    });
    assert_eq!(value, Ok(Some("\"2024-7\"".into())));
}

#[test]
fn query_parameters_are_joined_as_generated_mappings_do() {
    let source =
        r#"$join($each($queryParameters, function($value, $key) {$key & "=" & $value}), "&")"#;
    let CompiledExpression::General(general) = compile(source).unwrap() else {
        panic!("not general")
    };
    let value = general.evaluate(|_| Some(r#"{"a":"1","b":"2"}"#.into()));
    assert_eq!(value, Ok(Some("\"a=1&b=2\"".into())));
}

#[test]
fn a_variable_of_an_expression_is_distinguished_from_the_item() {
    let binds_item = |source: &str| general(source).unwrap().binds_item;
    assert!(!binds_item("$item.a & $item.b"));
    for source in [
        "$map($body.a, function($item) {$item.b})",
        "($item := $body.a; $item.b & 'x')",
        "$body.a#$item.{'b': $item}",
        "$body.a@$item.{'b': $item.c}",
    ] {
        assert!(binds_item(source), "{source}");
    }
}

#[test]
fn a_template_is_cut_at_its_braces() {
    let parts = compile_template(r#"x {{$body.a}}{{ $string({"a":{"b":'}}'}}) }} y"#).unwrap();
    assert_eq!(parts.len(), 4);
    assert!(compile_template("{{$body").is_err());
}

#[test]
fn an_endless_expression_ends() {
    let CompiledExpression::General(g) =
        compile("($f := function($x){$f($x+1)+1}; $f(1))").unwrap()
    else {
        panic!("not general")
    };
    assert!(g.evaluate(|_| None).is_err());
}

#[test]
fn a_part_in_many_places_does_not_become_a_text_of_any_length() {
    let source = "[1..1000].{'id': $, 'same': $body.long}";
    let g = general(source).unwrap();
    let of = |length: usize| {
        let body = format!("{{\"long\":\"{}\"}}", "x".repeat(length));
        g.evaluate(|root| (root == PathRoot::Body).then(|| body.clone()))
    };
    assert!(of(1_000).unwrap().unwrap().len() > 1_000_000);
    assert!(of(100_000).unwrap_err().contains("more than 64 MiB"));
}

#[test]
fn a_deep_expression_is_walked_without_harm() {
    let source = format!("$body.x{}", " + $body.y".repeat(3000));
    let _ = compile(&source);
}

proptest::proptest! {
    #[test]
    fn no_text_panics(text in r#"[$a-z(){}\[\]"'.:=?+ 0-9]{0,60}"#) {
        let _ = compile(&text);
        let _ = compile_condition(&text);
        let _ = compile_template(&text);
    }
}
