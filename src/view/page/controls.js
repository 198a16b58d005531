// Buttons, keys and the pointer.

import * as link from "./link.js";

const byId = (id) => document.getElementById(id);
const kTurn = 0.01;  // rad per pixel

const kPhases = {
  filling: "filling bodies",
  running: "running",
  paused: "paused",
  ended: "complete",
  failed: "failed",
};

export class Controls {
  constructor(view) {
    this.view = view;
    this.channels = [];
    const on = (id, event, action) => byId(id).addEventListener(event, action);
    on("play", "click", () => this.playOrPause());
    on("step", "click", () => this.step());
    on("newest", "click", () => this.toNewest());
    on("time", "input", () => this.toPicture(Number(byId("time").value)));
    on("channel", "change", () => this.setChannel());
    on("own-range", "change", () => { view.legend(); view.redraw(); });
    on("surfaces", "change", () => view.show(view.wanted));
    on("tracers", "change", () => view.show(view.wanted));
    on("solids", "change", () => view.redraw());
    on("set", "click", () => this.set(false));
    on("again", "click", () => this.set(true));
    on("assignment", "keydown", (event) => { if (event.key === "Enter") this.set(event.shiftKey); });
    document.addEventListener("keydown", (event) => this.key(event));
    this.listenToPointer(view.canvas);
  }

  get channel() {
    return this.channels[byId("channel").selectedIndex];
  }
  get ownRange() {
    return byId("own-range").checked;
  }
  get withSurfaces() {
    return byId("surfaces").checked && this.view.scene.surfaces;
  }
  // They stand for particles, and have no values of channels.
  get withTracers() {
    return byId("tracers").checked && this.view.scene.tracers !== null && (this.channel?.category ?? true);
  }
  get withSolids() {
    return byId("solids").checked;
  }

  beginScene(scene) {
    byId("title").textContent = scene.title;
    const list = byId("channel"), chosen = this.channel?.name ?? scene.color;
    this.channels = scene.channels;
    list.replaceChildren(...scene.channels.map((c) => new Option(c.label, c.name)));
    list.value = scene.channels.some((c) => c.name === chosen) ? chosen : "material";
    byId("surfaces-label").hidden = !scene.surfaces;
    for (const id of ["change", "step"]) byId(id).hidden = !scene.live;
    this.view.legend();
    this.showWhatChannelTakes();
  }

  // ---- what the run is doing -------------------------------------------------------------------
  update() {
    const {state, scene, follow, replaying} = this.view;
    const slider = byId("time");
    slider.max = Math.max(0, state.pictures.length - 1);
    const at = state.pictures.findIndex(([number]) => number === this.view.wanted);
    if (at >= 0) slider.value = at;
    const going = state.phase === "running" || replaying;
    byId("play").textContent = going ? "❚❚" : "▶";
    byId("play").setAttribute("aria-pressed", going);
    byId("step").disabled = !["running", "paused"].includes(state.phase);
    byId("newest").disabled = follow;
    const words = [kPhases[state.phase]];
    if (!scene.live && state.phase === "filling") words[0] = `reading ${state.pictures.length} frames`;
    else if (state.phase === "filling") words[0] += ` ${Math.round(100 * state.filling)} %`;
    if (state.particles) words.push(`${state.particles.toLocaleString("en").replaceAll(",", " ")} particles`);
    if (state.steps) words.push(`${state.steps} steps`);
    if (state.phase === "running" && state.steps_per_second)
      words.push(`${state.steps_per_second.toPrecision(3)} steps/s`);
    if (state.device) words.push(state.device);
    byId("about").textContent = words.join(" · ");
    if (state.phase === "failed") this.say(state.message);
    else if (this.failed) this.say("");
    this.failed = state.phase === "failed";
    document.body.dataset.phase = state.phase;
  }

  showPicture(header) {
    const {scene} = this.view;
    const between = header.passing ? "+" : "";
    byId("where").textContent = `frame ${header.frame}${between} / ${scene.frames} · ${header.time.toFixed(4)} s`;
    for (const about of document.querySelectorAll(".of-tracers")) about.hidden = !header.tracers;
    Object.assign(document.body.dataset, {frame: header.frame, time: header.time, points: header.points});
  }

  say(text, calm = false) {
    const notice = byId("notice");
    notice.textContent = text;
    notice.hidden = !text;
    notice.classList.toggle("calm", calm);
  }

  // ---- steering --------------------------------------------------------------------------------
  async act(what, content) {
    try {
      await link.act(what, content);
      return true;
    } catch (error) {
      this.say(error.message);
      return false;
    }
  }

  playOrPause() {
    const {view} = this, {phase} = view.state;
    if (phase === "ended" || phase === "failed" || !view.scene?.live) return this.replay();
    view.follow = true;
    view.showNewest();
    this.act(phase === "running" ? "pause" : "play");
  }

  step() {
    this.view.follow = true;
    this.act("step");
  }

