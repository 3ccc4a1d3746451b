//! CREATE and DISCARD of what the region serves, and the models of ENQ names.
//!
//! RESP2 of INVREQ after CREATE has an error number in its lower halfword and,
//! for some, the offset in ATTRIBUTES in the upper one; the row names none.
//!
//! Reference: CICS system programming reference, the commands' own pages and
//! "RESP2 values for EXEC CICS CREATE and EXEC CICS CSD commands".

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::create_enqmodel::ROW,
    rows::create_file::ROW,
    rows::create_journalmodel::ROW,
    rows::create_program::ROW,
    rows::create_tdqueue::ROW,
    rows::create_tranclass::ROW,
    rows::create_transaction::ROW,
    rows::create_tsmodel::ROW,
    rows::discard::ROW,
    rows::inquire_enqmodel::ROW,
    rows::set_enqmodel::ROW,
];

pub(super) mod rows {
    /// A row of CREATE: all have the same options.
    macro_rules! create {
        ($(#[$doc:meta])* $module:ident $number:literal $name:literal [$word:literal]
         $resource:ident($bytes:literal)) => {
            command! {
                $(#[$doc])*
                $module $number own $name "CREATE" [$word] System Region;
                input $resource(Name($bytes)) [required];
                input ATTRIBUTES(Area) [required, length("ATTRLEN")];
                input ATTRLEN(Halfword);
                flag LOG;
                flag NOLOG;
                input LOGMESSAGE(Cvda);
                @rules OptionRule::AtMostOne(&["LOG", "NOLOG", "LOGMESSAGE"]);
                @conditions InvReq, LengErr(1), RolledBack;
            }
        };
    }

    create! {
        /// Installs a model of ENQ names.
        create_enqmodel 0x8A0B "CREATE ENQMODEL" ["ENQMODEL"] ENQMODEL(8)
    }

    create! {
        /// Installs a file.
        create_file 0x8A0C "CREATE FILE" ["FILE"] FILE(8)
    }

    create! {
        /// Installs a model of journals.
        create_journalmodel 0x8A0E "CREATE JOURNALMODEL" ["JOURNALMODEL"] JOURNALMODEL(8)
    }

    create! {
        /// Installs a program.
        create_program 0x8A1A "CREATE PROGRAM" ["PROGRAM"] PROGRAM(8)
    }

    create! {
        /// Installs a transient data queue.
        create_tdqueue 0x8A1D "CREATE TDQUEUE" ["TDQUEUE"] TDQUEUE(4)
    }

    create! {
        /// Installs a transaction class.
        create_tranclass 0x8A1F "CREATE TRANCLASS" ["TRANCLASS"] TRANCLASS(8)
    }

    create! {
        /// Installs a transaction.
        create_transaction 0x8A20 "CREATE TRANSACTION" ["TRANSACTION"] TRANSACTION(4)
    }

    create! {
        /// Installs a model of temporary storage queues.
        create_tsmodel 0x8A21 "CREATE TSMODEL" ["TSMODEL"] TSMODEL(8)
    }

    command! {
        /// Takes a definition out of the region.
        discard 0x8A3F own "DISCARD" "DISCARD" System Region;
        input ENQMODEL(Name(8));
        input FILE(Name(8));
        input JOURNALMODEL(Name(8));
        input JOURNALNAME(Name(8));
        input PROGRAM(Name(8));
        input TDQUEUE(Name(4));
        input TRANCLASS(Name(8));
        input TRANSACTION(Name(4));
        input TSMODEL(Name(8));
        input ATOMSERVICE(OptionArgument::Any);
        input AUTINSTMODEL(OptionArgument::Any);
        input BUNDLE(OptionArgument::Any);
        input CONNECTION(OptionArgument::Any);
        input DB2CONN(OptionArgument::Any);
        input DB2ENTRY(OptionArgument::Any);
        input DB2TRAN(OptionArgument::Any);
        input DOCTEMPLATE(OptionArgument::Any);
        input IPCONN(OptionArgument::Any);
        input JVMSERVER(OptionArgument::Any);
        input LIBRARY(OptionArgument::Any);
        input MQCONN(OptionArgument::Any);
        input MQMONITOR(OptionArgument::Any);
        input PARTNER(OptionArgument::Any);
        input PIPELINE(OptionArgument::Any);
        input PROCESSTYPE(OptionArgument::Any);
        input PROFILE(OptionArgument::Any);
        input TCPIPSERVICE(OptionArgument::Any);
        input TERMINAL(OptionArgument::Any);
        input WEBSERVICE(OptionArgument::Any);
        @rules
            OptionRule::AtLeastOne(&[
                "ENQMODEL", "FILE", "JOURNALMODEL", "JOURNALNAME", "PROGRAM", "TDQUEUE",
                "TRANCLASS", "TRANSACTION", "TSMODEL", "ATOMSERVICE", "AUTINSTMODEL", "BUNDLE",
                "CONNECTION", "DB2CONN", "DB2ENTRY", "DB2TRAN", "DOCTEMPLATE", "IPCONN",
                "JVMSERVER", "LIBRARY", "MQCONN", "MQMONITOR", "PARTNER", "PIPELINE",
                "PROCESSTYPE", "PROFILE", "TCPIPSERVICE", "TERMINAL", "WEBSERVICE",
            ]),
            OptionRule::AtMostOne(&[
                "ENQMODEL", "FILE", "JOURNALMODEL", "JOURNALNAME", "PROGRAM", "TDQUEUE",
                "TRANCLASS", "TRANSACTION", "TSMODEL",
            ]),
            OptionRule::Unserved(
                &[
                    "ATOMSERVICE", "AUTINSTMODEL", "BUNDLE", "CONNECTION", "DB2CONN", "DB2ENTRY",
                    "DB2TRAN", "DOCTEMPLATE", "IPCONN", "JVMSERVER", "LIBRARY", "MQCONN",
                    "MQMONITOR", "PARTNER", "PIPELINE", "PROCESSTYPE", "PROFILE", "TCPIPSERVICE",
                    "TERMINAL", "WEBSERVICE",
                ],
                Condition::InvReq
            );
        @conditions
            FileNotFound(18), InvReq(1, 2, 3, 4, 11, 12, 14, 18, 25, 26, 31), JidErr(1), NotFnd(1),
            PgmIdErr(7), QIdErr(1), TcIdErr(1), TransIdErr(1);
    }

    command! {
        /// Returns attributes of a model of ENQ names.
        inquire_enqmodel 0x8A5A own "INQUIRE ENQMODEL" "INQUIRE" ["ENQMODEL"] System Region;
        browse ENQMODEL AT(Name(8));
        output CHANGEAGENT(OptionArgument::Any);
        output CHANGEAGREL(OptionArgument::Any);
        output CHANGETIME(OptionArgument::Any);
        output CHANGEUSRID(OptionArgument::Any);
        output DEFINESOURCE(OptionArgument::Any);
        output DEFINETIME(OptionArgument::Any);
        output ENQSCOPE(Chars(4));
        output ENQNAME(Chars(255));
        output INSTALLAGENT(OptionArgument::Any);
        output INSTALLTIME(OptionArgument::Any);
        output INSTALLUSRID(OptionArgument::Any);
        output STATUS(Cvda);
        @rules
            OptionRule::Unserved(
                &[
                    "CHANGEAGENT", "CHANGEAGREL", "CHANGETIME", "CHANGEUSRID", "DEFINESOURCE",
                    "DEFINETIME", "INSTALLAGENT", "INSTALLTIME", "INSTALLUSRID",
                ],
                Condition::InvReq
            );
        @conditions End(2), Illogic(1), InvReq(1), NotFnd(1);
    }

    command! {
        /// Enables or disables a model of ENQ names.
        set_enqmodel 0x8AE0 own "SET ENQMODEL" "SET" ["ENQMODEL"] System Region;
        input ENQMODEL(Name(8)) [required];
        input STATUS(Cvda);
        flag ENABLED;
        flag DISABLED;
        @rules OptionRule::AtMostOne(&["STATUS", "ENABLED", "DISABLED"]);
        @conditions InvReq(2, 3, 4), NotFnd(1);
    }
}
