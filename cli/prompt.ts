import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { cleanText } from '../client/sanitize.ts'
import { wrongUsage } from './failure.ts'
import { interruption } from './interrupt.ts'

/** Questions are for a person who sees them and can answer. */
export const canAsk = () => process.stdin.isTTY && process.stderr.isTTY

/** Asks on stderr, since stdout is the command's answer. */
export async function ask(question: string, { hidden = false } = {}): Promise<string> {
  let isMuted = false
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (!isMuted) process.stderr.write(chunk)
      done()
    },
  })
  const asking = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 })
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  asking.question(`${cleanText(question)} `, resolve)
  isMuted = hidden
  // Readline keeps Ctrl-C to itself while it reads.
  asking.once('SIGINT', () => {
    process.emit('SIGINT', 'SIGINT')
    asking.close()
  })
  asking.once('close', () => {
    const { signal } = interruption
    reject(signal.aborted ? signal.reason : wrongUsage('Nothing was given.'))
  })
  try {
    return await promise
  } finally {
    asking.close()
    if (hidden) process.stderr.write('\n')
  }
}

/** Lets a person change their mind; a script has to say so beforehand. */
export async function confirm(what: string, { yes = false }: { yes?: boolean }): Promise<void> {
  if (yes) return
  if (!canAsk()) throw wrongUsage(`${what} Nothing was done: say --yes where nobody can be asked.`)
  const answer = await ask(`${what} Go on? [y/N]`)
  if (!/^y(?:es)?$/i.test(answer.trim())) throw wrongUsage('Nothing was done.')
}

/** All of stdin, of which a secret is the first line. */
export async function readSecretFromStdin(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk
    if (text.length > 65_536) break
  }
  return text.split('\n')[0]?.trim() ?? ''
}
