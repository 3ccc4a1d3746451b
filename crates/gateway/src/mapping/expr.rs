//! JSONata, sorted by its cost.
//!
//! Most expressions of real mappings are a path (`$body.name`), a path with a
//! trim, or a constant; those bypass the evaluator. Other expressions are
//! compiled once and evaluated with only the variables that they mention bound.
//! A value that is computed without the evaluator is the one that the evaluator would
//! compute; the tests of `mapping::meaning` compare the two.
//!
//! Invariant: an evaluation is bounded in time, depth and length, for every
//! expression and data.

mod digits;

use super::{growth, width};
use digits::LongNumbers;
use jsonata_core::ast::AstNode;
use jsonata_core::evaluator::{Context, Evaluator, EvaluatorOptions};
use jsonata_core::parser;
use jsonata_core::value::JValue;

/// Longest expression accepted, in bytes.
const MAX_LENGTH: usize = 64 * 1024;
/// Milliseconds one evaluation may take.
const TIMEOUT_MS: u64 = 2_000;
/// Deepest recursion of an expression's own functions.
const MAX_STACK: usize = 1_000;
/// Longest sequence an expression may build.
const MAX_SEQUENCE: usize = 1_000_000;
/// Most bytes of texts that one evaluation makes where data multiplies them, those
/// counted that it makes only on the way.
const MAX_TEXTS: usize = 256 << 20;
/// Longest text that a value may become.
const MAX_RESULT: usize = 64 << 20;

/// The root of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PathRoot {
    PathParameters,
    QueryParameters,
    Headers,
    Cookies,
    Body,
    Asset,
    Item,
}

impl PathRoot {
    pub const ALL: [PathRoot; 7] = [
        PathRoot::PathParameters,
        PathRoot::QueryParameters,
        PathRoot::Headers,
        PathRoot::Cookies,
        PathRoot::Body,
        PathRoot::Asset,
        PathRoot::Item,
    ];

    /// The variable names a mapping may use for it.
    pub fn variables(self) -> &'static [&'static str] {
        match self {
            PathRoot::PathParameters => &["pathParameters"],
            PathRoot::QueryParameters => &["queryParameters"],
            PathRoot::Headers => &["headers"],
            PathRoot::Cookies => &["cookies"],
            PathRoot::Body => &["body", "requestBody"],
            PathRoot::Asset => &["zosAssetResponse"],
            PathRoot::Item => &["item"],
        }
    }

    /// Whether `$apiRequest` has it.
    fn of_request(self) -> bool {
        !matches!(self, PathRoot::Asset | PathRoot::Item)
    }

    fn by_variable(name: &str) -> Option<PathRoot> {
        PathRoot::ALL
            .into_iter()
            .find(|root| root.variables().contains(&name))
    }
}

/// A variable and the names that follow it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ValuePath {
    pub root: PathRoot,
    pub names: Vec<String>,
}

impl ValuePath {
    /// The path as an expression.
    fn source(&self) -> String {
        let mut source = format!("${}", self.root.variables()[0]);
        for name in &self.names {
            source.push('.');
            source.push_str(&serde_json::Value::String(name.clone()).to_string());
        }
        source
    }
}

/// How a text's blanks are treated on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TrimMode {
    /// Kept unchanged.
    Keep,
    /// `$trim`: blanks at both ends removed, runs of blanks made one.
    Both,
    /// `$replace(x, / +$/, '')`: blanks at the end removed.
    End,
}

/// A compiled expression.
#[derive(Debug)]
pub(crate) enum CompiledExpression {
    /// A plain path.
    Path(ValuePath, TrimMode),
    /// A plain path, and `[]` where it gives nothing or null.
    OrEmpty(ValuePath),
    /// A constant, as JSON text.
    Constant(String),
    /// Whatever needs the evaluator.
    General(Box<EvaluatorExpression>),
}

/// An expression for the evaluator.
#[derive(Debug)]
pub(crate) struct EvaluatorExpression {
    ast: AstNode,
    /// The expression has widths that data gives.
    widths: bool,
    /// Bytes of texts that data may have it make; `None` if it multiplies none.
    pub(super) texts: Option<usize>,
    /// Every path it mentions, up to the first step that is not a name.
    pub uses: Vec<ValuePath>,
    /// The expression has a variable `$item` of its own.
    pub binds_item: bool,
    /// Variables that nothing gives a value.
    pub unknown: Vec<String>,
    /// The expression as written.
    pub source: String,
}

