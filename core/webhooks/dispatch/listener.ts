import { Socket } from 'node:net'
import pg from 'pg'
import type { Logger } from '../../base/log.ts'
import { deliveriesChannel } from '../../events/emit.ts'
import type { Endpoint } from './due-endpoints.ts'
import { Loop } from './loop.ts'

export interface ListenerOptions {
  databaseUrl: string
  log: Logger
  /** Called with the endpoints that may have due deliveries; an empty list means all of them. */
  onNotification: (endpoints: Endpoint[]) => void
}

/** Listens on a separate connection and reconnects when it breaks. It only saves time: the dispatcher also polls. */
export function startListener({ databaseUrl, log, onNotification }: ListenerOptions): AsyncDisposable {
  let current = new Socket()

  const connect = async (): Promise<number> => {
    current.destroy()
    // With its own socket the connection can be closed even if the server does not respond.
    const socket = new Socket()
    current = socket
    const client = new pg.Client({
      stream: () => socket,
      connectionString: databaseUrl,
      application_name: 'assay-webhooks',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    })
    const reconnect = () => {
      if (current === socket) listening.wake()
    }
    client.on('error', reconnect).on('end', reconnect)
    client.on('notification', ({ payload }) => onNotification(readEndpoints(payload)))
    await client.connect()
    await client.query(`LISTEN ${deliveriesChannel}`)
    onNotification([]) // Notifications before LISTEN are lost.
    return Number.POSITIVE_INFINITY
  }

  const listening = new Loop({ name: 'listening for new deliveries', log, step: connect })
  const ended = listening.run()
  return {
    async [Symbol.asyncDispose]() {
      listening.stop()
      current.destroy()
      await ended
    },
  }
}

/** Reads the payload of a notification: for each webhook its id and its owners, separated by colons. */
function readEndpoints(payload = ''): Endpoint[] {
  const webhooks = payload === '' ? [] : payload.split(',')
  return webhooks.map((webhook) => {
    const [id = '', ...owners] = webhook.split(':')
    return { id, owners }
  })
}
