// A customer's overview: three programs, one answer.
//
//   GET  /bank/overview/10000001      accounts of the same holder, and a total
//   POST /bank/overview               the same, asked in XML as older clients do
//
// The answer is JSON, or XML when the client's Accept says so.

const Inquiry = new Copybook("ACCTINQ");
const Terms = new Copybook("ACCTTERM");
const ListRequest = new Copybook("LISTREQ");
const ListReply = new Copybook("LISTRPL");

/** One account by ACCTINQ, which takes a COMMAREA. */
function inquire(number) {
  const area = Inquiry.view();
  area.INQ_NUMBER = number;
  cics.link("ACCTINQ", { commarea: area });
  return area;
}

/** The terms of a kind of account by ACCTTERM: interest and fee. */
function termsOf(kind) {
  const area = Terms.from({ TERM_KIND: kind });
  cics.link("ACCTTERM", { commarea: area });
  return area;
}

/** Every account by ACCTLIST, page by page; it takes a channel. */
function* accounts() {
  for (let start = 0; ; ) {
    const request = ListRequest.from({ LIST_START: start, LIST_LIMIT: 200 });
    const { channel } = cics.link("ACCTLIST", { channel: { "LIST-REQUEST": request } });
    const reply = channel.get("LIST-REPLY") ?? cics.abend("BKNR", "ACCTLIST gave no reply");
    const page = JSON.parse(ListReply.json(reply));
    yield* page.LIST_ENTRY;
    start = page.LIST_NEXT;
    if (start === 0) return;
  }
}

/** What the bank knows of the holder of an account. */
async function overview(number) {
  const own = inquire(number);
  if (own.RESULT_CODE !== 0) return undefined;
  const same = [...accounts()].filter((a) => a.ENTRY_HOLDER === own.INQ_HOLDER);
  // Details of all of them at once, each in a task of its own.
  const details = await Promise.all(same.map(({ ENTRY_NUMBER }) =>
    cics.run("ACCTINQ", { commarea: Inquiry.from({ INQ_NUMBER: ENTRY_NUMBER }) })));
  // Terms are asked for once a kind.
  const kinds = new Set(details.map(({ commarea }) => commarea.INQ_KIND));
  const terms = Object.fromEntries([...kinds].map((kind) => [kind, termsOf(kind)]));
  const cents = details.reduce((sum, { commarea }) => sum + Math.round(commarea.INQ_BALANCE * 100), 0);
  return {
    holder: own.INQ_HOLDER,
    total: cents / 100,
    account: details.map(({ commarea: a }) => ({
      number: a.INQ_NUMBER,
      kind: a.INQ_KIND.toLowerCase(),
      balance: a.INQ_BALANCE,
      interest: terms[a.INQ_KIND].TERM_INTEREST,
      fee: terms[a.INQ_KIND].TERM_FEE,
      movements: a.INQ_MOVEMENTS,
    })),
  };
}

function answer(found, number, request, response) {
  const kind = request.accepts("application/json", "application/xml", "text/xml");
  if (kind === undefined) {
    response.status = 406;
    return;
  }
  if (found === undefined) response.status = 404;
  const body = found ?? { problem: `There is no account ${number}` };
  if (kind === "application/json") response.json(body);
  else response.xml(body, found ? "overview" : "problem");
}

function numberOf(text) {
  if (!/^[0-9]{1,8}$/.test(text ?? "")) throw new BadRequest("an account number has up to eight digits");
  return Number(text);
}

export async function GET(request, response) {
  const number = numberOf(request.params.number);
  answer(await overview(number), number, request, response);
}

/** <inquiry><account>10000001</account></inquiry> */
export async function POST(request, response) {
  const number = numberOf(request.xml().get("account")?.text);
  const found = await overview(number);
  if (found === undefined) response.status = 404;
  response.xml(found ?? { "#text": `There is no account ${number}` }, found ? "overview" : "problem");
}
