// `npm start`: starts the bundle of `npm run build`, or main.ts if a source has changed since, with a cache of compiled code.
// Both are a convenience; without them, main.ts starts as it would alone.
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { builtProgram } from './built.mjs'

const folder = fileURLToPath(new URL('.', import.meta.url))
enableCompileCache(join(folder, '../node_modules/.cache/assay/code'))
await import(pathToFileURL(builtProgram(join(folder, 'main.ts'))).href)
