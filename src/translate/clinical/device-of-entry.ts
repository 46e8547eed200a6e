import type { AnyResource } from '../../payloads/index.ts';
import { buildProvider } from '../build-devices.ts';
import { listOf, partOf, textOf } from '../parts.ts';
import type { Scene } from '../scene.ts';
import type { Wanted } from '../translation.ts';

/** Short fragments occur in too many words. */
const WORD_LENGTH_MIN = 3;
const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

const wordsOf = ({ resource }: Wanted): string[] =>
  [
    resource['manufacturer'],
    resource['modelNumber'],
    partOf(resource['type'])['text'],
    ...listOf(resource['deviceName']).map(({ name }) => name),
  ]
    .map((word) => plain(textOf(word) ?? ''))
    .filter((word) => word.length >= WORD_LENGTH_MIN);

const isNamedBy = (provider: string, device: Wanted): boolean =>
  wordsOf(device).some((word) => provider.includes(word) || word.includes(provider));

const sourceOf = (resource: unknown): string | null => textOf(partOf(partOf(resource)['meta'])['source']);

/** A provider may be called by a URI; its last part is its name. */
const nameIn = (source: string): string => source.split(/[:/#]/).at(-1) ?? source;

/**
 * The device behind each measurement. An entry that names its provider (`meta.source` other than that of the Bundle,
 * which names the service) gets the device of the document that the provider's name fits, or else the provider itself,
 * so that a reader sees where a value comes from. One that does not gets the only device of a document with one
 * provider: with several it could be any of them.
 */
export function makeDeviceOf(
  scene: Scene,
  bundle: AnyResource,
  sources: readonly string[],
  devices: readonly Wanted[],
) {
  const patients = listOf(bundle['entry']).filter(({ resource }) => partOf(resource)['resourceType'] === 'Patient');
  const ofService = new Set([sourceOf(bundle), ...patients.map(({ resource }) => sourceOf(resource))]);
  const [only, ...others] = devices;
  const isOneProvider = new Set(sources).size <= 1;
  const provided = new Map<string, Wanted>();

  const references = new Map<Wanted, NonNullable<Scene['device']>>();
  /** The same object for the same device. */
  function refer(device: Wanted): NonNullable<Scene['device']> {
    const known = references.get(device) ?? { reference: device.reference };
    references.set(device, known);
    return known;
  }

  function providerDevice(name: string): Wanted {
    const known = provided.get(name) ?? buildProvider(scene, name);
    provided.set(name, known);
    return known;
  }

  return {
    of(resource: AnyResource): Scene['device'] {
      const source = sourceOf(resource);
      if (source === null || ofService.has(source)) {
        return only !== undefined && others.length === 0 && isOneProvider ? refer(only) : null;
      }
      const name = nameIn(source);
      const fitting = devices.filter((device) => isNamedBy(plain(name), device));
      const [first, ...more] = fitting;
      const device = first !== undefined && more.length === 0 ? first : providerDevice(name);
      return refer(device);
    },
    /** Providers that became devices of their own. */
    providers: (): readonly Wanted[] => [...provided.values()],
  };
}
