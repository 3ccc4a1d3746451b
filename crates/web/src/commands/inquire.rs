//! INQUIRE URIMAP: one definition by its name, or all of them one by one; SET,
//! CREATE and DISCARD URIMAP. The parts that other definitions share are here, too.
//!
//! A browse goes through the names in order, so a reload during a browse
//! neither ends it nor returns a definition twice.
//!
//! A change by SET URIMAP is in effect until the definition itself changes. Its
//! RESP2 values, except for NOTFND, could not be compared with the manual.
//!
//! Reference: CICS system programming reference, INQUIRE URIMAP, SET URIMAP,
//! "Browsing resource definitions".

use std::collections::HashMap;
use std::net::IpAddr;

use cics::command::commands::{
    create_urimap, discard_urimap, inquire_urimap as row, set_urimap as set_row,
};
use cics::command::{Command, DataDirection, OptionArgument};
use cics::csd::{self, UriMapAnswer, UriMapDef, UriMapUsage};
use cics::resp::Condition;
use link::CommandOperands;

use super::{CommandFailure, OutputAreas, WebCommandResult, cvda, fail, is_selected, text};
use crate::maps::{InstalledUriMap, UriMapChange, UriMaps};
use crate::service::{ALIAS, PIPELINE, WebDefinitions};

/// The positions of a task's browses of definitions, by the number of their command.
pub type BrowsePositions = HashMap<u16, InquirePosition>;

/// The position of a browse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InquirePosition {
    /// At this name, or the next one if it is not defined.
    At(String),
    /// The name after this one.
    After(String),
}

/// The request of an INQUIRE that can be a browse.
pub enum InquireRequest {
    /// START or END: it is done.
    Done,
    /// One definition, by its name.
    Named(String),
    /// The first of a browse from there on.
    Next(InquirePosition),
}

/// The options of an INQUIRE that can be a browse, as its row has them.
const RESOURCE: u8 = 0;
const START: u8 = 1;
const NEXT: u8 = 2;
const END: u8 = 3;
const AT: u8 = 4;

/// The request of a command with this number, in a task with these browses.
pub fn inquire_request(
    browses: &mut BrowsePositions,
    number: u16,
    given: &CommandOperands,
) -> Result<InquireRequest, CommandFailure> {
    let begun = browses.contains_key(&number);
    if given.has(START) {
        if begun {
            return fail(Condition::Illogic, 1);
        }
        let at = InquirePosition::At(text(given, AT).unwrap_or_default());
        browses.insert(number, at);
        return Ok(InquireRequest::Done);
    }
    if given.has(END) {
        return match browses.remove(&number) {
            Some(_) => Ok(InquireRequest::Done),
            None => fail(Condition::Illogic, 1),
        };
    }
    if !given.has(NEXT) {
        return Ok(InquireRequest::Named(
            text(given, RESOURCE).unwrap_or_default(),
        ));
    }
    match browses.get(&number) {
        Some(place) => Ok(InquireRequest::Next(place.clone())),
        None => fail(Condition::Illogic, 1),
    }
}

/// Finds one of the definitions, which are given in the order of their names:
/// NOTFND 1 if the name is not defined, END 2 after the last. Fills in the name
/// of a browse.
pub fn found<'n, T>(
    browses: &mut BrowsePositions,
    number: u16,
    asked: &InquireRequest,
    all: impl IntoIterator<Item = (&'n str, T)>,
) -> Result<Option<(T, OutputAreas)>, CommandFailure> {
    let mut all = all.into_iter();
    let mut filled = OutputAreas::default();
    let one = match asked {
        InquireRequest::Done => return Ok(None),
        InquireRequest::Named(wanted) => match all.find(|(name, _)| name == wanted) {
            Some((_, one)) => one,
            None => return fail(Condition::NotFnd, 1),
        },
        InquireRequest::Next(place) => {
            let next = all.find(|(name, _)| match place {
                InquirePosition::At(at) => *name >= at.as_str(),
                InquirePosition::After(last) => *name > last.as_str(),
            });
            let Some((name, one)) = next else {
                return fail(Condition::End, 2);
            };
            browses.insert(number, InquirePosition::After(name.to_owned()));
            filled.chars(RESOURCE, name.as_bytes());
            one
        }
    };
    Ok(Some((one, filled)))
}

