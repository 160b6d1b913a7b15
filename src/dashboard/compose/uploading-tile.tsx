// A file on its way: its progress, and what went wrong.
import type { Uploading, Uploads } from "./uploads.ts";

export function UploadingTile({ upload, uploads }: { upload: Uploading; uploads: Uploads }) {
  return (
    <div className="file-tile">
      <span className="thumb none">
        <span className="file-name" dir="auto">
          {upload.file.name}
        </span>
        <progress max={1} value={upload.progress} aria-label={`Upload of ${upload.file.name}`} />
      </span>
      {upload.words !== null && (
        <p className={upload.failed ? "alert small-alert" : "soft"} role={upload.failed ? "alert" : "status"}>
          {upload.words}
        </p>
      )}
      <span className="row">
        {upload.failed && (
          <button type="button" className="small" onClick={() => uploads.again(upload)}>
            Try again
          </button>
        )}
        <button type="button" className="small" onClick={() => uploads.cancel(upload)}>
          Cancel
        </button>
      </span>
    </div>
  );
}
