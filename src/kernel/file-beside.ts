/** Names the file beside the caller whether it runs from the sources or from `dist/`. */
export const fileBeside = (moduleUrl: string, name: string): URL =>
  new URL(`${name}${moduleUrl.slice(moduleUrl.lastIndexOf('.'))}`, moduleUrl);
