//! INQUIRE URIMAP: one definition by its name, or all of them one by one.
//!
//! A browse goes by names in their order, so a reload in its midst neither ends
//! it nor tells a definition twice.
//!
//! Reference: CICS system programming reference, INQUIRE URIMAP, "Browsing
//! resource definitions".

use std::net::IpAddr;

use cics::command::Argument;
use cics::command::commands::inquire_urimap as row;
use cics::csd::{UriMapAnswer, UriMapDef, UriMapUsage};
use cics::resp::Condition;
use link::Operands;

use super::{Filled, Outcome, cvda, fail, text};
use crate::maps::{Maps, Place};
use crate::service::{ALIAS, PIPELINE};

/// INQUIRE URIMAP; `browse` is where the task's browse goes on, none without
/// one.
pub fn urimap(maps: &Maps, browse: &mut Option<Place>, given: &Operands) -> Outcome {
    match (given.has(row::START), given.has(row::END), &browse) {
        (true, _, Some(_)) | (_, true, None) => return fail(Condition::Illogic, 1),
        (true, ..) => {
            *browse = Some(Place::At(text(given, row::AT).unwrap_or_default()));
            return Ok(Operands::default());
        }
        (_, true, _) => {
            *browse = None;
            return Ok(Operands::default());
        }
        _ => {}
    }
    if !given.has(row::NEXT) {
        let name = text(given, row::URIMAP).unwrap_or_default();
        return match maps.named(&name) {
            Some(def) => told(def, given, Filled::default()),
            None => fail(Condition::NotFnd, 1),
        };
    }
    let Some(place) = browse else {
        return fail(Condition::Illogic, 1);
    };
    let Some(def) = maps.next(place) else {
        return fail(Condition::End, 2);
    };
    *place = Place::Behind(def.name.clone());
    let mut filled = Filled::default();
    filled.chars(row::URIMAP, format!("{:<8}", def.name).as_bytes());
    told(def, given, filled)
}

/// What the program asks for of a definition, by the kind of each option.
fn told(def: &UriMapDef, given: &Operands, mut filled: Filled) -> Outcome {
    for (index, option) in (0..).zip(row::ROW.options) {
        if !given.has(index) {
            continue;
        }
        match option.argument {
            Argument::Chars(bytes) => {
                let mut data = characters(def, index).as_bytes().to_vec();
                data.resize(usize::from(bytes), b' ');
                filled.chars(index, &data);
            }
            Argument::Cvda => filled.int(index, cvda(value(def, index))),
            Argument::Fullword => filled.int(index, number(def, index)),
            // What there is nothing of here.
            Argument::Any => return fail(Condition::InvReq, 1),
            _ => {}
        }
    }
    filled.done()
}

/// The characters of an option; none for what its definition does not have.
fn characters(def: &UriMapDef, option: u8) -> &str {
    match option {
        row::CERTIFICATE => return or_none(&def.certificate),
        row::CHARACTERSET => return &def.character_set,
        row::HOST => return &def.host,
        row::HOSTCODEPAGE => return &def.host_code_page,
        row::MEDIATYPE => return &def.media_type,
        row::PATH => return &def.path,
        row::USERID => return or_none(&def.user_id),
        _ => {}
    }
    match &def.usage {
        UriMapUsage::Client => "",
        UriMapUsage::Pipeline {
            service,
            pipeline,
            web_service,
            transaction,
        } => match option {
            row::TCPIPSERVICE => or_none(service),
            row::PIPELINE => pipeline,
            row::WEBSERVICE => or_none(web_service),
            row::TRANSACTION => transaction.as_deref().unwrap_or(PIPELINE),
            _ => "",
        },
        UriMapUsage::Server { service, answer } => match (option, answer) {
            (row::TCPIPSERVICE, _) => or_none(service),
            (row::HFSFILE, UriMapAnswer::File(file)) => file,
            (row::TEMPLATENAME, UriMapAnswer::Template(template)) => template,
            (row::LOCATION, UriMapAnswer::Redirect { location, .. }) => location,
            (row::PROGRAM, UriMapAnswer::Program { program, .. }) => or_none(program),
            (row::CONVERTER, UriMapAnswer::Program { converter, .. }) => or_none(converter),
            (row::TRANSACTION, UriMapAnswer::Program { transaction, .. }) => {
                transaction.as_deref().unwrap_or(ALIAS)
            }
            _ => "",
        },
    }
}

fn or_none(text: &Option<String>) -> &str {
    text.as_deref().unwrap_or("")
}

