// The alt text field of a file. It has no button: typed text is saved automatically.
import { ALT_LENGTH_MAX } from "../../domain/limits.ts";
import { useAltText } from "../alt-texts.ts";
import { Refused } from "./states.tsx";

export function AltField({
  file,
  alt,
  of,
  disabled,
}: {
  /** The file's id. */
  file: string;
  /** The service's value; undefined: not known yet. */
  alt: string | null | undefined;
  /** The file's name inside a sentence. */
  of: string;
  disabled: boolean;
}) {
  const { text, type, takeBack, send, error, isSaved } = useAltText(file, alt);
  return (
    <>
      <label className="field">
        <span>
          Alt text <span className="visually-hidden">of {of}</span>
          {isSaved && <small aria-hidden="true">saved</small>}
        </span>
        <input
          value={text}
          maxLength={ALT_LENGTH_MAX}
          disabled={disabled}
          placeholder="Describe it for people who cannot see it"
          onChange={({ target }) => type(target.value)}
          onBlur={send}
        />
      </label>
      <Refused error={error} />
      {error !== undefined && (
        <div>
          <button type="button" className="small" onClick={takeBack}>
            Discard changes to the alt text
          </button>
        </div>
      )}
    </>
  );
}
