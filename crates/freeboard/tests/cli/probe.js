"use strict";
// Steps through each run of a report as a reader would, and writes what the reader sees into the document.
{
  const press = (player, key) => player.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const seen = (player) => ({
    step: Number(player.dataset.step),
    says: player.querySelector("output").textContent,
    line: Number(player.querySelector(".side .line.now")?.dataset.line ?? 0),
    row: [...player.querySelectorAll(".row")].findIndex((row) => row.classList.contains("now")) + 1,
    table: player.parentElement.querySelector("[aria-current=step]")?.firstChild.textContent ?? "",
  });
  const runs = [...document.querySelectorAll("article.run")].map((article) => {
    const player = article.querySelector(".player");
    const [first, back, forward, last] = player.querySelectorAll("button");
    const steps = [seen(player)];
    while (!forward.disabled && steps.length < 5000) {
      forward.click();
      steps.push(seen(player));
    }
    back.click();
    const before = seen(player).step;
    press(player, "ArrowLeft");
    const left = seen(player).step;
    press(player, "Home");
    const home = seen(player).step;
    press(player, "ArrowRight");
    const right = seen(player).step;
    press(player, "End");
    const end = seen(player).step;
    first.click();
    last.click();
    return { steps, before, left, home, right, end, last: seen(player).step };
  });
  const unnamed = [...document.querySelectorAll("svg[role=img]")].filter((svg) => {
    const names = (svg.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id));
    return !svg.getAttribute("aria-label") && !names.some((name) => name?.textContent);
  });
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  const result = {
    runs,
    problems: window.problems,
    unnamed: unnamed.length,
    repeated: ids.filter((id, at) => ids.indexOf(id) !== at),
    scripts: document.scripts.length,
    lit: document.querySelectorAll("figure.lit .edge.lit").length,
  };
  const pre = document.createElement("pre");
  pre.id = "probe";
  pre.textContent = JSON.stringify(result);
  document.body.append(pre);
}
