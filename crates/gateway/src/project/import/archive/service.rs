//! Services (`.sar`): which program, how it is called, and its interfaces.

use super::interface::{self, ArchiveArea};
use super::xml;
use super::zip::ZipEntry;
use crate::yaml::{self, Node};
use serde_json::Value;

/// A service of an old project.
#[derive(Debug, Clone)]
pub(super) struct ArchiveService {
    pub name: String,
    pub description: String,
    pub program: String,
    pub connection: Option<String>,
    pub transid: Option<String>,
    pub transid_usage: Option<String>,
    pub ccsid: Option<String>,
    pub channel: bool,
    pub request: ServiceDirection,
    pub response: ServiceDirection,
    pub trim_leading: bool,
    pub trim_trailing: bool,
    /// Switches that are set and have no rule here.
    pub left_out: Vec<String>,
}

/// One direction of a service.
#[derive(Debug, Clone)]
pub(super) struct ServiceDirection {
    pub areas: Vec<ArchiveArea>,
    pub schema: Value,
    /// A name around the records in the service's messages.
    pub wrapper: Option<String>,
}

/// A service that cannot be served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServiceRefusal {
    pub name: String,
    /// Its provider, for the asset of the service.
    pub provider: String,
    pub why: String,
    pub help: String,
}

/// Switches that change what clients see, with the value that changes nothing.
const SWITCHES: [(&str, &str); 6] = [
    ("omitOutputFieldsByValue", "false"),
    ("omitOutputEmptyTags", "false"),
    ("initializeInputFields", "false"),
    ("escapeOutputControlCharacters", "false"),
    ("enforceMinArrayOccurrence", "false"),
    ("enforceMinArrayOccurrenceResponse", "false"),
];

const BY_COPYBOOK: &str = "make a project of the program's copybooks: \
    tupelo api import NAME --program PROGRAM --request COPYBOOK";

/// Whether an archive is one of a service.
pub(super) fn is_one(entries: &[ZipEntry]) -> bool {
    entries.iter().any(|e| e.name == "manifest.yml")
}

