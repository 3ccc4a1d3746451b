//! INQUIRE and SET of what the region serves: programs, files, transactions,
//! classes, tasks, the system.
//!
//! The resource's name has no argument in START and END of a browse. An option
//! that has no meaning here is in its row and answers INVREQ: the translator
//! warns of it.
//!
//! Reference: CICS system programming reference, the commands' own pages and
//! "Browsing resource definitions" for END, ILLOGIC and AT.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::inquire_program::ROW,
    rows::inquire_transaction::ROW,
    rows::inquire_tranclass::ROW,
    rows::inquire_file::ROW,
    rows::inquire_task::ROW,
    rows::inquire_system::ROW,
    rows::inquire_association::ROW,
    rows::set_task::ROW,
    rows::set_transaction::ROW,
    rows::set_tranclass::ROW,
    rows::set_file::ROW,
];

pub(super) mod rows {
    command! {
        /// Tells of a program.
        inquire_program 0x8A7F 0x4E02 "INQUIRE PROGRAM" "INQUIRE" ["PROGRAM"] System Region;
        browse PROGRAM AT(Name(8));
        output APIST(Cvda);
        output APPLICATION(Argument::Any);
        output APPLMAJORVER(Argument::Any);
        output APPLMINORVER(Argument::Any);
        output APPLMICROVER(Argument::Any);
        output CEDFSTATUS(Cvda);
        output CHANGEAGENT(Argument::Any);
        output CHANGEAGREL(Argument::Any);
        output CHANGETIME(Argument::Any);
        output CHANGEUSRID(Argument::Any);
        output COBOLTYPE(Cvda);
        output COPY(Cvda);
        output CONCURRENCY(Cvda);
        output DATALOCATION(Cvda);
        output DEFINESOURCE(Argument::Any);
        output DEFINETIME(Argument::Any);
        output DYNAMSTATUS(Cvda);
        output ENTRYPOINT(Argument::Any);
        output EXECKEY(Cvda);
        output EXECUTIONSET(Cvda);
        output HOLDSTATUS(Cvda);
        output INSTALLAGENT(Argument::Any);
        output INSTALLTIME(Argument::Any);
        output INSTALLUSRID(Argument::Any);
        output JVMCLASS(Argument::Any);
        output JVMPROFILE(Argument::Any);
        output JVMSERVER(Argument::Any);
        output LANGDEDUCED(Cvda);
        output LANGUAGE(Cvda);
        output LENGTH(Argument::Any);
        output LIBRARY(Argument::Any);
        output LIBRARYDSN(Argument::Any);
        output LOADPOINT(Argument::Any);
        output LPASTATUS(Cvda);
        output OPERATION(Argument::Any);
        output PLATFORM(Argument::Any);
        output PROGTYPE(Cvda);
        output REMOTENAME(Chars(8));
        output REMOTESYSTEM(Chars(4));
        output REPLICATION(Argument::Any);
        output RESIDENCY(Argument::Any);
        output RESCOUNT(Argument::Any);
        output RUNTIME(Cvda);
        output SHARESTATUS(Cvda);
        output STATUS(Cvda);
        output TRANSID(Chars(4));
        output USECOUNT(Fullword);
        @rules
            Rule::Unserved(
                &[
                    "APPLICATION",
                    "APPLMAJORVER",
                    "APPLMINORVER",
                    "APPLMICROVER",
                    "CHANGEAGENT",
                    "CHANGEAGREL",
                    "CHANGETIME",
                    "CHANGEUSRID",
                    "DEFINESOURCE",
                    "DEFINETIME",
                    "ENTRYPOINT",
                    "INSTALLAGENT",
                    "INSTALLTIME",
                    "INSTALLUSRID",
                    "JVMCLASS",
                    "JVMPROFILE",
                    "JVMSERVER",
                    "LENGTH",
                    "LIBRARY",
                    "LIBRARYDSN",
                    "LOADPOINT",
                    "OPERATION",
                    "PLATFORM",
                    "REPLICATION",
                    "RESIDENCY",
                    "RESCOUNT",
                ],
                Condition::InvReq
            );
        @conditions End(2), Illogic(1), InvReq(1), PgmIdErr(1);
    }

