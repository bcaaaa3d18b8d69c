import type { ElectronWorld } from './electron-fixture.ts';

/** Answers the next folder dialog of the system, which tests cannot operate. */
export async function chooseFolderNext(world: ElectronWorld, folder: string): Promise<void> {
  await world.app.evaluate(({ dialog }, path) => {
    const { showOpenDialog } = dialog;
    dialog.showOpenDialog = () => {
      dialog.showOpenDialog = showOpenDialog;
      return Promise.resolve({ canceled: false, filePaths: [path] });
    };
  }, folder);
}
