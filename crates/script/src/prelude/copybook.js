// Copybook objects: bytes, and properties that read and write fields of them.
(N) => {
  const { defineProperty, preventExtensions, setPrototypeOf } = Object;

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
  // They have symbols, so that they are not fields.
  const B = N.B = Symbol("bytes"), A = Symbol("at");
  class Part {
    constructor(bytes, at) {
      this[B] = bytes;
      this[A] = at;
      preventExtensions(this);
    }
    toString() { return JSON.stringify(this.toJSON()); }
  }
  // A field that is misspelt is a TypeError, not a property. What a prototype has is written without
  // asking the proxy behind it.
  Part.prototype[B] = Part.prototype[A] = undefined;
  setPrototypeOf(Part.prototype, new Proxy({}, {
    set(_, key, given, part) { throw N.clean(new TypeError(`there is no field ${String(key)}; there are ${names(part)}`)); },
  }));
  const names = (part) => {
    const all = [];
    for (const name in part) all.push(name);
    return all.length > 8 ? `${all.slice(0, 8).join(", ")} and ${all.length - 8} more` : all.join(", ");
  };

  // A number of the language that may not be the one that was meant, since it has more digits than
  // numbers hold.
  const exact = (number) => Number.isSafeInteger(number) || number.toExponential().replace(/e.*|[-.]/g, "").length <= 15;
  const meant = (subject, given) => {
    if (typeof given === "number" && !exact(given)) {
      throw N.clean(new RangeError(`${subject}: ${given} has more digits than a number holds for certain: give a BigInt or text`));
    }
  };
  /** A value as JSON may have it: a number where that loses nothing, else text. */
  const toJson = (value) => {
    if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    return typeof value === "string" && value.replace(/[-.]/g, "").replace(/^0+|0+$/g, "").length <= 15 ? Number(value) : value;
  };
  /**
   * Gives a node, and those beneath it, what fields need whose numbers may be more exact than the language's:
   * `look` refuses numbers that may be others than were meant, `mend` puts the real ones into what JSON.parse made.
   * Both for one element of a table by `one` and `mendOne`. Nothing where there are no such fields.
   */
  const equip = (node) => {
    node.members.forEach(equip);
    const members = node.members.filter((member) => member.look !== undefined);
    if (node.shape === "bigint" || node.shape === "decimal") {
      node.one = (given) => meant(node.subject, given);
      node.mendOne = (_, value) => toJson(value);
    } else if (members.length > 0) {
      node.one = (given) => {
        if (given !== null && typeof given === "object") for (const member of members) member.look(given[member.name]);
      };
      node.mendOne = (parsed, part) => {
        for (const { name, mend } of members) if ((parsed[name] ?? null) !== null) parsed[name] = mend(parsed[name], part[name]);
        return parsed;
      };
    }
    if (node.one === undefined || node.most === 0) [node.look, node.mend] = [node.one, node.mendOne];
    else {
      node.look = (given) => {
        if (given !== null && typeof given === "object") Array.from(given).forEach(node.one);
      };
      node.mend = (parsed, table) => parsed.map((element, i) => node.mendOne(element, table.at(i)));
    }
  };
  const parsed = (text, part, mend) => {
    const made = JSON.parse(text);
    return mend === undefined || made === null ? made : mend(made, part);
  };

  // The codec takes numbers in quotes as well.
  const writeGroup = (record, node, part, at, given) => {
    node.one?.(given);
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
          node.look?.(given);
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
    const { get, set } = accessors(record, node, inTable);
    defineProperty(proto, node.name, { enumerable: true, configurable: true, get, set: (node.limit ?? null) === null ? set : limited(node, set) });
  };
  /** A counter does not go beyond its table. */
  const limited = ({ subject, limit }, set) => function (given) {
    if (Number(given) > limit) throw N.clean(new RangeError(`${subject}: ${String(given)} is more than the ${limit} elements of its table`));
    set.call(this, given);
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
  const accessors = (record, { own: field, shape, subject }, inTable) => !inTable && shape !== "bigint" && shape !== "decimal"
    ? direct(record, field)
    : shape === "bigint"
    ? {
        get() { const read = get(record, field, this[B], this[A]); return read === null ? null : BigInt(read); },
        set(given) { meant(subject, given); set(record, field, this[B], given, this[A]); },
      }
    : {
        get() { return get(record, field, this[B], this[A]); },
        set(given) { if (shape === "decimal") meant(subject, given); set(record, field, this[B], given, this[A]); },
      };

  const group = (record, node, inTable) => {
    class Group extends Part {
      toJSON() { return parsed(this.json(), this, node.mendOne); }
      json() { return value(N.recordToJson(record, node.own, this[B], ...this[A])); }
    }
    for (const member of node.members) property(Group.prototype, record, member, inTable);
    return Group;
  };

  /** The methods of arrays that change nothing. */
  class Elements extends Part {}
  for (const name of ["concat", "entries", "every", "filter", "find", "findIndex", "findLast", "findLastIndex", "flatMap", "forEach",
                      "includes", "indexOf", "join", "keys", "lastIndexOf", "map", "reduce", "reduceRight", "slice", "some",
                      "toReversed", "toSorted", "values"]) {
    defineProperty(Elements.prototype, name, {
      value(...given) { return Array.from(this)[name](...given); }, writable: true, configurable: true,
    });
  }

  // A table looks like an array: by index, length, iteration and its methods.
  const table = (record, node) => {
    const leaf = node.shape !== "group";
    const Group = leaf ? undefined : group(record, node, true);
    const handler = {
      get(target, key) {
        if (typeof key === "string" && key !== "") {
          const index = Number(key);
          if (Number.isInteger(index) && index >= 0) return target.at(index);
        }
        const found = target[key];
        return typeof found === "function" ? found.bind(target) : found;
      },
      set(target, key, given) {
        const index = typeof key === "string" && key !== "" ? Number(key) : NaN;
        if (!Number.isInteger(index) || index < 0 || index >= node.most) {
          throw N.clean(new RangeError(`${node.name} has elements 0 to ${node.most - 1}, not ${String(key)}`));
        }
        // Its counter goes along where it grows by one.
        const length = node.varies ? target.length : node.most;
        if (index === length) {
          node.one?.(given);
          put(N.recordFromJson(record, node.field, target[B], N.stringify([...target, given], String), ...target[A]));
          return true;
        }
        if (index > length) {
          throw N.clean(new RangeError(`${node.name} has ${length} elements, as its counter says: element ${index} comes after ${length}`));
        }
        const at = [...target[A], index];
        if (leaf) {
          node.one?.(given);
          set(record, node.own, target[B], given, at);
        }
        else writeGroup(record, node, target, at, given);
        return true;
      },
      has: (target, key) => key in target || (typeof key === "string" && key !== "" && Number(key) >= 0 && Number(key) < target.length),
    };
    class Table extends Elements {
      constructor(bytes, at) {
        super(bytes, at);
        return new Proxy(this, handler);
      }
      /** Adds elements at the end, where the counter allows more. */
      push(...given) {
        for (const element of given) handler.set(this, String(this.length), element);
        return this.length;
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
      toJSON() { return parsed(this.json(), this, node.mend); }
      json() { return value(N.recordToJson(record, node.field, this[B], ...this[A])); }
    }
    return Table;
  };

  /** A record layout; `new` records of it are objects over bytes. */
  class Copybook {
    #record; #bytes; #variable; #View; #name;
    constructor(name, { record = "", names = "upper", redefines = {} } = {}) {
      const opened = N.recordOpen(String(name), String(record), names === "lower", N.stringify(redefines, String) ?? "");
      if (opened.wrong !== undefined) throw N.clean(new Error(opened.wrong));
      const tree = JSON.parse(opened.tree);
      this.#record = opened.number;
      this.#bytes = opened.bytes;
      this.#variable = opened.variable;
      this.#name = tree.name;
      const number = opened.number, variable = opened.variable;
      equip(tree);
      class View extends Part {
        /** The record's bytes, of its real length. */
        get bytes() { return this[N.BYTES](); }
        [N.BYTES]() { return variable ? compact(number, this[B]) : this[B]; }
        [N.TAKE](given) {
          if (variable) this[B] = expand(number, given);
          else if (given !== this[B]) fit(this[B], given);
        }
        toJSON() { return parsed(this.json(), this, tree.mendOne); }
        /** The record as JSON text, in one call. */
        json() { return value(N.recordToJson(number, 0, this[B])); }
        /** Takes a record from an object or from JSON text. */
        fromJSON(given) {
          if (typeof given !== "string") tree.one?.(given);
          const text = typeof given === "string" ? given : N.stringify(given, String);
          if (text === undefined) throw N.clean(new TypeError(`${tree.name}: an object or JSON text is expected, not ${typeof given}`));
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