    command! {
        /// Tells of a transaction definition.
        inquire_transaction 0x8A98 0x5002 "INQUIRE TRANSACTION" "INQUIRE" ["TRANSACTION"] System Region;
        browse TRANSACTION AT(Name(4));
        output APPLICATION(Argument::Any);
        output APPLMAJORVER(Argument::Any);
        output APPLMICROVER(Argument::Any);
        output AVAILSTATUS(Argument::Any);
        output APPLMINORVER(Argument::Any);
        output BREXIT(Argument::Any);
        output CHANGEAGENT(Argument::Any);
        output CHANGEAGREL(Argument::Any);
        output CHANGETIME(Argument::Any);
        output CHANGEUSRID(Argument::Any);
        output CMDSEC(Cvda);
        output DEFINESOURCE(Argument::Any);
        output DEFINETIME(Argument::Any);
        output DTIMEOUT(Fullword);
        output DUMPING(Cvda);
        output FACILITYLIKE(Argument::Any);
        output INDOUBT(Cvda);
        output INDOUBTMINS(Fullword);
        output INDOUBTWAIT(Cvda);
        output INSTALLAGENT(Argument::Any);
        output INSTALLTIME(Argument::Any);
        output INSTALLUSRID(Argument::Any);
        output ISOLATEST(Cvda);
        output OPERATION(Argument::Any);
        output OTELEMIT(Argument::Any);
        output OTELPROP(Argument::Any);
        output OTSTIMEOUT(Argument::Any);
        output PLATFORM(Argument::Any);
        output PRIORITY(Fullword);
        output PROFILE(Chars(8));
        output PROGRAM(Chars(8));
        output PURGEABILITY(Cvda);
        output REMOTENAME(Chars(8));
        output REMOTESYSTEM(Chars(4));
        output RESSEC(Cvda);
        output ROUTING(Cvda);
        output ROUTESTATUS(Argument::Any);
        output RTIMEOUT(Argument::Any);
        output RUNAWAY(Fullword);
        output RUNAWAYTYPE(Cvda);
        output SCRNSIZE(Argument::Any);
        output SHUTDOWN(Cvda);
        output STATUS(Cvda);
        output STORAGECLEAR(Argument::Any);
        output TASKDATAKEY(Cvda);
        output TASKDATALOC(Cvda);
        output TCLASS(Argument::Any);
        output TRANCLASS(Chars(8));
        output TRACING(Cvda);
        output TRPROF(Argument::Any);
        output TWASIZE(Fullword);
        @rules
            Rule::Unserved(
                &[
                    "APPLICATION",
                    "APPLMAJORVER",
                    "APPLMICROVER",
                    "AVAILSTATUS",
                    "APPLMINORVER",
                    "BREXIT",
                    "CHANGEAGENT",
                    "CHANGEAGREL",
                    "CHANGETIME",
                    "CHANGEUSRID",
                    "DEFINESOURCE",
                    "DEFINETIME",
                    "FACILITYLIKE",
                    "INSTALLAGENT",
                    "INSTALLTIME",
                    "INSTALLUSRID",
                    "OPERATION",
                    "OTELEMIT",
                    "OTELPROP",
                    "OTSTIMEOUT",
                    "PLATFORM",
                    "ROUTESTATUS",
                    "RTIMEOUT",
                    "SCRNSIZE",
                    "STORAGECLEAR",
                    "TCLASS",
                    "TRPROF",
                ],
                Condition::InvReq
            );
        @conditions End(2), Illogic(1), InvReq(1), TransIdErr(1);
    }

