// The page of `firn view`: one request waits for the run's next change, another fetches the picture
// that is to be shown, and the picture is drawn when something about it has changed.

import * as link from "./link.js";
import {Camera} from "./camera.js";
import {Controls} from "./controls.js";
import {Drawing} from "./draw.js";
import {Plots, showLegend} from "./plots.js";

const kSlowest = 1000 / 30;  // ms of a picture while something moves
const kFewest = 20000;       // points
const kRest = 250;           // ms without movement, after which all points are drawn
const kPollPause = 30;       // ms

const byId = (id) => document.getElementById(id);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

class View {
  constructor() {
    this.canvas = byId("view");
    this.drawing = new Drawing(this.canvas);
    this.plots = new Plots(byId("plots"));
    this.state = {version: 0, epoch: -1, phase: "filling", pictures: [], particles: 0};
    this.rows = 0;
    this.wanted = 0;           // number of a picture
    this.follow = true;        // the newest picture
    this.replaying = false;    // of what is kept
    this.ranges = new Map();   // by channel, over all pictures that were shown
    this.most = 300000;        // points that are drawn while something moves
    this.movedAt = this.drawnAt = 0;
    this.frameTimes = [];
    this.controls = new Controls(this);
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
  }

  get moving() {
    return performance.now() - this.movedAt < kRest || this.replaying ||
      (this.follow && this.state.phase === "running");
  }

  // ---- the run ---------------------------------------------------------------------------------
  async poll() {
    for (let failures = 0; ;) {
      try {
        await this.take(await link.state(this.state.version, this.rows));
        failures = 0;
        await sleep(kPollPause);
      } catch (error) {
        if (error.status === 401 || error.status === 403) return this.controls.say(error.message);
        if (++failures > 3) this.controls.say("The program does not answer: it has ended, or was ended.");
        await sleep(Math.min(250 * failures, 2000));
      }
    }
  }

  async take(state) {
    // Rows of the run before are none of this one: all are asked for anew.
    if (state.beginning !== this.state.beginning) {
      this.ranges.clear();
      if (state.first_row > 0) {
        this.rows = 0;
        this.state = {...this.state, version: 0, beginning: state.beginning};
        return;
      }
    }
    if (state.epoch !== this.state.epoch) await this.beginScene(state);
    if (!this.scene) return;
    this.plots.add(state.first_row, state.rows);
    this.rows = this.plots.rows.length;
    this.state = state;
    if (this.follow || !state.pictures.some(([number]) => number === this.wanted)) this.showNewest();
    if (state.rows.length) this.plots.draw(this.shownTime());
    this.controls.update();
  }

  async beginScene(state) {
    const scene = await link.scene();
    this.scene = scene;
    document.title = `${scene.title} – firn view`;
    this.drawing.setMap("sequential", scene.map);
    this.drawing.setMap("diverging", scene.diverging_map);
    this.drawing.setMap("material", scene.materials.map((m) => m.color));
    this.drawing.setMap("body", scene.bodies.map((b) => b.color));
    this.drawing.setMap("tracers", scene.tracers?.bodies.map((b) => b.color) ?? []);
    if (scene.stage) {
      this.camera ??= new Camera(scene.stage, scene.dimension === 2);
      this.camera.stage = scene.stage;
      this.drawing.setSolids(await link.solids(), scene);
    }
    if (this.plots.columns.join() !== scene.ledger.join() || state.first_row === 0) {
      this.plots.begin(scene.ledger);
      this.rows = 0;
    }
    this.controls.beginScene(scene);
    this.redraw();
  }

  // ---- pictures --------------------------------------------------------------------------------
  showNewest() {
    const newest = this.state.pictures.at(-1);
    if (newest) this.show(newest[0]);
  }

  show(number) {
    this.wanted = number;
    if (!this.loading) this.loading = this.load().finally(() => { this.loading = null; });
  }

  // Part by part, until all of what is wanted is there, or something else is.
  async load() {
    let done = "";
    const key = () => `${this.wanted} ${this.channel.name} ${this.controls.withSurfaces} ${this.controls.withTracers}`;
    while (this.wanted && key() !== done) {
      const started = key(), [number, name] = [this.wanted, this.channel.name];
      try {
        // All are asked for at once: a picture between two frames is soon gone.
        const {withSurfaces, withTracers} = this.controls;
        const surfaces = withSurfaces ? link.surfaces(number, name, withTracers) : null;
        const tracers = withTracers ? link.tracers(number, this.moving ? Math.max(this.most, kFewest) : Infinity) : null;
        for (let first = 0, total = 1; first < total && key() === started;) {
          const [part, meshes, traced] = await Promise.all([link.points(number, name, first), surfaces, tracers]);
          if (!part || (withSurfaces && !meshes) || (withTracers && !traced) || (key() !== started && first > 0)) break;
          const {header, levels} = part;
          first += header.count;
          total = header.points;
          if (this.moving) total = Math.min(total, Math.max(this.most, kFewest) / this.drawing.seenPart);
          if (header.first === 0) {
            this.drawing.putSurfaces(meshes);
            this.drawing.putTracers(traced);
          }
          this.put(header, levels, name, first >= total);
          if (!header.count) break;
        }
      } catch {
        await sleep(200);  // the other request will tell what is wrong
      }
      done = started;
    }
  }

