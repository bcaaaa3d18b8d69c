import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import type { PortalDelivery, PortalWebhook } from '../../../protocol/portal/portal.ts';
import { Badge } from '../../../ui/feedback/badge.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { Empty } from '../../../ui/feedback/empty.tsx';
import { ModalDialog } from '../../../ui/dialogs/modal-dialog.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import type { Tone } from '../../../ui/theme/tone.ts';
import { webhooks } from '../../api/calls.ts';
import { useAction } from '../../../ui/requests/use-action.ts';
import { useResource } from '../../../ui/requests/use-resource.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { useLanguage } from '../../strings/language.ts';
import { SendMore } from './send-more.tsx';
import './deliveries.css';

const TONES = { delivered: 'good', waiting: 'warning', 'given-up': 'bad' } as const satisfies Record<string, Tone>;

interface DeliveriesProps {
  readonly webhook: PortalWebhook;
  readonly onClose: () => void;
}

/** Deliveries to a webhook, newest first. */
export function Deliveries({ webhook, onClose }: DeliveriesProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.webhooks;
  const list = useResource(useCallback(() => webhooks.deliveries(webhook.id), [webhook.id]));
  const action = useAction();
  const [resent, setResent] = useState<string>();
  const resend = (id: string): void =>
    action.run(async () => {
      await webhooks.resend(webhook.id, id);
      setResent(id);
      list.reload();
    });
  return (
    <ModalDialog title={words.deliveriesOf(webhook.url)} onClose={onClose}>
      {webhook.disabled === null && <SendMore webhook={webhook} onSent={list.reload} />}
      <FailureNotice failure={action.failure} />
      {resent !== undefined && (
        <Notice tone="good">
          <p>{words.resent}</p>
        </Notice>
      )}
      <Loaded resource={list}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <Empty icon="webhooks" title={words.noDeliveries} />
          ) : (
            <ul className="portal-deliveries">
              {deliveries.map((delivery) => (
                <li key={delivery.id}>
                  <DeliveryEntry delivery={delivery} onResend={() => resend(delivery.id)} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <div className="ui-actions">
        <Button kind="primary" onPress={onClose}>
          {strings.common.close}
        </Button>
      </div>
    </ModalDialog>
  );
}

interface DeliveryEntryProps {
  readonly delivery: PortalDelivery;
  readonly onResend: () => void;
}

function DeliveryEntry({ delivery, onResend }: DeliveryEntryProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.webhooks;
  const { event, created, state, attempts, last_status: status, last_error: error, body } = delivery;
  const names = {
    delivered: words.delivered,
    waiting: attempts === 0 ? words.queued : words.waiting,
    'given-up': words.givenUp,
  };
  const answer = error ?? (status === null ? words.noAnswer : `HTTP ${status}`);
  return (
    <details>
      <summary>
        <span className="ui-stack-tight portal-delivery-name">
          <code>{event}</code>
          <span className="ui-soft ui-small">{formats.dateTime(created)}</span>
        </span>
        <Badge tone={TONES[state]}>{names[state]}</Badge>
      </summary>
      <div className="ui-stack-tight portal-delivery">
        <p className="ui-small">
          {words.answer}: {answer} · {words.tries(attempts)}
        </p>
        <p className="ui-small ui-soft">{words.body}</p>
        <pre>{indented(body)}</pre>
        <div className="ui-row">
          <Button onPress={onResend}>{words.resend}</Button>
        </div>
      </div>
    </details>
  );
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
