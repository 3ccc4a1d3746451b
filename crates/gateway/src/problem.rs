//! Problem documents: what a client gets when a request cannot be served.
//!
//! Reference: RFC 9457. In addition to the members of the RFC a document may
//! have `errors`, one entry a fault with the parameter or JSON pointer and the
//! COBOL field it is about, and the abend code and program of a task.

use crate::json::write_string;
use http::{HeaderValue, StatusCode};

/// One fault of a request or of a program's reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fault {
    /// JSON pointer into the request body.
    pub pointer: Option<String>,
    /// Name of a path, query, header or cookie parameter.
    pub parameter: Option<String>,
    /// Container of a channel.
    pub container: Option<String>,
    /// COBOL field, from the record down.
    pub field: Option<String>,
    /// Offset of the field in its record.
    pub offset: Option<usize>,
    pub message: String,
}

/// A problem document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProblemDocument {
    pub status: StatusCode,
    pub title: &'static str,
    pub detail: String,
    pub errors: Vec<Fault>,
    /// Abend code and program of a task that ended abnormally.
    pub abend: Option<Box<(String, String)>>,
    /// Seconds for `Retry-After`.
    pub retry_after: Option<u32>,
    /// Methods for `Allow`.
    pub allow: Option<Box<HeaderValue>>,
    /// Values of `WWW-Authenticate`.
    pub challenges: Vec<HeaderValue>,
}

// Cold: keeps the code of the usual path close together.
impl ProblemDocument {
    #[cold]
    pub fn new(
        status: StatusCode,
        title: &'static str,
        detail: impl Into<String>,
    ) -> ProblemDocument {
        ProblemDocument {
            status,
            title,
            detail: detail.into(),
            errors: Vec::new(),
            abend: None,
            retry_after: None,
            allow: None,
            challenges: Vec::new(),
        }
    }

    /// 400 with its faults.
    #[cold]
    pub fn invalid(errors: Vec<Fault>) -> ProblemDocument {
        let detail = match errors.as_slice() {
            [one] => one.message.clone(),
            many => format!("{} values are not acceptable", many.len()),
        };
        let title = "The request does not match the API";
        ProblemDocument {
            errors,
            ..ProblemDocument::new(StatusCode::BAD_REQUEST, title, detail)
        }
    }

    /// The document's text.
    pub fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(256);
        out.extend_from_slice(b"{\"type\":\"about:blank\",\"title\":");
        write_string(self.title, &mut out);
        out.extend_from_slice(format!(",\"status\":{}", self.status.as_u16()).as_bytes());
        if !self.detail.is_empty() {
            member("detail", &self.detail, &mut out);
        }
        if let Some((code, program)) = self.abend.as_deref() {
            member("abendCode", code, &mut out);
            member("program", program, &mut out);
        }
        if !self.errors.is_empty() {
            out.extend_from_slice(b",\"errors\":[");
            for (i, fault) in self.errors.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                fault.write(&mut out);
            }
            out.push(b']');
        }
        out.push(b'}');
        out
    }
}

impl Fault {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"message\":");
        write_string(&self.message, out);
        for (name, value) in [
            ("pointer", &self.pointer),
            ("parameter", &self.parameter),
            ("container", &self.container),
            ("field", &self.field),
        ] {
            if let Some(value) = value {
                member(name, value, out);
            }
        }
        if let Some(offset) = self.offset {
            out.extend_from_slice(format!(",\"offset\":{offset}").as_bytes());
        }
        out.push(b'}');
    }
}

fn member(name: &str, value: &str, out: &mut Vec<u8>) {
    out.push(b',');
    write_string(name, out);
    out.push(b':');
    write_string(value, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_names_the_field() {
        let fault = Fault {
            pointer: Some("/amount".into()),
            field: Some("REC.AMOUNT".into()),
            message: "too large".into(),
            ..Fault::default()
        };
        let json: serde_json::Value =
            serde_json::from_slice(&ProblemDocument::invalid(vec![fault]).to_json()).unwrap();
        assert_eq!(json["status"], 400);
        assert_eq!(json["errors"][0]["field"], "REC.AMOUNT");
        assert_eq!(json["detail"], "too large");
    }
}
