// The part of a picture that has a ratio.

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
