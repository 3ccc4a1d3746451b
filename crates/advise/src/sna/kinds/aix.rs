//! AIX SNA Services/6000: profiles as `exportsna` prints them, the adapter's
//! attributes and the network options.
//!
//! A profile is a stanza: `name_TYPE:` in column 1, then ` key = value` lines.
//! `no -o name=value`, a row of `no -a`, `chdev -l tok0 -a name=value` and a
//! row of `lsattr -El tok0` are read too, so that a start-up script and printed
//! listings can both be read.
//!
//! Reference: Using AIX SNA Services/6000; AIX commands no, chdev, lsattr.

use std::collections::HashMap;

use super::parsed;
use crate::document::{LineColumn, ParsedText};
use crate::kind::DocumentKind;
use crate::sna::syntax::lines::{SourceLine, lines};
use crate::sna::syntax::{KeywordOperand, ParsedStatements, Statement};
use crate::sna::values;
use crate::unknown::UnknownNames;

pub(crate) static KIND: DocumentKind = DocumentKind {
    word: "aix-sna",
    title: "AIX SNA Services/6000: exportsna profiles, `no -o` options, token-ring adapter attributes",
    recognise,
    parse,
};

/// The profile of a mode.
pub(crate) const MODE: &str = "MODE";
/// The token ring's logical link profile.
pub(crate) const LOGICAL_LINK: &str = "TOKENRINGLOGICAL";
/// Network options, one statement each.
pub(crate) const OPTION: &str = "NO";
/// Adapter attributes, one statement each.
pub(crate) const ADAPTER: &str = "CHDEV";

/// Spellings of the RU size of a mode profile.
pub(crate) const RU: &[&str] = &["MAXIMUM_RU_SIZE", "MAX_RU_SIZE", "RU_SIZE", "MAXIMUM_RU"];
/// Spellings of a mode's send window.
pub(crate) const SEND_PACING: &[&str] = &["SEND_PACING", "SEND_PACING_WINDOW"];
/// Spellings of a mode's receive window.
pub(crate) const RECEIVE_PACING: &[&str] = &["RECEIVE_PACING", "RECEIVE_PACING_WINDOW"];
/// Spellings of a link's frame size.
pub(crate) const FRAME: &[&str] = &[
    "MAXIMUM_I_FIELD",
    "MAXIMUM_I_FIELD_SIZE",
    "MAX_I_FIELD_SIZE",
    "DLC_WINDOW_SIZE",
];
/// Spellings of a link's send window.
pub(crate) const TRANSMIT_COUNT: &[&str] = &[
    "TRANSMIT_WINDOW_COUNT",
    "TRANSMIT_COUNT",
    "DLC_TRANSMIT_COUNT",
];
/// Spellings of a link's receive window.
pub(crate) const RECEIVE_COUNT: &[&str] =
    &["RECEIVE_WINDOW_COUNT", "RECEIVE_COUNT", "DLC_RECEIVE_COUNT"];

/// Spellings of a mode's session limit.
pub(crate) const SESSIONS: &[&str] = &["MAXIMUM_NUMBER_OF_SESSIONS", "MAX_NUMBER_OF_SESSIONS"];
/// Spellings of the sessions of the limit that this side wins.
pub(crate) const WINNERS: &[&str] = &["MINIMUM_CONTENTION_WINNERS", "MIN_CONTENTION_WINNERS"];

