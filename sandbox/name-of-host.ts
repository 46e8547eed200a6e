const HERE = new Set(['127.0.0.1', '0.0.0.0', '::', '::1']);

/** How people on this machine, or on the one that runs this container, reach what listens there. */
export const nameOfHost = (host: string): string => (HERE.has(host) ? 'localhost' : host);
