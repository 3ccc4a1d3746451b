//! The SOAP handlers' work on messages.

use super::config::{AddressingConfig, HeaderProgram};
use super::headers::Headers;
use super::machine::{Pipeline, PipelineError};
use super::names;
use crate::envelope::{self, Envelope, Fault, FaultCode, SoapVersion};

impl Pipeline {
    /// A provider's request: the body and its declarations into containers, a
    /// call for each header block. The fault is for the sender.
    pub(super) fn open_request(
        &mut self,
        latest: SoapVersion,
        programs: &[HeaderProgram],
        addressing: Option<&AddressingConfig>,
    ) -> Result<(), Fault> {
        let message = self.containers.remove(names::REQUEST).unwrap_or_default();
        self.version = match self.request_version {
            Some(SoapVersion::V11) => SoapVersion::V11,
            _ => latest,
        };
        let text = std::str::from_utf8(&message)
            .map_err(|_| Fault::new(FaultCode::Sender, "the message is not in UTF-8"))?;
        let envelope = Envelope::parse(text, self.limits).map_err(|e| {
            if text.contains(SoapVersion::V11.namespace()) {
                // Its sender would not understand the later version.
                self.version = SoapVersion::V11;
            }
            e.fault()
        })?;
        if latest == SoapVersion::V11 && envelope.version == SoapVersion::V12 {
            let reason = "this service supports SOAP 1.1 only";
            return Err(Fault::new(FaultCode::VersionMismatch, reason));
        }
        self.version = envelope.version;
        let mut known = match addressing {
            Some(addressing) => self.take_request_addressing(addressing, &envelope)?,
            None => Vec::new(),
        };
        let mut headers = Headers::default();
        for program in programs {
            let taken = envelope.headers.iter();
            let taken = taken
                .filter(|h| h.is_for_ultimate_receiver() && program.takes(&h.namespace, &h.name));
            let mut blocks = Vec::new();
            for header in taken {
                known.push((header.namespace.clone(), header.name.clone()));
                blocks.push(&text[header.span.clone()]);
            }
            headers.received(program, &blocks);
        }
        if let Some(header) = envelope.not_understood(&known).first() {
            let reason = format!(
                "the header block {{{}}}{} is not understood",
                header.namespace, header.name
            );
            return Err(Fault::new(FaultCode::MustUnderstand, reason));
        }
        self.headers = headers;
        if let Some((_, operation)) = &envelope.payload {
            self.put(names::OPERATION, operation.clone().into_bytes());
        }
        self.put(names::BODY, envelope.body_text().as_bytes().to_vec());
        self.put(names::XMLNS, envelope.scopes.to_attributes().into_bytes());
        self.put(
            names::LEVEL,
            envelope.version.level().to_be_bytes().to_vec(),
        );
        Ok(())
    }

    /// A provider's response: DFHWS-BODY in an envelope.
    pub(super) fn close_response(&mut self) {
        let addressing = self.response_blocks(None);
        let message = self.wrapped(&addressing);
        self.put(names::RESPONSE, message);
    }

    /// A requester's request.
    pub(super) fn close_request(&mut self, addressing: Option<&AddressingConfig>) {
        let addressing = addressing.map(|config| self.request_blocks(config));
        let message = self.wrapped(&addressing.unwrap_or_default());
        self.put(names::REQUEST, message);
        self.put(names::LEVEL, self.version.level().to_be_bytes().to_vec());
    }

    /// A provider's fault as a message.
    pub(super) fn fault_envelope(&self, fault: &Fault) -> Vec<u8> {
        let blocks = self.response_blocks(Some(fault));
        let blocks: Vec<&str> = blocks.iter().map(String::as_str).collect();
        let declared = match self.addressing_namespace() {
            Some(namespace) => format!("xmlns:wsa=\"{namespace}\""),
            None => String::new(),
        };
        let mut message = Vec::new();
        envelope::open(&mut message, self.version, &blocks, &declared);
        let own = fault
            .subcodes
            .last()
            .filter(|code| code.starts_with("wsa:"));
        match (self.version, own) {
            // Version 1.1 has the code itself in the place of the sender's.
            (SoapVersion::V11, Some(code)) => {
                let mut fault = fault.clone();
                fault.code = FaultCode::Other(code.clone());
                fault.write(&mut message, self.version);
            }
            _ => fault.write(&mut message, self.version),
        }
        envelope::close(&mut message);
        message
    }

    fn wrapped(&mut self, addressing: &[String]) -> Vec<u8> {
        let body = self.containers.remove(names::BODY).unwrap_or_default();
        self.containers.remove(names::XMLNS);
        let blocks = addressing.iter().chain(&self.headers.blocks);
        let blocks: Vec<&str> = blocks.map(String::as_str).collect();
        let mut message = Vec::with_capacity(body.len() + 300);
        envelope::open(&mut message, self.version, &blocks, "");
        message.extend_from_slice(&body);
        envelope::close(&mut message);
        message
    }

    /// A requester's response: the body, or a fault.
    pub(super) fn open_response(&mut self, addressing: bool) -> Result<(), PipelineError> {
        let message = self.containers.remove(names::RESPONSE).unwrap_or_default();
        let wrong = |e: &dyn std::fmt::Display| {
            PipelineError::Answer(format!("its answer cannot be read: {e}"))
        };
        let text = std::str::from_utf8(&message).map_err(|e| wrong(&e))?;
        let envelope = Envelope::parse(text, self.limits).map_err(|e| wrong(&e))?;
        let known = if addressing {
            self.take_response_addressing(&envelope)
        } else {
            Ok(Vec::new())
        };
        let known = known.map_err(|e| wrong(&e))?;
        if let Some(header) = envelope.not_understood(&known).first() {
            return Err(wrong(&format!(
                "the header block {} is not understood",
                header.name
            )));
        }
        self.fault = Fault::parse(&envelope).map_err(|e| wrong(&e))?;
        self.put(names::BODY, envelope.body_text().as_bytes().to_vec());
        self.put(names::XMLNS, envelope.scopes.to_attributes().into_bytes());
        Ok(())
    }
}
