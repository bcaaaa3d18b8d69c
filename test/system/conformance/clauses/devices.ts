import { clausesOf } from '../clause.ts';
import type { Clause } from '../clause.ts';
import { good, notAllowed, refused, withoutTokens } from '../exchange.ts';
import { expectSame, expectThat, fieldsOf } from '../fields.ts';
import { backUp, newSetName } from '../run.ts';
import { sampleChunk, sampleFile } from '../sample.ts';

const { required, advised } = clausesOf('devices');

const DEVICE = { id: 'text', name: 'string', os: 'string', agent_version: 'string', status: 'text' } as const;

export const DEVICES: readonly Clause[] = [
  required(
    'device authentication returns access_token, expires_in and device, without a bearer token',
    async (subject) => {
      const answer = good('device authentication', await subject.signedDevice());
      const fields = { access_token: 'text', expires_in: 'count', device: 'object' } as const;
      const { device, expires_in: life } = fieldsOf('device authentication', answer.json, fields);
      expectThat(life > 0, 'expires_in is 0');
      const { id } = fieldsOf('the device', device, { id: 'text', name: 'string', permissions: 'texts' });
      expectSame('the device’s id', id, subject.device.id);
    },
  ),
  required('device authentication requires no second factor', async (subject) => {
    const answer = good('device authentication', await subject.signedDevice());
    expectThat(!answer.bytes.includes('mfa_'), 'it asks for one');
  }),
  required('a wrong device key is rejected', async (subject) => {
    await subject.signedDevice();
    const key = `${subject.device.key.slice(0, -4)}AAAA`;
    const answer = await subject.authenticateDevice({ key, signature: subject.signature(key) });
    withoutTokens('a wrong key', refused('a wrong key', answer));
  }),
  required('a signature under another key is rejected', async (subject) => {
    await subject.signedDevice();
    const answer = await subject.authenticateDevice({ signature: subject.signature('another key') });
    withoutTokens('a wrong signature', refused('a wrong signature', answer));
  }),
  required('an unknown device is rejected', async (subject) => {
    await subject.signedDevice();
    const body = { device_key: subject.device.key, device_id: 'no-such-device', signature: subject.signature() };
    withoutTokens('an unknown device', refused('it', await subject.post('/functions/v1/auth/device', body)));
  }),
  advised('a signature that is an hour old is rejected', async (subject) => {
    await subject.signedDevice();
    const signature = subject.signature(undefined, Math.floor(subject.now() / 1000) - 3600);
    refused('an old signature', await subject.authenticateDevice({ signature }));
  }),
  advised('a signature is valid once', async (subject) => {
    await subject.signedDevice();
    const signature = subject.signature();
    good('device authentication', await subject.authenticateDevice({ signature }));
    refused('the same signature again', await subject.authenticateDevice({ signature }));
  }),
  required('a device’s token is accepted', async (subject) => {
    good('the list of devices', await subject.get('/rest/v1/devices', await subject.deviceToken()));
  }),
  advised('a device’s token is not accepted as an mfa_token', async (subject) => {
    const { factorId } = await subject.challenge();
    notAllowed('factor verify', await subject.verify(factorId, '000000', await subject.deviceToken()));
  }),
  required('the list has id, name, os, agent_version, last_backup and status of each device', async (subject) => {
    const answer = good('the list', await subject.get('/rest/v1/devices', await subject.token()));
    const { devices } = fieldsOf('the list', answer.json, { devices: 'array' });
    const listed = devices.map((device) => fieldsOf('a device', device, DEVICE));
    for (const device of listed) {
      // A device without backups has no time of the last one.
      const { last_backup: last, last_seen: seen } = device as Readonly<Record<string, unknown>>;
      if (last !== undefined && last !== null) fieldsOf('a device', device, { last_backup: 'timestamp' });
      // An extension, which a service may omit.
      if (seen !== undefined && seen !== null) fieldsOf('a device', device, { last_seen: 'timestamp' });
    }
    const own = await subject.deviceId();
    expectThat(
      listed.some(({ id }) => id === own),
      'the device that asks is not in it',
    );
  }),
  required('last_backup is the time of the newest backup', async (subject) => {
    const before = subject.now();
    await backUp(subject, newSetName(), [sampleFile('/a', [sampleChunk(10)], '2026-01-01T00:00:00.000Z')]);
    const answer = good('the list', await subject.get('/rest/v1/devices', await subject.token()));
    const { devices } = fieldsOf('the list', answer.json, { devices: 'array' });
    const own = await subject.deviceId();
    const device = devices.find((one) => fieldsOf('a device', one, DEVICE).id === own);
    const { last_backup: last } = fieldsOf('the device', device, { last_backup: 'timestamp' });
    // Clocks may differ by some seconds.
    expectThat(Date.parse(last) > before - 300_000, `it is ${last}`);
  }),
];
