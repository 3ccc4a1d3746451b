//! Web services served and called by a region: the programs of
//! `examples/web-services`, and handlers of `testdata/services` between them.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;

use crate::http::{self, HttpAnswer};
use crate::ports::reserved_port;
use crate::program::until;
use crate::server::Server;

const NS: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const NS12: &str = "http://www.w3.org/2003/05/soap-envelope";

/// The example's region on a port of its own.
struct Region {
    server: Server,
    _folder: tempfile::TempDir,
}

impl Region {
    fn start() -> Region {
        Region::with(|_| ())
    }

    /// Adds the handlers of the tests; `change` edits the folder before the start.
    fn with(change: impl Fn(&Path)) -> Region {
        let folder = tempfile::tempdir().unwrap();
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        copy(&here.join("../../examples/web-services"), folder.path());
        copy(&here.join("testdata/services"), folder.path());
        // The client names the port of the server.
        let port = reserved_port();
        let csd = folder.path().join("resources.csd");
        let more = std::fs::read_to_string(folder.path().join("more.csd")).unwrap();
        let text = std::fs::read_to_string(&csd).unwrap() + &more;
        std::fs::write(&csd, text.replace("8190", &port.to_string())).unwrap();
        change(folder.path());
        Region {
            server: Server::start(folder.path()),
            _folder: folder,
        }
    }

    fn send(&self, method: &str, path: &str, media: &str, body: &str) -> HttpAnswer {
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: test.example\r\nConnection: close\r\n\
             Content-Length: {length}\r\nContent-Type: {media}\r\n\r\n{body}"
        );
        http::raw(&self.server.web[0].1, request.as_bytes()).expect("an answer")
    }

    fn soap(&self, path: &str, body: &str) -> (u16, String) {
        let answer = self.send("POST", path, "text/xml", body);
        (answer.status, text(&answer))
    }

    /// Starts a client and waits for its result.
    fn client(&self, what: &str) -> String {
        self.send("GET", &format!("/fx/go?{what}"), "text/plain", "");
        let queue = &what[..4];
        let mut answer = String::new();
        until("the client has its answer", || {
            answer = text(&self.send("GET", &format!("/fx/result?{queue}"), "text/plain", ""));
            answer.trim_end() != "nothing"
        });
        answer.trim_end().to_owned()
    }

    /// Monitoring records of a transaction.
    fn records(&self, transid: &str) -> Vec<serde_json::Value> {
        let path = self.server.in_state("monitoring.jsonl");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let all = text.lines().filter_map(|l| serde_json::from_str(l).ok());
        let of = |r: &serde_json::Value| r["transid"].as_str().map(str::trim_end) == Some(transid);
        all.filter(of).collect()
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        if entry.file_name() == ".tupelo" {
            continue;
        }
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to)
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn text(answer: &HttpAnswer) -> String {
    String::from_utf8_lossy(&answer.body).into_owned()
}

fn quote(ns: &str, amount: &str, from: &str) -> String {
    format!(
        "<s:Envelope xmlns:s='{ns}'><s:Body><q:fxQuote xmlns:q='http://www.FXS1.Request.com'>\
         <q:FX_AMOUNT>{amount}</q:FX_AMOUNT><q:FX_FROM>{from}</q:FX_FROM><q:FX_TO>EUR</q:FX_TO>\
         <q:FX_RATE>0</q:FX_RATE><q:FX_RESULT>0</q:FX_RESULT><q:FX_REMARK/></q:fxQuote></s:Body>\
         </s:Envelope>"
    )
}

#[test]
fn a_request_goes_through_the_pipeline_and_each_task_has_its_record() {
    let region = Region::start();
    let (status, answer) = region.soap("/fx/quote", &quote(NS, "100.00", "USD"));
    assert_eq!(status, 200, "{answer}");
    assert!(answer.contains("<FX_RESULT>92.00</FX_RESULT>"), "{answer}");
    until("all records", || {
        ["CWXN", "CPIH", "FXS1"]
            .iter()
            .all(|t| region.records(t).len() == 1)
    });
    let tasks = |t: &str| region.records(t)[0]["task"].as_u64().unwrap();
    assert!(tasks("CWXN") < tasks("CPIH") && tasks("CPIH") < tasks("FXS1"));
    // The same service for SOAP 1.2.
    let answer = region.send(
        "POST",
        "/fx/quote",
        "application/soap+xml",
        &quote(NS12, "1", "EUR"),
    );
    let media = "application/soap+xml; charset=UTF-8";
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, Some(media))
    );
    assert!(text(&answer).contains(NS12));
    // GET of its description works; other methods are rejected.
    let description = region.send("GET", "/fx/quote?wsdl", "text/plain", "");
    assert!(text(&description).contains("wsdl:definitions"));
    assert_eq!(
        region.send("GET", "/fx/quote", "text/plain", "").status,
        405
    );
}