/// INQUIRE URIMAP.
pub fn urimap(
    maps: &UriMaps,
    browses: &mut BrowsePositions,
    given: &CommandOperands,
) -> WebCommandResult {
    let asked = inquire_request(browses, row::NUMBER, given)?;
    let all = maps
        .each()
        .map(|named| (named.defined.name.as_str(), named));
    match found(browses, row::NUMBER, &asked, all)? {
        None => Ok(CommandOperands::default()),
        Some((named, filled)) => reported(named, given, filled),
    }
}

/// CREATE URIMAP. The definition lasts until the definitions are read again.
pub fn create(
    before: &WebDefinitions,
    given: &CommandOperands,
) -> Result<WebDefinitions, CommandFailure> {
    use create_urimap as row;
    let way = given.get_int(row::LOGMESSAGE);
    if way.is_some_and(|way| way != cvda("LOG") && way != cvda("NOLOG")) {
        return fail(Condition::InvReq, 7);
    }
    if given.get_int(row::ATTRLEN).is_some_and(|n| n < 0) {
        return fail(Condition::LengErr, 1);
    }
    let name = text(given, row::URIMAP).unwrap_or_default();
    let attributes = given.get_bytes(row::ATTRIBUTES).unwrap_or_default();
    let attributes = String::from_utf8_lossy(attributes);
    let mut made = match csd::definition("URIMAP", &name, &attributes) {
        Ok(made) => made,
        Err(wrong) => {
            tracing::warn!("CREATE URIMAP({name}): {}", wrong.message);
            return fail(Condition::InvReq, wrong.resp2());
        }
    };
    let maps = made
        .urimaps
        .pop()
        .and_then(|def| before.maps.installed(def));
    match maps {
        Some(maps) => Ok(WebDefinitions {
            maps,
            ..before.clone()
        }),
        // One of that name is enabled.
        None => fail(Condition::InvReq, 0),
    }
}

/// DISCARD URIMAP.
pub fn discard(
    before: &WebDefinitions,
    given: &CommandOperands,
) -> Result<WebDefinitions, CommandFailure> {
    let name = text(given, discard_urimap::URIMAP).unwrap_or_default();
    match before.maps.named(&name) {
        None => fail(Condition::NotFnd, resp2::NO_MAP),
        Some(named) if named.def.enabled => fail(Condition::InvReq, resp2::ENABLED),
        Some(_) => Ok(WebDefinitions {
            maps: before.maps.without(&name),
            ..before.clone()
        }),
    }
}

/// RESP2 of SET and DISCARD URIMAP.
mod resp2 {
    /// NOTFND: there is no such map.
    pub const NO_MAP: u32 = 3;
    /// INVREQ of DISCARD: it is enabled.
    pub const ENABLED: u32 = 4;
    /// INVREQ: ENABLESTATUS has another value.
    pub const STATUS: u32 = 1;
    /// INVREQ: REDIRECTTYPE has another value.
    pub const REDIRECT: u32 = 2;
    /// INVREQ: LOCATION is not a whole URL.
    pub const LOCATION: u32 = 3;
    /// INVREQ: requests are to be redirected, and no target is given.
    pub const NOWHERE: u32 = 4;
    /// INVREQ: requests of a map with USAGE(CLIENT) cannot go elsewhere.
    pub const CLIENT: u32 = 5;
}

/// SET URIMAP.
pub fn set(
    before: &WebDefinitions,
    given: &CommandOperands,
) -> Result<WebDefinitions, CommandFailure> {
    Ok(WebDefinitions {
        maps: changed(&before.maps, given)?,
        ..before.clone()
    })
}

/// The new ENABLESTATUS of a SET, by the numbers of its options ENABLED,
/// DISABLED and ENABLESTATUS; INVREQ with this RESP2 for another value of the
/// last.
pub fn enabled(
    given: &CommandOperands,
    options: [u8; 3],
    resp2: u32,
) -> Result<Option<bool>, CommandFailure> {
    let [on, off, status] = options;
    if is_selected(given, on, status, "ENABLED") {
        Ok(Some(true))
    } else if is_selected(given, off, status, "DISABLED") {
        Ok(Some(false))
    } else if given.has(status) {
        fail(Condition::InvReq, resp2)
    } else {
        Ok(None)
    }
}

