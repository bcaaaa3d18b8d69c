import { countedSentenceOf } from '../plural.ts';

const count = countedSentenceOf('en');

/** Texts of test restores and their certificate. */
export const drillEn = {
  title: 'Test restores',
  never: 'No test restore yet.',
  hint: 'At regular intervals, the newest files and random ones are restored to a temporary folder, compared and removed again.',
  passed: (set: string, when: string) => `“${set}” passed its test restore: ${when}.`,
  failed: (set: string, when: string) => `“${set}” failed its test restore: ${when}.`,
  facts: (files: number, bytes: string) =>
    count(
      files,
      `One file (${bytes}) restored and compared, the same bit for bit.`,
      `# files (${bytes}) restored and compared, the same bit for bit.`,
    ),
  failures: (files: number) =>
    count(files, 'One file could not be restored as it was.', '# files could not be restored as they were.'),
  start: 'Test now',
  startSet: (set: string) => `Test now: “${set}”`,
  save: 'Save certificate…',
  details: 'Show details',
  certificate: {
    title: 'Certificate of test restores',
    lead: 'Holdfast has restored the files below from their backups to a temporary folder and read every byte of them again. Each was compared with the SHA-256 of its parts that the sealed list of the backup proves.',
    device: 'Computer',
    issued: 'Issued',
    version: 'Holdfast',
    set: (set: string) => `Backup set “${set}”`,
    destination: 'Destination',
    tested: 'Tested',
    point: 'Restore point',
    size: 'In the restore point',
    restored: 'Restored',
    sample: 'Chosen',
    chosen: (newest: string, random: string) => `${newest} newest, ${random} at random`,
    compared: 'The same as backed up',
    onDisk: 'The same as on this computer',
    filesOf: (files: number) => count(files, '1 file', '# files'),
    sized: (files: string, bytes: string) => `${files}, ${bytes}`,
    result: 'Result',
    passed: 'Passed',
    failed: (files: number) => count(files, 'Failed: 1 file', 'Failed: # files'),
    digest: 'SHA-256 of the list',
    list: 'Files with SHA-256',
    first: (files: string) => `The first ${files} are listed.`,
    none: 'There has been no test restore.',
    footer:
      'The SHA-256 of the list is that of the lines “hash, two spaces, path” of all compared files, in this order.',
  },
};
