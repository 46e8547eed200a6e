/**
 * System fonts and colours of our own with a contrast of 7:1 or better; one column, so that a phone needs no other
 * page.
 */
export const PAGE_STYLE = `
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; padding: 1rem; background: #f4f6f8; color: #14202b; font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 0 auto; padding: 1.25rem; background: #fff; border: 1px solid #c9d2da; border-radius: .5rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 .5rem; font-size: 1.4rem; line-height: 1.25; }
h2 { margin: 1.25rem 0 .5rem; font-size: 1.1rem; }
label { display: block; margin: .75rem 0 .25rem; font-weight: 600; }
input[type=text], input[type=password], input[type=date] { width: 100%; min-height: 2.75rem; padding: .5rem; font: inherit; border: 1px solid #5b6b79; border-radius: .25rem; }
fieldset { margin: 1rem 0; padding: .25rem 1rem .75rem; border: 1px solid #c9d2da; border-radius: .25rem; }
legend { padding: 0 .25rem; font-weight: 600; }
.choice { display: flex; gap: .6rem; align-items: flex-start; margin: .5rem 0; }
.choice input { flex: none; width: 1.25rem; height: 1.25rem; margin: .15rem 0 0; }
.choice label { margin: 0; font-weight: 400; }
.part { margin-left: 1.85rem; }
.scope { display: block; color: #43525f; font: .85rem/1.4 ui-monospace, monospace; }
button, .button { display: inline-block; min-height: 2.75rem; margin: 1rem .5rem 0 0; padding: .5rem 1.25rem; font: inherit; font-weight: 600; border: 1px solid #0b4a7d; border-radius: .25rem; background: #0b4a7d; color: #fff; cursor: pointer; text-decoration: none; }
button.second, .button.second { background: #fff; color: #0b4a7d; }
ul.patients { margin: 1rem 0; padding: 0; list-style: none; }
ul.patients button { width: 100%; margin: 0 0 .5rem; text-align: left; background: #fff; color: #14202b; font-weight: 400; border-color: #5b6b79; }
ul.grants { margin: 1rem 0; padding: 0; list-style: none; }
.grant { margin: 0 0 1rem; padding: 0 1rem 1rem; border: 1px solid #c9d2da; border-radius: .25rem; }
ul.patients strong { display: block; }
.wrong { padding: .6rem .8rem; border: 2px solid #9c1c13; border-radius: .25rem; color: #7a120b; }
.about { padding: .6rem .8rem; background: #eaf1f7; border-radius: .25rem; }
:focus-visible { outline: 3px solid #b35900; outline-offset: 2px; }
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
