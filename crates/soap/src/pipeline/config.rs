//! The configuration file of a pipeline.
//!
//! Elements may be in the namespace of the documented schema, or in none.
//! Unsupported elements (transports by name, MTOM, security) are rejected by name:
//! a message must not skip a step that its pipeline requires.

use base::Diagnostic;

use crate::addressing::AddressingVersion;
use crate::envelope::SoapVersion;
use crate::xml::{self, Limits, XmlElement};

/// Which end of a service the pipeline is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipelineRole {
    /// It receives requests.
    Provider,
    /// It sends them.
    Requester,
}

/// A pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Which end.
    pub role: PipelineRole,
    /// Message handlers in the order of the request.
    pub handlers: Vec<MessageHandler>,
    /// The last one of a provider.
    pub terminal: Option<MessageHandler>,
    /// The program of a SOAP handler; `DFHPITP` converts by the binding.
    pub application: Option<String>,
    /// Contents of `service_parameter_list`.
    pub parameters: String,
}

/// A message handler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageHandler {
    /// A program.
    Program {
        /// Its name.
        program: String,
        /// Contents of `handler_parameter_list`.
        parameters: String,
    },
    /// SOAP; for providers both versions are understood by the later one.
    Soap {
        /// The version of requests that are sent, and the latest received.
        version: SoapVersion,
        /// Programs for header blocks.
        headers: Vec<HeaderProgram>,
        /// WS-Addressing, where the handler does it.
        addressing: Option<AddressingConfig>,
    },
    /// JSON, as a provider's terminal handler.
    Json,
}

/// WS-Addressing in a SOAP handler: the header program DFHWSADH, or the element
/// `addressing`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressingConfig {
    /// The editions that are understood; a requester writes the first.
    pub editions: Vec<AddressingVersion>,
    /// A requester writes it even where no program has built a context.
    pub always: bool,
}

/// A program for header blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderProgram {
    /// Its name.
    pub program: String,
    /// Namespace of the blocks.
    pub namespace: String,
    /// Local name, or the start of one and a star.
    pub local: String,
    /// Called once even without such a block.
    pub mandatory: bool,
}

impl HeaderProgram {
    /// Whether a block is for it.
    pub fn takes(&self, namespace: &str, name: &str) -> bool {
        self.namespace == namespace
            && match self.local.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == self.local,
            }
    }
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// The mistake, and its place.
    pub fn parse(text: &str) -> Result<Config, Diagnostic> {
        let root = xml::parse_tree(text, Limits::default())?;
        let role = match root.name.as_str() {
            "provider_pipeline" => PipelineRole::Provider,
            "requester_pipeline" => PipelineRole::Requester,
            other => {
                let reason = format!(
                    "the root element is {other}; expected provider_pipeline or \
                        requester_pipeline"
                );
                return Err(root.mistake(reason));
            }
        };
        let mut config = Config {
            role,
            handlers: Vec::new(),
            terminal: None,
            application: None,
            parameters: String::new(),
        };
        for child in &root.children {
            match child.name.as_str() {
                "transport" => config.transport(child)?,
                "service" => config.service(child)?,
                "apphandler" => config.application = Some(program(child, &child.text)?),
                "service_parameter_list" => config.parameters = contents(child),
                other => return Err(child.mistake(unknown(other, &root.name))),
            }
        }
        match (role, &config.terminal) {
            (PipelineRole::Provider, None) => {
                Err(root.mistake("a provider needs a terminal_handler"))
            }
            (PipelineRole::Requester, Some(_)) => {
                Err(root.mistake("a requester has no terminal_handler; remove it"))
            }
            _ => Ok(config),
        }
    }

    /// Whether its messages are JSON.
    pub fn is_json(&self) -> bool {
        let mut handlers = self.handlers.iter().chain(&self.terminal);
        handlers.any(|handler| *handler == MessageHandler::Json)
    }

    /// The programs that it names: handlers, programs for header blocks, and
    /// the application unless that is `DFHPITP`.
    pub fn programs(&self) -> impl Iterator<Item = &str> {
        let handlers = self.handlers.iter().chain(&self.terminal);
        let named = handlers.flat_map(|handler| match handler {
            MessageHandler::Program { program, .. } => vec![program.as_str()],
            MessageHandler::Soap { headers, .. } => {
                headers.iter().map(|h| h.program.as_str()).collect()
            }
            MessageHandler::Json => Vec::new(),
        });
        let application = self.application.as_deref();
        named.chain(application.filter(|name| *name != CONVERTER))
    }

    fn transport(&mut self, transport: &XmlElement) -> Result<(), Diagnostic> {
        for list in &transport.children {
            match list.name.as_str() {
                "default_transport_handler_list" | "default_http_transport_handler_list" => {
                    for child in &list.children {
                        let handler = self.handler(child, false)?;
                        self.handlers.push(handler);
                    }
                }
                other => return Err(list.mistake(unknown(other, "transport"))),
            }
        }
        Ok(())
    }

    fn service(&mut self, service: &XmlElement) -> Result<(), Diagnostic> {
        for child in &service.children {
            match child.name.as_str() {
                "service_handler_list" => {
                    for one in &child.children {
                        let handler = self.handler(one, false)?;
                        self.handlers.push(handler);
                    }
                }
                "terminal_handler" => match &child.children[..] {
                    [one] => self.terminal = Some(self.handler(one, true)?),
                    _ => return Err(child.mistake("a terminal_handler must contain one handler")),
                },
                other => return Err(child.mistake(unknown(other, "service"))),
            }
        }
        Ok(())
    }

    fn handler(&self, from: &XmlElement, terminal: bool) -> Result<MessageHandler, Diagnostic> {
        let version = match from.name.as_str() {
            "handler" => return program_handler(from),
            "cics_soap_1.1_handler" | "cics_soap_1.1_handler_java" => SoapVersion::V11,
            "cics_soap_1.2_handler" | "cics_soap_1.2_handler_java" => SoapVersion::V12,
            "cics_json_handler_java" if terminal => return Ok(MessageHandler::Json),
            other => return Err(from.mistake(unknown(other, "a list of handlers"))),
        };
        if self.role == PipelineRole::Provider && !terminal {
            let reason = "a provider's SOAP handler must be its terminal_handler";
            return Err(from.mistake(reason));
        }
        let mut headers = Vec::new();
        let mut addressing: Option<AddressingConfig> = None;
        let mut add = |edition, always| {
            let place = addressing.get_or_insert(AddressingConfig {
                editions: Vec::new(),
                always: false,
            });
            place.always |= always;
            if !place.editions.contains(&edition) {
                place.editions.push(edition);
            }
        };
        for child in &from.children {
            match child.name.as_str() {
                "headerprogram" => match header_program(child)? {
                    Header::Program(program) => headers.push(program),
                    Header::Addressing(edition, always) => add(edition, always),
                },
                // It says where Java runs, which nothing here needs.
                "jvmserver" | "repository" => {}
                "addressing" => add(edition_of(child)?, true),
                other => return Err(child.mistake(unknown(other, &from.name))),
            }
        }
        Ok(MessageHandler::Soap {
            version,
            headers,
            addressing,
        })
    }
}

