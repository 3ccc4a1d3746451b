//! SYSTSIN of a step that runs TSO in the background: the DSN command processor and
//! the programs that it runs.
//!
//! Supported are DSN with its RUN and END, and CALL. BIND and similar commands have
//! no effect here, because statements are translated when a program is compiled;
//! they are reported and skipped. Everything else is an error with its line.
//!
//! Reference: Db2 for z/OS Command Reference, "DSN (TSO)", "RUN (DSN)"; z/OS TSO/E
//! Command Reference, "CALL command".
//!
//! Invariant: text in, data out; no text makes the reader panic.

/// A command of SYSTSIN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TsoCommand {
    /// Line that it begins on, from 1.
    pub line: u32,
    /// The command as written, on one line.
    pub text: String,
    /// The kind of command.
    pub kind: TsoKind,
}

/// The kind of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TsoKind {
    /// DSN: the following commands, up to END, are its subcommands.
    Dsn,
    /// RUN PROGRAM of DSN.
    Run(ProgramRun),
    /// END of DSN.
    End,
    /// CALL of a program.
    Call(ProgramRun),
    /// A command that has no meaning here, by its name.
    LeftOut(String),
    /// A command that is not understood, and why.
    Wrong(String),
}

/// A program that a command runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramRun {
    /// Its name.
    pub program: String,
    /// Its PARM.
    pub parm: Option<String>,
}

/// Subcommands of DSN, and commands of TSO, that have no meaning here.
const LEFT_OUT: &[&str] = &[
    "BIND", "REBIND", "FREE", "PROFILE", "PROF", "ALLOCATE", "ALLOC", "TIME",
];

/// Columns of a line that hold a command.
const COLUMNS: usize = 72;

/// The commands of a text.
pub fn parse(text: &str) -> Vec<TsoCommand> {
    let mut in_dsn = false;
    let mut commands = Vec::new();
    for (line, text) in logical_lines(text) {
        let kind = command(&text, in_dsn);
        match kind {
            TsoKind::Dsn => in_dsn = true,
            TsoKind::End => in_dsn = false,
            _ => {}
        }
        commands.push(TsoCommand { line, text, kind });
    }
    commands
}

/// Lines with those that continue them: `-` at the end keeps the next line's leading
/// blanks, `+` does not.
fn logical_lines(text: &str) -> Vec<(u32, String)> {
    let mut lines = Vec::new();
    let mut open: Option<(u32, String, bool)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let line: String = line.chars().take(COLUMNS).collect();
        let line = line.trim_end();
        let (start, mut whole) = match open.take() {
            Some((start, whole, true)) => (start, whole + line.trim_start()),
            Some((start, whole, false)) => (start, whole + line),
            None => (number, line.to_owned()),
        };
        let sign = whole.chars().next_back().filter(|c| matches!(c, '-' | '+'));
        match sign {
            Some(sign) => {
                whole.pop();
                open = Some((start, whole, sign == '+'));
            }
            None => lines.push((start, whole)),
        }
    }
    lines.extend(open.map(|(start, whole, _)| (start, whole)));
    let without = lines
        .into_iter()
        .map(|(line, text)| (line, uncommented(&text)));
    without.filter(|(_, text)| !text.is_empty()).collect()
}

/// A command without its comments.
fn uncommented(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, comment)) = rest.split_once("/*") {
        kept.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    (kept + rest).trim().to_owned()
}

fn command(text: &str, in_dsn: bool) -> TsoKind {
    let end = text
        .find(|c: char| c.is_whitespace() || c == '(')
        .unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let word = word.to_ascii_uppercase();
    // A command of Db2 begins with a hyphen.
    if in_dsn && word.starts_with('-') {
        return TsoKind::LeftOut(word);
    }
    match word.as_str() {
        "DSN" if !in_dsn => TsoKind::Dsn,
        "END" if in_dsn => TsoKind::End,
        "RUN" if in_dsn => run(rest),
        "RUN" => TsoKind::Wrong("RUN is outside DSN: write DSN SYSTEM(name) before it".into()),
        "CALL" => call(rest),
        name if LEFT_OUT.contains(&name) => TsoKind::LeftOut(word),
        "SPUFI" | "DCLGEN" => TsoKind::Wrong(format!("{word} of DSN is not supported")),
        _ => TsoKind::Wrong(format!("the command {word} is not supported")),
    }
}

/// RUN PROGRAM(name) PLAN(name) LIB('library') PARMS('text').
fn run(operands: &str) -> TsoKind {
    let operands = match keywords(operands) {
        Ok(operands) => operands,
        Err(why) => return TsoKind::Wrong(format!("RUN: {why}")),
    };
    let mut run = ProgramRun::default();
    for (name, value) in operands {
        match name.as_str() {
            "PROGRAM" | "PROG" => run.program = value.to_ascii_uppercase(),
            "PARMS" | "PARM" => run.parm = Some(value),
            "PLAN" | "LIB" | "LIBRARY" => {}
            _ => return TsoKind::Wrong(format!("RUN: the operand {name} is not supported")),
        }
    }
    if run.program.is_empty() {
        return TsoKind::Wrong("RUN: write PROGRAM(name)".into());
    }
    TsoKind::Run(run)
}

