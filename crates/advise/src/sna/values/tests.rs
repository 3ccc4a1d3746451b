//! Every row is checked by the whole reader, and every keyword that a rule
//! names has a row.

use std::fs;
use std::path::PathBuf;

use base::Severity;

use super::TABLES;
use super::form::ValueForm;
use super::rows::{KeywordRow, KeywordStyle, Table};
use crate::{Document, DocumentSet, TuningFinding, advise, kinds};

pub(super) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

pub(super) fn read(name: &str, kind: &str, text: &str) -> Document {
    let kind = kinds().find(|k| k.word == kind).expect("the kind is there");
    Document::read(name, text, Some(kind)).expect("a kind is given")
}

pub(super) fn errors(document: &Document) -> Vec<(u32, String)> {
    let all = document.diagnostics.iter();
    let errors = all.filter(|d| d.severity == Severity::Error);
    errors.map(|d| (d.line, d.message.clone())).collect()
}

/// A text whose line 2 has a keyword with a value.
fn text(kind: &str, table: &Table, row: &KeywordRow, name: &str, value: &str) -> String {
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
        (_, KeywordStyle::Equals) => format!("* {kind}\nL {verb} {name}={value}\n"),
        (_, KeywordStyle::Command) => format!("/* */\n{verb} A {name}({value})\n"),
        (_, KeywordStyle::Parentheses) => format!("{verb} MODE_NAME(#BATCH)\n {name}({value});\n"),
        (_, KeywordStyle::Setting | KeywordStyle::Stanza) => unreachable!("a setting of {kind}"),
    }
}

/// Never a value of a form that numbers have.
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
                    assert_row_reports(kind, table, row, name);
                }
            }
        }
    }
}

fn assert_row_reports(kind: &str, table: &Table, row: &KeywordRow, name: &str) {
    // In a list a comma separates two values, and on a line two operands.
    let commas = !matches!(row.form, ValueForm::Places(_)) && table.style != KeywordStyle::Equals;
    let values = WRONG.iter().copied().filter(|v| commas || !v.contains(','));
    let listed = matches!(row.form, ValueForm::Places(_)).then_some("(1,,,,,,,,,,9)");
    for value in values.chain(listed) {
        let text = text(kind, table, row, name, value);
        let document = read("f", kind, &text);
        let reported = errors(&document);
        let [(line, message)] = &reported[..] else {
            panic!("{kind} {name}: {text}: {:?}", document.diagnostics)
        };
        let shown = match name {
            "" => row.on[0].to_owned(),
            name => table.style.shown(name),
        };
        assert!(
            *line == 2 && message.contains(&shown) && message.contains(value),
            "{text}: {reported:?}"
        );
        // Rules do not quote it, nor say that it is missing.
        let findings = advise(&DocumentSet::new([document]), &["sna".to_owned()]);
        let said = |f: &&TuningFinding| f.value.contains(&shown) && f.place.line == 2;
        assert_eq!(findings.iter().find(said), None, "{text}");
    }
    for value in row.form.samples("(1)") {
        let text = text(kind, table, row, name, &value);
        assert_eq!(errors(&read("f", kind, &text)), [], "{text}");
    }
    let empty = text(kind, table, row, name, "");
    let reported = errors(&read("f", kind, &empty));
    // An attribute without a value has its default. A word of NS/DOS without a
    // value is absent.
    let left_out = kind == "csd" || name.is_empty();
    assert_eq!(
        reported.len(),
        usize::from(!left_out),
        "{empty}: {reported:?}"
    );
}

/// Statements, objects and words in rules that are not keywords with numbers.
const NOT_NUMBERS: &[&str] = &[
    "ADAPTER",
    "ALL",
    "APPC",
    "APPL",
    "BLANK",
    "BUILD",
    "CHG",
    "CHGLINX25",
    "CHGMODD",
    "CONNECTION",
    "COS",
    "COS_NAME",
    "CPSVCMG",
    "CPSVRMGR",
    "CRT",
    "CRTLINX25",
    "CRTMODD",
    "CTL",
    "CTLD",
    "DEFINE_LOCAL_CP",
    "DEFINE_LOCAL_LU",
    "DEFINE_MODE",
    "ECLTYPE",
    "EXCI",
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
    "LOCALLU",
    "LOCAL_LU_NAME",
    "LOGICAL",
    "LOGMODE",
    "LU",
    "LU61",
    "LUNAME",
    "LU_NAME",
    "MODD",
    "MODE",
    "MODEENT",
    "MODENAME",
    "MODETAB",
    "MODE_NAME",
    "NAME",
    "NETNAME",
    "NTRIECLT",
    "PCCU",
    "PROFILE",
    "PROTOCOL",
    "PU",
    "RNAME",
    "SDLC",
    "SESSIONS",
    "SNASVCMG",
    "START",
    "SUBAREA",
    "SWNET",
    "SWTLINLST",
    "SYSTEM_DEFINED",
    "TIC",
    "TIC1",
    "TIC2",
    "TRLD",
    "TRMF",
    "TYPE",
    "VBUILD",
    "VTAM",
    "YES",
];

/// The keywords that have a row, in every spelling.
pub(super) fn row_names() -> Vec<&'static str> {
    let rows = TABLES.iter().flat_map(|t| t.rows);
    rows.flat_map(|r| r.names).copied().collect()
}

