/** Tasks that a small run may be done with before a thread has started. Each is loaded by itself when it is needed. */
export const smallTasks = {
  sealChunks: async () => (await import('../chunk/seal-chunks.ts')).sealChunks,
} as const;

export type SmallTaskName = keyof typeof smallTasks;
