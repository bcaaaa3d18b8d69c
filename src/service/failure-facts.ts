/** Returns the loggable facts of an error: its message without paths, secrets and digests, and no folders of stack frames. */
export interface FailureFacts {
  readonly name: string;
  readonly message?: string;
  readonly code?: string;
  readonly at?: readonly string[];
  readonly cause?: FailureFacts;
}

const MOST_FRAMES = 8;
const MOST_CAUSES = 3;
const LONGEST_MESSAGE = 300;

export function failureFacts(error: unknown, causes = MOST_CAUSES): FailureFacts {
  if (!(error instanceof Error)) return { name: typeof error };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const message = messageOf(error);
  return {
    name: error.name,
    ...(message === '' ? {} : { message }),
    ...('code' in error ? { code: String(error.code) } : {}),
    at: frames
      .slice(0, MOST_FRAMES)
      .map((frame) => frame.replace(/\(?(?:file:\/\/)?\S*[/\\]([^/\\]+)\)?$/, '$1').trim()),
    ...(error.cause === undefined || causes === 0 ? {} : { cause: failureFacts(error.cause, causes - 1) }),
  };
}

/** Parsers quote their input, which may be a manifest. */
const QUOTING = new Set(['SyntaxError', 'ZodError', '$ZodError']);

function messageOf({ name, message }: Error): string {
  if (QUOTING.has(name)) return '';
  return message
    .replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s'"<>]*/gi, '$1…')
    .replace(/(['"])(?:[/\\]|[A-Za-z]:[/\\])(?:(?!\1).)*\1/g, '$1…$1')
    .replace(/(^|[\s(=:,])(?:\/[^\s/'"]+)+\/?|[A-Za-z]:\\[^\s'"]*/g, '$1…')
    .replace(/\b[A-Za-z0-9+/_-]{32,}={0,2}/g, '…')
    .slice(0, LONGEST_MESSAGE);
}
