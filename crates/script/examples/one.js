// What `engine` measures as a service of one LINK.
const Length = new Copybook("LENGTH");
const ask = (size) => new Channel("PFCHAN", { "LEN-TO-RETURN": Length.from({ LEN_TO_RETURN: size }) });
export function PUT(request) {
  const { channel } = cics.link("PFPADCON", { channel: ask(Number(request.params.size)) });
  return { ALPHA_DATA: channel.text("RESPONSE-DATA") };
}
