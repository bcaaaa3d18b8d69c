/** OWNER_SECURITY_INFORMATION and GROUP_SECURITY_INFORMATION. */
export const OWNER_PARTS = 3;
/** DACL_SECURITY_INFORMATION */
export const ACL_PARTS = 4;

// Control bits of a SECURITY_DESCRIPTOR (winnt.h).
const SE_DACL_PRESENT = 0x0004;
const SE_DACL_AUTO_INHERIT_REQ = 0x0100;
const SE_DACL_AUTO_INHERITED = 0x0400;
const SE_DACL_PROTECTED = 0x1000;
const SE_SELF_RELATIVE = 0x8000;

/** Flag of an entry that came from a folder above. */
const INHERITED_ACE = 0x10;

const HEADER_BYTES = 20;
const ACL_HEADER_BYTES = 8;
const ACE_HEADER_BYTES = 4;
/** An access list has a size of 16 bits, and the two others are a few dozen bytes. */
const MOST_BYTES = 2 * 65_536;

/**
 * Returns whether a security descriptor says anything that a new file in the same folder would not have by itself: an access list
 * that inherits nothing, or an entry of its own.
 */
export function hasOwnRights(descriptor: Uint8Array): boolean {
  const list = accessListOf(descriptor);
  if (!list) return false;
  return list.isProtected || list.flags.some((flags) => (flags & INHERITED_ACE) === 0);
}

/**
 * Checks a descriptor that comes from a backup, and asks the system to keep which entries are inherited. Returns `undefined` for one
 * that is not a self-relative descriptor with an access list: the system would read beyond its end.
 */
export function restorableDescriptor(descriptor: Uint8Array): Uint8Array | undefined {
  if (!accessListOf(descriptor)) return undefined;
  const copy = Uint8Array.from(descriptor);
  const view = new DataView(copy.buffer);
  const control = view.getUint16(2, true);
  if ((control & SE_DACL_AUTO_INHERITED) !== 0) view.setUint16(2, control | SE_DACL_AUTO_INHERIT_REQ, true);
  return copy;
}

interface AccessList {
  readonly isProtected: boolean;
  /** Flags of its entries. */
  readonly flags: readonly number[];
}

/** Reads as much as is needed, without leaving the bytes. MS-DTYP, sections 2.4.4 to 2.4.6. */
function accessListOf(descriptor: Uint8Array): AccessList | undefined {
  if (descriptor.length < HEADER_BYTES || descriptor.length > MOST_BYTES || descriptor[0] !== 1) return undefined;
  const view = new DataView(descriptor.buffer, descriptor.byteOffset, descriptor.byteLength);
  const control = view.getUint16(2, true);
  if ((control & SE_SELF_RELATIVE) === 0 || (control & SE_DACL_PRESENT) === 0) return undefined;
  const [owner, group, audit, start] = [4, 8, 12, 16].map((offset) => view.getUint32(offset, true)) as [
    number,
    number,
    number,
    number,
  ];
  if (![owner, group].every((offset) => offset === 0 || isIdentifier(descriptor, offset))) return undefined;
  // Nothing of the audit list is read or set.
  if (audit !== 0 && audit > descriptor.length) return undefined;
  const isProtected = (control & SE_DACL_PROTECTED) !== 0;
  // No list at all: everybody may do everything. That is never inherited.
  if (start === 0) return { isProtected: true, flags: [] };
  if (start + ACL_HEADER_BYTES > descriptor.length) return undefined;
  const end = start + view.getUint16(start + 2, true);
  const count = view.getUint16(start + 4, true);
  if (end > descriptor.length) return undefined;
  const flags: number[] = [];
  let at = start + ACL_HEADER_BYTES;
  for (let index = 0; index < count; index += 1) {
    if (at + ACE_HEADER_BYTES > end) return undefined;
    const size = view.getUint16(at + 2, true);
    if (size < ACE_HEADER_BYTES || at + size > end) return undefined;
    flags.push(descriptor[at + 1]!);
    at += size;
  }
  return { isProtected, flags };
}

/** A SID: revision, number of parts, six bytes, and four bytes for each part. */
function isIdentifier(bytes: Uint8Array, offset: number): boolean {
  const count = bytes[offset + 1];
  return bytes[offset] === 1 && count !== undefined && count <= 15 && offset + 8 + 4 * count <= bytes.length;
}
