// A script as a program: what is passed to it by LINK, and what goes back.
(N) => {
  const CALL = 6, PROGRAM = 7;

  /** A LINK to the script. */
  class ProgramCall {
    #program; #commarea; #channel;
    constructor() {
      const given = N.asked(CALL);
      this.#program = N.asked(PROGRAM);
      if (given.length > 1) this.#channel = N.received(given);
      else if (given.length > 0) this.#commarea = given[0];
    }
    /** The name by which the script was linked to. */
    get program() { return this.#program; }
    /** The caller's COMMAREA, which is changed in place. */
    get commarea() { return this.#commarea; }
    /** The caller's channel. */
    get channel() { return this.#channel; }
    /** What a handler gave back: bytes for the COMMAREA, containers for the channel. */
    [N.TAKE](value) {
      if (value === undefined || value === null || value === this) return;
      if (this.#channel !== undefined) {
        if (value === this.#channel) return;
        if (typeof value !== "object") throw N.clean(new TypeError("LINK: an object of containers by name goes back in a channel"));
        for (const name of Object.keys(value)) this.#channel.put(name, value[name]);
        return;
      }
      if (this.#commarea === undefined) throw N.clean(new TypeError("LINK: the caller passed nothing by which something could go back"));
      const back = N.asBytes(value, "the COMMAREA");
      if (back.length > this.#commarea.length) {
        throw N.clean(new RangeError(`LINK: the caller's COMMAREA has ${this.#commarea.length} bytes, and ${back.length} were to go back`));
      }
      this.#commarea.set(back);
    }
    /** Where in what was passed this is; -1 for what is the script's own. */
    [N.BACK](given, channel) {
      if (channel !== undefined) return channel === this.#channel ? 0 : -1;
      const area = this.#commarea;
      return given !== undefined && given.buffer === area?.buffer ? given.byteOffset - area.byteOffset : -1;
    }
    /** The same for the engine. */
    [N.ANSWER]() {
      const [names, given] = this.#channel === undefined ? [undefined, this.#commarea] : N.sent(this.#channel);
      return [false, 0, names, given];
    }
  }
  N.ProgramCall = ProgramCall;
}
