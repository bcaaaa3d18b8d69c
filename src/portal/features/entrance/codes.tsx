import type { ReactElement } from 'react';
import { Button } from '../../../ui/buttons/button.tsx';
import { saveAsFile } from '../../shared/save-as-file.ts';
import { useLanguage } from '../../strings/language.ts';

const FILE = 'holdfast-recovery-codes.txt';

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
        <Button onPress={() => saveAsFile(FILE, 'text/plain', `${codes.join('\n')}\n`)}>
          {strings.entrance.download}
        </Button>
        <Button kind="primary" onPress={onKept}>
          {strings.entrance.codesKept}
        </Button>
      </div>
    </div>
  );
}
