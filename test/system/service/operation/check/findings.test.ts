import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openPostgresDatabase } from '../../../../../src/service/database/postgres/postgres-database.ts';
import { checkClock } from '../../../../../src/service/operation/check/clock.ts';
import { checkDataFolder } from '../../../../../src/service/operation/check/data-folder.ts';
import { checkPostgres, checkSqlite } from '../../../../../src/service/operation/check/database.ts';
import { checkAddress } from '../../../../../src/service/operation/check/public-address.ts';
import { PYTHON, pythonHas } from '../../../../helpers/debian-python.ts';
import { emptyPostgresDatabase } from '../../../../helpers/postgres/postgres.ts';
import { temporaryDirectory } from '../../../../unit/service/harness.ts';
import { runServer } from '../running-server.ts';

const failedWith = (message: RegExp) => ({ status: 'failed', message: expect.stringMatching(message) });
const warnedOf = (message: RegExp) => ({ status: 'warning', message: expect.stringMatching(message) });

/** Listens on the loopback until the test ends, and returns the address. */
async function listening(server: Server, protocol = 'http'): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Writes a key and a certificate of last year for 127.0.0.1 to the folder. */
const EXPIRED_CERTIFICATE = `
import datetime, ipaddress, sys
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
key = ec.generate_private_key(ec.SECP256R1())
name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
begin = datetime.datetime(2025, 1, 1)
built = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
built = built.not_valid_before(begin).not_valid_after(begin + datetime.timedelta(days=30))
certificate = built.sign(key, hashes.SHA256())
encoding = serialization.Encoding.PEM
plain = serialization.NoEncryption()
open(sys.argv[1] + "/key.pem", "wb").write(key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, plain))
open(sys.argv[1] + "/certificate.pem", "wb").write(certificate.public_bytes(encoding))
`;

async function expiredCertificate(): Promise<{ readonly key: Buffer; readonly cert: Buffer }> {
  const folder = await temporaryDirectory();
  execFileSync(PYTHON, ['-c', EXPIRED_CERTIFICATE, folder]);
  return { key: readFileSync(join(folder, 'key.pem')), cert: readFileSync(join(folder, 'certificate.pem')) };
}

describe('the data folder', () => {
  test('passes if it is missing but can be created', async () => {
    const folder = await temporaryDirectory();
    expect(await checkDataFolder(join(folder, 'data'))).toMatchObject([{ status: 'ok' }]);
    expect(await checkDataFolder(join(folder, 'no', 'data'))).toMatchObject([failedWith(/ENOENT/)]);
  });

  test('fails if it or its files are open to others', async () => {
    const folder = await temporaryDirectory();
    await chmod(folder, 0o700);
    expect(await checkDataFolder(folder)).toMatchObject([{ status: 'ok' }, { status: 'ok' }]);
    await chmod(folder, 0o755);
    expect(await checkDataFolder(folder)).toContainEqual(expect.objectContaining(warnedOf(/look into the folder/)));
    await writeFile(join(folder, 'metadata.sqlite'), '');
    await chmod(join(folder, 'metadata.sqlite'), 0o644);
    expect(await checkDataFolder(folder)).toContainEqual(
      expect.objectContaining(warnedOf(/can read metadata\.sqlite/)),
    );
  });

  test('fails if it is a file', async () => {
    const file = join(await temporaryDirectory(), 'data');
    await writeFile(file, '');
    expect(await checkDataFolder(file)).toMatchObject([failedWith(/is not a folder/)]);
  });

  test('fails if it is read-only', async () => {
    expect(await checkDataFolder('/proc/self')).toMatchObject([failedWith(/cannot be written/)]);
  });
});

