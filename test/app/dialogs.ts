import type { ElectronWorld } from './electron-world.ts';

/** Answers the next of the system's dialogs for folders as a person would: nobody else can press in one. */
export async function chooseFolderNext(world: ElectronWorld, folder: string): Promise<void> {
  await world.app.evaluate(({ dialog }, path) => {
    const { showOpenDialog } = dialog;
    dialog.showOpenDialog = () => {
      dialog.showOpenDialog = showOpenDialog;
      return Promise.resolve({ canceled: false, filePaths: [path] });
    };
  }, folder);
}
