import type { ReactElement } from 'react';
import './cut-text.css';
import { isolatedName, readablePath } from './readable-path.ts';
import { useClosedGap } from './use-closed-gap.ts';

interface CutTextProps {
  /** A text of the catalogue with a part in it, such as a name. */
  readonly text: (part: string) => string;
  readonly part: string;
  /** Patterns and paths read from left to right whatever they begin with. */
  readonly direction?: 'auto' | 'ltr';
}

/** Stands for the part while the text is split, and is in no text. */
const PLACE = '\u{F0000}';

/**
 * A text with a part that may be longer than there is room. Only the part is cut, at its own end: in a text from right to left, a
 * name from left to right keeps its beginning. Screen readers read the text as a whole.
 */
export function CutText({ text, part, direction = 'auto' }: CutTextProps): ReactElement {
  const [before = '', after = ''] = text(PLACE).split(PLACE);
  const line = useClosedGap();
  return (
    <>
      <span className="ui-hidden">{text(isolatedName(part))}</span>
      <span ref={line} className="cut-text" aria-hidden="true" data-sentence>
        <span>{before}</span>
        <bdi className="ui-ellipsis" dir={direction} title={readablePath(part)}>
          {readablePath(part)}
        </bdi>
        <span>{after}</span>
      </span>
    </>
  );
}
