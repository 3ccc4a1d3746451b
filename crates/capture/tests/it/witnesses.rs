//! What a cause must show beside its pattern, one witness at a time: with it missing the claim
//! is less sure or is not made.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use crate::changed::{far, played, relayed, said, sixth_lost};
use capture::judge::judge;
use capture::synth::corpus::cases;
use capture::synth::{
    Action, Case, Close, Conversation, Exchange, Fault, Payload, Place, Segment, Select, Write,
};
use capture::{Confidence, Explanation, Side};

const FIN: u8 = 0x01;
const RST: u8 = 0x04;
const ACK: u8 = 0x10;

/// The last request is sent again at doubling times; the server is heard again, or not.
fn sent_again(address: Option<Ipv4Addr>, heard: bool) -> Explanation {
    sent_again_and(address, heard, |_| {})
}

/// The same, what follows the last copy changed.
fn sent_again_and(
    address: Option<Ipv4Addr>,
    heard: bool,
    mut change: impl FnMut(&mut Segment),
) -> Explanation {
    let mut c = far(vec![Exchange::new(300, 2_000, 500); 2]);
    if let Some(address) = address {
        for end in [&mut c.client, &mut c.server] {
            *end = SocketAddr::new(IpAddr::V4(address), end.port());
        }
    }
    played(&[c], |segments| {
        let asked = (segments.iter())
            .rposition(|s| s.from == Side::Client && s.len > 0)
            .expect("a request");
        let rest = segments.split_off(asked + 1);
        let request = segments[asked].clone();
        for (nth, after_ms) in [1_000, 3_000, 7_000].into_iter().enumerate() {
            segments.push(Segment {
                at_ns: request.at_ns + after_ms * 1_000_000,
                id: request.id.wrapping_add(1 + nth as u16),
                stamp: (request.stamp).map(|(value, echo)| (value + after_ms as u32, echo)),
                ..request.clone()
            });
        }
        if heard {
            segments.extend(rest.into_iter().map(|s| {
                let mut later = Segment {
                    at_ns: s.at_ns + 7_000_000_000,
                    stamp: s.stamp.map(|(value, echo)| match s.from {
                        Side::Client => (value + 7_000, echo),
                        Side::Server => (value + 7_000, echo + 7_000),
                    }),
                    ..s
                };
                change(&mut later);
                later
            }));
        }
    })
}

#[test]
fn an_end_that_is_gone_looks_like_a_loss() {
    let rule = "tcp.rto";
    assert_eq!(said(&sent_again(None, true), rule), Some(Confidence::High));
    assert_eq!(
        said(&sent_again(None, false), rule),
        Some(Confidence::Medium)
    );
}

#[test]
fn within_one_machine_nothing_is_lost() {
    let inside = sent_again(Some(Ipv4Addr::LOCALHOST), true);
    assert_eq!(said(&inside, "tcp.rto"), None);
}

#[test]
fn originals_that_are_acknowledged_piece_by_piece_had_arrived() {
    let joined = |in_pieces: bool| {
        played(&[far(vec![Exchange::new(300, 2_000, 500)])], |segments| {
            let asked = (segments.iter())
                .position(|s| s.from == Side::Client && s.len > 0)
                .expect("a request");
            let request = segments[asked].clone();
            segments[asked].len = 100;
            let late = |s: &Segment| Segment {
                at_ns: s.at_ns + 1_000_000_000,
                stamp: s.stamp.map(|(value, echo)| match s.from {
                    Side::Client => (value + 1_000, echo),
                    Side::Server => (value + 1_000, echo + 1_000),
                }),
                ..s.clone()
            };
            let rest: Vec<Segment> = segments.split_off(asked + 1);
            segments.push(Segment {
                at_ns: request.at_ns + 50_000,
                id: request.id.wrapping_add(1),
                seq: request.seq.wrapping_add(100),
                offset: request.offset + 100,
                len: 200,
                ..request.clone()
            });
            segments.push(Segment {
                id: request.id.wrapping_add(2),
                ..late(&request)
            });
            if in_pieces {
                let answer = rest.iter().find(|s| s.from == Side::Server).expect("one");
                for (nth, bytes) in [100, 300].into_iter().enumerate() {
                    segments.push(Segment {
                        at_ns: request.at_ns + 1_050_000_000 + nth as u64 * 10_000,
                        seq: answer.seq,
                        ack: request.seq.wrapping_add(bytes),
                        flags: ACK,
                        len: 0,
                        id: answer.id.wrapping_add(900 + nth as u16),
                        ..late(answer)
                    });
                }
            }
            segments.extend(rest.iter().map(late).map(|s| Segment {
                at_ns: s.at_ns + 5_000_000,
                ..s
            }));
        })
    };
    let rule = "tcp.rto";
    assert!(said(&joined(false), rule) >= Some(Confidence::Medium));
    assert_eq!(said(&joined(true), rule), None);
}

