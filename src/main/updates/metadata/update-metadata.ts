import { z } from 'zod';
import { UpdateProblem } from '../update-problem.ts';

/** Three numbers without a suffix: only releases are offered. */
const version = z.string().regex(/^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/);

const metadata = z.object({
  version,
  files: z
    .array(
      z.object({
        url: z.string().max(200),
        sha512: z.string().regex(/^[\w+/]{86}==$/),
        size: z.int().positive().max(2_000_000_000),
      }),
    )
    .min(1)
    .max(20),
  releaseDate: z.string().max(40),
  releaseNotes: z.string().max(100_000).optional(),
  stagingPercentage: z.number().min(0).max(100).optional(),
  /** The least system, as `os.release()` names it: the version of the kernel. */
  minimumSystemVersion: version.optional(),
});
export type UpdateMetadata = Readonly<z.infer<typeof metadata>>;

/** Endings of the files that an update is installed from. */
const ENDINGS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { linux: 'AppImage', darwin: 'zip', win32: 'exe' };
/** Names of processors in files, which differ between kinds of packages. */
const PROCESSORS: Readonly<Record<string, readonly string[]>> = {
  x64: ['x64', 'x86_64', 'universal'],
  arm64: ['arm64', 'aarch64', 'universal'],
};

export interface Computer {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
}

/**
 * Returns the metadata with the only file that this computer installs; without any if there is none for it.
 *
 * @param parsed of metadata whose signature was verified
 * @throws UpdateProblem `metadata` if it is not of this product, or of another form
 */
export function readMetadata(parsed: unknown, { platform, arch }: Computer): UpdateMetadata {
  const { success, data } = metadata.safeParse(parsed);
  if (!success) throw new UpdateProblem('metadata');
  const ours = new RegExp(`^Holdfast-${data.version.replaceAll('.', String.raw`\.`)}-(\\w+)\\.([A-Za-z.]+)$`);
  const named = data.files.map((file) => ({ file, match: ours.exec(file.url) }));
  if (named.some(({ match }) => match === null)) throw new UpdateProblem('metadata');
  const fitting = named.filter(
    ({ match }) => match?.[2] === ENDINGS[platform] && PROCESSORS[arch]?.includes(match?.[1] ?? '') === true,
  );
  return { ...data, files: fitting.map(({ file }) => file) };
}

/**
 * Returns whether a release needs a newer system than this one.
 *
 * @param needed three numbers; `undefined` if it needs none
 * @param system as `os.release()` names it, such as `22.6.0`, `10.0.26100` or `6.8.0-45-generic`. One without numbers is no reason against an update
 */
export function isSystemTooOld(needed: string | undefined, system: string): boolean {
  const [numbers] = /^\d+(\.\d+){0,2}/.exec(system) ?? [];
  if (needed === undefined || numbers === undefined) return false;
  const found = numbers.split('.').map(Number);
  return compareNumbers(needed.split('.').map(Number), found) > 0;
}

/** Returns whether a release is higher than the version that runs, which may be a trial version such as `1.2.3-beta.1`. */
export function isHigher(release: string, running: string): boolean {
  const [base = '', trial] = running.split('-');
  const [first, second] = [release, base].map((text) => text.split('.').map(Number));
  const order = compareNumbers(first!, second!);
  return order === 0 ? trial !== undefined : order > 0;
}

/** Returns a positive number if the first version is higher, 0 if both are the same. Missing numbers are 0. */
function compareNumbers(first: readonly number[], second: readonly number[]): number {
  for (const [index, number] of first.entries()) {
    const difference = number - (second[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
