import type { ErrorCode } from '../base/errors/errors.ts';

/** 0 done · 1 failed · 2 wrong usage · 3 done with warnings · 4 sign-in or key needed · 5 home held · 130 interrupted */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 5 | 130;

const EXIT_CODES: Readonly<Partial<Record<ErrorCode, ExitCode>>> = {
  usage: 2,
  set_unknown: 2,
  set_exists: 2,
  destination_unknown: 2,
  destination_exists: 2,
  path_not_found: 2,
  no_restore_point: 2,
  time_invalid: 2,
  not_set_up: 2,
  already_set_up: 2,
  target_inside_source: 2,
  undo_nothing: 2,
  keychain_unavailable: 4,
  phrase_invalid: 4,
  phrase_other_account: 4,
  phrase_needed: 4,
  passphrase_wrong: 4,
  key_code_wrong: 4,
  password_wrong: 4,
  code_needed: 4,
  provider_refused: 4,
  code_wrong: 4,
  signed_out: 4,
  device_refused: 4,
  device_cloned: 4,
  key_outdated: 4,
  clock_wrong: 4,
  permission_denied: 4,
  home_busy: 5,
  interrupted: 130,
};

export function exitCodeOf(code: ErrorCode): ExitCode {
  return EXIT_CODES[code] ?? 1;
}
