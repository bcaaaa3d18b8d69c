import { systemCodeOf } from '../../base/errors.ts';

/** Why an entry could not be read, from its system error code, as the stable word of a warning. */
export function reasonOfCode(code: string): string {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'permission-denied';
    case 'ENAMETOOLONG':
      return 'path-too-long';
    case 'E2BIG':
      return 'attributes-too-large';
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

export function reasonOf(error: unknown): string {
  return reasonOfCode(systemCodeOf(error) ?? (error instanceof Error ? error.message : 'unknown'));
}
