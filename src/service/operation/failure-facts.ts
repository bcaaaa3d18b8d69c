/** Returns the loggable facts of an error: no messages, which may contain paths, and no folders of stack frames. */
export interface FailureFacts {
  readonly name: string;
  readonly code?: string;
  readonly at?: readonly string[];
}

const MOST_FRAMES = 8;

export function failureFacts(error: unknown): FailureFacts {
  if (!(error instanceof Error)) return { name: typeof error };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    name: error.name,
    ...('code' in error ? { code: String(error.code) } : {}),
    at: frames
      .slice(0, MOST_FRAMES)
      .map((frame) => frame.replace(/\(?(?:file:\/\/)?\S*[/\\]([^/\\]+)\)?$/, '$1').trim()),
  };
}
