//! A pool against servers with scripted answers, over loopback.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tokio::net::TcpListener;
use tokio::task::LocalSet;

use super::super::drive::{ConnectionDriver, drive};
use super::*;
use crate::ConnectionConfig;
use crate::connection::{Connection, ConnectionEvent};
use crate::wire::{EndNotice, HelloMessage, ReplyHead, WireName, emit_reply};
use std::future::Future;

/// A server's behaviour for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ServerBehaviour {
    Answer,
    /// Reads the request and closes the connection.
    Close,
    /// Announces that it accepts no more requests.
    Refuse,
    /// Never answers.
    Wait,
}

/// A server on a free port, with a counter of its requests.
async fn server(does: ServerBehaviour, sessions: u16) -> (String, Rc<Cell<usize>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let count = Rc::new(Cell::new(0));
    let counted = count.clone();
    spawn_local(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let counted = counted.clone();
            spawn_local(async move {
                let hello = HelloMessage::named("REGION").unwrap();
                let wire = ConnectionDriver::new(Connection::server(hello, 0));
                drive(&mut stream, &wire, &mut |event| match event {
                    ConnectionEvent::Greeted(_) => wire.with(|c| c.welcome(usize::from(sessions))),
                    ConnectionEvent::Request(id, _) => {
                        counted.set(counted.get() + 1);
                        serve(does, &wire, id);
                    }
                    _ => {}
                })
                .await;
            });
        }
    });
    (address, count)
}

fn serve(does: ServerBehaviour, wire: &ConnectionDriver, id: u32) {
    let ending = match does {
        ServerBehaviour::Answer => RequestEnding::Normal,
        ServerBehaviour::Refuse => RequestEnding::Later,
        ServerBehaviour::Wait => return,
        ServerBehaviour::Close => {
            let why = EndNotice::Refused("the test wants it".into());
            return wire.with(|c| c.refuse(&why));
        }
    };
    let head = ReplyHead {
        ending,
        text: "the answer".into(),
        ..ReplyHead::default()
    };
    let reply = Bytes::from(emit_reply(&head, b"", &[]));
    wire.with(|c| c.reply(id, reply));
}

/// A pool for these servers, connected, as the group G.
async fn pool(addresses: &[String], patience_ms: u32) -> (ConnectionPool, ConnectionDirectory) {
    let connection = |address: &String| ConnectionConfig {
        address: address.clone(),
        ..ConnectionConfig::default()
    };
    let names = ["A", "B"].map(str::to_owned);
    let connections: BTreeMap<_, _> = names
        .iter()
        .cloned()
        .zip(addresses.iter().map(connection))
        .collect();
    let config = IpconnConfig {
        groups: BTreeMap::from([("G".to_owned(), connections.keys().cloned().collect())]),
        connections,
        session_wait_ms: patience_ms,
        ..IpconnConfig::default()
    };
    let directory = ConnectionDirectory::new(&config);
    let who = LocalIdentity::new(WireName::new("GATE").unwrap(), region::Name::BLANK);
    let mut pool = ConnectionPool::new(&config, Path::new("."), &who, 1, &directory).unwrap();
    pool.start();
    while directory.connections().iter().any(|c| c.lanes == 0) {
        tokio::task::yield_now().await;
    }
    (pool, directory)
}

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(LocalSet::new().run_until(test));
}

async fn both(
    first: ServerBehaviour,
    second: ServerBehaviour,
    idempotent: bool,
) -> (Result<ReplyMessage, CallFailure>, [usize; 2]) {
    let (a, came_a) = server(first, 10).await;
    let (b, came_b) = server(second, 10).await;
    let (pool, _directory) = pool(&[a, b], 5000).await;
    let answer = pool.call("G", Bytes::from_static(b"x"), idempotent).await;
    (answer, [came_a.get(), came_b.get()])
}

#[test]
fn an_idempotent_request_is_sent_elsewhere_when_its_connection_ends() {
    run(async {
        let (answer, came) = both(ServerBehaviour::Close, ServerBehaviour::Answer, true).await;
        assert_eq!(answer.unwrap().head.text, "the answer");
        assert_eq!(came, [1, 1]);
    });
}

#[test]
fn any_other_request_is_lost_and_not_sent_again() {
    run(async {
        let (answer, came) = both(ServerBehaviour::Close, ServerBehaviour::Answer, false).await;
        assert!(matches!(answer, Err(CallFailure::Lost(_))), "{answer:?}");
        assert_eq!(came, [1, 0]);
    });
}

#[test]
fn what_one_region_does_not_take_another_of_the_group_does() {
    run(async {
        let (answer, came) = both(ServerBehaviour::Refuse, ServerBehaviour::Answer, false).await;
        assert!(answer.is_ok(), "{answer:?}");
        assert_eq!(came, [1, 1]);
        let (a, _) = server(ServerBehaviour::Refuse, 10).await;
        let (pool, _) = pool(&[a], 5000).await;
        let alone = pool.call("A", Bytes::from_static(b"x"), true).await;
        assert!(
            matches!(alone, Err(CallFailure::NotStarted(NotStarted::Busy(_)))),
            "{alone:?}"
        );
    });
}

#[test]
fn without_a_free_session_a_request_waits_so_long_and_no_longer() {
    run(async {
        let (a, came) = server(ServerBehaviour::Wait, 1).await;
        let (pool, directory) = pool(&[a], 20).await;
        let pool = Rc::new(pool);
        let held = spawn_local({
            let pool = pool.clone();
            async move { drop(pool.call("A", Bytes::from_static(b"x"), false).await) }
        });
        while came.get() == 0 {
            tokio::task::yield_now().await;
        }
        let refused = pool.call("A", Bytes::from_static(b"y"), false).await;
        assert!(
            matches!(refused, Err(CallFailure::NotStarted(NotStarted::Busy(_)))),
            "{refused:?}"
        );
        assert_eq!((came.get(), directory.connections()[0].in_use), (1, 1));
        // A cancelled request frees its session.
        held.abort();
        while directory.connections()[0].in_use > 0 {
            tokio::task::yield_now().await;
        }
        let next = timeout(
            Duration::from_millis(10),
            pool.call("A", Bytes::from_static(b"z"), false),
        );
        assert!(next.await.is_err(), "it waits for its answer");
    });
}

#[test]
fn an_unknown_region_name_is_reported() {
    run(async {
        let (a, _) = server(ServerBehaviour::Answer, 1).await;
        let (pool, _) = pool(&[a], 20).await;
        let unknown = pool.call("NONE", Bytes::new(), true).await;
        assert!(
            matches!(
                unknown,
                Err(CallFailure::NotStarted(NotStarted::Impossible(_)))
            ),
            "{unknown:?}"
        );
    });
}
