import * as fs from 'node:fs';
let src = fs.readFileSync(new URL('./random.test.js', import.meta.url), 'utf8');
src = src.slice(0, src.indexOf("test(`${CASES}")).replace("import { test } from 'node:test';",'');
src += `
const [,, seed, runSeed] = process.argv.map(Number);
const pick = random(seed * 7919);
const machine = machineOf(pick, 'm', 1 + pick(2), true);
const show = (c, ind='') => { const a = (x) => [x].flat().filter(Boolean).map((f) => f.type + '(' + (typeof f.to==='function' ? f.to.toString().slice(-30) : f.to ?? f.actorRef ?? f.id ?? '') + ',' + (f.event?.type ?? '') + (f.delay?',delay':'') + ')').join(' '); 
 console.log(ind + (c.id ?? ''), 'entry', a(c.entry), 'exit', a(c.exit)); for (const [k, s] of Object.entries(c.states ?? {})) { console.log(ind+' '+k, s.type??'', 'entry', a(s.entry), 'exit', a(s.exit), s.always?'always '+s.always.target:'', s.invoke ? 'invoke '+s.invoke.id + (s.invoke.onDone ? ' onDone '+s.invoke.onDone.target + a(s.invoke.onDone.actions) + ' onError ' + s.invoke.onError.target + a(s.invoke.onError.actions):''):''); for (const [e,t] of Object.entries({...s.on, ...s.after})) console.log(ind+'    ', e, t.target, t.reenter?'re':'', t.guard?'?':'', a(t.actions)); if (s.invoke) show(s.invoke.src.config, ind+'      '); } };
show(machine.config);
for (const f of [machine.config.entry].flat()) if (f?.src) { console.log('SPAWN', f.id); show(f.src.config); }
const r = await check(machine, { maxStates: 20000 }); console.log(r.verdict, r.mailboxes);
fs.writeFileSync('/tmp/zz.pml', r.text);
globalThis.TRACE = true;
console.log(await run(machine, {}, runSeed));
`;
fs.writeFileSync(new URL('./zz2.mjs', import.meta.url), src);
let r = fs.readFileSync(new URL('./run.js', import.meta.url), 'utf8');