/// The value of a condition in `response_mapping.yaml` or `existsIfEmpty`.
#[derive(Debug)]
pub(crate) enum Condition {
    Constant(bool),
    Exists(ValuePath),
    /// Path, the constant's JSON text, and whether inequality is asked.
    Compare {
        path: ValuePath,
        constant: String,
        negated: bool,
    },
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    General(Box<EvaluatorExpression>),
}

/// Compiles an expression.
pub(crate) fn compile(source: &str) -> Result<CompiledExpression, String> {
    let ast = parse(source)?;
    Ok(match simple(&ast) {
        Some(expr) => expr,
        None => CompiledExpression::General(Box::new(EvaluatorExpression::new(ast, source))),
    })
}

/// Compiles an expression for the evaluator, however plain it is.
pub(crate) fn general(source: &str) -> Result<Box<EvaluatorExpression>, String> {
    Ok(Box::new(EvaluatorExpression::new(parse(source)?, source)))
}

/// The evaluator's form of a path, for one that only it can follow.
pub(crate) fn force_general(
    path: &ValuePath,
    trim: TrimMode,
) -> Result<Box<EvaluatorExpression>, String> {
    let source = path.source();
    general(&match trim {
        TrimMode::Keep => source,
        TrimMode::Both => format!("$trim({source})"),
        TrimMode::End => format!("$replace({source}, / +$/, \"\")"),
    })
}

/// The evaluator's form of [`CompiledExpression::OrEmpty`].
pub(crate) fn force_or_empty(path: &ValuePath) -> Result<Box<EvaluatorExpression>, String> {
    let source = path.source();
    general(&format!("($a := {source}; $a != null ? $a : [])"))
}

/// Compiles a condition.
pub(crate) fn compile_condition(source: &str) -> Result<Condition, String> {
    let ast = parse(source)?;
    Ok(condition(&ast)
        .unwrap_or_else(|| Condition::General(Box::new(EvaluatorExpression::new(ast, source)))))
}

/// Splits a template into texts and expressions.
pub(crate) fn compile_template(source: &str) -> Result<Vec<TemplatePart>, String> {
    let mut parts = Vec::new();
    let mut rest = source;
    while let Some(start) = rest.find("{{") {
        if start > 0 {
            parts.push(TemplatePart::Text(rest[..start].to_string()));
        }
        let inner = &rest[start + 2..];
        let end = closing(inner).ok_or("'{{' without its '}}'")?;
        parts.push(TemplatePart::Expr(compile(inner[..end].trim())?));
        rest = &inner[end + 2..];
    }
    if !rest.is_empty() {
        parts.push(TemplatePart::Text(rest.to_string()));
    }
    Ok(parts)
}

/// A piece of a template.
#[derive(Debug)]
pub(crate) enum TemplatePart {
    Text(String),
    Expr(CompiledExpression),
}

/// Offset of the `}}` that ends an expression, quotes and braces respected.
fn closing(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut quote, mut depth, mut i) = (None, 0usize, 0);
    while i < bytes.len() {
        match (quote, bytes[i]) {
            (Some(_), b'\\') => i += 1,
            (Some(q), b) if q == b => quote = None,
            (Some(_), _) => {}
            (None, b @ (b'"' | b'\'' | b'`')) => quote = Some(b),
            (None, b'{') => depth += 1,
            (None, b'}') if depth > 0 => depth -= 1,
            (None, b'}') if bytes.get(i + 1) == Some(&b'}') => return Some(i),
            _ => {}
        }
        i += 1;
    }
    None
}

fn parse(source: &str) -> Result<AstNode, String> {
    if source.len() > MAX_LENGTH {
        return Err(format!("the expression is longer than {MAX_LENGTH} bytes"));
    }
    parser::parse(source).map_err(|e| format!("not a JSONata expression: {e}"))
}

/// The expression if it is a path, a trimmed path or a constant.
fn simple(ast: &AstNode) -> Option<CompiledExpression> {
    if let Some(path) = path(ast) {
        return Some(CompiledExpression::Path(path, TrimMode::Keep));
    }
    if let Some(path) = array_or_empty(ast) {
        return Some(CompiledExpression::OrEmpty(path));
    }
    match ast {
        AstNode::Function { name, args, .. } => match (name.as_str(), args.as_slice()) {
            ("trim", [arg]) => Some(CompiledExpression::Path(path(arg)?, TrimMode::Both)),
            (
                "replace",
                [
                    arg,
                    AstNode::Regex { pattern, flags },
                    AstNode::String(with),
                ],
            ) if pattern == " +$" && flags.is_empty() && with.is_empty() => {
                Some(CompiledExpression::Path(path(arg)?, TrimMode::End))
            }
            _ => None,
        },
        // `$x.$trim(path)` and the like stay with the evaluator.
        AstNode::Path { steps } if steps.len() == 1 && steps[0].stages.is_empty() => {
            match &steps[0].node {
                AstNode::Path { .. } => None,
                node => simple(node),
            }
        }
        AstNode::Block(items) if items.len() == 1 => simple(&items[0]),
        other => constant(other).map(CompiledExpression::Constant),
    }
}

