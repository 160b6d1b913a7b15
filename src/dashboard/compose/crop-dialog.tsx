// Crops a photo to a ratio that the networks accept. The original stays in the library.
import { useEffect, useRef, useState } from "react";
import type { Media } from "../types.ts";
import { Button } from "../ui/button.tsx";
import { Segments } from "../ui/choices.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Loading } from "../ui/states.tsx";
import { type Box, computeBox } from "./crop.ts";
import "./crop-dialog.css";

const RATIOS: readonly { name: string; ratio: number }[] = [
  { name: "1:1", ratio: 1 },
  { name: "4:5", ratio: 4 / 5 },
  { name: "9:16", ratio: 9 / 16 },
  { name: "1.91:1", ratio: 1.91 },
  { name: "16:9", ratio: 16 / 9 },
];
const PREVIEW_MAX = 360;

const JPEG_QUALITY = 0.92;

/** A copy of the picture with only this part. PNG stays PNG, because it may be transparent. */
async function cutPicture(picture: ImageBitmap, box: Box, contentType: string): Promise<Blob> {
  const canvas = new OffscreenCanvas(box.width, box.height);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser has no canvas");
  context.drawImage(picture, box.x, box.y, box.width, box.height, 0, 0, box.width, box.height);
  const type = contentType === "image/png" ? "image/png" : "image/jpeg";
  return canvas.convertToBlob({ type, quality: JPEG_QUALITY });
}

interface CropDialogProps {
  media: Media;
  /** The ratio to begin with; null: the nearest to the photo's own. */
  ratio: number | null;
  onCrop(file: File): void;
  onClose(): void;
}

async function loadPicture(url: string): Promise<ImageBitmap> {
  const answer = await fetch(url, { credentials: "omit" });
  if (!answer.ok) throw new Error("the photo could not be loaded");
  return createImageBitmap(await answer.blob());
}

function findNearest({ width, height }: Media, wanted: number | null): string {
  const ratio = wanted ?? (width ?? 1) / (height ?? 1);
  const distance = (entry: { ratio: number }) => Math.abs(Math.log(entry.ratio / ratio));
  const [nearest] = RATIOS.toSorted((a, b) => distance(a) - distance(b));
  return nearest?.name ?? "1:1";
}

export function CropDialog({ media, ratio: wanted, onCrop, onClose }: CropDialogProps) {
  const [name, setName] = useState(() => findNearest(media, wanted));
  const [at, setAt] = useState(0.5);
  const [picture, setPicture] = useState<ImageBitmap | null>(null);
  const [isFailed, setFailed] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const url = media.public_url ?? media.url;
  useEffect(() => {
    let isLeft = false;
    loadPicture(url).then(
      (loaded) => !isLeft && setPicture(loaded),
      () => !isLeft && setFailed(true),
    );
    return () => {
      isLeft = true;
    };
  }, [url]);
  const ratio = RATIOS.find((entry) => entry.name === name)?.ratio ?? 1;

  async function crop(close: () => void) {
    if (picture === null) return;
    setBusy(true);
    try {
      const blob = await cutPicture(picture, computeBox(picture, ratio, at), media.content_type ?? "image/jpeg");
      const baseName = (media.name ?? "photo").replace(/\.\w+$/, "");
      onCrop(new File([blob], `${baseName}-cropped.${blob.type === "image/png" ? "png" : "jpg"}`, { type: blob.type }));
      close();
    } catch {
      setBusy(false);
      setFailed(true);
    }
  }
  return (
    <Dialog
      title="Crop"
      onClose={onClose}
      actions={(close) => (
        <>
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" isBusy={isBusy} disabled={picture === null} onClick={() => void crop(close)}>
            Crop
          </Button>
        </>
      )}
    >
      <Segments
        label="Ratio"
        options={RATIOS.map((entry) => ({ value: entry.name, name: entry.name }))}
        value={name}
        onChange={setName}
      />
      {isFailed ? (
        <p className="alert" role="alert">
          This photo can't be cropped here. Crop it on your device, and add it again.
        </p>
      ) : picture === null ? (
        <Loading what="The photo" />
      ) : (
        <CropPreview picture={picture} ratio={ratio} at={at} onMove={setAt} />
      )}
    </Dialog>
  );
}

interface CropPreviewProps {
  picture: ImageBitmap;
  ratio: number;
  at: number;
  onMove(at: number): void;
}

/** The photo, with the part that goes away darkened. Drag it, or use the slider, to choose the part that stays. */
function CropPreview({ picture, ratio, at, onMove }: CropPreviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scale = Math.min(1, PREVIEW_MAX / Math.max(picture.width, picture.height));
  const width = Math.round(picture.width * scale);
  const height = Math.round(picture.height * scale);
  const box = computeBox({ width, height }, ratio, at);
  const isWide = box.width < width;
  useEffect(() => {
    const context = canvas.current?.getContext("2d") ?? null;
    if (context === null) return;
    context.clearRect(0, 0, width, height);
    context.globalAlpha = 0.3;
    context.drawImage(picture, 0, 0, width, height);
    context.globalAlpha = 1;
    const [x, y, w, h] = [box.x / scale, box.y / scale, box.width / scale, box.height / scale];
    context.drawImage(picture, x, y, w, h, box.x, box.y, box.width, box.height);
  }, [picture, width, height, scale, box.x, box.y, box.width, box.height]);
  function drag(movement: number) {
    const room = isWide ? width - box.width : height - box.height;
    if (room > 0) onMove(Math.min(1, Math.max(0, at + movement / room)));
  }
  return (
    <div className="crop stack tight">
      <canvas
        ref={canvas}
        width={width}
        height={height}
        aria-label="The photo"
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={(event) => event.buttons === 1 && drag(isWide ? event.movementX : event.movementY)}
      />
      <label className="field">
        <span>Part to keep</span>
        <input
          type="range"
          min={0}
          max={100}
          value={Math.round(at * 100)}
          onChange={({ target }) => onMove(Number(target.value) / 100)}
        />
      </label>
    </div>
  );
}
