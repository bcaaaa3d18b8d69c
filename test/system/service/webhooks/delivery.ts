import type { Delivery } from '../../../../src/service/webhooks/outbox.ts';

/** A delivery at its first attempt. */
export function deliveryTo(url: string, changes: Partial<Delivery> = {}): Delivery {
  return {
    id: 'delivery-1',
    endpointId: 'endpoint-1',
    url,
    secrets: ['whsec_test'],
    event: 'backup.started',
    body: '{"event":"backup.started"}',
    triedFrom: 0,
    attempts: 1,
    leasedUntil: 60_000,
    ...changes,
  };
}