describe('the database', () => {
  test('SQLite: missing, current, newer, damaged', async () => {
    const folder = await temporaryDirectory();
    const data = join(folder, 'data');
    await mkdir(data);
    expect((await checkSqlite(data)).findings).toMatchObject([
      { status: 'ok', message: expect.stringMatching(/will make/) },
    ]);
    const { server } = await runServer({ data });
    expect((await checkSqlite(data)).findings).toMatchObject([
      { status: 'ok', message: expect.stringMatching(/newest/) },
    ]);
    await server.close();
    const database = new BetterSqlite(join(data, 'metadata.sqlite'));
    database.pragma('user_version = 999999');
    expect((await checkSqlite(data)).findings).toMatchObject([failedWith(/newer version/)]);
    database.close();
    await writeFile(join(data, 'metadata.sqlite'), 'no database, and long enough to be seen as none'.repeat(100));
    expect((await checkSqlite(data)).findings).toMatchObject([failedWith(/SQLITE_NOTADB/)]);
  });

  test('PostgreSQL: empty, current, newer, and its clock', async () => {
    const url = await emptyPostgresDatabase();
    const empty = await checkPostgres(url);
    expect(empty.findings).toMatchObject([{ status: 'ok', message: expect.stringMatching(/make its tables/) }]);
    expect(Math.abs(empty.skew!)).toBeLessThan(60_000);
    const database = await openPostgresDatabase(url, () => undefined);
    onTestFinished(() => database.close());
    const client = new Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    expect((await checkPostgres(url)).findings).toMatchObject([
      { status: 'ok', message: expect.stringMatching(/newest/) },
    ]);
    await client.query('UPDATE schema_version SET version = 999999');
    expect((await checkPostgres(url)).findings).toMatchObject([failedWith(/newer version/)]);
  });

  test('PostgreSQL: missing database, no server, no right to create tables, no durability', async () => {
    const url = new URL(await emptyPostgresDatabase());
    const missing = new URL(url);
    missing.pathname = '/nowhere';
    expect((await checkPostgres(missing.href)).findings).toMatchObject([failedWith(/no such database/)]);
    expect((await checkPostgres('postgres://u:secret-word@127.0.0.1:1/x')).findings).toMatchObject([
      failedWith(/^PostgreSQL at 127\.0\.0\.1:1\/x cannot be reached \(ECONNREFUSED\)\.$/),
    ]);
    const client = new Client({ connectionString: url.href });
    await client.connect();
    onTestFinished(() => client.end());
    const role = `reader_${url.pathname.slice(-8)}`;
    await client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'reader'`);
    onTestFinished(async () => void (await client.query(`DROP ROLE ${role}`)));
    const reader = new URL(url);
    reader.username = role;
    reader.password = 'reader';
    expect((await checkPostgres(reader.href)).findings).toMatchObject([failedWith(/may not make tables/)]);
    await client.query(`ALTER DATABASE ${url.pathname.slice(1)} SET synchronous_commit = off`);
    expect((await checkPostgres(url.href)).findings).toContainEqual(
      expect.objectContaining(warnedOf(/synchronous_commit is off/)),
    );
  });
});

describe('the rights of a PostgreSQL user', () => {
  test('are named if missing', async () => {
    const url = new URL(await emptyPostgresDatabase());
    const database = await openPostgresDatabase(url.href, () => undefined);
    onTestFinished(() => database.close());
    const client = new Client({ connectionString: url.href });
    await client.connect();
    onTestFinished(() => client.end());
    const role = `clerk_${url.pathname.slice(-8)}`;
    await client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'clerk'`);
    onTestFinished(async () => void (await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)));
    const clerk = new URL(url);
    clerk.username = role;
    clerk.password = 'clerk';
    const check = async () => (await checkPostgres(clerk.href)).findings;
    expect(await check()).toMatchObject([
      failedWith(/the user lacks rights: DELETE, INSERT, SELECT, UPDATE on account; .*, and on \d+ more\. GRANT them/),
    ]);
    await client.query(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`);
    expect(await check()).toMatchObject([failedWith(/lacks rights: USAGE on /)]);
    await client.query(`GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${role}`);
    await client.query(`REVOKE DELETE ON session FROM ${role}`);
    expect(await check()).toMatchObject([failedWith(/lacks rights: DELETE on session\. GRANT/)]);
    await client.query(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`);
    expect(await check()).toMatchObject([{ status: 'ok' }]);
  });
});

