//! Several threads: one reads and decodes, the others own the shards.
//!
//! A block of the file is shared by the threads with packets in it and returns to
//! the reader when the last one has finished. The queues are bounded, so that a
//! slow thread delays the reader instead of filling memory.

use super::flow::Flow;
use super::shard::ConnectionShard;
use super::{FrameIntake, SHARDS, payload};
use crate::decode::{FlowKey, Packet};
use crate::read::{FrameBlock, Reader};
use crate::{AnalysisOptions, ReadError};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// The packets of one block that belong to one thread.
struct PacketBatch {
    block: Arc<FrameBlock>,
    packets: Vec<Packet>,
    /// Connections that change their shard, each before the packet of this index.
    moves: Vec<(usize, ConnectionMove)>,
}

/// The work of a thread for a connection that changes its shard. The receiving
/// thread waits for the giving one. Both work in the order of the file, so there is
/// no deadlock.
enum ConnectionMove {
    Give(usize, FlowKey, SyncSender<Option<Box<Flow>>>),
    Take(usize, Receiver<Option<Box<Flow>>>),
}

/// The part of a block for one thread.
#[derive(Default)]
struct BlockShare {
    packets: Vec<Packet>,
    moves: Vec<(usize, ConnectionMove)>,
}

/// Memory that can be used again.
struct ReusableMemory {
    block: Option<FrameBlock>,
    packets: Vec<Packet>,
}

/// Reads in this thread, analyses in `threads` others; returns the shards in their
/// order.
pub(super) fn run(
    reader: &mut Reader<'_>,
    front: &mut FrameIntake<'_>,
    threads: usize,
) -> Result<Vec<ConnectionShard>, ReadError> {
    let options = front.options;
    thread::scope(|scope| {
        let (used, spare) = channel();
        let (queues, workers): (Vec<_>, Vec<_>) = (0..threads)
            .map(|first| {
                let (queue, batches) = sync_channel(QUEUE);
                let used = used.clone();
                let worker = scope.spawn(move || work(first, threads, &batches, &used, options));
                (queue, worker)
            })
            .unzip();
        let outcome = distribute(reader, front, &queues, &spare);
        // Their queues closed, the threads end.
        drop(queues);
        let mut shards: Vec<(usize, ConnectionShard)> = Vec::with_capacity(SHARDS);
        for worker in workers {
            match worker.join() {
                Ok(own) => shards.extend(own),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        outcome?;
        shards.sort_by_key(|(index, _)| *index);
        Ok(shards.into_iter().map(|(_, shard)| shard).collect())
    })
}

/// Reads blocks and gives each thread its packets.
fn distribute(
    reader: &mut Reader<'_>,
    front: &mut FrameIntake<'_>,
    queues: &[SyncSender<PacketBatch>],
    spare: &Receiver<ReusableMemory>,
) -> Result<(), ReadError> {
    let mut blocks = Vec::new();
    let mut lists = Vec::new();
    let mut shares: Vec<BlockShare> = queues.iter().map(|_| BlockShare::default()).collect();
    loop {
        while let Ok(used) = spare.try_recv() {
            blocks.extend(used.block);
            lists.push(used.packets);
        }
        let mut block = blocks.pop().unwrap_or_default();
        if !reader.next_block(&mut block)? {
            return Ok(());
        }
        for (frame, number) in block.numbered() {
            if let Some(mut packet) = front.decode(frame, block.bytes(frame), number) {
                let payload = payload(block.data(), &packet);
                let from = front.places.place(&mut packet, payload);
                let to = usize::from(packet.shard);
                if let Some(from) = from {
                    let (sender, receiver) = sync_channel(1);
                    let share = &mut shares[from % queues.len()];
                    let give = ConnectionMove::Give(from, packet.key, sender);
                    share.moves.push((share.packets.len(), give));
                    let share = &mut shares[to % queues.len()];
                    let take = ConnectionMove::Take(to, receiver);
                    share.moves.push((share.packets.len(), take));
                }
                shares[to % queues.len()].packets.push(packet);
            }
        }
        let block = Arc::new(block);
        for (share, queue) in shares.iter_mut().zip(queues) {
            if share.packets.is_empty() && share.moves.is_empty() {
                continue;
            }
            let batch = PacketBatch {
                block: block.clone(),
                packets: std::mem::replace(&mut share.packets, lists.pop().unwrap_or_default()),
                moves: std::mem::take(&mut share.moves),
            };
            if queue.send(batch).is_err() {
                // The thread has panicked; joining it passes the panic on.
                return Ok(());
            }
        }
    }
}

/// Analyses the packets of the shards `first`, `first + threads`, …
fn work(
    first: usize,
    threads: usize,
    batches: &Receiver<PacketBatch>,
    used: &Sender<ReusableMemory>,
    options: &AnalysisOptions,
) -> Vec<(usize, ConnectionShard)> {
    let mut shards: Vec<(usize, ConnectionShard)> = (first..SHARDS)
        .step_by(threads)
        .map(|index| (index, ConnectionShard::new(options)))
        .collect();
    while let Ok(batch) = batches.recv() {
        let PacketBatch {
            block,
            mut packets,
            moves,
        } = batch;
        let mut done = 0;
        for (until, change) in moves {
            run_packets(&mut shards, threads, &block, &packets[done..until], options);
            done = until;
            change_shard(&mut shards, threads, change, options);
        }
        run_packets(&mut shards, threads, &block, &packets[done..], options);
        packets.clear();
        // The reader may have ended and no longer need it.
        let _ = used.send(ReusableMemory {
            block: Arc::into_inner(block),
            packets,
        });
    }
    shards
}

/// Analyses packets of one block.
fn run_packets(
    shards: &mut [(usize, ConnectionShard)],
    threads: usize,
    block: &FrameBlock,
    packets: &[Packet],
    options: &AnalysisOptions,
) {
    for packet in packets {
        let (_, shard) = &mut shards[usize::from(packet.shard) / threads];
        shard.handle_packet(packet, payload(block.data(), packet), options);
    }
}

/// Gives a connection away, or takes one.
fn change_shard(
    shards: &mut [(usize, ConnectionShard)],
    threads: usize,
    change: ConnectionMove,
    options: &AnalysisOptions,
) {
    match change {
        ConnectionMove::Give(from, key, to) => {
            let flow = shards[from / threads].1.give(key);
            // The thread that was to take it has panicked; joining it passes the panic on.
            let _ = to.send(flow);
        }
        ConnectionMove::Take(to, from) => {
            if let Ok(Some(flow)) = from.recv() {
                shards[to / threads].1.take(flow, options);
            }
        }
    }
}

/// Batches that wait for one thread.
const QUEUE: usize = 4;
