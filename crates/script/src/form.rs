//! Forms of browsers: the parts of a body of type multipart/form-data.
//!
//! A part is a field or a file. The body is complete and bounded by the
//! gateway's limit before it comes here; parts and their headers have limits of
//! their own. A malformed body is refused with the place in bytes.
//!
//! Reference: RFC 7578; RFC 2046, section 5.1.1; the HTML Living Standard's
//! "Multipart form data" on the escapes in names.

use rquickjs::{
    Array, Ctx, Function, IntoJs, Object, Result, String as JsString, TypedArray, Value,
};

use crate::natives::bytes_of;

/// Most parts of a form.
const MOST_PARTS: usize = 1_000;
/// Most bytes of a part's headers.
const MOST_HEADERS: usize = 8 << 10;
/// Most characters of a boundary.
const MOST_BOUNDARY: usize = 70;

/// A field or a file of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormPart<'b> {
    /// Name of the field.
    pub name: String,
    /// The file's name, for a file.
    pub file: Option<String>,
    /// Its media type, `text/plain` by default.
    pub kind: String,
    /// Its bytes.
    pub bytes: &'b [u8],
}

/// Puts the native into the object that the own part is given.
pub fn install<'js>(ctx: &Ctx<'js>, own: &Object<'js>) -> Result<()> {
    let read = move |ctx: Ctx<'js>, kind: String, body: Value<'js>| -> Result<Value<'js>> {
        let _native = crate::overdue::native();
        let bytes = bytes_of(&body).unwrap_or_default();
        match parse(&kind, bytes) {
            Ok(parts) => reported(&ctx, &parts)?.into_js(&ctx),
            Err(why) => JsString::from_str(ctx.clone(), &why)?.into_js(&ctx),
        }
    };
    own.set("formRead", Function::new(ctx.clone(), read)?)
}

/// Name, file, type and bytes of each part, one after the other.
fn reported<'js>(ctx: &Ctx<'js>, parts: &[FormPart<'_>]) -> Result<Array<'js>> {
    let made = Array::new(ctx.clone())?;
    for (i, part) in parts.iter().enumerate() {
        made.set(4 * i, part.name.as_str())?;
        match &part.file {
            Some(file) => made.set(4 * i + 1, file.as_str())?,
            None => made.set(4 * i + 1, Value::new_null(ctx.clone()))?,
        }
        made.set(4 * i + 2, part.kind.as_str())?;
        made.set(
            4 * i + 3,
            TypedArray::<u8>::new_copy(ctx.clone(), part.bytes)?,
        )?;
    }
    Ok(made)
}

/// Reads the parts of a body. `kind` is its Content-Type.
///
/// # Errors A message with the reason.
pub fn parse<'b>(kind: &str, body: &'b [u8]) -> std::result::Result<Vec<FormPart<'b>>, String> {
    let boundary = parameter(kind, "boundary").ok_or("the Content-Type has no boundary")?;
    if boundary.is_empty() || boundary.len() > MOST_BOUNDARY {
        return Err(format!(
            "the boundary must have 1 to {MOST_BOUNDARY} characters"
        ));
    }
    let first = format!("--{boundary}").into_bytes();
    let between = [b"\r\n", first.as_slice()].concat();
    let mut at = if body.starts_with(&first) {
        first.len()
    } else {
        // Text before the first boundary is ignored.

        find(body, &between, 0).ok_or("the body does not contain its boundary")? + between.len()
    };
    let mut parts = Vec::new();
    loop {
        let rest = &body[at..];
        if rest.starts_with(b"--") {
            return Ok(parts);
        }
        let blanks = rest
            .iter()
            .take_while(|b| matches!(b, b' ' | b'\t'))
            .count();
        if !rest[blanks..].starts_with(b"\r\n") {
            return Err(format!("byte {at}: expected a new line after the boundary"));
        }
        if parts.len() == MOST_PARTS {
            return Err(format!("the body has more than {MOST_PARTS} parts"));
        }
        at += blanks;
        let ends = find(body, b"\r\n\r\n", at);
        let ends = ends.filter(|end| end - at <= MOST_HEADERS);
        let ends = ends.ok_or_else(|| {
            format!(
                "byte {at}: the headers of a part must end with an empty line within \
                {MOST_HEADERS} bytes"
            )
        })?;
        let begins = ends + 4;
        // An empty part's line end belongs to the boundary.
        let over =
            find(body, &between, begins - 2).ok_or("the body does not end with its boundary")?;
        let bytes = &body[begins.min(over)..over];
        parts.push(part(&body[at..ends], bytes).map_err(|why| format!("byte {at}: {why}"))?);
        at = over + between.len();
    }
}

