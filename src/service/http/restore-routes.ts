import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { restoreReportRequest, reportedManifestRequest } from '../../protocol/extensions.ts';
import { restorePresignRequest } from '../../protocol/restore.ts';
import { restoreManifest } from '../restore/manifest.ts';
import { personOf } from '../auth/person-of.ts';
import { presignDownloads } from '../restore/presign.ts';
import { findDownloadSession } from '../restore/restore-access.ts';
import { reportRestore } from '../restore/report.ts';
import { emptyAnswer, jsonResponse, streamedJson } from '../request/answer.ts';
import { readJson } from './body.ts';
import { withCaller } from './routes.ts';
import type { Route, RouteContext } from './routes.ts';

export function restoreRoutes(context: RouteContext): readonly Route[] {
  const { service } = context;
  const manifest = withCaller(context, async ({ request }, caller) => {
    const body = await readJson(request, reportedManifestRequest);
    return streamedJson(await restoreManifest(context, caller, body));
  });
  const presign = withCaller(context, async ({ request, baseUrl }, caller) => {
    const { restore_session_id: id, chunk_hashes: hashes } = await readJson(request, restorePresignRequest);
    const session = await findDownloadSession(service, caller, id);
    const { person } = await personOf(service, caller);
    return jsonResponse({ downloads: await presignDownloads(context, session, hashes, { baseUrl, person }) });
  });
  const report = withCaller(context, async ({ request }, caller) => {
    await reportRestore(service, caller, await readJson(request, restoreReportRequest));
    return emptyAnswer();
  });
  return [
    { path: ENDPOINTS.restoreManifest, methods: { POST: manifest } },
    { path: ENDPOINTS.restorePresign, methods: { POST: presign } },
    { path: ENDPOINTS.restoreReport, methods: { POST: report } },
  ];
}
