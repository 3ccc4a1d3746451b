//! A script as a program, answers by parts, and forms.

use link::{ChannelData, ContainerData, ContainerType};
use region::LinkData;
use script::{Request, ScriptAnswer, ScriptFailure};

use crate::world::{Script, load, reported};

fn link(script: &mut Script, passed: LinkData) -> Result<ScriptAnswer, ScriptFailure> {
    script.serve(&Request {
        method: "LINK".into(),
        call: Some(("SUMS".into(), passed)),
        ..Request::default()
    })
}

fn commarea(script: &mut Script, bytes: &str) -> String {
    match link(script, LinkData::Commarea(bytes.into())) {
        Ok(ScriptAnswer {
            passed: Some(LinkData::Commarea(bytes)),
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
        "there is no client to send to"
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
    let answer = link(&mut script, LinkData::Channel(given)).unwrap();
    let wanted = ChannelData {
        name: "CHAN".parse().unwrap(),
        containers: vec![
            container("ASKED", ContainerType::Char, b"ada"),
            container("GIVEN", ContainerType::Bit, b"ADA"),
            container("ALSO", ContainerType::Bit, b"\x01"),
        ],
    };
    assert_eq!(answer.passed, Some(LinkData::Channel(wanted)));
}

#[test]
fn a_script_that_goes_over_to_a_program_is_over() {
    for code in [
        "cics.xctl('NEXT', { commarea: call.commarea }); cics.log('on')",
        "try { cics.xctl('NEXT', { commarea: call.commarea }) } catch { cics.log('caught') } finally { cics.log('on') }",
        "[1].forEach(() => cics.xctl('NEXT', { commarea: call.commarea }))",
        "await 0; cics.xctl('NEXT', { commarea: call.commarea })",
        "await new Promise(() => cics.xctl('NEXT', { commarea: call.commarea }))",
        "new Promise(() => cics.xctl('NEXT', { commarea: call.commarea })).catch(() => 0); try { cics.link('MORE') } catch {} return 'other'",
        "Promise.reject(1); cics.xctl('NEXT', { commarea: call.commarea })",
    ] {
        let mut script = load(&format!(
            "export async function LINK(call) {{ call.commarea[0] = 65; {code} }}"
        ));
        for _ in 0..2 {
            let answer = link(&mut script, LinkData::Commarea(b"xyz".to_vec())).unwrap();
            let transfer = answer.transfer.expect(code);
            assert_eq!(
                (&*transfer.program, transfer.back),
                ("NEXT", Some(0)),
                "{code}"
            );
            assert_eq!(
                transfer.given,
                LinkData::Commarea(b"Ayz".to_vec()),
                "{code}"
            );
            assert_eq!(answer.passed, Some(transfer.given), "{code}");
        }
        assert_eq!(*script.journal.borrow(), [""; 0], "{code}");
    }
}

#[test]
fn what_a_program_is_passed_by_xctl_is_the_callers_or_the_scripts_own() {
    let over = |code: &str| {
        let mut script = load(&format!("export function LINK(call) {{ {code} }}"));
        let given = LinkData::Commarea(b"0123456789".to_vec());
        link(&mut script, given).map(|answer| {
            let transfer = answer.transfer.expect(code);
            (transfer.given, transfer.back)
        })
    };
    let area = |text: &str| LinkData::Commarea(text.into());
    assert_eq!(
        over("cics.xctl('NEXT', { commarea: call.commarea.subarray(4, 6) })"),
        Ok((area("45"), Some(4)))
    );
    assert_eq!(
        over("cics.xctl('NEXT', { commarea: 'own' })"),
        Ok((area("own"), None))
    );
    assert_eq!(over("cics.xctl(' next ')"), Ok((area(""), None)));
    let (given, back) = over("cics.xctl('NEXT', { channel: { A: 'b' } })").unwrap();
    assert!(matches!(given, LinkData::Channel(_)) && back.is_none());
    for (code, reported) in [
        ("cics.xctl('NONE')", "XCTL NONE returned PGMIDERR"),
        ("cics.xctl('')", "1 to 8 characters"),
        (
            "cics.xctl('A', { commarea: 'x', channel: {} })",
            "XCTL A: a commarea or a channel",
        ),
        ("cics.xctl('A', { commarea: 7 })", "not number"),
    ] {
        let failure = over(code).unwrap_err();
        assert!(failure.abend.message.contains(reported), "{failure:?}");
    }
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
    assert_eq!(reported(script.get("/")), "got");
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
        let (status, reported) = post(kind, body);
        assert!(
            status == 400 && reported.contains("not a form"),
            "{reported}"
        );
    }
}
