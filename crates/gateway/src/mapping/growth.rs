//! How much text a client's data may have an expression make on its way.
//!
//! A result has its own bound, but intermediate values do not: `$join` puts a
//! client's text between all items of a client's list, `$replace` at each
//! match, and a function of the expression, or a step of a path, makes a text
//! for each item. Such parts of an expression pass through functions of this
//! module, which count bytes before or after they are made, and return their
//! argument unchanged.
//!
//! A part outside loops that does not multiply two lengths of data is left as
//! it is: its result is no longer than the expression and the data.
//!
//! Invariant: within the bound an expression has the same value with and
//! without this.

use super::expr::PathRoot;
use jsonata_core::evaluator::{Evaluator, EvaluatorError};
use jsonata_core::value::JValue;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Longest replacement text of data for matches in a text of unknown length.
const LONGEST: usize = 4_096;
/// Bytes of a piece of text in a list, in addition to its own.
const PIECE: usize = 32;

/// Names of our functions, which no expression can call: a variable's name has
/// no blank.
const MADE: &str = "text that was made";
const ITEMS: &str = "items to be joined";
const ITEMS_BETWEEN: &str = "items to be joined by data";
const BETWEEN: &str = "text between items";
const SEARCHED: &str = "text to be searched";
const INSTEAD: &str = "text in the place of matches";
const INSTEAD_UNSEEN: &str = "text in the place of matches in the context";
const WRITTEN: &str = "value to be written as text";
const PIECES: &str = "text to be cut into pieces";

/// Functions that make a text of their arguments.
const MAKERS: &[&str] = &[
    "base64decode",
    "base64encode",
    "decodeUrl",
    "decodeUrlComponent",
    "encodeUrl",
    "encodeUrlComponent",
    "formatBase",
    "formatInteger",
    "formatNumber",
    "fromMillis",
    "lowercase",
    "pad",
    "replace",
    "substring",
    "substringAfter",
    "substringBefore",
    "trim",
    "uppercase",
];

/// Has the texts of a serialised tree counted; true where there are any to count.
pub(super) fn wrap(json: &mut Value) -> bool {
    walk(json, false)
}

/// The bytes that may still be made, and the lengths that wait for a second
/// one.
struct GrowthBudget {
    most: usize,
    left: Cell<usize>,
    lengths: RefCell<Vec<usize>>,
}

impl GrowthBudget {
    fn allows(&self, bytes: usize) -> Result<(), EvaluatorError> {
        if bytes <= self.left.get() {
            Ok(())
        } else {
            let most = self.most >> 20;
            let text = format!(
                "the texts that the expression makes of the data are larger than {most} MiB"
            );
            Err(EvaluatorError::EvaluationError(text))
        }
    }

    fn spend(&self, bytes: usize) -> Result<(), EvaluatorError> {
        self.allows(bytes)?;
        self.left.set(self.left.get() - bytes);
        Ok(())
    }

    fn wait(&self, length: usize) {
        self.lengths.borrow_mut().push(length);
    }

    fn waiting(&self) -> usize {
        self.lengths.borrow_mut().pop().unwrap_or(0)
    }
}

type CostCheck = fn(&GrowthBudget, &JValue) -> Result<(), EvaluatorError>;

const COST_CHECKS: &[(&str, CostCheck)] = &[
    (MADE, |budget, value| budget.spend(length(value))),
    (ITEMS, |budget, value| budget.spend(lengths(value).1)),
    (ITEMS_BETWEEN, |budget, value| {
        let (count, bytes) = lengths(value);
        budget.wait(count);
        budget.spend(bytes)
    }),
    (BETWEEN, |budget, value| {
        budget.spend(budget.waiting().saturating_mul(length(value)))
    }),
    (SEARCHED, |budget, value| {
        budget.wait(length(value));
        Ok(())
    }),
    (INSTEAD, |budget, value| {
        // There may be a match before each character, and at the end.
        let matches = budget.waiting() + 1;
        budget.allows(matches.saturating_mul(length(value)))
    }),
    (INSTEAD_UNSEEN, |budget, value| match length(value) {
        0..=LONGEST => Ok(()),
        _ => budget.allows(usize::MAX),
    }),
    (WRITTEN, |budget, value| match value {
        JValue::Array(_) | JValue::Object(_) => {
            let bytes = text_bytes(value, budget.left.get());
            budget.spend(bytes.unwrap_or(usize::MAX))
        }
        value => budget.spend(length(value)),
    }),
    (PIECES, |budget, value| {
        budget.spend(length(value).saturating_mul(PIECE))
    }),
];

