//! Typed definitions of web services: PIPELINE and WEBSERVICE.
//!
//! CONFIGFILE, WSDIR, WSBIND and WSDLFILE are paths of a mainframe's file
//! system; what they mean here is the reader's.
//!
//! Reference: CICS resource definition, PIPELINE and WEBSERVICE attributes.

use super::values::DefinitionValues;
use crate::names::GroupName;

/// DEFINE PIPELINE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelineDef {
    /// The definition, 1 to 8 characters.
    pub name: String,
    /// Its group.
    pub group: GroupName,
    /// Line of the definition, from 1.
    pub line: u32,
    /// STATUS(ENABLED).
    pub enabled: bool,
    /// CONFIGFILE.
    pub config_file: String,
    /// WSDIR: the folder whose binding files become web services.
    pub directory: Option<String>,
    /// RESPWAIT of a requester, in seconds; `None` for DEFT.
    pub wait_s: Option<u32>,
}

/// DEFINE WEBSERVICE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebServiceDef {
    /// The definition, 1 to 8 characters.
    pub name: String,
    /// Its group.
    pub group: GroupName,
    /// Line of the definition, from 1.
    pub line: u32,
    /// PIPELINE.
    pub pipeline: String,
    /// WSBIND.
    pub binding: String,
    /// WSDLFILE.
    pub description: Option<String>,
}

/// Longest path of a file.
const MAX_PATH: usize = 255;

impl DefinitionValues<'_> {
    pub(super) fn pipeline_definition(&mut self) -> Option<PipelineDef> {
        let name = self.name_of(8);
        let config_file = self.file_path("CONFIGFILE");
        let wait_s = match self.text("RESPWAIT").as_deref() {
            None | Some("DEFT") => None,
            Some(_) => self.number("RESPWAIT", 0..=9_999),
        };
        let def = PipelineDef {
            name: name?,
            group: self.group(),
            line: self.line(),
            enabled: self.choice("STATUS", &[("ENABLED", true), ("DISABLED", false)]),
            config_file: config_file?,
            directory: self.text("WSDIR").filter(|path| !path.is_empty()),
            wait_s,
        };
        self.done(def)
    }

    pub(super) fn web_service(&mut self) -> Option<WebServiceDef> {
        let name = self.name_of(8);
        if self.text("ARCHIVEFILE").is_some() {
            self.fail_at("ARCHIVEFILE", "ARCHIVEFILE is not supported".to_owned());
        }
        let pipeline = self.word("PIPELINE", 8);
        if pipeline.is_none() {
            self.fail_here("needs PIPELINE");
        }
        let binding = self.file_path("WSBIND");
        let def = WebServiceDef {
            name: name?,
            group: self.group(),
            line: self.line(),
            pipeline: pipeline?,
            binding: binding?,
            description: self.text("WSDLFILE").filter(|path| !path.is_empty()),
        };
        self.done(def)
    }

    /// A path that must be there.
    fn file_path(&mut self, attribute: &str) -> Option<String> {
        match self.text(attribute) {
            Some(path) if path.len() <= MAX_PATH => Some(path),
            Some(_) => {
                self.fail_at(
                    attribute,
                    format!("{attribute} is longer than {MAX_PATH} characters"),
                );
                None
            }
            None => {
                self.fail_here(&format!("needs {attribute}"));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::csd::parse;

    #[test]
    fn pipelines_and_web_services_are_read() {
        let csd = parse(
            "DEFINE PIPELINE(PROV) GROUP(G) CONFIGFILE(/etc/provider.xml) SHELF(/var/cicsts)\n\
             WSDIR(/etc/wsbind) RESPWAIT(30)\n\
             DEFINE PIPELINE(REQ) GROUP(G) CONFIGFILE(requester.xml) STATUS(DISABLED) RESPWAIT(DEFT)\n\
             DEFINE WEBSERVICE(ORDER) GROUP(G) PIPELINE(PROV) WSBIND(/etc/order.wsbind)\n\
             VALIDATION(NO)\n",
        );
        assert!(csd.diagnostics.is_empty(), "{:?}", csd.diagnostics);
        let [prov, req] = &csd.pipelines[..] else {
            panic!("two pipelines")
        };
        assert_eq!(prov.config_file, "/etc/provider.xml");
        assert_eq!(prov.directory.as_deref(), Some("/etc/wsbind"));
        assert_eq!((prov.wait_s, req.wait_s), (Some(30), None));
        assert!(prov.enabled && !req.enabled);
        assert_eq!(csd.webservices[0].binding, "/etc/order.wsbind");
        assert_eq!(csd.webservices[0].pipeline, "PROV");
    }

    #[test]
    fn missing_attributes_are_reported_with_their_line() {
        let csd = parse(
            "DEFINE PIPELINE(P) GROUP(G)\n\
             DEFINE WEBSERVICE(S) GROUP(G) WSBIND(x)\n\
             DEFINE WEBSERVICE(T) GROUP(G) PIPELINE(P)\n\
             DEFINE PIPELINE(Q) GROUP(G) CONFIGFILE(x) RESPWAIT(10000)\n",
        );
        let shown: Vec<_> = csd
            .diagnostics
            .iter()
            .map(|d| (d.line, d.message.as_str()))
            .collect();
        assert_eq!(shown.len(), 4, "{shown:?}");
        assert!(shown[0].1.contains("needs CONFIGFILE"), "{shown:?}");
        assert_eq!(shown.iter().map(|t| t.0).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert!(csd.pipelines.is_empty() && csd.webservices.is_empty());
    }
}
