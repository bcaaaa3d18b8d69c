import type { FailureSentences } from '../strings/failure-types.ts';
import { printable, shellWord } from './text.ts';

const SHOWN_DISKS = 10;

/** The sentences about sources that cannot be backed up as they are, with the options that accept them. */
export const sourceSentences = {
  source_unreadable: ({ path }) => ({
    what: `${path} cannot be read.`,
    todo: 'Check its permissions, or run Holdfast as a user who may read it.',
  }),
  'source_unreadable:earlier-content': ({ path, count = 1 }) => ({
    what: `The newest restore point has files at ${path}${count > 1 ? ` and ${count - 1} more paths` : ''} that could not be read, and this computer no longer knows their last versions.`,
    todo: `Make them readable and run the backup again. To leave them out from now on, add ${count > 1 ? '--allow-empty' : `--accept ${shellWord(printable(path))}, or --allow-empty for all`}.`,
  }),
  source_not_mounted: ({ path }) => ({
    what: `${path} is a mount point, and no disk is mounted there.`,
    todo: `Mount the disk and run the backup again. If it is an ordinary folder now, add --accept ${shellWord(printable(path))}, or --allow-empty for all.`,
  }),
  'source_not_mounted:earlier-disk': ({ path }) => ({
    what: `The newest restore point has files of a disk at ${path} that is not mounted there.`,
    todo: `Mount the disk and run the backup again. To leave its files out from now on, add --accept ${shellWord(printable(path))}, or --allow-empty for all.`,
  }),
  'source_not_mounted:earlier-disks': ({ path, others, count }) => {
    const shown = [path, ...others].slice(0, SHOWN_DISKS).map(printable);
    const more = count - shown.length;
    return {
      what: `The newest restore point has files of ${count} disks that are not mounted: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
      todo: `Mount them and run the backup again. To leave their files out from now on, add ${more > 0 ? '--allow-empty' : `${shown.map((disk) => `--accept ${shellWord(disk)}`).join(' ')}, or --allow-empty for all`}.`,
    };
  },
  source_empty: ({ path }) => ({
    what: `${path} has no files any more; its last backup contained some.`,
    todo: `Check that its disk is connected. If it is meant to be empty, add --accept ${shellWord(printable(path))}, or --allow-empty for all.`,
  }),
} satisfies Partial<FailureSentences>;
