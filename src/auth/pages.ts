import { isLongAccess, LONG_ACCESS, sentenceOf } from './describe-scope.ts';
import { html, NOTHING, type Html } from './html.ts';
import { offerParts } from './narrow-scope.ts';
import { page, wrongLine, type PageFrame } from './page.ts';
import type { ShownEncounter, ShownPatient } from './patients.ts';

/** On a machine that several people use, the one before may have forgotten to sign out. */
export const otherUser = (frame: PageFrame, user: string): Html =>
  html`<form method="post" action="${frame.action}">
    <p>You are signed in as ${user}.</p>
    <button type="submit" name="step" value="other-user" class="second">Sign in as somebody else</button>
  </form>`;

export const born = ({ birthDate, gender }: ShownPatient): string =>
  [birthDate === null ? null : `born ${birthDate}`, gender].filter((one) => one !== null).join(', ');

const when = ({ from, to, status }: ShownEncounter): string =>
  [from === null ? null : `from ${from}`, to === null ? null : `to ${to}`, status]
    .filter((one) => one !== null)
    .join(' ');

export const encounterPage = (
  frame: PageFrame,
  shown: {
    readonly app: string;
    readonly user: string;
    readonly patient: ShownPatient;
    readonly encounters: readonly ShownEncounter[];
    readonly isAll: boolean;
    readonly wrong: string | null;
  },
): string =>
  page(
    frame.styleUrl,
    'Choose an encounter',
    html`<h1>Choose an encounter</h1>
      <p><strong>${shown.app}</strong> asks which encounter of ${shown.patient.name} this is about.</p>
      ${wrongLine(shown.wrong)}
      <form method="post" action="${frame.action}">
        <input type="hidden" name="step" value="encounter" />
        <input type="hidden" name="patient" value="${shown.patient.id}" />
        <ul class="patients">
          ${shown.encounters.map(
            (encounter) =>
              html`<li>
                <button type="submit" name="encounter" value="${encounter.id}">
                  <strong>${encounter.what}</strong> ${when(encounter)}
                </button>
              </li>`,
          )}
        </ul>
        ${shown.isAll ? NOTHING : html`<p>Only the newest are shown.</p>`}
        <button type="submit" name="encounter" value="" class="second">Go on without an encounter</button>
      </form>
      <form method="post" action="${frame.action}">
        <button type="submit" name="step" value="cancel" class="second">Cancel</button>
      </form>
      ${otherUser(frame, shown.user)}`,
  );

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

export const consentPage = (
  frame: PageFrame,
  shown: {
    readonly app: string;
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
  },
): string => {
  const { patient, encounter } = shown;
  return page(
    frame.styleUrl,
    'Allow access',
    html`<h1>Allow <strong>${shown.app}</strong> to read?</h1>
      ${
        patient === null
          ? NOTHING
          : html`<p class="about">
              Patient: <strong>${patient.name}</strong>, MRN
              ${patient.mrn}${born(patient) === '' ? '' : `, ${born(patient)}`}
            </p>`
      }
      ${encounter === null ? NOTHING : html`<p class="about">Encounter: <strong>${encounter.what}</strong> ${when(encounter)}</p>`}
      ${shown.noEncounter === null ? NOTHING : html`<p>The app asked for an encounter and gets none: ${shown.noEncounter}.</p>`}
      ${wrongLine(shown.wrong)}
      <form method="post" action="${frame.action}">
        ${patient === null ? NOTHING : html`<input type="hidden" name="patient" value="${patient.id}" />`}
        ${patient === null ? NOTHING : html`<input type="hidden" name="encounter" value="${encounter?.id ?? ''}" />`}
        <fieldset>
          <legend>The app may</legend>
          ${shown.scopes.map((scope, n) => choicesOf(scope, n))}
          ${shown.words.filter(isLongAccess).map((word) => checkbox(`word-${word}`, word, LONG_ACCESS[word] ?? word, 'whole'))}
          ${shown.words.includes('fhirUser') ? html`<p>It also learns who you are.</p>` : NOTHING}
        </fieldset>
        <p>
          Nothing can be changed through it. You can see and end at any time
          <a href="${shown.grantsUrl}" target="_blank" rel="noopener">what apps may do</a>.
        </p>
        <button type="submit" name="step" value="allow">Allow</button>
        <button type="submit" name="step" value="cancel" class="second">Do not allow</button>
      </form>
      ${otherUser(frame, shown.user)}`,
  );
};

export const errorPage = (
  styleUrl: string,
  told: { readonly title: string; readonly text: string; readonly code: string },
): string =>
  page(
    styleUrl,
    told.title,
    html`<h1>${told.title}</h1>
      <p>${told.text}</p>
      <p class="scope">${told.code}</p>`,
  );
