//! The command line of CEMT: words, their abbreviations, and names with
//! asterisks.
//!
//! A word may be cut off where it is still unique. Names are in
//! parentheses after their resource, several between commas; `*` stands for any
//! characters and `+` for one.
//! Reference: CICS supplied transactions, "Abbreviations", "Generic notation".

use super::resources::{PERFORMED, RESOURCES, ResourceKind, SetWord};

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// INQUIRE.
    Inquire,
    /// SET.
    Set,
    /// PERFORM.
    Perform,
}

/// A command.
#[derive(Debug)]
pub struct MasterCommand {
    /// What is to be done.
    pub verb: Verb,
    /// With what.
    pub resource: &'static ResourceKind,
    /// Names; with none, all.
    pub names: Vec<String>,
    /// Values that a line of INQUIRE must show.
    pub filters: Vec<ValueFilter>,
    /// What SET changes.
    pub changes: Vec<SetChange>,
}

/// A word of SET.
#[derive(Debug, PartialEq, Eq)]
pub struct SetChange {
    /// The option of the command.
    pub option: &'static str,
    /// Its number, if it takes one.
    pub value: Option<i64>,
}

/// A value that is to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueFilter {
    /// A CVDA that begins so.
    Word(String),
    /// A labelled value.
    Labelled(String, String),
}

#[derive(Debug)]
struct CommandWord {
    text: String,
    argument: Option<String>,
}

/// Reads a command.
///
/// # Errors
/// What is wrong with it; nothing if it is empty.
pub fn parse(text: &str) -> Result<MasterCommand, Vec<String>> {
    let words = words(text).map_err(|why| vec![why])?;
    let mut rest = words.iter();
    let Some(verb) = rest.next() else {
        return Err(Vec::new());
    };
    let verb = match verb.text.as_str() {
        word if is_cut("INQUIRE", 1, word) => Verb::Inquire,
        word if is_cut("SET", 1, word) => Verb::Set,
        word if is_cut("PERFORM", 1, word) => Verb::Perform,
        word if is_cut("DISCARD", 1, word) || is_cut("ADD", 1, word) => {
            return Err(vec![format!(
                "E {word} is not served here: change the application's definitions."
            )]);
        }
        word => {
            return Err(vec![format!(
                "E '{word}' is not a command. Use INQUIRE, SET or PERFORM."
            )]);
        }
    };
    let among = if verb == Verb::Perform {
        PERFORMED
    } else {
        RESOURCES
    };
    let listed = || among.iter().map(|r| r.name).collect::<Vec<_>>().join(", ");
    let Some(named) = rest.next() else {
        return Err(vec![format!("E One of these is needed: {}.", listed())]);
    };
    let found = among.iter().find(|r| r.is_called(&named.text));
    let Some(resource) = found else {
        let text = format!("E '{}' is not one of {}.", named.text, listed());
        return Err(vec![text]);
    };
    let argument = named.argument.as_deref().unwrap_or("");
    let names = argument.split([',', ' ']).filter(|name| !name.is_empty());
    let mut command = MasterCommand {
        verb,
        resource,
        names: names.map(str::to_ascii_uppercase).collect(),
        filters: Vec::new(),
        changes: Vec::new(),
    };
    let mut wrong = Vec::new();
    for word in rest {
        match verb {
            _ if is_cut("ALL", 2, &word.text) => {}
            Verb::Inquire => command.filters.push(filter(word)),
            Verb::Set => match change(resource, word) {
                Ok(change) => command.changes.push(change),
                Err(why) => wrong.push(why),
            },
            // What kind of statistics is recorded makes no difference here.
            Verb::Perform => {}
        }
    }
    if verb == Verb::Set && command.changes.is_empty() && wrong.is_empty() {
        wrong.push(format!(
            "E SET {} takes {}.",
            resource.name,
            changes(resource)
        ));
    }
    if verb == Verb::Set && command.names.is_empty() && !resource.is_single() {
        wrong.push(format!(
            "E SET {0} needs a name, or {0}(*) for all.",
            resource.name
        ));
    }
    if wrong.is_empty() {
        Ok(command)
    } else {
        Err(wrong)
    }
}

