//! Records of ended requests: audit records, and traces as a
//! collector receives them.

use crate::client::send;
use crate::fake::{Data, Fake};
use crate::{config, example};
use gateway::{
    AuditConfig, Gateway, GatewayConfig, LoadedApi, ObserveConfig, PolicyRules, PolicySet,
    TracingConfig,
};
use region::TaskCosts;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

/// Answers with letters, as task 7, and reports its input.
fn serve(change: impl FnOnce(&mut GatewayConfig)) -> (Gateway<Fake>, Arc<Mutex<Vec<Data>>>) {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let seen = calls.clone();
    let fake = Fake::default().program("PFPADCON", move |data| {
        let put = |data: &mut Data, name: &str, bytes| data.containers.insert(name.into(), bytes);
        put(data, "RESPONSE-DATA", b"AAA".to_vec());
        put(data, "RESPONSE-LENGTH", b"00000003".to_vec());
        data.costs = Some(TaskCosts {
            task: 7,
            cpu_ns: 2_500_000,
            start_unix_ns: 500,
            response_ns: 3_000,
            commands: 1,
            ..TaskCosts::default()
        });
        seen.lock().unwrap().push(data.clone());
    });
    let mut config = config();
    change(&mut config);
    let apis = LoadedApi::load_all(&example("perfchannel/apis")).unwrap();
    (Gateway::start(config, apis, fake).unwrap(), calls)
}

fn put(gateway: &Gateway<Fake>, path: &str, headers: &str) -> u16 {
    send(gateway.address(), "PUT", path, headers, "").status
}

pub fn auditing(path: &Path) -> ObserveConfig {
    ObserveConfig {
        audit: Some(AuditConfig {
            path: path.to_owned(),
            max_bytes: 1 << 20,
            kept: 1,
            request_headers: vec!["x-request-id".into()],
            response_headers: vec!["content-type".into()],
        }),
        applid: "BANKRGN".into(),
        ..ObserveConfig::default()
    }
}

pub fn records(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn every_request_leaves_an_audit_record_without_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let (gateway, _) = serve(|config| config.observe = auditing(&path));
    let headers = "x-request-id: r-1\r\nauthorization: Basic c2VjcmV0OnBhc3N3b3Jk\r\n";
    assert_eq!(
        put(&gateway, "/perfchannel/response/3?note=1", headers),
        200
    );
    assert_eq!(put(&gateway, "/perfchannel/response/x", ""), 400);
    assert_eq!(put(&gateway, "/nowhere", ""), 404);
    assert_eq!(
        send(gateway.address(), "GET", "/health", "", "").status,
        200
    );
    drop(gateway);
    let all = records(&path);
    assert_eq!(all.len(), 3, "looking how it is is not a request");
    let first = &all[0];
    for (name, value) in [
        ("SMF123_REC_TYPE", "123"),
        ("SMF123_SERVER_JOBNAME", "\"BANKRGN\""),
        ("SMF123S1_REQ_TYPE", "1"),
        ("SMF123S1_HTTP_RESP_CODE", "200"),
        ("SMF123S1_CLIENT_IP_ADDR", "\"127.0.0.1\""),
        ("SMF123S1_API_NAME", "\"perfchannel\""),
        ("SMF123S1_REQ_METHOD", "\"PUT\""),
        ("SMF123S1_REQ_QUERY_STR", "\"note=1\""),
        ("SMF123S1_REQ_TARGET_URI", "\"/perfchannel/response/3\""),
        ("SMF123S1_SP_NAME", "\"CICS-1.0\""),
        ("SMF123S1_SOR_RESOURCE", "\"PFPC,PFPADCON\""),
        ("SMF123S1_REQ_HDR1", "\"x-request-id:r-1\""),
        ("SMF123S1_RESP_HDR1", "\"content-type:application/json\""),
        ("task", "7"),
        ("program_cpu_us", "2500"),
    ] {
        assert_eq!(first[name].to_string(), value, "{name} of {first:#}");
    }
    let order = [
        "TIME_ZC_ENTRY",
        "TIME_SOR_SENT",
        "TIME_SOR_RECV",
        "TIME_ZC_EXIT",
    ];
    let times = order.map(|name| first[format!("SMF123S1_{name}")].as_str().unwrap());
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(all[1]["SMF123S1_HTTP_RESP_CODE"], 400);
    assert_eq!(all[1]["SMF123S1_TIME_SOR_SENT"], Value::Null);
    assert_eq!(all[2]["SMF123S1_REQ_TYPE"], 0);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        !text.contains("c2VjcmV0") && !text.contains("Basic"),
        "{text}"
    );
}

