import { config } from 'zod';

// The window's policy forbids making code from text. zod would try for speed, and log the refusal as an error. Schemas read
// this setting when they are created, so this module has to be imported before all others that do so.
config({ jitless: true });
