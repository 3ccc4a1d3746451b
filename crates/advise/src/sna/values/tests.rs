//! Every row is checked by the whole reader, every number that a rule reads
//! has a row, and no number of any fixture can be spoilt in silence.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use cics::diagnostic::Severity;

use super::form::Form;
use super::{Row, Style, TABLES, Table};
use crate::sna::syntax::statement::reads;
use crate::{Document, Documents, Finding, advise, kinds};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str, kind: &str, text: &str) -> Document {
    let kind = kinds().find(|k| k.word == kind).expect("the kind is there");
    Document::read(name, text, Some(kind)).expect("a kind is told")
}

fn errors(document: &Document) -> Vec<(u32, String)> {
    let all = document.diagnostics.iter();
    let errors = all.filter(|d| d.severity == Severity::Error);
    errors.map(|d| (d.line, d.message.clone())).collect()
}

/// A text whose line 2 has a keyword with a value.
fn text(kind: &str, table: &Table, row: &Row, name: &str, value: &str) -> String {
    let verb = row.on.first().map_or("LINE", |on| on.trim_end_matches('*'));
    match (kind, table.style) {
        ("vtam-start", _) => format!("SSCPID=1,\n{name}={value}\n"),
        ("nsdos", _) if name.is_empty() => format!("; {kind}\n{verb} {value}\n"),
        ("nsdos", _) if verb == "MODE" => format!("; {kind}\nMODE #BATCH {name}={value}\n"),
        ("nsdos", _) => format!("; {kind}\n{verb} {name}={value}\n"),
        ("csd", _) => {
            format!("DEFINE SESSIONS(S) GROUP(G) PROTOCOL(APPC) CONNECTION(C)\n {name}({value})\n")
        }
        ("aix-sna", _) if verb == "NO" => {
            format!("# {kind}\nno -o {}={value}\n", name.to_lowercase())
        }
        ("aix-sna", _) if verb == "CHDEV" => {
            format!(
                "# {kind}\nchdev -l tok0 -a {}={value}\n",
                name.to_lowercase()
            )
        }
        ("aix-sna", _) => format!("p_{verb}:\n {} = {value}\n", name.to_lowercase()),
        ("cm2-lan", _) => format!("[LAN_DLC]\n{name} = {value}\n"),
        (_, Style::Equals) => format!("* {kind}\nL {verb} {name}={value}\n"),
        (_, Style::Command) => format!("/* */\n{verb} A {name}({value})\n"),
        (_, Style::Parentheses) => format!("{verb} MODE_NAME(#BATCH)\n {name}({value});\n"),
        (_, Style::Setting | Style::Stanza) => unreachable!("a setting of {kind}"),
    }
}

/// What is never a value of a form that numbers have.
const WRONG: &[&str] = &[
    "abc",
    "-1",
    "99999999999999999999",
    "1x",
    "3Q4",
    "0x10",
    "1,2",
];

#[test]
fn a_wrong_value_of_any_row_is_one_error_that_names_keyword_and_line() {
    for table in TABLES {
        for kind in table.kinds {
            for row in table.rows {
                for name in row.names {
                    row_tells(kind, table, row, name);
                }
            }
        }
    }
}

fn row_tells(kind: &str, table: &Table, row: &Row, name: &str) {
    // In a list a comma parts two values, and on a line two operands.
    let commas =
        !matches!(row.form, Form::Places(_)) && table.style != Style::Equals && kind != "aix-sna";
    let values = WRONG.iter().copied().filter(|v| commas || !v.contains(','));
    let listed = matches!(row.form, Form::Places(_)).then_some("(1,,,,,,,,,,9)");
    for value in values.chain(listed) {
        let text = text(kind, table, row, name, value);
        let document = read("f", kind, &text);
        let told = errors(&document);
        let [(line, message)] = &told[..] else {
            panic!("{kind} {name}: {text}: {:?}", document.diagnostics)
        };
        let shown = match name {
            "" => row.on[0].to_owned(),
            name => table.style.shown(name),
        };
        assert!(
            *line == 2 && message.contains(&shown) && message.contains(value),
            "{text}: {told:?}"
        );
        // Rules do not quote it, nor say that it is missing.
        let findings = advise(&Documents::new([document]), &["sna".to_owned()]);
        let said = |f: &&Finding| f.value.contains(&shown) && f.place.line == 2;
        assert_eq!(findings.iter().find(said), None, "{text}");
    }
    for value in row.form.samples("(1)") {
        let text = text(kind, table, row, name, &value);
        assert_eq!(errors(&read("f", kind, &text)), [], "{text}");
    }
    let empty = text(kind, table, row, name, "");
    let told = errors(&read("f", kind, &empty));
    // An attribute without a value has its default, and a word of NS/DOS
    // without one is not there at all.
    let left_out = kind == "csd" || name.is_empty();
    assert_eq!(told.len(), usize::from(!left_out), "{empty}: {told:?}");
}