    command! {
        /// Tells of a transaction class.
        inquire_tranclass 0x8A96 0x5E1A "INQUIRE TRANCLASS" "INQUIRE" ["TRANCLASS"] System Region;
        browse TRANCLASS AT(Name(8));
        output ACTIVE(Fullword);
        output CHANGEAGENT(Argument::Any);
        output CHANGEAGREL(Argument::Any);
        output CHANGETIME(Argument::Any);
        output CHANGEUSRID(Argument::Any);
        output DEFINESOURCE(Argument::Any);
        output DEFINETIME(Argument::Any);
        output INSTALLAGENT(Argument::Any);
        output INSTALLTIME(Argument::Any);
        output INSTALLUSRID(Argument::Any);
        output MAXACTIVE(Fullword);
        output PURGEACTION(Argument::Any);
        output PURGETHRESH(Fullword);
        output QUEUED(Fullword);
        @rules
            Rule::Unserved(
                &[
                    "CHANGEAGENT",
                    "CHANGEAGREL",
                    "CHANGETIME",
                    "CHANGEUSRID",
                    "DEFINESOURCE",
                    "DEFINETIME",
                    "INSTALLAGENT",
                    "INSTALLTIME",
                    "INSTALLUSRID",
                    "PURGEACTION",
                ],
                Condition::InvReq
            );
        @conditions End(2), Illogic(1), InvReq(1), TcIdErr(1);
    }

    command! {
        /// Tells of a file.
        inquire_file 0x8A63 0x4C02 "INQUIRE FILE" "INQUIRE" ["FILE"] System Region;
        browse FILE AT(Name(8));
        output ACCESSMETHOD(Cvda);
        output ADD(Cvda);
        output BASEDSNAME(Chars(44));
        output BLOCKFORMAT(Cvda);
        output BLOCKKEYLEN(Argument::Any);
        output BLOCKSIZE(Argument::Any);
        output BROWSE(Cvda);
        output CFDTPOOL(Argument::Any);
        output CHANGEAGENT(Argument::Any);
        output CHANGEAGREL(Argument::Any);
        output CHANGETIME(Argument::Any);
        output CHANGEUSRID(Argument::Any);
        output DEFINESOURCE(Argument::Any);
        output DEFINETIME(Argument::Any);
        output DELETE(Cvda);
        output DISPOSITION(Cvda);
        output DSNAME(Chars(44));
        output EMPTYSTATUS(Cvda);
        output ENABLESTATUS(Cvda);
        output EXCLUSIVE(Cvda);
        output FWDRECSTATUS(Cvda);
        output INSTALLAGENT(Argument::Any);
        output INSTALLTIME(Argument::Any);
        output INSTALLUSRID(Argument::Any);
        output JOURNALNUM(Argument::Any);
        output KEYLENGTH(Fullword);
        output KEYPOSITION(Fullword);
        output LOADTYPE(Argument::Any);
        output LSRPOOLNUM(Argument::Any);
        output MAXNUMRECS(Argument::Any);
        output OBJECT(Cvda);
        output OPENSTATUS(Cvda);
        output RBATYPE(Argument::Any);
        output READ(Cvda);
        output READINTEG(Argument::Any);
        output RECORDFORMAT(Cvda);
        output RECORDSIZE(Fullword);
        output RECOVSTATUS(Cvda);
        output RELTYPE(Cvda);
        output REMOTENAME(Chars(8));
        output REMOTESYSTEM(Chars(4));
        output REMOTETABLE(Argument::Any);
        output RLSACCESS(Cvda);
        output STRINGS(Fullword);
        output TABLE(Cvda);
        output TABLENAME(Argument::Any);
        output TYPE(Cvda);
        output UPDATE(Cvda);
        output UPDATEMODEL(Argument::Any);
        @rules
            Rule::Unserved(
                &[
                    "BLOCKKEYLEN",
                    "BLOCKSIZE",
                    "CFDTPOOL",
                    "CHANGEAGENT",
                    "CHANGEAGREL",
                    "CHANGETIME",
                    "CHANGEUSRID",
                    "DEFINESOURCE",
                    "DEFINETIME",
                    "INSTALLAGENT",
                    "INSTALLTIME",
                    "INSTALLUSRID",
                    "JOURNALNUM",
                    "LOADTYPE",
                    "LSRPOOLNUM",
                    "MAXNUMRECS",
                    "RBATYPE",
                    "READINTEG",
                    "REMOTETABLE",
                    "TABLENAME",
                    "UPDATEMODEL",
                ],
                Condition::InvReq
            );
        @conditions End(2), Illogic(1), InvReq(1), FileNotFound(1);
    }

