import * as http from 'node:http'
import * as https from 'node:https'
import type { Duplex } from 'node:stream'

export interface AnswerLimits {
  /** From the moment of connecting to the last byte of the answer. */
  deadlineMs: number
  /** Of one answer with its headers. */
  maxBytes: number
}

/** Node's own agents have this method; its types leave it out. */
interface RequestTaker {
  addRequest(request: http.ClientRequest, ...rest: unknown[]): void
}

/**
 * For HTTP clients that know neither a total deadline nor a size limit: each request gets a connection of its own,
 * which is cut when it lasts too long or brings too much. A compressed answer stays compressed, so that nothing small
 * becomes large here.
 */
export function boundedAgent(protocol: string, limits: AnswerLimits): http.Agent {
  const options = { keepAlive: false }
  const agent = protocol === 'https:' ? new https.Agent(options) : new http.Agent(options)
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (...given) => {
    const socket = connect(...given)
    if (socket) bound(socket, limits)
    return socket
  }
  return leaveCompressed(agent)
}

function bound(socket: Duplex, { deadlineMs, maxBytes }: AnswerLimits): void {
  const deadline = setTimeout(() => socket.destroy(new Error(`No answer within ${deadlineMs} ms.`)), deadlineMs)
  let received = 0
  socket.once('close', () => clearTimeout(deadline))
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received > maxBytes) socket.destroy(new Error(`The answer is larger than ${maxBytes} bytes.`))
  })
}

function leaveCompressed(agent: http.Agent): http.Agent {
  const taker = agent as http.Agent & RequestTaker
  const take = taker.addRequest.bind(taker)
  taker.addRequest = (request, ...rest) => {
    // Ahead of the client's own listener, since this runs while the request is made.
    request.once('response', ({ headers }) => {
      delete headers['content-encoding']
    })
    take(request, ...rest)
  }
  return agent
}
