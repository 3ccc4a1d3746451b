//! INQUIRE for the resources of web support and web services other than
//! URIMAPs, SET PIPELINE and SET DOCTEMPLATE.
//!
//! Values come from the definitions, as SET has changed them. Port 0 and the
//! host * are returned as they are defined.
//!
//! Reference: CICS system programming reference, the commands' own pages.

use std::collections::BTreeMap;
use std::net::IpAddr;

use cics::command::commands::{
    inquire_doctemplate, inquire_host, inquire_pipeline, inquire_tcpipservice, inquire_webservice,
    set_doctemplate, set_pipeline as pipeline_row,
};
use cics::csd::{
    ServiceAuthentication, SslUse, TcpIpProtocol, TcpIpServiceDef, TemplateSource, UriMapUsage,
};
use cics::resp::Condition;
use link::CommandOperands;
use soap::binding::ProgramInterface;
use soap::pipeline::{MessageHandler, PipelineRole};
use soap::{ServiceBinding, SoapVersion};

use super::inquire::{
    BrowsePositions, InquireRequest, OptionValue, enabled, found, inquire_request, options,
};
use super::{CommandFailure, WebCommandResult, cvda, fail, is_selected, text};
use crate::pipelines::InstalledPipeline;
use crate::service::{ATTACH, WebDefinitions};

/// INQUIRE of one kind, by the number of its row.
pub fn inquire(
    edition: &WebDefinitions,
    browses: &mut BrowsePositions,
    number: u16,
    given: &CommandOperands,
) -> WebCommandResult {
    let asked = inquire_request(browses, number, given)?;
    match number {
        inquire_doctemplate::NUMBER => template(edition, browses, &asked, given),
        inquire_host::NUMBER => host(edition, browses, &asked, given),
        inquire_pipeline::NUMBER => pipeline(edition, browses, &asked, given),
        inquire_tcpipservice::NUMBER => service(edition, browses, &asked, given),
        _ => web_service(edition, browses, &asked, given),
    }
}

fn words(text: &str) -> OptionValue {
    OptionValue::Text(text.to_owned())
}

fn template(
    edition: &WebDefinitions,
    browses: &mut BrowsePositions,
    asked: &InquireRequest,
    given: &CommandOperands,
) -> WebCommandResult {
    use inquire_doctemplate as row;
    let all = edition.templates.definitions();
    let all = all.map(|def| (def.name.as_str(), def));
    let Some((def, filled)) = found(browses, row::NUMBER, asked, all)? else {
        return Ok(CommandOperands::default());
    };
    let (kind, option, place) = match &def.source {
        TemplateSource::File(file) => ("FILE", row::FILE, file),
        TemplateSource::Hfs(file) => ("HFSFILE", row::HFSFILE, file),
        TemplateSource::Member(_, member) => ("PDSMEMBER", row::MEMBER, member),
        TemplateSource::Program(program) => ("PROGRAM", row::PROGRAM, program),
        TemplateSource::Exit(program) => ("EXIT", row::EXITPGM, program),
        TemplateSource::TsQueue(queue) => ("TSQ", row::TSQUEUE, queue),
        TemplateSource::TdQueue(queue) => ("TDQ", row::TDQUEUE, queue),
    };
    options(&row::ROW, given, filled, |index| match index {
        row::APPENDCRLF if def.append_crlf => OptionValue::Cvda("APPEND"),
        row::APPENDCRLF => OptionValue::Cvda("NOAPPEND"),
        // Kept templates are not a discardable cache.
        row::CACHESIZE => OptionValue::Number(0),
        row::TEMPLATENAME => words(&def.template),
        row::TEMPLATETYPE => OptionValue::Cvda(kind),
        row::TYPE if def.binary => OptionValue::Cvda("BINARY"),
        row::TYPE => OptionValue::Cvda("EBCDIC"),
        row::DDNAME => match &def.source {
            TemplateSource::Member(dd, _) => words(dd),
            _ => words(""),
        },
        _ if index == option => words(place),
        _ => words(""),
    })
}