#[test]
fn programs_and_bad_messages_give_faults() {
    let region = Region::start();
    let (status, answer) = region.soap("/fx/quote", &quote(NS, "1", "XXX"));
    assert_eq!(status, 500);
    assert!(
        answer.contains("<faultcode>SOAP-ENV:Client</faultcode>"),
        "{answer}"
    );
    assert!(answer.contains("<faultstring>There is no currency XXX</faultstring>"));
    assert!(answer.contains("<detail><currency xmlns=\"urn:fx\">XXX</currency>"));
    let (status, answer) = region.soap("/fx/quote", &quote(NS, "abc", "USD"));
    assert_eq!(status, 500);
    assert!(answer.contains("a number expected"), "{answer}");
    // A body that is not a message gets a fault in the version of its Content-Type.
    for wrong in ["<a/>", "", "<!DOCTYPE a><a/>", "\u{1}"] {
        let (status, answer) = region.soap("/fx/quote", wrong);
        assert_eq!(status, 500);
        assert!(answer.contains("<faultcode>SOAP-ENV:Client"), "{answer}");
        let answer = region.send("POST", "/fx/quote", "application/soap+xml", wrong);
        assert!(text(&answer).contains(NS12), "{}", text(&answer));
    }
    let (_, answer) = region.soap("/fx/quote", &format!("<e:Envelope xmlns:e='{NS}'>"));
    assert!(
        answer.contains("faultcode"),
        "answered in its own version: {answer}"
    );
    let bomb = format!(
        "<!DOCTYPE a [<!ENTITY b 'b'>]><e:Envelope xmlns:e='{NS}'><e:Body>&b;</e:Body></e:Envelope>"
    );
    assert!(region.soap("/fx/quote", &bomb).1.contains("Fault"));
    // Version 1.2 distinguishes them by the status, too.
    let wrong = quote(NS12, "abc", "USD");
    assert_eq!(
        region
            .send("POST", "/fx/quote", "application/soap+xml", &wrong)
            .status,
        400
    );
}

#[test]
fn the_same_service_speaks_json() {
    let region = Region::start();
    let ask = |body: &str| {
        let answer = region.send("POST", "/fx/json", "application/json", body);
        (
            answer.status,
            serde_json::from_slice::<serde_json::Value>(&answer.body).unwrap(),
        )
    };
    let record = "{\"FX_AMOUNT\":10.00,\"FX_FROM\":\"GBP\",\"FX_TO\":\"EUR\",\"FX_RATE\":0,\
                  \"FX_RESULT\":0,\"FX_REMARK\":\"\"}";
    let (status, answer) = ask(&format!("{{\"fxQuote\":{record}}}"));
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["fxQuoteResponse"]["FX_RESULT"].as_f64(), Some(11.7));
    assert_eq!(ask(record).0, 200);
    let (status, answer) = ask("{\"fxQuote\":{\"FX_AMOUNT\":\"x\"}}");
    assert_eq!((status, answer["status"].as_u64()), (400, Some(400)));
}