    command! {
        /// Tells of a task.
        inquire_task 0x8A8B 0x5E02 "INQUIRE TASK" "INQUIRE" ["TASK"] System Region;
        input TASK(Packed(7)) [required];
        output ACTIVITY(Argument::Any);
        output ACTIVITYID(Argument::Any);
        output ATTACHTIME(Argument::Any);
        output BRFACILITY(Argument::Any);
        output BRIDGE(Argument::Any);
        output CMDSEC(Cvda);
        output CURRENTPROG(Argument::Any);
        output DB2PLAN(Argument::Any);
        output DTIMEOUT(Fullword);
        output DUMPING(Cvda);
        output FACILITY(Chars(4));
        output FACILITYTYPE(Cvda);
        output IDENTIFIER(Argument::Any);
        output INDOUBT(Cvda);
        output INDOUBTMINS(Fullword);
        output INDOUBTWAIT(Cvda);
        output IPFACILITIES(Argument::Any);
        output IPFLISTSIZE(Argument::Any);
        output ISOLATEST(Cvda);
        output PRIORITY(Fullword);
        output PROCESS(Argument::Any);
        output PROCESSTYPE(Argument::Any);
        output PROFILE(Argument::Any);
        output PROGRAM(Chars(8));
        output PURGEABILITY(Cvda);
        output REMOTENAME(Chars(8));
        output REMOTESYSTEM(Chars(4));
        output RESSEC(Cvda);
        output ROUTING(Cvda);
        output RTIMEOUT(Argument::Any);
        output RUNAWAY(Fullword);
        output RUNSTATUS(Cvda);
        output SCRNSIZE(Argument::Any);
        output STARTCODE(Chars(2));
        output STORAGECLEAR(Argument::Any);
        output SUSPENDTIME(Fullword);
        output SUSPENDTYPE(Chars(8));
        output SUSPENDVALUE(Chars(16));
        output RESNAME(Argument::Any);
        output TASKDATAKEY(Cvda);
        output TASKDATALOC(Cvda);
        output TCB(Argument::Any);
        output TRANCLASS(Chars(8));
        output TCLASS(Argument::Any);
        output TRACING(Cvda);
        output TRANPRIORITY(Fullword);
        output TRANSACTION(Chars(4));
        output TRPROF(Argument::Any);
        output TWASIZE(Fullword);
        output UOW(Chars(8));
        output USERID(Chars(8));
        @rules
            Rule::Unserved(
                &[
                    "ACTIVITY",
                    "ACTIVITYID",
                    "ATTACHTIME",
                    "BRFACILITY",
                    "BRIDGE",
                    "CURRENTPROG",
                    "DB2PLAN",
                    "IDENTIFIER",
                    "IPFACILITIES",
                    "IPFLISTSIZE",
                    "PROCESS",
                    "PROCESSTYPE",
                    "PROFILE",
                    "RTIMEOUT",
                    "SCRNSIZE",
                    "STORAGECLEAR",
                    "RESNAME",
                    "TCB",
                    "TCLASS",
                    "TRPROF",
                ],
                Condition::InvReq
            );
        @conditions InvReq(1), TaskIdErr(1);
    }

