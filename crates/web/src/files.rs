//! Static files: what a URIMAP with HFSFILE answers.
//!
//! A file must be below the folder of the settings for every request path:
//! names with `..` and links that lead out are rejected. A range of bytes is
//! served if requested, and no body if the client has the current file.
//!
//! Reference: RFC 9110, sections 13 (conditional requests) and 14 (ranges).

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

use http::header::{
    ACCEPT_RANGES, CONTENT_RANGE, CONTENT_TYPE, IF_MODIFIED_SINCE, IF_RANGE, LAST_MODIFIED, RANGE,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use crate::request::{WebAnswer, WebBody};

/// Largest file that is served whole: it is in memory while it is sent.
const MAX_FILE: u64 = 64 << 20;

/// The path of a name below a folder. Returns `None` when it would lead out of it. A
/// name that begins with `/` is below the folder all the same.
pub fn below(folder: &Path, name: &str) -> Option<PathBuf> {
    let name = Path::new(name.trim_start_matches('/'));
    let plain = |c: Component<'_>| matches!(c, Component::Normal(_));
    if name.as_os_str().is_empty() || !name.components().all(plain) {
        return None;
    }
    let path = folder.join(name);
    // A link may lead anywhere; what does not exist leads nowhere.
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(real), Ok(root)) => real.starts_with(&root).then_some(real),
        _ => Some(path),
    }
}

/// The file for a request's path under a map that ends in `*`: the rest of the
/// path after the map's prefix is appended to the file's name.
pub fn of_wildcard(file: &str, prefix: &str, path: &str) -> Option<String> {
    let Some(head) = file.strip_suffix('*') else {
        return Some(file.to_owned());
    };
    let rest = path.strip_prefix(prefix.trim_end_matches('*'))?;
    let rest = percent_encoding::percent_decode_str(rest)
        .decode_utf8()
        .ok()?;
    let clean = !rest.contains('\0') && !rest.contains('\\');
    clean.then(|| format!("{head}{rest}"))
}

/// Reads a file for a request. May block.
pub fn serve(path: Option<PathBuf>, media: &str, method: &Method, asked: &HeaderMap) -> WebAnswer {
    if !matches!(*method, Method::GET | Method::HEAD) {
        let mut answer = WebAnswer::problem(
            StatusCode::METHOD_NOT_ALLOWED,
            "Only GET and HEAD are allowed \
            for a file",
        );
        let allow = HeaderValue::from_static("GET, HEAD");
        answer.headers.insert(http::header::ALLOW, allow);
        return answer;
    }
    let Some(path) = path else {
        return not_found();
    };
    let Ok(mut file) = sources::open(&path) else {
        return not_found();
    };
    let about = match file.metadata() {
        Ok(about) if about.is_file() => about,
        _ => return not_found(),
    };
    let mut answer = WebAnswer::of(StatusCode::OK);
    let headers = &mut answer.headers;
    let media = if media.is_empty() {
        media_of(&path)
    } else {
        media
    };
    if let Ok(media) = HeaderValue::from_str(media) {
        headers.insert(CONTENT_TYPE, media);
    }
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    let modified = about.modified().ok();
    let date = modified.map(httpdate::fmt_http_date).unwrap_or_default();
    if let Ok(date) = HeaderValue::from_str(&date) {
        headers.insert(LAST_MODIFIED, date);
    }
    if unchanged(asked, &date) {
        answer.status = StatusCode::NOT_MODIFIED;
        return answer;
    }
    let range = asked.get(RANGE).and_then(|r| r.to_str().ok());
    let stale = asked
        .get(IF_RANGE)
        .is_some_and(|r| r.as_bytes() != date.as_bytes());
    match range
        .filter(|_| !stale)
        .map(|text| parse_range(text, about.len()))
    {
        Some(Range::Wrong) => {
            answer.status = StatusCode::RANGE_NOT_SATISFIABLE;
            let text = format!("bytes */{}", about.len());
            if let Ok(text) = HeaderValue::from_str(&text) {
                answer.headers.insert(CONTENT_RANGE, text);
            }
        }
        Some(Range::Part(first, last)) => {
            answer.status = StatusCode::PARTIAL_CONTENT;
            let text = format!("bytes {first}-{last}/{}", about.len());
            if let Ok(text) = HeaderValue::from_str(&text) {
                answer.headers.insert(CONTENT_RANGE, text);
            }
            return with_bytes(answer, &mut file, first, last - first + 1);
        }
        Some(Range::All) | None => return with_bytes(answer, &mut file, 0, about.len()),
    }
    answer
}

fn not_found() -> WebAnswer {
    WebAnswer::problem(StatusCode::NOT_FOUND, "The file does not exist")
}

fn with_bytes(mut answer: WebAnswer, file: &mut File, first: u64, bytes: u64) -> WebAnswer {
    if bytes > MAX_FILE {
        let detail = "The file is too large to be sent whole; request a range";
        return WebAnswer::problem(StatusCode::INTERNAL_SERVER_ERROR, detail);
    }
    let mut body = Vec::new();
    let read = file
        .seek(SeekFrom::Start(first))
        .and_then(|_| file.take(bytes).read_to_end(&mut body));
    match read {
        Ok(_) => {
            answer.body = WebBody::Whole(body);
            answer
        }
        Err(_) => not_found(),
    }
}

