import { workerData, parentPort } from 'node:worker_threads';
import { EstimateWalk, type EstimateRequest } from './estimate-walk.ts';

/** Often enough for figures that count up as a person watches. */
const TELL_MS = 100;

const walk = new EstimateWalk(workerData as EstimateRequest);
let told = performance.now();
while (walk.step()) {
  if (performance.now() - told < TELL_MS) continue;
  parentPort!.postMessage(walk.estimate(false));
  told = performance.now();
}
parentPort!.postMessage(walk.estimate(true));
