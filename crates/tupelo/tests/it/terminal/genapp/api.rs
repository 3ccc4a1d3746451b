//! genapp as APIs: one for each of its front programs and each layout of their
//! COMMAREA, by its own copybooks.

use std::path::Path;

use serde_json::{Value, json};

use crate::program::{text, tupelo};
use crate::server::Server;

/// A kind of policies: its requests' last letters, its copybook, the fields of a new
/// one, and a field with another value.
struct PolicyKind {
    name: &'static str,
    copybook: &'static str,
    new: Value,
    other: Option<(&'static str, &'static str)>,
}

/// The layout of a commercial policy. Genapp's own copybook for it is for inquiries: it
/// lacks the payment.
const COMMERCIAL: &str = "       01 CA.
           03 CA-REQUEST-ID PIC X(6).
           03 CA-RETURN-CODE PIC 9(2).
           03 CA-CUSTOMER-NUM PIC 9(10).
           03 CA-POLICY-NUM PIC 9(10).
           03 CA-ISSUE-DATE PIC X(10).
           03 CA-EXPIRY-DATE PIC X(10).
           03 CA-LASTCHANGED PIC X(26).
           03 CA-BROKERID PIC 9(10).
           03 CA-BROKERSREF PIC X(10).
           03 CA-PAYMENT PIC 9(6).
           03 CA-B-ADDRESS PIC X(255).
           03 CA-B-POSTCODE PIC X(8).
           03 CA-B-LATITUDE PIC X(11).
           03 CA-B-LONGITUDE PIC X(11).
           03 CA-B-CUSTOMER PIC X(255).
           03 CA-B-PROPTYPE PIC X(255).
           03 CA-B-PERILS OCCURS 4.
              05 CA-B-PERIL PIC 9(4).
              05 CA-B-PREMIUM PIC 9(8).
           03 CA-B-STATUS PIC 9(4).
           03 CA-B-REJECTREASON PIC X(255).
";

fn kinds() -> [PolicyKind; 4] {
    let peril = json!({"b_peril": 1, "b_premium": 2});
    [
        PolicyKind {
            name: "END",
            copybook: "soaipe1.cpy",
            new: json!({"e_fund_name": "FUND", "e_with_profits": "Y", "e_equities": "N", "e_managed_fund": "Y",
                        "e_term": 20, "e_sum_assured": 100_000, "e_life_assured": "ADA LOVELACE"}),
            other: Some(("e_fund_name", "OTHER")),
        },
        PolicyKind {
            name: "HOU",
            copybook: "soaiph1.cpy",
            new: json!({"h_house_name": "House", "h_property_type": "DETACHED", "h_bedrooms": 4, "h_value": 250_000,
                        "h_house_number": "12", "h_postcode": "AB1 2CD"}),
            other: Some(("h_house_name", "Other house")),
        },
        PolicyKind {
            name: "MOT",
            copybook: "soaipm1.cpy",
            new: json!({"m_colour": "GREEN", "m_make": "LOTUS", "m_model": "ELAN", "m_value": 12_000,
                        "m_regnumber": "A567WWW", "m_cc": 1_600, "m_manufactured": "1970-05-06",
                        "m_premium": 300, "m_accidents": 1}),
            other: Some(("m_colour", "YELLOW")),
        },
        PolicyKind {
            name: "COM",
            copybook: "commercial.cpy",
            new: json!({"b_address": "1 Street", "b_postcode": "AB1 2CD", "b_latitude": "51.0", "b_longitude": "1.0",
                        "b_customer": "Works", "b_proptype": "Factory", "b_status": 3, "b_rejectreason": "none",
                        "b_perils": [peril, peril, peril, peril]}),
            other: None,
        },
    ]
}

/// Makes the projects.
pub fn import(app: &Path) {
    // A field of one copybook has a level below that of the field before it, which has
    // a picture.
    let motor = app.join("copybooks/soaipm1.cpy");
    let written = std::fs::read_to_string(&motor).expect("a copybook");
    std::fs::write(
        motor,
        written.replace("05 CA-POLICY-NUM", "03 CA-POLICY-NUM"),
    )
    .expect("a copybook");
    std::fs::write(app.join("copybooks/commercial.cpy"), COMMERCIAL).expect("a copybook");
    for program in ["LGICUS01", "LGACUS01", "LGUCUS01"] {
        import_one(app, program, program, "soaic01.cpy");
    }
    for kind in kinds() {
        for program in ["LGIPOL01", "LGAPOL01", "LGUPOL01", "LGDPOL01"] {
            import_one(app, &path_of(program, kind.name), program, kind.copybook);
        }
    }
}

