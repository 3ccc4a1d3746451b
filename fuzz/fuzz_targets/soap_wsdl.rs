//! Any text as a service description, and what is made of it as a codec.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    // Imports lead to the same text.
    let same = |_: &str| Some(text.to_owned());
    let Ok(made) = soap::wsdl::to_copybooks(text, &same, &Default::default()) else {
        return;
    };
    for one in made {
        let request = &one.binding.request;
        // A name that stands twice in a group is refused here.
        let _ = soap::XmlCodec::build(request, &Default::default());
    }
});
