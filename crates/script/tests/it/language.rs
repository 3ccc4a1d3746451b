//! What scripts see: the request, the response, commands and events.

use script::{Limits, Request};

use crate::world::{get, load, load_all, reported};

#[test]
fn replaced_functions_of_the_language_look_like_the_originals() {
    let reported = reported(get(
        "return [Math.random.name, Math.random.length, Object.keys(Math.random), Math.random() < 1]",
    ));
    assert_eq!(reported, r#"["random",0,[],true]"#);
}

#[test]
fn a_locale_or_a_time_zone_is_refused_and_not_passed_over() {
    for call in [
        "(1.5).toLocaleString('de-DE')",
        "(1n).toLocaleString('de-DE')",
        "[1.5].toLocaleString('de-DE')",
        "new Date(0).toLocaleTimeString('en-US', { timeZone: 'America/New_York' })",
        "new Date(0).toLocaleDateString(undefined, { timeZone: 'UTC' })",
        "new Date(0).toLocaleString('en-US')",
        "'a'.localeCompare('b', 'de')",
        "'i'.toLocaleUpperCase('tr')",
    ] {
        let reported = reported(get(&format!(
            "try {{ return String({call}) }} catch (e) {{ return e.name + ': ' + e.message }}"
        )));
        assert!(reported.starts_with("RangeError: "), "{call}: {reported}");
        assert!(reported.contains("takes no locale"), "{call}: {reported}");
    }
    let reported = reported(get(
        "return [(1.5).toLocaleString(), 'a'.localeCompare('b'), 'a'.toLocaleUpperCase(), \
         ['b', 'a'].sort((x, y) => x.localeCompare(y)), Date.prototype.toLocaleString.length]",
    ));
    assert_eq!(reported, r#"["1.5",-1,"A",["a","b"],0]"#);
}

#[test]
fn a_handler_answers_by_what_it_returns() {
    assert_eq!(
        reported(get("return {a: [1, 2n, 'é']}")),
        r#"{"a":[1,2,"é"]}"#
    );
    assert_eq!(reported(get("return 'plain'")), "plain");
    assert_eq!(reported(get("return new Uint8Array([65, 66])")), "AB");
    assert_eq!(
        reported(get("response.write('a').write(new Uint8Array([66]))")),
        "aB"
    );
    assert_eq!(reported(get("")), "");
    assert_eq!(reported(get("return new Uint16Array([0x4241])")), "AB");
    assert_eq!(reported(get("response.write('a'); return 'b'")), "ab");
    assert_eq!(reported(get("response.json({ a: 1 }); return 'b'")), "b");
    let both = reported(get("response.write('a'); return { b: 1 }"));
    assert!(both.contains("the rest of an answer"), "{both}");
}

#[test]
fn a_request_has_its_parts_and_a_response_takes_status_and_headers() {
    let mut script = load(
        "export function POST(request, response) {
           const { a, b } = request.json();
           response.status = 201;
           response.headers.set('X-Sum', a + b);
           return { sum: a + b, id: request.params.id, q: request.query.all('q'),
                    type: request.headers.get('Content-Type'), path: request.path };
         }",
    );
    let answer = script
        .serve(&Request {
            method: "POST".into(),
            path: "/sum/7".into(),
            query: "q=1&q=a%20b+c".into(),
            variables: vec![("id".into(), "7".into())],
            headers: vec![("content-type".into(), "application/json".into())],
            body: br#"{"a": 2, "b": 3}"#.to_vec(),
            ..Request::default()
        })
        .unwrap();
    assert_eq!(answer.status, 201);
    assert!(answer.headers.contains(&("x-sum".into(), "5".into())));
    assert!(
        answer
            .headers
            .contains(&("content-type".into(), "application/json".into()))
    );
    assert_eq!(
        String::from_utf8(answer.body).unwrap(),
        r#"{"sum":5,"id":"7","q":["1","a b c"],"type":"application/json","path":"/sum/7"}"#
    );
}

#[test]
fn a_body_of_the_wrong_kind_is_the_clients_mistake() {
    let mut script = load("export function POST(request) { return request.json() }");
    for body in [&b"{"[..], b"\xff\xfe", b""] {
        let answer = script
            .serve(&Request {
                method: "POST".into(),
                body: body.to_vec(),
                ..Request::default()
            })
            .unwrap();
        assert_eq!(answer.status, 400);
        assert!(answer.headers[0].1.contains("problem+json"));
    }
}

#[test]
fn a_method_without_a_handler_is_not_allowed_and_default_takes_any() {
    let mut script = load("export const GET = () => 'get'");
    let request = |method: &str| Request {
        method: method.into(),
        ..Request::default()
    };
    let refused = script.serve(&request("PUT")).unwrap();
    assert_eq!(refused.status, 405);
    let allow = refused.headers.iter().find(|(name, _)| name == "allow");
    assert!(allow.is_some_and(|(_, methods)| methods.starts_with("GET, HEAD")));
    assert_eq!(script.serve(&request("HEAD")).unwrap().status, 200);
    let mut script = load("export default (request) => request.method");
    assert_eq!(script.serve(&request("PUT")).unwrap().body, b"PUT");
}

#[test]
fn a_client_gets_the_media_type_that_it_likes_best() {
    let mut script =
        load("export const GET = (r) => String(r.accepts('application/json', 'application/xml'))");
    let mut accept = |accept: &str| {
        let answer = script.serve(&Request {
            method: "GET".into(),
            headers: vec![("accept".into(), accept.into())],
            ..Request::default()
        });
        String::from_utf8(answer.unwrap().body).unwrap()
    };
    assert_eq!(accept("application/xml"), "application/xml");
    assert_eq!(accept("*/*"), "application/json");
    assert_eq!(
        accept("application/xml;q=0.5, application/json;q=0.4"),
        "application/xml"
    );
    assert_eq!(accept("text/html"), "undefined");
}

#[test]
fn link_gives_a_commarea_back_in_place_and_a_channel_anew() {
    assert_eq!(
        reported(get(
            "const area = new Uint8Array([97, 98]); cics.link('upper', {commarea: area}); return area"
        )),
        "AB"
    );
    assert_eq!(
        reported(get(
            "const {channel} = cics.link('UPPER', {channel: {REQ: 'abc'}}); return channel.text('REQ')"
        )),
        "ABC"
    );
    assert_eq!(
        reported(get("return cics.link('UPPER', {commarea: 'x'}).commarea")),
        "X"
    );
}

#[test]
fn names_of_containers_keep_their_case() {
    assert_eq!(
        reported(get(
            "const { channel } = cics.link('upper', { channel: { QueryData: 'a', QUERYDATA: 'b' } });
             return [channel.names, channel.text('QueryData'), channel.text('QUERYDATA'), channel.has('querydata')]"
        )),
        r#"[["QueryData","QUERYDATA"],"A","B",false]"#
    );
    for name in ["", "12345678901234567", "\u{e9}", "A B"] {
        let reported = reported(get(&format!("new Channel().put('{name}', 'x')")));
        assert!(
            reported.contains("the name of a container has 1 to 16"),
            "{name}: {reported}"
        );
    }
}

#[test]
fn an_abend_and_a_condition_are_exceptions_with_their_place() {
    assert_eq!(
        reported(get(
            "try { cics.link('ABEND') } catch (e) { return [e instanceof CicsAbend, e.name, e.code, e.program, e.line] }"
        )),
        r#"[true,"CicsAbend","BKCA","ABEND",17]"#
    );
    assert_eq!(
        reported(get(
            "try { cics.link('NONE') } catch (e) { return [e instanceof CicsCondition, e.condition, e.resp, e.resp2] }"
        )),
        r#"[true,"PGMIDERR",27,1]"#
    );
    let failure = get("cics.link('ABEND')").unwrap_err();
    assert_eq!(
        (failure.abend.code.as_str(), failure.abend.program.as_str()),
        ("BKCA", "ABEND")
    );
    let failure = get("cics.abend('MINE', 'because')").unwrap_err();
    assert_eq!(
        (failure.abend.code.as_str(), failure.abend.line),
        ("MINE", 1)
    );
    assert!(failure.abend.message.contains("because"));
}

#[test]
fn asynchronous_tasks_are_promises() {
    assert_eq!(
        reported(get(
            "const all = await Promise.all(['a', 'b', 'c'].map((c) => cics.run('UPPER', {commarea: c})));
             return all.map((r) => String.fromCharCode(r.commarea[0]))"
        )),
        r#"["A","B","C"]"#
    );
    assert_eq!(
        reported(get(
            "try { await cics.run('ABEND') } catch (e) { return e.code }"
        )),
        "BKCA"
    );
}

#[test]
fn timers_run_in_their_order() {
    assert_eq!(
        reported(get(
            "const seen = [];
             const wait = (ms) => new Promise((r) => setTimeout(r, ms));
             clearTimeout(setTimeout(() => seen.push('never'), 1));
             await Promise.all([wait(9).then(() => seen.push('late')), wait(2).then(() => seen.push('soon'))]);
             return seen"
        )),
        r#"["soon","late"]"#
    );
}

#[test]
fn an_interval_comes_again_until_it_is_cleared() {
    assert_eq!(
        reported(get("let seen = '';
             await new Promise((done) => {
               const tick = setInterval((letter) => {
                 seen += letter;
                 if (seen.length === 3) { clearInterval(tick); done(); }
               }, 1, 'x');
             });
             await new Promise((done) => setTimeout(done, 5));
             return seen")),
        "xxx"
    );
}

#[test]
fn text_is_read_and_made_in_utf_8_and_in_the_regions_code_page() {
    assert_eq!(
        reported(get(
            "const out = [];
             out.push(...new TextEncoder().encode('é\\ud800'));
             out.push(new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 65, 255, 66])));
             for (const wrong of [() => new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])),
                                  () => new TextDecoder('ibm037'), () => cics.bytes('\\u4e00')]) {
               try { wrong(); } catch (e) { out.push(e.name); }
             }
             return [...out, cics.text(cics.bytes('Ada')), cics.text(new Uint8Array([66]))]"
        )),
        r#"[195,169,239,191,189,"A\u{fffd}B","TypeError","RangeError","RangeError","Ada","B"]"#
            .replace("\\u{fffd}", "\u{fffd}")
    );
}

