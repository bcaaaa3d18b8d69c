import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startReceiver, type TestReceiver } from '../../service/webhooks/receiver.ts';
import { BareRoot } from './bare-root.ts';
import { blockWith, commandBlocks, commandsOf, filledIn } from './document.ts';

const CHECKOUT = dirname(dirname(dirname(dirname(import.meta.dirname))));
const PAGE = join(CHECKOUT, 'docs/self-hosting.md');

/** Where a bare system sees the campaign's folder. */
const OUTSIDE = '/srv/outside';
/** Codes that are entered at most. */
const CODES = 5;
const PASSWORD_FILE = `${OUTSIDE}/password`;
/** Of what Caddy issues where it is told to issue certificates itself. */
const AUTHORITY = '/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt';
const LOCAL_CERTIFICATES = String.raw`sed -i '1i {\n\tlocal_certs\n\tskip_install_trust\n\tdefault_bind 127.0.0.1\n}' /etc/caddy/Caddyfile`;

export interface SelfHostingStep {
  readonly step: string;
  readonly seconds: number;
}

/**
 * Follows docs/self-hosting.md on a Debian with nothing of Holdfast: every command is the page's own. What replaces the internet: the name
 * is in /etc/hosts, Caddy issues the certificate itself, and a script does what systemd would, by the lines of the unit.
 *
 * @throws Error with the command that failed, and its output
 */
export async function runSelfHostingCampaign(onStep: (step: SelfHostingStep) => void): Promise<void> {
  await using receiver = await startReceiver(() => 200);
  using page = new Page(receiver);
  await using campaign = new SelfHostingCampaign(page, onStep);
  await campaign.run();
}

/** The page's blocks, and what a reader needs beside it. */
class Page implements Disposable {
  readonly outside = mkdtempSync(join(tmpdir(), 'holdfast-self-hosting-'));
  readonly receiver: TestReceiver;
  readonly #blocks = commandBlocks(readFileSync(PAGE, 'utf8'));
  readonly #newest: string;

  constructor(receiver: TestReceiver) {
    this.receiver = receiver;
    chmodSync(this.outside, 0o755);
    writeFileSync(join(this.outside, 'password'), 'correct horse battery staple\n');
    copyFileSync(join(import.meta.dirname, 'systemctl'), join(this.outside, 'systemctl'));
    chmodSync(join(this.outside, 'systemctl'), 0o755);
    mkdirSync(this.#repository);
    this.#git('clone', '--quiet', '--bare', CHECKOUT, '.');
    const [earlier, newest] = this.#upgrade();
    this.#newest = newest;
    this.#git('update-ref', 'refs/heads/main', earlier);
    this.#git('symbolic-ref', 'HEAD', 'refs/heads/main');
  }

  block(text: RegExp, ...places: readonly (readonly [string, string])[]): string {
    return filledIn(blockWith(this.#blocks, text), ...places);
  }

  /** Publishes the newest commit. */
  publish(): void {
    this.#git('update-ref', 'refs/heads/main', this.#newest);
  }

  [Symbol.dispose](): void {
    rmSync(this.outside, { recursive: true, force: true });
  }

  /**
   * From the commit before to the newest one. Until the first release a commit may change the tables of a service without bringing older
   * ones up to date; then the upgrade is from the newest commit to an empty one.
   */
  #upgrade(): readonly [earlier: string, newest: string] {
    const head = this.#git('rev-parse', 'HEAD');
    if (this.#git('diff', '--name-only', `${head}^`, head, '--', 'src/service/database/schema') === '')
      return [`${head}^`, head];
    const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.org'];
    return [head, this.#git(...identity, 'commit-tree', `${head}^{tree}`, '-p', head, '-m', 'upgrade')];
  }

  get #repository(): string {
    return join(this.outside, 'repository');
  }

  #git(...words: readonly string[]): string {
    return execFileSync('git', words, { encoding: 'utf8', cwd: this.#repository }).trim();
  }
}

class SelfHostingCampaign implements AsyncDisposable {
  readonly #page: Page;
  readonly #onStep: (step: SelfHostingStep) => void;
  readonly #root: BareRoot;
  #secret = '';

  constructor(page: Page, onStep: (step: SelfHostingStep) => void) {
    this.#page = page;
    this.#onStep = onStep;
    this.#root = BareRoot.start(page.outside);
  }

  async run(): Promise<void> {
    await this.#step('a computer with a name', () => this.#prepare());
    await this.#step('installation', () => this.#install());
    await this.#step('TLS, and the service', () => this.#start());
    await this.#step('check', () => this.#paste([/^runuser .* service check/]));
    await this.#step('account and webhook', () => this.#openAccount());
    await this.#step('two laptops back up', () => this.#joinLaptops());
    await this.#step('copy, and a trial of it', () => this.#copy());
    await this.#step('restore of the service', () => this.#restore());
    await this.#step('upgrade', () => this.#upgrade());
    await this.#step('two laptops restore', () => this.#compare('restored'));
    await this.#step('move to PostgreSQL', () => this.#move());
    await this.#step('two laptops restore from it', () => this.#compare('moved'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#root[Symbol.asyncDispose]();
  }

  async #prepare(): Promise<void> {
    await this.#all(
      'echo 127.0.0.1 backup.example.org >>/etc/hosts',
      `install -m 0755 ${OUTSIDE}/systemctl /usr/local/bin/systemctl`,
      `git config --system --add safe.directory '*'`,
      'export DEBIAN_FRONTEND=noninteractive APT_LISTCHANGES_FRONTEND=none',
    );
  }

  async #install(): Promise<void> {
    const block = this.#page.block(/git clone/, ['ADDRESS', `${OUTSIDE}/repository`]);
    await this.#all(...commandsOf(block));
    // The receiver of webhooks is on this computer.
    await this.#all(
      `sed -i 's/"logLevel"/"allowPrivateWebhooks": true, "logLevel"/' /etc/holdfast/service.json`,
      `grep -q '"publicUrl": "https://backup.example.org"' /etc/holdfast/service.json`,
    );
  }

