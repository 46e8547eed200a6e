/**
 * Where people live. Half-hour and quarter-hour zones, both hemispheres, clocks that change at midnight, and some that
 * never do.
 */
export const HOMES: readonly [Home, ...Home[]] = [
  { zone: 'America/New_York', country: 'US' },
  { zone: 'America/Chicago', country: 'US' },
  { zone: 'Europe/Berlin', country: 'DE' },
  { zone: 'Asia/Kolkata', country: 'IN' },
  { zone: 'America/Los_Angeles', country: 'US' },
  { zone: 'Europe/London', country: 'GB' },
  { zone: 'Australia/Adelaide', country: 'AU' },
  { zone: 'America/St_Johns', country: 'CA' },
  { zone: 'Asia/Kathmandu', country: 'NP' },
  { zone: 'America/Sao_Paulo', country: 'BR' },
  { zone: 'America/Phoenix', country: 'US' },
  { zone: 'Pacific/Auckland', country: 'NZ' },
  { zone: 'Asia/Tokyo', country: 'JP' },
  { zone: 'America/Santiago', country: 'CL' },
  { zone: 'Europe/Madrid', country: 'ES' },
  { zone: 'Africa/Cairo', country: 'EG' },
  { zone: 'Pacific/Honolulu', country: 'US' },
  { zone: 'Asia/Singapore', country: 'SG' },
  { zone: 'Pacific/Chatham', country: 'NZ' },
  { zone: 'America/Denver', country: 'US' },
];

export interface Home {
  readonly zone: string;
  readonly country: string;
}
