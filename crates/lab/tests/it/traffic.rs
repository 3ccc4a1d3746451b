//! Client and servers on a wire.

use crate::permitted;
use lab::net::{Impairment, Route, WirePlan};
use lab::traffic::{ClientPlan, Endpoint, PeerPlan, ServerPlan, Trial};

#[test]
fn try_some() {
    if !permitted("traffic::try_some") {
        return;
    }
    let trial = |name: &str, wire: WirePlan, server, client| {
        let t = Trial { conditions: name.into(), wire, server, client };
        let taken = t.take(1).unwrap();
        let h = &taken.timing.response;
        println!("{name}: mean {} p50 {} max {}", h.mean()/1e6, h.quantile(0.5) as f64/1e6, h.max() as f64/1e6);
        std::fs::create_dir_all("/tmp/labcap").unwrap();
        std::fs::write(format!("/tmp/labcap/{name}.pcapng"), taken.capture).unwrap();
    };
    let wwr = |no_delay| ClientPlan { requests: 10, head_apart: true, no_delay, ..ClientPlan::default() };
    trial("nagle", WirePlan::default(), Endpoint::Kernel(ServerPlan::default()), wwr(false));
    trial("nodelay", WirePlan::default(), Endpoint::Kernel(ServerPlan::default()), wwr(true));
    trial("one", WirePlan::default(), Endpoint::Kernel(ServerPlan::default()), ClientPlan { no_delay: false, ..ClientPlan::default() });
    trial("quickack-sock", WirePlan::default(), Endpoint::Kernel(ServerPlan { quick_ack: true, ..ServerPlan::default() }), wwr(false));
    trial("quickack-route", WirePlan { server: Route { quickack: true, ..Route::default() }, ..WirePlan::default() }, Endpoint::Kernel(ServerPlan::default()), wwr(false));
    trial("peer200", WirePlan::default(), Endpoint::User(PeerPlan { ack_delay_ms: Some(200), ..PeerPlan::default() }), wwr(false));
    trial("peer0", WirePlan::default(), Endpoint::User(PeerPlan::default()), wwr(false));
    for iw in [1, 2, 10] {
        trial(&format!("slow{iw}"), WirePlan { to_server: Impairment::delay(25_000), to_client: Impairment::delay(25_000),
            server: Route { initcwnd: Some(iw), ..Route::default() }, ..WirePlan::default() },
            Endpoint::Kernel(ServerPlan { response_bytes: 40_000, ..ServerPlan::default() }),
            ClientPlan { requests: 3, keep_alive: false, ..ClientPlan::default() });
    }
    for (mtu, ack) in [(576, Some(200)), (576, None), (1500, Some(200)), (1500, None)] {
        trial(&format!("tuning-{mtu}-{}", ack.is_some()), WirePlan { client: Route { initcwnd: Some(1), ..Route::default() }, to_server: Impairment::delay(500), to_client: Impairment::delay(500), ..WirePlan::default() },
            Endpoint::User(PeerPlan { ack_delay_ms: ack, mtu, response_bytes: 3000, ..PeerPlan::default() }),
            ClientPlan { requests: 5, keep_alive: false, request_bytes: 1400, ..ClientPlan::default() });
    }
    for mtu in [576, 1500] {
        trial(&format!("mss-{mtu}"), WirePlan { server: Route { mtu: Some(mtu), ..Route::default() }, ..WirePlan::default() },
            Endpoint::Kernel(ServerPlan { response_bytes: 3000, ..ServerPlan::default() }),
            ClientPlan { request_bytes: 1400, ..ClientPlan::default() });
    }
}
