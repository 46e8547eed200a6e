import { durationOf, isAboutTelling, isLongAccess, LONG_ACCESS, plainWords, sentenceOf } from './describe-scope.ts';
import { html, NOTHING, type Html } from './html.ts';
import { offerParts } from './narrow-scope.ts';
import { page, wrongLine, type PageFrame } from './page.ts';
import { born, otherUser, when } from './pages.ts';
import type { ShownEncounter, ShownPatient } from './patients.ts';

const checkbox = (id: string, scope: string, label: string, kind: 'whole' | 'part'): Html =>
  html`<div class="${kind === 'part' ? 'choice part' : 'choice'}">
    <input type="checkbox" id="${id}" name="scope" value="${scope}" ${kind === 'whole' ? html`checked` : NOTHING} />
    <label for="${id}">${label} <span class="scope">${scope}</span></label>
  </div>`;

function choicesOf(scope: string, n: number): Html {
  const parts = offerParts(scope);
  const whole = checkbox(`scope-${n}`, scope, sentenceOf(scope), 'whole');
  if (parts.length === 0) return whole;
  return html`${whole}
    <fieldset class="part">
      <legend>or only these, without the one above</legend>
      ${parts.map((part, i) => checkbox(`scope-${n}-${i}`, part.scope, part.label, 'part'))}
    </fieldset>`;
}

const row = (name: string, value: Html): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;

const listOf = (items: readonly string[]): Html =>
  html`<ul>
    ${items.map((words) => html`<li>${words}</li>`)}
  </ul>`;

const patientLine = (patient: ShownPatient): Html =>
  html`<span class="about">
    <strong>${patient.name}</strong>
    MRN ${patient.mrn}${born(patient) === '' ? '' : `, ${born(patient)}`}
  </span>`;

export interface ShownConsent {
  readonly app: string;
  /** Where the app's answer goes: a host, or the scheme of an app on a phone. */
  readonly place: string;
  readonly user: string;
  readonly patient: ShownPatient | null;
  readonly encounter: ShownEncounter | null;
  /** Why the app gets no encounter, where it asked for one. */
  readonly noEncounter: string | null;
  /** Resource scopes. */
  readonly scopes: readonly string[];
  readonly words: readonly string[];
  /** The page on which the person sees and ends what apps may do. */
  readonly grantsUrl: string;
  readonly wrong: string | null;
}

/** What is asked for, before any technical name: who asks, about whom, what, for how long, and how it ends. */
const plainPart = (shown: ShownConsent): Html => {
  const { patient, encounter } = shown;
  const records = shown.scopes.filter((scope) => !isAboutTelling(scope));
  const also = [
    ...plainWords(shown.scopes.filter(isAboutTelling)),
    ...(shown.words.includes('fhirUser') || shown.words.includes('profile') ? ['Learn who you are'] : []),
  ];
  return html`<dl class="plain">
    ${row('Who asks', html`<strong>${shown.app}</strong>, at ${shown.place}`)}
    ${patient === null ? NOTHING : row('For which patient', patientLine(patient))}
    ${encounter === null ? NOTHING : row('For which encounter', html`<strong>${encounter.what}</strong> ${when(encounter)}`)}
    ${
      shown.noEncounter === null
        ? NOTHING
        : row('Encounter', html`The app asked for one and gets none: ${shown.noEncounter}.`)
    }
    ${row('What it will see', listOf(plainWords(records)))}
    ${also.length === 0 ? NOTHING : row('It will also', listOf(also))}
    ${row('For how long', html`${durationOf(shown.words)}`)}
    ${row(
      'How to end it',
      html`At any time, on the page <a href="${shown.grantsUrl}" target="_blank" rel="noopener">what apps may do</a>.`,
    )}
  </dl>`;
};

export const consentPage = (frame: PageFrame, shown: ShownConsent): string => {
  const { patient, encounter } = shown;
  return page(
    frame.styleUrl,
    'Allow access',
    html`<h1>Allow <strong>${shown.app}</strong> to see ${patient === null ? 'health records' : 'this record'}?</h1>
      ${wrongLine(shown.wrong)} ${plainPart(shown)}
      <p>It can read only: nothing in the record can be changed through it.</p>
      <form method="post" action="${frame.action}">
        ${patient === null ? NOTHING : html`<input type="hidden" name="patient" value="${patient.id}" />`}
        ${patient === null ? NOTHING : html`<input type="hidden" name="encounter" value="${encounter?.id ?? ''}" />`}
        <details ${shown.wrong === null ? NOTHING : html`open`}>
          <summary>Allow only a part, and technical names</summary>
          <fieldset>
            <legend>The app may</legend>
            ${shown.scopes.map((scope, n) => choicesOf(scope, n))}
            ${shown.words.filter(isLongAccess).map((word) => checkbox(`word-${word}`, word, LONG_ACCESS[word] ?? word, 'whole'))}
          </fieldset>
        </details>
        <button type="submit" name="step" value="allow">Allow</button>
        <button type="submit" name="step" value="cancel" class="second">Do not allow</button>
      </form>
      ${otherUser(frame, shown.user)}`,
  );
};
