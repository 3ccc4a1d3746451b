// What a script in a Tupelo region sees in addition to the language.

type Bytes = Uint8Array | ArrayBuffer | ArrayBufferView;
type Data = Bytes | string | CopybookRecord;

/** The task of a request, and what programs and the region do for it. */
declare const cics: {
  readonly task: {
    readonly number: number;
    readonly transid: string;
    readonly userid: string;
    readonly applid: string;
    readonly sysid: string;
  };
  /** Runs a program in this task's unit of work. A COMMAREA is changed in place. */
  link<A extends Data>(program: string, options: { commarea: A }): { commarea: A };
  link(program: string, options: { channel: Channel | Record<string, Data> }): { channel: Channel };
  link(program: string): { channel?: Channel };
  /** Ends the script: a program takes its place, within the same unit of work. Nothing after it is run, not even `finally`. */
  xctl(program: string, options?: { commarea?: Data } | { channel?: Channel | Record<string, Data> }): never;
  /** Runs a program, or a transaction, as a child task with a unit of work of its own. */
  run<A extends Data>(program: string | null, options: { commarea: A; transid?: string }): Promise<{ commarea: A }>;
  run(program: string | null, options: { channel: Channel | Record<string, Data>; transid?: string }): Promise<{ channel: Channel }>;
  run(program: string | null, options?: { transid?: string }): Promise<{ channel?: Channel }>;
  /** Ends the task with an abend; its unit of work is backed out. */
  abend(code: string, message?: string): never;
  /** Commits what the task has changed so far. */
  syncpoint(): void;
  /** Backs out what the task has changed since its last syncpoint. */
  rollback(): void;
  /** Any command that the region serves, with its options as in EXEC CICS. */
  exec(command: string, options?: Record<string, Data | Channel | number | boolean | undefined>): Record<string, any>;
  file(name: string): CicsFile;
  ts(name: string): TsQueue;
  td(name: string): TdQueue;
  start(transid: string, options?: { data?: Data; channel?: Channel | Record<string, Data>; seconds?: number; reqid?: string }): void;
  /** Bytes that the task was started with, once; none for a START with a channel. */
  retrieve(): Uint8Array | undefined;
  /** Holds a name; false when another task has it and `nosuspend` is set. */
  enq(resource: Data, options?: { nosuspend?: boolean }): boolean;
  deq(resource: Data): void;
  /** The next value of a named counter, which is made, from 0 on, with its first use. */
  counter(name: string, options?: { pool?: string }): number;
  /** The text of bytes in the region's code page, as programs and files have it. */
  text(data: Data): string;
  /** The bytes of text in the region's code page. */
  bytes(text: string): Uint8Array;
  delay(milliseconds: number): void;
  log(message: string, data?: unknown): void;
};

interface CicsFile {
  readonly name: string;
  read(key: Data, options?: { update?: boolean; generic?: boolean; gteq?: boolean; nosuspend?: boolean }): Uint8Array | undefined;
  read<R extends CopybookRecord>(key: Data, options: { into: R; update?: boolean; generic?: boolean; gteq?: boolean; nosuspend?: boolean }): R | undefined;
  write(record: Data, key?: Data): void;
  rewrite(record: Data): void;
  delete(key?: Data, options?: { generic?: boolean }): number;
  unlock(): void;
  browse(from?: Data, options?: { backwards?: boolean }): Iterable<{ key: Uint8Array; record: Uint8Array }>;
}

interface TsQueue extends Iterable<Uint8Array> {
  /** The number of the item. */
  write(item: Data): number;
  rewrite(item: number, data: Data): void;
  read(item?: number): Uint8Array | undefined;
  delete(): void;
}

interface TdQueue {
  write(record: Data): void;
  read(): Uint8Array | undefined;
  delete(): void;
}

/** Containers by name. */
declare class Channel implements Iterable<[string, Uint8Array]> {
  constructor(name?: string, containers?: Record<string, Data>);
  readonly name: string;
  readonly names: string[];
  put(name: string, value: Data): this;
  get(name: string): Uint8Array | undefined;
  text(name: string): string | undefined;
  has(name: string): boolean;
  delete(name: string): boolean;
  [Symbol.iterator](): Iterator<[string, Uint8Array]>;
}

declare class CicsError extends Error {}
/** A program, or the region, ended a command with an abend. */
declare class CicsAbend extends CicsError {
  readonly code: string;
  readonly program?: string;
  readonly line?: number;
}
/** A command returned a condition. */
declare class CicsCondition extends CicsError {
  readonly condition: string;
  readonly resp: number;
  readonly resp2: number;
  readonly command: string;
}
/** Thrown by a handler: the client is answered with 400. */
declare class BadRequest extends Error {}

interface CopybookRecord {
  /** The record's bytes, of its real length. */
  readonly bytes: Uint8Array;
  toJSON(): any;
  json(): string;
  fromJSON(values: object | string): this;
}
/** A table (OCCURS): like an array, whose elements can be written. An array can be assigned to it. */
interface CopybookTable<T> extends Iterable<T>, Pick<T[], "at" | "concat" | "entries" | "every" | "filter" | "find" | "findIndex"
  | "flatMap" | "forEach" | "includes" | "indexOf" | "join" | "keys" | "lastIndexOf" | "map" | "reduce" | "reduceRight" | "slice"
  | "some" | "values"> {
  readonly length: number;
  [index: number]: T;
  /** Adds elements at the end of a table whose counter allows more. */
  push(...elements: T[]): number;
}
/** The same record with names in small letters. */
type LowerNames<T> = T extends string | number | bigint ? T
  : T extends CopybookTable<infer E> ? CopybookTable<LowerNames<E>>
  : { [K in keyof T as K extends string ? Lowercase<K> : K]: LowerNames<T[K]> };
