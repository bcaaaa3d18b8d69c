import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DestinationChoice } from '../../../../../src/ipc/contract/setup.ts';
import { differences } from '../../../../helpers/differences.ts';
import { HostProcess } from '../host-process.ts';
import { describeEnd, programEnvironment, runProgram } from '../../../../helpers/warm-program/run-program.ts';

/** A computer with one set, whose destination is changed as in the window. */
export class DestinationFixture {
  readonly folder = mkdtempSync(join(tmpdir(), 'holdfast-destination-'));
  phrase = '';
  #restores = 0;

  constructor() {
    mkdirSync(this.at('files', 'deep'), { recursive: true });
    // Compression saves nothing, so that sizes tell what was sent.
    for (let file = 0; file < 12; file += 1) this.write(`${file}.txt`, randomBytes(4_000));
    this.write('deep/large.bin', randomBytes(3_000_000));
  }

  at(...names: readonly string[]): string {
    return join(this.folder, ...names);
  }

  write(name: string, content: string | Uint8Array): void {
    writeFileSync(this.at('files', name), content);
  }

  async start(environment: Readonly<Record<string, string>> = {}): Promise<HostProcess> {
    const host = new HostProcess(this.at('home'), environment);
    await host.ready;
    return host;
  }

  async setUp(host: HostProcess, destination: DestinationChoice = this.folderChoice('backups')): Promise<void> {
    await host.call('setup.finish', { choice: destination, deviceName: 'laptop' });
    const { words, ask } = await host.call('setup.phrase', {});
    this.phrase = words.join(' ');
    await host.call('setup.confirm-phrase', { words: ask.map((position) => words[position]!) });
    await host.call('sets.add', {
      form: {
        name: 'Documents',
        roots: [this.at('files')],
        excludes: [],
        presets: [],
        oneFileSystem: false,
        privateNames: false,
        schedule: 'manual',
        conditions: {},
        limits: {},
      },
    });
  }

  folderChoice(name: string): Extract<DestinationChoice, { kind: 'folder' }> {
    return { kind: 'folder', path: this.at(name) };
  }

  /** Returns the bytes that were sent. */
  async backUp(host: HostProcess): Promise<number> {
    const { run: id } = await host.call('runs.backup', { set: 'Documents' });
    await host.until(
      `the end of run ${id}`,
      ({ runs, sets: [set] }) => runs.length === 0 && set?.lastBackup?.id === id,
    );
    const { report } = await host.call('activity.run', { run: id });
    if (report?.restorePoint === undefined) throw new Error(`run ${id} made no restore point`);
    return report.bytesTransferred;
  }

  /** Returns the output of `diff -r` for the files and what another process restores in this home. */
  async differences(home = 'home', more: readonly string[] = [], files = 'files'): Promise<string> {
    this.#restores += 1;
    const to = this.at(`restored ${this.#restores}`);
    await this.command(home, ['restore', 'Documents', '--to', to, ...more]);
    return this.differencesTo(to, files);
  }

  /** Like `differences`, in a new home with nothing but the destination and the phrase. */
  async differencesAt(directory: string, deviceId: string, files = 'files'): Promise<string> {
    const home = `home ${readdirSync(this.folder).length}`;
    writeFileSync(this.at('phrase.txt'), this.phrase);
    await this.command(home, ['setup', '--destination', directory, '--recovery-phrase-file', this.at('phrase.txt')]);
    return this.differences(home, ['--device', deviceId], files);
  }

  /** Runs a command of the terminal that has to succeed. Returns what it writes. */
  async command(home: string, words: readonly string[]): Promise<string> {
    const environment = programEnvironment(this.at(home), this.at('user'));
    const ended = await runProgram({ words, environment, folder: this.folder });
    if (ended.status !== 0) throw new Error(`holdfast ${words.join(' ')}: ${describeEnd(ended)}`);
    return ended.stdout;
  }

  /** Returns the output of `diff -r` for the files and a restored folder. */
  differencesTo(to: string, files = 'files'): string {
    return differences(this.at(files), join(to, 'files'));
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