    command! {
        /// Tells of the region.
        inquire_system 0x8A89 0x5402 "INQUIRE SYSTEM" "INQUIRE" ["SYSTEM"] System Region;
        flag SYSTEM;
        output ACTOPENTCBS(Argument::Any);
        output AIDCOUNT(Argument::Any);
        output AKP(Argument::Any);
        output CDSASIZE(Argument::Any);
        output CICSSTATUS(Cvda);
        output CICSSYS(Chars(4));
        output CICSTSLEVEL(Chars(6));
        output CMDPROTECT(Cvda);
        output COLDSTATUS(Argument::Any);
        output DB2CONN(Argument::Any);
        output DEBUGTOOL(Argument::Any);
        output DFLTUSER(Chars(8));
        output DSALIMIT(Argument::Any);
        output DSRTPROGRAM(Argument::Any);
        output DTRPROGRAM(Argument::Any);
        output DUMPING(Argument::Any);
        output ECDSASIZE(Argument::Any);
        output EDSALIMIT(Argument::Any);
        output EPCDSASIZE(Argument::Any);
        output EPUDSASIZE(Argument::Any);
        output ERDSASIZE(Argument::Any);
        output ESDSASIZE(Argument::Any);
        output ETDSASIZE(Argument::Any);
        output EUDSASIZE(Argument::Any);
        output FORCEQR(Cvda);
        output GCDSASIZE(Argument::Any);
        output GMMTEXT(Argument::Any);
        output GMMLENGTH(Argument::Any);
        output GSDSASIZE(Argument::Any);
        output GUDSASIZE(Argument::Any);
        output GMMTRANID(Argument::Any);
        output HEALTHCHECK(Argument::Any);
        output INITSTATUS(Argument::Any);
        output JOBNAME(Chars(8));
        output LASTCOLDTIME(Argument::Any);
        output LASTEMERTIME(Argument::Any);
        output LASTINITTIME(Argument::Any);
        output LASTWARMTIME(Argument::Any);
        output LOGDEFER(Argument::Any);
        output MAXOPENTCBS(Argument::Any);
        output MAXTASKS(Fullword);
        output MEMLIMIT(Argument::Any);
        output MESSAGECASE(Argument::Any);
        output MQCONN(Argument::Any);
        output MROBATCH(Argument::Any);
        output MVSSMFID(Argument::Any);
        output MVSSYSNAME(Argument::Any);
        output OPREL(Argument::Any);
        output OPSYS(Chars(1));
        output OSLEVEL(Argument::Any);
        output PCDSASIZE(Argument::Any);
        output PLTPIUSR(Argument::Any);
        output PROGAUTOCTLG(Argument::Any);
        output PROGAUTOEXIT(Argument::Any);
        output PROGAUTOINST(Argument::Any);
        output PRTYAGING(Fullword);
        output PUDSASIZE(Argument::Any);
        output RDSASIZE(Argument::Any);
        output REENTPROTECT(Cvda);
        output REGIONUSERID(Argument::Any);
        output RELEASE(Chars(4));
        output RLSSTATUS(Argument::Any);
        output RUNAWAY(Fullword);
        output SCANDELAY(Argument::Any);
        output SDSASIZE(Argument::Any);
        output SDTMEMLIMIT(Argument::Any);
        output SDTRAN(Argument::Any);
        output SECURITYMGR(Cvda);
        output SHUTSTATUS(Cvda);
        output SOSABOVEBAR(Argument::Any);
        output SOSABOVELINE(Argument::Any);
        output SOSBELOWLINE(Argument::Any);
        output SOSSTATUS(Cvda);
        output STARTUP(Argument::Any);
        output STARTUPDATE(Argument::Any);
        output STOREPROTECT(Cvda);
        output TIME(Argument::Any);
        output TRANISOLATE(Cvda);
        output UDSASIZE(Argument::Any);
        output XRFSTATUS(Argument::Any);
        output GRPLIST(Argument::Any);
        @rules
            Rule::Unserved(
                &[
                    "ACTOPENTCBS",
                    "AIDCOUNT",
                    "AKP",
                    "CDSASIZE",
                    "COLDSTATUS",
                    "DB2CONN",
                    "DEBUGTOOL",
                    "DSALIMIT",
                    "DSRTPROGRAM",
                    "DTRPROGRAM",
                    "DUMPING",
                    "ECDSASIZE",
                    "EDSALIMIT",
                    "EPCDSASIZE",
                    "EPUDSASIZE",
                    "ERDSASIZE",
                    "ESDSASIZE",
                    "ETDSASIZE",
                    "EUDSASIZE",
                    "GCDSASIZE",
                    "GMMTEXT",
                    "GMMLENGTH",
                    "GSDSASIZE",
                    "GUDSASIZE",
                    "GMMTRANID",
                    "HEALTHCHECK",
                    "INITSTATUS",
                    "LASTCOLDTIME",
                    "LASTEMERTIME",
                    "LASTINITTIME",
                    "LASTWARMTIME",
                    "LOGDEFER",
                    "MAXOPENTCBS",
                    "MEMLIMIT",
                    "MESSAGECASE",
                    "MQCONN",
                    "MROBATCH",
                    "MVSSMFID",
                    "MVSSYSNAME",
                    "OPREL",
                    "OSLEVEL",
                    "PCDSASIZE",
                    "PLTPIUSR",
                    "PROGAUTOCTLG",
                    "PROGAUTOEXIT",
                    "PROGAUTOINST",
                    "PUDSASIZE",
                    "RDSASIZE",
                    "RLSSTATUS",
                    "SCANDELAY",
                    "SDSASIZE",
                    "SDTMEMLIMIT",
                    "SDTRAN",
                    "SOSABOVEBAR",
                    "SOSABOVELINE",
                    "SOSBELOWLINE",
                    "STARTUP",
                    "STARTUPDATE",
                    "TIME",
                    "UDSASIZE",
                    "XRFSTATUS",
                    "GRPLIST",
                ],
                Condition::InvReq
            );
        @conditions InvReq(1);
    }