fn program_handler(from: &XmlElement) -> Result<MessageHandler, Diagnostic> {
    let named = from.children.iter().find(|c| c.name == "program");
    let Some(named) = named else {
        return Err(from.mistake("a handler needs its program"));
    };
    let name = program(named, &named.text)?;
    if name == "DFHPIJT" {
        return Ok(MessageHandler::Json);
    }
    let list = from
        .children
        .iter()
        .find(|c| c.name == "handler_parameter_list");
    Ok(MessageHandler::Program {
        program: name,
        parameters: list.map(contents).unwrap_or_default(),
    })
}

/// The header program of CICS for WS-Addressing.
const DFHWSADH: &str = "DFHWSADH";

/// An element of a `headerprogram`.
enum Header {
    Program(HeaderProgram),
    /// DFHWSADH, and whether it is mandatory.
    Addressing(AddressingVersion, bool),
}

/// The edition that the element `addressing` names, or the recommendation.
fn edition_of(from: &XmlElement) -> Result<AddressingVersion, Diagnostic> {
    match from.children.iter().find(|c| c.name == "namespace") {
        None => Ok(AddressingVersion::default()),
        Some(named) => edition(named, named.text.trim()),
    }
}

fn edition(at: &XmlElement, namespace: &str) -> Result<AddressingVersion, Diagnostic> {
    AddressingVersion::of(namespace).ok_or_else(|| {
        let [new, old] = AddressingVersion::ALL.map(AddressingVersion::namespace);
        let reason =
            format!("{namespace:?} is not a namespace of WS-Addressing; use {new} or {old}");
        at.mistake(reason)
    })
}

fn header_program(from: &XmlElement) -> Result<Header, Diagnostic> {
    let text = |name: &str| {
        let child = from.children.iter().find(|c| c.name == name);
        child.map(|c| c.text.trim().to_owned())
    };
    let (Some(name), Some(namespace), Some(local)) =
        (text("program_name"), text("namespace"), text("localname"))
    else {
        let reason = "a headerprogram needs program_name, namespace and localname";
        return Err(from.mistake(reason));
    };
    let mandatory = matches!(text("mandatory").as_deref(), Some("true" | "1"));
    if name == DFHWSADH {
        if local != "*" {
            let reason =
                "DFHWSADH handles all header blocks of its namespace: its localname must be *";
            return Err(from.mistake(reason));
        }
        return Ok(Header::Addressing(edition(from, &namespace)?, mandatory));
    }
    Ok(Header::Program(HeaderProgram {
        program: program(from, &name)?,
        namespace,
        local,
        mandatory,
    }))
}

fn program(at: &XmlElement, name: &str) -> Result<String, Diagnostic> {
    let name = name.trim();
    if (1..=8).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_graphic()) {
        Ok(name.to_owned())
    } else {
        Err(at.mistake(format!("{name:?} is not a valid program name")))
    }
}

/// The application that converts by the binding.
pub const CONVERTER: &str = "DFHPITP";

