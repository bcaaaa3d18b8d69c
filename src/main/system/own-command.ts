import { app } from 'electron';

/** Returns the program and the arguments that start it again, for the entries that the system starts it by. */
export function ownCommand(environment: NodeJS.ProcessEnv): readonly string[] {
  // An AppImage runs from a different folder each time.
  if (environment['APPIMAGE']) return [environment['APPIMAGE']];
  return app.isPackaged ? [process.execPath] : [process.execPath, app.getAppPath()];
}