/** A record layout of the application's copybooks, whose records are `R`. */
interface Copybook<R = CopybookRecord & Record<string, any>> {
  readonly name: string;
  /** Bytes of the longest record. */
  readonly length: number;
  /** A record over bytes; a new one without. */
  view(bytes?: Data): R;
  /** A new record from an object, or from JSON text, of which no digit is lost. */
  from(values: object | string): R;
  json(bytes: Data): string;
}
/** By redefined item, the description that JSON has of it in the place of the first. */
type Redefines = { [item: string]: string };
declare const Copybook: {
  new <N extends keyof Copybooks>(name: N, options?: { names?: "upper"; redefines?: Redefines }): Copybook<Copybooks[N]>;
  new <N extends keyof Copybooks>(name: N, options: { names: "lower"; redefines?: Redefines }): Copybook<CopybookRecord & LowerNames<Omit<Copybooks[N], keyof CopybookRecord>>>;
  new (name: string, options?: { record?: string; names?: "upper" | "lower"; redefines?: Redefines }): Copybook;
};

interface Headers extends Iterable<[string, string]> {
  get(name: string): string | undefined;
  has(name: string): boolean;
  set(name: string, value: unknown): this;
  append(name: string, value: unknown): this;
  /** Every Set-Cookie, which `get` would join. */
  getSetCookie(): string[];
  delete(name: string): boolean;
}
interface Request {
  readonly method: string;
  readonly path: string;
  readonly params: Record<string, string>;
  readonly query: Iterable<[string, string]> & { get(name: string): string | undefined; all(name: string): string[]; has(name: string): boolean };
  readonly headers: Headers;
  bytes(): Uint8Array;
  text(): string;
  json(): any;
  xml(): XmlElement;
  /** The fields and files of a form (multipart/form-data, or URL-encoded). */
  form(): Form;
  /** The first of these media types that the client takes. */
  accepts(...types: string[]): string | undefined;
}
interface Response {
  status: number;
  type: string | undefined;
  readonly headers: Headers;
  write(part: Data): this;
  /** Sends what was written so far; the rest of the answer follows. */
  flush(): this;
  text(text: unknown): this;
  json(value: unknown): this;
  xml(value: unknown, root?: string): this;
  bytes(bytes: Data): this;
}
/** What a script exports for a method: GET, POST, PUT, DELETE, PATCH or default. */
type Handler = (request: Request, response: Response) => any;

/** A form's fields, as text, and its files. */
interface Form extends Iterable<[string, string | FormFile]> {
  get(name: string): string | FormFile | undefined;
  all(name: string): (string | FormFile)[];
  has(name: string): boolean;
}
interface FormFile {
  readonly name: string;
  /** Its media type. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  bytes(): Uint8Array;
  text(): string;
}

/** A program's LINK to the script: what it passes. */
interface ProgramCall {
  /** The name by which the script was linked to. */
  readonly program: string;
  /** The caller's COMMAREA, to be changed in place. */
  readonly commarea?: Uint8Array;
  /** The caller's channel. */
  readonly channel?: Channel;
}
/** What a script exports as LINK. Bytes that it gives back go to the COMMAREA, containers by name to the channel. */
type LinkHandler = (call: ProgramCall) => any;

interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: (XmlElement | string)[];
  readonly elements: XmlElement[];
  readonly text: string;
  get(path: string): XmlElement | undefined;
  all(name: string): XmlElement[];
  value(): any;
}
declare const XML: {
  parse(text: string): XmlElement;
  stringify(value: unknown, root?: string): string;
};

declare const console: Record<"debug" | "log" | "info" | "warn" | "error", (...parts: unknown[]) => void>;
declare function setTimeout(run: (...rest: any[]) => void, milliseconds?: number, ...rest: any[]): number;
declare function clearTimeout(timer: number): void;
declare function setInterval(run: (...rest: any[]) => void, milliseconds?: number, ...rest: any[]): number;
declare function clearInterval(timer: number): void;
declare function queueMicrotask(run: () => void): void;

/** Text to bytes in UTF-8. */
declare class TextEncoder {
  readonly encoding: "utf-8";
  encode(text?: string): Uint8Array;
}
/** Bytes in UTF-8 to text. */
declare class TextDecoder {
  constructor(label?: "utf-8" | "utf8", options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: "utf-8";
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(data?: Bytes): string;
}

/** What another server answered. */
interface FetchAnswer {
  readonly status: number;
  /** Whether the status is 200 to 299. */
  readonly ok: boolean;
  readonly url: string;
  readonly headers: Headers;
  bytes(): Uint8Array;
  text(): string;
  json(): any;
  xml(): XmlElement;
}
interface FetchOptions {
  method?: string;
  headers?: Record<string, string | number> | Iterable<[string, string]>;
  body?: Data;
  /** The body as JSON. */
  json?: unknown;
  /** Milliseconds, at most those of the settings. */
  timeout?: number;
}
/** Asks another server, of those that the settings allow. */
declare function fetch(url: string, options?: FetchOptions): Promise<FetchAnswer>;
/** Another server did not answer, or may not be asked. */
declare class FetchError extends Error {}
