import { createHash } from 'node:crypto';

export const PICTURES = 'docs/pictures/diagrams';

const DIAGRAM = /^```mermaid\n([^]*?)^```$/gm;

/** The texts of the diagrams of a page. */
export const diagramsIn = (page: string): readonly string[] => [...page.matchAll(DIAGRAM)].map(([, text = '']) => text);

/** Where the picture of a diagram is. */
export const pictureOf = (text: string): string =>
  `${PICTURES}/${createHash('sha256').update(text).digest('hex').slice(0, 12)}.svg`;
