//! Loading a project: every file is read, all findings are reported together,
//! and the served operations are compiled.
//!
//! Reference: the z/OS Connect documentation, "API project structure".

use super::asset::{self, AssetState, ProgramAsset};
use super::media::media_type;
use super::operation::{ApiOperation, BodyRule, LoadedApi, OperationHandler};
use super::structure::Limits;
use super::{folder_name, keys, liberty, read_yaml, served};
use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use crate::mapping::plan::MappingCompiler;
use crate::mapping::reads::AreaReads;
use crate::mapping::request::{self, RequestPlan};
use crate::mapping::response::{self, ResponsePlan};
use crate::mapping::tree;
use crate::openapi::{Document, OpenapiVersion, OperationObject, json_content, roles, security};
use crate::security::AvailableSchemes;
use crate::validate::params::{self, OperationParameter};
use crate::validate::schema::{SchemaId, SchemaSet};
use base::{suggestion, suggestion_or_all};
use copybook::CodePage;
use http::{HeaderValue, Method, StatusCode};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The project in `folder`. Returns `None` when its main files cannot be read.
pub(super) fn load(
    folder: &Path,
    means: AvailableSchemes,
    page: CodePage,
    out: &mut ProjectDiagnostics,
) -> Option<LoadedApi> {
    let main = folder.join("src/main");
    let main = if main.is_dir() {
        main
    } else {
        folder.to_path_buf()
    };
    let name = folder
        .file_name()
        .and_then(|n| n.to_str())
        .unwrap_or("api")
        .to_string();
    let limits = check_options(&main.join("config/options.yaml"), out);
    liberty::check(&main.join("liberty/config"), out);
    let document = Document::load(&main.join("api"), out)?;
    let assets = load_assets(&main.join("zosAssets"), (limits, page), out);
    let mut set = SchemaSet::of_2020(document.version == OpenapiVersion::V31);
    let mut operations = Vec::new();
    let folders = main.join("operations");
    let found = document.operations();
    if found.is_empty() {
        out.error(
            &document.file,
            FilePosition::default(),
            "the document has no operations",
        );
    }
    for object in &found {
        let folder = folders.join(folder_name(object.path)).join(object.method);
        let mut loader = Loader {
            document: &document,
            set: &mut set,
            assets: &assets,
            means,
            params: Vec::new(),
            out,
        };
        if let Some(operation) = loader.operation(object, &folder) {
            operations.push(operation);
        }
    }
    check_operations(&document, &found, out);
    stray_folders(&folders, &found, out);
    set.close();
    let notes = std::mem::take(&mut set.notes);
    let notes = notes.into_iter().chain(set.circles());
    for note in notes.chain(set.wrong_defaults()) {
        let places = document.places(note.keyword, &|object| note.is_about(object));
        let first = places.into_iter().next().unwrap_or_default();
        out.warn_help(&document.file, first, note.message, Some(note.help.into()));
    }
    let info = |pointer: &str| document.json.pointer(pointer).and_then(Value::as_str);
    Some(LoadedApi {
        title: info("/info/title").unwrap_or(&name).to_string(),
        version: info("/info/version").unwrap_or_default().to_string(),
        base_path: document.base_path(),
        document_json: served::document(&document, &operations, means),
        document: document.text.clone(),
        set,
        operations,
        warnings: ProjectDiagnostics::default(),
        name,
    })
}

/// Checks `options.yaml`, and returns its limits of derived structures.
fn check_options(file: &Path, out: &mut ProjectDiagnostics) -> Limits {
    let usual = Limits::default();
    if !file.is_file() {
        return usual;
    }
    let Some(node) = read_yaml(file, out) else {
        return usual;
    };
    keys::check(keys::ProjectFile::Options, file, &node, out);
    if let Some(provider) = node.get("provider")
        && !provider
            .text()
            .unwrap_or_default()
            .eq_ignore_ascii_case("CICS")
    {
        let name = provider.text().unwrap_or_default();
        let help = "only projects for CICS programs are supported";
        out.error_help(
            file,
            provider.at,
            format!("provider {name} is not supported"),
            help,
        );
    }
    let number = |name: &str| node.get(name)?.text()?.trim().parse::<u32>().ok();
    Limits {
        characters: number("defaultCharacterMaxLength").map_or(usual.characters, u64::from),
        fraction_digits: number("defaultFractionDigits").unwrap_or(usual.fraction_digits),
        ..usual
    }
}

