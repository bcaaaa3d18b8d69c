import { TYPE } from '@formatjs/icu-messageformat-parser';
import { styleOf } from './icu.ts';
import type { MessageFormatElement } from '@formatjs/icu-messageformat-parser';

/** Where a message's arguments are found in the compiled code. */
export interface Scope {
  /** Returns the expression of an argument. */
  readonly argument: (name: string) => string;
  /** Returns the expression of an argument as text; by default that of the argument. */
  readonly textual?: (name: string) => string;
  /** Changes the literal text as the language's typography requires. */
  readonly typography: (text: string) => string;
}

interface Counted {
  readonly expression: string;
  readonly offset: number;
}

/** Words that select by what an argument is; all others by its value. */
const KINDS: Readonly<Record<string, (expression: string) => string>> = {
  none: (expression) => `${expression} == null`,
  empty: (expression) => `${expression} === ''`,
  true: (expression) => expression,
  positive: (expression) => `${expression} > 0`,
};

/** Named formats of an argument. */
const FORMATS: Readonly<Record<string, (expression: string) => string>> = {
  'number bytes': (expression) => `formats.bytes(${expression})`,
  'number duration': (expression) => `formats.duration(${expression})`,
  'number minutes': (expression) => `minutesOf(${expression}, formats)`,
  'date moment': (expression) => `momentOf(${expression}, formats)`,
};

/** Compiles a message to an expression of TypeScript that yields its text. */
export function emit(message: readonly MessageFormatElement[], scope: Scope, counted?: Counted): string {
  const parts = message.map((element) => partOf(element, scope, counted));
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && 'code' in only) return only.code;
  if (parts.every((part) => 'text' in part))
    return quoted(parts.map((part) => ('text' in part ? part.text : '')).join(''));
  return `\`${parts.map((part) => ('text' in part ? escaped(part.text) : `\${${part.code}}`)).join('')}\``;
}

type Part = { readonly text: string } | { readonly code: string };

function partOf(element: MessageFormatElement, scope: Scope, counted: Counted | undefined): Part {
  switch (element.type) {
    case TYPE.literal:
      return { text: scope.typography(element.value) };
    case TYPE.argument:
      return { code: `m.text(${(scope.textual ?? scope.argument)(element.value)})` };
    case TYPE.pound: {
      if (!counted) throw new Error('# outside of a plural');
      return { code: `m.text(${counted.expression}${counted.offset === 0 ? '' : ` - ${counted.offset}`})` };
    }
    case TYPE.number:
    case TYPE.date: {
      const format = FORMATS[`${TYPE[element.type]} ${styleOf(element)}`];
      if (!format) throw new Error(`there is no format “${styleOf(element)}”`);
      return { code: `m.text(${format(scope.argument(element.value))})` };
    }
    case TYPE.select:
      return { code: selected(element, scope, counted) };
    case TYPE.plural: {
      if (element.pluralType !== 'cardinal') throw new Error('ordinal numbers are not supported');
      const expression = scope.argument(element.value);
      const inner = { expression, offset: element.offset };
      const forms = Object.entries(element.options).map(
        ([key, { value }]) => `${/^\w+$/.test(key) ? key : `'${key}'`}: ${emit(value, scope, inner)}`,
      );
      const offset = element.offset === 0 ? '' : `, ${element.offset}`;
      return { code: `m.plural(${expression}, { ${forms.join(', ')} }${offset})` };
    }
    case TYPE.time:
    case TYPE.tag:
      throw new Error('times and tags are not supported');
  }
}

function selected(
  { value, options }: Extract<MessageFormatElement, { readonly type: TYPE.select }>,
  scope: Scope,
  counted: Counted | undefined,
): string {
  const expression = scope.argument(value);
  const { other, ...cases } = options;
  if (!other) throw new Error('a select lacks other');
  return `(${Object.entries(cases)
    .map(([key, option]) => {
      const test = KINDS[key]?.(expression) ?? `${expression} === ${quoted(key)}`;
      return `${test} ? ${emit(option.value, scope, counted)} : `;
    })
    .join('')}${emit(other.value, scope, counted)})`;
}

/** Returns a name as that of a property. */
export function propertyOf(name: string): string {
  return /^[a-zA-Z_]\w*$/.test(name) ? name : quoted(name);
}

export function quoted(text: string): string {
  const inner = text.replaceAll('\\', '\\\\').replaceAll('\n', String.raw`\n`);
  return inner.includes("'") && !inner.includes('"') ? `"${inner}"` : `'${inner.replaceAll("'", String.raw`\'`)}'`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\`$]/g, (character) => `\\${character}`);
}