/// Statements, objects and words that rules name and that are no keywords
/// with numbers.
const NOT_NUMBERS: &[&str] = &[
    "ADAPTER",
    "APPC",
    "APPL",
    "BLANK",
    "BUILD",
    "CHG",
    "CONNECTION",
    "CPSVCMG",
    "CPSVRMGR",
    "CRT",
    "CTL",
    "CTLD",
    "DEFINE_LOCAL_CP",
    "DEFINE_LOCAL_LU",
    "ECLTYPE",
    "FQ_CP_NAME",
    "GROUP",
    "HOST",
    "IC06030",
    "IX41022",
    "LIN",
    "LIND",
    "LINE",
    "LINETH",
    "LINSDLC",
    "LINTRN",
    "LNCTL",
    "LOCALLU",
    "LOCAL_LU_NAME",
    "LU",
    "LUNAME",
    "LU_NAME",
    "MODENAME",
    "MODETAB",
    "NAME",
    "NETNAME",
    "NTRIECLT",
    "PCCU",
    "PROFILE",
    "PROTOCOL",
    "PU",
    "SDLC",
    "SNASVCMG",
    "START",
    "SUBAREA",
    "SWTLINLST",
    "SYSTEM_DEFINED",
    "TIC1",
    "TIC2",
    "VTAM",
    "MODE_NAME",
    "COS_NAME",
    "COS",
    "MODD",
    "LOGMODE",
    "MODEENT",
    "MODE",
    "TRLD",
    "TRMF",
    "DEFINE_MODE",
    "SESSIONS",
    "CRTMODD",
    "CHGMODD",
    "CRTLINX25",
    "CHGLINX25",
    "ALL",
    "YES",
];

#[test]
fn every_keyword_that_rules_name_has_a_row_or_is_known_to_be_no_number() {
    let rows: Vec<&str> = TABLES
        .iter()
        .flat_map(|t| t.rows)
        .flat_map(|r| r.names)
        .copied()
        .collect();
    let sna = root().join("src/sna");
    let rules = fs::read_dir(sna.join("rules")).expect("the rules are there");
    let files = rules.map(|e| e.expect("an entry").path());
    let mut seen = 0;
    for path in files.chain([sna.join("model.rs"), sna.join("session.rs")]) {
        let code = fs::read_to_string(&path).expect("code");
        let code = code.split("#[cfg(test)]").next().unwrap_or("");
        for word in code.split('"').skip(1).step_by(2) {
            let keyword = word.len() > 1
                && word.starts_with(|c: char| c.is_ascii_uppercase())
                && word
                    .bytes()
                    .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
            if keyword {
                seen += 1;
                assert!(
                    rows.contains(&word) || NOT_NUMBERS.contains(&word),
                    "{}: {word} has no row in values/rows.rs",
                    path.display()
                );
            }
        }
    }
    assert!(seen > 100, "the code was read: {seen}");
}

#[test]
fn every_number_that_a_rule_reads_has_a_row() {
    let rows: Vec<&str> = TABLES
        .iter()
        .flat_map(|t| t.rows)
        .flat_map(|r| r.names)
        .copied()
        .collect();
    reads::clear();
    for set in fixtures().values() {
        advise(
            &Documents::new(set.iter().map(|(f, k, t)| read(f, k, t))),
            &["sna".to_owned()],
        );
    }
    let read = reads::all();
    assert!(read.len() > 20, "{read:?}");
    let without: Vec<_> = read
        .iter()
        .filter(|n| !rows.contains(&n.as_str()))
        .collect();
    assert!(without.is_empty(), "{without:?}");
}

