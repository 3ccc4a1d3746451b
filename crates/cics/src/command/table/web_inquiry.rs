//! INQUIRE and SET of what web support and web services have, CREATE and DISCARD
//! of URIMAPs.
//!
//! NOTFND 1 and what a browse answers are the manual's; of SET PIPELINE and SET
//! DOCTEMPLATE the values of INVREQ are as the manual is remembered. INVREQ 1 of
//! INQUIRE is for what there is nothing of here.
//!
//! Reference: CICS system programming reference, the commands' own pages;
//! DISCARD URIMAP.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::create_urimap::ROW,
    rows::discard_urimap::ROW,
    rows::inquire_doctemplate::ROW,
    rows::inquire_host::ROW,
    rows::inquire_pipeline::ROW,
    rows::inquire_tcpipservice::ROW,
    rows::inquire_webservice::ROW,
    rows::set_doctemplate::ROW,
    rows::set_pipeline::ROW,
];

pub(super) mod rows {
    command! {
        /// Installs a URIMAP.
        create_urimap 0x8A23 0x3036 "CREATE URIMAP" "CREATE" ["URIMAP"] Web Region;
        input URIMAP(Name(8)) [required];
        input ATTRIBUTES(Area) [required, length("ATTRLEN")];
        input ATTRLEN(Halfword);
        flag LOG;
        flag NOLOG;
        input LOGMESSAGE(Cvda);
        @rules OptionRule::AtMostOne(&["LOG", "NOLOG", "LOGMESSAGE"]);
        @conditions InvReq, LengErr(1), RolledBack;
    }

    command! {
        /// Takes a URIMAP out of the region.
        discard_urimap 0x8AFE own "DISCARD URIMAP" "DISCARD" ["URIMAP"] Web Region;
        input URIMAP(Name(8)) [required];
        @conditions InvReq(4), NotFnd(3);
    }

    command! {
        /// Returns attributes of a document template.
        inquire_doctemplate 0x8A56 own "INQUIRE DOCTEMPLATE" "INQUIRE" ["DOCTEMPLATE"] Web Region;
        browse DOCTEMPLATE AT(Name(8));
        output APPENDCRLF(Cvda);
        output CACHESIZE(Fullword);
        output CHANGEAGENT(OptionArgument::Any);
        output CHANGEAGREL(OptionArgument::Any);
        output CHANGETIME(OptionArgument::Any);
        output CHANGEUSRID(OptionArgument::Any);
        output DDNAME(Chars(8));
        output DEFINESOURCE(OptionArgument::Any);
        output DEFINETIME(OptionArgument::Any);
        output DSNAME(OptionArgument::Any);
        output EXITPGM(Chars(8));
        output FILE(Chars(8));
        output HFSFILE(Chars(255));
        output INSTALLAGENT(OptionArgument::Any);
        output INSTALLTIME(OptionArgument::Any);
        output INSTALLUSRID(OptionArgument::Any);
        output MEMBER(Chars(8));
        output PROGRAM(Chars(8));
        output TDQUEUE(Chars(4));
        output TEMPLATENAME(Chars(48));
        output TEMPLATETYPE(Cvda);
        output TSQUEUE(Chars(16));
        output TYPE(Cvda);
        @rules
            OptionRule::Unserved(
                &[
                    "CHANGEAGENT", "CHANGEAGREL", "CHANGETIME", "CHANGEUSRID", "DEFINESOURCE",
                    "DEFINETIME", "DSNAME", "INSTALLAGENT", "INSTALLTIME", "INSTALLUSRID",
                ],
                Condition::InvReq
            );
        @conditions End(2), Illogic(1), InvReq(1), NotFnd(1);
    }

    command! {
        /// Returns attributes of a host that URIMAPs name.
        inquire_host 0x8A64 own "INQUIRE HOST" "INQUIRE" ["HOST"] Web Region;
        browse HOST AT(Name(116));
        output ENABLESTATUS(Cvda);
        output TCPIPSERVICE(Chars(8));
        @conditions End(2), Illogic(1), NotFnd(1);
    }

