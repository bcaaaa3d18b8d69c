import type { VerifiedFooter } from '../../format/tree/record.ts';
import { footerIn, type FoundFooter } from '../check/check-packs.ts';
import type { PointCheck } from '../check/check-points.ts';
import type { FactOf } from '../../format/repository/facts.ts';
import type { Repository } from '../repository.ts';

/**
 * Finds the names of devices in their newest trees, for those that have restore points and that no segment describes any more.
 *
 * @param footers of restore points that come back
 */
export async function recoverNames(
  { projection, keys }: Repository,
  footers: readonly FoundFooter[],
  check: PointCheck,
  signal?: AbortSignal,
): Promise<readonly FactOf<'name'>[]> {
  const known = projection.ledgers.deviceNames();
  const found = new Map<string, VerifiedFooter>();
  for (const { footer } of footers.toSorted((a, b) => b.footer.created - a.footer.created)) {
    if (!known.has(footer.deviceId) && !found.has(footer.deviceId)) found.set(footer.deviceId, footer);
  }
  for (const { device, tree } of projection.points.all()) {
    if (known.has(device) || found.has(device)) continue;
    const plaintext = await check.read(tree, 'tree', signal);
    const footer = plaintext && footerIn(plaintext, keys.tree);
    if (footer) found.set(device, footer);
  }
  return [...found].flatMap(([device, { deviceName: name, created: time }]) =>
    name === undefined ? [] : [{ kind: 'name', device, name, time }],
  );
}
