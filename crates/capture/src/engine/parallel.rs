//! Several threads: one reads and decodes, the others own the shards.
//!
//! A block of the file is shared by the threads that have packets in it and
//! goes back to the reader when the last one is done with it. The queues are
//! bounded, so that a slow thread holds the reader and not memory.

use super::shard::Shard;
use super::{Front, SHARDS, payload, shard_of};
use crate::decode::Packet;
use crate::read::{Block, Reader};
use crate::{Options, ReadError};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// The packets of one block that belong to one thread.
struct Batch {
    block: Arc<Block>,
    packets: Vec<Packet>,
}

/// Memory that can be used again.
struct Used {
    block: Option<Block>,
    packets: Vec<Packet>,
}

/// Reads in this thread, analyses in `threads` others; gives the shards in
/// their order.
pub(super) fn run(
    reader: &mut Reader<'_>,
    front: &mut Front<'_>,
    threads: usize,
) -> Result<Vec<Shard>, ReadError> {
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
        let mut shards: Vec<(usize, Shard)> = Vec::with_capacity(SHARDS);
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
    front: &mut Front<'_>,
    queues: &[SyncSender<Batch>],
    spare: &Receiver<Used>,
) -> Result<(), ReadError> {
    let mut blocks = Vec::new();
    let mut lists = Vec::new();
    let mut shares: Vec<Vec<Packet>> = queues.iter().map(|_| Vec::new()).collect();
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
            if let Some(packet) = front.decode(frame, block.bytes(frame), number) {
                shares[shard_of(&packet) % queues.len()].push(packet);
            }
        }
        let block = Arc::new(block);
        for (share, queue) in shares.iter_mut().zip(queues) {
            if share.is_empty() {
                continue;
            }
            let batch = Batch {
                block: block.clone(),
                packets: std::mem::replace(share, lists.pop().unwrap_or_default()),
            };
            if queue.send(batch).is_err() {
                // The thread has panicked; joining it tells why.
                return Ok(());
            }
        }
    }
}

/// Analyses the packets of the shards `first`, `first + threads`, …
fn work(
    first: usize,
    threads: usize,
    batches: &Receiver<Batch>,
    used: &Sender<Used>,
    options: &Options,
) -> Vec<(usize, Shard)> {
    let mut shards: Vec<(usize, Shard)> = (first..SHARDS)
        .step_by(threads)
        .map(|index| (index, Shard::new(options)))
        .collect();
    while let Ok(Batch { block, mut packets }) = batches.recv() {
        for packet in &packets {
            let (_, shard) = &mut shards[shard_of(packet) / threads];
            shard.handle_packet(packet, payload(block.data(), packet), options);
        }
        packets.clear();
        // The reader may have ended already; then nobody wants it back.
        let _ = used.send(Used {
            block: Arc::into_inner(block),
            packets,
        });
    }
    shards
}

/// Batches that wait for one thread.
const QUEUE: usize = 4;
