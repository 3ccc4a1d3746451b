//! Typed definitions of web support: URIMAP, TCPIPSERVICE, DOCTEMPLATE.
//!
//! Attributes that contradict each other are errors here, with their line, so
//! that a door never has to guess which of them counts.
//!
//! Reference: CICS resource definition, attributes of the three types.

use super::values::DefinitionValues;
use crate::names::GroupName;

/// DEFINE URIMAP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UriMapDef {
    /// The definition, 1 to 8 characters.
    pub name: String,
    /// Its group.
    pub group: GroupName,
    /// Line of the definition, from 1.
    pub line: u32,
    /// STATUS(ENABLED).
    pub enabled: bool,
    /// The requests that it maps, by USAGE.
    pub usage: UriMapUsage,
    /// SCHEME(HTTPS).
    pub secure: bool,
    /// PORT; `None` for the scheme's own.
    pub port: Option<u16>,
    /// HOST in lower case; `*` for any.
    pub host: String,
    /// PATH; with `*` at its end, every path that begins so.
    pub path: String,
    /// MEDIATYPE; empty when it is not given.
    pub media_type: String,
    /// CHARACTERSET; empty when it is not given.
    pub character_set: String,
    /// HOSTCODEPAGE; empty when it is not given.
    pub host_code_page: String,
    /// USERID.
    pub user_id: Option<String>,
    /// SOCKETCLOSE of a client's pooled connections, in seconds; 0 for none.
    pub socket_close_s: u32,
    /// AUTHENTICATE(BASIC) of a client.
    pub basic: bool,
    /// CERTIFICATE of a client.
    pub certificate: Option<String>,
}

/// USAGE of a URIMAP, with what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UriMapUsage {
    /// Requests that come in.
    Server {
        /// TCPIPSERVICE; `None` for all.
        service: Option<String>,
        /// The answer to them.
        answer: UriMapAnswer,
    },
    /// Requests that go out.
    Client,
    /// Requests that a pipeline serves.
    Pipeline {
        /// TCPIPSERVICE; `None` for all.
        service: Option<String>,
        /// PIPELINE.
        pipeline: String,
        /// WEBSERVICE.
        web_service: Option<String>,
        /// TRANSACTION; `None` for CPIH.
        transaction: Option<String>,
    },
}

/// The answer of a URIMAP with USAGE(SERVER).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UriMapAnswer {
    /// A program.
    Program {
        /// PROGRAM; `None` when the analyzer names it.
        program: Option<String>,
        /// TRANSACTION; `None` for CWBA.
        transaction: Option<String>,
        /// CONVERTER.
        converter: Option<String>,
        /// ANALYZER(YES): the service's analyzer sees the request.
        analyzer: bool,
    },
    /// HFSFILE.
    File(String),
    /// TEMPLATENAME.
    Template(String),
    /// REDIRECTTYPE and LOCATION.
    Redirect {
        /// PERMANENT, which is 301; else 302.
        permanent: bool,
        /// The target.
        location: String,
    },
}

/// DEFINE TCPIPSERVICE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TcpIpServiceDef {
    /// The service, 1 to 8 characters.
    pub name: String,
    /// Its group.
    pub group: GroupName,
    /// Line of the definition, from 1.
    pub line: u32,
    /// STATUS(OPEN).
    pub open: bool,
    /// PROTOCOL.
    pub protocol: TcpIpProtocol,
    /// PORTNUMBER; 0 takes a free port.
    pub port: u16,
    /// HOST or IPADDRESS; `None` for any address that the settings allow.
    pub address: Option<String>,
    /// URM; `None` for NONE.
    pub analyzer: Option<String>,
    /// TRANSACTION; `None` for CWXN.
    pub transaction: Option<String>,
    /// BACKLOG; 0 for the default.
    pub backlog: u32,
    /// SOCKETCLOSE in seconds; `None` for NO.
    pub socket_close_s: Option<u32>,
    /// MAXPERSIST; `None` for NO.
    pub max_persist: Option<u32>,
    /// MAXDATALEN in bytes.
    pub max_data_bytes: u64,
    /// SSL.
    pub ssl: SslUse,
    /// CERTIFICATE.
    pub certificate: Option<String>,
    /// AUTHENTICATE.
    pub authenticate: ServiceAuthentication,
    /// REALM.
    pub realm: Option<String>,
}

