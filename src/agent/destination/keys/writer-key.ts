import { HoldfastError } from '../../../base/errors/errors.ts';
import { parseWriterKey, type WriterKey } from '../../../format/repository/writer-key.ts';

/** Folder of a home for what it remembers of repositories, by their ids. */
export const REPOSITORIES_FOLDER = 'repositories';

/** @throws HoldfastError `home_damaged` */
export function writerKeyOf(text: string): WriterKey {
  try {
    return parseWriterKey(text);
  } catch (cause) {
    throw new HoldfastError('home_damaged', { problem: 'no-device-key' }, { cause });
  }
}
