// The parts of the gallery that people press and fill in.
import { useState } from "react";
import { Button, IconButton } from "../ui/button.tsx";
import { Avatar } from "../ui/channel.tsx";
import { Segments, Switch, Tabs } from "../ui/choices.tsx";
import { Combobox, SearchList } from "../ui/combobox.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { DateTimeField, Field, PasswordField } from "../ui/field.tsx";
import { Menu } from "../ui/menu.tsx";
import { Popover } from "../ui/popover.tsx";
import { useSay } from "../ui/toasts.tsx";
import { Tooltip } from "../ui/tooltip.tsx";
import { WORKSPACES } from "./samples.ts";

export const Actions = () => (
  <section className="card" aria-label="Buttons">
    <h2>Buttons</h2>
    <div className="row">
      <Button variant="primary">Schedule</Button>
      <Button icon="plus">Add files</Button>
      <Button variant="quiet">Cancel</Button>
      <Button variant="danger" icon="trash">
        Delete
      </Button>
      <Button size="small">Small</Button>
      <IconButton name="Search" icon="search" />
    </div>
    <div className="row">
      <Button variant="primary" disabled>
        Schedule
      </Button>
      <Button disabled>Add files</Button>
      <Button variant="primary" isBusy>
        Sending
      </Button>
      <Button isBusy>Saving</Button>
      <button type="button" className="link">
        A link that acts
      </button>
    </div>
  </section>
);

const VIEWS = [
  { value: "month", name: "Month" },
  { value: "week", name: "Week" },
  { value: "day", name: "Day" },
] as const;

export function Fields() {
  const [view, setView] = useState<"month" | "week" | "day">("week");
  const [isOn, setOn] = useState(true);
  const [zone, setZone] = useState("Europe/London");
  const [tab, setTab] = useState<"all" | "own">("all");
  return (
    <section className="card" aria-label="Fields">
      <h2>Fields</h2>
      <div className="pair">
        <Field label="Name" defaultValue="Northwind" />
        <Field label="Email" type="email" placeholder="maya@example.com">
          <small>We write to this address only.</small>
        </Field>
        <Field label="Link" aria-invalid="true" defaultValue="northwind">
          <small>Begin the address with https://.</small>
        </Field>
        <Field label="Disabled" disabled defaultValue="Not now" />
        <PasswordField label="Password" name="password" />
        <DateTimeField label="When" zone="London" defaultValue="2026-12-01T09:30" />
        <label className="field">
          <span>Language</span>
          <select defaultValue="en">
            <option value="en">English</option>
            <option value="de">German</option>
          </select>
        </label>
        <Combobox
          label="Time zone"
          options={Intl.supportedValuesOf("timeZone").map((name) => ({ value: name, name: name.replaceAll("_", " ") }))}
          selected={zone}
          onChoose={setZone}
        />
      </div>
      <label className="field">
        <span>Text</span>
        <textarea rows={3} defaultValue="Our winter blend is back." />
      </label>
      <label className="choice">
        <input type="checkbox" defaultChecked />
        <span>Made with AI</span>
      </label>
      <Switch label="Adapt images" note="To what each network accepts" checked={isOn} onChange={setOn} />
      <Switch label="Not available" checked={false} disabled onChange={setOn} />
      <div>
        <Segments label="View" options={VIEWS} value={view} onChange={setView} />
      </div>
      <Tabs
        label="Text for"
        tabs={[
          { id: "all", name: "All" },
          { id: "own", name: "Northwind" },
        ]}
        selected={tab}
        onSelect={setTab}
      >
        <p className="soft">{tab === "all" ? "The text of all channels" : "Another text for this channel"}</p>
      </Tabs>
    </section>
  );
}

export function Layers() {
  const say = useSay();
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="card" aria-label="Layers">
      <h2>Layers</h2>
      <div className="row">
        <Menu
          label="More actions"
          align="start"
          entries={[
            { name: "Duplicate", icon: "plus", act: () => say("Duplicated", () => say("Undone")) },
            { name: "Edit", icon: "pen", why: "It is live.", act: () => {} },
            { title: "Theme" },
            { name: "Light", isChecked: true, act: () => {} },
            { name: "Dark", isChecked: false, act: () => {} },
            "line",
            { name: "Delete", icon: "trash", isDanger: true, act: () => say("Deleted") },
          ]}
        />
        <Popover label="Choose a workspace" button="Workspace">
          {(close) => (
            <SearchList
              label="Workspaces"
              selected="ws_1"
              options={WORKSPACES.map(({ id, name, role }) => ({
                value: id,
                name,
                note: role,
                picture: <Avatar name={name} shape="square" size="small" />,
              }))}
              onChoose={close}
            />
          )}
        </Popover>
        <Button onClick={() => setOpen(true)}>Open a dialog</Button>
        <Button onClick={() => say("Moved to Tue 1 Dec, 09:30", () => say("Moved back"))}>Show a message</Button>
        <Tooltip text="When the network last showed the post unchanged">
          {(describedBy) => (
            <button type="button" aria-describedby={describedBy}>
              Explain
            </button>
          )}
        </Tooltip>
      </div>
      {isOpen && (
        <Dialog
          title="Delete this post?"
          onClose={() => setOpen(false)}
          actions={(close) => (
            <>
              <Button onClick={close}>Keep it</Button>
              <Button variant="primary" onClick={close}>
                Delete
              </Button>
            </>
          )}
        >
          <p>It is removed from the calendar. Nothing has been published yet.</p>
        </Dialog>
      )}
    </section>
  );
}