/// Makes the functions known, with what one evaluation may make.
pub(super) fn register(evaluator: &mut Evaluator, most: usize) -> Result<(), String> {
    let budget = Rc::new(GrowthBudget {
        most,
        left: Cell::new(most),
        lengths: RefCell::default(),
    });
    for (name, look) in COST_CHECKS {
        let budget = budget.clone();
        let looked = move |args: &[JValue]| {
            let value = args.first().unwrap_or(&JValue::Undefined);
            look(&budget, value).map(|()| value.clone())
        };
        let registered = evaluator.register_fn(*name, looked);
        registered.map_err(|e| e.message().to_string())?;
    }
    Ok(())
}

/// Bytes of a value as text, about; `None` if they are more than the limit. In
/// memory one part may be in a million places.
pub(super) fn text_bytes(value: &JValue, most: usize) -> Option<usize> {
    let mut left = most;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        let bytes = match value {
            JValue::Array(items) => {
                open.extend(items.iter());
                0
            }
            JValue::Object(members) => {
                open.extend(members.values());
                members.keys().map(|name| name.len()).sum()
            }
            other => length(other),
        };
        left = left.checked_sub(bytes + 1)?;
    }
    Some(most - left)
}

fn length(value: &JValue) -> usize {
    match value {
        JValue::String(text) => text.len(),
        _ => 0,
    }
}

/// How many items there are, and their bytes together.
fn lengths(value: &JValue) -> (usize, usize) {
    match value {
        JValue::Array(items) => {
            let bytes = items.iter().map(length);
            (items.len(), bytes.fold(0, usize::saturating_add))
        }
        other => (1, length(other)),
    }
}

fn walk(json: &mut Value, looped: bool) -> bool {
    let kind = match &*json {
        Value::Object(members) if members.len() == 1 => members.keys().next().cloned(),
        _ => None,
    };
    match kind.as_deref() {
        Some("Function") => call(json, looped),
        Some("Binary") if json["Binary"]["op"] == "ChainPipe" => chain(json, looped),
        Some("Binary") if json["Binary"]["op"] == "Concatenate" => {
            let any = operands(json, looped);
            if looped {
                pass_through(json, MADE);
            }
            any || looped
        }
        Some("Lambda") => walk(&mut json["Lambda"]["body"], true),
        Some("Path") => steps(&mut json["Path"]["steps"], looped),
        Some(kind @ ("Transform" | "FunctionApplication")) => walk(&mut json[kind], true),
        Some(kind @ "ObjectTransform") => parts(&mut json[kind], ["input", "pattern"], looped),
        Some(kind @ "Sort") => parts(&mut json[kind], ["input", "terms"], looped),
        _ => match json {
            Value::Array(items) => each(items, looped),
            Value::Object(members) => each(members.values_mut(), looped),
            _ => false,
        },
    }
}

fn each<'v>(values: impl IntoIterator<Item = &'v mut Value>, looped: bool) -> bool {
    let mut any = false;
    for value in values {
        any |= walk(value, looped);
    }
    any
}

/// The input of an expression's part, and the part that runs for each item.
fn parts(json: &mut Value, [input, every]: [&str; 2], looped: bool) -> bool {
    let first = walk(&mut json[input], looped);
    walk(&mut json[every], true) || first
}

fn steps(steps: &mut Value, looped: bool) -> bool {
    let mut any = false;
    for (i, step) in steps.as_array_mut().into_iter().flatten().enumerate() {
        any |= walk(&mut step["node"], looped || i > 0);
        any |= walk(&mut step["stages"], true);
    }
    any
}

/// The operands of a row of `&`, of which the outermost counts for all.
fn operands(json: &mut Value, looped: bool) -> bool {
    let mut any = false;
    for side in ["lhs", "rhs"] {
        let operand = &mut json["Binary"][side];
        any |= if operand["Binary"]["op"] == "Concatenate" {
            operands(operand, looped)
        } else {
            walk(operand, looped)
        };
    }
    any
}

fn call(json: &mut Value, looped: bool) -> bool {
    let (any, made) = called(&mut json["Function"], None, looped);
    if made {
        pass_through(json, MADE);
    }
    any || made
}

/// Examines a call, whose first argument may be elsewhere: whether it contains
/// anything to count, and whether its result is to be counted.
fn called(function: &mut Value, first: Option<&mut Value>, looped: bool) -> (bool, bool) {
    let name = function["name"].as_str().unwrap_or_default().to_owned();
    let Some(args) = function["args"].as_array_mut() else {
        return (false, false);
    };
    let any = each(args.iter_mut(), looped);
    let applied = args.iter().all(|arg| *arg != "Placeholder");
    let mut args: Vec<&mut Value> = first.into_iter().chain(args).collect();
    let guarded = applied && guard(&name, &mut args, looped);
    let made = looped && applied && MAKERS.contains(&name.as_str());
    (any || guarded, made)
}

