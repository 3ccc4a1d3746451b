//! Dumps of the region, security, and the region's clock.
//!
//! Reference: CICS system programming reference, the commands' own pages; API
//! reference, QUERY SECURITY.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::query_security::ROW,
    rows::inquire_dumpds::ROW,
    rows::set_dumpds::ROW,
    rows::inquire_sysdumpcode::ROW,
    rows::set_sysdumpcode::ROW,
    rows::perform_dump::ROW,
    rows::perform_resettime::ROW,
    rows::perform_security::ROW,
    rows::perform_shutdown::ROW,
];

pub(super) mod rows {
    command! {
        /// Returns the user's access to a resource.
        query_security 0x6A02 eibfn "QUERY SECURITY" "QUERY" ["SECURITY"] Security Region;
        flag SECURITY;
        input RESTYPE(Name(12));
        input RESCLASS(Name(8));
        input RESIDLENGTH(Fullword);
        input RESID(Area) [required, length("RESIDLENGTH")];
        input LOGMESSAGE(Cvda);
        input USERID(Name(8));
        output READ(Cvda);
        output UPDATE(Cvda);
        output CONTROL(Cvda);
        output ALTER(Cvda);
        @rules
            OptionRule::ExactlyOne(&["RESTYPE", "RESCLASS"]),
            OptionRule::Needs("RESCLASS", &["RESIDLENGTH"]);
        @conditions InvReq(7, 9, 10), LengErr(6), NotFnd(1, 2, 3);
    }

    command! {
        /// Returns the place of the dumps of tasks.
        inquire_dumpds 0x8A58 0x6602 "INQUIRE DUMPDS" "INQUIRE" ["DUMPDS"] System Region;
        flag DUMPDS;
        output CURRENTDDS(Chars(1));
        output INITIALDDS(Chars(1));
        output OPENSTATUS(Cvda);
        output SWITCHSTATUS(Cvda);
        @conditions InvReq(1);
    }

    command! {
        /// Has dumps of tasks written or not.
        set_dumpds 0x8ABA 0x6604 "SET DUMPDS" "SET" ["DUMPDS"] System Region;
        flag DUMPDS;
        input INITIALDDS(OptionArgument::Any);
        input OPENSTATUS(Cvda);
        flag CLOSED;
        flag OPEN;
        flag SWITCH;
        input SWITCHSTATUS(OptionArgument::Any);
        flag NOSWITCH;
        flag SWITCHNEXT;
        flag SWITCHALL;
        @rules
            OptionRule::AtMostOne(&["OPENSTATUS", "CLOSED", "OPEN", "SWITCH"]),
            OptionRule::Unserved(
                &["INITIALDDS", "SWITCHSTATUS", "NOSWITCH", "SWITCHNEXT", "SWITCHALL"],
                Condition::InvReq
            );
        @conditions InvReq(1, 2), IoErr;
    }

    command! {
        /// Returns attributes of a system dump code.
        inquire_sysdumpcode 0x8A88 0x6622 "INQUIRE SYSDUMPCODE" "INQUIRE" ["SYSDUMPCODE"] System Region;
        browse SYSDUMPCODE AT(Name(8));
        output CHANGEAGENT(OptionArgument::Any);
        output CHANGEAGREL(OptionArgument::Any);
        output CHANGETIME(OptionArgument::Any);
        output CHANGEUSRID(OptionArgument::Any);
        output CURRENT(Fullword);
        output DAEOPTION(OptionArgument::Any);
        output DEFINESOURCE(OptionArgument::Any);
        output DEFINETIME(OptionArgument::Any);
        output DSPLIST(OptionArgument::Any);
        output DUMPSCOPE(Cvda);
        output INSTALLAGENT(OptionArgument::Any);
        output INSTALLTIME(OptionArgument::Any);
        output INSTALLUSRID(OptionArgument::Any);
        output JOBLIST(OptionArgument::Any);
        output MAXIMUM(Fullword);
        output SHUTOPTION(Cvda);
        output SYSDUMPING(Cvda);
        @rules
            OptionRule::Unserved(
                &[
                    "CHANGEAGENT", "CHANGEAGREL", "CHANGETIME", "CHANGEUSRID", "DAEOPTION",
                    "DEFINESOURCE", "DEFINETIME", "DSPLIST", "INSTALLAGENT", "INSTALLTIME", "INSTALLUSRID",
                    "JOBLIST",
                ],
                Condition::InvReq
            );
        @conditions End(2), Illogic(1), InvReq(1), NotFnd(1);
    }

