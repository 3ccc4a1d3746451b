//! Web support of an application, and the gateway's access to it.

use std::fmt::Debug;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use tls::{ClientCertificates, ServerFiles};

use cics::csd::{
    ServiceAuthentication, SslUse, TcpIpProtocol, TcpIpServiceDef, TemplateSource, UriMapUsage,
};
use copybook::CodePage;
use gateway::{
    AnswerPieces, CallerAuthentication, ServiceAnswer, ServiceAnswerFuture, ServiceBody,
    ServiceConfig, ServiceHandler, ServiceRequest, TlsConfig, WebRefusal,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use miette::{Result, bail, miette};
use region::NotStarted;
use web::document::TemplateTable;
use web::{CicsWebSupport, PipelineTable, WebAnswer, WebBody, WebDefinitions, WebRequest};

use super::Application;
use super::definitions::MIRRORS;
use super::finding::{Finding, Findings};
use super::local::port_of_this_thread;
use super::scripts::WebSlot;

/// Largest body that a task can receive at once.
const MAX_BODY: u64 = 31 << 20;

/// Reads what web support needs of an application; errors go to `findings`.
pub fn read(app: &Application, findings: &mut Findings) -> WebDefinitions {
    let config = &app.config.web;
    let files = app.folder.join(&config.files);
    let members = app.folder.join(&config.templates);
    let (templates, wrong) = TemplateTable::load(&app.csd.doctemplates, &files, &members);
    wrong.into_iter().for_each(|why| findings.warn(why));
    check_definitions(app, &templates, findings);
    check_exits(app, findings);
    let (pipelines, wrong) = pipelines(app);
    findings.extend(wrong);
    check_pipelines(app, &pipelines, findings);
    let analyzers = app.csd.tcpipservices.iter();
    let analyzers = analyzers.filter_map(|service| service.analyzer.clone());
    WebDefinitions::new(
        &app.csd.urimaps,
        &app.csd.tcpipservices,
        templates,
        files,
        pipelines,
    )
    .with_analyzers(analyzers.filter(|name| app.has_source(name)).collect())
}

/// Reports document templates that name missing programs.
fn check_exits(app: &Application, findings: &mut Findings) {
    for def in &app.csd.doctemplates {
        if let TemplateSource::Exit(program) = &def.source
            && !app.has_source(program)
        {
            findings.warn(format!(
                "DOCTEMPLATE({}): there is no program {program}; documents that ask for it get \
                 TEMPLATERR",
                def.name
            ));
        }
    }
}

/// The pipelines and web services of an application, and their errors.
pub fn pipelines(app: &Application) -> (PipelineTable, Vec<Finding>) {
    let csd = &app.csd;
    PipelineTable::load(
        &csd.pipelines,
        &csd.webservices,
        &csd.urimaps,
        &app.folder.join(super::transforms::FOLDER),
        // Bytes above ASCII are characters of this code page.
        match app.code_page() {
            page if page.ccsid() == CodePage::ascii().ccsid() => CodePage::latin1(),
            page => page,
        },
    )
}

/// Reports URIMAPs that name missing pipelines and web services.
fn check_pipelines(app: &Application, pipelines: &PipelineTable, findings: &mut Findings) {
    for map in &app.csd.urimaps {
        let UriMapUsage::Pipeline {
            pipeline,
            web_service,
            ..
        } = &map.usage
        else {
            continue;
        };
        if !app.csd.pipelines.iter().any(|def| def.name == *pipeline) {
            findings.warn(format!(
                "URIMAP({}): there is no PIPELINE({pipeline}); its requests are answered with 500",
                map.name
            ));
        }
        if let Some(name) = web_service
            && pipelines.service(name).is_none()
        {
            findings.warn(format!(
                "URIMAP({}): there is no web service {name}; its requests are answered with a fault",
                map.name
            ));
        }
    }
}

/// Reports definitions that name missing resources.
fn check_definitions(app: &Application, templates: &TemplateTable, findings: &mut Findings) {
    let services = &app.csd.tcpipservices;
    for service in services
        .iter()
        .filter(|s| s.protocol == TcpIpProtocol::Other)
    {
        findings.warn(format!(
            "TCPIPSERVICE({}): its PROTOCOL is not supported, and nothing listens for it",
            service.name
        ));
    }
    let defined = |name: &str| {
        MIRRORS.contains(&name) || app.csd.transactions.iter().any(|t| t.name.as_str() == name)
    };
    for map in &app.csd.urimaps {
        let (service, transaction) = match &map.usage {
            UriMapUsage::Client => continue,
            UriMapUsage::Pipeline {
                service,
                transaction,
                ..
            } => (service, transaction.as_deref()),
            UriMapUsage::Server { service, answer } => {
                use cics::csd::UriMapAnswer::{Program, Template};
                if let Template(name) = answer
                    && !templates.has(name)
                {
                    findings.warn(format!("URIMAP({}): there is no template {name}", map.name));
                }
                let transaction = match answer {
                    Program { transaction, .. } => transaction.as_deref(),
                    _ => None,
                };
                (service, transaction)
            }
        };
        if let Some(name) = transaction.filter(|name| !defined(name)) {
            findings.warn(format!(
                "URIMAP({}): its transaction {name} is not defined",
                map.name
            ));
        }
        if let Some(name) = service
            && !services.iter().any(|s| s.name == *name)
        {
            findings.warn(format!(
                "URIMAP({}): there is no TCPIPSERVICE({name})",
                map.name
            ));
        }
    }
}

/// Web support of an application whose definitions have been read.
pub fn make(app: &Application, edition: WebDefinitions) -> CicsWebSupport {
    let mut config = app.config.web.clone();
    config.authorities = config.authorities.map(|file| app.folder.join(file));
    for section in config.certificates.values_mut() {
        section.certificate = app.folder.join(&section.certificate);
        section.key = app.folder.join(&section.key);
    }
    CicsWebSupport::new(config, app.code_page(), edition)
}

/// The addresses of an application's TCPIPSERVICEs.
pub fn services(
    app: &Application,
    web: &CicsWebSupport,
    scripts: &WebSlot,
) -> Result<Vec<ServiceConfig>> {
    let all = app.csd.tcpipservices.iter();
    let http = all.filter(|s| s.protocol == TcpIpProtocol::Http && s.open);
    http.map(|def| service(app, def, web, scripts)).collect()
}

fn service(
    app: &Application,
    def: &TcpIpServiceDef,
    web: &CicsWebSupport,
    scripts: &WebSlot,
) -> Result<ServiceConfig> {
    let address: IpAddr = match &def.address {
        None => app.config.gateway.listen.ip(),
        Some(text) => text
            .parse()
            .map_err(|_| miette!("TCPIPSERVICE({}): {text} is not an IP address", def.name))?,
    };
    let listen = SocketAddr::new(address, def.port);
    let by_password = matches!(
        def.authenticate,
        ServiceAuthentication::Basic | ServiceAuthentication::Automatic
    );
    if by_password && app.security().users.is_none() {
        bail!(
            help = format!("`tupelo user add NAME --app {}`", app.folder.display()),
            "TCPIPSERVICE({}): AUTHENTICATE needs passwords, and there is no user store",
            def.name
        );
    }
    let handler = WebSupportHandler {
        web: web.clone(),
        scripts: scripts.clone(),
        service: def.name.clone(),
    };
    Ok(ServiceConfig {
        name: def.name.clone(),
        listen,
        tls: tls(app, def, listen)?,
        backlog: def.backlog,
        max_body_bytes: def.max_data_bytes.min(MAX_BODY) as usize,
        idle_timeout_ms: def.socket_close_s.map(|s| s.saturating_mul(1_000)),
        max_persistent: def.max_persist,
        authentication: match def.authenticate {
            ServiceAuthentication::No => CallerAuthentication::None,
            ServiceAuthentication::Basic => CallerAuthentication::Basic,
            ServiceAuthentication::Certificate => CallerAuthentication::Certificate,
            ServiceAuthentication::Automatic => CallerAuthentication::Either,
        },
        realm: def.realm.clone().unwrap_or_else(|| {
            let region = app.config.region.applid.trim_end();
            format!("CICS application in region {region}")
        }),
        handler: std::sync::Arc::new(handler),
    })
}

/// The certificate of a service: the one of its label, or the gateway's.
fn tls(app: &Application, def: &TcpIpServiceDef, listen: SocketAddr) -> Result<Option<TlsConfig>> {
    if def.ssl == SslUse::No {
        return Ok(None);
    }
    let of = |path: &Path| app.folder.join(path);
    let (name, gateway) = (&def.name, &app.config.gateway);
    let (certificate, key, clients) = match &def.certificate {
        Some(label) => {
            let Some(section) = app.config.web.certificates.get(label) else {
                bail!(
                    help = format!("[web.certificates.{label}] names its certificate and its key"),
                    "TCPIPSERVICE({name}): there is no certificate {label}"
                );
            };
            let clients = section.clients.as_deref();
            (of(&section.certificate), of(&section.key), clients)
        }
        None => match (&gateway.tls_certificate, &gateway.tls_key) {
            (Some(certificate), Some(key)) => {
                (of(certificate), of(key), gateway.tls_client_ca.as_deref())
            }
            _ => bail!(
                help =
                    "CERTIFICATE and [web.certificates], or [gateway] tls_certificate and tls_key",
                "TCPIPSERVICE({name}): SSL needs a certificate"
            ),
        },
    };
    let clients = match (def.ssl, clients) {
        (SslUse::ClientAuth, Some(authorities)) => Some(ClientCertificates {
            authorities: of(authorities),
            required: def.authenticate == ServiceAuthentication::Certificate,
        }),
        (SslUse::ClientAuth, None) => bail!(
            help = "`clients` of [web.certificates], or [gateway] tls_client_ca",
            "TCPIPSERVICE({name}): SSL(CLIENTAUTH) needs the authorities of clients"
        ),
        _ => None,
    };
    Ok(Some(TlsConfig {
        listen,
        files: ServerFiles {
            certificate,
            key,
            clients,
        },
    }))
}

/// Passes requests at a TCPIPSERVICE to web support, or to a script that a URIMAP names as
/// its program.
struct WebSupportHandler {
    web: CicsWebSupport,
    scripts: WebSlot,
    service: String,
}

impl Debug for WebSupportHandler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handler")
            .field("service", &self.service)
            .finish_non_exhaustive()
    }
}

