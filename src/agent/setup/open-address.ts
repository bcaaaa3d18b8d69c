import { spawn } from 'node:child_process';
import { withInheritedUmask } from '../../base/files/owner-only.ts';

/** Opens a web page in the system's browser. Does nothing without a screen, so callers show the address too. */
export function openAddress(address: string, environment: NodeJS.ProcessEnv): void {
  const program = programOf(environment);
  if (!program) return;
  const [name, ...options] = program;
  const child = withInheritedUmask(() => spawn(name, [...options, address], { stdio: 'ignore', detached: true }));
  // Without that program, the person can still open the address that the caller shows.
  child.once('error', () => undefined);
  child.unref();
}

function programOf(environment: NodeJS.ProcessEnv): readonly [string, ...string[]] | undefined {
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const hasScreen = environment['DISPLAY'] || environment['WAYLAND_DISPLAY'];
  return hasScreen ? ['xdg-open'] : undefined;
}