fn constant(ast: &AstNode) -> Option<String> {
    Some(match ast {
        AstNode::String(text) => serde_json::Value::String(text.clone()).to_string(),
        AstNode::Number(n) => JValue::from_f64(*n).to_json_string().ok()?,
        AstNode::Boolean(b) => b.to_string(),
        AstNode::Null => "null".to_string(),
        AstNode::Array(items) if items.is_empty() => "[]".to_string(),
        _ => return None,
    })
}

/// The path, if the expression is nothing else.
fn path(ast: &AstNode) -> Option<ValuePath> {
    match ast {
        AstNode::Variable(name) => from_names(vec![name.clone()]),
        AstNode::Path { steps } => {
            let mut names = Vec::with_capacity(steps.len());
            for (i, step) in steps.iter().enumerate() {
                let bound = step.focus.is_some() || step.index_var.is_some();
                if bound || step.is_tuple || !step.stages.is_empty() {
                    return None;
                }
                match &step.node {
                    AstNode::Variable(name) if i == 0 => names.push(name.clone()),
                    AstNode::Name(name) | AstNode::String(name) if i > 0 => {
                        names.push(name.clone());
                    }
                    _ => return None,
                }
            }
            from_names(names)
        }
        AstNode::Block(items) if items.len() == 1 => path(&items[0]),
        _ => None,
    }
}

/// `$apiRequest.pathParameters.x` and `$pathParameters.x` are one path.
fn from_names(mut names: Vec<String>) -> Option<ValuePath> {
    let inside = names.first()? == "apiRequest";
    if inside {
        names.remove(0);
    }
    let root = PathRoot::by_variable(names.first()?)?;
    if inside && !root.of_request() {
        return None;
    }
    names.remove(0);
    Some(ValuePath { root, names })
}

/// The idiom `($a := PATH; $a != null ? $a : [])` that generated mappings use
/// for the input of a `foreach`.
fn array_or_empty(ast: &AstNode) -> Option<ValuePath> {
    use jsonata_core::ast::BinaryOp;
    let AstNode::Block(items) = ast else {
        return None;
    };
    let [
        AstNode::Binary {
            op: BinaryOp::ColonEqual,
            lhs,
            rhs,
        },
        conditional,
    ] = items.as_slice()
    else {
        return None;
    };
    let AstNode::Variable(bound) = &**lhs else {
        return None;
    };
    let AstNode::Conditional {
        condition,
        then_branch,
        else_branch: Some(empty),
    } = conditional
    else {
        return None;
    };
    let AstNode::Binary {
        op: BinaryOp::NotEqual,
        lhs,
        rhs: null,
    } = &**condition
    else {
        return None;
    };
    let is_bound = |node: &AstNode| match node {
        AstNode::Variable(name) => name == bound,
        AstNode::Path { steps } => {
            steps.len() == 1 && matches!(&steps[0].node, AstNode::Variable(n) if n == bound)
        }
        _ => false,
    };
    let is_empty = matches!(&**empty, AstNode::Array(items) if items.is_empty());
    let fits = is_bound(lhs) && is_bound(then_branch) && matches!(&**null, AstNode::Null);
    if fits && is_empty { path(rhs) } else { None }
}

fn condition(ast: &AstNode) -> Option<Condition> {
    use jsonata_core::ast::BinaryOp;
    match ast {
        AstNode::Boolean(b) => Some(Condition::Constant(*b)),
        AstNode::Function { name, args, .. } if args.len() == 1 => match name.as_str() {
            "exists" => Some(Condition::Exists(path(&args[0])?)),
            "not" => Some(Condition::Not(Box::new(condition(&args[0])?))),
            _ => None,
        },
        AstNode::Binary { op, lhs, rhs } => match op {
            BinaryOp::And => Some(Condition::All(vec![condition(lhs)?, condition(rhs)?])),
            BinaryOp::Or => Some(Condition::Any(vec![condition(lhs)?, condition(rhs)?])),
            BinaryOp::Equal | BinaryOp::NotEqual => {
                let (path, constant) = match (path(lhs), constant(rhs)) {
                    (Some(path), Some(constant)) => (path, constant),
                    _ => (path(rhs)?, constant(lhs)?),
                };
                // Lists are compared item by item, which is the evaluator's.
                if constant == "[]" {
                    return None;
                }
                let negated = matches!(op, BinaryOp::NotEqual);
                Some(Condition::Compare {
                    path,
                    constant,
                    negated,
                })
            }
            _ => None,
        },
        AstNode::Block(items) if items.len() == 1 => condition(&items[0]),
        _ => None,
    }
}

