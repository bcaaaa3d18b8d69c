import type { FailureSentences } from '../failure-types.ts';

/** Sentences about a key that was changed. */
type KeySentences = Pick<
  FailureSentences,
  Extract<keyof FailureSentences, `key_${string}` | 'chunk_tampered:epoch' | 'tree_invalid:revoked'>
>;

export const keyFailuresEn: KeySentences = {
  key_outdated: () => ({
    what: 'The key of these backups was changed, and this computer does not have the new one. What was backed up before can be restored here.',
    todo: 'Enter the new recovery phrase on this computer to back up again. If the computer was removed on purpose, leave it.',
  }),
  'key_outdated:removed': () => ({
    what: 'This computer was removed from these backups when their key was changed.',
    todo: 'To back up again, start new backups at this destination with the new recovery phrase (Settings, Destination).',
  }),
  key_changed: () => ({
    what: 'The key of these backups was changed during the run.',
    todo: 'Run the backup again. It resumes where it left off.',
  }),
  key_code_wrong: () => ({
    what: 'This code does not open these backups, or it has expired.',
    todo: 'Create a new code on a computer that backs up there. Each code works once, for 15 minutes.',
  }),
  'tree_invalid:revoked': () => ({
    what: 'This restore point was created by a computer that had been removed, so it is not trusted.',
    todo: 'Choose an earlier restore point. If the service still lets that computer in, revoke it there.',
  }),
  'chunk_tampered:epoch': () => ({
    what: 'Part of this backup is sealed with a newer key than this computer has.',
    todo: 'Enter the new recovery phrase on this computer.',
  }),
};