type Assets = BTreeMap<String, Option<Result<Arc<ProgramAsset>, String>>>;

fn load_assets(
    folder: &Path,
    (limits, page): (Limits, CodePage),
    out: &mut ProjectDiagnostics,
) -> Assets {
    let mut assets = Assets::new();
    let Ok(entries) = std::fs::read_dir(folder) else {
        return assets;
    };
    let mut folders: Vec<PathBuf> = entries
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.is_dir())
        .collect();
    folders.sort();
    for folder in folders {
        let name = folder
            .file_name()
            .and_then(|n| n.to_str())
            .unwrap_or_default()
            .to_string();
        let asset = asset::load(&folder, limits, out).map(|loaded| match loaded {
            AssetState::Asset(asset) if page == CodePage::ascii() => Ok(Arc::new(*asset)),
            AssetState::Asset(asset) => asset.in_page(page).map(Arc::new),
            AssetState::Unsupported(why) => Err(why),
        });
        assets.insert(name, asset);
    }
    assets
}

/// Folders that belong to no operation of the document are a spelling mistake.
fn stray_folders(folder: &Path, known: &[OperationObject<'_>], out: &mut ProjectDiagnostics) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|e| e.path()).filter(|p| p.is_dir()) {
        let name = path
            .file_name()
            .and_then(|n| n.to_str())
            .unwrap_or_default();
        for method in std::fs::read_dir(&path).into_iter().flatten().flatten() {
            let method = method.file_name();
            let method = method.to_str().unwrap_or_default();
            let same = |o: &OperationObject<'_>| {
                o.method.eq_ignore_ascii_case(method)
                    && (folder_name(o.path).eq_ignore_ascii_case(name) || o.path == name)
            };
            if !known.iter().any(same) {
                let message = format!("the API's document has no operation {method} for this path");
                let help = "a folder is named after its operation's path, percent-encoded; \
                    remove it, or add the operation to openapi.yaml";
                let help = Some(help.to_owned());
                out.warn_help(&path.join(method), FilePosition::default(), message, help);
            }
        }
    }
}

/// Warns of operations with one name, of which commands and logs mean the
/// first, and of operations without described responses.
fn check_operations(
    document: &Document,
    found: &[OperationObject<'_>],
    out: &mut ProjectDiagnostics,
) {
    let mut named: Vec<(&str, String)> = Vec::new();
    for object in found {
        let what = format!("{} {}", object.method.to_uppercase(), object.path);
        let at = document.at(&["paths", object.path, object.method]);
        if object.object.get("responses").is_none() {
            let message = format!("{what} has no responses: its answers are not described");
            let help = Some("add responses: with '200' and its other answers".to_owned());
            out.warn_help(&document.file, at, message, help);
        }
        let id = object.object.get("operationId").and_then(Value::as_str);
        let Some(id) = id.filter(|id| !id.is_empty()) else {
            continue;
        };
        match named.iter().find(|(known, _)| *known == id) {
            Some((_, first)) => {
                let at = document.at(&["paths", object.path, object.method, "operationId"]);
                let message = format!("{what} has the operationId of {first}: {id}");
                let help = Some("give one of them another operationId".to_owned());
                out.warn_help(&document.file, at, message, help);
            }
            None => named.push((id, what)),
        }
    }
}

struct Loader<'a> {
    document: &'a Document,
    set: &'a mut SchemaSet,
    assets: &'a Assets,
    means: AvailableSchemes,
    /// Place and name of the parameters of the operation at hand.
    params: Vec<(params::ParameterPlace, String)>,
    out: &'a mut ProjectDiagnostics,
}