#[test]
fn a_header_that_comes_more_than_once_is_put_together_by_its_kind() {
    let text = "export function GET(request, response) {
           const { headers } = response;
           headers.append('Set-Cookie', 'a=1; Expires=Mon, 1 Jan').append('set-cookie', 'b=2').append('Vary', 'A').append('vary', 'B');
           return [request.headers.get('cookie'), headers.getSetCookie(), [...headers].length, headers.get('vary')];
         }";
    let answer = load(text)
        .serve(&Request {
            method: "GET".into(),
            headers: vec![
                ("cookie".into(), "x=1".into()),
                ("cookie".into(), "y=2".into()),
            ],
            ..Request::default()
        })
        .unwrap();
    assert_eq!(
        String::from_utf8(answer.body).unwrap(),
        r#"["x=1; y=2",["a=1; Expires=Mon, 1 Jan","b=2"],3,"A, B"]"#
    );
    let cookies = answer.headers.iter().filter(|(n, _)| n == "set-cookie");
    assert_eq!(cookies.count(), 2, "{:?}", answer.headers);
}

#[test]
fn an_element_is_written_as_it_was_read_whatever_its_name() {
    let reported = |body: &str| reported(get(body));
    assert_eq!(
        reported(
            "return String(XML.parse('<p a=\"1\">one <b>two</b>three<c/><b>4 &lt; 5</b></p>'))"
        ),
        "<p a=\"1\">one <b>two</b>three<c/><b>4 &lt; 5</b></p>"
    );
    assert_eq!(
        reported("return XML.parse('<p>one <b>two</b> three</p>').value()"),
        r##"{"b":"two","#text":"one  three"}"##
    );
    assert_eq!(
        reported("return XML.parse('<p>\\n  <b>two</b>\\n</p>').value()"),
        r#"{"b":"two"}"#
    );
    assert_eq!(
        reported(
            "const root = XML.parse('<r><constructor>1</constructor><__proto__><x>2</x></__proto__><toString/></r>');
             const value = root.value();
             return [JSON.stringify(value), value.x ?? 'none', XML.parse('<r/>').attributes.toString ?? 'none']"
        ),
        r#"["{\"constructor\":\"1\",\"__proto__\":{\"x\":\"2\"},\"toString\":\"\"}","none","none"]"#
    );
    assert_eq!(
        reported(
            "return XML.stringify({ '@a': 'x\\n\"', kept: XML.parse('<k>a<i/>b</k>'), '@none': null, '#text': null }, 'r')"
        ),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><r a=\"x&#10;&quot;\"><kept>a<i/>b</kept></r>"
    );
    assert!(reported("return XML.stringify([1, 2])").contains("a document has one root"));
}

