//! Pipelines and web services from their definitions and files.
//!
//! CONFIGFILE, WSDIR, WSBIND and WSDLFILE are files of the application's folder
//! `services`: the path as it is written below that folder, or else its last
//! part there, so that the paths of a mainframe need no change. The binding
//! file is the one of `tupelo web service`. The configuration files that CICS
//! supplies are known by their names.
//!
//! Reference: CICS resource definition, PIPELINE and WEBSERVICE; "The pickup
//! directory"; "Pipeline configuration files".

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::{Diagnostic, Severity};
use cics::csd::{PipelineDef, UriMapDef, UriMapUsage, WebServiceDef};
use copybook::codepage::CodePage;
use soap::pipeline::{Config, PipelineRole};
use soap::{MessageCodecs, ServiceBinding};

use super::{InstalledPipeline, PipelineTable, WebService};
use crate::files::below;

/// Longest name of a web service.
const MAX_NAME: usize = 32;
/// Extension of binding files.
const BINDING: &str = "wsbind";

/// The configuration files that CICS supplies, as far as they mean something
/// here.
const SUPPLIED: [(&str, &str); 6] = [
    (
        "basicsoap11provider.xml",
        "<provider_pipeline><service><terminal_handler><cics_soap_1.1_handler/></terminal_handler>\
         </service><apphandler>DFHPITP</apphandler></provider_pipeline>",
    ),
    (
        "basicsoap12provider.xml",
        "<provider_pipeline><service><terminal_handler><cics_soap_1.2_handler/></terminal_handler>\
         </service><apphandler>DFHPITP</apphandler></provider_pipeline>",
    ),
    (
        "basicsoap11requester.xml",
        "<requester_pipeline><service><service_handler_list><cics_soap_1.1_handler/>\
         </service_handler_list></service></requester_pipeline>",
    ),
    (
        "basicsoap12requester.xml",
        "<requester_pipeline><service><service_handler_list><cics_soap_1.2_handler/>\
         </service_handler_list></service></requester_pipeline>",
    ),
    (
        "jsonjavaprovider.xml",
        "<provider_pipeline><service><terminal_handler><cics_json_handler_java/>\
         </terminal_handler></service><apphandler>DFHPITP</apphandler></provider_pipeline>",
    ),
    (
        "jsonnonjavaprovider.xml",
        "<provider_pipeline><service><terminal_handler><handler><program>DFHPIJT</program>\
         </handler></terminal_handler></service><apphandler>DFHPITP</apphandler>\
         </provider_pipeline>",
    ),
];

struct Loader<'a> {
    folder: &'a Path,
    page: CodePage,
    made: PipelineTable,
    wrong: Vec<Diagnostic>,
}

impl PipelineTable {
    /// Reads definitions and their files below `folder`; returns problems
    /// together with what could be read. `page` is the region's code page,
    /// `maps` are the defined URIMAPs.
    pub fn load(
        pipelines: &[PipelineDef],
        services: &[WebServiceDef],
        maps: &[UriMapDef],
        folder: &Path,
        page: CodePage,
    ) -> (PipelineTable, Vec<Diagnostic>) {
        let mut loader = Loader {
            folder,
            page,
            made: PipelineTable::default(),
            wrong: Vec::new(),
        };
        for def in pipelines {
            loader.pipeline(def);
        }
        for def in services {
            loader.service(def);
        }
        for def in pipelines {
            loader.pick_up(def);
        }
        loader.map(maps);
        (loader.made, loader.wrong)
    }
}

