import { config } from 'zod';

// The window's policy lets no text become code. zod would try, for speed, and be refused with an error in the console.
// Schemas ask when they are made, so this stands before everything else that imports them.
config({ jitless: true });
