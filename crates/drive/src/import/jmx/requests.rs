//! One HTTP request of a plan, with all elements in its scope.

use super::Request;
use super::checks;
use super::tree::{MEMBER, PlanElement};
use super::variables::PlanVariables;
use crate::import::write::belongs_to_driver;
use crate::url::Url;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::collections::BTreeMap;

/// The elements in scope of a branch, outermost first.
#[derive(Clone, Default)]
pub(super) struct ElementScope<'a> {
    pub elements: Vec<&'a PlanElement>,
}

impl<'a> ElementScope<'a> {
    /// The scope with the elements of a branch.
    pub fn with(&self, branch: &'a [PlanElement]) -> ElementScope<'a> {
        let mut elements = self.elements.clone();
        elements.extend(branch.iter().filter(|e| e.enabled));
        ElementScope { elements }
    }

    pub fn of_kind<'s>(&'s self, kind: &'s str) -> impl Iterator<Item = &'a PlanElement> + 's {
        self.elements
            .iter()
            .copied()
            .filter(move |e| e.kind == kind)
    }

    /// A property of the request, or of the innermost defaults that have it.
    fn property(&self, element: &'a PlanElement, name: &str) -> &'a str {
        let own = element.property(name).filter(|v| !v.is_empty());
        let defaults = || {
            let defaults = self.elements.iter().rev();
            let mut defaults = defaults.filter(|e| e.kind == "ConfigTestElement");
            defaults.find_map(|e| e.property(name).filter(|v| !v.is_empty()))
        };
        own.or_else(defaults).unwrap_or_default()
    }
}

/// The request of a sampler.
pub(super) fn request(
    element: &PlanElement,
    scope: &ElementScope<'_>,
    variables: &mut PlanVariables,
    notes: &mut Vec<String>,
) -> Result<Request, String> {
    let get = |name: &str| scope.property(element, name);
    let method = match get("HTTPSampler.method") {
        "" => "GET",
        method => method,
    };
    let mut url = address(&get, variables)?;
    let mut headers = headers(scope, variables, notes);
    let (pairs, raw) = arguments(element, scope);
    let body = if raw {
        Some(
            pairs
                .iter()
                .map(|p| variables.template(value_of(p)))
                .collect(),
        )
    } else if pairs.is_empty() {
        None
    } else {
        let joined: Vec<String> = pairs.iter().map(|p| pair(p, variables)).collect();
        let joined = joined.join("&");
        if matches!(method, "GET" | "HEAD" | "DELETE" | "OPTIONS") {
            let mark = if url.contains('?') { '&' } else { '?' };
            url = format!("{url}{mark}{joined}");
            None
        } else {
            if !headers
                .iter()
                .any(|h| h.0.eq_ignore_ascii_case("content-type"))
            {
                let form = "application/x-www-form-urlencoded";
                headers.push(("Content-Type".into(), form.into()));
            }
            Some(joined)
        }
    };
    let title = element.title();
    let is = |name: &str| get(name) == "true";
    if is("HTTPSampler.follow_redirects") || is("HTTPSampler.auto_redirects") {
        notes.push("redirects are not followed; add the request after a redirect as a step".into());
    }
    if is("HTTPSampler.image_parser") {
        notes.push(format!(
            "{title}: resources embedded in a page are not fetched"
        ));
    }
    if element.records.iter().any(|r| r.contains_key("File.path")) {
        notes.push(format!(
            "{title}: the files that it uploads were left out (`body_file` sends one)"
        ));
    }
    let mut request = Request {
        name: element.name.clone(),
        method: method.to_owned(),
        url,
        headers,
        body,
        ..Request::default()
    };
    checks::examine(&mut request, scope, variables, notes);
    Ok(request)
}

/// The URL as a template. The host must be known, the path may contain variables.
fn address<'a>(
    get: &dyn Fn(&str) -> &'a str,
    variables: &mut PlanVariables,
) -> Result<String, String> {
    let path = variables.plain(get("HTTPSampler.path"));
    let whole = if path.contains("://") {
        path
    } else {
        let scheme = match get("HTTPSampler.protocol") {
            "" => "http",
            scheme => scheme,
        };
        let port = match get("HTTPSampler.port") {
            "" => String::new(),
            port => format!(":{port}"),
        };
        let slash = if path.starts_with('/') { "" } else { "/" };
        let domain = get("HTTPSampler.domain");
        if domain.is_empty() {
            return Err("it has no host, and no HTTP Request Defaults in scope have one".into());
        }
        variables.plain(&format!("{scheme}://{domain}{port}{slash}{path}"))
    };
    let after = whole.find("://").map_or(0, |at| at + 3);
    let end = whole[after..]
        .find('/')
        .map_or(whole.len(), |at| after + at);
    let (host, path) = whole.split_at(end);
    if host.contains("${") {
        return Err(format!(
            "{host}: the host must be the same for all iterations"
        ));
    }
    Url::parse(host).map_err(|why| format!("{whole}: {why}"))?;
    // Blanks would end the path.
    let encode = |text: &str| text.replace(' ', "%20");
    Ok(format!("{host}{}", variables.encoded(path, &encode)))
}

