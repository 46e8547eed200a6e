import { useState } from 'react';

/** Something that is shown this once, such as a secret; it stays in the page until the reader leaves it. */
export function Once({ label, text, hint }: { readonly label: string; readonly text: string; readonly hint: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <div className="once">
      <p>
        <strong>{label}</strong>, shown this once. {hint}
      </p>
      <code className="secret">{text}</code>
      <button type="button" className="plain" onClick={() => void copy()}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}
