import { app } from 'electron';
import { ownImage } from './own-image.ts';

/** Returns the program and the arguments that start it again, for the entries that the system starts it by. */
export function ownCommand(environment: NodeJS.ProcessEnv): readonly string[] {
  // An AppImage runs from a different folder each time.
  const image = ownImage(environment);
  if (image !== undefined) return [image];
  return app.isPackaged ? [process.execPath] : [process.execPath, app.getAppPath()];
}
