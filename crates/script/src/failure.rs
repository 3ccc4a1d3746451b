//! How a script's task ends abnormally, and where in the text a mistake is.

use crate::host::AbendInfo;
use base::{Diagnostic, Severity};

/// A script threw an exception that it did not catch.
pub const THROWN: &str = "AJST";
/// A promise was rejected without a handler, or the script waits for one that
/// is never settled.
pub const PROMISE: &str = "AJSP";
/// The script used up its memory.
pub const MEMORY: &str = "AJSM";
/// There is no such script, or it cannot be loaded.
pub const LOAD: &str = "AJSL";
/// The target of an XCTL no longer exists.
pub const NO_PROGRAM: &str = "APCT";
/// Scripts link to one another, and too many wait.
pub const NESTED: &str = "AJSN";
/// The script computed for too long without a command.
pub const RUNAWAY: &str = "AICA";
/// Its task was purged.
pub const PURGED: &str = "AEXY";

/// A mistake in a script's text, or the place where it failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourcePosition {
    /// The module, relative to the folder of scripts; empty when unknown.
    pub file: String,
    /// Line from 1; 0 when unknown.
    pub line: u32,
    /// Column in characters from 1; 0 when unknown.
    pub column: u32,
}

/// How a script failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptFailure {
    /// The abend of its task; `program` is the program's that failed, or the
    /// script's own.
    pub abend: AbendInfo,
    /// The call stack in JavaScript's format; empty without one.
    pub stack: String,
}

impl SourcePosition {
    /// A mistake at this place.
    pub fn mistake(&self, message: impl Into<String>) -> Diagnostic {
        let place = (self.line, self.column);
        Diagnostic::new(Severity::Error, place, message).in_file(&self.file)
    }

    /// A mistake of a whole module.
    pub fn of_module(file: &str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, (0, 0), message).in_file(file)
    }

    /// The first place that a stack names: `at name (file:line:column)`, or
    /// `at file:line:column`.
    pub fn of_stack(stack: &str) -> SourcePosition {
        let lines = stack.lines().filter_map(|l| l.trim().strip_prefix("at "));
        lines
            .filter_map(SourcePosition::of_frame)
            .next()
            .unwrap_or_default()
    }

    fn of_frame(frame: &str) -> Option<SourcePosition> {
        let at = match frame.rsplit_once('(') {
            Some((_, at)) => at.strip_suffix(')')?,
            None => frame,
        };
        let (rest, column) = at.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        // Places in the engine's own part are not shown: no user can mend them.
        (!file.starts_with('<')).then_some(SourcePosition {
            file: file.to_owned(),
            line: line.parse().ok()?,
            column: column.parse().ok()?,
        })
    }
}

impl ScriptFailure {
    /// A failure with a code and words.
    pub fn new(code: &str, message: impl Into<String>) -> ScriptFailure {
        ScriptFailure {
            abend: AbendInfo {
                code: code.to_owned(),
                program: String::new(),
                line: 0,
                message: message.into(),
            },
            stack: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_frame_of_the_scripts_own_is_the_place() {
        let stack =
            "    at fail (<tupelo>:3:1)\n    at total (lib/sum.js:12:7)\n    at GET (a.js:1:2)\n";
        let place = SourcePosition::of_stack(stack);
        assert_eq!(
            (place.file.as_str(), place.line, place.column),
            ("lib/sum.js", 12, 7)
        );
        assert_eq!(SourcePosition::of_stack("    at a.js:4:9").line, 4);
        assert_eq!(
            SourcePosition::of_stack("at native\nat x (y)\n"),
            SourcePosition::default()
        );
        assert_eq!(SourcePosition::of_stack(""), SourcePosition::default());
    }
}
