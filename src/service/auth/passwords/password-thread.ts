import { serveTasks } from '../../../base/limits/thread-pool.ts';
import { deriveArgon2id, type Argon2idCost } from '../../../base/crypto/argon2id.ts';

// The program of the threads in which passwords are hashed: a hash blocks its thread for a tenth of a second.

export interface PasswordTasks {
  derive(input: {
    readonly password: string;
    readonly salt: Uint8Array;
    readonly cost: Argon2idCost;
    readonly bytes: number;
  }): Promise<{ readonly value: Uint8Array }>;
}

serveTasks<PasswordTasks>({
  derive: async ({ password, salt, cost, bytes }) => ({ value: await deriveArgon2id(password, salt, cost, bytes) }),
});
