import { z } from 'zod'
import type { Scope } from '../../core/base/schema.ts'
import { UserError } from '../../client/user-error.ts'
import { parseArguments } from '../answers/arguments.ts'
import type { CoreClient } from '../../client/core-client.ts'
import type { LocalAnalyzer } from '../../client/local-analysis.ts'
import { type Answer, type Form, write } from '../answers/output.ts'
import type { RecentSuggestions } from '../answers/recent-suggestions.ts'
import { type Ask, ConfirmArgument, type Loss, requireConsent } from './confirm.ts'

/** Core's ids have 26 characters. Much longer ones would not get through to where core says that they are unknown. */
export const Id = z.string().max(64)

/** What a tool gets to work with, whatever the transport. */
export interface Call {
  core: CoreClient
  /** Tells callers apart without holding their token. */
  caller: string
  /** Present where the server runs on the agent's own machine, over stdio. */
  local: LocalAnalyzer | undefined
  suggestions: RecentSuggestions
  /** The one project that the server is confined to. */
  projectId?: string | undefined
  signal: AbortSignal
  /** Absent where the client cannot put a question to its user. */
  ask?: Ask
  /** The client asked to hear of progress. */
  wantsProgress: boolean
  reportProgress: (progress: { done: number; total: number; message: string }) => void
}

/** All four of the protocol's hints, so that no client has to assume. */
export interface Hints {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  /** Text from repositories or from AI comes back. */
  openWorldHint: boolean
}

export interface ToolDescription {
  name: string
  title: string
  /** When to use it and what it returns; some clients cut what is longer than 400 characters. */
  description: string
  /** The scope that core asks for; null means that any valid token will do. */
  scope: Scope | null
  hints: Hints
  inputSchema: z.ZodObject
  outputSchema: z.ZodObject
  /** Arguments that make sense only on the agent's own machine. */
  localArguments: readonly string[]
}

/** What core works on for a tool and keeps a record of, which a client can follow as a task of the protocol. */
export type TaskKind = 'analysis' | 'run' | 'verification'
export type TaskId = `${TaskKind}_${string}`

export interface Tool extends ToolDescription {
  /** The work that an answer is about and that has not ended; see `TaskServer`. */
  task?: (structured: Record<string, unknown>) => TaskId | undefined
  /** Parses the arguments, does the work, and writes the answer within its budget; `asked`, where consent is missing. */
  answer: (given: unknown, call: Call) => Promise<Answer | 'asked'>
}

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject>
  extends Omit<ToolDescription, 'localArguments'>, Form<z.output<Output>> {
  inputSchema: Input
  outputSchema: Output
  localArguments?: readonly string[]
  /** True where the arguments name an amount, so that the default budget does not apply. */
  asked?: (input: z.output<Input>) => boolean
  /** For what cannot be undone: what would be lost. The tool then takes `confirm`, and runs with consent alone. */
  confirm?: (input: z.output<Input>, call: Call) => Promise<Loss>
  /** For work that core goes on with: what it is, as long as these facts say that it has not ended. */
  task?: (facts: z.output<Output>) => TaskId | undefined
  /** The output schema cleans what this returns, and drops what it does not name. */
  run: (input: z.output<Input>, call: Call) => Promise<z.input<Output>>
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { run, asked, confirm, task, render, list, goOn, ...description } = definition
  const { name, inputSchema, outputSchema, localArguments = [] } = description
  const takenSchema: z.ZodObject = confirm ? inputSchema.extend(ConfirmArgument.shape) : inputSchema
  return {
    ...description,
    inputSchema: takenSchema,
    localArguments,
    ...(task ? { task: (structured) => task(outputSchema.parse(structured)) } : {}),
    answer: async (given, call) => {
      const meant = call.projectId === undefined ? given : withProject(given, takenSchema, call.projectId)
      const { input: taken, problem } = parseArguments(takenSchema, meant, call.local ? [] : localArguments)
      if (problem !== undefined) throw new UserError(`${name} was not run: ${problem}.`)
      const misplaced = localArguments.find((argument) => !call.local && Object.hasOwn(taken, argument))
      if (misplaced !== undefined) {
        throw new UserError(
          `${name} was not run: ${misplaced} works only where the MCP server runs on your own machine, over stdio. ` +
            'Use projectId here; list_projects shows the ids.',
        )
      }
      // Without `confirm`, which is no argument of the work itself.
      const input = inputSchema.parse(taken)
      if (confirm) {
        const question = { ...(await confirm(input, call)), tool: name, input }
        if ((await requireConsent(question, taken['confirm'], call.ask)) === 'asked') return 'asked'
      }
      // Parsing drops what the schema does not name: nothing gets out by accident.
      const facts = outputSchema.parse(await run(input, call))
      return write(facts, { render, ...(list ? { list } : {}), ...(goOn ? { goOn } : {}) }, asked?.(input) ?? false)
    },
  }
}

/** What says by itself which project is meant, or asks for more than one. */
const inPlaceOfProject = [
  'projectId',
  'repository',
  'localPath',
  'localFile',
  'organizationId',
  'analysisId',
  'runId',
  'rerunFailedOf',
  'verificationId',
  'generatedTestId',
]

/** Where a server is confined to one project, nobody has to say which. */
function withProject(given: unknown, { shape }: z.ZodObject, projectId: string): unknown {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
  if (!('projectId' in shape) || (given !== undefined && !isObject)) return given
  const arguments_: Record<string, unknown> = { ...given }
  const isSaid = inPlaceOfProject.some((name) => arguments_[name] != null && arguments_[name] !== '')
  return isSaid ? given : { ...arguments_, projectId }
}
