//! INQUIRE and SET of queues, of their models, and of the space for them.
//!
//! For a queue in memory the answer is MAIN or AUXILIARY as specified in its first WRITEQ TS,
//! although both are stored alike. The lengths of the items of a recoverable queue are read from
//! the store for each INQUIRE.
//!
//! Reference: CICS system programming reference, INQUIRE and SET TSQUEUE,
//! TSMODEL and TEMPSTORAGE.

use cics::command::commands::{set_tempstorage, set_tsqname, set_tsqueue};
use cics::cvda;
use cics::resp::Condition;
use link::TransId;

use super::super::Resources;
use super::memory::ITEM_OVERHEAD;
use super::{QueueName, TemporaryStorage, freed, stored};
use crate::core::TaskKey;
use crate::kernel::{CallResult, KernelContext, Request, condition, done};
use crate::types::{CountAndBytes, TsModelDef};

/// A queue as INQUIRE TSQUEUE returns it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueInfo<'q> {
    /// Items; of a recoverable queue, committed ones.
    pub items: usize,
    /// Bytes of all items.
    pub bytes: u64,
    /// Bytes of the shortest and of the longest item; none when not measured.
    pub lengths: Option<(u16, u16)>,
    /// AUXILIARY.
    pub auxiliary: bool,
    /// Part of units of work.
    pub recoverable: bool,
    /// The transaction that made the queue; blank after a restart of the region.
    pub transid: TransId,
    /// Time of the last use, nanoseconds of the region's clock.
    pub used_at: u64,
    /// The model of the queue.
    pub model: Option<&'q TsModelDef>,
}

impl TemporaryStorage {
    /// The names of all queues.
    pub fn names(&self) -> impl Iterator<Item = &QueueName> {
        self.memory.keys().chain(self.stored.keys())
    }

    /// The data of INQUIRE about a queue.
    pub fn info(&self, name: &QueueName) -> Option<QueueInfo<'_>> {
        let model = self.models.of(name);
        if let Some(queue) = self.memory.get(name) {
            return Some(QueueInfo {
                items: queue.len(),
                bytes: queue.bytes() - queue.len() as u64 * ITEM_OVERHEAD,
                lengths: Some(queue.lengths()),
                auxiliary: queue.origin.auxiliary,
                recoverable: false,
                transid: queue.origin.transid,
                used_at: queue.used_at,
                model,
            });
        }
        let queue = self.stored.get(name)?;
        Some(QueueInfo {
            items: queue.items.into(),
            bytes: queue.bytes - u64::from(queue.items) * ITEM_OVERHEAD,
            lengths: queue.lengths,
            auxiliary: true,
            recoverable: true,
            transid: queue.transid,
            used_at: queue.used_at,
            model,
        })
    }

    /// The models, the most specific first.
    pub fn model_definitions(&self) -> &[TsModelDef] {
        self.models.all()
    }

    /// Bytes in use, and the limit.
    pub fn space(&self) -> (u64, u64) {
        (self.used_bytes(), self.limit_bytes)
    }
}

/// SET TSQUEUE: deletes a queue, if it was not used for some time.
pub(super) fn set_by_queue(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    use set_tsqueue as row;
    set(
        resources,
        cx,
        request,
        [row::TSQUEUE, row::SYSID, row::ACTION, row::LASTUSEDINT],
    )
}

/// SET TSQNAME: deletes a queue, if it was not used for some time.
pub(super) fn set_by_name(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    use set_tsqname as row;
    set(
        resources,
        cx,
        request,
        [row::TSQNAME, row::SYSID, row::ACTION, row::LASTUSEDINT],
    )
}

fn set(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
    [queue, sysid, action, last_used]: [u8; 4],
) -> CallResult {
    let ts = &mut resources.temporary_storage;
    let operands = &request.operands;
    let system = operands.get_name(sysid).map(link::Name::from_bytes);
    if !system.is_none_or(|s| s.is_blank() || s == ts.sysid) {
        return condition(Condition::SysIdErr, 4);
    }
    let delete = cvda::value("DELETE").map(i64::from);
    if operands.get_int(action) != delete {
        return condition(Condition::InvReq, 2);
    }
    let least_s = match operands.get_int(last_used).map(u64::try_from) {
        Some(Err(_)) => return condition(Condition::InvReq, 3),
        known => known.and_then(Result::ok).unwrap_or(0),
    };
    let given = operands.get_bytes(queue).unwrap_or_default();
    if given.iter().all(|b| *b == 0) {
        return condition(Condition::QIdErr, 1);
    }
    let mut name: QueueName = [b' '; 16];
    name[..given.len().min(16)].copy_from_slice(&given[..given.len().min(16)]);
    let Some(info) = ts.info(&name) else {
        stored::release_waited_lock(cx, request, &name);
        return condition(Condition::NotFnd, 1);
    };
    if cx.now.saturating_sub(info.used_at) / 1_000_000_000 < least_s {
        stored::release_waited_lock(cx, request, &name);
        return condition(Condition::InvReq, 1);
    }
    if info.recoverable {
        return stored::delete(ts, cx, request, name);
    }
    if let Some(queue) = ts.memory.remove(&name) {
        let less = CountAndBytes::one(queue.bytes());
        ts.memory_account.remove(TaskKey::NO_TASK, less);
        freed(cx);
    }
    done()
}

/// SET TEMPSTORAGE: sets the limit. The limit may be less than the space in use; existing
/// items stay.
pub(super) fn set_limit(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let limit = request.operands.get_int(set_tempstorage::TSMAINLIMIT);
    let Some(limit) = limit else {
        return done();
    };
    match u64::try_from(limit).ok().filter(|n| LIMITS.contains(n)) {
        Some(bytes) => {
            resources.temporary_storage.limit_bytes = bytes >> 20 << 20;
            freed(cx);
            done()
        }
        None => condition(Condition::InvReq, 1),
    }
}

/// TSMAINLIMIT in bytes: 1 MB to 32 GB, rounded down to whole megabytes.
const LIMITS: std::ops::RangeInclusive<u64> = 1 << 20..=32 << 30;