impl EvaluatorExpression {
    /// As the evaluator would compute it, for comparison.
    #[cfg(test)]
    pub fn unbounded(source: &str) -> EvaluatorExpression {
        EvaluatorExpression {
            ast: parse(source).expect("an expression"),
            widths: false,
            texts: None,
            ..EvaluatorExpression::new(parse(source).expect("an expression"), source)
        }
    }

    fn new(mut ast: AstNode, source: &str) -> EvaluatorExpression {
        let mut uses = Vec::new();
        let mut binds_item = false;
        let mut unknown = Vec::new();
        let (mut widths, mut texts) = (false, None);
        // The tree is as deep as the text is long at worst; the walk is
        // recursive, so it gets a stack that the longest text cannot exhaust.
        std::thread::scope(|scope| {
            let walk = || {
                if let Ok(mut json) = serde_json::to_value(&ast) {
                    find_paths(&json, &mut uses);
                    binds_item = binds(&json, "item");
                    find_variables(&json, &mut unknown);
                    unknown.retain(|name: &String| !binds(&json, name));
                    let wide = source.contains("pad") && width::wrap(&mut json);
                    let long = growth::wrap(&mut json);
                    if (wide || long)
                        && let Ok(bounded) = serde_json::from_value(json)
                    {
                        (ast, widths, texts) = (bounded, wide, long.then_some(MAX_TEXTS));
                    }
                }
            };
            let builder = std::thread::Builder::new().stack_size(256 << 20);
            if let Ok(handle) = builder.spawn_scoped(scope, walk) {
                let _ = handle.join();
            }
        });
        EvaluatorExpression {
            ast,
            widths,
            texts,
            uses,
            binds_item,
            unknown,
            source: source.to_string(),
        }
    }

    /// Evaluates; `bind` gives the JSON text of a root variable, `None` if it
    /// has no value. The result is JSON text, `None` for nothing.
    pub fn evaluate(
        &self,
        mut bind: impl FnMut(PathRoot) -> Option<String>,
    ) -> Result<Option<String>, String> {
        let mut context = Context::new();
        let mut request = Vec::new();
        let used = |root: &PathRoot| self.uses.iter().any(|path| path.root == *root);
        let roots = PathRoot::ALL.into_iter().filter(used);
        let texts: Vec<(PathRoot, String)> =
            roots.filter_map(|root| Some((root, bind(root)?))).collect();
        let all: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
        let long_numbers = LongNumbers::of(&all);
        for (root, text) in &texts {
            let value = JValue::from_json_str(text).map_err(|e| e.to_string())?;
            for name in root.variables() {
                context.bind((*name).to_string(), value.clone());
            }
            if root.of_request() {
                for name in root.variables() {
                    if *name == root.variables()[0] || self.source.contains(name) {
                        request.push(format!("\"{name}\":{text}"));
                    }
                }
            }
        }
        if self.source.contains("$apiRequest") {
            let text = format!("{{{}}}", request.join(","));
            let value = JValue::from_json_str(&text).map_err(|e| e.to_string())?;
            context.bind("apiRequest".to_string(), value);
        }
        let options = EvaluatorOptions {
            timeout_ms: Some(TIMEOUT_MS),
            max_stack_depth: Some(MAX_STACK),
            max_sequence_length: Some(MAX_SEQUENCE),
            ..EvaluatorOptions::default()
        };
        let mut evaluator = Evaluator::with_options(context, options);
        if self.widths {
            width::register(&mut evaluator)?;
        }
        if let Some(most) = self.texts {
            growth::register(&mut evaluator, most)?;
        }
        let value = evaluator
            .evaluate(&self.ast, &JValue::Undefined)
            .map_err(|e| e.message().to_string())?;
        if value.is_undefined() || value.is_function() || value.is_regex() {
            return Ok(None);
        }
        if growth::text_bytes(&value, MAX_RESULT).is_none() {
            let most = MAX_RESULT >> 20;
            return Err(format!("the expression makes more than {most} MiB"));
        }
        let text = value.to_json_string().map_err(|e| e.to_string())?;
        long_numbers.restore(text).map(Some)
    }
}

