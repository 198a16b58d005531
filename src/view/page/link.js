// What the page asks the program for. The token came behind the # of the first address; it goes into
// a header, and out of the address, so that no history or bookmark has it.

const kToken = "firn-token";
const kPart = 131072;  // points of one answer

export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

function takeToken() {
  const given = location.hash.slice(1);
  if (given) {
    sessionStorage.setItem(kToken, given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(kToken) ?? "";
}

const token = takeToken();

// A program that was started again at the same port has another token, and its address another # alone.
addEventListener("hashchange", () => location.reload());

async function ask(path, options = {}) {
  const headers = {...options.headers, "X-Firn-Token": token};
  const answer = await fetch(path, {...options, headers, cache: "no-store"});
  if (answer.ok) return answer;
  let text = answer.statusText;
  try {
    text = (await answer.json()).error;
  } catch {
    // What is no JSON has its status to tell.
  }
  throw new Refused(answer.status, text);
}

// A header, and what lies behind it.
async function packed(answer) {
  const bytes = await answer.arrayBuffer();
  const length = new DataView(bytes).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)));
  return {header, bytes, offset: 4 + length};
}

export const scene = async () => (await ask("api/scene")).json();
export const state = async (version, rows) =>
  (await ask(`api/state?version=${version}&rows=${rows}`)).json();

export async function solids() {
  const {header, bytes, offset} = await packed(await ask("api/solids"));
  let at = offset;
  const take = (count) => {
    const numbers = new Float32Array(bytes, at, count);
    at += 4 * count;
    return numbers;
  };
  for (const solid of header.solids) {
    solid.triangles = take(9 * solid.triangles);
    solid.lines = take(6 * solid.lines);
  }
  return header.solids;
}

// A part of a picture, as 16-bit numbers: x, y, z and the value of each point. Null: it is no longer kept.
export async function points(picture, channel, first) {
  const path = `api/points?picture=${picture}&channel=${encodeURIComponent(channel)}` +
    `&first=${first}&count=${kPart}`;
  const answer = await ask(path);
  if (answer.status === 204) return null;
  const {header, bytes, offset} = await packed(answer);
  return {header, levels: new Uint16Array(bytes, offset)};
}

// The tracers of a picture, or the `most` first ones: as 16-bit numbers x, y, z and the body of each, and a bit for each
// of the picture's points that they stand for. Null: it is no longer kept.
export async function tracers(picture, most) {
  const whole = {header: null, levels: null, stoodFor: null};
  for (let first = 0, total = Math.max(1, most); first < total;) {
    const count = Math.min(kPart, Math.ceil(total) - first);
    const answer = await ask(`api/tracers?picture=${picture}&first=${first}&count=${count}`);
    if (answer.status === 204) return null;
    const {header, bytes, offset} = await packed(answer);
    if (!whole.header) {
      total = Math.min(total, header.points);
      whole.header = header;
      whole.levels = new Uint16Array(4 * Math.ceil(total));
      whole.stoodFor = new Uint8Array(bytes, offset + 8 * header.count);
    }
    whole.levels.set(new Uint16Array(bytes, offset, 4 * header.count), 4 * first);
    first += header.count;
    if (!header.count) break;
  }
  return whole;
}

// The surfaces of a picture, with tracers (`traced`) of what these do not stand for. Null: it is no longer kept.
export async function surfaces(picture, channel, traced) {
  const answer = await ask(`api/surfaces?picture=${picture}&channel=${encodeURIComponent(channel)}` +
    `&traced=${traced ? 1 : 0}`);
  if (answer.status === 204) return null;
  const {header, bytes, offset} = await packed(answer);
  const triangles = offset + 16 * header.vertices, covered = triangles + 12 * header.triangles;
  const listed = Math.ceil(header.points / 8);
  return {
    header,
    vertices: new Uint8Array(bytes, offset, 16 * header.vertices),
    triangles: new Uint32Array(bytes, triangles, 3 * header.triangles),
    covered: new Uint8Array(bytes, covered, listed),         // a bit for each point
    clear: new Uint8Array(bytes, covered + listed, listed),  // of those that a clear surface covers
  };
}

export function act(what, content = {}) {
  return ask(`api/${what}`, {
    method: "POST",
    headers: {"Content-Type": "application/json"},
    body: JSON.stringify(content),
  });
}