/// Headers of all managers of the scope; inner ones replace outer ones.
fn headers(
    scope: &ElementScope<'_>,
    variables: &mut PlanVariables,
    notes: &mut Vec<String>,
) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    let mut set = |name: String, value: String| {
        headers.retain(|h| !h.0.eq_ignore_ascii_case(&name));
        headers.push((name, value));
    };
    for manager in scope.of_kind("HeaderManager") {
        for record in &manager.records {
            let get = |key: &str| record.get(key).map_or("", String::as_str);
            let name = get("Header.name").trim();
            if !name.is_empty() && !belongs_to_driver(name) {
                set(name.to_owned(), variables.template(get("Header.value")));
            }
        }
    }
    for manager in scope.of_kind("CookieManager") {
        let cookie = |record: &BTreeMap<String, String>| {
            let (name, value) = (record.get(MEMBER)?, record.get("Cookie.value")?);
            Some(variables.template(&format!("{name}={value}")))
        };
        let cookies: Vec<String> = manager.records.iter().filter_map(cookie).collect();
        if !cookies.is_empty() {
            headers.push(("Cookie".into(), cookies.join("; ")));
        }
        notes.push(format!(
            "{}: cookies of servers are not stored; capture the header Set-Cookie and send it as Cookie",
            manager.title()
        ));
    }
    headers
}

/// Name and value pairs, those of the defaults first, and whether they form one raw
/// body.
fn arguments<'a>(
    element: &'a PlanElement,
    scope: &ElementScope<'a>,
) -> (Vec<&'a BTreeMap<String, String>>, bool) {
    let raw = element.property("HTTPSampler.postBodyRaw") == Some("true");
    let is_pair = |r: &&BTreeMap<String, String>| r.contains_key("Argument.value");
    let own = element.records.iter().filter(is_pair);
    let defaults = scope.of_kind("ConfigTestElement");
    let defaults = defaults.flat_map(|e| e.records.iter().filter(is_pair));
    if raw {
        (own.collect(), true)
    } else {
        (defaults.chain(own).collect(), false)
    }
}

fn value_of(pair: &BTreeMap<String, String>) -> &str {
    pair.get("Argument.value").map_or("", String::as_str)
}

/// `name=value`, encoded where the plan says so.
fn pair(record: &BTreeMap<String, String>, variables: &mut PlanVariables) -> String {
    let encodes = record.get("HTTPArgument.always_encode").map(String::as_str) == Some("true");
    let encode = |text: &str| {
        if encodes {
            utf8_percent_encode(text, ENCODED).to_string()
        } else {
            text.replace(' ', "%20")
        }
    };
    let name = record.get("Argument.name").or(record.get(MEMBER));
    let name = name.map_or("", String::as_str);
    let value = variables.encoded(value_of(record), &encode);
    match (
        name,
        record.get("HTTPArgument.use_equals").map(String::as_str),
    ) {
        ("", _) => value,
        (name, Some("false")) if value.is_empty() => variables.encoded(name, &encode),
        (name, _) => format!("{}={value}", variables.encoded(name, &encode)),
    }
}

/// Characters that java.net.URLEncoder, which JMeter uses, does not encode.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'*');
