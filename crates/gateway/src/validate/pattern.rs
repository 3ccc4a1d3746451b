//! Patterns of the document, which are ECMA-262's, as our own engine has them.
//!
//! The dialects differ in what `\d` and `\w` mean: ASCII there, Unicode here.
//! Look-around and back references are not supported; a pattern with them is
//! reported when the project is loaded.
//!
//! Reference: OpenAPI 3.0.3, Schema Object, "pattern"; ECMA-262, "Patterns".

/// Bytes that a compiled pattern may take.
const SIZE_LIMIT: usize = 1 << 20;

/// Compiles a pattern; `None` when it is not supported.
pub(super) fn compile(pattern: &str) -> Option<regex::Regex> {
    let built = regex::RegexBuilder::new(&translated(pattern))
        .size_limit(SIZE_LIMIT)
        .build();
    built.ok()
}

fn translated(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('d') => out.push_str("[0-9]"),
            Some('D') => out.push_str("[^0-9]"),
            Some('w') => out.push_str("[0-9A-Za-z_]"),
            Some('W') => out.push_str("[^0-9A-Za-z_]"),
            Some(other) => {
                out.push('\\');
                out.push(other);
            }
            None => out.push('\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::compile;

    #[test]
    fn digits_and_word_characters_are_ascii() {
        let digits = compile(r"^[\d\-]+$").unwrap();
        assert!(digits.is_match("12-3") && !digits.is_match("\u{661}"));
        let not_word = compile(r"^[\W]$").unwrap();
        assert!(not_word.is_match("\u{e9}") && !not_word.is_match("_"));
        assert!(compile(r"^a\/b\\d$").unwrap().is_match(r"a/b\d"));
    }

    #[test]
    fn look_ahead_is_not_supported() {
        assert!(compile("^(?=a)a$").is_none());
    }
}