/// CALL 'library(name)' 'text', or CALL *(name) 'text'.
fn call(operands: &str) -> TsoKind {
    let (place, rest) = match quoted(operands.trim_start()) {
        Some((place, rest)) => (place, rest),
        None => {
            let operands = operands.trim_start();
            let end = operands.find(char::is_whitespace).unwrap_or(operands.len());
            let (place, rest) = operands.split_at(end);
            (place.to_owned(), rest)
        }
    };
    let member = place
        .split_once('(')
        .and_then(|(_, rest)| rest.strip_suffix(')'));
    match member.map(str::trim).filter(|name| !name.is_empty()) {
        Some(name) => TsoKind::Call(ProgramRun {
            program: name.to_ascii_uppercase(),
            parm: quoted(rest.trim_start()).map(|(parm, _)| parm),
        }),
        None => TsoKind::Wrong("CALL: write 'library(program)'".into()),
    }
}

/// Operands of the form NAME(VALUE); quotes of a value are taken off.
fn keywords(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| c.is_whitespace() || matches!(c, '(' | ','))
            .unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let after = after.trim_start();
        let Some(inside) = after.strip_prefix('(') else {
            return Err(format!("the operand {name} has no value in parentheses"));
        };
        let (value, after) = match quoted(inside.trim_start()) {
            Some((value, after)) => {
                let closed = after.trim_start().strip_prefix(')');
                (value, closed.ok_or("a parenthesis is not closed")?)
            }
            None => {
                let (value, after) = inside
                    .split_once(')')
                    .ok_or("a parenthesis is not closed")?;
                (value.trim().to_owned(), after)
            }
        };
        found.push((name.to_ascii_uppercase(), value));
        rest = after.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
    }
    Ok(found)
}

/// A text in quotes, and the rest after it. A doubled quote is one quote.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut chars = text.strip_prefix('\'')?.char_indices().peekable();
    let mut value = String::new();
    while let Some((at, c)) = chars.next() {
        if c != '\'' {
            value.push(c);
        } else if chars.next_if(|(_, next)| *next == '\'').is_some() {
            value.push('\'');
        } else {
            return Some((value, &text[at + 2..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TsoKind> {
        parse(text).into_iter().map(|c| c.kind).collect()
    }

    fn program(name: &str, parm: Option<&str>) -> ProgramRun {
        ProgramRun {
            program: name.to_owned(),
            parm: parm.map(str::to_owned),
        }
    }

    #[test]
    fn a_program_is_run_by_dsn_over_several_lines() {
        let text = "  DSN SYSTEM(DB2A)\n  RUN  PROGRAM(dsntiad) PLAN(DSNTIA12) -\n       LIB('DSN.RUNLIB.LOAD') -\n\
                    \x20      PARMS('RC0,O''K')\n  END\n";
        let commands = parse(text);
        assert_eq!(commands[1].line, 2);
        assert_eq!(
            commands[1].kind,
            TsoKind::Run(program("DSNTIAD", Some("RC0,O'K")))
        );
        assert_eq!(
            (&commands[0].kind, &commands[2].kind),
            (&TsoKind::Dsn, &TsoKind::End)
        );
    }

    #[test]
    fn binds_and_commands_of_db2_are_left_out_by_name() {
        let text = "PROFILE NOPREFIX\nDSN S(DB2A)\nBIND PACKAGE(A) MEMBER(B) -\n  ISO(CS)\n-DISPLAY THREAD(*)\nFREE PLAN(P)\n";
        let left_out = |name: &str| TsoKind::LeftOut(name.to_owned());
        assert_eq!(
            kinds(text),
            [
                left_out("PROFILE"),
                TsoKind::Dsn,
                left_out("BIND"),
                left_out("-DISPLAY"),
                left_out("FREE")
            ]
        );
    }

    #[test]
    fn a_program_is_called_from_its_library() {
        assert_eq!(
            kinds("CALL 'MY.LOAD(prog1)' '/A B'\nCALL *(PROG2)"),
            [
                TsoKind::Call(program("PROG1", Some("/A B"))),
                TsoKind::Call(program("PROG2", None))
            ]
        );
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let wrong = |text: &str| match kinds(text).pop() {
            Some(TsoKind::Wrong(why)) => why,
            other => panic!("{text}: {other:?}"),
        };
        assert!(wrong("RUN PROGRAM(A)").contains("outside DSN"));
        assert!(wrong("DSN SYSTEM(A)\nRUN PLAN(B)").contains("PROGRAM(name)"));
        assert!(wrong("DSN SYSTEM(A)\nRUN PROGRAM(B").contains("not closed"));
        assert!(wrong("DSN SYSTEM(A)\nRUN CP").contains("CP"));
        assert!(wrong("LISTCAT").contains("LISTCAT"));
        assert!(wrong("CALL PROG").contains("library(program)"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(DSN|RUN|CALL|PROGRAM|\\(|\\)|'|-|\\+|/\\*|\\*/|é|\n| ){0,30}") {
            parse(&text);
        }
    }
}