  async set(again) {
    const text = byId("assignment").value.trim(), answer = byId("answer");
    if (!text && !again) return;
    answer.className = "";
    answer.textContent = "…";
    try {
      await link.act("set", {set: text ? [text] : [], again});
      answer.textContent = again ? "The run begins again." : "The run goes on with it.";
      this.view.follow = true;
    } catch (error) {
      answer.className = "wrong";
      answer.textContent = error.message;
    }
  }

  // What is kept, at the scene's own pace, from the beginning where it stands at the end.
  async replay() {
    const {view} = this;
    if (view.replaying) {
      view.replaying = false;
      return this.update();
    }
    view.replaying = true;
    view.follow = false;
    let at = Number(byId("time").value);
    if (at + 1 >= view.state.pictures.length) at = -1;
    while (view.replaying && ++at < view.state.pictures.length) {
      const until = performance.now() + 1000 / view.scene.fps;
      view.show(view.state.pictures[at][0]);
      this.update();
      await view.loading;
      await new Promise((done) => setTimeout(done, Math.max(0, until - performance.now())));
    }
    view.replaying = false;
    this.update();
    view.redraw();
  }

  toPicture(at) {
    const {view} = this, picture = view.state.pictures[Math.max(0, Math.min(at, view.state.pictures.length - 1))];
    if (!picture) return;
    view.replaying = false;
    view.follow = at >= view.state.pictures.length - 1;
    view.show(picture[0]);
    this.update();
  }

  toNewest() {
    this.toPicture(this.view.state.pictures.length - 1);
    this.view.follow = true;
    this.update();
  }

  setChannel() {
    this.view.show(this.view.wanted);
    this.view.legend();
    this.showWhatChannelTakes();
  }

  showWhatChannelTakes() {
    const category = this.channel?.category ?? true;
    byId("own-range-label").hidden = category;
    byId("tracers").disabled = !category;
    byId("tracers-note").hidden = category;
  }

  // ---- keys and the pointer --------------------------------------------------------------------
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input[type=text], select");
    if (typing) return;
    const {view} = this, at = Number(byId("time").value);
    const turn = (dx, dy) => () => { view.camera.flat ? view.camera.move(-dx / 2, -dy / 2) : view.camera.turn(dx, dy); view.moved(); };
    const zoom = (by) => () => { view.camera.zoom(by); view.moved(); };
    const keys = event.shiftKey ? {
      ArrowLeft: turn(0.1, 0), ArrowRight: turn(-0.1, 0), ArrowUp: turn(0, 0.1), ArrowDown: turn(0, -0.1),
      "+": zoom(0.85), "C": () => this.nextChannel(-1),
    } : {
      " ": () => this.playOrPause(), ".": () => this.step(),
      ArrowLeft: () => this.toPicture(at - 1), ArrowRight: () => this.toPicture(at + 1),
      Home: () => this.toPicture(0), End: () => this.toNewest(),
      "+": zoom(0.85), "=": zoom(0.85), "-": zoom(1 / 0.85),
      c: () => this.nextChannel(1), r: () => { view.camera.reset(); view.moved(); },
      s: () => byId("surfaces").click(), o: () => byId("solids").click(), t: () => byId("tracers").click(), p: () => { byId("panel").hidden = !byId("panel").hidden; },
    };
    // A button that has the focus takes these itself.
    if (event.target.matches("button, summary, input[type=checkbox]") && (event.key === " " || event.key === "Enter")) return;
    const action = keys[event.key];
    if (!action || !view.camera) return;
    event.preventDefault();
    action();
  }

  nextChannel(by) {
    const list = byId("channel");
    list.selectedIndex = (list.selectedIndex + by + list.length) % list.length;
    this.setChannel();
  }

  listenToPointer(canvas) {
    const {view} = this;
    const held = new Map();  // pointers, by their ids
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      held.set(event.pointerId, event);
    });
    for (const end of ["pointerup", "pointercancel"])
      canvas.addEventListener(end, (event) => held.delete(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      const before = held.get(event.pointerId);
      if (!before || !view.camera) return;
      const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
      if (held.size === 2) this.pinch(held, before, event);
      else if (view.camera.flat || event.shiftKey || event.buttons & 6)
        view.camera.move(dx / canvas.clientHeight, dy / canvas.clientHeight);
      else view.camera.turn(dx * kTurn, dy * kTurn);
      held.set(event.pointerId, event);
      view.moved();
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 30 : 1;
      view.camera?.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * lines * 0.0015))));
      view.moved();
    }, {passive: false});
    canvas.addEventListener("dblclick", () => { view.camera?.reset(); view.moved(); });
  }

  // Two fingers: apart and together.
  pinch(held, before, now) {
    const other = [...held.values()].find((e) => e.pointerId !== now.pointerId);
    const apart = (e) => Math.hypot(e.clientX - other.clientX, e.clientY - other.clientY);
    this.view.camera.zoom(apart(before) / Math.max(apart(now), 1));
  }
}
