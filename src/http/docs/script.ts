// The script of the page. It searches the contents, and makes calls to this deployment from the page. The page reads the
// same without it. It stores nothing: a credential stays in its field until the page is left.

/** The parts that do not use the DOM, so that a test can run them. */
export const PARTS = String.raw`
/** Whether a text has every word of a query. */
const matches = (text, query) => query.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));

/**
 * What fetch takes for a call. "values": by the name of a parameter; what is empty is left out. Throws what is missing.
 * "workspace": where the session of who is signed in acts. A credential goes before it, and is sent alone.
 */
function requestOf({ method, path, parameters }, values, { credential, workspace }, body) {
  const given = parameters.filter(({ name }) => values[name]);
  const missing = parameters.find(({ name, required }) => required && !values[name]);
  if (missing) throw new Error(missing.name + " is missing.");
  // An address takes the step of "..", however it is written.
  const stray = given.find((one) => one.in === "path" && /^\.{1,2}$/.test(values[one.name]));
  if (stray) throw new Error(stray.name + ' cannot be "' + values[stray.name] + '".');
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name]));
  const query = new URLSearchParams(given.filter((one) => one.in === "query").map(({ name }) => [name, values[name]]));
  const headers = Object.fromEntries(given.filter((one) => one.in === "header").map(({ name }) => [name, values[name]]));
  if (credential) headers.Authorization = "Bearer " + credential;
  else if (workspace) headers["X-Workspace"] ??= workspace;
  if (body) headers["Content-Type"] = "application/json";
  const init = { method, headers, credentials: !credential && workspace ? "same-origin" : "omit", cache: "no-store", ...(body ? { body } : {}) };
  return [url + (query.size ? "?" + query : ""), init];
}

/** An answer as it is read: JSON is indented, anything else stands as it came. */
function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The operations of an OpenAPI document, by id. */
function operationsOf({ paths, components }) {
  const resolved = (one) => (one.$ref ? components.parameters[one.$ref.split("/").at(-1)] : one);
  return Object.fromEntries(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const examples = operation.requestBody?.content["application/json"]?.examples ?? {};
        const example = Object.values(examples).find((one) => "value" in one);
        return [operation.operationId, {
          path,
          method: method.toUpperCase(),
          parameters: (operation.parameters ?? []).map(resolved),
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
const found = make("p", { className: "found", role: "status" });
const search = make("input", { type: "search", placeholder: "Search calls and fields", ariaLabel: "Search calls and fields" });
search.addEventListener("input", () => {
  const query = search.value.trim();
  for (const { item, text } of entries) item.hidden = !matches(text, query);
  for (const title of document.querySelectorAll(".side h2"))
    title.hidden = [...title.nextElementSibling.children].every(({ hidden }) => hidden);
  const count = entries.filter(({ item }) => !item.hidden).length;
  found.textContent = query === "" ? "" : count + " found";
});
search.addEventListener("keydown", ({ key }) => {
  if (key === "Enter") document.querySelector(".side li:not([hidden]) a")?.click();
});
document.querySelector(".side").prepend(search, found);

let loading;
const operations = () => (loading ??= fetch("/openapi.json").then(async (answer) => operationsOf(await answer.json())));
let credential = "";
let asking;
/** Who is signed in in this browser; null: nobody. */
const person = () => (asking ??= fetch("/v1/auth/me").then((answer) => (answer.ok ? answer.json() : null), () => null));

function panel(operation, me) {
  const fields = new Map();
  const field = (name, input) => {
    fields.set(name, input);
    return make("label", {}, name, input);
  };
  const key = make("input", { type: "password", autocomplete: "off", value: credential });
  const workspace = make("select", {}, ...(me?.workspaces ?? []).map(({ id, name }) => make("option", { value: id }, name)));
  const as = me && make("label", {}, "Without a key: as " + me.user.email + ", in", workspace);
  const body = operation.body && make("textarea", { value: operation.body, rows: 10, spellcheck: false });
  const send = make("button", { textContent: "Send " + operation.method });
  const status = make("figcaption", { role: "status" });
  const text = make("code");
  const answer = make("figure", { className: "code", hidden: true }, status, make("pre", { tabIndex: 0 }, text));
  const form = make(
    "form",
    { className: "call" },
    ...(operation.isPublic ? [] : [make("label", {}, "Workspace key or session", key), ...(as ? [as] : [])]),
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
      const operation = (await operations())[samples.parentElement.id];
      open.replaceWith(panel(operation, operation.isPublic ? null : await person()));
    } catch {
      open.disabled = false;
    }
  });
  samples.prepend(open);
}

// What is far below is laid out a few at a time, while nothing else is to do: all at once would keep a phone busy for a second.
const unlaid = [...document.querySelectorAll(".operation")];
const lay = () => {
  for (const section of unlaid.splice(0, 4)) section.classList.add("laid");
  if (unlaid.length > 0) requestIdleCallback(lay);
};
globalThis.requestIdleCallback?.(lay);`;
