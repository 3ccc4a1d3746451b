//! Any text as a pipeline's configuration, run with any message; each program
//! does with the containers what the next bytes say.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use soap::pipeline::{PipelineAction, Config, ChannelContainers, Pipeline, names};
use soap::xml::Limits;
use soap::{Fault, envelope::FaultCode};

// The first line are the answers of programs, up to a zero the configuration,
// the rest is the message.
fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(3, |b| *b == 0);
    let (Some(steps), Some(config), Some(message)) = (parts.next(), parts.next(), parts.next())
    else {
        return;
    };
    let Some(config) = std::str::from_utf8(config)
        .ok()
        .and_then(|c| Config::parse(c).ok())
    else {
        return;
    };
    let config = Arc::new(config);
    let mut pipeline = Pipeline::new(&config, message, ChannelContainers::new(), Limits::default());
    let mut steps = steps.iter().copied().chain(std::iter::repeat(0));
    let handlers = config.programs().count() + config.handlers.len() + 2;
    // Every handler is called twice at most, and header blocks are limited.
    for _ in 0..(handlers * 4 + 600) {
        let step = steps.next().unwrap_or(0);
        let change = |containers: &mut ChannelContainers| {
            if step & 1 != 0 {
                containers.remove(names::REQUEST);
            }
            if step & 2 != 0 {
                containers.insert(names::RESPONSE.into(), message.to_vec());
            }
            if step & 4 != 0 {
                containers.insert(names::HEADER.into(), vec![step]);
            }
        };
        match pipeline.poll() {
            PipelineAction::Link { .. } => {
                change(&mut pipeline.containers);
                match step >> 6 {
                    0 | 1 => pipeline.handle_return(),
                    2 => pipeline.handle_failure("it failed"),
                    _ if pipeline.in_headers() => {
                        pipeline.handle_fault(&Fault::new(FaultCode::Sender, "no"));
                    }
                    _ => pipeline.handle_return(),
                }
            }
            PipelineAction::Application { .. } => {
                let fault = Fault::new(FaultCode::Receiver, "no");
                pipeline.handle_answer((step & 8 != 0).then_some(&fault), step & 16 != 0);
            }
            PipelineAction::Send => {
                pipeline.handle_received((step & 8 != 0).then(|| message.to_vec()));
            }
            PipelineAction::Done(_) => return,
        }
    }
    panic!("the pipeline does not end");
});
