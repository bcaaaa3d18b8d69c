import { chmodSync, cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A folder that becomes a package. Modes are those given here, whatever the umask and the checkout say. */
export class PackageTree {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
  }

  write(path: string, content: string | Uint8Array, mode = 0o644): void {
    const file = this.#place(path);
    writeFileSync(file, content);
    chmodSync(file, mode);
  }

  copy(source: string, path: string, mode = 0o644): void {
    const file = this.#place(path);
    cpSync(source, file);
    chmodSync(file, mode);
  }

  makeFolder(path: string): void {
    this.#place(join(path, 'file'));
  }

  /** Copies the regular files of a folder and of those in it. */
  copyFolder(source: string, path: string): void {
    const entries = readdirSync(source, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((one) => one.isFile())) {
      const file = join(entry.parentPath, entry.name);
      this.copy(file, join(path, file.slice(source.length + 1)));
    }
  }

  link(target: string, path: string): void {
    symlinkSync(target, this.#place(path));
  }

  /** Returns the paths of all files and links, sorted. */
  paths(): readonly string[] {
    return readdirSync(this.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.folder.length + 1))
      .sort();
  }

  #place(path: string): string {
    const folders = dirname(path).split('/');
    for (const [index] of folders.entries()) {
      const folder = join(this.folder, ...folders.slice(0, index + 1));
      mkdirSync(folder, { recursive: true });
      chmodSync(folder, 0o755);
    }
    return join(this.folder, path);
  }
}
