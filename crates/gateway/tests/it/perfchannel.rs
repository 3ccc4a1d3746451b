//! The perfChannel example: containers in, long text out.

use crate::client::send;
use crate::fake::{Data, Fake};
use crate::start;

fn pfpadcon(data: &mut Data) {
    let request = &data.containers["LEN-TO-RETURN"];
    let length = i32::from_be_bytes(request.as_slice().try_into().unwrap());
    if length == 13 {
        let text = format!("{:60}", "thirteen is refused");
        data.containers.insert("ERROR".into(), text.into_bytes());
        return;
    }
    if length == 14 {
        data.containers
            .insert("RESPONSE-LENGTH".into(), vec![b'0'; 9]);
        return;
    }
    data.containers
        .insert("RESPONSE-DATA".into(), vec![b'A'; length as usize]);
    data.containers.insert(
        "RESPONSE-LENGTH".into(),
        format!("{length:08}").into_bytes(),
    );
}

#[test]
fn a_long_field_arrives_as_long_as_it_was_sent() {
    let gateway = start(
        "perfchannel/apis",
        Fake::default().program("PFPADCON", pfpadcon),
    );
    for size in [1, 1024, 131_072, 8_000_000] {
        let path = format!("/perfchannel/response/{size}");
        let answer = send(
            gateway.address(),
            "PUT",
            &path,
            "",
            "{\"request_data\": \"x\"}",
        );
        assert_eq!(answer.status, 200, "{}", answer.head);
        let json = answer.json();
        let data = json["RESPONSE_DATA"]["ALPHA_DATA"].as_str().unwrap();
        assert_eq!((data.len(), data.trim_matches('A')), (size, ""));
        assert_eq!(json["RESPONSE_LENGTH"]["ALPHA_LEN_C"], format!("{size:08}"));
    }
    let answer = send(
        gateway.address(),
        "PUT",
        "/perfchannel/response/8000001",
        "",
        "{}",
    );
    assert_eq!(answer.status, 400);
    let answer = send(gateway.address(), "PUT", "/perfchannel/response/13", "", "");
    assert_eq!(
        (answer.status, answer.json()["ERROR"].as_str()),
        (400, Some("thirteen is refused"))
    );
}

#[test]
fn more_data_than_the_containers_definition_is_an_error_that_names_it() {
    let gateway = start(
        "perfchannel/apis",
        Fake::default().program("PFPADCON", pfpadcon),
    );
    let answer = send(gateway.address(), "PUT", "/perfchannel/response/14", "", "");
    assert_eq!(answer.status, 502);
    let fault = &answer.json()["errors"][0];
    assert_eq!(fault["container"], "RESPONSE-LENGTH");
    assert!(
        fault["message"]
            .as_str()
            .unwrap()
            .contains("returned 9 bytes"),
        "{fault}"
    );
}
