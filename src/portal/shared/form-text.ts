/** What was typed into a field of a form. */
export function formText(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value : '';
}

/** A code as the service takes it, however it was typed. */
export function formCode(form: HTMLFormElement): string {
  return formText(form, 'code').replace(/\s/g, '');
}
