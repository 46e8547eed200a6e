/** A sentence in which `this` is a word of a machine. */
export const WithCode = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, i) => (i % 2 === 0 ? part : <code key={i}>{part}</code>))}</>
);
