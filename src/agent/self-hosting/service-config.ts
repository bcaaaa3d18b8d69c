import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { wrongUsage } from '../failure.ts';

/** How a service is run. */
export interface ServiceConfig {
  /** The folder with its data. */
  readonly data: string;
  readonly host: string;
  /** 0 for one that the system chooses. */
  readonly port: number;
  /** The address by which agents reach the service, where that is not the one that they ask for. */
  readonly publicUrl?: string;
  /** Whether webhooks may go to private addresses. */
  readonly allowPrivateWebhooks: boolean;
}

const given = z.strictObject({
  data: z.string().min(1).optional(),
  host: z.string().min(1).optional(),
  port: z.int().min(0).max(65_535).optional(),
  publicUrl: z.url({ protocol: /^https?$/ }).optional(),
  allowPrivateWebhooks: z.boolean().optional(),
});
/** What one source says; anything may be left to the others. */
export type GivenServiceConfig = z.infer<typeof given>;

/** Nobody but this computer is served unless somebody asks for more. */
const DEFAULTS = { host: '127.0.0.1', port: 8787, allowPrivateWebhooks: false } as const;

const VARIABLES = {
  HOLDFAST_SERVICE_DATA: 'data',
  HOLDFAST_SERVICE_HOST: 'host',
  HOLDFAST_SERVICE_PORT: 'port',
  HOLDFAST_SERVICE_PUBLIC_URL: 'publicUrl',
  HOLDFAST_SERVICE_ALLOW_PRIVATE_WEBHOOKS: 'allowPrivateWebhooks',
} as const;

/**
 * The command line, else the environment, else the config file, else the default.
 *
 * @throws HoldfastError `usage` naming the field and where it stands
 */
export function serviceConfig(
  options: GivenServiceConfig,
  environment: NodeJS.ProcessEnv,
  configFile: string | undefined,
): ServiceConfig {
  const merged: GivenServiceConfig = {
    ...(configFile === undefined ? {} : fromFile(configFile)),
    ...fromEnvironment(environment),
    ...checked(options, 'the command line'),
  };
  const { data, host, port, publicUrl, allowPrivateWebhooks } = merged;
  if (data === undefined) {
    throw wrongUsage('service', { message: 'The service needs a folder for its data: --data DIR.' });
  }
  return {
    data,
    host: host ?? DEFAULTS.host,
    port: port ?? DEFAULTS.port,
    allowPrivateWebhooks: allowPrivateWebhooks ?? DEFAULTS.allowPrivateWebhooks,
    ...(publicUrl === undefined ? {} : { publicUrl }),
  };
}

function fromFile(file: string): GivenServiceConfig {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    throw wrongUsage('file-unreadable', { file, reason });
  }
  try {
    return checked(JSON.parse(text), file);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw wrongUsage('service', { message: `${file} is not JSON: ${error.message}.` });
  }
}

function fromEnvironment(environment: NodeJS.ProcessEnv): GivenServiceConfig {
  const found: Record<string, unknown> = {};
  for (const [variable, field] of Object.entries(VARIABLES)) {
    const text = environment[variable];
    if (text !== undefined && text !== '') found[field] = valueOf(field, text);
  }
  return checked(found, 'the environment (HOLDFAST_SERVICE_…)');
}

/** Variables are text; what is no number or truth value is left for the check to refuse. */
function valueOf(field: string, text: string): unknown {
  if (field === 'port') return /^\d+$/.test(text) ? Number(text) : text;
  if (field !== 'allowPrivateWebhooks') return text;
  return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text;
}

function checked(value: unknown, where: string): GivenServiceConfig {
  const parsed = given.safeParse(value);
  if (parsed.success) return withoutUndefined(parsed.data);
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  throw wrongUsage('service', {
    message: `In ${where}, ${field === '' ? '' : `"${field}": `}${issue?.message ?? ''}.`,
  });
}

function withoutUndefined(config: GivenServiceConfig): GivenServiceConfig {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}
