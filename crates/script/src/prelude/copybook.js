// Copybook objects: bytes, and properties that read and write fields of them.
(N) => {
  const { defineProperty, preventExtensions } = Object;

  const value = (read, name) => {
    if (read !== null && typeof read === "object" && read.wrong !== undefined) {
      throw N.clean(new RangeError(read.wrong));
    }
    return read;
  };
  const put = (wrong) => {
    if (wrong !== undefined && wrong !== null) throw N.clean(new RangeError(wrong));
  };

  // A part of a record: its bytes, and the subscripts of the tables around it.
  // They have symbols, so that they are no fields.
  const B = N.B = Symbol("bytes"), A = Symbol("at");
  class Part {
    constructor(bytes, at) {
      this[B] = bytes;
      this[A] = at;
      // A field that is misspelt is a TypeError, not a property.
      preventExtensions(this);
    }
    toString() { return JSON.stringify(this.toJSON()); }
  }

  // The codec takes numbers in quotes as well.
  const writeGroup = (record, node, part, at, given) => {
    const text = N.stringify(given, String);
    put(N.recordFromJson(record, node.own, part[B], text, ...at));
  };

  /** Adds the property of a field to a prototype. */
  const property = (proto, record, node, inTable) => {
    if (node.most > 0) {
      const Table = table(record, node);
      defineProperty(proto, node.name, {
        enumerable: true, configurable: true,
        get() { return new Table(this[B], this[A]); },
        set(given) {
          put(N.recordFromJson(record, node.field, this[B], N.stringify(given, String), ...this[A]));
        },
      });
      return;
    }
    const field = node.own;
    if (node.shape === "group") {
      const Group = group(record, node, inTable);
      defineProperty(proto, node.name, {
        enumerable: true, configurable: true,
        get() { return new Group(this[B], this[A]); },
        set(given) { writeGroup(record, node, this, this[A], given); },
      });
      return;
    }
    defineProperty(proto, node.name, { enumerable: true, configurable: true, ...accessors(record, field, node.shape, inTable) });
  };

  const set = (record, field, bytes, given, at) =>
    put(at.length === 0 ? N.recordSet(record, field, bytes, typeof given === "bigint" ? String(given) : given)
      : N.recordSet(record, field, bytes, typeof given === "bigint" ? String(given) : given, ...at));
  const get = (record, field, bytes, at) =>
    value(at.length === 0 ? N.recordGet(record, field, bytes) : N.recordGet(record, field, bytes, ...at));

  const direct = (record, field) => {
    const [get, set] = N.recordAccessors(record, field, B);
    return { get, set };
  };
  const accessors = (record, field, shape, inTable) => !inTable && shape !== "bigint" && shape !== "decimal"
    ? direct(record, field)
    : shape === "bigint"
    ? {
        get() { const read = get(record, field, this[B], this[A]); return read === null ? null : BigInt(read); },
        set(given) { set(record, field, this[B], given, this[A]); },
      }
    : {
        get() { return get(record, field, this[B], this[A]); },
        set(given) { set(record, field, this[B], given, this[A]); },
      };

  const group = (record, node, inTable) => {
    class Group extends Part {
      toJSON() { return JSON.parse(this.json()); }
      json() { return value(N.recordToJson(record, node.own, this[B], ...this[A])); }
    }
    for (const member of node.members) property(Group.prototype, record, member, inTable);
    return Group;
  };

  // A table looks like an array: by index, length, iteration and its methods.
  const table = (record, node) => {
    const leaf = node.shape !== "group";
    const Group = leaf ? undefined : group(record, node, true);
    const handler = {
      get(target, key, proxy) {
        if (typeof key === "string") {
          const index = Number(key);
          if (Number.isInteger(index) && index >= 0) return target.at(index);
        }
        const found = target[key];
        return typeof found === "function" ? found.bind(target) : found;
      },
      set(target, key, given) {
        const index = Number(key);
        if (!Number.isInteger(index) || index < 0 || index >= node.most) {
          throw N.clean(new RangeError(`${node.name} has elements 0 to ${node.most - 1}, not ${String(key)}`));
        }
        const at = [...target[A], index];
        if (leaf) set(record, node.own, target[B], given, at);
        else writeGroup(record, node, target, at, given);
        return true;
      },
      has: (target, key) => key in target || (Number(key) >= 0 && Number(key) < target.length),
    };
    class Table extends Part {
      constructor(bytes, at) {
        super(bytes, at);
        return new Proxy(this, handler);
      }
      get length() {
        const count = N.recordCount(record, node.field, this[B]);
        put(typeof count === "string" ? count : undefined);
        return count;
      }
      at(index) {
        const i = index < 0 ? this.length + index : index;
        if (!(i >= 0 && i < this.length)) return undefined;
        const at = [...this[A], i];
        if (!leaf) return new Group(this[B], at);
        const read = get(record, node.own, this[B], at);
        return node.shape === "bigint" && read !== null ? BigInt(read) : read;
      }
      *[Symbol.iterator]() { for (let i = 0, n = this.length; i < n; i++) yield this.at(i); }
      map(f) { return Array.from(this, f); }
      filter(f) { return Array.from(this).filter(f); }
      find(f) { return Array.from(this).find(f); }
      forEach(f) { let i = 0; for (const element of this) f(element, i++); }
      reduce(...given) { return Array.from(this).reduce(...given); }
      toJSON() { return JSON.parse(this.json()); }
      json() { return value(N.recordToJson(record, node.field, this[B], ...this[A])); }
    }
    return Table;
  };

  /** A record layout; `new` records of it are objects over bytes. */
  class Copybook {
    #record; #bytes; #variable; #View; #name;
    constructor(name, { record = "", names = "upper" } = {}) {
      const opened = N.recordOpen(String(name), String(record), names === "lower");
      if (opened.wrong !== undefined) throw N.clean(new Error(opened.wrong));
      const tree = JSON.parse(opened.tree);
      this.#record = opened.number;
      this.#bytes = opened.bytes;
      this.#variable = opened.variable;
      this.#name = tree.name;
      const number = opened.number, variable = opened.variable;
      class View extends Part {
        /** The record's bytes, of its real length. */
        get bytes() { return this[N.BYTES](); }
        [N.BYTES]() { return variable ? compact(number, this[B]) : this[B]; }
        [N.TAKE](given) {
          if (variable) this[B] = expand(number, given);
          else if (given !== this[B]) fit(this[B], given);
        }
        toJSON() { return JSON.parse(this.json()); }
        /** The record as JSON text, in one call. */
        json() { return value(N.recordToJson(number, 0, this[B])); }
        /** Takes a record from an object or from JSON text. */
        fromJSON(given) {
          const text = typeof given === "string" ? given : N.stringify(given, String);
          put(N.recordFromJson(number, 0, this[B], text));
          return this;
        }
      }
      for (const member of tree.members) property(View.prototype, number, member, false);
      this.#View = View;
    }
    get name() { return this.#name; }
    /** Bytes of the longest record. */
    get length() { return this.#bytes; }
    /** A record over bytes, which it shares when records have one length; a new one without. */
    view(bytes) {
      if (bytes === undefined) return new this.#View(N.recordInitial(this.#record), []);
      const given = N.asBytes(bytes, this.#name);
      if (this.#variable) return new this.#View(expand(this.#record, given), []);
      if (given.length < this.#bytes) {
        throw N.clean(new RangeError(`${this.#name} has ${this.#bytes} bytes, and there are ${given.length}`));
      }
      return new this.#View(given.length === this.#bytes ? given : given.subarray(0, this.#bytes), []);
    }
    /** A new record with these values. */
    from(values) { return this.view().fromJSON(values); }
    /** The values of bytes as JSON text. */
    json(bytes) { return this.view(bytes).json(); }
  }
  const compact = (record, bytes) => made(N.recordCompact(record, bytes));
  const expand = (record, bytes) => made(N.recordExpand(record, bytes));
  const made = (result) => {
    if (typeof result === "string") throw N.clean(new RangeError(result));
    return result;
  };
  const fit = (to, from) => {
    if (from.length < to.length) throw N.clean(new RangeError(`the record has ${to.length} bytes, and ${from.length} came`));
    to.set(from.length === to.length ? from : from.subarray(0, to.length));
  };
  defineProperty(globalThis, "Copybook", { value: Copybook, writable: true, configurable: true });
}
