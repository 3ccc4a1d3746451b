//! Compares what the APIs expect of a program with the program: the names of its
//! containers and the length of its COMMAREA.
//!
//! The program's text is read for the literals of its GET and PUT CONTAINER commands
//! and for its DFHCOMMAREA. If a name may be used elsewhere (in a linked or called
//! program, in a COPY member, or through a field whose value is not known), nothing
//! is reported: a finding is always about what the text contains.

use std::collections::BTreeSet;
use std::path::Path;

use base::nearest;
use copybook::{CopyFolders, ParseOptions, words};
use gateway::{AssetContract, LoadedApi};

use super::Application;
use super::compile::CompiledPrograms;
use super::finding::{Finding, Severity, listed};
use crate::commands::record::source::read_source;

/// Mismatches between APIs and programs, as warnings.
pub fn findings(
    app: &Application,
    compiled: &CompiledPrograms,
    apis: &[&LoadedApi],
) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(parameters(app, compiled, apis));
    for contract in apis.iter().flat_map(|api| api.contracts()) {
        let named = |name: &String| name.eq_ignore_ascii_case(&contract.program);
        let Some(built) = compiled.built.iter().find(|b| b.programs.iter().any(named)) else {
            continue;
        };
        let Ok(text) = read_source(&built.source) else {
            continue;
        };
        if contract.channel {
            containers(app, &contract, &built.source, &text, &mut found)
        } else {
            found.extend(commarea(app, &contract, &built.source, &text))
        }
    }
    found
}

/// First programs of tasks whose PROCEDURE DIVISION has parameters that no task passes.
fn parameters(app: &Application, compiled: &CompiledPrograms, apis: &[&LoadedApi]) -> Vec<Finding> {
    let transactions = app
        .csd
        .transactions
        .iter()
        .filter_map(|t| t.program.as_ref());
    let begin: BTreeSet<String> = apis
        .iter()
        .flat_map(|api| {
            api.operations()
                .map(|(_, _, program)| program.to_ascii_uppercase())
        })
        .chain(transactions.map(|program| program.to_string()))
        .collect();
    let sources = compiled.built.iter().filter(|built| {
        let first = built.programs.first();
        first.is_some_and(|name| begin.contains(&name.to_ascii_uppercase()))
    });
    let findings = sources.filter_map(|built| {
        let text = read_source(&built.source).ok()?;
        wrong_parameters(&built.source, &text)
    });
    findings.collect()
}

/// A finding about the parameters that a program's PROCEDURE DIVISION names in
/// addition to those that a task passes.
pub fn wrong_parameters(source: &Path, text: &str) -> Option<Finding> {
    let words = words(text);
    // Only the first program of the source is begun by a task.
    let division = words
        .windows(2)
        .position(|w| w[0] == "PROCEDURE" && w[1] == "DIVISION")?;
    if words.get(division + 2).is_none_or(|word| word != "USING") {
        return None;
    }
    let own = [
        "BY",
        "REFERENCE",
        "CONTENT",
        "VALUE",
        "DFHEIBLK",
        "DFHCOMMAREA",
    ];
    let names = words[division + 3..]
        .iter()
        .take_while(|w| *w != "." && *w != "RETURNING");
    let names: Vec<&str> = names
        .map(String::as_str)
        .filter(|w| !own.contains(w))
        .collect();
    if names.is_empty() {
        return None;
    }
    let line = text.lines().zip(1..).find(|(line, _)| {
        let upper = line.to_ascii_uppercase();
        let comment = matches!(line.chars().nth(6), Some('*' | '/'));
        upper.contains("PROCEDURE") && upper.contains("DIVISION") && !comment
    });
    let indent = line.map_or(0, |(line, _)| line.len() - line.trim_start().len() + 1);
    let place = (line.map_or(0, |(_, number)| number), indent as u32);
    let message = format!(
        "a task gives its first program no parameters: {} has no storage, and the program abends",
        names.join(", ")
    );
    let help =
        "write a program that takes its data from DFHCOMMAREA or containers and CALLs this one";
    Some(
        Finding::new(Severity::Warning, place, message)
            .in_file(source)
            .with_help(help),
    )
}

