import { createHmac } from 'node:crypto';
import { clausesOf, Undecided } from '../clause.ts';
import type { Clause } from '../clause.ts';
import { expectSame, expectThat, fieldsOf } from '../fields.ts';
import { backUp, newSetName } from '../run.ts';
import { sampleChunk, sampleFile } from '../sample.ts';
import type { Subject } from '../subject.ts';
import type { Received } from '../webhook-receiver.ts';

const { required, advised } = clausesOf('webhooks');

/** Seconds to wait for a delivery, and for one that was refused to come again. */
const FIRST = 30;
const AGAIN = 60;

function bodyOf(one: Received): Readonly<Record<string, unknown>> {
  return JSON.parse(one.body.toString('utf8')) as Readonly<Record<string, unknown>>;
}

/** Makes a backup, and returns the delivery that reports it. */
function reported(subject: Subject): Promise<{ readonly set: string; readonly delivery: Received }> {
  return subject.once('webhook', async () => {
    const { receiver } = subject;
    const set = newSetName();
    const files = [sampleFile('/a', [sampleChunk(10)], '2026-01-01T00:00:00.000Z')];
    await backUp(subject, set, files);
    const [delivery] = await receiver.find((one) => isOf(one, set), FIRST + AGAIN);
    if (!delivery) {
      if (receiver.received.length === 0) throw new Undecided(`nothing arrived: set a webhook up for ${receiver.url}`);
      throw new Undecided('no backup.completed arrived: the webhook has to get that event');
    }
    return { set, delivery };
  });
}

function isOf(one: Received, set: string): boolean {
  const { event, data } = bodyOf(one);
  return event === 'backup.completed' && (data as { backup_set?: unknown }).backup_set === set;
}

const DATA = {
  backup_id: 'text',
  device_id: 'text',
  device_name: 'string',
  backup_set: 'text',
  status: 'text',
  start_time: 'timestamp',
  end_time: 'timestamp',
  files_processed: 'count',
  bytes_uploaded: 'count',
  dedup_savings_percent: 'number',
} as const;

/** Deliveries of a webhook that a person has set up for the suite's receiver. */
export const WEBHOOKS: readonly Clause[] = [
  required('a backup is reported as backup.completed, with the fields of its data', async (subject) => {
    const { delivery } = await reported(subject);
    const fields = {
      event: 'text',
      timestamp: 'timestamp',
      delivery_id: 'text',
      account_id: 'text',
      data: 'object',
    } as const;
    const { data } = fieldsOf('the delivery', bodyOf(delivery), fields);
    const { status } = fieldsOf('the data', data, DATA);
    expectSame('the status', status, 'completed');
  }),
  required('the headers name the type, the event and the delivery', async (subject) => {
    const { delivery } = await reported(subject);
    const { event, delivery_id: id } = bodyOf(delivery);
    expectThat(
      /^application\/json\b/i.test(String(delivery.headers['content-type'])),
      'Content-Type is not application/json',
    );
    expectSame('X-Service-Event', delivery.headers['x-service-event'], event);
    expectSame('X-Service-Delivery', delivery.headers['x-service-delivery'], id);
  }),
  required('the signature is sha256= and the HMAC of the body in lowercase hex', async (subject) => {
    await reported(subject);
    for (const { headers, body } of subject.receiver.received) {
      const expected = createHmac('sha256', subject.receiver.secret).update(body).digest('hex');
      expectSame('X-Service-Signature', headers['x-service-signature'], `sha256=${expected}`);
    }
  }),
  required('a delivery that was refused comes again', async (subject) => {
    await reported(subject);
    const { received } = subject.receiver;
    const refused = received.find(({ answered }) => answered !== 200);
    if (!refused) throw new Undecided('none was refused');
    const { delivery_id: id } = bodyOf(refused);
    const again = await subject.receiver.find(
      (one) => one.answered === 200 && bodyOf(one)['delivery_id'] === id,
      AGAIN,
    );
    if (again.length === 0)
      throw new Undecided(`it did not come again within ${AGAIN} s; the interface allows longer intervals`);
  }),
  advised('each attempt of a delivery has the same bytes', async (subject) => {
    await reported(subject);
    const first = new Map<unknown, Buffer>();
    for (const one of subject.receiver.received) {
      const { delivery_id: id } = bodyOf(one);
      const before = first.get(id) ?? one.body;
      first.set(id, before);
      expectThat(before.equals(one.body), 'the bytes differ');
    }
  }),
];
