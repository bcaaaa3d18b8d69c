import type { ReactElement } from 'react';
import { isolatedName, readablePath } from '../../../shared/readable-path.ts';

interface NamedActionProps {
  /** A text of the catalogue with a name in it. */
  readonly text: (name: string) => string;
  readonly name: string;
}

/** Stands for the name while the text is split, and is in no text. */
const PLACE = '\u{F0000}';

/**
 * The text of a button with a name that may be longer than there is room. Only the name is cut, at its own end: in a text from right to left, a
 * name from left to right keeps its beginning. Screen readers read the text as a whole.
 */
export function NamedAction({ text, name }: NamedActionProps): ReactElement {
  const [before = '', after = ''] = text(PLACE).split(PLACE);
  return (
    <>
      <span className="ui-hidden">{text(isolatedName(name))}</span>
      <span className="restore-named" aria-hidden="true" data-sentence>
        <span>{before}</span>
        <bdi className="ui-ellipsis" dir="auto" title={readablePath(name)}>
          {readablePath(name)}
        </bdi>
        <span>{after}</span>
      </span>
    </>
  );
}
