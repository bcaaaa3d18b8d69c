import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, createReadStream, existsSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';

/** A server of updates as docs/packages.md describes it: plain files, and signatures by openssl. */
export class UpdateServer implements AsyncDisposable {
  readonly #folder: string;
  readonly #served: string;
  readonly #server: Server;

  private constructor(folder: string, server: Server) {
    this.#folder = folder;
    this.#served = join(folder, 'served');
    this.#server = server;
  }

  /** @param folder for its key and its files */
  static async start(folder: string): Promise<UpdateServer> {
    mkdirSync(folder);
    const server = createServer(({ url = '' }, response) => {
      const file = join(folder, 'served', basename(url));
      if (existsSync(file)) createReadStream(file).pipe(response);
      else response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const updates = new UpdateServer(folder, server);
    updates.#openssl('genpkey', '-algorithm', 'ed25519', '-out', 'release.pem');
    updates.#openssl('pkey', '-in', 'release.pem', '-pubout', '-out', 'release.pub.pem');
    return updates;
  }

  /** The variables that a build for this server takes. */
  get variables(): { readonly HOLDFAST_UPDATE_URL: string; readonly HOLDFAST_UPDATE_PUBLIC_KEY: string } {
    return {
      HOLDFAST_UPDATE_URL: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/updates`,
      HOLDFAST_UPDATE_PUBLIC_KEY: join(this.#folder, 'release.pub.pem'),
    };
  }

  /** Serves a package, with the metadata that electron-builder wrote beside it. */
  publish(folder: string, name: string): void {
    rmSync(this.#served, { recursive: true, force: true });
    mkdirSync(this.#served);
    for (const file of [name, 'latest-linux.yml']) copyFileSync(join(folder, file), join(this.#served, file));
    const metadata = join(this.#served, 'latest-linux.yml');
    this.#openssl('pkeyutl', '-sign', '-rawin', '-inkey', 'release.pem', '-in', metadata, '-out', `${metadata}.sig`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #openssl(...words: readonly string[]): void {
    execFileSync('openssl', words, { cwd: this.#folder, stdio: 'pipe' });
  }
}
