//! The application: the example's programs, with addresses of the wire and a
//! certificate where a flow has TLS.

use crate::error::LabError;
use crate::net::{CLIENT, SERVER};
use crate::serve::ServedApplication;

/// The protocol between client and server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientTransport {
    /// HTTP.
    Plain,
    /// HTTPS.
    Tls,
}

/// The port on which a client is started, on the region's own host.
pub const START_PORT: u16 = 8190;
/// The port of the server, and of the relay before it.
pub const SERVER_PORT: u16 = 8191;

const PROGRAMS: [(&str, &str); 7] = [
    (
        "FXC1",
        include_str!("../../../../examples/web-services/cobol/FXC1.cbl"),
    ),
    (
        "FXC2",
        include_str!("../../../../examples/web-services/cobol/FXC2.cbl"),
    ),
    (
        "FXS1",
        include_str!("../../../../examples/web-services/cobol/FXS1.cbl"),
    ),
    (
        "FXS2",
        include_str!("../../../../examples/web-services/cobol/FXS2.cbl"),
    ),
    (
        "FXH1",
        include_str!("../../../../examples/web-services/cobol/FXH1.cbl"),
    ),
    (
        "FXGO",
        include_str!("../../../../examples/web-services/cobol/FXGO.cbl"),
    ),
    (
        "FXTOLD",
        include_str!("../../../../examples/web-services/cobol/FXTOLD.cbl"),
    ),
];

const FILES: [(&str, &str); 6] = [
    (
        "copybooks/FXQUOTE.cpy",
        include_str!("../../../../examples/web-services/copybooks/FXQUOTE.cpy"),
    ),
    (
        "copybooks/FXASKQ.cpy",
        include_str!("../../../../examples/web-services/copybooks/FXASKQ.cpy"),
    ),
    (
        "copybooks/FXASKR.cpy",
        include_str!("../../../../examples/web-services/copybooks/FXASKR.cpy"),
    ),
    (
        "services/fx/provider.xml",
        include_str!("../../../../examples/web-services/services/fx/provider.xml"),
    ),
    (
        "services/fx/FXASK.wsbind",
        include_str!("../../../../examples/web-services/services/fx/FXASK.wsbind"),
    ),
    (
        "services/fx/provider/FXS1.wsbind",
        include_str!("../../../../examples/web-services/services/fx/provider/FXS1.wsbind"),
    ),
];

/// The example on the wire: the server listens at the near host, the client
/// asks at the far one, where the relay is.
pub fn application(transport: ClientTransport) -> Result<ServedApplication, LabError> {
    let (scheme, ssl) = match transport {
        ClientTransport::Plain => ("HTTP", "SSL(NO)"),
        ClientTransport::Tls => ("HTTPS", "SSL(YES) CERTIFICATE(LAB)"),
    };
    let definitions = format!(
        "DEFINE TCPIPSERVICE(START) GROUP(FX) PORTNUMBER({START_PORT}) HOST({CLIENT})\n\
         DEFINE TCPIPSERVICE(FX) GROUP(FX) PORTNUMBER({SERVER_PORT}) HOST({CLIENT}) {ssl}\n\
         DEFINE PIPELINE(FXPROV) GROUP(FX) CONFIGFILE(/fx/provider.xml) WSDIR(/fx/provider)\n\
         DEFINE URIMAP(FXS1) GROUP(FX) USAGE(PIPELINE) PATH(/fx/quote) PIPELINE(FXPROV)\n\
                WEBSERVICE(FXS1)\n\
         DEFINE TRANSACTION(FXS1) GROUP(FX) PROGRAM(FXS1)\n\
         DEFINE PIPELINE(FXREQ) GROUP(FX) CONFIGFILE(/fx/basicsoap11requester.xml) RESPWAIT(30)\n\
         DEFINE WEBSERVICE(FXASK) GROUP(FX) PIPELINE(FXREQ) WSBIND(/fx/FXASK.wsbind)\n\
         DEFINE URIMAP(FXOUT) GROUP(FX) USAGE(CLIENT) SCHEME({scheme}) PATH(/fx/quote)\n\
                HOST({SERVER}:{SERVER_PORT})\n\
         DEFINE TRANSACTION(FXC1) GROUP(FX) PROGRAM(FXC1)\n\
         DEFINE URIMAP(FXS2) GROUP(FX) PATH(/fx/support) PROGRAM(FXS2) TRANSACTION(FXS2)\n\
         DEFINE TRANSACTION(FXS2) GROUP(FX) PROGRAM(FXS2)\n\
         DEFINE URIMAP(FXOUT2) GROUP(FX) USAGE(CLIENT) SCHEME({scheme}) PATH(/fx/support)\n\
                HOST({SERVER}:{SERVER_PORT})\n\
         DEFINE TRANSACTION(FXC2) GROUP(FX) PROGRAM(FXC2)\n\
         DEFINE URIMAP(FXGO) GROUP(FX) PATH(/fx/go) PROGRAM(FXGO)\n\
         DEFINE URIMAP(FXTOLD) GROUP(FX) PATH(/fx/result) PROGRAM(FXTOLD)\n"
    );
    let mut settings = format!(
        "[region]\napplid = \"FXREGION\"\nmonitoring = \"records.jsonl\"\n\
         [web]\nconnect = [\"{SERVER}\"]\n"
    );
    let mut made = ServedApplication::default().definitions(&definitions);
    for (name, source) in PROGRAMS {
        made = made.program(name, source);
    }
    for (path, text) in FILES {
        made = made.file(path, text);
    }
    if transport == ClientTransport::Tls {
        settings += "authorities = \"tls/server.pem\"\n[web.certificates.LAB]\n\
                     certificate = \"tls/server.pem\"\nkey = \"tls/server.key\"\n";
        let failed = |error: rcgen::Error| LabError::Failed(format!("a certificate: {error}"));
        // The client asks at the relay's address.
        let signed =
            rcgen::generate_simple_self_signed(vec![SERVER.to_string()]).map_err(failed)?;
        made = made
            .file("tls/server.pem", signed.cert.pem())
            .file("tls/server.key", signed.signing_key.serialize_pem());
    }
    Ok(made.settings(&settings))
}
