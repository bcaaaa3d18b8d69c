import { clausesOf } from '../clause.ts';
import type { Clause } from '../clause.ts';
import { good, notAllowed, refused } from '../exchange.ts';
import { expectSame, expectThat, fieldsOf } from '../fields.ts';
import { begin, later, newSetName, presignDownloads, put, story, tree, upload, uploadAddress } from '../run.ts';
import { sampleChunk, sampleFile } from '../sample.ts';
import type { Subject } from '../subject.ts';

const { required, advised } = clausesOf('time');

const ACCESS_LIFE = 3600;
const UPLOAD_LIFE = 900;

async function waitingChunk(subject: Subject) {
  const chunk = sampleChunk(64);
  const files = [sampleFile('/file', [chunk], '2026-01-01T00:00:00.000Z')];
  const { sessionId } = await begin(subject, newSetName(), files);
  return { chunk, sessionId, address: await uploadAddress(subject, sessionId, chunk) };
}

/** Runs last, since it advances the clock for all clauses. */
export const OVER_TIME: readonly Clause[] = [
  required('an upload address works for most of 15 minutes', async (subject) => {
    const { chunk, address } = await waitingChunk(subject);
    await subject.pass(UPLOAD_LIFE - 60);
    expectSame('status', (await put(subject, address, chunk.blob)).status, 200);
  }),
  required('an upload address is rejected after 15 minutes, and a new one works', async (subject) => {
    const { chunk, sessionId, address } = await waitingChunk(subject);
    await subject.pass(UPLOAD_LIFE + 1);
    refused('the PUT', await put(subject, address, chunk.blob));
    await upload(subject, sessionId, chunk);
  }),
  required('a download address is rejected after its expires_in, and a new one works', async (subject) => {
    const { second } = await story(subject);
    const { sessionId, files } = await tree(subject, second.set, later(subject));
    const body = { restore_session_id: sessionId, chunk_hashes: [files.flatMap(({ chunks }) => chunks)[0]!] };
    const answer = await subject.post('/functions/v1/restore/presign', body, await subject.token());
    const { downloads } = fieldsOf('restore presign', good('restore presign', answer).json, { downloads: 'array' });
    const { url, expires_in: life } = fieldsOf('a download', downloads[0], { url: 'address', expires_in: 'count' });
    good('the download', await subject.send({ method: 'GET', url }));
    await subject.pass(life + 1);
    refused('the download', await subject.send({ method: 'GET', url }));
    const [again] = await presignDownloads(subject, sessionId, body.chunk_hashes);
    expectThat(again !== undefined, 'there is no new address');
    good('the download', await subject.send({ method: 'GET', url: again.url }));
  }),
  required('an access token is rejected after an hour, and the refresh grant renews it', async (subject) => {
    const fields = { access_token: 'text', refresh_token: 'text' } as const;
    const session = fieldsOf('factor verify', (await subject.signIn()).json, fields);
    good('the list of devices', await subject.get('/rest/v1/devices', session.access_token));
    await subject.pass(ACCESS_LIFE + 1);
    notAllowed('the list of devices', await subject.get('/rest/v1/devices', session.access_token));
    const renewed = fieldsOf('the refresh grant', (await subject.refresh(session.refresh_token)).json, fields);
    good('the list of devices', await subject.get('/rest/v1/devices', renewed.access_token));
  }),
  required(
    'a device’s token is rejected after its expires_in, and the device can authenticate again',
    async (subject) => {
      const fields = { access_token: 'text', expires_in: 'count' } as const;
      const session = fieldsOf('device authentication', (await subject.authenticateDevice()).json, fields);
      await subject.pass(session.expires_in + 1);
      notAllowed('the list of devices', await subject.get('/rest/v1/devices', session.access_token));
      good('the list of devices', await subject.get('/rest/v1/devices', await subject.deviceToken()));
    },
  ),
  advised('an mfa_token is rejected after an hour', async (subject) => {
    const { mfaToken, factorId } = await subject.challenge();
    await subject.pass(ACCESS_LIFE);
    refused('factor verify', await subject.verify(factorId, await subject.freshCode(), mfaToken));
  }),
];
