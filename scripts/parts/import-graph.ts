import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/** An import of a file, in whatever form. */
export interface Import {
  /** Path from the root of the checkout, with slashes. */
  readonly from: string;
  /** Likewise for a file of ours; else the name of a package, or `node:…`. */
  readonly to: string;
  readonly isOurs: boolean;
  /** True if nothing of it is left when the program runs. */
  readonly isType: boolean;
}

const SOURCE = /\.tsx?$/;

/** Reads the imports of all TypeScript files below `src`. @param root of the checkout */
export function readImports(root: string): readonly Import[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => posix.join('src', file.replaceAll('\\', '/')))
    .filter((file) => SOURCE.test(file))
    .toSorted()
    .flatMap((file) => importsOf(file, readFileSync(join(root, file), 'utf8')));
}

/**
 * Returns what a file imports: by `import` and `export … from`, by `import()` as a value and as a type, and by the URL of a file that is to
 * run as a thread or process.
 *
 * @param file path from the root of the checkout, with slashes @throws Error if it has a syntax error
 */
export function importsOf(file: string, source: string): readonly Import[] {
  const found: Import[] = [];
  const add = (specifier: string, isType: boolean): void => {
    const isOurs = specifier.startsWith('.');
    const to = isOurs ? posix.join(posix.dirname(file), specifier) : packageOf(specifier);
    found.push({ from: file, to, isOurs, isType });
  };
  const { program, errors, module } = parseSync(file, source);
  const [error] = errors;
  if (error) throw new Error(`${file}: ${error.message}`);
  for (const { moduleRequest, entries } of module.staticImports) {
    add(moduleRequest.value, entries.length > 0 && entries.every(({ isType }) => isType));
  }
  for (const { moduleRequest, isType } of module.staticExports.flatMap(({ entries }) => entries)) {
    if (moduleRequest) add(moduleRequest.value, isType);
  }
  new Visitor({
    ImportExpression({ source: from }) {
      if (from.type === 'Literal' && typeof from.value === 'string') add(from.value, false);
    },
    TSImportType({ source: from }) {
      add(from.value, true);
    },
    NewExpression({ callee, arguments: [path] }) {
      if (callee.type !== 'Identifier' || callee.name !== 'URL' || path?.type !== 'Literal') return;
      if (typeof path.value === 'string' && path.value.startsWith('.') && SOURCE.test(path.value))
        add(path.value, false);
    },
  }).visit(program);
  return found;
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
