//! Assets: a program, how it is called, and the records that go in and out.
//!
//! Program-first assets (`cicsCommarea-1.0`, `cicsChannel-1.x` with copybooks)
//! are laid out from their copybooks: `gen/<NAME>_request_<n>.cpy` and
//! `gen/<NAME>_response_<n>.cpy`, where NAME is the record of a COMMAREA or a
//! container. If there are several, the `.dai` file next to them and the
//! direction's schema select one; the others are ignored. The `.dai` files are
//! a cross-check too (see [`super::dai`]).

use super::origin::CopybookSources;
use super::page::{self, CodePages};
use super::record::Record;
use super::structure::{DirectionStructures, Limits, derive};
use super::{dai, keys, read_yaml};
use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use crate::yaml::Node;
use base::nearest;
use copybook::{FieldId, RecordLayout};
use region::{ContainerName, Name, ProgramName, TransId};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// How a program takes its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InterfaceStyle {
    Commarea,
    Channel,
}

/// One direction of an asset's data.
#[derive(Debug)]
pub(crate) struct AssetInterface {
    pub style: InterfaceStyle,
    pub areas: Vec<DataArea>,
}

/// A COMMAREA or a container.
#[derive(Debug)]
pub(crate) struct DataArea {
    /// The container's name, or that of the COMMAREA's record.
    pub name: String,
    /// The container; blank for a COMMAREA.
    pub container: ContainerName,
    /// Its copybook.
    pub file: PathBuf,
    pub record: Record,
}

/// A program with its two interfaces.
#[derive(Debug)]
pub(crate) struct ProgramAsset {
    /// `zosAsset.yaml`.
    pub file: PathBuf,
    pub program: ProgramName,
    /// Transaction the program runs under, if the asset names one.
    pub transid: Option<TransId>,
    /// The program only sees that transaction in EIBTRNID: it runs under the
    /// mirror's.
    pub eib_only: bool,
    /// The connection to the region that has the program (`connectionRef`).
    pub connection: Option<String>,
    pub request: AssetInterface,
    pub response: AssetInterface,
    /// The mainframe's code page that its data has there (`ccsid`); it counts
    /// for connections to one.
    pub ccsid: Option<u16>,
    /// Its interfaces in code pages of mainframes, by CCSID.
    pub pages: CodePages,
    /// Its structures, where they are derived from the API.
    pub api_first: Option<ApiFirst>,
    /// The sources of its copybooks, if `sources.yaml` names them.
    pub sources: Option<CopybookSources>,
}

/// The structures of an API-first asset.
#[derive(Debug)]
pub(crate) struct ApiFirst {
    pub request: DirectionStructures,
    pub response: DirectionStructures,
}

/// The target of a path of names.
pub(crate) struct FoundField<'n> {
    pub area: usize,
    /// Names that are left below the record.
    pub rest: &'n [String],
    /// No name of a field was given.
    pub area_only: bool,
}

impl AssetInterface {
    /// The name under which mappings see it.
    pub fn root(&self) -> &'static str {
        match self.style {
            InterfaceStyle::Commarea => "commarea",
            InterfaceStyle::Channel => "channel",
        }
    }

    /// Finds the area that `names` (after `commarea` or `channel`) start with.
    pub fn find<'n>(&self, names: &'n [String]) -> Option<FoundField<'n>> {
        let first = names.first()?;
        if let Some(area) = self.areas.iter().position(|a| same_name(&a.name, first)) {
            let mut rest = &names[1..];
            // Below a container its record may be named or left out.
            if self.style == InterfaceStyle::Channel
                && let Some(name) = rest.first()
                && same_name(self.areas[area].layout().name(), name)
                && self.areas[area].child(RecordLayout::RECORD, name).is_none()
            {
                rest = &rest[1..];
            }
            return Some(FoundField {
                area,
                rest,
                area_only: rest.is_empty(),
            });
        }
        let lone = self.style == InterfaceStyle::Commarea && self.areas.len() == 1;
        if lone && self.areas[0].child(RecordLayout::RECORD, first).is_some() {
            return Some(FoundField {
                area: 0,
                rest: names,
                area_only: false,
            });
        }
        None
    }
}