/// The elements within, as text.
fn contents(element: &XmlElement) -> String {
    let mut out = Vec::new();
    for child in &element.children {
        write(child, &mut out);
    }
    if out.is_empty() {
        element.text.trim().to_owned()
    } else {
        String::from_utf8(out).unwrap_or_default()
    }
}

fn write(element: &XmlElement, out: &mut Vec<u8>) {
    out.push(b'<');
    out.extend_from_slice(element.name.as_bytes());
    for (key, value) in &element.attributes {
        out.push(b' ');
        out.extend_from_slice(key.as_bytes());
        xml::push_attribute(out, value);
    }
    out.push(b'>');
    let _ = xml::escape(out, element.text.trim());
    for child in &element.children {
        write(child, out);
    }
    out.extend_from_slice(format!("</{}>", element.name).as_bytes());
}

fn unknown(name: &str, within: &str) -> String {
    format!("{name} in {within} is not supported; remove it if messages may go without it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addressing_is_read_from_both_its_forms_and_refused_with_its_line() {
        let read = |inside: &str| {
            let text = format!(
                "<provider_pipeline xmlns='http://www.ibm.com/software/htp/cics/pipeline'>
                <service><terminal_handler><cics_soap_1.2_handler>
                {inside}
                </cics_soap_1.2_handler></terminal_handler></service>
                <apphandler>DFHPITP</apphandler></provider_pipeline>"
            );
            Config::parse(&text).map(|config| match config.terminal {
                Some(MessageHandler::Soap { addressing, .. }) => addressing,
                _ => None,
            })
        };
        let header = |edition: AddressingVersion, local: &str| {
            format!(
                "<headerprogram><program_name>DFHWSADH</program_name>\
                 <namespace>{}</namespace><localname>{local}</localname>\
                 <mandatory>true</mandatory></headerprogram>",
                edition.namespace()
            )
        };
        let both = AddressingVersion::ALL.map(|e| header(e, "*")).concat();
        let addressing = read(&both).unwrap().unwrap();
        assert_eq!((addressing.editions.len(), addressing.always), (2, true));
        let element = read("<addressing/>").unwrap().unwrap();
        assert_eq!(element.editions, [AddressingVersion::Recommendation]);
        assert_eq!(read("").unwrap(), None);
        for wrong in [
            header(AddressingVersion::Recommendation, "To"),
            "<addressing><namespace>urn:a</namespace></addressing>".to_owned(),
        ] {
            let said = read(&wrong).unwrap_err().to_string();
            assert!(said.starts_with("3:"), "{said}");
        }
    }

    #[test]
    fn the_documented_forms_are_read() {
        let config = Config::parse(
            "<?xml version='1.0' encoding='EBCDIC-CP-US'?>
            <provider_pipeline xmlns='http://www.ibm.com/software/htp/cics/pipeline'>
              <service>
                <service_handler_list>
                  <handler><program>LOGGER</program>
                    <handler_parameter_list><to>Q1</to></handler_parameter_list></handler>
                </service_handler_list>
                <terminal_handler>
                  <cics_soap_1.2_handler>
                    <headerprogram><program_name>AUDIT</program_name>
                      <namespace>urn:a</namespace><localname>tx*</localname>
                      <mandatory>true</mandatory></headerprogram>
                  </cics_soap_1.2_handler>
                </terminal_handler>
              </service>
              <apphandler>DFHPITP</apphandler>
            </provider_pipeline>",
        )
        .unwrap();
        assert_eq!(config.application.as_deref(), Some("DFHPITP"));
        let MessageHandler::Program {
            program,
            parameters,
        } = &config.handlers[0]
        else {
            panic!("a program")
        };
        assert_eq!(
            (program.as_str(), parameters.as_str()),
            ("LOGGER", "<to>Q1</to>")
        );
        let Some(MessageHandler::Soap {
            version, headers, ..
        }) = &config.terminal
        else {
            panic!("a SOAP handler")
        };
        assert_eq!(*version, SoapVersion::V12);
        assert!(headers[0].takes("urn:a", "txid") && !headers[0].takes("urn:b", "txid"));
        assert!(headers[0].mandatory);
    }

    #[test]
    fn what_is_not_supported_is_refused_with_its_line() {
        let wsse = "<requester_pipeline>\n<service><service_handler_list>\n<wsse_handler/>\
                    </service_handler_list></service></requester_pipeline>";
        let error = Config::parse(wsse).unwrap_err().to_string();
        assert!(error.starts_with("3:1: error: wsse_handler"), "{error}");
        for wrong in [
            "<pipeline/>",
            "<provider_pipeline/>",
            "<provider_pipeline><service><terminal_handler/></service></provider_pipeline>",
            "<requester_pipeline><service><terminal_handler><handler><program>A</program>\
             </handler></terminal_handler></service></requester_pipeline>",
            "<requester_pipeline><service><service_handler_list><handler><program>TOOLONGNAME\
             </program></handler></service_handler_list></service></requester_pipeline>",
        ] {
            assert!(Config::parse(wrong).is_err(), "{wrong}");
        }
    }
}
