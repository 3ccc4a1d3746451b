//! What is told of the region's journals, data sets, connections and
//! settings, and what is changed of them.
//!
//! An option that has no meaning here is in its row and answers INVREQ: the
//! translator warns of it.
//!
//! Reference: CICS system programming reference, the commands' own pages.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::inquire_journalmodel::ROW,
    rows::inquire_journalname::ROW,
    rows::set_journalname::ROW,
    rows::inquire_dsname::ROW,
    rows::inquire_connection::ROW,
    rows::set_connection::ROW,
    rows::inquire_monitor::ROW,
    rows::set_monitor::ROW,
    rows::inquire_dispatcher::ROW,
    rows::set_dispatcher::ROW,
    rows::set_system::ROW,
    rows::set_program::ROW,
    rows::inquire_statistics::ROW,
    rows::set_statistics::ROW,
    rows::perform_statistics::ROW,
    rows::inquire_tracedest::ROW,
    rows::set_tracedest::ROW,
    rows::inquire_trandumpcode::ROW,
    rows::set_trandumpcode::ROW,
];

pub(super) mod rows {
    command! {
        /// Tells of a journal model.
        inquire_journalmodel 0x8A68 own "INQUIRE JOURNALMODEL" "INQUIRE" ["JOURNALMODEL"] System Region;
        browse JOURNALMODEL AT(Name(8));
        output CHANGEAGENT(Argument::Any);
        output CHANGEAGREL(Argument::Any);
        output CHANGETIME(Argument::Any);
        output CHANGEUSRID(Argument::Any);
        output DEFINESOURCE(Argument::Any);
        output DEFINETIME(Argument::Any);
        output INSTALLAGENT(Argument::Any);
        output INSTALLTIME(Argument::Any);
        output INSTALLUSRID(Argument::Any);
        output JOURNALNAME(Chars(8));
        output STREAMNAME(Chars(26));
        output TYPE(Cvda);
        @rules
            Rule::Unserved(&["CHANGEAGENT", "CHANGEAGREL", "CHANGETIME", "CHANGEUSRID", "DEFINESOURCE", "DEFINETIME", "INSTALLAGENT", "INSTALLTIME", "INSTALLUSRID"], Condition::InvReq);
        @conditions End(2), Illogic(1), InvReq(1), NotFnd(1);
    }

    command! {
        /// Tells of a journal that was written to.
        inquire_journalname 0x8A69 0x6012 "INQUIRE JOURNALNAME" "INQUIRE" ["JOURNALNAME"] System Region;
        browse JOURNALNAME AT(Name(8));
        output STATUS(Cvda);
        output STREAMNAME(Chars(26));
        output TYPE(Cvda);
        @conditions End(2), Illogic(1), InvReq(1), JidErr(1);
    }

    command! {
        /// Enables, disables, flushes or forgets a journal.
        set_journalname 0x8AC1 0x6014 "SET JOURNALNAME" "SET" ["JOURNALNAME"] System Region;
        input JOURNALNAME(Name(8)) [required];
        input ACTION(Cvda);
        flag FLUSH;
        flag RESET;
        input STATUS(Cvda);
        flag DISABLED;
        flag ENABLED;
        @conditions InvReq(2, 3), IoErr, JidErr(1);
    }

    command! {
        /// Tells of a data set that files name.
        inquire_dsname 0x8A57 0x7A02 "INQUIRE DSNAME" "INQUIRE" ["DSNAME"] System Region;
        browse DSNAME AT(Name(44));
        output ACCESSMETHOD(Cvda);
        output AVAILABILITY(Cvda);
        output BACKUPTYPE(Argument::Any);
        output BASEDSNAME(Chars(44));
        output FILECOUNT(Fullword);
        output FWDRECOVLOG(Argument::Any);
        output FWDRECOVLSN(Argument::Any);
        output OBJECT(Cvda);
        output LOGREPSTATUS(Argument::Any);
        output LOSTLOCKS(Cvda);
        output QUIESCESTATE(Cvda);
        output RECOVSTATUS(Cvda);
        output RETLOCKS(Cvda);
        output VALIDITY(Cvda);
        @rules
            Rule::Unserved(&["BACKUPTYPE", "FWDRECOVLOG", "FWDRECOVLSN", "LOGREPSTATUS"], Condition::InvReq);
        @conditions End(2), Illogic(1), DsnNotFound(1), InvReq(1);
    }

