//! WS-Addressing in pipelines, driven without a region.

use std::sync::Arc;

use soap::Envelope;
use soap::addressing::{
    ANONYMOUS, AddressingHeaders, AddressingProperties, AddressingVersion, EndpointReference, NONE,
};
use soap::envelope::SoapVersion;
use soap::pipeline::{
    AnswerDestination, ChannelContainers, Config, Pipeline, PipelineAction, PipelineOutcome,
    ReplyPolicy, names,
};
use soap::xml::Limits;

#[derive(Debug)]
struct Any;

impl ReplyPolicy for Any {
    fn allows(&self, address: &str) -> bool {
        address.starts_with("http://there/")
    }
}

fn program(edition: AddressingVersion) -> String {
    format!(
        "<headerprogram><program_name>DFHWSADH</program_name><namespace>{}</namespace>\
         <localname>*</localname><mandatory>true</mandatory></headerprogram>",
        edition.namespace()
    )
}

fn provider() -> Pipeline {
    let text = format!(
        "<provider_pipeline><service><terminal_handler><cics_soap_1.2_handler>{}{}\
         </cics_soap_1.2_handler></terminal_handler></service><apphandler>DFHPITP</apphandler>\
         </provider_pipeline>",
        program(AddressingVersion::Recommendation),
        program(AddressingVersion::Submission)
    );
    let config = Arc::new(Config::parse(&text).unwrap());
    Pipeline::new(&config, b"", ChannelContainers::new(), Limits::default())
}

fn message(version: SoapVersion, edition: AddressingVersion, headers: &str) -> String {
    format!(
        "<s:Envelope xmlns:s='{}' xmlns:a='{}' xmlns:k='urn:k'><s:Header>{headers}</s:Header>\
         <s:Body><o xmlns='urn:o'/></s:Body></s:Envelope>",
        version.namespace(),
        edition.namespace()
    )
}

/// Serves a message; its answer, and who gets it.
fn served(text: &str, replies: bool, build: impl Fn(&mut Pipeline)) -> (String, AnswerDestination) {
    let mut pipeline = provider();
    pipeline
        .containers
        .insert(names::REQUEST.into(), text.as_bytes().to_vec());
    pipeline.addressing.message_id = "urn:uuid:own".into();
    pipeline.addressing.replies = replies.then(|| Arc::new(Any) as Arc<dyn ReplyPolicy>);
    loop {
        match pipeline.poll() {
            PipelineAction::Application { .. } => {
                build(&mut pipeline);
                pipeline.handle_answer(None, true);
            }
            PipelineAction::Done(PipelineOutcome::Response(answer)) => {
                return (String::from_utf8(answer).unwrap(), pipeline.destination());
            }
            other => panic!("{other:?}"),
        }
    }
}

fn properties(text: &str) -> AddressingProperties {
    let envelope = Envelope::parse(text, Limits::default()).unwrap();
    let found = AddressingHeaders::parse(&envelope, &AddressingVersion::ALL).unwrap();
    found.map(|found| found.properties).unwrap_or_default()
}

#[test]
fn an_answer_names_its_request_in_the_version_of_the_request() {
    for edition in AddressingVersion::ALL {
        for version in [SoapVersion::V11, SoapVersion::V12] {
            let headers = format!(
                "<a:To s:mustUnderstand='1'>http://here/</a:To><a:Action>urn:do</a:Action>\
                 <a:MessageID>urn:m1</a:MessageID><a:ReplyTo><a:Address>{}</a:Address>\
                 <a:ReferenceParameters><k:x>7</k:x></a:ReferenceParameters></a:ReplyTo>",
                edition.anonymous()
            );
            let (answer, to) = served(&message(version, edition, &headers), false, |_| ());
            assert_eq!(to, AnswerDestination::Connection);
            let own = properties(&answer);
            assert_eq!(
                own.relates_to,
                [("urn:m1".into(), String::new())],
                "{answer}"
            );
            assert_eq!(own.action.as_deref(), Some("urn:doResponse"));
            assert_eq!(own.message_id.as_deref(), Some("urn:uuid:own"));
            assert_eq!(own.to.unwrap().address, ANONYMOUS);
            assert!(answer.contains(edition.namespace()), "{answer}");
            assert!(
                answer.contains("urn:k") && answer.contains(">7</k:x>"),
                "{answer}"
            );
        }
    }
    // Without addressing in the request the answer has none either.
    let plain = message(SoapVersion::V11, AddressingVersion::Recommendation, "");
    let (answer, to) = served(&plain, false, |_| ());
    assert_eq!(
        (properties(&answer), to),
        (
            AddressingProperties::default(),
            AnswerDestination::Connection
        )
    );
}

