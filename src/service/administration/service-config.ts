import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import type { AccountSettings } from '../auth/account-settings.ts';
import type { MailLanguage } from '../mail/mail-texts.ts';
import type { SmtpConfig } from '../mail/smtp.ts';
import { parseRange, type AddressRange } from '../request/client-address.ts';
import type { LogLevel } from '../operation/log.ts';
import { DEFAULT_LIMITS, type RateLimits } from '../operation/rate-limit.ts';
import { wrongUsage } from '../../base/errors/errors.ts';
import { fieldsOfEnvironment, givenConfig, type GivenServiceConfig } from './service-fields.ts';
import { DAY, HOUR } from '../../model/units.ts';

/** Configuration of a service. */
export interface ServiceConfig {
  /** The folder with its data. */
  readonly data: string;
  readonly host: string;
  /** 0 lets the system choose one. */
  readonly port: number;
  /** Public address of the service, if it differs from the address of the request. */
  readonly publicUrl?: string;
  /** `postgres://…` with credentials; without it, SQLite in `data`. */
  readonly database?: string;
  /** `s3://bucket[/prefix]`; without it, files in `data`. */
  readonly objects?: string;
  readonly objectsEndpoint?: string;
  readonly objectsRegion?: string;
  /** True if webhooks may go to private addresses. */
  readonly allowPrivateWebhooks: boolean;
  /** The mail server, if the service sends mail. */
  readonly mail?: MailConfig;
  readonly trustedProxies: readonly AddressRange[];
  /** Differences from the service's defaults. */
  readonly accounts: Partial<AccountSettings>;
  readonly limits: RateLimits;
  readonly metricsToken?: string;
  /** The OTLP address of a collector, if traces are sent. */
  readonly tracesUrl?: string;
  /** Time that closing waits for running requests. */
  readonly closingSeconds: number;
  readonly logLevel: LogLevel;
}

/** How a service sends mail. It needs a public address, which the links in it begin with. */
export interface MailConfig extends SmtpConfig {
  readonly language: MailLanguage;
}

/** Serves only this computer by default. */
const DEFAULTS = {
  host: '127.0.0.1',
  port: 8787,
  allowPrivateWebhooks: false,
  closingSeconds: 30,
  logLevel: 'info',
} as const;

export type { GivenServiceConfig };

/** A configuration, as far as it could be read, and a sentence for each problem. */
export interface ReadServiceConfig {
  /** `undefined` if there is any problem. */
  readonly config: ServiceConfig | undefined;
  readonly problems: readonly string[];
}

/**
 * Reads each field from the command line, else the environment, else the configuration file, else the default.
 *
 * @throws HoldfastError `usage` that names each invalid field and its source
 */
export function serviceConfig(
  options: GivenServiceConfig,
  environment: NodeJS.ProcessEnv,
  configFile: string | undefined,
): ServiceConfig {
  const { config, problems } = readServiceConfig(options, environment, configFile);
  if (config) return config;
  throw wrongUsage({ problem: 'service', message: problems.join('\n') });
}

/** Like `serviceConfig`, but returns all problems. */
export function readServiceConfig(
  options: GivenServiceConfig,
  environment: NodeJS.ProcessEnv,
  configFile: string | undefined,
): ReadServiceConfig {
  const problems: string[] = [];
  const given: GivenServiceConfig = {
    ...(configFile === undefined ? {} : fromFile(configFile, problems)),
    ...checked(fieldsOfEnvironment(environment), 'the environment (HOLDFAST_SERVICE_…)', problems),
    ...checked(options, 'the command line', problems),
  };
  const database = given.database ?? secretIn(given.databaseFile, 'databaseFile', problems);
  if (given.databaseFile !== undefined && database !== undefined && !DATABASE_URL.test(database)) {
    problems.push('What is in "databaseFile" is no address like postgres://user@host/name.');
  }
  const metricsToken = secretIn(given.metricsTokenFile, 'metricsTokenFile', problems);
  const mail = mailOf(given, secretIn(given.mailServerFile, 'mailServerFile', problems), problems);
  const { data } = given;
  if (data === undefined) problems.push('The service needs a folder for its data: --data DIR.');
  if (data === undefined || problems.length > 0) return { config: undefined, problems };
  return { config: completed({ ...given, data }, { database, metricsToken, mail }), problems };
}

