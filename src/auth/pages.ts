import { html, NOTHING, type Html } from './html.ts';
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

export const when = ({ from, to, status }: ShownEncounter): string =>
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