impl DataArea {
    pub fn layout(&self) -> &RecordLayout {
        self.record.layout()
    }

    /// The field of that name directly below a group; groups without a name
    /// are looked through.
    pub fn child(&self, group: FieldId, name: &str) -> Option<FieldId> {
        let layout = self.layout();
        let children = &layout[group].children;
        let direct = children.iter().copied().find(|id| {
            layout[*id]
                .name
                .as_deref()
                .is_some_and(|known| same_name(known, name))
        });
        direct.or_else(|| {
            let unnamed = children.iter().filter(|id| layout[**id].name.is_none());
            unnamed.filter_map(|id| self.child(*id, name)).next()
        })
    }

    /// The names directly below a group.
    pub fn children(&self, group: FieldId) -> impl Iterator<Item = &str> {
        let layout = self.layout();
        layout[group]
            .children
            .iter()
            .filter_map(|id| layout[*id].name.as_deref())
    }
}

/// Whether two spellings mean one COBOL name: case does not count, and `_`
/// means `-`, as older tooling wrote it.
pub(crate) fn same_name(a: &str, b: &str) -> bool {
    let plain = |b: u8| {
        if b == b'_' {
            b'-'
        } else {
            b.to_ascii_uppercase()
        }
    };
    a.len() == b.len() && a.bytes().zip(b.bytes()).all(|(a, b)| plain(a) == plain(b))
}

/// The state of an asset.
#[derive(Debug)]
pub(crate) enum AssetState {
    Asset(Box<ProgramAsset>),
    /// A kind of asset that is recognised and not served; why.
    Unsupported(String),
}