/// What can be typed, after what is wrong.
pub fn help(wrong: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = wrong.to_vec();
    let names = |list: &[ResourceKind]| list.iter().map(|r| r.name).collect::<Vec<_>>().join(" ");
    lines.push(String::new());
    lines.push(format!("INQUIRE  {}", names(RESOURCES)));
    let settable: Vec<&str> = RESOURCES
        .iter()
        .filter(|r| !r.words.is_empty())
        .map(|r| r.name)
        .collect();
    lines.push(format!("SET      {}", settable.join(" ")));
    lines.push(format!("PERFORM  {}", names(PERFORMED)));
    lines.push(String::new());
    lines.push("Words may be cut off: I TA; I PROG(ACC*) DIS; S FI(ACCOUNTS) CLO.".to_owned());
    lines
}

/// Whether a word is `whole`, cut off after `least` letters or later.
pub fn is_cut(whole: &str, least: usize, word: &str) -> bool {
    word.len() >= least && whole.starts_with(word)
}

/// Whether a name fits a pattern with `*` and `+`.
pub fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    match pattern.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => {
            // Names are short.
            (0..=name.len()).any(|skip| fits_bytes(rest, &name[skip..]))
        }
        _ => fits_bytes(pattern, name),
    }
}

fn fits_bytes(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        // Further asterisks in a row mean no more than one.
        (Some((b'*', rest)), _) => (0..=name.len()).any(|skip| {
            let next = rest
                .iter()
                .position(|byte| *byte != b'*')
                .unwrap_or(rest.len());
            fits_bytes(&rest[next..], &name[skip..])
        }),
        (Some((b'+', rest)), Some((_, name))) => fits_bytes(rest, name),
        (Some((one, rest)), Some((other, name))) => one == other && fits_bytes(rest, name),
        _ => false,
    }
}

fn filter(word: &CommandWord) -> ValueFilter {
    match &word.argument {
        Some(value) => ValueFilter::Labelled(word.text.clone(), value.to_ascii_uppercase()),
        None => ValueFilter::Word(word.text.clone()),
    }
}

fn change(resource: &ResourceKind, word: &CommandWord) -> Result<SetChange, String> {
    let known = |w: &&SetWord| is_cut(w.word, w.least, &word.text);
    let Some(found) = resource.words.iter().find(known) else {
        let (name, text) = (resource.name, &word.text);
        let takes = changes(resource);
        return Err(if takes.is_empty() {
            format!("E {name} cannot be SET.")
        } else {
            format!("E '{text}' is not known: SET {name} takes {takes}.")
        });
    };
    let value = word.argument.as_deref().map(str::trim);
    let value = match (found.takes_number, value) {
        (true, Some(text)) => match text.parse() {
            Ok(number) => Some(number),
            Err(_) => return Err(format!("E {}({text}): a number is needed.", found.word)),
        },
        (true, None) => return Err(format!("E {} needs a number in parentheses.", found.word)),
        (false, Some(_)) => return Err(format!("E {} takes no value.", found.word)),
        (false, None) => None,
    };
    let option = found.option;
    Ok(SetChange { option, value })
}

fn changes(resource: &ResourceKind) -> String {
    let words: Vec<&str> = resource.words.iter().map(|w| w.word).collect();
    words.join(", ")
}

