//! Maps, terminals and batch data interchange.

use crate::command::row::Command;

/// Page building, routing and partitions of basic mapping support.
pub(super) const MAPS: &[Command] = later! { Maps until
    "pages, routing and partitions of terminals are not served: SEND TEXT and SEND MAP write one screen";
    0x180A eibfn "PURGE MESSAGE" "PURGE" ["MESSAGE"] "MESSAGE";
    0x180E eibfn "RECEIVE PARTN" "RECEIVE" ["PARTN"] "PARTN()" "INTO()" "SET()" "LENGTH()" "ASIS";
    0x180C eibfn "ROUTE" "ROUTE" [] "INTERVAL()" "TIME()" "AFTER" "HOURS()" "MINUTES()" "SECONDS()"
        "AT" "ERRTERM()" "TITLE()" "LIST()" "OPCLASS()" "REQID()" "LDC()" "NLEOM";
    0x1808 eibfn "SEND PAGE" "SEND" ["PAGE"] "PAGE" "RELEASE" "RETAIN" "TRANSID()" "TRAILER()"
        "SET()" "AUTOPAGE" "CURRENT" "ALL" "NOAUTOPAGE" "OPERPURGE" "FMHPARM()" "LAST";
    0x1810 eibfn "SEND PARTNSET" "SEND" ["PARTNSET"] "PARTNSET()";
};

/// Terminal control of other devices than displays, not supported.
pub(super) const TERMINALS: &[Command] = later! { Terminals until
    "terminals are displays: there are no printers, logons or controllers with programs";
    0x043C eibfn "EXTRACT LOGONMSG" "EXTRACT" ["LOGONMSG"] "LOGONMSG" "INTO()" "SET()" "LENGTH()";
    0x040A eibfn "ISSUE COPY" "ISSUE" ["COPY"] "COPY" "TERMID()" "CTLCHAR()" "WAIT";
    0x041A eibfn "ISSUE ENDFILE" "ISSUE" ["ENDFILE"] "ENDFILE" "ENDOUTPUT";
    0x0416 eibfn "ISSUE ENDOUTPUT" "ISSUE" ["ENDOUTPUT"] "ENDOUTPUT" "ENDFILE";
    0x0408 eibfn "ISSUE EODS" "ISSUE" ["EODS"] "EODS";
    0x040E eibfn "ISSUE LOAD" "ISSUE" ["LOAD"] "LOAD" "PROGRAM()" "CONVERSE";
    0x043A eibfn "ISSUE PASS" "ISSUE" ["PASS"] "PASS" "LUNAME()" "FROM()" "LENGTH()" "LOGMODE()"
        "LOGONLOGMODE" "NOQUIESCE";
    0x041C eibfn "ISSUE PRINT" "ISSUE" ["PRINT"] "PRINT";
};

/// Conversations of other kinds than ours.
pub(super) const OTHER_CONVERSATIONS: &[Command] = later! { Terminals because
    "conversations are those of LU 6.2 with sync level 0 or 1, not of LU 6.1, MRO or sync level 2: CONNECT PROCESS and EXTRACT PROCESS begin them";
    0x0426 eibfn "BUILD ATTACH" "BUILD" ["ATTACH"] "ATTACH" "ATTACHID()" "PROCESS()" "RESOURCE()"
        "RPROCESS()" "RRESOURCE()" "QUEUE()" "IUTYPE()" "DATASTR()" "RECFM()";
    0x0428 eibfn "EXTRACT ATTACH" "EXTRACT" ["ATTACH"] "ATTACH" "ATTACHID()" "CONVID()" "SESSION()"
        "PROCESS()" "RESOURCE()" "RPROCESS()" "RRESOURCE()" "QUEUE()" "IUTYPE()" "DATASTR()"
        "RECFM()";
    0x042A eibfn "EXTRACT TCT" "EXTRACT" ["TCT"] "TCT" "NETNAME()" "SYSID()" "TERMID()";
    0x0438 eibfn "ISSUE PREPARE" "ISSUE" ["PREPARE"] "PREPARE" "CONVID()" "STATE()";
    0x0424 eibfn "POINT" "POINT" [] "CONVID()" "SESSION()";
};

/// Batch data interchange, not yet supported.
pub(super) const BATCH_DATA: &[Command] = later! { BatchData because
    "it is for terminals of LU type 4: extrapartition queues and the spool take and give data sets";
    0x1E08 eibfn "ISSUE ABORT" "ISSUE" ["ABORT"] "ABORT" "DESTID()" "DESTIDLENG()" "SUBADDR()"
        "CONSOLE" "PRINT" "CARD" "WPMEDIA1" "WPMEDIA2" "WPMEDIA3" "WPMEDIA4" "VOLUME()"
        "VOLUMELENG()";
    0x1E02 eibfn "ISSUE ADD" "ISSUE" ["ADD"] "ADD" "DESTID()" "DESTIDLENG()" "VOLUME()"
        "VOLUMELENG()" "FROM()" "LENGTH()" "NUMREC()" "DEFRESP" "NOWAIT" "RIDFLD()" "RRN";
    0x1E0C eibfn "ISSUE END" "ISSUE" ["END"] "END" "DESTID()" "DESTIDLENG()" "SUBADDR()" "CONSOLE"
        "PRINT" "CARD" "WPMEDIA1" "WPMEDIA2" "WPMEDIA3" "WPMEDIA4" "VOLUME()" "VOLUMELENG()";
    0x1E04 eibfn "ISSUE ERASE" "ISSUE" ["ERASE"] "ERASE" "DESTID()" "DESTIDLENG()" "VOLUME()"
        "VOLUMELENG()" "RIDFLD()" "KEYLENGTH()" "KEYNUMBER()" "NUMREC()" "RRN" "DEFRESP" "NOWAIT";
    0x1E10 eibfn "ISSUE NOTE" "ISSUE" ["NOTE"] "NOTE" "DESTID()" "DESTIDLENG()" "VOLUME()"
        "VOLUMELENG()" "RIDFLD()" "RRN";
    0x1E0A eibfn "ISSUE QUERY" "ISSUE" ["QUERY"] "QUERY" "DESTID()" "DESTIDLENG()" "VOLUME()"
        "VOLUMELENG()";
    0x1E0E eibfn "ISSUE RECEIVE" "ISSUE" ["RECEIVE"] "RECEIVE" "INTO()" "SET()" "LENGTH()";
    0x1E06 eibfn "ISSUE REPLACE" "ISSUE" ["REPLACE"] "REPLACE" "DESTID()" "DESTIDLENG()" "VOLUME()"
        "VOLUMELENG()" "FROM()" "LENGTH()" "NUMREC()" "RIDFLD()" "KEYLENGTH()" "KEYNUMBER()" "RRN"
        "DEFRESP" "NOWAIT";
    0x1E14 eibfn "ISSUE SEND" "ISSUE" ["SEND"] "SEND" "DESTID()" "DESTIDLENG()" "SUBADDR()"
        "CONSOLE" "PRINT" "CARD" "WPMEDIA1" "WPMEDIA2" "WPMEDIA3" "WPMEDIA4" "VOLUME()"
        "VOLUMELENG()" "FROM()" "LENGTH()";
    0x1E12 eibfn "ISSUE WAIT" "ISSUE" ["WAIT"] "WAIT" "DESTID()" "DESTIDLENG()" "SUBADDR()"
        "CONSOLE" "PRINT" "CARD" "WPMEDIA1" "WPMEDIA2" "WPMEDIA3" "WPMEDIA4" "VOLUME()"
        "VOLUMELENG()";
};