/// Reads one asset folder.
pub(crate) fn load(
    folder: &Path,
    limits: Limits,
    out: &mut ProjectDiagnostics,
) -> Option<AssetState> {
    let file = folder.join("zosAsset.yaml");
    let node = read_yaml(&file, out)?;
    let kind = node.get("type").and_then(|n| n.text()).unwrap_or_default();
    let at = node.get("type").map_or(node.at, |n| n.at);
    let style = match kind.split_once('-').map_or(kind, |(name, _)| name) {
        "cicsCommarea" => InterfaceStyle::Commarea,
        "cicsChannel" => InterfaceStyle::Channel,
        _ => {
            let known = ["cicsCommarea-1.0", "cicsChannel-1.0", "cicsChannel-1.1"];
            let why = format!("asset type '{kind}' is not supported");
            // A kind of its own costs its operations, a slip of the pen is one.
            match nearest(kind, known) {
                Some(near) => {
                    out.error_help(&file, at, why, base::did_you_mean(near));
                    return None;
                }
                None if kind.is_empty() => {
                    let help = format!("served are {}", known.join(", "));
                    out.error_help(&file, at, "the asset has no type", help);
                    return None;
                }
                None => return Some(AssetState::Unsupported(why)),
            }
        }
    };
    keys::check(keys::ProjectFile::Asset, &file, &node, out);
    let properties = node.get("providerProperties");
    if let Some(properties) = properties {
        keys::check(keys::ProjectFile::Provider, &file, properties, out);
    }
    let property = |name: &str| Some(properties?.get(name)?.text()?.trim().to_string());
    let program = property("program").filter(|p| !p.is_empty());
    let Some(program) = program else {
        let at = properties.map_or(node.at, |p| p.at);
        out.error_help(
            &file,
            at,
            "the asset names no program",
            "add 'program' below providerProperties",
        );
        return None;
    };
    let mut named = NameReader {
        file: &file,
        properties,
        at,
        out: &mut *out,
    };
    let program = named.name::<8>("program", &program);
    if let Some(language) = property("language")
        && !language.eq_ignore_ascii_case("COBOL")
    {
        let why = format!("{language} programs are not supported, only COBOL");
        return Some(AssetState::Unsupported(why));
    }
    let transid = property("transid").filter(|t| !t.is_empty());
    let transid = match transid {
        Some(text) => Some(named.name::<4>("transid", &text)?),
        None => None,
    };
    let program = program?;
    if let Some(usage) = property("transidUsage")
        && !["EIB_ONLY", "EIB_AND_MIRROR"].contains(&usage.to_ascii_uppercase().as_str())
    {
        let at = properties
            .and_then(|p| p.get("transidUsage"))
            .map_or(at, |n| n.at);
        let help = "use EIB_ONLY or EIB_AND_MIRROR";
        out.error_help(&file, at, format!("unknown transidUsage '{usage}'"), help);
    }
    let provider = folder.join("providerFiles");
    let books = copybooks(&provider);
    let connection = property("connectionRef").filter(|c| !c.is_empty());
    let usage = property("transidUsage");
    let eib_only = usage.is_some_and(|usage| usage.eq_ignore_ascii_case("EIB_ONLY"));
    let ccsid = property("ccsid").filter(|c| !c.is_empty());
    let ccsid = ccsid.and_then(|text| match page::ccsid(&text) {
        Ok(ccsid) => Some(ccsid),
        Err(why) => {
            let at = properties.and_then(|p| p.get("ccsid")).map_or(at, |n| n.at);
            let help = "a connection to a mainframe's CICS takes its own code page then";
            out.warn_help(&file, at, why, Some(help.into()));
            None
        }
    });
    if books.is_empty() && style == InterfaceStyle::Channel {
        let derived = api_first(&provider, limits, out)?;
        let nothing = || AssetInterface {
            style,
            areas: Vec::new(),
        };
        return match derived {
            Some(Ok(derived)) => Some(AssetState::Asset(Box::new(ProgramAsset {
                file,
                program,
                transid,
                eib_only,
                connection,
                request: nothing(),
                response: nothing(),
                ccsid,
                pages: CodePages::default(),
                api_first: Some(derived),
                sources: None,
            }))),
            Some(Err(why)) => Some(AssetState::Unsupported(why)),
            None => {
                no_copybooks(&provider, out);
                None
            }
        };
    }
    let mut used: Vec<&Path> = Vec::new();
    let mut side = |direction: &'static str| {
        let mut areas: Vec<DataArea> = Vec::new();
        for book in chosen(&books, &provider, direction, style) {
            used.push(&book.file);
            let container = match style {
                InterfaceStyle::Channel => container_name(&book.name, &book.file, out)?,
                InterfaceStyle::Commarea => ContainerName::BLANK,
            };
            match Record::load(&book.file, out) {
                Some(record) => areas.push(DataArea {
                    name: book.name.clone(),
                    container,
                    file: book.file.clone(),
                    record,
                }),
                None => return None,
            }
        }
        for area in &areas {
            let pointer = |(_, field): (FieldId, &copybook::Field)| {
                matches!(field.kind, copybook::FieldKind::Pointer).then(|| field.name.clone())
            };
            if let Some(name) = area.layout().iter().find_map(pointer) {
                let name = name.unwrap_or_else(|| "a field without a name".into());
                let message = format!("{name} is a POINTER of 8 bytes; on z/OS it has 4");
                out.warn(&provider, FilePosition::default(), message);
            }
        }
        if style == InterfaceStyle::Commarea {
            for area in &mut areas {
                area.name = area.layout().name().to_string();
            }
            if areas.len() > 1 {
                let message = format!(
                    "a COMMAREA has one {direction} record, but there are {}",
                    areas.len()
                );
                let help =
                    format!("name the copybook in {direction}.dai, or its record in the schema");
                out.error_help(&provider, FilePosition::default(), message, help);
                return None;
            }
        }
        let dai = provider.join(format!("{direction}.dai"));
        if dai.is_file() {
            dai::check(&dai, &areas, out);
        }
        Some(AssetInterface { style, areas })
    };
    let (request, response) = (side("request"), side("response"));
    let (request, response) = (request?, response?);
    for book in books.iter().filter(|b| b.direction.is_none()) {
        if !used.contains(&book.file.as_path()) {
            let message = "the copybook's name does not show its use; it is ignored";
            out.warn(&book.file, FilePosition::default(), message);
        }
    }
    if request.areas.is_empty() && response.areas.is_empty() {
        no_copybooks(&provider, out);
        return None;
    }
    Some(AssetState::Asset(Box::new(ProgramAsset {
        file,
        program,
        transid,
        eib_only,
        connection,
        request,
        response,
        ccsid,
        pages: CodePages::default(),
        api_first: None,
        sources: CopybookSources::load(folder, out),
    })))
}

