import type { Command } from 'commander'
import tab, { type Argument, type Complete } from '@bomb.sh/tab'
import adapt from '@bomb.sh/tab/commander'
import { findCredentials } from '../client/credentials.ts'
import { cleanName } from '../client/sanitize.ts'
import { shells } from './shells.ts'
import { clientFor, readSettings } from './context.ts'
import type { Invocation } from './invocation.ts'

/** The user has pressed a key and waits. Names of projects are not worth a longer delay. */
const timeoutMs = 250

/** Names of arguments and option values that mean a project, or a file. */
const projectNames = new Set(['project', 'target'])
const fileNames = new Set(['file', 'files', 'paths', 'target', 'repository'])

interface Completing {
  env: Invocation['env']
  /** The program to complete, without its completion commands. */
  program: Command
  /** How long the server may take. */
  timeoutMs?: number
}

/** Prints completions of the last word. Prints none where something fails. */
export async function complete(words: readonly string[], completing: Completing): Promise<void> {
  // The library has one root command for the whole process.
  tab.commands.clear()
  // The adapter adds commands of its own with these names.
  adapt(completing.program, { completionCommandName: 'completion' })
  const projects = wantsProject(words) ? await listProjects(completing) : []
  const offerProjects = (offer: Complete) => {
    for (const { name, repository } of projects) offer(name, repository)
  }
  const shell = tab.commands.get('completion')?.arguments.get('shell')
  if (shell) shell.handler = (offer) => shells.forEach((name) => offer(name, ''))
  let takesFile = false
  for (const command of tab.commands.values()) {
    command.option('json', 'print the output as JSON')
    const project = command.options.get('project')
    if (project) project.handler = offerProjects
    for (const argument of command.arguments.values()) {
      const { name, handler } = argument
      argument.handler = function (this: Argument, offer, options) {
        if (projectNames.has(name)) offerProjects(offer)
        takesFile ||= fileNames.has(name)
        handler?.call(this, offer, options)
      }
    }
  }
  // The shell itself completes files.
  Object.defineProperty(tab, 'directive', { configurable: true, get: () => (takesFile ? 0 : 4), set: () => {} })
  tab.parse([...words])
}

/** Avoids a request to the server for other completions. */
function wantsProject(words: readonly string[]): boolean {
  const before = words.slice(0, -1)
  return before.at(-1) === '--project' || takesProject(before.filter((word) => !word.startsWith('-')))
}

function takesProject(path: readonly string[]): boolean {
  const command = [tab.commands.get(path.slice(0, 2).join(' ')), tab.commands.get(path[0] ?? '')].find(Boolean)
  return [...(command?.arguments.keys() ?? [])].some((name) => projectNames.has(name))
}

const isId = (text: string) => /^[0-9A-Z]{26}$/.test(text)
const isPlain = (word: string) => /^\w[\w.@/-]*$/.test(word)

async function listProjects({
  env,
  timeoutMs: limitMs = timeoutMs,
}: Completing): Promise<{ name: string; repository: string }[]> {
  try {
    const { baseUrl, token } = await findCredentials(readSettings(env))
    if (token === undefined) return []
    const core = clientFor(baseUrl, token)
    const projects = await core.projects.getProjects.query(undefined, { signal: AbortSignal.timeout(limitMs) })
    // The shell inserts completions without quoting them, so a name with special characters is replaced by the id.
    return projects.flatMap(({ id, name, repository }) => {
      const offered = [name, id].find((word) => isPlain(word))
      return offered !== undefined && isId(id)
        ? [{ name: offered, repository: cleanName(`${name} ${repository}`) }]
        : []
    })
  } catch {
    return []
  }
}