#[test]
fn a_command_that_a_script_cannot_issue_is_reported_with_the_reason() {
    for (command, wanted) in [
        (
            "SEND MAP",
            "SEND MAP cannot be passed by a script: a script has no terminal",
        ),
        ("SQL", "EXEC SQL is not supported in scripts"),
        ("EXEC SQL SELECT", "EXEC SQL is not supported in scripts"),
        ("ASSIGN SYSID", "use the objects that scripts have for this"),
        ("NOSUCH", "unknown command NOSUCH"),
    ] {
        let reported = reported(get(&format!("cics.exec('{command}')")));
        assert!(reported.contains(wanted), "{command}: {reported}");
    }
}

#[test]
fn nothing_of_one_request_reaches_the_next() {
    let mut script = load(
        "let count = 0; const kept = { list: [] };
         export function GET() {
           count += 1; kept.list.push(count); globalThis.leak = (globalThis.leak ?? 0) + 1;
           Array.prototype.mine = (Array.prototype.mine ?? 0) + 1;
           Object.prototype.toString = () => 'changed';
           return [count, kept.list.length, globalThis.leak, Array.prototype.mine];
         }",
    );
    for _ in 0..50 {
        assert_eq!(reported(script.get("/")), "[1,1,1,1]");
    }
}

#[test]
fn random_numbers_and_the_time_are_not_those_of_the_loading() {
    let mut script = load("export const GET = () => [Math.random(), Date.now(), Math.random()]");
    let first = reported(script.get("/"));
    std::thread::sleep(std::time::Duration::from_millis(2));
    let second = reported(script.get("/"));
    assert_ne!(first, second);
    let numbers: Vec<f64> = serde_json::from_str(&second).unwrap();
    assert!(numbers[0] != numbers[2] && (0.0..1.0).contains(&numbers[0]));
}

