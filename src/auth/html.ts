/** Markup that is safe to show. Text becomes it only through `html`, which escapes. */
export interface Html {
  readonly markup: string;
}

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escape = (text: string): string => text.replace(/[&<>"']/g, (sign) => ESCAPED[sign] ?? '');
const toMarkup = (value: string | Html | readonly Html[]): string => {
  if (typeof value === 'string') return escape(value);
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('');
};

export const html = (parts: TemplateStringsArray, ...values: readonly (string | Html | readonly Html[])[]): Html => ({
  markup: parts.map((part, i) => part + (values[i] === undefined ? '' : toMarkup(values[i]))).join(''),
});

export const NOTHING: Html = { markup: '' };
