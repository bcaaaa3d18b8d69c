import { app } from 'electron';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** What `npm run package` adds to the package.json of the app, inside its archive. */
const packageSettings = z.object({
  /** The server of updates, and the keys that sign them; missing in a build that looks for none. */
  updates: z.object({ url: z.url(), keys: z.array(z.string()).min(1) }).optional(),
  /** Set in packages for tests. */
  allowsDevTools: z.boolean().optional(),
});
export type PackageSettings = Readonly<z.infer<typeof packageSettings>>;

const manifest = z.object({ holdfast: packageSettings.optional() });

/** Returns nothing in a checkout, and for a manifest that is not ours. */
export function readPackageSettings(folder: string = app.getAppPath()): PackageSettings {
  try {
    return manifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).holdfast ?? {};
  } catch {
    return {};
  }
}
