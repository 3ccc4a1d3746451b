//! Clients that wait for their answers.

use crate::peers::carry_out;
use drive::load::HttpLoad;
use drive::plan::ThinkTime;
use drive::server::{Server, ServerBehaviour};
use std::time::Duration;

fn server() -> (Server, HttpLoad) {
    let server = Server::start(ServerBehaviour::default()).unwrap();
    let load = HttpLoad::new(format!("http://{}/100", server.address()));
    (server, load)
}

#[test]
fn exactly_the_iterations_asked_for_are_sent() {
    let (_server, mut load) = server();
    load.iterations = Some(1001);
    load.clients = 7;
    load.threads = 2;
    let sum = load.run().unwrap().sum();
    assert_eq!(sum.measured.sent, 1001);
    assert_eq!(sum.measured.answered, 1001);
    assert_eq!(sum.response.count(), 1001);
    assert_eq!(sum.measured.status[2], 1001);
}

#[test]
fn every_method_and_body_is_answered() {
    let (_server, mut load) = server();
    load.iterations = Some(50);
    for method in ["GET", "PUT", "DELETE"] {
        load.method = method.into();
        load.body = if method == "PUT" {
            vec![b'x'; 100_000]
        } else {
            Vec::new()
        };
        let sum = load.run().unwrap().sum();
        assert_eq!(sum.measured.answered, 50, "{method}");
    }
}

#[test]
fn a_connection_for_each_request_is_opened_and_closed() {
    let (_server, mut load) = server();
    load.iterations = Some(60);
    load.clients = 3;
    load.keep_alive = false;
    let sum = load.run().unwrap().sum();
    assert_eq!(sum.whole.connects, 60);
    assert_eq!(sum.measured.answered, 60);
}

#[test]
fn the_warm_up_is_not_measured() {
    let (_server, mut load) = server();
    load.warmup = Duration::from_millis(200);
    load.duration = Duration::from_millis(200);
    let sum = load.run().unwrap().sum();
    assert!(sum.whole.sent > sum.measured.sent);
    assert_eq!(sum.response.count(), sum.measured.answered);
}

#[test]
fn thinking_bounds_the_rate() {
    let (_server, mut load) = server();
    load.clients = 10;
    load.think = ThinkTime::Constant(50_000_000);
    load.warmup = Duration::ZERO;
    load.duration = Duration::from_millis(500);
    let sum = load.run().unwrap().sum();
    // Ten clients, one request every 50 ms at most, and one at the start each.
    assert!(sum.measured.sent <= 110, "{}", sum.measured.sent);
    assert!(sum.measured.sent >= 10);
}

#[test]
fn large_answers_arrive_whole() {
    let (server, mut load) = server();
    load.url = format!("http://{}/8000000", server.address());
    load.iterations = Some(5);
    let plan = load.plan().unwrap();
    let sum = carry_out(&plan).sum();
    assert_eq!(sum.measured.answered, 5);
    assert!(sum.measured.bytes_in > 40_000_000);
}
