import type { Reply } from '../reply.ts';

/** Text that is safe in HTML; what `html` makes is not escaped again. */
export interface Html {
  readonly html: string;
}

type Part = string | number | Html | readonly (Html | null)[] | null;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escape = (text: string): string => text.replace(/[&<>"']/g, (one) => ENTITIES[one] ?? one);

const render = (part: Part): string => {
  if (part === null) return '';
  if (typeof part === 'string') return escape(part);
  if (typeof part === 'number') return String(part);
  return 'html' in part ? part.html : part.map(render).join('');
};

export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: texts.map((text, i) => (i === 0 ? text : render(parts[i - 1] ?? null) + text)).join(''),
});

export const STYLE = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .35rem .5rem; border-bottom: 1px solid #ccc; }
label { display: block; margin: .75rem 0 .25rem; } input[type=text], input[type=url] { width: 100%; padding: .4rem; box-sizing: border-box; font: inherit; }
fieldset { border: 1px solid #999; margin: 1rem 0; } fieldset label { margin: .25rem 0; }
button { font: inherit; padding: .5rem 1rem; margin: .75rem .5rem 0 0; cursor: pointer; }
.note { background: #f2f4f7; border-left: .3rem solid #4a6785; padding: .5rem .75rem; }
.wrong { background: #fdf0ee; border-left: .3rem solid #a3341f; padding: .5rem .75rem; }
img.logo { max-height: 3rem; max-width: 100%; }
input[type=file] { max-width: 100%; font: inherit; } code, td, p, h1 { overflow-wrap: anywhere; }
:focus-visible { outline: .2rem solid #1a5fb4; outline-offset: .1rem; }
`;

const policyFor = (formTarget: string | null): string =>
  `default-src 'none'; style-src 'self'; img-src data:; form-action 'self'${formTarget === null ? '' : ` ${formTarget}`}; base-uri 'none'; frame-ancestors 'none'`;

/** A whole page: no script, nothing from elsewhere. `formTarget`: an origin to which a form may lead in the end. */
export function page(
  title: string,
  body: Html,
  more: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly formTarget?: string | null;
  } = {},
): Reply {
  const whole = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `;
  return {
    status: more.status ?? 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policyFor(more.formTarget ?? null),
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
      ...more.headers,
    },
    body: whole.html,
  };
}

export const seeOther = (location: string, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status: 303,
  headers: { Location: location, ...headers },
  body: '',
});

export const wrongPage = (status: number, title: string, why: string): Reply =>
  page(title, html`<p class="wrong" role="alert">${why}</p>`, { status });
