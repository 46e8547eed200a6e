import { z } from 'zod';
import { isObject } from '../kernel/index.ts';
import { word } from './envelope.ts';
import { mapParsed } from './finding.ts';

/** What the Device Metadata add-on tells of the device behind an event. */
export interface SourceDevice {
  readonly type: string | null;
  readonly manufacturer: string | null;
  readonly isMedicalGrade: boolean | null;
  readonly model: string | null;
  readonly sourceType: string | null;
}

const shape = z.object({
  device_source_data_array: z
    .array(
      z.looseObject({
        device_type_string: word,
        manufacturer_string: word,
        medical_grade_bool: z.boolean().nullish(),
        model_string: word,
        source_type_string: word,
      }),
    )
    .nullish(),
});

export function readDevices(payload: unknown): z.ZodSafeParseResult<SourceDevice[]> {
  if (isObject(payload) && payload['device_source_data_array'] === undefined) return { success: true, data: [] };
  return mapParsed(shape.safeParse(payload), ({ device_source_data_array: all }) =>
    (all ?? []).map((d): SourceDevice => ({
      type: d.device_type_string,
      manufacturer: d.manufacturer_string,
      isMedicalGrade: d.medical_grade_bool ?? null,
      model: d.model_string,
      sourceType: d.source_type_string,
    })),
  );
}
