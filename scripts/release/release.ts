import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIBRARIES } from '../../src/renderer/features/settings/about/libraries.ts';
import { IN_PORTAL, installedLibraries, librariesBelow } from '../package-cli/libraries.ts';
import { targetOf } from '../package-cli/target.ts';
import { run } from '../package/run.ts';
import { buildAppPackages, copyAppPackages } from './app-packages.ts';
import { fileDigest } from './digests.ts';
import { notesOf } from './notes.ts';
import { envelope, provenance, publicSource } from './provenance.ts';
import { billOfMaterials, type Product } from './sbom.ts';
import { SigningKey } from './signing-key.ts';
import { isNewer, parsedVersion, setVersion } from './version-files.ts';
import { USUAL, Worktree } from './worktree.ts';

export interface ReleaseOptions {
  /** The checkout. */
  readonly root: string;
  readonly version: string;
  /** Must not exist. */
  readonly out: string;
  /** Builds everything, but makes no commit and no tag. */
  readonly isDryRun: boolean;
  readonly withApp: boolean;
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
}

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly homepage: string;
}

/**
 * Makes a release of the newest commit. The checkout changes at the very end: then its branch gets the commit of the version, and a tag.
 *
 * @throws Error if something is missing or fails; nothing has changed then
 */
export function makeRelease(options: ReleaseOptions): void {
  const { root, version, out, isDryRun, environment, say } = options;
  const key = prepared(options);
  using tree = Worktree.add(root, 'HEAD', USUAL);
  const started = new Date();
  setVersion(tree.folder, version, started.toISOString().slice(0, 10));
  tree.git('commit', '--quiet', '--all', '--message', `release: ${version}`);
  const commit = tree.git('rev-parse', 'HEAD');
  const epoch = Number(tree.git('log', '-1', '--format=%ct'));
  say('Installing the packages of the lock …');
  tree.npm('ci');
  say('Checking …');
  tree.npm('run', 'check');
  say('Testing …');
  tree.npm('run', 'test:all');
  mkdirSync(out, { recursive: true });
  buildPackages(options, tree);
  signUpdates(out, key);
  const manifest = JSON.parse(readFileSync(join(tree.folder, 'package.json'), 'utf8')) as Manifest;
  writeFileSync(
    join(out, `holdfast-${version}-notes.md`),
    notesOf(readFileSync(join(tree.folder, 'CHANGELOG.md'), 'utf8'), version),
  );
  writeBills(out, tree.folder, { version, description: manifest.description, licence: manifest.license, epoch });
  const subjects = filesOf(out).map((name) => ({ name, sha256: fileDigest(join(out, name)) }));
  const statement = provenance(subjects, {
    version,
    commit,
    source: publicSource(remoteOf(tree)),
    homepage: manifest.homepage,
    builder: environment['HOLDFAST_RELEASE_BUILDER'] ?? `${manifest.homepage.replace(/\/$/, '')}/builder/own-computer`,
    lock: fileDigest(join(tree.folder, 'package-lock.json')),
    node: process.version,
    epoch,
    started,
    finished: new Date(),
  });
  const provenanceFile = join(out, `holdfast-${version}.provenance.json`);
  writeFileSync(provenanceFile, `${JSON.stringify(statement, undefined, 2)}\n`);
  if (key)
    writeFileSync(join(out, `holdfast-${version}.intoto.jsonl`), `${JSON.stringify(envelope(statement, key))}\n`);
  writeSums(out, key);
  for (const file of filesOf(out)) say(`${file.padEnd(52)} ${sizeText(statSync(join(out, file)).size)}`);
  if (!key) say('Not signed: there is no key.');
  if (isDryRun) {
    say(`A trial: no commit and no tag were made. The files are in ${out}.`);
    return;
  }
  run('git', ['merge', '--ff-only', '--quiet', commit], { cwd: root });
  run('git', ['tag', '--annotate', `v${version}`, '--message', `Holdfast ${version}`, commit], { cwd: root });
  say(`Released ${version}. Publish it: git push origin HEAD v${version}, and the files in ${out}.`);
}

