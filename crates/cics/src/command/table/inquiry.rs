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
        /// Returns attributes of a program.
        inquire_program 0x8A7F 0x4E02 "INQUIRE PROGRAM" "INQUIRE" ["PROGRAM"] System Region;
        browse PROGRAM AT(Name(8));
        output APIST(Cvda);
        output APPLICATION(OptionArgument::Any);
        output APPLMAJORVER(OptionArgument::Any);
        output APPLMINORVER(OptionArgument::Any);
        output APPLMICROVER(OptionArgument::Any);
        output CEDFSTATUS(Cvda);
        output CHANGEAGENT(OptionArgument::Any);
        output CHANGEAGREL(OptionArgument::Any);
        output CHANGETIME(OptionArgument::Any);
        output CHANGEUSRID(OptionArgument::Any);
        output COBOLTYPE(Cvda);
        output COPY(Cvda);
        output CONCURRENCY(Cvda);
        output DATALOCATION(Cvda);
        output DEFINESOURCE(OptionArgument::Any);
        output DEFINETIME(OptionArgument::Any);
        output DYNAMSTATUS(Cvda);
        output ENTRYPOINT(OptionArgument::Any);
        output EXECKEY(Cvda);
        output EXECUTIONSET(Cvda);
        output HOLDSTATUS(Cvda);
        output INSTALLAGENT(OptionArgument::Any);
        output INSTALLTIME(OptionArgument::Any);
        output INSTALLUSRID(OptionArgument::Any);
        output JVMCLASS(OptionArgument::Any);
        output JVMPROFILE(OptionArgument::Any);
        output JVMSERVER(OptionArgument::Any);
        output LANGDEDUCED(Cvda);
        output LANGUAGE(Cvda);
        output LENGTH(OptionArgument::Any);
        output LIBRARY(OptionArgument::Any);
        output LIBRARYDSN(OptionArgument::Any);
        output LOADPOINT(OptionArgument::Any);
        output LPASTATUS(Cvda);
        output OPERATION(OptionArgument::Any);
        output PLATFORM(OptionArgument::Any);
        output PROGTYPE(Cvda);
        output REMOTENAME(Chars(8));
        output REMOTESYSTEM(Chars(4));
        output REPLICATION(OptionArgument::Any);
        output RESIDENCY(OptionArgument::Any);
        output RESCOUNT(OptionArgument::Any);
        output RUNTIME(Cvda);
        output SHARESTATUS(Cvda);
        output STATUS(Cvda);
        output TRANSID(Chars(4));
        output USECOUNT(Fullword);
        @rules
            OptionRule::Unserved(
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
        /// Returns attributes of a transaction definition.
        inquire_transaction 0x8A98 0x5002 "INQUIRE TRANSACTION" "INQUIRE" ["TRANSACTION"] System Region;
        browse TRANSACTION AT(Name(4));
        output APPLICATION(OptionArgument::Any);
        output APPLMAJORVER(OptionArgument::Any);
        output APPLMICROVER(OptionArgument::Any);
        output AVAILSTATUS(OptionArgument::Any);
        output APPLMINORVER(OptionArgument::Any);
        output BREXIT(OptionArgument::Any);
        output CHANGEAGENT(OptionArgument::Any);
        output CHANGEAGREL(OptionArgument::Any);
        output CHANGETIME(OptionArgument::Any);
        output CHANGEUSRID(OptionArgument::Any);
        output CMDSEC(Cvda);
        output DEFINESOURCE(OptionArgument::Any);
        output DEFINETIME(OptionArgument::Any);
        output DTIMEOUT(Fullword);
        output DUMPING(Cvda);
        output FACILITYLIKE(OptionArgument::Any);
        output INDOUBT(Cvda);
        output INDOUBTMINS(Fullword);
        output INDOUBTWAIT(Cvda);
        output INSTALLAGENT(OptionArgument::Any);
        output INSTALLTIME(OptionArgument::Any);
        output INSTALLUSRID(OptionArgument::Any);
        output ISOLATEST(Cvda);
        output OPERATION(OptionArgument::Any);
        output OTELEMIT(OptionArgument::Any);
        output OTELPROP(OptionArgument::Any);
        output OTSTIMEOUT(OptionArgument::Any);
        output PLATFORM(OptionArgument::Any);
        output PRIORITY(Fullword);
        output PROFILE(Chars(8));
        output PROGRAM(Chars(8));
        output PURGEABILITY(Cvda);
        output REMOTENAME(Chars(8));
        output REMOTESYSTEM(Chars(4));
        output RESSEC(Cvda);
        output ROUTING(Cvda);
        output ROUTESTATUS(OptionArgument::Any);
        output RTIMEOUT(OptionArgument::Any);
        output RUNAWAY(Fullword);
        output RUNAWAYTYPE(Cvda);
        output SCRNSIZE(OptionArgument::Any);
        output SHUTDOWN(Cvda);
        output STATUS(Cvda);
        output STORAGECLEAR(OptionArgument::Any);
        output TASKDATAKEY(Cvda);
        output TASKDATALOC(Cvda);
        output TCLASS(OptionArgument::Any);
        output TRANCLASS(Chars(8));
        output TRACING(Cvda);
        output TRPROF(OptionArgument::Any);
        output TWASIZE(Fullword);
        @rules
            OptionRule::Unserved(
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
        /// Returns attributes of a transaction class.
        inquire_tranclass 0x8A96 0x5E1A "INQUIRE TRANCLASS" "INQUIRE" ["TRANCLASS"] System Region;
        browse TRANCLASS AT(Name(8));
        output ACTIVE(Fullword);
        output CHANGEAGENT(OptionArgument::Any);
        output CHANGEAGREL(OptionArgument::Any);
        output CHANGETIME(OptionArgument::Any);
        output CHANGEUSRID(OptionArgument::Any);
        output DEFINESOURCE(OptionArgument::Any);
        output DEFINETIME(OptionArgument::Any);
        output INSTALLAGENT(OptionArgument::Any);
        output INSTALLTIME(OptionArgument::Any);
        output INSTALLUSRID(OptionArgument::Any);
        output MAXACTIVE(Fullword);
        output PURGEACTION(OptionArgument::Any);
        output PURGETHRESH(Fullword);
        output QUEUED(Fullword);
        @rules
            OptionRule::Unserved(
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
        /// Returns attributes of a file.
        inquire_file 0x8A63 0x4C02 "INQUIRE FILE" "INQUIRE" ["FILE"] System Region;
        browse FILE AT(Name(8));
        output ACCESSMETHOD(Cvda);
        output ADD(Cvda);
        output BASEDSNAME(Chars(44));
        output BLOCKFORMAT(Cvda);
        output BLOCKKEYLEN(OptionArgument::Any);
        output BLOCKSIZE(OptionArgument::Any);
        output BROWSE(Cvda);
        output CFDTPOOL(OptionArgument::Any);
        output CHANGEAGENT(OptionArgument::Any);
        output CHANGEAGREL(OptionArgument::Any);
        output CHANGETIME(OptionArgument::Any);
        output CHANGEUSRID(OptionArgument::Any);
        output DEFINESOURCE(OptionArgument::Any);
        output DEFINETIME(OptionArgument::Any);
        output DELETE(Cvda);
        output DISPOSITION(Cvda);
        output DSNAME(Chars(44));
        output EMPTYSTATUS(Cvda);
        output ENABLESTATUS(Cvda);
        output EXCLUSIVE(Cvda);
        output FWDRECSTATUS(Cvda);
        output INSTALLAGENT(OptionArgument::Any);
        output INSTALLTIME(OptionArgument::Any);
        output INSTALLUSRID(OptionArgument::Any);
        output JOURNALNUM(OptionArgument::Any);
        output KEYLENGTH(Fullword);
        output KEYPOSITION(Fullword);
        output LOADTYPE(OptionArgument::Any);
        output LSRPOOLNUM(OptionArgument::Any);
        output MAXNUMRECS(OptionArgument::Any);
        output OBJECT(Cvda);
        output OPENSTATUS(Cvda);
        output RBATYPE(OptionArgument::Any);
        output READ(Cvda);
        output READINTEG(OptionArgument::Any);
        output RECORDFORMAT(Cvda);
        output RECORDSIZE(Fullword);
        output RECOVSTATUS(Cvda);
        output RELTYPE(Cvda);
        output REMOTENAME(Chars(8));
        output REMOTESYSTEM(Chars(4));
        output REMOTETABLE(OptionArgument::Any);
        output RLSACCESS(Cvda);
        output STRINGS(Fullword);
        output TABLE(Cvda);
        output TABLENAME(OptionArgument::Any);
        output TYPE(Cvda);
        output UPDATE(Cvda);
        output UPDATEMODEL(OptionArgument::Any);
        @rules
            OptionRule::Unserved(
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
        /// Returns attributes of a task.
        inquire_task 0x8A8B 0x5E02 "INQUIRE TASK" "INQUIRE" ["TASK"] System Region;
        input TASK(Packed(7)) [required];
        output ACTIVITY(OptionArgument::Any);
        output ACTIVITYID(OptionArgument::Any);
        output ATTACHTIME(OptionArgument::Any);
        output BRFACILITY(OptionArgument::Any);
        output BRIDGE(OptionArgument::Any);
        output CMDSEC(Cvda);
        output CURRENTPROG(OptionArgument::Any);
        output DB2PLAN(OptionArgument::Any);
        output DTIMEOUT(Fullword);
        output DUMPING(Cvda);
        output FACILITY(Chars(4));
        output FACILITYTYPE(Cvda);
        output IDENTIFIER(OptionArgument::Any);
        output INDOUBT(Cvda);
        output INDOUBTMINS(Fullword);
        output INDOUBTWAIT(Cvda);
        output IPFACILITIES(OptionArgument::Any);
        output IPFLISTSIZE(OptionArgument::Any);
        output ISOLATEST(Cvda);
        output PRIORITY(Fullword);
        output PROCESS(OptionArgument::Any);
        output PROCESSTYPE(OptionArgument::Any);
        output PROFILE(OptionArgument::Any);
        output PROGRAM(Chars(8));
        output PURGEABILITY(Cvda);
        output REMOTENAME(Chars(8));
        output REMOTESYSTEM(Chars(4));
        output RESSEC(Cvda);
        output ROUTING(Cvda);
        output RTIMEOUT(OptionArgument::Any);
        output RUNAWAY(Fullword);
        output RUNSTATUS(Cvda);
        output SCRNSIZE(OptionArgument::Any);
        output STARTCODE(Chars(2));
        output STORAGECLEAR(OptionArgument::Any);
        output SUSPENDTIME(Fullword);
        output SUSPENDTYPE(Chars(8));
        output SUSPENDVALUE(Chars(16));
        output RESNAME(OptionArgument::Any);
        output TASKDATAKEY(Cvda);
        output TASKDATALOC(Cvda);
        output TCB(OptionArgument::Any);
        output TRANCLASS(Chars(8));
        output TCLASS(OptionArgument::Any);
        output TRACING(Cvda);
        output TRANPRIORITY(Fullword);
        output TRANSACTION(Chars(4));
        output TRPROF(OptionArgument::Any);
        output TWASIZE(Fullword);
        output UOW(Chars(8));
        output USERID(Chars(8));
        @rules
            OptionRule::Unserved(
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
        /// Returns attributes of the region.
        inquire_system 0x8A89 0x5402 "INQUIRE SYSTEM" "INQUIRE" ["SYSTEM"] System Region;
        flag SYSTEM;
        output ACTOPENTCBS(OptionArgument::Any);
        output AIDCOUNT(OptionArgument::Any);
        output AKP(OptionArgument::Any);
        output CDSASIZE(OptionArgument::Any);
        output CICSSTATUS(Cvda);
        output CICSSYS(Chars(4));
        output CICSTSLEVEL(Chars(6));
        output CMDPROTECT(Cvda);
        output COLDSTATUS(OptionArgument::Any);
        output DB2CONN(OptionArgument::Any);
        output DEBUGTOOL(OptionArgument::Any);
        output DFLTUSER(Chars(8));
        output DSALIMIT(OptionArgument::Any);
        output DSRTPROGRAM(OptionArgument::Any);
        output DTRPROGRAM(OptionArgument::Any);
        output DUMPING(OptionArgument::Any);
        output ECDSASIZE(OptionArgument::Any);
        output EDSALIMIT(OptionArgument::Any);
        output EPCDSASIZE(OptionArgument::Any);
        output EPUDSASIZE(OptionArgument::Any);
        output ERDSASIZE(OptionArgument::Any);
        output ESDSASIZE(OptionArgument::Any);
        output ETDSASIZE(OptionArgument::Any);
        output EUDSASIZE(OptionArgument::Any);
        output FORCEQR(Cvda);
        output GCDSASIZE(OptionArgument::Any);
        output GMMTEXT(OptionArgument::Any);
        output GMMLENGTH(OptionArgument::Any);
        output GSDSASIZE(OptionArgument::Any);
        output GUDSASIZE(OptionArgument::Any);
        output GMMTRANID(OptionArgument::Any);
        output HEALTHCHECK(OptionArgument::Any);
        output INITSTATUS(OptionArgument::Any);
        output JOBNAME(Chars(8));
        output LASTCOLDTIME(OptionArgument::Any);
        output LASTEMERTIME(OptionArgument::Any);
        output LASTINITTIME(OptionArgument::Any);
        output LASTWARMTIME(OptionArgument::Any);
        output LOGDEFER(OptionArgument::Any);
        output MAXOPENTCBS(OptionArgument::Any);
        output MAXTASKS(Fullword);
        output MEMLIMIT(OptionArgument::Any);
        output MESSAGECASE(OptionArgument::Any);
        output MQCONN(OptionArgument::Any);
        output MROBATCH(OptionArgument::Any);
        output MVSSMFID(OptionArgument::Any);
        output MVSSYSNAME(OptionArgument::Any);
        output OPREL(OptionArgument::Any);
        output OPSYS(Chars(1));
        output OSLEVEL(OptionArgument::Any);
        output PCDSASIZE(OptionArgument::Any);
        output PLTPIUSR(OptionArgument::Any);
        output PROGAUTOCTLG(OptionArgument::Any);
        output PROGAUTOEXIT(OptionArgument::Any);
        output PROGAUTOINST(OptionArgument::Any);
        output PRTYAGING(Fullword);
        output PUDSASIZE(OptionArgument::Any);
        output RDSASIZE(OptionArgument::Any);
        output REENTPROTECT(Cvda);
        output REGIONUSERID(OptionArgument::Any);
        output RELEASE(Chars(4));
        output RLSSTATUS(OptionArgument::Any);
        output RUNAWAY(Fullword);
        output SCANDELAY(OptionArgument::Any);
        output SDSASIZE(OptionArgument::Any);
        output SDTMEMLIMIT(OptionArgument::Any);
        output SDTRAN(OptionArgument::Any);
        output SECURITYMGR(Cvda);
        output SHUTSTATUS(Cvda);
        output SOSABOVEBAR(OptionArgument::Any);
        output SOSABOVELINE(OptionArgument::Any);
        output SOSBELOWLINE(OptionArgument::Any);
        output SOSSTATUS(Cvda);
        output STARTUP(OptionArgument::Any);
        output STARTUPDATE(OptionArgument::Any);
        output STOREPROTECT(Cvda);
        output TIME(OptionArgument::Any);
        output TRANISOLATE(Cvda);
        output UDSASIZE(OptionArgument::Any);
        output XRFSTATUS(OptionArgument::Any);
        output GRPLIST(OptionArgument::Any);
        @rules
            OptionRule::Unserved(
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
        /// Returns the origin of a task.
        inquire_association 0x8A43 own "INQUIRE ASSOCIATION" "INQUIRE" ["ASSOCIATION"] System Region;
        input ASSOCIATION(Packed(7)) [required];
        output ACAPPLNAME(OptionArgument::Any);
        output ACMAJORVER(OptionArgument::Any);
        output ACMICROVER(OptionArgument::Any);
        output ACMINORVER(OptionArgument::Any);
        output ACOPERNAME(OptionArgument::Any);
        output ACPLATNAME(OptionArgument::Any);
        output APPLDATA(OptionArgument::Any);
        output APPLID(Chars(8));
        output CLIENTIPADDR(OptionArgument::Any);
        output CLIENTLOC(OptionArgument::Any);
        output CLIENTPORT(OptionArgument::Any);
        output CLNTIPFAMILY(OptionArgument::Any);
        output DNAME(OptionArgument::Any);
        output FACILNAME(Chars(8));
        output FACILTYPE(Cvda);
        output INITUSERID(Chars(8));
        output IPCONN(OptionArgument::Any);
        output IPFAMILY(OptionArgument::Any);
        output LUNAME(OptionArgument::Any);
        output MVSIMAGE(OptionArgument::Any);
        output NETID(OptionArgument::Any);
        output ODADPTRID(OptionArgument::Any);
        output ODADPTRDATA1(OptionArgument::Any);
        output ODADPTRDATA2(OptionArgument::Any);
        output ODADPTRDATA3(OptionArgument::Any);
        output ODAPPLID(Chars(8));
        output ODCLNTIPADDR(OptionArgument::Any);
        output ODCLNTPORT(OptionArgument::Any);
        output ODFACILNAME(Chars(8));
        output ODFACILTYPE(Cvda);
        output ODIPFAMILY(OptionArgument::Any);
        output ODLUNAME(OptionArgument::Any);
        output ODNETID(OptionArgument::Any);
        output ODNETWORKID(Chars(8));
        output ODSERVERPORT(OptionArgument::Any);
        output ODSTARTTIME(OptionArgument::Any);
        output ODTASKID(Packed(7));
        output ODTCPIPS(OptionArgument::Any);
        output ODTRANSID(Chars(4));
        output ODUSERID(Chars(8));
        output PHAPPLID(OptionArgument::Any);
        output PHCOUNT(OptionArgument::Any);
        output PHNETWORKID(OptionArgument::Any);
        output PHSTARTTIME(OptionArgument::Any);
        output PHTASKID(OptionArgument::Any);
        output PHTRANSID(OptionArgument::Any);
        output PROGRAM(Chars(8));
        output PTCOUNT(OptionArgument::Any);
        output PTSTARTTIME(OptionArgument::Any);
        output PTTASKID(OptionArgument::Any);
        output PTTRANSID(OptionArgument::Any);
        output REALM(OptionArgument::Any);
        output SERVERIPADDR(OptionArgument::Any);
        output SERVERPORT(OptionArgument::Any);
        output SRVRIPFAMILY(OptionArgument::Any);
        output STARTTIME(OptionArgument::Any);
        output TCPIPJOB(OptionArgument::Any);
        output TCPIPSERVICE(OptionArgument::Any);
        output TCPIPZONE(OptionArgument::Any);
        output TRNGRPID(OptionArgument::Any);
        output TRANSACTION(Chars(4));
        output USERCORRDATA(Chars(64));
        output USERID(Chars(8));
        @rules
            OptionRule::Unserved(
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
            OptionRule::AtMostOne(&["PURGETYPE", "FORCEPURGE", "KILL", "PURGE"]);
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
        input DUMPING(OptionArgument::Any);
        flag TRANDUMP;
        flag NOTRANDUMP;
        input OTELEMIT(OptionArgument::Any);
        flag TASKEND;
        flag NOEMIT;
        input OTELPROP(OptionArgument::Any);
        flag PROPONLY;
        flag NOPROP;
        input PURGEABILITY(Cvda);
        flag NOTPURGEABLE;
        flag PURGEABLE;
        input RUNAWAYTYPE(OptionArgument::Any);
        flag SYSTEM;
        flag USER;
        input SHUTDOWN(OptionArgument::Any);
        flag SHUTDISABLED;
        flag SHUTENABLED;
        input TCLASS(OptionArgument::Any);
        input TRANCLASS(OptionArgument::Any);
        input TRACING(OptionArgument::Any);
        flag SPECTRACE;
        flag SPRSTRACE;
        flag STANTRACE;
        @rules
            OptionRule::AtMostOne(&["STATUS", "ENABLED", "DISABLED"]),
            OptionRule::Unserved(
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
        @rules OptionRule::Unserved(&["PURGEACTION", "ABEND", "DISCARD"], Condition::InvReq);
        @conditions InvReq(1, 2, 3), TcIdErr(1);
    }

    command! {
        /// Opens, closes, enables or disables a file, and sets the operations that it allows.
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
        input CFDTPOOL(OptionArgument::Any);
        input DISPOSITION(OptionArgument::Any);
        flag OLD;
        flag SHARE;
        input DSNAME(OptionArgument::Any);
        input EMPTYSTATUS(OptionArgument::Any);
        flag EMPTYREQ;
        flag NOEMPTYREQ;
        input EXCLUSIVE(OptionArgument::Any);
        input KEYLENGTH(OptionArgument::Any);
        input LOADTYPE(OptionArgument::Any);
        input LSRPOOLNUM(OptionArgument::Any);
        input MAXNUMRECS(OptionArgument::Any);
        input READINTEG(OptionArgument::Any);
        input RECORDSIZE(OptionArgument::Any);
        input RLSACCESS(OptionArgument::Any);
        input STRINGS(OptionArgument::Any);
        input TABLE(OptionArgument::Any);
        input TABLENAME(OptionArgument::Any);
        input UPDATEMODEL(OptionArgument::Any);
        @rules
            OptionRule::AtMostOne(&["ADD", "ADDABLE", "NOTADDABLE"]),
            OptionRule::AtMostOne(&["BROWSE", "BROWSABLE", "NOTBROWSABLE"]),
            OptionRule::AtMostOne(&["DELETE", "DELETABLE", "NOTDELETABLE"]),
            OptionRule::AtMostOne(&["READ", "READABLE", "NOTREADABLE"]),
            OptionRule::AtMostOne(&["UPDATE", "UPDATABLE", "NOTUPDATABLE"]),
            OptionRule::AtMostOne(&["ENABLESTATUS", "ENABLED", "DISABLED"]),
            OptionRule::AtMostOne(&["OPENSTATUS", "OPEN", "CLOSED"]),
            OptionRule::AtMostOne(&["BUSY", "WAIT", "NOWAIT", "FORCE"]),
            OptionRule::Unserved(
                &["CFDTPOOL", "DISPOSITION", "OLD", "SHARE", "DSNAME", "EMPTYSTATUS", "EMPTYREQ", "NOEMPTYREQ", "EXCLUSIVE", "KEYLENGTH", "LOADTYPE", "LSRPOOLNUM", "MAXNUMRECS", "READINTEG", "RECORDSIZE", "RLSACCESS", "STRINGS", "TABLE", "TABLENAME", "UPDATEMODEL"],
                Condition::InvReq
            );
        @conditions InvReq(1, 2, 4, 5, 7, 12, 14, 16, 17), FileNotFound(18);
    }
}