#[test]
fn what_an_operator_changes_is_audited_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let (gateway, _) = serve(|config| config.observe = auditing(&path));
    let admin = gateway.admin_address().unwrap();
    let operator = "x-tupelo-operator: 1\r\n";
    send(admin, "GET", "/apis", "", "");
    let stopped = send(admin, "POST", "/apis/perfchannel/stop", operator, "");
    assert_eq!(stopped.status, 200);
    drop(gateway);
    let all = records(&path);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0]["SMF123S1_REQ_TYPE"], 3);
    assert_eq!(all[0]["SMF123S1_REQ_TARGET_URI"], "/apis/perfchannel/stop");
}

/// A collector: returns the bodies that it receives.
fn collector() -> (SocketAddr, Receiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (report, reported) = channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if line == "\r\n" {
                    break;
                }
                if let Some(value) = line.strip_prefix("content-length: ") {
                    length = value.trim().parse().unwrap();
                }
                head += &line;
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
                content-length: 2\r\n\r\n{}";
            stream.write_all(answer.as_bytes()).unwrap();
            let body = serde_json::from_slice(&body).unwrap();
            if report.send((head, body)).is_err() {
                return;
            }
        }
    });
    (address, reported)
}

fn tracing(address: SocketAddr, ratio: f64) -> ObserveConfig {
    ObserveConfig {
        tracing: Some(TracingConfig {
            endpoint: format!("http://{address}"),
            ratio,
            service: "bank".into(),
        }),
        applid: "BANKRGN".into(),
        ..ObserveConfig::default()
    }
}

/// The members of each message of the protocol's trace.proto, common.proto and
/// resource.proto, in the JSON encoding.
fn only_known(value: &Value, message: &str) {
    let fields: &[(&str, &str)] = match message {
        "ExportTraceServiceRequest" => &[("resourceSpans", "ResourceSpans")],
        "ResourceSpans" => &[("resource", "Resource"), ("scopeSpans", "ScopeSpans")],
        "Resource" => &[("attributes", "KeyValue")],
        "ScopeSpans" => &[("scope", "Scope"), ("spans", "Span")],
        "Scope" => &[("name", ""), ("version", "")],
        "Span" => &[
            ("traceId", ""),
            ("spanId", ""),
            ("parentSpanId", ""),
            ("name", ""),
            ("kind", ""),
            ("startTimeUnixNano", ""),
            ("endTimeUnixNano", ""),
            ("attributes", "KeyValue"),
            ("status", "Status"),
        ],
        "KeyValue" => &[("key", ""), ("value", "AnyValue")],
        "AnyValue" => &[("stringValue", ""), ("intValue", "")],
        "Status" => &[("code", ""), ("message", "")],
        other => panic!("{other}"),
    };
    for (key, inner) in value
        .as_object()
        .unwrap_or_else(|| panic!("{message}: {value}"))
    {
        let known = fields.iter().find(|(name, _)| name == key);
        let (_, kind) = known.unwrap_or_else(|| panic!("{message} has no {key}"));
        match (kind.is_empty(), inner) {
            (true, _) => assert!(!inner.is_object() && !inner.is_array(), "{message}.{key}"),
            (false, Value::Array(all)) => all.iter().for_each(|one| only_known(one, kind)),
            (false, one) => only_known(one, kind),
        }
    }
}