/// Documents that are judged together: file, kind, text.
type Set = Vec<(String, &'static str, String)>;

/// The examples, the clean files and the fixtures of every rule.
fn fixtures() -> BTreeMap<String, Set> {
    let sna = |text: &str| {
        let kind = crate::kind::recognise(text).expect("a kind fits").word;
        TABLES
            .iter()
            .any(|t| t.kinds.contains(&kind))
            .then_some(kind)
    };
    let mut sets: BTreeMap<String, Set> = BTreeMap::new();
    let examples = root().join("../../examples/advise/appc");
    for folder in ["baseline", "tuned", "batch"]
        .map(|f| examples.join(f))
        .into_iter()
        .chain([root().join("testdata/clean")])
    {
        for entry in fs::read_dir(&folder).expect("the folder is there") {
            let path = entry.expect("an entry").path();
            let text = fs::read_to_string(&path).expect("text");
            if let Some(kind) = sna(&text) {
                let set = sets.entry(folder.display().to_string()).or_default();
                set.push((
                    path.file_name().expect("a name").to_string_lossy().into(),
                    kind,
                    text,
                ));
            }
        }
    }
    for entry in fs::read_dir(root().join("testdata/rules")).expect("the fixtures are there") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&path).expect("text");
        for part in text
            .split(">>> ")
            .skip(1)
            .filter(|_| name.starts_with("sna."))
        {
            let (heading, body) = part.split_once('\n').unwrap_or((part, ""));
            let words: Vec<&str> = heading.split_whitespace().collect();
            let (set, file) = match words[..] {
                ["expected"] => continue,
                ["good", file, ..] => (format!("{name} good"), file),
                [file, ..] => (name.clone(), file),
                [] => continue,
            };
            let told = kinds()
                .find(|k| words.last() == Some(&k.word))
                .map(|k| k.word);
            if let Some(kind) = told.or_else(|| sna(body)) {
                sets.entry(set)
                    .or_default()
                    .push((file.to_owned(), kind, body.to_owned()));
            }
        }
    }
    for set in sets.values_mut() {
        set.sort();
    }
    sets
}