    command! {
        /// Returns attributes of a pipeline.
        inquire_pipeline 0x8A7A own "INQUIRE PIPELINE" "INQUIRE" ["PIPELINE"] Web Region;
        browse PIPELINE AT(Name(8));
        output CHANGEAGENT(OptionArgument::Any);
        output CHANGEAGREL(OptionArgument::Any);
        output CHANGETIME(OptionArgument::Any);
        output CHANGEUSRID(OptionArgument::Any);
        output CIDDOMAIN(OptionArgument::Any);
        output CONFIGFILE(Chars(255));
        output DEFINESOURCE(OptionArgument::Any);
        output DEFINETIME(OptionArgument::Any);
        output ENABLESTATUS(Cvda);
        output INSTALLAGENT(OptionArgument::Any);
        output INSTALLTIME(OptionArgument::Any);
        output INSTALLUSRID(OptionArgument::Any);
        output MODE(Cvda);
        output MSGFORMAT(OptionArgument::Any);
        output MTOMNOXOPST(Cvda);
        output MTOMST(Cvda);
        output RESPWAIT(Fullword);
        output SENDMTOMST(Cvda);
        output SHELF(OptionArgument::Any);
        output SOAPLEVEL(Chars(8));
        output SOAPRNUM(Fullword);
        output SOAPVNUM(Fullword);
        output WSDIR(Chars(255));
        output XOPDIRECTST(Cvda);
        output XOPSUPPORTST(Cvda);
        @rules
            OptionRule::Unserved(
                &[
                    "CHANGEAGENT", "CHANGEAGREL", "CHANGETIME", "CHANGEUSRID", "CIDDOMAIN",
                    "DEFINESOURCE", "DEFINETIME", "INSTALLAGENT", "INSTALLTIME", "INSTALLUSRID",
                    "MSGFORMAT", "SHELF",
                ],
                Condition::InvReq
            );
        @conditions End(2), Illogic(1), InvReq(1), NotFnd(1);
    }

    command! {
        /// Returns attributes of a listener's address.
        inquire_tcpipservice 0x8A8F own "INQUIRE TCPIPSERVICE" "INQUIRE" ["TCPIPSERVICE"] Web Region;
        browse TCPIPSERVICE AT(Name(8));
        output ATTACHSEC(Cvda);
        output AUTHENTICATE(Cvda);
        output BACKLOG(Fullword);
        output CERTIFICATE(Chars(56));
        output CHANGEAGENT(OptionArgument::Any);
        output CHANGEAGREL(OptionArgument::Any);
        output CHANGETIME(OptionArgument::Any);
        output CHANGEUSRID(OptionArgument::Any);
        output CIPHERS(OptionArgument::Any);
        output CLOSETIMEOUT(Fullword);
        output CONNECTIONS(OptionArgument::Any);
        output DEFINESOURCE(OptionArgument::Any);
        output DEFINETIME(OptionArgument::Any);
        output GENERICTCPS(Chars(8));
        output HOST(Chars(116));
        output HOSTTYPE(Cvda);
        output INSTALLAGENT(OptionArgument::Any);
        output INSTALLTIME(OptionArgument::Any);
        output INSTALLUSRID(OptionArgument::Any);
        output IPADDRESS(Chars(15));
        output IPFAMILY(Cvda);
        output IPRESOLVED(Chars(39));
        output MAXDATALEN(Fullword);
        output MAXPERSIST(Fullword);
        output NUMCIPHERS(OptionArgument::Any);
        output OPENSTATUS(Cvda);
        output OPTIONSPGM(Chars(8));
        output PORT(Fullword);
        output PRIVACY(Cvda);
        output PROTOCOL(Cvda);
        output REALM(Chars(56));
        output SOCKETCLOSE(Cvda);
        output SPECIFTCPS(Chars(8));
        output SSLTYPE(Cvda);
        output TRANSID(Chars(4));
        output URM(Chars(8));
        @rules
            OptionRule::Unserved(
                &[
                    "CHANGEAGENT", "CHANGEAGREL", "CHANGETIME", "CHANGEUSRID", "CIPHERS",
                    "CONNECTIONS", "DEFINESOURCE", "DEFINETIME", "INSTALLAGENT", "INSTALLTIME",
                    "INSTALLUSRID", "NUMCIPHERS",
                ],
                Condition::InvReq
            );
        @conditions End(2), Illogic(1), InvReq(1), NotFnd(1);
    }

