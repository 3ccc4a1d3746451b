//! The texts in assembler columns: VTAM mode tables, VTAM major nodes, NCP
//! generations; and VTAM start options.
//!
//! A mode table has MODEENT statements. A major node begins with VBUILD and
//! defines applications, lines, physical and logical units. A generation has
//! PCCU, BUILD and HOST in addition to its lines. Start options are
//! `NAME=VALUE` lists in a member ATCSTRxx.
//!
//! Reference: z/OS Communications Server SNA Resource Definition Reference;
//! NCP, SSP and EP Resource Definition Reference.

use super::parsed;
use crate::document::ParsedText;
use crate::kind::{DocumentKind, unless_scattered};
use crate::sna::syntax::assembler;

pub(crate) static MODES: DocumentKind = DocumentKind {
    word: "vtam-modes",
    title: "VTAM mode table: MODETAB and MODEENT",
    recognise: recognise_modes,
    parse: parse_modes,
};

pub(crate) static MAJOR: DocumentKind = DocumentKind {
    word: "vtam-node",
    title: "VTAM major node: VBUILD with APPL, LINE, PU and LU statements",
    recognise: recognise_major,
    parse: parse_major,
};

pub(crate) static NCP: DocumentKind = DocumentKind {
    word: "ncp",
    title: "NCP generation: PCCU, BUILD, HOST, GROUP, LINE, PU and LU statements",
    recognise: recognise_ncp,
    parse: parse_ncp,
};

pub(crate) static START: DocumentKind = DocumentKind {
    word: "vtam-start",
    title: "VTAM start options: member ATCSTRxx with IOBUF and the other buffer pools",
    recognise: recognise_start,
    parse: parse_start,
};

/// Statements that may surround others in any of the texts.
const ASSEMBLER: &[&str] = &["END", "TITLE", "PRINT", "EJECT", "SPACE", "STATOPT", "COPY"];
const MODE_VERBS: &[&str] = &["MODETAB", "MODEENT", "MODEEND"];
const MAJOR_VERBS: &[&str] = &[
    "VBUILD", "APPL", "CDRM", "CDRSC", "ADJSSCP", "ADJCP", "LOCAL", "PORT", "TGP",
];
const NCP_VERBS: &[&str] = &[
    "OPTIONS",
    "PCCU",
    "BUILD",
    "SYSCNTRL",
    "HOST",
    "SDLCST",
    "GENEND",
    "LUDRPOOL",
    "DYNADMP",
    "NETWORK",
    "NCPNAU",
    "DRDYNPOOL",
    "DIALSET",
    "SERVICE",
    "ORDER",
    "UACB",
];
const SHARED_VERBS: &[&str] = &[
    "GROUP", "LINE", "CLUSTER", "PU", "LU", "TERMINAL", "PATH", "COMP",
];
const START_OPTIONS: &[&str] = &[
    "IOBUF", "LPBUF", "LFBUF", "CRPLBUF", "SFBUF", "SPBUF", "APBUF", "BSBUF", "XDBUF", "TIBUF",
    "SSCPID", "SSCPNAME", "HOSTPU", "HOSTSA", "NETID", "MAXSUBA", "NODETYPE", "CPCP", "SONLIM",
    "CSALIMIT", "DYNLU", "XNETALS", "PPOLOG",
];
const COMMON_OPTIONS: &[&str] = &["CONFIG", "LIST", "PROMPT", "NOPROMPT", "SUPP"];
/// Options that have no value.
const FLAGS: &[&str] = &["PROMPT", "NOPROMPT", "NOTRACE", "TRACE"];

/// The number of lines with one of these verbs: the second word if column 1 has a
/// label.
fn verbs(text: &str, words: &[&str]) -> usize {
    count(text, words, true)
}

