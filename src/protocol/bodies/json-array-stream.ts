import { KIB } from '../../model/units.ts';

/**
 * Reads and writes a JSON object that contains one long array, such as a manifest, without holding the whole array in memory.
 *
 * The reader finds element boundaries by scanning bytes for strings and nesting only. JSON.parse checks the syntax; it gets all
 * elements that arrived together as one text, so the cost is one parse per piece and not one per element.
 */

/** The text is not a JSON object of the expected form. A service responds 400; an agent reports `service_broken`. */
export class JsonStreamError extends Error {
  override readonly name = 'JsonStreamError';
}

export interface JsonArrayReaderLimits {
  /** Most bytes of one element, without the folded part of its list. */
  readonly element: number;
  /** Most bytes outside of the array. */
  readonly head: number;
  /** Most bytes of an element's list. */
  readonly list: number;
}

/** A path of 64 KiB has up to 384 KiB in JSON; the chunks of a 2 TiB file, at 1 MiB each, about 230 MB. */
const DEFAULT_LIMITS: JsonArrayReaderLimits = { element: 2 ** 20, head: 2 ** 20, list: 256 * 2 ** 20 };

/** Most objects and arrays inside each other. */
const MOST_DEPTH = 64;

/** An incomplete element of more bytes has its list folded. */
const FOLDED_FROM = 64 * KIB;

/** Receives the list of a long element in parts. */
export interface ListFold {
  /** Takes the next items. */
  add(items: readonly unknown[]): void;
  /** Returns what `push` returns for the element. @param element its fields, with the items that were not added */
  end(element: Readonly<Record<string, unknown>>): unknown;
}

/** The list of an element that may be too long to be parsed at once. */
export interface LongList {
  readonly key: string;
  readonly fold: () => ListFold;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Reads `{…, "<key>": […], …}` from bytes that arrive in pieces. */
export class JsonArrayReader {
  readonly #key: string;
  readonly #limits: JsonArrayReaderLimits;
  /** The list of the element that has not ended yet. */
  readonly #long: OpenList | undefined;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #depth = 0;
  #inString = false;
  #escaped = false;
  #inArray = false;
  #arraySeen = false;
  #ended = false;
  /** Bytes that are not decoded yet: of the head, or of an incomplete element. */
  #carry: Uint8Array[] = [];
  #carryBytes = 0;
  #head = '';
  /** Key of the current value of the head. */
  #lastKey = '';
  #stringText: Uint8Array[] | undefined;

  /** @param long the list of an element that is parsed in parts; without it, the limit of an element includes its lists */
  constructor(key: string, long?: LongList, limits: Partial<JsonArrayReaderLimits> = {}) {
    this.#key = key;
    this.#long = long && new OpenList(long, limits.list ?? DEFAULT_LIMITS.list);
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
  }

