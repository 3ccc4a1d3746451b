//! The tables of the APPC tuning guide as tests: from the values that its
//! author found, the rules advise the values that he measured with, line by
//! line. Where the guide has two values for one setting, both are advised.
//!
//! The documents of figures 6 and 7, and those of the missing mode, are the
//! examples under `examples/advise`.

use std::path::PathBuf;

use advise::{Document, DocumentSet, TuningFinding, advise};

/// The documents of a folder of the example.
fn example(folder: &str) -> DocumentSet {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/advise/appc");
    let entries = std::fs::read_dir(path.join(folder)).expect("the example is there");
    let mut files: Vec<_> = entries.map(|e| e.expect("an entry").path()).collect();
    files.sort();
    DocumentSet::new(files.iter().map(|path| {
        let text = std::fs::read_to_string(path).expect("text");
        read(&path.file_name().expect("a name").to_string_lossy(), &text)
    }))
}

fn read(name: &str, text: &str) -> Document {
    let document = Document::read(name, text, None).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(document.diagnostics, [], "{name}");
    document
}

/// A row of a table: the file, the value found, the values advised. A row
/// without values is one that the guide left as it was.
type Row = (&'static str, &'static str, &'static [&'static str]);

fn assert_rows(findings: &[TuningFinding], rows: &[Row]) {
    for (file, found, tuned) in rows {
        let here: Vec<_> = findings
            .iter()
            .filter(|f| *f.place.file == **file && f.value == *found && !f.code.is_empty())
            .collect();
        assert_eq!(
            here.is_empty(),
            tuned.is_empty(),
            "{file}: {found}: {here:?}"
        );
        for value in *tuned {
            let advised = here.iter().flat_map(|f| &f.code).any(|c| c.contains(value));
            assert!(advised, "{file}: {found}: {value} is not in {here:?}");
        }
    }
}

#[test]
fn figure_6_becomes_figure_7_line_by_line() {
    let findings = advise(&example("baseline"), &["sna".to_owned()]);
    assert_rows(
        &findings,
        &[
            ("appc.csd", "SENDSIZE(4096)", &["SENDSIZE(30720)"]),
            ("appc.csd", "RECEIVESIZE(4096)", &["RECEIVESIZE(30720)"]),
            ("tunemode.modetab", "RUSIZES=X'F7F7'", &["RUSIZES=X'8D8D'"]),
            ("ring.vtamlst", "PACING is not coded", &[]),
            ("ring.vtamlst", "VPACING=0", &["VPACING=32"]),
            ("tunemode.modetab", "PSNDPAC=X'03'", &["PSNDPAC=X'3F'"]),
            ("tunemode.modetab", "SSNDPAC=X'03'", &["SSNDPAC=X'3F'"]),
            ("tunemode.modetab", "SRCVPAC=X'03'", &["SRCVPAC=X'3F'"]),
            (
                "atcstr00",
                "IOBUF=(200,384,,,100,50)",
                &["IOBUF=(200,4000,,,100,50)"],
            ),
            ("ncpa.gen", "MAXDATA=65535", &[]),
            ("ncpa.gen", "VRPWS00=(255,255)", &[]),
            ("ncpa.gen", "MAXOUT is not coded", &[]),
            ("ncpa.gen", "MAXTSL=2044", &["MAXTSL=4060"]),
            (
                "ncpa.gen",
                "RCVBUFC=4095",
                &["RCVBUFC=8120", "RCVBUFC=16240"],
            ),
            (
                "ncpa.gen",
                "T2TIMER is not coded",
                &["T2TIMER=(1,1,2)", "T2TIMER=(1,1.8)"],
            ),
            ("ncpa.gen", "DELAY is not coded", &["DELAY=0"]),
            ("ncpa.gen", "BFRS=240", &[]),
            ("ncpa.gen", "SLODOWN=50", &["SLODOWN=6"]),
            ("ncpa.gen", "INBFRS=40", &[]),
            ("ncpa.gen", "MAXBUFRU=40", &["MAXBUFRU=2"]),
            ("ncpa.gen", "UNITSZ=384", &["UNITSZ=4000"]),
            (
                "os2.ndf",
                "DEFAULT_RU_SIZE(YES)",
                &[
                    "MAX_RU_SIZE_UPPER_BOUND(16384)",
                    "MAX_RU_SIZE_UPPER_BOUND(7168)",
                ],
            ),
            (
                "os2.ndf",
                "RECEIVE_PACING_WINDOW(8)",
                &["RECEIVE_PACING_WINDOW(63)"],
            ),
            ("os2-lan.rsp", "FRAME_SIZE = 4000", &[]),
            (
                "os2-lan.rsp",
                "SEND_WINDOW_COUNT = 3",
                &["SEND_WINDOW_COUNT = 8"],
            ),
            (
                "os2-lan.rsp",
                "RECEIVE_WINDOW_COUNT = 3",
                &["RECEIVE_WINDOW_COUNT = 8"],
            ),
            ("rs6000.sna", "xmt_que_size = 30", &["xmt_que_size=150"]),
            ("rs6000.sna", "rec_que_size = 30", &["rec_que_size=150"]),
            (
                "rs6000.sna",
                "transmit_window_count = 10",
                &["transmit_window_count = 127"],
            ),
            ("rs6000.sna", "receive_window_count = 127", &[]),
            ("rs6000.sna", "maximum_i_field = system_defined", &[]),
            ("rs6000.sna", "lowclust = 29", &["lowclust=256"]),
            ("rs6000.sna", "lowmbuf = 88", &["lowmbuf=256"]),
            ("rs6000.sna", "thewall = 2048", &["thewall=8192"]),
            ("rs6000.sna", "mb_cl_hiwat = 58", &["mb_cl_hiwat=512"]),
            (
                "rs6000.sna",
                "maximum_ru_size = 2816",
                &["maximum_ru_size = 3840"],
            ),
            (
                "rs6000.sna",
                "send_pacing = 3",
                &["send_pacing = 63", "send_pacing = 127"],
            ),
            ("rs6000.sna", "receive_pacing = 3", &["receive_pacing = 63"]),
            ("mode.nsd", "RU=*", &[]),
            ("mode.nsd", "RPACING=3", &["RPACING=8"]),
            (
                "config.nsd",
                "TRMF 987",
                &["TRMF 4100", "TRMF 4464", "TRMF 16393"],
            ),
            ("config.nsd", "MAXIN=2", &["MAXIN=8"]),
            ("config.nsd", "MAXOUT=2", &["MAXOUT=8"]),
        ],
    );
    // The keyword has two spellings in the guide.
    let maxbfru = findings
        .iter()
        .find(|f| f.rule == "sna.ncp.maxbfru")
        .expect("found");
    assert!(
        maxbfru
            .needs
            .iter()
            .any(|n| n.contains("MAXBFRU") && n.contains("MAXBUFRU"))
    );
}