/// Attributes of a mode and of a link that no rule looks at.
const OTHERS: &[&str] = &[
    "TYPE",
    "NAME",
    "PROF_NAME",
    "PROFILE_NAME",
    "MODE_NAME",
    "COMMENTS",
    "MAX_SESSIONS",
    "MINIMUM_CONTENTION_LOSERS",
    "MIN_CONWINNER_SESSIONS",
    "MIN_CONLOSER_SESSIONS",
    "AUTO_ACTIVATE_LIMIT",
    "AUTOMATIC_ACTIVATION_LIMIT",
    "MAX_ADAPTIVE_RECEIVE_PACING_WINDOW",
    "MIN_RU_SIZE",
    "MINIMUM_RU_SIZE",
    "CLASS_OF_SERVICE_NAME",
    "RECOVERY_LEVEL",
    "RETRY_INTERVAL",
    "RETRY_LIMIT",
    "RETRANSMIT_COUNT",
    "DYNAMIC_WINDOW_INCREMENT",
    "RING_ACCESS_PRIORITY",
    "DROP_LINK_ON_INACTIVITY",
    "INACTIVITY_TIMEOUT",
    "RESPONSE_TIMEOUT",
    "ACKNOWLEDGEMENT_TIMEOUT",
    "ACKNOWLEDGE_TIMEOUT",
    "FORCE_DISCONNECT_TIMEOUT",
    "FORCED_DISCONNECT_TIMEOUT",
    "LINK_TRACE",
    "TRACE_ENTRY_SIZE",
];
/// Shell words around commands.
const SHELL: &[&str] = &[
    "if", "elif", "then", "else", "fi", "for", "while", "do", "done", "[", "test", "exit", "set",
];

/// Options of `no` that rules look at.
const OPTIONS: &[&str] = &["thewall", "lowclust", "lowmbuf", "mb_cl_hiwat"];
/// Attributes of an adapter that rules look at.
const ATTRIBUTES: &[&str] = &["xmt_que_size", "rec_que_size"];

/// Lines that only these texts have. Where far more lines are neither a profile
/// nor a command, the text is a script or a page that has a label.
fn recognise(text: &str) -> usize {
    let scores: Vec<usize> = scores(text).collect();
    let own = scores.iter().filter(|s| **s > 0).count();
    if own == 0 {
        return 0;
    }
    let foreign = parse(text)
        .diagnostics
        .iter()
        .filter(|d| d.message == FOREIGN)
        .count();
    if foreign > own {
        0
    } else {
        scores.iter().sum()
    }
}

fn scores(text: &str) -> impl Iterator<Item = usize> {
    lines(text, &['#'], true).map(|l| match (stanza(&l), l.text) {
        (Some(_), _) => 3,
        (_, t) if program(t).starts_with("no -") || program(t).starts_with("chdev ") => 3,
        (_, t) if OPTIONS.iter().chain(ATTRIBUTES).any(|o| t.starts_with(o)) => 2,
        _ => 0,
    })
}

/// The message for an unknown line.
const FOREIGN: &str = "neither a profile, an attribute of one, nor a supported command";

/// A command without the folder of its program: scripts name `/usr/sbin/no`.
fn program(text: &str) -> &str {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    match text[..end].rfind('/') {
        Some(slash) if text.starts_with('/') => &text[slash + 1..],
        _ => text,
    }
}

fn parse(text: &str) -> ParsedText {
    let mut out = ParsedStatements::default();
    let mut open = false;
    for line in lines(text, &['#'], true) {
        if let Some((name, kind)) = stanza(&line) {
            out.statements.push(Statement::new(kind, name, line.at));
            open = true;
        } else if change(&line, &mut out) || command(&line, &mut out) {
            open = false;
        } else if let (true, false, Some(setting)) = (open, line.flush, line.setting()) {
            if let Some(s) = out.statements.last_mut() {
                match setting.name.as_str() {
                    "TYPE" => s.verb = kind_of(&setting.value),
                    "PROFILE_NAME" | "NAME" => s.name.clone_from(&setting.value),
                    _ => {}
                }
                s.operands.push(setting);
            }
        } else {
            out.warn(line.at, FOREIGN);
        }
    }
    let known = [
        MODE,
        LOGICAL_LINK,
        OPTION,
        ADAPTER,
        "CONNECTION",
        "LOCALLU",
        "ATTACHMENT",
        "TPN",
        "REMOTETPN",
        "CONTROLPT",
        "TOKENRINGPHYSICAL",
        "SNA",
    ];
    out.statements = folded(out.statements);
    report_unknown(&mut out);
    parsed(&KIND, out, &known, "profile type")
}