fn host(
    edition: &WebDefinitions,
    browses: &mut BrowsePositions,
    asked: &InquireRequest,
    given: &CommandOperands,
) -> WebCommandResult {
    use inquire_host as row;
    let mut hosts = BTreeMap::new();
    for map in edition.maps.each() {
        let (UriMapUsage::Server { service, .. } | UriMapUsage::Pipeline { service, .. }) =
            &map.defined.usage
        else {
            continue;
        };
        let host = map.defined.host.as_str();
        let service = service.as_deref().unwrap_or_default();
        hosts.entry(host).or_insert(service);
    }
    let asked = match asked {
        // Hosts are compared as they are found, without regard to case.
        InquireRequest::Named(host) => &InquireRequest::Named(host.to_ascii_lowercase()),
        asked => asked,
    };
    let Some((service, filled)) = found(browses, row::NUMBER, asked, hosts)? else {
        return Ok(CommandOperands::default());
    };
    options(&row::ROW, given, filled, |index| match index {
        row::TCPIPSERVICE => words(service),
        _ => OptionValue::Cvda("ENABLED"),
    })
}

fn pipeline(
    edition: &WebDefinitions,
    browses: &mut BrowsePositions,
    asked: &InquireRequest,
    given: &CommandOperands,
) -> WebCommandResult {
    use inquire_pipeline as row;
    let all = edition.pipelines.each().map(|one| (one.name.as_str(), one));
    let Some((installed, filled)) = found(browses, row::NUMBER, asked, all)? else {
        return Ok(CommandOperands::default());
    };
    let handlers = installed.config.handlers.iter();
    let soap = handlers
        .chain(&installed.config.terminal)
        .find_map(|h| match h {
            MessageHandler::Soap { version, .. } => Some(*version),
            _ => None,
        });
    let (level, release) = match soap {
        Some(SoapVersion::V11) => ("1.1", 1),
        Some(SoapVersion::V12) => ("1.2", 2),
        None => ("NOTSOAP", 0),
    };
    options(&row::ROW, given, filled, |index| match index {
        row::CONFIGFILE => words(&installed.def.config_file),
        row::WSDIR => words(installed.def.directory.as_deref().unwrap_or_default()),
        row::ENABLESTATUS if installed.enabled => OptionValue::Cvda("ENABLED"),
        row::ENABLESTATUS => OptionValue::Cvda("DISABLED"),
        row::MODE => match installed.config.role {
            PipelineRole::Provider => OptionValue::Cvda("PROVIDER"),
            PipelineRole::Requester => OptionValue::Cvda("REQUESTER"),
        },
        row::MTOMNOXOPST => OptionValue::Cvda("NOMTOMNOXOP"),
        row::MTOMST => OptionValue::Cvda("NOMTOM"),
        row::SENDMTOMST => OptionValue::Cvda("NOSENDMTOM"),
        row::XOPDIRECTST => OptionValue::Cvda("NOXOPDIRECT"),
        row::XOPSUPPORTST => OptionValue::Cvda("NOXOPSUPPORT"),
        row::RESPWAIT => OptionValue::Number(installed.wait_s.map_or(-1, i64::from)),
        row::SOAPVNUM => OptionValue::Number(i64::from(soap.is_some())),
        row::SOAPRNUM => OptionValue::Number(release),
        row::SOAPLEVEL => words(level),
        _ => OptionValue::Nothing,
    })
}

