import type { ElectronFixture } from './electron-fixture.ts';

/** Answers the next folder dialog of the system, which tests cannot operate. */
export async function chooseFolderNext(fixture: ElectronFixture, folder: string): Promise<void> {
  await fixture.app.evaluate(({ dialog }, path) => {
    const { showOpenDialog } = dialog;
    dialog.showOpenDialog = () => {
      dialog.showOpenDialog = showOpenDialog;
      return Promise.resolve({ canceled: false, filePaths: [path] });
    };
  }, folder);
}