#[test]
fn figure_7_needs_no_more_advice() {
    let findings = advise(&example("tuned"), &["sna".to_owned()]);
    let reported: Vec<_> = findings
        .iter()
        .filter(|f| f.rule != "sna.session.effective")
        .map(|f| (f.rule, f.value.as_str()))
        .collect();
    assert_eq!(
        reported,
        [
            ("sna.nsdos.frame-fix", "TRMF 4100"),
            // The text's size for CM/2 does not fill the frames that the
            // table leaves at 4,000 bytes.
            (
                "sna.ru.frames",
                "RU 16384 is cut into 5 pieces of up to 3971 bytes for frames of 4000; the last has 500"
            ),
            ("sna.aix.dlc-fix", "transmit_window_count = 127"),
        ]
    );
}

const OS2_MODES: &str = "DEFINE_MODE MODE_NAME(#BATCH) COS_NAME(#BATCH) DEFAULT_RU_SIZE(YES)\n  \
                         RECEIVE_PACING_WINDOW(4) PLU_MODE_SESSION_LIMIT(4) MIN_CONWINNERS_SOURCE(2);\n";

fn os2_lan(driver: u32, card: &str) -> String {
    format!(
        "[LAN_DLC]\nSEND_WINDOW_COUNT = 4\nRECEIVE_WINDOW_COUNT = 4\nMAX_RU_SIZE = 1024\n\
         [TOKEN_nif]\nRECVBUFSIZE = {driver}\n{card}"
    )
}