impl WebSupportHandler {
    /// The script that serves a request.
    fn script(&self, request: &WebRequest) -> Option<Box<dyn gateway::WebHandler>> {
        let script = self.scripts.get()?.find(request.parts.uri.path())?;
        let path = self.web.without_program(request)?;
        (script.template() == path).then_some(script)
    }
}

/// A script's answer, or the response that says why there is no answer.
fn of_script(result: std::result::Result<gateway::WebAnswer, WebRefusal>) -> ServiceAnswer {
    let problem = |status, detail: &str| service_answer(WebAnswer::problem(status, detail));
    let abended = |abend: &gateway::WebAbend| {
        let place = match abend.line {
            0 => abend.place.clone(),
            line => format!("{}:{line}", abend.place),
        };
        format!("abend {} in {place}: {}", abend.code, abend.message)
    };
    let answer = match result {
        Ok(answer) => answer,
        Err(WebRefusal::Region(refusal)) => {
            let status = match &refusal {
                refusal if refusal.is_temporary() => StatusCode::SERVICE_UNAVAILABLE,
                NotStarted::Unreachable(_) => StatusCode::BAD_GATEWAY,
                _ => StatusCode::INTERNAL_SERVER_ERROR,
            };
            return problem(status, &refusal.to_string());
        }
        Err(WebRefusal::Abend(abend)) => {
            return problem(StatusCode::INTERNAL_SERVER_ERROR, &abended(&abend));
        }
        Err(WebRefusal::TooSlow(abend)) => {
            return problem(StatusCode::GATEWAY_TIMEOUT, &abended(&abend));
        }
    };
    let mut headers = HeaderMap::new();
    for (name, value) in &answer.headers {
        let parsed = HeaderName::from_bytes(name.as_bytes());
        let (Ok(name), Ok(value)) = (parsed, HeaderValue::from_bytes(value.as_bytes())) else {
            let why = format!("{name:?} cannot be a header with its value");
            return problem(StatusCode::INTERNAL_SERVER_ERROR, &why);
        };
        // The connection's own headers are set by the gateway.
        let own = [
            header::CONNECTION,
            header::CONTENT_LENGTH,
            header::TRANSFER_ENCODING,
            header::UPGRADE,
        ];
        if !own.contains(&name) {
            headers.append(name, value);
        }
    }
    ServiceAnswer {
        status: StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        reason: Vec::new(),
        headers,
        body: answer.body,
        close: false,
    }
}