/// `x ~> $f(y)` is `$f(x, y)`, and `x ~> $f` is `$f(x)`.
fn chain(json: &mut Value, looped: bool) -> bool {
    let Some(members) = json["Binary"].as_object_mut() else {
        return false;
    };
    let mut sides = members
        .iter_mut()
        .filter(|(name, _)| *name == "lhs" || *name == "rhs");
    let (Some((_, one)), Some((name, other))) = (sides.next(), sides.next()) else {
        return false;
    };
    let (lhs, rhs) = if name == "rhs" {
        (one, other)
    } else {
        (other, one)
    };
    let before = walk(lhs, looped);
    let single = rhs["Path"]["steps"].as_array().map(Vec::len) == Some(1);
    let node = if single {
        &mut rhs["Path"]["steps"][0]["node"]
    } else {
        &mut *rhs
    };
    let named = node["Variable"].as_str();
    let mut bare = named.map(|name| json!({"name": name, "args": []}));
    if bare.is_none() && node["Function"].is_null() {
        return walk(rhs, looped) || before;
    }
    let function = bare.as_mut().unwrap_or_else(|| &mut node["Function"]);
    let (mut any, made) = called(function, Some(lhs), looped);
    if single {
        any |= walk(&mut rhs["Path"]["steps"][0]["stages"], true);
    }
    if made {
        pass_through(json, MADE);
    }
    before || any || made
}

/// Checks the arguments of a function whose result can be longer than its
/// arguments.
fn guard(name: &str, args: &mut [&mut Value], looped: bool) -> bool {
    match (name, args) {
        ("join", [items, between]) if !is_text(between) => {
            pass_through(items, ITEMS_BETWEEN);
            pass_through(between, BETWEEN);
            true
        }
        ("join", [items, ..]) if looped || !is_plain(items) => {
            pass_through(items, ITEMS);
            true
        }
        ("replace", [_, _, instead, ..]) if is_text(instead) => false,
        ("replace", [_, _, instead, ..]) if instead["Lambda"].is_object() => {
            let mut body = &mut instead["Lambda"]["body"];
            // A call at its end is in a function of its own.
            while body["Lambda"]["thunk"] == true {
                body = &mut body["Lambda"]["body"];
            }
            pass_through(body, MADE);
            true
        }
        ("replace", [text, _, instead, ..]) => {
            pass_through(text, SEARCHED);
            pass_through(instead, INSTEAD);
            true
        }
        ("replace", [_, instead]) if !is_text(instead) => {
            pass_through(instead, INSTEAD_UNSEEN);
            true
        }
        ("string", [value, ..]) if looped || !is_plain(value) => {
            pass_through(value, WRITTEN);
            true
        }
        ("split", [text, ..]) if looped => {
            pass_through(text, PIECES);
            true
        }
        _ => false,
    }
}

/// Passes a part of an expression through a function of this module.
pub(super) fn pass_through(json: &mut Value, name: &str) {
    let inner = json.take();
    *json = json!({"Function": {"name": name, "args": [inner], "is_builtin": true}});
}

/// Whether a node of an expression is a literal text.
fn is_text(json: &Value) -> bool {
    json["String"].is_string()
}

/// Whether a node is unchanged input data or a literal.
fn is_plain(json: &Value) -> bool {
    let variable = |json: &Value| {
        let name = json["Variable"].as_str();
        let roots = || PathRoot::ALL.into_iter().flat_map(PathRoot::variables);
        name.is_some_and(|name| name == "apiRequest" || roots().any(|root| *root == name))
    };
    let Some(steps) = json["Path"]["steps"].as_array() else {
        let written = ["String", "Number", "Boolean"].iter();
        return variable(json) || written.copied().any(|kind| !json[kind].is_null());
    };
    let bare = |step: &Value| step["stages"].as_array().is_none_or(Vec::is_empty);
    let named = |step: &Value| {
        ["Name", "String"]
            .iter()
            .any(|kind| step["node"][*kind].is_string())
    };
    let mut steps = steps.iter();
    let first = steps.next();
    first.is_some_and(|step| bare(step) && variable(&step["node"]))
        && steps.all(|step| bare(step) && named(step))
}

#[cfg(test)]
mod tests {
    use super::super::expr::{EvaluatorExpression, general};
    use super::*;

    fn made(general: &EvaluatorExpression, body: &str) -> Result<Option<String>, String> {
        general.evaluate(|root| (root == PathRoot::Body).then(|| body.to_owned()))
    }

