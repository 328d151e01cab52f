import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { cleanText } from '../client/sanitize.ts'
import { wrongUsage } from './failure.ts'
import type { Context } from './context.ts'

type Prompting = Pick<Context, 'stdin' | 'stderr' | 'signals' | 'signal'>

/** Questions are for a person who sees them and can answer. */
export const canAsk = ({ stdin, stderr }: Prompting) => stdin.isTTY === true && stderr.isTTY === true

/** Asks on stderr, since stdout is the command's answer. */
export async function ask(question: string, context: Prompting, { hidden = false } = {}): Promise<string> {
  const { stdin, stderr, signals, signal } = context
  let isMuted = false
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (!isMuted) stderr.write(chunk)
      done()
    },
  })
  const asking = createInterface({ input: stdin, output, terminal: true, historySize: 0 })
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  asking.question(`${cleanText(question)} `, resolve)
  isMuted = hidden
  // Readline keeps Ctrl-C to itself while it reads.
  asking.once('SIGINT', () => {
    signals.emit('SIGINT')
    asking.close()
  })
  asking.once('close', () => {
    reject(signal.aborted ? signal.reason : wrongUsage('Nothing was given.'))
  })
  try {
    return await promise
  } finally {
    asking.close()
    if (hidden) stderr.write('\n')
  }
}

/** Lets a person change their mind; a script has to say so beforehand. */
export async function confirm(what: string, { yes = false }: { yes?: boolean }, context: Prompting): Promise<void> {
  if (yes) return
  if (!canAsk(context)) throw wrongUsage(`${what} Nothing was done: say --yes where nobody can be asked.`)
  const answer = await ask(`${what} Go on? [y/N]`, context)
  if (!/^y(?:es)?$/i.test(answer.trim())) throw wrongUsage('Nothing was done.')
}

/** All of stdin, of which a secret is the first line. */
export async function readSecretFromStdin({ stdin }: Prompting): Promise<string> {
  let text = ''
  for await (const chunk of stdin.setEncoding('utf8')) {
    text += chunk
    if (text.length > 65_536) break
  }
  return text.split('\n')[0]?.trim() ?? ''
}
