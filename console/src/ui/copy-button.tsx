import { useState } from 'react';

const TOLD_MS = 2_000;

/** Puts a text into the clipboard, and says so for a moment. */
export function CopyButton({
  text,
  words = 'Copy',
  title,
}: {
  readonly text: string;
  readonly words?: string;
  readonly title?: string;
}) {
  const [isDone, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), TOLD_MS);
  };
  return (
    <button type="button" className="plain" title={title} onClick={() => void copy()}>
      {isDone ? 'Copied' : words}
    </button>
  );
}
