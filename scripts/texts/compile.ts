import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LANGUAGES, SENTENCES, SOURCE } from './catalogues.ts';
import type { Product } from './catalogues.ts';
import { entriesOf } from './po-file.ts';
import type { Entry } from './po-file.ts';
import { emit, propertyOf, quoted } from './emit.ts';
import { argumentsOf, parseMessage } from './icu.ts';
import { signatureOf } from './signature.ts';
import { fileNameOf, keyOf, treeOf } from './tree.ts';
import type { Tree } from './tree.ts';
import { typographyOf } from './typography.ts';
import { declarationsOf } from './types.ts';

const NOTE = '// Compiled from the catalogues (scripts/texts). Do not edit.';

/** Returns the modules of a product: the contents by the path below the folder `compiled`. */
export function modulesOf(product: Product): ReadonlyMap<string, string> {
  const source = treeOf(entriesOf(product, SOURCE));
  const modules = new Map<string, string>();
  for (const language of Object.keys(LANGUAGES)) {
    const isSource = language === SOURCE;
    const translations = isSource
      ? undefined
      : new Map(entriesOf(product, language).map((entry) => [entry.key, entry]));
    const compiler = new Compiler(product, language, translations);
    if (product.isSplit) {
      for (const [group, texts] of source) {
        modules.set(`${language}/${fileNameOf(group)}.ts`, compiler.module(group, texts, 2));
      }
      modules.set(`${language}.ts`, indexOf(language, [...source.keys()]));
    } else modules.set(`${product.prefix}${language}.ts`, compiler.module(language, source, 1));
  }
  return modules;
}

/** Writes the modules that have changed and removes those that no longer exist. Returns the paths below the folder of `compiled`. */
export function compile(product: Product): readonly string[] {
  const modules = modulesOf(product);
  const folder = join(product.folder, 'compiled');
  const changed = [...modules].filter(([name, text]) => writeChanged(join(folder, name), text)).map(([name]) => name);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || modules.has(name.replaceAll('\\', '/'))) continue;
    rmSync(join(folder, name), { force: true });
    changed.push(name);
  }
  return changed;
}

/** Writes the types of the English texts, which git keeps, if they have changed. Returns the names of the files. */
export function writeTypes(product: Product): readonly string[] {
  const files = declarationsOf(product, treeOf(entriesOf(product, SOURCE)));
  return [...files].filter(([name, text]) => writeChanged(join(product.folder, name), text)).map(([name]) => name);
}

/** Returns the files of types that differ from what the English catalogue says. */
export function outdatedTypes(product: Product): readonly string[] {
  return [...declarationsOf(product, treeOf(entriesOf(product, SOURCE)))]
    .filter(([name, text]) => !hasText(join(product.folder, name), text))
    .map(([name]) => name);
}

/** Writes a file that has another content, as a whole: another process may be reading it, or writing the same. */
function writeChanged(path: string, text: string): boolean {
  if (hasText(path, text)) return false;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
  return true;
}

function hasText(path: string, text: string): boolean {
  return existsSync(path) && readFileSync(path, 'utf8') === text;
}

function indexOf(language: string, groups: readonly string[]): string {
  const imports = groups.map((group) => `import { ${group} } from './${language}/${fileNameOf(group)}.ts';`);
  const isSource = language === SOURCE;
  return [
    NOTE,
    `import type { Strings } from '../english.ts';`,
    ...imports,
    '',
    isSource
      ? `export const ${language}: Strings = { ${groups.join(', ')} };`
      : `export const ${language} = (): Strings => ({ ${groups.map((group) => `${group}: ${group}()`).join(', ')} });`,
    ...(isSource ? ['', 'export type { Strings };'] : []),
    '',
  ].join('\n');
}

/** Compiles the texts of one language. Texts without a translation refer to those of the source. */
class Compiler {
  readonly #product: Product;
  readonly #language: string;
  readonly #translations: ReadonlyMap<string, Entry> | undefined;
  readonly #typography: (text: string) => string;

  constructor(product: Product, language: string, translations: ReadonlyMap<string, Entry> | undefined) {
    this.#product = product;
    this.#language = language;
    this.#translations = translations;
    this.#typography = typographyOf(language);
  }

