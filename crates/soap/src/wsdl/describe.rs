//! From copybooks to a description: elements by the rules of mapping level 1.
//!
//! | COBOL | element |
//! |---|---|
//! | name | the same, hyphens as underscores, `_` before a digit |
//! | group | complex type, its items in sequence |
//! | `PIC X(n)` | `xsd:string`, `maxLength` n |
//! | `PIC S9(n)` and the like | `xsd:short`, `int`, `long` or `integer`, unsigned without S, `totalDigits` |
//! | `PIC S9(m)V9(n)` | `xsd:decimal`, `totalDigits` m+n, `fractionDigits` n |
//! | COMP-1, COMP-2 | `xsd:float`, `xsd:double` |
//! | numeric-edited | `xsd:string` |
//! | `OCCURS n` | `minOccurs` and `maxOccurs` n |
//! | `OCCURS m TO n` | `minOccurs` m, `maxOccurs` n; the counter may be left out |
//! | level 88 | named in the element's documentation |
//! | FILLER, REDEFINES | nothing; the item that is redefined stands |

use super::write;
use crate::binding::{
    MAPPING_LEVEL, MessageLayout, Node, ProgramInterface, ServiceBinding, TextForm, VERSION,
};
use base::{Diagnostic, Severity};
use copybook::{FieldId, FieldKind, JsonNames, NamingStyle, ParseOptions, RecordLayout};

/// The options of a description in addition to the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceOptions {
    /// The program, which names everything that is not named otherwise.
    pub program: String,
    /// Name of the operation; without one, the program's with `Operation`.
    pub operation: Option<String>,
    /// The interface of the program.
    pub interface: ProgramInterface,
    /// Address of the service: a whole URL.
    pub address: String,
    /// Path of the service, for the binding.
    pub uri: String,
}

/// Describes a program whose request and response are these copybooks; without
/// a second one the answer has the form of the request.
///
/// # Errors
/// Faults of the copybooks.
pub fn from_copybooks(
    request: &str,
    response: Option<&str>,
    options: &ServiceOptions,
) -> Result<(String, ServiceBinding), Diagnostic> {
    let program = &options.program;
    let operation = match &options.operation {
        Some(name) => name.clone(),
        None => format!("{program}Operation"),
    };
    if !crate::codec::is_name(&operation) {
        let message = format!("{operation:?} is not a valid operation name");
        let mistake = Diagnostic::new(Severity::Error, (0, 0), message);
        return Err(mistake.with_help("begin it with a letter"));
    }
    let namespace = |what: &str| format!("http://www.{program}.{what}.com");
    let request_ns = namespace("Request");
    let response_ns = namespace("Response");
    let (request, request_layout) = structure_of(request, &operation, &request_ns)?;
    let answer = format!("{operation}Response");
    let (response, response_layout) =
        structure_of(response.unwrap_or(&request.copybook), &answer, &response_ns)?;
    let description = write::WsdlDescription {
        namespace: namespace(program),
        program,
        operation: &operation,
        address: &options.address,
        messages: [(&request, &request_layout), (&response, &response_layout)],
    };
    let actions = description.actions();
    let text = description.text(&actions);
    let binding = ServiceBinding {
        version: VERSION,
        mapping_level: MAPPING_LEVEL.into(),
        service: format!("{program}Service"),
        operation,
        action: String::new(),
        addressing: Some(actions),
        program: Some(program.clone()),
        interface: options.interface.clone(),
        methods: Vec::new(),
        uri: options.uri.clone(),
        request,
        response: Some(response),
    };
    Ok((text, binding))
}

/// A message that is a copybook's first record: its items become the elements
/// within an element of this name, all in one namespace.
///
/// # Errors
/// Faults of the copybook.
pub fn structure_of(
    copybook: &str,
    element: &str,
    namespace: &str,
) -> Result<(MessageLayout, RecordLayout), Diagnostic> {
    let parsed = copybook::parse(copybook, &ParseOptions::default());
    let wrong = |message: String| Diagnostic::new(Severity::Error, (0, 0), message);
    let mut layouts = parsed.map_err(|e| wrong(e.to_string()))?;
    if layouts.is_empty() {
        return Err(wrong("the copybook has no record".into()));
    }
    let layout = layouts.swap_remove(0);
    let names = JsonNames::new(&layout, NamingStyle::JsonSafe { lowercase: false });
    let mut walk = Walk {
        layout: &layout,
        names: &names,
        namespace,
    };
    let mut root = walk.node(RecordLayout::RECORD, element.to_owned());
    root.min = 1;
    let structure = MessageLayout {
        copybook: copybook.to_owned(),
        root,
    };
    Ok((structure, layout))
}

struct Walk<'a> {
    layout: &'a RecordLayout,
    names: &'a JsonNames,
    namespace: &'a str,
}

impl Walk<'_> {
    fn node(&mut self, id: FieldId, name: String) -> Node {
        let field = &self.layout[id];
        let (mut min, mut max) = field.occurs.as_ref().map_or((1, 1), |o| (o.min, o.max));
        if self.counts(id) {
            min = 0;
        }
        if id == RecordLayout::RECORD {
            (min, max) = (1, 1);
        }
        let mut children = Vec::new();
        for &child in &field.children {
            if self.layout[child].redefines.is_some() {
                continue;
            }
            if let Some(name) = self.names.json(child) {
                let name = name.to_owned();
                children.push(self.node(child, name));
            }
        }
        Node {
            name,
            namespace: self.namespace.to_owned(),
            min,
            max: Some(max),
            field: id.0,
            form: TextForm::Item,
            children,
            ..Node::default()
        }
    }

    /// Whether an item counts a table: then the elements do.
    fn counts(&self, id: FieldId) -> bool {
        let counter = |f: &copybook::Field| {
            f.occurs
                .as_ref()
                .is_some_and(|o| o.depending_on == Some(id))
        };
        self.layout[id].kind != FieldKind::Group && self.layout.fields.iter().any(counter)
    }
}
