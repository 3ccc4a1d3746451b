//! JMeter plans: what is imported, and what is left out with a note.

use super::*;
use proptest::prelude::*;
use std::path::Path;

const PLAN: &str = include_str!("../../../testdata/shop.jmx");

/// The path of the plan's data set.
const TESTDATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata");

fn note<'n>(imported: &'n ImportedScenario, part: &str) -> &'n str {
    let found = imported.notes.iter().find(|n| n.contains(part));
    found.unwrap_or_else(|| panic!("no note of {part} in {:#?}", imported.notes))
}

/// A plan of one thread group with these properties and children.
fn plan(group: &str, inner: &str) -> String {
    format!(
        r#"<jmeterTestPlan><hashTree><TestPlan testname="p"/><hashTree>
        <ThreadGroup testname="g">{group}</ThreadGroup><hashTree>{inner}</hashTree>
        </hashTree></hashTree></jmeterTestPlan>"#
    )
}

fn prop(name: &str, value: &str) -> String {
    format!(r#"<stringProp name="{name}">{value}</stringProp>"#)
}

fn get(name: &str, inner: &str) -> String {
    format!(
        r#"<HTTPSamplerProxy testname="{name}"><stringProp name="HTTPSampler.domain">127.0.0.1</stringProp>
        <stringProp name="HTTPSampler.path">/{name}</stringProp></HTTPSamplerProxy><hashTree>{inner}</hashTree>"#
    )
}

fn read(imported: &ImportedScenario) -> crate::plan::RunPlan {
    let scenario = crate::scenario::read(&imported.scenario, Path::new(TESTDATA));
    let scenario = scenario.unwrap_or_else(|mistakes| {
        let messages: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        panic!("{}\n{}", messages.join("\n"), imported.scenario)
    });
    scenario.variants.into_iter().next().unwrap().plan
}

#[test]
fn a_plan_becomes_a_scenario_that_reads() {
    let imported = jmx(PLAN).unwrap();
    let plan = read(&imported);
    assert_eq!(plan.populations.len(), 2);
    let text = &imported.scenario;
    for part in [
        "title = \"shop & more\"",
        "clients = [{ from = 0, to = 5, for = \"1s\" }]",
        "iterations = 50",
        "timeout = \"4000ms\"",
        "csv = \"users.csv\"",
        "columns = [\"user\", \"word\"]",
        "delimiter = \";\"",
        "request = \"POST http://127.0.0.1:8080/login\"",
        "body = \"user={{users.user}}&pass={{users.word}}&note=a%20%26%20b\"",
        "status = [200, 201]",
        "contains = \"welcome\"",
        "\"token\" = { json = \"/auth/token\" }",
        "\"basket\" = { regex = \"basket=([0-9]+)\" }",
        "\"X-Token\" = \"{{token}}\"",
        "\"Accept\" = \"application/json\"",
        "GET http://127.0.0.1:8080/find?q=a&page={{page.value}}",
        "matches = \"\\\\A(?:.*found.*)\\\\z\"",
        "size = 12",
        "rate = 2.5",
        "outstanding = 3",
        "name = \"buyers 2\"",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    // Before the first request 300 ms, before the second 500 ms more.
    assert!(text.contains("think = \"800ms\"") && text.contains("think = \"300ms\""));
    assert!(!text.contains("never"), "{text}");
    for part in [
        "BeanShellSampler `magic`",
        "ConstantThroughputTimer",
        "ResultCollector `tree`",
        "IfController `maybe`: its condition",
        "CookieManager `jar`",
        "XPathExtractor `x`",
        "${absent}",
        "redirects",
        "5 clients with 10 each",
    ] {
        if part == "ConstantThroughputTimer" {
            note(&imported, "throughput timer became `rate`");
        } else {
            note(&imported, part);
        }
    }
    assert!(matches!(jmx("<a/>"), Err(ImportError::Jmx(_))));
}

#[test]
fn what_is_switched_off_is_left_out_with_everything_in_it() {
    let off = r#"<GenericController testname="c" enabled="false"/><hashTree>"#;
    let inner = format!("{}{off}{}</hashTree>", get("a", ""), get("b", ""));
    let imported = jmx(&plan("", &inner)).unwrap();
    assert_eq!(read(&imported).populations[0].steps.len(), 1);
}

#[test]
fn a_group_that_ends_by_time_keeps_its_ramp_its_delay_and_its_length() {
    let of = |more: &str| {
        let group = [
            prop("ThreadGroup.num_threads", "4"),
            prop("ThreadGroup.ramp_time", "10"),
            prop("LoopController.loops", "-1"),
            more.to_owned(),
        ];
        jmx(&plan(&group.concat(), &get("a", ""))).unwrap()
    };
    let timed = [
        prop("ThreadGroup.scheduler", "true"),
        prop("ThreadGroup.duration", "60"),
        prop("ThreadGroup.delay", "5"),
    ];
    let text = of(&timed.concat()).scenario;
    assert!(text.contains("duration = \"65s\""), "{text}");
    let pieces = "clients = [{ from = 0, to = 0, for = \"5s\" }, { from = 0, to = 4, for = \"10s\" }, { from = 4, to = 4, for = \"50s\" }]";
    assert!(text.contains(pieces), "{text}");
    let endless = of("");
    note(&endless, "has no end in JMeter");
    assert!(endless.scenario.contains("duration = \"60s\""));
}

#[test]
fn a_loop_inside_of_a_group_is_written_out() {
    let inner = format!(
        r#"<LoopController testname="l">{}</LoopController><hashTree>{}{}</hashTree>"#,
        prop("LoopController.loops", "3"),
        get("a", ""),
        get("b", "")
    );
    let imported = jmx(&plan("", &inner)).unwrap();
    assert_eq!(read(&imported).populations[0].steps.len(), 6);
    let many = inner.replace(">3<", ">1000<");
    let imported = jmx(&plan("", &many)).unwrap();
    assert_eq!(read(&imported).populations[0].steps.len(), 2);
    note(&imported, "LoopController `l`");
}

#[test]
fn an_assertion_that_no_check_can_express_is_named() {
    let assertion = |kind: &str, field: &str, pattern: &str| {
        let assertion = format!(
            r#"<ResponseAssertion testname="is it">{}{}<collectionProp name="Asserion.test_strings">{}</collectionProp></ResponseAssertion><hashTree/>"#,
            prop("Assertion.test_type", kind),
            prop("Assertion.test_field", field),
            prop("1", pattern)
        );
        jmx(&plan("", &get("a", &assertion))).unwrap()
    };
    let (body, code) = ("Assertion.response_data", "Assertion.response_code");
    for (kind, field, pattern, wanted) in [
        ("16", body, "a.b", "contains = \"a.b\""),
        ("2", body, "a.b", "matches = \"(?:a.b)\""),
        ("8", body, "a.b", "matches = \"\\\\Aa\\\\.b\\\\z\""),
        ("2", code, "2..", "status = [\"2xx\"]"),
        ("8", code, "404", "status = [404]"),
    ] {
        let imported = assertion(kind, field, pattern);
        assert!(imported.scenario.contains(wanted), "{}", imported.scenario);
        read(&imported);
    }
    for (kind, field, pattern) in [
        ("6", body, "not this"),
        ("2", body, "(?=look)"),
        ("2", "Assertion.response_headers", "X"),
        ("16", code, "OK"),
    ] {
        let imported = assertion(kind, field, pattern);
        note(&imported, "ResponseAssertion `is it`");
        assert!(
            !imported.scenario.contains("matches"),
            "{}",
            imported.scenario
        );
        read(&imported);
    }
}

#[test]
fn requests_in_groups_and_controllers_of_plug_ins_are_taken_over() {
    let concurrency = "com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup";
    let level = [
        prop("TargetLevel", "10"),
        prop("RampUp", "1"),
        prop("Hold", "2"),
        prop("Unit", "M"),
    ];
    let of_kind = |kind: &str, group: &str| {
        let text = plan(group, &get("a", ""));
        let text = text.replace("<ThreadGroup", &format!("<{kind}"));
        jmx(&text.replace("</ThreadGroup", &format!("</{kind}"))).unwrap()
    };
    let imported = of_kind(concurrency, &level.concat());
    note(&imported, "ConcurrencyThreadGroup `g`: its level");
    assert!(imported.scenario.contains("duration = \"180s\""));
    assert!(imported.scenario.contains("to = 10, for = \"60s\""));
    read(&imported);
    let stepping = "kg.apc.jmeter.threads.SteppingThreadGroup";
    let group = prop("ThreadGroup.num_threads", "7");
    let imported = of_kind(stepping, &group);
    note(&imported, "of its load only the number of threads");
    assert!(imported.scenario.contains("clients = 7"));
    for controller in [
        "com.blazemeter.jmeter.controller.ParallelSampler",
        "com.blazemeter.jmeter.control.WeightedSwitchController",
    ] {
        let inner = format!(
            "<{controller} testname=\"c\"/><hashTree>{}{}</hashTree>",
            get("a", ""),
            get("b", "")
        );
        let imported = jmx(&plan("", &inner)).unwrap();
        assert_eq!(read(&imported).populations[0].steps.len(), 2);
        note(&imported, "`c`: its requests were imported");
    }
}

#[test]
fn a_plan_whose_requests_are_all_left_out_says_why() {
    let why = |text: &str| jmx(text).unwrap_err().to_string();
    let whole = plan("", &get("a", ""));
    let no_host = whole.replace("127.0.0.1", "");
    assert_eq!(
        why(&no_host),
        "its HTTP request could not be imported\n  HTTPSamplerProxy `a`: it has no host, and no HTTP Request Defaults in scope have one"
    );
    let port = format!(
        "127.0.0.1</stringProp>{}<stringProp>",
        prop("HTTPSampler.port", "http")
    );
    assert!(why(&whole.replace("127.0.0.1", &port)).contains("`a`: http://127.0.0.1:http"));
    let two = plan("", &format!("{}{}", get("a", ""), get("b", "")));
    let setup = why(&two.replace("ThreadGroup", "SetupThreadGroup"));
    assert!(setup.contains("none of its 2 HTTP requests"), "{setup}");
    assert!(
        setup.contains("SetupThreadGroup `g` has no counterpart"),
        "{setup}"
    );
    let sampler = "HTTPSamplerProxy testname=\"a\"";
    let off = why(&whole.replace(sampler, &format!("{sampler} enabled=\"false\"")));
    assert!(
        off.contains("1 of 1 HTTP requests were left out: they are disabled"),
        "{off}"
    );
    assert_eq!(why(&plan("", "")), "the file holds no HTTP request");
}

#[test]
fn data_that_no_request_draws_are_left_out() {
    let counter = format!(
        "<CounterConfig testname=\"c\">{}</CounterConfig><hashTree/>",
        prop("CounterConfig.name", "n")
    );
    let imported = jmx(&plan("", &format!("{counter}{}", get("a", "")))).unwrap();
    note(&imported, "no request uses them");
    assert!(read(&imported).feeders.is_empty());
}

proptest! {
    #[test]
    fn a_damaged_plan_never_panics(cut in 0..PLAN.len(), junk in "[<>/a-z\"= ${}(]{0,20}") {
        if PLAN.is_char_boundary(cut) {
            let _ = jmx(&format!("{}{junk}{}", &PLAN[..cut], &PLAN[cut..]));
            let _ = jmx(&PLAN[..cut]);
        }
    }
}
