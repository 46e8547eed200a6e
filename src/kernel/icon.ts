import { createHash } from 'node:crypto';

/** A gate, and a line that goes through it. Drawn for this server. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#0b4a7d"/><path d="M10 52V28a22 22 0 0 1 44 0v24" fill="none" stroke="#fff" stroke-width="5" stroke-linecap="round"/><path d="M10 40h11l5-14 8 24 6-16 3 6h11" fill="none" stroke="#7fd1c0" stroke-width="4.5" stroke-linecap="round" stroke-linejoin="round"/></svg>
`;

/** Another drawing is another address, so that it may be kept for long. */
export const ICON_FILE = `icon-${createHash('sha256').update(ICON).digest('hex').slice(0, 12)}.svg`;

/** For pages whose policy allows pictures that stand in the page. */
export const ICON_URL = `data:image/svg+xml,${encodeURIComponent(ICON.trim())}`;