#[test]
fn a_restful_service_reads_and_changes_resources() {
    let region = Region::with(|folder| {
        std::fs::write(folder.join("cobol/GOODS.cbl"), GOODS).unwrap();
        let copybook = folder.join("GOODS.cpy");
        std::fs::write(&copybook, GOODS_RECORD).unwrap();
        let made = crate::program::run(&[
            "web",
            "service",
            "wsdl",
            "--program",
            "GOODS",
            "--request",
            copybook.to_str().unwrap(),
            "--channel",
            "--methods",
            "get,HEAD,PUT,POST,DELETE",
            "--uri",
            "/goods/*",
            "--to",
            folder.join("services/goods").to_str().unwrap(),
        ]);
        assert!(made.status.success(), "{made:?}");
        assert!(!folder.join("services/goods/GOODS.wsdl").exists());
        let csd = folder.join("resources.csd");
        let before = std::fs::read_to_string(&csd).unwrap();
        let more =
            "DEFINE PIPELINE(GOODS) GROUP(FX) CONFIGFILE(jsonjavaprovider.xml) WSDIR(/goods)\n";
        std::fs::write(&csd, before + more).unwrap();
    });
    let ask = |method: &str, path: &str, body: &str| {
        let answer = region.send(method, path, "application/json", body);
        let media = answer.header("content-type").unwrap_or_default().to_owned();
        (answer.status, media, text(&answer))
    };
    let json = "application/json; charset=UTF-8";
    let expected = |status, media: &str, body: &str| (status, media.to_owned(), body.to_owned());
    assert_eq!(
        ask("GET", "/goods/42?unit=kg", ""),
        expected(200, json, r#"{"ITEM":"42 kg","STOCK":7}"#)
    );
    let head = region.send("HEAD", "/goods/42", "application/json", "");
    assert_eq!((head.status, head.body.len()), (200, 0));
    // The program makes its own answer.
    assert_eq!(
        ask("POST", "/goods/", r#"{"ITEM":"nail","STOCK":3}"#),
        expected(201, json, r#"{"made":"nail  003"}"#)
    );
    assert_eq!(
        ask("PUT", "/goods/42", r#"{"ITEM":"nail","STOCK":4}"#),
        expected(204, "", "")
    );
    assert_eq!(
        ask("DELETE", "/goods/none", ""),
        expected(404, "text/plain", "no such goods")
    );
    // A value that does not fit is the sender's error; other methods are rejected.
    let (status, _, why) = ask("PUT", "/goods/42", r#"{"ITEM":"nail","STOCK":"many"}"#);
    assert_eq!(status, 400, "{why}");
    assert!(why.contains("STOCK"), "{why}");
    assert_eq!(ask("PUT", "/goods/42", "").0, 400);
    let answer = region.send("PATCH", "/goods/42", "application/json", "{}");
    assert_eq!(answer.status, 405);
    assert_eq!(answer.header("allow"), Some("GET, HEAD, PUT, POST, DELETE"));
}

const GOODS_RECORD: &str = "\
       01  GOODS-RECORD.
           05  ITEM                    PIC X(6).
           05  STOCK                   PIC 9(3).
";

/// A RESTful service: returns goods, makes them, changes and removes them.
const GOODS: &str = include_str!("../../testdata/programs/services/GOODS.cbl");

#[test]
fn a_program_calls_a_service_and_receives_its_faults() {
    let region = Region::start();
    let reply = region.client("FXC1");
    assert_eq!(reply, "  0   0       92.00  Mid-market, not a promise");
    let reply = region.client("FXC1,XXX");
    assert!(reply.starts_with(" 16   6"), "{reply}");
    assert!(reply.contains("<SOAP-ENV:Fault>"), "{reply}");
    // By web support, without a pipeline.
    assert_eq!(
        region.client("FXC2"),
        "200       92.00  Mid-market, not a promise"
    );
    until("the client's record", || region.records("FXC2").len() == 1);
}

#[test]
fn handlers_answer_fail_and_see_their_containers() {
    let region = Region::start();
    // SVHAND writes its parameters into the remark of the question.
    let ask = |remark: &str| {
        let body = quote(NS, "1", "USD").replace(
            "<q:FX_REMARK/>",
            &format!("<q:FX_REMARK>{remark}</q:FX_REMARK>"),
        );
        region.soap("/sv/hand", &body)
    };
    let (status, answer) = ask("plain");
    assert_eq!(status, 200, "{answer}");
    assert!(answer.contains("<FX_RESULT>0.92</FX_RESULT>"), "{answer}");
    assert!(
        answer.contains("<!--SEND-RESPONSE-->"),
        "the response passed: {answer}"
    );
    let (status, answer) = ask("answer");
    assert_eq!(
        (status, answer.as_str()),
        (200, "<answered pipeline='SVPROV' uri='/sv/hand'/>")
    );
    let (status, answer) = ask("silence");
    assert_eq!((status, answer.as_str()), (202, ""));
    let (status, answer) = ask("abend");
    assert_eq!(status, 500);
    assert!(answer.contains("SVHAND failed: abend SVHA"), "{answer}");
    until("the abend is in its record", || {
        region.records("CPIH").iter().any(|r| r["abend"] == "SVHA")
    });
}

#[test]
fn a_requesters_handlers_run_in_the_task_that_asks() {
    let region = Region::with(|folder| {
        // The requester's pipeline has a handler that changes the question.
        let csd = folder.join("resources.csd");
        let text = std::fs::read_to_string(&csd).unwrap();
        let text = text.replace("/fx/basicsoap11requester.xml", "/sv/requester.xml");
        std::fs::write(csd, text).unwrap();
    });
    let reply = region.client("FXC1,OLD");
    assert_eq!(reply, "  0   0       92.00  Mid-market, not a promise");
    // If the handler fails, the command fails.
    let reply = region.client("FXC1,BAD");
    assert!(reply.starts_with(" 16  15"), "{reply}");
    assert!(reply.contains("SVREQ failed"), "{reply}");
}

#[test]
fn a_server_that_is_no_service_is_a_condition() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 4096];
        let _ = stream.read(&mut request);
        let _ = stream.write_all(
            b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\
              Connection: close\r\n\r\nno",
        );
    });
    let region = Region::with(|folder| {
        let csd = folder.join("resources.csd");
        let text = std::fs::read_to_string(&csd).unwrap();
        let out = text.find("URIMAP(FXOUT)").unwrap();
        let host = text[out..].find("HOST(").unwrap() + out;
        let end = text[host..].find(')').unwrap() + host;
        let text = format!("{}HOST(127.0.0.1:{port}{}", &text[..host], &text[end..]);
        std::fs::write(csd, text).unwrap();
    });
    let reply = region.client("FXC1");
    assert!(reply.starts_with(" 16 107"), "{reply}");
    assert!(reply.contains("status 404"), "{reply}");
    server.join().unwrap();
    // No server listens there now.
    let reply = region.client("FXC1");
    assert!(reply.starts_with(" 16 101"), "{reply}");
}

#[test]
fn a_broken_pipeline_stops_the_start_and_names_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    copy(&here.join("../../examples/web-services"), folder.path());
    let file = folder.path().join("services/fx/provider.xml");
    std::fs::write(
        &file,
        "<provider_pipeline>\n<service>\n<mtom_handler/>\n</service></provider_pipeline>",
    )
    .unwrap();
    let checked = crate::program::tupelo()
        .arg("check")
        .arg(folder.path())
        .output()
        .unwrap();
    assert_eq!(checked.status.code(), Some(1));
    let said = String::from_utf8_lossy(&checked.stdout);
    let line = "services/fx/provider.xml:3:1: error: PIPELINE(FXPROV): mtom_handler";
    assert!(said.contains(line), "{said}");
}