  async #start(): Promise<void> {
    const block = this.#page.block(/apt-get install caddy/, ['apt-get install caddy', 'apt-get install -y -qq caddy']);
    const commands = commandsOf(block).flatMap((command) =>
      command.startsWith('cp deploy/caddy') ? [command, LOCAL_CERTIFICATES] : [command],
    );
    await this.#all(...commands);
    await this.#all(
      `until [ -s ${AUTHORITY} ]; do sleep 0.1; done`,
      `install -m 0644 ${AUTHORITY} /etc/ssl/holdfast-authority.pem`,
      'export NODE_EXTRA_CA_CERTS=/etc/ssl/holdfast-authority.pem',
    );
  }

  async #openAccount(): Promise<void> {
    const output = await this.#paste([/^runuser .* account create/, ['FILE', PASSWORD_FILE]]);
    const [, secret] = /\b([A-Z2-7]{32})\b/.exec(output) ?? [];
    if (secret === undefined) throw new Error(`no secret for an authenticator app in:\n${output}`);
    this.#secret = secret;
    await this.#paste([/webhook add/, ['https://hooks.example.org/holdfast', this.#page.receiver.url]]);
  }

  /** Enters the next code as somebody would, if the computer was so busy that the one before was too old. */
  async #setUp(name: string, phrase: readonly string[], codesLater: number): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      // Each code is valid once; a code of half a minute later is accepted, too.
      const later = new Date(Date.now() + codesLater * 30_000).toISOString().replace('T', ' ').slice(0, 19);
      const code = await this.#output(`oathtool --totp --base32 --now '${later} UTC' ${this.#secret}`);
      const block = this.#page.block(/holdfast setup --server/, ['FILE', PASSWORD_FILE], ['123456', code.trim()]);
      const [command] = commandsOf(block);
      const { status, output } = await this.#root.run(as(name, `${command!} --json ${phrase.join(' ')}`));
      if (status === 0) return output;
      if (attempt === CODES || !output.includes('"code_wrong"')) throw new Error(`${command!}\n${output}`);
      await this.#all('sleep 30');
    }
  }

  async #joinLaptops(): Promise<void> {
    const phrase: string[] = [];
    for (const [index, name] of LAPTOPS.entries()) {
      await this.#all(
        `useradd --create-home ${name}`,
        `runuser -u ${name} -- sh -c 'mkdir ~/documents && head -c 3000000 /dev/urandom >~/documents/film && cp -r /usr/share/common-licenses ~/documents'`,
      );
      const output = await this.#setUp(name, phrase, index);
      const { recovery_phrase: words } = JSON.parse(output) as { readonly recovery_phrase?: string };
      if (words !== undefined && phrase.length === 0) {
        writeFileSync(join(this.#page.outside, 'phrase'), words);
        phrase.push('--recovery-phrase-file', `${OUTSIDE}/phrase`);
      }
      await this.#all(as(name, 'holdfast set add documents ~/documents'), as(name, 'holdfast backup documents'));
    }
    await this.#received('backup.completed', LAPTOPS.length);
  }

  async #copy(): Promise<void> {
    await this.#paste([/service copy/]);
    const before = this.#page.receiver.requests.length;
    const commands = commandsOf(this.#page.block(/--port 8788/));
    await this.#all(
      ...commands.slice(0, -1),
      `${commands.at(-1)!} --allow-private-webhooks >/var/log/trial.log 2>&1 & echo $! >/run/trial.pid`,
    );
    await this.#all(
      'until curl -fs -o /dev/null http://127.0.0.1:8788/readyz; do sleep 0.1; done',
      'grep -q "this is a copy" /var/log/trial.log',
      `curl -fs http://127.0.0.1:8788/metrics | grep -q '^holdfast_muted 1$'`,
      'kill "$(cat /run/trial.pid)"; wait',
    );
    if (this.#page.receiver.requests.length > before) throw new Error('the trial has sent webhooks');
  }

  async #restore(): Promise<void> {
    await this.#paste([/holdfast.replaced/]);
    await this.#all(as(LAPTOPS[0], 'holdfast backup documents'));
    await this.#received('backup.completed', LAPTOPS.length + 1);
  }

  async #upgrade(): Promise<void> {
    this.#page.publish();
    await this.#paste([/git pull/]);
    await this.#all(`[ "$(git -C /opt/holdfast rev-parse HEAD)" = "$(git -C ${OUTSIDE}/repository rev-parse main)" ]`);
  }

  /** Debian's package starts its cluster by systemd. */
  async #move(): Promise<void> {
    const commands = commandsOf(this.#page.block(/createdb/, ['apt-get install', 'apt-get install -y -qq']));
    const [install = '', ...others] = commands;
    const start = `pg_lsclusters -h | while read -r version cluster rest; do pg_ctlcluster "$version" "$cluster" start -o "-c listen_addresses="; done`;
    await this.#all(install, start, ...others);
    await this.#paste([/service import/]);
    await this.#all(
      `until curl -fs -o /dev/null http://127.0.0.1:8787/readyz; do sleep 0.1; done`,
      `[ "$(runuser -u holdfast -- psql -h /var/run/postgresql -Atc 'SELECT count(*) >= 2 FROM device' holdfast)" = t ]`,
      'rm -f /var/lib/holdfast/metadata.sqlite*',
    );
  }

  /** @param folder in which each laptop restores */
  async #compare(folder: string): Promise<void> {
    for (const name of LAPTOPS) {
      const restored = `holdfast restore documents --to ~/${folder} && diff -r ~/documents ~/${folder}/documents`;
      await this.#all(as(name, 'holdfast backup documents'), as(name, restored));
    }
    await this.#all('runuser -u holdfast -- bin/holdfast service check --config /etc/holdfast/service.json');
  }

  /** Pastes the block that contains a text. */
  async #paste(
    block: readonly [text: RegExp, ...places: readonly (readonly [placeholder: string, value: string])[]],
  ): Promise<string> {
    return await this.#all(...commandsOf(this.#page.block(...block)));
  }

  async #all(...commands: readonly string[]): Promise<string> {
    const outputs: string[] = [];
    for (const command of commands) outputs.push(await this.#output(command));
    return outputs.join('\n');
  }

  async #output(command: string): Promise<string> {
    const { status, output } = await this.#root.run(command);
    if (status === 0) return output;
    const { output: log } = await this.#root.run(`ls -A /var/lib/holdfast; tail -n 8 /var/log/holdfast.log`);
    throw new Error(`${command}\nended with ${status}:\n${output}\n${log}`);
  }

  async #received(event: string, times: number): Promise<void> {
    const received = () =>
      this.#page.receiver.requests.filter(({ headers }) => headers['x-service-event'] === event).length;
    while (received() < times) await this.#all('sleep 0.1');
  }

  async #step(step: string, work: () => Promise<unknown>): Promise<void> {
    const started = performance.now();
    await work();
    this.#onStep({ step, seconds: Math.round((performance.now() - started) / 100) / 10 });
  }
}

const LAPTOPS = ['anna', 'ben'] as const;

/** A command of a person at a laptop, who has the program. */
function as(name: string, command: string): string {
  return `(cd /home/${name} && HOME=/home/${name} PATH=/opt/holdfast/bin:$PATH runuser -u ${name} -- sh -c '${command}')`;
}
