/** The meaning of a colour. A text beside it has the same meaning. */
export type Tone = 'plain' | 'good' | 'warning' | 'bad';
