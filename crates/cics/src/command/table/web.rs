//! Web support: requests that come in and go out, documents, URIMAPs. Web
//! services are in [`super::web_services`].
//!
//! RESP2 values are the manual's as far as its pages could be read again; the
//! lengths of EXTRACT and of PARSE have one value for all of their fields.

use crate::command::row::Command;

/// The served rows of this domain.
pub(super) const SERVED: &[Command] = &[
    rows::document_create::ROW,
    rows::document_delete::ROW,
    rows::document_insert::ROW,
    rows::document_retrieve::ROW,
    rows::document_set::ROW,
    rows::extract_certificate::ROW,
    rows::extract_tcpip::ROW,
    rows::extract_web::ROW,
    rows::inquire_urimap::ROW,
    rows::set_urimap::ROW,
    rows::web_close::ROW,
    rows::web_converse::ROW,
    rows::web_endbrowse_formfield::ROW,
    rows::web_endbrowse_httpheader::ROW,
    rows::web_endbrowse_queryparm::ROW,
    rows::web_extract::ROW,
    rows::web_open::ROW,
    rows::web_parse::ROW,
    rows::web_read_formfield::ROW,
    rows::web_read_httpheader::ROW,
    rows::web_read_queryparm::ROW,
    rows::web_readnext_formfield::ROW,
    rows::web_readnext_httpheader::ROW,
    rows::web_readnext_queryparm::ROW,
    rows::web_receive::ROW,
    rows::web_retrieve::ROW,
    rows::web_send::ROW,
    rows::web_startbrowse_formfield::ROW,
    rows::web_startbrowse_httpheader::ROW,
    rows::web_startbrowse_queryparm::ROW,
    rows::web_write_httpheader::ROW,
];

pub(super) mod rows {
    command! {
        /// Makes a document.
        document_create 0x8801 0x3C02 "DOCUMENT CREATE" "DOCUMENT" ["CREATE"] Web Region;
        flag CREATE;
        output DOCTOKEN(Chars(16)) [required];
        input FROM(Area) [length("LENGTH")];
        input TEXT(Area) [length("LENGTH")];
        input BINARY(Area) [length("LENGTH")];
        input LENGTH(Fullword);
        input FROMDOC(Chars(16));
        input TEMPLATE(Name(48));
        input SYMBOLLIST(Area) [length("LISTLENGTH")];
        input LISTLENGTH(Fullword);
        input DELIMITER(Chars(1));
        flag UNESCAPED;
        output DOCSIZE(Fullword);
        input HOSTCODEPAGE(Name(10));
        @rules
            OptionRule::AtMostOne(&["FROM", "TEXT", "BINARY", "FROMDOC", "TEMPLATE"]),
            OptionRule::Needs("LISTLENGTH", &["SYMBOLLIST"]);
        @conditions InvReq(1, 2, 3), LengErr(1), NotFnd(2, 3, 7), SymbolErr, TemplatErr;
    }

    command! {
        /// Deletes a document.
        document_delete 0x8802 0x3C10 "DOCUMENT DELETE" "DOCUMENT" ["DELETE"] Web Region;
        flag DELETE;
        input DOCTOKEN(Chars(16)) [required];
        @conditions NotFnd(1);
    }

    command! {
        /// Inserts into a document.
        document_insert 0x8803 0x3C04 "DOCUMENT INSERT" "DOCUMENT" ["INSERT"] Web Region;
        flag INSERT;
        input DOCTOKEN(Chars(16)) [required];
        input TEXT(Area) [length("LENGTH")];
        input BINARY(Area) [length("LENGTH")];
        input FROM(Area) [length("LENGTH")];
        input LENGTH(Fullword);
        input SYMBOL(Name(32));
        input TEMPLATE(Name(48));
        input FROMDOC(Chars(16));
        input BOOKMARK(Name(16));
        output DOCSIZE(Fullword);
        input HOSTCODEPAGE(Name(10));
        input AT(Name(16));
        input TO(Name(16));
        @rules
            OptionRule::ExactlyOne(&["TEXT", "BINARY", "FROM", "SYMBOL", "TEMPLATE", "FROMDOC", "BOOKMARK"]),
            OptionRule::Needs("TO", &["AT"]);
        @conditions DupRec(1), InvReq(0, 1, 2, 3), LengErr(1), NotFnd(1, 2, 3, 4, 5, 6, 7), TemplatErr;
    }

