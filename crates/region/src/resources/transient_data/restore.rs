//! What the store has of transient data queues when the region starts.

use std::collections::HashMap;

use store::Seek;

use super::super::Resources;
use super::QueueName;
use super::intra::{TABLE, cost};
use crate::api::TdRecovery;
use crate::kernel::Cx;

/// Counts the records of the recoverable queues; those that have enough start
/// their transactions. Records of queues that are not recoverable queues any
/// more stay in the store, and are told.
pub(super) fn restore(resources: &mut Resources, cx: &mut Cx<'_>) {
    let td = &mut resources.transient_data;
    let Some(reader) = cx.kernel.reader.as_mut() else {
        return;
    };
    let mut strange: HashMap<QueueName, u64> = HashMap::new();
    let mut names = Vec::new();
    let mut from: Option<Vec<u8>> = None;
    loop {
        let mut found = None;
        let seek = match &from {
            None => Seek::First,
            Some(key) => Seek::Greater(key),
        };
        let mut take = |e: store::Entry<'_>| found = Some((e.key.to_vec(), cost(e.record)));
        if let Err(error) = reader.seek_table(TABLE, seek, &mut take) {
            tracing::error!(%error, "the recoverable transient data queues could not be read");
            break;
        }
        let Some((key, bytes)) = found else {
            break;
        };
        if let Some((name, number)) = parse(&key) {
            let intra = td.intra(&name);
            match intra.filter(|intra| intra.recovery != TdRecovery::No) {
                Some(intra) => {
                    intra.items += 1;
                    intra.bytes += bytes;
                    intra.next = number.saturating_add(1);
                    if names.last() != Some(&name) {
                        names.push(name);
                    }
                }
                None => *strange.entry(name).or_default() += 1,
            }
        }
        from = Some(key);
    }
    for (name, records) in strange {
        tracing::warn!(
            queue = %name.escape_ascii(),
            records,
            "the store has records of a transient data queue that is not defined as recoverable; they stay there"
        );
    }
    for name in names {
        td.fire(cx, &name);
    }
}

fn parse(key: &[u8]) -> Option<(QueueName, u64)> {
    let (name, number) = key.split_first_chunk()?;
    Some((*name, u64::from_be_bytes(number.try_into().ok()?)))
}
