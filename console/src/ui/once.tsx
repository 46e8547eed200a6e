import { CopyButton } from './copy-button.tsx';

/** Something that is shown this once, such as a secret; it stays in the page until the reader leaves it. */
export function Once({ label, text, hint }: { readonly label: string; readonly text: string; readonly hint: string }) {
  return (
    <div className="once">
      <p>
        <strong>{label}</strong>, shown this once. {hint}
      </p>
      <code className="secret">{text}</code>
      <CopyButton text={text} />
    </div>
  );
}
