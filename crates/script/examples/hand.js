// A record of CUST740.cpy by hand: what a script does without copybooks.
const text = (b, at, n) => {
  let end = at + n;
  while (end > at && b.getUint8(end - 1) === 32) end--;
  let s = "";
  for (let i = at; i < end; i++) s += String.fromCharCode(b.getUint8(i));
  return s;
};
const zoned = (b, at, n) => {
  let v = 0;
  for (let i = at; i < at + n; i++) v = v * 10 + (b.getUint8(i) & 15);
  return v;
};
const packed = (b, at, n, scale) => {
  let v = 0;
  for (let i = at; i < at + n - 1; i++) { const x = b.getUint8(i); v = v * 100 + (x >> 4) * 10 + (x & 15); }
  const last = b.getUint8(at + n - 1);
  v = (v * 10 + (last >> 4)) / scale;
  return (last & 15) === 13 ? -v : v;
};
export const readNumber = (b) => zoned(b, 0, 8);
export const readText = (b) => text(b, 8, 40);
export const readPacked = (b) => packed(b, 130, 6, 100);
export const writeNumber = (b, v) => { for (let i = 7; i >= 0; i--) { b.setUint8(i, 48 + (v % 10)); v = Math.floor(v / 10); } };
export const writeText = (b, s) => { for (let i = 0; i < 40; i++) b.setUint8(8 + i, i < s.length ? s.charCodeAt(i) : 32); };
export const toJson = (b) => {
  const made = {
    CUST_NUMBER: zoned(b, 0, 8), CUST_NAME: text(b, 8, 40), CUST_STREET: text(b, 48, 40), CUST_CITY: text(b, 88, 30),
    CUST_ZIP: text(b, 118, 10), CUST_COUNTRY: text(b, 128, 2), CUST_BALANCE: packed(b, 130, 6, 100),
    CUST_LIMIT: packed(b, 136, 6, 100), CUST_SINCE: zoned(b, 142, 8), CUST_VISITS: b.getUint32(150), CUST_ORDER: [],
    CUST_NOTE: "",
  };
  for (let i = 0, at = 154; i < 10; i++, at += 47) {
    made.CUST_ORDER.push({ ORDER_NUMBER: zoned(b, at, 8), ORDER_TEXT: text(b, at + 8, 30),
      ORDER_AMOUNT: packed(b, at + 38, 5, 100), ORDER_PIECES: zoned(b, at + 43, 4) });
  }
  made.CUST_NOTE = text(b, 624, 116);
  return JSON.stringify(made);
};
