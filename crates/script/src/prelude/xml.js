// XML: elements as objects, and plain values as documents.
(N) => {
  const { hasOwn, defineProperty } = Object;
  const MARKS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;" };
  const escaped = (text, marks) => {
    const given = String(text);
    if (/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(given)) throw N.clean(new RangeError("XML has no control characters"));
    return given.replace(marks, (c) => MARKS[c]);
  };
  // A reader makes a line end of a CR, and a blank of any of them in an attribute.
  const escape = (text) => escaped(text, /[&<>"'\r]/g), attribute = (text) => escaped(text, /[&<>"'\t\n\r]/g);
  const name = (text) => {
    if (!/^[\p{L}_][\p{L}\p{N}_.:-]*$/u.test(text)) throw N.clean(new RangeError(`${JSON.stringify(text)} is not the name of an element`));
    return text;
  };
  /** A member of its own, whatever its name is. */
  const own = (object, key, value) => defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });

  /** An element of a document. */
  class Element {
    constructor(tree) {
      const [tag, attributes, ...children] = tree;
      this.name = tag;
      this.attributes = Object.create(null);
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
        const value = element.value(), { name } = element;
        if (!hasOwn(made, name)) own(made, name, value);
        else if (Array.isArray(made[name])) made[name].push(value);
        else own(made, name, [made[name], value]);
      }
      // Text between elements too; blanks there are the writer's indentation.
      const text = elements.length === 0 ? this.text : this.children.filter((c) => typeof c === "string").join("").trim();
      if (elements.length === 0 || text !== "") made["#text"] = text;
      return made;
    }
    toJSON() { return this.value(); }
    /** The element as it was read: text and elements in their order. */
    toString() { return element(this.name, this); }
  }

  const element = (tag, { attributes, children }, depth = 0) => {
    if (depth > 200) throw N.clean(new RangeError("elements nest more than 200 levels"));
    const head = Object.keys(attributes).map((key) => ` ${name(key)}="${attribute(attributes[key])}"`).join("");
    const body = children.map((c) => (c instanceof Element ? element(c.name, c, depth + 1) : escape(c))).join("");
    return body === "" ? `<${name(tag)}${head}/>` : `<${name(tag)}${head}>${body}</${tag}>`;
  };

  const write = (tag, value, depth = 0) => {
    if (depth > 200) throw N.clean(new RangeError("elements nest more than 200 levels"));
    name(tag);
    if (value instanceof Element) return element(tag, value, depth);
    if (typeof value?.toJSON === "function") value = value.toJSON();
    if (value === null || value === undefined || value === "") return `<${tag}/>`;
    if (Array.isArray(value)) return value.map((v) => write(tag, v, depth + 1)).join("");
    if (typeof value !== "object") return `<${tag}>${escape(value)}</${tag}>`;
    let head = tag, body = "";
    for (const key of Object.keys(value)) {
      const member = value[key];
      if (member === undefined) continue;
      if (key === "#text") body += escape(member ?? "");
      else if (!key.startsWith("@")) body += write(key, member, depth + 1);
      else if (member !== null) head += ` ${name(key.slice(1))}="${attribute(member)}"`;
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
      if (Array.isArray(value)) throw N.clean(new TypeError("a document has one root: give an object with the array as a member"));
      return `<?xml version="1.0" encoding="UTF-8"?>${write(root, value)}`;
    },
  };
  Object.defineProperty(globalThis, "XML", { value: XML, writable: true, configurable: true });
  N.XML = XML;
}
