//! Service descriptions in both directions.

use crate::codec::ORDER;
use soap::binding::ProgramInterface;
use soap::wsdl::{CopybookOptions, ServiceOptions, from_copybooks, to_copybooks};
use soap::xml::NamespaceScopes;
use soap::{ServiceBinding, XmlCodec, XmlOptions};

fn service() -> ServiceOptions {
    ServiceOptions {
        program: "ORDER01".into(),
        operation: None,
        interface: ProgramInterface::Commarea,
        address: "http://localhost:8080/orders".into(),
        uri: "/orders".into(),
    }
}

#[test]
fn a_description_of_copybooks_states_lengths_digits_and_occurrences() {
    let copybook = "
       01  ORDER-IN.
           05  ORDER-NO  PIC 9(6).
           05  STATE     PIC X(2).
               88 NEW-ORDER VALUE 'NW'.
           05  PRICE     PIC S9(5)V99 COMP-3.
           05  FULL      PIC S9(9) COMP-5.
           05  PART      PIC X(4) OCCURS 3.
";
    let (text, binding) = from_copybooks(copybook, None, &service()).unwrap();
    for reported in [
        "<xsd:element name=\"ORDER_NO\">",
        "<xsd:restriction base=\"xsd:unsignedInt\">",
        "<xsd:totalDigits value=\"6\"/>",
        "<xsd:documentation>NEW-ORDER: 'NW'</xsd:documentation>",
        "<xsd:maxLength value=\"2\"/>",
        "<xsd:restriction base=\"xsd:decimal\">",
        "<xsd:totalDigits value=\"7\"/>",
        "<xsd:fractionDigits value=\"2\"/>",
        "<xsd:restriction base=\"xsd:int\">",
        "<xsd:element name=\"PART\" minOccurs=\"3\" maxOccurs=\"3\">",
        "<soap12:address location=\"http://localhost:8080/orders\"/>",
    ] {
        assert!(text.contains(reported), "{reported}\n{text}");
    }
    assert_eq!(binding.operation, "ORDER01Operation");
    assert_eq!(ServiceBinding::parse(&binding.to_text()).unwrap(), binding);
    let other = binding
        .to_text()
        .replace("\"version\": 1", "\"version\": 9");
    assert!(
        ServiceBinding::parse(&other)
            .unwrap_err()
            .to_string()
            .contains("version 9")
    );
}

#[test]
fn what_was_described_is_read_back_as_the_same_elements() {
    let (text, made) = from_copybooks(ORDER, None, &service()).unwrap();
    let options = CopybookOptions {
        inline_limit: 10,
        ..CopybookOptions::default()
    };
    let back = to_copybooks(&text, &|_| None, &options).unwrap();
    assert_eq!(back.len(), 1);
    let binding = &back[0].binding;
    assert_eq!(
        (&*binding.operation, &*binding.service),
        ("ORDER01Operation", "ORDER01Service")
    );
    let here = XmlCodec::build(&made.request, &XmlOptions::default()).unwrap();
    let there = XmlCodec::build(&binding.request, &XmlOptions::default()).unwrap();
    let ns = "http://www.ORDER01.Request.com";
    let message = format!(
        "<ORDER01Operation xmlns=\"{ns}\"><ORDER_NO>7</ORDER_NO><CUSTOMER><CUST_NAME>A</CUST_NAME>\
         <CREDIT>1.00</CREDIT></CUSTOMER><ORDER_LINE><ITEM>B</ITEM><QTY>2</QTY></ORDER_LINE>\
         </ORDER01Operation>"
    );
    for codec in [here, there] {
        let record = codec
            .encode(&message, NamespaceScopes::new())
            .unwrap()
            .record;
        let mut out = Vec::new();
        codec.decode(&record, &mut out).unwrap();
        let out = String::from_utf8(out)
            .unwrap()
            .replace("<LINE_COUNT>1</LINE_COUNT>", "");
        assert_eq!(out, message);
    }
}

