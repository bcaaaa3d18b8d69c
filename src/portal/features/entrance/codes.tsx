import type { ReactElement } from 'react';
import { Button } from '../../../ui/buttons/button.tsx';
import { useLanguage } from '../../strings/language.ts';

interface CodesProps {
  readonly codes: readonly string[];
  readonly onKept: () => void;
}

/** Recovery codes. They are shown this once. */
export function Codes({ codes, onKept }: CodesProps): ReactElement {
  const { strings } = useLanguage();
  return (
    <div className="ui-stack">
      <p>{strings.entrance.codesLead}</p>
      <div className="ui-secret">
        <ul className="ui-codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
      </div>
      <div className="ui-actions">
        <Button onPress={() => saveAsFile(codes)}>{strings.entrance.download}</Button>
        <Button kind="primary" onPress={onKept}>
          {strings.entrance.codesKept}
        </Button>
      </div>
    </div>
  );
}

function saveAsFile(codes: readonly string[]): void {
  const address = URL.createObjectURL(new Blob([`${codes.join('\n')}\n`], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = 'holdfast-recovery-codes.txt';
  link.click();
  URL.revokeObjectURL(address);
}
