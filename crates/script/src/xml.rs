//! XML for scripts: texts to trees and back.
//!
//! A tree crosses to JavaScript as JSON text, `[name, [attribute, value, …],
//! child, …]` with strings for text, which the own part makes elements of.
//! The reader is that of the crate `soap`: no document types, so no entities but
//! the five of the language and character references; elements nest [`DEEPEST`]
//! levels.
//!
//! Reference: XML 1.0 (fifth edition), sections 2.8 and 4.6.

use rquickjs::{Ctx, Function, IntoJs, Object, Result, String as JsString, Value};
use serde_json::{Value as Json, json};
use soap::xml::{Limits, Reader, ReaderEvent, StartTag};

/// Levels of elements.
const DEEPEST: usize = 200;

/// Puts the natives into the object that the own part is given.
pub fn install<'js>(ctx: &Ctx<'js>, own: &Object<'js>) -> Result<()> {
    let read = move |ctx: Ctx<'js>, text: String| -> Result<Value<'js>> {
        let _native = crate::overdue::native();
        match parse(&text) {
            Ok(tree) => JsString::from_str(ctx.clone(), &tree.to_string())?.into_js(&ctx),
            Err(wrong) => {
                let made = Object::new(ctx.clone())?;
                made.set("wrong", wrong)?;
                made.into_js(&ctx)
            }
        }
    };
    own.set("xmlRead", Function::new(ctx.clone(), read)?)
}

/// Reads a document: its root as a tree.
pub fn parse(text: &str) -> std::result::Result<Json, String> {
    let limits = Limits {
        depth: DEEPEST,
        ..Limits::default()
    };
    let reported = |error: soap::xml::Error| error.to_string();
    let mut reader = Reader::new(text, limits).map_err(reported)?;
    let mut open: Vec<Vec<Json>> = Vec::new();
    let mut root = None;
    loop {
        match reader.next_event().map_err(reported)? {
            ReaderEvent::Start(start) => {
                let element = element(&start).map_err(|e| reported(reader.wrong(e)))?;
                open.push(element);
            }
            ReaderEvent::End => {
                // The reader has seen that it belongs to the last start.
                let made = Json::Array(open.pop().unwrap_or_default());
                close(made, &mut open, &mut root);
            }
            ReaderEvent::Text(part) => {
                if let Some(element) = open.last_mut() {
                    add_text(element, &part);
                }
            }
            ReaderEvent::Eof => return root.ok_or_else(|| "there is no element".into()),
        }
    }
}

fn element(start: &StartTag<'_>) -> std::result::Result<Vec<Json>, String> {
    let mut attributes = Vec::new();
    for (key, value) in start.attributes()? {
        attributes.push(Json::String(key));
        attributes.push(Json::String(value));
    }
    Ok(vec![
        json!(String::from_utf8_lossy(start.name())),
        Json::Array(attributes),
    ])
}

fn close(made: Json, open: &mut [Vec<Json>], root: &mut Option<Json>) {
    match open.last_mut() {
        Some(parent) => parent.push(made),
        None => *root = Some(made),
    }
}

fn add_text(element: &mut Vec<Json>, part: &str) {
    // The first two are name and attributes.
    match element[2..].last_mut() {
        Some(Json::String(text)) => text.push_str(part),
        _ => element.push(Json::String(part.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_attributes_text_and_references_are_read() {
        let tree = parse(
            "<?xml version=\"1.0\"?><a x=\"1 &lt; 2\"><!-- c -->t&amp;&#65;<b/><![CDATA[<raw>]]></a>\n",
        );
        assert_eq!(
            tree,
            Ok(json!(["a", ["x", "1 < 2"], "t&A", ["b", []], "<raw>"]))
        );
        assert_eq!(parse("\u{feff}<a>é</a>"), Ok(json!(["a", [], "é"])));
    }

    #[test]
    fn bombs_and_documents_that_are_broken_are_refused() {
        let bomb = "<!DOCTYPE l [<!ENTITY a \"lol\"><!ENTITY b \"&a;&a;\">]><l>&b;</l>";
        let external = "<!DOCTYPE l SYSTEM \"file:///etc/passwd\"><l/>";
        for wrong in [
            bomb,
            external,
            "<a>&b;</a>",
            "<a>",
            "</a>",
            "<a></b>",
            "",
            "x",
            "<a/><b/>",
            "<a>&#0;</a>",
            "<a x=1/>",
            "\u{feff}\u{feff}<é>é</é>",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        let deep = "<a>".repeat(201) + &"</a>".repeat(201);
        assert!(parse(&deep).unwrap_err().contains("200 levels"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "(<|>|/|a|b|=|\"|'|&|;|#|x|1|!|\\[|\\]|CDATA|DOCTYPE|-| |\\?|é){0,60}") {
            let _ = parse(&text);
        }
    }
}
