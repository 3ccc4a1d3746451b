//! Texts of many statements: the output grows with the text, not with the
//! product of its parts.

use advise::{Document, DocumentSet};
use advise::{TuningFinding, advise};

fn read(name: &str, kind: &str, text: &str) -> Document {
    let kind = advise::kinds().find(|k| k.word == kind);
    Document::read(name, text, kind).expect("the kind is given")
}

fn of<'a>(findings: &'a [TuningFinding], rule: &str) -> Vec<&'a TuningFinding> {
    findings.iter().filter(|f| f.rule == rule).collect()
}

/// Modes of Communications Manager/2 of one file.
fn modes(prefix: &str, count: usize) -> String {
    let one = |i: usize| {
        format!(
            "DEFINE_MODE MODE_NAME({prefix}{i}) DEFAULT_RU_SIZE(YES) RECEIVE_PACING_WINDOW(4);\n"
        )
    };
    (0..count).map(one).collect()
}

#[test]
fn of_modes_that_another_file_lacks_the_first_are_listed_and_the_rest_counted() {
    let documents = DocumentSet::new([
        read("a.ndf", "cm2-ndf", &modes("A", 3000)),
        read("b.ndf", "cm2-ndf", &modes("B", 3000)),
    ]);
    let found = advise(&documents, &["sna.mode.missing".into()]);
    assert_eq!(of(&found, "sna.mode.missing").len(), 2 * (100 + 1));
    let reported = |file: &str| {
        let last = found.iter().rfind(|f| *f.place.file == *file);
        last.map(|f| f.value.clone()).unwrap_or_default()
    };
    assert_eq!(
        reported("a.ndf"),
        "CM/2 lacks 2900 more modes, the first is B100"
    );
    assert_eq!(
        reported("b.ndf"),
        "CM/2 lacks 2900 more modes, the first is A100"
    );
}

#[test]
fn every_mode_finds_its_own_sessions_among_many() {
    let sessions = |i: usize| {
        format!(
            "DEFINE CONNECTION(C{i}) GROUP(G) NETNAME(L{i})\n\
             DEFINE SESSIONS(S{i}) GROUP(G) CONNECTION(C{i}) MODENAME(A{}) PROTOCOL(APPC)\n",
            i % 500
        )
    };
    let csd: String = (0..2000).map(sessions).collect();
    let text = format!("DEFINE_LOCAL_LU LU_NAME(L1501);\n{}", modes("A", 500));
    let documents = DocumentSet::new([
        read("a.csd", "csd", &csd),
        read(
            "a.vtam",
            "vtam-node",
            " VBUILD TYPE=APPL\nCICSA APPL APPC=YES\n",
        ),
        read("a.ndf", "cm2-ndf", &text),
    ]);
    let found = advise(&documents, &["sna.session.effective".into()]);
    assert_eq!(found.len(), 500);
    let named = |mode: usize, sessions: usize| {
        let value = format!("mode A{mode}: CM/2 and CICS S{sessions}");
        assert!(found.iter().any(|f| f.value == value), "{value}");
    };
    // The first of the mode, but where a connection names the station.
    named(0, 0);
    named(499, 499);
    named(1, 1501);
}

#[test]
fn differing_rings_are_reported_where_the_stations_own_is_unknown() {
    let ncp = |second: u32| {
        format!(
            "G GROUP ECLTYPE=(PHYSICAL,PERIPHERAL)\nL1 LINE MAXTSL=1108\nP1 PU ADDR=01\n\
             L2 LINE MAXTSL={second}\nP2 PU ADDR=01\n"
        )
    };
    for (second, open) in [(4060, true), (1108, false)] {
        let documents = DocumentSet::new([
            read("a.gen", "ncp", &ncp(second)),
            read("a.ndf", "cm2-ndf", &modes("A", 1)),
        ]);
        let found = advise(&documents, &["sna.session.effective".into()]);
        let said = format!("{found:?}").contains("MAXTSL=1108: NCP's rings go up to 4060");
        assert_eq!((found.len(), said), (1, open));
    }
}

#[test]
fn an_empty_text_has_a_note_whatever_its_kind() {
    for kind in advise::kinds() {
        for text in ["", " \n\n"] {
            let document = read("empty", kind.word, text);
            let reported = document
                .diagnostics
                .iter()
                .filter(|d| d.message.contains("empty"));
            assert_eq!(reported.count(), 1, "{}", kind.word);
            assert!(!document.has_errors(), "{}", kind.word);
        }
    }
}
