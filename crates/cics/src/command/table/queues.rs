//! Temporary storage, transient data and starting transactions.

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

/// Starting transactions and the asynchronous API, not yet supported.
pub(super) const STARTING: &[Command] = later! { Starting;
    0x100C eibfn "CANCEL" "CANCEL" [] "REQID()" "SYSID()" "TRANSID()";
    0x8581 own "FETCH ANY" "FETCH" ["ANY"] "ANY()" "CHANNEL()" "COMPSTATUS()" "ABCODE()" "NOSUSPEND"
        "TIMEOUT()";
    0x8582 own "FETCH CHILD" "FETCH" ["CHILD"] "CHILD()" "CHANNEL()" "COMPSTATUS()" "ABCODE()"
        "NOSUSPEND" "TIMEOUT()";
    0x8583 own "FREE CHILD" "FREE" ["CHILD"] "CHILD()";
    0x8584 own "RUN TRANSID" "RUN" ["TRANSID"] "TRANSID()" "CHANNEL()" "CHILD()";
    0x8585 own "START ATTACH" "START" ["ATTACH"] "ATTACH" "TRANSID()" "FROM()" "LENGTH()";
    0x8586 own "START BREXIT" "START" ["BREXIT"] "BREXIT()" "TRANSID()" "BRDATA()" "BRDATALENGTH()"
        "USERID()";
};