/// Reads `name: key = value`, the form in which findings write a change of an
/// earlier profile. Returns `false` if there is no such profile.
fn change(line: &SourceLine<'_>, out: &mut ParsedStatements) -> bool {
    let Some((name, _)) = line.text.split_once(':').filter(|_| line.flush) else {
        return false;
    };
    let Some(mut setting) = line.setting() else {
        return false;
    };
    let Some((_, key)) = setting.name.split_once(':') else {
        return false;
    };
    setting.name = key.trim().to_owned();
    let read = |s: &&mut Statement| {
        let table = values::table(KIND.word);
        s.name == name && table.is_some_and(|t| t.row(&s.verb, &setting.name).is_some())
    };
    match out.statements.iter_mut().rev().find(read) {
        Some(profile) => {
            profile.operands.push(setting);
            true
        }
        None => false,
    }
}

/// Options, devices and profiles with the changes of later lines: an option
/// or attribute that is set again has its last value, as on the machine.
///
/// A row of `lsattr` does not contain the adapter. A change of tok0, which findings
/// use as its name, applies to the first adapter.
fn folded(all: Vec<Statement>) -> Vec<Statement> {
    let mut kept: Vec<Statement> = Vec::new();
    let mut made: HashMap<(String, String, String), usize> = HashMap::new();
    for s in all {
        let (name, attribute) = match (s.verb.as_str(), s.operands.first()) {
            (OPTION, Some(o)) => ("", o.name.as_str()),
            (ADAPTER, Some(o)) if s.name.is_empty() => ("tok0", o.name.as_str()),
            (ADAPTER, Some(o)) => (s.name.as_str(), o.name.as_str()),
            (MODE | LOGICAL_LINK, _) if !s.name.is_empty() => (s.name.as_str(), ""),
            _ => {
                kept.push(s);
                continue;
            }
        };
        let key = (s.verb.clone(), name.to_owned(), attribute.to_owned());
        let unnamed = s.verb == ADAPTER && s.name.is_empty();
        match made.get(&key) {
            Some(_) if unnamed => kept.push(s),
            Some(i) => kept[*i].operands.extend(s.operands),
            None => {
                made.insert(key, kept.len());
                kept.push(s);
            }
        }
    }
    kept
}

/// Names attributes that no profile of the kind is known to have.
fn report_unknown(out: &mut ParsedStatements) {
    let mut unknown = UnknownNames::default();
    let profiles = out
        .statements
        .iter()
        .filter(|s| [MODE, LOGICAL_LINK].contains(&s.verb.as_str()));
    for statement in profiles {
        for operand in &statement.operands {
            let name = operand.name.as_str();
            let read =
                values::table(KIND.word).is_some_and(|t| t.row(&statement.verb, name).is_some());
            if !read && !OTHERS.contains(&name) {
                unknown.add(&name.to_ascii_lowercase(), operand.at);
            }
        }
    }
    unknown.report("attribute", &mut out.diagnostics);
}

/// Name and type of `name_TYPE:`; a stanza of a later release has the type alone.
fn stanza<'a>(line: &SourceLine<'a>) -> Option<(&'a str, &'a str)> {
    let head = line
        .text
        .strip_suffix(':')
        .filter(|h| line.flush && !h.contains(' '))?;
    Some(head.rsplit_once('_').unwrap_or((head, head)))
}

/// One spelling of a profile type.
fn kind_of(value: &str) -> String {
    let plain: String = value.chars().filter(char::is_ascii_alphanumeric).collect();
    match plain.to_ascii_uppercase().as_str() {
        "TOKENRINGLOGICALLINK" | "TRLOGICAL" | "LOGICALLINK" => LOGICAL_LINK.to_owned(),
        other => other.to_owned(),
    }
}

