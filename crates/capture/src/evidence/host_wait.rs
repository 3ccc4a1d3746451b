//! An end did not send although it could: the server, the client or its user.
//!
//! What is left of a wait when windows, losses and the path have been taken
//! out, and it is plain whose turn it was: before an answer, within a TLS
//! handshake, in a pause of an answer or of a request, or before a body that
//! waits for `100 Continue`.

use super::{DelayOwner, EvidenceDetector, EvidenceKind, ExchangeWait, Reason, WaitClaim};
use crate::ExchangePhase;
use crate::verdict::{SliceDescription, SliceFacts, ms, subject};

pub(super) struct HostWait;

impl EvidenceDetector for HostWait {
    fn kind(&self) -> EvidenceKind {
        EvidenceKind::HostWait
    }

    fn claim(&self, wait: &ExchangeWait<'_>) -> Option<WaitClaim> {
        let sender = wait.sender();
        let asked_by = wait.exchange.asked_by;
        let owner = DelayOwner::of(sender);
        if wait.connection.lacks_answers() || is_perhaps_a_round_trip(wait) {
            return None;
        }
        let reason = match wait.phase {
            ExchangePhase::Connect => return None,
            ExchangePhase::ClientThink => Reason::BeforeRequest,
            ExchangePhase::Tls => Reason::TlsWait,
            _ if wait.exchange.expects_continue && sender == asked_by => Reason::ContinueWait,
            ExchangePhase::Request if sender == asked_by => Reason::RequestPause,
            ExchangePhase::Response if wait.exchange.is_answered() => Reason::AnswerPause,
            _ if wait.after.is_none() && wait.exchange.response.bytes == 0 => Reason::NeverAnswered,
            _ if sender != asked_by => Reason::AnswerWait,
            _ => Reason::RequestPause,
        };
        Some(WaitClaim::whole(wait, reason, owner))
    }

    fn describe(&self, facts: &SliceFacts<'_>) -> SliceDescription {
        let who = subject(facts.owner);
        let lost = ms(facts.lost_ns);
        let total = ms(facts.total_ns);
        let (sentence, alternatives) = match facts.reason {
            Reason::ContinueWait => (
                format!(
                    "The client waited for `100 Continue`, which the server did not send: {lost} of {total} ms."
                ),
                "A client that is slow to produce its body looks the same, but not each time with \
                 the same pause (curl: 1 s).",
            ),
            Reason::TlsWait => (
                format!("{who} was slow within the TLS handshake: {lost} of {total} ms."),
                "A lookup of names or of a certificate's status looks the same; a profile of that \
                 end shows which.",
            ),
            Reason::BeforeRequest => (
                format!("{who} had its connection open and did not ask for {lost} of {total} ms."),
                "A connection that was opened ahead of need looks the same, and so does a request \
                 that was lost before it reached this capture.",
            ),
            Reason::NeverAnswered => (
                format!("{who} received the request and never answered: {lost} of {total} ms."),
                "An answer that was lost on the other side of this capture looks the same; a \
                 capture at that end shows which.",
            ),
            Reason::AnswerPause => (
                format!("{who} paused within its answers: {lost} of {total} ms."),
                "Losses on the other side of this capture look the same; a capture at that end \
                 shows which.",
            ),
            Reason::RequestPause => (
                format!("{who} paused within its requests: {lost} of {total} ms."),
                "Losses on the other side of this capture look the same; a capture at that end \
                 shows which.",
            ),
            _ => (
                format!(
                    "{who} took its time to answer: {lost} of {total} ms, {}.",
                    each(facts)
                ),
                "A delay of another system that the server called looks the same, and so does a \
                 queue on the path that delays only data; a capture at the server shows which.",
            ),
        };
        SliceDescription {
            sentence,
            seen: format!("{}{}", facts.reason_list(), facts.at_packets()),
            alternatives: alternatives.to_owned(),
            remedy: remedy(facts),
        }
    }
}

/// Whether a pause within a large answer may be the path's round trip, which a
/// capture that begins in the middle of a download does not show.
fn is_perhaps_a_round_trip(wait: &ExchangeWait<'_>) -> bool {
    let before = wait.before();
    let sender = wait.sender();
    let transfer = wait.phase == ExchangePhase::Response && before.from == sender;
    let unknown = wait.connection.end(sender).rtt.best_ns().is_none();
    let full = before.len >= wait.full_bytes(sender);
    transfer && unknown && full && wait.length_ns() < LONGEST_ROUND_NS
}

/// Few paths are longer.
const LONGEST_ROUND_NS: i64 = 300_000_000;

/// The time of one wait: of the longest where it is more than half of all.
fn each(facts: &SliceFacts<'_>) -> String {
    let (ns, waits) = (facts.reasons.first()).map_or((0, 0), |(_, ns, waits)| (*ns, *waits));
    if waits > 1 && facts.longest_ns > facts.lost_ns / 2 {
        return format!("{} ms of them in one request", ms(facts.longest_ns));
    }
    format!("{} ms a request", ms(ns / waits.max(1) as i64))
}

fn remedy(facts: &SliceFacts<'_>) -> Option<String> {
    let text = match (facts.reason, facts.owner) {
        (Reason::ContinueWait, _) => {
            "send the body at once (`curl -H 'Expect:'`), or let the server answer `100 Continue`"
        }
        (Reason::TlsWait, _) => {
            "look at that end during the handshake: name lookups, certificate checks (OCSP), a busy \
             or single-threaded process"
        }
        (_, DelayOwner::Client) => {
            "look at the client: what it computes or waits for before it sends the rest"
        }
        (Reason::NeverAnswered, _) => {
            "look at the server's log and threads for this request: a deadlock, a full pool, or a \
             system that it waits for; let the client time out sooner"
        }
        _ => {
            return Some(facts.advice(
                "look at the server: its log with times, a profile, and what it waits for (data \
                 base, lock, another server)",
                "look at the task's monitoring record (SMF 110, CICS performance class): dispatch, \
                 suspend and file waits of the transaction",
            ));
        }
    };
    Some(text.to_owned())
}
