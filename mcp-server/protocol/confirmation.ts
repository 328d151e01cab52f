import { createHash, randomBytes, randomUUID } from 'node:crypto'
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type Server,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Ask, Question } from '../tools/confirm.ts'

/** After this time an unanswered question is asked again. */
const answerSeconds = 300

const responseKey = 'consent'
const Consent = z.object({ consent: z.boolean() })

/** Ties an answer to one question. */
interface Proof {
  /** Digest of the question. */
  of: string
  id: string
}

const maxOpen = 10_000

/** Unanswered questions. Each answer counts once; a question that too many others push out is asked again. */
const open = new Set<string>()

function openQuestion(of: string): Proof {
  const proof = { of, id: randomUUID() }
  open.add(proof.id)
  const [oldest] = open
  if (open.size > maxOpen && oldest !== undefined) open.delete(oldest)
  return proof
}

const createCodec = () =>
  createRequestStateCodec<Proof>({
    key: randomBytes(32),
    ttlSeconds: answerSeconds,
    bind: (ctx) => JSON.stringify([ctx.mcpReq.method, ctx.http?.authInfo?.clientId ?? 'stdio']),
  })
let created: ReturnType<typeof createCodec> | undefined

/** Accepts only state that this process made for this caller within `answerSeconds`. Most servers never ask. */
const codec = () => (created ??= createCodec())

/** Server options for questions. For clients of the older era the SDK asks. */
export const askingOptions = {
  requestState: { verify: (state, ctx) => codec().verify(state, ctx) },
  inputRequired: { roundTimeoutMs: (answerSeconds - 10) * 1_000 },
} satisfies ServerOptions

export interface Asker {
  /** Absent where the client cannot be asked. */
  ask?: Ask
  /** The result to return where `ask` said `asked`. */
  question: () => InputRequiredResult
}

const cannotAsk: Asker = {
  question: () => {
    throw new Error('no question was asked')
  },
}

/** Asks with a result to which the client responds by repeating the call with the answer. */
export function createAsker(server: Server, ctx: ServerContext): Asker {
  if (!canBeAsked(server, ctx)) return cannotAsk
  let asked: InputRequiredResult | undefined
  return {
    question: () => asked ?? cannotAsk.question(),
    ask: async (question) => {
      const of = digest(question)
      const { inputResponses } = ctx.mcpReq
      const response = inputResponse(inputResponses, responseKey)
      const proof = ctx.mcpReq.requestState<Proof>()
      // An answer counts only with the proof of its question, and only once, so that a refusal cannot be overridden.
      if (response.kind === 'elicit' && proof?.of === of && open.delete(proof.id)) {
        return acceptedContent(inputResponses, responseKey, Consent)?.consent === true ? 'yes' : 'no'
      }
      asked = inputRequired({
        inputRequests: { [responseKey]: elicitation(question) },
        requestState: await codec().mint(openQuestion(of), ctx),
      })
      return 'asked'
    },
  }
}

const Modes = z.object({ form: z.unknown(), url: z.unknown() }).partial()
const Envelope = z.object({ [CLIENT_CAPABILITIES_META_KEY]: z.object({ elicitation: Modes.optional() }) })

function canBeAsked(server: Server, ctx: ServerContext): boolean {
  // The newest era declares capabilities in every request, the older one once per connection.
  const envelope = Envelope.safeParse(ctx.mcpReq.envelope).data
  const modes = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities())?.elicitation
  return modes !== undefined && (modes.form !== undefined || modes.url === undefined)
}

const digest = ({ tool, input, name }: Question) =>
  createHash('sha256')
    .update(JSON.stringify([tool, input, name]))
    .digest('base64url')

const elicitation = ({ tool, what, name }: Question) =>
  inputRequired.elicit({
    message: `${tool}: ${what}`,
    requestedSchema: {
      type: 'object',
      properties: { [responseKey]: { type: 'boolean', title: `Yes, ${name}`, default: false } },
      required: [responseKey],
    },
  })
