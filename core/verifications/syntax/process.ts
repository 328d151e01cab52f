import { flushCompileCache } from 'node:module'
import { mutantsOf } from '../mutation/mutants-of.ts'
import { styleOf } from '../judge/style/style-of.ts'
import type { Read, Reading } from './read-apart.ts'

/** The process that `read-apart.ts` starts: reads one source, answers once, ends. */
process.on('disconnect', () => process.exit())
process.on('message', (reading: Reading) => void answer(reading))

async function answer(reading: Reading): Promise<void> {
  const { path, source } = reading
  const read: Read = { mutants: [], style: null }
  if (reading.find === 'mutants') read.mutants = await mutantsOf(path, source, reading.lines)
  else read.style = await styleOf(path, source)
  process.send?.(read, undefined, undefined, () => {
    flushCompileCache()
    process.disconnect()
  })
}
