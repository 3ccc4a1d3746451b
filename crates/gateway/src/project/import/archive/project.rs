//! The project that archives become: assets, operations and mappings.

use super::api::{ArchiveApi, ArchiveOperation, OperationMapping};
use super::interface::{ArchiveArea, Field};
use super::mapping::{MappingChange, MappingTarget, MessageMapping};
use super::service::{ArchiveService, ServiceDirection, ServiceRefusal};
use super::{Found, FromArchives};
use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use crate::project::folder_name;
use crate::project::import::ImportedFile;
use crate::project::import::write::{quoted, yaml};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Makes the files of a project.
pub(super) fn make(
    api: &ArchiveApi,
    services: &[Found],
    out: &mut ProjectDiagnostics,
) -> FromArchives {
    let mut files = Files(Vec::new());
    let main = Path::new("src/main");
    let (name, text) = &api.document;
    files.add(main.join("api").join(name), text.clone());
    let mut programs: Vec<(String, Option<String>)> = Vec::new();
    for (file, found) in services {
        match found {
            Ok(service) => {
                asset(service, &mut files);
                let program = (service.program.clone(), service.transid.clone());
                if !programs.contains(&program) {
                    programs.push(program);
                }
                for switch in &service.left_out {
                    let message = format!(
                        "the service {}: {switch} is set, and not done",
                        service.name
                    );
                    out.warn(file, FilePosition::default(), message);
                }
            }
            Err(refused) => stub(refused, &mut files),
        }
    }
    for one in &api.operations {
        operation(one, services, &mut files, out);
    }
    FromArchives {
        name: api.name.clone(),
        files: files.0,
        programs,
        notes: ProjectDiagnostics::default(),
    }
}

struct Files(Vec<ImportedFile>);

impl Files {
    fn add(&mut self, path: PathBuf, text: String) {
        self.0.push(ImportedFile { path, text });
    }
}

/// The folder of a service's asset: names of services may have any letters.
fn folder(service: &str) -> PathBuf {
    Path::new("src/main/zosAssets").join(folder_name(service))
}

fn asset(service: &ArchiveService, files: &mut Files) {
    let kind = if service.channel {
        "cicsChannel-1.0"
    } else {
        "cicsCommarea-1.0"
    };
    let mut text = format!(
        "---\nversion: 1.0\ntype: \"{kind}\"\ndescription: {}\nproviderProperties:\n  \
         language: \"COBOL\"\n  program: {}\n",
        yaml(&service.description.replace('\n', " ")),
        yaml(&service.program)
    );
    for (key, value) in [
        ("connectionRef", &service.connection),
        ("ccsid", &service.ccsid),
        ("transid", &service.transid),
        ("transidUsage", &service.transid_usage),
    ] {
        if let Some(value) = value {
            let _ = writeln!(text, "  {key}: {}", yaml(value));
        }
    }
    let folder = folder(&service.name);
    files.add(folder.join("zosAsset.yaml"), text);
    for (direction, side) in [
        ("request", &service.request),
        ("response", &service.response),
    ] {
        for (i, area) in side.areas.iter().enumerate() {
            let name = if service.channel {
                &area.name
            } else {
                &area.record.cobol
            };
            let file = format!("providerFiles/gen/{name}_{direction}_{i}.cpy");
            files.add(folder.join(file), area.copybook());
        }
    }
}

/// The stub of a service that is not served: its operations return 501.
fn stub(refused: &ServiceRefusal, files: &mut Files) {
    let kind = match refused.provider.as_str() {
        "" | "CICS-1.0" => "a binary or unknown form",
        provider => provider,
    };
    let text = format!(
        "---\nversion: 1.0\ntype: {}\ndescription: {}\n",
        yaml(kind),
        yaml(&refused.why)
    );
    files.add(folder(&refused.name).join("zosAsset.yaml"), text);
}

