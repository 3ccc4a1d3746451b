//! Throughput against one parameter at a time, as pictures.

use super::mainframe::{Client, MainframeParameters};
use super::micro::{self, MachinePair, TransactionKind};
use super::model::NetworkModel;
use crate::ring::{AcknowledgePoint, Pacing, RingError, RingNetwork, RingWorkload, Server, run};
use page::chart::{ChartAxis, ChartSeries, LineChart};

/// One plot with its caption.
#[derive(Clone, Debug)]
pub struct ParameterSweep {
    /// The plot: Mb/s of user data, or seconds.
    pub plot: LineChart,
    /// The caption.
    pub caption: &'static str,
}

/// All parameter sweeps.
pub fn all(model: &NetworkModel) -> Result<Vec<ParameterSweep>, RingError> {
    Ok(vec![
        ru_size(model)?,
        ru_size_with_front_end(model)?,
        frame_size(model)?,
        pacing_window(model)?,
        link_window(model)?,
        link_window_to_front_end(model)?,
        delay(model)?,
    ])
}

/// RU size, Appendix B.
pub fn ru_size(model: &NetworkModel) -> Result<ParameterSweep, RingError> {
    let mut series = Vec::new();
    for pair in [MachinePair::Turbo, MachinePair::BusMaster] {
        let point = |ru: usize| {
            let parameters = micro::MicroParameters {
                os2_ru_bytes: ru,
                ..pair.tuned(TransactionKind::File)
            };
            micro_mbit(&parameters.network(pair, model), model)
        };
        series.push(line(pair.name(), RU_BYTES, point)?);
    }
    Ok(ParameterSweep {
        plot: plot(
            "Throughput against RU size, two OS/2 machines",
            doublings("RU, bytes", RU_BYTES),
            series,
        ),
        caption: "OS/2 improves with RU size only to a point: fewer RUs cost less work, but a \
                  longer one is copied and sent before the next can be worked on. From about \
                  4,000 to 8,000 bytes the curve is flat, and the guide chose 7,168; beyond it \
                  falls.",
    })
}

/// RU size, Appendix A: whole multiples of a frame, and others.
pub fn ru_size_with_front_end(model: &NetworkModel) -> Result<ParameterSweep, RingError> {
    let point = |ru: usize| {
        let parameters = MainframeParameters {
            ru_bytes: Some(ru),
            ..Client::Os2.tuned()
        };
        mainframe_mbit(Client::Os2, &parameters, model)
    };
    let series = vec![line("OS/2 to VTAM, frames of 4,000", RU_BYTES_A, point)?];
    Ok(ParameterSweep {
        plot: plot(
            "Throughput against RU size, through a front end",
            doublings("RU, bytes", RU_BYTES_A),
            series,
        ),
        caption: "An RU of 3,840 fills a frame; one of 4,096 needs a second frame for what is \
                  left and is slower. Two whole frames are as good as one. This is the rule that \
                  an RU should be one frame or a multiple of it.",
    })
}

/// Frame size, with RUs that fill a frame.
pub fn frame_size(model: &NetworkModel) -> Result<ParameterSweep, RingError> {
    let mut series = Vec::new();
    for client in Client::ALL {
        let point = |frame: usize| {
            let parameters = MainframeParameters {
                ru_bytes: None,
                frame_bytes: frame,
                maxtsl: frame,
                ..client.tuned()
            };
            mainframe_mbit(client, &parameters, model)
        };
        series.push(line(client.name(), FRAME_BYTES, point)?);
    }
    Ok(ParameterSweep {
        plot: plot(
            "Throughput against frame size, Appendix A tuned",
            doublings("frame, bytes", FRAME_BYTES),
            series,
        ),
        caption: "Every frame costs the front end the same whatever it carries; this is the \
                  strongest single parameter once DELAY is out of the way. OS/2 and the RS/6000 lie on \
                  each other: the path after the ring limits both.",
    })
}