#[test]
fn an_answer_goes_elsewhere_only_where_that_is_allowed() {
    let asks = |reply: &str, fault: &str| {
        let headers = format!(
            "<a:Action>urn:do</a:Action><a:MessageID>urn:m1</a:MessageID><a:ReplyTo><a:Address>\
             {reply}</a:Address></a:ReplyTo><a:FaultTo><a:Address>{fault}</a:Address></a:FaultTo>"
        );
        message(
            SoapVersion::V12,
            AddressingVersion::Recommendation,
            &headers,
        )
    };
    let there = "http://there/x";
    let (answer, to) = served(&asks(there, ANONYMOUS), true, |_| ());
    let address = there.to_owned();
    let by_program = false;
    assert_eq!(
        to,
        AnswerDestination::Elsewhere {
            address,
            by_program
        }
    );
    assert_eq!(properties(&answer).to.unwrap().address, there);
    assert_eq!(
        served(&asks(NONE, NONE), false, |_| ()).1,
        AnswerDestination::Nowhere
    );
    for (asked, replies) in [
        (asks(there, ANONYMOUS), false),
        (asks("http://where/", ANONYMOUS), true),
        (asks(ANONYMOUS, "http://where/"), true),
    ] {
        let (answer, to) = served(&asked, replies, |_| panic!("no program runs"));
        assert_eq!(to, AnswerDestination::Connection);
        assert!(
            answer.contains("wsa:OnlyAnonymousAddressSupported"),
            "{answer}"
        );
        assert!(answer.contains("xmlns:wsa="), "{answer}");
        let own = properties(&answer);
        assert_eq!(
            own.action.as_deref(),
            Some(AddressingVersion::Recommendation.fault())
        );
        assert_eq!(own.relates_to[0].0, "urn:m1");
    }
}

#[test]
fn broken_addressing_is_a_fault_that_names_the_block() {
    for (headers, code, block) in [
        (
            "<a:To>x</a:To>",
            "MessageAddressingHeaderRequired",
            "Action",
        ),
        (
            "<a:Action>x</a:Action><a:Action>y</a:Action>",
            "InvalidCardinality",
            "Action",
        ),
        ("<a:Action/>", "InvalidAddress", "Action"),
        (
            "<a:Action>x</a:Action><a:ReplyTo/>",
            "InvalidAddress",
            "ReplyTo",
        ),
        (
            "<a:Action>x</a:Action><a:FaultTo><a:Address><b/></a:Address></a:FaultTo>",
            "InvalidAddress",
            "FaultTo",
        ),
    ] {
        for version in [SoapVersion::V11, SoapVersion::V12] {
            let asked = message(version, AddressingVersion::Recommendation, headers);
            let (answer, _) = served(&asked, false, |_| panic!("no program runs"));
            assert!(answer.contains(&format!("wsa:{code}<")), "{answer}");
            assert!(answer.contains(&format!(">wsa:{block}</wsa:ProblemHeaderQName>")));
            let envelope = Envelope::parse(&answer, Limits::default()).unwrap();
            assert!(soap::Fault::parse(&envelope).unwrap().is_some());
        }
    }
    let strange = "<a:Action>x</a:Action><a:Other s:mustUnderstand='1'/>";
    let strange = message(SoapVersion::V11, AddressingVersion::Recommendation, strange);
    let (answer, _) = served(&strange, false, |_| panic!("no program runs"));
    assert!(answer.contains("MustUnderstand"), "{answer}");
    let old = message(
        SoapVersion::V11,
        AddressingVersion::Submission,
        "<a:Action>x</a:Action>",
    );
    let (answer, _) = served(&old, false, |_| ());
    assert!(
        answer.contains("wsa:MessageAddressingHeaderRequired"),
        "{answer}"
    );
}

#[test]
fn a_program_changes_the_addressing_of_its_response() {
    let asked = message(
        SoapVersion::V11,
        AddressingVersion::Recommendation,
        "<a:Action>urn:do</a:Action><a:MessageID>urn:m1</a:MessageID>",
    );
    let (answer, to) = served(&asked, false, |pipeline| {
        assert_eq!(
            pipeline.addressing.request.action.as_deref(),
            Some("urn:do")
        );
        pipeline.set_response_addressing(AddressingProperties {
            to: Some(EndpointReference::of("http://other/")),
            action: Some("urn:done".into()),
            ..AddressingProperties::default()
        });
    });
    let address = "http://other/".to_owned();
    let by_program = true;
    assert_eq!(
        to,
        AnswerDestination::Elsewhere {
            address,
            by_program
        }
    );
    let own = properties(&answer);
    assert_eq!(own.action.as_deref(), Some("urn:done"));
    assert_eq!(own.relates_to[0].0, "urn:m1");
}

