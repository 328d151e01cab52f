// Loaded first by all Node processes of a command that runs mocha. Only the process of mocha itself changes.
import { realpathSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const [, program] = process.argv
if (isMainThread && process.env.ASSAY_MUTANTS && program && isMocha(program)) await import('./mocha-runner.mjs')

function isMocha(file) {
  try {
    return /[\\/]mocha[\\/](?:bin[\\/]_?mocha|lib[\\/]cli[\\/]cli)(?:\.c?js)?$/.test(realpathSync(file))
  } catch {
    return false
  }
}