fn service(
    edition: &WebDefinitions,
    browses: &mut BrowsePositions,
    asked: &InquireRequest,
    given: &CommandOperands,
) -> WebCommandResult {
    use inquire_tcpipservice as row;
    let all = edition.services.iter();
    let all: BTreeMap<&str, &TcpIpServiceDef> = all.map(|(name, def)| (&**name, def)).collect();
    let Some((def, filled)) = found(browses, row::NUMBER, asked, all)? else {
        return Ok(CommandOperands::default());
    };
    let address = def
        .address
        .as_deref()
        .and_then(|a| a.parse::<IpAddr>().ok());
    let any = || "0.0.0.0".to_owned();
    options(&row::ROW, given, filled, |index| match index {
        row::ATTACHSEC => OptionValue::Cvda(match def.protocol {
            TcpIpProtocol::Http => "NOTAPPLIC",
            _ => "LOCAL",
        }),
        row::AUTHENTICATE => OptionValue::Cvda(match def.authenticate {
            ServiceAuthentication::No => "NOAUTHENTIC",
            ServiceAuthentication::Basic => "BASICAUTH",
            ServiceAuthentication::Certificate => "CERTIFICAUTH",
            ServiceAuthentication::Automatic => "AUTOAUTH",
        }),
        row::BACKLOG => OptionValue::Number(def.backlog.into()),
        row::CERTIFICATE => words(def.certificate.as_deref().unwrap_or_default()),
        row::CLOSETIMEOUT => OptionValue::Number(def.socket_close_s.unwrap_or(0).into()),
        row::HOST => words(def.address.as_deref().unwrap_or("ANY")),
        row::HOSTTYPE | row::IPFAMILY => OptionValue::Cvda(match (address, index) {
            (Some(IpAddr::V4(_)), _) => "IPV4",
            (Some(IpAddr::V6(_)), _) => "IPV6",
            (None, row::HOSTTYPE) => "NOTAPPLIC",
            (None, _) => "UNKNOWN",
        }),
        row::IPADDRESS => match address {
            Some(IpAddr::V6(_)) => words("0.0.0.0"),
            address => OptionValue::Text(address.map_or_else(any, |a| a.to_string())),
        },
        row::IPRESOLVED => OptionValue::Text(address.map_or_else(any, |a| a.to_string())),
        row::MAXDATALEN => OptionValue::Number((def.max_data_bytes >> 10) as i64),
        row::MAXPERSIST => OptionValue::Number(def.max_persist.map_or(-1, i64::from)),
        row::OPENSTATUS if def.open => OptionValue::Cvda("OPEN"),
        row::OPENSTATUS => OptionValue::Cvda("CLOSED"),
        row::PORT => OptionValue::Number(def.port.into()),
        row::PRIVACY => OptionValue::Cvda(match def.ssl {
            SslUse::No => "NOTSUPPORTED",
            _ => "REQUIRED",
        }),
        row::PROTOCOL => OptionValue::Cvda(match def.protocol {
            TcpIpProtocol::Http => "HTTP",
            TcpIpProtocol::Ipic => "IPIC",
            TcpIpProtocol::Other => "USER",
        }),
        row::REALM => words(def.realm.as_deref().unwrap_or_default()),
        row::SOCKETCLOSE => OptionValue::Cvda(match def.socket_close_s {
            None => "WAIT",
            Some(_) => "TIMEOUT",
        }),
        row::SSLTYPE => OptionValue::Cvda(match def.ssl {
            SslUse::No => "NOSSL",
            SslUse::Yes => "SSL",
            SslUse::ClientAuth => "CLIENTAUTH",
        }),
        row::TRANSID => words(def.transaction.as_deref().unwrap_or(match def.protocol {
            TcpIpProtocol::Http => ATTACH,
            _ => "",
        })),
        row::URM => words(def.analyzer.as_deref().unwrap_or_default()),
        row::GENERICTCPS | row::SPECIFTCPS | row::OPTIONSPGM => words(""),
        _ => OptionValue::Nothing,
    })
}

