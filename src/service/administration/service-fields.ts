import { z } from 'zod';
import { identityProvider } from '../auth/account-settings.ts';
import { MAIL_LANGUAGES } from '../mail/mail-texts.ts';
import { parseRange } from '../request/client-address.ts';
import { LOG_LEVELS } from '../operation/log.ts';

const MOST_REQUESTS = 10_000_000;

const text = z.string().min(1);
const range = z.string().refine(isRange, 'is no address and no range of addresses like 10.0.0.0/8');

/** Fields from one source; all are optional. */
export const givenConfig = z.strictObject({
  data: text.optional(),
  host: text.optional(),
  port: z.int().min(0).max(65_535).optional(),
  publicUrl: z.url({ protocol: /^https?$/ }).optional(),
  database: z.url({ protocol: /^postgres(ql)?$/, error: 'is no address like postgres://user@host/name' }).optional(),
  databaseFile: text.optional(),
  objects: z.url({ protocol: /^s3$/, error: 'is no address like s3://bucket or s3://bucket/prefix' }).optional(),
  objectsEndpoint: z.url({ protocol: /^https?$/ }).optional(),
  objectsRegion: text.optional(),
  allowPrivateWebhooks: z.boolean().optional(),
  signup: z.boolean().optional(),
  identityProviders: z.array(identityProvider).optional(),
  deviceOfflineHours: z.int().min(1).max(8_760).optional(),
  erasureDays: z.int().min(1).max(365).optional(),
  mailServer: z
    .url({ protocol: /^smtps?$/, error: 'is no address like smtps://user:password@mail.example.org' })
    .optional(),
  mailServerFile: text.optional(),
  mailFrom: text.optional(),
  mailLanguage: z.enum(MAIL_LANGUAGES).optional(),
  trustedProxies: z.array(range).optional(),
  requestsPerAddress: z.int().min(0).max(MOST_REQUESTS).optional(),
  signInsPerAddress: z.int().min(0).max(MOST_REQUESTS).optional(),
  requestsPerAccount: z.int().min(0).max(MOST_REQUESTS).optional(),
  metricsTokenFile: text.optional(),
  tracesUrl: z.url({ protocol: /^https?$/ }).optional(),
  closingSeconds: z.int().min(0).max(3_600).optional(),
  logLevel: z.enum(LOG_LEVELS).optional(),
});

export type GivenServiceConfig = z.infer<typeof givenConfig>;
export type ServiceField = keyof GivenServiceConfig;

export const SERVICE_FIELDS = Object.keys(givenConfig.shape) as readonly ServiceField[];

const VARIABLE_PREFIX = 'HOLDFAST_SERVICE_';

/** `HOLDFAST_SERVICE_PUBLIC_URL` for `publicUrl`. */
export function variableOf(field: ServiceField): string {
  return VARIABLE_PREFIX + field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** Returns `HOLDFAST_SERVICE_` variables that name no field, most likely typing errors. */
export function unknownVariables(environment: NodeJS.ProcessEnv): readonly string[] {
  const known = new Set(SERVICE_FIELDS.map(variableOf));
  return Object.keys(environment).filter((name) => name.startsWith(VARIABLE_PREFIX) && !known.has(name));
}

/** Reads fields from the environment and converts them; the check rejects values that do not convert. */
export function fieldsOfEnvironment(environment: NodeJS.ProcessEnv): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const field of SERVICE_FIELDS) {
    const value = environment[variableOf(field)];
    if (value !== undefined && value !== '') found[field] = valueOf(field, value);
  }
  return found;
}

function valueOf(field: ServiceField, value: string): unknown {
  const schema = givenConfig.shape[field].unwrap();
  if (schema instanceof z.ZodNumber) return /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (schema instanceof z.ZodArray) return listOf(value);
  if (!(schema instanceof z.ZodBoolean)) return value;
  return value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : value;
}

/** A comma-separated list, or a JSON array. */
function listOf(value: string): unknown {
  if (!value.startsWith('[')) return value.split(',').map((part) => part.trim());
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function isRange(value: string): boolean {
  try {
    parseRange(value);
    return true;
  } catch {
    return false;
  }
}
