import { z } from 'zod';
import { problem, PROBLEM_MEDIA_TYPE } from '../../../protocol/problem.ts';
import { type Credential, OPERATIONS, type Operation } from './operations.ts';

type Json = Readonly<Record<string, unknown>>;

/** What the operations of a tag are for. */
const TAGS: Readonly<Record<string, string>> = {
  account_key: 'The id of the key that an account backs up with, so that all of its devices use the same.',
  accounts: 'People: signing in, second factors and passkeys, roles and invitations, the audit log, erasures.',
  auth: 'Access tokens of devices.',
  backup: 'A backup: its manifest, the addresses for missing chunks, and its completion.',
  billing: 'Notices of payments and plans.',
  capabilities: 'The extensions of this service.',
  devices: 'Registering a device.',
  lists: 'Devices, backup sets and restore points.',
  other: 'Chunks at their presigned addresses, the keys that verify access tokens, and this document.',
  restore: 'A restore: the files as they were at a time, and the addresses of their chunks.',
  retention: 'Which restore points are kept.',
};

const BYTES = { 'application/octet-stream': { schema: {} } };

/**
 * Returns the description of the interface as OpenAPI 3.1, generated from the schemas that validate requests.
 *
 * @param url public address of the service
 * @param offered the operations that this service has, as `METHOD /path`
 */
export function openApiDocument(url: string, offered: ReadonlySet<string>): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    if (!offered.has(name)) continue;
    const [method = '', route = ''] = name.split(' ');
    const path = route.replace(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[method.toLowerCase()] = described(method, route, operation);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Holdfast',
      version: '1',
      summary: 'Deduplicated, client-side-encrypted backup and restore.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url }],
    security: [{ accessToken: [] }],
    tags: [...new Set(Object.keys(OPERATIONS).map(tagOf))]
      .toSorted()
      .map((name) => ({ name, description: TAGS[name] })),
    paths,
    components: {
      schemas: { Problem: schemaOf(problem, 'output') },
      securitySchemes: {
        accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        mfaToken: { type: 'http', scheme: 'bearer', description: 'The mfa_token of a sign-in.' },
      },
    },
  };
}

function described(method: string, route: string, operation: Operation): Json {
  const { summary, request, response, status = 200 } = operation;
  const parameters = [...pathParameters(route), ...queryParameters(operation)];
  return {
    operationId: operationId(method, route),
    summary,
    tags: [tagOf(`${method} ${route}`)],
    ...securityOf(operation.credential),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(request === undefined ? {} : { requestBody: { required: true, content: contentOf(request, 'input') } }),
    responses: {
      [status]: {
        description: status === 303 ? 'A redirect.' : 'Success.',
        ...(response === undefined ? {} : { content: contentOf(response, 'output') }),
      },
      default: {
        description: 'A refusal or failure (RFC 9457).',
        content: { [PROBLEM_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

/** Without an entry the default applies: an access token. */
function securityOf(credential: Credential = 'access-token'): Json {
  switch (credential) {
    case 'access-token':
      return {};
    case 'mfa-token':
      return { security: [{ mfaToken: [] }] };
    case 'address':
    case 'none':
      return { security: [] };
  }
}

function pathParameters(route: string): readonly Json[] {
  return [...route.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters({ query }: Operation): readonly Json[] {
  if (!query) return [];
  const { properties = {}, required = [] } = schemaOf(query, 'input') as {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function contentOf(body: z.ZodType | 'bytes', io: 'input' | 'output'): Json {
  return body === 'bytes' ? BYTES : { 'application/json': { schema: schemaOf(body, io) } };
}

/** OpenAPI 3.1 takes JSON Schema 2020-12 as it is. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
  return openedFor(plain, io);
}

/** Fields that a schema does not name are ignored, never refused. */
function openedFor(schema: Json, io: 'input' | 'output'): Json {
  if (io === 'input') return schema;
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === 'additionalProperties' && value === false ? undefined : value,
  ) as Json;
}

function operationId(method: string, route: string): string {
  const words = route.split(/[^A-Za-z0-9]+/).filter((word) => word !== '' && word !== 'v1');
  const [first, ...rest] = [method.toLowerCase(), ...words];
  return first + rest.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
}

function tagOf(name: string): string {
  const [, path = ''] = name.split(' ');
  const [, first = '', , third = ''] = path.split('/');
  return first === 'functions' ? third : first === 'auth' ? 'accounts' : first === 'rest' ? 'lists' : 'other';
}
