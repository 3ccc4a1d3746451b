//! Dumps, trace, monitoring and the operator.

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