    command! {
        /// Tells where a task comes from.
        inquire_association 0x8A43 own "INQUIRE ASSOCIATION" "INQUIRE" ["ASSOCIATION"] System Region;
        input ASSOCIATION(Packed(7)) [required];
        output ACAPPLNAME(Argument::Any);
        output ACMAJORVER(Argument::Any);
        output ACMICROVER(Argument::Any);
        output ACMINORVER(Argument::Any);
        output ACOPERNAME(Argument::Any);
        output ACPLATNAME(Argument::Any);
        output APPLDATA(Argument::Any);
        output APPLID(Chars(8));
        output CLIENTIPADDR(Argument::Any);
        output CLIENTLOC(Argument::Any);
        output CLIENTPORT(Argument::Any);
        output CLNTIPFAMILY(Argument::Any);
        output DNAME(Argument::Any);
        output FACILNAME(Chars(8));
        output FACILTYPE(Cvda);
        output INITUSERID(Chars(8));
        output IPCONN(Argument::Any);
        output IPFAMILY(Argument::Any);
        output LUNAME(Argument::Any);
        output MVSIMAGE(Argument::Any);
        output NETID(Argument::Any);
        output ODADPTRID(Argument::Any);
        output ODADPTRDATA1(Argument::Any);
        output ODADPTRDATA2(Argument::Any);
        output ODADPTRDATA3(Argument::Any);
        output ODAPPLID(Chars(8));
        output ODCLNTIPADDR(Argument::Any);
        output ODCLNTPORT(Argument::Any);
        output ODFACILNAME(Chars(8));
        output ODFACILTYPE(Cvda);
        output ODIPFAMILY(Argument::Any);
        output ODLUNAME(Argument::Any);
        output ODNETID(Argument::Any);
        output ODNETWORKID(Chars(8));
        output ODSERVERPORT(Argument::Any);
        output ODSTARTTIME(Argument::Any);
        output ODTASKID(Packed(7));
        output ODTCPIPS(Argument::Any);
        output ODTRANSID(Chars(4));
        output ODUSERID(Chars(8));
        output PHAPPLID(Argument::Any);
        output PHCOUNT(Argument::Any);
        output PHNETWORKID(Argument::Any);
        output PHSTARTTIME(Argument::Any);
        output PHTASKID(Argument::Any);
        output PHTRANSID(Argument::Any);
        output PROGRAM(Chars(8));
        output PTCOUNT(Argument::Any);
        output PTSTARTTIME(Argument::Any);
        output PTTASKID(Argument::Any);
        output PTTRANSID(Argument::Any);
        output REALM(Argument::Any);
        output SERVERIPADDR(Argument::Any);
        output SERVERPORT(Argument::Any);
        output SRVRIPFAMILY(Argument::Any);
        output STARTTIME(Argument::Any);
        output TCPIPJOB(Argument::Any);
        output TCPIPSERVICE(Argument::Any);
        output TCPIPZONE(Argument::Any);
        output TRNGRPID(Argument::Any);
        output TRANSACTION(Chars(4));
        output USERCORRDATA(Chars(64));
        output USERID(Chars(8));
        @rules
            Rule::Unserved(
                &[
                    "ACAPPLNAME",
                    "ACMAJORVER",
                    "ACMICROVER",
                    "ACMINORVER",
                    "ACOPERNAME",
                    "ACPLATNAME",
                    "APPLDATA",
                    "CLIENTIPADDR",
                    "CLIENTLOC",
                    "CLIENTPORT",
                    "CLNTIPFAMILY",
                    "DNAME",
                    "IPCONN",
                    "IPFAMILY",
                    "LUNAME",
                    "MVSIMAGE",
                    "NETID",
                    "ODADPTRID",
                    "ODADPTRDATA1",
                    "ODADPTRDATA2",
                    "ODADPTRDATA3",
                    "ODCLNTIPADDR",
                    "ODCLNTPORT",
                    "ODIPFAMILY",
                    "ODLUNAME",
                    "ODNETID",
                    "ODSERVERPORT",
                    "ODSTARTTIME",
                    "ODTCPIPS",
                    "PHAPPLID",
                    "PHCOUNT",
                    "PHNETWORKID",
                    "PHSTARTTIME",
                    "PHTASKID",
                    "PHTRANSID",
                    "PTCOUNT",
                    "PTSTARTTIME",
                    "PTTASKID",
                    "PTTRANSID",
                    "REALM",
                    "SERVERIPADDR",
                    "SERVERPORT",
                    "SRVRIPFAMILY",
                    "STARTTIME",
                    "TCPIPJOB",
                    "TCPIPSERVICE",
                    "TCPIPZONE",
                    "TRNGRPID",
                ],
                Condition::InvReq
            );
        @conditions InvReq(1), TaskIdErr(1);
    }

