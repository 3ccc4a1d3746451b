//! The kinds of resource that INQUIRE browses.

/// Kinds of resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
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

impl Kind {
    /// Bytes of a name.
    pub fn name_bytes(self) -> usize {
        match self {
            Kind::Transaction | Kind::TdQueue | Kind::Connection => 4,
            Kind::DumpCode | Kind::UnitLink => 4,
            Kind::TsQueue => 16,
            Kind::DataSet => 44,
            _ => 8,
        }
    }
}
