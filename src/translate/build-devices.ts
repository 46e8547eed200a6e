import { canonicalJson } from '../kernel/index.ts';
import type { SourceDevice } from '../payloads/index.ts';
import { codesText } from './notebook.ts';
import { codeable, type Element } from './observation.ts';
import { metaOf, nameIn, want, type Scene } from './scene.ts';
import type { Wanted } from './translation.ts';

function typeOf({ mappings, notebook }: Scene, device: SourceDevice, at: string): Element {
  if (device.type === null) return {};
  const row = mappings.findDeviceType(device.type);
  notebook.decide(at, 'device', device.type, row === null ? null : codesText(row), row);
  return { type: codeable(row?.codings ?? [], device.type) };
}

function buildDevice(scene: Scene, device: SourceDevice, i: number): Wanted {
  const { type, manufacturer, model, sourceType, isMedicalGrade } = device;
  const { mappings } = scene;
  const name = nameIn(scene, 'device', manufacturer, model, type, sourceType);
  const called = model ?? type;
  return want(
    name,
    {
      resourceType: 'Device',
      meta: metaOf(scene),
      identifier: [],
      status: 'active',
      ...(manufacturer === null ? {} : { manufacturer }),
      ...(model === null ? {} : { modelNumber: model }),
      ...(called === null ? {} : { deviceName: [{ name: called, type: model === null ? 'other' : 'model-name' }] }),
      ...typeOf(scene, device, `device_source_data_array[${i}]`),
      ...(isMedicalGrade === null
        ? {}
        : {
            property: [
              {
                type: codeable([mappings.local('medical-grade')]),
                valueCode: [{ text: isMedicalGrade ? 'yes' : 'no' }],
              },
            ],
          }),
      patient: scene.subject,
      ...(sourceType === null ? {} : { note: [{ text: `Kind of data source: ${sourceType}` }] }),
    },
    { group: 'support', chartDay: null },
  );
}

/** Who provided a measurement, where the source names no device of it: as it calls the provider. */
export const buildProvider = (scene: Scene, provider: string): Wanted =>
  want(
    nameIn(scene, 'provider', provider),
    {
      resourceType: 'Device',
      meta: metaOf(scene),
      identifier: [],
      status: 'active',
      deviceName: [{ name: provider, type: 'user-friendly-name' }],
      patient: scene.subject,
      note: [{ text: 'Data source, as the health data service names it.' }],
    },
    { group: 'support', chartDay: null },
  );

const saysNothing = ({ type, manufacturer, model }: SourceDevice): boolean =>
  type === null && manufacturer === null && model === null;

/** The devices that a document names, each once. */
export function buildDevices(scene: Scene, devices: readonly SourceDevice[]): Wanted[] {
  const byName = new Map<string, Wanted>();
  for (const [i, device] of devices.entries()) {
    if (saysNothing(device)) continue;
    const built = buildDevice(scene, device, i);
    const before = byName.get(built.name);
    // Two that differ in their grade alone are one device of which the grade is not known.
    const isSame = before === undefined || canonicalJson(before.resource) === canonicalJson(built.resource);
    byName.set(built.name, isSame ? built : buildDevice(scene, { ...device, isMedicalGrade: null }, i));
  }
  return [...byName.values()];
}