    command! {
        /// Ends a task.
        set_task 0x8AC6 0x5E04 "SET TASK" "SET" ["TASK"] System Region;
        input TASK(Packed(7)) [required];
        input PRIORITY(Fullword);
        input PURGETYPE(Cvda);
        flag FORCEPURGE;
        flag KILL;
        flag PURGE;
        @rules
            Rule::AtMostOne(&["PURGETYPE", "FORCEPURGE", "KILL", "PURGE"]);
        @conditions InvReq(1, 3, 5), TaskIdErr(1);
    }

    command! {
        /// Changes a transaction definition while the region runs.
        set_transaction 0x8AD1 0x5004 "SET TRANSACTION" "SET" ["TRANSACTION"] System Region;
        input TRANSACTION(Name(4)) [required];
        input PRIORITY(Fullword);
        input RUNAWAY(Fullword);
        input STATUS(Cvda);
        flag ENABLED;
        flag DISABLED;
        input DUMPING(Argument::Any);
        flag TRANDUMP;
        flag NOTRANDUMP;
        input OTELEMIT(Argument::Any);
        flag TASKEND;
        flag NOEMIT;
        input OTELPROP(Argument::Any);
        flag PROPONLY;
        flag NOPROP;
        input PURGEABILITY(Cvda);
        flag NOTPURGEABLE;
        flag PURGEABLE;
        input RUNAWAYTYPE(Argument::Any);
        flag SYSTEM;
        flag USER;
        input SHUTDOWN(Argument::Any);
        flag SHUTDISABLED;
        flag SHUTENABLED;
        input TCLASS(Argument::Any);
        input TRANCLASS(Argument::Any);
        input TRACING(Argument::Any);
        flag SPECTRACE;
        flag SPRSTRACE;
        flag STANTRACE;
        @rules
            Rule::AtMostOne(&["STATUS", "ENABLED", "DISABLED"]),
            Rule::Unserved(
                &["DUMPING", "TRANDUMP", "NOTRANDUMP", "OTELEMIT", "TASKEND", "NOEMIT", "OTELPROP", "PROPONLY", "NOPROP", "RUNAWAYTYPE", "SYSTEM", "USER", "SHUTDOWN", "SHUTDISABLED", "SHUTENABLED", "TCLASS", "TRANCLASS", "TRACING", "SPECTRACE", "SPRSTRACE", "STANTRACE"],
                Condition::InvReq
            );
        @conditions InvReq(1, 2, 3, 5, 10), TransIdErr(7);
    }

