//! Pipelines, driven without a region.

use std::sync::Arc;

use soap::envelope::{FaultCode, SoapVersion};
use soap::pipeline::{
    ChannelContainers, Config, HandlerFunction, Pipeline, PipelineAction, PipelineOutcome, names,
};
use soap::xml::Limits;
use soap::{Envelope, Fault};

fn provider(handlers: &str, terminal: &str) -> Config {
    let text = format!(
        "<provider_pipeline><service><service_handler_list>{handlers}</service_handler_list>\
         <terminal_handler>{terminal}</terminal_handler></service><apphandler>DFHPITP</apphandler>\
         </provider_pipeline>"
    );
    Config::parse(&text).unwrap()
}

fn handler(program: &str) -> String {
    format!("<handler><program>{program}</program></handler>")
}

const SOAP: &str = "<cics_soap_1.1_handler/>";

fn message(headers: &str, body: &str) -> String {
    let ns = SoapVersion::V11.namespace();
    format!(
        "<s:Envelope xmlns:s='{ns}' xmlns:o='urn:o'><s:Header>{headers}</s:Header><s:Body>{body}</s:Body></s:Envelope>"
    )
}

/// Runs a pipeline; `program` is every program, `application` makes the answer.
fn run(
    config: &Config,
    message: &[u8],
    mut program: impl FnMut(&str, HandlerFunction, &mut ChannelContainers) -> Result<(), String>,
    mut application: impl FnMut(&mut ChannelContainers) -> Result<bool, Fault>,
) -> (PipelineOutcome, Vec<String>) {
    let mut pipeline = Pipeline::new(
        &Arc::new(config.clone()),
        message,
        ChannelContainers::new(),
        Limits::default(),
    );
    let mut reported = Vec::new();
    for _ in 0..100 {
        match pipeline.poll() {
            PipelineAction::Link {
                program: name,
                function,
            } => {
                reported.push(format!("{name} {}", function.name()));
                let shown =
                    String::from_utf8(pipeline.containers[names::FUNCTION].clone()).unwrap();
                assert_eq!(shown, format!("{:<16}", function.name()));
                match program(&name, function, &mut pipeline.containers) {
                    Ok(()) => pipeline.handle_return(),
                    Err(reason) => pipeline.handle_failure(&reason),
                }
            }
            PipelineAction::Application { program } => {
                reported.push(program);
                match application(&mut pipeline.containers) {
                    Ok(answer) => pipeline.handle_answer(None, answer),
                    Err(fault) => pipeline.handle_answer(Some(&fault), true),
                }
            }
            PipelineAction::Send => {
                reported.push("send".into());
                let request = pipeline.containers[names::REQUEST].clone();
                pipeline.handle_received(Some(request));
            }
            PipelineAction::Done(outcome) => return (outcome, reported),
        }
    }
    panic!("the pipeline does not end: {reported:?}")
}

fn echo(containers: &mut ChannelContainers) -> Result<bool, Fault> {
    assert!(containers.contains_key(names::BODY));
    Ok(true)
}