#[test]
fn a_short_segment_before_the_pause_was_all_there_was() {
    let mut c = far(vec![Exchange::new(300, 2_000, 100_000)]);
    c.server_end().initial_window = 4;
    let rule = "tcp.slow-start";
    assert_eq!(
        said(&played(&[c.clone()], |_| {}), rule),
        Some(Confidence::High)
    );
    let written = played(&[c], |segments| {
        let server: Vec<Segment> = (segments.iter())
            .filter(|s| s.from == Side::Server && s.len > 0)
            .cloned()
            .collect();
        for two in server.windows(2) {
            let (last, next) = (&two[0], &two[1]);
            if next.at_ns - last.at_ns > 10_000_000 {
                let at = (segments.iter())
                    .position(|s| s.from == Side::Server && s.len > 0 && s.seq == last.seq)
                    .expect("it");
                segments[at].len = 1_000;
                segments.push(Segment {
                    at_ns: last.at_ns + 1_000,
                    seq: last.seq.wrapping_add(1_000),
                    offset: last.offset + 1_000,
                    len: last.len - 1_000,
                    ..last.clone()
                });
            }
        }
    });
    assert!(said(&written, rule) <= Some(Confidence::Low));
}

#[test]
fn who_closes_is_told_where_one_end_does() {
    let closed_by = |by_server: u16| {
        let all: Vec<Conversation> = (0..20_u16)
            .map(|n| {
                let mut c = far(vec![Exchange::new(300, 2_000, 500)]);
                c.payload = Payload::Http;
                c.start_us = u64::from(n) * 400_000;
                c.client.set_port(40_000 + n);
                c.close = match n < by_server {
                    true => Close::Server,
                    false => Close::Client,
                };
                c
            })
            .collect();
        let told = played(&all, |_| {});
        let mut mine = (told.findings.iter()).filter(|f| f.rule == "tcp.connection-per-request");
        mine.next().expect("a finding").text.clone()
    };
    assert!(closed_by(18).ends_with("; the server closes them"));
    assert!(closed_by(2).ends_with("; the client closes them"));
    assert!(closed_by(10).ends_with("one request each"));
}

#[test]
fn an_answer_as_late_as_the_opening_tells_of_the_path() {
    let mut c = far(vec![
        Exchange::new(512, 2_000, 400),
        Exchange::new(300, 2_000, 500),
    ]);
    c.payload = Payload::Tls { resumed: true };
    c.server.set_port(443);
    let thinks = |think_us: u64| {
        let mut c = c.clone();
        c.exchanges[0].server_think_us = think_us;
        played(&[c], relayed)
    };
    let rule = "tls.handshake.wait";
    assert_eq!(said(&thinks(300_000), rule), Some(Confidence::Medium));
    assert!(said(&thinks(2_000), rule) <= Some(Confidence::Low));
}

#[test]
fn what_a_relay_acknowledges_is_as_far_as_the_opening_said() {
    let mut c = far(vec![
        Exchange::new(512, 300_000, 400),
        Exchange::new(300, 2_000, 500),
    ]);
    c.payload = Payload::Tls { resumed: true };
    c.server.set_port(443);
    // The path to the server takes 50 ms, and a relay so much nearer acknowledges.
    let waited_ms = |relay_ms: u64| {
        let explanation = played(&[c.clone()], |segments| {
            relayed(segments);
            segments.last_mut().expect("a word").at_ns += relay_ms * 1_000_000;
        });
        let told = (explanation.findings.iter()).filter(|f| f.rule == "tls.handshake.wait");
        told.map(|f| f.cost_ns / 1_000_000).max()
    };
    assert_eq!(waited_ms(0), Some(300));
    assert_eq!(waited_ms(4), Some(300));
}

#[test]
fn packets_that_come_as_far_apart_anyway_waited_for_no_repair() {
    let mut c = sixth_lost();
    let rule = "tcp.retransmit.fast";
    assert_eq!(
        said(&played(&[c.clone()], |_| {}), rule),
        Some(Confidence::High)
    );
    // The same on a link that takes 12 ms for a segment: what is under way fills the wait.
    c.path.bytes_per_s = 125_000;
    assert!(said(&played(&[c], |_| {}), rule) <= Some(Confidence::Low));
}