fn unchanged(asked: &HeaderMap, date: &str) -> bool {
    let since = asked.get(IF_MODIFIED_SINCE).and_then(|v| v.to_str().ok());
    let since = since.and_then(|text| httpdate::parse_http_date(text).ok());
    match (since, httpdate::parse_http_date(date)) {
        (Some(since), Ok(date)) => date <= since,
        _ => false,
    }
}

/// The range of a Range header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Range {
    /// No range that can be served: several ranges, or another unit.
    All,
    /// From a byte to another, both included.
    Part(u64, u64),
    /// A range outside the file.
    Wrong,
}

fn parse_range(text: &str, length: u64) -> Range {
    let Some(set) = text.strip_prefix("bytes=").filter(|set| !set.contains(',')) else {
        return Range::All;
    };
    let Some((first, last)) = set.trim().split_once('-') else {
        return Range::All;
    };
    let (first, last) = match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if last >= first => (first, last),
        (Ok(first), Err(_)) if last.is_empty() => (first, u64::MAX),
        (Err(_), Ok(count)) if first.is_empty() => match count {
            0 => return Range::Wrong,
            count => (length.saturating_sub(count), u64::MAX),
        },
        _ => return Range::All,
    };
    if first < length {
        Range::Part(first, last.min(length - 1))
    } else {
        Range::Wrong
    }
}

/// The type of a file by its extension.
fn media_of(path: &Path) -> &'static str {
    let extension = path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "html" | "htm" => "text/html; charset=utf-8",
        "css" => "text/css",
        "js" | "mjs" => "text/javascript",
        "json" => "application/json",
        "xml" | "xsd" | "wsdl" => "application/xml",
        "txt" => "text/plain; charset=utf-8",
        "csv" => "text/csv",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "svg" => "image/svg+xml",
        "ico" => "image/vnd.microsoft.icon",
        "pdf" => "application/pdf",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    #[test]
    fn nothing_outside_of_the_folder_is_read() {
        let root = tempfile::tempdir().unwrap();
        let pages = root.path().join("pages");
        fs::create_dir(&pages).unwrap();
        fs::write(root.path().join("secret"), "s").unwrap();
        fs::write(pages.join("a.txt"), "a").unwrap();
        std::os::unix::fs::symlink(root.path().join("secret"), pages.join("link")).unwrap();
        assert!(below(&pages, "a.txt").is_some());
        assert!(below(&pages, "/a.txt").is_some());
        for name in ["../secret", "link", "a/../../secret", "", "."] {
            assert_eq!(below(&pages, name), None, "{name}");
        }
        let wild = |path| of_wildcard("*", "/p/*", path).and_then(|name| below(&pages, &name));
        assert!(wild("/p/a.txt").is_some());
        for path in [
            "/p/../secret",
            "/p/%2e%2e/secret",
            "/p/..%2fsecret",
            "/p/%00",
            "/q/a.txt",
        ] {
            assert_eq!(wild(path), None, "{path}");
        }
    }

    #[test]
    fn ranges_and_dates_are_those_of_the_client() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.txt");
        fs::write(&path, "0123456789").unwrap();
        let get = |headers: &[(&'static str, &str)]| {
            let mut asked = HeaderMap::new();
            for (name, value) in headers {
                asked.insert(*name, HeaderValue::from_str(value).unwrap());
            }
            serve(Some(path.clone()), "", &Method::GET, &asked)
        };
        let body = |answer: &WebAnswer| match &answer.body {
            WebBody::Whole(bytes) => String::from_utf8(bytes.clone()).unwrap(),
            WebBody::Stream(_) => panic!("a stream"),
        };
        let whole = get(&[]);
        assert_eq!((whole.status, body(&whole).len()), (StatusCode::OK, 10));
        assert_eq!(whole.headers[CONTENT_TYPE], "text/plain; charset=utf-8");
        let part = get(&[("range", "bytes=2-4")]);
        assert_eq!((part.status.as_u16(), body(&part).as_str()), (206, "234"));
        assert_eq!(part.headers[CONTENT_RANGE], "bytes 2-4/10");
        assert_eq!(body(&get(&[("range", "bytes=-3")])), "789");
        assert_eq!(body(&get(&[("range", "bytes=7-")])), "789");
        assert_eq!(get(&[("range", "bytes=10-")]).status.as_u16(), 416);
        assert_eq!(get(&[("range", "bytes=0-1,3-4")]).status.as_u16(), 200);
        let date = whole.headers[LAST_MODIFIED].to_str().unwrap();
        assert_eq!(get(&[("if-modified-since", date)]).status.as_u16(), 304);
        assert_eq!(
            get(&[("range", "bytes=2-4"), ("if-range", "x")])
                .status
                .as_u16(),
            200
        );
    }

    proptest! {
        #[test]
        fn no_range_makes_the_reader_panic(text in "(bytes=)?[-0-9, ]{0,30}", length in any::<u64>()) {
            if let Range::Part(first, last) = parse_range(&text, length) {
                prop_assert!(first <= last && last < length);
            }
        }
    }
}