/// A requester's message, and what comes of an answer to it.
fn answer_outcome(
    built: AddressingProperties,
    answer: impl Fn(&AddressingProperties) -> Option<String>,
) -> (String, PipelineOutcome) {
    let text = format!(
        "<requester_pipeline><service><service_handler_list><cics_soap_1.1_handler>{}\
         </cics_soap_1.1_handler></service_handler_list></service></requester_pipeline>",
        program(AddressingVersion::Recommendation)
    );
    let config = Arc::new(Config::parse(&text).unwrap());
    let mut containers = ChannelContainers::new();
    containers.insert(names::URI.into(), b"http://server/".to_vec());
    let mut pipeline = Pipeline::new(&config, b"<o/>", containers, Limits::default());
    pipeline.addressing.message_id = "urn:uuid:own".into();
    pipeline.addressing.request_action = "urn:do".into();
    pipeline.addressing.request = built;
    let mut sent = String::new();
    loop {
        match pipeline.poll() {
            PipelineAction::Send => {
                sent = String::from_utf8(pipeline.containers[names::REQUEST].clone()).unwrap();
                let answer = answer(&properties(&sent));
                pipeline.handle_received(answer.map(String::into_bytes));
            }
            PipelineAction::Done(outcome) => return (sent, outcome),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_request_names_its_destination_and_its_answer_must_match_it() {
    let answers = |id: &str| {
        let headers = format!(
            "<a:Action>urn:done</a:Action><a:RelatesTo>{id}</a:RelatesTo>\
             <a:To s:mustUnderstand='1'>{ANONYMOUS}</a:To>"
        );
        message(
            SoapVersion::V11,
            AddressingVersion::Recommendation,
            &headers,
        )
    };
    let (sent, outcome) = answer_outcome(AddressingProperties::default(), |own| {
        assert_eq!(own.to.as_ref().unwrap().address, "http://server/");
        assert_eq!(own.action.as_deref(), Some("urn:do"));
        assert_eq!(own.reply_to.as_ref().unwrap().address, ANONYMOUS);
        Some(answers(own.message_id.as_ref().unwrap()))
    });
    assert!(
        matches!(outcome, PipelineOutcome::Response(_)),
        "{sent} {outcome:?}"
    );
    let (_, outcome) = answer_outcome(AddressingProperties::default(), |_| {
        Some(answers("urn:other"))
    });
    let PipelineOutcome::Failed(why) = outcome else {
        panic!("{outcome:?}")
    };
    assert!(
        why.to_string().contains("RelatesTo names another message"),
        "{why}"
    );
    // The program's own properties take precedence; parameters are blocks of
    // their own.
    let built = AddressingProperties {
        to: Some(EndpointReference {
            parameters: "<k xmlns='urn:k'>7</k>".into(),
            ..EndpointReference::of("urn:to")
        }),
        reply_to: Some(EndpointReference::of("http://me/")),
        message_id: Some("urn:mine".into()),
        ..AddressingProperties::default()
    };
    let (sent, outcome) = answer_outcome(built, |own| {
        assert_eq!(own.to.as_ref().unwrap().address, "urn:to");
        assert!(own.to.as_ref().unwrap().parameters.contains(">7</k>"));
        assert_eq!(own.message_id.as_deref(), Some("urn:mine"));
        None
    });
    assert!(sent.contains("IsReferenceParameter=\"true\""), "{sent}");
    assert_eq!(outcome, PipelineOutcome::NoResponse);
}

proptest::proptest! {
    #[test]
    fn no_header_panics(headers in "(<a:(To|Action|ReplyTo|FaultTo|RelatesTo|MessageID|Address|ReferenceParameters|Metadata)( s:mustUnderstand='1')?/?>|</a:(To|Action|ReplyTo|FaultTo|RelatesTo|MessageID|Address|ReferenceParameters)>|x|http://there/|<k:y a:IsReferenceParameter='1'/>|&lt;| ){0,16}") {
        for edition in AddressingVersion::ALL {
            let text = message(SoapVersion::V12, edition, &headers);
            if Envelope::parse(&text, Limits::default()).is_ok() {
                let (answer, _) = served(&text, true, |_| ());
                let envelope = Envelope::parse(&answer, Limits::default());
                assert!(envelope.is_ok(), "{answer}");
            }
        }
    }
}