    command! {
        /// Returns attributes of a web service.
        inquire_webservice 0x8AA4 own "INQUIRE WEBSERVICE" "INQUIRE" ["WEBSERVICE"] Web Region;
        browse WEBSERVICE AT(Name(32));
        output ARCHIVEFILE(Chars(255));
        output BINDING(OptionArgument::Any);
        output CCSID(Fullword);
        output CHANGEAGENT(OptionArgument::Any);
        output CHANGEAGREL(OptionArgument::Any);
        output CHANGETIME(OptionArgument::Any);
        output CHANGEUSRID(OptionArgument::Any);
        output CONTAINER(Chars(16));
        output DEFINESOURCE(OptionArgument::Any);
        output DEFINETIME(OptionArgument::Any);
        output ENDPOINT(Chars(255));
        output INSTALLAGENT(OptionArgument::Any);
        output INSTALLTIME(OptionArgument::Any);
        output INSTALLUSRID(OptionArgument::Any);
        output LASTMODTIME(OptionArgument::Any);
        output MAPPINGLEVEL(Chars(8));
        output MAPPINGRNUM(Fullword);
        output MAPPINGVNUM(Fullword);
        output MINRUNLEVEL(Chars(8));
        output MINRUNRNUM(Fullword);
        output MINRUNVNUM(Fullword);
        output PGMINTERFACE(Cvda);
        output PIPELINE(Chars(8));
        output PROGRAM(Chars(8));
        output STATE(Cvda);
        output URIMAP(Chars(8));
        output VALIDATIONST(Cvda);
        output WSBIND(Chars(255));
        output WSDLFILE(Chars(255));
        output XOPDIRECTST(Cvda);
        output XOPSUPPORTST(Cvda);
        @rules
            OptionRule::Unserved(
                &[
                    "BINDING", "CHANGEAGENT", "CHANGEAGREL", "CHANGETIME", "CHANGEUSRID",
                    "DEFINESOURCE", "DEFINETIME", "INSTALLAGENT", "INSTALLTIME", "INSTALLUSRID",
                    "LASTMODTIME",
                ],
                Condition::InvReq
            );
        @conditions End(2), Illogic(1), InvReq(1), NotFnd(1);
    }

    command! {
        /// Has a template read again when it is asked for next.
        set_doctemplate 0x8AE2 own "SET DOCTEMPLATE" "SET" ["DOCTEMPLATE"] Web Region;
        input DOCTEMPLATE(Name(8)) [required];
        input COPY(Cvda);
        flag NEWCOPY;
        @rules OptionRule::AtMostOne(&["COPY", "NEWCOPY"]);
        @conditions InvReq(2, 3), NotFnd(1);
    }

    command! {
        /// Enables or disables a pipeline, or changes how long it waits.
        set_pipeline 0x8AED own "SET PIPELINE" "SET" ["PIPELINE"] Web Region;
        input PIPELINE(Name(8)) [required];
        input ENABLESTATUS(Cvda);
        flag ENABLED;
        flag DISABLED;
        input RESPWAIT(Fullword);
        @rules OptionRule::AtMostOne(&["ENABLESTATUS", "ENABLED", "DISABLED"]);
        @conditions InvReq(1, 7), NotFnd(3);
    }
}
