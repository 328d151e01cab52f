// `npm start`: runs main.ts, from its bundle where that is current.
import { fileURLToPath } from 'node:url'
import { startProgram } from './built.mjs'

await startProgram(fileURLToPath(new URL('main.ts', import.meta.url)))
