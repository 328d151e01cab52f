import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import ipaddr from 'ipaddr.js'

export interface DnsServer extends AsyncDisposable {
  /** As `Resolver.setServers` takes it. */
  address: string
  /** By host name in lower case. A name without an entry does not exist; `silence` leaves a question unanswered. */
  records: Map<string, readonly string[] | 'silence'>
  /** Questions that stay without an answer, such as `receiver.example.com AAAA`. */
  silentFor: Set<string>
  /** The names of all questions, in the order in which they came. */
  asked: string[]
}

const typeA = 1
const typeAaaa = 28
const noSuchName = 3

/** A real name server on loopback, over UDP, whose answers must not be cached. */
export async function createDnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const records: DnsServer['records'] = new Map()
  const silentFor = new Set<string>()
  const asked: string[] = []
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query)
    asked.push(name)
    const found = records.get(name)
    if (found === 'silence' || silentFor.has(`${name} ${type === typeAaaa ? 'AAAA' : 'A'}`)) return
    const answers = (found ?? []).map((text) => ipaddr.parse(text)).filter((parsed) => typeOf(parsed) === type)
    socket.send(answer(query.subarray(0, end), answers, found ? 0 : noSuchName), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    records,
    silentFor,
    asked,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => socket.close(resolve))
    },
  }
}

const typeOf = (address: ipaddr.IPv4 | ipaddr.IPv6) => (address.kind() === 'ipv4' ? typeA : typeAaaa)

/** The only question of a query, and where it ends. */
function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** @param question - the query up to the end of its question */
function answer(question: Buffer, addresses: readonly (ipaddr.IPv4 | ipaddr.IPv6)[], code: number): Buffer {
  const head = Buffer.from(question)
  head.writeUInt16BE(0x8180 | code, 2)
  head.writeUInt16BE(addresses.length, 6)
  head.fill(0, 8, 12)
  const entries = addresses.map((address) => {
    const bytes = Buffer.from(address.toByteArray())
    // The name as a pointer to the question, type, class, seconds to keep it, length.
    const entry = Buffer.from([0xc0, 12, 0, typeOf(address), 0, 1, 0, 0, 0, 0, 0, bytes.length])
    return Buffer.concat([entry, bytes])
  })
  return Buffer.concat([head, ...entries])
}
