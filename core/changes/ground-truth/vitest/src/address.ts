export interface Address {
  name: string
  mailbox: string
}

/** Reads `Ada Lovelace <ada@example.com>` or a plain mailbox. */
export function parseAddress(text: string): Address {
  const match = /^(.*)<([^<>]+)>$/.exec(text.trim())
  const mailbox = match ? (match[2] as string) : text
  if (!/^[^@\s]+@[^@\s]+$/.test(mailbox)) throw new Error(`${mailbox} is no mailbox`)
  return { name: match ? (match[1] as string).trim() : '', mailbox }
}

/** Leaves out mailboxes that occur again, however they are written. */
export function uniqueAddresses(addresses: readonly Address[]): Address[] {
  const seen = new Set<string>()
  return addresses.filter(({ mailbox }) => {
    if (seen.has(mailbox)) return false
    seen.add(mailbox)
    return true
  })
}
