export interface Parameter {
  readonly name: string;
  /** A type of TypeScript: `string`, `number`, `boolean`, `string | null`. */
  readonly type: string;
  readonly isOptional: boolean;
}

/**
 * Reads the arguments of a text from its comments: the line `(set: string, place?: string)`. `undefined` without such a line.
 * Throws a sentence if the line cannot be read.
 */
export function signatureOf(comments: readonly string[]): readonly Parameter[] | undefined {
  const line = comments.find((comment) => /^\(.*\)$/.test(comment) && comment.includes(':'));
  if (line === undefined) return undefined;
  return line
    .slice(1, -1)
    .split(',')
    .map((part) => {
      const [, name, optional, type] =
        /^\s*(\w+)(\?)?: ((?:string|number|boolean|null)(?: \| \w+)*)\s*$/.exec(part) ?? [];
      if (name === undefined || type === undefined) throw new Error(`“${line}” cannot be read`);
      return { name, type, isOptional: optional !== undefined };
    });
}