/// PROTOCOL of a TCPIPSERVICE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TcpIpProtocol {
    /// HTTP.
    Http,
    /// IPIC.
    Ipic,
    /// ECI, IIOP, USER.
    Other,
}

/// SSL of a TCPIPSERVICE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SslUse {
    /// Without.
    No,
    /// With the server's certificate.
    Yes,
    /// With certificates of both sides.
    ClientAuth,
}

/// AUTHENTICATE of a TCPIPSERVICE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceAuthentication {
    /// The client is not asked.
    No,
    /// Name and password.
    Basic,
    /// The certificate of the connection.
    Certificate,
    /// The certificate, or name and password if the client has no certificate.
    Automatic,
}

/// DEFINE DOCTEMPLATE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocTemplateDef {
    /// The definition, 1 to 8 characters.
    pub name: String,
    /// Its group.
    pub group: GroupName,
    /// Line of the definition, from 1.
    pub line: u32,
    /// TEMPLATENAME, up to 48 characters; the definition's name when absent.
    pub template: String,
    /// The source of its text.
    pub source: TemplateSource,
    /// APPENDCRLF(YES): the lines of a file or queue end in CR LF.
    pub append_crlf: bool,
    /// TYPE(BINARY): neither symbols nor code pages.
    pub binary: bool,
}

/// The source of a template's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateSource {
    /// FILE: records of a CICS file.
    File(String),
    /// HFSFILE: a file of the file system.
    Hfs(String),
    /// MEMBERNAME, and DDNAME.
    Member(String, String),
    /// PROGRAM: the text of a load module.
    Program(String),
    /// EXITPGM: a program that gives it.
    Exit(String),
    /// TSQUEUE.
    TsQueue(String),
    /// TDQUEUE.
    TdQueue(String),
}

/// Longest PATH, LOCATION and HFSFILE.
const MAX_PATH: usize = 255;

