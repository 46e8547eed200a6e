/**
 * System fonts and colours of our own, light and dark, with a contrast of 7:1 or better for text; one column, so that a
 * phone needs no other page.
 */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --ground: #f2f5f7; --card: #fff; --ink: #14202b; --quiet: #43525f; --rule: #c9d2da; --edge: #5b6b79; --accent: #0b4a7d; --on-accent: #fff; --soft: #e8f0f7; --wrong: #7a120b; --focus: #b35900; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0e151b; --card: #172029; --ink: #e9eff4; --quiet: #b4c1cc; --rule: #33414e; --edge: #8796a3; --accent: #9bcdf8; --on-accent: #0b1a28; --soft: #1f2d3a; --wrong: #ffbdb5; --focus: #ffb35c; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 1rem; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 36rem; margin: 0 auto; padding: 1.5rem; background: var(--card); border: 1px solid var(--rule); border-radius: .75rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 .75rem; font-size: 1.45rem; line-height: 1.25; letter-spacing: -.01em; }
h2 { margin: 1.25rem 0 .5rem; font-size: 1.1rem; }
a { color: var(--accent); }
img { background: #fff; }
label { display: block; margin: .75rem 0 .25rem; font-weight: 600; }
input[type=text], input[type=password], input[type=date] { width: 100%; min-height: 2.75rem; padding: .5rem; font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--edge); border-radius: .4rem; }
fieldset { margin: 1rem 0; padding: .25rem 1rem .75rem; border: 1px solid var(--rule); border-radius: .4rem; min-width: 0; }
legend { padding: 0 .25rem; font-weight: 600; }
.choice { display: flex; gap: .6rem; align-items: flex-start; margin: .5rem 0; }
.choice input { flex: none; width: 1.25rem; height: 1.25rem; margin: .15rem 0 0; accent-color: var(--accent); }
.choice label { margin: 0; font-weight: 400; }
.part { margin-left: 1.85rem; }
.scope { display: block; color: var(--quiet); font: .85rem/1.4 ui-monospace, monospace; }
.plain { margin: 1rem 0; border-top: 1px solid var(--rule); }
.plain > div { display: grid; grid-template-columns: 9.5rem 1fr; gap: 0 1rem; padding: .6rem 0; border-bottom: 1px solid var(--rule); }
.plain dt { color: var(--quiet); }
.plain dd { margin: 0; }
.plain ul { margin: 0; padding: 0 0 0 1.1rem; }
.plain .about { display: block; }
.plain .about strong { display: block; font-size: 1.1rem; }
details { margin: 1rem 0 0; }
summary { min-height: 1.75rem; color: var(--accent); cursor: pointer; }
button, .button { display: inline-block; min-height: 2.75rem; margin: 1rem .5rem 0 0; padding: .5rem 1.25rem; font: inherit; font-weight: 600; border: 1px solid var(--accent); border-radius: .4rem; background: var(--accent); color: var(--on-accent); cursor: pointer; text-decoration: none; }
button.second, .button.second { background: var(--card); color: var(--accent); }
ul.patients { margin: 1rem 0; padding: 0; list-style: none; }
ul.patients button { width: 100%; margin: 0 0 .5rem; text-align: left; background: var(--card); color: var(--ink); font-weight: 400; border-color: var(--edge); }
ul.grants { margin: 1rem 0; padding: 0; list-style: none; }
.grant { margin: 0 0 1rem; padding: 0 1rem 1rem; border: 1px solid var(--rule); border-radius: .4rem; }
ul.patients strong { display: block; }
.wrong { padding: .6rem .8rem; border: 2px solid var(--wrong); border-radius: .4rem; color: var(--wrong); }
.about { padding: .6rem .8rem; background: var(--soft); border-radius: .4rem; }
form + form { margin-top: 1.5rem; padding-top: .75rem; border-top: 1px solid var(--rule); }
form + form p { margin: 0; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
@media (max-width: 30rem) {
  body { padding: .5rem; }
  main { padding: 1rem; }
  .plain > div { grid-template-columns: 1fr; }
}
`;

/** What an app may take its looks from (SMART's `smart_style_url`); another content is another address. */
export const APP_STYLE = JSON.stringify({
  color_background: '#f4f6f8',
  color_error: '#7a120b',
  color_highlight: '#0b4a7d',
  color_modal_backdrop: '',
  color_success: '#1c6b37',
  color_text: '#14202b',
  dim_border_radius: '4px',
  dim_font_size: '16px',
  dim_spacing_size: '16px',
  font_family_body: 'system-ui, sans-serif',
  font_family_heading: 'system-ui, sans-serif',
});
