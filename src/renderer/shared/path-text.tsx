import type { ReactElement } from 'react';
import { exactPath, readablePath } from './readable-path.ts';

interface PathTextProps {
  /** An entry path, a path of this computer, or a name of one. */
  readonly path: string;
  /** What is shown instead, as a shortened path. */
  readonly text?: string;
}

/** A path or a name. Its direction does not change that of the text around it, and what cannot be shown stands in a hint. */
export function PathText({ path, text = path }: PathTextProps): ReactElement {
  return <bdi title={exactPath(path)}>{readablePath(text)}</bdi>;
}