    command! {
        /// Copies a document.
        document_retrieve 0x8804 0x3C06 "DOCUMENT RETRIEVE" "DOCUMENT" ["RETRIEVE"] Web Region;
        flag RETRIEVE;
        input DOCTOKEN(Chars(16)) [required];
        output INTO(Area) [required, length("LENGTH")];
        update LENGTH(Fullword) [required];
        input MAXLENGTH(Fullword);
        input CHARACTERSET(Name(40));
        flag DATAONLY;
        @conditions InvReq, LengErr(1, 2), NotFnd(1, 7);
    }

    command! {
        /// Gives symbols their values.
        document_set 0x8805 0x3C08 "DOCUMENT SET" "DOCUMENT" ["SET"] Web Region;
        flag SET;
        input DOCTOKEN(Chars(16)) [required];
        input SYMBOL(Name(32));
        input VALUE(Area) [length("LENGTH")];
        input SYMBOLLIST(Area) [length("LENGTH")];
        input DELIMITER(Chars(1));
        input LENGTH(Fullword) [required];
        flag UNESCAPED;
        @rules
            OptionRule::ExactlyOne(&["SYMBOL", "SYMBOLLIST"]),
            OptionRule::Needs("SYMBOL", &["VALUE"]),
            OptionRule::Needs("DELIMITER", &["SYMBOLLIST"]);
        @conditions InvReq(1), LengErr(1), NotFnd(1), SymbolErr;
    }

    command! {
        /// Returns attributes of a URIMAP.
        inquire_urimap 0x8AA1 own "INQUIRE URIMAP" "INQUIRE" ["URIMAP"] Web Region;
        browse URIMAP AT(Name(8));
        output ANALYZERSTAT(Cvda);
        output APPLICATION(OptionArgument::Any);
        output APPLMAJORVER(OptionArgument::Any);
        output APPLMINORVER(OptionArgument::Any);
        output APPLMICROVER(OptionArgument::Any);
        output ATOMSERVICE(Chars(8));
        output AUTHENTICATE(Cvda);
        output AVAILSTATUS(Cvda);
        output CERTIFICATE(Chars(32));
        output CHANGEAGENT(OptionArgument::Any);
        output CHANGEAGREL(OptionArgument::Any);
        output CHANGETIME(OptionArgument::Any);
        output CHANGEUSRID(OptionArgument::Any);
        output CHARACTERSET(Chars(40));
        output CIPHERS(OptionArgument::Any);
        output CONVERTER(Chars(8));
        output DEFINESOURCE(OptionArgument::Any);
        output DEFINETIME(OptionArgument::Any);
        output ENABLESTATUS(Cvda);
        output HFSFILE(Chars(255));
        output HOST(Chars(116));
        output HOSTCODEPAGE(Chars(10));
        output HOSTTYPE(Cvda);
        output INSTALLAGENT(OptionArgument::Any);
        output INSTALLTIME(OptionArgument::Any);
        output INSTALLUSRID(OptionArgument::Any);
        output IPFAMILY(Cvda);
        output IPRESOLVED(OptionArgument::Any);
        output LOCATION(Chars(255));
        output MEDIATYPE(Chars(56));
        output NUMCIPHERS(OptionArgument::Any);
        output OPERATION(OptionArgument::Any);
        output PATH(Chars(255));
        output PIPELINE(Chars(8));
        output PLATFORM(OptionArgument::Any);
        output PORT(Fullword);
        output PROGRAM(Chars(8));
        output REDIRECTTYPE(Cvda);
        output SCHEME(Cvda);
        output SOCKETCLOSE(Fullword);
        output SOCKPOOLSIZE(OptionArgument::Any);
        output TCPIPSERVICE(Chars(8));
        output TEMPLATENAME(Chars(48));
        output TRANSACTION(Chars(4));
        output USAGE(Cvda);
        output USERID(Chars(8));
        output WEBSERVICE(Chars(32));
        @rules
            OptionRule::Unserved(
                &[
                    "APPLICATION", "APPLMAJORVER", "APPLMINORVER", "APPLMICROVER", "CHANGEAGENT",
                    "CHANGEAGREL", "CHANGETIME", "CHANGEUSRID", "CIPHERS", "DEFINESOURCE",
                    "DEFINETIME", "INSTALLAGENT", "INSTALLTIME", "INSTALLUSRID", "IPRESOLVED",
                    "NUMCIPHERS", "OPERATION", "PLATFORM", "SOCKPOOLSIZE",
                ],
                Condition::InvReq
            );
        @conditions End(2), Illogic(1), InvReq(1), NotFnd(1);
    }

