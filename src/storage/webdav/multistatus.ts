import type { Space } from '../storage.ts';
import { xmlEvents } from './xml-elements.ts';

/** A file or folder in the response to a PROPFIND (RFC 4918, section 9.1). */
export interface DavEntry {
  /** As the server sent it: a path or a URL. */
  readonly href: string;
  readonly isFolder: boolean;
  /** `undefined` if the server does not say. */
  readonly bytes: number | undefined;
  /** Milliseconds since the epoch; `undefined` if the server does not say. */
  readonly modified: number | undefined;
  /** Bytes that may still be stored in a folder, if they were asked for and the server says. */
  readonly available: number | undefined;
  /** Bytes that count against the quota. */
  readonly used: number | undefined;
}

/** What a PROPFIND asks for. */
export const PROPERTIES =
  '<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/><getlastmodified/></prop></propfind>';
/** What a PROPFIND about the quota asks for (RFC 4331). Servers count folders for it, so no listing does. */
export const QUOTA_PROPERTIES =
  '<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop><quota-available-bytes/><quota-used-bytes/></prop></propfind>';

const NUMBER = /^\d{1,15}$/;

/** Reads the entries of a multistatus document. Properties that the server does not have are ignored. @throws XmlError */
export function* davEntries(document: string): Generator<DavEntry> {
  const path: string[] = [];
  let entry = newEntry();
  let property = newEntry();
  let text = '';
  for (const event of xmlEvents(document)) {
    switch (event.kind) {
      case 'text':
        text += event.text;
        break;
      case 'open':
        path.push(event.name);
        text = '';
        if (event.name === 'DAV: response') entry = newEntry();
        if (event.name === 'DAV: propstat') property = newEntry();
        if (event.name === 'DAV: collection' && path.at(-2) === 'DAV: resourcetype') property.isFolder = true;
        break;
      case 'close': {
        path.pop();
        const value = text.trim();
        const parent = path.at(-1);
        if (event.name === 'DAV: href' && parent === 'DAV: response') entry.href = value;
        if (parent === 'DAV: prop') readProperty(property, event.name, value);
        if (event.name === 'DAV: status' && parent === 'DAV: propstat') property.isFound = / 200(?: |$)/.test(value);
        if (event.name === 'DAV: propstat' && property.isFound) {
          entry.isFolder ||= property.isFolder;
          entry.bytes ??= property.bytes;
          entry.modified ??= property.modified;
          entry.available ??= property.available;
          entry.used ??= property.used;
        }
        if (event.name === 'DAV: response') {
          const { isFound: _, ...found } = entry;
          yield found;
        }
        text = '';
        break;
      }
    }
  }
}

/** Returns the space that a quota leaves; `undefined` if the server does not say. */
export function spaceOf({ available, used }: DavEntry): Space | undefined {
  return available === undefined ? undefined : { total: available + (used ?? 0), free: available };
}

type Draft = { -readonly [Property in keyof DavEntry]: DavEntry[Property] } & { isFound: boolean };

function newEntry(): Draft {
  return {
    href: '',
    isFolder: false,
    bytes: undefined,
    modified: undefined,
    available: undefined,
    used: undefined,
    isFound: true,
  };
}

function readProperty(draft: Draft, name: string, value: string): void {
  if (name === 'DAV: getcontentlength' && NUMBER.test(value)) draft.bytes = Number(value);
  // Some servers have negative numbers for what they do not know.
  if (name === 'DAV: quota-available-bytes' && NUMBER.test(value)) draft.available = Number(value);
  if (name === 'DAV: quota-used-bytes' && NUMBER.test(value)) draft.used = Number(value);
  if (name !== 'DAV: getlastmodified') return;
  const modified = Date.parse(value);
  if (!Number.isNaN(modified)) draft.modified = modified;
}