/** Looks for everything that would stop a release, before anything is built. Returns the key that signs, if there is one. */
function prepared({ root, version, out, isDryRun, environment }: ReleaseOptions): SigningKey | undefined {
  parsedVersion(version);
  const git = (...words: readonly string[]): string => run('git', words, { cwd: root }).trim();
  if (git('status', '--porcelain') !== '')
    throw new Error('there are changes that are not committed: a release is what a commit contains');
  if (git('tag', '--list', `v${version}`) !== '') throw new Error(`there is a tag v${version}`);
  const current = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest).version;
  // The first release has the version that the sources have had since their beginning.
  const isFirst = version === current && git('tag', '--list', 'v*') === '';
  if (!isFirst && !isNewer(version, current)) throw new Error(`${version} is not newer than ${current}`);
  notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), 'Unreleased');
  if (existsSync(out)) throw new Error(`${out} exists`);
  const key = SigningKey.from(environment, root);
  if (!key && !isDryRun)
    throw new Error('HOLDFAST_RELEASE_KEY_FILE names no key: a release is signed (docs/releasing.md)');
  return key;
}

function buildPackages({ out, isDryRun, withApp, say }: ReleaseOptions, tree: Worktree): void {
  say('Building the packages of the command line and of the service …');
  say(leftOut(tree.npm('run', 'package:cli', '--', '--out', out)));
  const { scripts } = JSON.parse(readFileSync(join(tree.folder, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  if (!withApp || scripts['package'] === undefined) {
    say('Not built: the packages of the app.');
    return;
  }
  say('Building the packages of the app …');
  const app = buildAppPackages(tree);
  say(leftOut(app.output));
  if (app.objection !== undefined) {
    if (!isDryRun) throw new Error(`the packages of the app: ${app.objection}`);
    say(`A real release would stop here: ${app.objection}`);
  }
  copyAppPackages(app, out);
}

/** The lines of a build that name what it did not build. */
function leftOut(output: string): string {
  const lines = output.split('\n').filter((line) => /^not built/i.test(line));
  return lines.length === 0 ? 'Everything was built.' : lines.join('\n');
}

/** The app accepts metadata with a signature beside them (docs/decisions/0203-signed-updates.md). */
function signUpdates(out: string, key: SigningKey | undefined): void {
  for (const name of filesOf(out).filter((file) => /^latest.*\.yml$/.test(file))) {
    if (key) writeFileSync(join(out, `${name}.sig`), key.sign(readFileSync(join(out, name))));
  }
}

function writeBills(out: string, root: string, common: Omit<Product, 'name'>): void {
  const target = targetOf(process.arch);
  const cli = installedLibraries(root, target);
  const all = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly dependencies?: object;
    readonly optionalDependencies?: object;
  };
  const ofCli = new Set([...Object.keys({ ...all.dependencies, ...all.optionalDependencies }), ...IN_PORTAL]);
  const ofApp = new Set(LIBRARIES.map(({ name }) => name));
  const app = librariesBelow(root, target, [...ofApp]);
  for (const [name, libraries, direct] of [
    ['holdfast-cli', cli, ofCli],
    ['holdfast-app', app, ofApp],
  ] as const) {
    const bill = billOfMaterials({ ...common, name }, libraries, direct);
    writeFileSync(join(out, `${name}-${common.version}.cdx.json`), `${JSON.stringify(bill, undefined, 2)}\n`);
  }
}

/** In the format of `sha256sum`. The signature covers the list, and so every file. */
function writeSums(out: string, key: SigningKey | undefined): void {
  const sums = join(out, 'SHA256SUMS');
  for (const name of filesOf(out)) appendFileSync(sums, `${fileDigest(join(out, name))}  ${name}\n`);
  if (!key) return;
  writeFileSync(`${sums}.sig`, key.sign(readFileSync(sums)));
  writeFileSync(join(out, 'release-key.pem'), key.publicKey);
}

function remoteOf(tree: Worktree): string {
  return tree.git('remote').split('\n').includes('origin') ? tree.git('remote', 'get-url', 'origin') : '';
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder).sort();
}

function sizeText(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2).padStart(8)} MB`;
}
