import { randomUUID } from 'node:crypto';

const REPEATED = 0.1;
const REMEMBERED = 64;

/** An alert of its own measurement for each `n`: valid, and a document that no other alert replaces. */
function alertEvent(run: string, n: number): string {
  const at = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
  const user = `chaos-${run}-${n % 50}`;
  return JSON.stringify({
    data_structure: 'alert_event',
    client_uuid: 'c0000000-0000-4000-8000-000000000001',
    user_id: user,
    version: 2,
    document_version: 1,
    metadata: { datetime_string: at, user_id_string: user, sources_of_data_array: ['chaos'] },
    alerts: {
      triggered_at_string: at,
      alert_signals_array: [
        {
          signal_type_string: 'resting_heart_rate',
          measured_value_float: 60 + (n % 40),
          baseline_value_float: 58,
          threshold_type_string: 'deviation',
          deviation_above_percent_float: 10,
          breach_direction_string: 'above',
          unit_string: 'bpm',
          is_default_config_bool: true,
          source_of_data_string: 'chaos',
          measured_at_string: at,
        },
      ],
    },
  });
}

/** Bodies without end; one in ten has been sent shortly before. */
export function makeBodies(random: () => number): () => Buffer {
  const run = randomUUID().slice(0, 8);
  const recent: Buffer[] = [];
  let n = 0;
  return () => {
    const old = recent[Math.floor(random() * recent.length)];
    if (old !== undefined && random() < REPEATED) return old;
    n += 1;
    const body = Buffer.from(alertEvent(run, n));
    recent[n % REMEMBERED] = body;
    return body;
  };
}
