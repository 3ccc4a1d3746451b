//! WEB EXTRACT, EXTRACT TCPIP and EXTRACT CERTIFICATE: what is known of the
//! request and of its connection.
//!
//! Reference: CICS API reference, WEB EXTRACT, EXTRACT TCPIP, EXTRACT
//! CERTIFICATE.

use std::net::IpAddr;

use cics::command::commands::{extract_certificate, extract_tcpip, web_extract as row};
use cics::csd::{ServiceAuthentication, SslUse, TcpIpServiceDef};
use cics::resp::Condition;
use http::Version;
use link::Operands;

use super::parse::host_type;
use super::{Filled, Outcome, cvda, fail};
use crate::task::ServerSide;

/// WEB EXTRACT and EXTRACT WEB, whose options have the same indexes but for
/// the first.
pub fn request(server: &ServerSide, given: &Operands) -> Outcome {
    let request = &server.request;
    let uri = &request.parts.uri;
    let mut filled = Filled::default();
    filled.int(
        row::SCHEME,
        cvda(if request.secure { "HTTPS" } else { "HTTP" }),
    );
    let host = request.host();
    let name = host.rsplit_once(':').map_or(host, |(name, port)| {
        match port.bytes().all(|b| b.is_ascii_digit()) {
            true => name,
            false => host,
        }
    });
    let name = name.trim_start_matches('[').trim_end_matches(']');
    filled.area(given, (row::HOST, row::HOSTLENGTH), name.as_bytes(), 5)?;
    filled.int(row::HOSTTYPE, host_type(name));
    let method = request.parts.method.as_str().as_bytes();
    filled.area(given, (row::HTTPMETHOD, row::METHODLENGTH), method, 5)?;
    let version = version(request.parts.version);
    filled.area(given, (row::HTTPVERSION, row::VERSIONLEN), version, 5)?;
    let path = uri.path().as_bytes();
    filled.area(given, (row::PATH, row::PATHLENGTH), path, 5)?;
    filled.int(row::PORTNUMBER, i64::from(request.server.port()));
    let query = uri.query().unwrap_or_default().as_bytes();
    filled.area(given, (row::QUERYSTRING, row::QUERYSTRLEN), query, 5)?;
    filled.int(row::REQUESTTYPE, cvda("HTTPYES"));
    filled.chars(row::URIMAP, server.map.as_bytes());
    filled.done()
}

fn version(version: Version) -> &'static [u8] {
    match version {
        Version::HTTP_10 => b"HTTP/1.0",
        Version::HTTP_2 => b"HTTP/2.0",
        _ => b"HTTP/1.1",
    }
}

/// EXTRACT TCPIP.
pub fn connection(server: &ServerSide, service: &TcpIpServiceDef, given: &Operands) -> Outcome {
    use extract_tcpip as row;
    let request = &server.request;
    let (client, own) = (request.client.ip(), request.server.ip());
    let mut filled = Filled::default();
    let authenticate = match service.authenticate {
        ServiceAuthentication::No => "NOAUTHENTIC",
        ServiceAuthentication::Basic => "BASICAUTH",
        ServiceAuthentication::Certificate => "CERTIFICAUTH",
        ServiceAuthentication::Automatic => "AUTOAUTH",
    };
    filled.int(row::AUTHENTICATE, cvda(authenticate));
    // No name server is asked here: addresses stand for names.
    let areas = [
        ((row::CLIENTNAME, row::CNAMELENGTH), client, 1),
        ((row::SERVERNAME, row::SNAMELENGTH), own, 2),
        ((row::CLIENTADDR, row::CADDRLENGTH), client, 3),
        ((row::SERVERADDR, row::SADDRLENGTH), own, 4),
    ];
    for (area, address, short) in areas {
        let text = address.to_string();
        filled.area(given, area, text.as_bytes(), short)?;
    }
    let sides = [
        (
            row::CLNTIPFAMILY,
            row::CLIENTADDRNU,
            row::CLNTADDR6NU,
            client,
        ),
        (row::SRVRIPFAMILY, row::SERVERADDRNU, row::SRVRADDR6NU, own),
    ];
    for (family, number, wide, address) in sides {
        match address {
            IpAddr::V4(v4) => {
                filled.int(family, cvda("IPV4"));
                filled.int(number, i64::from(u32::from(v4) as i32));
                filled.chars(wide, &v4.to_ipv6_mapped().octets());
            }
            IpAddr::V6(v6) => {
                filled.int(family, cvda("IPV6"));
                filled.int(number, 0);
                filled.chars(wide, &v6.octets());
            }
        }
    }
    let ssl = match service.ssl {
        SslUse::No => "NOSSL",
        SslUse::Yes => "SSL",
        SslUse::ClientAuth => "CLIENTAUTH",
    };
    filled.int(row::SSLTYPE, cvda(ssl));
    filled.chars(row::TCPIPSERVICE, service.name.as_bytes());
    let port = request.server.port();
    filled.chars(row::PORTNUMBER, format!("{port:05}").as_bytes());
    filled.int(row::PORTNUMNU, i64::from(port));
    filled.int(
        row::PRIVACY,
        cvda(if request.secure {
            "REQUIRED"
        } else {
            "NOTSUPPORTED"
        }),
    );
    filled.int(row::MAXDATALEN, (service.max_data_bytes >> 10) as i64);
    filled.done()
}

/// EXTRACT CERTIFICATE.
pub fn certificate(server: &ServerSide, given: &Operands, user: &[u8]) -> Outcome {
    use extract_certificate as row;
    let Some(shown) = &server.request.certificate else {
        return fail(Condition::InvReq, 0);
    };
    let Some(read) = tls::Certificate::parse(shown) else {
        return fail(Condition::InvReq, 0);
    };
    let name = match given.has(row::ISSUER) {
        true => &read.issuer,
        false => &read.subject,
    };
    let mut filled = Filled::default();
    let mut area = |(option, length): (u8, u8), data: &[u8]| {
        filled.chars(option, data);
        filled.int(length, data.len() as i64);
    };
    area((row::CERTIFICATE, row::LENGTH), shown);
    area((row::SERIALNUM, row::SERIALNUMLEN), &read.serial);
    area(
        (row::COMMONNAME, row::COMMONNAMLEN),
        name.common_name.as_bytes(),
    );
    area((row::COUNTRY, row::COUNTRYLEN), name.country.as_bytes());
    area((row::STATE, row::STATELEN), name.state.as_bytes());
    area((row::LOCALITY, row::LOCALITYLEN), name.locality.as_bytes());
    area(
        (row::ORGANIZATION, row::ORGANIZATLEN),
        name.organization.as_bytes(),
    );
    area((row::ORGUNIT, row::ORGUNITLEN), name.unit.as_bytes());
    filled.chars(row::USERID, user);
    filled.done()
}
