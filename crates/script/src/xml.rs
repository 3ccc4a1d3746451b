//! XML for scripts: texts to trees and back.
//!
//! A tree crosses to JavaScript as JSON text, `[name, [attribute, value, …],
//! child, …]` with strings for text, which the own part makes elements of.
//! Document types are refused, so there are no entities but the five of the
//! language and character references; elements nest [`DEEPEST`] levels.
//!
//! Reference: XML 1.0 (fifth edition), sections 2.8 and 4.6.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use rquickjs::{Ctx, Function, IntoJs, Object, Result, String as JsString, Value};
use serde_json::{Value as Json, json};

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
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Vec<Json>> = Vec::new();
    let mut root = None;
    loop {
        let at = reader.buffer_position();
        let wrong = |why: &dyn std::fmt::Display| {
            let (line, column) = place(text, at as usize);
            format!("line {line}, column {column}: {why}")
        };
        let event = reader.read_event().map_err(|e| wrong(&e))?;
        match event {
            Event::Start(_) | Event::Empty(_) if open.is_empty() && root.is_some() => {
                return Err(wrong(&"there is more than one element at the top"));
            }
            Event::Start(start) if open.len() < DEEPEST => {
                open.push(element(&start).map_err(|e| wrong(&e))?);
            }
            Event::Start(_) => {
                return Err(wrong(&format!("elements nest more than {DEEPEST} levels")));
            }
            Event::Empty(start) => {
                let made = Json::Array(element(&start).map_err(|e| wrong(&e))?);
                close(made, &mut open, &mut root);
            }
            Event::End(_) => {
                // The reader has seen that it belongs to the last start.
                let made = Json::Array(open.pop().unwrap_or_default());
                close(made, &mut open, &mut root);
            }
            Event::Text(part) => {
                let part = part.decode().map_err(|e| wrong(&e))?;
                match open.last_mut() {
                    Some(element) => add_text(element, &part),
                    None if part.trim().is_empty() => {}
                    None => return Err(wrong(&"there is text outside of the elements")),
                }
            }
            Event::CData(part) => {
                let part = part.decode().map_err(|e| wrong(&e))?;
                match open.last_mut() {
                    Some(element) => add_text(element, &part),
                    None => return Err(wrong(&"there is text outside of the elements")),
                }
            }
            Event::GeneralRef(reference) => {
                let name = reference.decode().map_err(|e| wrong(&e))?;
                let known = match reference.resolve_char_ref() {
                    Ok(Some(c)) => Some(c.to_string()),
                    Ok(None) => {
                        quick_xml::escape::resolve_predefined_entity(&name).map(str::to_owned)
                    }
                    Err(error) => return Err(wrong(&error)),
                };
                match (known, open.last_mut()) {
                    (Some(text), Some(element)) => add_text(element, &text),
                    _ => return Err(wrong(&format!("there is no entity &{name};"))),
                }
            }
            Event::DocType(_) => return Err(wrong(&"a document type is not taken")),
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
            Event::Eof => break,
        }
    }
    match root {
        Some(root) if open.is_empty() => Ok(root),
        _ => Err("the document ends before its element does".into()),
    }
}

fn element(start: &BytesStart<'_>) -> std::result::Result<Vec<Json>, String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|e| e.to_string())?;
        let value = attribute.unescape_value().map_err(|e| e.to_string())?;
        attributes.push(Json::String(text(attribute.key.as_ref())));
        attributes.push(Json::String(value.into_owned()));
    }
    Ok(vec![
        json!(text(start.name().as_ref())),
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

fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..at.min(text.len())];
    let line = before.iter().filter(|b| **b == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|b| **b != b'\n').count() + 1;
    (line, column)
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
