// What a new key may do, as a list of boxes to tick.

interface ScopeChoicesProps<Scope extends string> {
  all: readonly Scope[];
  /** The scopes that are ticked. */
  value: readonly Scope[];
  names: Record<Scope, string>;
  /** What each scope is good for. */
  notes: Record<Scope, string>;
  onChange(scopes: Scope[]): void;
}

export function ScopeChoices<Scope extends string>({ all, value, names, notes, onChange }: ScopeChoicesProps<Scope>) {
  return (
    <fieldset>
      <legend>Allowed to</legend>
      {all.map((scope) => (
        <label key={scope} className="choice">
          <input
            type="checkbox"
            checked={value.includes(scope)}
            onChange={({ target }) =>
              onChange(all.filter((other) => (other === scope ? target.checked : value.includes(other))))
            }
          />
          <span className="who">
            {names[scope]}
            <small>{notes[scope]}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