    command! {
        /// Tells of a partner that a SYSID names.
        inquire_connection 0x8A4F 0x5802 "INQUIRE CONNECTION" "INQUIRE" ["CONNECTION"] System Region;
        browse CONNECTION AT(Name(4));
        output ACCESSMETHOD(Cvda);
        output ACQSTATUS(Cvda);
        output AIDCOUNT(Argument::Any);
        output AUTOCONNECT(Argument::Any);
        output CHANGEAGENT(Argument::Any);
        output CHANGEAGREL(Argument::Any);
        output CHANGETIME(Argument::Any);
        output CHANGEUSRID(Argument::Any);
        output CONNSTATUS(Cvda);
        output CONNTYPE(Cvda);
        output CQP(Argument::Any);
        output DEFINESOURCE(Argument::Any);
        output DEFINETIME(Argument::Any);
        output EXITTRACING(Argument::Any);
        output GRNAME(Argument::Any);
        output INSTALLAGENT(Argument::Any);
        output INSTALLTIME(Argument::Any);
        output INSTALLUSRID(Argument::Any);
        output LINKSYSTEM(Argument::Any);
        output MEMBERNAME(Argument::Any);
        output NETNAME(Chars(8));
        output NQNAME(Argument::Any);
        output PENDSTATUS(Argument::Any);
        output PROTOCOL(Cvda);
        output RECEIVECOUNT(Argument::Any);
        output RECOVSTATUS(Cvda);
        output REMOTENAME(Chars(4));
        output REMOTESYSNET(Argument::Any);
        output REMOTESYSTEM(Chars(4));
        output SENDCOUNT(Argument::Any);
        output SERVSTATUS(Cvda);
        output XLNSTATUS(Argument::Any);
        output ZCPTRACING(Argument::Any);
        @rules
            Rule::Unserved(&["AIDCOUNT", "AUTOCONNECT", "CHANGEAGENT", "CHANGEAGREL", "CHANGETIME", "CHANGEUSRID", "CQP", "DEFINESOURCE", "DEFINETIME", "EXITTRACING", "GRNAME", "INSTALLAGENT", "INSTALLTIME", "INSTALLUSRID", "LINKSYSTEM", "MEMBERNAME", "NQNAME", "PENDSTATUS", "RECEIVECOUNT", "REMOTESYSNET", "SENDCOUNT", "XLNSTATUS", "ZCPTRACING"], Condition::InvReq);
        @conditions End(2), Illogic(1), InvReq(1), SysIdErr(1);
    }

    command! {
        /// Acquires sessions with a partner.
        set_connection 0x8ADC 0x5804 "SET CONNECTION" "SET" ["CONNECTION"] System Region;
        input CONNECTION(Name(4)) [required];
        input ACQSTATUS(Argument::Any);
        input AFFINITY(Argument::Any);
        input CONNSTATUS(Cvda);
        flag ACQUIRED;
        flag RELEASED;
        input SERVSTATUS(Argument::Any);
        flag INSERVICE;
        flag OUTSERVICE;
        flag GOINGOUT;
        input PENDSTATUS(Argument::Any);
        flag NOTPENDING;
        input PURGETYPE(Argument::Any);
        flag CANCEL;
        flag FORCECANCEL;
        flag KILL;
        flag PURGE;
        flag FORCEPURGE;
        input UOWACTION(Argument::Any);
        input RECOVSTATUS(Argument::Any);
        flag NORECOVDATA;
        flag ENDAFFINITY;
        input ZCPTRACING(Argument::Any);
        flag EXITTRACE;
        flag NOEXITTRACE;
        @rules
            Rule::Unserved(&["ACQSTATUS", "AFFINITY", "RELEASED", "SERVSTATUS", "INSERVICE", "OUTSERVICE", "GOINGOUT", "PENDSTATUS", "NOTPENDING", "PURGETYPE", "CANCEL", "FORCECANCEL", "KILL", "PURGE", "FORCEPURGE", "UOWACTION", "RECOVSTATUS", "NORECOVDATA", "ENDAFFINITY", "ZCPTRACING", "EXITTRACE", "NOEXITTRACE"], Condition::InvReq);
        @conditions InvReq(1, 2, 4), SysIdErr(1, 9);
    }

