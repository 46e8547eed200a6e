/** As much of an OpenAPI document as the page shows. */
export interface Described {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
}
export interface DescribedOperation {
  readonly summary?: string;
  readonly description?: string;
  readonly responses?: Readonly<Record<string, { readonly description?: string }>>;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? char);

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

function renderOperation(path: string, method: string, operation: DescribedOperation): string {
  const answers = Object.entries(operation.responses ?? {})
    .map(
      ([status, { description = '' }]) =>
        `<tr><th scope="row">${escape(status)}</th><td>${escape(description)}</td></tr>`,
    )
    .join('');
  return `<section><h2><code>${method.toUpperCase()} ${escape(path)}</code></h2>
<p>${escape(operation.summary ?? '')}</p>${operation.description === undefined ? '' : `<p>${escape(operation.description)}</p>`}
<table><caption>Answers</caption><tbody>${answers}</tbody></table></section>`;
}

/** One plain page: no script, readable on a phone and by keyboard. */
export function renderDocs(described: Described): string {
  const sections = Object.entries(described.paths).flatMap(([path, operations]) =>
    METHODS.flatMap((method) => {
      const operation = operations[method];
      return operation === undefined ? [] : [renderOperation(path, method, operation)];
    }),
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(described.info.title)} ${escape(described.info.version)}</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/docs/style.css"></head>
<body><main><h1>${escape(described.info.title)} ${escape(described.info.version)}</h1>
<p>${escape(described.info.description ?? '')}</p>
<p><a href="/openapi.json">openapi.json</a> · <a href="/readyz">readyz</a> · <a href="/metrics">metrics</a></p>
${sections.join('\n')}
</main></body></html>
`;
}

export const DOCS_STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 56rem; margin: 0 auto; padding: 1rem; }
h2 { border-top: 1px solid; padding-top: 1rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; font-weight: 600; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; }
a:focus-visible { outline: 3px solid; outline-offset: 2px; }
`;