/// A description with this schema and a request `in`.
fn described(schema: &str) -> String {
    format!(
        "<w:definitions xmlns:w='http://schemas.xmlsoap.org/wsdl/' xmlns:x='http://www.w3.org/2001/XMLSchema'
          xmlns:s='http://schemas.xmlsoap.org/wsdl/soap/' xmlns:t='urn:t' targetNamespace='urn:t'>
         <w:types><x:schema targetNamespace='urn:t' elementFormDefault='qualified'>{schema}</x:schema></w:types>
         <w:message name='m'><w:part name='p' element='t:in'/></w:message>
         <w:portType name='pt'><w:operation name='op'><w:input message='t:m'/></w:operation></w:portType>
         <w:binding name='b' type='t:pt'><s:binding style='document' transport='http://schemas.xmlsoap.org/soap/http'/>
          <w:operation name='op'><w:input><s:body use='literal'/></w:input></w:operation></w:binding>
         </w:definitions>"
    )
}

fn made(schema: &str) -> Result<soap::wsdl::DerivedOperation, base::Diagnostic> {
    to_copybooks(&described(schema), &|_| None, &CopybookOptions::default())
        .map(|mut all| all.remove(0))
}

#[test]
fn optional_varying_and_attribute_items_are_counted_and_come_back() {
    let schema = "<x:element name='in'><x:complexType><x:sequence>
          <x:element name='id' type='x:int'/>
          <x:element name='note' type='x:string' minOccurs='0'/>
          <x:element name='line' minOccurs='0' maxOccurs='unbounded'><x:complexType><x:sequence>
             <x:element name='item' type='t:code'/>
             <x:element name='tag' type='x:string' minOccurs='0' maxOccurs='9'/>
          </x:sequence><x:attribute name='no' type='x:short' use='required'/></x:complexType></x:element>
          <x:choice><x:element name='yes' type='x:boolean'/><x:element name='raw' type='x:base64Binary'/></x:choice>
        </x:sequence><x:attribute name='lang' type='x:string'/></x:complexType></x:element>
        <x:simpleType name='code'><x:restriction base='x:string'><x:enumeration value='AA'/>
          <x:enumeration value='BBB'/></x:restriction></x:simpleType>";
    let made = made(schema).unwrap();
    let text = &made.binding.request.copybook;
    for reported in [
        "note-num",
        "line-num",
        "line-cont",
        "tag-cont",
        "PIC X(16)",
        "item",
        "PIC X(3)",
        "VALUE 'BBB'",
        "attr-lang-num",
    ] {
        assert!(text.contains(reported), "{reported}\n{text}");
    }
    let codec = XmlCodec::build(&made.binding.request, &XmlOptions::default()).unwrap();
    let message = "<in xmlns=\"urn:t\" lang=\"d&quot;e\"><id>1</id><line no=\"1\"><item>AA</item><tag>x</tag>\
        <tag>y</tag></line><line no=\"2\"><item>BBB</item></line><yes>true</yes></in>";
    let read = codec.encode(message, NamespaceScopes::new()).unwrap();
    let names: Vec<&str> = read
        .containers
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["DFHPICC-00000001", "DFHPICC-00000002"]);
    let find = |name: &str| {
        let found = read.containers.iter().find(|(n, _)| n == name);
        found.map(|(_, data)| data.as_slice())
    };
    let mut out = Vec::new();
    codec.decode_with(&read.record, &find, &mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), message);
    let error = codec
        .decode_with(&read.record, &|_| None, &mut Vec::new())
        .unwrap_err();
    assert!(error.to_string().contains("no container"), "{error}");
}

#[test]
fn types_of_other_namespaces_keep_them() {
    let mut wsdl = described("<x:import namespace='urn:o' schemaLocation='o.xsd'/><x:element name='in'><x:complexType><x:sequence>
        <x:element name='a' type='x:int'/><x:element ref='o:b' xmlns:o='urn:o'/></x:sequence></x:complexType></x:element>");
    let other = "<x:schema xmlns:x='http://www.w3.org/2001/XMLSchema' targetNamespace='urn:o'>
        <x:element name='b'><x:complexType><x:sequence><x:element name='c' type='x:decimal'/></x:sequence>
        </x:complexType></x:element></x:schema>";
    let resolver = |name: &str| (name == "o.xsd").then(|| other.to_owned());
    let made = to_copybooks(&wsdl, &resolver, &CopybookOptions::default()).unwrap();
    let codec = XmlCodec::build(&made[0].binding.request, &XmlOptions::default()).unwrap();
    let message = "<n0:in xmlns:n0=\"urn:t\" xmlns:n1=\"urn:o\"><n0:a>1</n0:a><n1:b><c>2.500</c></n1:b></n0:in>";
    let read = codec.encode(message, NamespaceScopes::new()).unwrap();
    let mut out = Vec::new();
    codec.decode(&read.record, &mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), message);
    wsdl = wsdl.replace("o.xsd", "gone.xsd");
    let error = to_copybooks(&wsdl, &resolver, &CopybookOptions::default()).unwrap_err();
    assert!(
        error.help.is_some() && error.to_string().contains("\"gone.xsd\""),
        "{error}"
    );
}