    command! {
        /// Tells how tasks are monitored.
        inquire_monitor 0x8A6F 0x7012 "INQUIRE MONITOR" "INQUIRE" ["MONITOR"] System Region;
        flag MONITOR;
        output APPLNAMEST(Argument::Any);
        output COMPRESSST(Cvda);
        output CONVERSEST(Cvda);
        output DPLLIMIT(Argument::Any);
        output EXCEPTCLASS(Cvda);
        output FILELIMIT(Argument::Any);
        output FREQUENCY(Argument::Any);
        output IDNTYCLASS(Cvda);
        output PERFCLASS(Cvda);
        output RESRCECLASS(Cvda);
        output RMIST(Argument::Any);
        output STATUS(Cvda);
        output SYNCPOINTST(Cvda);
        output TIME(Argument::Any);
        output TSQUEUELIMIT(Argument::Any);
        output URIMAPLIMIT(Argument::Any);
        output WEBSERVLIMIT(Argument::Any);
        output FREQUENCYHRS(Argument::Any);
        output FREQUENCYMINS(Argument::Any);
        output FREQUENCYSECS(Argument::Any);
        @rules
            Rule::Unserved(&["APPLNAMEST", "DPLLIMIT", "FILELIMIT", "FREQUENCY", "RMIST", "TIME", "TSQUEUELIMIT", "URIMAPLIMIT", "WEBSERVLIMIT", "FREQUENCYHRS", "FREQUENCYMINS", "FREQUENCYSECS"], Condition::InvReq);
        @conditions InvReq(1);
    }

    command! {
        /// Starts and stops the monitoring of tasks.
        set_monitor 0x8AE9 0x7014 "SET MONITOR" "SET" ["MONITOR"] System Region;
        flag MONITOR;
        input APPLNAMEST(Argument::Any);
        input COMPRESSST(Argument::Any);
        input CONVERSEST(Argument::Any);
        input DPLLIMIT(Argument::Any);
        input EXCEPTCLASS(Argument::Any);
        input FILELIMIT(Argument::Any);
        input FREQUENCY(Argument::Any);
        input FREQUENCYHRS(Argument::Any);
        input FREQUENCYMINS(Argument::Any);
        input FREQUENCYSECS(Argument::Any);
        input IDNTYCLASS(Argument::Any);
        input PERFCLASS(Cvda);
        input RESRCECLASS(Argument::Any);
        input RMIST(Argument::Any);
        input STATUS(Cvda);
        flag ON;
        flag OFF;
        input SYNCPOINTST(Argument::Any);
        input TSQUEUELIMIT(Argument::Any);
        input URIMAPLIMIT(Argument::Any);
        input WEBSERVLIMIT(Argument::Any);
        @rules
            Rule::Unserved(&["APPLNAMEST", "COMPRESSST", "CONVERSEST", "DPLLIMIT", "EXCEPTCLASS", "FILELIMIT", "FREQUENCY", "FREQUENCYHRS", "FREQUENCYMINS", "FREQUENCYSECS", "IDNTYCLASS", "RESRCECLASS", "RMIST", "SYNCPOINTST", "TSQUEUELIMIT", "URIMAPLIMIT", "WEBSERVLIMIT"], Condition::InvReq);
        @conditions InvReq(1, 2);
    }

    command! {
        /// Tells of dispatching.
        inquire_dispatcher 0x8A55 own "INQUIRE DISPATCHER" "INQUIRE" ["DISPATCHER"] System Region;
        flag DISPATCHER;
        output ACTOPENTCBS(Fullword);
        output ACTSSLTCBS(Argument::Any);
        output ACTTHRDTCBS(Argument::Any);
        output ACTXPTCBS(Argument::Any);
        output MAXOPENTCBS(Fullword);
        output MAXSSLTCBS(Argument::Any);
        output MAXTHRDTCBS(Argument::Any);
        output MAXXPTCBS(Argument::Any);
        output MROBATCH(Argument::Any);
        output PRTYAGING(Fullword);
        output RUNAWAY(Fullword);
        output SCANDELAY(Argument::Any);
        output SUBTASKS(Argument::Any);
        output TIME(Argument::Any);
        @rules
            Rule::Unserved(&["ACTSSLTCBS", "ACTTHRDTCBS", "ACTXPTCBS", "MAXSSLTCBS", "MAXTHRDTCBS", "MAXXPTCBS", "MROBATCH", "SCANDELAY", "SUBTASKS", "TIME"], Condition::InvReq);
        @conditions InvReq(1);
    }

