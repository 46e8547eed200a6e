/** Guides as they lie on a disk: packages and folders, found by name and version, read with every problem at once. */
export { loadSlowInvariants } from './slow-invariants.ts';
export { loadGuide, loadGuides, problemLines, type LoadedGuide } from './load-guides.ts';
