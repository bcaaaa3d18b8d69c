import { createHash } from 'node:crypto';
import type { LockedPackage } from '../package-cli/libraries.ts';

/** A list of parts in CycloneDX 1.6 (ECMA-424). The same libraries give the same list. */
export interface BillOfMaterials {
  readonly [field: string]: unknown;
}

export interface Product {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly licence: string;
  /** Seconds since 1970. */
  readonly epoch: number;
}

/** @param direct the names of the libraries that the product names itself */
export function billOfMaterials(
  product: Product,
  libraries: readonly LockedPackage[],
  direct: ReadonlySet<string>,
): BillOfMaterials {
  const { name, version, description, licence, epoch } = product;
  const references = new Map(libraries.map((library) => [library.path, referenceOf(library)]));
  const own = `pkg:generic/${name}@${version}`;
  const isTop = ({ path, name: library }: LockedPackage): boolean =>
    path === `node_modules/${library}` && direct.has(library);
  const content = {
    metadata: {
      timestamp: new Date(epoch * 1000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': own,
        name,
        version,
        description,
        licenses: [{ expression: licence }],
        purl: own,
      },
    },
    components: libraries.map(componentOf),
    dependencies: [
      { ref: own, dependsOn: libraries.filter(isTop).map(referenceOf) },
      ...libraries.map((library) => ({
        ref: referenceOf(library),
        dependsOn: [...new Set(library.dependencies.flatMap((path) => references.get(path) ?? []))].sort(),
      })),
    ],
  };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
    version: 1,
    ...content,
  };
}

function componentOf(library: LockedPackage): object {
  const { name, version, licence, integrity, resolved } = library;
  const [scope, rest] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const digest = /^sha512-(.+)$/.exec(integrity)?.[1];
  return {
    type: 'library',
    'bom-ref': referenceOf(library),
    ...(scope !== undefined && { group: scope }),
    name: rest,
    version,
    ...(digest !== undefined && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
    }),
    ...(licence !== undefined && { licenses: [{ expression: licence }] }),
    purl: purlOf(library),
    ...(resolved !== '' && { externalReferences: [{ type: 'distribution', url: resolved }] }),
  };
}

/** A package may be there twice, with the same version, below two others. */
function referenceOf(library: LockedPackage): string {
  return library.path === `node_modules/${library.name}` ? purlOf(library) : `${purlOf(library)}#${library.path}`;
}

/** github.com/package-url/purl-spec: the @ of a scope is encoded. */
function purlOf({ name, version }: LockedPackage): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** A UUID of version 8 (RFC 9562), with the digest of a text. */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
