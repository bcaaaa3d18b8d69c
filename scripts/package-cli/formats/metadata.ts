import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a package says of itself, in every format. */
export interface Metadata {
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  readonly description: string;
  readonly licence: string;
  readonly homepage: string;
  readonly maintainer: string;
  /** In each system's own words. */
  readonly needs: { readonly debian: readonly string[]; readonly rpm: readonly string[] };
  /** Files that the person edits and an upgrade keeps. */
  readonly configuration: readonly string[];
  /** Folders with scripts, which are named as the system names them. */
  readonly scripts: { readonly debian: string; readonly rpm: string };
}

export interface Compression {
  /** Seconds since 1970: the time of every file. */
  readonly epoch: number;
  /** Of xz, from 0 to 9. */
  readonly level: number;
}

/** A version as dpkg and rpm compare it: 1.0.0-beta.1 is older than 1.0.0. */
export function systemVersion(version: string): string {
  return version.replace('-', '~');
}

/** Returns what all packages say of themselves. @param root the checkout */
export function commonMetadata(
  root: string,
  version: string,
): Pick<Metadata, 'version' | 'licence' | 'homepage' | 'maintainer'> {
  const { license, homepage, author } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly license: string;
    readonly homepage: string;
    readonly author: { readonly name: string; readonly email: string };
  };
  return { version, licence: license, homepage, maintainer: `${author.name} <${author.email}>` };
}