#[test]
fn a_trace_goes_from_the_callers_span_to_the_commands_of_the_task() {
    let (address, reported) = collector();
    let (gateway, calls) = serve(|config| config.observe = tracing(address, 0.0));
    let parent = "b7ad6b7169203331";
    let headers = format!("traceparent: 00-{TRACE}-{parent}-01\r\n");
    assert_eq!(put(&gateway, "/perfchannel/response/3", &headers), 200);
    // This one is not recorded.
    assert_eq!(put(&gateway, "/perfchannel/response/3", ""), 200);
    drop(gateway);
    let (head, body) = reported.recv().unwrap();
    assert!(head.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("content-type: application/json\r\n"));
    only_known(&body, "ExportTraceServiceRequest");
    let spans = body["resourceSpans"][0]["scopeSpans"][0]["spans"]
        .as_array()
        .unwrap();
    let named = |name: &str| {
        let found = spans.iter().find(|span| span["name"] == name);
        found.unwrap_or_else(|| panic!("{name} is not in {body:#}"))
    };
    assert_eq!(spans.len(), 3);
    assert!(spans.iter().all(|span| span["traceId"] == TRACE));
    let request = named("PUT /perfchannel/response/{response_size}");
    assert_eq!(request["parentSpanId"], parent);
    assert_eq!(request["kind"], 2);
    let task = named("PFPC PFPADCON");
    assert_eq!(task["parentSpanId"], request["spanId"]);
    assert_eq!(task["endTimeUnixNano"], "3500");
    let command = named("EXEC CICS READ");
    assert_eq!(command["parentSpanId"], task["spanId"]);
    let calls = calls.lock().unwrap();
    let seen = calls[0].trace_id;
    assert_eq!(format!("{:032x}", u128::from_be_bytes(seen)), TRACE);
    assert_eq!(calls[1].trace_id, [0; 16]);
}

#[test]
fn the_ratio_decides_where_the_caller_sends_no_decision() {
    let (address, reported) = collector();
    let (gateway, calls) = serve(|config| config.observe = tracing(address, 1.0));
    assert_eq!(put(&gateway, "/perfchannel/response/3", ""), 200);
    let unwanted = format!("traceparent: 00-{TRACE}-b7ad6b7169203331-00\r\n");
    assert_eq!(put(&gateway, "/perfchannel/response/3", &unwanted), 200);
    drop(gateway);
    let (_, body) = reported.recv().unwrap();
    let spans = &body["resourceSpans"][0]["scopeSpans"][0]["spans"];
    assert_eq!(spans.as_array().unwrap().len(), 3, "one request, not two");
    assert!(spans[0].get("parentSpanId").is_none());
    assert_ne!(calls.lock().unwrap()[0].trace_id, [0; 16]);
}

#[test]
fn a_collector_that_is_not_there_costs_no_request() {
    let gone = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let (gateway, _) = serve(|config| config.observe = tracing(gone, 1.0));
    for _ in 0..50 {
        assert_eq!(put(&gateway, "/perfchannel/response/3", ""), 200);
    }
    let admin = gateway.admin_address().unwrap();
    let dropped = || {
        let text = send(admin, "GET", "/metrics", "", "").text();
        let line = |l: &str| {
            Some(
                l.strip_prefix("tupelo_gateway_spans_dropped_total ")?
                    .to_owned(),
            )
        };
        text.lines()
            .find_map(line)
            .unwrap()
            .trim()
            .parse::<u64>()
            .unwrap()
    };
    while dropped() < 100 {
        std::thread::yield_now();
    }
}

fn policies(rules: &str) -> PolicySet {
    let text = format!("<ruleset>{rules}</ruleset>");
    PolicySet {
        global: Some(Arc::new(
            PolicyRules::parse(Path::new("p.xml"), &text).unwrap(),
        )),
        ..PolicySet::default()
    }
}

#[test]
fn a_policy_chooses_connection_and_transaction() {
    let rules = "<rule name=\"test\"><conditions><header name=\"stage\" value=\"test\"/></conditions>\
        <actions><set property=\"cicsConnectionRef\" value=\"green\"/></actions></rule>\
        <rule name=\"any\"><conditions><header name=\"colour\" match=\"ANY_VALUE\"/></conditions>\
        <actions><set property=\"cicsConnectionRef\" value=\"${colour}\"/>\
        <set property=\"cicsTransId\" value=\"PF01\"/></actions></rule>";
    let (gateway, calls) = serve(|config| config.policies = policies(rules));
    let path = "/perfchannel/response/3";
    for (headers, status) in [
        ("", 200),
        ("stage: test\r\n", 200),
        ("stage: test\r\ncolour: blue\r\n", 200),
        ("colour: red\r\n", 400),
    ] {
        assert_eq!(put(&gateway, path, headers), status, "{headers}");
    }
    let calls = calls.lock().unwrap();
    let chosen: Vec<(&str, &str)> = calls
        .iter()
        .map(|data| (data.connection.as_str(), data.transid.as_str()))
        .collect();
    let own = calls[0].connection.as_str();
    assert_eq!(chosen[0], (own, "PFPC"));
    assert_eq!(chosen[1..], [("green", "PFPC"), ("green", "PF01")]);
}
