import { rcloneAddress } from '../../storage/rclone/rclone-address.ts';
import { sftpAddress } from '../../storage/sftp/sftp-config.ts';
import type { Destination } from '../../model/destination.ts';

/** The folder or the address of a destination, as shown to people. */
export function locationOf(destination: Destination): string {
  switch (destination.kind) {
    case 'folder':
      return destination.directory;
    case 'bucket':
      return destination.address;
    case 'sftp':
      return sftpAddress(destination);
    case 'rclone':
      return rcloneAddress(destination);
    case 'webdav':
    case 'service':
      return destination.url;
  }
}
