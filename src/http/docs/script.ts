// The script of the page. It searches the contents, and makes calls to this deployment from the page. The page reads the
// same without it. It stores nothing: a credential stays in its field until the page is left.

/** The parts that do not use the DOM, so that a test can run them. */
export const PARTS = String.raw`
/** Whether a text contains every word of a query. */
const matches = (text, query) => query.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));

/**
 * The arguments of fetch for a call. "values": by parameter name; parameters without a value are omitted. Throws if a required
 * one has none. "workspace": the workspace in which the browser's session acts. A credential is sent instead of the session.
 */
function requestOf({ method, path, parameters }, values, { credential, workspace }, body) {
  const filled = parameters.filter(({ name }) => values[name]);
  const missing = parameters.find(({ name, required }) => required && !values[name]);
  if (missing) throw new Error(missing.name + " is missing.");
  // URLs resolve "..", however it is encoded.
  const stray = filled.find((parameter) => parameter.in === "path" && /^\.{1,2}$/.test(values[parameter.name]));
  if (stray) throw new Error(stray.name + ' cannot be "' + values[stray.name] + '".');
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name]));
  const valuesIn = (place) => filled.filter((parameter) => parameter.in === place).map(({ name }) => [name, values[name]]);
  const query = new URLSearchParams(valuesIn("query"));
  const headers = Object.fromEntries(valuesIn("header"));
  if (credential) headers.Authorization = "Bearer " + credential;
  else if (workspace) headers["X-Workspace"] ??= workspace;
  if (body) headers["Content-Type"] = "application/json";
  const init = { method, headers, credentials: !credential && workspace ? "same-origin" : "omit", cache: "no-store", ...(body ? { body } : {}) };
  return [url + (query.size ? "?" + query : ""), init];
}

/** Formats an answer for reading: JSON is indented, any other text is unchanged. */
function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The operations of an OpenAPI document, by id. */
function operationsOf({ paths, components }) {
  const resolve = (parameter) => (parameter.$ref ? components.parameters[parameter.$ref.split("/").at(-1)] : parameter);
  return Object.fromEntries(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const examples = operation.requestBody?.content["application/json"]?.examples ?? {};
        const example = Object.values(examples).find((candidate) => "value" in candidate);
        return [operation.operationId, {
          path,
          method: method.toUpperCase(),
          parameters: (operation.parameters ?? []).map(resolve),
          isPublic: operation.security.length === 0,
          body: operation.requestBody && JSON.stringify(example?.value ?? {}, null, 2),
        }];
      }),
    ),
  );
}`;

export const SCRIPT = `${PARTS}
const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

const entries = [...document.querySelectorAll(".side li")].map((item) => {
  const id = item.firstElementChild.hash.slice(1);
  const section = document.getElementById(id);
  const names = section?.matches(".operation") ? [...section.querySelectorAll(".address code, td:first-child code")] : [];
  return { item, text: [item.textContent, id, ...names.map(({ textContent }) => textContent)].join(" ") };
});
const matchCount = make("p", { className: "found", role: "status" });
const search = make("input", { type: "search", placeholder: "Search calls and fields", ariaLabel: "Search calls and fields" });
search.addEventListener("input", () => {
  const query = search.value.trim();
  for (const { item, text } of entries) item.hidden = !matches(text, query);
  for (const title of document.querySelectorAll(".side h2"))
    title.hidden = [...title.nextElementSibling.children].every(({ hidden }) => hidden);
  const count = entries.filter(({ item }) => !item.hidden).length;
  matchCount.textContent = query === "" ? "" : count + " found";
});
search.addEventListener("keydown", ({ key }) => {
  if (key === "Enter") document.querySelector(".side li:not([hidden]) a")?.click();
});
document.querySelector(".side").prepend(search, matchCount);

let operationsRequest;
const getOperations = () => (operationsRequest ??= fetch("/openapi.json").then(async (answer) => operationsOf(await answer.json())));
let credential = "";
let personRequest;
/** The person who is signed in in this browser, or null. */
const getPerson = () => (personRequest ??= fetch("/v1/auth/me").then((answer) => (answer.ok ? answer.json() : null), () => null));

function panel(operation, me) {
  const fields = new Map();
  const field = (name, input) => {
    fields.set(name, input);
    return make("label", {}, name, input);
  };
  const key = make("input", { type: "password", autocomplete: "off", value: credential });
  const workspace = make("select", {}, ...(me?.workspaces ?? []).map(({ id, name }) => make("option", { value: id }, name)));
  const session = me && make("label", {}, "Without a key: as " + me.user.email + ", in", workspace);
  const body = operation.body && make("textarea", { value: operation.body, rows: 10, spellcheck: false });
  const send = make("button", { textContent: "Send " + operation.method });
  const status = make("figcaption", { role: "status" });
  const text = make("code");
  const answer = make("figure", { className: "code", hidden: true }, status, make("pre", { tabIndex: 0 }, text));
  const form = make(
    "form",
    { className: "call" },
    ...(operation.isPublic ? [] : [make("label", {}, "Workspace key or session", key), ...(session ? [session] : [])]),
    ...operation.parameters.map(({ name, required, example }) =>
      field(name, make("input", {
        required,
        placeholder: String(example ?? ""),
        value: name === "Idempotency-Key" ? crypto.randomUUID() : "",
      })),
    ),
    ...(body ? [make("label", {}, "Body", body)] : []),
    send,
    answer,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    try {
      credential = key.value;
      const values = Object.fromEntries([...fields].map(([name, { value }]) => [name, value.trim()]));
      const response = await fetch(...requestOf(operation, values, { credential: credential.trim(), workspace: workspace.value }, body?.value));
      text.textContent = readable(await response.text());
      status.textContent = response.status + " " + response.statusText;
    } catch (error) {
      status.textContent = "Not sent";
      text.textContent = error.message;
    }
    answer.hidden = false;
    send.disabled = false;
  });
  return form;
}

for (const samples of document.querySelectorAll("main .operation[id*='.'] .samples")) {
  const open = make("button", { type: "button", className: "try", textContent: "Try it" });
  open.addEventListener("click", async () => {
    open.disabled = true;
    try {
      const operation = (await getOperations())[samples.parentElement.id];
      open.replaceWith(panel(operation, operation.isPublic ? null : await getPerson()));
    } catch {
      open.disabled = false;
    }
  });
  samples.prepend(open);
}

// Operations below the first screen are laid out a few at a time while the browser is idle. All at once would block a phone for
// a second.
const waiting = [...document.querySelectorAll(".operation")];
const layOut = () => {
  for (const section of waiting.splice(0, 4)) section.classList.add("laid");
  if (waiting.length > 0) requestIdleCallback(layOut);
};
globalThis.requestIdleCallback?.(layOut);`;
