import { systemCodeOf } from '../../../base/errors/errors.ts';
import { windowsCalls, type WindowsCalls } from './calls.ts';
import { ownIdentifier } from './process-token.ts';
import { ACL_PARTS } from './security-descriptor.ts';
import { windowsFileSystem } from './windows-file-system.ts';
import { toNamespacedPath } from 'node:path';

/** S-1-5-18, the system itself: without it there is no virus scan, no index and no repair. */
const SYSTEM = Buffer.from([1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0]);

/** FILE_ALL_ACCESS */
const EVERYTHING = 0x1f01ff;
/** OBJECT_INHERIT_ACE and CONTAINER_INHERIT_ACE: what is in the folder has the same rights. */
const INHERIT = 3;
/** SE_SELF_RELATIVE, SE_DACL_PROTECTED and SE_DACL_PRESENT. */
const CONTROL = 0x9004;
const HEADER_BYTES = 20;

/**
 * Gives a folder to this account and the system alone, whatever the folder above allows. Other systems have modes for that. Returns false
 * where the file system keeps no rights, as on FAT.
 */
export function restrictFolder(path: string, calls: WindowsCalls | undefined = windowsCalls()): boolean {
  const own = calls && ownIdentifier(calls);
  if (!calls || !own) return false;
  const descriptor = privateDescriptor(own);
  if (Buffer.from(rightsOf(path) ?? []).includes(descriptor.subarray(HEADER_BYTES))) return true;
  return calls.setFileSecurity(toNamespacedPath(path), ACL_PARTS, descriptor) !== 0;
}

/** A self-relative security descriptor with an access list only. */
export function privateDescriptor(account: Uint8Array): Buffer {
  const entries = [account, SYSTEM].map(allowing);
  const list = Buffer.alloc(8);
  list[0] = 2;
  list.writeUInt16LE(8 + entries.reduce((sum, { length }) => sum + length, 0), 2);
  list.writeUInt16LE(entries.length, 4);
  const header = Buffer.alloc(HEADER_BYTES);
  header[0] = 1;
  header.writeUInt16LE(CONTROL, 2);
  header.writeUInt32LE(HEADER_BYTES, 16);
  return Buffer.concat([header, list, ...entries]);
}

/** ACCESS_ALLOWED_ACE */
function allowing(account: Uint8Array): Buffer {
  const entry = Buffer.alloc(8);
  entry[1] = INHERIT;
  entry.writeUInt16LE(8 + account.length, 2);
  entry.writeUInt32LE(EVERYTHING, 4);
  return Buffer.concat([entry, account]);
}

function rightsOf(path: string): Uint8Array | undefined {
  try {
    return windowsFileSystem()?.securityOf(path);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return undefined;
  }
}