#[test]
fn which_word_set_the_data_free_must_show() {
    let mut c = far(vec![Exchange::new(300, 2_000, 100_000)]);
    c.server_end().initial_window = 4;
    let rule = "tcp.slow-start";
    let bare = |place: Place| {
        let mut c = c.clone();
        c.path.capture = place;
        c.server_end().options = false;
        played(&[c], |_| {})
    };
    assert_eq!(said(&bare(Place::Server), rule), Some(Confidence::High));
    assert_eq!(said(&bare(Place::Client), rule), Some(Confidence::Medium));
}

#[test]
fn acknowledgements_that_come_twice_and_name_nothing_ask_for_nothing() {
    let c = sixth_lost();
    let unnamed = played(&[c], |segments| {
        segments.iter_mut().for_each(|s| s.sack.clear());
    });
    assert!(said(&unnamed, "tcp.retransmit.fast") < Some(Confidence::High));
}

#[test]
fn what_a_sender_waited_for_when_it_repeated_in_vain_is_never_sure() {
    let rule = "tcp.retransmit.spurious";
    let planted: Vec<Case> = (cases(3, 4).into_iter())
        .filter(|case| case.truth.planted.contains(&rule))
        .collect();
    let (judgement, _) = judge(&planted);
    let sure: Vec<&str> = judgement.of(rule).map(|l| l.confidence.as_str()).collect();
    // By what it was on captures of strangers, not even medium.
    assert_eq!(sure, ["low"]);
}

#[test]
fn what_was_sent_behind_a_goodbye_is_counted_by_its_numbers() {
    let text = |change: &dyn Fn(&mut Vec<Segment>)| {
        let mut c = far(vec![Exchange::new(300, 60_000, 20_000)]);
        c.close = Close::HalfByClient;
        let told = played(&[c], |segments| change(segments));
        let mut mine = told
            .findings
            .into_iter()
            .filter(|f| f.rule == "tcp.half-close");
        mine.next().expect("a finding").text
    };
    let whole = text(&|_| {});
    let lost = text(&|segments| {
        let data = segments.iter().enumerate();
        let mut theirs = data.filter(|(_, s)| s.from == Side::Server && s.len > 0);
        let (sixth, _) = theirs.nth(5).expect("six segments");
        segments.remove(sixth);
    });
    assert_eq!(lost, whole);
    let answered = text(&|segments| {
        let mut theirs = segments.iter().filter(|s| s.from == Side::Server);
        let fin = theirs.rfind(|s| s.flags & FIN != 0).expect("a goodbye");
        let ack = Segment {
            at_ns: fin.at_ns + 500_000_000,
            id: fin.id.wrapping_add(1),
            flags: ACK,
            seq: fin.seq.wrapping_add(fin.len + 1),
            offset: fin.offset + fin.len,
            len: 0,
            ..fin.clone()
        };
        segments.push(ack);
    });
    assert_eq!(answered, whole);
}

#[test]
fn copies_that_their_receiver_tells_of_are_the_paths() {
    let rule = "capture.duplicates";
    let doubled = |told: bool| {
        played(
            &[far(vec![Exchange::new(300, 2_000, 60_000)])],
            |segments| {
                let all = std::mem::take(segments);
                for s in all {
                    let copy = (s.from == Side::Server && s.len > 0).then(|| Segment {
                        at_ns: s.at_ns + 20_000,
                        ..s.clone()
                    });
                    let end = s.seq.wrapping_add(s.len);
                    let last = segments.iter().rfind(|s| s.from == Side::Client).cloned();
                    segments.push(s);
                    let Some(copy) = copy else { continue };
                    let tells = last.filter(|_| told).map(|last| Segment {
                        at_ns: copy.at_ns + 5_000,
                        id: last.id.wrapping_add(7_000),
                        flags: ACK,
                        seq: last.seq.wrapping_add(last.len),
                        ack: end,
                        offset: last.offset + last.len,
                        len: 0,
                        sack: vec![(copy.seq, end)],
                        ..last
                    });
                    segments.push(copy);
                    segments.extend(tells);
                }
            },
        )
    };
    assert_eq!(said(&doubled(false), rule), Some(Confidence::High));
    assert_eq!(said(&doubled(true), rule), Some(Confidence::Low));
}

