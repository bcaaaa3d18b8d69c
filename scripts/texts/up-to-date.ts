/**
 * Brings the compiled texts up to date with the catalogues. Git has the catalogues and the types of the English texts; whatever runs the sources calls this
 * first. It takes milliseconds when nothing has changed, and needs no package then. Also a program: `bin/node scripts/texts/up-to-date.ts`.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(dirname(import.meta.dirname));

/** Digests of what was compiled and of what came out. `bin/holdfast` looks only at its time: what is newer may have changed. */
const STAMP = join(root, 'dist/texts');
const SOURCES = ['src/strings/catalogues/*/*.po', 'src/portal/strings/catalogues/*/*.po', 'scripts/texts/*.ts'];
const COMPILED = ['src/strings/compiled/**/*.ts', 'src/portal/strings/compiled/*.ts'];

/**
 * Compiles the catalogues unless that was done. Several processes may do so at once: each file is replaced as a whole, and the stamp last.
 *
 * @throws Error if a catalogue cannot be compiled; what was compiled before stays
 */
export async function bringTextsUpToDate(): Promise<void> {
  const time = new Date();
  const sources = digestOf(SOURCES);
  const compiled = digestOf(COMPILED);
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === `${sources}\n${compiled}\n`) {
    touch(time);
    return;
  }
  // Loaded here, since it takes longer than the comparison.
  const [{ compile }, { PRODUCTS }] = await Promise.all([import('./compile.ts'), import('./catalogues.ts')]);
  rmSync(STAMP, { force: true });
  for (const product of PRODUCTS) compile(product);
  mkdirSync(dirname(STAMP), { recursive: true });
  const temporary = `${STAMP}.${process.pid}`;
  writeFileSync(temporary, `${sources}\n${digestOf(COMPILED)}\n`);
  utimesSync(temporary, time, time);
  renameSync(temporary, STAMP);
}

/** States that nothing had changed at a time. Who may not write here has it looked at again. */
function touch(time: Date): void {
  try {
    utimesSync(STAMP, time, time);
  } catch {
    // Belongs to somebody else.
  }
}

function digestOf(patterns: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of globSync(patterns, { cwd: root }).toSorted()) {
    hash
      .update(`${file}\n`)
      .update(readFileSync(join(root, file)))
      .update('\n');
  }
  return hash.digest('hex');
}

if (import.meta.main) {
  try {
    await bringTextsUpToDate();
  } catch (error) {
    console.error(
      `holdfast: the texts of ${root} cannot be compiled: ${error instanceof Error ? error.message : String(error)}`,
    );
    console.error(`Run 'npm ci' there if packages are missing, or 'npm run texts -- check' to see what is wrong.`);
    process.exitCode = 1;
  }
}