    command! {
        /// Enables or disables a URIMAP, or sends its requests elsewhere.
        set_urimap 0x8AD6 own "SET URIMAP" "SET" ["URIMAP"] Web Region;
        input URIMAP(Name(8)) [required];
        input ENABLESTATUS(Cvda);
        flag ENABLED;
        flag DISABLED;
        input REDIRECTTYPE(Cvda);
        flag NONE;
        flag PERMANENT;
        flag TEMPORARY;
        input LOCATION(Name(255));
        @rules
            OptionRule::AtMostOne(&["ENABLESTATUS", "ENABLED", "DISABLED"]),
            OptionRule::AtMostOne(&["REDIRECTTYPE", "NONE", "PERMANENT", "TEMPORARY"]);
        @conditions InvReq(1, 2, 3, 4, 5), NotFnd(3);
    }

    command! {
        /// Returns parts of the client's certificate.
        extract_certificate 0x8806 0x3E10 "EXTRACT CERTIFICATE" "EXTRACT" ["CERTIFICATE"] Web Region;
        output CERTIFICATE(PtrRef) [length("LENGTH"), bare];
        update LENGTH(Fullword);
        output SERIALNUM(PtrRef) [length("SERIALNUMLEN")];
        update SERIALNUMLEN(Fullword);
        output USERID(Name(8));
        flag OWNER;
        flag ISSUER;
        output COMMONNAME(PtrRef) [length("COMMONNAMLEN")];
        update COMMONNAMLEN(Fullword);
        output COUNTRY(PtrRef) [length("COUNTRYLEN")];
        update COUNTRYLEN(Fullword);
        output STATE(PtrRef) [length("STATELEN")];
        update STATELEN(Fullword);
        output LOCALITY(PtrRef) [length("LOCALITYLEN")];
        update LOCALITYLEN(Fullword);
        output ORGANIZATION(PtrRef) [length("ORGANIZATLEN")];
        update ORGANIZATLEN(Fullword);
        output ORGUNIT(PtrRef) [length("ORGUNITLEN")];
        update ORGUNITLEN(Fullword);
        @rules
            OptionRule::AtMostOne(&["OWNER", "ISSUER"]);
        @conditions InvReq(0), LengErr;
    }

    command! {
        /// Returns attributes of the connection.
        extract_tcpip 0x8807 0x3E0E "EXTRACT TCPIP" "EXTRACT" ["TCPIP"] Web Region;
        flag TCPIP;
        output AUTHENTICATE(Cvda);
        output CLIENTNAME(Area) [length("CNAMELENGTH")];
        update CNAMELENGTH(Fullword);
        output SERVERNAME(Area) [length("SNAMELENGTH")];
        update SNAMELENGTH(Fullword);
        output CLIENTADDR(Area) [length("CADDRLENGTH")];
        update CADDRLENGTH(Fullword);
        output CLNTIPFAMILY(Cvda);
        output CLIENTADDRNU(Fullword);
        output CLNTADDR6NU(Chars(16));
        output SERVERADDR(Area) [length("SADDRLENGTH")];
        update SADDRLENGTH(Fullword);
        output SRVRIPFAMILY(Cvda);
        output SERVERADDRNU(Fullword);
        output SRVRADDR6NU(Chars(16));
        output SSLTYPE(Cvda);
        output TCPIPSERVICE(Name(8));
        output PORTNUMBER(Name(5));
        output PORTNUMNU(Fullword);
        output PRIVACY(Cvda);
        output MAXDATALEN(Fullword);
        @conditions InvReq(5), LengErr(1, 2, 3, 4, 5);
    }

