/** Between plain values, those of the service's JSON, and the messages of the protos. */

import { create, isMessage, ScalarType, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { ownError } from "./errors.js";
import { BOXES, DEFAULTS, NEEDED, NULLS, RENAMED, TAGS, TEXTS } from "./gen/meanings.js";

type Values = { readonly [name: string]: unknown };
type Fields = { [name: string]: unknown };

const STRUCT = "google.protobuf.Struct";
const MOST = 2 ** 31;

/** A field of a message that stands for an object. */
interface Entry {
  readonly field: DescField;
  readonly json: string;
  readonly needed: boolean;
  /** What it means where it is absent; undefined: nothing. */
  readonly absent: unknown;
}

/** What a message that stands for an object is made of. */
interface RecordPlan {
  readonly tag: readonly [string, string] | undefined;
  readonly entries: readonly Entry[];
  readonly byName: ReadonlyMap<string, Entry>;
}

const plans = new Map<DescMessage, RecordPlan>();

function planOf(desc: DescMessage): RecordPlan {
  let plan = plans.get(desc);
  if (plan === undefined) {
    const entries = desc.fields.map((field): Entry => {
      const json = RENAMED[`${desc.name}.${field.jsonName}`] ?? field.jsonName;
      const name = `${desc.name}.${json}`;
      return { field, json, needed: NEEDED.has(name), absent: NULLS.has(name) ? null : DEFAULTS[name] };
    });
    plan = { tag: TAGS[desc.name], entries, byName: new Map(entries.map((each) => [each.json, each])) };
    plans.set(desc, plan);
  }
  return plan;
}

/** Whether a message is one of several others, told apart by a tag. */
function isUnion(desc: DescMessage): boolean {
  return desc.oneofs.length === 1 && desc.fields.length > 0 && desc.fields.every((field) => field.oneof !== undefined);
}

// --- writing

/** The message that a value means. Malformed, with the path, where it cannot mean one. */
export function write(desc: DescMessage, value: unknown, path = "$"): Message {
  if (BOXES.has(desc.name)) {
    const field = only(desc);
    return create(desc, { [field.localName]: writeField(field, value, path) } as never);
  }
  if (desc.name === "Viewer") {
    return create(desc, { viewer: writeViewer(value, path) } as never);
  }
  if (desc.name === "MoveInput") {
    return writeMoveInput(desc, value, path);
  }
  return isUnion(desc) ? writeUnion(desc, value, path) : writeRecord(desc, value, path);
}

function only(desc: DescMessage): DescField {
  return desc.fields[0] as DescField;
}

function malformed(what: string, path: string): never {
  throw ownError("MALFORMED", what, path);
}

function objectOf(value: unknown, path: string): Values {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    malformed(`expected an object, got ${named(value)}`, path);
  }
  return value as Values;
}

function named(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
}

function writeViewer(value: unknown, path: string): unknown {
  return value === "spectator"
    ? { case: "spectator", value: true }
    : {
        case: "seat",
        value: typeof value === "number" ? whole(value, path) : malformed('expected a seat or "spectator"', path),
      };
}

function writeMoveInput(desc: DescMessage, value: unknown, path: string): Message {
  if (typeof value === "string") {
    return create(desc, { text: value } as never);
  }
  const given = objectOf(value, path);
  if ("move" in given || "text" in given) {
    return writeRecord(desc, given, path);
  }
  const move = desc.field["move"] as DescField;
  return create(desc, { move: write(move.message as DescMessage, given, path) } as never);
}

function writeUnion(desc: DescMessage, value: unknown, path: string): Message {
  const given = objectOf(value, path);
  const oneof = desc.oneofs[0] as NonNullable<(typeof desc.oneofs)[0]>;
  let untagged: DescField | undefined;
  let key = "type";
  for (const field of oneof.fields) {
    const arm = field.message as DescMessage;
    const tag = TAGS[arm.name];
    if (tag === undefined) {
      untagged = field;
    } else if (given[(key = tag[0])] === tag[1]) {
      return create(desc, { [oneof.localName]: { case: field.localName, value: write(arm, given, path) } } as never);
    }
  }
  if (untagged !== undefined && given[key] === undefined) {
    const written = write(untagged.message as DescMessage, given, path);
    return create(desc, { [oneof.localName]: { case: untagged.localName, value: written } } as never);
  }
  malformed(`this client knows no ${key} ${JSON.stringify(given[key]) ?? ""}`.trimEnd(), `${path}.${key}`);
}

