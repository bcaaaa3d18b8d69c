/** The codes that Node gives to errors of Windows, as libuv translates them. */
const CODES: ReadonlyMap<number, string> = new Map([
  [1, 'ENOTSUP'], // ERROR_INVALID_FUNCTION
  [2, 'ENOENT'], // ERROR_FILE_NOT_FOUND
  [3, 'ENOENT'], // ERROR_PATH_NOT_FOUND
  [5, 'EPERM'], // ERROR_ACCESS_DENIED
  [17, 'EXDEV'], // ERROR_NOT_SAME_DEVICE
  [19, 'EROFS'], // ERROR_WRITE_PROTECT
  [32, 'EBUSY'], // ERROR_SHARING_VIOLATION
  [33, 'EBUSY'], // ERROR_LOCK_VIOLATION
  [50, 'ENOTSUP'], // ERROR_NOT_SUPPORTED
  [80, 'EEXIST'], // ERROR_FILE_EXISTS
  [87, 'EINVAL'], // ERROR_INVALID_PARAMETER
  [112, 'ENOSPC'], // ERROR_DISK_FULL
  [120, 'ENOSYS'], // ERROR_CALL_NOT_IMPLEMENTED
  [122, 'ERANGE'], // ERROR_INSUFFICIENT_BUFFER
  [123, 'ENOENT'], // ERROR_INVALID_NAME
  [183, 'EEXIST'], // ERROR_ALREADY_EXISTS
  [206, 'ENAMETOOLONG'], // ERROR_FILENAME_EXCED_RANGE
  [267, 'ENOTDIR'], // ERROR_DIRECTORY
  [1307, 'EPERM'], // ERROR_INVALID_OWNER
  [1314, 'EPERM'], // ERROR_PRIVILEGE_NOT_HELD
  [4390, 'EINVAL'], // ERROR_NOT_A_REPARSE_POINT
]);

/** Returns the system error of a failed call. @param error the number of `GetLastError` */
export function windowsError(error: number, call: string, path: string): Error {
  const code = CODES.get(error) ?? `EWIN${error}`;
  return Object.assign(new Error(`${code}: ${call} '${path}'`), { code, syscall: call });
}
