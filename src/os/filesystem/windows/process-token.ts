import { windowsCalls, type WindowsCalls } from './calls.ts';

const TOKEN_QUERY = 0x8;
const TOKEN_ADJUST_PRIVILEGES = 0x20;
const SE_PRIVILEGE_ENABLED = 2;
/** TokenUser of TOKEN_INFORMATION_CLASS. */
const TOKEN_USER = 1;
/** A pointer and 32 bits, aligned, before the identifier. */
const TOKEN_USER_HEADER = 16;

/** What an administrator may, and has to ask for: setting owners, and writing where an access list forbids it. */
const PRIVILEGES = ['SeRestorePrivilege', 'SeTakeOwnershipPrivilege'];

/** Enables the privileges that this process may have. Others do without: then only the access list of a file is set. */
export function enablePrivileges(calls: WindowsCalls): void {
  withToken(calls, TOKEN_ADJUST_PRIVILEGES, (token) => {
    for (const name of PRIVILEGES) {
      const state = Buffer.alloc(16);
      state.writeUInt32LE(1, 0);
      if (calls.lookupPrivilege(null, name, state.subarray(4, 12)) === 0) continue;
      state.writeUInt32LE(SE_PRIVILEGE_ENABLED, 12);
      calls.adjustPrivileges(token, 0, state, 0, null, null);
    }
  });
}

/** Returns the security identifier of the account that this process runs as; `undefined` if this is not Windows. */
export function ownIdentifier(calls = windowsCalls()): Buffer | undefined {
  if (!calls) return undefined;
  return withToken(calls, TOKEN_QUERY, (token) => {
    const information = Buffer.alloc(256);
    const needed = Buffer.alloc(4);
    if (calls.getTokenInformation(token, TOKEN_USER, information, information.length, needed) === 0) return undefined;
    // The structure points to the identifier behind it.
    const identifier = information.subarray(TOKEN_USER_HEADER);
    return Buffer.from(identifier.subarray(0, 8 + 4 * identifier[1]!));
  });
}

function withToken<Result>(calls: WindowsCalls, access: number, work: (token: number) => Result): Result | undefined {
  const handle = Buffer.alloc(8);
  if (calls.openProcessToken(calls.getCurrentProcess(), access, handle) === 0) return undefined;
  const token = Number(handle.readBigInt64LE());
  try {
    return work(token);
  } finally {
    calls.closeHandle(token);
  }
}