    command! {
        /// Says whether a code makes dumps of the region, and how many.
        set_sysdumpcode 0x8AF1 0x6624 "SET SYSDUMPCODE" "SET" ["SYSDUMPCODE"] System Region;
        input SYSDUMPCODE(Name(8)) [required];
        input ACTION(Cvda);
        flag ADD;
        flag REMOVE;
        flag RESET;
        input DAEOPTION(OptionArgument::Any);
        flag DAE;
        flag NODAE;
        input DSPLIST(OptionArgument::Any);
        input DUMPSCOPE(OptionArgument::Any);
        flag LOCAL;
        flag RELATED;
        input JOBLIST(OptionArgument::Any);
        input MAXIMUM(Fullword);
        input SHUTOPTION(Cvda);
        flag NOSHUTDOWN;
        flag SHUTDOWN;
        input SYSDUMPING(Cvda);
        flag NOSYSDUMP;
        flag SYSDUMP;
        @rules
            OptionRule::Unserved(
                &[
                    "DAEOPTION", "DAE", "NODAE", "DSPLIST", "DUMPSCOPE", "LOCAL", "RELATED",
                    "JOBLIST", "SHUTDOWN",
                ],
                Condition::InvReq
            );
        @conditions DupRec(10), InvReq(2, 4, 5, 6, 7, 8, 9), NotFnd(1);
    }

    command! {
        /// Writes a dump of the region: its tasks, waits, locks and counters.
        perform_dump 0x8AA9 0x7E04 "PERFORM DUMP" "PERFORM" ["DUMP"] System Region;
        flag DUMP;
        input DUMPCODE(Name(8)) [required];
        input TITLE(Area) [length("TITLELENGTH")];
        input TITLELENGTH(Fullword);
        input CALLER(Area) [length("CALLERLENGTH")];
        input CALLERLENGTH(Fullword);
        output DUMPID(Chars(9));
        @conditions InvReq(6, 7, 13), IoErr(10), NoSpace(4), Suppressed(1, 3);
    }

    command! {
        /// Takes the date and time of the system.
        perform_resettime 0x8AAD 0x7202 "PERFORM RESETTIME" "PERFORM" ["RESETTIME"] System Region;
        flag RESETTIME;
    }

    command! {
        /// Refreshes what an external security manager knows.
        perform_security 0x8AAF 0x6402 "PERFORM SECURITY REBUILD" "PERFORM" ["SECURITY"] System Region;
        flag SECURITY;
        flag REBUILD;
        output ESMRESP(Fullword);
        @conditions InvReq(1);
    }

    command! {
        /// Ends the region; the program gets control back only when it is not.
        perform_shutdown 0x8AB0 0x7602 "PERFORM SHUTDOWN" "PERFORM" ["SHUTDOWN"] System Region;
        flag SHUTDOWN;
        input PLT(OptionArgument::Any);
        input PLTNAME(OptionArgument::Any);
        flag RESTART;
        input SDTRAN(OptionArgument::Any);
        flag NOSDTRAN;
        input XLT(OptionArgument::Any);
        flag DUMP;
        flag IMMEDIATE;
        flag NORESTART;
        flag TAKEOVER;
        @rules
            OptionRule::AtMostOne(&["SDTRAN", "NOSDTRAN"]),
            OptionRule::Unserved(
                &[
                    "PLT", "PLTNAME", "RESTART", "SDTRAN", "XLT", "DUMP", "NORESTART", "TAKEOVER",
                ],
                Condition::InvReq
            );
        @conditions InvReq(1);
    }
}
