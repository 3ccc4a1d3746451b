//! Captures explained: MB/s and packets/s with full diagnosis.
//!
//! Three generated captures of more than 200 MB: many short connections, few
//! long ones, and losses. Ours is `tupelo capture explain --json`, on one
//! thread and on two; the peers are programs on the path: tshark printing the
//! fields of its TCP analysis, tshark with TRANSUM, tcptrace brief and full.
//! Every side is a process of its own that starts, reads the same capture and
//! ends; the tshark rows read a tenth of it on both sides, since tshark is slow. Files
//! are read once before measuring, so that no side waits for the disk. Memory
//! is what the analysis adds to this process.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use capture::AnalysisOptions;
use synth::{BulkKind, bulk};

use super::{BenchEntry, BenchSettings, BudgetRow, RowBound, alternate, program};

/// The capture benches.
pub const BENCHES: &[BenchEntry] = &[
    BenchEntry {
        name: "capture-many-flows",
        about: "a capture of thousands of short connections explained, against tshark, tcptrace",
        run: |setting| rows("capture-many-flows", BulkKind::ManyFlows, setting),
    },
    BenchEntry {
        name: "capture-few-flows",
        about: "a capture of few long connections explained, against tshark, tcptrace",
        run: |setting| rows("capture-few-flows", BulkKind::FewFlows, setting),
    },
    BenchEntry {
        name: "capture-lossy",
        about: "a capture with losses explained, against tshark, tcptrace",
        run: |setting| rows("capture-lossy", BulkKind::Lossy, setting),
    },
];

/// One generated capture.
struct CaptureSample {
    path: PathBuf,
    megabytes: f64,
    packets: f64,
}

impl CaptureSample {
    fn make(folder: &Path, kind: BulkKind, megabytes: u64) -> Result<CaptureSample> {
        let path = folder.join(format!("{megabytes}.pcap"));
        let to = BufWriter::new(File::create(&path)?);
        let (bytes, packets) = bulk(kind, megabytes << 20, SEED, to)?;
        // Into the cache of the system.
        std::io::copy(&mut File::open(&path)?, &mut std::io::sink())?;
        Ok(CaptureSample {
            path,
            megabytes: bytes as f64 / 1e6,
            packets: packets as f64,
        })
    }

    /// MB/s of Tupelo.
    fn explained(&self, threads: usize) -> Result<f64> {
        let mut command = Command::new(program::tupelo()?);
        command.args(["capture", "explain", "--json", "--threads"]);
        command.arg(threads.to_string()).arg(&self.path);
        let begin = Instant::now();
        let status = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        // 1 says that causes were found.
        if !matches!(status.code(), Some(0 | 1)) {
            bail!("tupelo capture explain failed: {status}");
        }
        Ok(self.megabytes / begin.elapsed().as_secs_f64())
    }

    /// Explains the capture sample in this process.
    fn explain_here(&self) -> Result<()> {
        let options = AnalysisOptions {
            threads: 1,
            ..AnalysisOptions::default()
        };
        let explanation = capture::explain_file(&self.path, &options)?;
        if explanation.totals.segments as f64 != self.packets {
            bail!(
                "{} segments of {}",
                explanation.totals.segments,
                self.packets
            );
        }
        Ok(())
    }

