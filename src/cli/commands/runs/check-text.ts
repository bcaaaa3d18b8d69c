import type { CheckReport, DamageProblem, Loss, PointName } from '../../../agent/operations/check.ts';
import { countText, sizeText, timeText } from '../../text.ts';

/** Losses that are printed; JSON has more. */
const MOST_LINES = 100;

const PROBLEMS: Readonly<Record<DamageProblem, string>> = {
  missing: 'is missing',
  unreadable: 'cannot be read: its disk reports an error',
  denied: 'cannot be read: permission denied',
  hash: 'was altered',
  sealed: 'cannot be decrypted',
  content: 'has invalid content',
  'later-key': 'is sealed with a newer key than this computer has',
  revoked: 'was written by a computer that was removed',
  signature: 'has a wrong signature',
  size: 'is too large',
  length: 'has a wrong length',
  hidden: 'was deleted, but is still in the bucket',
  unnamed: 'contains a restore point that is not listed',
  'newer-version': 'was written by a newer version of Holdfast',
};

/** What was checked, in a clause. */
export function checkedText({ packs, packsRead, parity, points, segments, checkpoints }: CheckReport): string {
  const files = countText(packs.files + segments + checkpoints, 'file');
  const read = packsRead.files === 0 ? '' : `, ${sizeText(packsRead.bytes)} of ${sizeText(packs.bytes)} read`;
  const besides = parity.files === 0 ? '' : `, ${sizeText(parity.bytes)} of parity`;
  return `${files} at the destination, ${countText(points, 'restore point')}${read}${besides}`;
}

/** What is damaged, in a clause. */
export function damageText({ findingsTotal, lossesTotal, isProjectionSound }: CheckReport): string {
  return [
    ...(findingsTotal > 0 ? [countText(findingsTotal, 'damaged or missing file')] : []),
    ...(lossesTotal > 0 ? [`${countText(lossesTotal, 'entry', 'entries')} of restore points lost`] : []),
    ...(isProjectionSound ? [] : ["this computer's list of the destination's content"]),
  ].join(', ');
}

/** One line for each damaged file and each loss. */
export function findingLines({ findings, losses, lossesTotal, isProjectionSound }: CheckReport): string[] {
  const shown = losses.slice(0, MOST_LINES);
  const more = lossesTotal - shown.reduce((sum, { entries }) => sum + entries, 0);
  return [
    ...(isProjectionSound ? [] : ["damaged: this computer's list of the destination's content"]),
    ...findings.slice(0, MOST_LINES).map(({ file, problem, isMendable }) => {
      return `damaged: ${file} ${PROBLEMS[problem]}${isMendable ? '; parity can mend it' : ''}`;
    }),
    ...shown.map((loss) => `lost: ${lossText(loss)}`),
    ...(more > 0 ? [`lost: ${countText(more, 'more file')}`] : []),
  ];
}

/** One line for each restore point of a backup that was killed at its end. */
export function unfinishedLines({ unfinished }: CheckReport): string[] {
  return unfinished
    .slice(0, MOST_LINES)
    .map((point) => `interrupted: the backup of ${pointText(point)} did not end, and its restore point is not listed`);
}

/** A line if metadata stands in one pack instead of two. */
export function inOnePackLines({ inOnePack: { blobs, bytes } }: CheckReport): string[] {
  if (blobs === 0) return [];
  const parts = countText(blobs, 'part of the lists of files stands', 'parts of the lists of files stand');
  return [
    `${parts} in one pack instead of two (${sizeText(bytes)}): nothing is lost, but with that pack they would be. ` +
      'The next backup stores them once more, and so does: holdfast repair',
  ];
}

export function pointText({ device, deviceName, set, time }: PointName): string {
  return `${set} of ${deviceName ?? device} at ${timeText(time)}`;
}

function lossText(loss: Loss): string {
  const { path, entries } = loss;
  const point = pointText(loss);
  if (path === undefined) return `the restore point ${point}`;
  return entries === 1 ? `${path} in ${point}` : `${countText(entries, 'file')} from ${path} on in ${point}`;
}

export function checkJson(report: CheckReport): object {
  const { findings, findingsTotal, losses, lossesTotal, isProjectionSound, unfinished } = report;
  const { packs, packsRead, unnamed, leftOver } = report;
  return {
    findings: findings.map(({ file, problem, isMendable }) =>
      isMendable ? { file, problem, mendable: true } : { file, problem },
    ),
    findings_total: findingsTotal,
    losses: losses.map(({ path, entries, file, ...point }) => {
      return Object.assign(pointJson(point), { path: path ?? null, entries, file: file ?? null });
    }),
    losses_total: lossesTotal,
    local_list_sound: isProjectionSound,
    unfinished_points: unfinished.map(pointJson),
    segments: report.segments,
    checkpoints: report.checkpoints,
    restore_points: report.points,
    packs,
    packs_read: packsRead,
    parity: report.parity,
    unnamed_packs: unnamed,
    left_over_packs: leftOver,
    in_one_pack: report.inOnePack,
  };
}

export function pointJson({ device, deviceName, set, time }: PointName): object {
  return { device_id: device, device_name: deviceName ?? null, backup_set: set, restore_point: time };
}
