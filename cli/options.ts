import { type Command, InvalidArgumentError, Option } from 'commander'

/** What every list takes; the answer says how many there are in all. */
export interface PageOptions {
  limit: number
  offset: number
}

export function addPageOptions(command: Command, limit = 20): Command {
  return command
    .addOption(new Option('--limit <count>', 'show at most so many').argParser(wholeNumber(1, 100)).default(limit))
    .addOption(new Option('--offset <count>', 'leave out so many').argParser(wholeNumber(0)).default(0))
}

export interface ProjectOptions {
  project?: string
}

export const projectWords = 'id, name, repository address, or path of a checkout (default: the one you are in)'

export function addProjectOption(command: Command): Command {
  return command.option('--project <project>', projectWords)
}

export const wholeNumber =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (number >= least && number <= most) return number
    const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `from ${least} to ${most}`
    throw new InvalidArgumentError(`It must be a whole number, ${range}.`)
  }

/**
 * Makes a command that has commands of its own, of which `list` is what it does without one. Commander would take a
 * misspelt one for an argument; here it is unknown, with a suggestion.
 */
export function addGroup(
  program: Command,
  name: string,
  description: string,
  list: (options: unknown, command: Command) => Promise<void>,
): Command {
  const group = program.command(name).description(description).usage('[command] [options]').allowExcessArguments()
  return group.action(async (options: unknown, command: Command) => {
    const [unknown] = command.args
    if (unknown !== undefined) refuseUnknown(group, unknown)
    await list(options, command)
  })
}

/** A twin without a default, so that Commander itself says what it makes of the name. */
function refuseUnknown(group: Command, name: string): void {
  const twin = group.createCommand(group.name()).copyInheritedSettings(group)
  for (const command of group.commands) twin.command(command.name())
  twin.parse([name], { from: 'user' })
}

/** Of an option that may be given several times, all that it was given. */
export const repeated = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value]
