import { figureText, sizeText } from '../text.ts';
import { type Details, because, detail, listed, type Describe, type Sentences } from './sentence.ts';

type Code =
  | 'destination_full'
  | 'destination_unwritable'
  | 'destination_missing'
  | 'target_full'
  | 'target_unwritable'
  | 'target_inside_source'
  | 'target_conflict'
  | 'home_busy'
  | 'home_unwritable'
  | 'home_damaged';

const SHOWN_CONFLICTS = 20;

const conflict: Describe = (details) => {
  const paths = listed(details, 'conflicts');
  const shown = paths.slice(0, SHOWN_CONFLICTS).map((path) => `\n  ${path}`);
  const total = typeof details['total'] === 'number' ? details['total'] : paths.length;
  const more = total > shown.length ? `\n  … and ${figureText(total - shown.length)} more` : '';
  return {
    what: `The restore would meet what is there already, so nothing was written:${shown.join('')}${more}`,
    todo: 'Say what to do with --conflict skip, overwrite or keep-both, or restore to an empty folder.',
  };
};

function spaceNeeded({ needed, free }: Details): string {
  return typeof needed === 'number' && typeof free === 'number'
    ? `: ${sizeText(needed)} are needed and ${sizeText(free)} are free`
    : '';
}

const damaged: Describe = (details) => {
  const file = detail(details, 'file', 'A file of the home');
  const kept = details['kept'];
  if (details['problem'] === 'newer-version') {
    return { what: `${file} was written by a newer version of Holdfast.`, todo: 'Install the newest version here.' };
  }
  if (file.endsWith('catalog.sqlite')) {
    return {
      what: `${file} is damaged${because(details)}.`,
      todo: 'Move it away: it is made anew, and the next backup reads every file once.',
    };
  }
  if (kept !== undefined) {
    const missing = details['problem'] === 'missing';
    return {
      what: missing ? `${file} is missing.` : `${file} cannot be read as settings.`,
      todo: `The copy from before its last change is kept at ${detail(details, 'kept', '')}; look at it and copy it over.`,
    };
  }
  return {
    what: `${file} is damaged${because(details)}.`,
    todo: 'Move the home away and set up again with --recovery-phrase-file and --device-id; no backup is lost.',
  };
};

export const storageSentences: Sentences<Code> = {
  destination_full: (details) => ({
    what: `There is no space left at the destination${details['directory'] === undefined ? '' : ` ${detail(details, 'directory', '')}`}.`,
    todo: 'Free some space there and run the backup again; it continues where it stopped.',
  }),
  destination_unwritable: (details) => ({
    what: `The destination ${detail(details, 'directory', '')} cannot be written to${because(details)}.`.replace(
      '  ',
      ' ',
    ),
    todo: 'Check its permissions, and whether its disk is mounted read-only.',
  }),
  destination_missing: (details) => ({
    what: `The destination ${detail(details, 'directory', '')} is not there, or is not the store that it was.`.replace(
      '  ',
      ' ',
    ),
    todo: String(details['directory']).startsWith('s3://')
      ? 'Check the name of the bucket, its endpoint and its region.'
      : 'Connect its disk and run the command again.',
  }),
  target_full: (details) => ({
    what: `There is not enough space at ${detail(details, 'target', 'the target')}${spaceNeeded(details)}.`,
    todo: 'Free some space or restore to another disk; running the same restore again continues it.',
  }),
  target_unwritable: (details) => ({
    what: `${detail(details, 'target', 'The target')} cannot be written to${because(details, 'reason')}.`,
    todo: 'Choose another folder with --to, or get the right to write there.',
  }),
  target_inside_source: (details) => ({
    what: `${detail(details, 'target', 'The target')} lies inside a folder that is backed up${details['source'] === undefined ? '' : ` (${detail(details, 'source', '')})`}.`,
    todo: 'Choose a folder outside of it with --to.',
  }),
  target_conflict: conflict,
  home_busy: (details) => ({
    what: `Another process works on this home: "${detail(details, 'command', 'unknown')}", process ${detail(details, 'pid', 'unknown')}, since ${detail(details, 'since', 'a moment ago')}.`,
    todo: 'Wait until it is done, or end it; what it has done so far is kept.',
  }),
  home_unwritable: (details) => ({
    what: `${detail(details, 'file', 'The home folder')} cannot be written to${because(details)}.`,
    todo: 'Check its permissions and the space on its disk, or choose another home with --home.',
  }),
  home_damaged: damaged,
};
