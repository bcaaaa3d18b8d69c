import type { Database } from 'better-sqlite3';
import type { DiskReserve, MakeRoom } from '../../disk/disk-reserve.ts';
import { diskFailureOf } from '../../disk/disk-failure.ts';

/**
 * Makes room for a small write of a database on a full disk. First the log is moved into the database, so that it is written over from
 * its beginning: most writes change pages that have their place on the disk already. Then the reserve is given up.
 */
export function createMakeRoom(connection: Database, reserve: DiskReserve | undefined): MakeRoom {
  return (failures) => {
    if (failures > 0 && reserve?.giveUp() !== true) return false;
    try {
      connection.pragma('wal_checkpoint(PASSIVE)');
    } catch (error) {
      // The database would have to grow. The write is tried again, and the next part of the reserve is given up if it fails.
      if (diskFailureOf(error) !== 'full') throw error;
    }
    return true;
  };
}
