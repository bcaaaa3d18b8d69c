import type { Database } from 'better-sqlite3';
import { newIdentifier } from '../../identifier.ts';
import type { Account, AccountStore, Factor, User } from '../metadata-store.ts';

const ACCOUNT = 'SELECT id, number, storage_used AS storageUsed FROM account';
const USER = 'SELECT id, account_id AS accountId, email, password_hash AS passwordHash, role FROM user';
const FACTOR = 'SELECT id, user_id AS userId, type, friendly_name AS friendlyName, secret FROM factor';

export function createAccountStore(database: Database): AccountStore {
  const findAccount = database.prepare<[string], Account>(`${ACCOUNT} WHERE id = ?`);
  const firstAccount = database.prepare<[], Account>(`${ACCOUNT} ORDER BY number LIMIT 1`);
  const addAccount = database.prepare<[string, number]>('INSERT INTO account (id, created_at) VALUES (?, ?)');
  const userByEmail = database.prepare<[string], User>(`${USER} WHERE email = ?`);
  const user = database.prepare<[string], User>(`${USER} WHERE id = ?`);
  const addUser = database.prepare<[string, string, string, string, number]>(
    `INSERT INTO user (id, account_id, email, password_hash, role, created_at) VALUES (?, ?, ?, ?, 'owner', ?)`,
  );
  const factorsOf = database.prepare<[string], Factor>(`${FACTOR} WHERE user_id = ? ORDER BY created_at, id`);
  const factor = database.prepare<[string], Factor>(`${FACTOR} WHERE id = ?`);
  const addFactor = database.prepare<[string, string, string, number]>(
    `INSERT INTO factor (id, user_id, type, friendly_name, secret, created_at)
     VALUES (?, ?, 'totp', 'Authenticator app', ?, ?)`,
  );
  const useStep = database.prepare<[number, string, number]>(
    'UPDATE factor SET last_step = ? WHERE id = ? AND last_step < ?',
  );

  const createOwner: AccountStore['createOwner'] = async (owner) =>
    database
      .transaction((): User | undefined => {
        if (userByEmail.get(owner.email)) return undefined;
        const accountId = newIdentifier('acc');
        const userId = newIdentifier('usr');
        addAccount.run(accountId, owner.now);
        addUser.run(userId, accountId, owner.email, owner.passwordHash, owner.now);
        addFactor.run(newIdentifier('fac'), userId, owner.totpSecret, owner.now);
        return user.get(userId);
      })
      .immediate();

  return {
    createAccount: async (now) => {
      const id = newIdentifier('acc');
      addAccount.run(id, now);
      return findAccount.get(id)!;
    },
    findAccount: async (id) => findAccount.get(id),
    firstAccount: async () => firstAccount.get(),
    createOwner,
    userByEmail: async (email) => userByEmail.get(email),
    user: async (id) => user.get(id),
    factorsOf: async (userId) => factorsOf.all(userId),
    factor: async (id) => factor.get(id),
    useStep: async (factorId, step) => useStep.run(step, factorId, step).changes === 1,
  };
}
