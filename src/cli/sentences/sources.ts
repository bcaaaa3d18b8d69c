import { because, detail, type Sentences } from './sentence.ts';

type Code = 'source_missing' | 'source_unreadable' | 'source_not_mounted' | 'source_empty' | 'sources_keep_changing';

export const sourceSentences: Sentences<Code> = {
  source_missing: (details) => ({
    what: `${detail(details, 'path', 'A folder of the set')} does not exist, so nothing was recorded as deleted.`,
    todo: 'Bring it back (is a disk unplugged?), or change the set.',
  }),
  source_unreadable: (details) => {
    const path = detail(details, 'path', 'A folder of the set');
    if (details['problem'] === 'reserved-path') {
      return {
        what: `${path} is where backups keep entries of their own.`,
        todo: 'Choose another folder for the set.',
      };
    }
    return {
      what: `${path} cannot be read${because(details)}.`,
      todo: 'Check its permissions, or run Holdfast as somebody who may read it.',
    };
  },
  source_not_mounted: (details) => ({
    what: `${detail(details, 'path', 'A folder of the set')} is a place for a disk, and no disk is mounted there.`,
    todo: 'Mount it and run the backup again; if it is an ordinary folder now, add --allow-empty.',
  }),
  source_empty: (details) => ({
    what: `${detail(details, 'path', 'A folder of the set')} is suddenly empty; its last backup had something in it.`,
    todo: 'Check that its disk is there; if it is meant to be empty, add --allow-empty.',
  }),
  sources_keep_changing: () => ({
    what: 'Files kept changing while they were read, so no consistent backup came about.',
    todo: 'Close what writes to them, or leave them out with --exclude, and run the backup again.',
  }),
};
