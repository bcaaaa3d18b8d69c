import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';

const SOURCES = join(import.meta.dirname, '../../../src');

function sources(ending: string): readonly (readonly [file: string, text: string])[] {
  return ['renderer', 'portal', 'ui'].flatMap((layer) =>
    readdirSync(join(SOURCES, layer), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith(ending))
      .map((file) => [`${layer}/${file}`, readFileSync(join(SOURCES, layer, file), 'utf8')] as const),
  );
}

/** Properties of a side of the screen instead of a side of the text. */
const SIDES = [
  /(?:^|[\s;{])(?:(?:margin|padding|border|scroll-margin|scroll-padding)-)?(?:left|right)(?:-\w+)*\s*:/,
  /(?:text-align|float|clear)\s*:\s*(?:left|right)\b/,
  /border-(?:top|bottom)-(?:left|right)-radius/,
  /translate(?:X|3d)?\((?!calc\([^;]*var\(--forward\))(?!0[,)])/,
];
/** Four values whose second and fourth differ. */
const FOUR = /(?:margin|padding|inset|border-width|border-color)\s*:\s*([^;]+);/g;

function values(text: string): readonly string[] {
  let flat = text;
  for (let before = ''; before !== flat;) {
    before = flat;
    flat = flat.replaceAll(/\s*\(([^()]*)\)/g, (_, inner: string) => `[${inner.replaceAll(/\s/g, '')}]`);
  }
  return flat.trim().split(/\s+/);
}

test('style sheets name sides of the text, which follow its direction', () => {
  const found = sources('.css').flatMap(([file, text]) => {
    const lines = text.replaceAll(/\/\*[^]*?\*\//g, '').split(/(?<=[;{}])/);
    const sides = lines.filter((line) => SIDES.some((side) => side.test(line)));
    const four = [...text.matchAll(FOUR)].filter(([, list]) => {
      const [, second, , fourth] = values(list!);
      return fourth !== undefined && second !== fourth;
    });
    return [...sides, ...four.map(([whole]) => whole)].map((line) => `${file}: ${line.trim()}`);
  });
  expect(found).toEqual([]);
});

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Attributes that people read or hear. */
const READ = new Set(['aria-label', 'aria-description', 'alt', 'description', 'label', 'placeholder', 'title']);
/** Names that no language translates, and what is typed into a terminal. */
const NAMES = [/^\W*Holdfast$/, /^ssh-keyscan /];

function* textsIn(node: unknown): Generator<string> {
  if (Array.isArray(node)) for (const part of node) yield* textsIn(part);
  if (typeof node !== 'object' || node === null || !('type' in node)) return;
  const { type, ...fields } = node as Node;
  if (type === 'JSXText') yield String(fields['value']);
  if (type === 'JSXAttribute') {
    const [name, value] = [fields['name'] as Node, fields['value'] as Node | null];
    if (READ.has(String(name['name'])) && value?.type === 'Literal') yield String(value['value']);
  }
  if (type === 'JSXExpressionContainer') {
    const expression = fields['expression'] as Node;
    if (expression.type === 'Literal' && fields['parent'] === undefined) yield String(expression['value']);
  }
  for (const [name, field] of Object.entries(fields)) {
    if (type === 'JSXAttribute' && name === 'value') yield* textsIn((field as Node | null)?.['expression']);
    else yield* textsIn(field);
  }
}

test('components have no text outside of the catalogues', () => {
  const found = sources('.tsx').flatMap(([file, text]) =>
    [...textsIn(parseAst(text, { lang: 'tsx' }))]
      .map((one) => one.trim())
      .filter((one) => /\p{L}{2}/u.test(one) && !NAMES.some((name) => name.test(one)))
      .map((one) => `${file}: ${one}`),
  );
  expect(found).toEqual([]);
});
