import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { cleanText } from '../client/sanitize.ts'
import { wrongUsage } from './failure.ts'
import type { Context } from './context.ts'

type Prompting = Pick<Context, 'stdin' | 'stderr' | 'signals' | 'signal'>

/** True where a user can see a question and answer it. */
export const canAsk = ({ stdin, stderr }: Prompting) => stdin.isTTY === true && stderr.isTTY === true

/** Prompts on stderr, because stdout has the answer of the command. */
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
  // Readline handles Ctrl-C itself while it reads.
  asking.once('SIGINT', () => {
    signals.emit('SIGINT')
    asking.close()
  })
  asking.once('close', () => {
    reject(signal.aborted ? signal.reason : wrongUsage('No input was given.'))
  })
  try {
    return await promise
  } finally {
    asking.close()
    if (hidden) stderr.write('\n')
  }
}

/** Asks for confirmation. A script must pass --yes. */
export async function confirm(what: string, { yes = false }: { yes?: boolean }, context: Prompting): Promise<void> {
  if (yes) return
  if (!canAsk(context)) throw wrongUsage(`${what} Without a terminal, confirm with --yes. Nothing was changed.`)
  const answer = await ask(`${what} Continue? [y/N]`, context)
  if (!/^y(?:es)?$/i.test(answer.trim())) throw wrongUsage('Nothing was changed.')
}

/** Reads stdin and returns its first line. */
export async function readSecretFromStdin({ stdin }: Prompting): Promise<string> {
  let text = ''
  for await (const chunk of stdin.setEncoding('utf8')) {
    text += chunk
    if (text.length > 65_536) break
  }
  return text.split('\n')[0]?.trim() ?? ''
}
