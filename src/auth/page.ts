import { ICON_FILE } from '../kernel/index.ts';
import { html, NOTHING, type Html } from './html.ts';

/** Where the pages are and where their forms go. */
export interface PageFrame {
  readonly styleUrl: string;
  readonly action: string;
}

/** The icon stands beside the style sheet. */
const iconUrl = (styleUrl: string): string => styleUrl.replace(/[^/]*$/, ICON_FILE);

export const page = (styleUrl: string, title: string, body: Html, goesTo: string | null = null): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Chartgate</title>
        <link rel="icon" type="image/svg+xml" href="${iconUrl(styleUrl)}" />
        <link rel="stylesheet" href="${styleUrl}" />
        ${goesTo === null ? NOTHING : html`<meta http-equiv="refresh" content="0; url=${goesTo}" />`}
      </head>
      <body>
        <main>${body}</main>
      </body>
    </html> `.markup;

export const wrongLine = (wrong: string | null): Html =>
  wrong === null ? NOTHING : html`<p class="wrong" role="alert" id="wrong">${wrong}</p>`;
