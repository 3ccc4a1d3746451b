//! Finding the row a program means.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::row::Command;
use super::table;

static BY_NUMBER: LazyLock<HashMap<u16, &'static Command>> =
    LazyLock::new(|| all().map(|c| (c.number, c)).collect());

static BY_VERB: LazyLock<HashMap<&'static str, Vec<&'static Command>>> = LazyLock::new(|| {
    let mut map: HashMap<&'static str, Vec<&'static Command>> = HashMap::new();
    for command in all() {
        map.entry(command.verb).or_default().push(command);
    }
    // The most specific row first; equal ones stay in the table's order.
    for rows in map.values_mut() {
        rows.sort_by_key(|c| {
            std::cmp::Reverse(2 * c.words.len() + usize::from(!c.any_word.is_empty()))
        });
    }
    map
});

/// Every row, domain by domain.
pub fn all() -> impl Iterator<Item = &'static Command> {
    let refused = table::REFUSED.iter().flat_map(|groups| groups.iter());
    let domains = table::DOMAINS.iter().chain(refused);
    domains.flat_map(|rows| rows.iter())
}

/// The row of a number.
pub fn by_number(number: u16) -> Option<&'static Command> {
    BY_NUMBER.get(&number).copied()
}

/// The rows of a verb in upper case, the most specific first.
pub fn for_verb(verb: &str) -> &'static [&'static Command] {
    BY_VERB.get(verb).map_or(&[], Vec::as_slice)
}

/// Every verb, in no particular order.
pub fn verbs() -> impl Iterator<Item = &'static str> {
    BY_VERB.keys().copied()
}

/// Result of [`select`].
#[derive(Debug, Clone, Copy)]
pub enum CommandSelection {
    /// The selected row.
    Found(&'static Command),
    /// The verb exists, but only together with a further word.
    Incomplete(&'static [&'static Command]),
    /// No such verb.
    UnknownVerb,
}

