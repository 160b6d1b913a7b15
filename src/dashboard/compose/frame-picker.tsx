// The choice of a video's cover: the frame at a moment of it.
import { useId, useRef, useState } from "react";
import { buildLabel, type FieldProps } from "../ui/schema-words.ts";

/** The options that say which frame is the cover, with their unit as a fraction of a second. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ["thumb_offset_ms", 1_000],
  ["cover_timestamp_ms", 1_000],
  ["cover_frame_seconds", 1],
]);

export const isFrameOption = (name: string): boolean => UNITS.has(name);

export function FramePicker(props: FieldProps & { video: string }) {
  const { name, value, onChange, video, children } = props;
  const id = useId();
  const player = useRef<HTMLVideoElement>(null);
  const [length, setLength] = useState(0);
  const unit = UNITS.get(name) ?? 1;
  const seconds = typeof value === "number" ? value / unit : 0;
  const show = (moment: number) => {
    if (player.current !== null) player.current.currentTime = moment;
  };
  return (
    <div className="field frame-picker">
      <label htmlFor={id}>{buildLabel(props)}</label>
      <video
        ref={player}
        src={video}
        muted
        playsInline
        preload="auto"
        aria-label="The frame at this moment"
        onLoadedMetadata={({ currentTarget }) => {
          setLength(currentTarget.duration);
          show(seconds);
        }}
      />
      <span className="row">
        <input
          id={id}
          type="range"
          min={0}
          max={Math.max(0.1, Math.floor(length * 10) / 10)}
          step={0.1}
          value={seconds}
          aria-valuetext={`${seconds.toFixed(1)} seconds`}
          onChange={({ target }) => {
            const moment = Number(target.value);
            show(moment);
            onChange(unit === 1 ? moment : Math.round(moment * unit));
          }}
        />
        <span className="numbers soft">{seconds.toFixed(1)} s</span>
        {value !== undefined && (
          <button type="button" className="link" onClick={() => onChange(undefined)}>
            Automatic
          </button>
        )}
      </span>
      {children}
    </div>
  );
}
