/** Returns the text of a field of a form. */
export function formText(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value : '';
}

/** Returns the code without the spaces that people type. */
export function formCode(form: HTMLFormElement): string {
  return formText(form, 'code').replace(/\s/g, '');
}