fn path_of(program: &str, kind: &str) -> String {
    format!("{program}-{kind}")
}

fn import_one(app: &Path, name: &str, program: &str, copybook: &str) {
    let output = tupelo()
        .args([
            "api",
            "import",
            name,
            "--program",
            program,
            "--strip-prefix",
            "CA",
        ])
        .arg("--request")
        .arg(app.join("copybooks").join(copybook))
        .arg("--app")
        .arg(app)
        .output()
        .expect("tupelo runs");
    assert!(output.status.success(), "{name}: {}", text(&output.stderr));
}

/// Sends a request; the answer, and its return code.
fn send(server: &Server, path: &str, request: &str, customer: u64, fields: &Value) -> (u64, Value) {
    let mut body = fields.clone();
    body["request_id"] = request.into();
    body["customer_num"] = customer.into();
    let answer = server.send("POST", &format!("/{path}"), Some(&body.to_string()));
    assert_eq!(
        answer.status,
        200,
        "{path} {request}: {}",
        text(&answer.body)
    );
    let reply: Value = serde_json::from_slice(&answer.body).expect("JSON");
    (reply["return_code"].as_u64().expect("a code"), reply)
}

pub fn customers(server: &Server) {
    let (code, asked) = send(server, "LGICUS01", "01ICUS", 1, &json!({}));
    assert_eq!((code, &asked["first_name"]), (0, &json!("Andrew")));
    assert_eq!(send(server, "LGICUS01", "01ICUS", 9_999, &json!({})).0, 1);
    let new = json!({"first_name": "Ann", "last_name": "Other", "dob": "1970-01-02", "house_name": "House",
                     "house_num": "12", "postcode": "AB1 2CD", "phone_home": "01000", "phone_mobile": "07000",
                     "email_address": "a@b.example"});
    let (code, added) = send(server, "LGACUS01", "01ACUS", 0, &new);
    assert_eq!(code, 0, "{added}");
    let number = added["customer_num"].as_u64().expect("a number");
    let mut changed = new.clone();
    changed["last_name"] = "Another".into();
    assert_eq!(send(server, "LGUCUS01", "01UCUS", number, &changed).0, 0);
    let (code, asked) = send(server, "LGICUS01", "01ICUS", number, &json!({}));
    assert_eq!((code, &asked["last_name"]), (0, &json!("Another")));
}

pub fn policies(server: &Server) {
    for kind in kinds() {
        let send = |verb: &str, customer: u64, fields: &Value| {
            let program = format!("LG{verb}POL01");
            send(
                server,
                &path_of(&program, kind.name),
                &format!("01{verb}{}", kind.name),
                customer,
                fields,
            )
        };
        let mut new = kind.new.clone();
        for (name, value) in [
            ("issue_date", "2026-01-01"),
            ("expiry_date", "2027-01-01"),
            ("brokersref", "REF"),
        ] {
            new[name] = value.into();
        }
        new["payment"] = 500.into();
        let (code, added) = send("A", 2, &new);
        assert_eq!(code, 0, "{added}");
        let key = json!({"policy_num": added["policy_num"]});
        let (code, asked) = send("I", 2, &key);
        assert_eq!(
            (code, &asked["issue_date"]),
            (0, &new["issue_date"]),
            "{asked}"
        );
        for (name, value) in kind.new.as_object().expect("fields") {
            assert_eq!(&asked[name], value, "{} {name}", kind.name);
        }
        if let Some((field, other)) = kind.other {
            let mut change = new.clone();
            change["policy_num"] = added["policy_num"].clone();
            change["lastchanged"] = asked["lastchanged"].clone();
            change[field] = other.into();
            assert_eq!(send("U", 2, &change).0, 0, "{}", kind.name);
            assert_eq!(send("I", 2, &key).1[field], other);
        }
        assert_eq!(send("D", 2, &key).0, 0, "{}", kind.name);
        assert_eq!(send("I", 2, &key).0, 1, "{}", kind.name);
        // An unknown customer violates the foreign key.
        assert_eq!(send("A", 999_999, &new).0, 70, "{}", kind.name);
    }
}
