import { chmodSync } from 'node:fs';
import { userInfo } from 'node:os';
import { onTestFinished } from 'vitest';
import type { BucketConfig } from '../../../src/storage/bucket/bucket-config.ts';
import { newBucket } from '../../helpers/s3/s3-server.ts';
import { SftpServer } from '../../helpers/sftp/sftp-server.ts';
import { CREDENTIALS, startApache } from '../../helpers/webdav/apache.ts';
import type { Workplace } from './workplace.ts';

/** Options of `setup` for a destination on a server. */
export type Where = readonly string[];

/** Starts an SSH server for backups in a folder of this computer. */
export async function onSftp(folder: string): Promise<Where> {
  const server = await SftpServer.start();
  onTestFinished(() => server.close());
  const address = `sftp://${userInfo().username}@127.0.0.1:${server.port}${folder}`;
  return ['--destination', address, '--identity', server.keyFile, '--host-key', server.fingerprint];
}

/** Starts a WebDAV server, which may run as another user, for backups in `backups` of a folder that exists. */
export async function onWebdav(workplace: Workplace, served: string): Promise<Where> {
  chmodSync(workplace.folder, 0o755);
  const { url, stop } = await startApache(served);
  onTestFinished(stop);
  const password = workplace.write('password', CREDENTIALS.password);
  const address = `${url.replace('http:', 'dav:')}backups`;
  return ['--destination', address, '--user', CREDENTIALS.user, '--password-file', password];
}

/** Creates a bucket for backups in `laptop/`, whose keys are in the environment. */
export async function inBucket(
  workplace: Workplace,
): Promise<{ readonly where: Where; readonly config: BucketConfig }> {
  const config = await newBucket();
  workplace.environment['AWS_ACCESS_KEY_ID'] = config.credentials.accessKeyId;
  workplace.environment['AWS_SECRET_ACCESS_KEY'] = config.credentials.secretAccessKey;
  return { where: ['--destination', `s3://${config.bucket}/laptop`, '--endpoint', config.endpoint!], config };
}
