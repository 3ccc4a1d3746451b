//! Functions that fit no screen.
//!
//! A function is found by its first line, and its end is the brace with the
//! same indentation, as rustfmt writes it. Tests count too: they are read as
//! often.

/// Lines of a function beyond which it fits no screen.
pub const MOST_LINES: usize = 70;

/// A function that is too long.
#[derive(Debug, PartialEq, Eq)]
pub struct LongFunction {
    /// Its name.
    pub name: String,
    /// Line of the file, from 1.
    pub line: usize,
    /// Its lines.
    pub lines: usize,
}

/// The functions of a file with more than [`MOST_LINES`] lines.
pub fn long(text: &str) -> Vec<LongFunction> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else {
            continue;
        };
        let indent = &line[..line.len() - line.trim_start().len()];
        let ends = |l: &&&str| {
            l.strip_prefix(indent)
                .is_some_and(|rest| rest == "}" || rest.ends_with(';') && !rest.starts_with(' '))
        };
        let Some(length) = lines[at..].iter().position(|l| ends(&l)) else {
            continue;
        };
        if length + 1 > MOST_LINES {
            found.push(LongFunction {
                name: name.to_owned(),
                line: at + 1,
                lines: length + 1,
            });
        }
    }
    found
}

/// The name of the function that begins in a line.
fn function_name(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let head = |word: &str| {
        matches!(word, "pub" | "const" | "async" | "unsafe" | "extern")
            || word.starts_with("pub(")
            || word.starts_with('"')
            || matches!(word, "super)" | "crate)")
    };
    let end = after.find(['(', '<'])?;
    before.split_whitespace().all(head).then_some(&after[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_ends_with_the_brace_of_its_indentation() {
        let body = "        let x = 1;\n".repeat(MOST_LINES - 1);
        let text = format!(
            "impl A {{\n    pub(super) fn long() {{\n{body}    }}\n\n    fn short() {{\n    }}\n}}\n"
        );
        let found = long(&text);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].name.as_str(), found[0].line, found[0].lines),
            ("long", 2, 71)
        );
    }

    #[test]
    fn what_only_mentions_a_function_is_none() {
        assert_eq!(function_name("    call: impl FnOnce(fn (u8)) -> u8,"), None);
        assert_eq!(function_name("    // a fn name()"), None);
        assert_eq!(function_name("pub const unsafe fn name<T>("), Some("name"));
    }
}