  // The first part is shown at once, all others together with the last one.
  put(header, levels, name, last) {
    this.drawing.put(header, levels);
    if (header.first === 0 || last)
      this.drawing.findSeen(this.scene.dimension === 3 ? this.scene.stage?.spacing ?? 0 : 0);
    this.shownChannel = name;
    if (header.first === 0) {
      const before = this.ranges.get(name) ?? [Infinity, -Infinity];
      if (header.kept) this.ranges.set(name, [Math.min(before[0], header.begin), Math.max(before[1], header.end)]);
      this.camera?.follow(header.time * this.scene.fps);
      this.controls.showPicture(header);
      this.plots.draw(header.time);
      this.legend();
    }
    this.redraw();
  }

  // The rest of a picture that movement has left out.
  complete() {
    const {header} = this.drawing.shown;
    const isWhole = (set) => !set.header || set.loaded >= set.header.points;
    if (isWhole(this.drawing.shown) && isWhole(this.drawing.tracers)) return;
    if (!this.loading && header.number === this.wanted) this.show(this.wanted);
  }

  get channel() {
    return this.controls.channel ?? {name: "material", category: true};
  }

  shownTime() {
    return this.drawing.shown.header?.time ?? NaN;
  }

  // From zero where values reach close to it, and never of no width.
  range() {
    const {header} = this.drawing.shown;
    let [low, high] = this.ranges.get(this.channel.name) ?? [0, 1];
    if (this.controls.ownRange && header) [low, high] = [header.begin, header.end];
    if (this.channel.diverging) {
      high = Math.max(Math.abs(low), Math.abs(high)) || 1;
      return [-high, high];
    }
    if (low > 0 && low < 0.5 * high) low = 0;
    if (!(high > low)) [low, high] = high > 0 ? [0, high] : [low, low + 1];
    return [low, high];
  }

  legend() {
    const {channel, scene} = this;
    const things = channel.name === "body" ? scene.bodies : scene.materials;
    const traced = channel.name === "material" && this.drawing.tracers.loaded
      ? scene.tracers.bodies.filter((b) => b.traced) : [];
    showLegend(byId("legend"), channel, {
      colors: channel.category ? [...things, ...traced].map((t) => t.color) : channel.diverging ? scene.diverging_map : scene.map,
      names: [...things.map((t) => t.name), ...traced.map((b) => `tracers of ${b.name}`)],
      range: this.range(),
      note: this.noteOfValues(),
    });
  }

  noteOfValues() {
    const {header} = this.drawing.shown;
    if (!header || this.shownChannel !== this.channel.name) return "";
    if (!header.kept) return "not kept here";
    return header.earlier ? `of frame ${header.values_of}` : "";
  }

  // ---- drawing ---------------------------------------------------------------------------------
  moved() {
    this.movedAt = performance.now();
    this.redraw();
  }

  redraw() {
    if (this.pending) return;
    this.askedAt = performance.now();
    this.pending = requestAnimationFrame((now) => {
      this.pending = 0;
      this.draw(now);
    });
  }

  draw(now = performance.now()) {
    if (!this.camera) return;
    const {channel, moving} = this;
    const ready = this.shownChannel === channel.name;
    this.drawing.draw({
      camera: this.camera,
      map: channel.category ? channel.name : channel.diverging ? "diverging" : "sequential",
      tracerMap: channel.name === "body" ? "body" : "tracers",
      category: channel.category || !ready,
      range: this.range(),
      diameter: (this.scene.dimension === 2 ? 1.3 : 1.15) * (this.scene.stage?.spacing ?? 0.01),
      tracerDiameter: this.scene.tracers?.diameter ?? 0,
      dimension: this.scene.dimension,
      most: moving ? this.most : Infinity,
      withSolids: this.controls.withSolids,
    });
    this.pace(now);
    if (moving) clearTimeout(this.atRest);
    this.atRest = moving ? setTimeout(() => { this.complete(); this.redraw(); }, kRest + 20) : null;
    if (!moving) this.complete();
  }

  // As many points as can be drawn in time, while pictures follow each other.
  pace(now) {
    const took = now - this.drawnAt, waited = this.askedAt - this.drawnAt > 8;
    this.drawnAt = now;
    if (took > 500 || waited) return;  // for the next movement, not for what draws
    this.frameTimes.push(took);
    if (this.frameTimes.length < 8) return;
    const mean = this.frameTimes.reduce((a, b) => a + b) / this.frameTimes.length;
    this.frameTimes = [];
    const drawn = Math.min(this.most, this.drawing.total);
    if (mean > 1.15 * kSlowest) this.most = Math.max(kFewest, drawn * 0.75);
    else if (mean < 0.75 * kSlowest && this.most < 4e6) this.most = Math.max(this.most * 1.2, kFewest);
  }
}

try {
  const view = new View();
  globalThis.firn = view;  // for tests, and for the curious
  view.poll();
} catch (error) {
  const notice = byId("notice");
  notice.textContent = error.message;
  notice.hidden = false;
}