fn service_answer(answer: WebAnswer) -> ServiceAnswer {
    ServiceAnswer {
        status: answer.status,
        reason: answer.reason,
        headers: answer.headers,
        body: match answer.body {
            WebBody::Whole(bytes) => ServiceBody::Whole(bytes),
            WebBody::Stream(pieces) => ServiceBody::Stream(AnswerPieces::Frames(pieces)),
        },
        close: answer.close,
    }
}

impl ServiceHandler for WebSupportHandler {
    fn serve(&self, request: ServiceRequest) -> ServiceAnswerFuture {
        let web = self.web.clone();
        let mut parts = request.parts;
        if let Some(trailers) = &request.trailers {
            web::add_trailers(&mut parts.headers, trailers);
        }
        let request = WebRequest {
            service: self.service.clone(),
            parts,
            body: request.body,
            client: request.client,
            server: request.server,
            secure: request.secure,
            certificate: request.certificate,
            user_id: request.user_id,
            trace_id: request.trace_id,
        };
        if let Some(script) = self.script(&request) {
            return Box::pin(async move {
                let WebRequest {
                    parts,
                    body,
                    user_id,
                    trace_id,
                    ..
                } = request;
                let user = user_id.and_then(|id| id.parse().ok());
                of_script(script.serve(&parts, trace_id, user, body).await)
            });
        }
        Box::pin(async move {
            let answer = match port_of_this_thread() {
                Some(port) => web.serve(request, port).await,
                None => WebAnswer::problem(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "This thread is not connected to the region",
                ),
            };
            service_answer(answer)
        })
    }
}