/// The numbers of a text, as byte ranges: decimal ones and `X'3F'`, not those
/// inside names.
fn numbers(text: &str) -> Vec<std::ops::Range<usize>> {
    let part = |c: char| c.is_alphanumeric() || "'.#$@_*-&".contains(c);
    let mut found = Vec::new();
    let mut start = None;
    for (i, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (part(c), start) {
            (true, None) => start = Some(i),
            (false, Some(begin)) => {
                let word = &text[begin..i];
                let decimal = word.bytes().all(|b| b.is_ascii_digit());
                let hex = word.starts_with("X'") && word.ends_with('\'');
                if decimal || hex {
                    found.push(begin..i);
                }
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// What to write in a number's place. On a card with a mark in column 72 it is
/// as wide as the number, or the mark would move.
fn spoilers(kind: &str, text: &str, range: &std::ops::Range<usize>) -> Vec<String> {
    let begin = text[..range.start].rfind('\n').map_or(0, |i| i + 1);
    let line = text[begin..].lines().next().unwrap_or("");
    let marked = line.chars().nth(71).is_some_and(|c| !c.is_whitespace());
    let assembler = ["vtam-modes", "vtam-node", "ncp", "vtam-start"].contains(&kind);
    match assembler && marked {
        true => vec![
            "z".repeat(range.len()),
            format!("-{}", "1".repeat(range.len() - 1)),
        ],
        false => ["abc", "-1", "99999999999999999999", ""]
            .map(str::to_owned)
            .into(),
    }
}

/// What rules say, without the line that they quote.
fn said(documents: Vec<Document>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for f in advise(&Documents::new(documents), &["sna".to_owned()]) {
        let because: Vec<_> = f
            .because
            .iter()
            .map(|(p, w)| (p.file.clone(), p.line, w))
            .collect();
        let told = format!(
            "{} {}:{} {} {:?} {:?} {because:?}",
            f.rule, f.place.file, f.place.line, f.value, f.code, f.needs
        );
        *counts.entry(told).or_default() += 1;
    }
    counts
}

/// Spoils every number of every fixture in turn. Each time there is a new
/// error and nothing is said that was not said before, or the number is one that nobody reads and the advice is the same.
/// An empty value may also be an omitted one, whose default holds: then what
/// is new is said of its line.
#[test]
fn no_number_of_a_fixture_can_be_spoilt_in_silence() {
    let mut spoilt = 0;
    for (name, set) in fixtures() {
        let all: Vec<Document> = set.iter().map(|(f, k, t)| read(f, k, t)).collect();
        let before = said(all.clone());
        for (i, (file, kind, text)) in set.iter().enumerate() {
            for range in numbers(text) {
                for wrong in spoilers(kind, text, &range) {
                    let wrong = wrong.as_str();
                    let mut changed = text.clone();
                    changed.replace_range(range.clone(), wrong);
                    let mut documents = all.clone();
                    documents[i] = read(file, kind, &changed);
                    spoilt += 1;
                    let told = errors(&documents[i]).len() > errors(&all[i]).len();
                    // Whatever is wrong, the value is open in the same way.
                    if told && !matches!(wrong, "abc" | "") {
                        continue;
                    }
                    let after = said(documents);
                    let new: Vec<_> = after.keys().filter(|k| !before.contains_key(*k)).collect();
                    if told {
                        // What holds of any value holds of the right one.
                        assert!(
                            new.is_empty(),
                            "{name}: {file}: {:?} became {wrong:?}: {new:#?}",
                            &text[range.clone()]
                        );
                        continue;
                    }
                    let line = text[..range.start].matches('\n').count() + 1;
                    let here = new.iter().any(|k| k.contains(&format!(" {file}:{line} ")));
                    assert!(
                        after == before || (wrong.is_empty() && here),
                        "{name}: {file}:{line}: {:?} became {wrong:?} in silence\n{after:#?}\n{before:#?}",
                        &text[range.clone()]
                    );
                }
            }
        }
    }
    assert!(spoilt > 1000, "{spoilt}");
}

/// The faults by which this table came about, each with what is told.
#[test]
fn each_wrong_value_is_told_in_words_that_say_what_is_right() {
    for (kind, text, told) in [
        (
            "cm2-ndf",
            "DEFINE_MODE MODE_NAME(#BATCH) RECEIVE_PACING_WINDOW(eight);",
            "RECEIVE_PACING_WINDOW(eight) is not a whole number from 0 to 63",
        ),
        (
            "cm2-ndf",
            "DEFINE_MODE MODE_NAME(#BATCH) RECEIVE_PACING_WINDOW;",
            "RECEIVE_PACING_WINDOW has no value: a whole number from 0 to 63 is due",
        ),
        (
            "vtam-node",
            "A APPL VPACING=q",
            "VPACING=q: value 1, q, is not a whole number from 0 to 255",
        ),
        (
            "csd",
            "DEFINE SESSIONS(S) GROUP(G) SENDSIZE(40k)",
            "SENDSIZE(40k) is not a whole number from 1 to 30720",
        ),
        (
            "cm2-lan",
            "[LAN_DLC]\nFRAME_SIZE = abc",
            "FRAME_SIZE = abc is not a whole number from 1 to 65535",
        ),
        (
            "as400",
            "CRTMODD B MAXSSN(abc)",
            "MAXSSN(abc) is not a whole number from 1 to 512",
        ),
        (
            "as400",
            "CRTMODD B PACING(-2)",
            "CRTMODD has no keyword PACING",
        ),
        (
            "as400",
            "CRTMODD B LENRU(0)",
            "CRTMODD has no keyword LENRU",
        ),
        (
            "as400",
            "CRTLINTRN L MAXFRAME(hello)",
            "MAXFRAME(hello) is not a whole number from 128 to 16393",
        ),
        (
            "as400",
            "CRTCTLAPPC C LANMAXOUT(x)",
            "LANMAXOUT(x) is not a whole number from 1 to 127 or *CALC",
        ),
        (
            "as400",
            "CRTCTLAPPC C LANACKFRQ(-1)",
            "LANACKFRQ(-1) is not a whole number from 1 to 127 or *CALC",
        ),
        ("ncp", "L LINE TRSPEED=7", "TRSPEED=7 is not one of 4, 16"),
        (
            "ncp",
            "L LINE MAXTSL=0",
            "MAXTSL=0 is not a whole number from 1 to 65535",
        ),
        (
            "ncp",
            "H HOST UNITSZ=0",
            "UNITSZ=0 is not a whole number from 1 to 65535",
        ),
        (
            "ncp",
            "N BUILD SLODOWN=xyz",
            "SLODOWN=xyz is not a whole number from 1 to 100",
        ),
        (
            "ncp",
            "P PCCU MAXDATA=65,535",
            "MAXDATA=65 is cut off before 535",
        ),
        (
            "ncp",
            "L LINE T2TIMER=(1,b,c)",
            "T2TIMER=(1,b,c): value 2, b, is not a number of seconds from 0 to 255, as 0.2; value 3, c, is not a whole number from 1 to 127",
        ),
        (
            "nsdos",
            "MODE #BATCH RPACING=many",
            "RPACING=many is not a whole number from 0 to 63",
        ),
        (
            "nsdos",
            "MODE #BATCH RU=-5",
            "RU=-5 is not a whole number from 8 to 491520 or *",
        ),
        (
            "nsdos",
            "TRLD MAXIN=2x",
            "MAXIN=2x is not a whole number from 1 to 127",
        ),
        (
            "nsdos",
            "TRMF abc",
            "TRMF abc is not a whole number from 1 to 65535",
        ),
        ("nsdos", "TRMF 4,464", "TRMF 4 is cut off before 464"),
        (
            "vtam-start",
            "IOBUF=(200,3Q4,,,100,50)",
            "IOBUF=(200,3Q4,,,100,50): value 2, 3Q4, is not a whole number from 1 to 65535",
        ),
        (
            "vtam-modes",
            "B MODEENT PSNDPAC=X'0Z'",
            "PSNDPAC=X'0Z' is not a whole number from 0 to 63, X'00' to X'3F' or X'80' to X'BF'",
        ),
        (
            "vtam-modes",
            "B MODEENT RUSIZES=X'7187'",
            "RUSIZES=X'7187' is not two size bytes, as X'8787': each 00, or a mantissa from 8 to F and an exponent",
        ),
        (
            "aix-sna",
            "m_MODE:\n maximum_ru_size = many",
            "maximum_ru_size = many is not a whole number from 8 to 491520, system_defined or default",
        ),
    ] {
        let found = errors(&read("f", kind, &format!("{text}\n")));
        assert_eq!(
            found.iter().map(|(_, m)| m.as_str()).collect::<Vec<_>>(),
            [told],
            "{text}"
        );
    }
}

/// `VPACING=q` was once the window of SSNDPAC, and the session's summary said
/// so.
#[test]
fn an_open_value_takes_with_it_what_depends_on_it_and_nothing_else() {
    let node = |vpacing: &str| {
        read(
            "node",
            "vtam-node",
            &format!(" VBUILD TYPE=APPL\nA APPL {vpacing}AUTOSES=0\n"),
        )
    };
    let modes = || {
        read(
            "modes",
            "vtam-modes",
            "B MODEENT LOGMODE=#BATCH,RUSIZES=X'F7F7',SSNDPAC=X'03'\n",
        )
    };
    let ndf = || {
        read(
            "ndf",
            "cm2-ndf",
            "DEFINE_MODE MODE_NAME(#BATCH) RECEIVE_PACING_WINDOW(63);\n",
        )
    };
    let rules = |vpacing: &str| {
        let set = Documents::new([node(vpacing), modes(), ndf()]);
        advise(&set, &["sna".to_owned()])
            .iter()
            .map(|f| f.rule)
            .collect::<Vec<_>>()
    };
    let (without, open) = (rules(""), rules("VPACING=q,"));
    for rule in ["sna.session.effective", "sna.pacing.small"] {
        assert!(
            without.contains(&rule) && !open.contains(&rule),
            "{rule}: {open:?}"
        );
    }
    for rule in ["sna.vtam.rusizes", "sna.vtam.mode-pacing", "sna.cm2.ru"] {
        assert!(open.contains(&rule), "{rule}: {open:?}");
    }
}
