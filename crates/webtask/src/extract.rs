//! WEB EXTRACT: data about the request.
//!
//! Reference: CICS API reference, WEB EXTRACT.

use cics::command::commands::web_extract as row;
use http::Version;
use link::CommandOperands;

use crate::outcome::{OutputAreas, WebCommandResult, cvda};
use crate::request::Request;

/// WEB EXTRACT and EXTRACT WEB, whose options have the same indexes except the
/// first.
pub fn request(request: &Request, given: &CommandOperands) -> WebCommandResult {
    let mut filled = OutputAreas::default();
    filled.int(
        row::SCHEME,
        cvda(if request.secure { "HTTPS" } else { "HTTP" }),
    );
    let host = &*request.host;
    let name = host.rsplit_once(':').map_or(host, |(name, port)| {
        if port.bytes().all(|b| b.is_ascii_digit()) {
            name
        } else {
            host
        }
    });
    let name = name.trim_start_matches('[').trim_end_matches(']');
    filled.area(given, (row::HOST, row::HOSTLENGTH), name.as_bytes(), 5)?;
    filled.int(row::HOSTTYPE, host_type(name));
    let method = request.method.as_bytes();
    filled.area(given, (row::HTTPMETHOD, row::METHODLENGTH), method, 5)?;
    let version = version(request.version);
    filled.area(given, (row::HTTPVERSION, row::VERSIONLEN), version, 5)?;
    let path = request.path.as_bytes();
    filled.area(given, (row::PATH, row::PATHLENGTH), path, 5)?;
    filled.int(row::PORTNUMBER, i64::from(request.port));
    let query = request.query.as_bytes();
    filled.area(given, (row::QUERYSTRING, row::QUERYSTRLEN), query, 5)?;
    filled.int(row::REQUESTTYPE, cvda("HTTPYES"));
    filled.chars(row::URIMAP, request.map.as_bytes());
    filled.done()
}

fn version(version: Version) -> &'static [u8] {
    match version {
        Version::HTTP_10 => b"HTTP/1.0",
        Version::HTTP_2 => b"HTTP/2.0",
        _ => b"HTTP/1.1",
    }
}

/// The CVDA of a host: a name or an address.
pub fn host_type(host: &str) -> i64 {
    match host.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V4(_)) => cvda("IPV4"),
        Ok(std::net::IpAddr::V6(_)) => cvda("IPV6"),
        Err(_) => cvda("HOSTNAME"),
    }
}
