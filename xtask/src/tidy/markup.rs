//! Markup made by hand: no program text outside the crate `page` has HTML or SVG
//! in a string, or declares a string to be markup. Pages are made by `maud::html!`,
//! which escapes every text.
//!
//! Tests compare with markup, so the rule ends at a file's tests.

use std::path::Path;

/// Tags that pages and pictures have. Put together so that this file passes.
const TAGS: &[&str] = &[
    concat!("<!doctype ", "html"),
    concat!("<!DOCTYPE ", "html"),
    concat!("<", "html"),
    concat!("<", "table"),
    concat!("<", "tr>"),
    concat!("<", "td"),
    concat!("<", "div"),
    concat!("<", "span"),
    concat!("<", "svg"),
    concat!("<", "rect "),
    concat!("<", "script"),
    concat!("<", "p>"),
    concat!("<", "p class"),
    concat!("<", "h1"),
];

/// What declares a text to be markup.
const DECLARED: &str = concat!("Pre", "Escaped");

/// Reports each line of a source file that has markup in a string.
pub fn check(path: &Path, text: &str, broken: &mut Vec<String>) {
    let in_tests = path.components().any(|part| part.as_os_str() == "tests");
    if in_tests || path.starts_with("crates/page") {
        return;
    }
    let program = text.split("#[cfg(test)]").next().unwrap_or_default();
    for (number, line) in (1..).zip(program.lines()) {
        let code = line.trim_start();
        if code.starts_with("//") {
            continue;
        }
        let tag = TAGS.iter().find(|tag| code.contains(**tag));
        let declared = code.contains(DECLARED).then_some(&DECLARED);
        if let Some(found) = tag.or(declared) {
            broken.push(format!(
                "{}:{number}: {found} by hand; use maud::html! and the crate page",
                path.display()
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        let mut broken = Vec::new();
        check(Path::new(path), text, &mut broken);
        broken.len()
    }

    #[test]
    fn markup_in_a_string_is_found_in_programs_only() {
        let text = concat!(
            "let a = \"<",
            "td>\";\n// <",
            "td\nlet b = Pre",
            "Escaped(a);\n"
        );
        assert_eq!(found("crates/lab/src/report/html.rs", text), 2);
        assert_eq!(found("crates/page/src/frame.rs", text), 0);
        assert_eq!(found("crates/tupelo/tests/it/console.rs", text), 0);
        let tested = format!("fn a() {{}}\n#[cfg(test)]\n{text}");
        assert_eq!(found("crates/lab/src/report/html.rs", &tested), 0);
    }
}