#[test]
fn figure_9_between_os2_machines() {
    let turbo = os2_lan(256, "");
    let set = DocumentSet::new([read("a.ndf", OS2_MODES), read("a.rsp", &turbo)]);
    let findings = advise(&set, &["sna".to_owned()]);
    let shared: &[Row] = &[
        (
            "a.ndf",
            "RECEIVE_PACING_WINDOW(4)",
            &["RECEIVE_PACING_WINDOW(63)"],
        ),
        (
            "a.rsp",
            "MAX_RU_SIZE = 1024",
            &["MAX_RU_SIZE = 7168", "MAX_RU_SIZE = 16384"],
        ),
        ("a.rsp", "SEND_WINDOW_COUNT = 4", &["SEND_WINDOW_COUNT = 8"]),
        (
            "a.rsp",
            "RECEIVE_WINDOW_COUNT = 4",
            &["RECEIVE_WINDOW_COUNT = 8"],
        ),
    ];
    assert_rows(&findings, shared);
    assert_rows(
        &findings,
        &[("a.rsp", "RECVBUFSIZE = 256", &["RECVBUFSIZE = 2040"])],
    );

    let busmaster = os2_lan(2048, "CARDBUFSIZE = 1032\n");
    let set = DocumentSet::new([read("a.ndf", OS2_MODES), read("a.rsp", &busmaster)]);
    let findings = advise(&set, &["sna".to_owned()]);
    assert_rows(&findings, shared);
    assert_rows(
        &findings,
        &[
            ("a.rsp", "CARDBUFSIZE = 1032", &["CARDBUFSIZE = 2048"]),
            ("a.rsp", "RECVBUFSIZE = 2048", &[]),
        ],
    );
}

#[test]
fn figures_9_and_10_between_an_os2_and_a_dos_machine() {
    let set = DocumentSet::new([
        read("a.ndf", OS2_MODES),
        read("a.rsp", &os2_lan(256, "")),
        read("config.nsd", "TRMF 256\nTRLD MAXIN=4 MAXOUT=4\n"),
        read("mode.nsd", "MODE #BATCH RU=* RPACING=3\n"),
    ]);
    let findings = advise(&set, &["sna".to_owned()]);
    assert_rows(
        &findings,
        &[
            (
                "a.ndf",
                "RECEIVE_PACING_WINDOW(4)",
                &["RECEIVE_PACING_WINDOW(63)"],
            ),
            (
                "a.rsp",
                "MAX_RU_SIZE = 1024",
                &["MAX_RU_SIZE = 7168", "1024 for inquiries alone"],
            ),
            ("a.rsp", "SEND_WINDOW_COUNT = 4", &["SEND_WINDOW_COUNT = 2"]),
            (
                "a.rsp",
                "RECEIVE_WINDOW_COUNT = 4",
                &["RECEIVE_WINDOW_COUNT = 2"],
            ),
            ("a.rsp", "RECVBUFSIZE = 256", &["RECVBUFSIZE = 2040"]),
            (
                "config.nsd",
                "TRMF 256",
                &["TRMF 16393", "1929 for inquiries alone"],
            ),
            ("config.nsd", "MAXIN=4", &["MAXIN=2"]),
            ("config.nsd", "MAXOUT=4", &["MAXOUT=2"]),
            (
                "mode.nsd",
                "RPACING=3",
                &["RPACING=63", "16 for inquiries alone"],
            ),
        ],
    );
    // The best one is first.
    let first = |rule: &str| {
        findings
            .iter()
            .find(|f| f.rule == rule)
            .map(|f| f.code[0].clone())
    };
    assert!(first("sna.nsdos.frame").is_some_and(|c| c.contains("16393")));
    assert!(first("sna.cm2.ru").is_some_and(|c| c.contains("7168")));
}

/// The guide's example of a mode that the host's table lacks: 256 bytes where
/// CICS initiates, 8,192 where it receives, two winners and two losers.
#[test]
fn the_batch_example_gives_slow_and_fast_sessions() {
    let set = example("batch");
    let pairs = advise::sna::session::pairs(&set);
    let [pair] = &pairs[..] else {
        panic!("one pair")
    };
    assert_eq!(pair.counts(), Some((2, 2)));
    assert_eq!((pair.won.0.ru, pair.won.1.ru), (Some(8192), Some(8192)));
    assert_eq!((pair.lost.0.ru, pair.lost.1.ru), (Some(256), Some(256)));
    let reported: Vec<_> = advise(&set, &["sna".to_owned()])
        .iter()
        .map(|f| f.rule)
        .collect();
    for rule in [
        "sna.session.unlike",
        "sna.mode.missing",
        "sna.cics.autoconnect",
    ] {
        assert!(reported.contains(&rule), "{rule} is not in {reported:?}");
    }
}
