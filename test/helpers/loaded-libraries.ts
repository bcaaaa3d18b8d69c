import { execFileSync } from 'node:child_process';

/**
 * Prints a line on standard error for the URL of each module of a library, whether imported or required, and for the name
 * of each format that is created with the tables of a language.
 */
const PRINT_LOADED = `
  import { writeSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      if (resolved.url.includes('/node_modules/')) writeSync(2, resolved.url + '\\n');
      return resolved;
    },
  });
  for (const name of ['DateTimeFormat', 'NumberFormat', 'PluralRules', 'RelativeTimeFormat']) {
    Intl[name] = new Proxy(Intl[name], {
      construct(target, args) {
        writeSync(2, 'Intl.' + name + '\\n');
        return new target(...args);
      },
    });
  }
`;

/**
 * Returns the names of the libraries and formats that Node loads, in all its threads.
 *
 * @param words Node's arguments
 */
export function loadedLibraries(words: readonly string[], environment: NodeJS.ProcessEnv): readonly string[] {
  const preload = `data:text/javascript,${encodeURIComponent(PRINT_LOADED)}`;
  const printed = execFileSync(
    'sh',
    ['-c', '"$@" 2>&1 >/dev/null', 'sh', process.execPath, '--import', preload, ...words],
    { encoding: 'utf8', env: environment },
  );
  const names = Array.from(
    printed.matchAll(/^(?:.*\/node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\/.*|(Intl\.\w+))$/gm),
    ([, library, format]) => library ?? format!,
  );
  return Array.from(new Set(names)).sort();
}
