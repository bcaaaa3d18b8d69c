import { useState } from 'react';
import type { ReactElement } from 'react';
import type { PortalWebhook } from '../../../protocol/portal/portal.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { NativeSelect } from '../../../ui/fields/native-select.tsx';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../ui/requests/use-action.ts';
import { webhooks } from '../../api/calls.ts';
import { useLanguage } from '../../strings/language.ts';
import { HOUR } from '../../../model/units.ts';

/** Ranges that can be sent again. The command line takes any. */
const RANGES = {
  'failed-day': { hours: 24, onlyGivenUp: true },
  'failed-month': { hours: 30 * 24, onlyGivenUp: true },
  'all-hour': { hours: 1, onlyGivenUp: false },
  'all-day': { hours: 24, onlyGivenUp: false },
} as const;
type RangeName = keyof typeof RANGES;

interface SendMoreProps {
  readonly webhook: PortalWebhook;
  readonly onSent: () => void;
}

/** Sends a test, or the deliveries of a range again. */
export function SendMore({ webhook, onSent }: SendMoreProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.webhooks;
  const [range, setRange] = useState<RangeName>('failed-day');
  const [said, setSaid] = useState<string>();
  const action = useAction();
  const send = (work: () => Promise<string>): void =>
    action.run(async () => {
      setSaid(undefined);
      setSaid(await work());
      onSent();
    });
  return (
    <div className="ui-stack">
      <div className="portal-send">
        <NativeSelect
          label={words.replayRange}
          value={range}
          options={(Object.keys(RANGES) as RangeName[]).map((value) => ({ value, label: words.ranges[value] }))}
          onChange={(value) => setRange(value as RangeName)}
        />
        <div className="ui-row">
          <Button
            onPress={() =>
              send(async () => {
                const { hours, onlyGivenUp } = RANGES[range];
                const now = Date.now();
                const { deliveries } = await webhooks.replay(webhook.id, {
                  from: new Date(now - hours * HOUR).toISOString(),
                  // The clocks of this computer and the service may differ.
                  to: new Date(now + HOUR).toISOString(),
                  only_given_up: onlyGivenUp,
                });
                return words.replayed(deliveries);
              })
            }
          >
            {words.replay}
          </Button>
          <Button onPress={() => send(() => webhooks.test(webhook.id).then(() => words.tested))}>{words.test}</Button>
        </div>
      </div>
      <FailureNotice failure={action.failure} />
      {said !== undefined && (
        <Notice tone="good">
          <p>{said}</p>
        </Notice>
      )}
    </div>
  );
}
