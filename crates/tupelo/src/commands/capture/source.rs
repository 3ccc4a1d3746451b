//! Reads a capture file and explains it. Formatted traces are recognised, and long files
//! show their progress.

use std::fs::File;
use std::io::{IsTerminal, Read};
use std::path::Path;

use capture::points::PointPackets;
use capture::{CaptureExplanation, AnalysisOptions, explain, ipcs};
use indicatif::{ProgressBar, ProgressStyle};
use miette::{IntoDiagnostic, Result, WrapErr, miette};

use super::filter::FilterTerms;

/// Explains the file.
pub fn explained(path: &Path, wanted: &FilterTerms, mut options: AnalysisOptions) -> Result<CaptureExplanation> {
    let named = || path.display().to_string();
    let place = if path == Path::new("-") { Path::new("/dev/stdin") } else { path };
    let mut file = File::open(place).into_diagnostic().wrap_err_with(named)?;
    let mut head = vec![0; HEAD_BYTES];
    let read = fill(&mut file, &mut head).into_diagnostic().wrap_err_with(named)?;
    head.truncate(read);
    if ipcs::is_packet_trace(&head) {
        let mut bytes = head;
        file.read_to_end(&mut bytes).into_diagnostic().wrap_err_with(named)?;
        return formatted(&String::from_utf8_lossy(&bytes), wanted, options).wrap_err_with(named);
    }
    let first_ns = if wanted.has_times() {
        explain(head.as_slice(), &AnalysisOptions::default()).map_or(0, |e| e.capture.first_ns)
    } else {
        0
    };
    wanted.apply(&mut options, first_ns);
    let size = file.metadata().map_or(0, |m| m.len());
    let whole = head.as_slice().chain(file);
    let explanation = if size > LONG_BYTES && std::io::stderr().is_terminal() {
        let bar = ProgressBar::new(size).with_style(style());
        let explanation = explain(bar.wrap_read(whole), &options);
        bar.finish_and_clear();
        explanation
    } else {
        explain(whole, &options)
    };
    explanation.into_diagnostic().wrap_err_with(named)
}

/// The packets of a file, to be paired with those of others.
pub fn packets(path: &Path, name: &str, wanted: &FilterTerms, mut options: AnalysisOptions) -> Result<PointPackets> {
    let named = || path.display().to_string();
    if path == Path::new("-") {
        return Err(miette!("standard input cannot be one of several captures, since each is read twice: give a file"));
    }
    let open = || File::open(path).into_diagnostic().wrap_err_with(named);
    let mut head = vec![0; HEAD_BYTES];
    let read = fill(&mut open()?, &mut head).into_diagnostic().wrap_err_with(named)?;
    head.truncate(read);
    if ipcs::is_packet_trace(&head) {
        let text = std::fs::read(path).into_diagnostic().wrap_err_with(named)?;
        let trace = ipcs::parse(&String::from_utf8_lossy(&text));
        wanted.apply(&mut options, trace.packets.first().map_or(0, |first| first.time_ns));
        let pcap = ipcs::to_pcap(&trace);
        return PointPackets::read(pcap.as_slice(), name, &options).into_diagnostic().wrap_err_with(named);
    }
    // Times of another clock cannot be compared before the packets are paired.
    wanted.apply(&mut options, 0);
    PointPackets::read(open()?, name, &options).into_diagnostic().wrap_err_with(named)
}

/// A z/OS packet trace as IPCS prints it.
fn formatted(text: &str, wanted: &FilterTerms, mut options: AnalysisOptions) -> Result<CaptureExplanation> {
    let trace = ipcs::parse(text);
    let Some(first) = trace.packets.first() else {
        let why = trace.unread.first().map_or("it has no TCP packet".to_owned(), |u| {
            format!("line {}: {}", u.line, u.why)
        });
        return Err(miette!("this looks like a formatted z/OS packet trace, but {why}"));
    };
    wanted.apply(&mut options, first.time_ns);
    options.from_zos = true;
    let mut explanation = explain(ipcs::to_pcap(&trace).as_slice(), &options).into_diagnostic()?;
    explanation.capture.format = "z/OS packet trace, formatted by IPCS".to_owned();
    for unread in &trace.unread {
        eprintln!("line {}: {}", unread.line, unread.why);
    }
    Ok(explanation)
}

fn fill(file: &mut File, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut have = 0;
    while have < buffer.len() {
        match file.read(&mut buffer[have..])? {
            0 => break,
            n => have += n,
        }
    }
    Ok(have)
}

fn style() -> ProgressStyle {
    let template = "{bar:40} {bytes} of {total_bytes}, {bytes_per_sec}, {eta}";
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Bytes that are read to recognise a file and the time it begins at.
const HEAD_BYTES: usize = 65_536;

/// Longer files show their progress.
const LONG_BYTES: u64 = 50_000_000;