/// The number of lines with one of these verbs. A verb without operands counts only
/// if `bare` is set.
fn count(text: &str, words: &[&str], bare: bool) -> usize {
    let verb = |line: &str| {
        let labelled = !line.starts_with([' ', '\t']);
        if line.starts_with(['&', '.']) {
            // A macro's own definition.
            return None;
        }
        let mut rest = line.split_whitespace().skip(usize::from(labelled));
        let verb = rest.next()?;
        // Operands have keywords; a sentence that happens to hold a verb has not.
        let stated = rest.next().map_or(bare, |operands| operands.contains('='));
        let known = words.iter().any(|w| w.eq_ignore_ascii_case(verb));
        (known && stated).then_some(())
    };
    text.lines()
        .filter(|l| !l.starts_with('*'))
        .filter_map(verb)
        .count()
}

fn recognise_modes(text: &str) -> usize {
    unless_scattered(2 * verbs(text, MODE_VERBS), text)
}

/// Whether a text has blocks in braces, which assembler has not.
fn has_blocks(text: &str) -> bool {
    text.lines().any(|line| line.trim() == "}")
}

fn recognise_major(text: &str) -> usize {
    if has_blocks(text) {
        return 0;
    }
    let own = verbs(text, MAJOR_VERBS);
    match verbs(text, &["PCCU", "BUILD", "GENEND"]) {
        // CLUSTER alone is IDCAMS's, and GROUP and LINE are common words.
        0 => unless_scattered(2 * own + count(text, SHARED_VERBS, own > 0), text),
        _ => 0,
    }
}

fn recognise_ncp(text: &str) -> usize {
    match verbs(text, NCP_VERBS) {
        _ if has_blocks(text) => 0,
        0 => 0,
        own => unless_scattered(2 * own + verbs(text, SHARED_VERBS) + 1, text),
    }
}

fn recognise_start(text: &str) -> usize {
    let is = |words: &[&str], line: &str| {
        let name = line.split(['=', ',', ' ']).next().unwrap_or("");
        let valued = line[name.len()..].starts_with('=') || FLAGS.contains(&name);
        valued && words.iter().any(|o| o.eq_ignore_ascii_case(name))
    };
    let count = |words| {
        let lines = text.lines().map(str::trim_start);
        lines.filter(|line| is(words, line)).count()
    };
    match count(START_OPTIONS) {
        // The others are common words.
        0 => 0,
        own => unless_scattered(2 * (own + count(COMMON_OPTIONS)), text),
    }
}

fn parse_modes(text: &str) -> ParsedText {
    let known = [MODE_VERBS, ASSEMBLER].concat();
    parsed(&MODES, assembler::read(text), &known, "statement")
}

fn parse_major(text: &str) -> ParsedText {
    let known = [MAJOR_VERBS, SHARED_VERBS, ASSEMBLER].concat();
    parsed(&MAJOR, assembler::read(text), &known, "statement")
}

fn parse_ncp(text: &str) -> ParsedText {
    let known = [NCP_VERBS, SHARED_VERBS, ASSEMBLER].concat();
    parsed(&NCP, assembler::read(text), &known, "statement")
}

