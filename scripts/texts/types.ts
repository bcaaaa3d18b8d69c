import { LANGUAGES, SENTENCES, SOURCE } from './catalogues.ts';
import type { Product } from './catalogues.ts';
import { propertyOf } from './emit.ts';
import type { Entry } from './po-file.ts';
import { signatureOf } from './signature.ts';
import { fileNameOf, keyOf } from './tree.ts';
import type { Tree } from './tree.ts';

const NOTE = '// Written by `npm run texts` from the English catalogue. Do not edit.';
const WIDTH = 150;

/**
 * Returns what git keeps of the texts, by names of files: the keys of the English texts with their arguments (`english.ts`), and the modules that are compiled
 * from the catalogues (`compiled.d.ts`), so that editors know both before the first compilation. A module that was compiled takes precedence.
 */
export function declarationsOf(product: Product, source: Tree): ReadonlyMap<string, string> {
  const body = typeOf(product, source, [], '');
  const imports = body.includes('FailureSentences')
    ? [`import type { FailureSentences } from './failure-types.ts';`]
    : [];
  const english = [NOTE, ...imports, '', `/** The texts of a language. */`, `export interface Strings ${body}`, ''];
  return new Map([
    ['english.ts', english.join('\n')],
    ['compiled.d.ts', ambientModules(product, source)],
  ]);
}

function ambientModules(product: Product, source: Tree): string {
  const strings = `import('./english.ts').Strings`;
  const module = (name: string, ...members: readonly string[]): string =>
    `declare module '*/compiled/${name}.ts' {\n${members.map((member) => `  export ${member};\n`).join('')}}`;
  const groups = product.isSplit ? [...source.keys()] : [];
  return [
    NOTE,
    module(`${product.prefix}${SOURCE}`, `type Strings = ${strings}`, `const ${SOURCE}: Strings`),
    ...groups.map((group) => module(`${SOURCE}/${fileNameOf(group)}`, `const ${group}: ${strings}['${group}']`)),
    ...Object.keys(LANGUAGES)
      .filter((language) => language !== SOURCE)
      .map((language) => module(`${product.prefix}${language}`, `const ${language}: () => ${strings}`)),
    '',
  ].join('\n');
}

function typeOf(product: Product, texts: Tree | Entry, path: readonly string[], indent: string): string {
  if (!(texts instanceof Map)) return textType(texts);
  if (keyOf(path) === SENTENCES) return 'FailureSentences';
  if (product.open.includes(keyOf(path))) return 'Readonly<Record<string, string>>';
  const inner = [...texts].map(
    ([name, text]) => [name, typeOf(product, text, [...path, name], `${indent}  `)] as const,
  );
  if (inner.every(([name], index) => name === String(index))) {
    const kinds = [...new Set(inner.map(([, type]) => type))];
    return kinds.length === 1 && /^\w+$/.test(kinds[0]!)
      ? `${kinds[0]!}[]`
      : `(${kinds.map((kind) => `(${kind})`).join(' | ')})[]`;
  }
  return `{\n${filled(
    inner.map(([name, type]) => `${propertyOf(name)}: ${type};`),
    `${indent}  `,
  )}\n${indent}}`;
}

function textType({ comments }: Entry): string {
  const signature = signatureOf(comments);
  if (!signature) return 'string';
  return `(${signature.map(({ name, type, isOptional }) => `${name}${isOptional ? '?' : ''}: ${type}`).join(', ')}) => string`;
}

/** Several members to a line, as long as they are short. */
function filled(members: readonly string[], indent: string): string {
  const lines: string[] = [];
  let canGrow = false;
  for (const member of members) {
    const last = lines.at(-1);
    const isShort = !member.includes('\n');
    if (canGrow && isShort && last !== undefined && last.length + member.length < WIDTH) {
      lines[lines.length - 1] = `${last} ${member}`;
    } else lines.push(`${indent}${member}`);
    canGrow = isShort;
  }
  return lines.join('\n');
}
