//! The default limits of accounts, which `[region.limits]` can change.
//!
//! The bounds are far above what applications use, and far below what a region's
//! memory holds: all accounts together, at their limits, take less than 2 GiB.
//! The bytes of an account with a setting of its own
//! ([`super::AtLimit::OwnSetting`]) are limited by that setting.

use super::{AccountKind, AccountLimit, AccountLimits, CountAndBytes};

const MIB: u64 = 1 << 20;

impl AccountLimits {
    /// The default limits.
    pub fn usual() -> AccountLimits {
        let mut limits = AccountLimits::default();
        for kind in AccountKind::ALL {
            limits.set(*kind, usual(kind.row().name));
        }
        limits
    }
}

/// The default limit of an account.
fn usual(name: &str) -> AccountLimit {
    let limit = |task: (u64, u64), region: (u64, u64)| {
        let amount = |(count, mib): (u64, u64)| CountAndBytes {
            count,
            bytes: mib * MIB,
        };
        AccountLimit {
            task: amount(task),
            region: amount(region),
        }
    };
    match name {
        "starts" => limit((1_000, 64), (10_000, 256)),
        "enqueue_names" => limit((10_000, 8), (100_000, 64)),
        "reports" => limit((100, 64), (1_000, 256)),
        "journals" => limit((100, 64), (1_000, 64)),
        "temporary_storage" => limit((32_767, 256), (100_000, 4_096)),
        // The bytes of these accounts have a setting of their own.
        "recoverable_temporary_storage" | "transient_data" | "facilities" | "shared_storage" => {
            AccountLimit::default()
        }
        _ => limit((10_000, 64), (100_000, 256)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_may_have_no_more_than_the_region_and_no_bound_is_nothing() {
        let limits = AccountLimits::usual();
        for kind in AccountKind::ALL {
            let AccountLimit { task, region } = limits.of(*kind);
            assert!(task.fits(region), "{kind:?}: {task:?} of {region:?}");
            assert!(task.count > 0 && task.bytes > 0, "{kind:?}");
        }
    }
}