    command! {
        /// Returns attributes of the request.
        extract_web 0x8808 0x3810 "EXTRACT WEB" "EXTRACT" ["WEB"] Web Region;
        flag WEB;
        output SCHEME(Cvda);
        output HOST(Area) [length("HOSTLENGTH")];
        update HOSTLENGTH(Fullword);
        output HOSTTYPE(Cvda);
        output HTTPMETHOD(Area) [length("METHODLENGTH")];
        update METHODLENGTH(Fullword);
        output HTTPVERSION(Area) [length("VERSIONLEN")];
        update VERSIONLEN(Fullword);
        output PATH(Area) [length("PATHLENGTH")];
        update PATHLENGTH(Fullword);
        output PORTNUMBER(Fullword);
        output QUERYSTRING(Area) [length("QUERYSTRLEN")];
        update QUERYSTRLEN(Fullword);
        output REQUESTTYPE(Cvda);
        output URIMAP(Name(8));
        input SESSTOKEN(Chars(8));
        output REALM(Area) [length("REALMLEN")];
        update REALMLEN(Fullword);
        @conditions InvReq(1, 3), LengErr(1, 5), NotOpen(27);
    }

    command! {
        /// Ends a session with a server.
        web_close 0x8812 0x381A "WEB CLOSE" "WEB" ["CLOSE"] Web Region;
        flag CLOSE;
        input SESSTOKEN(Chars(8)) [required];
        @conditions InvReq(22), NotOpen(27);
    }

    command! {
        /// Sends a request to a server and receives the answer.
        web_converse 0x8813 0x381C "WEB CONVERSE" "WEB" ["CONVERSE"] Web Region;
        flag CONVERSE;
        input SESSTOKEN(Chars(8)) [required];
        input PATH(Area) [length("PATHLENGTH")];
        input PATHLENGTH(Fullword);
        input URIMAP(Name(8));
        flag GET;
        flag HEAD;
        flag PATCH;
        flag POST;
        flag PUT;
        flag TRACE;
        flag OPTIONS;
        flag DELETE;
        input METHOD(Cvda);
        input MEDIATYPE(Name(56));
        input QUERYSTRING(Area) [length("QUERYSTRLEN")];
        input QUERYSTRLEN(Fullword);
        input ACTION(Cvda);
        flag EXPECT;
        flag NOCLOSE;
        flag CLOSE;
        input CLOSESTATUS(Cvda);
        output INTO(Area) [length("TOLENGTH")];
        output SET(PtrRef) [length("TOLENGTH")];
        input TOCONTAINER(Name(16));
        input TOCHANNEL(Name(16));
        update TOLENGTH(Fullword);
        input MAXLENGTH(Fullword);
        flag NOTRUNCATE;
        output STATUSCODE(Halfword);
        output STATUSTEXT(Area) [length("STATUSLEN")];
        update STATUSLEN(Fullword);
        output BODYCHARSET(Name(40));
        input DOCTOKEN(Chars(16));
        flag NODOCDELETE;
        flag DOCDELETE;
        input DOCSTATUS(Cvda);
        input FROM(Area) [length("FROMLENGTH")];
        input FROMLENGTH(Fullword);
        input CONTAINER(Name(16));
        input CHANNEL(Name(16));
        flag NONE;
        flag BASICAUTH;
        input AUTHENTICATE(Cvda);
        input USERNAME(Area) [length("USERNAMELEN")];
        input USERNAMELEN(Fullword);
        input PASSWORD(Area) [length("PASSWORDLEN")];
        input PASSWORDLEN(Fullword);
        input CHARACTERSET(Name(40));
        flag CLICONVERT;
        flag NOINCONVERT;
        flag NOOUTCONVERT;
        flag NOCLICONVERT;
        input CLIENTCONV(Cvda);
        @rules
            OptionRule::AtMostOne(&["GET", "HEAD", "PATCH", "POST", "PUT", "TRACE", "OPTIONS", "DELETE", "METHOD"]),
            OptionRule::AtMostOne(&["FROM", "DOCTOKEN", "CONTAINER"]),
            OptionRule::AtMostOne(&["INTO", "SET", "TOCONTAINER"]),
            OptionRule::AtMostOne(&["PATH", "URIMAP"]),
            OptionRule::Needs("CHANNEL", &["CONTAINER"]),
            OptionRule::Needs("TOCHANNEL", &["TOCONTAINER"]);
        @conditions ChannelErr(1, 2, 4), ContainerErr(10, 18), InvReq(4, 9, 10, 13, 15, 17, 46, 63, 64, 71, 72, 75, 86, 145), IoErr(41, 42, 45), LengErr(8, 30, 50, 57, 139), NoStg, NotAuth(100), NotFnd(1, 7, 61, 82), NotOpen(27), TimedOut(62);
    }

