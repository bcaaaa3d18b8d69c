import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Secret, TOTP } from 'otpauth';
import { freePort } from '../../../helpers/free-port.ts';

const CHECKOUT = dirname(dirname(dirname(dirname(import.meta.dirname))));
/** With a name, an image that was built before is used. */
const BUILT = process.env['HOLDFAST_CONTAINER_IMAGE'];
const IMAGE = BUILT ?? 'holdfast-campaign';
const EMAIL = 'anna@example.org';
const PASSWORD = 'correct horse battery staple';
/** The programs that build and run images, and take the same words. */
const PROGRAMS = ['docker', 'podman'] as const;
type ContainerProgram = (typeof PROGRAMS)[number];
/** More than some computers allow is what a program asks for by default. */
const LIMITS = ['--ulimit', 'nofile=1024:4096', '--ulimit', 'nproc=4096:4096'];
/** As compose.yaml has them. */
const HARDENED = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];

export interface ContainerStep {
  readonly step: string;
  readonly seconds: number;
  readonly found?: unknown;
}

/** Returns a program that can build images here: for Docker, its service has to run. */
export function containerProgram(): ContainerProgram | undefined {
  return PROGRAMS.find((program) => spawnSync(program, ['info'], { stdio: 'ignore' }).status === 0);
}

/**
 * Builds the image of the service from the newest commit, runs it as compose.yaml does, backs up and restores at it, ends it, and starts
 * another container with the same data. `HOLDFAST_CONTAINER_RUNTIME` chooses the runtime, such as runc, and
 * `HOLDFAST_CONTAINER_IMAGE` an image that was built before.
 *
 * @throws Error with the command that failed, and its output
 */
export async function runContainerCampaign(
  program: ContainerProgram,
  onStep: (step: ContainerStep) => void,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-container-'));
  const campaign = new ContainerCampaign(program, folder);
  try {
    for (const [step, work] of campaign.steps) {
      const begun = performance.now();
      const found = await work();
      const seconds = Math.round((performance.now() - begun) / 100) / 10;
      onStep({ step, seconds, ...(found === undefined ? {} : { found }) });
    }
  } finally {
    campaign.clean();
    rmSync(folder, { recursive: true, force: true });
  }
}

class ContainerCampaign {
  readonly #program: ContainerProgram;
  readonly #folder: string;
  readonly #runtime: readonly string[];
  readonly #name = `holdfast-campaign-${process.pid}`;
  #port = 0;

  constructor(program: ContainerProgram, folder: string) {
    this.#program = program;
    this.#folder = folder;
    const runtime = process.env['HOLDFAST_CONTAINER_RUNTIME'];
    this.#runtime = runtime ? ['--runtime', runtime] : [];
  }

