import { useState } from 'react';
import type { ReactElement } from 'react';
import type { PortalBackupSet } from '../../../protocol/portal/portal.ts';
import type { RetentionState } from '../../../protocol/retention.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { ReleaseDialog } from '../release-dialog.tsx';
import { useLanguage } from '../../strings/language.ts';
import { policyText } from './policy-text.ts';

interface RetentionSummaryProps {
  readonly set: PortalBackupSet;
  readonly state: RetentionState;
  readonly mayManage: boolean;
  readonly onChanged: () => void;
}

/** The retention of a set: its policy, the minimum age, a hold on removals, and space that will be freed. */
export function RetentionSummary({ set, state, mayManage, onChanged }: RetentionSummaryProps): ReactElement {
  const language = useLanguage();
  const { strings, formats } = language;
  const words = strings.retention;
  const [isReleasing, setReleasing] = useState(false);
  const { policy, minimum_days: minimum, held_since: held, freeing } = state;
  return (
    <>
      {held !== null && (
        <Notice tone="bad">
          <p>{words.held(formats.day(held))}</p>
          {mayManage && (
            <div>
              <Button onPress={() => setReleasing(true)}>{words.release}</Button>
            </div>
          )}
        </Notice>
      )}
      <div className="ui-stack-tight">
        <p>{policyText(policy, language)}</p>
        {minimum > 0 && <p className="ui-soft">{words.minimum(minimum)}</p>}
        {freeing.map(({ at, bytes }) => (
          <p key={at} className="ui-soft">
            {words.freeing(formats.bytes(bytes), formats.day(at))}
          </p>
        ))}
      </div>
      {isReleasing && (
        <ReleaseDialog
          deviceId={set.device_id}
          set={set.name}
          onDone={() => {
            setReleasing(false);
            onChanged();
          }}
          onClose={() => setReleasing(false)}
        />
      )}
    </>
  );
}
