/** Reasons of warnings about a destination, a time or this installation. The others are about files that are not backed up. */
export const GENERAL_REASONS: ReadonlySet<string> = new Set([
  'clock-jumped',
  'clock-was-ahead',
  'destination-damaged',
  'index-lost-jobs',
  'index-made-anew',
  'key-envelope-lost',
  'missing-run',
  'moved-run',
  'service-answer-malformed',
  'service-totals',
  'service-unknown-chunks',
  'service_answer_suspicious',
  'system-functions-missing',
  'unknown-run',
]);