/// The Python that has these libraries, which need not be the first on the
/// path: Debian's packages are for its own.
fn python_with(libraries: &str) -> Option<&'static str> {
    let has = |python: &&str| {
        let import = format!("import {libraries}");
        let ran = std::process::Command::new(python)
            .args(["-c", &import])
            .output();
        ran.is_ok_and(|output| output.status.success())
    };
    ["python3", "/usr/bin/python3"].into_iter().find(has)
}

/// The output of a Python script that calls a region at `base`.
fn script_output(python: &str, script: &str, base: &str) -> String {
    let ran = std::process::Command::new(python)
        .args(["-c", script, base])
        .output()
        .unwrap();
    let wrong = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{wrong}");
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

#[test]
fn a_public_client_takes_the_description_and_asks() {
    let Some(python) = python_with("zeep") else {
        return skipped::lacking("zeep", "python3 cannot import it");
    };
    let region = Region::start();
    let base = format!("http://{}", region.server.web[0].1);
    let said = script_output(python, include_str!("zeep_client.py"), &base);
    let expected = "\
FXS1Port11 105.00 Mid-market, not a promise
FXS1Port11 There is no currency XXX
FXS1Port12 105.00 Mid-market, not a promise
FXS1Port12 There is no currency XXX
";
    assert_eq!(said, expected);
}

#[test]
fn messages_have_their_destination_and_the_message_they_answer() {
    let region = Region::start();
    let wsa = "http://www.w3.org/2005/08/addressing";
    let with = |ns: &str, headers: &str| {
        let headers = format!("<s:Header xmlns:a='{wsa}'>{headers}</s:Header><s:Body>");
        quote(ns, "1", "USD").replacen("<s:Body>", &headers, 1)
    };
    let own = "<a:Action>urn:ask</a:Action><a:MessageID>urn:m7</a:MessageID>\
               <a:From><a:Address>urn:me</a:Address></a:From><a:To s:mustUnderstand='1'>urn:to</a:To>";
    let (status, answer) = region.soap("/sv/addressed", &with(NS, own));
    assert_eq!(status, 200, "{answer}");
    let action = "http://www.FXS1.FXS1.com/FXS1Port/fxQuoteResponse";
    assert!(
        answer.contains(&format!(">{action}</wsa:Action>")),
        "{answer}"
    );
    assert!(answer.contains(">urn:m7</wsa:RelatesTo>"), "{answer}");
    // A program reads the context of the request and builds that of the answer.
    let (_, answer) = region.soap("/sv/read", &with(NS, own));
    assert!(
        answer.contains("<FX_REMARK>05 urn:ask urn:m7 urn:me</FX_REMARK>"),
        "{answer}"
    );
    assert!(answer.contains(">urn:sv:read</wsa:Action>"), "{answer}");
    // Without addressing the program gets a condition.
    let (_, answer) = region.soap("/sv/read", &quote(NS, "1", "USD"));
    assert!(answer.contains("<FX_REMARK>35"), "{answer}");
    // A fault of the program is an answer, too.
    let asked = with(NS12, own).replace("<q:FX_FROM>USD", "<q:FX_FROM>XXX");
    let answer = region.send("POST", "/sv/addressed", "application/soap+xml", &asked);
    assert_eq!(answer.status, 400);
    let answer = text(&answer);
    assert!(
        answer.contains(&format!("{wsa}/soap/fault</wsa:Action>")),
        "{answer}"
    );
    assert!(answer.contains(">urn:m7</wsa:RelatesTo>"), "{answer}");
    // An answer to a forbidden address fails before the program runs.
    let elsewhere =
        format!("{own}<a:ReplyTo><a:Address>http://127.0.0.1:9/</a:Address></a:ReplyTo>");
    let answer = region.send(
        "POST",
        "/sv/addressed",
        "application/soap+xml",
        &with(NS12, &elsewhere),
    );
    assert_eq!(answer.status, 400);
    assert!(
        text(&answer).contains("wsa:OnlyAnonymousAddressSupported"),
        "{}",
        text(&answer)
    );
    let no_reply = format!("{own}<a:ReplyTo><a:Address>{wsa}/none</a:Address></a:ReplyTo>");
    let (status, answer) = region.soap("/sv/addressed", &with(NS, &no_reply));
    assert_eq!((status, answer.as_str()), (202, ""));
    let twice = format!("{own}<a:Action>urn:again</a:Action>");
    let (status, answer) = region.soap("/sv/addressed", &with(NS, &twice));
    assert_eq!(status, 500);
    assert!(
        answer.contains("<faultcode>wsa:InvalidCardinality"),
        "{answer}"
    );
    // A block with mustUnderstand is a fault in a pipeline without addressing.
    let (_, answer) = region.soap("/fx/quote", &with(NS, own));
    assert!(answer.contains("MustUnderstand"), "{answer}");
}

#[test]
fn an_answer_is_sent_to_where_the_settings_allow_it() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let there = listener.local_addr().unwrap();
    let region = Region::with(|folder| {
        let settings = folder.join("tupelo.toml");
        let before = std::fs::read_to_string(&settings).unwrap();
        let web = format!("reply_to = [\"{there}\"]\n");
        let after = if before.contains("[web]\n") {
            before.replacen("[web]\n", &format!("[web]\n{web}"), 1)
        } else {
            format!("{before}\n[web]\n{web}")
        };
        std::fs::write(settings, after).unwrap();
    });
    let wsa = "http://www.w3.org/2005/08/addressing";
    let headers = format!(
        "<s:Header xmlns:a='{wsa}'><a:Action>urn:ask</a:Action><a:MessageID>urn:m8</a:MessageID>\
         <a:ReplyTo><a:Address>http://{there}/take?x=1</a:Address><a:ReferenceParameters>\
         <k xmlns='urn:k'>9</k></a:ReferenceParameters></a:ReplyTo></s:Header><s:Body>"
    );
    let asked = quote(NS, "100.00", "USD").replacen("<s:Body>", &headers, 1);
    let (status, answer) = region.soap("/sv/addressed", &asked);
    assert_eq!((status, answer.as_str()), (202, ""));
    let (mut stream, _) = listener.accept().unwrap();
    let mut came = String::new();
    while !came.contains("</SOAP-ENV:Envelope>") {
        let mut part = [0; 4096];
        let read = stream.read(&mut part).unwrap();
        assert!(read > 0, "{came}");
        came += &String::from_utf8_lossy(&part[..read]);
    }
    let _ = stream.write_all(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
    assert!(came.starts_with("POST /take?x=1 HTTP/1.1\r\n"), "{came}");
    assert!(came.contains("<FX_RESULT>92.00</FX_RESULT>"), "{came}");
    assert!(came.contains(">urn:m8</wsa:RelatesTo>"), "{came}");
    assert!(came.contains("IsReferenceParameter=\"true\""), "{came}");
}

#[test]
fn a_program_builds_the_addressing_of_what_it_asks() {
    let region = Region::with(|folder| {
        // The program names the port of the server.
        let program = folder.join("cobol/SVWS.cbl");
        let text = std::fs::read_to_string(&program).unwrap();
        let csd = std::fs::read_to_string(folder.join("resources.csd")).unwrap();
        let port = csd.split("PORTNUMBER(").nth(1).unwrap();
        let port = port.split(')').next().unwrap();
        std::fs::write(program, text.replace("8190", port)).unwrap();
    });
    assert_eq!(region.client("SVWS"), "end");
    let results: Vec<String> = (1..=9)
        .map(|n| {
            let path = format!("/fx/result?SVW{n}");
            let result = region.send("GET", &path, "text/plain", "");
            text(&result).trim_end().to_owned()
        })
        .collect();
    let expected = [
        " 13   3",
        "  0   0",
        "  0   0",
        "122   2",
        "  0   0",
        "  0   0 05 urn:sv:ask urn:sv:m1 urn:sv:me",
        "  0   0 urn:sv:read urn:sv:m1",
        "  0   0 http://www.w3.org/2005/08/addressing/anonymous",
        "  0   0",
    ];
    assert_eq!(results, expected);
}

#[test]
fn a_public_client_with_addressing_is_understood() {
    let Some(python) = python_with("zeep") else {
        return skipped::lacking("zeep", "python3 cannot import it");
    };
    let region = Region::with(|folder| {
        let pipeline = folder.join("services/sv/addressed.xml");
        std::fs::copy(pipeline, folder.join("services/fx/provider.xml")).unwrap();
    });
    let base = format!("http://{}", region.server.web[0].1);
    let reply = script_output(python, include_str!("zeep_addressing.py"), &base);
    let action = "http://www.FXS1.FXS1.com/FXS1Port/fxQuote";
    assert_eq!(
        reply,
        format!("105.00 {action}Request {action}Response True\n")
    );
}

/// A server of the library spyne; it ends with its standard input.
struct SpyneServer(std::process::Child);

impl SpyneServer {
    /// Starts it; its description is in `wsdl` afterwards.
    fn start(python: &str, wsdl: &Path) -> SpyneServer {
        let mut child = std::process::Command::new(python)
            .args(["-c", include_str!("spyne_server.py")])
            .arg(wsdl)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            // The server prints each fault that it answers with.
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let mut port = [0];
        let count = child.stdout.as_mut().unwrap().read(&mut port).unwrap();
        assert_eq!(count, 1, "it has written its description and serves");
        SpyneServer(child)
    }
}

impl Drop for SpyneServer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_service_of_a_public_server_is_asked_by_copybooks_of_its_description() {
    let Some(python) = python_with("spyne, lxml") else {
        return skipped::lacking("spyne", "python3 cannot import it");
    };
    let made = tempfile::tempdir().unwrap();
    let wsdl = made.path().join("orders.wsdl");
    let _server = SpyneServer::start(python, &wsdl);
    let derived = crate::program::tupelo()
        .args(["web", "service", "copybook"])
        .arg(&wsdl)
        .args(["--inline-limit", "5", "--to"])
        .arg(made.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&derived.stderr);
    assert!(derived.status.success(), "{said}");
    let region = Region::with(|folder| {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/spyne");
        let put = |from: &Path, to: &str| {
            std::fs::copy(from, folder.join(to)).unwrap();
        };
        put(&here.join("ORDC.cbl"), "cobol/ORDC.cbl");
        for name in ["place-request.cpy", "place-response.cpy"] {
            put(&made.path().join(name), &format!("copybooks/{name}"));
        }
        put(
            &made.path().join("place.wsbind"),
            "services/fx/place.wsbind",
        );
        let csd = folder.join("resources.csd");
        let text = std::fs::read_to_string(&csd).unwrap();
        let more = std::fs::read_to_string(here.join("more.csd")).unwrap();
        std::fs::write(csd, text + &more).unwrap();
    });
    let reply = region.client("ORDC,NUT");
    assert_eq!(reply, "  0   0     13.30   2 MEIER & SONS");
    // A fault of the server, with its reason.
    let reply = region.client("ORDC,SAW");
    assert!(reply.starts_with(" 16   6"), "{reply}");
    assert!(reply.contains("There is no SAW"), "{reply}");
}