describe('the address', () => {
  const here = { host: '127.0.0.1', port: 8787, trustsProxies: false };

  test('passes without a public address', async () => {
    expect((await checkAddress(here)).findings).toMatchObject([{ status: 'ok' }]);
    expect((await checkAddress({ ...here, host: '0.0.0.0' })).findings).toMatchObject([warnedOf(/without TLS/)]);
    // A configured proxy exists and uses TLS.
    const behind = await checkAddress({ ...here, trustsProxies: true });
    expect(behind.findings).toMatchObject([warnedOf(/publicUrl is not set: .* cookie is not Secure/)]);
  });

  test('is answered by this service, by another one, or by none', async () => {
    const { server } = await runServer();
    const reached = await checkAddress({ ...here, publicUrl: `${server.url}/` });
    expect(reached.findings).toMatchObject([
      { status: 'ok', check: 'address' },
      { status: 'ok', check: 'tls' },
      { status: 'ok', check: 'proxy', message: expect.stringMatching(/passes a request of 64 MiB/) },
    ]);
    expect(Math.abs(reached.skew!)).toBeLessThan(60_000);
    const other = createServer((_, answer) => answer.end('<html>'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const port = (other.address() as AddressInfo).port;
    const wrong = await checkAddress({ ...here, publicUrl: `http://127.0.0.1:${port}` });
    expect(wrong.findings[0]).toMatchObject(failedWith(/not by Holdfast/));
    const nobody = await checkAddress({ ...here, publicUrl: 'http://127.0.0.1:1' });
    expect(nobody.findings[0]).toMatchObject(warnedOf(/does not answer/));
  });

  test('is not asked before the start, when a proxy answers that nobody is there', async () => {
    let requests = 0;
    const proxy = createServer((_, answer) => {
      requests += 1;
      answer.writeHead(502).end();
    });
    const publicUrl = await listening(proxy);
    const now = { ...here, publicUrl, startingFor: 0 };
    expect((await checkAddress(now)).findings[0]).toMatchObject(failedWith(/answered with 502/));
    const asked = requests;
    const { findings, skew } = await checkAddress({ ...here, publicUrl, beforeStart: true });
    expect(findings).toMatchObject([
      { status: 'ok', check: 'address' },
      { status: 'ok', check: 'tls' },
    ]);
    expect([requests, skew]).toEqual([asked, undefined]);
  });

  test('is asked again while a proxy answers for a service that is just starting', async () => {
    const { server } = await runServer();
    let requests = 0;
    const proxy = createServer((incoming, answer) => {
      requests += 1;
      if (requests < 3) return void answer.writeHead(502).end();
      const passed = request(
        server.url + incoming.url,
        { method: incoming.method, headers: incoming.headers },
        (from) => {
          answer.writeHead(from.statusCode!, from.headers);
          from.pipe(answer);
        },
      );
      incoming.pipe(passed);
    });
    const publicUrl = await listening(proxy);
    const { findings } = await checkAddress({ ...here, publicUrl, startingFor: 600_000 });
    expect(findings[0]).toMatchObject({ check: 'address', status: 'ok' });
    expect(requests).toBe(4);
  });

  test.skipIf(!pythonHas('cryptography'))(
    'has an expired certificate: a failure, and before the start a warning',
    async () => {
      const publicUrl = await listening(createSecureServer(await expiredCertificate()), 'https');
      const { findings } = await checkAddress({ ...here, publicUrl });
      expect(findings).toMatchObject([failedWith(/no certificate that devices would take/), failedWith(/has expired/)]);
      const before = await checkAddress({ ...here, publicUrl, beforeStart: true });
      expect(before.findings).toMatchObject([{ status: 'ok' }, warnedOf(/has expired/)]);
    },
  );

  test('needs TLS and a trusted proxy unless it is local', async () => {
    const { findings } = await checkAddress({ ...here, publicUrl: 'http://backup.invalid' });
    expect(findings).toContainEqual(expect.objectContaining(failedWith(/without TLS/)));
    expect(findings).toContainEqual(expect.objectContaining(warnedOf(/trustedProxies/)));
    const trusting = await checkAddress({
      host: '0.0.0.0',
      port: 1,
      trustsProxies: true,
      publicUrl: 'http://backup.invalid',
    });
    expect(trusting.findings).toContainEqual(expect.objectContaining(warnedOf(/past the proxy/)));
  });
});

describe('the clock', () => {
  const now = Date.UTC(2027, 0, 1);
  test.each([
    [[], 'ok'],
    [[400, -900], 'ok'],
    [[0, -31_000], 'warning'],
    [[301_000, 0], 'failed'],
  ])('others that differ by %j ms: %s', (skews, status) => {
    const others = skews.map((skew) => ({ whose: 'the database', skew }));
    expect(checkClock(now, others).status).toBe(status);
  });

  test('fails if it was never set', () => expect(checkClock(1_000_000, []).status).toBe('failed'));
});
