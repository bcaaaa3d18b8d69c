import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../free-port.ts';

const run = promisify(execFile);

/** The address of a store, and its credentials. */
export interface S3Address {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const KEYS = { accessKeyId: 'holdfast-test', secretAccessKey: 'holdfast-test-secret' } as const;
const STARTING = 60_000;

/** Ceph's object store on the loopback: a monitor, one OSD that stores all data in memory, and the S3 gateway. */
export class RadosGateway {
  readonly #folder: string;
  readonly #daemons: ChildProcess[] = [];
  #gateway: ChildProcess | undefined;
  /** Started as root, the daemons switch to the user that Debian creates for them. */
  readonly #user = process.getuid?.() === 0 ? userNamed('ceph') : undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async start(): Promise<S3Address> {
    const [port, monitor] = [await freePort(), await freePort()];
    for (const name of ['', 'mon', 'osd', 'run', 'log']) this.#own(mkdirSync, name);
    this.#own((file) => writeFileSync(file, configuration(this.#folder, port, monitor)), 'ceph.conf');
    const keyring = join(this.#folder, 'keyring');
    const map = join(this.#folder, 'monmap');
    const osd = randomUUID();
    await this.#tool(
      'ceph-authtool',
      '--create-keyring',
      keyring,
      '--gen-key',
      '-n',
      'mon.',
      '--cap',
      'mon',
      'allow *',
    );
    const admin = ['--gen-key', '-n', 'client.admin', '--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *'];
    await this.#tool('ceph-authtool', keyring, ...admin);
    const address = `[v1:127.0.0.1:${monitor}]`;
    await this.#tool('monmaptool', '--create', '--addv', 'a', address, '--fsid', this.#fsid(), map);
    await this.#tool('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring);
    this.#daemon('ceph-mon', '-i', 'a');
    await this.#ceph('osd', 'new', osd, '0');
    await this.#ceph('osd', 'crush', 'add', 'osd.0', '1.0', 'root=default', 'host=h');
    await this.#tool('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', osd);
    this.#daemon('ceph-osd', '-i', '0');
    this.#gateway = this.#daemon('radosgw', '-n', 'client.rgw');
    const endpoint = `http://127.0.0.1:${port}`;
    await this.#answers(endpoint);
    const { accessKeyId, secretAccessKey } = KEYS;
    const user = [
      '--uid=test',
      '--display-name=test',
      `--access-key=${accessKeyId}`,
      `--secret-key=${secretAccessKey}`,
    ];
    await this.#tool('radosgw-admin', '-n', 'client.rgw', 'user', 'create', ...user);
    return { endpoint, region: 'us-east-1', ...KEYS };
  }

  /** Ends the process that answers requests, as in a crash; the data stay with the others. */
  async killGateway(): Promise<void> {
    const exited = once(this.#gateway!, 'exit');
    this.#gateway!.kill('SIGKILL');
    await exited;
  }

  /** Starts it again, at the same address. */
  async restartGateway({ endpoint }: S3Address): Promise<void> {
    this.#gateway = this.#daemon('radosgw', '-n', 'client.rgw');
    await this.#answers(endpoint);
  }

  /** Stops the process that answers requests in the middle of whatever it does, or lets it go on. */
  signalGateway(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#gateway!.kill(signal);
  }

  /** All data is in memory, so no orderly shutdown is needed. */
  async stop(): Promise<void> {
    for (const daemon of this.#daemons) {
      if (daemon.exitCode !== null || daemon.signalCode !== null) continue;
      daemon.kill('SIGKILL');
      await once(daemon, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #own(make: (path: string) => unknown, name: string): void {
    const path = join(this.#folder, name);
    make(path);
    if (this.#user) chownSync(path, this.#user.uid, this.#user.gid);
  }

  #fsid(): string {
    return /^fsid = (.*)$/m.exec(readFileSync(join(this.#folder, 'ceph.conf'), 'utf8'))![1]!;
  }

  async #tool(program: string, ...words: readonly string[]): Promise<void> {
    await run(program, words, { ...this.#options(), timeout: STARTING });
  }

  /** Repeats a command that may be repeated: on a busy machine, a monitor that has just started refuses some with EPERM. */
  async #ceph(...words: readonly string[]): Promise<void> {
    const until = Date.now() + STARTING;
    for (;;) {
      try {
        return await this.#tool('ceph', '--connect-timeout', '30', ...words);
      } catch (error) {
        if (Date.now() > until) throw error;
        await sleep(500);
      }
    }
  }

  #daemon(program: string, ...words: readonly string[]): ChildProcess {
    const log = openSync(join(this.#folder, 'log', `${program}.out`), 'a');
    const daemon = spawn(program, ['-f', ...words], { ...this.#options(), stdio: ['ignore', log, log] });
    daemon.on('error', () => undefined);
    this.#daemons.push(daemon);
    return daemon;
  }

  #options() {
    return {
      cwd: this.#folder,
      env: { PATH: process.env['PATH'], CEPH_CONF: join(this.#folder, 'ceph.conf') },
      ...this.#user,
    };
  }

  async #answers(endpoint: string): Promise<void> {
    const until = Date.now() + STARTING;
    while (Date.now() < until) {
      const answer = await fetch(endpoint).catch(() => undefined);
      await answer?.body?.cancel();
      if (answer) return;
      await sleep(50);
    }
    throw new Error('the object store does not answer');
  }
}

function configuration(folder: string, port: number, monitor: number): string {
  return `
[global]
fsid = ${randomUUID()}
mon host = v1:127.0.0.1:${monitor}
ms bind msgr2 = false
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
paxos propose interval = 0.05
paxos min wait = 0.01
run dir = ${folder}/run
admin socket = ${folder}/run/$name.asok
pid file = ${folder}/run/$name.pid
log file = ${folder}/log/$name.log
keyring = ${folder}/keyring
crash dir = ${folder}/log
[mon]
mon data = ${folder}/mon
mon cluster log file = ${folder}/log/cluster.log
mon data avail crit = 1
mon data avail warn = 1
[osd]
osd data = ${folder}/osd
osd objectstore = memstore
osd crush update on start = false
osd class update on start = false
memstore device bytes = 4294967296
osd class dir = /usr/lib/x86_64-linux-gnu/rados-classes
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${port} tcp_nodelay=1
rgw enable usage log = false
rgw gc obj min wait = 5
rgw gc processor period = 5
rgw dns name = 127.0.0.1
`;
}

function userNamed(name: string): { uid: number; gid: number } | undefined {
  const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
