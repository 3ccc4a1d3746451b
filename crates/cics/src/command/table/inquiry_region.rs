//! Commands that inquire about the region's journals, data sets, connections and
//! settings, and change them.
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
        /// Returns attributes of a journal model.
        inquire_journalmodel 0x8A68 own "INQUIRE JOURNALMODEL" "INQUIRE" ["JOURNALMODEL"] System Region;
        browse JOURNALMODEL AT(Name(8));
        output CHANGEAGENT(OptionArgument::Any);
        output CHANGEAGREL(OptionArgument::Any);
        output CHANGETIME(OptionArgument::Any);
        output CHANGEUSRID(OptionArgument::Any);
        output DEFINESOURCE(OptionArgument::Any);
        output DEFINETIME(OptionArgument::Any);
        output INSTALLAGENT(OptionArgument::Any);
        output INSTALLTIME(OptionArgument::Any);
        output INSTALLUSRID(OptionArgument::Any);
        output JOURNALNAME(Chars(8));
        output STREAMNAME(Chars(26));
        output TYPE(Cvda);
        @rules
            OptionRule::Unserved(&["CHANGEAGENT", "CHANGEAGREL", "CHANGETIME", "CHANGEUSRID", "DEFINESOURCE", "DEFINETIME", "INSTALLAGENT", "INSTALLTIME", "INSTALLUSRID"], Condition::InvReq);
        @conditions End(2), Illogic(1), InvReq(1), NotFnd(1);
    }

    command! {
        /// Returns attributes of a journal that was written to.
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
        /// Returns attributes of a data set that files name.
        inquire_dsname 0x8A57 0x7A02 "INQUIRE DSNAME" "INQUIRE" ["DSNAME"] System Region;
        browse DSNAME AT(Name(44));
        output ACCESSMETHOD(Cvda);
        output AVAILABILITY(Cvda);
        output BACKUPTYPE(OptionArgument::Any);
        output BASEDSNAME(Chars(44));
        output FILECOUNT(Fullword);
        output FWDRECOVLOG(OptionArgument::Any);
        output FWDRECOVLSN(OptionArgument::Any);
        output OBJECT(Cvda);
        output LOGREPSTATUS(OptionArgument::Any);
        output LOSTLOCKS(Cvda);
        output QUIESCESTATE(Cvda);
        output RECOVSTATUS(Cvda);
        output RETLOCKS(Cvda);
        output VALIDITY(Cvda);
        @rules
            OptionRule::Unserved(&["BACKUPTYPE", "FWDRECOVLOG", "FWDRECOVLSN", "LOGREPSTATUS"], Condition::InvReq);
        @conditions End(2), Illogic(1), DsnNotFound(1), InvReq(1);
    }

    command! {
        /// Returns attributes of a partner that a SYSID names.
        inquire_connection 0x8A4F 0x5802 "INQUIRE CONNECTION" "INQUIRE" ["CONNECTION"] System Region;
        browse CONNECTION AT(Name(4));
        output ACCESSMETHOD(Cvda);
        output ACQSTATUS(Cvda);
        output AIDCOUNT(OptionArgument::Any);
        output AUTOCONNECT(OptionArgument::Any);
        output CHANGEAGENT(OptionArgument::Any);
        output CHANGEAGREL(OptionArgument::Any);
        output CHANGETIME(OptionArgument::Any);
        output CHANGEUSRID(OptionArgument::Any);
        output CONNSTATUS(Cvda);
        output CONNTYPE(Cvda);
        output CQP(OptionArgument::Any);
        output DEFINESOURCE(OptionArgument::Any);
        output DEFINETIME(OptionArgument::Any);
        output EXITTRACING(OptionArgument::Any);
        output GRNAME(OptionArgument::Any);
        output INSTALLAGENT(OptionArgument::Any);
        output INSTALLTIME(OptionArgument::Any);
        output INSTALLUSRID(OptionArgument::Any);
        output LINKSYSTEM(OptionArgument::Any);
        output MEMBERNAME(OptionArgument::Any);
        output NETNAME(Chars(8));
        output NQNAME(OptionArgument::Any);
        output PENDSTATUS(OptionArgument::Any);
        output PROTOCOL(Cvda);
        output RECEIVECOUNT(OptionArgument::Any);
        output RECOVSTATUS(Cvda);
        output REMOTENAME(Chars(4));
        output REMOTESYSNET(OptionArgument::Any);
        output REMOTESYSTEM(Chars(4));
        output SENDCOUNT(OptionArgument::Any);
        output SERVSTATUS(Cvda);
        output XLNSTATUS(OptionArgument::Any);
        output ZCPTRACING(OptionArgument::Any);
        @rules
            OptionRule::Unserved(&["AIDCOUNT", "AUTOCONNECT", "CHANGEAGENT", "CHANGEAGREL", "CHANGETIME", "CHANGEUSRID", "CQP", "DEFINESOURCE", "DEFINETIME", "EXITTRACING", "GRNAME", "INSTALLAGENT", "INSTALLTIME", "INSTALLUSRID", "LINKSYSTEM", "MEMBERNAME", "NQNAME", "PENDSTATUS", "RECEIVECOUNT", "REMOTESYSNET", "SENDCOUNT", "XLNSTATUS", "ZCPTRACING"], Condition::InvReq);
        @conditions End(2), Illogic(1), InvReq(1), SysIdErr(1);
    }

    command! {
        /// Acquires sessions with a partner.
        set_connection 0x8ADC 0x5804 "SET CONNECTION" "SET" ["CONNECTION"] System Region;
        input CONNECTION(Name(4)) [required];
        input ACQSTATUS(OptionArgument::Any);
        input AFFINITY(OptionArgument::Any);
        input CONNSTATUS(Cvda);
        flag ACQUIRED;
        flag RELEASED;
        input SERVSTATUS(OptionArgument::Any);
        flag INSERVICE;
        flag OUTSERVICE;
        flag GOINGOUT;
        input PENDSTATUS(OptionArgument::Any);
        flag NOTPENDING;
        input PURGETYPE(OptionArgument::Any);
        flag CANCEL;
        flag FORCECANCEL;
        flag KILL;
        flag PURGE;
        flag FORCEPURGE;
        input UOWACTION(OptionArgument::Any);
        input RECOVSTATUS(OptionArgument::Any);
        flag NORECOVDATA;
        flag ENDAFFINITY;
        input ZCPTRACING(OptionArgument::Any);
        flag EXITTRACE;
        flag NOEXITTRACE;
        @rules
            OptionRule::Unserved(&["ACQSTATUS", "AFFINITY", "RELEASED", "SERVSTATUS", "INSERVICE", "OUTSERVICE", "GOINGOUT", "PENDSTATUS", "NOTPENDING", "PURGETYPE", "CANCEL", "FORCECANCEL", "KILL", "PURGE", "FORCEPURGE", "UOWACTION", "RECOVSTATUS", "NORECOVDATA", "ENDAFFINITY", "ZCPTRACING", "EXITTRACE", "NOEXITTRACE"], Condition::InvReq);
        @conditions InvReq(1, 2, 4), SysIdErr(1, 9);
    }

    command! {
        /// Returns the settings of monitoring.
        inquire_monitor 0x8A6F 0x7012 "INQUIRE MONITOR" "INQUIRE" ["MONITOR"] System Region;
        flag MONITOR;
        output APPLNAMEST(OptionArgument::Any);
        output COMPRESSST(Cvda);
        output CONVERSEST(Cvda);
        output DPLLIMIT(OptionArgument::Any);
        output EXCEPTCLASS(Cvda);
        output FILELIMIT(OptionArgument::Any);
        output FREQUENCY(OptionArgument::Any);
        output IDNTYCLASS(Cvda);
        output PERFCLASS(Cvda);
        output RESRCECLASS(Cvda);
        output RMIST(OptionArgument::Any);
        output STATUS(Cvda);
        output SYNCPOINTST(Cvda);
        output TIME(OptionArgument::Any);
        output TSQUEUELIMIT(OptionArgument::Any);
        output URIMAPLIMIT(OptionArgument::Any);
        output WEBSERVLIMIT(OptionArgument::Any);
        output FREQUENCYHRS(OptionArgument::Any);
        output FREQUENCYMINS(OptionArgument::Any);
        output FREQUENCYSECS(OptionArgument::Any);
        @rules
            OptionRule::Unserved(&["APPLNAMEST", "DPLLIMIT", "FILELIMIT", "FREQUENCY", "RMIST", "TIME", "TSQUEUELIMIT", "URIMAPLIMIT", "WEBSERVLIMIT", "FREQUENCYHRS", "FREQUENCYMINS", "FREQUENCYSECS"], Condition::InvReq);
        @conditions InvReq(1);
    }

    command! {
        /// Starts and stops the monitoring of tasks.
        set_monitor 0x8AE9 0x7014 "SET MONITOR" "SET" ["MONITOR"] System Region;
        flag MONITOR;
        input APPLNAMEST(OptionArgument::Any);
        input COMPRESSST(OptionArgument::Any);
        input CONVERSEST(OptionArgument::Any);
        input DPLLIMIT(OptionArgument::Any);
        input EXCEPTCLASS(OptionArgument::Any);
        input FILELIMIT(OptionArgument::Any);
        input FREQUENCY(OptionArgument::Any);
        input FREQUENCYHRS(OptionArgument::Any);
        input FREQUENCYMINS(OptionArgument::Any);
        input FREQUENCYSECS(OptionArgument::Any);
        input IDNTYCLASS(OptionArgument::Any);
        input PERFCLASS(Cvda);
        input RESRCECLASS(OptionArgument::Any);
        input RMIST(OptionArgument::Any);
        input STATUS(Cvda);
        flag ON;
        flag OFF;
        input SYNCPOINTST(OptionArgument::Any);
        input TSQUEUELIMIT(OptionArgument::Any);
        input URIMAPLIMIT(OptionArgument::Any);
        input WEBSERVLIMIT(OptionArgument::Any);
        @rules
            OptionRule::Unserved(&["APPLNAMEST", "COMPRESSST", "CONVERSEST", "DPLLIMIT", "EXCEPTCLASS", "FILELIMIT", "FREQUENCY", "FREQUENCYHRS", "FREQUENCYMINS", "FREQUENCYSECS", "IDNTYCLASS", "RESRCECLASS", "RMIST", "SYNCPOINTST", "TSQUEUELIMIT", "URIMAPLIMIT", "WEBSERVLIMIT"], Condition::InvReq);
        @conditions InvReq(1, 2);
    }

    command! {
        /// Returns the settings of dispatching.
        inquire_dispatcher 0x8A55 own "INQUIRE DISPATCHER" "INQUIRE" ["DISPATCHER"] System Region;
        flag DISPATCHER;
        output ACTOPENTCBS(Fullword);
        output ACTSSLTCBS(OptionArgument::Any);
        output ACTTHRDTCBS(OptionArgument::Any);
        output ACTXPTCBS(OptionArgument::Any);
        output MAXOPENTCBS(Fullword);
        output MAXSSLTCBS(OptionArgument::Any);
        output MAXTHRDTCBS(OptionArgument::Any);
        output MAXXPTCBS(OptionArgument::Any);
        output MROBATCH(OptionArgument::Any);
        output PRTYAGING(Fullword);
        output RUNAWAY(Fullword);
        output SCANDELAY(OptionArgument::Any);
        output SUBTASKS(OptionArgument::Any);
        output TIME(OptionArgument::Any);
        @rules
            OptionRule::Unserved(&["ACTSSLTCBS", "ACTTHRDTCBS", "ACTXPTCBS", "MAXSSLTCBS", "MAXTHRDTCBS", "MAXXPTCBS", "MROBATCH", "SCANDELAY", "SUBTASKS", "TIME"], Condition::InvReq);
        @conditions InvReq(1);
    }

    command! {
        /// Changes dispatching.
        set_dispatcher 0x8AB8 own "SET DISPATCHER" "SET" ["DISPATCHER"] System Region;
        flag DISPATCHER;
        input MAXOPENTCBS(OptionArgument::Any);
        input MAXSSLTCBS(OptionArgument::Any);
        input MAXXPTCBS(OptionArgument::Any);
        input MROBATCH(OptionArgument::Any);
        input PRTYAGING(Fullword);
        input RUNAWAY(Fullword);
        input SCANDELAY(OptionArgument::Any);
        input TIME(OptionArgument::Any);
        @rules
            OptionRule::Unserved(&["MAXOPENTCBS", "MAXSSLTCBS", "MAXXPTCBS", "MROBATCH", "SCANDELAY", "TIME"], Condition::InvReq);
        @conditions InvReq(1, 4);
    }

    command! {
        /// Changes the region.
        set_system 0x8AC4 0x5404 "SET SYSTEM" "SET" ["SYSTEM"] System Region;
        flag SYSTEM;
        input AKP(OptionArgument::Any);
        input DEBUGTOOL(OptionArgument::Any);
        flag DEBUG;
        flag NODEBUG;
        input DSALIMIT(OptionArgument::Any);
        input DSRTPROGRAM(OptionArgument::Any);
        input DTRPROGRAM(OptionArgument::Any);
        input DUMPING(OptionArgument::Any);
        flag NOSYSDUMP;
        flag TABLEONLY;
        flag SYSDUMP;
        input EDSALIMIT(OptionArgument::Any);
        input FORCEQR(OptionArgument::Any);
        flag FORCE;
        flag NOFORCE;
        input GMMTEXT(OptionArgument::Any);
        input GMMLENGTH(OptionArgument::Any);
        input LOGDEFER(OptionArgument::Any);
        input MAXTASKS(Fullword);
        input NEWMAXTASKS(OptionArgument::Any);
        input MROBATCH(OptionArgument::Any);
        input PROGAUTOCTLG(OptionArgument::Any);
        flag CTLGALL;
        flag CTLGMODIFY;
        flag CTLGNONE;
        input PROGAUTOEXIT(OptionArgument::Any);
        input PROGAUTOINST(OptionArgument::Any);
        flag AUTOACTIVE;
        flag AUTOINACTIVE;
        input PRTYAGING(Fullword);
        input RUNAWAY(Fullword);
        input SCANDELAY(OptionArgument::Any);
        input TIME(OptionArgument::Any);
        @rules
            OptionRule::Unserved(&["AKP", "DEBUGTOOL", "DEBUG", "NODEBUG", "DSALIMIT", "DSRTPROGRAM", "DTRPROGRAM", "DUMPING", "NOSYSDUMP", "TABLEONLY", "SYSDUMP", "EDSALIMIT", "FORCEQR", "FORCE", "NOFORCE", "GMMTEXT", "GMMLENGTH", "LOGDEFER", "NEWMAXTASKS", "MROBATCH", "PROGAUTOCTLG", "CTLGALL", "CTLGMODIFY", "CTLGNONE", "PROGAUTOEXIT", "PROGAUTOINST", "AUTOACTIVE", "AUTOINACTIVE", "SCANDELAY", "TIME"], Condition::InvReq);
        @conditions InvReq(1, 4);
    }

    command! {
        /// Enables or disables a program, or takes its newest version.
        set_program 0x8AEF 0x4E04 "SET PROGRAM" "SET" ["PROGRAM"] System Region;
        input PROGRAM(Name(8)) [required];
        input CEDFSTATUS(OptionArgument::Any);
        flag CEDF;
        flag NOCEDF;
        input COPY(Cvda);
        flag NEWCOPY;
        flag PHASEIN;
        input EXECUTIONSET(Cvda);
        flag DPLSUBSET;
        flag FULLAPI;
        input JVMCLASS(OptionArgument::Any);
        input JVMPROFILE(OptionArgument::Any);
        input RUNTIME(OptionArgument::Any);
        flag JVM;
        flag NOJVM;
        input OPERATION(OptionArgument::Any);
        input PRIORITY(OptionArgument::Any);
        input SHARESTATUS(OptionArgument::Any);
        flag PRIVATE;
        flag SHARED;
        input STATUS(Cvda);
        flag ENABLED;
        flag DISABLED;
        input VERSION(OptionArgument::Any);
        @rules
            OptionRule::Unserved(&["CEDFSTATUS", "CEDF", "NOCEDF", "DPLSUBSET", "JVMCLASS", "JVMPROFILE", "RUNTIME", "JVM", "NOJVM", "OPERATION", "PRIORITY", "SHARESTATUS", "PRIVATE", "SHARED", "VERSION"], Condition::InvReq);
        @conditions InvReq(1, 2, 5), PgmIdErr(7);
    }

    command! {
        /// Returns the settings of statistics.
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
        /// Changes when statistics are recorded. Statistics are recorded from the first of
        /// these commands on, as lines of the log; the counters are not reset.
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
            OptionRule::AtMostOne(&["RECORDING", "ON", "OFF"]),
            OptionRule::AtMostOne(&["RECORDNOW", "RESETNOW"]),
            OptionRule::Excludes("ENDOFDAY", &["ENDOFDAYHRS", "ENDOFDAYMINS", "ENDOFDAYSECS"]),
            OptionRule::Excludes("INTERVAL", &["INTERVALHRS", "INTERVALMINS", "INTERVALSECS"]),
            OptionRule::Unserved(&["RESETNOW"], Condition::InvReq);
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
        /// Returns the destination of the trace.
        inquire_tracedest 0x8A93 0x7802 "INQUIRE TRACEDEST" "INQUIRE" ["TRACEDEST"] System Region;
        flag TRACEDEST;
        output AUXSTATUS(Cvda);
        output CURAUXDS(OptionArgument::Any);
        output GTFSTATUS(Cvda);
        output INTSTATUS(Cvda);
        output SWITCHSTATUS(Cvda);
        output TABLESIZE(Fullword);
        @rules
            OptionRule::Unserved(&["CURAUXDS"], Condition::InvReq);
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
        input GTFSTATUS(OptionArgument::Any);
        flag GTFSTART;
        flag GTFSTOP;
        input INTSTATUS(Cvda);
        flag INTSTART;
        flag INTSTOP;
        input SWITCHACTION(OptionArgument::Any);
        flag SWITCH;
        input SWITCHSTATUS(OptionArgument::Any);
        flag NOSWITCH;
        flag SWITCHNEXT;
        flag SWITCHALL;
        input TABLESIZE(OptionArgument::Any);
        @rules
            OptionRule::Unserved(&["GTFSTATUS", "GTFSTART", "GTFSTOP", "INTSTOP", "SWITCHACTION", "SWITCH", "SWITCHSTATUS", "NOSWITCH", "SWITCHNEXT", "SWITCHALL", "TABLESIZE"], Condition::InvReq);
        @conditions InvReq(1, 3), IoErr;
    }

    command! {
        /// Returns attributes of a transaction dump code.
        inquire_trandumpcode 0x8A97 0x6612 "INQUIRE TRANDUMPCODE" "INQUIRE" ["TRANDUMPCODE"] System Region;
        browse TRANDUMPCODE AT(Name(4));
        output CHANGEAGENT(OptionArgument::Any);
        output CHANGEAGREL(OptionArgument::Any);
        output CHANGETIME(OptionArgument::Any);
        output CHANGEUSRID(OptionArgument::Any);
        output CURRENT(Fullword);
        output DEFINESOURCE(OptionArgument::Any);
        output DEFINETIME(OptionArgument::Any);
        output DUMPSCOPE(Cvda);
        output INSTALLAGENT(OptionArgument::Any);
        output INSTALLTIME(OptionArgument::Any);
        output INSTALLUSRID(OptionArgument::Any);
        output MAXIMUM(Fullword);
        output SHUTOPTION(Cvda);
        output SYSDUMPING(Cvda);
        output TRANDUMPING(Cvda);
        @rules
            OptionRule::Unserved(&["CHANGEAGENT", "CHANGEAGREL", "CHANGETIME", "CHANGEUSRID", "DEFINESOURCE", "DEFINETIME", "INSTALLAGENT", "INSTALLTIME", "INSTALLUSRID"], Condition::InvReq);
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
        input DUMPSCOPE(OptionArgument::Any);
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
            OptionRule::Unserved(&["DUMPSCOPE", "LOCAL", "RELATED", "SHUTDOWN", "SYSDUMP"], Condition::InvReq);
        @conditions DupRec(10), InvReq(2, 4, 5, 7, 8, 9), NotFnd(1);
    }
}
