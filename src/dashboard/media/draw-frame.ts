// Draws the thumbnail of a video in the browser, from the file that is being uploaded.
const SIDE_MAX = 640;
/** Many videos begin with a black frame. */
const MOMENT_S = 1;
const TIMEOUT_MS = 8_000;

/** An early frame as a JPEG in base64; null if this browser cannot play the file. */
export async function drawFrame(file: File): Promise<string | null> {
  const url = URL.createObjectURL(file);
  const video = document.createElement("video");
  video.muted = true;
  video.preload = "auto";
  try {
    await waitFor(video, "loadedmetadata", () => {
      video.src = url;
    });
    await waitFor(video, "seeked", () => {
      video.currentTime = Math.min(MOMENT_S, video.duration / 2 || 0);
    });
    const { videoWidth: width, videoHeight: height } = video;
    const scale = Math.min(1, SIDE_MAX / Math.max(width, height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    canvas.getContext("2d")?.drawImage(video, 0, 0, canvas.width, canvas.height);
    const [, base64 = ""] = canvas.toDataURL("image/jpeg", 0.85).split(",");
    return width === 0 || base64 === "" ? null : base64;
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Starts something, and waits for the event that says that it is done. */
function waitFor(video: HTMLVideoElement, event: string, start: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("too slow")), TIMEOUT_MS);
    const end = (settle: () => void) => () => {
      clearTimeout(timer);
      settle();
    };
    video.addEventListener(event, end(resolve), { once: true });
    video.addEventListener(
      "error",
      end(() => reject(new Error("unplayable"))),
      { once: true },
    );
    start();
  });
}
