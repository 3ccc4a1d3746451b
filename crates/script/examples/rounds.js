// What `engine` measures: so many rounds of one kind of access.
import * as hand from "./hand.js";
const Customer = new Copybook("CUST740");
const record = Customer.from({
  CUST_NUMBER: 4711, CUST_NAME: "Augusta Ada King, Countess of Lovelace", CUST_STREET: "12 St James's Square",
  CUST_CITY: "London", CUST_ZIP: "SW1Y 4JH", CUST_COUNTRY: "GB", CUST_BALANCE: -1234.56, CUST_LIMIT: 5000,
  CUST_SINCE: 18350708, CUST_VISITS: 37, CUST_NOTE: "Notes by the translator",
  CUST_ORDER: Array.from({ length: 10 }, (_, i) => ({ ORDER_NUMBER: i, ORDER_TEXT: "punched cards", ORDER_AMOUNT: 12.5, ORDER_PIECES: 7 })),
});
const bytes = new Uint8Array(record.bytes), data = new DataView(bytes.buffer);
const kinds = {
  "read-number": [() => record.CUST_NUMBER, () => hand.readNumber(data)],
  "read-text": [() => record.CUST_NAME, () => hand.readText(data)],
  "read-packed": [() => record.CUST_BALANCE, () => hand.readPacked(data)],
  "write-number": [(i) => { record.CUST_NUMBER = i; }, (i) => hand.writeNumber(data, i)],
  "write-text": [() => { record.CUST_NAME = "Grace Hopper"; }, () => hand.writeText(data, "Grace Hopper")],
  "to-json": [() => Customer.json(bytes), () => hand.toJson(data)],
};
export function GET(request) {
  const [ours, byHand] = kinds[request.query.get("kind")] ?? [() => 0, () => 0];
  const run = request.query.get("who") === "hand" ? byHand : ours;
  const rounds = Number(request.query.get("rounds"));
  let last;
  for (let i = 0; i < rounds; i++) last = run(i);
  return String(last);
}
