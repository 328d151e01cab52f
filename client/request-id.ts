const start = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 10)}`
let count = 0

/**
 * Returns an id that finds a request in the logs of this process and of core. It is unique, but can be guessed: an id that
 * cannot would load `node:crypto`, which takes 4 MiB.
 */
export const newRequestId = () => `${start}-${++count}`
