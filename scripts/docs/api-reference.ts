import { openApiDocument } from '../../src/service/http/open-api/document.ts';
import { OPERATIONS } from '../../src/service/http/open-api/operations.ts';

/** The parts of an OpenAPI 3.1 document that the page shows. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly tags: readonly { readonly name: string }[];
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly format?: string;
  readonly description?: string;
  readonly additionalProperties?: Schema | boolean;
}

/** Levels of objects in objects that a table shows. The document has all of them. */
const MOST_LEVELS = 3;
const TITLES: Readonly<Record<string, string>> = {
  accounts: 'Accounts and sign-in',
  lists: 'Lists',
  other: 'The service itself',
};

/** Returns the document of a service with every operation. */
export function apiDocument(): Readonly<Record<string, unknown>> {
  return openApiDocument('https://backup.example.org', new Set(Object.keys(OPERATIONS)));
}

/** Returns a page with every operation of the interface, from the document that a service has at `/openapi.json`. */
export function apiReference(): string {
  const { paths, tags } = apiDocument() as unknown as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const lines = [
    '# HTTP interface',
    '',
    'Written from the schemas that validate requests. A service has the same document at `/openapi.json`, and here it is',
    '[as a file](/files/openapi.json) (OpenAPI 3.1). What the fields mean is in [the protocol](../protocol.md).',
    '',
    'Requests carry an access token (`Authorization: Bearer …`) unless an operation says otherwise. Refusals and failures are',
    'problem details (RFC 9457).',
  ];
  for (const { name } of tags) {
    lines.push('', `## ${TITLES[name] ?? sentenceCase(name)}`);
    for (const { method, path, operation } of operations) {
      if (operation.tags.includes(name)) lines.push(...described(method, path, operation));
    }
  }
  return `${lines.join('\n')}\n`;
}

function described(method: string, path: string, operation: Operation): readonly string[] {
  const [status, response] = Object.entries(operation.responses)[0]!;
  return [
    '',
    `### ${method} ${path.replaceAll('{', ':').replaceAll('}', '')}`,
    '',
    operation.summary,
    ...credential(operation),
    ...parameters(operation),
    ...body('Request', operation.requestBody?.content),
    ...(response?.content === undefined ? ['', `Response: ${status}.`] : body(`Response ${status}`, response.content)),
  ];
}

function credential({ security }: Operation): readonly string[] {
  if (security === undefined) return [];
  return ['', security.length === 0 ? 'Needs no token.' : `Credential: ${security.flatMap(Object.keys).join(', ')}.`];
}

function parameters({ parameters: all = [] }: Operation): readonly string[] {
  if (all.length === 0) return [];
  const rows = all.map(({ name, in: where, required, schema }) => [
    `\`${name}\``,
    `${where}, ${typeOf(schema)}${required ? '' : ', optional'}`,
  ]);
  return ['', ...table('Parameter', rows)];
}

function body(title: string, content: Content | undefined): readonly string[] {
  if (content === undefined) return [];
  return Object.entries(content).flatMap(([kind, { schema }]) => {
    if (kind === 'application/octet-stream') return ['', `${title}: bytes.`];
    const forms = schema.anyOf ?? schema.oneOf ?? [schema];
    return forms.flatMap((form, index) => {
      const name = forms.length === 1 ? title : `${title}, form ${index + 1} of ${forms.length}`;
      const rows = rowsOf(form, '', 1);
      return rows.length === 0 ? ['', `${name}: ${typeOf(form)}.`] : ['', `${name}:`, ''].concat(table('Field', rows));
    });
  });
}

function rowsOf(schema: Schema, prefix: string, level: number): string[][] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, property]) => {
    const isList = property.type === 'array';
    const inner = isList ? property.items : property;
    const path = `${prefix}${name}${isList ? '[]' : ''}`;
    const row = [`\`${path}\``, `${typeOf(property)}${required.includes(name) ? '' : ', optional'}`];
    return inner?.properties && level < MOST_LEVELS ? [row].concat(rowsOf(inner, `${path}.`, level + 1)) : [row];
  });
}

function typeOf(schema: Schema): string {
  const { $ref, type, items, enum: values, const: only, anyOf, oneOf, format } = schema;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1);
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (values !== undefined) return values.map((value) => `\`${JSON.stringify(value)}\``).join(' or ');
  const forms = anyOf ?? oneOf;
  if (forms !== undefined) return [...new Set(forms.map(typeOf))].join(' or ');
  if (type === 'array') return `list of ${items === undefined ? 'anything' : typeOf(items)}`;
  const name = Array.isArray(type) ? type.join(' or ') : String(type ?? 'anything');
  return format === undefined ? name : `${name} (${format})`;
}

function table(head: string, rows: readonly (readonly string[])[]): readonly string[] {
  return [
    `| ${head} | |`,
    '|---|---|',
    ...rows.map(([name = '', text = '']) => `| ${name} | ${text.replaceAll('|', '\\|')} |`),
  ];
}

function sentenceCase(tag: string): string {
  return tag[0]!.toUpperCase() + tag.slice(1).replaceAll('_', ' ');
}
