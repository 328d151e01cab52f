import tab, { type Argument, type Complete } from '@bomb.sh/tab'
import adapt from '@bomb.sh/tab/commander'
import { findCredentials } from '../client/credentials.ts'
import { cleanName } from '../client/sanitize.ts'
import { shells } from './commands/completion.ts'
import { clientFor, readSettings } from './context.ts'
import { createProgram } from './program.ts'

/** Somebody has pressed a key and waits: names that take longer are not worth it. */
const patienceMs = 250

/** Arguments, and values of options, that name a project; and those that name a file. */
const projectNames = new Set(['project', 'target'])
const fileNames = new Set(['file', 'files', 'target', 'repository'])

/** Prints what the last of the words that somebody types could become. Whatever fails, nothing is suggested. */
export async function complete(words: string[]): Promise<void> {
  // The adapter adds commands of its own by these names.
  adapt(createProgram({ completes: false }), { completionCommandName: 'completion' })
  const projects = wantsProject(words) ? await listProjects() : []
  const offerProjects = (offer: Complete) => {
    for (const { name, repository } of projects) offer(name, repository)
  }
  const shell = tab.commands.get('completion')?.arguments.get('shell')
  if (shell) shell.handler = (offer) => shells.forEach((name) => offer(name, ''))
  let takesFile = false
  for (const command of tab.commands.values()) {
    command.option('json', 'print the answer as one JSON document')
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
  // Where a file may stand, the shell completes it better than we could.
  Object.defineProperty(tab, 'directive', { get: () => (takesFile ? 0 : 4), set: () => {} })
  tab.parse(words)
}

/** Only then is the server asked. */
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

async function listProjects(): Promise<{ name: string; repository: string }[]> {
  try {
    const { baseUrl, token } = await findCredentials(readSettings())
    if (token === undefined) return []
    const core = clientFor(baseUrl, token)
    const projects = await core.projects.getProjects.query(undefined, { signal: AbortSignal.timeout(patienceMs) })
    // What is offered gets to the line as it is: names with anything that a shell may take for more go by their id.
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