/// Reads names of CICS out of an asset's properties.
struct NameReader<'a> {
    file: &'a Path,
    properties: Option<&'a Node>,
    at: FilePosition,
    out: &'a mut ProjectDiagnostics,
}

impl NameReader<'_> {
    /// The name in a property; an error with its place if it is not valid.
    fn name<const N: usize>(&mut self, property: &str, text: &str) -> Option<Name<N>> {
        let node = self.properties.and_then(|p| p.get(property));
        let at = node.map_or(self.at, |node| node.at);
        let name = Name::new(text);
        let wrong = |why| {
            let message = format!("{property} {text:?} is not valid: {why}");
            self.out.error(self.file, at, message);
        };
        name.map_err(wrong).ok()
    }
}

fn no_copybooks(provider: &Path, out: &mut ProjectDiagnostics) {
    let help = "put the copybooks into providerFiles/gen/<NAME>_request_0.cpy and \
                <NAME>_response_0.cpy";
    let message = "the asset has no copybooks";
    out.error_help(provider, FilePosition::default(), message, help);
}

/// The schema of a direction. The outer `None`: its file has errors.
fn schema(provider: &Path, direction: &str, out: &mut ProjectDiagnostics) -> Option<Option<Value>> {
    let file = provider.join("gen").join(format!("{direction}Schema.json"));
    let Ok(bytes) = sources::read(&file) else {
        return Some(None);
    };
    match serde_json::from_slice(&bytes) {
        Ok(schema) => Some(Some(schema)),
        Err(e) => {
            let (line, column) = (e.line() as u32, e.column() as u32);
            out.error(
                &file,
                FilePosition { line, column },
                format!("not valid JSON: {e}"),
            );
            None
        }
    }
}

/// Derives the structures of an asset without copybooks. The outer `None`: its
/// schemas cannot be read; the inner one: it has no schemas.
fn api_first(
    provider: &Path,
    limits: Limits,
    out: &mut ProjectDiagnostics,
) -> Option<Option<Result<ApiFirst, String>>> {
    let request = schema(provider, "request", out)?;
    let response = schema(provider, "response", out)?;
    let (Some(request), Some(response)) = (request, response) else {
        return Some(None);
    };
    let empty = Value::Null;
    let data = request.pointer("/properties/channel/properties/data");
    let channel = response.pointer("/properties/channel");
    let Some(channel) = channel else {
        return Some(None);
    };
    let made = |schema: &Value, prefix: &str, what: &str| {
        let derived = derive(schema, prefix, limits);
        let derived = derived.map(|(structures, _)| structures);
        derived.map_err(|why| format!("the structure of its {what} has no rule: {why}"))
    };
    let request = made(data.unwrap_or(&empty), "REQUEST", "request");
    let response = made(channel, "RESPONSE", "response");
    Some(Some(request.and_then(|request| {
        let response = response?;
        Ok(ApiFirst { request, response })
    })))
}

/// A copybook and the meaning of its name.
struct Book {
    file: PathBuf,
    name: String,
    /// `None` if the name does not show it.
    direction: Option<&'static str>,
    number: u32,
}

fn copybooks(provider: &Path) -> Vec<Book> {
    let gen_folder = provider.join("gen");
    let mut books = Vec::new();
    for folder in [gen_folder.as_path(), provider] {
        let Ok(entries) = std::fs::read_dir(folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let file = entry.path();
            let extension = file
                .extension()
                .and_then(|e| e.to_str())
                .unwrap_or_default();
            if !dai::COPYBOOKS.contains(&extension.to_ascii_lowercase().as_str()) {
                continue;
            }
            let stem = file
                .file_stem()
                .and_then(|s| s.to_str())
                .unwrap_or_default()
                .to_string();
            let (name, direction, number) = match split_name(&stem) {
                Some((name, direction, number)) => (name.to_string(), Some(direction), number),
                None => (stem, None, 0),
            };
            books.push(Book {
                file,
                name,
                direction,
                number,
            });
        }
    }
    books.sort_by(|a, b| (a.number, &a.name).cmp(&(b.number, &b.name)));
    books
}

