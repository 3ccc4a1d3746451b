//! The bank: every operation and every rejection.

use serde_json::json;

use crate::server::{Server, example};

#[test]
fn an_account_is_read_through_rest() {
    let bank = Server::start(&example("bank"));
    let answer = bank.get("/bank/accounts/10000001");
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(
        answer.json(),
        json!({"number": 10000001, "holder": "Ada Byron", "kind": "CURRENT", "balance": 27165.06,
               "overdraft": 0.00, "opened": "2023-11-02", "movements": 37})
    );
    let answer = bank.get("/bank/accounts/99999999");
    assert_eq!(answer.status, 404, "{answer:?}");
    assert_eq!(answer.json()["title"], "There is no account 99999999");
}

#[test]
fn accounts_are_listed_in_pages() {
    let bank = Server::start(&example("bank"));
    let mut start = 0;
    let mut numbers = Vec::new();
    loop {
        let page = bank.get(&format!("/bank/accounts?limit=6&start={start}"));
        assert_eq!(page.status, 200, "{page:?}");
        let page = page.json();
        let rows = page["accounts"].as_array().unwrap();
        assert!(rows.len() <= 6);
        numbers.extend(rows.iter().map(|row| row["number"].as_u64().unwrap()));
        start = page["next"].as_u64().unwrap();
        if start == 0 {
            break;
        }
    }
    assert_eq!(
        numbers,
        (0..20).map(|i| 10_000_001 + 7 * i).collect::<Vec<_>>()
    );
    let past_the_end = bank.get("/bank/accounts?start=99000000");
    assert_eq!(past_the_end.json(), json!({"accounts": [], "next": 0}));
}

#[test]
fn an_account_is_opened_once() {
    let bank = Server::start(&example("bank"));
    let body = r#"{"number": 20000001, "holder": "Margaret Hamilton", "kind": "CURRENT", "deposit": 250.00, "overdraft": 50}"#;
    let opened = bank.send("POST", "/bank/accounts", Some(body));
    assert_eq!(opened.status, 201, "{opened:?}");
    assert_eq!(opened.json()["balance"], json!(250.00));
    let again = bank.send("POST", "/bank/accounts", Some(body));
    assert_eq!(again.status, 409, "{again:?}");
    let seen = bank.get("/bank/accounts/20000001").json();
    assert_eq!(seen["overdraft"], json!(50.00));
    let savings = r#"{"number": 20000002, "holder": "X", "kind": "SAVINGS", "overdraft": 1}"#;
    let refused = bank.send("POST", "/bank/accounts", Some(savings));
    assert_eq!(refused.status, 422, "{refused:?}");
    assert_eq!(
        refused.json()["title"],
        "A savings account has no overdraft"
    );
}

#[test]
fn money_moves_and_never_below_the_overdraft() {
    let bank = Server::start(&example("bank"));
    let path = "/bank/accounts/10000001/movements";
    let deposit = bank.send("POST", path, Some(r#"{"kind": "DEPOSIT", "amount": 0.94}"#));
    assert_eq!(
        deposit.json(),
        json!({"number": 10000001, "balance": 27166.00})
    );
    let all = bank.send(
        "POST",
        path,
        Some(r#"{"kind": "WITHDRAWAL", "amount": 27166.01}"#),
    );
    assert_eq!(all.status, 422, "{all:?}");
    let most = bank.send(
        "POST",
        path,
        Some(r#"{"kind": "WITHDRAWAL", "amount": 27166.00}"#),
    );
    assert_eq!(most.json()["balance"], json!(0.00));
}

#[test]
fn a_transfer_is_all_or_nothing() {
    let bank = Server::start(&example("bank"));
    let balance = |n: u32| bank.get(&format!("/bank/accounts/{n}")).json()["balance"].clone();
    let moved = bank.send(
        "POST",
        "/bank/transfers",
        Some(r#"{"from": 10000001, "to": 10000008, "amount": 100.06}"#),
    );
    assert_eq!(moved.status, 200, "{moved:?}");
    assert_eq!(
        moved.json(),
        json!({"fromBalance": 27065.00, "toBalance": 45053.10})
    );
    assert_eq!(
        (balance(10000001), balance(10000008)),
        (json!(27065.00), json!(45053.10))
    );
    for (body, status) in [
        (r#"{"from": 10000001, "to": 99999999, "amount": 1}"#, 404),
        (r#"{"from": 10000001, "to": 10000001, "amount": 1}"#, 422),
        (r#"{"from": 10000001, "to": 10000008, "amount": 0}"#, 400),
        (
            r#"{"from": 10000001, "to": 10000008, "amount": 999999999.99}"#,
            422,
        ),
    ] {
        let refused = bank.send("POST", "/bank/transfers", Some(body));
        assert_eq!(refused.status, status, "{body} {refused:?}");
    }
    assert_eq!(
        (balance(10000001), balance(10000008)),
        (json!(27065.00), json!(45053.10))
    );
}

#[test]
fn transfers_in_both_directions_at_once_lose_nothing() {
    let bank = Server::start(&example("bank"));
    let total = || {
        [10000001, 10000008]
            .map(|n| {
                bank.get(&format!("/bank/accounts/{n}")).json()["balance"]
                    .as_f64()
                    .unwrap()
            })
            .iter()
            .sum::<f64>()
    };
    let before = total();
    std::thread::scope(|scope| {
        for i in 0..4 {
            let bank = &bank;
            scope.spawn(move || {
                let (from, to) = if i % 2 == 0 {
                    (10000001, 10000008)
                } else {
                    (10000008, 10000001)
                };
                for _ in 0..25 {
                    let body = format!(r#"{{"from": {from}, "to": {to}, "amount": 1.01}}"#);
                    let answer = bank.send("POST", "/bank/transfers", Some(&body));
                    assert_eq!(answer.status, 200, "{answer:?}");
                }
            });
        }
    });
    assert!((total() - before).abs() < 0.001);
}

#[test]
fn committed_changes_survive_a_killed_region() {
    let bank = Server::start(&example("bank"));
    let body = r#"{"kind": "DEPOSIT", "amount": 1.00}"#;
    for _ in 0..5 {
        bank.send("POST", "/bank/accounts/10000001/movements", Some(body));
    }
    let state = bank.kill();
    let bank = Server::start_in(&example("bank"), state);
    let seen = bank.get("/bank/accounts/10000001").json();
    assert_eq!(seen["balance"], json!(27170.06));
    assert_eq!(seen["movements"], json!(42));
}

#[test]
fn administration_shows_health_metrics_and_the_apis_document() {
    let bank = Server::start(&example("bank"));
    bank.get("/bank/accounts/10000001");
    let ask = |path: &str| crate::http::send(&bank.admin, "GET", path, None);
    assert_eq!(ask("/health").status, 200);
    let metrics = String::from_utf8(ask("/metrics").body).unwrap();
    assert!(
        metrics.contains("tupelo_region_tasks_ok_total 1"),
        "{metrics}"
    );
    // The page that tries requests is the gateway's.
    assert_eq!(ask("/docs/").status, 302);
    let page = bank.get("/docs/");
    assert_eq!(page.status, 200);
    assert!(
        String::from_utf8_lossy(&page.body).contains("<html"),
        "{page:?}"
    );
}