#[test]
fn modules_import_each_other_within_the_folder() {
    let texts = [
        (
            "main.js",
            "import { twice } from './lib/math.js'; export const GET = () => twice(4);",
        ),
        (
            "lib/math.js",
            "import two from './two.js'; export const twice = (n) => n * two;",
        ),
        ("lib/two.js", "export default 2;"),
    ];
    let mut script = load_all(&texts, Limits::default()).unwrap();
    assert_eq!(reported(script.get("/")), "8");
    let wrong = load_all(&[("main.js", "import fs from 'fs'")], Limits::default());
    assert!(
        wrong
            .err()
            .unwrap()
            .to_string()
            .contains("an import must be the path")
    );
}

#[test]
fn a_mistake_in_the_text_has_its_line_and_column() {
    let text = "export function GET() {\n  const a = ;\n}";
    let mistake = load_all(&[("main.js", text)], Limits::default())
        .err()
        .unwrap();
    assert_eq!(
        (mistake.file.to_str().unwrap(), mistake.line),
        ("main.js", 2)
    );
    assert!(mistake.column > 0, "{mistake}");
    let mistake = load_all(&[("main.js", "cics.link('A')")], Limits::default())
        .err()
        .unwrap();
    assert!(
        mistake
            .to_string()
            .contains("only while it serves a request"),
        "{mistake}"
    );
    let mistake = load_all(
        &[("main.js", "await new Promise(() => {})")],
        Limits::default(),
    );
    assert!(mistake.err().unwrap().to_string().contains("never settled"));
}

#[test]
fn an_uncaught_error_is_reported_with_file_and_line() {
    let mut script = load(
        "const fail = () => { throw new Error('broken') };\nexport function GET() {\n  fail();\n}",
    );
    let failure = script.get("/").unwrap_err();
    assert_eq!(failure.abend.code, "AJST");
    assert_eq!(
        (failure.abend.program.as_str(), failure.abend.line),
        ("main.js", 1)
    );
    assert!(failure.abend.message.contains("broken"));
    assert!(failure.stack.contains("main.js:3"), "{}", failure.stack);
}

#[test]
fn lines_of_the_script_go_to_the_log() {
    let mut script = load(
        "export function GET() { console.log('a', {b: 1n}); console.error(new Error('bad')); cics.log('done', {n: 2}) }",
    );
    script.get("/").unwrap();
    let journal = script.journal.borrow();
    assert_eq!(journal[0], r#"Info a {"b":"1"}"#);
    assert!(journal[1].starts_with("Error Error: bad"));
    assert_eq!(journal[2], r#"Info done with {"n":2}"#);
}

#[test]
fn other_servers_answer_in_the_forms_of_the_web() {
    let reported = reported(get(
        "const a = await fetch('http://one/', { method: 'post', headers: { 'X-A': 1 }, json: { b: 2 } });
         return [a.status, a.ok, a.headers.get('X-Kind'), a.text()].join(' ')",
    ));
    assert_eq!(
        reported,
        "203 true echo POST X-A: 1; content-type: application/json; {\"b\":2}"
    );
    for (url, why) in [
        ("http://forbidden/", "not allowed"),
        ("http://broken/", "cannot connect"),
    ] {
        let body = format!(
            "try {{ await fetch('{url}') }} catch (e) {{ return `${{e.name}} ${{e.message}}` }}"
        );
        assert_eq!(self::reported(get(&body)), format!("FetchError {why}"));
    }
}