fn part<'b>(headers: &[u8], bytes: &'b [u8]) -> std::result::Result<FormPart<'b>, String> {
    let headers = String::from_utf8_lossy(headers);
    let value = |wanted: &str| {
        let mut named = headers
            .split("\r\n")
            .filter_map(|line| line.split_once(':'));
        let found = named.find(|(name, _)| name.trim().eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| value.trim())
    };
    let disposition = value("content-disposition").ok_or("a part has no Content-Disposition")?;
    let (kind, _) = disposition.split_once(';').unwrap_or((disposition, ""));
    if !kind.trim().eq_ignore_ascii_case("form-data") {
        return Err("a part's Content-Disposition is not form-data".into());
    }
    Ok(FormPart {
        name: parameter(disposition, "name").ok_or("a part has no name")?,
        file: parameter(disposition, "filename"),
        kind: value("content-type").unwrap_or("text/plain").to_owned(),
        bytes,
    })
}

/// A parameter of a header's value, in quotes or without.
fn parameter(value: &str, wanted: &str) -> Option<String> {
    let mut rest = value.split_once(';')?.1;
    loop {
        let (name, after) = rest.split_once('=')?;
        let name = name.trim_matches([' ', '\t', ';']);
        let (text, next) = match after.trim_start().strip_prefix('"') {
            Some(quoted) => {
                let end = quoted.find('"')?;
                (escaped(&quoted[..end]), &quoted[end + 1..])
            }
            None => {
                let end = after.find(';').unwrap_or(after.len());
                (after[..end].trim().to_owned(), &after[end..])
            }
        };
        if name.eq_ignore_ascii_case(wanted) {
            return Some(text);
        }
        rest = next;
    }
}

/// The escapes that browsers write for quotes and line ends.
fn escaped(text: &str) -> String {
    let text = text.replace("%22", "\"");
    text.replace("%0D", "\r").replace("%0A", "\n")
}

/// The offset of a text, from a place on.
fn find(body: &[u8], text: &[u8], from: usize) -> Option<usize> {
    memchr::memmem::find(body.get(from..)?, text).map(|at| at + from)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: &str = "multipart/form-data; charset=utf-8; boundary=\"x-y\"";

    fn names(body: &str) -> std::result::Result<Vec<(String, Option<String>, String)>, String> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let parts = parse(KIND, body.as_bytes())?;
        let reported = parts.into_iter().map(|p| (p.name, p.file, text(p.bytes)));
        Ok(reported.collect())
    }

    #[test]
    fn fields_and_files_are_returned_with_their_bytes() {
        let body = "before\r\n--x-y\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n\
                    --x-y \r\ncontent-disposition: form-data; name=\"f\"; filename=\"a %22b%22.txt\"\r\n\
                    Content-Type: text/csv\r\n\r\n1;2\r\n--x-yz\r\n\r\n--x-y\r\n\
                    Content-Disposition: form-data; name=e\r\n\r\n\r\n--x-y--\r\nafter";
        let one = |name: &str, file: Option<&str>, text: &str| {
            (name.to_owned(), file.map(str::to_owned), text.to_owned())
        };
        assert!(
            names(body).unwrap_err().contains("new line"),
            "a boundary is a whole line"
        );
        let body = body.replace("\r\n--x-yz\r\n", "\r\n--x-z\r\n");
        assert_eq!(
            names(&body).unwrap(),
            [
                one("a", None, "one"),
                one("f", Some("a \"b\".txt"), "1;2\r\n--x-z\r\n"),
                one("e", None, ""),
            ]
        );
        let kind = parse(KIND, body.as_bytes()).unwrap()[1].kind.clone();
        assert_eq!(kind, "text/csv");
        assert_eq!(names("--x-y--").unwrap(), []);
    }

    #[test]
    fn an_invalid_form_is_reported_with_the_reason() {
        for wrong in [
            "",
            "text",
            "--x-y",
            "--x-y\r\n",
            "--x-y\r\n\r\n\r\n--x-y--",
            "--x-y\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nnever ends",
            "--x-y\r\nContent-Disposition: form-data\r\n\r\n\r\n--x-y--",
            "--x-y\r\nContent-Disposition: attachment; name=a\r\n\r\n\r\n--x-y--",
        ] {
            assert!(names(wrong).is_err(), "{wrong:?}");
        }
        assert!(parse("multipart/form-data", b"").is_err());
        assert!(parse("multipart/form-data; boundary=", b"----").is_err());
        let many = "--x-y\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n".repeat(1_001);
        assert!(
            names(&(many + "--x-y--"))
                .unwrap_err()
                .contains("1000 parts")
        );
    }

    proptest::proptest! {
        #[test]
        fn no_body_panics(
            kind in "(multipart/form-data|;| |boundary|=|\"|x|%22){0,8}",
            body in "(--x|--|\r\n|x|Content-Disposition: form-data; name=a|:|\"|;| |é){0,40}",
        ) {
            let _ = parse(&kind, body.as_bytes());
            let _ = parse("m; boundary=x", body.as_bytes());
        }
    }
}
