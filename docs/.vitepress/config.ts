import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { defineConfig, type DefaultTheme } from 'vitepress';
import { pictureOf } from '../../tools/diagrams.ts';

const ROOT = join(import.meta.dirname, '..', '..');

interface PageEnv {
  readonly path?: string;
  /** Where the page lies, where its address is another. */
  readonly realPath?: string;
}
const folderOf = ({ realPath, path }: PageEnv): string => dirname(realPath ?? path ?? join(ROOT, 'docs', 'x.md'));

/** The address of a page on the site, by its place in the checkout. */
const siteFile = (page: string): string => page.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md');
const siteAddress = (page: string): string =>
  `/${siteFile(page)
    .replace(/(^|\/)index\.md$/, '$1')
    .replace(/\.md$/, '')}`;

const items = (...pages: readonly (readonly [text: string, link: string])[]): DefaultTheme.SidebarItem[] =>
  pages.map(([text, link]) => ({ text, link }));

const SIDEBAR: DefaultTheme.SidebarItem[] = [
  {
    text: 'Learn',
    items: items(
      ['All pages', '/'],
      ['Tutorials', '/tutorials/'],
      ['First look', '/tutorials/first-look'],
      ['Connect HAPI', '/tutorials/connect-hapi'],
      ['Connect Medplum', '/tutorials/connect-medplum'],
      ['Your first clinician app', '/tutorials/first-clinician-app'],
      ['Map a new metric', '/tutorials/map-a-new-metric'],
      ['Go live', '/tutorials/go-live'],
      ['FAQ', '/faq'],
      ['Comparison', '/comparison'],
      ['Migrate from iomt-fhir', '/migrate-from-iomt-fhir'],
    ),
  },
  {
    text: 'Connect an EHR',
    items: items(
      ['Connect an EHR', '/connect-an-ehr'],
      ['Checklist: Epic', '/checklist-epic'],
      ['Checklist: Oracle Health', '/checklist-oracle-health'],
      ['Delivery', '/delivery'],
      ['Translation', '/translation'],
      ['Validation', '/validation'],
      ['Clinical safety', '/clinical-safety'],
    ),
  },
  {
    text: 'Build apps',
    items: items(
      ['Build a clinician app', '/build-a-clinician-app'],
      ['Read API', '/read-api'],
      ['Subscriptions', '/subscriptions'],
      ['Bulk export', '/bulk-export'],
      ['Conformance', '/conformance'],
      ['Sample app', '/clinician-app'],
      ['Surface', '/surface'],
    ),
  },
  {
    text: 'Run it',
    items: items(
      ['Operate', '/operate'],
      ['Configuration', '/configuration'],
      ['Deploy', '/deploy/'],
      ['Sizing', '/sizing'],
      ['Go-live checklist', '/checklist-go-live'],
      ['Backup', '/backup'],
      ['Disaster', '/disaster'],
      ['Troubleshooting', '/troubleshooting'],
      ['Faults', '/faults'],
      ['Console', '/console'],
    ),
  },
  {
    text: 'Trust it',
    items: items(
      ['Threat model', '/threat-model'],
      ['Audit', '/audit'],
      ['Security tests', '/security-tests'],
      ['Benchmarks', '/benchmarks'],
    ),
  },
  {
    text: 'Change it',
    items: items(
      ['Architecture', '/architecture'],
      ['Demo EHR', '/demo-ehr'],
      ['Sandbox', '/sandbox'],
      ['Contributing', '/CONTRIBUTING'],
      ['Changelog', '/CHANGELOG'],
    ),
  },
];

export default defineConfig({
  title: 'Chartgate',
  description: 'A FHIR interoperability gateway: how to learn, run, trust and change it.',
  lang: 'en',
  base: '/docs/guide/',
  srcDir: '..',
  srcExclude: [
    '**/node_modules/**',
    '{bench,console,data,dist,generated,openapi,sandbox,src,test,tools}/**',
    'README.md',
  ],
  outDir: '../dist/guide',
  cacheDir: '../node_modules/.cache/vitepress',
  rewrites: siteFile,
  // The site's own data in files: the gateway's policy lets no script stand in a page but those it knows.
  metaChunk: true,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    config(md) {
      // Drawn beforehand: `npm run diagrams`.
      const fence = md.renderer.rules.fence;
      md.renderer.rules.fence = (tokens, at, options, env: PageEnv, self) => {
        const token = tokens[at];
        const { info = '', content = '' } = token ?? {};
        // What a command prints has no colours.
        if (token !== undefined && info.trim() === 'output') token.info = 'txt';
        if (info.trim() !== 'mermaid') return fence?.(tokens, at, options, env, self) ?? '';
        const picture = relative(folderOf(env), join(ROOT, pictureOf(content)));
        return `<p><img src="./${picture}" alt="Diagram of what the text says" style="background: #fff"></p>`;
      };
      // A link to a folder or to code leads somewhere in a checkout, and nowhere here: its words stay.
      md.core.ruler.push('only-pages', (state) => {
        const folder = folderOf(state.env as PageEnv);
        for (const block of state.tokens) {
          const tokens = block.children ?? [];
          const dead: boolean[] = [];
          block.children = tokens.filter((token) => {
            if (token.type === 'link_close') return dead.pop() !== true;
            if (token.type !== 'link_open') return true;
            const [href = '', heading = ''] = String(token.attrGet('href') ?? '').split(/(?=#)/);
            if (href === '' || href.startsWith('#') || /^[a-z]+:/.test(href)) {
              dead.push(false);
              return true;
            }
            const file = join(folder, href);
            const isPage = href.endsWith('.md') && existsSync(file);
            if (isPage) token.attrSet('href', siteAddress(relative(ROOT, file)) + heading);
            dead.push(!isPage);
            return isPage;
          });
        }
      });
    },
  },
  themeConfig: {
    nav: [
      { text: 'First look', link: '/tutorials/first-look' },
      { text: 'All pages', link: '/' },
    ],
    sidebar: SIDEBAR,
    search: { provider: 'local' },
    outline: [2, 3],
  },
});
