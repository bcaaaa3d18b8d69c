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
  /** Most bytes of one element. */
  readonly element: number;
  /** Most bytes outside of the array. */
  readonly head: number;
}

/** The element of a 2 TiB file with 1 MiB chunks has about 230 MB. */
const DEFAULT_LIMITS: JsonArrayReaderLimits = { element: 256 * 2 ** 20, head: 2 ** 20 };

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

  constructor(key: string, limits: JsonArrayReaderLimits = DEFAULT_LIMITS) {
    this.#key = key;
    this.#limits = limits;
  }

  /** Reads the next bytes and returns the elements that they complete. The bytes are not kept after the call. */
  push(bytes: Uint8Array): unknown[] {
    let from = 0;
    let cut = 0;
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
          if (this.#inArray && this.#depth === 2) cut = index;
          break;
        case OPEN_BRACE:
        case OPEN_BRACKET:
          this.#depth += 1;
          if (byte === OPEN_BRACKET && this.#depth === 2 && !this.#inArray && this.#lastKey === this.#key) {
            if (this.#arraySeen) throw new JsonStreamError(`"${this.#key}" stands twice`);
            this.#inArray = true;
            this.#arraySeen = true;
            this.#head += this.#take(bytes.subarray(from, index + 1));
            this.#openingLength = this.#head.length;
            from = index + 1;
            cut = from;
          }
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          this.#depth -= 1;
          if (this.#depth < 0) throw new JsonStreamError('unbalanced brackets');
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
    this.#keep(bytes.subarray(from));
    return text.trim() === '' ? [] : (this.#parse(`[${text}]`) as unknown[]);
  }

  /** The fields before the array; `undefined` until the array begins. */
  get opening(): Record<string, unknown> | undefined {
    if (!this.#arraySeen) return undefined;
    this.#opening ??= this.#parse(`${this.#head.slice(0, this.#openingLength)}]}`) as Record<string, unknown>;
    return this.#opening;
  }

  /** Must be called after the last bytes. Returns the object with an empty array. */
  end(): Record<string, unknown> {
    if (!this.#ended || this.#inArray) throw new JsonStreamError('the text ended in the middle');
    this.#head += this.#take(new Uint8Array(0));
    const value = this.#parse(this.#head);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new JsonStreamError('not an object');
    if (!this.#arraySeen) throw new JsonStreamError(`"${this.#key}" is missing or not an array`);
    return value as Record<string, unknown>;
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
    const limit = this.#inArray ? this.#limits.element : this.#limits.head;
    if (this.#carryBytes > limit) throw new JsonStreamError(`more than ${limit} bytes in one piece`);
    this.#carry.push(bytes.slice());
  }

  #take(tail: Uint8Array): string {
    const bytes = this.#carryBytes === 0 ? tail : concatenate([...this.#carry, tail]);
    this.#carry = [];
    this.#carryBytes = 0;
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

/** Size of a piece: large enough for few messages, small enough to stay in cache. */
const PIECE_BYTES = 64 * 1024;

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