fn web_service(
    edition: &WebDefinitions,
    browses: &mut BrowsePositions,
    asked: &InquireRequest,
    given: &CommandOperands,
) -> WebCommandResult {
    use inquire_webservice as row;
    let all = edition.pipelines.each_service();
    let all = all.map(|one| (one.name.as_str(), one));
    let Some((service, filled)) = found(browses, row::NUMBER, asked, all)? else {
        return Ok(CommandOperands::default());
    };
    let binding: &ServiceBinding = &service.binding;
    let provides = binding.program.is_some();
    let map = edition.maps.each().find(|map| match &map.defined.usage {
        UriMapUsage::Pipeline { web_service, .. } => {
            web_service.as_deref() == Some(service.name.as_str())
        }
        _ => false,
    });
    let level = &binding.mapping_level;
    let mut numbers = level.split('.').map(|n| n.parse::<i64>().unwrap_or(0));
    let (version, release) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    options(&row::ROW, given, filled, |index| match index {
        row::ARCHIVEFILE => words(""),
        // The region's code page.
        row::CCSID => OptionValue::Number(0),
        row::CONTAINER => match &binding.interface {
            ProgramInterface::Channel { container } if provides => words(container),
            _ => words(""),
        },
        row::ENDPOINT if provides => words(""),
        row::ENDPOINT => words(&binding.uri),
        row::MAPPINGLEVEL | row::MINRUNLEVEL => words(level),
        row::MAPPINGVNUM | row::MINRUNVNUM => OptionValue::Number(version),
        row::MAPPINGRNUM | row::MINRUNRNUM => OptionValue::Number(release),
        row::PGMINTERFACE => OptionValue::Cvda(match &binding.interface {
            _ if !provides => "NOTAPPLIC",
            ProgramInterface::Channel { .. } => "CHANNEL",
            ProgramInterface::Commarea => "COMMAREA",
        }),
        row::PIPELINE => words(&service.pipeline),
        row::PROGRAM => words(binding.program.as_deref().unwrap_or_default()),
        row::STATE => OptionValue::Cvda("INSERVICE"),
        row::URIMAP => words(map.map_or("", |map| &map.defined.name)),
        row::VALIDATIONST => OptionValue::Cvda("NOVALIDATION"),
        row::WSBIND => words(&service.paths.0),
        row::WSDLFILE => words(&service.paths.1),
        row::XOPDIRECTST => OptionValue::Cvda("NOXOPDIRECT"),
        row::XOPSUPPORTST => OptionValue::Cvda("NOXOPSUPPORT"),
        _ => OptionValue::Nothing,
    })
}

/// RESP2 of SET PIPELINE and SET DOCTEMPLATE.
mod resp2 {
    /// NOTFND of SET PIPELINE.
    pub const NO_PIPELINE: u32 = 3;
    /// INVREQ of SET PIPELINE: ENABLESTATUS has another value.
    pub const STATUS: u32 = 1;
    /// INVREQ of SET PIPELINE: RESPWAIT is out of range.
    pub const WAIT: u32 = 7;
    /// NOTFND of SET DOCTEMPLATE.
    pub const NO_TEMPLATE: u32 = 1;
    /// INVREQ of SET DOCTEMPLATE: COPY has another value.
    pub const COPY: u32 = 2;
    /// INVREQ of SET DOCTEMPLATE: it cannot be read.
    pub const NOT_READ: u32 = 3;
}

/// SET PIPELINE.
pub fn set_pipeline(
    before: &WebDefinitions,
    given: &CommandOperands,
) -> Result<WebDefinitions, CommandFailure> {
    use pipeline_row as row;
    let name = text(given, row::PIPELINE).unwrap_or_default();
    let Some(installed) = before.pipelines.pipeline(&name) else {
        return fail(Condition::NotFnd, resp2::NO_PIPELINE);
    };
    let mut made = InstalledPipeline::clone(installed);
    let status = [row::ENABLED, row::DISABLED, row::ENABLESTATUS];
    if let Some(enabled) = enabled(given, status, resp2::STATUS)? {
        made.enabled = enabled;
    }
    match given.get_int(row::RESPWAIT) {
        None => {}
        Some(n @ 0..=9_999) => made.wait_s = u32::try_from(n).ok(),
        Some(n) if n == -1 || n == cvda("DEFAULT") => made.wait_s = None,
        Some(_) => return fail(Condition::InvReq, resp2::WAIT),
    }
    Ok(WebDefinitions {
        pipelines: std::sync::Arc::new(before.pipelines.with(made)),
        ..before.clone()
    })
}

