/** What a colour says; the words beside it say it too. */
export type Tone = 'plain' | 'good' | 'warning' | 'bad';
