//! INQUIRE TERMINAL and SET TERMINAL, and what a task asks of its display.
//!
//! The terminal's door serves these commands. An option that has no meaning for a
//! TN3270 display is in its row and answers INVREQ: the translator warns of it.
//!
//! Reference: CICS system programming reference, the commands' own pages.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::inquire_terminal::ROW,
    rows::set_terminal::ROW,
    rows::issue_eraseaup::ROW,
    rows::issue_disconnect::ROW,
    rows::issue_reset::ROW,
    rows::wait_terminal::ROW,
    rows::wait_signal::ROW,
];

pub(super) mod rows {
    command! {
        /// Gives what a terminal has.
        inquire_terminal 0x8A92 0x5202 "INQUIRE TERMINAL" "INQUIRE" ["TERMINAL"] System Region;
        browse TERMINAL AT(Name(4));
        output NETNAME(Chars(8));
        output ACCESSMETHOD(Cvda);
        output ACQSTATUS(Cvda);
        output AIDCOUNT(OptionArgument::Any);
        output ALTPAGEHT(OptionArgument::Any);
        output ALTPAGEWD(OptionArgument::Any);
        output ALTPRINTER(OptionArgument::Any);
        output ALTPRTCOPYST(OptionArgument::Any);
        output ALTSCRNHT(Halfword);
        output ALTSCRNWD(Halfword);
        output ALTSUFFIX(OptionArgument::Any);
        output APLKYBDST(OptionArgument::Any);
        output APLTEXTST(OptionArgument::Any);
        output ASCII(OptionArgument::Any);
        output ATISTATUS(Cvda);
        output AUDALARMST(OptionArgument::Any);
        output AUTOCONNECT(OptionArgument::Any);
        output BACKTRANSST(OptionArgument::Any);
        output COLORST(Cvda);
        output CONSOLE(OptionArgument::Any);
        output COPYST(OptionArgument::Any);
        output CORRELID(OptionArgument::Any);
        output CREATESESS(OptionArgument::Any);
        output DATASTREAM(OptionArgument::Any);
        output DEFPAGEHT(Halfword);
        output DEFPAGEWD(Halfword);
        output DEFSCRNHT(Halfword);
        output DEFSCRNWD(Halfword);
        output DEVICE(OptionArgument::Any);
        output DISCREQST(OptionArgument::Any);
        output DUALCASEST(OptionArgument::Any);
        output EXITTRACING(OptionArgument::Any);
        output EXTENDEDDSST(Cvda);
        output FMHPARMST(OptionArgument::Any);
        output FORMFEEDST(OptionArgument::Any);
        output GCHARS(OptionArgument::Any);
        output GCODES(OptionArgument::Any);
        output HFORMST(OptionArgument::Any);
        output HILIGHTST(Cvda);
        output KATAKANAST(OptionArgument::Any);
        output LIGHTPENST(OptionArgument::Any);
        output LINKSYSTEM(OptionArgument::Any);
        output MAPNAME(OptionArgument::Any);
        output MAPSETNAME(OptionArgument::Any);
        output MODENAME(OptionArgument::Any);
        output MSRCONTROLST(OptionArgument::Any);
        output NATLANG(OptionArgument::Any);
        output NATURE(OptionArgument::Any);
        output NEXTTRANSID(Chars(4));
        output NQNAME(OptionArgument::Any);
        output OBFORMATST(OptionArgument::Any);
        output OBOPERIDST(OptionArgument::Any);
        output OPERID(OptionArgument::Any);
        output OUTLINEST(OptionArgument::Any);
        output PAGEHT(Halfword);
        output PAGESTATUS(OptionArgument::Any);
        output PAGEWD(Halfword);
        output PARTITIONSST(OptionArgument::Any);
        output PRINTADAPTST(OptionArgument::Any);
        output PRINTER(OptionArgument::Any);
        output PROGSYMBOLST(OptionArgument::Any);
        output PRTCOPYST(OptionArgument::Any);
        output QUERYST(OptionArgument::Any);
        output RELREQST(OptionArgument::Any);
        output REMOTENAME(OptionArgument::Any);
        output REMOTESYSNET(OptionArgument::Any);
        output REMOTESYSTEM(OptionArgument::Any);
        output SCRNHT(Halfword);
        output SCRNWD(Halfword);
        output SECURITY(OptionArgument::Any);
        output SERVSTATUS(Cvda);
        output SESSIONTYPE(OptionArgument::Any);
        output SIGNONSTATUS(Cvda);
        output SOSIST(OptionArgument::Any);
        output TASKID(Fullword);
        output TCAMCONTROL(OptionArgument::Any);
        output TERMMODEL(OptionArgument::Any);
        output TERMPRIORITY(OptionArgument::Any);
        output TERMSTATUS(Cvda);
        output TEXTKYBDST(OptionArgument::Any);
        output TEXTPRINTST(OptionArgument::Any);
        output TNADDR(OptionArgument::Any);
        output TNHOST(OptionArgument::Any);
        output TNIPFAMILY(OptionArgument::Any);
        output TNPORT(OptionArgument::Any);
        output TRACING(OptionArgument::Any);
        output TRANSACTION(Chars(4));
        output TTISTATUS(Cvda);
        output UCTRANST(Cvda);
        output USERAREA(OptionArgument::Any);
        output USERAREALEN(OptionArgument::Any);
        output USERID(Chars(8));
        output USERNAME(OptionArgument::Any);
        output VALIDATIONST(OptionArgument::Any);
        output VFORMST(OptionArgument::Any);
        output ZCPTRACING(OptionArgument::Any);
        @rules
            OptionRule::Unserved(
                &[
                    "AIDCOUNT", "ALTPAGEHT", "ALTPAGEWD", "ALTPRINTER", "ALTPRTCOPYST", "ALTSUFFIX", "APLKYBDST",
                    "APLTEXTST", "ASCII", "AUDALARMST", "AUTOCONNECT", "BACKTRANSST", "CONSOLE", "COPYST",
                    "CORRELID", "CREATESESS", "DATASTREAM", "DEVICE", "DISCREQST", "DUALCASEST", "EXITTRACING",
                    "FMHPARMST", "FORMFEEDST", "GCHARS", "GCODES", "HFORMST", "KATAKANAST", "LIGHTPENST",
                    "LINKSYSTEM", "MAPNAME", "MAPSETNAME", "MODENAME", "MSRCONTROLST", "NATLANG", "NATURE",
                    "NQNAME", "OBFORMATST", "OBOPERIDST", "OPERID", "OUTLINEST", "PAGESTATUS", "PARTITIONSST",
                    "PRINTADAPTST", "PRINTER", "PROGSYMBOLST", "PRTCOPYST", "QUERYST", "RELREQST", "REMOTENAME",
                    "REMOTESYSNET", "REMOTESYSTEM", "SECURITY", "SESSIONTYPE", "SOSIST", "TCAMCONTROL", "TERMMODEL",
                    "TERMPRIORITY", "TEXTKYBDST", "TEXTPRINTST", "TNADDR", "TNHOST", "TNIPFAMILY", "TNPORT",
                    "TRACING", "USERAREA", "USERAREALEN", "USERNAME", "VALIDATIONST", "VFORMST", "ZCPTRACING",
                ],
                Condition::InvReq
            );
        @conditions End(2), Illogic(1), InvReq(1), TermIdErr(1);
    }