    /// MB/s of a peer, with the file as its last argument.
    fn peer(&self, peer: &CapturePeer) -> Result<Option<f64>> {
        let Some(program) = program::on_path(peer.program) else {
            return Ok(None);
        };
        let begin = Instant::now();
        let status = Command::new(program)
            .args(peer.arguments)
            .arg(&self.path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .with_context(|| format!("{} could not be started", peer.program))?;
        if !status.success() {
            bail!("{} failed: {status}", peer.name);
        }
        Ok(Some(self.megabytes / begin.elapsed().as_secs_f64()))
    }
}

/// A program measured for comparison.
struct CapturePeer {
    name: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    /// It takes its time: a tenth of the capture is enough for both.
    slow: bool,
    bound: RowBound,
}

const PEERS: &[CapturePeer] = &[
    CapturePeer {
        name: "tshark fields",
        program: "tshark",
        arguments: &[
            "-T",
            "fields",
            "-e",
            "frame.number",
            "-e",
            "tcp.stream",
            "-e",
            "tcp.analysis.retransmission",
            "-e",
            "tcp.analysis.fast_retransmission",
            "-e",
            "tcp.analysis.out_of_order",
            "-e",
            "tcp.analysis.duplicate_ack",
            "-e",
            "tcp.analysis.lost_segment",
            "-e",
            "tcp.analysis.window_full",
            "-e",
            "tcp.analysis.zero_window",
            "-e",
            "tcp.analysis.ack_rtt",
            "-e",
            "tcp.analysis.bytes_in_flight",
            "-e",
            "http.time",
            "-r",
        ],
        slow: true,
        bound: RowBound::RatioAtLeast(20.0),
    },
    CapturePeer {
        name: "tshark TRANSUM",
        program: "tshark",
        arguments: &[
            "--enable-protocol",
            "transum",
            "-T",
            "fields",
            "-e",
            "transum.art",
            "-e",
            "transum.st",
            "-e",
            "transum.reqspread",
            "-e",
            "transum.rspspread",
            "-r",
        ],
        slow: true,
        bound: RowBound::RatioAtLeast(20.0),
    },
    CapturePeer {
        name: "tcptrace brief",
        program: "tcptrace",
        arguments: &["-n"],
        slow: false,
        bound: RowBound::ComparisonOnly,
    },
    CapturePeer {
        name: "tcptrace full",
        program: "tcptrace",
        arguments: &["-nlrW"],
        slow: false,
        bound: RowBound::ComparisonOnly,
    },
];

fn rows(bench: &'static str, kind: BulkKind, setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let folder = tempfile::tempdir()?;
    let large = CaptureSample::make(folder.path(), kind, 220)?;
    let small = CaptureSample::make(folder.path(), kind, 22)?;
    let small_peak = peak_megabytes(|| small.explain_here())?;
    let large_peak = peak_megabytes(|| large.explain_here())?;
    let mut rows = Vec::new();
    let mut alone = 0.0;
    for peer in PEERS {
        let sample = if peer.slow { &small } else { &large };
        let (ours, theirs) =
            alternate(setting.rounds, || sample.explained(1), || sample.peer(peer))?;
        if !peer.slow {
            alone = ours;
        }
        let row = (ours, "MB/s");
        rows.push(BudgetRow::judged(
            bench,
            format!("one thread, {:.0} MB", sample.megabytes),
            row,
            (peer.name, theirs),
            peer.bound,
        ));
    }
    rows.push(BudgetRow::judged(
        bench,
        "one thread",
        (alone, "MB/s"),
        ("the budget", Some(MUST_MEGABYTES)),
        RowBound::ValueAtLeast(MUST_MEGABYTES),
    ));
    let (two, one) = alternate(
        setting.rounds,
        || large.explained(2),
        || Ok(Some(large.explained(1)?)),
    )?;
    let peer = ("one thread", one);
    rows.push(BudgetRow::judged(
        bench,
        "two threads",
        (two, "MB/s"),
        peer,
        RowBound::ComparisonOnly,
    ));
    let packets = |rate: f64| rate / large.megabytes * large.packets / 1e3;
    rows.push(BudgetRow::judged(
        bench,
        "two threads",
        (packets(two), "kpackets/s"),
        ("one thread", one.map(packets)),
        RowBound::ComparisonOnly,
    ));
    rows.push(BudgetRow::judged(
        bench,
        "peak memory added, 220 MB",
        (large_peak, "MB"),
        ("22 MB capture", Some(small_peak)),
        RowBound::ValueAtMost(MUST_PEAK_MEGABYTES),
    ));
    Ok(rows)
}

/// Megabytes by which this process's resident memory grew while `work` ran,
/// at its peak.
fn peak_megabytes<T>(work: impl FnOnce() -> Result<T>) -> Result<f64> {
    // The kernel sets the peak back to what is resident now.
    std::fs::write("/proc/self/clear_refs", "5").context("/proc/self/clear_refs")?;
    let before = status_megabytes("VmRSS:")?;
    work()?;
    Ok((status_megabytes("VmHWM:")? - before).max(0.0))
}

fn status_megabytes(key: &str) -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with(key));
    let kilobytes: f64 = line
        .and_then(|line| line.split_whitespace().nth(1))
        .context("/proc/self/status lacks a line")?
        .parse()?;
    Ok(kilobytes / 1e3)
}

/// The captures of every run are the same.
const SEED: u64 = 7;

/// MB/s on one thread that the design asks for.
const MUST_MEGABYTES: f64 = 500.0;

/// Memory that an analysis may add, however many connections it has seen:
/// what is kept of the worst exchanges and a few thousand live connections.
const MUST_PEAK_MEGABYTES: f64 = 64.0;
