import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { BucketConfig } from '../../storage/bucket/bucket-config.ts';
import { checkService } from '../operation/check/check-service.ts';
import { failed, ok, warning, type Finding } from '../operation/check/finding.ts';
import { bucketOf } from './service-bucket.ts';
import { readServiceConfig, type GivenServiceConfig, type ServiceConfig } from './service-config.ts';
import { checkMail } from '../operation/check/mail.ts';
import { unknownVariables, variableOf } from './service-fields.ts';

export type { Finding };

export interface CheckOptions {
  /** True if the service is about to start: nothing is asked that only a running service can answer. */
  readonly beforeStart: boolean;
}

/** Checks a configuration and everything that it names. Leaves nothing behind, and does not throw for a failed check. */
export async function checkServiceConfig(
  options: GivenServiceConfig,
  environment: NodeJS.ProcessEnv,
  configFile: string | undefined,
  { beforeStart }: CheckOptions,
): Promise<readonly Finding[]> {
  const { config, problems } = readServiceConfig(options, environment, configFile);
  const findings = [
    ...problems.map((problem) => failed('config', problem)),
    ...unknownVariables(environment).map((name) => warning('config', `${name} is set, and no field has this name.`)),
    ...secretFiles(configFile, options, environment).flatMap((file) => permissionFinding(file)),
  ];
  if (!config) return findings;
  if (findings.length === 0) findings.push(ok('config', 'The config can be read.'));
  const bucket = bucketOf(config, environment);
  if (bucket.kind === 'wrong') return [...findings, failed('objects', bucket.problem)];
  return [
    ...findings,
    ...(await checkMail(config.mail)),
    ...(await checkService(checkedService(config, bucket.kind === 'bucket' ? bucket.config : undefined), beforeStart)),
  ];
}

function checkedService(config: ServiceConfig, bucket: BucketConfig | undefined) {
  const { host, port, publicUrl, database, allowPrivateWebhooks } = config;
  return {
    data: resolve(config.data),
    host,
    port,
    trustsProxies: config.trustedProxies.length > 0,
    allowPrivateWebhooks,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(database === undefined ? {} : { database }),
    ...(bucket === undefined ? {} : { bucket }),
  };
}

/** The configuration file may contain the database's password. */
function secretFiles(
  configFile: string | undefined,
  options: GivenServiceConfig,
  environment: NodeJS.ProcessEnv,
): readonly string[] {
  const named = (['databaseFile', 'metricsTokenFile', 'mailServerFile'] as const).map(
    (field) => options[field] ?? environment[variableOf(field)],
  );
  return [configFile, ...named].filter((file) => file !== undefined);
}

function permissionFinding(file: string): readonly Finding[] {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & 0o007) === 0) return [];
  return [warning('config', `Every user of this computer can read ${file}: chmod o-rwx ${file}.`)];
}
