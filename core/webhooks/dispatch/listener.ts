import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from '../../base/log.ts'
import { deliveriesChannel } from '../../events/emit.ts'
import type { Endpoint } from './due-endpoints.ts'

export interface Listener extends AsyncDisposable {}

export interface ListenerOptions {
  databaseUrl: string
  log: Logger
  /** Called with the endpoints that may have due deliveries; an empty list means all of them. */
  onNotification: (endpoints: Endpoint[]) => void
}

const minPauseMs = 100
const maxPauseMs = 5_000

/** Listens on a separate connection and reconnects when it breaks. It only saves time: the dispatcher also polls. */
export function startListener({ databaseUrl, log, onNotification }: ListenerOptions): Listener {
  const stopping = new AbortController()

  const listenOnce = async (): Promise<void> => {
    // With its own socket the connection can be closed even if the server does not respond.
    const socket = new Socket()
    const client = new pg.Client({
      stream: () => socket,
      connectionString: databaseUrl,
      application_name: 'assay-webhooks',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    })
    const ended = new Promise<Error>((resolve) => {
      client.on('error', resolve)
      client.on('end', () => resolve(new Error('the connection ended')))
    })
    const close = () => socket.destroy()
    stopping.signal.addEventListener('abort', close)
    client.on('notification', ({ payload }) => onNotification(readEndpoints(payload)))
    try {
      await client.connect()
      await client.query(`LISTEN ${deliveriesChannel}`)
      onNotification([]) // Notifications before LISTEN are lost.
      throw await ended
    } finally {
      stopping.signal.removeEventListener('abort', close)
      close()
    }
  }

  const listen = async (): Promise<void> => {
    let pauseMs = minPauseMs
    while (!stopping.signal.aborted) {
      const startedAt = performance.now()
      try {
        await listenOnce()
      } catch (error) {
        if (stopping.signal.aborted) return
        if (performance.now() - startedAt > maxPauseMs) pauseMs = minPauseMs
        log.warn({ err: error }, 'cannot listen for new deliveries; polling every second')
        await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {}) // Aborted by dispose.
        pauseMs = Math.min(2 * pauseMs, maxPauseMs)
      }
    }
  }

  const listening = listen()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await listening
    },
  }
}

/** Reads the payload of a notification: for each webhook its id and its owners, separated by colons. */
const readEndpoints = (payload = ''): Endpoint[] =>
  payload
    .split(',')
    .filter((text) => text !== '')
    .map((text) => {
      const [id = '', ...owners] = text.split(':')
      return { id, owners }
    })
