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

/** Light and dark, one column on a phone. */
export const STYLE = `
:root { color-scheme: light dark; --ground: #f2f5f7; --card: #fff; --ink: #14202b; --quiet: #43525f; --rule: #d0d8df; --edge: #5b6b79; --accent: #0a5a55; --on-accent: #fff; --soft: #e6f2f0; --wrong: #7a120b; --wrong-ground: #fdf0ee; --top: #0c3b38; --on-top: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0e1516; --card: #172122; --ink: #e9f0f0; --quiet: #b2c1c2; --rule: #2f3d3f; --edge: #8799a0; --accent: #86dcd0; --on-accent: #08201e; --soft: #1c2f2f; --wrong: #ffbdb5; --wrong-ground: #3a1714; --top: #091211; --on-top: #e9f0f0; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); }
.top { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.25rem; padding: .6rem 1.25rem; background: var(--top); color: var(--on-top); }
.top a { color: inherit; text-decoration: none; padding: .25rem 0; } .top a:hover { text-decoration: underline; }
.top > a { display: flex; align-items: center; gap: .6rem; font-weight: 650; }
.top nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
.top :focus-visible { outline-color: var(--on-top); }
main { max-width: 44rem; margin: 0 auto; padding: 1.5rem 1.25rem 2.5rem; } main.wide { max-width: 76rem; }
h1 { margin: 0 0 .75rem; font-size: 1.6rem; line-height: 1.2; letter-spacing: -.01em; } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; } h3 { margin: 0; font-size: 1.05rem; }
a { color: var(--accent); }
.lead { max-width: 46rem; font-size: 1.05rem; } .quiet { color: var(--quiet); font-size: .9rem; } .card p.quiet { font-size: .84rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 13.5rem), 1fr)); gap: .75rem; margin: .75rem 0; padding: 0; list-style: none; }
.card { padding: 1rem; background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; overflow-wrap: anywhere; } .card p { margin: .25rem 0; }
.facts { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0; } .facts div { flex: 1 1 11rem; padding: .7rem 1rem; background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; }
.facts dt { color: var(--quiet); font-size: .9rem; } .facts dd { margin: 0; font-size: 1.25rem; font-weight: 650; font-variant-numeric: tabular-nums; } .facts small { display: block; font-size: .85rem; font-weight: 400; color: var(--quiet); }
.sources { display: flex; flex-wrap: wrap; gap: .3rem; margin: .6rem 0; padding: 0; list-style: none; } .cards.few { grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); }
.sources li { padding: .1rem .55rem; border: 1px solid var(--rule); border-radius: .5rem; background: var(--soft); font-size: .85rem; } .sources li.off { background: none; color: var(--quiet); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.links { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .35rem .5rem .35rem 0; border-bottom: 1px solid var(--rule); }
label { display: block; margin: .75rem 0 .25rem; } input[type=text], input[type=url], input[type=password] { width: 100%; min-height: 2.75rem; padding: .4rem .6rem; font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--edge); border-radius: .4rem; }
input[aria-invalid=true] { border: 2px solid var(--wrong); }
.hint { color: var(--quiet); font-size: .9rem; margin: .2rem 0 0; }
fieldset { border: 1px solid var(--rule); border-radius: .4rem; margin: 1rem 0; } fieldset label { margin: .25rem 0; }
button { min-height: 2.75rem; padding: .4rem 1.1rem; margin: .75rem .5rem 0 0; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: .4rem; cursor: pointer; }
button[value=refuse] { color: var(--accent); background: var(--card); } td button { margin: .15rem 0; }
.note { background: var(--soft); border-left: .3rem solid var(--accent); padding: .5rem .75rem; }
.wrong { background: var(--wrong-ground); color: var(--wrong); border-left: .3rem solid var(--wrong); padding: .5rem .75rem; }
img.logo { max-height: 3rem; max-width: 100%; background: #fff; }
input[type=file] { max-width: 100%; font: inherit; } code, td, p, h1 { overflow-wrap: anywhere; }
:focus-visible { outline: .2rem solid var(--accent); outline-offset: .15rem; }
@media (max-width: 40rem) { .top { padding: .6rem .75rem; } main { padding: 1rem .75rem 2rem; } .facts { gap: .5rem; } .facts div { flex-basis: 9rem; padding: .5rem .75rem; } }
`;

/** A pulse in a ring: drawn for the sandbox. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#0a5a55"/><circle cx="32" cy="32" r="20" fill="none" stroke="#fff" stroke-width="5"/><path d="M4 33h19l5-9 8 17 5-8h19" fill="none" stroke="#ffd27a" stroke-width="4.5" stroke-linecap="round" stroke-linejoin="round"/></svg>
`;

const policyFor = (formTarget: string | null): string =>
  `default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'${formTarget === null ? '' : ` ${formTarget}`}; base-uri 'none'; frame-ancestors 'none'`;

/** A whole page: no script, nothing from elsewhere. `formTarget`: an origin to which a form may lead in the end. */
export function page(
  title: string,
  body: Html,
  more: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly formTarget?: string | null;
    /** Wide: a page of the sandbox itself, with the way to its other pages. Patients see the others. */
    readonly kind?: 'wide' | 'own' | 'of-patients';
  } = {},
): Reply {
  const kind = more.kind ?? 'of-patients';
  const nav = html`<nav aria-label="Pages of the sandbox">
    <a href="/">First page</a> <a href="/portal">Client portal</a> <a href="/app">Extraction app</a>
  </nav>`;
  const whole = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" type="image/svg+xml" href="/icon.svg" />
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        <header class="top">
          <a href="/"><img src="/icon.svg" alt="" width="28" height="28" /> Health data service, sandbox</a>
          ${kind === 'of-patients' ? null : nav}
        </header>
        <main class="${kind}">
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
