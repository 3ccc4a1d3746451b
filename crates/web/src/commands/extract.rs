//! EXTRACT TCPIP and EXTRACT CERTIFICATE: data about the connection of a
//! request.
//!
//! Reference: CICS API reference, EXTRACT TCPIP, EXTRACT CERTIFICATE.

use std::net::IpAddr;

use cics::command::commands::{extract_certificate, extract_tcpip};
use cics::csd::{ServiceAuthentication, SslUse, TcpIpServiceDef};
use cics::resp::Condition;
use link::CommandOperands;

use super::{OutputAreas, WebCommandResult, cvda, fail};
use crate::task::ServerSide;

/// EXTRACT TCPIP.
pub fn connection(
    server: &ServerSide,
    service: &TcpIpServiceDef,
    given: &CommandOperands,
) -> WebCommandResult {
    use extract_tcpip as row;
    let request = &server.request;
    let (client, own) = (request.client.ip(), request.server.ip());
    let mut filled = OutputAreas::default();
    let authenticate = match service.authenticate {
        ServiceAuthentication::No => "NOAUTHENTIC",
        ServiceAuthentication::Basic => "BASICAUTH",
        ServiceAuthentication::Certificate => "CERTIFICAUTH",
        ServiceAuthentication::Automatic => "AUTOAUTH",
    };
    filled.int(row::AUTHENTICATE, cvda(authenticate));
    // No name server is asked: addresses are returned in place of names.
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

/// EXTRACT CERTIFICATE. Where no certificate was shown, addresses and lengths
/// are zero.
pub fn certificate(server: &ServerSide, given: &CommandOperands, user: &[u8]) -> WebCommandResult {
    use extract_certificate as row;
    let shown = server.request.certificate.as_deref().unwrap_or_default();
    let read = match tls::Certificate::parse(shown) {
        Some(read) => read,
        None if shown.is_empty() => tls::Certificate::default(),
        None => return fail(Condition::InvReq, 0),
    };
    let name = if given.has(row::ISSUER) {
        &read.issuer
    } else {
        &read.subject
    };
    let mut filled = OutputAreas::default();
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
