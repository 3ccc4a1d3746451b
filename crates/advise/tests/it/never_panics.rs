//! Readers and rules terminate for any text: random statements from the vocabulary
//! of each syntax, and random bytes.

use std::sync::LazyLock;

use proptest::prelude::*;

use base::Severity;

use advise::{Document, DocumentContent, DocumentKind, DocumentSet, advise, kinds};

/// The kinds of SNA text.
static KINDS: LazyLock<Vec<&'static DocumentKind>> = LazyLock::new(|| {
    let is_sna = |kind: &&'static DocumentKind| {
        let empty = Document::read("a", "", Some(*kind)).expect("a kind is given");
        matches!(empty.content, DocumentContent::Sna(_))
    };
    kinds().filter(is_sna).collect()
});

/// Words that readers and rules use, and separators.
const WORDS: &[&str] = &[
    "MODETAB",
    "MODEENT",
    "LOGMODE=#BATCH",
    "RUSIZES=X'8D8D'",
    "RUSIZES=X'0'",
    "RUSIZES=X'é'",
    "PSNDPAC=X'3F'",
    "COS=#INTER",
    "VBUILD",
    "APPL",
    "MODETAB=T",
    "VPACING=0",
    "AUTOSES=9",
    "PU",
    "LU",
    "PCCU",
    "BUILD",
    "HOST",
    "UNITSZ=0",
    "UNITSZ=4294967295",
    "MAXBFRU=4294967295",
    "GROUP",
    "ECLTYPE=SUBAREA",
    "LINE",
    "MAXTSL=4294967295",
    "MAXTSL=0",
    "RCVBUFC=1",
    "ADAPTER=TIC1",
    "T2TIMER=(,,)",
    "T2TIMER=(1,1,2)",
    "MAXDATA=0",
    "MAXOUT=1",
    "DELAY=0",
    "IOBUF=(",
    "IOBUF=(1)",
    "SSCPID=1,",
    "DEFINE_MODE",
    "MODE_NAME(#BATCH)",
    "MODE_NAME(",
    "MAX_RU_SIZE_UPPER_BOUND(4294967295)",
    "RECEIVE_PACING_WINDOW(4294967295)",
    "PLU_MODE_SESSION_LIMIT(1)",
    "MIN_CONWINNERS_SOURCE(9)",
    ";",
    "DEFINE_LOCAL_CP",
    "FQ_CP_NAME(A.B)",
    "CRTMODD",
    "MODD(#BATCH)",
    "INPACING(0)",
    "MAXLENRU(1)",
    "CRTLINTRN",
    "CRTLINX25",
    "CRTCTLAPPC",
    "SWTLINLST(A)",
    "MAXFRAME(1)",
    "LANMAXOUT(9)",
    "/*",
    "*/",
    "+",
    "TRMF",
    "TRMF=0",
    "TRMF abc",
    "VPACING=q",
    "VPACING=(8,1)",
    "BFRS=9x",
    "DELAY=soon",
    "PSNDPAC=X'7F'",
    "RECEIVE_PACING_WINDOW(eight)",
    "RECEIVE_PACING_WINDOW",
    "INPACING(&X)",
    "MAXLENRU(*SAME)",
    "PACING(-2)",
    "LANACKFRQ(-1)",
    "SEND_WINDOW_COUNT = abc",
    "RPACING=many",
    "RU=-5",
    "4,464",
    " send_pacing =",
    "thewall=2k",
    "T2TIMER=(a,b,c)",
    "IOBUF=(200,3Q4,,,100,50)",
    "TRLD",
    "MAXIN=1",
    "MAXOUT(1)",
    "MODE",
    "#BATCH",
    "RU=*",
    "RU=4294967295",
    "RPACING=0",
    "[LAN_DLC]",
    "SEND_WINDOW_COUNT = 1",
    "FRAME_SIZE=4294967295",
    "FRAME_SIZE = 0",
    "RecvBufSize=1",
    "x_MODE:",
    " type = MODE",
    " maximum_ru_size = 1",
    " send_pacing=4294967295",
    "x_TOKENRINGLOGICAL:",
    " transmit_window_count=99",
    "no",
    "-o",
    "thewall=1",
    "chdev",
    "-l",
    "-a",
    "xmt_que_size=1",
    "(",
    ")",
    "'",
    ",",
    "=",
    "é",
    "\u{0}",
];
const BETWEEN: &[&str] = &[
    "",
    " ",
    "\n",
    "\n ",
    ",",
    "\t",
    "                                                                     X\n",
];

/// Parses a text as a kind and runs every rule. No finding may quote a value that
/// the reader could not read.
fn run(kind: usize, text: &str) {
    let Ok(document) = Document::read("a", text, KINDS.get(kind).copied()) else {
        return;
    };
    let errors = document
        .diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error);
    let places: Vec<_> = errors.map(|d| (d.line, d.column)).collect();
    for finding in advise(&DocumentSet::new([document]), &["sna".to_owned()]) {
        // A missing operand is reported at the statement's beginning.
        let lacking = finding.value.ends_with("is not coded");
        let place = (finding.place.line, finding.place.column);
        assert!(
            lacking || !places.contains(&place),
            "{finding:?} although there is an error"
        );
    }
}

#[test]
fn a_keyword_of_another_statement_is_not_judged() {
    let kind = KINDS
        .iter()
        .position(|k| k.word == "as400")
        .expect("listed");
    for text in [
        "CRTMODD LANMAXOUT(9)",
        "CRTMODD M\nCHGMODD M LANACKFRQ(3) LANACKFRQ(3)",
    ] {
        run(kind, text);
    }
}

fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(WORDS);
    let between = prop::sample::select(BETWEEN);
    prop::collection::vec((word, between), 0..40)
        .prop_map(|words| words.into_iter().map(|(w, b)| format!("{w}{b}")).collect())
}

proptest! {
    #[test]
    fn on_statements_of_any_syntax(kind in 0..KINDS.len(), text in text()) {
        run(kind, &text);
    }

    #[test]
    fn on_anything(kind in 0..KINDS.len(), text in "\\PC{0,200}(\n\\PC{0,90}){0,4}") {
        run(kind, &text);
    }

    #[test]
    fn on_sets_of_texts(texts in prop::collection::vec((0..KINDS.len(), text()), 2..5)) {
        let read = |(i, (kind, text)): (usize, &(usize, String))| {
            Document::read(&i.to_string(), text, KINDS.get(*kind).copied()).ok()
        };
        let documents = DocumentSet::new(texts.iter().enumerate().filter_map(read));
        advise(&documents, &["sna".to_owned()]);
    }
}
