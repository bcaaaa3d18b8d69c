/**
 * On 2026-11-22, 129 changes were made to safety-critical code, and no test noticed these 48. Each has an entry now, or several where
 * the decision has been divided since.
 */
export const UNNOTICED: readonly { readonly change: string; readonly mutants: readonly [string, ...string[]] }[] = [
  {
    change: 'secrets and settings: no fsync of file nor folder',
    mutants: [
      'settings and secrets are renamed before their content is on disk',
      'the name of settings and secrets is not on disk',
    ],
  },
  {
    change: 'diagnostics may carry paths',
    mutants: ['diagnostics contain the path in a detail of a failure'],
  },
  { change: 'any valid phrase unlocks the window', mutants: ['any valid recovery phrase unlocks the window'] },
  {
    change: 'restore resumes onto the wrong disk when its target is unmounted',
    mutants: ['a restore continues although the disk of its target is not mounted'],
  },
  { change: 'runs begin after close', mutants: ['a run begins after the queue was closed'] },
  {
    change: 'gaps of the future kept after the clock is set back',
    mutants: ['gaps of the future stay when the clock is set back'],
  },
  { change: 'schedule not saved at close', mutants: ['the schedule is not saved when the program ends'] },
  {
    change: 'torn read replaces the good previous version',
    mutants: ['a file that changes while it is read replaces its good version'],
  },
  {
    change: 'root not rechecked after the scan',
    mutants: ['a source that went away during the scan looks emptied'],
  },
  {
    change: 'forgetAll leaves committed_run',
    mutants: ['a destination whose trees were forgotten is still counted on'],
  },
  {
    change: 'inode left out of the change signature',
    mutants: ['a file that another one replaced is not read again'],
  },
  {
    change: 'racy ctime within a clock tick trusted',
    mutants: ['a time of change within one tick of the clock is trusted'],
  },
  {
    change: 'failed write forgotten: a later commit succeeds without it',
    mutants: ['a later commit succeeds without the write that failed'],
  },
  { change: 'recovery phrase may leak in the cause of an error', mutants: ['an error quotes the recovery phrase'] },
  {
    change: 'verification ignores a size mismatch between tree and manifest',
    mutants: ['a verification ignores a file whose chunks have another size'],
  },
  {
    change: 'large file: not truncated or synced at its end',
    mutants: [
      'what a failed attempt left at the end of a large file stays',
      'a large sparse file gets its name before its data is on disk',
    ],
  },
  {
    change: 'unsafe (..) folder segment between accepted',
    mutants: ['a folder called .. between an entry and its base is accepted'],
  },
  { change: 'restore never syncs the target to disk', mutants: ['a restore never flushes the target'] },
  {
    change: 'resume journal removed though files failed',
    mutants: ['the resume journal is removed although files failed'],
  },
  { change: 'abandoned resume journals never expire', mutants: ['abandoned resume journals never expire'] },
  {
    change: 'chunk that is read again from the target not verified by digest',
    mutants: ['a chunk that is read back from the target is not compared with its digest'],
  },
  {
    change: 'sparse file: fdatasync before the rename skipped',
    mutants: ['a small sparse file gets its name before its data is on disk'],
  },
  {
    change: 'rename not exclusive: may overwrite what appeared since the look',
    mutants: ['a new name replaces what appeared there since the look'],
  },
  {
    change: 'unreadable folder counts as emptied (mass deletion)',
    mutants: ['an unreadable folder counts as emptied'],
  },
  {
    change: 'lstat EACCES or EIO counts as deleted',
    mutants: ['an entry whose state cannot be read counts as deleted'],
  },
  {
    change: 'refused pack address used again',
    mutants: ['the address of packs that the storage refused is used again'],
  },
  { change: 'prototype members count as methods', mutants: ['members of the prototype count as methods'] },
  {
    change: 'answers not checked: secrets may leak through',
    mutants: ['answers pass a process border unchecked'],
  },
  {
    change: 'locked window may copy or save diagnostics',
    mutants: ['a locked window may copy and save diagnostics'],
  },
  {
    change: 'wrong password counted only after the check (kill to evade)',
    mutants: ['a wrong password is counted only after the check'],
  },
  {
    change: 'no fsync of the lock file, nor of the kit',
    mutants: ['the file of the lock is written in place', 'a recovery kit is written in place'],
  },
  { change: 'password change leaves cached callers for 30 s', mutants: ['a password change leaves cached callers'] },
  {
    change: 'spent signature forgotten before its window ends (replay)',
    mutants: ['a spent signature is forgotten before its time ends'],
  },
  {
    change: 'reuse detected: the cached caller stays for 30 s',
    mutants: ['a caller stays cached when its refresh token is reused'],
  },
  { change: 'TOTP code may be replayed for sensitive changes', mutants: ['a code confirms twice'] },
  {
    change: 'complete with one missing chunk (off by one)',
    mutants: ['a backup completes with one chunk missing'],
  },
  {
    change: 'complete answers before blobs are on disk',
    mutants: ['a chunk counts as stored before its blob is on disk', 'a backup completes before its blobs are settled'],
  },
  {
    change: 'retention route: device not checked by the route',
    mutants: ['the route of retention does not look at the device'],
  },
  { change: 'pack files world-readable', mutants: ['others may read packs'] },
  {
    change: 'pack deleted before moved records and index are flushed',
    mutants: [
      'a pack is deleted before its copies and their index are on disk',
      'a pack is deleted before the copies of other processes are on disk',
    ],
  },
  { change: 'blob of another size handed out', mutants: ['a blob of another size is returned'] },
  {
    change: 'large blobs never fsynced before they count',
    mutants: ['a large blob counts before it is on disk'],
  },
  { change: 'folders of blobs never fsynced', mutants: ['the folders of large blobs are never synced'] },
  {
    change: 'versions cleared while the account is held',
    mutants: ['versions of files are deleted while the account is held'],
  },
  {
    change: 'collector drops a referenced chunk',
    mutants: ['the collector drops a chunk that a restore point has'],
  },
  {
    change: 'referenced condemned chunks are not spared',
    mutants: ['a condemned chunk that a restore point has is not spared'],
  },
  {
    change: 'collector works while the account is held (ransomware)',
    mutants: ['the collector works while the account is held'],
  },
  {
    change: 'answer not asked again after chunks were dropped meanwhile',
    mutants: ['chunks that were dropped during a query are reported as stored'],
  },
];