    /// Expressions that multiply lengths of data.
    const GROWING: &[&str] = &[
        "$join($body.list, $body.long)",
        "$join($body.list.($body.long))",
        "$body.list ~> $join($body.long)",
        "$length($join($map($body.list, function($x){$body.long})))",
        "$length($join($map($body.list, function($x){$body.long}), ','))",
        "$replace($body.long, 'x', $body.long)",
        "$replace($body.long, /x/, $body.long)",
        "$body.long ~> $replace('x', $body.long)",
        "$body.long.$replace('x', $body.long)",
        "$replace($body.long, /x/, function($m){$body.long})",
        "$length($string($body.list.{'a': $body.long}))",
        "$length($string($map($body.list, function($x){$body.long})))",
        "$count($map($body.list, function($x){$body.long & $x}))",
        "$count($body.list.($body.long & $))",
        "$count($body.list.{'a': 'b' & $body.long & $})",
        "$count($body.list.$uppercase($body.long))",
        "$count($map($body.list, function($x){$substring($body.long, 1)}))",
        "$count($map($body.list, function($x){$body.long ~> $trim()}))",
        "$count($map($body.list, function($x){$body.long ~> $trim}))",
        "$count($body.list.($body.long ~> $uppercase))",
        "$length($map($body.list, function($x){$body.long}) ~> $join)",
        "$length($body.list.{'a': $body.long} ~> $string)",
        "$count($map($body.list, function($x){$split($body.long, '')}))",
        "$length($reduce($body.list, function($a, $x){$a & $body.long}, ''))",
        "($f := function($n, $t){$n = 0 ? $t : $f($n - 1, $t & $body.long)}; \
          $length($f($count($body.list), '')))",
    ];

    fn body(items: usize, length: usize) -> String {
        let list = vec!["\"y\""; items].join(",");
        format!("{{\"list\":[{list}],\"long\":\"{}\"}}", "x".repeat(length))
    }

    #[test]
    fn texts_that_data_multiplies_are_bounded_and_reported() {
        let many = body(5_000, 5_000);
        for source in GROWING {
            let mut general = general(source).unwrap();
            general.texts = general.texts.map(|_| 4 << 20);
            let why = made(&general, &many).expect_err(source);
            assert!(why.contains("larger than 4 MiB"), "{source}: {why}");
        }
    }

    #[test]
    fn within_the_bound_nothing_changes() {
        let few = body(3, 5);
        let more = [
            "$body.long & '-' & $body.list[0]",
            "$join($body.list, '-')",
            "$join(['a', 'b'], $body.none)",
            "$join($body.none, $body.long)",
            "($j := $join(?, '+'); $j($body.list))",
            "$body.list ~> $join('-')",
            "$body.list ~> $map($uppercase) ~> $join('-')",
            "$map($body.list, $uppercase)",
            "$body.list ~> $join",
            "$map($body.list, function($x){$x ~> $uppercase ~> $trim})",
            "$map($body.list, function($x){($f := $uppercase ~> $trim; $f($x))})",
            "$map($body.list, function($x){($f := $substring(?, 1) ~> $string; $f($body.long))})",
            "$replace($body.long, /x(x)/, '<$1>', 1)",
            "$replace($body.long, 'x', $body.list[0], 2)",
            "$string($body.list)",
            "$string($map($body.list, function($x){{'a': $x}}), true)",
            "$body.list.$string()",
            "$body.list^(>$ & 'a')",
            "$body.list{$ & 'k': $count($)}",
            "$body ~> |$|{'long': long & '!'}|",
            "$body.list[$ & 'a' = 'ya']",
            "$split($body.long, '').($ & '.')",
            "$map($body.list, function($v, $i){$string($i) & $v})",
            "$body.list#$i.($string($i) & $)",
            "$each($body, function($v, $k){$k & '=' & $string($v)})",
            "$join($each($body, function($v, $k){$k & '=' & $type($v)}), '&')",
            "$body.none & $body.none",
            "$map([1..3], function($n){$formatNumber($n, '00') & $pad('a', $n)})",
        ];
        for source in GROWING.iter().chain(&more) {
            let bounded = general(source).unwrap();
            assert_eq!(
                made(&bounded, &few),
                made(&EvaluatorExpression::unbounded(source), &few),
                "{source}"
            );
        }
    }

    #[test]
    fn what_multiplies_nothing_is_left_to_the_evaluator_as_it_is() {
        for (source, counted) in [
            ("$body.a & '-' & $body.b", false),
            ("$join($body.list, ', ')", false),
            ("$replace($body.a, '-', '')", false),
            ("$string($body.n) & $uppercase($body.a)", false),
            (
                "($d := $string($body.d); $substring($d, 0, 4) & '-')",
                false,
            ),
            ("$join($body.list, $body.b)", true),
            ("$body.list.(a & b)", true),
        ] {
            let parsed = jsonata_core::parser::parse(source).unwrap();
            let mut json = serde_json::to_value(parsed).unwrap();
            assert_eq!(wrap(&mut json), counted, "{source}");
        }
    }
}
