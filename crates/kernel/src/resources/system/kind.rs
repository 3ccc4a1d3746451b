//! The kinds of resource that INQUIRE browses.

/// Kinds of resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// PROGRAM.
    Program,
    /// TRANSACTION.
    Transaction,
    /// TRANCLASS.
    Class,
    /// FILE.
    File,
    /// TSQUEUE and TSQNAME.
    TsQueue,
    /// TSMODEL.
    TsModel,
    /// TDQUEUE.
    TdQueue,
    /// REQID.
    Request,
    /// UOW.
    Unit,
    /// UOWENQ and ENQ.
    Enqueue,
    /// JOURNALMODEL.
    JournalModel,
    /// JOURNALNAME.
    Journal,
    /// DSNAME.
    DataSet,
    /// CONNECTION.
    Connection,
    /// TRANDUMPCODE.
    DumpCode,
    /// SYSDUMPCODE.
    SystemDumpCode,
    /// ENQMODEL.
    EnqModel,
    /// UOWLINK.
    UnitLink,
}

impl ResourceKind {
    /// Bytes of a name.
    pub fn name_bytes(self) -> usize {
        match self {
            ResourceKind::Transaction | ResourceKind::TdQueue | ResourceKind::Connection => 4,
            ResourceKind::DumpCode | ResourceKind::UnitLink => 4,
            ResourceKind::TsQueue => 16,
            ResourceKind::DataSet => 44,
            _ => 8,
        }
    }
}
