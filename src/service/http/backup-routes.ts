import { backupCompleteRequest, backupPresignRequest, backupProgressRequest } from '../../protocol/backup.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import {
  backupAbortRequest,
  backupOpenRequest,
  backupPresignBatchRequest,
  BACKUP_PRESIGN_BATCH,
} from '../../protocol/extensions.ts';
import { z } from 'zod';
import { requirePermission } from '../auth/permissions.ts';
import { completeBackup } from '../backup/complete.ts';
import { abortBackup } from '../backup/session-end.ts';
import { initBackup } from '../backup/init.ts';
import { openBackup } from '../backup/backup-target.ts';
import { presignUploads } from '../backup/presign.ts';
import { findSession, findAcceptingSession } from '../backup/session-access.ts';
import { ServiceProblem } from '../request/problem.ts';
import { emptyAnswer, jsonResponse, streamedJson } from '../request/answer.ts';
import { checked, readJson } from './body.ts';
import { type CallerHandler, type Route, type RouteContext, withCaller, withStreamingCaller } from './routes.ts';

/** @param onEnded called when a session has ended and left data to delete */
export function backupRoutes(context: RouteContext, onEnded: () => void): readonly Route[] {
  const { service } = context;
  const post = (path: string, handler: CallerHandler): Route => ({
    path,
    methods: { POST: withCaller(context, handler) },
  });
  return [
    {
      path: ENDPOINTS.backupInit,
      methods: {
        POST: withStreamingCaller(context, async (_, caller, manifest) => {
          requirePermission(caller, 'backup');
          return streamedJson(await initBackup(service, caller, manifest));
        }),
      },
    },
    post(ENDPOINTS.backupOpen, async ({ request }, caller) => {
      requirePermission(caller, 'backup');
      const session = await openBackup(service, caller, await readJson(request, backupOpenRequest));
      return jsonResponse({ session_id: session.id });
    }),
    post(ENDPOINTS.backupPresign, createPresign(context)),
    post(ENDPOINTS.backupProgress, async ({ request }, caller) => {
      const body = await readJson(request, backupProgressRequest);
      const session = await findAcceptingSession(service, caller, body.session_id);
      const { chunks_uploaded: chunksUploaded, chunks_total: chunksTotal, bytes_uploaded: bytesUploaded } = body;
      const progress = { chunksUploaded, chunksTotal, bytesUploaded, at: service.clock.now() };
      await service.metadata.sessions.progress(session.number, progress);
      return jsonResponse({});
    }),
    post(ENDPOINTS.backupComplete, async ({ request }, caller) => {
      const { session_id: id, stats } = await readJson(request, backupCompleteRequest);
      const run = await completeBackup(service, await findSession(service, caller, id), stats);
      onEnded();
      return jsonResponse(run);
    }),
    post(ENDPOINTS.backupAbort, async ({ request }, caller) => {
      const { session_id: id } = await readJson(request, backupAbortRequest);
      await abortBackup(service, await findSession(service, caller, id));
      onEnded();
      return emptyAnswer();
    }),
  ];
}

const anyPresign = z.record(z.string(), z.unknown());

/** One chunk (interface), or `chunks` (our extension). */
function createPresign({ service }: RouteContext): CallerHandler {
  return async ({ request, baseUrl }, caller) => {
    const body = await readJson(request, anyPresign);
    if (!('chunks' in body)) {
      const { session_id: id, ...chunk } = checked(body, backupPresignRequest);
      const session = await findAcceptingSession(service, caller, id);
      const [upload] = await presignUploads(service, session, [chunk], { baseUrl, known: 'addresses' });
      if (!upload) throw new ServiceProblem('blob_exists', { status: 409 });
      return jsonResponse(upload);
    }
    if (Array.isArray(body['chunks']) && body['chunks'].length > BACKUP_PRESIGN_BATCH) {
      throw new ServiceProblem('too_large', { detail: `more than ${BACKUP_PRESIGN_BATCH} chunks in one call` });
    }
    const { session_id: id, chunks } = checked(body, backupPresignBatchRequest);
    const session = await findAcceptingSession(service, caller, id);
    const presigned = await presignUploads(service, session, chunks, { baseUrl, known: 'stored' });
    const uploads = chunks.flatMap(({ chunk_hash: hash }, index) => {
      const upload = presigned[index];
      return upload ? [{ chunk_hash: hash, ...upload }] : [];
    });
    const stored = chunks.filter((_, index) => !presigned[index]).map(({ chunk_hash: hash }) => hash);
    return jsonResponse({ uploads, stored });
  };
}
