//! INQUIRE URIMAP: one definition by its name, or all of them one by one; SET
//! URIMAP.
//!
//! A browse goes by names in their order, so a reload in its midst neither ends
//! it nor tells a definition twice.
//!
//! What SET URIMAP has changed holds until the definition itself changes. Its
//! RESP2 values could not be compared with the manual but for NOTFND.
//!
//! Reference: CICS system programming reference, INQUIRE URIMAP, SET URIMAP,
//! "Browsing resource definitions".

use std::net::IpAddr;

use cics::command::Argument;
use cics::command::commands::{inquire_urimap as row, set_urimap as set_row};
use cics::csd::{UriMapAnswer, UriMapDef, UriMapUsage};
use cics::resp::Condition;
use link::Operands;

use super::{Failure, Filled, Outcome, cvda, fail, says, text};
use crate::maps::{Change, Maps, Named, Place};
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
            Some(named) => told(named, given, Filled::default()),
            None => fail(Condition::NotFnd, 1),
        };
    }
    let Some(place) = browse else {
        return fail(Condition::Illogic, 1);
    };
    let Some(named) = maps.next(place) else {
        return fail(Condition::End, 2);
    };
    *place = Place::Behind(named.def.name.clone());
    let mut filled = Filled::default();
    filled.chars(row::URIMAP, format!("{:<8}", named.def.name).as_bytes());
    told(named, given, filled)
}

/// RESP2 of SET URIMAP.
mod resp2 {
    /// NOTFND: there is no such map.
    pub const NO_MAP: u32 = 3;
    /// INVREQ: ENABLESTATUS has another value.
    pub const STATUS: u32 = 1;
    /// INVREQ: REDIRECTTYPE has another value.
    pub const REDIRECT: u32 = 2;
    /// INVREQ: LOCATION is no whole URL.
    pub const LOCATION: u32 = 3;
    /// INVREQ: requests are to go elsewhere, and nothing says where.
    pub const NOWHERE: u32 = 4;
    /// INVREQ: requests of a map with USAGE(CLIENT) cannot go elsewhere.
    pub const CLIENT: u32 = 5;
}

/// SET URIMAP: the maps as they are then.
pub fn set(maps: &Maps, given: &Operands) -> Result<Maps, Failure> {
    let name = text(given, set_row::URIMAP).unwrap_or_default();
    let Some(named) = maps.named(&name) else {
        return fail(Condition::NotFnd, resp2::NO_MAP);
    };
    let status = |flag, name| says(given, flag, set_row::ENABLESTATUS, name);
    let redirect = |flag, name| says(given, flag, set_row::REDIRECTTYPE, name);
    let enabled = match (
        status(set_row::ENABLED, "ENABLED"),
        status(set_row::DISABLED, "DISABLED"),
    ) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ if given.has(set_row::ENABLESTATUS) => {
            return fail(Condition::InvReq, resp2::STATUS);
        }
        _ => None,
    };
    let redirect = match (
        redirect(set_row::NONE, "NONE"),
        redirect(set_row::PERMANENT, "PERMANENT"),
        redirect(set_row::TEMPORARY, "TEMPORARY"),
    ) {
        (true, ..) => Some(None),
        (_, true, _) => Some(Some(true)),
        (.., true) => Some(Some(false)),
        _ if given.has(set_row::REDIRECTTYPE) => {
            return fail(Condition::InvReq, resp2::REDIRECT);
        }
        _ => None,
    };
    // It is not looked at when requests go nowhere else.
    let location = text(given, set_row::LOCATION).filter(|_| redirect != Some(None));
    if let Some(location) = &location
        && (super::parse::url(location).is_none() || http::HeaderValue::from_str(location).is_err())
    {
        return fail(Condition::InvReq, resp2::LOCATION);
    }
    let change = Change {
        enabled,
        redirect,
        location,
    };
    let elsewhere = matches!(change.redirect, Some(Some(_)));
    if elsewhere && named.defined.usage == UriMapUsage::Client {
        return fail(Condition::InvReq, resp2::CLIENT);
    }
    let known = change.location.is_some()
        || named.change.location.is_some()
        || !characters(&named.def, row::LOCATION).is_empty()
        || !characters(&named.defined, row::LOCATION).is_empty();
    if elsewhere && !known {
        return fail(Condition::InvReq, resp2::NOWHERE);
    }
    match maps.changed(&name, change) {
        Some(maps) => Ok(maps),
        None => fail(Condition::NotFnd, resp2::NO_MAP),
    }
}