/// The row for a verb and the names that follow it, all in upper case.
pub fn select(verb: &str, names: &[&str]) -> CommandSelection {
    let rows = for_verb(verb);
    if rows.is_empty() {
        return CommandSelection::UnknownVerb;
    }
    let has = |word: &&'static str| names.contains(word);
    let meant = |c: &&&Command| {
        c.words.iter().all(has) && (c.any_word.is_empty() || c.any_word.iter().any(has))
    };
    // A word of one command may be an option of another: EXTRACT ATTACH has
    // PROCESS. The first row that knows the most of the names is selected.
    let strangers = |c: &&&Command| names.iter().filter(|n| c.index_of(n).is_none()).count();
    rows.iter()
        .filter(meant)
        .min_by_key(strangers)
        .map_or(CommandSelection::Incomplete(rows), |c| {
            CommandSelection::Found(c)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{CommandDomain, CommandSupport, MAX_OPTIONS, OptionRule};
    use std::collections::HashSet;

    #[test]
    fn numbers_are_unique_and_rows_fit_the_block() {
        let mut seen = HashSet::new();
        for c in all() {
            assert!(
                seen.insert(c.number),
                "{} repeats {:#06x}",
                c.name,
                c.number
            );
            assert!(
                c.options.len() <= MAX_OPTIONS,
                "{} has too many options",
                c.name
            );
        }
        assert!(seen.len() > 300, "{}", seen.len());
    }

    #[test]
    fn rows_name_only_options_they_have() {
        for c in all() {
            let names: HashSet<_> = c.options.iter().map(|o| o.name).collect();
            assert_eq!(names.len(), c.options.len(), "{} repeats an option", c.name);
            let check = |n: &&str| assert!(names.contains(n), "{}: {n}", c.name);
            for o in c.options {
                o.length.iter().for_each(check);
                o.alias_of.iter().for_each(check);
            }
            for rule in c.rules {
                match rule {
                    OptionRule::ExactlyOne(l)
                    | OptionRule::AtMostOne(l)
                    | OptionRule::AtLeastOne(l)
                    | OptionRule::Unserved(l, _) => {
                        l.iter().for_each(check);
                    }
                    OptionRule::DefaultArea(a, b, _, l) => {
                        check(a);
                        check(b);
                        l.iter().for_each(&check);
                    }
                    OptionRule::UnservedValue(a, _, _) => check(a),
                    OptionRule::Needs(a, l) | OptionRule::Excludes(a, l) => {
                        check(a);
                        l.iter().for_each(check);
                    }
                }
            }
            c.words.iter().for_each(check);
            c.any_word.iter().for_each(check);
        }
    }

    #[test]
    fn every_row_is_reachable() {
        for c in all() {
            let mut names: Vec<&str> = c.words.to_vec();
            names.extend(c.any_word.first());
            match select(c.verb, &names) {
                CommandSelection::Found(found) => assert_eq!(found.name, c.name),
                other => panic!("{}: {other:?}", c.name),
            }
        }
    }

    #[test]
    fn words_decide_between_rows_of_one_verb() {
        let name = |verb, names: &[&str]| match select(verb, names) {
            CommandSelection::Found(c) => c.name,
            _ => "?",
        };
        assert_eq!(name("WRITE", &["FILE", "FROM"]), "WRITE");
        assert_eq!(name("WRITE", &["OPERATOR", "TEXT"]), "WRITE OPERATOR");
        assert_eq!(
            name("GET", &["CONTAINER", "CHANNEL", "INTO"]),
            "GET CONTAINER (CHANNEL)"
        );
        assert_eq!(
            name("GET", &["CONTAINER", "ACTIVITY", "INTO"]),
            "GET CONTAINER (BTS)"
        );
        assert_eq!(name("READQ", &["QUEUE", "INTO"]), "READQ TS");
        assert_eq!(name("HANDLE", &["CONDITION"]), "HANDLE CONDITION");
        assert!(matches!(
            select("HANDLE", &[]),
            CommandSelection::Incomplete(_)
        ));
        assert!(matches!(select("FROB", &[]), CommandSelection::UnknownVerb));
    }

    #[test]
    fn the_commands_of_the_spine_are_served() {
        for (verb, names) in [
            ("LINK", &["PROGRAM"][..]),
            ("READ", &["FILE"]),
            ("SYNCPOINT", &["ROLLBACK"]),
            ("STARTBROWSE", &["CONTAINER"]),
            ("BIF", &["DEEDIT"]),
        ] {
            match select(verb, names) {
                CommandSelection::Found(c) => assert!(c.served.is_served(), "{}", c.name),
                other => panic!("{verb}: {other:?}"),
            }
        }
    }

    /// The forms that public applications use, most used first, but those on
    /// terminals.
    const USED: &str = "ASSIGN|LINK COMMAREA|RETURN|ABEND|WRITEQ TS|RETURN TRANSID|ASKTIME|\
        GET CONTAINER|FORMATTIME|PUT CONTAINER|DELETE COUNTER|DEFINE COUNTER|QUERY COUNTER|\
        SYNCPOINT ROLLBACK|XCTL COMMAREA|DELETEQ TS|READ|DELAY|READQ TS|HANDLE ABEND|READ UPDATE|\
        SYNCPOINT|LINK CHANNEL|REWRITE|HANDLE CONDITION|HANDLE AID|ENQ|DEQ|STARTBR|READPREV|ENDBR|\
        RUN TRANSID|RECEIVE|BIF DEEDIT|WRITE FILE|WRITEQ TD|SEND|FETCH CHILD|READNEXT|RETRIEVE|\
        WRITE DATASET|DELETE FILE|XCTL|GET COUNTER|LINK|INQUIRE PROGRAM|DELETE DATASET|\
        START TRANSID|INQUIRE ASSOCIATION|FETCH ANY|STARTBROWSE CONTAINER|GETNEXT CONTAINER";

    #[test]
    fn every_form_that_applications_use_without_a_terminal_is_served() {
        for form in USED.split('|') {
            let mut words = form.split_whitespace();
            let verb = words.next().expect("a verb");
            let names: Vec<&str> = words.collect();
            match select(verb, &names) {
                CommandSelection::Found(c) => {
                    assert!(c.served.is_served(), "{form}: {:?}", c.served)
                }
                other => panic!("{form}: {other:?}"),
            }
        }
    }

    /// Nothing of the API that needs no terminal is left out but business
    /// transactions, batch data interchange and commands that COBOL programs cannot use.
    #[test]
    fn what_is_not_served_has_a_reason_and_none_of_the_api_waits() {
        const NOT_OF_COBOL: [&str; 4] = [
            "GETMAIN64",
            "FREEMAIN64",
            "GET64 CONTAINER",
            "PUT64 CONTAINER",
        ];
        // Commands among them that only terminals have.
        const OF_TERMINALS: [&str; 2] = ["SIGNON TOKEN", "START BREXIT"];
        for c in all() {
            let Some(why) = c.served.why_not() else {
                continue;
            };
            assert!(why.len() > 15, "{}: {why}", c.name);
            let expected = match c.domain {
                CommandDomain::Maps | CommandDomain::Terminals | CommandDomain::System => true,
                CommandDomain::Activities | CommandDomain::BatchData => {
                    matches!(c.served, CommandSupport::Refused(_))
                }
                _ => NOT_OF_COBOL.contains(&c.name) || OF_TERMINALS.contains(&c.name),
            };
            assert!(expected, "{} is not served: {why}", c.name);
            let waits = matches!(c.served, CommandSupport::NotYet(_));
            let for_what = why.contains("terminal") || why.contains("Db2");
            assert!(!waits || for_what, "{} waits: {why}", c.name);
        }
    }

    #[test]
    fn a_word_that_is_an_option_of_another_command_decides_by_the_others() {
        for (names, expected) in [
            (&["ATTACH", "PROCESS"][..], "EXTRACT ATTACH"),
            (&["PROCESS", "PROCNAME"], "EXTRACT PROCESS"),
            (&["PROCESS"], "EXTRACT PROCESS"),
            (&["PROCESS", "PROCNAM"], "EXTRACT PROCESS"),
        ] {
            match select("EXTRACT", names) {
                CommandSelection::Found(c) => assert_eq!(c.name, expected, "{names:?}"),
                other => panic!("{names:?}: {other:?}"),
            }
        }
    }
}
