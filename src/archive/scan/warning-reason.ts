import { systemCodeOf } from '../../base/errors/errors.ts';

/** Converts a system error code to the stable reason of a warning. */
export function reasonOfCode(code: string): string {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'permission-denied';
    case 'ENAMETOOLONG':
      return 'path-too-long';
    case 'E2BIG':
      return 'attributes-too-large';
    case 'EBUSY':
    case 'ETXTBSY':
      return 'in-use';
    case 'EONLINE':
      return 'online-only';
    case 'EIO':
      return 'read-error';
    case 'ENOENT':
      return 'vanished';
    case 'ENOTREG':
    case 'ELOOP':
    case 'ENXIO':
      return 'special-file';
    default:
      return `unreadable (${code})`;
  }
}

/** Returns whether a reason says that the system did not give out what is there. */
export function isUnreadReason(reason: string): boolean {
  return UNREAD.has(reason) || reason.startsWith('unreadable (');
}

const UNREAD: ReadonlySet<string> = new Set([
  'permission-denied',
  'path-too-long',
  'in-use',
  'online-only',
  'read-error',
]);

export function reasonOf(error: unknown): string {
  return reasonOfCode(systemCodeOf(error) ?? (error instanceof Error ? error.message : 'unknown'));
}