fn containers(
    app: &Application,
    contract: &AssetContract,
    source: &Path,
    text: &str,
    found: &mut Vec<Finding>,
) {
    let Some(used) = ContainerNames::of(text) else {
        return;
    };
    let program = &contract.program;
    let asset = contract.file.strip_prefix(&app.folder);
    let asset = asset.unwrap_or(&contract.file).display();
    let mut warn = |name: &String, message: String, there: &BTreeSet<String>| {
        let help = if there.is_empty() {
            "the program uses no container in this direction".to_owned()
        } else {
            format!(
                "the program uses {}; the API's names are in {asset}",
                listed(there.iter().map(String::as_str))
            )
        };
        let help = if there.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            format!("{help}. Names of containers are case-sensitive")
        } else {
            help
        };
        // The place is that of another name that the program uses instead.
        let other_case = there.iter().find(|known| known.eq_ignore_ascii_case(name));
        let near = nearest(name, there.iter().map(String::as_str));
        let near = other_case.map(String::as_str).or(near);
        let near = near.or(there.first().map(String::as_str));
        let place = near.and_then(|near| literal_at(text, near));
        found.push(
            Finding::new(Severity::Warning, place.unwrap_or_default(), message)
                .in_file(place.map_or(&*contract.file, |_| source))
                .with_help(help),
        );
    };
    for (name, _) in &contract.response {
        if !used.put.contains(name) {
            let message = format!(
                "{program} never puts the container {name}, which the response is mapped from"
            );
            warn(name, message, &used.put);
        }
    }
    for (name, _) in &contract.request {
        if !used.got.contains(name) {
            let message = format!(
                "{program} never gets the container {name}, which the request is mapped to"
            );
            warn(name, message, &used.got);
        }
    }
    for channel in &used.channels {
        let place = literal_at(text, channel);
        let message = format!(
            "{program} names the channel {channel}, and an API's channel has no name: its commands \
             answer CHANNELERR"
        );
        let help = "leave the option CHANNEL out; without it the commands take the channel that \
                    the program was given";
        found.push(
            Finding::new(Severity::Warning, place.unwrap_or_default(), message)
                .in_file(place.map_or(&*contract.file, |_| source))
                .with_help(help),
        );
    }
}

/// Line and column, from 1, of the literal with this value.
pub fn literal_at(text: &str, name: &str) -> Option<(u32, u32)> {
    // Trailing blanks do not count.
    let ends = |rest: &str, quote: char| rest.trim_start_matches(' ').starts_with(quote);
    text.lines().zip(1..).find_map(|(line, number)| {
        let comment = matches!(line.chars().nth(6), Some('*' | '/'));
        let at = ['\'', '"'].into_iter().find_map(|quote| {
            let start = format!("{quote}{name}");
            let mut places = line.match_indices(&start);
            places.find_map(|(at, _)| ends(&line[at + start.len()..], quote).then_some(at))
        });
        let at = at.filter(|_| !comment)?;
        Some((number, line[..at].chars().count() as u32 + 2))
    })
}

/// The containers that a program names.
#[derive(Debug, Default, PartialEq, Eq)]
struct ContainerNames {
    put: BTreeSet<String>,
    got: BTreeSet<String>,
    /// The channels that the program's commands name.
    channels: BTreeSet<String>,
}

impl ContainerNames {
    /// The names in a program's text. Returns `None` if the program may use more
    /// containers than its text shows.
    fn of(text: &str) -> Option<ContainerNames> {
        let words = words(text);
        let elsewhere = ["CALL", "COPY", "STARTBROWSE", "GETNEXT", "MOVE-CONTAINER"];
        let division = words.iter().position(|w| w == "PROCEDURE").unwrap_or(0);
        if words[division..]
            .iter()
            .any(|w| elsewhere.contains(&w.as_str()))
        {
            return None;
        }
        let mut used = ContainerNames::default();
        let mut at = 0;
        while at + 2 < words.len() {
            if !(words[at] == "EXEC" && words[at + 1] == "CICS") {
                at += 1;
                continue;
            }
            let end = words[at..]
                .iter()
                .position(|w| w == "END-EXEC")
                .map_or(words.len(), |n| at + n);
            let command = &words[at + 2..end];
            at = end;
            match command.first().map(String::as_str) {
                Some("LINK" | "XCTL" | "START" | "MOVE" | "RUN") => return None,
                Some(verb @ ("GET" | "PUT" | "DELETE")) => {
                    let Some(option) = command.iter().position(|w| w == "CONTAINER") else {
                        continue;
                    };
                    let argument = command.get(option + 2)?;
                    let name = literal(argument).or_else(|| value_of(&words, argument))?;
                    // The name of the current channel, which ASSIGN returns, is
                    // in a field whose value is not known here.
                    let channel = command.iter().position(|w| w == "CHANNEL");
                    let channel = channel.and_then(|at| command.get(at + 2));
                    used.channels.extend(channel.and_then(|word| literal(word)));
                    match verb {
                        "PUT" => used.put.insert(name),
                        _ => used.got.insert(name),
                    };
                }
                _ => {}
            }
        }
        Some(used)
    }
}