/// What the program asks for of a definition, by the kind of each option.
fn told(named: &Named, given: &Operands, mut filled: Filled) -> Outcome {
    for (index, option) in (0..).zip(row::ROW.options) {
        if !given.has(index) {
            continue;
        }
        // What SET has changed, and the rest as it is defined.
        let def = match index {
            row::LOCATION | row::REDIRECTTYPE | row::ENABLESTATUS => &named.def,
            _ => &named.defined,
        };
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

    fn sets(name: &str, options: &[u8]) -> Operands {
        let bits = options.iter().fold(0, |bits, option| bits | 1 << option);
        Operands::new(bits | 1 << set_row::URIMAP).bytes(set_row::URIMAP, name.as_bytes().to_vec())
    }

    #[test]
    fn set_disables_sends_elsewhere_and_takes_that_back() {
        let before = maps();
        let find = |maps: &Maps| maps.find("S", false, "h", "/b/x").cloned().unwrap();
        let off = set(&before, &sets("B", &[set_row::DISABLED])).unwrap();
        assert!(!find(&off).enabled && find(&before).enabled);
        let there = "http://h.example/there";
        let given = sets(
            "B",
            &[set_row::TEMPORARY, set_row::LOCATION, set_row::ENABLED],
        );
        let moved = set(
            &off,
            &given.bytes(set_row::LOCATION, there.as_bytes().to_vec()),
        )
        .unwrap();
        let UriMapUsage::Server { answer, .. } = find(&moved).usage else {
            panic!("a server's")
        };
        let location = there.to_owned();
        let permanent = false;
        assert_eq!(
            answer,
            UriMapAnswer::Redirect {
                permanent,
                location
            }
        );
        assert!(find(&moved).enabled);
        // INQUIRE tells of both, and of the program behind it.
        let asked = asks(&[row::LOCATION, row::REDIRECTTYPE, row::PROGRAM, row::USAGE]);
        let asked = asked.bytes(row::URIMAP, b"B".to_vec());
        let told = urimap(&moved, &mut None, &asked).unwrap();
        assert_eq!(text(&told, row::LOCATION).as_deref(), Some(there));
        assert_eq!(text(&told, row::PROGRAM).as_deref(), Some("P"));
        assert_eq!(told.get_int(row::REDIRECTTYPE), Some(cvda("TEMPORARY")));
        // A reload keeps it while the definition is the same.
        let again = maps().with_changes_of(&moved);
        assert_eq!(find(&again), find(&moved));
        let back = set(&again, &sets("B", &[set_row::NONE])).unwrap();
        assert_eq!(find(&back), find(&before));
    }

    #[test]
    fn what_set_cannot_do_is_a_condition_of_its_own() {
        let maps = maps();
        let refused = |given: &Operands| {
            let refused = set(&maps, given).unwrap_err();
            (refused.condition, refused.resp2)
        };
        let inv_req = |resp2| (Condition::InvReq, resp2);
        let not_there = sets("NONE", &[set_row::ENABLED]);
        assert_eq!(refused(&not_there), (Condition::NotFnd, resp2::NO_MAP));
        let with =
            |name: &str, option: u8, value: &str| sets(name, &[option]).int(option, cvda(value));
        let wrong = with("B", set_row::ENABLESTATUS, "OPEN");
        assert_eq!(refused(&wrong), inv_req(resp2::STATUS));
        let wrong = with("B", set_row::REDIRECTTYPE, "OPEN");
        assert_eq!(refused(&wrong), inv_req(resp2::REDIRECT));
        let nowhere = with("B", set_row::REDIRECTTYPE, "PERMANENT");
        assert_eq!(refused(&nowhere), inv_req(resp2::NOWHERE));
        let part = sets("B", &[set_row::LOCATION]).bytes(set_row::LOCATION, b"/there".to_vec());
        assert_eq!(refused(&part), inv_req(resp2::LOCATION));
        let client = sets("C", &[set_row::PERMANENT, set_row::LOCATION]);
        let client = client.bytes(set_row::LOCATION, b"http://h/".to_vec());
        assert_eq!(refused(&client), inv_req(resp2::CLIENT));
        // A map that sends elsewhere by its definition has nothing without it.
        let none = set(&maps, &sets("A", &[set_row::NONE])).unwrap();
        let def = none.find("S", false, "h", "/a").unwrap();
        assert!(matches!(
            &def.usage,
            UriMapUsage::Server {
                answer: UriMapAnswer::Program { program: None, .. },
                ..
            }
        ));
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
