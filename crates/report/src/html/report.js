"use strict";
// Draws each run as a sequence chart, and steps through it. All texts are set as text, never as markup.
(() => {
  const ROW = 30;
  const BAR = 84;
  const runs = JSON.parse(document.getElementById("data").textContent);

  /** An element of SVG with attributes and children. */
  const svg = (name, attributes = {}, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  /** An element of HTML with attributes and children. */
  const html = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  const short = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
  const middle = (row) => row * ROW + ROW / 2;

  /** For each receive, by step and statement, the send of the same message. */
  const sends = (run) => {
    const waiting = new Map();
    const found = new Map();
    run.steps.forEach((step, row) => step.statements.forEach((statement, at) => {
      if (statement.sent) {
        const queue = waiting.get(statement.sent.channel) ?? [];
        queue.push({ row, process: statement.process, fields: statement.sent.fields.join() });
        waiting.set(statement.sent.channel, queue);
      }
      if (statement.received) {
        const queue = waiting.get(statement.received.channel) ?? [];
        const fields = statement.received.fields.join();
        const same = queue.findIndex((message) => message.fields === fields);
        const [sent] = queue.splice(Math.max(same, 0), 1);
        if (sent) found.set(`${row}.${at}`, sent);
      }
    }));
    return { found, left: [...waiting.values()].flat() };
  };

  /** The lengths of all buffers after each step. */
  const lengths = (run) => {
    const now = run.buffers.map(() => 0);
    return run.steps.map((step) => {
      for (const statement of step.statements) {
        for (const [buffer, length] of Object.entries(statement.lengths ?? {})) now[buffer] = length;
      }
      return [...now];
    });
  };

  /** The head of an arrow at a point, from another one. */
  const head = (x, y, fromX, fromY) => {
    const angle = Math.atan2(y - fromY, x - fromX);
    const side = (turn) => `${x - 9 * Math.cos(angle + turn)},${y - 9 * Math.sin(angle + turn)}`;
    return svg("polygon", { class: "head", points: `${x},${y} ${side(0.4)} ${side(-0.4)}` });
  };

  /** An arrow from a process at a row to a process at a row. */
  const arrow = (from, to, kind) => {
    const group = svg("g", { class: kind });
    const bend = from.x === to.x ? -40 : 0;
    const path = bend
      ? `M${from.x} ${from.y}C${from.x + bend} ${from.y} ${to.x + bend} ${to.y} ${to.x} ${to.y}`
      : `M${from.x} ${from.y}L${to.x} ${to.y}`;
    group.append(svg("path", { d: path }), head(to.x, to.y, bend ? to.x + bend : from.x, bend ? to.y : from.y));
    return group;
  };

  /** The chart of a run: names above, a row for each step, and the lengths of buffers beside it. */
  const chart = (run, go) => {
    const texts = run.steps.flatMap((step) => step.statements.map((statement) => statement.text.length));
    const names = run.lifelines.map((name) => name.length);
    const lane = Math.min(Math.max(110, Math.max(0, ...names) * 7.4 + 16, Math.max(0, ...texts) * 6.8 + 26), 250);
    const letters = Math.floor((lane - 26) / 6.8);
    const x = (process) => 58 + process * lane;
    const bars = x(run.lifelines.length - 1) + lane;
    const width = bars + run.buffers.length * (BAR + 24) + 10;
    const height = run.steps.length * ROW + 6;
    const title = (text, at, most) => {
      const label = svg("text", { x: at, y: 18 }, short(text, most));
      label.append(svg("title", {}, text));
      return label;
    };
    const above = svg("svg", { class: "names", width, height: 28, "aria-hidden": "true" });
    run.lifelines.forEach((name, process) => above.append(title(name, x(process) - 14, Math.floor(lane / 7.4))));
    run.buffers.forEach((name, buffer) => above.append(title(name, bars + buffer * (BAR + 24), 14)));
    const picture = svg("svg", { class: "rows", width, height, role: "img" });
    picture.setAttribute("aria-label", `Sequence chart of ${run.title.toLowerCase()}; the table of its steps has the same content`);
    if (run.prefix < run.steps.length) {
      const last = run.steps.length - run.prefix;
      picture.append(
        svg("rect", { class: "loop", x: 0, y: run.prefix * ROW, width, height: last * ROW }),
        svg("text", { class: "forever", x: 5, y: run.prefix * ROW + 13 }, "↻"));
    }
    const born = new Map();
    run.steps.forEach((step, row) => step.statements.forEach((statement) => {
      if (statement.created !== undefined) born.set(statement.created, middle(row));
    }));
    run.lifelines.forEach((_, process) => picture.append(
      svg("line", { class: "lifeline", x1: x(process), x2: x(process), y1: born.get(process) ?? 0, y2: height })));
    const { found, left } = sends(run);
    const after = lengths(run);
    const most = run.buffers.map((_, buffer) => Math.max(1, ...after.map((now) => now[buffer])));
    const rows = run.steps.map((step, row) => {
      const y = middle(row);
      const group = svg("g", { class: "row" });
      group.append(svg("rect", { class: "band", x: 0, y: row * ROW, width, height: ROW }));
      group.append(svg("text", { class: "number", x: 44, y: y + 4 }, String(row + 1)));
      for (const message of left.filter((one) => one.row === row)) {
        const stub = { x: x(message.process) + 15, y: y + 12 };
        group.append(svg("path", { class: "stays", d: `M${x(message.process)} ${y}L${stub.x} ${stub.y}` }),
          svg("circle", { class: "stays", cx: stub.x, cy: stub.y, r: 3 }));
      }
      step.statements.forEach((statement, at) => {
        const here = { x: x(statement.process), y };
        const sent = found.get(`${row}.${at}`);
        if (sent) group.append(arrow({ x: x(sent.process), y: middle(sent.row) }, here, "message"));
        if (statement.created !== undefined) group.append(arrow(here, { x: x(statement.created), y }, "creates"));
      });
      step.statements.forEach((statement, at) => {
        const point = x(statement.process);
        if (step.statements.findIndex((other) => other.process === statement.process) !== at) return;
        const more = step.statements.filter((other) => other.process === statement.process).length - 1;
        const text = short(statement.text, letters - (more ? 4 : 0)) + (more ? ` +${more}` : "");
        const label = svg("text", { class: "label", x: point + 9, y: y - 3 }, text);
        label.append(svg("title", {}, `${statement.place} ${statement.text}`));
        group.append(svg(statement.ended ? "path" : "circle", statement.ended
          ? { class: "end", d: `M${point - 5} ${y - 5}l10 10m0 -10l-10 10` }
          : { class: step.errors ? "dot wrong" : "dot", cx: point, cy: y, r: 4 }), label);
      });
      run.buffers.forEach((_, buffer) => {
        const [now, before] = [after[row][buffer], row ? after[row - 1][buffer] : 0];
        const start = bars + buffer * (BAR + 24);
        const size = (BAR * now) / most[buffer];
        group.append(svg("rect", { class: "bar", x: start, y: row * ROW, width: Math.max(size, 1), height: ROW }));
        if (now !== before) group.append(svg("text", { class: "length", x: start + size + 4, y: y + 4 }, String(now)));
      });
      group.addEventListener("click", () => go(row));
      picture.append(group);
      return group;
    });
    return { element: html("div", { class: "chart", tabindex: "0", role: "group", "aria-label": "Sequence chart" }, above, picture), rows, after };
  };

  /** A copy of the diagram of a machine with some of its transitions lit. */
  const lit = (machine, transitions) => {
    const original = document.querySelector(`#machine-${machine} svg`);
    if (!original) return undefined;
    const copy = original.cloneNode(true);
    copy.setAttribute("aria-label", copy.querySelector("title").textContent + ", with what happens lit");
    copy.removeAttribute("aria-labelledby");
    for (const named of copy.querySelectorAll("[id]")) named.removeAttribute("id");
    for (const edge of copy.querySelectorAll(".edge")) {
      if (edge.dataset.transitions.split(" ").some((one) => transitions.includes(Number(one)))) {
        edge.classList.add("lit");
        copy.querySelector(`[data-node="${edge.dataset.target}"]`)?.classList.add("lit");
      }
    }
    return copy;
  };

  /** Scrolls a pane, and nothing around it, so that something in it is in the middle. */
  const show = (pane, element) => {
    const [outer, inner] = [pane.getBoundingClientRect(), element.getBoundingClientRect()];
    if (inner.top < outer.top + ROW || inner.bottom > outer.bottom - ROW) {
      pane.scrollTop += inner.top - outer.top - pane.clientHeight / 2;
    }
    if (inner.left > outer.right) pane.scrollLeft += inner.left - outer.left - pane.clientWidth / 2;
  };

  /** The text of the model with a line lit. */
  const text = (pane, statement) => {
    // What the environment does is in no text: the one that is shown stays.
    const wanted = String(statement.source ?? pane.dataset.source ?? 0);
    if (pane.dataset.source !== wanted) {
      const original = document.getElementById(`source-${wanted}`);
      pane.replaceChildren(...(original ? [...original.childNodes].map((node) => node.cloneNode(true)) : []));
      pane.dataset.source = wanted;
    }
    pane.querySelector(".now")?.classList.remove("now");
    const line = statement.source === undefined ? null : pane.querySelector(`[data-line="${statement.line}"]`);
    line?.classList.add("now");
    if (line) show(pane, line);
  };

  /** What a step is, in words. */
  const words = (run, row, after) => {
    const step = run.steps[row];
    const parts = step.statements.map((one) => `${run.lifelines[one.process]} ${one.place} ${one.text}`);
    const buffers = run.buffers.map((name, buffer) => `${name} ${after[row][buffer]}`).join(", ");
    const round = row >= run.prefix ? " (repeated for ever)" : "";
    return `Step ${row + 1} of ${run.length}${round}: ${[...parts, ...(step.errors ?? [])].join("; ")}${buffers ? `. ${buffers}` : ""}`;
  };

  /** Puts the chart of a run into its place, with buttons that step through it. */
  const play = (article) => {
    const run = runs[Number(article.dataset.run)];
    if (!run.steps.length) return;
    let now = 0;
    const last = run.steps.length - 1;
    const player = article.querySelector(".player");
    const says = html("output", { "aria-live": "polite" });
    const range = html("input", { type: "range", min: "1", max: String(last + 1), value: "1", "aria-label": "Step" });
    const pane = html("pre", { class: "source", tabindex: "0", "aria-label": "Model" });
    const machine = html("div", { class: "picture now", tabindex: "0", role: "group", "aria-label": "Machine of the process that steps" });
    const table = [...article.querySelectorAll("tbody tr")].filter((line) => /\d/.test(line.firstChild.textContent));
    const go = (row) => {
      now = Math.min(Math.max(row, 0), last);
      player.dataset.step = String(now + 1);
      range.value = String(now + 1);
      says.textContent = words(run, now, drawn.after);
      drawn.rows.forEach((group, at) => group.setAttribute("class", at === now ? "row now" : at > now ? "row later" : "row"));
      table.forEach((line, at) => (at === now ? line.setAttribute("aria-current", "step") : line.removeAttribute("aria-current")));
      show(drawn.element, drawn.rows[now].querySelector(".band"));
      const [first] = run.steps[now].statements;
      text(pane, first);
      const copy = first.machine === undefined ? undefined : lit(first.machine, first.transitions ?? []);
      machine.replaceChildren(...(copy ? [copy] : []));
      const edge = machine.querySelector(".edge.lit");
      if (edge) show(machine, edge);
      buttons.forEach((button, at) => (button.disabled = at < 2 ? now === 0 : now === last));
    };
    const drawn = chart(run, go);
    const kinds = [["|◀", "First step", () => 0], ["◀", "Step back", () => now - 1], ["▶", "Step forward", () => now + 1], ["▶|", "Last step", () => last]];
    const buttons = kinds.map(([sign, label, target]) => {
      const button = html("button", { type: "button", title: label, "aria-label": label }, sign);
      button.addEventListener("click", () => go(target()));
      return button;
    });
    range.addEventListener("input", () => go(Number(range.value) - 1));
    player.addEventListener("keydown", (event) => {
      const target = { ArrowRight: now + 1, ArrowDown: now + 1, ArrowLeft: now - 1, ArrowUp: now - 1, Home: 0, End: last }[event.key];
      if (target === undefined || event.target === range || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      go(target);
    });
    const hint = html("span", { class: "hint" }, "← → step, Home and End jump");
    const side = html("div", { class: "side" }, pane, machine);
    if (run.steps.every((step) => step.statements.every((one) => one.source === undefined))) pane.hidden = true;
    player.setAttribute("role", "group");
    player.setAttribute("aria-label", `${run.title}, step by step`);
    player.append(html("div", { class: "controls" }, ...buttons, range, hint), says, html("div", { class: "panes" }, drawn.element, side));
    go(0);
  };

  document.querySelectorAll("article.run").forEach(play);
  for (const figure of document.querySelectorAll("figure.lit")) {
    const copy = lit(Number(figure.dataset.machine), figure.dataset.transitions.split(" ").map(Number));
    if (copy) figure.append(copy);
    else figure.remove();
  }
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    opened.forEach((details) => (details.open = true));
  });
  addEventListener("afterprint", () => opened.forEach((details) => (details.open = false)));
})();