    command! {
        /// Ends a browse of form fields.
        web_endbrowse_formfield 0x8814 0x380C "WEB ENDBROWSE FORMFIELD" "WEB" ["ENDBROWSE", "FORMFIELD"] Web Region;
        flag ENDBROWSE;
        flag FORMFIELD;
        @conditions InvReq(1, 3, 4);
    }

    command! {
        /// Ends a browse of headers.
        web_endbrowse_httpheader 0x8815 0x380C "WEB ENDBROWSE HTTPHEADER" "WEB" ["ENDBROWSE", "HTTPHEADER"] Web Region;
        flag ENDBROWSE;
        flag HTTPHEADER;
        input SESSTOKEN(Chars(8));
        @conditions InvReq(1, 3, 4), NotOpen(27);
    }

    command! {
        /// Ends a browse of query parameters.
        web_endbrowse_queryparm 0x8816 0x380C "WEB ENDBROWSE QUERYPARM" "WEB" ["ENDBROWSE", "QUERYPARM"] Web Region;
        flag ENDBROWSE;
        flag QUERYPARM;
        @conditions InvReq(1, 3, 4);
    }

    command! {
        /// Returns attributes of the request, or of a session.
        web_extract 0x8817 0x3810 "WEB EXTRACT" "WEB" ["EXTRACT"] Web Region;
        flag EXTRACT;
        output SCHEME(Cvda);
        output HOST(Area) [length("HOSTLENGTH")];
        update HOSTLENGTH(Fullword);
        output HOSTTYPE(Cvda);
        output HTTPMETHOD(Area) [length("METHODLENGTH")];
        update METHODLENGTH(Fullword);
        output HTTPVERSION(Area) [length("VERSIONLEN")];
        update VERSIONLEN(Fullword);
        output PATH(Area) [length("PATHLENGTH")];
        update PATHLENGTH(Fullword);
        output PORTNUMBER(Fullword);
        output QUERYSTRING(Area) [length("QUERYSTRLEN")];
        update QUERYSTRLEN(Fullword);
        output REQUESTTYPE(Cvda);
        output URIMAP(Name(8));
        input SESSTOKEN(Chars(8));
        output REALM(Area) [length("REALMLEN")];
        update REALMLEN(Fullword);
        @conditions InvReq(1, 3), LengErr(1, 5), NotOpen(27);
    }

    command! {
        /// Begins a session with a server.
        web_open 0x8818 0x3818 "WEB OPEN" "WEB" ["OPEN"] Web Region;
        flag OPEN;
        input URIMAP(Name(8));
        input HOST(Area) [length("HOSTLENGTH")];
        input HOSTLENGTH(Fullword);
        input PORTNUMBER(Fullword);
        input SCHEME(Cvda);
        input CERTIFICATE(Name(56));
        input CIPHERS(Area);
        input NUMCIPHERS(Fullword);
        input CODEPAGE(Name(8));
        output SESSTOKEN(Chars(8)) [required];
        output HTTPVNUM(Halfword);
        output HTTPRNUM(Halfword);
        @rules
            OptionRule::ExactlyOne(&["URIMAP", "HOST"]),
            OptionRule::Unserved(&["CIPHERS", "NUMCIPHERS"], Condition::InvReq);
        @conditions InvReq(0, 15, 22, 25, 26, 40), IoErr(42, 45), LengErr(8, 29), NotAuth(100), NotFnd(1, 61), TimedOut(62);
    }

