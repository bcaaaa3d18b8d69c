/** The meaning of a colour. A text beside it says the same. */
export type Tone = 'plain' | 'good' | 'warning' | 'bad';