fn operation(
    one: &ArchiveOperation,
    services: &[Found],
    files: &mut Files,
    out: &mut ProjectDiagnostics,
) {
    let place = format!("{} {}", one.method.to_ascii_uppercase(), one.path);
    let at = FilePosition::default();
    let named = services.iter().find(|(_, found)| match found {
        Ok(service) => service.name == one.service,
        Err(refused) => refused.name == one.service,
    });
    let Some((_, found)) = named else {
        let message = format!(
            "{place} is answered with 501: the service {} is missing",
            one.service
        );
        let help = format!("name {}.sar too", one.service);
        out.warn_help(Path::new(&one.service), at, message, Some(help));
        return;
    };
    let folder = Path::new("src/main/operations")
        .join(folder_name(&one.path))
        .join(&one.method);
    let asset = folder_name(&one.service);
    let text = format!("---\nversion: 1\nzasset: {}\n", yaml(&asset));
    let Ok(service) = found else {
        // Its asset has the reason.
        files.add(folder.join("operation.yaml"), text);
        return;
    };
    let mapped = match &one.mapped {
        Ok(mapped) => mapped,
        Err(why) => {
            let message = format!("{why}; it is answered with 501");
            out.warn(Path::new(&one.service), at, message);
            return;
        }
    };
    files.add(folder.join("operation.yaml"), text);
    files.add(
        folder.join("request.yaml"),
        request(service, mapped, one.body),
    );
    let name = format!("response_{}.yaml", mapped.status);
    files.add(folder.join(&name), response(service, mapped));
    let condition = yaml("$not($exists($zosAssetResponse.abendCode))");
    let status = mapped.status;
    files.add(
        folder.join("response_mapping.yaml"),
        format!(
            "---\nversion: 1.0\n{name}:\n  condition: {condition}\n  httpStatusCode: {status}\n"
        ),
    );
}

/// Writes mappings, indented as they nest.
struct Writer<'a> {
    service: &'a ArchiveService,
    /// Requests have a body to pass through.
    body: bool,
    mapping: Option<&'a MessageMapping>,
    out: String,
}

impl Writer<'_> {
    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.out, "{}{text}", " ".repeat(indent));
    }

    /// Name of a field and its way there.
    fn value(&mut self, indent: usize, field: &Field, name: &str, path: &str) {
        self.line(indent, &format!("- {}:", yaml(name)));
        let text = if field.is_number {
            format!("expression: {}", yaml(path))
        } else {
            format!("template: {}", yaml(&format!("{{{{{path}}}}}")))
        };
        self.line(indent + 4, &text);
    }
}

fn root(service: &ArchiveService) -> &'static str {
    if service.channel {
        "channel"
    } else {
        "commarea"
    }
}

/// `request.yaml`: every field that clients give, from where the API has it.
fn request(service: &ArchiveService, mapped: &OperationMapping, body: bool) -> String {
    let mut writer = Writer {
        service,
        body,
        mapping: mapped.request.as_ref(),
        out: "---\nversion: 1.2\nmappings:\n".into(),
    };
    writer.line(0, &format!("- {}:", root(service)));
    writer.line(4, "mappings:");
    for area in &service.request.areas {
        let (names, indent) = writer.area(area, &service.request, &area.name);
        let mut counted = counted(&area.record, &names);
        counted.retain(|(_, table, _)| {
            let change = writer.mapping.and_then(|m| m.change(table));
            writer.body && change != Some(&MappingChange::Removed)
        });
        writer.line(indent, &format!("- {}:", yaml(&area.record.cobol)));
        writer.line(indent + 4, "mappings:");
        for child in &area.record.children {
            writer.give(child, &names, &path("$body", &names), indent + 4, &counted);
        }
    }
    writer.out
}

/// Name of a table's counter, the names that lead to its array, and the fewest
/// items.
type Counted = (String, Vec<String>, usize);

/// The counters of all tables.
fn counted(record: &Field, names: &[String]) -> Vec<Counted> {
    let mut all = Vec::new();
    let mut open = vec![(record, names.to_vec())];
    while let Some((field, names)) = open.pop() {
        for child in &field.children {
            let names = [&names[..], std::slice::from_ref(&child.json)].concat();
            let occurs = child.occurs.as_ref();
            let counter = occurs.and_then(|o| Some((o.counter.clone()?, o.least)));
            all.extend(counter.map(|(counter, least)| (counter, names.clone(), least)));
            open.push((child, names));
        }
    }
    all
}

fn path(variable: &str, names: &[String]) -> String {
    let steps: String = names
        .iter()
        .map(|name| format!(".{}", quoted(name)))
        .collect();
    format!("{variable}{steps}")
}