/// The maps as they are after SET URIMAP.
fn changed(maps: &UriMaps, given: &CommandOperands) -> Result<UriMaps, CommandFailure> {
    let name = text(given, set_row::URIMAP).unwrap_or_default();
    let Some(named) = maps.named(&name) else {
        return fail(Condition::NotFnd, resp2::NO_MAP);
    };
    let status = [set_row::ENABLED, set_row::DISABLED, set_row::ENABLESTATUS];
    let enabled = enabled(given, status, resp2::STATUS)?;
    let redirect = |flag, name| is_selected(given, flag, set_row::REDIRECTTYPE, name);
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
    // LOCATION is ignored when requests are not redirected.
    let location = text(given, set_row::LOCATION).filter(|_| redirect != Some(None));
    if let Some(location) = &location
        && (super::parse::url(location).is_none() || http::HeaderValue::from_str(location).is_err())
    {
        return fail(Condition::InvReq, resp2::LOCATION);
    }
    let change = UriMapChange {
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

/// A value that an option is answered with.
pub enum OptionValue {
    /// Characters, filled up with blanks.
    Text(String),
    /// A CVDA by its name.
    Cvda(&'static str),
    /// An integer.
    Number(i64),
    /// There is nothing of the kind here.
    Nothing,
}

/// Returns the options of a definition.
pub fn options(
    row: &Command,
    given: &CommandOperands,
    mut filled: OutputAreas,
    value: impl Fn(u8) -> OptionValue,
) -> WebCommandResult {
    for (index, option) in (0..).zip(row.options) {
        if !given.has(index) || option.direction != DataDirection::Out {
            continue;
        }
        if option.argument == OptionArgument::Any {
            return fail(Condition::InvReq, 1);
        }
        match (value(index), option.argument) {
            (OptionValue::Text(text), OptionArgument::Chars(bytes)) => {
                let mut data = text.into_bytes();
                data.resize(usize::from(bytes), b' ');
                filled.chars(index, &data);
            }
            (OptionValue::Cvda(name), _) => filled.int(index, cvda(name)),
            (OptionValue::Number(number), _) => filled.int(index, number),
            (OptionValue::Text(_) | OptionValue::Nothing, _) => return fail(Condition::InvReq, 1),
        }
    }
    filled.done()
}

/// Returns the options of a map.
fn reported(
    named: &InstalledUriMap,
    given: &CommandOperands,
    filled: OutputAreas,
) -> WebCommandResult {
    options(&row::ROW, given, filled, |index| {
        // The values that SET changed, and the others as defined.
        let def = match index {
            row::LOCATION | row::REDIRECTTYPE | row::ENABLESTATUS => &named.def,
            _ => &named.defined,
        };
        match row::ROW.options[usize::from(index)].argument {
            OptionArgument::Chars(_) => OptionValue::Text(characters(def, index).to_owned()),
            OptionArgument::Cvda => OptionValue::Cvda(value(def, index)),
            _ => OptionValue::Number(number(def, index)),
        }
    })
}

/// The characters of an option; `None` for what its definition does not have.
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
        ) => {
            if *permanent {
                "PERMANENT"
            } else {
                "TEMPORARY"
            }
        }
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

    fn maps() -> UriMaps {
        let csd = cics::csd::parse(
            "DEFINE URIMAP(B) GROUP(G) PATH(/b/*) PROGRAM(P) TRANSACTION(TB) ANALYZER(YES)\n\
             DEFINE URIMAP(A) GROUP(G) PATH(/a) LOCATION(/b) REDIRECTTYPE(PERMANENT)\n\
             DEFINE URIMAP(C) GROUP(G) PATH(/c) USAGE(CLIENT) HOST(127.0.0.1) SCHEME(HTTPS)\n",
        );
        assert!(!csd.has_errors(), "{:?}", csd.diagnostics);
        UriMaps::new(&csd.urimaps)
    }

    fn with_options(options: &[u8]) -> CommandOperands {
        CommandOperands::new(options.iter().fold(0, |bits, option| bits | 1 << option))
    }

    #[test]
    fn a_browse_returns_every_map_once_in_the_order_of_names() {
        let (maps, mut browse) = (maps(), BrowsePositions::new());
        let next = with_options(&[row::NEXT, row::PATH]);
        let early = urimap(&maps, &mut browse, &next).unwrap_err();
        assert_eq!((early.condition, early.resp2), (Condition::Illogic, 1));
        urimap(&maps, &mut browse, &with_options(&[row::START])).unwrap();
        let twice = urimap(&maps, &mut browse, &with_options(&[row::START])).unwrap_err();
        assert_eq!((twice.condition, twice.resp2), (Condition::Illogic, 1));
        for (name, path) in [("A", "/a"), ("B", "/b/*"), ("C", "/c")] {
            let reported = urimap(&maps, &mut browse, &next).unwrap();
            assert_eq!(text(&reported, row::URIMAP).as_deref(), Some(name));
            assert_eq!(text(&reported, row::PATH).as_deref(), Some(path));
            assert_eq!(reported.get_bytes(row::PATH).map(<[u8]>::len), Some(255));
        }
        let end = urimap(&maps, &mut browse, &next).unwrap_err();
        assert_eq!((end.condition, end.resp2), (Condition::End, 2));
        urimap(&maps, &mut browse, &with_options(&[row::END])).unwrap();
        assert!(urimap(&maps, &mut browse, &with_options(&[row::END])).is_err());
    }

    fn sets(name: &str, options: &[u8]) -> CommandOperands {
        let bits = options.iter().fold(0, |bits, option| bits | 1 << option);
        CommandOperands::new(bits | 1 << set_row::URIMAP)
            .bytes(set_row::URIMAP, name.as_bytes().to_vec())
    }

    #[test]
    fn set_disables_sends_elsewhere_and_takes_that_back() {
        let before = maps();
        let find = |maps: &UriMaps| maps.find("S", false, "h", "/b/x").cloned().unwrap();
        let off = changed(&before, &sets("B", &[set_row::DISABLED])).unwrap();
        assert!(!find(&off).enabled && find(&before).enabled);
        let there = "http://h.example/there";
        let given = sets(
            "B",
            &[set_row::TEMPORARY, set_row::LOCATION, set_row::ENABLED],
        );
        let moved = changed(
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
        // INQUIRE returns both, and the program of the map.
        let asked = with_options(&[row::LOCATION, row::REDIRECTTYPE, row::PROGRAM, row::USAGE]);
        let asked = asked.bytes(row::URIMAP, b"B".to_vec());
        let reported = urimap(&moved, &mut BrowsePositions::new(), &asked).unwrap();
        assert_eq!(text(&reported, row::LOCATION).as_deref(), Some(there));
        assert_eq!(text(&reported, row::PROGRAM).as_deref(), Some("P"));
        assert_eq!(reported.get_int(row::REDIRECTTYPE), Some(cvda("TEMPORARY")));
        // A reload keeps it while the definition is the same.
        let again = maps().with_changes_of(&moved);
        assert_eq!(find(&again), find(&moved));
        let back = changed(&again, &sets("B", &[set_row::NONE])).unwrap();
        assert_eq!(find(&back), find(&before));
    }

    #[test]
    fn what_set_cannot_do_is_a_condition_of_its_own() {
        let maps = maps();
        let refused = |given: &CommandOperands| {
            let refused = changed(&maps, given).unwrap_err();
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
        // A map that redirects by its definition serves nothing without the redirection.
        let none = changed(&maps, &sets("A", &[set_row::NONE])).unwrap();
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
    fn one_map_is_returned_by_its_name() {
        let (maps, mut browse) = (maps(), BrowsePositions::new());
        let asked = with_options(&[row::USAGE, row::SCHEME, row::PORT, row::HOSTTYPE]);
        let of = |name: &str| asked.clone().bytes(row::URIMAP, name.as_bytes().to_vec());
        let reported = urimap(&maps, &mut browse, &of("C       ")).unwrap();
        assert_eq!(reported.get_int(row::USAGE), Some(cvda("CLIENT")));
        assert_eq!(reported.get_int(row::SCHEME), Some(cvda("HTTPS")));
        assert_eq!(reported.get_int(row::HOSTTYPE), Some(cvda("IPV4")));
        assert_eq!(reported.get_int(row::PORT), Some(443));
        let none = urimap(&maps, &mut browse, &of("D")).unwrap_err();
        assert_eq!((none.condition, none.resp2), (Condition::NotFnd, 1));
        let change = with_options(&[row::CHANGETIME]).bytes(row::URIMAP, b"C".to_vec());
        assert_eq!(
            urimap(&maps, &mut browse, &change).unwrap_err().condition,
            Condition::InvReq
        );
    }
}