impl DefinitionValues<'_> {
    pub(super) fn urimap(&mut self) -> Option<UriMapDef> {
        let name = self.name_of(8);
        let usage = self.choice(
            "USAGE",
            &[
                ("SERVER", "SERVER"),
                ("CLIENT", "CLIENT"),
                ("PIPELINE", "PIPELINE"),
                ("ATOM", "ATOM"),
                ("JVMSERVER", "JVMSERVER"),
            ],
        );
        let usage = match usage {
            "SERVER" => self.server(),
            "CLIENT" => self.client(),
            "PIPELINE" => self.pipeline(),
            other => {
                let message = format!("USAGE({other}) is not supported");
                self.fail_at("USAGE", message);
                None
            }
        };
        let host = self.text("HOST").unwrap_or_else(|| "*".to_owned());
        let def = UriMapDef {
            name: name?,
            group: self.group(),
            line: self.line(),
            enabled: self.enabled(),
            secure: self.choice("SCHEME", &[("HTTP", false), ("HTTPS", true)]),
            port: match self.text("PORT").as_deref() {
                None | Some("NO") => None,
                Some(_) => self.number("PORT", 1..=65_535).map(|n| n as u16),
            },
            host: host.to_ascii_lowercase(),
            path: self.path().unwrap_or_default(),
            media_type: self.limited("MEDIATYPE", 56),
            character_set: self.limited("CHARACTERSET", 40),
            host_code_page: self.limited("HOSTCODEPAGE", 10),
            user_id: self.word("USERID", 8),
            socket_close_s: self.hhmmss("SOCKETCLOSE").unwrap_or(0),
            basic: self.choice("AUTHENTICATE", &[("NO", false), ("BASIC", true)]),
            certificate: self.text("CERTIFICATE"),
            usage: usage?,
        };
        self.done(def)
    }

    fn server(&mut self) -> Option<UriMapUsage> {
        self.only_for("SERVER", &["PIPELINE", "WEBSERVICE", "ATOMSERVICE"]);
        let redirect = self.choice(
            "REDIRECTTYPE",
            &[
                ("NONE", None),
                ("TEMPORARY", Some(false)),
                ("PERMANENT", Some(true)),
            ],
        );
        let location = self.text("LOCATION");
        if redirect.is_some() != location.is_some() {
            let what = match redirect {
                Some(_) => "REDIRECTTYPE needs LOCATION",
                None => "LOCATION needs REDIRECTTYPE(TEMPORARY) or REDIRECTTYPE(PERMANENT)",
            };
            self.fail_at("LOCATION", what.to_owned());
        }
        let analyzer = self.yes("ANALYZER", false);
        let program = self.word("PROGRAM", 8);
        let (file, template) = (self.text("HFSFILE"), self.text("TEMPLATENAME"));
        let dynamic = program.is_some() || analyzer;
        let given = [
            redirect.is_some(),
            file.is_some(),
            template.is_some(),
            dynamic,
        ];
        match given.iter().filter(|given| **given).count() {
            1 => {}
            0 => self.fail_here("needs PROGRAM, ANALYZER(YES), HFSFILE, TEMPLATENAME or LOCATION"),
            _ => self.fail_here(
                "can have one of PROGRAM or ANALYZER(YES), HFSFILE, TEMPLATENAME and LOCATION",
            ),
        }
        if !dynamic {
            for attribute in ["TRANSACTION", "CONVERTER"] {
                if self.text(attribute).is_some() {
                    let message = format!("{attribute} needs PROGRAM or ANALYZER(YES)");
                    self.fail_at(attribute, message);
                }
            }
        }
        let answer = match (location, file, template) {
            (Some(location), ..) => UriMapAnswer::Redirect {
                permanent: redirect == Some(true),
                location,
            },
            (_, Some(file), _) => self.file_name(file)?,
            (.., Some(template)) => UriMapAnswer::Template(template),
            _ => UriMapAnswer::Program {
                program,
                transaction: self.word("TRANSACTION", 4),
                converter: self.word("CONVERTER", 8),
                analyzer,
            },
        };
        Some(UriMapUsage::Server {
            service: self.word("TCPIPSERVICE", 8),
            answer,
        })
    }

    /// HFSFILE: a wildcard there needs one in PATH.
    fn file_name(&mut self, file: String) -> Option<UriMapAnswer> {
        let wild = |text: &str| text.ends_with('*');
        let path = self.text("PATH").unwrap_or_default();
        if wild(&file) != wild(&path) {
            let message = "HFSFILE and PATH must both end in *, or neither".to_owned();
            self.fail_at("HFSFILE", message);
            return None;
        }
        Some(UriMapAnswer::File(file))
    }

    fn client(&mut self) -> Option<UriMapUsage> {
        self.only_for(
            "CLIENT",
            &[
                "TCPIPSERVICE",
                "PROGRAM",
                "CONVERTER",
                "TRANSACTION",
                "PIPELINE",
                "WEBSERVICE",
                "HFSFILE",
                "TEMPLATENAME",
                "LOCATION",
                "ATOMSERVICE",
            ],
        );
        match self.text("HOST").as_deref() {
            None | Some("*") => {
                self.fail_here("needs HOST, because its USAGE is CLIENT");
                None
            }
            Some(_) => Some(UriMapUsage::Client),
        }
    }

    fn pipeline(&mut self) -> Option<UriMapUsage> {
        self.only_for(
            "PIPELINE",
            &[
                "PROGRAM",
                "CONVERTER",
                "HFSFILE",
                "TEMPLATENAME",
                "ATOMSERVICE",
            ],
        );
        let Some(pipeline) = self.word("PIPELINE", 8) else {
            self.fail_here("needs PIPELINE, because its USAGE is PIPELINE");
            return None;
        };
        Some(UriMapUsage::Pipeline {
            service: self.word("TCPIPSERVICE", 8),
            pipeline,
            web_service: self.text("WEBSERVICE"),
            transaction: self.word("TRANSACTION", 4),
        })
    }

    fn only_for(&mut self, usage: &str, others: &[&str]) {
        for attribute in others {
            if self.text(attribute).is_some() {
                let message = format!("{attribute} contradicts USAGE({usage})");
                self.fail_at(attribute, message);
            }
        }
    }

    fn path(&mut self) -> Option<String> {
        let Some(path) = self.text("PATH") else {
            self.fail_here("needs PATH");
            return None;
        };
        let wrong = match path.find('*') {
            _ if path.len() > MAX_PATH => format!("PATH is longer than {MAX_PATH}"),
            Some(at) if at + 1 < path.len() => "PATH has * before its end".to_owned(),
            _ if !path.starts_with('/') && path != "*" => "PATH must begin with /".to_owned(),
            _ => return Some(path),
        };
        self.fail_at("PATH", wrong);
        None
    }

    /// A name in capitals of up to so many characters.
    pub(super) fn word(&mut self, attribute: &str, most: usize) -> Option<String> {
        let text = self.text(attribute)?;
        if text.len() > most || !text.bytes().all(|b| b.is_ascii_graphic()) {
            self.fail_at(attribute, format!("{attribute} has 1 to {most} characters"));
        }
        Some(text.to_ascii_uppercase())
    }

    fn limited(&mut self, attribute: &str, most: usize) -> String {
        let text = self.text(attribute).unwrap_or_default();
        if text.len() > most {
            self.fail_at(attribute, format!("{attribute} is longer than {most}"));
        }
        text
    }

    /// A time as hhmmss, in seconds; `None` for NO and when absent.
    fn hhmmss(&mut self, attribute: &str) -> Option<u32> {
        if matches!(self.text(attribute).as_deref(), None | Some("NO")) {
            return None;
        }
        let n = self.number(attribute, 0..=240_000)?;
        let (hours, minutes, seconds) = (n / 10_000, n / 100 % 100, n % 100);
        if minutes > 59 || seconds > 59 {
            self.fail_at(attribute, format!("{attribute}({n}) is no time hhmmss"));
        }
        Some(hours * 3600 + minutes * 60 + seconds)
    }

    pub(super) fn tcpipservice(&mut self) -> Option<TcpIpServiceDef> {
        let name = self.name_of(8);
        let protocol = self.choice(
            "PROTOCOL",
            &[
                ("HTTP", TcpIpProtocol::Http),
                ("IPIC", TcpIpProtocol::Ipic),
                ("ECI", TcpIpProtocol::Other),
                ("IIOP", TcpIpProtocol::Other),
                ("USER", TcpIpProtocol::Other),
            ],
        );
        if self.text("PORTNUMBER").is_none() {
            self.fail_here("needs PORTNUMBER");
        }
        let port = self.number("PORTNUMBER", 0..=65_535);
        let ssl = self.choice(
            "SSL",
            &[
                ("NO", SslUse::No),
                ("YES", SslUse::Yes),
                ("CLIENTAUTH", SslUse::ClientAuth),
            ],
        );
        let authenticate = self.choice(
            "AUTHENTICATE",
            &[
                ("NO", ServiceAuthentication::No),
                ("BASIC", ServiceAuthentication::Basic),
                ("CERTIFICATE", ServiceAuthentication::Certificate),
                ("AUTOREGISTER", ServiceAuthentication::Certificate),
                ("AUTOMATIC", ServiceAuthentication::Automatic),
            ],
        );
        let by_certificate = matches!(
            authenticate,
            ServiceAuthentication::Certificate | ServiceAuthentication::Automatic
        );
        if by_certificate && ssl != SslUse::ClientAuth {
            let message = "AUTHENTICATE by certificate needs SSL(CLIENTAUTH)".to_owned();
            self.fail_at("AUTHENTICATE", message);
        }
        if ssl == SslUse::No && self.text("CERTIFICATE").is_some() {
            let message = "CERTIFICATE needs SSL(YES) or SSL(CLIENTAUTH)".to_owned();
            self.fail_at("CERTIFICATE", message);
        }
        let any = |text: &String| {
            !["ANY", "INADDR_ANY", "DEFAULT"].contains(&text.to_ascii_uppercase().as_str())
        };
        let address = self.text("HOST").filter(any);
        let address = address.or_else(|| self.text("IPADDRESS").filter(any));
        let max_persist = match self.text("MAXPERSIST").as_deref() {
            None | Some("NO") => None,
            Some(_) => self.number("MAXPERSIST", 0..=65_535),
        };
        let def = TcpIpServiceDef {
            name: name?,
            group: self.group(),
            line: self.line(),
            open: self.choice("STATUS", &[("OPEN", true), ("CLOSED", false)]),
            protocol,
            port: port? as u16,
            address,
            analyzer: self.word("URM", 8).filter(|urm| urm != "NONE"),
            transaction: self.word("TRANSACTION", 4),
            backlog: self.number("BACKLOG", 0..=32_767).unwrap_or(0),
            socket_close_s: self.hhmmss("SOCKETCLOSE"),
            max_persist,
            max_data_bytes: u64::from(self.number("MAXDATALEN", 3..=524_288).unwrap_or(32)) << 10,
            ssl,
            certificate: self.text("CERTIFICATE"),
            authenticate,
            realm: self.text("REALM"),
        };
        self.done(def)
    }

    pub(super) fn doctemplate(&mut self) -> Option<DocTemplateDef> {
        let name = self.name_of(8);
        let template = self.text("TEMPLATENAME").or_else(|| name.clone());
        let template = template.unwrap_or_default();
        if template.len() > 48 {
            self.fail_at("TEMPLATENAME", "TEMPLATENAME is longer than 48".to_owned());
        }
        let mut sources = Vec::new();
        sources.extend(self.word("FILE", 8).map(TemplateSource::File));
        sources.extend(self.text("HFSFILE").map(TemplateSource::Hfs));
        if let Some(member) = self.word("MEMBERNAME", 8) {
            let dd = self
                .word("DDNAME", 8)
                .unwrap_or_else(|| "DFHHTML".to_owned());
            sources.push(TemplateSource::Member(dd, member));
        }
        sources.extend(self.word("PROGRAM", 8).map(TemplateSource::Program));
        sources.extend(self.word("EXITPGM", 8).map(TemplateSource::Exit));
        sources.extend(self.text("TSQUEUE").map(TemplateSource::TsQueue));
        sources.extend(self.word("TDQUEUE", 4).map(TemplateSource::TdQueue));
        if sources.len() > 1 {
            self.fail_here(
                "can have one of FILE, HFSFILE, MEMBERNAME, PROGRAM, EXITPGM, TSQUEUE and TDQUEUE",
            );
        }
        let Some(source) = sources.pop() else {
            self.fail_here("needs FILE, HFSFILE, MEMBERNAME, PROGRAM, EXITPGM, TSQUEUE or TDQUEUE");
            return None;
        };
        let def = DocTemplateDef {
            name: name?,
            group: self.group(),
            line: self.line(),
            template,
            source,
            append_crlf: self.yes("APPENDCRLF", true),
            binary: self.choice("TYPE", &[("EBCDIC", false), ("BINARY", true)]),
        };
        self.done(def)
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn maps_are_read_by_their_usage() {
        let csd = parse(
            "DEFINE URIMAP(A) GROUP(G) PATH(/a/*) PROGRAM(PGM) TRANSACTION(ALIA) HOST(Example.COM)\n\
             DEFINE URIMAP(B) GROUP(G) USAGE(CLIENT) HOST(there) PATH(/b) SCHEME(HTTPS) PORT(99)\n\
             DEFINE URIMAP(C) GROUP(G) USAGE(PIPELINE) PATH(/c) PIPELINE(PIPE)\n\
             DEFINE URIMAP(D) GROUP(G) PATH(/d/*) HFSFILE(pages/*)\n\
             DEFINE URIMAP(E) GROUP(G) PATH(/e) REDIRECTTYPE(PERMANENT) LOCATION(/f)\n",
        );
        assert_eq!(csd.diagnostics, []);
        assert_eq!(csd.urimaps.len(), 5);
        assert_eq!(csd.urimaps[0].host, "example.com");
        assert!(matches!(
            &csd.urimaps[0].usage,
            UriMapUsage::Server { answer: UriMapAnswer::Program { transaction: Some(t), .. }, .. }
                if t == "ALIA"
        ));
        assert_eq!(
            (csd.urimaps[1].secure, csd.urimaps[1].port),
            (true, Some(99))
        );
    }

    #[test]
    fn definitions_that_contradict_are_errors_with_their_line() {
        let csd = parse(
            "DEFINE URIMAP(A) GROUP(G) USAGE(ATOM) PATH(/a)\n\
             DEFINE URIMAP(B) GROUP(G) PATH(/b) PROGRAM(P) HFSFILE(x)\n\
             DEFINE URIMAP(C) GROUP(G) PATH(/c*d) PROGRAM(P)\n\
             DEFINE URIMAP(D) GROUP(G) PATH(/d) REDIRECTTYPE(TEMPORARY)\n\
             DEFINE URIMAP(E) GROUP(G) USAGE(CLIENT) PATH(/e) HOST(h) PROGRAM(P)\n\
             DEFINE URIMAP(F) GROUP(G) USAGE(PIPELINE) PATH(/f)\n\
             DEFINE TCPIPSERVICE(G) GROUP(G) PORTNUMBER(80) AUTHENTICATE(CERTIFICATE)\n\
             DEFINE TCPIPSERVICE(H) GROUP(G) SSL(YES)\n\
             DEFINE TCPIPSERVICE(I) GROUP(G) PORTNUMBER(1) SOCKETCLOSE(009900)\n\
             DEFINE DOCTEMPLATE(J) GROUP(G)\n\
             DEFINE DOCTEMPLATE(K) GROUP(G) FILE(F) TSQUEUE(Q)\n",
        );
        let mut lines: Vec<u32> = csd.diagnostics.iter().map(|d| d.line).collect();
        lines.dedup();
        assert_eq!(
            lines,
            (1..=11).collect::<Vec<_>>(),
            "{:#?}",
            csd.diagnostics
        );
        assert!(csd.urimaps.is_empty() && csd.tcpipservices.is_empty());
        assert!(csd.doctemplates.is_empty());
    }

    #[test]
    fn services_and_templates_have_their_defaults() {
        let csd = parse(
            "DEFINE TCPIPSERVICE(WEB) GROUP(G) PORTNUMBER(8088) SOCKETCLOSE(000130) URM(NONE)\n\
             DEFINE DOCTEMPLATE(PAGE) GROUP(G) HFSFILE(page.html) TEMPLATENAME(The page)\n",
        );
        assert_eq!(csd.diagnostics, []);
        let service = &csd.tcpipservices[0];
        assert_eq!((service.port, service.socket_close_s), (8088, Some(90)));
        assert_eq!(
            (service.max_data_bytes, service.max_persist),
            (32 << 10, None)
        );
        assert_eq!(service.analyzer, None);
        let template = &csd.doctemplates[0];
        assert_eq!(template.template, "The page");
        assert!(template.append_crlf && !template.binary);
    }
}