#[test]
fn every_keyword_that_rules_name_has_a_row_or_is_known_to_be_no_number() {
    let rows = row_names();
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

/// The faults that this table was made for, each with its message.
#[test]
fn each_wrong_value_is_reported_with_the_values_that_are_right() {
    for (kind, text, reported) in [
        (
            "cm2-ndf",
            "DEFINE_MODE MODE_NAME(#BATCH) RECEIVE_PACING_WINDOW(eight);",
            "RECEIVE_PACING_WINDOW(eight) is not a whole number from 0 to 63",
        ),
        (
            "cm2-ndf",
            "DEFINE_MODE MODE_NAME(#BATCH) RECEIVE_PACING_WINDOW;",
            "RECEIVE_PACING_WINDOW has no value: expected a whole number from 0 to 63",
        ),
        (
            "vtam-node",
            "A APPL VPACING=q",
            "VPACING=q: value 1, q, is not a whole number from 0 to 255",
        ),
        (
            "csd",
            "DEFINE SESSIONS(S) GROUP(G) SENDSIZE(40k)",
            "SENDSIZE(40k) is not a whole number from 0 to 30720",
        ),
        (
            "csd",
            "DEFINE SESSIONS(S) GROUP(G) MAXIMUM(2,4)",
            "MAXIMUM(2,4) is not one or two whole numbers: sessions from 1 to 999, and from 0 to as many winners among them",
        ),
        (
            "csd",
            "DEFINE SESSIONS(S) GROUP(G) MAXIMUM(a,b)",
            "MAXIMUM(a,b) is not one or two whole numbers: sessions from 1 to 999, and from 0 to as many winners among them",
        ),
        (
            "csd",
            "DEFINE SESSIONS(S) GROUP(G) SENDSIZE(4,096)",
            "SENDSIZE(4,096) is not a whole number from 0 to 30720",
        ),
        (
            "vtam-node",
            "A APPL PARSESS=MAYBE",
            "PARSESS=MAYBE is not one of YES, NO",
        ),
        (
            "vtam-start",
            "IOBUF=(1,200,384,,,100,50)",
            "IOBUF=(1,200,384,,,100,50): value 2, 200, is not a whole number from 256 to 65535",
        ),
        (
            "as400",
            "CRTMODD B MAXLENRU(4,096)",
            "MAXLENRU(4,096) is not a whole number from 241 to 32767 or *CALC",
        ),
        (
            "as400",
            "CRTMODD B MAXSSN(8) LCLCTLSSN(9)",
            "LCLCTLSSN(9) is more than MAXSSN(8)",
        ),
        (
            "cm2-ndf",
            "DEFINE_MODE MODE_NAME(#BATCH) PLU_MODE_SESSION_LIMIT(4) MIN_CONWINNERS_SOURCE(5);",
            "MIN_CONWINNERS_SOURCE(5) is more than PLU_MODE_SESSION_LIMIT(4)",
        ),
        (
            "aix-sna",
            "m_MODE:\n maximum_number_of_sessions = 4\n minimum_contention_winners = 9",
            "minimum_contention_winners = 9 is more than maximum_number_of_sessions = 4",
        ),
        (
            "aix-sna",
            "no -o thewall=2,048",
            "thewall = 2,048 is not a whole number from 0 to 4294967295",
        ),
        (
            "aix-sna",
            "rec_que_size 1 030 RECEIVE queue size True",
            "rec_que_size = 1 030 is not a whole number from 1 to 65535",
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
        (
            "ncp",
            "G GROUP LNCTL=SLDC",
            "LNCTL=SLDC is not one of SDLC, BSC, SS, CA, CTCA, MPC, NCP, USER",
        ),
        ("vtam-node", "P PU DYNLU=Y", "DYNLU=Y is not one of YES, NO"),
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
            "IOBUF=(200,3Q4,,,100,50): value 2, 3Q4, is not a whole number from 256 to 65535",
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
            [reported],
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
        let set = DocumentSet::new([node(vpacing), modes(), ndf()]);
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

#[test]
fn the_guide_shows_what_is_printed() {
    let path = root().join("../../docs/guide/advise-sna.md");
    let guide = fs::read_to_string(path).expect("the guide is there");
    let text = "MODE #BATCH RU=* RPACING=many\n";
    let command = format!("$ cat mode.nsd\n{text}$ tupelo advise mode.nsd\n");
    let shown = guide
        .split("```")
        .find_map(|block| block.trim_start().strip_prefix(&command));
    let document = read("mode.nsd", "nsdos", text);
    let documents = DocumentSet::new([document]);
    let look = crate::report::ReportStyle {
        width: 100,
        colour: false,
    };
    let printed = crate::report::text(&documents, &advise(&documents, &[]), &look);
    assert_eq!(shown, Some(printed.as_str()));
}

/// LUTYPE belongs to another statement, and TYPE has another meaning.
#[test]
fn a_keyword_with_something_in_front_is_no_slip() {
    let modes = |keyword: &str| {
        let text = format!("M MODETAB\nA MODEENT LOGMODE=A,{keyword}=1\n");
        read("modes", "vtam-modes", &text).diagnostics
    };
    let help = |keyword: &str| modes(keyword).into_iter().find_map(|d| d.help);
    assert_eq!(help("LUTYPE"), None);
    assert_eq!(help("TYPEE").as_deref(), Some("did you mean TYPE?"));
}
