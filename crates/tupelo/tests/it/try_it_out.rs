//! The page that tries requests, with its buttons pressed in a browser.

use crate::browser::{self, BrowserPage};
use crate::server::{Server, example};

/// Opens an operation, presses "Try it out", fills its parameters in and
/// presses "Execute". Returns the status and the body that the page then shows.
const PRESSED: &str = r#"
(async (operation, value) => {
  const late = Date.now() + 60000;
  const shown = async (find) => {
    while (Date.now() < late) {
      const found = find();
      if (found) return found;
      await new Promise((again) => setTimeout(again, 20));
    }
    throw new Error("not shown: " + find);
  };
  const block = await shown(() => document.querySelector(`[id$="${operation}"].opblock`));
  if (!block.classList.contains("is-open")) block.querySelector("button.opblock-summary-control").click();
  (await shown(() => block.querySelector(".try-out__btn"))).click();
  const execute = await shown(() => block.querySelector(".execute"));
  if (value) {
    const field = await shown(() => block.querySelector("table.parameters input:not([disabled])"));
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, value);
    field.dispatchEvent(new Event("input", {bubbles: true}));
    // The page takes what was typed when the field is left, or later.
    field.dispatchEvent(new FocusEvent("focusout", {bubbles: true}));
  }
  execute.click();
  const table = await shown(() => block.querySelector(".live-responses-table .response"));
  const status = await shown(() => table.querySelector(".response-col_status"));
  const body = await shown(() => table.querySelector(".microlight, .highlight-code"));
  return status.textContent.trim() + " " + body.textContent;
})"#;

#[test]
fn try_it_out_shows_the_answer_of_the_program() {
    let Some(browser) = browser::name() else {
        return skipped::lacking("chromium", "there is no browser");
    };
    let bank = Server::start(&example("bank"));
    // From where the administration port leads.
    let mut page = BrowserPage::open(browser, &format!("http://{}/docs/", bank.admin));
    let one = page.run(&format!("{PRESSED}('inquireAccount', '10000001')"));
    assert!(one.starts_with("200"), "{one}");
    assert!(one.contains("Ada Byron"), "{one}");
    let unnamed = page.run(&format!("{PRESSED}('openAccount', '')"));
    assert!(unnamed.starts_with("201"), "{unnamed}");
    assert_eq!(bank.get("/bank/accounts/20000001").status, 200);
}