impl Loader<'_> {
    fn refuse(&mut self, file: Option<&Path>, line: usize, message: String, help: &str) {
        let line = u32::try_from(line).unwrap_or(0);
        self.wrong.push(
            Diagnostic::new(Severity::Error, (line, 0), message)
                .in_file(file.unwrap_or(Path::new("")))
                .maybe_help((!help.is_empty()).then(|| help.to_owned())),
        );
    }

    /// A file or folder by its path below the folder, or by its last part.
    fn find(&self, path: &str) -> Option<PathBuf> {
        let last = path.trim_end_matches('/').rsplit('/').next();
        let places = [Some(path.trim_end_matches('/')), last];
        let mut found = places
            .into_iter()
            .flatten()
            .filter_map(|name| below(self.folder, name));
        found.find(|path| path.exists())
    }

    fn pipeline(&mut self, def: &PipelineDef) {
        let (file, text) = match self.find(&def.config_file) {
            Some(file) => match sources::read_to_string(&file) {
                Ok(text) => (Some(file), text),
                Err(error) => {
                    let message = format!(
                        "PIPELINE({}): its configuration file cannot be read: {error}",
                        def.name
                    );
                    return self.refuse(Some(&file), 0, message, "");
                }
            },
            None => match supplied(&def.config_file) {
                Some(text) => (None, text.to_owned()),
                None => {
                    let message = format!(
                        "PIPELINE({}): no configuration file {} in {}",
                        def.name,
                        def.config_file,
                        self.folder.display()
                    );
                    let help = "create it, or name one that CICS supplies, such as \
                        basicsoap11provider.xml";
                    return self.refuse(None, 0, message, help);
                }
            },
        };
        match Config::parse(&text) {
            Ok(config) => {
                let installed = InstalledPipeline {
                    name: def.name.clone(),
                    def: def.clone(),
                    enabled: def.enabled,
                    config: Arc::new(config),
                    wait_s: def.wait_s,
                };
                let pipelines = &mut self.made.pipelines;
                pipelines.insert(def.name.clone(), Arc::new(installed));
            }
            Err(mut mistake) => {
                mistake.message = format!("PIPELINE({}): {}", def.name, mistake.message);
                self.wrong.push(mistake.in_file(file.unwrap_or_default()));
            }
        }
    }

    fn service(&mut self, def: &WebServiceDef) {
        let Some(file) = self.find(&def.binding) else {
            let message = format!(
                "WEBSERVICE({}): no binding file {} in {}",
                def.name,
                def.binding,
                self.folder.display()
            );
            let help =
                "generate one with `tupelo web service wsdl` or `tupelo web service copybook`";
            return self.refuse(None, 0, message, help);
        };
        if !self.made.pipelines.contains_key(&def.pipeline) {
            let message = format!(
                "WEBSERVICE({}): PIPELINE({}) is not defined or cannot be used",
                def.name, def.pipeline
            );
            return self.refuse(None, 0, message, "");
        }
        let description = def.description.as_deref().and_then(|path| self.find(path));
        if def.description.is_some() && description.is_none() {
            let message = format!("WEBSERVICE({}): its WSDLFILE does not exist", def.name);
            self.refuse(None, 0, message, "remove WSDLFILE, or create the file");
        }
        self.bind(&def.name, &def.pipeline, &file, description);
    }

    /// The binding files of a pickup directory.
    fn pick_up(&mut self, def: &PipelineDef) {
        let Some(directory) = &def.directory else {
            return;
        };
        if !self.made.pipelines.contains_key(&def.name) {
            return;
        }
        let Some(folder) = self.find(directory).filter(|path| path.is_dir()) else {
            let message = format!(
                "PIPELINE({}): its WSDIR {directory} is not a folder in {}",
                def.name,
                self.folder.display()
            );
            return self.refuse(None, 0, message, "create the folder, or remove WSDIR");
        };
        let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
            .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
            .unwrap_or_default();
        files.retain(|path| path.extension().is_some_and(|e| e == BINDING));
        files.sort();
        for file in files {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            if name.len() > MAX_NAME {
                let message = format!("the name is longer than {MAX_NAME} characters");
                self.refuse(Some(&file), 0, message, "");
                continue;
            }
            // A definition takes precedence over a file of its name.
            if !self.made.services.contains_key(&*name) {
                self.bind(&name, &def.name, &file, None);
            }
        }
    }

    fn bind(&mut self, name: &str, pipeline: &str, file: &Path, description: Option<PathBuf>) {
        let made = sources::read_to_string(file)
            .map_err(|e| e.to_string())
            .and_then(|text| ServiceBinding::parse(&text).map_err(|e| e.to_string()))
            .and_then(|binding| {
                let conversions = MessageCodecs::build(&binding, self.page);
                conversions.map(|c| (binding, c)).map_err(|e| e.to_string())
            });
        let (binding, conversions) = match made {
            Ok(made) => made,
            Err(why) => {
                let message = format!("WEBSERVICE({name}): {why}");
                return self.refuse(Some(file), 0, message, "");
            }
        };
        let provides = self.made.pipelines[pipeline].config.role == PipelineRole::Provider;
        if provides && binding.program.is_none() {
            let message = format!("WEBSERVICE({name}): its binding does not name a program");
            let help = "generate a provider's binding with `tupelo web service wsdl --program \
                NAME`; `tupelo web service copybook` takes --program too";
            return self.refuse(Some(file), 0, message, help);
        }
        let description = description.or_else(|| {
            let wsdl = file.with_extension("wsdl");
            wsdl.is_file().then_some(wsdl)
        });
        let shown = |path: &Path| {
            let path = path.strip_prefix(self.folder).unwrap_or(path);
            path.to_string_lossy().into_owned()
        };
        let paths = (
            shown(file),
            description.as_deref().map(shown).unwrap_or_default(),
        );
        let service = WebService {
            name: name.to_owned(),
            pipeline: pipeline.to_owned(),
            binding,
            conversions,
            description: description.and_then(|path| sources::read(&path).ok()),
            paths,
        };
        let services = &mut self.made.services;
        services.insert(name.to_owned(), Arc::new(service));
    }

    /// Defines maps for providers whose path has no URIMAP.
    fn map(&mut self, defined: &[UriMapDef]) {
        let mut services: Vec<_> = self.made.services.values().cloned().collect();
        services.sort_by(|a, b| a.name.cmp(&b.name));
        for service in services {
            let installed = &self.made.pipelines[&service.pipeline];
            let path = service.binding.uri.as_str();
            let known = defined.iter().chain(&self.made.maps);
            let taken = known.into_iter().any(|map| map.path == path);
            if installed.config.role != PipelineRole::Provider || !path.starts_with('/') || taken {
                continue;
            }
            let number = self.made.maps.len() + 1;
            self.made.maps.push(UriMapDef {
                name: format!("${number:06}"),
                group: installed.def.group,
                line: 0,
                enabled: true,
                usage: UriMapUsage::Pipeline {
                    service: None,
                    pipeline: service.pipeline.clone(),
                    web_service: Some(service.name.clone()),
                    transaction: None,
                },
                secure: false,
                port: None,
                host: "*".to_owned(),
                path: path.to_owned(),
                media_type: String::new(),
                character_set: String::new(),
                host_code_page: String::new(),
                user_id: None,
                socket_close_s: 0,
                basic: false,
                certificate: None,
            });
        }
    }
}

