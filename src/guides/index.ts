/** Guides as they lie on a disk: packages and folders, found by name and version, read with every problem at once. */
export { loadGuide, loadNamedGuides, problemLines, type GuideName, type LoadedGuide } from './load-guides.ts';