const DATABASE_URL = /^postgres(ql)?:\/\//;
const MAIL_URL = /^smtps?:\/\//;

interface Secrets {
  readonly database: string | undefined;
  readonly metricsToken: string | undefined;
  readonly mail: MailConfig | undefined;
}

function mailOf(
  { mailServer, mailFrom, mailLanguage, publicUrl }: GivenServiceConfig,
  secret: string | undefined,
  problems: string[],
): MailConfig | undefined {
  const server = mailServer ?? secret;
  if (server === undefined) return undefined;
  if (!MAIL_URL.test(server))
    problems.push('What is in "mailServerFile" is no address like smtps://user:password@host.');
  if (mailFrom === undefined) problems.push('"mailServer" needs "mailFrom", the address that mail is sent from.');
  if (publicUrl === undefined) problems.push('"mailServer" needs "publicUrl", which the links in mails begin with.');
  return { server, from: mailFrom ?? '', language: mailLanguage ?? 'en' };
}

function completed(
  given: GivenServiceConfig & { readonly data: string },
  { database, metricsToken, mail }: Secrets,
): ServiceConfig {
  const { data, publicUrl, objects, objectsEndpoint, objectsRegion, tracesUrl } = given;
  return {
    data,
    host: given.host ?? DEFAULTS.host,
    port: given.port ?? DEFAULTS.port,
    ...withoutUndefined({
      publicUrl,
      database,
      objects,
      objectsEndpoint,
      objectsRegion,
      metricsToken,
      mail,
      tracesUrl,
    }),
    allowPrivateWebhooks: given.allowPrivateWebhooks ?? DEFAULTS.allowPrivateWebhooks,
    trustedProxies: (given.trustedProxies ?? []).map(parseRange),
    accounts: accountsOf(given),
    limits: {
      perAddress: given.requestsPerAddress ?? DEFAULT_LIMITS.perAddress,
      signInsPerAddress: given.signInsPerAddress ?? DEFAULT_LIMITS.signInsPerAddress,
      perAccount: given.requestsPerAccount ?? DEFAULT_LIMITS.perAccount,
    },
    closingSeconds: given.closingSeconds ?? DEFAULTS.closingSeconds,
    logLevel: given.logLevel ?? DEFAULTS.logLevel,
  };
}

function accountsOf({
  signup,
  identityProviders,
  deviceOfflineHours: hours,
  erasureDays: days,
}: GivenServiceConfig): Partial<AccountSettings> {
  const offlineAfter = hours === undefined ? undefined : hours * HOUR;
  const erasureWait = days === undefined ? undefined : days * DAY;
  return withoutUndefined({ signup, providers: identityProviders, offlineAfter, erasureWait });
}

function fromFile(file: string, problems: string[]): GivenServiceConfig {
  const content = readText(file, problems);
  if (content === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    problems.push(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}.`);
    return {};
  }
  return checked(value, file, problems);
}

function secretIn(file: string | undefined, field: string, problems: string[]): string | undefined {
  if (file === undefined) return undefined;
  const secret = readText(file, problems)?.trim();
  if (secret === '') problems.push(`The file of "${field}" is empty.`);
  return secret;
}

function readText(file: string, problems: string[]): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    problems.push(`The file ${file} cannot be read (${reason}).`);
    return undefined;
  }
}

function checked(value: unknown, where: string, problems: string[]): GivenServiceConfig {
  const parsed = givenConfig.safeParse(value);
  if (parsed.success) return withoutUndefined(parsed.data);
  for (const issue of parsed.error.issues) problems.push(`In ${where}, ${issueText(issue)}.`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  // Keeps the valid fields, so that none of them is reported as missing.
  const wrong = new Set(parsed.error.issues.flatMap(({ path: [field], ...issue }) => field ?? keysOf(issue)));
  const rest = givenConfig.safeParse(Object.fromEntries(Object.entries(value).filter(([field]) => !wrong.has(field))));
  return rest.success ? withoutUndefined(rest.data) : {};
}

function keysOf(issue: object): readonly string[] {
  return 'keys' in issue && Array.isArray(issue.keys) ? issue.keys.map(String) : [];
}

function issueText({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `"${path.map(String).join('.')}": ${message}`;
}

function withoutUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
