import type { AutomatedCommand, Automation } from './automation.ts'
import { asWord, commandOf, isOfTests } from './automation.ts'

const maxSourceLength = 100_000
const forTests = /^(?:py_?)?(?:unit_?)?tests?(?:$|_(?:py|unit|python|suite))|^(?:unit|pytest)$/i

interface Session {
  name: string
  code: string
}

/** Reads the session for the tests, as far as it consists of literals. */
export function readNox(source: string | null): Automation | null {
  const sessions = sessionsOf(source?.slice(0, maxSourceLength) ?? '')
  const read = sessions.map((session) => ({ ...session, ...commandsOf(session) }))
  const testing = read.filter(({ commands }) => commands.length > 0)
  const chosen = testing.find(({ name }) => forTests.test(name)) ?? testing[0]
  if (!chosen) return null
  const others = testing.filter((session) => session !== chosen)
  return {
    path: 'noxfile.py',
    commands: chosen.commands,
    requirements: callsOf(chosen.code, 'install').flatMap((args) => literalsOf(args) ?? []),
    omitted: others.flatMap(({ commands }) => commands.map(({ source: line }) => line)),
  }
}

function sessionsOf(code: string): Session[] {
  const heads = [...code.matchAll(/^def (\w+)\(/gm)]
  return heads.map(({ index, 1: name = '' }, at) => ({ name, code: code.slice(index, heads[at + 1]?.index) }))
}

function commandsOf({ code }: Session): { commands: AutomatedCommand[] } {
  const directory = /\bsession\.(?:chdir|cd)\(["']([\w./-]+)["']\)/.exec(code)?.[1] ?? ''
  const commands = callsOf(code, 'run').flatMap((args) => {
    const given = /,\s*env\s*=\s*\{([^{}]*)\}/.exec(args)
    const environment = Object.fromEntries(
      [...(given?.[1] ?? '').matchAll(/["'](\w+)["']\s*:\s*["']([^"'\\]*)["']/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    )
    const words = literalsOf(given ? args.replace(given[0], '') : args)
    const command = words && commandOf(words.flatMap(asWord).join(' '), '')
    return command && isOfTests(command) ? [{ ...command, environment, directory }] : []
  })
  return { commands }
}

function callsOf(code: string, name: 'run' | 'install'): string[] {
  const calls = code.matchAll(/\bsession\.(run|install)\(([^()]{1,2000})\)/g)
  return [...calls].flatMap(([, called, args = '']) => (called === name ? [args] : []))
}

/** Returns the texts of arguments that are literals, besides the arguments of the person who runs nox. */
function literalsOf(args: string): string[] | null {
  const words: string[] = []
  for (const arg of args.split(',').map((part) => part.trim())) {
    const literal = /^(?:"([^"\\]*)"|'([^'\\]*)')$/.exec(arg)
    if (literal) words.push(literal[1] ?? literal[2] ?? '')
    else if (arg !== '' && !/^\*session\.posargs$|^\w+\s*=/.test(arg)) return null
  }
  return words
}
