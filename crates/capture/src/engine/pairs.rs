//! Two TCP connections that are one link of DLSw.
//!
//! Each switch may open a connection and write on the one it opened. The one that
//! came first then holds the link: messages, exchanges and timeline of both are its
//! own; the second keeps its sequence numbers and marks. A link whose first
//! connection is closed while the second continues (RFC 1795 has one dropped when
//! both switches can do with one) is held by it anyway.
//!
//! Which two belong together is known from a circuit that one asks for and the
//! other grants, or because no third connection between the two hosts fits
//! ([`UnlinkedMessages`](crate::app::UnlinkedMessages)). Until then their messages wait.
//! Invariant: at most [`MAX_WAITING`] connections a shard wait.

use super::flow::{Flow, SegmentTimeline};
use super::shard::ConnectionShard;
use crate::decode::FlowKey;
use crate::options::TIMELINE;
use crate::{AnalysisOptions, Segment};

/// The relation of a connection to another one.
#[derive(Debug, Default)]
pub(super) struct LinkRelation {
    /// All connections that it may share a link with are in its shard.
    pub(super) dlsw: bool,
    /// It is the second of a link; the first is in this slot.
    pub(super) holder: Option<u32>,
    /// It is the first of a link; the second is in this slot.
    pub(super) second: Option<u32>,
    /// The end that opened this second connection is the link's server.
    turned: bool,
    /// It has ended and holds the link for the second alone.
    parked: bool,
}

impl Flow {
    /// A segment of this second connection as one of the link's.
    pub(super) fn of_link(&self, segment: Segment) -> Segment {
        of_second(segment, self.pair.turned)
    }
}

fn of_second(segment: Segment, turned: bool) -> Segment {
    let from = if turned {
        segment.from.other()
    } else {
        segment.from
    };
    Segment {
        from,
        via: 1,
        ..segment
    }
}

impl SegmentTimeline {
    /// Takes the segments of the second connection among its own.
    fn join(&mut self, second: &[Segment], turned: bool) {
        let mut rest = self
            .segments
            .split_off(self.judged.min(self.segments.len()));
        let past = self.segments.last().map_or(0, |last| last.packet);
        let new = second.iter().filter(|s| s.packet > past);
        rest.extend(new.map(|s| of_second(*s, turned)));
        rest.sort_by_key(|s| s.packet);
        for segment in rest {
            self.push(segment);
        }
    }
}

impl ConnectionShard {
    /// Gives a connection away that belongs to another shard.
    pub(super) fn give(&mut self, key: FlowKey) -> Option<Box<Flow>> {
        let slot = self.table.remove(&key)?;
        self.last = None;
        self.free.push(slot);
        self.last_packets[slot as usize] = 0;
        let mut flow = self.flows[slot as usize].take()?;
        (flow.service, flow.closing) = (None, false);
        Some(flow)
    }

    /// Takes a connection that was in another shard.
    pub(super) fn take(&mut self, flow: Box<Flow>, options: &AnalysisOptions) {
        if self.table.len() >= self.limit {
            self.evict(options);
        }
        let (key, last_packet) = (flow.key, flow.connection.id);
        let slot = self.free_slot();
        self.flows[slot as usize] = Some(flow);
        self.last_packets[slot as usize] = last_packet;
        self.table.insert(key, slot);
    }

    /// A connection and, where it is the second of a link, the first.
    pub(super) fn link(
        flows: &mut [Option<Box<Flow>>],
        slot: u32,
    ) -> Option<(&mut Flow, Option<&mut Flow>)> {
        let holder = flows[slot as usize].as_deref()?.pair.holder;
        match holder {
            None => Some((flows[slot as usize].as_deref_mut()?, None)),
            Some(holder) => {
                let both = flows.get_disjoint_mut([slot as usize, holder as usize]);
                let [own, holder] = both.ok()?;
                Some((own.as_deref_mut()?, holder.as_deref_mut()))
            }
        }
    }

    /// Looks whether the link of a connection is known now; `last` when nothing
    /// more will be.
    pub(super) fn settle(&mut self, slot: u32, last: bool) {
        let Some(flow) = self.flows[slot as usize].as_deref() else {
            return;
        };
        let Some(said) = flow
            .app
            .unlinked_messages()
            .filter(|said| said.speaker.is_some())
        else {
            return;
        };
        let alone = (said.both && !said.half) || !flow.pair.dlsw;
        let long = said.is_long() || flow.timeline.segments.len() >= TIMELINE;
        let last = last || long || said.both;
        if alone {
            self.waiting.retain(|other| *other != slot);
            self.release(slot);
            return;
        }
        if !self.waiting.contains(&slot) {
            if self.waiting.len() >= MAX_WAITING {
                self.settle(self.waiting[0], true);
            }
            self.waiting.push(slot);
        }
        if let Some(partner) = self.partner(slot, last) {
            self.waiting
                .retain(|other| *other != slot && *other != partner);
            self.pair(slot, partner);
        } else if last {
            self.give_up(slot);
        }
    }

    /// It stays unknown which link the connection belongs to; the candidates
    /// remain open for others.
    fn give_up(&mut self, slot: u32) {
        let mut lost = vec![slot];
        let mut at = 0;
        while let Some(one) = lost.get(at) {
            let new = self.others(*one).into_iter();
            let new: Vec<u32> = new
                .filter(|o| !lost.contains(o) && self.is_midway(*o))
                .collect();
            lost.extend(new);
            at += 1;
        }
        self.waiting.retain(|other| !lost.contains(other));
        for one in lost {
            self.release(one);
        }
    }

