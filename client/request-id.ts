import { uniqueName } from '../engines/source/files.ts'

const start = uniqueName()
let count = 0

/**
 * Returns an id that finds a request in the logs of this process and of core. It is unique, but can be guessed: an id that
 * cannot would load `node:crypto`, which takes 4 MiB.
 */
export const newRequestId = () => `${start}-${++count}`
