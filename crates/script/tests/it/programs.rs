//! A script as a program, answers by parts, and forms.

use link::{ChannelData, ContainerData, ContainerType};
use region::Passed;
use script::{Answer, Failure, Request};

use crate::world::{Script, load, told};

fn link(script: &mut Script, passed: Passed) -> Result<Answer, Failure> {
    script.serve(&Request {
        method: "LINK".into(),
        call: Some(("SUMS".into(), passed)),
        ..Request::default()
    })
}

fn commarea(script: &mut Script, bytes: &str) -> String {
    match link(script, Passed::Commarea(bytes.into())) {
        Ok(Answer {
            passed: Some(Passed::Commarea(bytes)),
            ..
        }) => String::from_utf8(bytes).unwrap(),
        other => format!("{other:?}"),
    }
}

#[test]
fn a_commarea_is_changed_in_place_or_by_what_goes_back() {
    let mut script = load("export function LINK(call) { call.commarea.set([65, 66]) }");
    assert_eq!(commarea(&mut script, "xyz"), "ABz");
    let mut script = load("export const LINK = async ({ program }) => { await 0; return program }");
    assert_eq!(commarea(&mut script, "123456"), "SUMS56");
    assert!(commarea(&mut script, "123").contains("COMMAREA has 3 bytes, and 4"));
    assert!(commarea(&mut script, "").contains("passed nothing"));
    let mut script =
        load("export function LINK(call) { call.commarea.buffer.transfer(); call.program = 1 }");
    assert!(
        commarea(&mut script, "x").contains("AJST"),
        "program is not to be set"
    );
    let mut script = load("export function LINK(call) { call.commarea.buffer.transfer() }");
    assert_eq!(commarea(&mut script, "x"), "", "nothing is left of it");
    let mut script = load("export function LINK() { throw new BadRequest('no') }");
    assert!(
        commarea(&mut script, "x").contains("AJST"),
        "there is no client to be told"
    );
}

#[test]
fn a_channel_comes_back_with_its_containers_and_their_types() {
    let mut script = load(
        "export function LINK({ channel }) {
           const text = channel.text('ASKED');
           channel.put('GIVEN', text.toUpperCase()).delete('GONE');
           return { ALSO: new Uint8Array([1]) };
         }",
    );
    let container = |name: &str, kind, bytes: &[u8]| ContainerData {
        name: name.parse().unwrap(),
        kind,
        ccsid: 0,
        bytes: bytes.to_vec(),
    };
    let given = ChannelData {
        name: "CHAN".parse().unwrap(),
        containers: vec![
            container("ASKED", ContainerType::Char, b"ada"),
            container("GONE", ContainerType::Bit, b"x"),
        ],
    };
    let answer = link(&mut script, Passed::Channel(given)).unwrap();
    let wanted = ChannelData {
        name: "CHAN".parse().unwrap(),
        containers: vec![
            container("ASKED", ContainerType::Char, b"ada"),
            container("GIVEN", ContainerType::Bit, b"ADA"),
            container("ALSO", ContainerType::Bit, b"\x01"),
        ],
    };
    assert_eq!(answer.passed, Some(Passed::Channel(wanted)));
}

#[test]
fn a_client_reaches_the_functions_of_methods_alone() {
    let mut script = load(
        "export function LINK() { return 'a program' }
         export function helper() { return 'a helper' }
         export function GET() { return 'got' }",
    );
    for method in ["LINK", "helper", "toString", "constructor"] {
        let request = Request {
            method: method.into(),
            ..Request::default()
        };
        assert_eq!(script.serve(&request).unwrap().status, 405, "{method}");
    }
    assert_eq!(told(script.get("/")), "got");
}

#[test]
fn an_answer_is_sent_by_parts() {
    let mut script = load(
        "export function GET(request, response) {
           response.status = 203; response.type = 'text/plain';
           response.write('one').flush().write('two').write(new Uint8Array([51])).flush();
           try { response.status = 200 } catch (e) { response.write(e.message) }
           return '; the rest';
         }",
    );
    let rest = script.get("/").unwrap();
    assert_eq!(rest, "the answer has begun: its status was sent; the rest");
    assert_eq!(*script.journal.borrow(), ["SEND 203 one", "SEND 203 two3"]);
}

#[test]
fn forms_are_read_with_their_files() {
    let mut script = load(
        "export function POST(request) {
           const form = request.form(), file = form.get('file');
           return [form.get('name'), form.all('tag'), file?.name, file?.type, file?.size, file?.text()];
         }",
    );
    let mut post = |kind: &str, body: &str| {
        let request = Request {
            method: "POST".into(),
            headers: vec![("content-type".into(), kind.into())],
            body: body.into(),
            ..Request::default()
        };
        let answer = script.serve(&request).unwrap();
        (answer.status, String::from_utf8(answer.body).unwrap())
    };
    let form = "--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nAda\r\n\
                --b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\
                Content-Type: text/csv\r\n\r\n1;2\r\n--b--\r\n";
    assert_eq!(
        post("multipart/form-data; boundary=b", form),
        (200, r#"["Ada",[],"a.csv","text/csv",3,"1;2"]"#.into())
    );
    assert_eq!(
        post("application/x-www-form-urlencoded", "name=A+B&tag=1&tag=2"),
        (200, r#"["A B",["1","2"],null,null,null,null]"#.into())
    );
    for (kind, body) in [
        ("multipart/form-data; boundary=b", "--b\r\nnonsense"),
        ("multipart/form-data", form),
        ("text/plain", "a=b"),
    ] {
        let (status, told) = post(kind, body);
        assert!(status == 400 && told.contains("not a form"), "{told}");
    }
}
