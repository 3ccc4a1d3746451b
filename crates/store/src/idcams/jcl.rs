//! The IDCAMS steps of a job: their commands and the meaning of their DD names.
//!
//! Reads as much of JCL as that needs: EXEC PGM, DD with DSN, `*` and DATA,
//! continued operands, `/*` and DLM. The rest is for `tupelo batch`.

use std::collections::BTreeMap;

use base::{Diagnostic, Severity};

use super::DdStatement;

/// A step's text.
#[derive(Default)]
pub(super) struct StepSource {
    pub name: Option<String>,
    /// The lines of SYSIN, with their numbers from 1.
    pub lines: Vec<(u32, String)>,
    pub dds: BTreeMap<String, DdStatement>,
}

/// A JCL statement with all its operands.
struct Card<'t> {
    name: &'t str,
    operation: &'t str,
    operands: String,
}

/// The steps that run IDCAMS; the whole text as one step if it is not JCL.
pub(super) fn steps(text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<StepSource> {
    let lines: Vec<&str> = text.lines().collect();
    if !lines.first().is_some_and(|line| line.starts_with("//")) {
        let numbered = (1..)
            .zip(&lines)
            .map(|(number, line)| (number, (*line).to_owned()));
        return vec![StepSource {
            lines: numbered.collect(),
            ..StepSource::default()
        }];
    }
    let mut steps: Vec<StepSource> = Vec::new();
    let mut in_idcams = false;
    let mut at = 0;
    while at < lines.len() {
        let Some(card) = card(&lines, &mut at) else {
            at += 1;
            continue;
        };
        let step = steps.last_mut().filter(|_| in_idcams);
        match card.operation {
            "EXEC" => {
                in_idcams = operand(&card.operands, "PGM").is_some_and(|pgm| pgm == "IDCAMS");
                if in_idcams {
                    steps.push(StepSource {
                        name: Some(card.name.to_owned()).filter(|name| !name.is_empty()),
                        ..StepSource::default()
                    });
                }
            }
            "DD" => {
                let (dd, data) = dd(&card.operands, &lines, &mut at);
                if let Some(step) = step {
                    match card.name {
                        "SYSIN" => step.lines.extend(data),
                        name => drop(step.dds.insert(name.to_owned(), dd)),
                    }
                }
            }
            _ => {}
        }
    }
    if steps.is_empty() {
        diagnostics.push(
            Diagnostic::new(Severity::Warning, (1, 1), "no step of this job runs IDCAMS")
                .with_help("the commands of a bare deck need no JCL around them"),
        );
    }
    steps
}

/// The statement that begins here, and advances `at` past it; `None` if no
/// statement begins here.
fn card<'t>(lines: &[&'t str], at: &mut usize) -> Option<Card<'t>> {
    let line = cut(lines[*at]).strip_prefix("//")?;
    if line.starts_with('*') {
        return None;
    }
    let (name, rest) = split_word(line);
    let (operation, rest) = split_word(rest.trim_start());
    let mut operands = first_field(rest.trim_start()).to_owned();
    *at += 1;
    while operands.ends_with(',') {
        let Some(next) = lines.get(*at).and_then(|line| cut(line).strip_prefix("//")) else {
            break;
        };
        if !next.starts_with('*') {
            if !next.starts_with(' ') {
                break;
            }
            operands.push_str(first_field(next.trim_start()));
        }
        *at += 1;
    }
    Some(Card {
        name,
        operation,
        operands,
    })
}

/// The meaning of a DD, and the lines of its in-stream data.
fn dd(operands: &str, lines: &[&str], at: &mut usize) -> (DdStatement, Vec<(u32, String)>) {
    if let Some(name) = operand(operands, "DSN").or_else(|| operand(operands, "DSNAME")) {
        return (DdStatement::DataSet(name), Vec::new());
    }
    let first = operands.split(',').next().unwrap_or_default();
    if !matches!(first, "*" | "DATA") {
        return (DdStatement::Other, Vec::new());
    }
    let delimiter = operand(operands, "DLM");
    let ends = |line: &str| match &delimiter {
        Some(delimiter) => line.starts_with(delimiter.trim_matches('\'')),
        None => line.starts_with("/*") && first == "DATA" || first == "*" && is_jcl(line),
    };
    let mut data = Vec::new();
    while let Some(line) = lines.get(*at).filter(|line| !ends(line)) {
        *at += 1;
        data.push((*at as u32, (*line).to_owned()));
    }
    // A delimiter belongs to the data; a statement does not.
    if lines
        .get(*at)
        .is_some_and(|line| !line.starts_with("//") || delimiter.is_some())
    {
        *at += 1;
    }
    let text = data.iter().map(|(_, line)| line.clone()).collect();
    (DdStatement::Lines(text), data)
}

/// Whether a line ends in-stream data that `*` began. A comment of IDCAMS may
/// begin in column 1 too: a delimiter has only blanks after it.
fn is_jcl(line: &str) -> bool {
    line.starts_with("//")
        || line
            .strip_prefix("/*")
            .is_some_and(|rest| rest.trim().is_empty())
}

/// The value of a keyword operand.
fn operand(operands: &str, keyword: &str) -> Option<String> {
    let mut depth = 0;
    let mut parts = vec![String::new()];
    for c in operands.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    let value = |part: &String| Some(part.strip_prefix(keyword)?.strip_prefix('=')?.to_owned());
    parts.iter().find_map(value)
}

/// The columns that JCL reads.
fn cut(line: &str) -> &str {
    let end = line.char_indices().nth(71).map_or(line.len(), |(at, _)| at);
    line[..end].trim_end()
}

fn split_word(text: &str) -> (&str, &str) {
    text.split_at(text.find(' ').unwrap_or(text.len()))
}

/// Operands end at a blank outside quotes; a comment follows.
fn first_field(text: &str) -> &str {
    let mut quoted = false;
    let end = text.char_indices().find(|(_, c)| {
        quoted ^= *c == '\'';
        *c == ' ' && !quoted
    });
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_run_idcams_are_taken_with_their_dds() {
        let job = "\
//JOB1 JOB 1,'X'
//* a comment
//A EXEC PGM=IEBGENER
//SYSIN DD *
 not this
/*
//B     EXEC PGM=IDCAMS,COND=(7,LT,A)
//SYSPRINT DD SYSOUT=*
//SYSIN DD *
 DELETE X
/* comment of IDCAMS */
 DELETE Y
/*
//IN    DD DISP=SHR,
//         DSN=A.B.C    where it comes from
//DATA  DD *
one
two
//C EXEC PGM=IDCAMS
//SYSIN DD DATA,DLM='@@'
 DELETE //Z
@@
";
        let mut diagnostics = Vec::new();
        let steps = steps(job, &mut diagnostics);
        assert_eq!(diagnostics, []);
        assert_eq!(steps.len(), 2);
        assert_eq!(steps[0].name.as_deref(), Some("B"));
        assert_eq!(
            steps[0].lines,
            [
                (10, " DELETE X".to_owned()),
                (11, "/* comment of IDCAMS */".to_owned()),
                (12, " DELETE Y".to_owned()),
            ]
        );
        assert_eq!(steps[0].dds["IN"], DdStatement::DataSet("A.B.C".to_owned()));
        assert_eq!(
            steps[0].dds["DATA"],
            DdStatement::Lines(vec!["one".to_owned(), "two".to_owned()])
        );
        assert_eq!(steps[0].dds["SYSPRINT"], DdStatement::Other);
        assert_eq!(steps[1].lines, [(21, " DELETE //Z".to_owned())]);
    }
}
