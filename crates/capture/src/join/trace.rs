//! Trace text: which task waited for a socket, from when to when.
//!
//! Three shapes are read, each recognised by its own line:
//! - extracts as support people write them: task, `SENDs`, `socket RECEIVE
//!   wait`, `exit RECEIVE wait` or `received`, hexadecimal sizes, time,
//!   interval, an asterisk on long ones;
//! - CICS trace in extended format, where the entry's line is followed by one
//!   with `TASK-`, `TIME-` and `INTERVAL-`;
//! - CICS trace in short format, where an entry begins with task and TCB and
//!   ends with time, interval and `=number=`.
//!
//! In CICS trace the calls of the sockets domain (module SOCK, functions SEND
//! and RECEIVE) and the dispatcher's waits with RESOURCE_TYPE(SOCKET) count.
//! The abbreviated format carries no times and cannot be joined.
//!
//! Reference: CICS Transaction Server, "Interpreting CICS trace entries".

use std::collections::HashMap;

use super::UnreadLine;
use super::time::{TimeOfDay, parse_time};

/// A receive that waited.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct TracedReceive {
    /// The task that waited.
    pub task: u64,
    /// When the wait began.
    pub began: TimeOfDay,
    /// Its end time.
    pub ended: TimeOfDay,
    /// The interval that the trace prints next to the end, in seconds.
    pub printed_s: Option<f64>,
    /// Bytes received, when the trace says.
    pub bytes: Option<u64>,
    /// The sends of other tasks before the data was read and after the previous
    /// receive.
    pub sends: Vec<TracedSend>,
    /// The line of the wait's end, from one.
    pub line: usize,
}

impl TracedReceive {
    /// From the beginning to the end of the wait by the time stamps, in seconds.
    pub fn stamped_s(&self) -> f64 {
        self.ended.since_s(self.began)
    }
}

/// A send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct TracedSend {
    /// The task that sent.
    pub task: u64,
    /// The number of bytes.
    pub bytes: Option<u64>,
    /// When.
    pub at: TimeOfDay,
}

/// The socket calls of a trace.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct SocketTrace {
    /// Receives that have a beginning and an end, in the order of their ends.
    pub receives: Vec<TracedReceive>,
    /// Entries read.
    pub entries: usize,
    /// Lines that looked like entries and were not understood.
    pub unread: Vec<UnreadLine>,
}

/// Reads trace text of any of the three shapes.
pub fn parse_trace(text: &str) -> SocketTrace {
    let mut reader = Reader::default();
    let mut pending: Option<TraceEntryKind> = None;
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        if let Some((kind, task, time, interval)) = extract(line) {
            reader.entry(kind, task, time, interval, line_number);
        } else if let Some((task, time, interval)) = extended_tail(line) {
            let kind = pending.take();
            reader.trace.entries += 1;
            if let Some(kind) = kind {
                reader.entry(kind, task, time, interval, line_number);
                reader.trace.entries -= 1;
            }
        } else if let Some(kind) = cics(line) {
            match short_tail(line) {
                Some((task, time, interval)) => {
                    reader.entry(kind, task, time, interval, line_number)
                }
                None => {
                    // Short entries wrap: the task is on the first line.
                    reader.wrapped = line.split_whitespace().next().and_then(|w| w.parse().ok());
                    pending = Some(kind);
                }
            }
        } else if let (Some((_, time, interval)), Some(task)) =
            (wrapped_tail(line), reader.wrapped.take())
        {
            if let Some(kind) = pending.take() {
                reader.entry(kind, task, time, interval, line_number);
            }
        } else if line.contains("TIME-") {
            reader.trace.unread.push(UnreadLine {
                line: line_number,
                why: "a trace entry whose task or time cannot be read".to_owned(),
            });
        }
    }
    reader.trace
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum TraceEntryKind {
    Send(Option<u64>),
    WaitBegins,
    WaitEnds,
    Received(Option<u64>),
}

type TraceEntryStamp = (u64, TimeOfDay, Option<f64>);

#[derive(Default)]
struct Reader {
    trace: SocketTrace,
    waiting: HashMap<u64, TimeOfDay>,
    sends: Vec<TracedSend>,
    wrapped: Option<u64>,
}

impl Reader {
    fn entry(
        &mut self,
        kind: TraceEntryKind,
        task: u64,
        at: TimeOfDay,
        printed: Option<f64>,
        line: usize,
    ) {
        self.trace.entries += 1;
        match kind {
            TraceEntryKind::Send(bytes) => self.sends.push(TracedSend { task, bytes, at }),
            TraceEntryKind::WaitBegins => {
                self.waiting.entry(task).or_insert(at);
            }
            TraceEntryKind::WaitEnds => {
                let Some(began) = self.waiting.remove(&task) else {
                    return;
                };
                let sends = self
                    .sends
                    .iter()
                    .filter(|s| s.task != task)
                    .copied()
                    .collect();
                self.sends.retain(|s| s.task == task);
                self.trace.receives.push(TracedReceive {
                    task,
                    began,
                    ended: at,
                    printed_s: printed,
                    bytes: None,
                    sends,
                    line,
                });
            }
            TraceEntryKind::Received(bytes) => {
                let last = self
                    .trace
                    .receives
                    .iter_mut()
                    .rev()
                    .find(|r| r.task == task);
                if let Some(receive) = last.filter(|r| r.bytes.is_none()) {
                    receive.bytes = bytes;
                }
            }
        }
    }
}

