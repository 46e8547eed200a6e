const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

const firstIn = (agent: string, of: readonly (readonly [string, string])[]): string | undefined =>
  of.find(([mark]) => agent.includes(mark))?.[1];

/** What a browser calls itself, in two words. It says what it likes: this is a hint, not a proof. */
export function agentWords(agent: string): string {
  const [browser, system] = [firstIn(agent, BROWSERS), firstIn(agent, SYSTEMS)];
  if (browser === undefined) return agent === '' ? 'unknown' : agent.slice(0, 40);
  return system === undefined ? browser : `${browser} on ${system}`;
}