    command! {
        /// Takes a URL apart.
        web_parse 0x8819 0x3816 "WEB PARSE" "WEB" ["PARSE"] Web Region;
        flag PARSE;
        input URL(Area) [required, length("URLLENGTH")];
        input URLLENGTH(Fullword);
        output SCHEMENAME(Name(16));
        output HOST(Area) [length("HOSTLENGTH")];
        update HOSTLENGTH(Fullword);
        output HOSTTYPE(Cvda);
        output PORTNUMBER(Fullword);
        output PATH(Area) [length("PATHLENGTH")];
        update PATHLENGTH(Fullword);
        output QUERYSTRING(Area) [length("QUERYSTRLEN")];
        update QUERYSTRLEN(Fullword);
        @conditions InvReq(30, 48), LengErr(1, 5);
    }

    command! {
        /// Gives the value of a form field.
        web_read_formfield 0x881A 0x3806 "WEB READ FORMFIELD" "WEB" ["READ", "FORMFIELD"] Web Region;
        flag READ;
        input FORMFIELD(Area) [required, length("NAMELENGTH")];
        input NAMELENGTH(Fullword);
        output VALUE(Area) [length("VALUELENGTH")];
        output SET(PtrRef) [length("VALUELENGTH")];
        update VALUELENGTH(Fullword);
        input CHARACTERSET(Name(40));
        input HOSTCODEPAGE(Name(10));
        @rules
            OptionRule::ExactlyOne(&["VALUE", "SET"]);
        @conditions InvReq(1, 3, 6, 14, 153, 154), LengErr(1, 5), NotFnd(1, 7);
    }

    command! {
        /// Gives the value of a header.
        web_read_httpheader 0x881B 0x3806 "WEB READ HTTPHEADER" "WEB" ["READ", "HTTPHEADER"] Web Region;
        flag READ;
        input HTTPHEADER(Area) [required, length("NAMELENGTH")];
        input NAMELENGTH(Fullword);
        input SESSTOKEN(Chars(8));
        output VALUE(Area) [required, length("VALUELENGTH")];
        update VALUELENGTH(Fullword) [required];
        @conditions InvReq(1, 3, 43), LengErr(1, 2, 35, 52, 55), NotFnd(1), NotOpen(27);
    }

    command! {
        /// Gives the value of a query parameter.
        web_read_queryparm 0x881C 0x3806 "WEB READ QUERYPARM" "WEB" ["READ", "QUERYPARM"] Web Region;
        flag READ;
        input QUERYPARM(Area) [required, length("NAMELENGTH")];
        input NAMELENGTH(Fullword);
        output VALUE(Area) [length("VALUELENGTH")];
        output SET(PtrRef) [length("VALUELENGTH")];
        update VALUELENGTH(Fullword);
        input HOSTCODEPAGE(Name(10));
        @rules
            OptionRule::ExactlyOne(&["VALUE", "SET"]);
        @conditions InvReq(1, 3, 6), LengErr(1, 5), NotFnd(1, 7);
    }

    command! {
        /// Gives the next form field.
        web_readnext_formfield 0x881D 0x380A "WEB READNEXT FORMFIELD" "WEB" ["READNEXT", "FORMFIELD"] Web Region;
        flag READNEXT;
        output FORMFIELD(Area) [required, length("NAMELENGTH")];
        update NAMELENGTH(Fullword) [required];
        output VALUE(Area) [required, length("VALUELENGTH")];
        update VALUELENGTH(Fullword) [required];
        @conditions EndFile, InvReq(1, 3, 4, 6, 153, 154), LengErr(1, 4, 5);
    }

    command! {
        /// Gives the next header.
        web_readnext_httpheader 0x881E 0x380A "WEB READNEXT HTTPHEADER" "WEB" ["READNEXT", "HTTPHEADER"] Web Region;
        flag READNEXT;
        output HTTPHEADER(Area) [required, length("NAMELENGTH")];
        update NAMELENGTH(Fullword) [required];
        input SESSTOKEN(Chars(8));
        output VALUE(Area) [required, length("VALUELENGTH")];
        update VALUELENGTH(Fullword) [required];
        @conditions EndFile, InvReq(1, 3, 4, 6), LengErr(1, 4, 5, 35, 51, 52, 55), NotOpen(27);
    }