/// An extract's line: task, words, time, interval.
fn extract(line: &str) -> Option<(TraceEntryKind, u64, TimeOfDay, Option<f64>)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let task = words.first()?.parse().ok()?;
    let at = words
        .iter()
        .position(|w| w.contains(':') && parse_time(w).is_some())?;
    let said = words.get(1..at)?.join(" ").to_ascii_lowercase();
    let size = || {
        words[at - 1]
            .split('=')
            .next()
            .and_then(|h| u64::from_str_radix(h, 16).ok())
    };
    let kind = match said.as_str() {
        s if s.starts_with("sends") => TraceEntryKind::Send(size()),
        s if s.starts_with("received") => TraceEntryKind::Received(size()),
        s if s.starts_with("exit") && s.contains("receive") => TraceEntryKind::WaitEnds,
        s if s.contains("receive wait") => TraceEntryKind::WaitBegins,
        _ => return None,
    };
    Some((
        kind,
        task,
        parse_time(words[at])?,
        words.get(at + 1).and_then(|w| interval(w)),
    ))
}

/// An entry of CICS trace about sockets.
fn cics(line: &str) -> Option<TraceEntryKind> {
    let upper = line.to_ascii_uppercase();
    let entry = upper.contains(" ENTRY ");
    if !entry && !upper.contains(" EXIT ") {
        return None;
    }
    let socket_wait = upper.contains("RESOURCE_TYPE(SOCKET)") || upper.contains(" DSSR ");
    let call = upper.contains(" SOCK ");
    if !socket_wait && !call {
        return None;
    }
    let receive = upper.contains("RECEIVE");
    let wait = upper.contains("WAIT_MVS") || upper.contains("WAIT_OLDC");
    let bytes = || {
        let (_, rest) = upper.split_once("LENGTH(")?;
        u64::from_str_radix(rest.split(')').next()?, 16).ok()
    };
    match (entry, call, receive) {
        (true, _, true) => Some(TraceEntryKind::WaitBegins),
        (false, true, true) => Some(TraceEntryKind::WaitEnds),
        (false, false, _) if wait => Some(TraceEntryKind::WaitEnds),
        (true, true, false) if upper.contains("SEND") => Some(TraceEntryKind::Send(bytes())),
        _ => None,
    }
}

/// The second line of an extended entry.
fn extended_tail(line: &str) -> Option<TraceEntryStamp> {
    let field = |name: &str| line.split_once(name)?.1.split_whitespace().next();
    let task = field("TASK-")?.parse().ok()?;
    let time = parse_time(field("TIME-")?)?;
    Some((task, time, field("INTERVAL-").and_then(interval)))
}

/// A short entry on one line.
fn short_tail(line: &str) -> Option<TraceEntryStamp> {
    let task = line.split_whitespace().next()?.parse().ok()?;
    let (_, time, interval) = wrapped_tail(line)?;
    Some((task, time, interval))
}

/// The end of a short entry: time, interval, number.
fn wrapped_tail(line: &str) -> Option<TraceEntryStamp> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().rposition(|w| parse_time(w).is_some())?;
    Some((
        0,
        parse_time(words[at])?,
        words.get(at + 1).and_then(|w| interval(w)),
    ))
}

/// `00.2796516240*` in seconds.
fn interval(word: &str) -> Option<f64> {
    word.trim_end_matches('*')
        .parse()
        .ok()
        .filter(|v: &f64| v.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extended_entries_pair_waits_of_the_same_task() {
        let text = "\
DS 0004 DSSR  ENTRY - FUNCTION(WAIT_MVS) RESOURCE_TYPE(SOCKET) RESOURCE_NAME(RECEIVE)
              TASK-00163 KE_NUM-0007 TCB-QR   /009F3338 RET-800411F2 TIME-16:31:52.5000000000 INTERVAL-00.0000666250    =000112=
SM 0C01 SMMG  ENTRY - FUNCTION(GETMAIN) GET_LENGTH(1A4A)
              TASK-00164 KE_NUM-0008 TCB-QR   /009F3338 RET-800411F2 TIME-16:31:52.5500000000 INTERVAL-00.0000666250    =000113=
DS 0005 DSSR  EXIT - FUNCTION(WAIT_MVS) RESPONSE(OK)
              TASK-00163 KE_NUM-0007 TCB-QR   /009F3338 RET-800411F2 TIME-16:31:52.7000000000 INTERVAL-00.2000000000*   =000114=
";
        let trace = parse_trace(text);
        assert_eq!((trace.entries, trace.receives.len()), (3, 1));
        assert!((trace.receives[0].stamped_s() - 0.2).abs() < 1e-9);
        assert_eq!(trace.receives[0].printed_s, Some(0.2));
    }

    #[test]
    fn short_entries_are_read_on_one_line_or_two() {
        let text = "\
00030 QR    SO 0201 SOCK  ENTRY RECEIVE SOCKET_TOKEN(7) RET-870844CE 11:39:44.1000000000 00.0000343750 =000011=
00030 QR    SO 0202 SOCK  EXIT  RECEIVE/OK BYTES_RECEIVED(18)
                                              RET-8735C8AC 11:39:44.3000000000 00.2000000000 =000013=
";
        let trace = parse_trace(text);
        assert_eq!(trace.receives.len(), 1);
        assert_eq!(trace.receives[0].task, 30);
        assert!((trace.receives[0].stamped_s() - 0.2).abs() < 1e-9);
    }

    #[test]
    fn an_entry_without_a_task_is_named() {
        let trace = parse_trace("   KE_NUM-0007 TIME-16:31:52.5 INTERVAL-00.1\n");
        assert_eq!(trace.unread.len(), 1);
    }
}
