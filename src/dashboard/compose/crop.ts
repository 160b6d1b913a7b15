// Cuts a picture to a ratio.

/** The part of a picture that stays, in pixels. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The largest part of a picture with this ratio (width divided by height). `at`: 0 is the start of the longer side, 1 its end. */
export function computeBox(size: { width: number; height: number }, ratio: number, at: number): Box {
  const isWide = size.width / size.height > ratio;
  const width = Math.round(isWide ? size.height * ratio : size.width);
  const height = Math.round(isWide ? size.height : size.width / ratio);
  return { x: Math.round((size.width - width) * at), y: Math.round((size.height - height) * at), width, height };
}

const JPEG_QUALITY = 0.92;

/** A copy of the picture with only this part. PNG stays PNG, because it may be transparent. */
export async function cutPicture(picture: ImageBitmap, box: Box, contentType: string): Promise<Blob> {
  const canvas = new OffscreenCanvas(box.width, box.height);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser has no canvas");
  context.drawImage(picture, box.x, box.y, box.width, box.height, 0, 0, box.width, box.height);
  const type = contentType === "image/png" ? "image/png" : "image/jpeg";
  return canvas.convertToBlob({ type, quality: JPEG_QUALITY });
}
