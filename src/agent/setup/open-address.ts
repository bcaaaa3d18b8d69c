import { spawn } from 'node:child_process';

/** Asks the system to show a web page. Nothing happens where there is no screen: whoever asks shows the address too. */
export function openAddress(address: string, environment: NodeJS.ProcessEnv): void {
  const program = programOf(environment);
  if (!program) return;
  const [name, ...options] = program;
  const child = spawn(name, [...options, address], { stdio: 'ignore', detached: true });
  // A system without that program still has a person who reads.
  child.once('error', () => undefined);
  child.unref();
}

function programOf(environment: NodeJS.ProcessEnv): readonly [string, ...string[]] | undefined {
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const hasScreen = environment['DISPLAY'] || environment['WAYLAND_DISPLAY'];
  return hasScreen ? ['xdg-open'] : undefined;
}
