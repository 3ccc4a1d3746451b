//! Temporary storage, transient data and named counters.

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

/// Named counters, not yet supported.
pub(super) const COUNTERS: &[Command] = later! { Counters;
    0x8541 own "DEFINE COUNTER" "DEFINE" ["COUNTER"] "COUNTER()" "POOL()" "VALUE()" "MINIMUM()"
        "MAXIMUM()" "NOSUSPEND";
    0x8542 own "DEFINE DCOUNTER" "DEFINE" ["DCOUNTER"] "DCOUNTER()" "POOL()" "VALUE()" "MINIMUM()"
        "MAXIMUM()" "NOSUSPEND";
    0x8543 own "DELETE COUNTER" "DELETE" ["COUNTER"] "COUNTER()" "POOL()" "NOSUSPEND";
    0x8544 own "DELETE DCOUNTER" "DELETE" ["DCOUNTER"] "DCOUNTER()" "POOL()" "NOSUSPEND";
    0x8545 own "GET COUNTER" "GET" ["COUNTER"] "COUNTER()" "POOL()" "VALUE()" "INCREMENT()" "REDUCE"
        "WRAP" "COMPAREMIN()" "COMPAREMAX()" "NOSUSPEND";
    0x8546 own "GET DCOUNTER" "GET" ["DCOUNTER"] "DCOUNTER()" "POOL()" "VALUE()" "INCREMENT()"
        "REDUCE" "WRAP" "COMPAREMIN()" "COMPAREMAX()" "NOSUSPEND";
    0x8547 own "QUERY COUNTER" "QUERY" ["COUNTER"] "COUNTER()" "POOL()" "VALUE()" "MINIMUM()"
        "MAXIMUM()" "NOSUSPEND";
    0x8548 own "QUERY DCOUNTER" "QUERY" ["DCOUNTER"] "DCOUNTER()" "POOL()" "VALUE()" "MINIMUM()"
        "MAXIMUM()" "NOSUSPEND";
    0x8549 own "REWIND COUNTER" "REWIND" ["COUNTER"] "COUNTER()" "POOL()" "INCREMENT()" "NOSUSPEND";
    0x854A own "REWIND DCOUNTER" "REWIND" ["DCOUNTER"] "DCOUNTER()" "POOL()" "INCREMENT()"
        "NOSUSPEND";
    0x854B own "UPDATE COUNTER" "UPDATE" ["COUNTER"] "COUNTER()" "POOL()" "VALUE()" "COMPAREMIN()"
        "COMPAREMAX()" "NOSUSPEND";
    0x854C own "UPDATE DCOUNTER" "UPDATE" ["DCOUNTER"] "DCOUNTER()" "POOL()" "VALUE()"
        "COMPAREMIN()" "COMPAREMAX()" "NOSUSPEND";
};
