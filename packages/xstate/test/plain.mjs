// Actions as XState's functions make them, for machines that are checked without the package.
const made = (type, parts) => Object.assign(() => undefined, { type, resolve: () => undefined }, parts);

export const sendTo = (to, event, options) => made('xstate.sendTo', { to, event, id: options?.id, delay: options?.delay });
export const sendParent = (event, options) => sendTo('#_parent', event, options);
export const raise = (event, options) => made('xstate.raise', { event, id: options?.id, delay: options?.delay });
export const assign = (assignment) => made('xstate.assign', { assignment });
export const log = (value, label) => made('xstate.log', { value, label });
