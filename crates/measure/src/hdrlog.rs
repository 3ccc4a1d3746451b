//! HdrHistogram interval logs. A run writes one so that the results of several
//! machines can be merged exactly, and other tools can read it. Durations are in
//! nanoseconds; the value column (the interval's maximum) is in milliseconds.
//!
//! Reference: HdrHistogram's `HistogramLogWriter`, log format 1.3.

use crate::Histogram;
use hdrhistogram::serialization::interval_log::{
    IntervalLogHistogram, IntervalLogIterator, IntervalLogWriterBuilder, LogEntry, Tag,
};
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer, V2Serializer};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use thiserror::Error;

/// One histogram of one interval.
#[derive(Clone, Debug)]
pub struct HistogramEntry {
    /// What the histogram counts, for example `clients.response`.
    pub tag: String,
    /// Seconds after the log's start.
    pub start_s: f64,
    /// Length of the interval in seconds.
    pub length_s: f64,
    /// The histogram.
    pub histogram: EncodedHistogram,
}

/// A histogram in HdrHistogram's V2 encoding. It is as long as its different values
/// require, where a [`Histogram`] always takes 260 KB: a run of an hour has thousands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedHistogram(Vec<u8>);

impl EncodedHistogram {
    /// Encodes a histogram.
    pub fn of(histogram: &Histogram) -> EncodedHistogram {
        let mut bytes = Vec::new();
        let encoded = V2Serializer::new().serialize(histogram.inner(), &mut bytes);
        encoded.expect("the encoding covers the constant bounds");
        bytes.shrink_to_fit();
        EncodedHistogram(bytes)
    }

    /// The histogram.
    pub fn decode(&self) -> Histogram {
        let decoded = Deserializer::new().deserialize(&mut self.0.as_slice());
        Histogram::from_inner(&decoded.expect("the bytes come from `of`"))
    }
}

/// Why a log cannot be written or read.
#[derive(Debug, Error)]
pub enum LogError {
    /// A tag with characters that the format does not allow.
    #[error("`{0}` cannot be a tag: no comma, no space, no line end")]
    Tag(String),
    /// Writing failed.
    #[error("the log cannot be written: {0}")]
    Write(String),
    /// The line is not a log entry.
    #[error("the log is malformed after {0} entries")]
    Malformed(usize),
    /// The histogram cannot be decoded.
    #[error("the histogram of entry {0} cannot be decoded: {1}")]
    Histogram(usize, String),
}

/// Writes a log. `start_wall_ns` is the wall clock at the log's start.
pub fn write(start_wall_ns: u64, entries: &[HistogramEntry]) -> Result<Vec<u8>, LogError> {
    let failed = |error: &dyn std::fmt::Debug| LogError::Write(format!("{error:?}"));
    let mut out = Vec::new();
    let mut serializer = V2DeflateSerializer::new();
    let start: SystemTime = UNIX_EPOCH + Duration::from_nanos(start_wall_ns);
    let mut log = IntervalLogWriterBuilder::new()
        .add_comment("durations in nanoseconds; maximum in milliseconds")
        .with_base_time(start)
        .with_start_time(start)
        .with_max_value_divisor(1e6)
        .begin_log_with(&mut out, &mut serializer)
        .map_err(|e| failed(&e))?;
    for entry in entries {
        let tag = Tag::new(&entry.tag).ok_or_else(|| LogError::Tag(entry.tag.clone()))?;
        log.write_histogram(
            entry.histogram.decode().inner(),
            Duration::from_secs_f64(entry.start_s.max(0.0)),
            Duration::from_secs_f64(entry.length_s.max(0.0)),
            Some(tag),
        )
        .map_err(|e| failed(&e))?;
    }
    Ok(out)
}