impl Writer<'_> {
    /// The names in JSON that lead to an area's fields, and the indentation
    /// of its record.
    fn area(
        &mut self,
        area: &ArchiveArea,
        side: &ServiceDirection,
        container: &str,
    ) -> (Vec<String>, usize) {
        let mut names: Vec<String> = side.wrapper.iter().cloned().collect();
        let mut indent = 4;
        if self.service.channel {
            names.push(area.name.clone());
            self.line(4, &format!("- {}:", yaml(container)));
            self.line(8, "mappings:");
            indent = 8;
        }
        names.extend((!area.record.json.is_empty()).then(|| area.record.json.clone()));
        (names, indent)
    }

    /// A field of the record from the request.
    fn give(
        &mut self,
        field: &Field,
        parent: &[String],
        from: &str,
        indent: usize,
        counted: &[Counted],
    ) {
        let names = [parent, std::slice::from_ref(&field.json)].concat();
        let own = format!("{from}.{}", quoted(&field.json));
        let counter = counted.iter().find(|(name, ..)| *name == field.cobol);
        if let Some((_, table, least)) = counter {
            let count = format!("$count({})", path("$body", table));
            let count = match least {
                0 => count,
                least => format!("$max([{least}, {count}])"),
            };
            return self.value(indent, field, &field.cobol, &count);
        }
        let change = self.mapping.and_then(|m| m.change(&names)).cloned();
        if field.children.is_empty() {
            let constant = |text: &str| {
                if field.is_number {
                    text.to_owned()
                } else {
                    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
                }
            };
            let default = field.default.as_deref().map(constant);
            let source = match change {
                Some(MappingChange::Removed) => default,
                Some(MappingChange::Assigned(text)) => Some(constant(&text)),
                Some(MappingChange::Parameter(variable, name)) => Some(path(variable, &[name])),
                Some(MappingChange::Part(names)) => Some(path("$body", &names)),
                None if field.included && self.body => Some(match default {
                    Some(default) => format!("$exists({own}) ? {own} : {default}"),
                    None => own,
                }),
                None => default,
            };
            if let Some(source) = source {
                self.item(indent, field, &source);
            }
            return;
        }
        // Inside a table only parts that are passed through have a source.
        let passed = self.body && change != Some(MappingChange::Removed);
        if field.occurs.is_some() && !passed {
            return;
        }
        let start = self.out.len();
        self.line(indent, &format!("- {}:", yaml(&field.cobol)));
        let (path, inner) = self.each(field, &own, indent);
        self.line(inner, "mappings:");
        let body = self.out.len();
        for child in &field.children {
            self.give(child, &names, &path, inner, counted);
        }
        if self.out.len() == body {
            self.out.truncate(start);
        }
    }

    /// An item of the record, or a table of items.
    fn item(&mut self, indent: usize, field: &Field, source: &str) {
        if field.occurs.is_none() {
            return self.value(indent, field, &field.cobol, source);
        }
        self.line(indent, &format!("- {}:", yaml(&field.cobol)));
        let (path, inner) = self.each(field, source, indent);
        let text = if field.is_number {
            format!("expression: {}", yaml(&path))
        } else {
            format!("template: {}", yaml(&format!("{{{{{path}}}}}")))
        };
        self.line(inner, &text);
    }

    /// Opens the `foreach` of a table. Returns the path of an item and the
    /// indentation below.
    fn each(&mut self, field: &Field, path: &str, indent: usize) -> (String, usize) {
        if field.occurs.is_none() {
            return (path.to_owned(), indent + 4);
        }
        self.line(indent + 4, "foreach:");
        self.line(indent + 6, &format!("input: {}", yaml(path)));
        ("$item".to_owned(), indent + 6)
    }

    /// A field of the record to the response.
    fn show(&mut self, field: &Field, parent: &[String], from: &str, indent: usize) {
        if !field.included {
            return;
        }
        let names = [parent, std::slice::from_ref(&field.json)].concat();
        let own = format!("{from}.{}", quoted(&field.cobol));
        let change = self.mapping.and_then(|m| m.change(&names)).cloned();
        if change == Some(MappingChange::Removed) {
            return;
        }
        if field.children.is_empty() {
            let source = match change {
                Some(MappingChange::Assigned(text)) => text,
                _ => self.trimmed(field, &own),
            };
            self.line(indent, &format!("- {}:", yaml(&field.json)));
            let (path, inner) = match field.occurs {
                Some(_) => {
                    let (item, inner) = self.each(field, &own, indent);
                    (self.trimmed(field, &item), inner)
                }
                None => (source, indent + 4),
            };
            let text = if field.is_number {
                format!("expression: {}", yaml(&path))
            } else {
                format!("template: {}", yaml(&format!("{{{{{path}}}}}")))
            };
            return self.line(inner, &text);
        }
        let start = self.out.len();
        self.line(indent, &format!("- {}:", yaml(&field.json)));
        let (path, inner) = self.each(field, &own, indent);
        self.line(inner, "mappings:");
        let body = self.out.len();
        for child in &field.children {
            self.show(child, &names, &path, inner);
        }
        if self.out.len() == body {
            self.out.truncate(start);
        }
    }

    fn trimmed(&self, field: &Field, path: &str) -> String {
        let (start, end) = (self.service.trim_leading, self.service.trim_trailing);
        match (field.is_number, start, end) {
            (true, ..) | (_, false, false) => path.to_owned(),
            (_, false, true) => format!("$replace({path}, / +$/, \"\")"),
            (_, true, false) => format!("$replace({path}, /^ +/, \"\")"),
            (_, true, true) => format!("$replace($replace({path}, /^ +/, \"\"), / +$/, \"\")"),
        }
    }
}