#[test]
fn the_rest_of_a_connection_is_none_of_its_own() {
    let all: Vec<Conversation> = (0..12_u16)
        .map(|n| {
            let mut c = far(vec![Exchange::new(300, 2_000, 500)]);
            c.start_us = u64::from(n) * 400_000;
            c.client.set_port(40_000 + n);
            c.close = Close::Server;
            c
        })
        .collect();
    let told = played(&all, |segments| {
        // The last data of each stand once more, six seconds later.
        let late = (segments.iter())
            .rfind(|s| s.from == Side::Server && s.len > 0)
            .expect("data");
        let late = Segment {
            at_ns: late.at_ns + 6_000_000_000,
            id: late.id.wrapping_add(900),
            stamp: late.stamp.map(|(value, echo)| (value + 6_000, echo)),
            ..late.clone()
        };
        segments.push(late);
    });
    let service = &told.services[0];
    assert_eq!((service.connections, service.single_exchange), (12, 12));
}

#[test]
fn a_program_that_writes_one_packet_again_and_again_is_no_second_capture() {
    let told = played(&[far(vec![Exchange::new(300, 2_000, 500)])], |segments| {
        let syn = segments[0].clone();
        segments.truncate(1);
        for n in 1..60_u64 {
            let at_ns = syn.at_ns + n / 2 * 2_600_000 + n % 2 * 600_000;
            segments.push(Segment {
                at_ns,
                ..syn.clone()
            });
        }
    });
    assert!(
        told.totals.duplicate_frames < 10,
        "{}",
        told.totals.duplicate_frames
    );
}

#[test]
fn a_report_of_a_part_does_not_make_the_copy_needless() {
    let c = sixth_lost();
    let told = played(&[c], |segments| {
        let mut highest = 0;
        let first = segments[1].seq;
        let copy = (segments
            .iter()
            .filter(|s| s.from == Side::Server && s.len > 0))
        .find(|s| {
            let behind = s.seq.wrapping_sub(first);
            let again = behind < highest;
            highest = highest.max(behind + s.len);
            again
        })
        .expect("a copy")
        .clone();
        let end = copy.seq.wrapping_add(copy.len);
        let told = (segments.iter_mut())
            .find(|s| {
                let past = s.ack.wrapping_sub(end) < 1 << 31;
                s.from == Side::Client && s.at_ns > copy.at_ns && past
            })
            .expect("its answer");
        told.sack = vec![(end.wrapping_sub(52), end)];
    });
    assert!(said(&told, "tcp.retransmit.fast").is_some());
    assert_eq!(said(&told, "tcp.retransmit.spurious"), None);
}

#[test]
fn with_no_router_between_what_was_captured_came_to_the_receivers_network() {
    let heard = |limit: u8| {
        let mut c = far(vec![Exchange::new(300, 2_000, 500); 2]);
        c.path.capture = Place::Middle;
        played(&[c], |segments| {
            let asked = (segments.iter())
                .rposition(|s| s.from == Side::Client && s.len > 0)
                .expect("a request");
            segments.truncate(asked + 1);
            let request = segments[asked].clone();
            for after_ms in [1_000, 3_000, 7_000] {
                segments.push(Segment {
                    at_ns: request.at_ns + after_ms * 1_000_000,
                    id: request.id.wrapping_add(after_ms as u16),
                    stamp: (request.stamp).map(|(value, echo)| (value + after_ms as u32, echo)),
                    ..request.clone()
                });
            }
            for s in segments.iter_mut() {
                s.hop_limit = match s.from {
                    Side::Client => 51,
                    Side::Server => limit,
                };
            }
        })
    };
    let rule = "tcp.rto";
    assert_eq!(said(&heard(55), rule), Some(Confidence::Medium));
    assert_eq!(said(&heard(64), rule), Some(Confidence::Low));
}

#[test]
fn what_nobody_asked_for_is_no_late_answer() {
    let pushed = |asked: bool| {
        let mut c = far(vec![Exchange {
            response: vec![
                Write::of(300),
                Write {
                    after_us: 2_500_000,
                    bytes: 300,
                },
            ],
            ..Exchange::new(300, 2_000, 0)
        }]);
        c.payload = Payload::Http;
        c.without_handshake = true;
        played(&[c], |segments| {
            segments.retain(|s| asked || s.from == Side::Server || s.len == 0);
        })
    };
    let rule = "server.think";
    assert_eq!(said(&pushed(true), rule), Some(Confidence::Medium));
    assert!(said(&pushed(false), rule) <= Some(Confidence::Low));
}

