import { wrongUsage } from '../../base/errors/errors.ts';
import { entryPathOf } from '../../os/filesystem/names/entry-path.ts';
import { isWithin } from '../../model/entry-path.ts';
import { givenEntryPaths } from './entry-path.ts';

/**
 * Refuses a path that accepts nothing, as one that is misspelled.
 *
 * @param given folders that a person accepts as they are now
 * @param sets those that are backed up
 * @throws HoldfastError `usage` unless each path lies in a source, or a source in it
 */
export function checkAccepted(given: readonly string[], sets: readonly { readonly roots: readonly string[] }[]): void {
  const roots = sets.flatMap((set) => set.roots);
  const sources = roots.map(entryPathOf);
  const strange = given.find((text) => {
    const [path] = givenEntryPaths([text], roots);
    return (
      text === '' || path === undefined || !sources.some((source) => isWithin(path, source) || isWithin(source, path))
    );
  });
  if (strange === undefined || roots.length === 0) return;
  const message = `--accept ${JSON.stringify(strange)}: nothing that is backed up lies there. Name a folder of the set, or use --allow-empty for all.`;
  throw wrongUsage({ problem: 'options', message });
}
