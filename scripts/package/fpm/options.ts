/** What electron-builder passes to fpm, as far as packages of a folder need it. */
export interface PackageRequest {
  readonly kind: 'deb' | 'rpm';
  readonly file: string;
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  /** A summary in its first line. */
  readonly description: string;
  readonly summary: string | undefined;
  readonly maintainer: string;
  readonly vendor: string;
  readonly url: string;
  readonly licence: string;
  readonly category: string;
  readonly priority: string;
  readonly compression: string | undefined;
  readonly depends: readonly string[];
  readonly recommends: readonly string[];
  readonly afterInstall: string;
  readonly afterRemove: string;
  /** Files and folders of this computer, with their absolute paths in the package. A folder ends with a slash. */
  readonly mappings: readonly { readonly from: string; readonly to: string }[];
}

const FLAGS: ReadonlySet<string> = new Set(['--force', '--verbose', '--debug']);
const REPEATED: ReadonlySet<string> = new Set(['-d', '--deb-recommends']);
const SINGLE: ReadonlySet<string> = new Set([
  '-s',
  '-t',
  '--architecture',
  '--after-install',
  '--after-remove',
  '--description',
  '--version',
  '--package',
  '--name',
  '--maintainer',
  '--vendor',
  '--url',
  '--license',
  '--category',
  '--deb-priority',
  '--deb-compression',
  '--rpm-compression',
  '--rpm-os',
  '--rpm-summary',
  '--log',
]);

/**
 * @param description in paragraphs, one a line: electron-builder passes the comment of the entry in menus instead
 * @throws Error for an option that this program would have to ignore
 */
export function parseOptions(words: readonly string[], description?: string): PackageRequest {
  const single = new Map<string, string>();
  const repeated = new Map<string, string[]>();
  const mappings: { from: string; to: string }[] = [];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (FLAGS.has(word)) continue;
    if (!word.startsWith('-')) {
      mappings.push(mappingOf(word));
      continue;
    }
    const value = rest.shift();
    if (value === undefined) throw new Error(`${word} has no value`);
    if (REPEATED.has(word)) repeated.set(word, [...(repeated.get(word) ?? []), value]);
    else if (SINGLE.has(word)) single.set(word, value);
    else throw new Error(`the option ${word} of fpm is not known here; install fpm`);
  }
  const needed = (name: string): string => {
    const value = single.get(name);
    if (value === undefined) throw new Error(`${name} is missing`);
    return value;
  };
  const kind = needed('-t');
  if (needed('-s') !== 'dir' || (kind !== 'deb' && kind !== 'rpm')) {
    throw new Error('only a deb or rpm of a folder can be built without fpm');
  }
  return {
    kind,
    file: needed('--package'),
    name: needed('--name'),
    version: needed('--version'),
    architecture: needed('--architecture'),
    description: described(kind, needed('--description'), description),
    summary: single.get('--rpm-summary'),
    maintainer: needed('--maintainer'),
    vendor: needed('--vendor'),
    url: needed('--url'),
    licence: needed('--license'),
    category: single.get('--category') ?? 'default',
    priority: single.get('--deb-priority') ?? 'optional',
    compression: single.get(`--${kind}-compression`),
    depends: repeated.get('-d') ?? [],
    recommends: repeated.get('--deb-recommends') ?? [],
    afterInstall: needed('--after-install'),
    afterRemove: needed('--after-remove'),
    mappings,
  };
}

function described(kind: 'deb' | 'rpm', passed: string, wanted: string | undefined): string {
  if (wanted === undefined) return passed;
  // The summary of an rpm is an option of its own.
  return kind === 'rpm' ? wanted : `${passed.split('\n')[0]}\n${wanted}`;
}

function mappingOf(word: string): { readonly from: string; readonly to: string } {
  const at = word.indexOf('=/');
  if (at < 1) throw new Error(`${word} does not say where it belongs`);
  return { from: word.slice(0, at), to: word.slice(at + 1) };
}
