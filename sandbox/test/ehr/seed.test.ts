import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../../src/kernel/index.ts';
import { loadValidator, walkReferences } from '../../../src/r4/index.ts';
import { RESOURCE_TYPES } from '../../ehr/search-params.ts';
import { seedEhr, startEhr, type DemoEhr } from '../../index.ts';

let ehr: DemoEhr;
beforeAll(async () => {
  ehr = await startEhr({ host: '127.0.0.1', port: 0, clock: systemClock });
  seedEhr(ehr);
});
afterAll(() => ehr.stop());

const all = () => RESOURCE_TYPES.flatMap((type) => ehr.repository.find(type, []));

test('what a new demo EHR begins with is valid R4', () => {
  const validator = loadValidator();
  const wrong = all().flatMap(({ type, id, json }) =>
    validator.validate(JSON.parse(json)).map((issue) => `${type}/${id}: ${JSON.stringify(issue)}`),
  );
  expect(wrong).toEqual([]);
});

test('its references lead to resources that are there', () => {
  const lost = all().flatMap(({ type, id, resource }) =>
    [...walkReferences(resource)]
      .filter(({ reference }) => ehr.repository.read(...(reference.split('/') as [string, string])) === undefined)
      .map(({ reference }) => `${type}/${id} -> ${reference}`),
  );
  expect(lost).toEqual([]);
});

test('a chart has something of each type that a patient has in US Core', () => {
  const wanted = ['CarePlan', 'Coverage', 'Goal', 'MedicationDispense', 'Procedure', 'ServiceRequest', 'Specimen'];
  const found = wanted.filter((type) =>
    all().some((version) => version.type === type && version.json.includes('Patient/demo-patient-1')),
  );
  expect(found).toEqual(wanted);
});
