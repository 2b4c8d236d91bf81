// The page: a check runs in a worker, so that the page answers meanwhile; each in a worker of its own.
const element = (id) => document.getElementById(id);
const WORDS = { proved: 'BOUNDED', refuted: 'UNBOUNDED', unknown: 'UNKNOWN' };

/** A table cell or another element with a text. */
function made(name, text) {
  const one = document.createElement(name);
  one.textContent = text;
  return one;
}

function row(kind, texts) {
  const one = document.createElement('tr');
  one.append(...texts.map((text) => made(kind, text)));
  return one;
}

function show(answer) {
  if (answer.error) {
    element('verdict').textContent = 'The model cannot be checked.';
    element('answer').replaceChildren(made('pre', answer.error));
    return;
  }
  const [result] = answer['property-results'];
  element('verdict').textContent = WORDS[result.verdict] + (result.reason ? `: ${result.reason}` : '');
  const table = document.createElement('table');
  table.append(row('th', ['buffer', 'declared', 'proved bound', 'maximum', 'verdict']));
  const number = (value) => (value === null || value === undefined ? '-' : String(value));
  for (const { name, declared, bound, exact, verdict } of result.buffers) {
    table.append(row('td', [name, number(declared), number(bound), number(exact), verdict]));
  }
  const parts = [table];
  for (const run of result.witnesses.slice(0, 1)) {
    const lines = (steps) => steps.map(({ process, line, text }) => `${process}, line ${line}: ${text}`);
    parts.push(made('pre', [...lines(run.prefix), 'and then, for ever:', ...lines(run.loop)].join('\n')));
  }
  element('answer').replaceChildren(...parts);
}

element('check').addEventListener('click', () => {
  element('verdict').textContent = 'checking …';
  element('answer').replaceChildren();
  element('check').disabled = true;
  const worker = new Worker(workerUrl());
  const end = (answer) => {
    worker.terminate();
    element('check').disabled = false;
    show(answer);
  };
  worker.onmessage = ({ data }) => end(data);
  worker.onerror = ({ message }) => end({ error: message ?? 'the worker cannot be started' });
  worker.postMessage({ text: element('model').value, timeLimit: element('seconds').value * 1000 });
});