    command! {
        /// Changes the limits of a transaction class.
        set_tranclass 0x8ACF 0x5E1C "SET TRANCLASS" "SET" ["TRANCLASS"] System Region;
        input TRANCLASS(Name(8)) [required];
        input MAXACTIVE(Fullword);
        input PURGETHRESH(Fullword);
        input PURGEACTION(Cvda);
        flag ABEND;
        flag DISCARD;
        @rules Rule::Unserved(&["PURGEACTION", "ABEND", "DISCARD"], Condition::InvReq);
        @conditions InvReq(1, 2, 3), TcIdErr(1);
    }

    command! {
        /// Opens, closes, enables or disables a file, and says what it allows.
        set_file 0x8AE3 0x4C04 "SET FILE" "SET" ["FILE"] System Region;
        input FILE(Name(8)) [required];
        input ADD(Cvda);
        flag ADDABLE;
        flag NOTADDABLE;
        input BROWSE(Cvda);
        flag BROWSABLE;
        flag NOTBROWSABLE;
        input DELETE(Cvda);
        flag DELETABLE;
        flag NOTDELETABLE;
        input READ(Cvda);
        flag READABLE;
        flag NOTREADABLE;
        input UPDATE(Cvda);
        flag UPDATABLE;
        flag NOTUPDATABLE;
        input ENABLESTATUS(Cvda);
        flag ENABLED;
        flag DISABLED;
        input OPENSTATUS(Cvda);
        flag OPEN;
        flag CLOSED;
        input BUSY(Cvda);
        flag WAIT;
        flag NOWAIT;
        flag FORCE;
        input CFDTPOOL(Argument::Any);
        input DISPOSITION(Argument::Any);
        flag OLD;
        flag SHARE;
        input DSNAME(Argument::Any);
        input EMPTYSTATUS(Argument::Any);
        flag EMPTYREQ;
        flag NOEMPTYREQ;
        input EXCLUSIVE(Argument::Any);
        input KEYLENGTH(Argument::Any);
        input LOADTYPE(Argument::Any);
        input LSRPOOLNUM(Argument::Any);
        input MAXNUMRECS(Argument::Any);
        input READINTEG(Argument::Any);
        input RECORDSIZE(Argument::Any);
        input RLSACCESS(Argument::Any);
        input STRINGS(Argument::Any);
        input TABLE(Argument::Any);
        input TABLENAME(Argument::Any);
        input UPDATEMODEL(Argument::Any);
        @rules
            Rule::AtMostOne(&["ADD", "ADDABLE", "NOTADDABLE"]),
            Rule::AtMostOne(&["BROWSE", "BROWSABLE", "NOTBROWSABLE"]),
            Rule::AtMostOne(&["DELETE", "DELETABLE", "NOTDELETABLE"]),
            Rule::AtMostOne(&["READ", "READABLE", "NOTREADABLE"]),
            Rule::AtMostOne(&["UPDATE", "UPDATABLE", "NOTUPDATABLE"]),
            Rule::AtMostOne(&["ENABLESTATUS", "ENABLED", "DISABLED"]),
            Rule::AtMostOne(&["OPENSTATUS", "OPEN", "CLOSED"]),
            Rule::AtMostOne(&["BUSY", "WAIT", "NOWAIT", "FORCE"]),
            Rule::Unserved(
                &["CFDTPOOL", "DISPOSITION", "OLD", "SHARE", "DSNAME", "EMPTYSTATUS", "EMPTYREQ", "NOEMPTYREQ", "EXCLUSIVE", "KEYLENGTH", "LOADTYPE", "LSRPOOLNUM", "MAXNUMRECS", "READINTEG", "RECORDSIZE", "RLSACCESS", "STRINGS", "TABLE", "TABLENAME", "UPDATEMODEL"],
                Condition::InvReq
            );
        @conditions InvReq(1, 2, 4, 5, 7, 12, 14, 16, 17), FileNotFound(18);
    }
}
