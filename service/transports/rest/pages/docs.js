"use strict";

// Shows /openapi.json, and lets each operation be tried. Everything comes from this server; text is only ever set as text.

const REF = "#/components/schemas/";
let schemas = {};

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function prose(text) {
  const parts = (text || "").split(/`+([^`]+)`+/);
  return element("span", {}, ...parts.map((part, index) => (index % 2 ? element("code", {}, part) : part)));
}

function nameOf(schema) {
  return schema.$ref ? schema.$ref.slice(REF.length) : null;
}

function typeText(schema) {
  if (schema === true || schema === undefined) return "anything";
  if (schema.$ref) return nameOf(schema);
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const arms = schema.oneOf || schema.anyOf;
  if (arms) return arms.map(typeText).join(" | ");
  if (schema.prefixItems) return `[${schema.prefixItems.map(typeText).join(", ")}]`;
  if (schema.type === "array") return `list of ${typeText(schema.items)}`;
  const bounds = [];
  if ("minimum" in schema) bounds.push(`from ${schema.minimum}`);
  if ("maximum" in schema) bounds.push(`to ${schema.maximum}`);
  if (schema.pattern) bounds.push(schema.pattern);
  return [schema.type || "anything", ...bounds].join(" ");
}

// The names of schemas that a schema speaks of directly.
function mentioned(schema) {
  if (!schema || typeof schema !== "object") return [];
  if (schema.$ref) return [nameOf(schema)];
  const inside = [...(schema.oneOf || schema.anyOf || schema.prefixItems || [])];
  if (schema.items) inside.push(schema.items);
  return inside.flatMap(mentioned);
}

// Schemas refer to each other in circles, so each is drawn when it is opened.
function opened(name) {
  const details = element("details", {}, element("summary", {}, element("code", { className: "type" }, name)));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(shown(schemas[name]));
  });
  return details;
}

function shown(schema) {
  const box = element("div");
  if (schema.description) box.append(element("p", {}, prose(schema.description)));
  const properties = Object.entries(schema.properties || {});
  if (properties.length === 0) box.append(element("p", {}, element("code", { className: "type" }, typeText(schema))));
  else box.append(element("ul", { className: "fields" }, ...properties.map((each) => field(schema, ...each))));
  if (properties.length === 0) box.append(...[...new Set(mentioned(schema))].map(opened));
  return box;
}

function field(owner, name, schema) {
  const line = element("li", {}, element("code", {}, name), " ", element("span", { className: "type" }, typeText(schema)));
  if ((owner.required || []).includes(name)) line.append(" ", element("span", { className: "required" }, "required"));
  if (schema.default !== undefined && schema.default !== null) {
    line.append(" default ", element("code", {}, JSON.stringify(schema.default)));
  }
  const described = schema.description || (schema.anyOf || []).map((arm) => arm.description).find(Boolean);
  if (described) line.append(element("div", { className: "meaning" }, prose(described)));
  line.append(...[...new Set(mentioned(schema))].map(opened));
  return line;
}

function bodyOf(content) {
  return content ? content["application/json"] || content["application/problem+json"] : null;
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function curl(method, path, body) {
  const address = `curl -s ${location.origin}${path}`;
  if (method !== "post") return address;
  return `${address} -H 'Content-Type: application/json' -d ${quoted(body)}`;
}

function compact(text) {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

function trial(method, path, operation) {
  const request = operation.requestBody ? bodyOf(operation.requestBody.content) : null;
  const examples = Object.entries((request && request.examples) || {});
  const parameter = (operation.parameters || []).find((each) => each.in === "path");
  const value = element("input", { value: parameter ? parameter.example : "", ariaLabel: parameter ? parameter.name : "" });
  const body = element("textarea", { spellcheck: false, ariaLabel: "Request body" });
  const choice = element("select", { ariaLabel: "Example" }, ...examples.map(([name]) => element("option", { value: name }, name)));
  const language = element("select", { ariaLabel: "Language" }, ...["en", "nl", "fr"].map((tag) => element("option", { value: tag }, tag)));
  const command = element("pre");
  const answer = element("pre", { ariaLive: "polite" });
  answer.hidden = true;

  const target = () => (parameter ? path.replace(`{${parameter.name}}`, encodeURIComponent(value.value)) : path);
  const refresh = () => { command.textContent = curl(method, target(), compact(body.value)); };
  const choose = () => {
    body.value = JSON.stringify(request.examples[choice.value].value, null, 2);
    refresh();
  };
  choice.addEventListener("change", choose);
  body.addEventListener("input", refresh);
  value.addEventListener("input", refresh);

  const send = element("button", { type: "button" }, "Send");
  send.addEventListener("click", async () => {
    const headers = { "Accept-Language": language.value };
    if (request) headers["Content-Type"] = "application/json";
    answer.hidden = false;
    try {
      const response = await fetch(target(), { method: method.toUpperCase(), headers, body: request ? body.value : undefined });
      answer.className = response.ok ? "" : "failed";
      answer.textContent = `${response.status} ${response.statusText}\n${JSON.stringify(await response.json(), null, 2)}`;
    } catch (error) {
      answer.className = "failed";
      answer.textContent = String(error);
    }
  });

  const box = element("div");
  const bar = element("div", { className: "bar" });
  if (parameter) bar.append(element("code", {}, parameter.name), value);
  if (examples.length) bar.append("Example", choice);
  if (request) bar.append("Language", language);
  bar.append(send);
  box.append(bar);
  if (examples.length) {
    box.append(body);
    choose();
  } else {
    refresh();
  }
  box.append(command, answer);
  return box;
}

function drawn(path, method, operation) {
  const section = element("section", { id: operation.operationId });
  section.append(
    element("h2", {}, operation.summary),
    element("p", {}, element("span", { className: "method" }, method.toUpperCase()), " ", element("code", {}, path), " · ", element("code", {}, operation.operationId)),
  );
  if (operation.description) section.append(element("p", {}, prose(operation.description)));
  const request = operation.requestBody ? bodyOf(operation.requestBody.content) : null;
  if (request) section.append(element("h3", {}, "Request"), opened(nameOf(request.schema)));
  section.append(element("h3", {}, "Answers"));
  const list = element("ul", { className: "fields" });
  for (const [status, response] of Object.entries(operation.responses)) {
    const line = element("li", {}, element("code", {}, status), " ", prose(response.description));
    const content = bodyOf(response.content);
    if (content && content.schema.$ref) line.append(opened(nameOf(content.schema)));
    list.append(line);
  }
  section.append(list, element("h3", {}, "Try it"), trial(method, path, operation));
  return section;
}

function draw(api) {
  schemas = api.components.schemas;
  const contents = document.getElementById("contents");
  const page = document.getElementById("document");
  page.replaceChildren(
    element("h1", {}, `${api.info.title} ${api.info.version}`),
    element("p", {}, prose(api.info.description)),
    element("p", {}, "The whole description, for programs: ", element("a", { href: "/openapi.json" }, "/openapi.json"), "."),
  );
  for (const tag of api.tags) {
    contents.append(element("h2", { title: tag.description }, tag.name));
    for (const [path, methods] of Object.entries(api.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        if (!operation.tags.includes(tag.name)) continue;
        contents.append(element("a", { href: `#${operation.operationId}` }, operation.summary));
        page.append(drawn(path, method, operation));
      }
    }
  }
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

fetch("/openapi.json")
  .then((response) => response.json())
  .then(draw)
  .catch((error) => { document.getElementById("loading").textContent = `/openapi.json could not be read: ${error}`; });
