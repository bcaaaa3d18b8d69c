import { because, detail, type Sentences } from './sentence.ts';

type Code =
  | 'chunk_missing'
  | 'chunk_tampered'
  | 'chunk_corrupt'
  | 'file_size_mismatch'
  | 'tree_invalid'
  | 'retention_refused'
  | 'interrupted';

const AGAIN = 'Run it again; if it stays so, the storage has lost or changed data: tell its operator the names above.';

export const dataSentences: Sentences<Code> = {
  chunk_missing: (details) => ({
    what: `The storage does not have a chunk that is needed${because(details, 'chunk')}.`,
    todo: AGAIN,
  }),
  chunk_tampered: (details) => ({
    what: `A chunk does not open: it was changed, or it is under another key${because(details, 'chunk')}.`,
    todo: AGAIN,
  }),
  chunk_corrupt: (details) => ({ what: `A chunk is not what its name says${because(details, 'chunk')}.`, todo: AGAIN }),
  file_size_mismatch: (details) => ({
    what: `${detail(details, 'path', 'A file')} does not have the size that its backup recorded.`,
    todo: AGAIN,
  }),
  tree_invalid: (details) => ({
    what: `The list of this restore point's files is incomplete or was altered${because(details, 'reason')}.`,
    todo: 'Try an earlier restore point with --at, and tell the operator of the storage.',
  }),
  retention_refused: (details) => ({
    what: `That is not possible${because(details, 'reason')}.`,
    todo: 'See what stays and why with: holdfast retention show NAME',
  }),
  interrupted: () => ({
    what: 'Interrupted.',
    todo: 'Run the same command again: it continues with what is done already.',
  }),
};