  get steps(): readonly (readonly [name: string, work: () => unknown])[] {
    return [
      ...(BUILT === undefined ? [['the image is built', () => this.#build()] as const] : []),
      ['its container answers', () => this.#start()],
      ['it has no rights that it does not need', () => this.#inspect()],
      ['an account, a backup and a restore', () => this.#backUp()],
      ['it ends when it is told to', () => this.#stop()],
      ['another container with the same data', () => this.#startAgain()],
    ];
  }

  clean(): void {
    spawnSync(this.#program, ['rm', '--force', this.#name], { stdio: 'ignore' });
    spawnSync(this.#program, ['volume', 'rm', '--force', this.#name], { stdio: 'ignore' });
  }

  /** From a clone, which has nothing that was built or installed here. */
  #build(): unknown {
    const clone = join(this.#folder, 'checkout');
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${CHECKOUT}`, clone]);
    // Podman leaves the health check out of its own format.
    const format = this.#program === 'podman' ? ['--format', 'docker'] : [];
    const file = join(clone, 'deploy/docker/Dockerfile');
    this.#run('build', ...format, '--network', 'host', '--file', file, '--tag', IMAGE, clone);
    const size = Number(this.#run('image', 'inspect', '--format', '{{.Size}}', IMAGE));
    return { program: this.#program, megabytes: Math.round(size / 1e6) };
  }

  async #start(): Promise<unknown> {
    if (this.#port === 0) this.#port = await freePort();
    const place = ['--volume', `${this.#name}:/data`, '--network', 'host'];
    const settings = { HOLDFAST_SERVICE_HOST: '127.0.0.1', HOLDFAST_SERVICE_PORT: String(this.#port) };
    const variables = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    // Podman's health checks need systemd. Its own command is run below.
    const health = this.#program === 'podman' ? ['--no-healthcheck'] : [];
    this.#run(
      'run',
      '--detach',
      '--name',
      this.#name,
      ...health,
      ...LIMITS,
      ...HARDENED,
      ...place,
      ...variables,
      IMAGE,
    );
    await this.#ready();
    const page = await fetch(`${this.#address}/`);
    if (!page.ok || !(await page.text()).includes('<title>Holdfast</title>'))
      throw new Error('the portal is not served');
    const [, ...check] = JSON.parse(
      this.#run('image', 'inspect', '--format', '{{json .Config.Healthcheck.Test}}', IMAGE),
    ) as string[];
    const local = check.map((word) => word.replace(':8787', `:${this.#port}`));
    this.#run('exec', this.#name, ...local);
    return { health: 'good' };
  }

  /** What the kernel says of the process. */
  #inspect(): unknown {
    const id = this.#run('inspect', '--format', '{{.State.Pid}}', this.#name);
    const status = readFileSync(`/proc/${id}/status`, 'utf8');
    const field = (name: string): string => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
    const [, root = ''] = /^\d+ \d+ \S+ \S+ \/ (\S+)/m.exec(readFileSync(`/proc/${id}/mountinfo`, 'utf8')) ?? [];
    const found = {
      user: field('Uid').split('\t')[0],
      capabilities: field('CapEff'),
      noNewPrivileges: field('NoNewPrivs'),
      root,
    };
    const isAsWanted = found.user === '1000' && /^0+$/.test(found.capabilities) && found.noNewPrivileges === '1';
    if (!isAsWanted || !root.split(',').includes('ro')) throw new Error(JSON.stringify(found));
    return found;
  }

  #backUp(): unknown {
    const password = join(this.#folder, 'password');
    writeFileSync(password, `${PASSWORD}\n`);
    // The container reads it as its own user.
    chmodSync(password, 0o644);
    const share = ['--volume', `${this.#name}:/data`, '--volume', `${password}:/password:ro`];
    const words = ['account', 'create', '--email', EMAIL, '--password-file', '/password'];
    const said = this.#run('run', '--rm', ...LIMITS, ...HARDENED, ...share, '--network', 'host', IMAGE, ...words);
    const [, secret] = /\b([A-Z2-7]{32})\b/.exec(said) ?? [];
    if (secret === undefined) throw new Error(`no secret for an authenticator app in:\n${said}`);
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    chmodSync(password, 0o600);
    this.#holdfast('setup', '--server', this.#address, '--email', EMAIL, '--password-file', password, '--code', code);
    this.#holdfast('set', 'add', 'documents', join(CHECKOUT, 'docs'), '--exclude', '!*');
    this.#holdfast('backup', 'documents');
    return this.#restore('first');
  }

  #restore(name: string): unknown {
    const target = join(this.#folder, name);
    mkdirSync(target);
    this.#holdfast('restore', 'documents', '--to', target);
    execFileSync('diff', ['-r', join(CHECKOUT, 'docs'), join(target, 'docs')]);
    return {
      files: Number(execFileSync('sh', ['-c', 'find "$1" -type f | wc -l', 'sh', target], { encoding: 'utf8' })),
    };
  }

  #stop(): unknown {
    const begun = performance.now();
    this.#run('stop', '--time', '45', this.#name);
    const milliseconds = Math.round(performance.now() - begun);
    const code = this.#run('inspect', '--format', '{{.State.ExitCode}}', this.#name);
    const said = this.#run('logs', this.#name);
    if (code !== '0' || !said.includes('the service has closed')) throw new Error(`it ended with ${code}:\n${said}`);
    return { milliseconds };
  }

  async #startAgain(): Promise<unknown> {
    this.#run('rm', this.#name);
    await this.#start();
    return this.#restore('second');
  }

  get #address(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async #ready(): Promise<void> {
    for (let tries = 0; tries < 240; tries += 1) {
      const answer = await fetch(`${this.#address}/readyz`).catch(() => undefined);
      if (answer?.ok) return;
      await pause(500);
    }
    throw new Error(`not ready:\n${this.#run('logs', this.#name)}`);
  }

  #run(command: string, ...words: readonly string[]): string {
    const runtime = this.#program === 'podman' ? this.#runtime : [];
    const ofRun = command === 'run' && this.#program === 'docker' ? this.#runtime : [];
    return called(this.#program, [...runtime, command, ...ofRun, ...words]);
  }

  #holdfast(...words: readonly string[]): string {
    return called(join(CHECKOUT, 'bin/holdfast'), words, { HOLDFAST_HOME: join(this.#folder, 'home') });
  }
}

function called(program: string, words: readonly string[], variables: Readonly<Record<string, string>> = {}): string {
  const { status, stdout, stderr } = spawnSync(program, words, {
    encoding: 'utf8',
    env: { ...process.env, ...variables },
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}\nended with ${status}:\n${stdout}\n${stderr}`);
  // Logs are on both.
  return words.includes('logs') ? `${stdout}${stderr}` : stdout.trim();
}
