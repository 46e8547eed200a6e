export { isLoopback } from './check-together.ts';
export type { Config, DatabaseConfig, EhrAuthConfig, EhrTlsConfig, HmacConfig, Mode, WeakSetting } from './config.ts';
export { ConfigError, loadConfig, toDatabase } from './load-config.ts';
export { KEYS, STANDARD_DATABASE_URL, type Key, type KeyName } from './keys.ts';
export type { Environment, Problem, ReadText } from './read-values.ts';
export { readSome } from './read-some.ts';
export type { ShownSetting } from './show-settings.ts';
