import { describe, expect, test } from 'vitest';
import { failureFacts } from '../../../../src/service/failure-facts.ts';

describe('the logged facts of an error', () => {
  test('are its name, message, code and frames, and those of its causes', () => {
    const cause = Object.assign(new TypeError('the socket hung up'), { code: 'ECONNRESET' });
    expect(failureFacts(new Error('the query failed', { cause }))).toMatchObject({
      name: 'Error',
      message: 'the query failed',
      at: expect.arrayContaining([expect.stringMatching(/^at failure-facts\.test\.ts/)]),
      cause: { name: 'TypeError', message: 'the socket hung up', code: 'ECONNRESET' },
    });
    expect(failureFacts('thrown')).toEqual({ name: 'string' });
  });

  test.each([
    ["ENOENT: no such file or directory, open '/home/anna/my plans/a.txt'", "open '…'"],
    ['the store at /srv/data/objects is full', 'the store at … is full'],
    ["EPERM: unlink 'C:\\Users\\anna\\a.txt'", "unlink '…'"],
    ['getaddrinfo postgres://holdfast:secret-word@db/holdfast', 'postgres://…'],
    [`no blob ${'ab'.repeat(32)} in the bucket`, 'no blob … in the bucket'],
    [`GET http://h/objects/v1/a?signature=x-y answered 500`, 'GET http://… answered 500'],
    ['could not serialize access due to read/write dependencies', 'read/write dependencies'],
  ])('contain no path, address, secret or digest: %s', (message, logged) => {
    const facts = failureFacts(new Error(message));
    expect(facts.message).toContain(logged);
    expect(facts.message).not.toMatch(/anna|srv|secret-word|abab|x-y/);
  });

  test('contain no input that a parser quotes', () => {
    const error = (() => {
      try {
        return JSON.parse('{"path": diary}') as unknown;
      } catch (reason) {
        return reason;
      }
    })();
    expect(JSON.stringify(failureFacts(error))).not.toContain('diary');
  });

  test('end with the cause of a cause of a cause', () => {
    const error = new Error('a');
    error.cause = error;
    expect(JSON.stringify(failureFacts(error)).match(/"message":"a"/g)).toHaveLength(4);
  });
});
