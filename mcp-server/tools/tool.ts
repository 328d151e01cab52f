import { z } from 'zod'
import type { Scope } from '../../core/base/schema.ts'
import { UserError } from '../../client/user-error.ts'
import { parseArguments } from '../answers/arguments.ts'
import type { CoreClient } from '../../client/core-client.ts'
import type { LocalAnalyzer } from '../../client/local-analysis.ts'
import type { CommittedTree, SentSnapshot, SnapshotOptions } from '../../client/snapshot.ts'
import { type Answer, type Form, write } from '../answers/output.ts'
import type { RecentSuggestions } from '../answers/recent-suggestions.ts'
import { type Ask, ConfirmArgument, type Loss, requireConsent } from './confirm.ts'

/** Core's ids have 26 characters. Slightly longer ones reach core, which reports them as unknown. */
export const Id = z.string().max(64)

/** The environment of a tool call, the same for all transports. */
export interface Call {
  core: CoreClient
  /** Identifies the caller without the token. */
  caller: string
  /** Present over stdio, where the server runs on the agent's machine. */
  local: LocalAnalyzer | undefined
  /** Sends a working tree to core; see `sendChanges`. Present over stdio. */
  sendTree?: SendTree | undefined
  suggestions: RecentSuggestions
  /** The project that the server is confined to. */
  projectId?: string | undefined
  signal: AbortSignal
  /** Absent where the client cannot ask its user. */
  ask?: Ask
  /** The client asked for progress. */
  wantsProgress: boolean
  reportProgress: (progress: { done: number; total: number; message: string }) => void
}

/** @param root - the top of the working tree */
export type SendTree = (
  projectId: string,
  root: string,
  options: SnapshotOptions,
) => Promise<SentSnapshot | CommittedTree>

/** All four hints of the protocol, so that clients do not have to assume one. */
export interface Hints {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  /** The answer holds text from repositories, receivers or AI. */
  openWorldHint: boolean
}

export interface ToolDescription {
  name: string
  title: string
  /** When to use the tool and what it returns. Some clients cut it at 400 characters. */
  description: string
  /** The scope that core requires; null accepts any valid token. */
  scope: Scope | null
  hints: Hints
  inputSchema: z.ZodObject
  outputSchema: z.ZodObject
  /** Arguments that are offered only on the agent's own machine. */
  localArguments: readonly string[]
}

/** Records of core that a client can follow as a task of the protocol. */
export type TaskKind = 'analysis' | 'run' | 'verification' | 'change' | 'measurement'
export type TaskId = `${TaskKind}_${string}`

export interface Tool extends ToolDescription {
  /** Returns the unended work of an answer; see `TaskServer`. */
  task?: (structured: Record<string, unknown>) => TaskId | undefined
  /** Runs the tool and writes its answer within the budget. Returns `asked` where the user has to confirm first. */
  answer: (given: unknown, call: Call) => Promise<Answer | 'asked'>
}

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject>
  extends Omit<ToolDescription, 'localArguments'>, Form<z.output<Output>> {
  inputSchema: Input
  outputSchema: Output
  localArguments?: readonly string[]
  /** Returns true where the arguments name an amount, so that the default budget does not apply. */
  namesAmount?: (input: z.output<Input>) => boolean
  /** For irreversible tools: returns what would be lost. The tool then takes `confirm`, and needs consent. */
  confirm?: (input: z.output<Input>, call: Call) => Promise<Loss>
  /** For long work: returns its task id while the facts say that it has not ended. */
  task?: (facts: z.output<Output>) => TaskId | undefined
  /** The output schema cleans what this returns, and drops what it does not name. */
  run: (input: z.output<Input>, call: Call) => Promise<z.input<Output>>
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { run, namesAmount, confirm, task, headline, textFacts, cut, continueWith, isTextShort, ...description } =
    definition
  const form: Form<z.output<Output>> = { headline, textFacts, cut, continueWith, isTextShort }
  const { name, inputSchema, outputSchema, localArguments = [] } = description
  const fullSchema: z.ZodObject = confirm ? inputSchema.extend(ConfirmArgument.shape) : inputSchema
  return {
    ...description,
    inputSchema: fullSchema,
    localArguments,
    ...(task ? { task: (structured) => task(outputSchema.parse(structured)) } : {}),
    answer: async (given, call) => {
      const withPin = call.projectId === undefined ? given : withProject(given, fullSchema, call.projectId)
      const { input: taken, problem } = parseArguments(fullSchema, withPin, call.local ? [] : localArguments)
      if (problem !== undefined) throw notRun(name, `${problem}.`)
      const misplaced = localArguments.find((argument) => !call.local && Object.hasOwn(taken, argument))
      if (misplaced !== undefined) {
        throw notRun(
          name,
          `${misplaced} works only where the MCP server runs on your own machine, over stdio. ` +
            'Use projectId here; list_projects shows the ids.',
        )
      }
      // Drops `confirm`, which `run` does not take.
      const input = inputSchema.parse(taken)
      if (confirm) {
        const question = { ...(await confirm(input, call)), tool: name, input }
        if ((await requireConsent(question, taken['confirm'], call.ask)) === 'asked') return 'asked'
      }
      // Parsing cleans the text of strangers and drops fields that the schema does not name.
      const facts = outputSchema.parse(await run(input, call).catch(named(name)))
      return write(facts, form, namesAmount?.(input) ?? false)
    },
  }
}

/** The arguments do not fit together. `defineTool` adds the name of the tool. */
class Refusal extends Error {
  override name = 'Refusal'
}

/** Refuses a call before it changes anything. */
export function refuse(what: string): never {
  throw new Refusal(what)
}

/** Refuses a call that names both of two arguments, or neither. */
export function requireEither<Input extends object>(
  input: Input,
  one: keyof Input & string,
  other: keyof Input & string,
  hint = '.',
): void {
  if ((input[one] === undefined) === (input[other] === undefined)) refuse(`give either ${one} or ${other}${hint}`)
}

const notRun = (tool: string, what: string) => new UserError(`${tool} was not run: ${what}`)

const named = (tool: string) => (error: unknown) => {
  throw error instanceof Refusal ? notRun(tool, error.message) : error
}

/** Arguments that determine the project, or select several. */
const projectArguments = [
  'projectId',
  'repository',
  'localPath',
  'localFile',
  'organizationId',
  'analysisId',
  'runId',
  'rerunFailedOf',
  'verificationId',
  'changeId',
  'measurementId',
  'generatedTestId',
]

/** Fills in the project on a server that is confined to one. */
function withProject(given: unknown, { shape }: z.ZodObject, projectId: string): unknown {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
  if (!('projectId' in shape) || (given !== undefined && !isObject)) return given
  const arguments_: Record<string, unknown> = { ...given }
  const isGiven = projectArguments.some((name) => arguments_[name] != null && arguments_[name] !== '')
  return isGiven ? given : { ...arguments_, projectId }
}
