import { type Command, InvalidArgumentError, Option } from 'commander'
import { wrongUsage } from './failure.ts'

/** Options of every list. The answer has the total. */
export interface PageOptions {
  limit: number
  offset: number
}

export function addPageOptions(command: Command, limit = 20): Command {
  return command
    .addOption(new Option('--limit <count>', 'maximum number of results').argParser(wholeNumber(1, 100)).default(limit))
    .addOption(new Option('--offset <count>', 'number of results to skip').argParser(wholeNumber(0)).default(0))
}

export interface ProjectOptions {
  project?: string
}

export const projectWords = 'id, name, repository URL, or path of a checkout (default: current checkout)'

export function addProjectOption(command: Command): Command {
  return command.option('--project <project>', projectWords)
}

export const wholeNumber =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    if (number >= min && number <= max) return number
    const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`
    throw new InvalidArgumentError(`It must be a whole number, ${range}.`)
  }

/** Returns a reader of seconds (`90`, `90s`) or minutes (`5m`). */
export const timeFrom =
  (minSeconds: number) =>
  (text: string): number => {
    const [, count, unit] = /^(\d{1,5})(s|m)?$/.exec(text) ?? []
    const seconds = Number(count) * (unit === 'm' ? 60 : 1)
    if (seconds >= minSeconds && seconds <= 3_600) return seconds
    throw new InvalidArgumentError(`It must be a time from ${minSeconds}s to 60m, such as 90s or 5m.`)
  }

export const readBudget = timeFrom(10)

/**
 * Adds a command with subcommands that runs `list` where no subcommand is given. Commander would take a misspelt
 * subcommand for an argument; this reports it as unknown, with a suggestion.
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

/** A copy without a default action makes Commander itself report the name. */
function refuseUnknown(group: Command, name: string): void {
  const twin = group.createCommand(group.name()).copyInheritedSettings(group)
  for (const command of group.commands) twin.command(command.name())
  twin.parse([name], { from: 'user' })
}

/** Collects the values of an option that may be repeated. */
export const repeated = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value]

/**
 * Refuses options of a group for its subcommands that do not have them, and leaves them out of their help. Commander takes
 * the options of a group for those of each command in it.
 */
export function separateOptions(group: Command, program: Command): void {
  group.hook('preSubcommand', refuseOtherOptions)
  for (const command of group.commands) {
    command.configureHelp({ showGlobalOptions: true, visibleGlobalOptions: () => [...program.options] })
  }
}

function refuseOtherOptions(group: Command, command: Command): void {
  const known = new Set(command.options.map(({ long }) => long))
  const given = group.options.filter((option) => group.getOptionValueSource(option.attributeName()) === 'cli')
  const misplaced = given.find(({ long }) => !known.has(long))
  if (misplaced) throw wrongUsage(`${misplaced.long} cannot be combined with ${group.name()} ${command.name()}.`)
}