/// Whether an expression gives a variable of this name a value itself: as a
/// parameter, by `:=`, or by `@` or `#` of a path's step.
fn binds(json: &serde_json::Value, name: &str) -> bool {
    use serde_json::Value;
    match json {
        Value::Array(items) => items.iter().any(|item| binds(item, name)),
        Value::Object(members) => {
            let is = |key: &str| members.get(key).is_some_and(|value| value == name);
            let params = members.get("params").and_then(Value::as_array);
            let assigned = members.get("op").is_some_and(|op| op == "ColonEqual")
                && members["lhs"]["Variable"] == name;
            assigned
                || is("focus")
                || is("index_var")
                || params.is_some_and(|params| params.iter().any(|param| param == name))
                || members.values().any(|value| binds(value, name))
        }
        _ => false,
    }
}

/// Collects the variables below a serialised tree that no mapping and no function
/// of JSONata has.
fn find_variables(json: &serde_json::Value, out: &mut Vec<String>) {
    use serde_json::Value;
    match json {
        Value::Array(items) => items.iter().for_each(|item| find_variables(item, out)),
        Value::Object(members) => {
            if let Some(Value::String(name)) = members.get("Variable") {
                let known = name.is_empty()
                    || name == "$"
                    || name == "apiRequest"
                    || PathRoot::by_variable(name).is_some()
                    || FUNCTIONS.split_whitespace().any(|one| one == name);
                if !known && !out.contains(name) {
                    out.push(name.clone());
                }
            }
            members
                .values()
                .for_each(|value| find_variables(value, out));
        }
        _ => {}
    }
}

/// The functions of JSONata, which can be used as values.
const FUNCTIONS: &str = "abs append assert average base64decode base64encode boolean ceil contains \
    count decodeUrl decodeUrlComponent distinct each encodeUrl encodeUrlComponent error eval exists \
    filter floor formatBase formatInteger formatNumber fromMillis join keys length lookup lowercase \
    map match max merge millis min not now number pad parseInteger power random reduce replace \
    reverse round shuffle sift single sort split spread sqrt string substring substringAfter \
    substringBefore sum toMillis trim type uppercase zip";

/// Collects the paths below a serialised tree.
fn find_paths(json: &serde_json::Value, out: &mut Vec<ValuePath>) {
    use serde_json::Value;
    match json {
        Value::Array(items) => items.iter().for_each(|item| find_paths(item, out)),
        Value::Object(members) => {
            if let Some(Value::String(name)) = members.get("Variable") {
                push_path(vec![name.clone()], out);
                return;
            }
            let steps = members
                .get("Path")
                .and_then(|p| p.get("steps"))
                .and_then(Value::as_array);
            if let Some(steps) = steps {
                let names = leading_names(steps);
                let taken = names.len();
                push_path(names, out);
                // A stage of the last name taken still has paths inside.
                for (i, step) in steps.iter().enumerate() {
                    if i >= taken {
                        find_paths(step, out);
                    } else if let Some(stages) = step.get("stages") {
                        find_paths(stages, out);
                    }
                }
                return;
            }
            members.values().for_each(|value| find_paths(value, out));
        }
        _ => {}
    }
}

/// The variable that a path starts with and the plain names after it, up to and
/// including the first that has a filter.
fn leading_names(steps: &[serde_json::Value]) -> Vec<String> {
    let mut names = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        let node = &step["node"];
        let keys: &[&str] = if i == 0 {
            &["Variable"]
        } else {
            &["Name", "String"]
        };
        let Some(name) = keys.iter().find_map(|key| node.get(key)?.as_str()) else {
            break;
        };
        names.push(name.to_string());
        if step["stages"].as_array().is_some_and(|s| !s.is_empty()) {
            break;
        }
    }
    names
}

fn push_path(names: Vec<String>, out: &mut Vec<ValuePath>) {
    if names.len() == 1 && names[0] == "apiRequest" {
        let all = [
            PathRoot::PathParameters,
            PathRoot::QueryParameters,
            PathRoot::Headers,
            PathRoot::Body,
        ];
        out.extend(all.map(|root| ValuePath {
            root,
            names: Vec::new(),
        }));
    } else if let Some(path) = from_names(names)
        && !out.contains(&path)
    {
        out.push(path);
    }
}

#[cfg(test)]
mod tests;
