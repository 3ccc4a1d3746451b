//! The published delayed-acknowledgement case: five tasks, three receives.
//! The figures are the paper's facts, retyped; `1.0082` and so on are what a
//! reader of it must be able to find again. The guide shows the same files.

use capture::join::{CaptureDelay, parse_tasks, parse_time, parse_trace, reconcile};

const TASKS: &str = include_str!("../../../../examples/capture/monitor.txt");

const TRACE: &str = include_str!("../../../../examples/capture/trace.txt");

fn four(value: f64) -> String {
    format!("{value:.4}")
}

#[test]
fn the_papers_lines_add_up_to_its_ledger() {
    let (list, trace) = (parse_tasks(TASKS), parse_trace(TRACE));
    assert!(list.unread.is_empty() && trace.unread.is_empty());
    let account = reconcile(&list.tasks, &trace.receives, None, &[]).unwrap();
    assert_eq!(account.client.transid, "FXC1");
    assert_eq!(four(account.client.response_s), "1.0082");
    assert_eq!(
        (account.servers.len(), four(account.served_s)),
        (4, "0.3370".to_owned())
    );
    assert_eq!(four(account.unaccounted_s), "0.6712");
    assert_eq!(four(account.explained_s), "0.5525");
    assert_eq!(four(account.remaining_s), "0.1187");
    let cases: Vec<(u64, bool, String)> = account
        .receives
        .iter()
        .map(|r| (r.receive.task, r.counts, four(r.stamped_s)))
        .collect();
    let expected = [
        (232, true, "0.2809"),
        (234, false, "0.2974"),
        (232, true, "0.2716"),
    ];
    assert_eq!(cases, expected.map(|(t, c, s)| (t, c, s.to_owned())));
}

#[test]
fn figures_that_differ_from_their_time_stamps_are_named() {
    let (list, trace) = (parse_tasks(TASKS), parse_trace(TRACE));
    let account = reconcile(&list.tasks, &trace.receives, None, &[]).unwrap();
    let remarks: Vec<(usize, String, String)> = account
        .remarks
        .iter()
        .map(|r| (r.case, four(r.printed_s), four(r.stamped_s)))
        .collect();
    let expected = [(1, "0.2797", "0.2809"), (3, "0.1696", "0.2716")];
    assert_eq!(
        remarks,
        expected.map(|(c, p, s)| (c, p.to_owned(), s.to_owned()))
    );
    let text = account.to_string();
    assert!(
        text.contains("inside CWXN task 234, counted already"),
        "{text}"
    );
    assert!(text.contains("waited for 111 bytes"), "{text}");
}

#[test]
fn sizes_are_hexadecimal_and_sends_are_those_of_the_other_task() {
    let trace = parse_trace(TRACE);
    let sends: Vec<Vec<(u64, Option<u64>)>> = trace
        .receives
        .iter()
        .map(|r| r.sends.iter().map(|s| (s.task, s.bytes)).collect())
        .collect();
    assert_eq!(sends[0], [(233, Some(0x18)), (233, Some(0x57))]);
    assert_eq!(sends[1], [(232, Some(0x34e))]);
    assert_eq!(trace.receives[2].bytes, Some(0x24c));
}

#[test]
fn a_delay_in_packets_is_matched_with_the_receive_it_covers() {
    let (list, trace) = (parse_tasks(TASKS), parse_trace(TRACE));
    let delay = |from: &str, to: &str| CaptureDelay {
        began: parse_time(from).unwrap(),
        ended: parse_time(to).unwrap(),
        cause: "tcp.ack.delayed".to_owned(),
        packets: vec![7, 8],
    };
    let delays = [
        delay("11:15:39.9521", "11:15:40.1521"),
        delay("11:15:41.0", "11:15:41.2"),
    ];
    let account = reconcile(&list.tasks, &trace.receives, Some(232), &delays).unwrap();
    let counts: Vec<usize> = account.receives.iter().map(|r| r.delays.len()).collect();
    assert_eq!(counts, [1, 0, 0]);
    assert!(reconcile(&list.tasks, &trace.receives, Some(999), &[]).is_none());
}