/// The value of a data item from its VALUE clause, if no statement moves another
/// value to it.
pub(super) fn value_of(words: &[String], name: &str) -> Option<String> {
    let at = words.iter().position(|w| w == name)?;
    let moved = words.windows(2).any(|w| w[0] == "TO" && w[1] == name);
    if moved {
        return None;
    }
    let entry = words[at..].iter().take_while(|w| *w != ".");
    let entry: Vec<&String> = entry.collect();
    let value = entry.iter().position(|w| *w == "VALUE")?;
    literal(entry.get(value + 1)?)
}

/// The text between the quotes of a literal.
pub fn literal(word: &str) -> Option<String> {
    let inner = word.strip_prefix(['\'', '"'])?;
    let inner = inner.strip_suffix(['\'', '"'])?;
    Some(inner.trim_end().to_owned())
}

/// A DFHCOMMAREA that is longer than what the API passes, or so short that the
/// program does not see all of it.
fn commarea(
    app: &Application,
    contract: &AssetContract,
    source: &Path,
    text: &str,
) -> Option<Finding> {
    let own = source.parent().map(Path::to_owned);
    let copy = CopyFolders::new(own.into_iter().chain(app.copy_folders()));
    let name = source.display().to_string();
    let options = ParseOptions {
        copy: &copy,
        source_name: &name,
        ..ParseOptions::default()
    };
    let layouts = copybook::parse(text, &options).ok()?;
    let area = layouts.iter().find(|l| l.name() == "DFHCOMMAREA")?;
    let given = contract
        .request
        .iter()
        .chain(&contract.response)
        .map(|(_, length)| *length)
        .max()?;
    let (expected, most) = (area.min_length as usize, area.length as usize);
    let what = if expected > given {
        "reads beyond the data it receives"
    } else if most > 1 && most < given && stays_within(text) {
        "does not see the rest"
    } else {
        return None;
    };
    let in_program = area.fields.first().map_or(0, |f| f.line);
    // The line is known only if the program itself describes the record.
    let line = text.lines().nth(in_program.checked_sub(1)? as usize);
    let here = line.is_some_and(|l| l.to_ascii_uppercase().contains("DFHCOMMAREA"));
    Some(
        Finding::new(
            Severity::Warning,
            (if here { in_program } else { 0 }, 0),
            format!(
                "DFHCOMMAREA has {} bytes, and the API passes {given}: the program {what}",
                if expected > given { expected } else { most }
            ),
        )
        .in_file(source)
        .with_help(format!(
            "compare it with the copybooks next to {}",
            contract.file.display()
        )),
    )
}