  /** @param depth of the module below the folder of `compiled` */
  module(name: string, texts: Tree | Entry, depth: number): string {
    const isSource = this.#translations === undefined;
    const up = '../'.repeat(depth);
    const shared = this.#product.isSplit ? up : `${up}../../strings/`;
    const body = this.#group(texts, this.#product.isSplit ? [name] : [], '  ');
    const uses = (word: string): boolean => new RegExp(`\\b${word}\\b`).test(body);
    const original = this.#product.isSplit ? name : SOURCE;
    const from = this.#product.isSplit
      ? `../${SOURCE}/${fileNameOf(name)}.ts`
      : `./${this.#product.prefix}${SOURCE}.ts`;
    const isWhole = isSource && !this.#product.isSplit;
    const sentenceHelpers = ['minutesOf', 'momentOf'].filter(uses);
    return [
      NOTE,
      ...(isWhole ? [`import type { Strings } from '../english.ts';`] : []),
      ...(isSource ? [] : [`import ${uses('source') ? '' : 'type '}{ ${original} as source } from '${from}';`]),
      ...(uses('FailureSentences') ? [`import type { FailureSentences } from '${shared}failure-types.ts';`] : []),
      ...(uses('failureFacts') ? [`import { failureFacts } from '${shared}failure-facts.ts';`] : []),
      ...(sentenceHelpers.length > 0
        ? [`import { ${sentenceHelpers.join(', ')} } from '${shared}failure-formats.ts';`]
        : []),
      ...(/\bm\.(text|plural)\(/.test(body)
        ? [`import { messagesOf } from '${shared}messages.ts';`, '', `const m = messagesOf('${this.#language}');`]
        : []),
      '',
      // Translations are built at the first use, so that a program with six languages starts as fast as one with one.
      isSource
        ? `export const ${name}${isWhole ? ': Strings' : ''} = ${body};`
        : `export const ${name} = (): typeof source => (${body});`,
      ...(isWhole ? ['', 'export type { Strings };'] : []),
      '',
    ].join('\n');
  }

  #group(texts: Tree | Entry, path: readonly string[], indent: string): string {
    if (!(texts instanceof Map)) return this.#text(texts, path);
    const key = keyOf(path);
    if (path.length > 0 && !this.#hasAny(texts)) return this.#original(path);
    const parts = [...texts].map(([name, inner]) => [name, inner] as const);
    const isList = parts.every(([name], index) => name === String(index));
    const isSentences = key === SENTENCES;
    const lines = parts.map(([name, inner]) => {
      const innerPath = [...path, name];
      const value =
        isSentences && inner instanceof Map
          ? this.#sentence(inner, innerPath)
          : this.#group(inner, innerPath, `${indent}  `);
      return `${indent}${isList ? '' : `${propertyOf(name)}: `}${value},`;
    });
    const closing = indent.slice(2);
    const literal = isList ? `[\n${lines.join('\n')}\n${closing}]` : `{\n${lines.join('\n')}\n${closing}}`;
    // A translation takes the sentences that it lacks from English, where each of the optional ones may be missing.
    const isSource = this.#language === SOURCE;
    if (isSentences) return `${literal} ${isSource ? 'satisfies FailureSentences ' : ''}as FailureSentences`;
    return this.#product.open.includes(key) ? `${literal} as Readonly<Record<string, string>>` : literal;
  }

  #text(entry: Entry, path: readonly string[]): string {
    const text = this.#messageOf(entry);
    if (text === undefined) return this.#original(path);
    const message = this.#parsed(entry.key, text);
    const signature = signatureOf(entry.comments);
    const used = argumentsOf(message);
    if (!signature) {
      if (used.size > 0) throw new Error(`${entry.key}: the comments do not declare ${[...used].join(', ')}`);
      return emit(message, { argument: (name) => name, typography: this.#typography });
    }
    const undeclared = [...used].filter((name) => !signature.some((parameter) => parameter.name === name));
    if (undeclared.length > 0) throw new Error(`${entry.key}: there is no argument ${undeclared.join(', ')}`);
    const isSource = this.#translations === undefined;
    const parameters = signature.map(({ name, type, isOptional }) => {
      const shown = used.has(name) ? name : `_${name}`;
      return isSource ? `${shown}${isOptional ? '?' : ''}: ${type}` : shown;
    });
    const expression = emit(message, { argument: (name) => name, typography: this.#typography });
    return `(${parameters.join(', ')})${isSource ? ': string' : ''} => ${expression}`;
  }

  /** Compiles both sentences about a failure to a function of its details. */
  #sentence(texts: Tree, path: readonly string[]): string {
    const messages = [...texts].map(([name, entry]) => {
      if (entry instanceof Map) throw new Error(`${keyOf(path)}: only what and todo are expected`);
      const text = this.#messageOf(entry);
      return [name, text === undefined ? undefined : this.#parsed(entry.key, text)] as const;
    });
    if (messages.some(([, message]) => message === undefined)) return this.#original(path);
    const used = new Set(messages.flatMap(([, message]) => [...argumentsOf(message ?? [])]));
    const facts = ['disk', 'waitMinutes'].filter((fact) => used.has(fact));
    const argument = (name: string): string => (facts.includes(name) ? name : `details.${name}`);
    // The type of a case's details does not exclude all others of the code.
    const isCase = path.at(-1)?.includes(':') === true;
    const textual = isCase ? (name: string): string => `${argument(name)} ?? ''` : argument;
    const scope = { argument, textual, typography: this.#typography };
    const fields = messages.map(([name, message]) => `${name}: ${emit(message ?? [], scope)}`);
    const body = `({ ${fields.join(', ')} })`;
    const usesFormats = /\bformats\b/.test(body);
    const parameters = [
      ...(used.size > 0 ? ['details'] : []),
      ...(usesFormats ? ['formats'] : facts.length > 0 ? ['_formats'] : []),
      ...facts.map((fact) => `${fact} = failureFacts.${fact}(details)`),
    ];
    return `(${parameters.join(', ')}) => ${body}`;
  }

  #parsed(key: string, text: string): ReturnType<typeof parseMessage> {
    try {
      return parseMessage(text);
    } catch (error) {
      throw new Error(`${this.#language}, ${key}: ${error instanceof Error ? error.message : ''}`, { cause: error });
    }
  }

  /** Returns the message of an entry of the source in this language; `undefined` without a valid translation. */
  #messageOf({ key, source }: Entry): string | undefined {
    if (this.#translations === undefined) return source;
    const translation = this.#translations.get(key);
    if (!translation || translation.isFuzzy || translation.source !== source) return undefined;
    return translation.translation === '' ? undefined : translation.translation;
  }

  #hasAny(texts: Tree): boolean {
    return [...texts.values()].some((inner) =>
      inner instanceof Map ? this.#hasAny(inner) : this.#messageOf(inner) !== undefined,
    );
  }

  /** Returns the expression of the source's text. */
  #original(path: readonly string[]): string {
    const inner = this.#product.isSplit ? path.slice(1) : path;
    return `source${inner.map((part) => (/^[a-zA-Z]\w*$/.test(part) ? `.${part}` : `[${/^\d+$/.test(part) ? part : quoted(part)}]`)).join('')}`;
  }
}