function writeRecord(desc: DescMessage, value: unknown, path: string): Message {
  const given = objectOf(value, path);
  const plan = planOf(desc);
  const made: Fields = {};
  for (const [name, each] of Object.entries(given)) {
    const entry = plan.byName.get(name);
    if (entry === undefined) {
      if (plan.tag?.[0] === name && plan.tag[1] === each) {
        continue;
      }
      malformed(`there is no such field in a ${desc.name}`, `${path}.${name}`);
    }
    if (each === undefined || each === null) {
      continue;
    }
    const { field } = entry;
    const written = writeField(field, each, `${path}.${name}`);
    if (field.oneof === undefined) {
      made[field.localName] = written;
    } else {
      made[field.oneof.localName] = { case: field.localName, value: written };
    }
  }
  for (const entry of plan.entries) {
    if (entry.needed && (given[entry.json] === undefined || given[entry.json] === null)) {
      malformed("must be there", `${path}.${entry.json}`);
    }
  }
  return create(desc, made as never);
}

function writeField(field: DescField, value: unknown, path: string): unknown {
  if (field.fieldKind !== "list") {
    return writeOne(field, value, path);
  }
  if (!Array.isArray(value)) {
    malformed(`expected a list, got ${named(value)}`, path);
  }
  return value.map((each, index) => writeOne(field, each, `${path}[${index}]`));
}

function writeOne(field: DescField, value: unknown, path: string): unknown {
  if (field.message !== undefined) {
    if (field.message.typeName === STRUCT) {
      return objectOf(value, path);
    }
    return write(field.message, value, path);
  }
  if (field.enum !== undefined) {
    const texts = TEXTS[field.enum.name] ?? {};
    const found = Object.keys(texts).find((number) => texts[Number(number)] === value);
    return found === undefined
      ? malformed(`${JSON.stringify(value)} is none of ${Object.values(texts).join(", ")}`, path)
      : Number(found);
  }
  switch (field.scalar) {
    case ScalarType.INT32:
      return typeof value === "number"
        ? whole(value, path)
        : malformed(`expected a whole number, got ${named(value)}`, path);
    case ScalarType.DOUBLE:
      return typeof value === "number" ? value : malformed(`expected a number, got ${named(value)}`, path);
    case ScalarType.BOOL:
      return typeof value === "boolean" ? value : malformed(`expected true or false, got ${named(value)}`, path);
    default:
      return typeof value === "string" ? value : malformed(`expected a text, got ${named(value)}`, path);
  }
}

function whole(value: number, path: string): number {
  return Number.isInteger(value) && value >= -MOST && value < MOST
    ? value
    : malformed("expected a whole number of 32 bits", path);
}

// --- reading

/** The value that a message means. UnreadableAnswer where this client cannot tell. */
export function read(desc: DescMessage, message: Message): unknown {
  const fields = message as unknown as Values;
  if (BOXES.has(desc.name)) {
    return readField(only(desc), fields[only(desc).localName]);
  }
  if (desc.name === "Viewer") {
    const viewer = fields["viewer"] as { case?: string; value?: number };
    return viewer.case === "seat" ? viewer.value : "spectator";
  }
  if (desc.name === "MoveInput") {
    return readMoveInput(desc, fields);
  }
  if (isUnion(desc)) {
    const oneof = desc.oneofs[0] as NonNullable<(typeof desc.oneofs)[0]>;
    const arm = fields[oneof.localName] as { case?: string; value?: unknown };
    const field = oneof.fields.find((each) => each.localName === arm.case);
    if (field === undefined) {
      throw ownError("UNREADABLE_ANSWER", `a ${desc.name} that this client does not know: of a newer service?`);
    }
    return readOne(field, arm.value);
  }
  return readRecord(desc, fields);
}

function readMoveInput(desc: DescMessage, fields: Values): unknown {
  const { move, text } = fields;
  const read = move === undefined ? undefined : readOne(desc.field["move"] as DescField, move);
  return read === undefined ? (text ?? "") : text === undefined ? read : { move: read, text };
}

function readRecord(desc: DescMessage, fields: Values): unknown {
  const plan = planOf(desc);
  const made: Fields = {};
  if (plan.tag !== undefined) {
    made[plan.tag[0]] = plan.tag[1];
  }
  for (const { field, json, absent } of plan.entries) {
    let value = fields[field.localName];
    if (field.oneof !== undefined) {
      const arm = fields[field.oneof.localName] as { case?: string; value?: unknown };
      value = arm.case === field.localName ? arm.value : undefined;
    }
    const isAbsent =
      value === undefined ||
      (field.enum !== undefined && value === 0) ||
      (absent !== undefined && Array.isArray(value) && value.length === 0);
    if (!isAbsent) {
      made[json] = readField(field, value);
    } else if (absent !== undefined) {
      made[json] = absent;
    }
  }
  return made;
}

function readField(field: DescField, value: unknown): unknown {
  return field.fieldKind === "list" ? (value as unknown[]).map((each) => readOne(field, each)) : readOne(field, value);
}

function readOne(field: DescField, value: unknown): unknown {
  if (field.enum !== undefined) {
    return TEXTS[field.enum.name]?.[value as number] ?? String(value);
  }
  return isMessage(value) && field.message !== undefined ? read(field.message, value) : value;
}
