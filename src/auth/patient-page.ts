import { html, NOTHING, type Html } from './html.ts';
import { page, wrongLine, type PageFrame } from './page.ts';
import { born, otherUser } from './pages.ts';
import type { ShownPatient, WantedPatient } from './patients.ts';

/** What was asked for goes with the next page, in the form: an address stands in histories and logs. */
const asHidden = ({ name, birthDate, mrn }: WantedPatient): Html =>
  html`<input type="hidden" name="step" value="find" />
    <input type="hidden" name="name" value="${name}" />
    <input type="hidden" name="birthdate" value="${birthDate}" />
    <input type="hidden" name="mrn" value="${mrn}" />`;

const choice = (patient: ShownPatient): Html =>
  html`<li>
    <button type="submit" name="patient" value="${patient.id}">
      <strong>${patient.name}</strong> MRN ${patient.mrn}${born(patient) === '' ? '' : `, ${born(patient)}`}
    </button>
  </li>`;

export const patientPage = (
  frame: PageFrame,
  shown: {
    readonly app: string;
    readonly user: string;
    readonly patients: readonly ShownPatient[];
    readonly next: string | null;
    /** Whether there are others who are not listed, on this page or another. */
    readonly isAll: boolean;
    readonly wanted: WantedPatient;
    readonly wrong: string | null;
  },
): string =>
  page(
    frame.styleUrl,
    'Choose a patient',
    html`<h1>Choose a patient</h1>
      <p><strong>${shown.app}</strong> will see the records of this patient.</p>
      ${wrongLine(shown.wrong)}
      <form method="post" action="${frame.action}" role="search">
        <input type="hidden" name="step" value="find" />
        <label for="name">Name, or the beginning of it</label>
        <input
          type="text"
          id="name"
          name="name"
          value="${shown.wanted.name}"
          maxlength="100"
          autocomplete="off"
          autocapitalize="words"
          spellcheck="false"
        />
        <label for="birthdate">Birth date</label>
        <input type="date" id="birthdate" name="birthdate" value="${shown.wanted.birthDate}" autocomplete="off" />
        <label for="mrn">The whole MRN</label>
        <input
          type="text"
          id="mrn"
          name="mrn"
          value="${shown.wanted.mrn}"
          maxlength="100"
          autocomplete="off"
          spellcheck="false"
        />
        <button type="submit">Find</button>
      </form>
      <h2>Patients</h2>
      ${shown.patients.length === 0 ? html`<p>No patient was found.</p>` : NOTHING}
      <form method="post" action="${frame.action}">
        <input type="hidden" name="step" value="patient" />
        <ul class="patients">
          ${shown.patients.map(choice)}
        </ul>
      </form>
      ${shown.isAll ? NOTHING : html`<p>There are others of whom not all are listed. Write more of the name.</p>`}
      ${
        shown.next === null
          ? NOTHING
          : html`<form method="post" action="${frame.action}">
              ${asHidden(shown.wanted)}
              <input type="hidden" name="cursor" value="${shown.next}" />
              <button type="submit" class="second">More patients</button>
            </form>`
      }
      <form method="post" action="${frame.action}">
        <button type="submit" name="step" value="cancel" class="second">Cancel</button>
      </form>
      ${otherUser(frame, shown.user)}`,
  );