    command! {
        /// Changes dispatching.
        set_dispatcher 0x8AB8 own "SET DISPATCHER" "SET" ["DISPATCHER"] System Region;
        flag DISPATCHER;
        input MAXOPENTCBS(Argument::Any);
        input MAXSSLTCBS(Argument::Any);
        input MAXXPTCBS(Argument::Any);
        input MROBATCH(Argument::Any);
        input PRTYAGING(Fullword);
        input RUNAWAY(Fullword);
        input SCANDELAY(Argument::Any);
        input TIME(Argument::Any);
        @rules
            Rule::Unserved(&["MAXOPENTCBS", "MAXSSLTCBS", "MAXXPTCBS", "MROBATCH", "SCANDELAY", "TIME"], Condition::InvReq);
        @conditions InvReq(1, 4);
    }

    command! {
        /// Changes the region.
        set_system 0x8AC4 0x5404 "SET SYSTEM" "SET" ["SYSTEM"] System Region;
        flag SYSTEM;
        input AKP(Argument::Any);
        input DEBUGTOOL(Argument::Any);
        flag DEBUG;
        flag NODEBUG;
        input DSALIMIT(Argument::Any);
        input DSRTPROGRAM(Argument::Any);
        input DTRPROGRAM(Argument::Any);
        input DUMPING(Argument::Any);
        flag NOSYSDUMP;
        flag TABLEONLY;
        flag SYSDUMP;
        input EDSALIMIT(Argument::Any);
        input FORCEQR(Argument::Any);
        flag FORCE;
        flag NOFORCE;
        input GMMTEXT(Argument::Any);
        input GMMLENGTH(Argument::Any);
        input LOGDEFER(Argument::Any);
        input MAXTASKS(Fullword);
        input NEWMAXTASKS(Argument::Any);
        input MROBATCH(Argument::Any);
        input PROGAUTOCTLG(Argument::Any);
        flag CTLGALL;
        flag CTLGMODIFY;
        flag CTLGNONE;
        input PROGAUTOEXIT(Argument::Any);
        input PROGAUTOINST(Argument::Any);
        flag AUTOACTIVE;
        flag AUTOINACTIVE;
        input PRTYAGING(Fullword);
        input RUNAWAY(Fullword);
        input SCANDELAY(Argument::Any);
        input TIME(Argument::Any);
        @rules
            Rule::Unserved(&["AKP", "DEBUGTOOL", "DEBUG", "NODEBUG", "DSALIMIT", "DSRTPROGRAM", "DTRPROGRAM", "DUMPING", "NOSYSDUMP", "TABLEONLY", "SYSDUMP", "EDSALIMIT", "FORCEQR", "FORCE", "NOFORCE", "GMMTEXT", "GMMLENGTH", "LOGDEFER", "NEWMAXTASKS", "MROBATCH", "PROGAUTOCTLG", "CTLGALL", "CTLGMODIFY", "CTLGNONE", "PROGAUTOEXIT", "PROGAUTOINST", "AUTOACTIVE", "AUTOINACTIVE", "SCANDELAY", "TIME"], Condition::InvReq);
        @conditions InvReq(1, 4);
    }

    command! {
        /// Enables or disables a program, or takes its newest version.
        set_program 0x8AEF 0x4E04 "SET PROGRAM" "SET" ["PROGRAM"] System Region;
        input PROGRAM(Name(8)) [required];
        input CEDFSTATUS(Argument::Any);
        flag CEDF;
        flag NOCEDF;
        input COPY(Cvda);
        flag NEWCOPY;
        flag PHASEIN;
        input EXECUTIONSET(Cvda);
        flag DPLSUBSET;
        flag FULLAPI;
        input JVMCLASS(Argument::Any);
        input JVMPROFILE(Argument::Any);
        input RUNTIME(Argument::Any);
        flag JVM;
        flag NOJVM;
        input OPERATION(Argument::Any);
        input PRIORITY(Argument::Any);
        input SHARESTATUS(Argument::Any);
        flag PRIVATE;
        flag SHARED;
        input STATUS(Cvda);
        flag ENABLED;
        flag DISABLED;
        input VERSION(Argument::Any);
        @rules
            Rule::Unserved(&["CEDFSTATUS", "CEDF", "NOCEDF", "DPLSUBSET", "JVMCLASS", "JVMPROFILE", "RUNTIME", "JVM", "NOJVM", "OPERATION", "PRIORITY", "SHARESTATUS", "PRIVATE", "SHARED", "VERSION"], Condition::InvReq);
        @conditions InvReq(1, 2, 5), PgmIdErr(7);
    }

