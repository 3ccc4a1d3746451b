// XML: elements as objects, and plain values as documents.
(N) => {
  const escape = (text) => {
    const given = String(text);
    if (/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(given)) throw N.clean(new RangeError("XML has no control characters"));
    return given.replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" })[c]);
  };
  const name = (text) => {
    if (!/^[\p{L}_][\p{L}\p{N}_.:-]*$/u.test(text)) throw N.clean(new RangeError(`${JSON.stringify(text)} is not the name of an element`));
    return text;
  };

  /** An element of a document. */
  class Element {
    constructor(tree) {
      const [tag, attributes, ...children] = tree;
      this.name = tag;
      this.attributes = {};
      for (let i = 0; i + 1 < attributes.length; i += 2) this.attributes[attributes[i]] = attributes[i + 1];
      this.children = children.map((c) => (typeof c === "string" ? c : new Element(c)));
    }
    /** Its text and that of its elements. */
    get text() { return this.children.map((c) => (typeof c === "string" ? c : c.text)).join(""); }
    get elements() { return this.children.filter((c) => typeof c !== "string"); }
    /** The first element of a name beneath it; a path with / leads deeper. */
    get(path) {
      let at = this;
      for (const part of String(path).split("/")) {
        at = at.elements.find((e) => e.name === part);
        if (at === undefined) return undefined;
      }
      return at;
    }
    all(tag) { return this.elements.filter((e) => e.name === tag); }
    /** A plain value: text, or an object with arrays for names that repeat. */
    value() {
      const elements = this.elements, names = Object.keys(this.attributes);
      if (elements.length === 0 && names.length === 0) return this.text;
      const made = {};
      for (const attribute of names) made[`@${attribute}`] = this.attributes[attribute];
      for (const element of elements) {
        const value = element.value(), before = made[element.name];
        if (before === undefined) made[element.name] = value;
        else if (Array.isArray(before)) before.push(value);
        else made[element.name] = [before, value];
      }
      if (elements.length === 0) made["#text"] = this.text;
      return made;
    }
    toJSON() { return this.value(); }
    toString() { return write(this.name, this.value()); }
  }

  const write = (tag, value, depth = 0) => {
    if (depth > 200) throw N.clean(new RangeError("elements nest more than 200 levels"));
    name(tag);
    if (value instanceof Element) value = value.value();
    if (typeof value?.toJSON === "function") value = value.toJSON();
    if (value === null || value === undefined || value === "") return `<${tag}/>`;
    if (Array.isArray(value)) return value.map((v) => write(tag, v, depth + 1)).join("");
    if (typeof value !== "object") return `<${tag}>${escape(value)}</${tag}>`;
    let head = tag, body = "";
    for (const key of Object.keys(value)) {
      if (value[key] === undefined) continue;
      if (key === "#text") body += escape(value[key]);
      else if (key.startsWith("@")) head += ` ${name(key.slice(1))}="${escape(value[key])}"`;
      else body += write(key, value[key], depth + 1);
    }
    return body === "" ? `<${head}/>` : `<${head}>${body}</${tag}>`;
  };

  const XML = {
    /** The root of a document. There are no entities but XML's own five. */
    parse(text) {
      const read = N.xmlRead(String(text));
      if (typeof read !== "string") throw N.clean(new SyntaxError(`not XML: ${read.wrong}`));
      return new Element(JSON.parse(read));
    },
    /** A document with this root. "@name" is an attribute, "#text" the text. */
    stringify(value, root = "result") {
      return `<?xml version="1.0" encoding="UTF-8"?>${write(root, value)}`;
    },
  };
  Object.defineProperty(globalThis, "XML", { value: XML, writable: true, configurable: true });
  N.XML = XML;
}