fn parse_start(text: &str) -> ParsedText {
    parsed(&START, assembler::options(text), &["START"], "statement")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::recognise;
    use base::Severity;

    #[test]
    fn a_job_that_defines_clusters_is_no_major_node() {
        let job = "//STEP05 EXEC PGM=IDCAMS\n//SYSIN    DD   *\n   DELETE MY.KSDS -\n          \
                   CLUSTER\n   SET    MAXCC = 0\n   DELETE MY.AIX -\n          CLUSTER\n/*\n";
        assert_eq!(recognise_major(job), 0);
        assert_eq!(recognise(job).map(|kind| kind.word), None);
    }

    #[test]
    fn programs_and_macros_are_no_statements() {
        let program = |line: &str| {
            let mut text = String::from("POF      CSECT\n");
            text += &"         LA    R1,POFACB\n".repeat(100);
            text + line + "\n         END\n"
        };
        for line in [
            "               APPLID=POFACBAI,                                        *",
            "               PROMPT='PRINT FILENAME'",
            "CONFIG   PROGRAM 11",
            "MODEENT  EQU   LGMD",
        ] {
            assert_eq!(recognise(&program(line)).map(|k| k.word), None, "{line}");
        }
        for text in [
            "         MACRO\n&NAME    MODEEND\n         AIF   ('&E' EQ '1').OUT\n         MEND\n",
            "//SYSIN DD *\n      LIST (    1,    2)\n/*\n",
            "/* REXX */\nCONFIG = 'CONFIGTI'\nSAY CONFIG\n",
        ] {
            assert_eq!(recognise(text).map(|k| k.word), None, "{text}");
        }
    }

    #[test]
    fn a_comma_by_itself_means_that_there_are_no_operands() {
        let p = parse_modes(
            "T MODETAB\nB MODEENT LOGMODE=X,RUSIZES=X'8787'\n MODEEND\n END          , END OF T\n\u{1a}\n",
        );
        assert_eq!(p.diagnostics, []);
    }

    #[test]
    fn a_macros_definition_in_a_mode_table_states_nothing() {
        let p = parse_modes(
            "         MACRO ,\n&NM      CRT   &FM=,&TS=\n         AIF   (&ONCE).X\n&GFM     SETC               '02'\n         AIF   ('&FM' EQ '').X\n         MEND  ,\nT        MODETAB\nB        MODEENT              LOGMODE=X,RUSIZES=X'8787'\n         MODEEND\n",
        );
        assert_eq!(p.diagnostics, []);
    }

    #[test]
    fn each_text_is_recognised_by_its_verbs() {
        for (text, word) in [
            (
                "T MODETAB\nB MODEENT LOGMODE=#BATCH,RUSIZES=X'8D8D'\n MODEEND\n",
                "vtam-modes",
            ),
            (
                " VBUILD TYPE=SWNET\nP PU MAXDATA=4105\nL LU LOCADDR=0\nM LU LOCADDR=0\n",
                "vtam-node",
            ),
            (
                "N BUILD BFRS=240\nH HOST UNITSZ=4000\nL LINE MAXTSL=4060\n GENEND\n",
                "ncp",
            ),
            ("SSCPID=01,\nIOBUF=(200,4000,,,100,50)\n", "vtam-start"),
        ] {
            assert_eq!(recognise(text).map(|k| k.word), Some(word), "{text}");
        }
    }

    #[test]
    fn numbers_that_are_none_are_errors_and_variables_are_notes() {
        let p = parse_ncp(
            "L LINE MAXTSL=99999999999999999999,RCVBUFC=-1\n PU MAXDATA=&SIZE,MAXOUT=7\n",
        );
        let reported: Vec<_> = p
            .diagnostics
            .iter()
            .map(|d| (d.severity, d.message.as_str()))
            .collect();
        let bytes = "is not a whole number from 1 to 65535";
        assert_eq!(
            reported,
            [
                (
                    Severity::Error,
                    &*format!("MAXTSL=99999999999999999999 {bytes}")
                ),
                (Severity::Error, &*format!("RCVBUFC=-1 {bytes}")),
                (Severity::Note, "MAXDATA=&SIZE has its value elsewhere"),
            ]
        );
    }

    #[test]
    fn a_delay_that_is_no_number_of_seconds_is_an_error() {
        for (delay, right) in [
            ("0", true),
            (".2", true),
            ("0.317", true),
            ("&WAIT", true),
            ("-3", false),
            ("soon", false),
            ("1.2.3", false),
            (".", false),
            ("1E9", false),
        ] {
            let p = parse_ncp(&format!("P PCCU CUADDR=0A0,DELAY={delay}\n"));
            let errors = p.diagnostics.iter().any(|d| d.severity == Severity::Error);
            assert_eq!(!errors, right, "{delay}: {:?}", p.diagnostics);
        }
    }

    #[test]
    fn rusizes_that_are_none_are_an_error_and_new_verbs_a_note() {
        let p = parse_modes("T MODETAB\nB MODEENT LOGMODE=X,RUSIZES=X'87'\n FROB A=B\n");
        let reported: Vec<_> = p.diagnostics.iter().map(|d| (d.severity, d.line)).collect();
        assert_eq!(reported, [(Severity::Note, 3), (Severity::Error, 2)]);
    }
}