fn text(outcome: &PipelineOutcome) -> String {
    match outcome {
        PipelineOutcome::Response(message) => String::from_utf8(message.clone()).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn handlers_are_called_in_order_and_in_reverse() {
    let config = provider(&(handler("H1") + &handler("H2")), SOAP);
    let request = message("", "<o:a>1</o:a>");
    let (outcome, reported) = run(&config, request.as_bytes(), |_, _, _| Ok(()), echo);
    let order = [
        "H1 RECEIVE-REQUEST",
        "H2 RECEIVE-REQUEST",
        "DFHPITP",
        "H2 SEND-RESPONSE",
        "H1 SEND-RESPONSE",
    ];
    assert_eq!(reported, order);
    let answer = text(&outcome);
    assert!(
        answer.contains("<SOAP-ENV:Body><o:a>1</o:a></SOAP-ENV:Body>"),
        "{answer}"
    );
}

#[test]
fn a_handler_may_answer_itself_or_keep_silent() {
    let config = provider(&(handler("H1") + &handler("H2")), SOAP);
    let request = message("", "<o:a/>");
    let (outcome, reported) = run(
        &config,
        request.as_bytes(),
        |name, function, containers| {
            if name == "H2" && function == HandlerFunction::ReceiveRequest {
                containers.remove(names::REQUEST);
                containers.insert(names::RESPONSE.into(), b"cached".to_vec());
            }
            Ok(())
        },
        echo,
    );
    assert_eq!(
        reported,
        [
            "H1 RECEIVE-REQUEST",
            "H2 RECEIVE-REQUEST",
            "H2 SEND-RESPONSE",
            "H1 SEND-RESPONSE"
        ]
    );
    assert_eq!(text(&outcome), "cached");
    let (outcome, reported) = run(
        &config,
        request.as_bytes(),
        |name, _, containers| {
            if name == "H2" {
                containers.remove(names::REQUEST);
                containers.remove(names::RESPONSE);
            }
            Ok(())
        },
        echo,
    );
    assert_eq!(
        reported,
        [
            "H1 RECEIVE-REQUEST",
            "H2 RECEIVE-REQUEST",
            "H2 NO-RESPONSE",
            "H1 NO-RESPONSE"
        ]
    );
    assert_eq!(outcome, PipelineOutcome::NoResponse);
}

#[test]
fn a_terminal_handler_that_is_a_program_sees_the_whole_message() {
    let config = provider(&handler("H1"), &handler("TERM"));
    let request = message("", "<o:a/>");
    let (outcome, reported) = run(
        &config,
        request.as_bytes(),
        |name, _, containers| {
            if name == "TERM" {
                assert_eq!(containers[names::REQUEST], message("", "<o:a/>").as_bytes());
                containers.insert(names::RESPONSE.into(), b"done".to_vec());
            }
            Ok(())
        },
        echo,
    );
    assert_eq!(
        reported,
        [
            "H1 RECEIVE-REQUEST",
            "TERM PROCESS-REQUEST",
            "H1 SEND-RESPONSE"
        ]
    );
    assert_eq!(text(&outcome), "done");
}

#[test]
fn a_failure_is_passed_to_the_earlier_handlers_and_becomes_a_fault() {
    let config = provider(&(handler("H1") + &handler("H2")), SOAP);
    let request = message("", "<o:a/>");
    let fails =
        |name: &str, function: HandlerFunction, _: &mut ChannelContainers| match (name, function) {
            ("H2", HandlerFunction::ReceiveRequest) => Err("abend ASRA".to_owned()),
            _ => Ok(()),
        };
    let (outcome, reported) = run(&config, request.as_bytes(), fails, echo);
    assert_eq!(
        reported,
        [
            "H1 RECEIVE-REQUEST",
            "H2 RECEIVE-REQUEST",
            "H1 HANDLER-ERROR"
        ]
    );
    let answer = text(&outcome);
    let envelope = Envelope::parse(&answer, Limits::default()).unwrap();
    let fault = Fault::parse(&envelope).unwrap().unwrap();
    assert_eq!(fault.code, FaultCode::Receiver);
    assert!(fault.reason().contains("H2 failed: abend ASRA"));
}

#[test]
fn header_programs_get_their_blocks_and_answer_with_others() {
    let headers = "<cics_soap_1.1_handler><headerprogram><program_name>AUDIT</program_name>\
        <namespace>urn:o</namespace><localname>tx</localname><mandatory>false</mandatory>\
        </headerprogram></cics_soap_1.1_handler>";
    let config = provider("", headers);
    let block = "<o:tx s:mustUnderstand='1'>7</o:tx>";
    let request = message(block, "<o:a/>");
    let (outcome, reported) = run(
        &config,
        request.as_bytes(),
        |_, function, containers| {
            if function == HandlerFunction::ProcessRequest {
                assert_eq!(containers[names::HEADER], block.as_bytes());
            } else {
                containers.insert(names::HEADER.into(), b"<tx xmlns='urn:o'>8</tx>".to_vec());
            }
            Ok(())
        },
        echo,
    );
    assert_eq!(
        reported,
        ["AUDIT PROCESS-REQUEST", "DFHPITP", "AUDIT SEND-RESPONSE"]
    );
    assert!(text(&outcome).contains("<SOAP-ENV:Header><tx xmlns='urn:o'>8</tx></SOAP-ENV:Header>"));
    // No handler for a block with mustUnderstand.
    let config = provider("", SOAP);
    let (outcome, reported) = run(&config, request.as_bytes(), |_, _, _| Ok(()), echo);
    assert!(reported.is_empty());
    assert!(text(&outcome).contains("SOAP-ENV:MustUnderstand"));
}

#[test]
fn bad_messages_get_the_fault_of_their_version() {
    let config = provider("", "<cics_soap_1.2_handler/>");
    for (request, code) in [
        ("<a/>", "Sender"),
        (
            "<Envelope xmlns='urn:x'><Body/></Envelope>",
            "VersionMismatch",
        ),
        ("", "Sender"),
    ] {
        let (outcome, _) = run(&config, request.as_bytes(), |_, _, _| Ok(()), echo);
        let answer = text(&outcome);
        assert!(answer.contains(&format!("SOAP-ENV:{code}<")), "{answer}");
        assert!(answer.contains(SoapVersion::V12.namespace()));
    }
    let fault = Fault::new(FaultCode::Sender, "no such order");
    let request = message("", "<o:a/>");
    let (outcome, _) = run(
        &config,
        request.as_bytes(),
        |_, _, _| Ok(()),
        |_| Err(fault.clone()),
    );
    // A request of version 1.1 is answered in it.
    assert!(
        text(&outcome).contains("<faultcode>SOAP-ENV:Client</faultcode><faultstring>no such order")
    );
}

#[test]
fn a_request_without_a_message_is_its_senders_fault() {
    let config = provider(&handler("H1"), SOAP);
    let (outcome, reported) = run(&config, b"", |_, _, _| Ok(()), echo);
    assert!(text(&outcome).contains("Client"), "{outcome:?}");
    assert_eq!(reported, ["H1 RECEIVE-REQUEST", "H1 SEND-RESPONSE"]);
}

#[test]
fn a_requester_wraps_the_body_and_unwraps_the_answer() {
    let config = Config::parse(&format!(
        "<requester_pipeline><service><service_handler_list><cics_soap_1.2_handler/>{}\
         </service_handler_list></service></requester_pipeline>",
        handler("H1")
    ))
    .unwrap();
    let (outcome, reported) = run(
        &config,
        b"<a xmlns='urn:o'>1</a>",
        |_, function, containers| {
            let name = match function {
                HandlerFunction::SendRequest => names::REQUEST,
                _ => names::RESPONSE,
            };
            assert!(
                String::from_utf8_lossy(&containers[name]).contains(SoapVersion::V12.namespace())
            );
            Ok(())
        },
        echo,
    );
    assert_eq!(reported, ["H1 SEND-REQUEST", "send", "H1 RECEIVE-RESPONSE"]);
    assert_eq!(text(&outcome), "<a xmlns='urn:o'>1</a>");
}

#[test]
fn a_json_pipeline_passes_the_text_to_the_application() {
    let config = provider("", &handler("DFHPIJT"));
    let (outcome, reported) = run(
        &config,
        b"{}",
        |_, _, _| Ok(()),
        |containers| {
            assert_eq!(containers[names::REQUEST], b"{}");
            containers.insert(names::RESPONSE.into(), b"[]".to_vec());
            Ok(true)
        },
    );
    assert_eq!(
        (text(&outcome).as_str(), reported),
        ("[]", vec!["DFHPITP".to_owned()])
    );
}

#[test]
fn a_fault_of_a_program_for_header_blocks_is_the_answer() {
    let headers = "<cics_soap_1.1_handler><headerprogram><program_name>AUDIT</program_name>\
        <namespace>urn:o</namespace><localname>tx</localname><mandatory>true</mandatory>\
        </headerprogram></cics_soap_1.1_handler>";
    let config = Arc::new(provider("", headers));
    let request = message("", "<o:a/>");
    let mut pipeline = Pipeline::new(
        &config,
        request.as_bytes(),
        ChannelContainers::new(),
        Limits::default(),
    );
    assert!(matches!(pipeline.poll(), PipelineAction::Link { .. }));
    pipeline.handle_fault(&Fault::new(FaultCode::Sender, "no audit"));
    let PipelineAction::Done(outcome) = pipeline.poll() else {
        panic!("the application must not run")
    };
    assert!(text(&outcome).contains("no audit"));
    assert_eq!(pipeline.answered_fault(), Some(&FaultCode::Sender));
}

#[test]
fn a_fault_of_json_is_a_problem_document() {
    let config = provider("", "<cics_json_handler_java/>");
    let (outcome, _) = run(
        &config,
        b"{}",
        |_, _, _| Ok(()),
        |_| Err(Fault::new(FaultCode::Sender, "a \"quote\"")),
    );
    let answer: serde_json::Value = serde_json::from_str(&text(&outcome)).unwrap();
    assert_eq!(answer["status"], 400);
    assert_eq!(answer["detail"], "a \"quote\"");
}

proptest::proptest! {
    #[test]
    fn every_run_ends_whatever_programs_leave(
        handlers in 0_usize..4,
        terminal in 0_usize..4,
        requester in proptest::bool::ANY,
        message in "(<|/|s:Envelope| xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'|>|s:Body|o|x|\\{){0,20}",
        steps in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..40),
    ) {
        let terminals = [SOAP, "<cics_soap_1.2_handler/>", "<cics_json_handler_java/>", "<handler><program>T</program></handler>"];
        let list: String = (0..handlers).map(|n| handler(&format!("H{n}"))).collect();
        let config = if requester { let soap = if terminal < 2 { terminals[terminal] } else { "" };
                Config::parse(&format!(
                    "<requester_pipeline><service><service_handler_list>{soap}{list}\
                     </service_handler_list></service></requester_pipeline>"
                )).unwrap() } else { provider(&list, terminals[terminal]) };
        let config = Arc::new(config);
        let mut pipeline = Pipeline::new(&config, message.as_bytes(), ChannelContainers::new(), Limits::default());
        let mut steps = steps.into_iter().chain(std::iter::repeat(0));
        let mut ended = false;
        for _ in 0..40 {
            let step = steps.next().unwrap_or(0);
            match pipeline.poll() {
                PipelineAction::Link { .. } => {
                    if step & 1 != 0 {
                        pipeline.containers.remove(names::REQUEST);
                    }
                    if step & 2 != 0 {
                        pipeline.containers.insert(names::RESPONSE.into(), message.clone().into_bytes());
                    }
                    match step & 12 {
                        12 => pipeline.handle_failure("it failed"),
                        _ => pipeline.handle_return(),
                    }
                }
                PipelineAction::Application { .. } => {
                    let fault = Fault::new(FaultCode::Receiver, "no");
                    pipeline.handle_answer((step & 1 != 0).then_some(&fault), step & 2 != 0);
                }
                PipelineAction::Send => match step & 3 {
                    0 => pipeline.handle_received(None),
                    1 => pipeline.handle_failure("no server"),
                    _ => pipeline.handle_received(Some(message.clone().into_bytes())),
                },
                PipelineAction::Done(_) => {
                    ended = true;
                    break;
                }
            }
        }
        assert!(ended, "the pipeline does not end");
    }
}