    command! {
        /// Changes a terminal.
        set_terminal 0x8ACB 0x5204 "SET TERMINAL" "SET" ["TERMINAL"] System Region;
        input TERMINAL(Name(4)) [required];
        input ACQSTATUS(OptionArgument::Any);
        input TERMSTATUS(Cvda);
        flag ACQUIRED;
        flag COLDACQ;
        flag RELEASED;
        input ALTPRINTER(OptionArgument::Any);
        input ALTPRTCOPYST(OptionArgument::Any);
        flag ALTPRTCOPY;
        flag NOALTPRTCOPY;
        input ATISTATUS(OptionArgument::Any);
        flag ATI;
        flag NOATI;
        input CREATESESS(OptionArgument::Any);
        flag CREATE;
        flag NOCREATE;
        input DISCREQST(OptionArgument::Any);
        flag DISCREQ;
        flag NODISCREQ;
        input EXITTRACING(OptionArgument::Any);
        flag EXITTRACE;
        flag NOEXITTRACE;
        input MAPNAME(OptionArgument::Any);
        input MAPSETNAME(OptionArgument::Any);
        input NEXTTRANSID(OptionArgument::Any);
        input OBFORMATST(OptionArgument::Any);
        flag OBFORMAT;
        flag NOOBFORMAT;
        input OPERID(OptionArgument::Any);
        input PAGESTATUS(OptionArgument::Any);
        flag AUTOPAGEABLE;
        flag PAGEABLE;
        input PRINTER(OptionArgument::Any);
        input PRTCOPYST(OptionArgument::Any);
        flag PRTCOPY;
        flag NOPRTCOPY;
        input PURGETYPE(OptionArgument::Any);
        flag FORCEPURGE;
        flag KILL;
        flag PURGE;
        flag FORCE;
        flag CANCEL;
        input RELREQST(OptionArgument::Any);
        flag RELREQ;
        flag NORELREQ;
        input SERVSTATUS(OptionArgument::Any);
        flag INSERVICE;
        flag OUTSERVICE;
        input TCAMCONTROL(OptionArgument::Any);
        input TERMPRIORITY(OptionArgument::Any);
        input TRACING(OptionArgument::Any);
        flag SPECTRACE;
        flag STANTRACE;
        input TTISTATUS(OptionArgument::Any);
        flag NOTTI;
        flag TTI;
        input UCTRANST(Cvda);
        flag UCTRAN;
        flag NOUCTRAN;
        flag TRANIDONLY;
        input ZCPTRACING(OptionArgument::Any);
        flag NOZCPTRACE;
        flag ZCPTRACE;
        @rules
            OptionRule::AtMostOne(&["UCTRANST", "UCTRAN", "NOUCTRAN", "TRANIDONLY"]),
            OptionRule::Unserved(
                &[
                    "ACQSTATUS", "ACQUIRED", "COLDACQ", "ALTPRINTER", "ALTPRTCOPYST", "ALTPRTCOPY", "NOALTPRTCOPY",
                    "ATISTATUS", "ATI", "NOATI", "CREATESESS", "CREATE", "NOCREATE", "DISCREQST",
                    "DISCREQ", "NODISCREQ", "EXITTRACING", "EXITTRACE", "NOEXITTRACE", "MAPNAME", "MAPSETNAME",
                    "NEXTTRANSID", "OBFORMATST", "OBFORMAT", "NOOBFORMAT", "OPERID", "PAGESTATUS", "AUTOPAGEABLE",
                    "PAGEABLE", "PRINTER", "PRTCOPYST", "PRTCOPY", "NOPRTCOPY", "PURGETYPE", "FORCEPURGE",
                    "KILL", "PURGE", "FORCE", "CANCEL", "RELREQST", "RELREQ", "NORELREQ",
                    "SERVSTATUS", "INSERVICE", "OUTSERVICE", "TCAMCONTROL", "TERMPRIORITY", "TRACING", "SPECTRACE",
                    "STANTRACE", "TTISTATUS", "NOTTI", "TTI", "ZCPTRACING", "NOZCPTRACE", "ZCPTRACE",
                ],
                Condition::InvReq
            );
        @conditions InvReq(1, 29), TermIdErr(1);
    }

