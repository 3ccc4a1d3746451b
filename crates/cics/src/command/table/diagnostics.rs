//! Dumps, trace, monitoring, the operator and the spool.

use crate::command::row::Command;

/// Rows not yet supported.
pub(super) const LATER: &[Command] = later! { Diagnostics;
    0x7E02 eibfn "DUMP TRANSACTION" "DUMP" ["TRANSACTION"] "TRANSACTION" "DUMPCODE()" "FROM()"
        "LENGTH()" "FLENGTH()" "COMPLETE" "TRT" "SEGMENTLIST()" "LENGTHLIST()" "NUMSEGMENTS()"
        "TASK" "STORAGE" "PROGRAM" "TERMINAL" "TABLES" "FCT" "PCT" "PPT" "SIT" "TCT" "DUMPID()";
    0x4802 eibfn "ENTER TRACENUM" "ENTER" ["TRACENUM"] "TRACENUM()" "FROM()" "FROMLENGTH()"
        "RESOURCE()" "EXCEPTION";
    0x4804 eibfn "MONITOR" "MONITOR" [] "POINT()" "DATA1()" "DATA2()" "ENTRYNAME()";
};

/// The spool, not yet supported.
pub(super) const SPOOL: &[Command] = later! { Spool;
    0x8941 own "SPOOLCLOSE" "SPOOLCLOSE" [] "TOKEN()" "KEEP" "DELETE";
    0x8942 own "SPOOLOPEN INPUT" "SPOOLOPEN" ["INPUT"] "INPUT" "TOKEN()" "USERID()" "CLASS()";
    0x8943 own "SPOOLOPEN OUTPUT" "SPOOLOPEN" ["OUTPUT"] "OUTPUT" "TOKEN()" "USERID()" "NODE()"
        "CLASS()" "OUTDESCR()" "NOCC" "ASA" "MCC" "PRINT" "RECORDLENGTH()" "PUNCH";
    0x8944 own "SPOOLREAD" "SPOOLREAD" [] "TOKEN()" "INTO()" "MAXFLENGTH()" "TOFLENGTH()";
    0x8945 own "SPOOLWRITE" "SPOOLWRITE" [] "TOKEN()" "FROM()" "FLENGTH()" "LINE" "PAGE";
};
