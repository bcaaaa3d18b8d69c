import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Workplace, type RestoreAnswer } from '../../e2e/workplace.ts';
import {
  startStrictService,
  type StrictService,
  type StrictServiceOptions,
} from '../../../helpers/strict-service/strict-service.ts';
import { buildTree } from '../../../helpers/tree/build.ts';
import { directory, file, symlink } from '../../../helpers/tree/nodes.ts';

/** A path below the source, or another one, and the reason. */
export type Named = readonly [path: string, reason: string];

export interface Outcome {
  /** Exit code. */
  readonly status: number;
  readonly warnings: readonly Named[];
  readonly failures: readonly Named[];
}

export const WELL: Outcome = { status: 0, warnings: [], failures: [] };

/** A home that backs up to a service with nothing but the interface. */
export class World implements AsyncDisposable {
  readonly workplace = new Workplace();
  readonly service: StrictService;
  readonly source = this.workplace.path('source');
  #round = 0;

  private constructor(service: StrictService) {
    this.service = service;
    // Waiting for a service that is away is tested elsewhere.
    this.workplace.environment['HOLDFAST_MAX_WAIT'] = '20';
  }

  static async start(options: StrictServiceOptions = {}): Promise<World> {
    const world = new World(await startStrictService(options));
    await buildTree(world.source, {
      'one.txt': file('one'),
      'large.bin': file({ seed: 11, size: 1_500_000 }),
      empty: file(''),
      folder: directory({ 'two.txt': file('two', { mode: 0o640 }), link: symlink('../one.txt') }),
      'folder beside': directory({ 'three.bin': file({ seed: 12, size: 70_000 }) }),
    });
    return world;
  }

  /** Signs in with a device key, and adds the set. */
  async setUpAsDevice(): Promise<void> {
    const { device } = this.service;
    const key = this.workplace.write('device key', `${device.key}\n`);
    await this.#setUp('--device-id', device.id, '--device-key-file', key);
  }

  /** Signs in as a person, and adds the set. */
  async setUpAsPerson(): Promise<void> {
    await this.#setUp('--device-id', this.service.device.id, ...this.personWords());
  }

  /** The options of a sign-in. */
  personWords(): string[] {
    const { user } = this.service;
    const password = this.workplace.write('password', `${user.password}\n`);
    return ['--email', user.email, '--password-file', password, '--code', this.service.code()];
  }

  async #setUp(...words: string[]): Promise<void> {
    await this.workplace.json(['setup', '--server', this.service.baseUrl, ...words]);
    await this.workplace.addSet('documents', this.source);
  }

  /** Changes three files, so that the next backup has something to send. */
  change(): void {
    this.#round += 1;
    writeFileSync(join(this.source, 'one.txt'), `one, changed for round ${this.#round}`);
    writeFileSync(join(this.source, 'folder/two.txt'), `two, changed for round ${this.#round}`);
    writeFileSync(join(this.source, 'folder beside/three.bin'), Buffer.alloc(70_000, `${this.#round} `));
  }

  async backUp(): Promise<Outcome> {
    const ended = await this.workplace.run('backup', 'documents', '--json');
    const answer = JSON.parse(ended.stdout) as Printed;
    return { status: ended.status ?? -1, ...this.#named(answer) };
  }

  /** Restores everything, or a path below the source. */
  async restore(...paths: string[]): Promise<Outcome> {
    rmSync(this.target, { recursive: true, force: true });
    const words = paths.flatMap((path) => ['--path', join(this.source, path)]);
    const ended = await this.workplace.run('restore', 'documents', ...words, '--to', this.target, '--json');
    return { status: ended.status ?? -1, ...this.#named(JSON.parse(ended.stdout) as Printed) };
  }

  get target(): string {
    return this.workplace.path('target');
  }

  /** Compares what was restored with the source, byte by byte, with times and modes. @param without paths below the source */
  expectRestored(without: readonly string[] = [], folder = '.'): void {
    const expected = listed(join(this.source, folder));
    for (const path of without) expected.delete(path);
    const restored = folder === '.' ? join(this.target, 'source') : join(this.target, folder);
    expect(Object.fromEntries(listed(restored))).toEqual(Object.fromEntries(expected));
  }

  #named(answer: Printed): Omit<Outcome, 'status'> {
    const below = (path: string): string =>
      path.startsWith(`${this.source}/`) ? path.slice(this.source.length + 1) : path;
    const named = (list: readonly { readonly path: string; readonly reason: string }[] = []): Named[] =>
      list
        .map(({ path, reason }): Named => [below(path), reason])
        .toSorted(([a, x], [b, y]) => (a + x < b + y ? -1 : 1));
    const failures = answer.error ? [['', answer.error.code] as const] : named(answer.failures);
    return { warnings: named(answer.warnings), failures };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.close();
    this.workplace[Symbol.dispose]();
  }
}

type Printed = Partial<RestoreAnswer> & { readonly error?: { readonly code: string } };

/** What a tree has at each path: its kind, mode, time and content. */
function listed(root: string): Map<string, string> {
  const entries = new Map<string, string>();
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const stat = lstatSync(join(root, path), { bigint: true });
    const content = stat.isFile() ? readFileSync(join(root, path)).toString('base64') : '';
    const time = stat.isSymbolicLink() ? '' : stat.mtimeNs;
    entries.set(path, `${stat.mode.toString(8)} ${time} ${content}`);
  }
  return entries;
}
