//! Certificates of both sides: a TCPIPSERVICE with SSL(CLIENTAUTH), programs that
//! read the client's certificate, and programs that send one.

use std::fs;
use std::path::Path;

use rcgen::{DnType, SerialNumber};

use crate::authority::TestAuthority;
use crate::web::{Region, client_of};

/// Certificates for the server and for a client, who is Ann of Tupelo.
fn certificates(folder: &Path, authority: &TestAuthority) {
    let put = |name: &str, text: String| fs::write(folder.join(name), text).unwrap();
    let (certificate, key) = authority.sign();
    put("server.pem", certificate.pem());
    put("server.key", key.serialize_pem());
    put("authority.pem", authority.pem.clone());
    let (certificate, key) = authority.sign_for("ann", |params| {
        let name = &mut params.distinguished_name;
        name.push(DnType::CommonName, "Ann");
        name.push(DnType::OrganizationName, "Tupelo");
        name.push(DnType::CountryName, "GB");
        params.serial_number = Some(SerialNumber::from(vec![b'4', b'2']));
    });
    put("ann.pem", certificate.pem());
    put("ann.key", key.serialize_pem());
}

/// The region with a service that requests certificates, according to `attributes`.
fn region(attributes: &str) -> Region {
    let authority = TestAuthority::new();
    Region::with(|folder| {
        certificates(folder, &authority);
        let csd = folder.join("resources.csd");
        let service = format!(
            "DEFINE TCPIPSERVICE(SAFE) GROUP(WEB) PORTNUMBER(0) CERTIFICATE(OURS) {attributes}\n"
        );
        let text = fs::read_to_string(&csd).unwrap();
        fs::write(csd, text + &service).unwrap();
        let settings = folder.join("tupelo.toml");
        let text = fs::read_to_string(&settings).unwrap();
        let more = "[web]\nauthorities = \"authority.pem\"\n\
             [web.certificates.OURS]\ncertificate = \"server.pem\"\nkey = \"server.key\"\n\
             clients = \"authority.pem\"\n\
             [web.certificates.MINE]\ncertificate = \"ann.pem\"\nkey = \"ann.key\"\n";
        fs::write(settings, text + more).unwrap();
    })
}

#[test]
fn a_client_shows_its_certificate_and_the_program_reads_it() {
    let region = region("SSL(CLIENTAUTH)");
    let lines = client_of(&region, "SAFE", "SHOW");
    assert_eq!(
        lines,
        [
            "WITH          0 CLIENTAUTH shown Ann/Tupelo/GB 42 CICSUSER by rcgen self signed",
            "WITHOUT       0 CLIENTAUTH none DFHWBA",
        ]
    );
}

#[test]
fn a_client_without_a_certificate_is_refused_where_one_is_required() {
    let region = region("SSL(CLIENTAUTH) AUTHENTICATE(CERTIFICATE)");
    let lines = client_of(&region, "SAFE", "SHOW");
    assert!(
        lines[0].contains("CLIENTAUTH shown Ann/Tupelo/GB"),
        "{lines:?}"
    );
    // IOERR: the handshake, or the first request, does not come to an end.
    assert_eq!(lines[1], "WITHOUT      17");
}
