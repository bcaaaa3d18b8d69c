/** Malformed XML, or XML with features that no listing needs. */
export class XmlError extends Error {
  override readonly name = 'XmlError';
}

/** One part of a document, in its order. Names are those of a namespace, such as `DAV: href`. */
export type XmlEvent =
  | { readonly kind: 'open'; readonly name: string }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string };

const DEEPEST = 32;

const TAG = /<(?:(\/)([^\s/>]+)\s*|([^\s/>!?][^\s/>]*)((?:\s+[^\s=/>]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/)?)>/y;
const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g;
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w{1,8}));|&/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Reads a document with namespaces. Document types, and with them all entities but the five of XML itself, are refused, so that the
 * result is never larger than the document.
 *
 * @throws XmlError
 */
export function* xmlEvents(document: string): Generator<XmlEvent> {
  const open: { readonly tag: string; readonly name: string; readonly spaces: ReadonlyMap<string, string> }[] = [];
  let at = document.startsWith('\u{feff}') ? 1 : 0;
  let hasRoot = false;
  while (at < document.length) {
    const next = document.indexOf('<', at);
    const end = next === -1 ? document.length : next;
    if (end > at && open.length > 0) yield { kind: 'text', text: decoded(document.slice(at, end)) };
    else if (document.slice(at, end).trim() !== '') throw new XmlError('text outside of the document');
    at = end;
    if (next === -1) break;
    const skipped = skip(document, at);
    if (skipped) {
      if (skipped.text !== undefined && open.length > 0) yield { kind: 'text', text: skipped.text };
      at = skipped.end;
      continue;
    }
    TAG.lastIndex = at;
    const tag = TAG.exec(document);
    if (!tag) throw new XmlError('not a tag');
    at = TAG.lastIndex;
    const [, isClosing, closed = '', opened = '', attributes = '', isEmpty] = tag;
    if (isClosing === undefined) {
      if (hasRoot && open.length === 0) throw new XmlError('two documents');
      if (open.length === DEEPEST) throw new XmlError('too deep');
      hasRoot = true;
      const spaces = spacesOf(attributes, open.at(-1)?.spaces ?? new Map());
      const name = nameOf(opened, spaces);
      yield { kind: 'open', name };
      if (isEmpty === undefined) open.push({ tag: opened, name, spaces });
      else yield { kind: 'close', name };
    } else {
      const last = open.pop();
      if (last?.tag !== closed) throw new XmlError('tags are not nested');
      yield { kind: 'close', name: last.name };
    }
  }
  if (open.length > 0 || !hasRoot) throw new XmlError('the document is incomplete');
}

/** Returns the end of a comment, a processing instruction or a CDATA section, and the latter's text. */
function skip(document: string, at: number): { readonly end: number; readonly text?: string } | undefined {
  for (const [begin, finish] of [
    ['<!--', '-->'],
    ['<?', '?>'],
    ['<![CDATA[', ']]>'],
  ] as const) {
    if (!document.startsWith(begin, at)) continue;
    const end = document.indexOf(finish, at + begin.length);
    if (end === -1) throw new XmlError('the document is incomplete');
    const text = begin === '<![CDATA[' ? { text: document.slice(at + begin.length, end) } : {};
    return { end: end + finish.length, ...text };
  }
  if (document.startsWith('<!', at)) throw new XmlError('document types are not supported');
  return undefined;
}

function spacesOf(attributes: string, outer: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (!attributes.includes('xmlns')) return outer;
  const spaces = new Map(outer);
  for (const [, name = '', double, single = ''] of attributes.matchAll(ATTRIBUTE)) {
    if (name === 'xmlns') spaces.set('', decoded(double ?? single));
    else if (name.startsWith('xmlns:')) spaces.set(name.slice('xmlns:'.length), decoded(double ?? single));
  }
  return spaces;
}

function nameOf(tag: string, spaces: ReadonlyMap<string, string>): string {
  const colon = tag.indexOf(':');
  const space = spaces.get(colon === -1 ? '' : tag.slice(0, colon)) ?? '';
  return `${space} ${tag.slice(colon + 1)}`;
}

function decoded(text: string): string {
  return text.replace(ENTITY, (_, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined && Object.hasOwn(ENTITIES, name)) return ENTITIES[name]!;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number.parseInt(decimal, 10);
    if (!(code <= 0x10ffff)) throw new XmlError('not an entity');
    return String.fromCodePoint(code);
  });
}
