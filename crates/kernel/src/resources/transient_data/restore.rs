//! Restores transient data queues from the store at the start of the region.

use std::collections::HashMap;

use store::{SeekKey, UnitOfWork};

use super::super::Resources;
use super::QueueName;
use super::intra::{TABLE, cost};
use crate::core::TaskKey;
use crate::kernel::{KernelContext, scan};
use crate::types::TdRecovery;

/// Counts the records of the recoverable queues; those at their trigger level start their
/// transactions. Records of queues that are not recoverable any more stay in the store, and are
/// reported.
pub(super) fn restore(resources: &mut Resources, cx: &mut KernelContext<'_>) {
    let td = &mut resources.transient_data;
    let Some(reader) = cx.kernel.reader.as_mut() else {
        return;
    };
    let mut strange: HashMap<QueueName, u64> = HashMap::new();
    let mut names = Vec::new();
    let read = scan(reader.as_mut(), TABLE, &mut |key, record| {
        let Some((name, number)) = parse(key) else {
            return;
        };
        let intra = td.intra(&name);
        match intra.filter(|intra| intra.recovery != TdRecovery::No) {
            Some(intra) => {
                intra.items += 1;
                intra.bytes += cost(record);
                intra.next = number.saturating_add(1);
                if names.last() != Some(&name) {
                    names.push(name);
                }
            }
            None => *strange.entry(name).or_default() += 1,
        }
    });
    if let Err(error) = read {
        cx.kernel
            .not_restored("the recoverable transient data queues", &error);
        return;
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

/// Restores the changes to queues of a unit that was prepared before the region's restart.
/// New records do not get the numbers of its records.
pub(super) fn unit_restored(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    key: TaskKey,
    changes: &UnitOfWork,
) {
    let td = &mut resources.transient_data;
    let Some(reader) = cx.kernel.reader.as_mut() else {
        return;
    };
    for (row, value) in changes.changes_of(TABLE) {
        let Some((name, number)) = parse(row) else {
            continue;
        };
        if let Some(intra) = td.intra(&name) {
            intra.next = intra.next.max(number.saturating_add(1));
        }
        let Some(record) = value else {
            let mut bytes = None;
            let mut found = |e: store::RecordView<'_>| bytes = Some(cost(e.record));
            if let Err(error) = reader.seek_table(TABLE, SeekKey::Equal(row), &mut found) {
                tracing::error!(%error, "a record that a unit has taken could not be read");
            }
            // A record that the unit wrote and read itself is not in the store.
            if let Some(bytes) = bytes {
                let change = td.change(key, &name);
                change.taken += 1;
                change.taken_bytes += bytes;
            }
            continue;
        };
        let bytes = cost(record);
        td.pending_bytes += bytes;
        let change = td.change(key, &name);
        change.written += 1;
        change.written_bytes += bytes;
    }
}

fn parse(key: &[u8]) -> Option<(QueueName, u64)> {
    let (name, number) = key.split_first_chunk()?;
    Some((*name, u64::from_be_bytes(number.try_into().ok()?)))
}
