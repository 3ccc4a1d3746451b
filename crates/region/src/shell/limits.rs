//! The use of each limit of a region, and the task that uses most of it.
//!
//! The rows are the accounts of resources that tasks can use up, and the places for
//! tasks, workers and requests that wait.

use super::SharedRegion;
use super::system::RegionView;
use crate::api::{LimitInfo, LimitUser};
use kernel::core::TaskKey;
use kernel::resources::AccountSums;
use kernel::{AccountKind, AtLimit, CountAndBytes};

/// Percent of a limit from which on operators are warned.
const WARN_PERCENT: u64 = 80;

impl SharedRegion {
    /// Use of all limits.
    pub fn limit_list(&self) -> Vec<LimitInfo> {
        self.view(|view| {
            let mut rows = places(view);
            let accounts = view.kernel.resources.accounts();
            rows.extend(accounts.iter().map(|sums| self.account_row(view, sums)));
            rows
        })
    }

    fn account_row(&self, view: &RegionView<'_>, sums: &AccountSums) -> LimitInfo {
        let row = sums.kind.row();
        let limit = self.config.accounts.of(sums.kind);
        let (region, setting) = match self.own_limit(sums.kind) {
            Some((own, setting)) => (own, setting.to_owned()),
            None => (limit.region, format!("[region.limits.{}]", row.name)),
        };
        let largest = sums.tasks.iter().max_by_key(|(_, of)| (of.bytes, of.count));
        let user = largest.and_then(|(key, of)| user(view, *key, *of));
        LimitInfo {
            at_limit: match row.at_limit {
                AtLimit::Condition(raised) | AtLimit::OwnSetting(raised) => raised.to_string(),
                AtLimit::Abend(code) => String::from_utf8_lossy(&code).into_owned(),
            },
            task_count: known(limit.task.count),
            task_bytes: known(limit.task.bytes),
            largest: user,
            ..row_of(row.name, row.counts, setting, sums.region, region)
        }
    }

    /// The limit of an account that has a setting of its own.
    fn own_limit(&self, kind: AccountKind) -> Option<(CountAndBytes, &'static str)> {
        let bytes = |bytes: u64| CountAndBytes {
            count: u64::MAX,
            bytes,
        };
        let config = &self.config;
        Some(match kind {
            AccountKind::TemporaryStorage | AccountKind::RecoverableTemporaryStorage => (
                bytes(config.temporary_storage_bytes),
                "[queues] temporary_storage_mib",
            ),
            AccountKind::TransientData => (
                bytes(config.transient_data_bytes),
                "[queues] transient_data_mib",
            ),
            AccountKind::Facilities => {
                let own = CountAndBytes {
                    count: config.facilities.most as u64,
                    bytes: config.facilities.bytes as u64,
                };
                (own, "[terminal]")
            }
            AccountKind::SharedStorage => (
                bytes(config.shared_storage_bytes as u64),
                "[region] shared_storage_bytes",
            ),
            _ => return None,
        })
    }
}

/// Places for tasks and workers, and for what waits.
fn places(view: &RegionView<'_>) -> Vec<LimitInfo> {
    let statistics = view.core.statistics();
    let limits = view.core.limits();
    let starts = view.kernel.waiting_starts();
    let place =
        |name, counts, setting: &str, count: usize, most: usize, at_limit: &str| LimitInfo {
            at_limit: at_limit.to_owned(),
            ..row_of(
                name,
                counts,
                setting.to_owned(),
                CountAndBytes {
                    count: count as u64,
                    bytes: 0,
                },
                CountAndBytes {
                    count: most as u64,
                    bytes: u64::MAX,
                },
            )
        };
    vec![
        place(
            "tasks",
            "Active tasks, parents that wait for their children among them.",
            "[region] max_tasks",
            statistics.active as usize,
            limits.mxt,
            "it waits",
        ),
        place(
            "workers",
            "Worker processes.",
            "[region] max_tasks and 12",
            statistics.workers as usize,
            view.core.most_workers(),
            "it waits",
        ),
        place(
            "waiting_requests",
            "Requests from outside that wait to begin.",
            "[region] max_queued",
            view.core.waiting_requests(),
            limits.queue_limit,
            "503",
        ),
        place(
            "waiting_starts",
            "Starts and children that wait to begin.",
            "[region] max_queued",
            starts.all,
            starts.limit,
            "IOERR",
        ),
    ]
}

fn row_of(
    name: &'static str,
    counts: &'static str,
    setting: String,
    used: CountAndBytes,
    limit: CountAndBytes,
) -> LimitInfo {
    let of = |used: u64, limit: u64| match limit {
        0 | u64::MAX => 0,
        limit => (u128::from(used) * 100 / u128::from(limit)) as u64,
    };
    let percent = of(used.count, limit.count).max(of(used.bytes, limit.bytes));
    LimitInfo {
        name,
        counts,
        setting,
        count: used.count,
        bytes: used.bytes,
        count_limit: known(limit.count),
        bytes_limit: known(limit.bytes),
        percent,
        is_warning: percent >= WARN_PERCENT,
        ..LimitInfo::default()
    }
}

/// The task that uses most.
fn user(view: &RegionView<'_>, key: TaskKey, of: CountAndBytes) -> Option<LimitUser> {
    let task = view.core.task(key)?;
    Some(LimitUser {
        task: task.number,
        transid: task.transid,
        count: of.count,
        bytes: of.bytes,
    })
}

/// A limit that there is.
fn known(limit: u64) -> Option<u64> {
    (limit != u64::MAX).then_some(limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_warns_from_eighty_percent_of_its_count_or_its_bytes_on() {
        let limit = CountAndBytes {
            count: 10,
            bytes: 1_000,
        };
        let row = |count, bytes| {
            let used = CountAndBytes { count, bytes };
            let row = row_of("starts", "", String::new(), used, limit);
            (row.percent, row.is_warning)
        };
        assert_eq!(row(7, 100), (70, false));
        assert_eq!(row(8, 100), (80, true));
        assert_eq!(row(1, 990), (99, true));
        let none = row_of("starts", "", String::new(), limit, CountAndBytes::UNLIMITED);
        assert_eq!((none.percent, none.count_limit), (0, None));
    }
}