    command! {
        /// Erases the unprotected fields of the task's display.
        issue_eraseaup 0x0418 eibfn "ISSUE ERASEAUP" "ISSUE" ["ERASEAUP"] Terminals Region;
        flag ERASEAUP;
        flag WAIT;
        @conditions InvReq, TermErr;
    }
    command! {
        /// Ends the connection of the task's terminal.
        issue_disconnect 0x0414 eibfn "ISSUE DISCONNECT" "ISSUE" ["DISCONNECT"] Terminals Region;
        flag DISCONNECT;
        input SESSION(Name(4));
        @conditions InvReq, NotAlloc, TermErr;
    }
    command! {
        /// Goes on at once: a display's connection needs no reset.
        issue_reset 0x0412 eibfn "ISSUE RESET" "ISSUE" ["RESET"] Terminals Region;
        flag RESET;
        @conditions InvReq, TermErr;
    }
    command! {
        /// Goes on at once: an output is complete when SEND has returned.
        wait_terminal 0x040C eibfn "WAIT TERMINAL" "WAIT" ["TERMINAL"] Terminals Region;
        flag TERMINAL;
        input CONVID(Name(4));
        input SESSION(Name(4));
        @conditions InvReq, NotAlloc, Signal, TermErr;
    }
    command! {
        /// Waits until the user of the task's terminal presses ATTN.
        wait_signal 0x0410 eibfn "WAIT SIGNAL" "WAIT" ["SIGNAL"] Terminals Region;
        flag SIGNAL;
        @conditions NotAlloc, Signal, TermErr;
    }
}
