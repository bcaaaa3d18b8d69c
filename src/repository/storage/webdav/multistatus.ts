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
}

/** What a PROPFIND asks for. */
export const PROPERTIES =
  '<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/><getlastmodified/></prop></propfind>';

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
        }
        if (event.name === 'DAV: response') {
          const { href, isFolder, bytes, modified } = entry;
          yield { href, isFolder, bytes, modified };
        }
        text = '';
        break;
      }
    }
  }
}

interface Draft {
  href: string;
  isFolder: boolean;
  bytes: number | undefined;
  modified: number | undefined;
  isFound: boolean;
}

function newEntry(): Draft {
  return { href: '', isFolder: false, bytes: undefined, modified: undefined, isFound: true };
}

function readProperty(draft: Draft, name: string, value: string): void {
  if (name === 'DAV: getcontentlength' && NUMBER.test(value)) draft.bytes = Number(value);
  if (name !== 'DAV: getlastmodified') return;
  const modified = Date.parse(value);
  if (!Number.isNaN(modified)) draft.modified = modified;
}