#[test]
fn a_schema_that_is_included_takes_the_namespace_of_the_other() {
    let wsdl = described(
        "<x:include schemaLocation='c.xsd'/><x:element name='in'><x:complexType><x:sequence>
         <x:element name='a' type='t:short'/></x:sequence></x:complexType></x:element>",
    );
    let included = "<x:schema xmlns:x='http://www.w3.org/2001/XMLSchema'>
        <x:simpleType name='short'><x:restriction base='code'><x:maxLength value='3'/></x:restriction></x:simpleType>
        <x:simpleType name='code'><x:restriction base='x:string'/></x:simpleType></x:schema>";
    let resolver = |_: &str| Some(included.to_owned());
    let made = to_copybooks(&wsdl, &resolver, &CopybookOptions::default()).unwrap();
    assert!(made[0].binding.request.copybook.contains("PIC X(3)"));
    let old = wsdl.replacen("2001/XMLSchema", "2000/10/XMLSchema", 1);
    let error = to_copybooks(&old, &resolver, &CopybookOptions::default()).unwrap_err();
    assert!(
        error.help.is_some() && error.to_string().contains("2000/10"),
        "{error}"
    );
}

#[test]
fn a_description_that_imports_itself_is_read_once() {
    let import = "<w:import namespace='urn:t' location='a'/>".repeat(3);
    let wsdl = described("<x:element name='in'><x:complexType/></x:element>")
        .replace("<w:types>", &format!("{import}<w:types>"));
    let resolver = |_: &str| Some(wsdl.clone());
    let made = to_copybooks(&wsdl, &resolver, &CopybookOptions::default()).unwrap();
    assert_eq!(made.len(), 1);
}

#[test]
fn what_is_not_supported_is_refused_by_name_and_line() {
    let within = |inside: &str| {
        format!("<x:element name='in'><x:complexType>{inside}</x:complexType></x:element>")
    };
    let cases = [
        (within("<x:sequence>\n<x:any/></x:sequence>"), ":4:1: error: any: xsd:any is not supported\n  help: Declare"),
        (within("<x:sequence><x:element name='l' type='t:r'/></x:sequence>")
            + "<x:complexType name='r'><x:sequence><x:element name='again' type='t:r' minOccurs='0'/></x:sequence></x:complexType>",
            "the type contains itself"),
        (within("<x:sequence maxOccurs='2'><x:element name='a' type='x:int'/></x:sequence>"), "a sequence with maxOccurs above 1"),
        (within("<x:sequence><x:element name='a'/></x:sequence>"), "it has no type"),
        (within("<x:sequence><x:element name='a' type='x:anyType'/></x:sequence>"), "xsd:anyType"),
        ("<x:element name='in' abstract='true' type='t:abs'/><x:complexType name='abs' abstract='true'/>".into(), "abstract"),
        ("<x:element name='in'><x:complexType mixed='true'/></x:element>".into(), "mixed content"),
    ];
    for (schema, reported) in cases {
        let error = made(&schema).unwrap_err();
        assert!(error.help.is_some(), "{error}");
        assert!(error.to_string().contains(reported), "{error}");
    }
    let rpc = described(&within("")).replace("use='literal'", "use='encoded'");
    let error = to_copybooks(&rpc, &|_| None, &CopybookOptions::default()).unwrap_err();
    assert!(error.to_string().contains("the use encoded"), "{error}");
    let two = "<description xmlns='http://www.w3.org/ns/wsdl'/>";
    let error = to_copybooks(two, &|_| None, &CopybookOptions::default()).unwrap_err();
    assert!(error.to_string().contains("WSDL 2.0"), "{error}");
}