    fn is_midway(&self, slot: u32) -> bool {
        let said = self.flows[slot as usize]
            .as_deref()
            .and_then(|f| f.app.unlinked_messages());
        said.is_some_and(|said| !said.both_begun(said))
    }

    /// The other connection of a waiting one's link, if known.
    fn partner(&self, slot: u32, last: bool) -> Option<u32> {
        let said = |slot: u32| {
            self.flows[slot as usize]
                .as_deref()?
                .app
                .unlinked_messages()
        };
        let own = said(slot)?;
        let others = self.others(slot);
        let sure = (others.iter()).find(|o| said(**o).is_some_and(|o| own.shares_circuit(o)));
        if sure.is_some() {
            return sure.copied();
        }
        let fits = |other: u32| said(other).is_some_and(|other| own.suffices(other, last));
        match others[..] {
            [only] if self.others(only) == [slot] => fits(only).then_some(only),
            // Only the order in which they began distinguishes them.
            _ if last => (others.into_iter())
                .filter(|o| fits(*o) && said(*o).is_some_and(|o| own.both_begun(o)))
                .min_by_key(|o| self.flows[*o as usize].as_deref().map(|f| f.connection.id)),
            _ => None,
        }
    }

    /// The waiting connections between the same hosts that carry the other
    /// direction.
    fn others(&self, slot: u32) -> Vec<u32> {
        let way = |slot: u32| {
            let flow = self.flows[slot as usize].as_deref()?;
            let said = flow.app.unlinked_messages()?;
            let speaker = said.speaker.filter(|_| !said.both || said.half)?;
            let address = |side| flow.connection.end(side).address;
            Some((said, address(speaker), address(speaker.other())))
        };
        let Some((own, from, to)) = way(slot) else {
            return Vec::new();
        };
        let fits = |other: &u32| {
            way(*other).is_some_and(|(said, their_from, their_to)| {
                (their_from, their_to) == (to, from) && own.may_belong(said)
            })
        };
        (self.waiting.iter().copied())
            .filter(|other| *other != slot && fits(other))
            .collect()
    }

    /// Makes two connections one link.
    fn pair(&mut self, one: u32, other: u32) {
        let id = |slot: u32| {
            self.flows[slot as usize]
                .as_deref()
                .map(|f| f.connection.id)
        };
        let (slot, second_slot) = if id(one) < id(other) {
            (one, other)
        } else {
            (other, one)
        };
        let both = (self.flows).get_disjoint_mut([slot as usize, second_slot as usize]);
        let Ok([Some(holder), Some(second)]) = both else {
            return;
        };
        let speaker = |flow: &Flow| flow.app.unlinked_messages().and_then(|said| said.speaker);
        let turned = speaker(holder) == speaker(second);
        let mut waited = holder.app.take_waiting();
        for mut whole in second.app.take_waiting() {
            if turned {
                whole.side = whole.side.other();
            }
            waited.push(whole);
        }
        waited.sort_by_key(|whole| whole.ended.packet);
        holder.app.join(&mut second.app, turned);
        holder.timeline.join(&second.timeline.segments, turned);
        holder.pair.second = Some(second_slot);
        holder.connection.link = Some(second.connection.id);
        second.pair.holder = Some(slot);
        second.pair.turned = turned;
        second.connection.link = Some(holder.connection.id);
        self.totals.paired_links += 1;
        replay(holder, &waited);
    }

    /// A connection is a link by itself.
    fn release(&mut self, slot: u32) {
        if let Some(flow) = self.flows[slot as usize].as_deref_mut() {
            let waited = flow.app.take_waiting();
            replay(flow, &waited);
        }
    }

    /// A connection is over: closes it, unless it holds a link that continues. With
    /// `reused` its ends belong to another connection from now on.
    pub(super) fn end(&mut self, slot: u32, reused: bool, options: &AnalysisOptions) {
        self.settle(slot, true);
        let Some(flow) = self.flows[slot as usize].as_deref_mut() else {
            return;
        };
        if flow.pair.second.is_none() {
            self.close(slot, false, options);
            return;
        }
        flow.pair.parked = true;
        if reused {
            self.table.remove(&flow.key);
            self.last = None;
        }
    }

    /// Closes the rest of the link when one of its connections closes: the
    /// second, or the first if it was kept only for the second.
    pub(super) fn leave_link(&mut self, slot: u32) -> Option<u32> {
        self.waiting.retain(|other| *other != slot);
        let flow = self.flows[slot as usize].as_deref_mut()?;
        if let Some(second) = flow.pair.second.take() {
            flow.pair.parked = false;
            let view = self.flows[second as usize].as_deref_mut()?;
            view.pair.holder = None;
            return Some(second);
        }
        let holder = flow.pair.holder.take()?;
        let first = self.flows[holder as usize].as_deref_mut()?;
        first.pair.second = None;
        first.pair.parked.then_some(holder)
    }
}

/// Takes the messages that waited, and marks their packets.
fn replay(flow: &mut Flow, waited: &[crate::app::WholeMessage]) {
    for (at, whole) in waited.iter().enumerate() {
        flow.app.replay(whole);
        let packet = whole.ended.packet;
        if waited
            .get(at + 1)
            .is_some_and(|next| next.ended.packet == packet)
        {
            continue;
        }
        if let (Some(note), Some(segment)) =
            (flow.app.take_note(), flow.timeline.packet_mut(packet))
        {
            segment.marks.set(note.marks);
            segment.session = note.session;
        }
    }
}

/// Connections of a shard whose link is not known yet.
const MAX_WAITING: usize = 64;