/// SET DOCTEMPLATE.
pub fn set_template(
    before: &WebDefinitions,
    given: &CommandOperands,
) -> Result<WebDefinitions, CommandFailure> {
    use set_doctemplate as row;
    let name = text(given, row::DOCTEMPLATE).unwrap_or_default();
    if !before.templates.definitions().any(|def| def.name == name) {
        return fail(Condition::NotFnd, resp2::NO_TEMPLATE);
    }
    if !is_selected(given, row::NEWCOPY, row::COPY, "NEWCOPY") {
        return if given.has(row::COPY) {
            fail(Condition::InvReq, resp2::COPY)
        } else {
            Ok(before.clone())
        };
    }
    match before.templates.again(&name) {
        Some(templates) => Ok(WebDefinitions {
            templates,
            ..before.clone()
        }),
        None => fail(Condition::InvReq, resp2::NOT_READ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::TemplateTable;
    use crate::pipelines::PipelineTable;
    use std::path::{Path, PathBuf};

    fn edition(files: &Path) -> WebDefinitions {
        let csd = cics::csd::parse(
            "DEFINE TCPIPSERVICE(WEB) GROUP(G) PORTNUMBER(8080) SOCKETCLOSE(000130) IPADDRESS(127.0.0.1)\n\
             DEFINE TCPIPSERVICE(OFF) GROUP(G) PORTNUMBER(0) STATUS(CLOSED)\n\
             DEFINE URIMAP(A) GROUP(G) PATH(/a) PROGRAM(P) HOST(Shop.example)\n\
             DEFINE URIMAP(B) GROUP(G) PATH(/b) PROGRAM(P) TCPIPSERVICE(WEB) STATUS(DISABLED)\n\
             DEFINE PIPELINE(PROV) GROUP(G) CONFIGFILE(/usr/basicsoap11provider.xml) RESPWAIT(7)\n\
             DEFINE PIPELINE(REQ) GROUP(G) CONFIGFILE(/usr/basicsoap12requester.xml)\n\
             DEFINE DOCTEMPLATE(PAGE) GROUP(G) HFSFILE(page.html) TEMPLATENAME(The page)\n",
        );
        assert!(!csd.has_errors(), "{:?}", csd.diagnostics);
        let (templates, wrong) = TemplateTable::load(&csd.doctemplates, files, files);
        assert_eq!(wrong, Vec::<String>::new());
        let page = copybook::codepage::CodePage::ascii();
        let (pipelines, wrong) =
            PipelineTable::load(&csd.pipelines, &csd.webservices, &csd.urimaps, files, page);
        assert_eq!(wrong, []);
        let (maps, services) = (&csd.urimaps, &csd.tcpipservices);
        WebDefinitions::new(maps, services, templates, PathBuf::from(files), pipelines)
    }

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("page.html"), "one").unwrap();
        folder
    }

    fn with_options(options: &[u8]) -> CommandOperands {
        CommandOperands::new(options.iter().fold(0, |bits, option| bits | 1 << option))
    }

    fn named(name: &str, options: &[u8]) -> CommandOperands {
        let bits = options.iter().fold(1, |bits, option| bits | 1 << option);
        CommandOperands::new(bits).bytes(0, name.as_bytes().to_vec())
    }

    fn reported(edition: &WebDefinitions, number: u16, given: &CommandOperands) -> CommandOperands {
        inquire(edition, &mut BrowsePositions::new(), number, given).unwrap()
    }

    fn refused<T>(outcome: Result<T, CommandFailure>) -> (Condition, u32) {
        let failure = outcome.err().expect("a condition");
        (failure.condition, failure.resp2)
    }

    #[test]
    fn an_address_is_returned_as_it_is_defined() {
        use inquire_tcpipservice as row;
        let folder = folder();
        let edition = edition(folder.path());
        let all = [
            row::PORT,
            row::CLOSETIMEOUT,
            row::SOCKETCLOSE,
            row::IPADDRESS,
            row::TRANSID,
        ];
        let web = reported(&edition, row::NUMBER, &named("WEB", &all));
        assert_eq!(web.get_int(row::PORT), Some(8080));
        assert_eq!(web.get_int(row::CLOSETIMEOUT), Some(90));
        assert_eq!(web.get_int(row::SOCKETCLOSE), Some(cvda("TIMEOUT")));
        assert_eq!(text(&web, row::IPADDRESS).as_deref(), Some("127.0.0.1"));
        assert_eq!(text(&web, row::TRANSID).as_deref(), Some("CWXN"));
        let off = [
            row::OPENSTATUS,
            row::SOCKETCLOSE,
            row::HOST,
            row::MAXPERSIST,
            row::SSLTYPE,
        ];
        let off = reported(&edition, row::NUMBER, &named("OFF     ", &off));
        assert_eq!(off.get_int(row::OPENSTATUS), Some(cvda("CLOSED")));
        assert_eq!(off.get_int(row::SOCKETCLOSE), Some(cvda("WAIT")));
        assert_eq!(text(&off, row::HOST).as_deref(), Some("ANY"));
        assert_eq!(off.get_int(row::MAXPERSIST), Some(-1));
        assert_eq!(off.get_int(row::SSLTYPE), Some(cvda("NOSSL")));
        let none = inquire(
            &edition,
            &mut BrowsePositions::new(),
            row::NUMBER,
            &named("NONE", &[]),
        );
        assert_eq!(refused(none), (Condition::NotFnd, 1));
        let nothing = named("WEB", &[row::CONNECTIONS]);
        let nothing = inquire(&edition, &mut BrowsePositions::new(), row::NUMBER, &nothing);
        assert_eq!(refused(nothing), (Condition::InvReq, 1));
    }

    #[test]
    fn browses_of_two_kinds_continue_independently() {
        use {inquire_host as host, inquire_pipeline as pipe};
        let folder = folder();
        let (edition, mut browses) = (edition(folder.path()), BrowsePositions::new());
        let mut ask = |number, options: &[u8]| {
            inquire(&edition, &mut browses, number, &with_options(options))
        };
        assert_eq!(
            refused(ask(pipe::NUMBER, &[pipe::NEXT])),
            (Condition::Illogic, 1)
        );
        ask(pipe::NUMBER, &[pipe::START]).unwrap();
        ask(host::NUMBER, &[host::START]).unwrap();
        assert_eq!(
            refused(ask(host::NUMBER, &[host::START])),
            (Condition::Illogic, 1)
        );
        for (name, mode, level) in [("PROV", "PROVIDER", "1.1"), ("REQ", "REQUESTER", "1.2")] {
            let reported = ask(pipe::NUMBER, &[pipe::NEXT, pipe::MODE, pipe::SOAPLEVEL]).unwrap();
            assert_eq!(text(&reported, pipe::PIPELINE).as_deref(), Some(name));
            assert_eq!(reported.get_int(pipe::MODE), Some(cvda(mode)));
            assert_eq!(text(&reported, pipe::SOAPLEVEL).as_deref(), Some(level));
        }
        for (name, service) in [("*", "WEB"), ("shop.example", "")] {
            let reported = ask(host::NUMBER, &[host::NEXT, host::TCPIPSERVICE]).unwrap();
            assert_eq!(text(&reported, host::HOST).as_deref(), Some(name));
            assert_eq!(
                text(&reported, host::TCPIPSERVICE).unwrap_or_default(),
                service
            );
        }
        assert_eq!(
            refused(ask(pipe::NUMBER, &[pipe::NEXT])),
            (Condition::End, 2)
        );
        ask(pipe::NUMBER, &[pipe::END]).unwrap();
        assert_eq!(
            refused(ask(host::NUMBER, &[host::NEXT])),
            (Condition::End, 2)
        );
    }

    #[test]
    fn a_pipeline_is_disabled_and_a_reload_keeps_it_so() {
        use inquire_pipeline as row;
        let folder = folder();
        let before = edition(folder.path());
        let flags = [pipeline_row::DISABLED, pipeline_row::RESPWAIT];
        let given = named("PROV", &flags).int(pipeline_row::RESPWAIT, 12);
        let after = set_pipeline(&before, &given).unwrap();
        let ask = named("PROV", &[row::ENABLESTATUS, row::RESPWAIT]);
        let state = |edition: &WebDefinitions| {
            let reported = reported(edition, row::NUMBER, &ask);
            (
                reported.get_int(row::ENABLESTATUS),
                reported.get_int(row::RESPWAIT),
            )
        };
        assert_eq!(state(&before), (Some(cvda("ENABLED")), Some(7)));
        assert_eq!(state(&after), (Some(cvda("DISABLED")), Some(12)));
        let mut again = edition(folder.path());
        let pipelines = PipelineTable::clone(&again.pipelines);
        again.pipelines = std::sync::Arc::new(pipelines.with_changes_of(&after.pipelines));
        assert_eq!(state(&again), state(&after));
        let wrong = named("PROV", &flags).int(pipeline_row::RESPWAIT, 10_000);
        assert_eq!(
            refused(set_pipeline(&before, &wrong)),
            (Condition::InvReq, 7)
        );
        let none = named("NONE", &[pipeline_row::ENABLED]);
        assert_eq!(
            refused(set_pipeline(&before, &none)),
            (Condition::NotFnd, 3)
        );
    }

    #[test]
    fn a_template_is_read_again() {
        use inquire_doctemplate as row;
        let folder = folder();
        let before = edition(folder.path());
        let ask = named(
            "PAGE",
            &[row::TEMPLATENAME, row::TEMPLATETYPE, row::HFSFILE],
        );
        let reported = reported(&before, row::NUMBER, &ask);
        assert_eq!(
            text(&reported, row::TEMPLATENAME).as_deref(),
            Some("The page")
        );
        assert_eq!(reported.get_int(row::TEMPLATETYPE), Some(cvda("HFSFILE")));
        assert_eq!(text(&reported, row::HFSFILE).as_deref(), Some("page.html"));
        std::fs::write(folder.path().join("page.html"), "two").unwrap();
        let given = named("PAGE", &[set_doctemplate::NEWCOPY]);
        let after = set_template(&before, &given).unwrap();
        let text_of = |edition: &WebDefinitions| {
            let mut symbols = Default::default();
            edition
                .templates
                .expand("The page", &mut symbols)
                .unwrap()
                .0
        };
        assert_eq!(
            (text_of(&before), text_of(&after)),
            (b"one".to_vec(), b"two".to_vec())
        );
        std::fs::remove_file(folder.path().join("page.html")).unwrap();
        assert_eq!(
            refused(set_template(&before, &given)),
            (Condition::InvReq, 3)
        );
        let none = named("NONE", &[set_doctemplate::NEWCOPY]);
        assert_eq!(
            refused(set_template(&before, &none)),
            (Condition::NotFnd, 1)
        );
    }

    #[test]
    fn a_map_is_made_while_none_of_its_name_is_enabled_and_discarded_when_disabled() {
        use super::super::inquire::{create, discard};
        use cics::command::commands::create_urimap as row;
        let folder = folder();
        let before = edition(folder.path());
        let made = |name: &str, attributes: &str| {
            let bytes = attributes.as_bytes().to_vec();
            create(
                &before,
                &named(name, &[row::ATTRIBUTES]).bytes(row::ATTRIBUTES, bytes),
            )
        };
        let after = made("NEW", "PATH(/new) PROGRAM(P)").unwrap();
        assert!(after.maps.find("WEB", false, "h", "/new").is_some());
        assert!(before.maps.find("WEB", false, "h", "/new").is_none());
        assert_eq!(
            refused(made("A", "PATH(/x) PROGRAM(P)")),
            (Condition::InvReq, 0)
        );
        assert!(made("B", "PATH(/x) PROGRAM(P)").is_ok());
        let (wrong, resp2) = refused(made("NEW", "PATH(x) PROGRAM(P)"));
        assert!(wrong == Condition::InvReq && resp2 > 0, "{resp2}");
        assert_eq!(
            refused(discard(&after, &named("NEW", &[]))),
            (Condition::InvReq, 4)
        );
        assert_eq!(
            refused(discard(&after, &named("NONE", &[]))),
            (Condition::NotFnd, 3)
        );
        let gone = discard(&before, &named("B", &[])).unwrap();
        assert!(gone.maps.named("B").is_none() && gone.maps.named("A").is_some());
    }
}