/// The container that a copybook describes.
fn container_name(name: &str, file: &Path, out: &mut ProjectDiagnostics) -> Option<ContainerName> {
    let parsed = ContainerName::new(name);
    if let Err(error) = &parsed {
        let message = format!("the container {name:?}: {error}");
        out.error(file, FilePosition::default(), message);
    }
    parsed.ok()
}

fn chosen<'b>(
    books: &'b [Book],
    provider: &Path,
    direction: &str,
    style: InterfaceStyle,
) -> Vec<&'b Book> {
    let named: Vec<&Book> = books
        .iter()
        .filter(|b| b.direction == Some(direction))
        .collect();
    let keys = schema_keys(provider, direction, style);
    let by_key = |b: &&&Book| keys.iter().any(|key| same_name(key, &b.name));
    if style == InterfaceStyle::Channel {
        let meant: Vec<&Book> = named.iter().filter(by_key).copied().collect();
        return if meant.is_empty() { named } else { meant };
    }
    let structure = dai::structure(&provider.join(format!("{direction}.dai")));
    let is_file = |b: &&Book| {
        let name = b
            .file
            .file_name()
            .and_then(|n| n.to_str())
            .unwrap_or_default();
        let other = b.direction.is_some_and(|own| own != direction);
        !other && structure.files.iter().any(|f| f.eq_ignore_ascii_case(name))
    };
    if let Some(book) = books.iter().find(is_file) {
        return vec![book];
    }
    if named.len() < 2 {
        return named;
    }
    let by_record = |b: &&&Book| {
        let record = structure.record.as_deref();
        record.is_some_and(|record| same_name(record, &b.name))
    };
    let meant = named
        .iter()
        .find(by_key)
        .or_else(|| named.iter().find(by_record));
    meant.map_or(named.clone(), |book| vec![*book])
}

/// The names at the top of a direction's schema: the record of a COMMAREA, or
/// the containers of a channel.
fn schema_keys(provider: &Path, direction: &str, style: InterfaceStyle) -> Vec<String> {
    let name = format!("{direction}Schema.json");
    let text = [provider.join("gen").join(&name), provider.join(&name)]
        .iter()
        .find_map(|file| sources::read(file).ok());
    let schema: Option<Value> = text.and_then(|text| serde_json::from_slice(&text).ok());
    let root = match style {
        InterfaceStyle::Commarea => "commarea",
        InterfaceStyle::Channel => "channel",
    };
    let top = schema.as_ref().and_then(|s| {
        s.pointer(&format!("/properties/{root}/properties"))?
            .as_object()
    });
    top.map_or(Vec::new(), |top| top.keys().cloned().collect())
}

/// `NAME_request_0` in its parts.
pub(super) fn split_name(stem: &str) -> Option<(&str, &'static str, u32)> {
    let (rest, number) = stem.rsplit_once('_')?;
    let (name, direction) = rest.rsplit_once('_')?;
    let known = ["request", "response"]
        .into_iter()
        .find(|d| *d == direction)?;
    (!name.is_empty()).then_some((name, known, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copybooks_name_shows_its_purpose() {
        assert_eq!(
            split_name("INQ_CUST_request_0"),
            Some(("INQ_CUST", "request", 0))
        );
        assert_eq!(split_name("INQCUST"), None);
        assert_eq!(split_name("_request_0"), None);
    }

    #[test]
    fn names_are_one_in_any_case_and_with_underscores() {
        assert!(same_name("LEN_TO_RETURN", "len-to-return"));
        assert!(!same_name("LEN", "LENGTH"));
    }
}
