// The module in WebAssembly: the text of a model in, the answer of `freeboard check` out.
let compiled;

/** Compiles the module once, from bytes or what `WebAssembly.compile` takes. */
export async function load(bytes) {
  compiled ??= WebAssembly.compile(await bytes());
  return compiled;
}

/** Checks a model, by a clock that tells milliseconds. A fresh instance each time: what one call leaves behind is no matter to the next. */
export async function checkModel(bytes, request, now = () => performance.now()) {
  const module = await load(bytes);
  const { exports } = await WebAssembly.instantiate(module, { freeboard: { now } });
  const input = new TextEncoder().encode(JSON.stringify(request));
  const place = exports.freeboard_alloc(input.length);
  new Uint8Array(exports.memory.buffer, place, input.length).set(input);
  const answer = exports.freeboard_check(place, input.length);
  const { buffer } = exports.memory;
  const length = new DataView(buffer).getUint32(answer >>> 0, true);
  return JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, (answer >>> 0) + 4, length)));
}