#[test]
fn text_with_attributes_and_the_parts_of_rpc_come_back() {
    let back = |wsdl: &str, message: &str| {
        let made = to_copybooks(wsdl, &|_| None, &CopybookOptions::default()).unwrap();
        let codec = XmlCodec::build(&made[0].binding.request, &XmlOptions::default()).unwrap();
        let read = codec.encode(message, NamespaceScopes::new()).unwrap();
        let mut out = Vec::new();
        codec.decode(&read.record, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), message);
    };
    let price = "<x:complexType name='price'><x:simpleContent><x:extension base='x:decimal'>
        <x:attribute name='unit' type='x:string' use='required'/></x:extension></x:simpleContent></x:complexType>";
    let schema = format!(
        "{price}<x:element name='in'><x:complexType><x:sequence>
        <x:element name='cost' type='t:price'/></x:sequence></x:complexType></x:element>"
    );
    back(
        &described(&schema),
        "<in xmlns=\"urn:t\"><cost unit=\"EUR\">1.500</cost></in>",
    );
    let rpc = described(price)
        .replace("style='document'", "style='rpc'")
        .replace("element='t:in'", "type='t:price'")
        .replace("use='literal'", "use='literal' namespace='urn:r'");
    back(
        &rpc,
        "<n0:op xmlns:n0=\"urn:r\"><p unit=\"EUR\">1.500</p></n0:op>",
    );
}

/// A one-way operation whose message has these elements.
fn one_way(elements: &str) -> String {
    format!(
        "<definitions targetNamespace='urn:t' xmlns='http://schemas.xmlsoap.org/wsdl/'
          xmlns:soap='http://schemas.xmlsoap.org/wsdl/soap/' xmlns:t='urn:t'
          xmlns:s='http://www.w3.org/2001/XMLSchema'><types><s:schema targetNamespace='urn:t'
          elementFormDefault='qualified'><s:element name='Req'><s:complexType><s:sequence>
          {elements}</s:sequence></s:complexType></s:element></s:schema></types>
        <message name='In'><part name='p' element='t:Req'/></message>
        <portType name='P'><operation name='op'><input message='t:In'/></operation></portType>
        <binding name='B' type='t:P'>
          <soap:binding transport='http://schemas.xmlsoap.org/soap/http'/>
          <operation name='op'><soap:operation soapAction=''/>
          <input><soap:body use='literal'/></input></operation></binding></definitions>"
    )
}

#[test]
fn words_of_compilers_and_elements_without_contents_are_made() {
    let text = one_way(
        "<s:element name='double' type='s:double'/><s:element name='Handle'><s:complexType>
         <s:sequence><s:element name='float' type='s:float'/></s:sequence></s:complexType>
         </s:element><s:element name='mark' minOccurs='0' maxOccurs='unbounded'>
         <s:complexType><s:sequence/></s:complexType></s:element>",
    );
    let made = to_copybooks(&text, &|_| None, &CopybookOptions::default()).unwrap();
    let binding = &made[0].binding;
    let copybook = &binding.request.copybook;
    for name in ["Xdouble", "XHandle", "Xfloat"] {
        assert!(copybook.contains(name), "{copybook}");
    }
    XmlCodec::build(&binding.request, &XmlOptions::default()).unwrap();
    // The actions follow from the names, because no action is given.
    let actions = binding.addressing.as_ref().unwrap();
    assert_eq!(
        (&*actions.request, &actions.response),
        ("urn:t:P:op", &None)
    );
}

#[test]
fn a_description_names_the_actions_of_its_messages() {
    let (text, binding) = from_copybooks(ORDER, None, &service()).unwrap();
    let action = "http://www.ORDER01.ORDER01.com/ORDER01Port/ORDER01OperationRequest";
    assert!(
        text.contains(&format!("wsam:Action=\"{action}\"")),
        "{text}"
    );
    let own = binding.addressing.as_ref().unwrap();
    assert_eq!(own.request, action);
    let back = to_copybooks(&text, &|_| None, &CopybookOptions::default()).unwrap();
    assert_eq!(back[0].binding.addressing, binding.addressing);
}