/// The name of the value of an option with a CVDA.
fn value(def: &UriMapDef, option: u8) -> &'static str {
    let address = def.host.parse::<IpAddr>().ok();
    match (option, &def.usage) {
        (
            row::ANALYZERSTAT,
            UriMapUsage::Server {
                answer: UriMapAnswer::Program { analyzer: true, .. },
                ..
            },
        ) => "ANALYZER",
        (row::ANALYZERSTAT, _) => "NOANALYZER",
        (row::AUTHENTICATE, _) if def.basic => "BASICAUTH",
        (row::AUTHENTICATE, _) => "NOAUTHENTIC",
        (row::AVAILSTATUS, _) => "NOTAPPLIC",
        (row::ENABLESTATUS, _) if def.enabled => "ENABLED",
        (row::ENABLESTATUS, _) => "DISABLED",
        (row::HOSTTYPE | row::IPFAMILY, UriMapUsage::Client) => match (address, option) {
            (Some(IpAddr::V4(_)), _) => "IPV4",
            (Some(IpAddr::V6(_)), _) => "IPV6",
            (None, row::HOSTTYPE) => "HOSTNAME",
            (None, _) => "UNKNOWN",
        },
        (row::HOSTTYPE, _) => "NOTAPPLIC",
        (row::IPFAMILY, _) => "UNKNOWN",
        (
            row::REDIRECTTYPE,
            UriMapUsage::Server {
                answer: UriMapAnswer::Redirect { permanent, .. },
                ..
            },
        ) => match permanent {
            true => "PERMANENT",
            false => "TEMPORARY",
        },
        (row::REDIRECTTYPE, _) => "NONE",
        (row::SCHEME, _) if def.secure => "HTTPS",
        (row::SCHEME, _) => "HTTP",
        // USAGE.
        (_, UriMapUsage::Server { .. }) => "SERVER",
        (_, UriMapUsage::Client) => "CLIENT",
        (_, UriMapUsage::Pipeline { .. }) => "PIPELINE",
    }
}

/// PORT, and SOCKETCLOSE in seconds.
fn number(def: &UriMapDef, option: u8) -> i64 {
    let port = def.port.unwrap_or(if def.secure { 443 } else { 80 });
    match option {
        row::PORT => i64::from(port),
        _ => i64::from(def.socket_close_s),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn maps() -> Maps {
        let csd = cics::csd::parse(
            "DEFINE URIMAP(B) GROUP(G) PATH(/b/*) PROGRAM(P) TRANSACTION(TB) ANALYZER(YES)\n\
             DEFINE URIMAP(A) GROUP(G) PATH(/a) LOCATION(/b) REDIRECTTYPE(PERMANENT)\n\
             DEFINE URIMAP(C) GROUP(G) PATH(/c) USAGE(CLIENT) HOST(127.0.0.1) SCHEME(HTTPS)\n",
        );
        assert!(!csd.has_errors(), "{:?}", csd.diagnostics);
        Maps::new(&csd.urimaps)
    }

    fn asks(options: &[u8]) -> Operands {
        Operands::new(options.iter().fold(0, |bits, option| bits | 1 << option))
    }

    #[test]
    fn a_browse_tells_every_map_once_in_the_order_of_names() {
        let (maps, mut browse) = (maps(), None);
        let next = asks(&[row::NEXT, row::PATH]);
        let early = urimap(&maps, &mut browse, &next).unwrap_err();
        assert_eq!((early.condition, early.resp2), (Condition::Illogic, 1));
        urimap(&maps, &mut browse, &asks(&[row::START])).unwrap();
        let twice = urimap(&maps, &mut browse, &asks(&[row::START])).unwrap_err();
        assert_eq!((twice.condition, twice.resp2), (Condition::Illogic, 1));
        for (name, path) in [("A", "/a"), ("B", "/b/*"), ("C", "/c")] {
            let told = urimap(&maps, &mut browse, &next).unwrap();
            assert_eq!(text(&told, row::URIMAP).as_deref(), Some(name));
            assert_eq!(text(&told, row::PATH).as_deref(), Some(path));
            assert_eq!(told.get_bytes(row::PATH).map(<[u8]>::len), Some(255));
        }
        let end = urimap(&maps, &mut browse, &next).unwrap_err();
        assert_eq!((end.condition, end.resp2), (Condition::End, 2));
        urimap(&maps, &mut browse, &asks(&[row::END])).unwrap();
        assert!(urimap(&maps, &mut browse, &asks(&[row::END])).is_err());
    }

    #[test]
    fn one_map_is_told_by_its_name() {
        let (maps, mut browse) = (maps(), None);
        let asked = asks(&[row::USAGE, row::SCHEME, row::PORT, row::HOSTTYPE]);
        let of = |name: &str| asked.clone().bytes(row::URIMAP, name.as_bytes().to_vec());
        let told = urimap(&maps, &mut browse, &of("C       ")).unwrap();
        assert_eq!(told.get_int(row::USAGE), Some(cvda("CLIENT")));
        assert_eq!(told.get_int(row::SCHEME), Some(cvda("HTTPS")));
        assert_eq!(told.get_int(row::HOSTTYPE), Some(cvda("IPV4")));
        assert_eq!(told.get_int(row::PORT), Some(443));
        let none = urimap(&maps, &mut browse, &of("D")).unwrap_err();
        assert_eq!((none.condition, none.resp2), (Condition::NotFnd, 1));
        let change = asks(&[row::CHANGETIME]).bytes(row::URIMAP, b"C".to_vec());
        assert_eq!(
            urimap(&maps, &mut browse, &change).unwrap_err().condition,
            Condition::InvReq
        );
    }
}
