//! The table of accounts: the memory of a region that tasks can make grow, and the
//! condition or abend of a command at the limit.
//!
//! Each account has a sum for the region and, if the task is known, one for each
//! task. The managers count them ([`crate::resources::GrowthAccount`]).
//!
//! Invariant: a queue or table that a command can add to has a row here.

use cics::resp::Condition;

/// A number of objects, and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CountAndBytes {
    /// Number of objects.
    pub count: u64,
    /// Bytes of the objects, with a fixed part for each.
    pub bytes: u64,
}

impl CountAndBytes {
    /// One object of so many bytes.
    pub fn one(bytes: u64) -> CountAndBytes {
        CountAndBytes { count: 1, bytes }
    }

    /// A limit that is never reached.
    pub const UNLIMITED: CountAndBytes = CountAndBytes {
        count: u64::MAX,
        bytes: u64::MAX,
    };

    /// The sum of two amounts.
    pub fn plus(self, other: CountAndBytes) -> CountAndBytes {
        CountAndBytes {
            count: self.count.saturating_add(other.count),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    /// The difference of two amounts, at least 0.
    pub fn minus(self, other: CountAndBytes) -> CountAndBytes {
        CountAndBytes {
            count: self.count.saturating_sub(other.count),
            bytes: self.bytes.saturating_sub(other.bytes),
        }
    }

    /// Whether neither the count nor the bytes are above those of a limit.
    pub fn fits(self, limit: CountAndBytes) -> bool {
        self.count <= limit.count && self.bytes <= limit.bytes
    }
}

/// Bounds of one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountLimit {
    /// For each task.
    pub task: CountAndBytes,
    /// For the region.
    pub region: CountAndBytes,
}

impl Default for AccountLimit {
    fn default() -> Self {
        AccountLimit {
            task: CountAndBytes::UNLIMITED,
            region: CountAndBytes::UNLIMITED,
        }
    }
}

/// The effect of an account's limit on a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtLimit {
    /// A condition, with RESP2 0.
    Condition(Condition),
    /// The task ends with this abend.
    Abend([u8; 4]),
    /// A setting of its own limits the account ([`super::KernelConfig`]); the command
    /// gets this condition, unless it waits for space.
    OwnSetting(Condition),
}

/// An account.
#[derive(Debug, Clone, Copy)]
pub struct AccountRow {
    /// Name, for settings and metrics.
    pub name: &'static str,
    /// The objects that are counted.
    pub counts: &'static str,
    /// The effect of the limit on commands.
    pub at_limit: AtLimit,
}

/// Writes the kinds of accounts and their table.
macro_rules! accounts {
    ($($kind:ident $name:literal $counts:literal $at_limit:expr;)*) => {
        /// The accounts, in the order of [`ACCOUNTS`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum AccountKind {
            $(#[doc = $counts] $kind,)*
        }

        impl AccountKind {
            /// All accounts.
            pub const ALL: &[AccountKind] = &[$(AccountKind::$kind,)*];
        }

        /// All accounts.
        pub const ACCOUNTS: &[AccountRow] = &[$(AccountRow {
            name: $name,
            counts: $counts,
            at_limit: $at_limit,
        },)*];
    };
}

accounts! {
    Starts "starts" "Requests to start tasks, with their names, data and channels."
        AtLimit::Condition(Condition::IoErr);
    EnqueueNames "enqueue_names" "Names that tasks have enqueued on."
        AtLimit::Abend(*b"AEXZ");
    TemporaryStorage "temporary_storage" "Temporary storage queues that are not recoverable."
        AtLimit::OwnSetting(Condition::NoSpace);
    RecoverableTemporaryStorage "recoverable_temporary_storage"
        "Recoverable temporary storage queues, with the items of units under way."
        AtLimit::OwnSetting(Condition::NoSpace);
    TransientData "transient_data" "Records of intrapartition transient data queues."
        AtLimit::OwnSetting(Condition::NoSpace);
    Reports "reports" "Reports of the spool that tasks have open."
        AtLimit::Condition(Condition::NoStg);
    Journals "journals" "Journals that are open."
        AtLimit::Condition(Condition::NoJBufSp);
    Facilities "facilities" "Facilities that outlive tasks, and what is saved and waits at them."
        AtLimit::OwnSetting(Condition::LengErr);
    SharedStorage "shared_storage" "Blocks of GETMAIN SHARED."
        AtLimit::OwnSetting(Condition::NoStg);
    Counters "counters" "Named counters."
        AtLimit::Condition(Condition::InvReq);
    Children "children" "Children of RUN TRANSID that are not freed, with their channels."
        AtLimit::Abend(*b"AEXZ");
    CreatedDefinitions "created_definitions" "Definitions that CREATE has made since the last reload."
        AtLimit::Condition(Condition::InvReq);
    Dumps "dumps" "Dumps of tasks that were asked for since the start of the region."
        AtLimit::Condition(Condition::NoSpace);
    DumpCodes "dump_codes" "Codes of the dump tables."
        AtLimit::Condition(Condition::InvReq);
    Documents "documents" "Documents of web support, as DOCSIZE counts them."
        AtLimit::Condition(Condition::InvReq);
}

impl AccountKind {
    /// The account's row of the table.
    pub fn row(self) -> &'static AccountRow {
        &ACCOUNTS[self as usize]
    }
}

/// Bounds of all accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountLimits([AccountLimit; ACCOUNTS.len()]);

impl Default for AccountLimits {
    fn default() -> Self {
        AccountLimits([AccountLimit::default(); ACCOUNTS.len()])
    }
}

impl AccountLimits {
    /// The bounds of one account.
    pub fn of(&self, kind: AccountKind) -> AccountLimit {
        self.0[kind as usize]
    }

    /// Sets the bounds of one account.
    pub fn set(&mut self, kind: AccountKind, limit: AccountLimit) {
        self.0[kind as usize] = limit;
    }
}
