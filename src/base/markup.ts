/** Returns a text for XML and HTML between tags: what would begin a tag or a reference is escaped. */
export function escapedText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Returns a text for XML and HTML between tags or in the value of an attribute in double quotes. */
export function escapedMarkup(text: string): string {
  return escapedText(text).replaceAll('"', '&quot;');
}
