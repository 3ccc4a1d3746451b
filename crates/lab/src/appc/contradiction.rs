//! Contradictions in the guide: both readings are simulated and shown.

use super::mainframe::{Client, MainframeParameters};
use super::micro::{self, MachinePair, TransactionKind};
use super::model::NetworkModel;
use crate::ring::RingError;

/// One contradiction, and the results of both readings.
#[derive(Clone, Debug)]
pub struct GuideContradiction {
    /// The parameter.
    pub parameter: &'static str,
    /// The first statement, and the time of a transaction with it.
    pub first: (&'static str, Option<f64>),
    /// The second statement, and the time of a transaction with it.
    pub second: (&'static str, Option<f64>),
    /// Which the model uses, or why it makes no difference.
    pub taken: &'static str,
}

/// All that the guide has.
pub fn all(model: &NetworkModel) -> Result<Vec<GuideContradiction>, RingError> {
    let mainframe = |client: Client, change: &dyn Fn(&mut MainframeParameters)| {
        let mut parameters = client.tuned();
        change(&mut parameters);
        model.mainframe_s(client, &parameters, REPETITIONS)
    };
    let micro = |ru: usize| {
        let pair = MachinePair::Turbo;
        let parameters = micro::MicroParameters {
            os2_ru_bytes: ru,
            ..pair.tuned(TransactionKind::File)
        };
        model.micro_s(pair, TransactionKind::File, &parameters, REPETITIONS)
    };
    let dos_pair = |frame: usize| {
        let pair = MachinePair::DosClient;
        let parameters = micro::MicroParameters {
            dos_frame_bytes: frame,
            ..pair.tuned(TransactionKind::File)
        };
        model.micro_s(pair, TransactionKind::File, &parameters, REPETITIONS)
    };
    let os2 = Client::Os2;
    let rs = Client::Rs6000;
    Ok(vec![
        GuideContradiction {
            parameter: "RCVBUFC (OS/2)",
            first: (
                "rule: 2 x MAXTSL = 8,120",
                Some(mainframe(os2, &|p| p.rcvbufc = 8120)?),
            ),
            second: (
                "Figure 7: 16,240",
                Some(mainframe(os2, &|p| p.rcvbufc = 16_240)?),
            ),
            taken: "Figure 7; the card empties fast enough for either",
        },
        GuideContradiction {
            parameter: "T2TIMER (OS/2)",
            first: ("text: (1,1,2)", Some(mainframe(os2, &|p| p.t2timer_w = 2)?)),
            second: (
                "Figure 7: (1,1.8), W of 8",
                Some(mainframe(os2, &|p| p.t2timer_w = 8)?),
            ),
            taken: "2: the text says that a peripheral link supports only 1 and 2",
        },
        GuideContradiction {
            parameter: "SNA Services/6000 pacing",
            first: ("text: 127", None),
            second: (
                "Figure 7: 63",
                Some(mainframe(rs, &|p| p.pacing_window = 63)?),
            ),
            taken: "63, the most that a BIND can carry",
        },
        GuideContradiction {
            parameter: "CM/2 RU size (Appendix A)",
            first: (
                "text: 16,384",
                Some(mainframe(os2, &|p| p.ru_bytes = Some(16_384))?),
            ),
            second: (
                "Figure 7: blank, one frame",
                Some(mainframe(os2, &|p| p.ru_bytes = None)?),
            ),
            taken: "16,384",
        },
        GuideContradiction {
            parameter: "OS/2 RU size (Appendix B)",
            first: ("text: 16,384", Some(micro(16_384)?)),
            second: ("Figure 9: 7,168", Some(micro(7_168)?)),
            taken: "7,168; a larger one has no effect",
        },
        GuideContradiction {
            parameter: "NS/DOS frame",
            first: ("text: 4,464", Some(dos_pair(4_464)?)),
            second: ("Figure 10: 16,393", Some(dos_pair(16_393)?)),
            taken: "Figure 10 in Appendix B, Figure 7 (4,100) in Appendix A",
        },
        GuideContradiction {
            parameter: "NS/DOS frame before tuning",
            first: ("Figure 6: 987", Some(dos_pair(987)?)),
            second: ("Figure 10: 256", Some(dos_pair(256)?)),
            taken: "each in its own appendix",
        },
        GuideContradiction {
            parameter: "inquiry gain",
            first: ("prose: slight", None),
            second: ("Figure 10: up to 93.5 %", None),
            taken: "neither; the simulation agrees with the prose",
        },
        GuideContradiction {
            parameter: "DELAY before tuning",
            first: ("Figure 6: default", None),
            second: ("the default is not stated", None),
            taken: "calibrated on NS/DOS before tuning",
        },
        GuideContradiction {
            parameter: "MAXBFRU",
            first: ("text: MAXBFRU", None),
            second: ("Figures 6 and 7: MAXBUFRU", None),
            taken: "one keyword",
        },
        GuideContradiction {
            parameter: "local acknowledgement time-out",
            first: ("text: 200 ms", None),
            second: ("same sentence: 0.002", None),
            taken: "neither is needed: the tuned networks have W of 2",
        },
    ])
}

const REPETITIONS: usize = 3;
