//! Queries of a task about itself and its region, and built-in functions.

use crate::command::row::Command;

/// Rows with all their options.
pub(super) const SERVED: &[Command] = &[
    rows::address::ROW,
    rows::address_set::ROW,
    rows::assign::ROW,
    rows::bif_deedit::ROW,
    rows::bif_digest::ROW,
    rows::extract_exit::ROW,
    rows::suspend::ROW,
    rows::change_task::ROW,
    rows::enq::ROW,
    rows::deq::ROW,
];

pub(super) mod rows {
    command! {
        /// Gives the address of areas that belong to the task or the region.
        address 0x0202 eibfn "ADDRESS" "ADDRESS" Environment Worker;
        output ACEE(PtrRef);
        output COMMAREA(PtrRef);
        output CWA(PtrRef);
        output EIB(PtrRef);
        output TCTUA(PtrRef);
        output TWA(PtrRef);
    }

    command! {
        /// Sets a pointer from an address, or the other way round.
        address_set 0x0210 eibfn "ADDRESS SET" "ADDRESS" ["SET"] Environment Worker;
        output SET(PtrRef) [required];
        input USING(PtrValue) [required];
    }

    command! {
        /// Gives values that belong to the task, its program or the region.
        assign 0x0208 eibfn "ASSIGN" "ASSIGN" Environment Worker;
        output ABCODE(Chars(4));
        output ABDUMP(Chars(1));
        output ABOFFSET(Fullword);
        output ABPROGRAM(Chars(8));
        output ACTIVITY(Chars(16));
        output ACTIVITYID(Chars(52));
        output ALTSCRNHT(Halfword);
        output ALTSCRNWD(Halfword);
        output APLKYBD(Chars(1));
        output APLTEXT(Chars(1));
        output APPLICATION(Chars(64));
        output APPLID(Chars(8));
        output ASRAINTRPT(Chars(8));
        output ASRAKEY(Cvda);
        output ASRAPSW(Chars(8));
        output ASRAPSW16(Chars(16));
        output ASRAREGS(Chars(64));
        output ASRAREGS64(Chars(128));
        output ASRASPC(Cvda);
        output ASRASTG(Cvda);
        output BRIDGE(Chars(4));
        output BTRANS(Chars(1));
        output CHANNEL(Chars(16));
        output CMDSEC(Chars(1));
        output COLOR(Chars(1));
        output CWALENG(Halfword);
        output DEFSCRNHT(Halfword);
        output DEFSCRNWD(Halfword);
        output DELIMITER(Chars(1));
        output DESTCOUNT(Halfword);
        output DESTID(Chars(8));
        output DESTIDLENG(Halfword);
        output DSSCS(Chars(1));
        output DS3270(Chars(1));
        output ERRORMSG(Area);
        output ERRORMSGLEN(Halfword);
        output EWASUPP(Chars(1));
        output EXTDS(Chars(1));
        output FACILITY(Chars(4));
        output FCI(Chars(1));
        output GCHARS(Halfword);
        output GCODES(Halfword);
        output GMMI(Chars(1));
        output HILIGHT(Chars(1));
        output INITPARM(Chars(60));
        output INITPARMLEN(Halfword);
        output INPARTN(Chars(2));
        output INPUTMSGLEN(Halfword);
        output INVOKINGPROG(Chars(8));
        output KATAKANA(Chars(1));
        output LANGINUSE(Chars(3));
        output LDCMNEM(Chars(2));
        output LDCNUM(Chars(1));
        output LINKLEVEL(Halfword);
        output LOCALCCSID(Fullword);
        output MAJORVERSION(Fullword);
        output MAPCOLUMN(Halfword);
        output MAPHEIGHT(Halfword);
        output MAPLINE(Halfword);
        output MAPWIDTH(Halfword);
        output MICROVERSION(Fullword);
        output MINORVERSION(Fullword);
        output MSRCONTROL(Chars(1));
        output NATLANGINUSE(Chars(1));
        output NETNAME(Chars(8));
        output NEXTTRANSID(Chars(4));
        output NUMTAB(Chars(1));
        output OPCLASS(Chars(3));
        output OPERATION(Chars(64));
        output OPERKEYS(Chars(8));
        output OPID(Chars(3));
        output OPSECURITY(Chars(3));
        output ORGABCODE(Chars(4));
        output OUTLINE(Chars(1));
        output PAGENUM(Halfword);
        output PARTNPAGE(Chars(2));
        output PARTNS(Chars(1));
        output PARTNSET(Chars(6));
        output PLATFORM(Chars(64));
        output PRINSYSID(Chars(4));
        output PROCESS(Chars(36));
        output PROCESSTYPE(Chars(8));
        output PROGRAM(Chars(8));
        output PS(Chars(1));
        output QNAME(Chars(4));
        output RESSEC(Chars(1));
        output RESTART(Chars(1));
        output RETURNPROG(Chars(8));
        output SCRNHT(Halfword);
        output SCRNWD(Halfword);
        output SIGDATA(Chars(4));
        output SOSI(Chars(1));
        output STARTCODE(Chars(2));
        output STATIONID(Chars(1));
        output SYSID(Chars(4));
        output TASKPRIORITY(Halfword);
        output TCTUALENG(Halfword);
        output TELLERID(Chars(1));
        output TERMCODE(Chars(2));
        output TERMPRIORITY(Halfword);
        output TEXTKYBD(Chars(1));
        output TEXTPRINT(Chars(1));
        output TNADDR(Chars(39));
        output TNIPFAMILY(Cvda);
        output TNPORT(Fullword);
        output TRANPRIORITY(Halfword);
        output TWALENG(Halfword);
        output UNATTEND(Chars(1));
        output USERID(Chars(8));
        output USERNAME(Chars(20));
        output USERPRIORITY(Halfword);
        output VALIDATION(Chars(1));
        @conditions InvReq(1, 2, 3, 4, 5, 6);
    }

