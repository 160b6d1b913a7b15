// The brand that clients see: on links to connect an account, review links, portals and reports.
import { useRef, useState } from "react";
import { getTextColor } from "../../../domain/brand.ts";
import { NAME_LENGTH_MAX } from "../../../domain/limits.ts";
import { Library } from "../../compose/library.tsx";
import { useUploads } from "../../compose/uploads.ts";
import { useRead } from "../../reads.ts";
import { useSession } from "../../session.tsx";
import { ActForm } from "../../ui/act-form.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";

const ACCENT_DEFAULT = "#c2410c";
/** Types that every browser shows as a picture. */
const LOGO_TYPES = "image/png,image/jpeg,image/webp";

declare module "react" {
  interface CSSProperties {
    "--accent"?: string;
    "--on-accent"?: string;
  }
}

/** `why`: why the person may not change it; null: they may. */
export function BrandCard({ why, onSaved }: { why: string | null; onSaved(): void }) {
  const { workspace } = useSession();
  const { brand } = workspace;
  const [name, setName] = useState(brand?.name ?? "");
  const [accent, setAccent] = useState(brand?.accent ?? null);
  const [logo, setLogo] = useState(brand?.logo_media ?? null);
  const isNone = name.trim() === "" && accent === null && logo === null;
  return (
    <Card
      title="Brand"
      lead="Your clients see it when they connect an account, review posts or read a report. Without one, they see Crier's."
    >
      <ActForm
        act={(client) =>
          client.call("workspaces.rename", {
            params: { id: workspace.id },
            body: { brand: isNone ? null : { name: name.trim() || null, accent, logo_media: logo } },
          })
        }
        done="Brand saved"
        button="Save"
        of="brand"
        why={why}
        onDone={onSaved}
      >
        <Field
          label="Brand name"
          dir="auto"
          maxLength={NAME_LENGTH_MAX}
          placeholder={workspace.name}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <LogoField id={logo} onChange={setLogo} />
        <label className="field">
          <span>Color of buttons</span>
          <span className="accent-field">
            <input
              type="color"
              value={accent ?? ACCENT_DEFAULT}
              onChange={({ target }) => setAccent(target.value.toLowerCase())}
            />
            {accent !== null && (
              <Button variant="quiet" size="small" onClick={() => setAccent(null)}>
                Use the default
              </Button>
            )}
          </span>
        </label>
        <BrandPreview name={name.trim()} logo={logo} accent={accent} />
      </ActForm>
    </Card>
  );
}

/** The address of an uploaded image; null until it is known. */
function useLogo(id: string | null): string | null {
  const logo = useRead(
    ["media", "logo", id],
    async (client, signal) => (await client.call("media.get", { params: { id: id ?? "" }, signal })).body,
    { when: id !== null },
  );
  return id === null ? null : (logo.data?.thumbnail_url ?? logo.data?.public_url ?? null);
}

function LogoField({ id, onChange }: { id: string | null; onChange(id: string | null): void }) {
  const url = useLogo(id);
  const picker = useRef<HTMLInputElement>(null);
  const [isChoosing, setChoosing] = useState(false);
  const { uploads, add } = useUploads((added) => onChange(added));
  const [upload] = uploads;
  return (
    <div className="field">
      <span>Logo</span>
      <span className="logo-field">
        {url !== null && <img src={url} alt="" height={44} />}
        <Button isBusy={upload !== undefined && !upload.failed} onClick={() => picker.current?.click()}>
          Upload
        </Button>
        <Button onClick={() => setChoosing(true)}>Library</Button>
        {id !== null && (
          <Button variant="quiet" onClick={() => onChange(null)}>
            Remove<span className="visually-hidden"> logo</span>
          </Button>
        )}
      </span>
      {upload?.words !== null && upload !== undefined && (
        <span className="alert" role="alert">
          {upload.words}
        </span>
      )}
      <input
        ref={picker}
        type="file"
        hidden
        accept={LOGO_TYPES}
        aria-label="Logo to upload"
        onChange={({ target }) => {
          add(target.files ?? [], { of: "post" });
          target.value = "";
        }}
      />
      {isChoosing && (
        <Library
          known={[]}
          picks="image"
          onChoose={([chosen]) => chosen !== undefined && onChange(chosen)}
          onClose={() => setChoosing(false)}
        />
      )}
    </div>
  );
}

/** The head and a button of a client's page. */
function BrandPreview({ name, logo, accent }: { name: string; logo: string | null; accent: string | null }) {
  const url = useLogo(logo);
  return (
    <div className="brand-preview" role="img" aria-label="How clients see it">
      <span>
        {url !== null && <img src={url} alt="" height={44} />}
        {name === "" && url === null ? "Crier" : name}
      </span>
      <span
        className="brand-button"
        style={accent === null ? {} : { "--accent": accent, "--on-accent": getTextColor(accent) }}
      >
        Approve
      </span>
    </div>
  );
}
