//! Abends of programs that a pipeline could not run: APIG with the reason.

use region::Abend;

/// An abend of a program that was not run, with the reason.
pub(super) fn refusal_abend(program: &str, message: &str) -> Abend {
    Abend {
        code: *b"APIG",
        program: program.parse().unwrap_or_default(),
        line: 0,
        message: message.to_owned(),
    }
}

/// The abend for a name that no program can have.
pub(super) fn no_program(program: &str) -> Abend {
    refusal_abend(program, "not a valid program name")
}

/// The abend for a message that no area takes.
pub(super) fn too_large(program: &str) -> Abend {
    refusal_abend(program, "the message is larger than a task's area")
}
