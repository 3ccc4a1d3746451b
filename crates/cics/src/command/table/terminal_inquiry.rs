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
];

pub(super) mod rows {
    command! {
        /// Gives what a terminal has.
        inquire_terminal 0x8A92 0x5202 "INQUIRE TERMINAL" "INQUIRE" ["TERMINAL"] System Region;
        browse TERMINAL AT(Name(4));
        output NETNAME(Chars(8));
        output ACCESSMETHOD(Cvda);
        output ACQSTATUS(Cvda);
        output AIDCOUNT(Argument::Any);
        output ALTPAGEHT(Argument::Any);
        output ALTPAGEWD(Argument::Any);
        output ALTPRINTER(Argument::Any);
        output ALTPRTCOPYST(Argument::Any);
        output ALTSCRNHT(Halfword);
        output ALTSCRNWD(Halfword);
        output ALTSUFFIX(Argument::Any);
        output APLKYBDST(Argument::Any);
        output APLTEXTST(Argument::Any);
        output ASCII(Argument::Any);
        output ATISTATUS(Cvda);
        output AUDALARMST(Argument::Any);
        output AUTOCONNECT(Argument::Any);
        output BACKTRANSST(Argument::Any);
        output COLORST(Cvda);
        output CONSOLE(Argument::Any);
        output COPYST(Argument::Any);
        output CORRELID(Argument::Any);
        output CREATESESS(Argument::Any);
        output DATASTREAM(Argument::Any);
        output DEFPAGEHT(Halfword);
        output DEFPAGEWD(Halfword);
        output DEFSCRNHT(Halfword);
        output DEFSCRNWD(Halfword);
        output DEVICE(Argument::Any);
        output DISCREQST(Argument::Any);
        output DUALCASEST(Argument::Any);
        output EXITTRACING(Argument::Any);
        output EXTENDEDDSST(Cvda);
        output FMHPARMST(Argument::Any);
        output FORMFEEDST(Argument::Any);
        output GCHARS(Argument::Any);
        output GCODES(Argument::Any);
        output HFORMST(Argument::Any);
        output HILIGHTST(Cvda);
        output KATAKANAST(Argument::Any);
        output LIGHTPENST(Argument::Any);
        output LINKSYSTEM(Argument::Any);
        output MAPNAME(Argument::Any);
        output MAPSETNAME(Argument::Any);
        output MODENAME(Argument::Any);
        output MSRCONTROLST(Argument::Any);
        output NATLANG(Argument::Any);
        output NATURE(Argument::Any);
        output NEXTTRANSID(Chars(4));
        output NQNAME(Argument::Any);
        output OBFORMATST(Argument::Any);
        output OBOPERIDST(Argument::Any);
        output OPERID(Argument::Any);
        output OUTLINEST(Argument::Any);
        output PAGEHT(Halfword);
        output PAGESTATUS(Argument::Any);
        output PAGEWD(Halfword);
        output PARTITIONSST(Argument::Any);
        output PRINTADAPTST(Argument::Any);
        output PRINTER(Argument::Any);
        output PROGSYMBOLST(Argument::Any);
        output PRTCOPYST(Argument::Any);
        output QUERYST(Argument::Any);
        output RELREQST(Argument::Any);
        output REMOTENAME(Argument::Any);
        output REMOTESYSNET(Argument::Any);
        output REMOTESYSTEM(Argument::Any);
        output SCRNHT(Halfword);
        output SCRNWD(Halfword);
        output SECURITY(Argument::Any);
        output SERVSTATUS(Cvda);
        output SESSIONTYPE(Argument::Any);
        output SIGNONSTATUS(Cvda);
        output SOSIST(Argument::Any);
        output TASKID(Fullword);
        output TCAMCONTROL(Argument::Any);
        output TERMMODEL(Argument::Any);
        output TERMPRIORITY(Argument::Any);
        output TERMSTATUS(Cvda);
        output TEXTKYBDST(Argument::Any);
        output TEXTPRINTST(Argument::Any);
        output TNADDR(Argument::Any);
        output TNHOST(Argument::Any);
        output TNIPFAMILY(Argument::Any);
        output TNPORT(Argument::Any);
        output TRACING(Argument::Any);
        output TRANSACTION(Chars(4));
        output TTISTATUS(Cvda);
        output UCTRANST(Cvda);
        output USERAREA(Argument::Any);
        output USERAREALEN(Argument::Any);
        output USERID(Chars(8));
        output USERNAME(Argument::Any);
        output VALIDATIONST(Argument::Any);
        output VFORMST(Argument::Any);
        output ZCPTRACING(Argument::Any);
        @rules
            Rule::Unserved(
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
        input ACQSTATUS(Argument::Any);
        input TERMSTATUS(Cvda);
        flag ACQUIRED;
        flag COLDACQ;
        flag RELEASED;
        input ALTPRINTER(Argument::Any);
        input ALTPRTCOPYST(Argument::Any);
        flag ALTPRTCOPY;
        flag NOALTPRTCOPY;
        input ATISTATUS(Argument::Any);
        flag ATI;
        flag NOATI;
        input CREATESESS(Argument::Any);
        flag CREATE;
        flag NOCREATE;
        input DISCREQST(Argument::Any);
        flag DISCREQ;
        flag NODISCREQ;
        input EXITTRACING(Argument::Any);
        flag EXITTRACE;
        flag NOEXITTRACE;
        input MAPNAME(Argument::Any);
        input MAPSETNAME(Argument::Any);
        input NEXTTRANSID(Argument::Any);
        input OBFORMATST(Argument::Any);
        flag OBFORMAT;
        flag NOOBFORMAT;
        input OPERID(Argument::Any);
        input PAGESTATUS(Argument::Any);
        flag AUTOPAGEABLE;
        flag PAGEABLE;
        input PRINTER(Argument::Any);
        input PRTCOPYST(Argument::Any);
        flag PRTCOPY;
        flag NOPRTCOPY;
        input PURGETYPE(Argument::Any);
        flag FORCEPURGE;
        flag KILL;
        flag PURGE;
        flag FORCE;
        flag CANCEL;
        input RELREQST(Argument::Any);
        flag RELREQ;
        flag NORELREQ;
        input SERVSTATUS(Argument::Any);
        flag INSERVICE;
        flag OUTSERVICE;
        input TCAMCONTROL(Argument::Any);
        input TERMPRIORITY(Argument::Any);
        input TRACING(Argument::Any);
        flag SPECTRACE;
        flag STANTRACE;
        input TTISTATUS(Argument::Any);
        flag NOTTI;
        flag TTI;
        input UCTRANST(Cvda);
        flag UCTRAN;
        flag NOUCTRAN;
        flag TRANIDONLY;
        input ZCPTRACING(Argument::Any);
        flag NOZCPTRACE;
        flag ZCPTRACE;
        @rules
            Rule::AtMostOne(&["UCTRANST", "UCTRAN", "NOUCTRAN", "TRANIDONLY"]),
            Rule::Unserved(
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
}