/// Reads a log of this crate or of another HdrHistogram tool, in nanoseconds.
pub fn read(log: &[u8]) -> Result<Vec<HistogramEntry>, LogError> {
    let mut entries = Vec::new();
    let mut deserializer = Deserializer::new();
    for entry in IntervalLogIterator::new(log) {
        match entry {
            Ok(LogEntry::Interval(interval)) => {
                let histogram = decode(&interval, &mut deserializer)
                    .map_err(|why| LogError::Histogram(entries.len() + 1, why))?;
                entries.push(HistogramEntry {
                    tag: interval.tag().map_or("", |t| t.as_str()).to_owned(),
                    start_s: interval.start_timestamp().as_secs_f64(),
                    length_s: interval.duration().as_secs_f64(),
                    histogram: EncodedHistogram::of(&histogram),
                });
            }
            Ok(LogEntry::StartTime(_) | LogEntry::BaseTime(_)) => {}
            Err(_) => return Err(LogError::Malformed(entries.len())),
        }
    }
    Ok(entries)
}

/// The wall clock at a log's start, ns since 1970. Returns `None` if the log does
/// not contain it.
pub fn started(log: &[u8]) -> Option<u64> {
    IntervalLogIterator::new(log)
        .flatten()
        .find_map(|entry| match entry {
            LogEntry::StartTime(at) => u64::try_from(at.as_nanos()).ok(),
            _ => None,
        })
}

/// Adds the logs of several machines: one histogram for each tag.
pub fn merge(logs: &[Vec<HistogramEntry>]) -> BTreeMap<String, Histogram> {
    let mut merged: BTreeMap<String, Histogram> = BTreeMap::new();
    for entry in logs.iter().flatten() {
        merged
            .entry(entry.tag.clone())
            .or_default()
            .merge(&entry.histogram.decode());
    }
    merged
}

fn decode(
    interval: &IntervalLogHistogram<'_>,
    deserializer: &mut Deserializer,
) -> Result<Histogram, String> {
    use base64::Engine;
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(interval.encoded_histogram())
        .map_err(|e| e.to_string())?;
    let hdr: hdrhistogram::Histogram<u64> = deserializer
        .deserialize(&mut std::io::Cursor::new(bytes))
        .map_err(|e| e.to_string())?;
    Ok(Histogram::from_inner(&hdr))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample(seed: u64) -> Histogram {
        let mut h = Histogram::new();
        (1..2000u64).for_each(|i| h.record(i * i * seed));
        h
    }

    #[test]
    fn logs_of_two_machines_merge_without_losing_a_digit() {
        let entry = |seed| HistogramEntry {
            tag: "clients.response".into(),
            start_s: 0.0,
            length_s: 1.0,
            histogram: EncodedHistogram::of(&sample(seed)),
        };
        let logs = [vec![entry(3), entry(5)], vec![entry(7)]];
        let read: Vec<Vec<HistogramEntry>> = logs
            .iter()
            .map(|log| read(&write(1_700_000_000_000_000_000, log).unwrap()).unwrap())
            .collect();
        let mut direct = sample(3);
        direct.merge(&sample(5));
        direct.merge(&sample(7));
        assert_eq!(merge(&read)["clients.response"], direct);
    }

    #[test]
    fn an_encoded_histogram_is_the_same_and_small() {
        let histogram = sample(3);
        let encoded = EncodedHistogram::of(&histogram);
        assert_eq!(encoded.decode(), histogram);
        assert!(encoded.0.len() < 8_000, "{} bytes", encoded.0.len());
        let empty = EncodedHistogram::of(&Histogram::new());
        assert!(empty.0.len() < 100 && empty.decode().is_empty());
    }

    #[test]
    fn a_tag_the_format_cannot_hold_is_refused() {
        let entry = HistogramEntry {
            tag: "a,b".into(),
            start_s: 0.0,
            length_s: 1.0,
            histogram: EncodedHistogram::of(&Histogram::new()),
        };
        assert!(matches!(write(0, &[entry]), Err(LogError::Tag(_))));
    }

    proptest! {
        #[test]
        fn no_bytes_make_reading_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = read(&bytes);
            let _ = read(&[b"Tag=a,0.0,1.0,1.0,".to_vec(), bytes].concat());
        }
    }
}
