// The keyboard shortcuts that work everywhere.
import { useOpenDialog } from "../ui/open-dialog.ts";

const KEYS: [keys: string, what: string][] = [
  ["Ctrl K or ⌘ K", "Go to a page, find a post, start a new one"],
  ["?", "Show these keys"],
  ["Tab, Shift Tab", "To the next field or button, and back"],
  ["Enter, Space", "Activate the focused element"],
  ["Escape", "Close a dialog"],
  ["Arrow keys", "Through a list of choices, and through the days of the calendar"],
  ["S", "Select the focused post in the calendar"],
];

export function Keys({ onClose }: { onClose(): void }) {
  const dialog = useOpenDialog();
  return (
    <dialog ref={dialog} className="dialog" aria-label="Keys" onClose={onClose}>
      <form method="dialog" className="stack">
        <h2>Keys</h2>
        <table>
          <tbody>
            {KEYS.map(([keys, description]) => (
              <tr key={keys}>
                <th scope="row">
                  <kbd>{keys}</kbd>
                </th>
                <td>{description}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <div className="row end">
          <button type="submit">Close</button>
        </div>
      </form>
    </dialog>
  );
}
