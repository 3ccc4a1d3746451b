//! `tupelo capture explain` as a person runs it.

use crate::schemas::fits;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use synth::{Conversation, Exchange, FileFormat, capture_file, planted};
use tempfile::TempDir;

use crate::program::{text, tupelo};

fn explain(args: &[&str]) -> Output {
    tupelo()
        .args(["capture", "explain"])
        .args(args)
        .output()
        .unwrap()
}

/// A folder with `before.pcap`, in which Nagle's algorithm meets a delayed
/// acknowledgement, and `after.pcap`, in which nothing is wrong.
struct CaptureFiles(TempDir);

impl CaptureFiles {
    fn new() -> CaptureFiles {
        let folder = tempfile::tempdir().unwrap();
        let before = planted("tcp.nagle.write-write-read").unwrap().capture();
        fs::write(folder.path().join("before.pcap"), before).unwrap();
        let calm = Conversation {
            exchanges: vec![Exchange::new(300, 2_000, 500); 3],
            ..Conversation::default()
        };
        fs::write(
            folder.path().join("after.pcap"),
            capture_file(&[calm], FileFormat::Pcapng),
        )
        .unwrap();
        CaptureFiles(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

fn name(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn the_verdict_comes_first_and_the_table_adds_up() {
    let files = CaptureFiles::new();
    let ran = explain(&[name(&files.path("before.pcap"))]);
    assert_eq!(ran.status.code(), Some(1), "{}", text(&ran.stderr));
    let out = text(&ran.stdout);
    assert!(
        out.starts_with("Nagle's algorithm waited for delayed"),
        "{out}"
    );
    for part in ["Seen: ", "Without it: ", "What else: ", "To change: "] {
        assert!(out.contains(part), "{part} is missing: {out}");
    }
    assert!(
        out.contains("TCP_NODELAY") && !out.contains("z/OS"),
        "{out}"
    );
    let table = out.split("Where the time went\n").nth(1).unwrap();
    let rows = table.lines().skip(1).take_while(|line| line.contains("("));
    let shares = rows.map(|line| line.split_whitespace().last().unwrap().parse::<f64>());
    let sum: f64 = shares.map(Result::unwrap).sum();
    assert!((90.0..=100.1).contains(&sum), "{sum}\n{out}");
}

#[test]
fn a_healthy_capture_exits_0_and_says_where_the_time_went() {
    let files = CaptureFiles::new();
    let ran = explain(&[name(&files.path("after.pcap"))]);
    let out = text(&ran.stdout);
    assert_eq!(ran.status.code(), Some(0), "{out}");
    assert!(
        out.starts_with("No wait stands out") && !out.contains("To change"),
        "{out}"
    );
}

#[test]
fn json_has_the_verdict_at_its_top_level() {
    let files = CaptureFiles::new();
    let ran = explain(&[name(&files.path("before.pcap")), "--json"]);
    assert_eq!(ran.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(json["schema_version"], 2);
    let verdict = &json["verdict"];
    assert_eq!(
        (&verdict["kind"], &verdict["owner"]),
        (&"waited-for-ack".into(), &"client".into())
    );
    assert_eq!(json["slices"][0], *verdict);
    let exchanges = json["exchanges"].as_array().unwrap();
    for exchange in exchanges {
        let slices = exchange["slices"].as_object().unwrap();
        let sum: i64 = slices.values().map(|ns| ns.as_i64().unwrap()).sum();
        let whole = exchange["end_ns"].as_i64().unwrap() - exchange["start_ns"].as_i64().unwrap();
        assert_eq!(sum, whole);
    }
    assert_eq!(json["connections"][0]["server"]["address"], "10.0.0.2");
}

#[test]
fn a_masked_result_has_no_address_and_advice_can_be_asked_for() {
    let files = CaptureFiles::new();
    let before = files.path("before.pcap");
    let ran = explain(&[name(&before), "--json", "--mask"]);
    assert!(!text(&ran.stdout).contains("10.0.0.2"));
    let ran = explain(&[name(&before), "--advice", "zos"]);
    assert!(text(&ran.stdout).contains("NODELAYACKS"));
    let ran = explain(&[name(&before), "--server", "10.9.9.9"]);
    assert_eq!(ran.status.code(), Some(0));
}

#[test]
fn html_is_one_page_with_pictures_and_nothing_from_outside() {
    let files = CaptureFiles::new();
    let page = files.path("report.html");
    let ran = explain(&[name(&files.path("before.pcap")), "--html", name(&page)]);
    assert_eq!(ran.status.code(), Some(1));
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("<svg") && html.contains("waited for an acknowledgement"));
    assert!(!html.contains("src=\"http") && !html.contains("href=\"http"));
    let nowhere = files.path("no/such/folder/report.html");
    let ran = explain(&[name(&files.path("before.pcap")), "--html", name(&nowhere)]);
    assert_eq!(ran.status.code(), Some(2));
    assert!(
        text(&ran.stderr).contains("report.html"),
        "{}",
        text(&ran.stderr)
    );
}

#[test]
fn a_filter_takes_connections_and_times_and_a_wrong_one_is_named() {
    let files = CaptureFiles::new();
    let before = files.path("before.pcap");
    let explained = |filter: &str| {
        let ran = explain(&[name(&before), "--filter", filter]);
        (ran.status.code(), text(&ran.stdout) + &text(&ran.stderr))
    };
    assert_eq!(explained("port 8080 and host 10.0.0.1").0, Some(1));
    for nothing in ["port 9", "not port 8080", "before 00:00:00", "host ::1"] {
        let (code, out) = explained(nothing);
        assert_eq!(code, Some(0), "{nothing}: {out}");
        assert!(
            out.contains("no request with an answer"),
            "{nothing}: {out}"
        );
    }
    for wrong in [
        "port http",
        "colour red",
        "after noon",
        "port 80 or port 81",
    ] {
        let (code, out) = explained(wrong);
        assert_eq!(code, Some(64), "{wrong}: {out}");
        assert!(out.contains("--filter"), "{wrong}: {out}");
    }
}

#[test]
fn an_exchange_is_shown_packet_by_packet() {
    let files = CaptureFiles::new();
    let before = files.path("before.pcap");
    let ran = explain(&[name(&before), "--exchange", "4"]);
    let out = text(&ran.stdout);
    assert!(out.contains("-- 200.") && out.contains("sum"), "{out}");
    let ran = explain(&[name(&before), "--exchange", "99999"]);
    assert_eq!(ran.status.code(), Some(2));
    assert!(text(&ran.stderr).contains("99999"));
}

#[test]
fn before_and_after_stand_side_by_side_and_the_status_is_that_of_after() {
    let files = CaptureFiles::new();
    let (before, after) = (files.path("before.pcap"), files.path("after.pcap"));
    let ran = explain(&["--compare", name(&before), name(&after)]);
    assert_eq!(ran.status.code(), Some(0), "{}", text(&ran.stderr));
    let out = text(&ran.stdout);
    let waited = out
        .lines()
        .find(|line| line.contains("waited for an acknowledgement"))
        .unwrap();
    assert!(waited.contains("-100.0 %"), "{out}");
    let ran = explain(&["--compare", name(&after), name(&before), "--json"]);
    assert_eq!(ran.status.code(), Some(1));
    assert!(serde_json::from_slice::<serde_json::Value>(&ran.stdout).is_ok());
    let ran = explain(&["--compare", name(&before)]);
    assert_eq!(ran.status.code(), Some(64));
    let missing = files.path("missing.pcap");
    let ran = explain(&["--compare", name(&before), name(&missing)]);
    assert_eq!(ran.status.code(), Some(2));
    assert!(text(&ran.stderr).contains("missing.pcap"));
}

#[test]
fn what_is_no_capture_is_an_error_that_names_the_file() {
    let files = CaptureFiles::new();
    let bad = [
        files.path("missing.pcap"),
        files.0.path().to_path_buf(),
        files.put("empty.pcap", b""),
        files.put("note.txt", b"This is not a capture.\n"),
        files.put("three.pcap", &[0xd4, 0xc3, 0xb2]),
        files.put(
            "damaged.pcap.gz",
            &[0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 0, 0, 77, 77],
        ),
    ];
    for path in bad {
        let ran = explain(&[name(&path)]);
        let err = text(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2), "{}: {err}", path.display());
        let file = path.file_name().unwrap().to_str().unwrap();
        assert!(err.replace(['\n', ' ', '│'], "").contains(file), "{err}");
        assert!(!err.contains("panicked"), "{err}");
    }
    assert_eq!(explain(&[]).status.code(), Some(64));
    for wrong in [
        ["--protocol", "80=gopher"],
        ["--gap-ms", "nan"],
        ["--gap-ms", "0"],
        ["--threads", "x"],
    ] {
        assert_eq!(
            explain(&[&["x"][..], &wrong[..]].concat()).status.code(),
            Some(64),
            "{wrong:?}"
        );
    }
}

#[test]
fn a_capture_that_is_cut_is_explained_as_far_as_it_goes() {
    let files = CaptureFiles::new();
    let whole = fs::read(files.path("before.pcap")).unwrap();
    let cut = files.put("cut.pcap", &whole[..whole.len() - 5]);
    let ran = explain(&[name(&cut)]);
    let out = text(&ran.stdout);
    assert_eq!(ran.status.code(), Some(1), "{out}");
    assert!(
        out.contains("file.truncated") && out.contains("offset"),
        "{out}"
    );
}

#[test]
fn a_capture_can_come_through_a_pipe() {
    let files = CaptureFiles::new();
    let ran = tupelo()
        .args(["capture", "explain", "-"])
        .stdin(fs::File::open(files.path("before.pcap")).unwrap())
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(1), "{}", text(&ran.stderr));
    assert!(text(&ran.stdout).contains("ack.nagle-delayed"));
}

#[test]
fn two_captures_of_one_conversation_are_joined() {
    let files = CaptureFiles::new();
    let client = files.path("before.pcap");
    // The same packets on a clock that is an hour ahead: both captured at one place.
    let mut bytes = fs::read(&client).unwrap();
    let mut at = 24;
    while at < bytes.len() {
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let (seconds, captured) = (word(at), word(at + 8) as usize);
        bytes[at..at + 4].copy_from_slice(&(seconds + 3_600).to_le_bytes());
        at += 16 + captured;
    }
    let server = files.put("server.pcap", &bytes);
    let ran = explain(&[name(&client), name(&server)]);
    assert_eq!(ran.status.code(), Some(1), "{}", text(&ran.stderr));
    let out = text(&ran.stdout);
    assert!(out.contains("Where this wait passed"), "{out}");
    assert!(out.contains("3600000.000"), "{out}");
    let ran = explain(&[name(&client), name(&server), "--json", "--mask"]);
    let masked = text(&ran.stdout);
    fits("capture-explain", &masked);
    assert!(
        !masked.contains("server.pcap") && !masked.contains("10.0.0.2"),
        "{masked}"
    );
    let ran = explain(&[name(&client), "-"]);
    assert_eq!(ran.status.code(), Some(2));
    assert!(
        text(&ran.stderr).contains("each is read"),
        "{}",
        text(&ran.stderr)
    );
}