/// Reads the commands of a line or a row of a listing. Returns `false` if one of
/// them is neither. A start-up script parts commands by semicolons and puts them
/// into conditions, which say nothing here.
fn command(line: &SourceLine<'_>, out: &mut ParsedStatements) -> bool {
    let mut commands: Vec<Vec<(&str, LineColumn)>> = vec![Vec::new()];
    for (word, at) in line.command_words() {
        // A semicolon ends a word, is a word of its own, or both.
        let mut parts = word.split(';');
        if let (Some(last), Some(part)) = (commands.last_mut(), parts.next()) {
            last.extend((!part.is_empty()).then_some((part, at)));
        }
        for part in parts {
            commands.push(Vec::from_iter((!part.is_empty()).then_some((part, at))));
        }
    }
    let mut commands = commands.iter().filter(|words| !words.is_empty());
    commands.all(|words| one_command(words, line.at, out))
}

fn one_command(words: &[(&str, LineColumn)], at: LineColumn, out: &mut ParsedStatements) -> bool {
    let rest: Vec<(&str, LineColumn)> = words.iter().skip(1).copied().collect();
    match words.first().map(|(w, _)| program(w)) {
        Some("then" | "else" | "do") if !rest.is_empty() => one_command(&rest, at, out),
        Some(word) if SHELL.contains(&word) => true,
        Some("no") => {
            // Without a value the option is printed, not set.
            for (value, at) in after(&rest, "-o").filter(|(v, _)| v.contains('=')) {
                push(out, OPTION, "", value, at);
            }
            true
        }
        Some("chdev") => {
            let device = after(&rest, "-l").next().map_or("", |(w, _)| w);
            for (value, at) in after(&rest, "-a") {
                push(out, ADAPTER, device, value, at);
            }
            true
        }
        Some(first) => {
            // `thewall = 2048` of a listing of `no`, or a row of `lsattr`.
            let name = first.split('=').next().unwrap_or("").trim();
            let (verb, value) = match () {
                () if OPTIONS.contains(&name) && first.contains('=') => (OPTION, first.to_owned()),
                () if ATTRIBUTES.contains(&first) => (
                    ADAPTER,
                    format!("{first}={}", rest.first().map_or("", |(w, _)| w)),
                ),
                () => return false,
            };
            push(out, verb, "", &value, at);
            true
        }
        None => false,
    }
}

