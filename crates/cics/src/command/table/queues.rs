//! Temporary storage and transient data.

use crate::command::row::Command;

/// Rows not yet supported.
pub(super) const LATER: &[Command] = later! { Queues;
    0x0806 eibfn "DELETEQ TD" "DELETEQ" ["TD"] "TD" "QUEUE()" "SYSID()";
    0x0A06 eibfn "DELETEQ TS" "DELETEQ" [] "TS" "QUEUE()" "QNAME()" "SYSID()";
    0x0804 eibfn "READQ TD" "READQ" ["TD"] "TD" "QUEUE()" "INTO()" "SET()" "LENGTH()" "SYSID()"
        "NOSUSPEND";
    0x0A04 eibfn "READQ TS" "READQ" [] "TS" "QUEUE()" "QNAME()" "INTO()" "SET()" "LENGTH()"
        "NUMITEMS()" "NEXT" "ITEM()" "SYSID()";
    0x0802 eibfn "WRITEQ TD" "WRITEQ" ["TD"] "TD" "QUEUE()" "FROM()" "LENGTH()" "SYSID()";
    0x0A02 eibfn "WRITEQ TS" "WRITEQ" [] "TS" "QUEUE()" "QNAME()" "FROM()" "LENGTH()" "NUMITEMS()"
        "ITEM()" "REWRITE" "SYSID()" "AUXILIARY" "MAIN" "NOSUSPEND";
};