/// Words, each with the text in parentheses after it.
fn words(text: &str) -> Result<Vec<CommandWord>, String> {
    let mut words: Vec<CommandWord> = Vec::new();
    let mut rest = text.trim_matches(['\0', ' ', ',']);
    while !rest.is_empty() {
        let end = rest.find([' ', ',', '(', '\0']).unwrap_or(rest.len());
        if end > 0 {
            words.push(CommandWord {
                text: rest[..end].to_ascii_uppercase(),
                argument: None,
            });
        }
        rest = rest[end..].trim_start_matches([' ', ',', '\0']);
        if let Some(inside) = rest.strip_prefix('(') {
            let (argument, after) = inside.split_once(')').unwrap_or((inside, ""));
            match words.last_mut() {
                Some(word) if word.argument.is_none() => {
                    word.argument = Some(argument.trim().to_owned());
                }
                _ => return Err(format!("E A word is missing before ({argument}).")),
            }
            rest = after.trim_start_matches([' ', ',', '\0']);
        } else if let Some(after) = rest.strip_prefix(')') {
            rest = after;
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> MasterCommand {
        parse(text).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"))
    }

    #[test]
    fn words_may_be_cut_off_as_people_type_them() {
        for (text, verb, name) in [
            ("i ta", Verb::Inquire, "TASK"),
            ("INQ TASK", Verb::Inquire, "TASK"),
            ("inq,tran(ce*)", Verb::Inquire, "TRANSACTION"),
            ("I PROG", Verb::Inquire, "PROGRAM"),
            ("I FI ALL", Verb::Inquire, "FILE"),
            ("I FCT", Verb::Inquire, "FILE"),
            ("I TERM", Verb::Inquire, "TERMINAL"),
            ("I TCLASS(X)", Verb::Inquire, "TCLASS"),
            ("I SYS", Verb::Inquire, "SYSTEM"),
            ("P SHUT", Verb::Perform, "SHUTDOWN"),
            ("PERFORM STAT REC ALL", Verb::Perform, "STATISTICS"),
        ] {
            let command = read(text);
            assert_eq!(
                (command.verb, command.resource.name),
                (verb, name),
                "{text}"
            );
        }
    }

    #[test]
    fn names_and_changes_are_read() {
        let command = read("s file(accts, b*) clo,dis");
        assert_eq!(command.names, ["ACCTS", "B*"]);
        let options: Vec<&str> = command.changes.iter().map(|c| c.option).collect();
        assert_eq!(options, ["CLOSED", "DISABLED"]);
        let command = read("SET TASK(123) PRIORITY(7)");
        assert_eq!(command.changes[0].value, Some(7));
        assert_eq!(read("S PROG(A) NEW").changes[0].option, "NEWCOPY");
        assert_eq!(read("S TA(00045) PU").changes[0].option, "PURGE");
        let filters = read("I FILE(*) OPE TRA(CEMT)").filters;
        assert_eq!(
            filters,
            [
                ValueFilter::Word("OPE".into()),
                ValueFilter::Labelled("TRA".into(), "CEMT".into())
            ]
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, wrong) in [
            ("FOO", "'FOO' is not a command"),
            ("I", "One of these is needed"),
            ("I FOO", "'FOO' is not one of"),
            ("S FILE(A)", "SET FILE takes"),
            ("S FILE OPEN", "needs a name"),
            ("S FILE(A) SHUT", "'SHUT' is not known"),
            ("S TASK(1) PRI(x)", "a number is needed"),
            ("S TASK(1) PRI", "needs a number"),
            ("DISC PROG(A)", "is not served"),
            ("(A)", "A word is missing"),
        ] {
            let errors = parse(text).unwrap_err();
            assert!(
                errors.iter().any(|e| e.contains(wrong)),
                "{text}: {errors:?}"
            );
        }
        assert!(parse("  ").unwrap_err().is_empty());
    }

    #[test]
    fn asterisk_and_plus_stand_for_characters() {
        for (pattern, name, wanted) in [
            ("*", "", true),
            ("AC*", "ACCT", true),
            ("AC*", "BAC", false),
            ("*T", "ACCT", true),
            ("A++T", "ACCT", true),
            ("A+T", "ACCT", false),
            ("A*C*", "ABCD", true),
            ("ACCT", "ACCT", true),
            ("ACC", "ACCT", false),
        ] {
            assert_eq!(fits(pattern, name), wanted, "{pattern} {name}");
        }
    }

    proptest! {
        #[test]
        fn no_command_makes_the_reader_panic(text in "[ -~é\\x00]{0,80}") {
            let _ = parse(&text);
        }

        #[test]
        fn no_pattern_takes_long(pattern in "[*+A]{0,16}", name in "[AB]{0,8}") {
            let _ = fits(&pattern, &name);
        }
    }
}
