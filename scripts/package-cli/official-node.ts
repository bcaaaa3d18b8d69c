import { fileDigest } from '../release/digests.ts';

/** A build of nodejs.org. */
export interface OfficialBuild {
  readonly version: string;
  /** SHA-256 of `node-vVERSION-SYSTEM.tar.gz`, as its `SHASUMS256.txt` has it. */
  readonly archive: string;
  /** SHA-256 of `bin/node` in it. */
  readonly program: string;
}

/** The systems that packages are built for. `bin/node scripts/official-node.ts VERSION` prints this. */
export const OFFICIAL_BUILDS: Readonly<Record<'linux-arm64' | 'linux-x64', OfficialBuild>> = {
  'linux-arm64': {
    version: '24.21.0',
    archive: '724282c3b43aec998aa9527380465b45d229e021b58035f5f4f63095eabfe5d5',
    program: '0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584',
  },
  'linux-x64': {
    version: '24.21.0',
    archive: '6e1db87ef58b8819e5d5402eff1536491b18edd8eb7bee5ef7897876e88dc5ff',
    program: '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
  },
};

/**
 * Checks that the Node of a package is a build of nodejs.org, whoever has copied it to the npm registry.
 *
 * @param file the program
 * @throws Error if it is another one; the message says what to do
 */
export function expectOfficialNode(file: string, system: keyof typeof OFFICIAL_BUILDS): void {
  const { version, program } = OFFICIAL_BUILDS[system];
  const found = fileDigest(file);
  if (found === program) return;
  throw new Error(
    `${file} is not Node ${version} of nodejs.org for ${system}, so that it goes into no package: its SHA-256 is ${found}. If package.json names another version, bin/node scripts/official-node.ts compares it with that of nodejs.org`,
  );
}

/** Returns the hashes in a `SHASUMS256.txt`, by the names of the files. */
export function hashesIn(text: string): ReadonlyMap<string, string> {
  return new Map([...text.matchAll(/^([\da-f]{64}) {2}(\S+)$/gm)].map(([, hash, name]) => [name!, hash!]));
}

/** The archive of a version, and the program in it. */
export function archiveNames(version: string, system: string): { readonly archive: string; readonly program: string } {
  const name = `node-v${version}-${system}`;
  return { archive: `${name}.tar.gz`, program: `${name}/bin/node` };
}
