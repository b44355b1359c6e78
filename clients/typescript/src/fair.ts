/** Checks that cards were shuffled as the service had committed itself to: docs/fair-deals.md, to the byte. */

import type * as models from "./gen/models.js";

const PREFIX = "scheids/1";
const WORD_RANGE = 2 ** 32;

/** The pack in the order that a shuffle begins with. */
export const PACK: readonly models.Card[] = [..."SHDC"].flatMap((suit) =>
  [..."23456789TJQKA"].map((rank) => rank + suit),
);

/** What is known from the table itself, to check its record with. */
export interface Told {
  /** The commitment, as it was told before any card was dealt. */
  readonly commitment: string;
  /** What was added to the shuffle, by place: the own entropy at least. Hexadecimal digits. */
  readonly entropies?: { readonly [place: number]: string };
}

/** What the check of a table's shuffle came to. */
export interface ShuffleCheck {
  /** Whether all of it is right. */
  readonly fair: boolean;
  /** Whether the secret is the one that was committed to. */
  readonly commitment: boolean;
  /** Whether the entropies that are known are among those mixed in. */
  readonly entropies: boolean;
  /** Whether the seed of the match is what secret and entropies come to. */
  readonly seed: boolean;
}

type Bytes = Uint8Array<ArrayBuffer>;

function utf8(text: string): Bytes {
  return new TextEncoder().encode(text) as Bytes;
}

function joined(...parts: Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function bigEndian(value: number, bytes: number): Bytes {
  const made = new Uint8Array(bytes);
  new DataView(made.buffer).setUint32(bytes - 4, value);
  return made;
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function unhex(text: string): Bytes {
  if (!/^([0-9a-f]{2})*$/i.test(text)) {
    throw new TypeError(`not hexadecimal digits: ${JSON.stringify(text)}`);
  }
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)) as Bytes;
}

async function sha256(data: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", data));
}

async function keyOf(key: Bytes): Promise<CryptoKey> {
  return await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

async function hmac(key: CryptoKey, data: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, data));
}

/** The seed that a text stands for: 64 hexadecimal digits are read as they are, any other text as its SHA-256. */
export async function seedBytes(text: string): Promise<Uint8Array> {
  return await seedOf(text);
}

async function seedOf(text: string): Promise<Bytes> {
  return /^[0-9a-f]{64}$/i.test(text) ? unhex(text) : await sha256(utf8(text));
}

/** What is published of a secret before it is used, in hexadecimal digits. */
export async function commitmentOf(secret: string): Promise<string> {
  return hex(await sha256(joined(utf8(`${PREFIX}\0commitment\0`), await seedOf(secret))));
}

/** The seed of a match, in hexadecimal digits: the secret, mixed with what each place added to it (perhaps nothing). */
export async function mixedSeed(secret: string, entropies: readonly string[]): Promise<string> {
  const seed = await seedOf(secret);
  if (entropies.every((entropy) => entropy === "")) {
    return hex(seed);
  }
  const added = entropies.map(unhex).flatMap((entropy) => [bigEndian(entropy.length, 4), entropy]);
  return hex(await hmac(await keyOf(seed), joined(utf8(`${PREFIX}\0entropy\0`), ...added)));
}

/** Unbiased random numbers of a named stream. */
class Stream {
  #block = new DataView(new ArrayBuffer(0));
  #at = 0;
  #counter = 0;

  private constructor(readonly key: CryptoKey) {}

  static async of(seed: Bytes, label: string, number: number): Promise<Stream> {
    const key = await hmac(await keyOf(seed), utf8(`${PREFIX}\0${label}\0${number}\0`));
    return new Stream(await keyOf(key));
  }

  /** A number from 0 on, below a bound. */
  async below(bound: number): Promise<number> {
    for (;;) {
      if (this.#at === this.#block.byteLength) {
        this.#block = new DataView((await hmac(this.key, bigEndian(this.#counter++, 8))).buffer);
        this.#at = 0;
      }
      const word = this.#block.getUint32(this.#at);
      this.#at += 4;
      if (word < WORD_RANGE - (WORD_RANGE % bound)) {
        return word % bound;
      }
    }
  }
}

/**
 * The pack of a deal (from 1) under the seed of a match, shuffled and cut: the first card is dealt first.
 *
 * `pack` is in the order that the shuffle begins with; by default that of one French pack.
 */
export async function shuffledPack<C extends string = models.Card>(
  seed: string,
  deal: number,
  pack: readonly C[] = PACK as readonly C[],
): Promise<readonly C[]> {
  const key = await seedOf(seed);
  const shuffle = await Stream.of(key, "shuffle", deal);
  const cards = [...pack];
  for (let last = cards.length - 1; last > 0; last--) {
    const chosen = await shuffle.below(last + 1);
    [cards[last], cards[chosen]] = [cards[chosen] as C, cards[last] as C];
  }
  const at = 1 + (await (await Stream.of(key, "cut", deal)).below(cards.length - 1));
  return [...cards.slice(at), ...cards.slice(0, at)];
}

/**
 * Checks the record of a table that has ended: that its secret is the one committed to, that what was added is mixed in,
 * and that the seed of the match is what they come to. That the cards came from this seed is what replaying shows.
 *
 * TypeError where the record does not have the secret: the table has not ended, or whoever opened it chose the cards.
 */
export async function verifyShuffle(record: models.ReplayRequest, told: Told): Promise<ShuffleCheck> {
  const secret = record.table?.secret;
  if (secret === undefined || secret === null) {
    throw new TypeError("the record has no secret: the table has not ended, or its cards are not the service's");
  }
  const mixed = record.table?.entropies ?? [];
  const [known, committed, seed] = [
    Object.entries(told.entropies ?? {}),
    await commitmentOf(secret),
    await mixedSeed(secret, mixed),
  ];
  const commitment = committed === told.commitment.toLowerCase();
  const entropies = known.every(([place, entropy]) => mixed[Number(place)] === entropy.toLowerCase());
  const right = seed === record.seed?.toLowerCase();
  return { fair: commitment && entropies && right, commitment, entropies, seed: right };
}