    command! {
        /// Removes everything but digits from a field.
        bif_deedit 0x2002 eibfn "BIF DEEDIT" "BIF" ["DEEDIT"] Environment Worker;
        flag DEEDIT;
        update FIELD(Area) [required, length("LENGTH")];
        input LENGTH(Halfword);
        @conditions LengErr;
    }

    command! {
        /// Whether an exit program is enabled: that of CICS sockets, EZACIC01,
        /// where the region has them. EZACIC01 has no global work area.
        extract_exit 0x2206 eibfn "EXTRACT EXIT" "EXTRACT" ["EXIT"] Environment Worker;
        flag EXIT;
        input PROGRAM(Name(8)) [required];
        input ENTRYNAME(Name(8));
        output GALENGTH(Halfword) [required];
        output GASET(PtrRef) [required];
        @conditions InvExitReq;
    }

    command! {
        /// The SHA-1 digest of data.
        bif_digest 0x9001 0x2020 "BIF DIGEST" "BIF" ["DIGEST"] Environment Worker;
        flag DIGEST;
        input RECORD(Area) [required, length("RECORDLEN")];
        input RECORDLEN(Fullword) [required];
        flag HEX;
        flag BINARY;
        flag BASE64;
        input DIGESTTYPE(Cvda);
        output RESULT(Area) [required];
        @rules OptionRule::AtMostOne(&["HEX", "BINARY", "BASE64", "DIGESTTYPE"]);
        @conditions InvReq(1), LengErr(2);
    }

    command! {
        /// Lets other tasks run.
        suspend 0x1208 eibfn "SUSPEND" "SUSPEND" Environment Region;
    }

    command! {
        /// Changes the task's priority.
        change_task 0x9002 0x5E06 "CHANGE TASK" "CHANGE" ["TASK"] Environment Region;
        flag TASK;
        input PRIORITY(Fullword);
        @conditions InvReq(1);
    }

    command! {
        /// Waits for the use of a named resource.
        enq 0x1204 eibfn "ENQ" "ENQ" Environment Region;
        input RESOURCE(Area) [required, length("LENGTH"), most(255)];
        input LENGTH(Halfword);
        flag UOW;
        flag TASK;
        input MAXLIFETIME(Cvda);
        flag NOSUSPEND;
        @rules OptionRule::AtMostOne(&["UOW", "TASK", "MAXLIFETIME"]);
        @conditions EnqBusy, InvReq(2), LengErr(1);
    }

    command! {
        /// Gives up the use of a named resource.
        deq 0x1206 eibfn "DEQ" "DEQ" Environment Region;
        input RESOURCE(Area) [required, length("LENGTH"), most(255)];
        input LENGTH(Halfword);
        flag UOW;
        flag TASK;
        input MAXLIFETIME(Cvda);
        @rules OptionRule::AtMostOne(&["UOW", "TASK", "MAXLIFETIME"]);
        @conditions InvReq(2), LengErr(1);
    }
}
