import type { Destination } from '../../model/destination.ts';

/** Folders that are named after this program get the name of the folder or disk that they are on. */
const OWN_NAME = /^holdfast$/i;

/** Returns a name for a destination that differs from the names taken, whatever their case. */
export function defaultName(destination: Destination, taken: readonly string[]): string {
  return freeName(nameOf(destination), taken);
}

/** Returns a name, with a number if it is taken. */
export function freeName(name: string, taken: readonly string[]): string {
  for (let number = 1; ; number += 1) {
    const numbered = number === 1 ? name : `${name} ${number}`;
    if (!isNameTaken(numbered, taken)) return numbered;
  }
}

export function isNameTaken(name: string, taken: readonly string[]): boolean {
  return taken.some((other) => isSameName(other, name));
}

/** Compares names as people do, who do not remember their case. */
export function isSameName(one: string, other: string): boolean {
  return keyOf(one) === keyOf(other);
}

function keyOf(name: string): string {
  return name.trim().normalize('NFC').toLowerCase();
}

function nameOf(destination: Destination): string {
  switch (destination.kind) {
    case 'folder':
      return nameOfFolder(destination.directory);
    case 'bucket':
      return destination.address.replace(/^s3:\/\//, '').split('/')[0]!;
    case 'sftp':
      return destination.host;
    case 'rclone':
      return destination.remote.split(':')[0]!;
    case 'webdav':
    case 'service':
      return new URL(destination.url).hostname;
  }
}

function nameOfFolder(directory: string): string {
  const parts = directory.split(/[/\\]/).filter((part) => part !== '');
  const own = parts.at(-1);
  const name = own !== undefined && OWN_NAME.test(own) ? (parts.at(-2) ?? own) : own;
  return name ?? directory;
}