/// Session pacing window, fixed.
pub fn pacing_window(model: &NetworkModel) -> Result<ParameterSweep, RingError> {
    let mut series = Vec::new();
    for (name, delay_ms) in [("DELAY 0", 0), ("DELAY 50 ms", 50), ("DELAY 200 ms", 200)] {
        let point = |window: usize| {
            let parameters = MainframeParameters {
                pacing_window: window as u8,
                delay_ns: Some(delay_ms * 1_000_000),
                ..Client::Dos.tuned()
            };
            mainframe_mbit(Client::Dos, &parameters, model)
        };
        series.push(line(name, WINDOWS, point)?);
    }
    Ok(ParameterSweep {
        plot: plot(
            "Throughput against a fixed pacing window, NS/DOS to VTAM",
            doublings("window, RUs", WINDOWS),
            series,
        ),
        caption: "A window helps up to the point where the first response is back before the \
                  window is used up; the longer the way, the larger that window. Beyond it only \
                  memory is spent.",
    })
}

/// Link window between two OS/2 machines, with the receiver acknowledging as
/// often as the guide sets it.
pub fn link_window(model: &NetworkModel) -> Result<ParameterSweep, RingError> {
    let mut series = Vec::new();
    for (name, ack_every) in [
        ("acknowledged every 2", Some(2)),
        ("acknowledged every window", None),
    ] {
        let point = |window: usize| {
            let parameters = MachinePair::Turbo.tuned(TransactionKind::File);
            let mut network = parameters.network(MachinePair::Turbo, model);
            set_link(
                &mut network,
                window as u8,
                ack_every.unwrap_or(window as u8),
            );
            micro_mbit(&network, model)
        };
        series.push(line(name, LINK_WINDOWS, point)?);
    }
    Ok(ParameterSweep {
        plot: plot(
            "Throughput against link window, two OS/2 machines",
            doublings("window, frames", LINK_WINDOWS),
            series,
        ),
        caption: "A sender whose window is not larger than what the receiver waits for stops \
                  after every window; one below it waits for the acknowledgement timer. A few \
                  frames more than the receiver's count are enough on one ring.",
    })
}

/// Link window of OS/2 towards a front end, which acknowledges early or late.
pub fn link_window_to_front_end(model: &NetworkModel) -> Result<ParameterSweep, RingError> {
    let mut series = Vec::new();
    for (name, acknowledges) in [
        ("as it comes", AcknowledgePoint::OnArrival),
        ("when passed on", AcknowledgePoint::WhenPassedOn),
    ] {
        for w in [1, 2] {
            let model = model.with_structure(|s| s.acknowledges = acknowledges);
            let point = |window: usize| {
                let parameters = MainframeParameters {
                    dlc_send: window as u8,
                    t2timer_w: w,
                    ..Client::Os2.tuned()
                };
                mainframe_mbit(Client::Os2, &parameters, &model)
            };
            let mut one = line(&format!("every {w}, {name}"), LINK_WINDOWS_A, point)?;
            one.dashed = acknowledges == AcknowledgePoint::WhenPassedOn;
            series.push(one);
        }
    }
    Ok(ParameterSweep {
        plot: plot(
            "Throughput against link window, OS/2 to VTAM",
            doublings("window, frames", LINK_WINDOWS_A),
            series,
        ),
        caption: "Where the front end acknowledges a frame as it comes, a window of 3 is as good \
                  as one of 8. Where it does so only after path control (dashed), and with T2TIMER \
                  only every 2 frames, 3 is too small.",
    })
}