impl Loader<'_> {
    fn operation(&mut self, object: &OperationObject<'_>, folder: &Path) -> Option<ApiOperation> {
        let at = self.document.at(&["paths", object.path, object.method]);
        let document = &self.document.json;
        let mut params = Vec::new();
        for parameter in &object.parameters {
            match params::compile(document, parameter, self.set) {
                Some(param) => params.push(param),
                None => {
                    let message = "a parameter needs a name and a place ('in')";
                    self.out.error(&self.document.file, at, message);
                }
            }
        }
        self.check_path(object, &params, at);
        self.params = params.iter().map(|p| (p.place, p.name.clone())).collect();
        let body = object.object.get("requestBody").map(|body| {
            let body = self.document.resolve(body);
            let content = body.get("content");
            let names = content.and_then(Value::as_object).into_iter().flatten();
            BodyRule {
                required: body
                    .get("required")
                    .and_then(Value::as_bool)
                    .unwrap_or(false),
                schema: content
                    .and_then(json_content)
                    .map(|s| self.set.compile(document, s)),
                types: names.map(|(name, _)| media_type(name)).collect(),
            }
        });
        let schema = body.as_ref().map(|rule| rule.schema);
        let security = security::of_operation(self.document, object, self.means, self.out);
        let roles = roles::of_operation(self.document, object, self.means, self.out);
        let work = self.work(object, folder, at, schema)?;
        let method = Method::from_bytes(object.method.to_ascii_uppercase().as_bytes()).ok()?;
        Some(ApiOperation {
            method,
            path: object.path.to_string(),
            params,
            body,
            id: object
                .object
                .get("operationId")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            security,
            roles,
            work,
        })
    }

    /// The variables of the path and its parameters must be the same.
    fn check_path(
        &mut self,
        object: &OperationObject<'_>,
        params: &[OperationParameter],
        at: FilePosition,
    ) {
        let file = &self.document.file;
        let mut variables = Vec::new();
        let mut reported = false;
        for segment in object.path.split('/') {
            match segment.strip_prefix('{').and_then(|s| s.strip_suffix('}')) {
                Some(name) => variables.push(name),
                None if segment.contains(['{', '}']) => {
                    let message = format!("{segment}: a variable must be a whole path segment");
                    self.out.error(file, at, message);
                    reported = true;
                }
                None => {}
            }
        }
        let declared = |name: &str| {
            params
                .iter()
                .any(|p| p.place == params::ParameterPlace::Path && p.name == name)
        };
        for name in variables.iter().filter(|name| !declared(name)) {
            let message = format!("the path variable {{{name}}} has no parameter with in: path");
            let help = format!(
                "add to its parameters: {{name: {name}, in: path, required: true, schema: {{type: string}}}}"
            );
            self.out.error_help(file, at, message, help);
        }
        // A variable in a part of a segment was reported above.
        let in_part = |name: &str| reported && object.path.contains(&format!("{{{name}}}"));
        let of_path = params
            .iter()
            .filter(|p| p.place == params::ParameterPlace::Path);
        let of_path = of_path.filter(|p| !variables.contains(&p.name.as_str()));
        for param in of_path.filter(|p| !in_part(&p.name)) {
            let name = &param.name;
            let message = format!("the path has no variable {{{name}}}, but its parameters have");
            let help = suggestion(name, variables.iter().copied()).unwrap_or_else(|| {
                "a parameter with in: path must be in the path, in braces".to_owned()
            });
            self.out.error_help(file, at, message, help);
        }
    }

    /// `body` is the schema of the request's body: `None` if the operation
    /// takes no body, an empty one where the body is described by nothing.
    fn work(
        &mut self,
        object: &OperationObject<'_>,
        folder: &Path,
        at: FilePosition,
        body: Option<Option<SchemaId>>,
    ) -> Option<OperationHandler> {
        if !folder.is_dir() {
            let what = format!("{} {}", object.method.to_uppercase(), object.path);
            let shown = Path::new(&folder_name(object.path)).join(object.method);
            let message = format!(
                "{what} has no folder operations/{} and is answered with 501",
                shown.display()
            );
            let help = "add the folder's operation.yaml, request.yaml and response_mapping.yaml, \
                which name its program";
            let help = Some(help.to_owned());
            self.out.warn_help(&self.document.file, at, message, help);
            return Some(OperationHandler::Unsupported(format!(
                "{what} is not mapped to a program"
            )));
        }
        let file = folder.join("operation.yaml");
        let node = read_yaml(&file, self.out)?;
        keys::check(keys::ProjectFile::Operation, &file, &node, self.out);
        let Some(zasset) = node.get("zasset") else {
            self.out
                .error(&file, node.at, "the operation names no 'zasset'");
            return None;
        };
        let name = zasset.text().unwrap_or_default();
        let asset = match self.assets.get(name) {
            Some(Some(Ok(asset))) => asset.clone(),
            Some(Some(Err(why))) => {
                let message = format!("the asset {name} is not supported yet: {why}");
                self.out.warn(&file, zasset.at, message.clone());
                return Some(OperationHandler::Unsupported(message));
            }
            // Its own faults are reported already.
            Some(None) => return None,
            None => {
                let known: Vec<&str> = self.assets.keys().map(String::as_str).collect();
                let help = suggestion_or_all(name, &known, "there are");
                self.out
                    .error_help(&file, zasset.at, format!("no asset {name}"), help);
                return None;
            }
        };
        let request = self.request(&folder.join("request.yaml"), &asset, body);
        let responses = self.responses(object, folder, &asset);
        Some(OperationHandler::Program {
            asset,
            request: request?,
            responses: responses?,
        })
    }

    fn request(
        &mut self,
        file: &Path,
        asset: &ProgramAsset,
        body: Option<Option<SchemaId>>,
    ) -> Option<RequestPlan> {
        let nodes = if file.is_file() {
            let node = read_yaml(file, self.out)?;
            tree::read(file, &node, self.out)
        } else {
            Vec::new()
        };
        let mut compiler = MappingCompiler {
            file,
            reply: None,
            tree: None,
            body: Some(body),
            params: Some(&self.params),
            set: self.set,
            out: self.out,
        };
        Some(match &asset.api_first {
            Some(derived) => request::compile_derived(&nodes, &derived.request, &mut compiler),
            None => request::compile(&nodes, &asset.request, &mut compiler),
        })
    }

    fn responses(
        &mut self,
        object: &OperationObject<'_>,
        folder: &Path,
        asset: &ProgramAsset,
    ) -> Option<Vec<ResponsePlan>> {
        let file = folder.join("response_mapping.yaml");
        let node = read_yaml(&file, self.out)?;
        let mut plans = Vec::new();
        for (key, entry) in node.map().unwrap_or_default() {
            let name = key.text().unwrap_or_default();
            if name == "version" {
                continue;
            }
            keys::check(keys::ProjectFile::Response, &file, entry, self.out);
            let Some(status_node) = entry.get("httpStatusCode") else {
                self.out
                    .error(&file, key.at, format!("{name} has no 'httpStatusCode'"));
                continue;
            };
            let number = status_node.text().and_then(|t| t.parse::<u16>().ok());
            let status = number
                .filter(|n| *n >= 200)
                .and_then(|n| StatusCode::from_u16(n).ok());
            let Some(status) = status else {
                self.out.error(
                    &file,
                    status_node.at,
                    "expected a status code from 200 to 599",
                );
                continue;
            };
            let after: Option<&ResponsePlan> = plans.iter().find(|p: &&ResponsePlan| p.is_last());
            self.documented(object, &file, (status_node.at, status));
            let unreachable = after.map(|last| last.expects_abend);
            let entry = (&*file, key, entry);
            if let Some(plan) = self.response(object, folder, entry, status, asset, unreachable) {
                if unreachable.is_some_and(|abends| abends || !plan.expects_abend) {
                    let message =
                        format!("{name} is never the answer: an entry before it always is");
                    self.out.warn(&file, key.at, message);
                }
                plans.push(plan);
            }
        }
        if plans.is_empty() && !self.out.has_errors() {
            self.out.error(&file, node.at, "no response is mapped");
        }
        // A container whose presence any of them asks for may be missing.
        let reads: Vec<AreaReads> = plans.iter().map(AreaReads::of).collect();
        let asked: BTreeSet<usize> = reads
            .iter()
            .flat_map(|r| r.presence_checked.clone())
            .collect();
        for (plan, reads) in plans.iter_mut().zip(reads) {
            plan.needs = reads.read.difference(&asked).copied().collect();
        }
        Some(plans)
    }

    /// Warns of a success that the document does not have; errors are often not
    /// described.
    fn documented(
        &mut self,
        object: &OperationObject<'_>,
        file: &Path,
        (at, status): (FilePosition, StatusCode),
    ) {
        let responses = object.object.get("responses").and_then(Value::as_object);
        let Some(responses) = responses.filter(|map| !map.is_empty() && status.as_u16() < 400)
        else {
            return;
        };
        let class = format!("{}XX", status.as_u16() / 100);
        let has = |key: &String| {
            key == status.as_str() || key.eq_ignore_ascii_case(&class) || key == "default"
        };
        if !responses.keys().any(has) {
            let message = format!(
                "the API's document has no response {} of this operation",
                status.as_str()
            );
            let known: Vec<&str> = responses.keys().map(String::as_str).collect();
            let help = Some(format!("it has {}", known.join(", ")));
            self.out.warn_help(file, at, message, help);
        }
    }

    /// Reports an entry without its file; one that is never chosen costs nothing,
    /// so the rest of the API is served.
    fn no_mapping(
        &mut self,
        file: &Path,
        key: &crate::yaml::Node,
        unconditional: bool,
        after_last: bool,
    ) -> Option<ResponsePlan> {
        let name = key.text().unwrap_or_default();
        let help = "each entry is named after a file next to it, which maps its response";
        let message = format!("no file {name}");
        let why = if unconditional {
            "without a condition it is never chosen"
        } else if after_last {
            "an entry before it always is the answer"
        } else {
            self.out.error_help(file, key.at, message, help);
            return None;
        };
        let message = format!("{message}, and the entry is skipped: {why}");
        self.out.warn_help(file, key.at, message, Some(help.into()));
        None
    }

    fn response(
        &mut self,
        object: &OperationObject<'_>,
        folder: &Path,
        (file, key, entry): (&Path, &crate::yaml::Node, &crate::yaml::Node),
        status: StatusCode,
        asset: &ProgramAsset,
        unreachable: Option<bool>,
    ) -> Option<ResponsePlan> {
        let reply = Some(&asset.response);
        let tree = asset.api_first.as_ref().map(|derived| &derived.response);
        let asks = |text: &str| text.contains("abendCode");
        let expects_abend = status.is_server_error()
            || entry
                .get("condition")
                .and_then(|c| c.text())
                .is_some_and(asks);
        let errors = self.out.errors();
        let condition = entry.get("condition").map(|c| {
            let mut compiler = MappingCompiler {
                file,
                reply,
                tree,
                body: None,
                params: Some(&self.params),
                set: self.set,
                out: self.out,
            };
            let scope = crate::mapping::plan::ItemScope::None;
            let condition = compiler.condition(c.text().unwrap_or_default(), c.at, scope);
            let is_read = compiler.out.errors() == errors;
            if let Some(why) =
                response::never_holds(&condition, &asset.response).filter(|_| is_read)
            {
                compiler
                    .out
                    .warn(file, c.at, format!("the condition never holds: {why}"));
            }
            condition
        });
        let mapping = folder.join(key.text().unwrap_or_default());
        if !mapping.is_file() {
            let after_last = unreachable.is_some_and(|abends| abends || !expects_abend);
            return self.no_mapping(file, key, condition.is_none(), after_last);
        }
        let node = read_yaml(&mapping, self.out)?;
        let nodes = tree::read(&mapping, &node, self.out);
        let (content_type, schema) = self.response_type(object, status);
        let mut compiler = MappingCompiler {
            file: &mapping,
            reply,
            tree,
            body: None,
            params: Some(&self.params),
            set: self.set,
            out: self.out,
        };
        let (body, headers) = response::compile(&nodes, schema, &mut compiler);
        Some(ResponsePlan {
            condition,
            expects_abend,
            status,
            content_type,
            headers,
            body,
            needs: Vec::new(),
        })
    }

    /// Media type and schema that the document gives a response.
    fn response_type(
        &mut self,
        object: &OperationObject<'_>,
        status: StatusCode,
    ) -> (HeaderValue, Option<SchemaId>) {
        let plain = HeaderValue::from_static("application/json");
        let Some(content) = self
            .document
            .response_content(object.object, status.as_u16())
        else {
            return (plain, None);
        };
        let schema = json_content(content).map(|s| self.set.compile(&self.document.json, s));
        let names = content
            .as_object()
            .map(|types| types.keys().map(|n| media_type(n)));
        let json = names.and_then(|mut n| n.find(|n| n.ends_with("json") && !n.contains('*')));
        let value = json.and_then(|name| HeaderValue::from_str(&name).ok());
        (value.unwrap_or(plain), schema)
    }
}
