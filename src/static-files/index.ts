export { assetHeaders, FILE_TYPES, makeFilesMount, takesBrotli, type FoundFile } from './make-files-mount.ts';