fn supplied(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut all = SUPPLIED.iter();
    all.find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(csd: &str, files: &[(&str, &str)]) -> (PipelineTable, Vec<Diagnostic>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let csd = cics::csd::parse(csd);
        assert!(!csd.has_errors(), "{:?}", csd.diagnostics);
        PipelineTable::load(
            &csd.pipelines,
            &csd.webservices,
            &csd.urimaps,
            folder.path(),
            CodePage::latin1(),
        )
    }

    fn binding(program: &str, uri: &str) -> String {
        let root = "{\"name\":\"R\",\"namespace\":\"urn:r\",\"field\":0,\"children\":\
                    [{\"name\":\"A\",\"namespace\":\"urn:r\",\"field\":1}]}";
        let message = format!(
            "{{\"copybook\":\"       01 R.\\n          05 A PIC X(4).\\n\",\"root\":{root}}}"
        );
        format!(
            "{{\"version\":1,\"mapping_level\":\"1\",\"service\":\"S\",\"operation\":\"O\",{program}\
             \"interface\":{{\"kind\":\"commarea\"}},\"uri\":\"{uri}\",\"request\":{message}}}"
        )
    }

    #[test]
    fn the_supplied_pipelines_need_no_file() {
        for (name, text) in SUPPLIED {
            assert!(Config::parse(text).is_ok(), "{name}");
        }
        let csd = "DEFINE PIPELINE(P) GROUP(G) CONFIGFILE(/usr/lpp/x/basicsoap11provider.xml)";
        let (made, wrong) = load(csd, &[]);
        assert!(wrong.is_empty(), "{wrong:?}");
        assert_eq!(
            made.pipeline("P").unwrap().config.role,
            PipelineRole::Provider
        );
    }

    #[test]
    fn a_pickup_directory_gives_services_and_their_maps() {
        let csd = "DEFINE PIPELINE(P) GROUP(G) CONFIGFILE(basicsoap11provider.xml) WSDIR(/u/dir)\n\
                   DEFINE URIMAP(M) GROUP(G) USAGE(PIPELINE) PATH(/two) PIPELINE(P)\n";
        let program = "\"program\":\"PROG\",";
        let (one, two) = (binding(program, "/one"), binding(program, "/two"));
        let files = [("dir/one.wsbind", one.as_str()), ("dir/two.wsbind", &two)];
        let (made, wrong) = load(csd, &files);
        assert!(wrong.is_empty(), "{wrong:?}");
        assert_eq!(made.services(), 2);
        let [map] = made.maps() else {
            panic!("{:?}", made.maps())
        };
        assert_eq!((map.path.as_str(), map.name.as_str()), ("/one", "$000001"));
    }

    #[test]
    fn errors_are_reported_with_file_and_line() {
        let csd = "DEFINE PIPELINE(NOFILE) GROUP(G) CONFIGFILE(/etc/none.xml)\n\
                   DEFINE PIPELINE(BAD) GROUP(G) CONFIGFILE(/etc/bad.xml)\n\
                   DEFINE PIPELINE(P) GROUP(G) CONFIGFILE(basicsoap11provider.xml) WSDIR(gone)\n\
                   DEFINE WEBSERVICE(S) GROUP(G) PIPELINE(P) WSBIND(s.wsbind)\n\
                   DEFINE WEBSERVICE(T) GROUP(G) PIPELINE(BAD) WSBIND(s.wsbind)\n\
                   DEFINE WEBSERVICE(U) GROUP(G) PIPELINE(P) WSBIND(u.wsbind)\n";
        let bad = "<provider_pipeline>\n<service>\n<wsse_handler/></service></provider_pipeline>";
        let no_program = binding("", "/s");
        let files = [("bad.xml", bad), ("s.wsbind", no_program.as_str())];
        let (_, wrong) = load(csd, &files);
        let all: Vec<String> = wrong
            .iter()
            .map(|w| format!("{} {}", w.line, w.message))
            .collect();
        let text = all.join("\n");
        for part in [
            "PIPELINE(NOFILE): no configuration file /etc/none.xml",
            "3 PIPELINE(BAD): wsse_handler in service is not supported",
            "PIPELINE(P): its WSDIR gone is not a folder",
            "WEBSERVICE(S): its binding does not name a program",
            "WEBSERVICE(T): PIPELINE(BAD) is not defined or cannot be used",
            "WEBSERVICE(U): no binding file u.wsbind",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}