/// Reads a service.
///
/// # Errors
/// Why it cannot be served.
pub(super) fn read(
    entries: &[ZipEntry],
    file: &str,
) -> Result<ArchiveService, Box<ServiceRefusal>> {
    let mut name = file.to_owned();
    let mut provider = String::new();
    let refuse = |name: &str, provider: &str, why: String, help: &str| {
        Box::new(ServiceRefusal {
            name: name.to_owned(),
            provider: provider.to_owned(),
            why,
            help: help.to_owned(),
        })
    };
    let manifest = find(entries, "manifest.yml")
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
        .ok_or_else(|| refuse(&name, "", "it has no manifest.yml".into(), BY_COPYBOOK))?;
    let manifest = yaml::parse(manifest).map_err(|e| {
        let why = format!("manifest.yml:{}:{}: {}", e.at.line, e.at.column, e.message);
        refuse(&name, "", why, BY_COPYBOOK)
    })?;
    let text = |key: &str| Some(manifest.get(key)?.text()?.trim().to_owned());
    name = text("name").filter(|n| !n.is_empty()).unwrap_or(name);
    provider = text("provider").unwrap_or(provider);
    let kind = provider
        .split('-')
        .next()
        .unwrap_or_default()
        .to_ascii_uppercase();
    if kind != "CICS" {
        let help = match kind.as_str() {
            "IMS" => "IMS transactions are not run here: port the program to CICS",
            "MQ" | "IBM MQ" => {
                "MQ queues are not served here: let a CICS program serve the request"
            }
            "DB2" | "REST" | "RESTCLIENT" => "let a CICS program make the call, and import that",
            "WOLA" => "programs that WOLA calls are called with their COMMAREA here: see below",
            _ => "services of the provider CICS-1.0 are served",
        };
        let why = format!("services of the provider {provider} are not served");
        let help = if kind == "WOLA" { BY_COPYBOOK } else { help };
        return Err(refuse(&name, &provider, why, help));
    }
    let property = |key: &str| property(&manifest, key);
    let refuse = |why: String, help: &str| refuse(&name, &provider, why, help);
    let form = property("dataXformType").unwrap_or_default();
    if !form.eq_ignore_ascii_case("WALKER_VISITOR") {
        let why =
            format!("its records are described by {form}, a binary form that is not documented");
        return Err(refuse(why, BY_COPYBOOK));
    }
    let program = property("program")
        .filter(|p| !p.is_empty())
        .ok_or_else(|| refuse("it names no program".into(), BY_COPYBOOK))?;
    let service = property("wvServiceFile").and_then(|file| find(entries, &file));
    let service =
        service.ok_or_else(|| refuse("its service definition is missing".into(), BY_COPYBOOK))?;
    let service = xml::parse(service)
        .map_err(|why| refuse(format!("its service definition: {why}"), BY_COPYBOOK))?;
    let runtime = service
        .text_of("messageVisitorRuntimeType")
        .unwrap_or_default();
    let channel = match runtime {
        "CICS_CHANNEL" => true,
        "CICS_COMMAREA" | "CICS_COMM_AREA" => false,
        other => {
            let why = format!("it is called by {other}, not by a COMMAREA or a channel");
            return Err(refuse(why, BY_COPYBOOK));
        }
    };
    let side = |key: &str, schema: &str| -> Result<ServiceDirection, String> {
        let file = property(key).ok_or_else(|| format!("its manifest has no {key}"))?;
        let bytes = find(entries, &file).ok_or_else(|| format!("{file} is missing"))?;
        let areas = interface::read(bytes).map_err(|why| format!("{file}: {why}"))?;
        for area in &areas {
            area.checked().map_err(|why| format!("{file}: {why}"))?;
        }
        if !channel && areas.len() != 1 {
            return Err(format!(
                "{file}: a COMMAREA has one record, not {}",
                areas.len()
            ));
        }
        let schema = manifest.get(schema).and_then(|s| s.get("value")?.text());
        let schema = schema.map(|s| s.trim_start_matches("file://").trim_start_matches('/'));
        let schema = schema.and_then(|file| find(entries, file));
        let schema: Value = schema
            .and_then(|bytes| serde_json::from_slice(bytes).ok())
            .ok_or("a JSON schema of it is missing, or no JSON")?;
        let wrapper = wrapper(&areas, &schema, channel).map_err(|why| format!("{file}: {why}"))?;
        Ok(ServiceDirection {
            areas,
            schema,
            wrapper,
        })
    };
    let request = side("wvRequestInterfaceFile", "requestSchema");
    let response = side("wvResponseInterfaceFile", "responseSchema");
    let (request, response) = match (request, response) {
        (Ok(request), Ok(response)) => (request, response),
        (Err(why), _) | (_, Err(why)) => return Err(refuse(why, BY_COPYBOOK)),
    };
    let on = |key: &str| property(key).is_some_and(|v| v.eq_ignore_ascii_case("true"));
    let unusual = SWITCHES.iter().filter(|(key, usual)| {
        property(key).is_some_and(|value| !value.eq_ignore_ascii_case(usual))
    });
    Ok(ArchiveService {
        description: text("description").unwrap_or_default(),
        program: program.to_ascii_uppercase(),
        connection: property("connectionRef"),
        transid: property("transid").or_else(|| property("transactionId")),
        transid_usage: property("transidUsage").or_else(|| property("transactionIdUsage")),
        ccsid: service
            .text_of("ccsid")
            .map(|c| c.trim_start_matches("IBM").to_owned()),
        channel,
        request,
        response,
        trim_leading: on("trimOutputLeadingWhitespace"),
        trim_trailing: on("trimOutputTrailingWhitespace"),
        left_out: unusual.map(|(key, _)| (*key).to_owned()).collect(),
        name,
    })
}

fn find<'a>(entries: &'a [ZipEntry], path: &str) -> Option<&'a [u8]> {
    let path = path.replace('\\', "/");
    let entry = entries.iter().find(|e| e.name == path)?;
    Some(&entry.data)
}

fn property(manifest: &Node, name: &str) -> Option<String> {
    let list = manifest.get("providerProperties")?.seq()?;
    let one = list
        .iter()
        .find(|p| p.get("propertyName").and_then(|n| n.text()) == Some(name))?;
    let value = one.get("value")?.text()?.trim().to_owned();
    (!value.is_empty()).then_some(value)
}

/// The name that a service's messages have around its records. The schema has
/// the names that clients see, and each must be a field of the interface.
fn wrapper(areas: &[ArchiveArea], schema: &Value, channel: bool) -> Result<Option<String>, String> {
    let top = schema.get("properties").and_then(Value::as_object);
    let names: Vec<&String> = top.into_iter().flat_map(|t| t.keys()).collect();
    let ours: Vec<&str> = areas
        .iter()
        .map(|a| {
            if channel {
                a.name.as_str()
            } else {
                a.record.json.as_str()
            }
        })
        .collect();
    let known = |name: &str| ours.contains(&name);
    if names.iter().all(|name| known(name)) {
        return Ok(None);
    }
    if let [one] = names.as_slice() {
        let below = schema.pointer(&format!("/properties/{one}/properties"));
        let below = below.and_then(Value::as_object);
        if below.is_some_and(|b| b.keys().all(|name| known(name))) {
            return Ok(Some((*one).clone()));
        }
    }
    Err(format!(
        "the schema's {} is not one of its records",
        names.first().map_or("nothing", |n| n.as_str())
    ))
}
