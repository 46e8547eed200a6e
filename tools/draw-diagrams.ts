/*
 * `npm run diagrams -- FOLDER`: draws the diagrams of docs/ (mermaid) for the documentation site, which has no room for
 * a program of 120 MB that draws three of them. FOLDER is where `npm install mermaid` was run. A picture is named by the
 * text that it was drawn from, so that a test notices a diagram that was changed and not drawn anew.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startBrowser } from '../test/support/chromium.ts';
import { diagramsIn, pictureOf, PICTURES } from './diagrams.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Usage: npm run diagrams -- FOLDER      where "npm install mermaid" was run');
  process.exit(2);
}
const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
const diagrams = pages.flatMap((name) => diagramsIn(readFileSync(join('docs', name), 'utf8')));

const PAGE = `<!doctype html><script src="/mermaid.min.js"></script>`;
const server = createServer((request, response) => {
  if (request.url === '/mermaid.min.js')
    response.end(readFileSync(join(folder, 'node_modules/mermaid/dist/mermaid.min.js')));
  else response.setHeader('content-type', 'text/html').end(PAGE);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const browser = await startBrowser();
try {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  rmSync(PICTURES, { recursive: true, force: true });
  mkdirSync(PICTURES, { recursive: true });
  for (const text of diagrams) {
    const drawn = await page.evaluate(async (of) => {
      const { mermaid } = globalThis as unknown as {
        mermaid: {
          initialize(settings: object): void;
          render(id: string, text: string): Promise<{ svg: string }>;
        };
      };
      mermaid.initialize({
        startOnLoad: false,
        theme: 'neutral',
        look: 'classic',
        htmlLabels: false,
        flowchart: { htmlLabels: false },
      });
      return (await mermaid.render('diagram', of)).svg;
    }, text);
    const file = pictureOf(text);
    const short = drawn
      .replace(/<br>/g, '<br/>')
      .replace(/-?\d+\.\d{2,}/g, (number) => String(Number(Number(number).toFixed(1))));
    writeFileSync(file, `${short}\n`);
    console.log(file);
  }
} finally {
  await browser.close();
  server.close();
}