    command! {
        /// Tells how statistics are recorded.
        inquire_statistics 0x8A84 0x7002 "INQUIRE STATISTICS" "INQUIRE" ["STATISTICS"] System Region;
        flag STATISTICS;
        output ENDOFDAY(HhMmSs);
        output ENDOFDAYHRS(Fullword);
        output ENDOFDAYMINS(Fullword);
        output ENDOFDAYSECS(Fullword);
        output INTERVAL(HhMmSs);
        output INTERVALHRS(Fullword);
        output INTERVALMINS(Fullword);
        output INTERVALSECS(Fullword);
        output NEXTTIME(HhMmSs);
        output NEXTTIMEHRS(Fullword);
        output NEXTTIMEMINS(Fullword);
        output NEXTTIMESECS(Fullword);
        output RECORDING(Cvda);
        @conditions InvReq(1);
    }

    command! {
        /// Changes when statistics are recorded. They are from the first of
        /// these commands on, as lines of the log; the counters count on.
        set_statistics 0x8AF0 0x7004 "SET STATISTICS" "SET" ["STATISTICS"] System Region;
        flag STATISTICS;
        input ENDOFDAY(HhMmSs);
        input ENDOFDAYHRS(Fullword);
        input ENDOFDAYMINS(Fullword);
        input ENDOFDAYSECS(Fullword);
        input INTERVAL(HhMmSs);
        input INTERVALHRS(Fullword);
        input INTERVALMINS(Fullword);
        input INTERVALSECS(Fullword);
        input RECORDING(Cvda);
        flag ON;
        flag OFF;
        flag RECORDNOW;
        flag RESETNOW;
        @rules
            Rule::AtMostOne(&["RECORDING", "ON", "OFF"]),
            Rule::AtMostOne(&["RECORDNOW", "RESETNOW"]),
            Rule::Excludes("ENDOFDAY", &["ENDOFDAYHRS", "ENDOFDAYMINS", "ENDOFDAYSECS"]),
            Rule::Excludes("INTERVAL", &["INTERVALHRS", "INTERVALMINS", "INTERVALSECS"]),
            Rule::Unserved(&["RESETNOW"], Condition::InvReq);
        @conditions InvReq(1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    command! {
        /// Records statistics.
        perform_statistics 0x8AB2 0x7006 "PERFORM STATISTICS" "PERFORM" ["STATISTICS"] System Region;
        flag STATISTICS;
        flag RECORD;
        flag ALL;
        flag RESETNOW;
        flag ASYNCSERVICE;
        flag ATOMSERVICE;
        flag AUTOINSTALL;
        flag BUNDLE;
        flag CAPTURESPEC;
        flag CONNECTION;
        flag DB2;
        flag DISPATCHER;
        flag DOCTEMPLATE;
        flag ENQUEUE;
        flag EPADAPTER;
        flag EVENTBINDING;
        flag EVENTPROCESS;
        flag FEPI;
        flag FILE;
        flag IPCONN;
        flag JOURNALNAME;
        flag JOURNALNUM;
        flag JVMPROGRAM;
        flag JVMSERVER;
        flag LIBRARY;
        flag LSRPOOL;
        flag MONITOR;
        flag MQCONN;
        flag MQMONITOR;
        flag NODEJSAPP;
        flag PIPELINE;
        flag POLICY;
        flag PROGAUTO;
        flag PROGRAM;
        flag PROGRAMDEF;
        flag RECOVERY;
        flag SECURITY;
        flag STATS;
        flag STORAGE;
        flag STREAMNAME;
        flag SYSDUMP;
        flag TABLEMGR;
        flag TCPIP;
        flag TCPIPSERVICE;
        flag TDQUEUE;
        flag TERMINAL;
        flag TRANCLASS;
        flag TCLASS;
        flag TRANDUMP;
        flag TRANSACTION;
        flag TSQUEUE;
        flag URIMAP;
        flag USER;
        flag VTAM;
        flag WEBSERVICE;
        flag XMLTRANSFORM;
        @conditions InvReq(1, 2);
    }

    command! {
        /// Tells where the trace goes.
        inquire_tracedest 0x8A93 0x7802 "INQUIRE TRACEDEST" "INQUIRE" ["TRACEDEST"] System Region;
        flag TRACEDEST;
        output AUXSTATUS(Cvda);
        output CURAUXDS(Argument::Any);
        output GTFSTATUS(Cvda);
        output INTSTATUS(Cvda);
        output SWITCHSTATUS(Cvda);
        output TABLESIZE(Fullword);
        @rules
            Rule::Unserved(&["CURAUXDS"], Condition::InvReq);
        @conditions InvReq(1);
    }

    command! {
        /// Starts and stops the writing of the trace to a file.
        set_tracedest 0x8ACC 0x7804 "SET TRACEDEST" "SET" ["TRACEDEST"] System Region;
        flag TRACEDEST;
        input AUXSTATUS(Cvda);
        flag AUXPAUSE;
        flag AUXSTART;
        flag AUXSTOP;
        input GTFSTATUS(Argument::Any);
        flag GTFSTART;
        flag GTFSTOP;
        input INTSTATUS(Cvda);
        flag INTSTART;
        flag INTSTOP;
        input SWITCHACTION(Argument::Any);
        flag SWITCH;
        input SWITCHSTATUS(Argument::Any);
        flag NOSWITCH;
        flag SWITCHNEXT;
        flag SWITCHALL;
        input TABLESIZE(Argument::Any);
        @rules
            Rule::Unserved(&["GTFSTATUS", "GTFSTART", "GTFSTOP", "INTSTOP", "SWITCHACTION", "SWITCH", "SWITCHSTATUS", "NOSWITCH", "SWITCHNEXT", "SWITCHALL", "TABLESIZE"], Condition::InvReq);
        @conditions InvReq(1, 3), IoErr;
    }

    command! {
        /// Tells of a transaction dump code.
        inquire_trandumpcode 0x8A97 0x6612 "INQUIRE TRANDUMPCODE" "INQUIRE" ["TRANDUMPCODE"] System Region;
        browse TRANDUMPCODE AT(Name(4));
        output CHANGEAGENT(Argument::Any);
        output CHANGEAGREL(Argument::Any);
        output CHANGETIME(Argument::Any);
        output CHANGEUSRID(Argument::Any);
        output CURRENT(Fullword);
        output DEFINESOURCE(Argument::Any);
        output DEFINETIME(Argument::Any);
        output DUMPSCOPE(Cvda);
        output INSTALLAGENT(Argument::Any);
        output INSTALLTIME(Argument::Any);
        output INSTALLUSRID(Argument::Any);
        output MAXIMUM(Fullword);
        output SHUTOPTION(Cvda);
        output SYSDUMPING(Cvda);
        output TRANDUMPING(Cvda);
        @rules
            Rule::Unserved(&["CHANGEAGENT", "CHANGEAGREL", "CHANGETIME", "CHANGEUSRID", "DEFINESOURCE", "DEFINETIME", "INSTALLAGENT", "INSTALLTIME", "INSTALLUSRID"], Condition::InvReq);
        @conditions End(2), Illogic(1), InvReq(1), NotFnd(1);
    }

    command! {
        /// Says whether a dump code makes dumps, and how many.
        set_trandumpcode 0x8AD0 0x6614 "SET TRANDUMPCODE" "SET" ["TRANDUMPCODE"] System Region;
        input TRANDUMPCODE(Name(4)) [required];
        input ACTION(Cvda);
        flag ADD;
        flag REMOVE;
        flag RESET;
        input DUMPSCOPE(Argument::Any);
        flag LOCAL;
        flag RELATED;
        input MAXIMUM(Fullword);
        input SHUTOPTION(Cvda);
        flag NOSHUTDOWN;
        flag SHUTDOWN;
        input SYSDUMPING(Cvda);
        flag NOSYSDUMP;
        flag SYSDUMP;
        input TRANDUMPING(Cvda);
        flag NOTRANDUMP;
        flag TRANDUMP;
        @rules
            Rule::Unserved(&["DUMPSCOPE", "LOCAL", "RELATED", "SHUTDOWN", "SYSDUMP"], Condition::InvReq);
        @conditions DupRec(10), InvReq(2, 4, 5, 7, 8, 9), NotFnd(1);
    }
}
