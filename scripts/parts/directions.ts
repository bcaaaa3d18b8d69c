import type { Import } from './import-graph.ts';
import { PARTS, type Part } from './matrix.ts';

/** Returns what the matrix of parts refuses of these imports, a sentence each. */
export function refusedImports(imports: readonly Import[], parts: readonly Part[] = PARTS): readonly string[] {
  return imports.flatMap((one) => {
    const reason = refusalOf(one, parts);
    return reason === undefined ? [] : [`${one.from} imports ${one.to}: ${reason}`];
  });
}

/** Returns the lines of the matrix that no import needs, a sentence each. */
export function unusedLines(imports: readonly Import[], parts: readonly Part[] = PARTS): readonly string[] {
  return parts.flatMap((part) => {
    const own = imports.filter(({ from }) => isIn(from, part.name));
    const isUsed = (folder: string, isType: boolean): boolean =>
      own.some((one) => one.isOurs && isIn(one.to, folder) && (isType || !one.isType));
    return [
      ...part.uses.filter((folder) => !isUsed(folder, false)).map((folder) => `${part.name} does not use ${folder}`),
      ...part.types.filter((folder) => !isUsed(folder, true)).map((folder) => `${part.name} has no types of ${folder}`),
      ...part.packages
        .filter((name) => !own.some((one) => !one.isOurs && one.to === name))
        .map((name) => `${part.name} does not use ${name}`),
    ];
  });
}

/** Returns the part of a file or a folder. @param path from the root of the checkout */
export function partOf(path: string, parts: readonly Part[] = PARTS): Part | undefined {
  return parts.find(({ name }) => isIn(path, name));
}

function refusalOf({ from, to, isOurs, isType }: Import, parts: readonly Part[]): string | undefined {
  const part = partOf(from, parts);
  if (!part) return 'its folder is no part';
  if (!isOurs) return refusalOfPackage(to, part);
  const other = partOf(to, parts);
  if (!other) return 'that is no part';
  if (other === part || part.uses.some((folder) => isIn(to, folder))) return undefined;
  if (!part.types.some((folder) => isIn(to, folder))) return `${part.name} may not know ${other.name}`;
  return isType ? undefined : `${part.name} may only use types of ${other.name}`;
}

function refusalOfPackage(name: string, { name: part, runs, packages }: Part): string | undefined {
  if (!name.startsWith('node:')) return packages.includes(name) ? undefined : `${part} may not use this package`;
  return runs === 'node' || runs === 'electron' ? undefined : `${part} runs where there is no Node`;
}

function isIn(path: string, folder: string): boolean {
  return path.startsWith(`src/${folder}/`);
}