/// Whether a program uses its DFHCOMMAREA only as described. Through its address,
/// reference modification or a called program it may reach more.
fn stays_within(text: &str) -> bool {
    let words = copybook::words(text);
    let from = words.iter().position(|w| w == "PROCEDURE").unwrap_or(0);
    !words[from..].windows(2).any(|pair| {
        let (first, second) = (pair[0].as_str(), pair[1].as_str());
        (first == "ADDRESS" && second == "OF")
            || (first == "DFHCOMMAREA" && matches!(second, "(" | ")"))
            || matches!(first, "CALL" | "COPY")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_may_reach_beyond_its_commarea_is_not_checked() {
        let stays = |body: &str| stays_within(&format!("{HEAD}           {body}\n"));
        assert!(stays("MOVE DFHCOMMAREA TO A"));
        assert!(!stays("SET ADDRESS OF A TO ADDRESS OF DFHCOMMAREA"));
        assert!(!stays("MOVE DFHCOMMAREA(1:EIBCALEN) TO A"));
        assert!(!stays(
            "EXEC CICS LINK PROGRAM('Q') COMMAREA(DFHCOMMAREA) END-EXEC"
        ));
        assert!(!stays("CALL 'Q' USING DFHEIBLK DFHCOMMAREA"));
    }

    const HEAD: &str = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       01  OUT-NAME PIC X(16) VALUE 'OUT-DATA'.\n       PROCEDURE DIVISION.\n";

    fn used(body: &str) -> Option<ContainerNames> {
        ContainerNames::of(&format!("{HEAD}{body}"))
    }

    #[test]
    fn names_are_taken_from_literals_and_from_values() {
        let body = "           EXEC CICS GET CONTAINER('IN-DATA')\n                INTO(X) END-EXEC\n      *    EXEC CICS PUT CONTAINER('NOT') END-EXEC\n           EXEC CICS PUT CONTAINER(OUT-NAME) FROM(X) END-EXEC.\n";
        let used = used(body).unwrap();
        assert_eq!(used.got.into_iter().collect::<Vec<_>>(), ["IN-DATA"]);
        assert_eq!(used.put.into_iter().collect::<Vec<_>>(), ["OUT-DATA"]);
    }

    #[test]
    fn names_keep_their_case_as_containers_do() {
        let used = used(
            "           EXEC CICS GET CONTAINER('QueryData')\n                INTO(X) END-EXEC.\n",
        );
        assert!(used.unwrap().got.contains("QueryData"));
    }

    #[test]
    fn channels_are_known_where_a_literal_names_them() {
        let body = |channel: &str| {
            format!(
                "           EXEC CICS GET CONTAINER('IN-DATA') {channel}\n                INTO(X) END-EXEC.\n"
            )
        };
        let named = |channel: &str| used(&body(channel)).unwrap().channels.into_iter().next();
        assert_eq!(named("CHANNEL('CLM-CHAN')").as_deref(), Some("CLM-CHAN"));
        assert_eq!(named("CHANNEL(WS-CHANNEL)"), None);
        assert_eq!(named(""), None);
    }

    #[test]
    fn a_literal_is_found_where_it_is_written_and_not_in_a_comment() {
        let text = format!("{HEAD}      *    'OUT'\n           PUT CONTAINER(\"OUT\")\n");
        assert_eq!(literal_at(&text, "OUT"), Some((8, 27)));
        assert_eq!(literal_at(&text, "Out"), None);
        assert_eq!(literal_at(&text, "IN"), None);
    }

    #[test]
    fn parameters_of_a_first_program_are_reported_where_they_are_named() {
        let found = |division: &str| {
            let text = HEAD.replace("PROCEDURE DIVISION.", division);
            wrong_parameters(Path::new("P.cbl"), &text).map(|f| (f.line, f.column, f.message))
        };
        let (line, column, message) =
            found("PROCEDURE DIVISION USING A-1\n                                B-2.").unwrap();
        assert_eq!((line, column), (6, 8));
        assert!(message.contains("A-1, B-2 has no storage"), "{message}");
        assert_eq!(
            found("PROCEDURE DIVISION USING DFHEIBLK DFHCOMMAREA."),
            None
        );
        assert_eq!(found("PROCEDURE DIVISION."), None);
        let second = "PROCEDURE DIVISION.\n       END PROGRAM P.\n       ID DIVISION.\n       \
                      PROGRAM-ID. Q.\n       PROCEDURE DIVISION USING A-1.";
        assert_eq!(found(second), None);
    }

    #[test]
    fn a_text_that_may_use_more_than_it_shows_gives_no_finding() {
        for body in [
            "           EXEC CICS LINK PROGRAM('Q') END-EXEC.\n",
            "           CALL 'Q'.\n",
            "           COPY MORE.\n",
            "           EXEC CICS PUT CONTAINER(WS-NAME) FROM(X) END-EXEC.\n",
            "           MOVE 'A' TO OUT-NAME\n           EXEC CICS PUT CONTAINER(OUT-NAME) FROM(X) END-EXEC.\n",
        ] {
            assert_eq!(used(body), None, "{body}");
        }
    }
}