    command! {
        /// Gives the next query parameter.
        web_readnext_queryparm 0x881F 0x380A "WEB READNEXT QUERYPARM" "WEB" ["READNEXT", "QUERYPARM"] Web Region;
        flag READNEXT;
        output QUERYPARM(Area) [required, length("NAMELENGTH")];
        update NAMELENGTH(Fullword) [required];
        output VALUE(Area) [required, length("VALUELENGTH")];
        update VALUELENGTH(Fullword) [required];
        @conditions EndFile, InvReq(1, 3, 4, 6), LengErr(1, 4, 5);
    }

    command! {
        /// Receives the body of the request, or of the answer of a server.
        web_receive 0x8820 0x3802 "WEB RECEIVE" "WEB" ["RECEIVE"] Web Region;
        flag RECEIVE;
        output INTO(Area) [length("LENGTH")];
        output SET(PtrRef) [length("LENGTH")];
        update LENGTH(Fullword);
        input MAXLENGTH(Fullword);
        flag NOTRUNCATE;
        output TYPE(Cvda);
        flag SRVCONVERT;
        flag NOSRVCONVERT;
        input SERVERCONV(Cvda);
        input CHARACTERSET(Name(40));
        input HOSTCODEPAGE(Name(10));
        output BODYCHARSET(Name(40));
        output MEDIATYPE(Name(56));
        input TOCONTAINER(Name(16));
        input TOCHANNEL(Name(16));
        input SESSTOKEN(Chars(8));
        output STATUSCODE(Halfword);
        output STATUSTEXT(Area) [length("STATUSLEN")];
        update STATUSLEN(Fullword);
        flag CLICONVERT;
        flag NOCLICONVERT;
        input CLIENTCONV(Cvda);
        alias CLNTCODEPAGE("CHARACTERSET", Name(40));
        @rules
            OptionRule::ExactlyOne(&["INTO", "SET", "TOCONTAINER"]),
            OptionRule::Needs("TOCHANNEL", &["TOCONTAINER"]),
            OptionRule::AtMostOne(&["SRVCONVERT", "NOSRVCONVERT", "SERVERCONV"]),
            OptionRule::AtMostOne(&["CLICONVERT", "NOCLICONVERT", "CLIENTCONV"]);
        @conditions ChannelErr(1, 2), ContainerErr(18), InvReq(1, 3, 4, 14, 46, 64, 80, 83), IoErr(41, 42), LengErr(1, 57, 58, 140), NoStg, NotFnd(1, 7), NotOpen(27), TimedOut(62);
    }

    command! {
        /// Gives the document that was sent.
        web_retrieve 0x8821 0x3814 "WEB RETRIEVE" "WEB" ["RETRIEVE"] Web Region;
        flag RETRIEVE;
        output DOCTOKEN(Chars(16)) [required];
        @conditions InvReq(1, 2), NotFnd(1);
    }

