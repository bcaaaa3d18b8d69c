import { useState } from 'react';
import type { ReactElement } from 'react';
import { Icon } from '../../../../ui/icon.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import type { Counted } from './use-estimate.ts';
import './estimate.css';

/** The size of the set, at the foot of the editor. */
export function EstimateLine({ counted }: { readonly counted: Counted }): ReactElement | null {
  const { strings, formats } = useLanguage();
  const words = strings.sets.editor;
  const [isOpen, setOpen] = useState(false);
  if (counted.kind === 'none') return null;
  const estimate = counted.kind === 'known' ? counted.estimate : undefined;
  const unreadable = estimate?.unreadable ?? [];
  const files = estimate ? strings.sets.files(estimate.files) : '';
  const bytes = estimate ? formats.bytes(estimate.bytes) : '';
  return (
    <footer className="set-estimate">
      <p className="ui-number" role={estimate?.done === false ? undefined : 'status'}>
        {counted.kind === 'waiting' && words.counting}
        {counted.kind === 'failed' && words.countFailed}
        {estimate &&
          (estimate.done ? <strong>{words.counted(files, bytes)}</strong> : words.countingSoFar(files, bytes))}
      </p>
      {unreadable.length > 0 && (
        <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            <Icon name="warning" /> {words.unreadable(unreadable.length)}
          </summary>
          <ul className="ui-small ui-path set-paths">
            {unreadable.map((path) => (
              <li key={path}>{path}</li>
            ))}
          </ul>
        </details>
      )}
    </footer>
  );
}