/// The words that follow a flag.
fn after<'a>(
    words: &[(&'a str, LineColumn)],
    flag: &str,
) -> impl Iterator<Item = (&'a str, LineColumn)> {
    let next = words.iter().skip(1).copied();
    let found: Vec<_> = words
        .iter()
        .zip(next)
        .filter(|((w, _), _)| *w == flag)
        .map(|(_, n)| n)
        .collect();
    found.into_iter()
}

fn push(out: &mut ParsedStatements, verb: &str, name: &str, setting: &str, at: LineColumn) {
    let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
    let mut statement = Statement::new(verb, name, at);
    statement.operands.push(KeywordOperand {
        name: key.trim().to_ascii_uppercase(),
        value: value.trim().to_owned(),
        at,
    });
    out.statements.push(statement);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind;
    use base::Severity;

    #[test]
    fn profiles_commands_and_listings_are_read() {
        let text = "batch_MODE:\n type = MODE\n profile_name = batch\n mode_name = #BATCH\n send_pacing = 3\n\
                    no -o thewall= 2048\nno -o lowclust=29 -o lowmbuf=88\nmb_cl_hiwat = 58\n\
                    chdev -l tok0 -a xmt_que_size=30\nrec_que_size 30 RECEIVE queue size True\n";
        assert_eq!(kind::recognise(text).map(|k| k.word), Some("aix-sna"));
        let p = parse(text);
        assert_eq!(p.diagnostics, []);
        let crate::DocumentContent::Sna(content) = p.content else {
            panic!("not of SNA")
        };
        let verbs: Vec<_> = content.statements.iter().map(|s| s.verb.as_str()).collect();
        assert_eq!(verbs, ["MODE", "NO", "NO", "NO", "NO", "CHDEV", "CHDEV"]);
        assert_eq!(content.statements[1].operands[0].number(), Some(2048));
        assert_eq!(content.statements[5].name, "tok0");
        assert_eq!(content.statements[6].operands[0].number(), Some(30));
    }

    #[test]
    fn invalid_numbers_and_unknown_attributes_are_named() {
        let text = "m_MODE:\n type = MODE\n max_send_ru = abc\n maximum_ru_size = many\n\
                    l_TOKENRINGLOGICAL:\n maximum_i_field = system_defined\n transmit_window_count = -1\n\
                    no -o thewall=2k -o lowclust=29 -o ipforwarding=yes -o lowmbuf\n";
        let reported: Vec<_> = parse(text)
            .diagnostics
            .iter()
            .map(|d| (d.severity, d.line, d.message.clone()))
            .collect();
        let default = "system_defined or default";
        let expected = [
            (
                Severity::Note,
                3,
                "attribute max_send_ru is skipped".to_owned(),
            ),
            (
                Severity::Error,
                4,
                format!("maximum_ru_size = many is not a whole number from 8 to 491520, {default}"),
            ),
            (
                Severity::Error,
                7,
                format!(
                    "transmit_window_count = -1 is not a whole number from 1 to 127, {default}"
                ),
            ),
            (
                Severity::Error,
                8,
                "thewall = 2k is not a whole number from 0 to 4294967295".to_owned(),
            ),
        ];
        assert_eq!(reported, expected);
    }

    #[test]
    fn a_repeated_setting_has_its_last_value_and_earlier_errors_are_reported() {
        let text = "no -o thewall=2k\nchdev -l tok0 -a xmt_que_size=30\nchdev -l tok1 -a xmt_que_size=40\n\
                    rec_que_size 30 RECEIVE queue size True\nb_MODE:\n type = MODE\n send_pacing = 3\n\
                    no -o thewall=8192\nchdev -l tok0 -a xmt_que_size=150 -a rec_que_size=150\n\
                    b: send_pacing = 63\nc: send_pacing = 63\n";
        let p = parse(text);
        let reported: Vec<_> = p.diagnostics.iter().map(|d| (d.severity, d.line)).collect();
        assert_eq!(
            reported,
            [
                (Severity::Warning, 11),
                (Severity::Error, 1),
                (Severity::Warning, 10)
            ],
            "{:?}",
            p.diagnostics
        );
        let crate::DocumentContent::Sna(content) = p.content else {
            panic!("not of SNA")
        };
        let found: Vec<_> = content
            .statements
            .iter()
            .filter_map(|s| {
                let last = s.operands.last()?;
                Some((
                    s.name.as_str(),
                    last.name.as_str(),
                    s.operand(&last.name)?.number(),
                ))
            })
            .collect();
        assert_eq!(
            found,
            [
                ("", "THEWALL", Some(8192)),
                ("tok0", "XMT_QUE_SIZE", Some(150)),
                ("tok1", "XMT_QUE_SIZE", Some(40)),
                ("", "REC_QUE_SIZE", Some(150)),
                ("b", "SEND_PACING", Some(63)),
            ]
        );
    }

    #[test]
    fn a_start_up_script_is_read() {
        let text = "#!/bin/ksh\nif [ -f /usr/sbin/no ] ; then\n  /usr/sbin/no -o thewall=2048\n\
                    \t/usr/sbin/no -o lowclust=29; no -o lowmbuf=88 ;no -o mb_cl_hiwat=58\nfi\n";
        assert_eq!(kind::recognise(text).map(|k| k.word), Some("aix-sna"));
        let p = parse(text);
        assert_eq!(p.diagnostics, []);
        let crate::DocumentContent::Sna(content) = p.content else {
            panic!("not of SNA")
        };
        let found: Vec<_> = content
            .statements
            .iter()
            .map(|s| (s.operands[0].name.as_str(), s.operands[0].number()))
            .collect();
        assert_eq!(
            found,
            [
                ("THEWALL", Some(2048)),
                ("LOWCLUST", Some(29)),
                ("LOWMBUF", Some(88)),
                ("MB_CL_HIWAT", Some(58))
            ]
        );
    }
}