/// `response_NNN.yaml`: every field that clients see.
fn response(service: &ArchiveService, mapped: &OperationMapping) -> String {
    let mapping = mapped.response.as_ref();
    let mut writer = Writer {
        service,
        body: false,
        mapping,
        out: "---\nversion: 1.2\nmappings:\n".into(),
    };
    let headers: Vec<(String, String)> = mapping.map_or(Vec::new(), |m| headers(service, m));
    if !headers.is_empty() {
        writer.line(0, "- headers:");
        writer.line(4, "mappings:");
        for (name, template) in headers {
            writer.line(4, &format!("- {}:", yaml(&name)));
            writer.line(8, &format!("template: {}", yaml(&template)));
        }
    }
    writer.line(0, "- body:");
    writer.line(4, "mappings:");
    for area in &service.response.areas {
        let mut indent = 4;
        let mut names: Vec<String> = Vec::new();
        let mut around = service
            .response
            .wrapper
            .clone()
            .into_iter()
            .collect::<Vec<_>>();
        around.extend(service.channel.then(|| area.name.clone()));
        around.extend((!area.record.json.is_empty()).then(|| area.record.json.clone()));
        for name in around {
            writer.line(indent, &format!("- {}:", yaml(&name)));
            writer.line(indent + 4, "mappings:");
            indent += 4;
            names.push(name);
        }
        let from = record_path(service, area);
        for child in &area.record.children {
            writer.show(child, &names, &from, indent);
        }
    }
    writer.out
}

fn record_path(service: &ArchiveService, area: &ArchiveArea) -> String {
    let root = format!("$zosAssetResponse.{}", root(service));
    let container = if service.channel {
        format!("{root}.{}", quoted(&area.name))
    } else {
        root
    };
    format!("{container}.{}", quoted(&area.record.cobol))
}

/// Headers of the response: fixed texts, and fields of the record.
fn headers(service: &ArchiveService, mapping: &MessageMapping) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for update in &mapping.updates {
        let MappingTarget::Header(name) = &update.target else {
            continue;
        };
        let template = match &update.change {
            MappingChange::Assigned(text) => Some(text.clone()),
            MappingChange::Part(names) => {
                field_path(service, names).map(|p| format!("{{{{{p}}}}}"))
            }
            MappingChange::Removed | MappingChange::Parameter(..) => None,
        };
        all.extend(template.map(|t| (name.clone(), t)));
    }
    all
}

/// The record's path of a part that is named as clients name it.
fn field_path(service: &ArchiveService, names: &[String]) -> Option<String> {
    let side = &service.response;
    let names = match &side.wrapper {
        Some(wrapper) => names.strip_prefix(std::slice::from_ref(wrapper))?,
        None => names,
    };
    for area in &side.areas {
        let mut names = names;
        if service.channel {
            let Some(rest) = names.strip_prefix(std::slice::from_ref(&area.name)) else {
                continue;
            };
            names = rest;
        }
        if !area.record.json.is_empty() {
            names = names.strip_prefix(std::slice::from_ref(&area.record.json))?;
        }
        let mut path = record_path(service, area);
        let mut field = &area.record;
        for name in names {
            field = field.children.iter().find(|c| c.json == *name)?;
            let _ = write!(path, ".{}", quoted(&field.cobol));
        }
        return Some(path);
    }
    None
}