    command! {
        /// Sends the answer, or a request to a server.
        web_send 0x8822 0x3804 "WEB SEND" "WEB" ["SEND"] Web Region;
        flag SEND;
        input DOCTOKEN(Chars(16));
        flag NODOCDELETE;
        flag DOCDELETE;
        input DOCSTATUS(Cvda);
        input FROM(Area) [length("FROMLENGTH")];
        input FROMLENGTH(Fullword);
        flag CHUNKNO;
        flag CHUNKYES;
        flag CHUNKEND;
        input CHUNKING(Cvda);
        input HOSTCODEPAGE(Name(10));
        input CONTAINER(Name(16));
        input CHANNEL(Name(16));
        input MEDIATYPE(Name(56));
        flag SRVCONVERT;
        flag NOSRVCONVERT;
        input SERVERCONV(Cvda);
        input CHARACTERSET(Name(40));
        input STATUSCODE(Halfword);
        input STATUSTEXT(Area) [length("STATUSLEN")];
        input STATUSLEN(Fullword);
        alias LENGTH("STATUSLEN", Fullword);
        flag IMMEDIATE;
        flag EVENTUAL;
        input ACTION(Cvda);
        flag NOCLOSE;
        flag CLOSE;
        input CLOSESTATUS(Cvda);
        input SESSTOKEN(Chars(8));
        flag GET;
        flag HEAD;
        flag PATCH;
        flag POST;
        flag PUT;
        flag TRACE;
        flag OPTIONS;
        flag DELETE;
        input METHOD(Cvda);
        input PATH(Area) [length("PATHLENGTH")];
        input PATHLENGTH(Fullword);
        input URIMAP(Name(8));
        input QUERYSTRING(Area) [length("QUERYSTRLEN")];
        input QUERYSTRLEN(Fullword);
        flag CLICONVERT;
        flag NOCLICONVERT;
        input CLIENTCONV(Cvda);
        flag EXPECT;
        flag NONE;
        flag BASICAUTH;
        input AUTHENTICATE(Cvda);
        input USERNAME(Area) [length("USERNAMELEN")];
        input USERNAMELEN(Fullword);
        input PASSWORD(Area) [length("PASSWORDLEN")];
        input PASSWORDLEN(Fullword);
        alias CLNTCODEPAGE("CHARACTERSET", Name(40));
        @rules
            OptionRule::AtMostOne(&["FROM", "DOCTOKEN", "CONTAINER"]),
            OptionRule::AtMostOne(&["CHUNKNO", "CHUNKYES", "CHUNKEND", "CHUNKING"]),
            OptionRule::AtMostOne(&["IMMEDIATE", "EVENTUAL", "ACTION"]),
            OptionRule::AtMostOne(&["SRVCONVERT", "NOSRVCONVERT", "SERVERCONV"]),
            OptionRule::AtMostOne(&["PATH", "URIMAP"]),
            OptionRule::Needs("CHANNEL", &["CONTAINER"]);
        @conditions ChannelErr(1, 2), ContainerErr(10, 18), InvReq(1, 4, 5, 6, 9, 10, 11, 13, 15, 17, 32, 46, 63, 64, 70, 71, 72, 75, 77, 85, 86, 145), IoErr(41, 42, 45), LengErr(1, 8, 30, 50, 59, 139), NotAuth(100), NotFnd(1, 7, 61, 82), NotOpen(27), TimedOut(62);
    }

    command! {
        /// Begins a browse of form fields.
        web_startbrowse_formfield 0x8823 0x3808 "WEB STARTBROWSE FORMFIELD" "WEB" ["STARTBROWSE", "FORMFIELD"] Web Region;
        flag STARTBROWSE;
        input FORMFIELD(Optional);
        input NAMELENGTH(Fullword);
        input CHARACTERSET(Name(40));
        input HOSTCODEPAGE(Name(10));
        @conditions Illogic(10), InvReq(1, 3, 14, 153, 154), LengErr(1), NotFnd(1, 7);
    }

    command! {
        /// Begins a browse of headers.
        web_startbrowse_httpheader 0x8824 0x3808 "WEB STARTBROWSE HTTPHEADER" "WEB" ["STARTBROWSE", "HTTPHEADER"] Web Region;
        flag STARTBROWSE;
        flag HTTPHEADER;
        input SESSTOKEN(Chars(8));
        @conditions Illogic(10), InvReq(1, 3, 43), LengErr(1), NotFnd(1, 7), NotOpen(27);
    }

    command! {
        /// Begins a browse of query parameters.
        web_startbrowse_queryparm 0x8825 0x3808 "WEB STARTBROWSE QUERYPARM" "WEB" ["STARTBROWSE", "QUERYPARM"] Web Region;
        flag STARTBROWSE;
        input QUERYPARM(Optional);
        input NAMELENGTH(Fullword);
        input HOSTCODEPAGE(Name(10));
        @conditions Illogic(10), InvReq(1, 3), LengErr(1), NotFnd(1, 7);
    }

    command! {
        /// Adds a header to the answer, or to a request to a server.
        web_write_httpheader 0x8826 0x380E "WEB WRITE HTTPHEADER" "WEB" ["WRITE", "HTTPHEADER"] Web Region;
        flag WRITE;
        input HTTPHEADER(Area) [required, length("NAMELENGTH")];
        input NAMELENGTH(Fullword);
        input SESSTOKEN(Chars(8));
        input VALUE(Area) [required, length("VALUELENGTH")];
        input VALUELENGTH(Fullword);
        @conditions InvReq(1, 3, 11, 36, 44, 69), LengErr(1, 35, 36), NotOpen(27);
    }
}
