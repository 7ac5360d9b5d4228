/* What pages do beyond being read: filter and search, shortcuts, and saying what they were built from. */
"use strict";
(function () {
  const byId = (id) => document.getElementById(id);
  const built = window.gitDecideBuilt;
  if (built && byId("from")) {
    byId("from").textContent = " (" + (built.head || "none yet") + ", log " + built.log + ")";
  }
  window.addEventListener("beforeprint", () => {
    for (const each of document.querySelectorAll("details")) each.open = true;
  });

  const form = byId("filter");
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      if (form) form.elements.q.focus();
      else location.href = document.querySelector(".home").href + "#search";
    }
  });
  const data = window.gitDecide;
  if (!form || !data) return;

  const STEP = 100;
  const FIELDS = ["status", "job", "actor", "mode"];
  const list = byId("records");
  const template = byId("row").content.firstElementChild;
  const plain = { nodes: [...list.childNodes], count: byId("count").textContent };
  const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  let folded = null;
  let found = [];
  let shown = 0;

  for (const field of FIELDS) {
    const choice = form.elements[field];
    for (const value of data[field].filter(Boolean).sort((one, other) => one.localeCompare(other))) choice.add(new Option(value, value));
  }

  function row(each) {
    const [name, status, , job, , day, title, outcome, said, conflict] = each;
    const made = template.cloneNode(true);
    const part = (selector) => made.querySelector(selector);
    part(".title").textContent = title;
    part(".title").href = "record/" + name + ".html";
    part(".badge").textContent = data.status[status];
    part(".badge").classList.add(data.status[status]);
    part(".name").textContent = name;
    part(".day").textContent = day;
    part(".job").textContent = data.job[job];
    part(".said b").textContent = outcome;
    part(".said span").textContent = said;
    if (!said) part(".said").remove();
    if (!conflict) part(".conflict").remove();
    return made;
  }

  function more() {
    list.append(...found.slice(shown, shown + STEP).map(row));
    shown = Math.min(found.length, shown + STEP);
    byId("more").hidden = shown === found.length;
  }

  function words(each) {
    const [name, , , job, actors, , title, outcome, said] = each;
    return fold([name, data.job[job], ...actors.map((at) => data.actor[at]), title, outcome, said].join("\n"));
  }

  function chosen() {
    const asked = Object.fromEntries(FIELDS.map((field) => [field, form.elements[field].value]));
    const at = (field) => (asked[field] ? data[field].indexOf(asked[field]) : null);
    const [status, job, actor, mode] = FIELDS.map(at);
    const typed = fold(form.elements.q.value).split(/\s+/).filter(Boolean);
    if (typed.length && !folded) folded = data.records.map(words);
    return data.records.filter((each, place) =>
      (status === null || each[1] === status) && (mode === null || each[2] === mode) &&
      (job === null || each[3] === job) && (actor === null || each[4].includes(actor)) &&
      typed.every((word) => folded[place].includes(word)));
  }

  function show() {
    const typed = [...new FormData(form)].filter(([, value]) => value);
    const asked = new URLSearchParams(typed).toString();
    if (byId("ranges")) byId("ranges").hidden = asked !== "";
    if (asked) {
      found = chosen();
      shown = 0;
      list.replaceChildren();
      more();
      byId("count").textContent = found.length + " of " + data.records.length + " found, newest first";
    } else {
      list.replaceChildren(...plain.nodes);
      byId("count").textContent = plain.count;
      byId("more").hidden = true;
    }
    return asked;
  }

  function follow() {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (location.hash === "#search") form.elements.q.focus();
    else if (location.hash && !["q", ...FIELDS].some((field) => asked.has(field))) return;
    for (const field of ["q", ...FIELDS]) form.elements[field].value = asked.get(field) || "";
    show();
  }

  function changed() {
    const asked = show();
    history.replaceState(null, "", asked ? "#" + asked : location.pathname + location.search);
  }

  let waiting = 0;
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(changed, 80);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => {
    changed();
    form.elements.q.focus();
  }));
  byId("more").addEventListener("click", () => {
    const first = list.children.length;
    more();
    list.children[first].querySelector(".title").focus();
  });
  window.addEventListener("hashchange", follow);
  follow();
})();
