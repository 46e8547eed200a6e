/** A picture as the one page of a PDF, at 150 pixels an inch: what comes in is always read as a PDF. */
export async function toPdf(bytes: Uint8Array, kind: 'jpeg' | 'png'): Promise<Uint8Array> {
  const { PDFDocument } = await import('pdf-lib');
  const document = await PDFDocument.create({ updateMetadata: false });
  const picture = kind === 'jpeg' ? await document.embedJpg(bytes) : await document.embedPng(bytes);
  const [width, height] = [(picture.width * 72) / 150, (picture.height * 72) / 150];
  document.addPage([width, height]).drawImage(picture, { x: 0, y: 0, width, height });
  return document.save();
}