/// DELAY, before and after the other parameters were tuned.
pub fn delay(model: &NetworkModel) -> Result<ParameterSweep, RingError> {
    let mut series = Vec::new();
    for client in [Client::Dos, Client::Os2] {
        for (name, parameters) in [("before", client.baseline()), ("after", client.tuned())] {
            let point = |ms: usize| {
                let parameters = MainframeParameters {
                    delay_ns: Some(ms as u64 * 1_000_000),
                    ..parameters
                };
                mainframe_mbit(client, &parameters, model)
            };
            let name = format!("{} {name}", client.name());
            let mut one = line(&name, DELAY_MS, point)?;
            one.dashed = parameters.maxbfru != 2;
            series.push(one);
        }
    }
    let plot = plot(
        "Throughput against DELAY",
        doublings("DELAY, ms", DELAY_MS),
        series,
    );
    Ok(ParameterSweep {
        plot,
        caption: "Fixed pacing (NS/DOS) pays DELAY with every window, adaptive pacing only with \
                  the last confirmation, because window messages are expedited and data fill \
                  MAXBFRU before DELAY is over.",
    })
}

fn line(
    name: &str,
    values: &[usize],
    point: impl Fn(usize) -> Result<f64, RingError>,
) -> Result<ChartSeries, RingError> {
    let points = values.iter().map(|v| Ok((place(*v), point(*v)?)));
    Ok(ChartSeries {
        name: name.to_owned(),
        points: points.collect::<Result<_, RingError>>()?,
        dots: true,
        ..ChartSeries::default()
    })
}

fn plot(title: &str, x: ChartAxis, series: Vec<ChartSeries>) -> LineChart {
    LineChart {
        title: title.to_owned(),
        x,
        y: ChartAxis::from_zero("Mb/s of user data"),
        series,
        ..LineChart::default()
    }
}

/// An axis on which every doubling is one step. A value too close to the previous
/// one has no label.
fn doublings(label: &str, values: &[usize]) -> ChartAxis {
    let near = |i: usize| i > 0 && place(values[i]) - place(values[i - 1]) < 0.2;
    let labelled = (0..values.len()).filter(|i| !near(*i)).map(|i| values[i]);
    let ticks = labelled.map(|v| (place(v), v.to_string()));
    ChartAxis::with_ticks(label, ticks.collect())
}

/// The position of a value on such an axis; zero is one step before one.
fn place(value: usize) -> f64 {
    match value {
        0 => -1.0,
        value => (value as f64).log2(),
    }
}

fn mainframe_mbit(
    client: Client,
    parameters: &MainframeParameters,
    model: &NetworkModel,
) -> Result<f64, RingError> {
    let seconds = model.mainframe_s(client, parameters, REPETITIONS)?;
    Ok(client.file_bytes() as f64 * 8e-6 / seconds)
}

fn micro_mbit(network: &RingNetwork, model: &NetworkModel) -> Result<f64, RingError> {
    let workload = RingWorkload::file(100_000, 2, REPETITIONS * 5);
    Ok(0.8 / run(network, workload, model.seed)?.mean_s())
}

fn set_link(network: &mut RingNetwork, send_window: u8, ack_every: u8) {
    network.client.link.send_window = send_window;
    network.client.link.ack_every = ack_every;
    if let Server::OnRing(server) = &mut network.server {
        server.link.send_window = send_window;
        server.link.ack_every = ack_every;
        server.session.pacing = Pacing::Adaptive;
    }
}

const RU_BYTES: &[usize] = &[256, 512, 1024, 2048, 4096, 7168, 10_240, 16_384];
const RU_BYTES_A: &[usize] = &[
    512, 1024, 1920, 2816, 3840, 4096, 5120, 7680, 12_288, 16_384,
];
const FRAME_BYTES: &[usize] = &[265, 521, 1033, 2057, 4060];
const WINDOWS: &[usize] = &[1, 2, 4, 8, 16, 32, 63];
const LINK_WINDOWS: &[usize] = &[1, 2, 4, 8, 16];
const LINK_WINDOWS_A: &[usize] = &[1, 2, 3, 4, 6, 8, 16];
const DELAY_MS: &[usize] = &[0, 1, 4, 16, 64, 256, 512];
const REPETITIONS: usize = 2;