  /** Reads the next bytes and returns the elements that they complete. The bytes are not kept after the call. */
  push(bytes: Uint8Array): unknown[] {
    let from = 0;
    let cut = 0;
    /** Where the element begins that has not ended. */
    let start = -this.#carryBytes;
    let text = '';
    let stringStart = this.#inString ? 0 : -1;
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index]!;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) {
          this.#inString = false;
          if (this.#depth === 1 && !this.#inArray) this.#endString(bytes.subarray(stringStart, index));
        }
        continue;
      }
      switch (byte) {
        case QUOTE:
          this.#inString = true;
          stringStart = index + 1;
          if (this.#depth === 1 && !this.#inArray) this.#stringText = [];
          break;
        case COLON:
          if (this.#depth === 1) this.#lastKey = this.#lastString;
          break;
        case COMMA:
          if (!this.#inArray) break;
          if (this.#depth === 2) {
            cut = index;
            start = index + 1;
          } else if (this.#depth === 4) this.#long?.separate(index - start);
          break;
        case OPEN_BRACE:
        case OPEN_BRACKET:
          this.#depth += 1;
          if (this.#depth > MOST_DEPTH) throw new JsonStreamError(`more than ${MOST_DEPTH} levels`);
          if (this.#inArray && this.#depth === 4 && byte === OPEN_BRACKET) this.#long?.open(index + 1 - start);
          if (byte === OPEN_BRACKET && this.#depth === 2 && !this.#inArray && this.#lastKey === this.#key) {
            if (this.#arraySeen) throw new JsonStreamError(`"${this.#key}" stands twice`);
            this.#inArray = true;
            this.#arraySeen = true;
            this.#head += this.#take(bytes.subarray(from, index + 1));
            this.#openingLength = this.#head.length;
            from = index + 1;
            cut = from;
            start = from;
          }
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          this.#depth -= 1;
          if (this.#depth < 0) throw new JsonStreamError('unbalanced brackets');
          if (this.#inArray && this.#depth === 3) this.#long?.close();
          if (this.#inArray && this.#depth === 1) {
            text += this.#separated(text, this.#take(bytes.subarray(from, index)));
            from = index;
            this.#inArray = false;
            this.#lastKey = '';
          } else if (this.#depth === 0) {
            this.#ended = true;
          }
          break;
        default:
      }
    }
    if (this.#stringText && this.#inString) this.#stringText.push(bytes.slice(stringStart));
    if (this.#inArray && cut > from) {
      text += this.#separated(text, this.#take(bytes.subarray(from, cut)));
      from = cut + 1;
    }
    const elements = text.trim() === '' ? [] : (this.#parse(`[${text}]`) as unknown[]);
    // What was carried belongs to the first element.
    if (elements.length > 0 && this.#long?.fold) elements[0] = this.#long.end(elements[0]);
    this.#keep(bytes.subarray(from));
    return elements;
  }

  /** Parses the items of a long list that have arrived, and keeps the rest of its element. */
  #foldList(): void {
    const long = this.#long;
    if (!long || this.#carryBytes - long.prefix <= FOLDED_FROM) return;
    const parts = long.parts(concatenate(this.#carry), (bytes) => this.#parse(this.#decode(bytes)));
    if (!parts) return;
    this.#carry = [...parts];
    this.#carryBytes = parts.reduce((sum, { length }) => sum + length, 0);
  }

  /** The fields before the array; `undefined` until the array begins. */
  get opening(): Record<string, unknown> | undefined {
    if (!this.#arraySeen) return undefined;
    this.#opening ??= this.#parse(`${this.#head.slice(0, this.#openingLength)}]}`) as Record<string, unknown>;
    return this.#opening;
  }

  /**
   * Must be called after the last bytes. Returns the object with an empty array.
   *
   * @param mayBeNull accepts `null` in the place of the array, as some programs write an empty one
   */
  end(mayBeNull = false): Record<string, unknown> {
    if (!this.#ended || this.#inArray) throw new JsonStreamError('the text ended in the middle');
    this.#head += this.#take(new Uint8Array(0));
    const value = this.#parse(this.#head);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new JsonStreamError('not an object');
    const object = value as Record<string, unknown>;
    const isNull = mayBeNull && object[this.#key] === null;
    if (!this.#arraySeen && !isNull) throw new JsonStreamError(`"${this.#key}" is missing or not an array`);
    return object;
  }

  #lastString = '';
  #opening: Record<string, unknown> | undefined;
  #openingLength = 0;

  #endString(tail: Uint8Array): void {
    const parts = this.#stringText ?? [];
    this.#stringText = undefined;
    // Escaped spellings of the key are not recognised.
    this.#lastString = new TextDecoder().decode(concatenate([...parts, tail]));
  }

  #separated(before: string, next: string): string {
    return before === '' ? next : `,${next}`;
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#carryBytes += bytes.length;
    this.#carry.push(bytes.slice());
    if (this.#inArray) this.#foldList();
    const limit = this.#inArray ? this.#limits.element : this.#limits.head;
    if (this.#carryBytes > limit) throw new JsonStreamError(`more than ${limit} bytes in one piece`);
  }

  #take(tail: Uint8Array): string {
    const bytes = this.#carryBytes === 0 ? tail : concatenate([...this.#carry, tail]);
    this.#carry = [];
    this.#carryBytes = 0;
    return this.#decode(bytes);
  }

  #decode(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes);
    } catch (cause) {
      throw new JsonStreamError('not UTF-8', { cause });
    }
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new JsonStreamError('not JSON', { cause });
    }
  }
}

/**
 * The list of one element, and where it is in the element's bytes. An element that arrives whole is not folded.
 */
class OpenList {
  readonly #long: LongList;
  readonly #limit: number;
  /** Bytes of the element to the first item; `undefined` outside of a list. */
  #from: number | undefined;
  /** Bytes of the element to the last separator between items. */
  #cut = 0;
  /** Bytes that were parsed. */
  #folded = 0;
  /** Receives the items; `undefined` before the first part. */
  fold: ListFold | undefined;

  constructor(long: LongList, limit: number) {
    this.#long = long;
    this.#limit = limit;
  }

  open(from: number): void {
    this.#from = from;
    this.#cut = 0;
  }

  separate(at: number): void {
    if (this.#from !== undefined) this.#cut = at;
  }

  close(): void {
    this.#from = undefined;
  }

  /** Bytes that stay when the items are parsed; `Infinity` if there are none. */
  get prefix(): number {
    return this.#from === undefined || this.#cut <= this.#from ? Infinity : this.#from;
  }

  /** Passes on the items in an element's first bytes. Returns the bytes before them and after them, `undefined` for another list. */
  parts(bytes: Uint8Array, parse: (json: Uint8Array) => unknown): readonly [Uint8Array, Uint8Array] | undefined {
    const from = this.#from!;
    const before = bytes.subarray(0, from);
    if (!this.fold && !this.#isNamed(parse(concatenate([before, ascii('0]}')])))) {
      this.#from = undefined;
      return undefined;
    }
    this.#folded += this.#cut - from;
    if (this.#folded > this.#limit) throw new JsonStreamError(`more than ${this.#limit} bytes in one list`);
    this.fold ??= this.#long.fold();
    this.fold.add(parse(concatenate([ascii('['), bytes.subarray(from, this.#cut), ascii(']')])) as unknown[]);
    const after = bytes.slice(this.#cut + 1);
    this.#cut = 0;
    return [before.slice(), after];
  }

  /** Returns the element with its whole list. */
  end(element: unknown): unknown {
    const fold = this.fold!;
    this.fold = undefined;
    this.#folded = 0;
    return fold.end(element as Record<string, unknown>);
  }

  /** Returns whether the list whose only item is 0 has the expected name. */
  #isNamed(element: unknown): boolean {
    const list = (element as Record<string, unknown>)[this.#long.key];
    return Array.isArray(list) && list.length === 1 && list[0] === 0;
  }
}

function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Size of a piece: large enough for few messages, small enough to stay in cache. */
const PIECE_BYTES = 64 * KIB;

/**
 * Writes `{…before,"<key>":[…],…after}`.
 *
 * @param before fields before the array
 * @param after returns the fields after the array, which may be known only at its end
 */
export async function* writeJsonArray(
  key: string,
  before: Readonly<Record<string, unknown>>,
  batches: AsyncIterable<readonly unknown[]> | Iterable<readonly unknown[]>,
  after: () => Readonly<Record<string, unknown>> = () => ({}),
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const opening = JSON.stringify(before).slice(0, -1);
  let text = `${opening}${opening === '{' ? '' : ','}${JSON.stringify(key)}:[`;
  let separator = '';
  for await (const batch of batches) {
    for (const element of batch) {
      text += separator + JSON.stringify(element);
      separator = ',';
      if (text.length >= PIECE_BYTES) {
        yield encoder.encode(text);
        text = '';
      }
    }
  }
  const closing = JSON.stringify(after()).slice(1);
  yield encoder.encode(`${text}]${closing === '}' ? '' : ','}${closing}`);
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