#[test]
fn what_comes_through_though_it_is_large_was_not_too_large() {
    let mut c = Conversation {
        exchanges: vec![Exchange::new(5_000, 2_000, 500)],
        close: Close::Client,
        ..Conversation::default()
    };
    c.path.faults = vec![Fault {
        from: Side::Client,
        select: Select::LongerThan(1_200),
        action: Action::Lose,
    }];
    c.client_end().fallback_mss = Some(536);
    let rule = "tcp.pmtu.black-hole";
    let whole = played(&[c.clone()], |_| {});
    assert_eq!(said(&whole, rule), Some(Confidence::High));
    let again = played(&[c], |segments| {
        let mine = segments.iter().filter(|s| s.from == Side::Client);
        let large = mine.clone().find(|s| s.len > 1_200).expect("one").clone();
        let small = (mine.clone())
            .find(|s| s.seq == large.seq && (1..large.len).contains(&s.len))
            .expect("a smaller one");
        let copy = Segment {
            at_ns: small.at_ns + 50_000,
            id: small.id.wrapping_add(700),
            stamp: small.stamp,
            ..large
        };
        segments.push(copy);
    });
    assert!(said(&again, rule) < Some(Confidence::High));
}

#[test]
fn without_acknowledgements_by_themselves_a_repeated_segment_may_be_needless() {
    let rule = "tcp.rto";
    let planted: Vec<Case> = (cases(3, 6).into_iter())
        .filter(|case| !case.truth.planted.contains(&rule) && !case.truth.allowed.contains(&rule))
        .collect();
    let (judgement, misses) = judge(&planted);
    let sure: u64 = (judgement.of(rule).filter(|l| l.confidence != "low"))
        .map(|l| l.wrong)
        .sum();
    assert_eq!(sure, 0, "{misses:?}");
}

#[test]
fn a_path_that_holds_packets_back_looks_like_a_loss() {
    let rule = "tcp.rto";
    let late = |answer_ms: u64| {
        let late = |s: &mut Segment| s.at_ns += answer_ms * 1_000_000;
        said(&sent_again_and(None, true, late), rule)
    };
    assert_eq!(late(0), Some(Confidence::High));
    assert_eq!(late(600), Some(Confidence::Medium));
}

#[test]
fn one_cause_between_the_same_ends_is_told_once() {
    let all: Vec<Conversation> = (0..3_u16)
        .map(|n| {
            let mut c = sixth_lost();
            c.start_us = u64::from(n) * 900_000;
            c.client.set_port(40_000 + n);
            c
        })
        .collect();
    let explanation = played(&all, |_| {});
    let rule = "tcp.retransmit.fast";
    let found = |sure| {
        let mine = explanation.findings.iter().filter(|f| f.rule == rule);
        mine.filter(|f| f.confidence == sure).count() as u64
    };
    let told: Vec<_> = explanation.told.iter().filter(|t| t.rule == rule).collect();
    assert!(found(Confidence::High) >= 3, "{told:?}");
    // The waits for the news and for the answer are as many, and less sure.
    let times = |sure| {
        let mut mine = told.iter().filter(|t| t.confidence == sure);
        let times = mine.next().map_or(0, |t| t.times);
        assert!(mine.next().is_none(), "{told:?}");
        times
    };
    let sure = [Confidence::High, Confidence::Medium, Confidence::Low].map(times);
    let all: u64 = told.iter().map(|t| t.times).sum();
    assert_eq!(sure.iter().sum::<u64>(), all);
    let text = capture::report::text(&explanation);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let again = "; 2 times more from 10.0.0.1 to 10.0.0.2:8080, ";
    assert!(text.contains(again), "{text}");
}

#[test]
fn an_answer_that_was_acknowledged_was_no_missing_one() {
    let rule = "tcp.reset";
    let cut = |acknowledged: bool| {
        played(&[far(vec![Exchange::new(300, 2_000, 500)])], |segments| {
            let answer = (segments.iter())
                .position(|s| s.from == Side::Server && s.len > 0)
                .expect("an answer");
            let answer = segments.split_off(answer).remove(0);
            let last = (segments.iter().rfind(|s| s.from == Side::Client)).expect("a client");
            let own = Segment {
                seq: last.seq.wrapping_add(last.len),
                offset: last.offset + last.len,
                len: 0,
                flags: ACK,
                ..last.clone()
            };
            if acknowledged {
                segments.push(Segment {
                    at_ns: answer.at_ns + 1_000,
                    id: own.id.wrapping_add(1),
                    ack: answer.seq.wrapping_add(answer.len),
                    ..own.clone()
                });
            }
            segments.push(Segment {
                at_ns: answer.at_ns + 2_000_000_000,
                id: own.id.wrapping_add(2),
                flags: RST | ACK,
                ..own
            });
        })
    };
    assert!(said(&cut(false), rule) >= Some(Confidence::Medium));
    assert_eq!(said(&cut(true), rule), None);
}
