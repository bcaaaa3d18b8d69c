import { createRequire } from 'node:module';

type Argument = string | Uint8Array | number | bigint | null;
type Call<Result> = (...args: Argument[]) => Result;

/**
 * The functions of Windows that Node does not offer, as Win32 defines them: texts are UTF-16, paths have their `\\?\` form, handles are
 * numbers, -1 is no handle, and a result of 0 is a failure unless stated otherwise.
 */
export interface WindowsCalls {
  readonly moveFile: Call<number>;
  /** DRIVE_…; takes a root that ends with a backslash, and never fails. */
  readonly getDriveType: Call<number>;
  /** 0xffffffff is a failure. */
  readonly getFileAttributes: Call<number>;
  readonly setFileAttributes: Call<number>;
  readonly createFile: Call<number>;
  readonly closeHandle: Call<number>;
  readonly setFileTime: Call<number>;
  readonly deviceIoControl: Call<number>;
  /** Returns an NTSTATUS; 0 is a success. */
  readonly setInformationFile: Call<number>;
  /** Returns the error of Windows for an NTSTATUS. */
  readonly errorOfStatus: Call<number>;
  readonly findFirstStream: Call<number>;
  readonly findNextStream: Call<number>;
  readonly findClose: Call<number>;
  readonly getFileSecurity: Call<number>;
  readonly setFileSecurity: Call<number>;
  readonly getCurrentProcess: Call<number>;
  readonly openProcessToken: Call<number>;
  readonly lookupPrivilege: Call<number>;
  readonly adjustPrivileges: Call<number>;
  readonly getTokenInformation: Call<number>;
  readonly getLastError: Call<number>;
}

interface Koffi {
  load(library: string): { func(definition: string): Call<number> };
}

let loaded: WindowsCalls | undefined;
let tried = false;

/** Returns the functions, loaded on first use; `undefined` on other systems, and if koffi cannot be loaded. */
export function windowsCalls(): WindowsCalls | undefined {
  if (!tried) {
    tried = true;
    if (process.platform === 'win32') loaded = load();
  }
  return loaded;
}

function load(): WindowsCalls | undefined {
  try {
    const koffi = createRequire(import.meta.url)('koffi') as Koffi;
    const kernel = koffi.load('kernel32.dll');
    const advapi = koffi.load('advapi32.dll');
    const nt = koffi.load('ntdll.dll');
    return {
      moveFile: kernel.func('int __stdcall MoveFileExW(const char16_t *from, const char16_t *to, uint32_t flags)'),
      getDriveType: kernel.func('uint32_t __stdcall GetDriveTypeW(const char16_t *root)'),
      getFileAttributes: kernel.func('uint32_t __stdcall GetFileAttributesW(const char16_t *path)'),
      setFileAttributes: kernel.func('int __stdcall SetFileAttributesW(const char16_t *path, uint32_t attributes)'),
      createFile: kernel.func(
        'intptr_t __stdcall CreateFileW(const char16_t *path, uint32_t access, uint32_t share, const uint8_t *security, uint32_t disposition, uint32_t flags, intptr_t template)',
      ),
      closeHandle: kernel.func('int __stdcall CloseHandle(intptr_t handle)'),
      setFileTime: kernel.func(
        'int __stdcall SetFileTime(intptr_t handle, const uint8_t *created, const uint8_t *accessed, const uint8_t *written)',
      ),
      deviceIoControl: kernel.func(
        'int __stdcall DeviceIoControl(intptr_t handle, uint32_t code, const uint8_t *in, uint32_t in_size, _Out_ uint8_t *out, uint32_t out_size, _Out_ uint8_t *returned, const uint8_t *overlapped)',
      ),
      setInformationFile: nt.func(
        'int32_t __stdcall NtSetInformationFile(intptr_t handle, _Out_ uint8_t *status, const uint8_t *information, uint32_t size, int kind)',
      ),
      errorOfStatus: nt.func('uint32_t __stdcall RtlNtStatusToDosError(int32_t status)'),
      findFirstStream: kernel.func(
        'intptr_t __stdcall FindFirstStreamW(const char16_t *path, int level, _Out_ uint8_t *data, uint32_t flags)',
      ),
      findNextStream: kernel.func('int __stdcall FindNextStreamW(intptr_t handle, _Out_ uint8_t *data)'),
      findClose: kernel.func('int __stdcall FindClose(intptr_t handle)'),
      getFileSecurity: advapi.func(
        'int __stdcall GetFileSecurityW(const char16_t *path, uint32_t parts, _Out_ uint8_t *descriptor, uint32_t size, _Out_ uint8_t *needed)',
      ),
      setFileSecurity: advapi.func(
        'int __stdcall SetFileSecurityW(const char16_t *path, uint32_t parts, const uint8_t *descriptor)',
      ),
      getCurrentProcess: kernel.func('intptr_t __stdcall GetCurrentProcess()'),
      openProcessToken: advapi.func(
        'int __stdcall OpenProcessToken(intptr_t process, uint32_t access, _Out_ uint8_t *token)',
      ),
      lookupPrivilege: advapi.func(
        'int __stdcall LookupPrivilegeValueW(const char16_t *system, const char16_t *name, _Out_ uint8_t *id)',
      ),
      adjustPrivileges: advapi.func(
        'int __stdcall AdjustTokenPrivileges(intptr_t token, int disable_all, const uint8_t *state, uint32_t size, const uint8_t *previous, const uint8_t *previous_size)',
      ),
      getTokenInformation: advapi.func(
        'int __stdcall GetTokenInformation(intptr_t token, int kind, _Out_ uint8_t *information, uint32_t size, _Out_ uint8_t *needed)',
      ),
      getLastError: kernel.func('uint32_t __stdcall GetLastError()'),
    };
  } catch {
    // Files are backed up without what only these functions read.
    return undefined;
  }
}
